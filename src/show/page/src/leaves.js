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

	// The places of node I's routine; undefined: all own time is in its own code.
	placesOf(i) {
		return this.places.get(this.tree.routine[i]);
	}

	// What of the own time of node I was where, by the slots of its places; null: all in its own code.
	parts(i) {
		const places = this.placesOf(i),
			begin = places ? this.begins.at(i) - 1 : -1;
		return begin < 0 ? (places?.usual ?? null) : this.known.subarray(begin, begin + places.share.length);
	}

	// What of that was in functions of WANTED, by routine.
	sum(i, wanted) {
		const parts = this.parts(i);
		let sum = 0;
		if (parts) this.placesOf(i).leaf.forEach((leaf, slot) => (sum += slot && wanted[leaf] ? parts[slot] : 0));
		return sum;
	}

	// Samples of node I in function LEAF.
	samples(i, leaf) {
		const slot = this.placesOf(i)?.slots.get(leaf),
			begin = this.begins.at(i) - 1;
		return slot === undefined || begin < 0 ? 0 : this.ticks.at(begin + slot);
	}
}

// The same of a tree narrowed down (contexts.js), by the leaves of the tree that it was: a node has what those have that became it, but for the run, whose own time nothing is known of.  Time in hidden functions
// is that of the routine that called them; of a node of which functions alone are in focus it is in these.
export class Gathered {
	#kept = new Map(); // by node, or by the parts that a node had before, { parts, places }
	#none = { parts: null, places: undefined };

	// LEAVES are those of the whole; N how many nodes there are, FROM(i) and TO(j) their numbers, by those of the side before and after; SELF the side's own times.
	constructor(leaves, { n, narrowed, from, to, self }) {
		Object.assign(this, { leaves, narrowed, from });
		this.first = new Int32Array(n + 1);
		const counts = (visit) => {
			for (let i = 1; i < narrowed.to.length; i++) if (narrowed.to[i] > 0 && self.at(i)) visit(to(narrowed.to[i]), i);
		};
		counts((j) => this.first[j + 1]++);
		for (let j = 0; j < n; j++) this.first[j + 1] += this.first[j];
		const at = this.first.slice();
		this.nodes = new Int32Array(this.first[n]); // by node of the new tree, one after the other, those of the side before
		counts((j, i) => (this.nodes[at[j]++] = i));
		this.self = self;
	}

	// What node I of the side before has, without what is hidden or not in focus.
	#before(i) {
		const parts = this.leaves.parts(this.from(i));
		if (!parts) return this.#none;
		const places = this.leaves.placesOf(this.from(i)),
			{ hidden, wanted } = this.narrowed,
			all = this.narrowed.isActive(i);
		if (all && !places.leaf.some((leaf, slot) => slot && hidden?.[leaf])) return { parts, places };
		return this.#shown(
			places.leaf.map((leaf, slot) => [leaf, slot && (all || wanted[leaf]) ? parts[slot] : 0]),
			all ? 1 : this.narrowed.part(i),
		);
	}

	// PARTS, pairs of function and part of a time, as those of ALL of it; what is in none of them, or in hidden ones, is in own code.
	#shown(parts, all) {
		const places = { leaf: [-1], slots: new Map() },
			shown = [0];
		for (const [leaf, part] of parts) {
			if (!part || this.narrowed.hidden?.[leaf]) continue;
			if (!places.slots.has(leaf)) places.slots.set(leaf, places.leaf.push(leaf) - 1);
			const slot = places.slots.get(leaf);
			shown[slot] = (shown[slot] ?? 0) + part / all;
		}
		return places.leaf.length > 1 ? { parts: whole(shown), places } : this.#none;
	}

	#made(j) {
		const list = this.nodes.subarray(this.first[j], this.first[j + 1]);
		if (list.length < 2) return list.length ? this.#before(list[0]) : this.#none;
		const all = Array.from(list, (i) => [this.#before(i), this.self.at(i) * this.narrowed.part(i)]);
		if (all.every(([before]) => before.parts === all[0][0].parts)) return all[0][0];
		return this.#shown(
			all.flatMap(([{ parts, places }, time]) => (places?.leaf ?? []).map((leaf, slot) => [leaf, slot ? parts[slot] * time : 0])),
			all.reduce((sum, [, time]) => sum + time, 0),
		);
	}

	#at(j) {
		if (!this.#kept.has(j)) this.#kept.set(j, this.#made(j));
		return this.#kept.get(j);
	}

	placesOf(j) {
		return this.#at(j).places;
	}

	parts(j) {
		return this.#at(j).parts;
	}

	samples(j, leaf) {
		let sum = 0;
		for (let k = this.first[j]; k < this.first[j + 1]; k++) sum += this.leaves.samples(this.from(this.nodes[k]), leaf);
		return sum;
	}
}
