// leaves.js - time in code without hooks, of libraries and the kernel, as callees of the routines on whose time it ran.
//
// Program counters tell of each routine what part of its own time was in which function without hooks, and so does `aprof report --leaves`.  They also tell
// in which context they were taken.  The own time of each context is divided such that both hold: contexts have their times, and
// the functions of a routine what the report says of them.  That is iterative proportional fitting (Deming and Stephan 1940) of a table of a routine's
// contexts and places, which begins with its samples and one more sample for each context, spread as those of the routine are; so a
// context without samples is divided as its routine is.  What the kernel took is known of routines only.
//
// A slot is a place in which a routine's own time can be: 0 its own code, the others functions.
import { Column } from './column.js';

const ROUNDS = 1000,
	CLOSE = 1e-6; // what is left of a sum to be met, as a part of it

// Factors by slot that let ROWS, { size, counts: Map of slots }, and a last row without counts, of REST, come to the parts WANTED, of 1, of all.
function factorsOf(rows, rest, wanted) {
	const factors = Float64Array.from(wanted, (p) => (p > 0 ? 1 : 0)),
		whole = rows.reduce((sum, row) => sum + row.size, rest);
	for (let round = 0, off = 1; whole > 0 && round < ROUNDS && off > CLOSE; round++) {
		const sums = new Float64Array(wanted.length),
			usual = wanted.reduce((sum, p, l) => sum + p * factors[l], 0);
		let all = rest / usual;
		for (const { size, counts } of rows) {
			let weight = usual;
			for (const [l, n] of counts) weight += n * factors[l];
			all += size / weight;
			for (const [l, n] of counts) sums[l] += (n * size) / weight;
		}
		off = 0;
		wanted.forEach((p, l) => {
			if (p <= 0) return;
			const by = (p * whole) / (factors[l] * (sums[l] + p * all));
			factors[l] *= by;
			off = Math.max(off, Math.abs(by - 1));
		});
	}
	return factors;
}

// PARTS with that of slot 0 made such that all are 1.
function whole(parts) {
	parts[0] = 0;
	parts[0] = Math.max(0, 1 - parts.reduce((sum, p) => sum + p, 0));
	return parts;
}

// Where the own time of one routine can be: { leaf, share, kernel, slots, factors }.
class Places {
	constructor() {
		this.leaf = [-1]; // by slot: the function's number among the routines
		this.share = [1]; // of the routine's own time
		this.kernel = [false];
		this.slots = new Map(); // by function
	}

	add(leaf, share, kernel) {
		if (!this.slots.has(leaf)) {
			this.slots.set(leaf, this.leaf.push(leaf) - 1);
			this.share.push(0);
			this.kernel.push(kernel);
		}
		this.share[this.slots.get(leaf)] += share;
		this.share[0] = Math.max(0, this.share[0] - share);
	}

	// Meet ROWS and REST, own times of contexts with samples, and of all others.
	fit(rows, rest) {
		this.user = this.share.reduce((sum, p, l) => sum + (this.kernel[l] ? 0 : p), 0);
		this.wanted = this.share.map((p, l) => (this.kernel[l] || !this.user ? 0 : p / this.user));
		this.factors = factorsOf(
			rows.map((row) => ({ ...row, size: row.size * this.user })),
			rest * this.user,
			this.wanted,
		);
		this.usual = this.partsOf([]);
	}

	// The parts of a context with such COUNTS, pairs of slot and samples, by slot; they are 1 in all.
	partsOf(counts) {
		const weights = this.wanted.map((p, l) => p * this.factors[l]);
		for (const [l, n] of counts) weights[l] += n * this.factors[l];
		const all = weights.reduce((sum, w) => sum + w, 0);
		return whole(Float64Array.from(weights, (w, l) => (this.kernel[l] ? this.share[l] : all ? (this.user * w) / all : 0)));
	}
}

// Of side S of MODEL: where the own time of each node of its tree was.
export class Leaves {
	constructor(model, s) {
		const side = model.sides[s],
			map = model.maps[s];
		this.tree = model.tree;
		this.places = new Map(); // by routine
		const self = new Map();
		side.routines.self.forEach((time, r) => self.set(map[r], (self.get(map[r]) ?? 0) + time));
		const { routine, plain, share, ticks } = side.leaves;
		for (let i = 0; i < routine.length; i++) {
			const q = map[routine[i]];
			if (!this.places.has(q)) this.places.set(q, new Places());
			const part = self.get(q) ? (share[i] * side.routines.self[routine[i]]) / self.get(q) : 0;
			this.places.get(q).add(map[side.hooked + plain[i]], part, ticks[i] === 0);
		}
		const counts = this.#counts(model, s);
		this.#fit(model.tree.own[s].self, counts);
		this.#keep(counts);
	}

	// Samples of the nodes that have such: by node a Map by slot.
	#counts(model, s) {
		const side = model.sides[s],
			counts = new Map(),
			{ node, leaf, ticks } = side.leafCounts;
		for (let i = 0; i < node.length; i++) {
			const at = model.node(s, node[i]),
				places = this.places.get(this.tree.routine[at]);
			if (!places) continue;
			const slot = leaf[i] ? places.slots.get(model.maps[s][side.hooked + side.leaves.plain[leaf[i] - 1]]) : 0;
			if (!counts.has(at)) counts.set(at, new Map());
			counts.get(at).set(slot, (counts.get(at).get(slot) ?? 0) + ticks[i]);
		}
		return counts;
	}

	#fit(self, all) {
		const rows = new Map(),
			rest = new Map();
		for (let i = 1; i < this.tree.n; i++) {
			const q = this.tree.routine[i];
			if (!this.places.has(q)) continue;
			const counts = all.get(i);
			if (!counts) rest.set(q, (rest.get(q) ?? 0) + self.at(i));
			else if (rows.has(q)) rows.get(q).push({ size: self.at(i), counts });
			else rows.set(q, [{ size: self.at(i), counts }]);
		}
		for (const [q, places] of this.places) places.fit(rows.get(q) ?? [], rest.get(q) ?? 0);
	}

	// The parts, and COUNTS, of the nodes that have such, one node after the other, each by slot.
	#keep(counts) {
		const begins = new Float64Array(this.tree.n), // by node, and 1 more; 0: it has no samples
			placesOf = (i) => this.places.get(this.tree.routine[i]);
		let size = 0;
		for (const i of counts.keys()) {
			begins[i] = size + 1;
			size += placesOf(i).share.length;
		}
		const ticks = new Float64Array(size);
		this.known = new Float64Array(size);
		for (const [i, slots] of counts) {
			this.known.set(placesOf(i).partsOf(slots), begins[i] - 1);
			for (const [slot, n] of slots) ticks[begins[i] - 1 + slot] = n;
		}
		this.begins = new Column(begins);
		this.ticks = new Column(ticks);
	}

	// What of the own time of node I was where, by the slots of its routine's places; null: all in its own code.
	parts(i) {
		const places = this.places.get(this.tree.routine[i]),
			begin = places ? this.begins.at(i) - 1 : -1;
		return begin < 0 ? (places?.usual ?? null) : this.known.subarray(begin, begin + places.share.length);
	}

	// Samples of node I in function LEAF.
	samples(i, leaf) {
		const slot = this.places.get(this.tree.routine[i])?.slots.get(leaf),
			begin = this.begins.at(i) - 1;
		return slot === undefined || begin < 0 ? 0 : this.ticks.at(begin + slot);
	}
}
