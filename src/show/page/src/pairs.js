// pairs.js - pairs of whole numbers, of 32 bits each: numbered from 0 on in the order in which they are first asked for.
//
// Open addressing with linear probing, at most half full; a Map with keys of 64 bits takes ten times as long.
export class Pairs {
	n = 0;
	#table; // numbers of pairs + 1; 0: free

	constructor(room = 16) {
		this.first = new Int32Array(Math.max(room, 1)); // the pairs, by number
		this.second = new Int32Array(this.first.length);
		this.#index();
	}

	#index() {
		this.#table = new Int32Array(2 ** Math.ceil(Math.log2(2 * this.first.length)));
		for (let i = 0; i < this.n; i++) this.#table[this.#place(this.first[i], this.second[i])] = i + 1;
	}

	// Where A and B stand in the table, or are to stand.
	#place(a, b) {
		const table = this.#table,
			mask = table.length - 1;
		let at = Math.imul(Math.imul(a, 0x9e3779b1) ^ b, 0x85ebca6b);
		for (at ^= at >>> 15; ; at++) {
			const found = table[(at &= mask)] - 1;
			if (found < 0 || (this.first[found] === a && this.second[found] === b)) return at;
		}
	}

	#grow() {
		for (const name of ['first', 'second']) {
			const larger = new Int32Array(2 * this.n);
			larger.set(this[name]);
			this[name] = larger;
		}
		this.#index();
	}

	// The number of A and B; -1: nobody asked for it.
	find(a, b) {
		return this.#table[this.#place(a, b)] - 1;
	}

	// The number of A and B, which are a new pair if they are not known.
	at(a, b) {
		const place = this.#place(a, b);
		if (this.#table[place]) return this.#table[place] - 1;
		if (this.n === this.first.length) {
			this.#grow();
			return this.at(a, b);
		}
		this.first[this.n] = a;
		this.second[this.n] = b;
		this.#table[place] = ++this.n;
		return this.n - 1;
	}
}
