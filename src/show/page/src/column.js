// column.js - many numbers, each found by its index, kept exactly and in few bytes.
//
// Most are small, or 0: these stand in an array of one, two or four bytes each, or in none, if they are 0.  The others stand one after the other, and a bit
// for each index tells which they are: so such a number is where as many bits are set before its own (rank: Jacobson 1989, "Space-efficient static
// trees and graphs").  What is small is chosen such that the fewest bytes are taken.

// What a number can be kept in, the narrowest first; what no integer of 32 bits is, be it less than 0 or a fraction, is kept as it is.
const FORMS = [null, Uint8Array, Uint16Array, Uint32Array, Float64Array];
const BYTES = FORMS.map((form) => form?.BYTES_PER_ELEMENT ?? 0);
const MARK = 1 / 4; // bytes by index that tell which numbers are not small: a bit of MARKS, and 32 for each 32 of them

// The narrowest form that has V, by its number.
const formOf = (v) => (v === 0 ? 0 : v >>> 0 !== v ? 4 : v < 0x100 ? 1 : v < 0x10000 ? 2 : 3);

// How many of VALUES are of each form.
function counted(values) {
	let none = 0,
		one = 0,
		two = 0,
		four = 0;
	for (let i = 0; i < values.length; i++) {
		const v = values[i];
		if (v === 0) none++;
		else if (v >>> 0 !== v) continue;
		else if (v < 0x100) one++;
		else if (v < 0x10000) two++;
		else four++;
	}
	return [none, one, two, four, values.length - none - one - two - four];
}

// The form of the small ones, that of the others, and how many others there are, where COUNTS numbers by form are to be kept.
function chosen(counts) {
	const large = counts.findLastIndex((count) => count > 0),
		n = counts.reduce((sum, count) => sum + count, 0);
	let best = { bytes: Infinity };
	for (let small = 0, others = n; small <= Math.max(0, large); small++) {
		others -= counts[small];
		const bytes = n * BYTES[small] + (others ? n * MARK + others * BYTES[large] : 0);
		if (bytes < best.bytes) best = { bytes, small, large, others };
	}
	return best;
}

// How many bits of WORD are set.
function ones(word) {
	const pairs = word - ((word >>> 1) & 0x55555555),
		fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
	return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export class Column {
	#small = null; // by index; null: they are 0
	#marks = null; // a bit by index: the number is not small; null: all are
	#before; // by word of these, how many are set in the words before
	#large; // those that are not small

	// The numbers of VALUES, an array, which may change afterwards.
	constructor(values) {
		const { small, large, others } = chosen(counted(values));
		this.length = values.length;
		if (small > 0) this.#small = new FORMS[small](values);
		if (others) this.#mark(values, small, new FORMS[large](others));
	}

	#mark(values, small, large) {
		const words = (values.length + 31) >>> 5;
		this.#marks = new Int32Array(words);
		this.#before = new Uint32Array(words);
		this.#large = large;
		for (let i = 0, next = 0; i < values.length; i++) {
			if ((i & 31) === 0) this.#before[i >>> 5] = next;
			if (formOf(values[i]) <= small) continue;
			this.#marks[i >>> 5] |= 1 << (i & 31);
			large[next++] = values[i];
		}
	}

	// The number at index I, which is one of the column.
	at(i) {
		if (this.#marks !== null) {
			const word = this.#marks[i >>> 5];
			if ((word >>> (i & 31)) & 1) return this.#large[this.#before[i >>> 5] + ones(word & ((1 << (i & 31)) - 1))];
		}
		return this.#small === null ? 0 : this.#small[i];
	}

	// The largest; 0 if there is none above.
	get most() {
		let most = 0;
		for (let i = 0; i < this.length; i++) most = Math.max(most, this.at(i));
		return most;
	}

	get sum() {
		return this.wide().reduce((sum, value) => sum + value, 0);
	}

	// All of them, to be added up or changed.
	wide() {
		const values = this.#small === null ? new Float64Array(this.length) : Float64Array.from(this.#small),
			words = this.#marks?.length ?? 0;
		for (let w = 0, next = 0; w < words; w++)
			for (let word = this.#marks[w]; word !== 0; word &= word - 1)
				values[32 * w + 31 - Math.clz32(word & -word)] = this.#large[next++];
		return values;
	}

	// Bytes that they take.
	get bytes() {
		return [this.#small, this.#marks, this.#before, this.#large].reduce((sum, array) => sum + (array?.byteLength ?? 0), 0);
	}
}
