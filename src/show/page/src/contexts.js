// contexts.js - the contexts of one side narrowed down: to those in which something is active, and without the frames of what is hidden.
//
// A context is in focus if a routine that is wanted is active in it, as `aprof report --focus` has it; of one in which none is, what of its own
// time was in functions without hooks that are wanted (leaves.js).
//
// A hidden routine's frames are taken out of every history, as `aprof report --hide` does it (understand/graph/fold_contexts.c): its own time is that of the context of
// its caller, and what it called was called by that caller.  What follows is normalised: of a routine's entries the last is marked, those that became
// neighbours are one, and unmarked entries that join nothing are squeezed out (A4 and A5 of Spivey 2004).
//
//     Main run f run g      without Main and run     gives f g
//     Main f h f            without h                gives Main f; the call of f is a recursive one
//
// Whether a call that is left was a direct recursive one is seen by the entry before it.  Rarely that is not the caller: where it was squeezed out before, behind a
// hidden routine that recurs.  The reports know the caller's own context, and tell such a call for what it is.
//
// Where no routine recurs, and above all that is hidden, a path of the new tree is made of its parent's.  Only others are written out entry by entry.
import { Column } from './column.js';
import { Pairs } from './pairs.js';
import { FOLDED, GAP, kidsOf, listed } from './shape.js';

const NOWHERE = -1;
const DROPPED = 0, // how calls of a node count: not at all, as calls, as direct recursive ones
	CALLED = 1,
	RECURSIVE = 2;
const TIMES = ['self', 'ticks', 'measured', 'variance'];

const marked = (entry) => (entry & 1) === 1;

// Steps A4 and A5 in place: of the entries S, each routine << 1 | mark, those that stay; how many.  As contract/history.c has it.
function squeeze(s, n) {
	let kept = 0;
	for (let i = 0; i < n; i++) {
		const after = kept > 0 && !marked(s[kept - 1]),
			before = i + 1 < n && !marked(s[i + 1]);
		if (!marked(s[i]) && after && (before || s[kept - 1] === s[i])) continue;
		s[kept++] = s[i];
	}
	return kept;
}

// Paths from the run down, each made when it is first asked for: by its parent and its link, routine << 1 | gap.
class Paths {
	#pairs; // parent and link, by path
	#folded; // by path

	constructor(room) {
		this.#pairs = new Pairs(room);
		this.#folded = new Uint8Array(room);
		this.#pairs.at(-1, 0); // the run
	}

	get n() {
		return this.#pairs.n;
	}

	child(parent, link) {
		return this.#pairs.at(parent, link);
	}

	fold(node) {
		if (node >= this.#folded.length) {
			const larger = new Uint8Array(2 * node);
			larger.set(this.#folded);
			this.#folded = larger;
		}
		this.#folded[node] = 1;
	}

	// The node of the history S of N entries, of which the first FROM lead to NODE; those that are unmarked are folded there.
	of(s, n, node, from) {
		for (let i = from; i < n; i++) {
			const gap = i > 0 && !marked(s[i - 1]) && !marked(s[i]);
			node = this.child(node, (s[i] >> 1) * 2 + (gap ? GAP : 0));
			if (!marked(s[i])) this.fold(node);
		}
		return node;
	}

	get shape() {
		const { n } = this,
			parent = this.#pairs.first.slice(0, n),
			routine = this.#pairs.second.slice(0, n),
			flags = new Uint8Array(n);
		for (let i = 0; i < n; i++) {
			flags[i] = (routine[i] & GAP) | (this.#folded[i] ? FOLDED : 0);
			routine[i] >>= 1;
		}
		routine[0] = -1;
		return { n, parent, routine, flags };
	}
}

// The histories of TREE on their way to Paths: of the nodes that are NEEDED; there HAS those that are asked for.  HIDDEN by routine, or null.
class Walk {
	constructor(tree, hidden, routines, needed, has) {
		Object.assign(this, { tree, hidden, needed, has });
		this.paths = new Paths(tree.n + 1);
		this.to = new Int32Array(tree.n).fill(NOWHERE);
		this.kind = new Uint8Array(tree.n);
		this.shown = new Int32Array(16); // the nodes from the run to where the walk is, but for those that are hidden
		this.depth = 0; // how many
		this.last = new Int32Array(routines).fill(-1); // by routine that is not hidden, its last entry on the path
		this.before = new Int32Array(tree.n); // that before an entry
		this.hid = 0; // hidden entries on the path
		this.again = 0; // entries on the path whose routine was on it before
		this.entries = [];
	}

	#isHidden(i) {
		return this.hidden !== null && this.hidden[this.tree.routine[i]] === 1;
	}

	// The node for which the history of what is shown is to be written out.  Before the first entry that is unmarked all are as they are, and so is what they lead to.
	#written() {
		const { entries, shown, depth, tree, last } = this;
		let same = 0,
			kept = 0;
		while (same < depth && last[tree.routine[shown[same]]] === shown[same]) entries[kept++] = tree.routine[shown[same++]] * 2 + 1;
		for (let k = same; k < depth; k++) {
			const r = tree.routine[shown[k]],
				entry = r * 2 + (last[r] === shown[k] ? 1 : 0);
			if (kept > 0 && entries[kept - 1] >> 1 === r)
				entries[kept - 1] = entry; // of equals only the last can be marked
			else entries[kept++] = entry;
		}
		return this.paths.of(entries, squeeze(entries, kept), same ? this.to[shown[same - 1]] : 0, same);
	}

	#place(i, hidden) {
		const { tree, to } = this,
			up = to[tree.parent[i]];
		if (this.hid === 0) return this.paths.child(up, tree.routine[i] * 2 + (tree.flags[i] & GAP));
		if (this.again === 0) return hidden ? up : this.paths.child(up, tree.routine[i] * 2);
		return this.has[i] ? this.#written() : NOWHERE; // nobody asks for it: what is below is written out, too
	}

	// Node I is the last on the path.
	#show(i) {
		if (this.depth === this.shown.length) {
			const larger = new Int32Array(2 * this.depth);
			larger.set(this.shown);
			this.shown = larger;
		}
		this.shown[this.depth++] = i;
	}

	enter(i) {
		const { tree, last } = this,
			r = tree.routine[i],
			hidden = this.#isHidden(i);
		this.kind[i] = hidden ? DROPPED : this.depth > 0 && tree.routine[this.shown[this.depth - 1]] === r ? RECURSIVE : CALLED;
		if (hidden) this.hid++;
		else {
			const up = (this.before[i] = last[r]);
			if (up >= 0) {
				this.again++;
				if (this.hid === 0) this.paths.fold(this.to[up]);
			}
			last[r] = i;
			this.#show(i);
		}
		this.to[i] = this.#place(i, hidden);
	}

	leave(i) {
		if (this.#isHidden(i)) {
			this.hid--;
			return;
		}
		if (this.before[i] >= 0) this.again--;
		this.last[this.tree.routine[i]] = this.before[i];
		this.depth--;
	}

	run() {
		const stack = [];
		const push = (k) => this.needed[k] && stack.push(k);
		this.to[0] = 0;
		this.kind[0] = CALLED;
		kidsOf(this.tree, 0, push);
		while (stack.length) {
			const i = stack.pop();
			if (i < 0) this.leave(~i);
			else {
				this.enter(i);
				stack.push(~i);
				kidsOf(this.tree, i, push);
			}
		}
	}
}

// By node of TREE whether a routine of WANTED is active; null: in all.
function activeIn(tree, wanted) {
	if (!wanted) return null;
	const active = new Uint8Array(tree.n);
	for (let i = 1; i < tree.n; i++) active[i] = active[tree.parent[i]] || wanted[tree.routine[i]] ? 1 : 0;
	return active;
}

// By node, what of its own figures is in focus: all of what is ACTIVE, of the others LEAFPART(node), or nothing; null: all of all.
function partsOf(active, leafPart) {
	if (active === null || leafPart === null) return active;
	const parts = Float64Array.from(active);
	for (let i = 0; i < parts.length; i++) if (!active[i]) parts[i] = leafPart(i);
	return parts;
}

// Of one side: where each node of its tree is in the new one, and what that has.
export class Narrowed {
	// TREE, a shape with the columns self, calls, recursive, ticks, measured and variance, is narrowed down to where one of WANTED is active, without HIDDEN, both by the
	// number of ROUTINES, or null.  LEAFPART(node) is what of a node's own time is in functions without hooks that are wanted; null: there are none.
	constructor(tree, { wanted, hidden, routines, leafPart }) {
		this.#active = activeIn(tree, wanted);
		this.#parts = partsOf(this.#active, leafPart);
		const own = Object.fromEntries([...TIMES, 'calls', 'recursive'].map((name) => [name, tree[name].wide()])),
			has = new Uint8Array(tree.n),
			needed = new Uint8Array(tree.n);
		for (const values of [own.self, own.ticks, own.calls, own.recursive])
			for (let i = 0; i < tree.n; i++) if (values[i] && this.part(i) > 0) has[i] = 1;
		for (let i = tree.n - 1; i > 0; i--) {
			if (has[i]) needed[i] = 1;
			if (needed[i]) needed[tree.parent[i]] = 1;
		}
		const walk = new Walk(tree, hidden, routines, needed, has);
		walk.run();
		this.#kind = walk.kind;
		this.to = walk.to; // by node, that in the new tree
		for (let i = 0; i < tree.n; i++) if (!(this.part(i) > 0)) this.to[i] = NOWHERE; // it only leads to something
		this.tree = { ...listed(walk.paths.shape), ...this.#figures(own, walk.paths.n) };
	}

	#active; // by node, whether it is in focus; null: all are
	#parts; // by node, what of its own figures is; null: all
	#kind;

	isActive(i) {
		return this.#active === null || this.#active[i] === 1;
	}

	// What of the own figures of node I is in focus; of its calls nothing, if that is not all.
	part(i) {
		return this.#parts === null ? 1 : this.#parts[i];
	}

	// Of CALLS and RECURSIVE ones of node I, those that count as either.
	#calls(i, calls, recursive) {
		if (this.#kind[i] === DROPPED || !this.isActive(i)) return [0, 0];
		return this.#kind[i] === RECURSIVE ? [0, calls + recursive] : [calls, recursive];
	}

	#figures(own, n) {
		const { to } = this,
			parts = this.#parts,
			kinds = this.#kind,
			calls = new Float64Array(n),
			recursive = new Float64Array(n);
		for (let i = 0; i < to.length; i++) {
			if (to[i] === NOWHERE || kinds[i] === DROPPED || !this.isActive(i)) continue;
			(kinds[i] === RECURSIVE ? recursive : calls)[to[i]] += own.calls[i];
			recursive[to[i]] += own.recursive[i];
		}
		const times = TIMES.map((name) => {
			const from = own[name],
				sum = new Float64Array(n);
			for (let i = 0; i < to.length; i++) if (to[i] !== NOWHERE) sum[to[i]] += parts === null ? from[i] : parts[i] * from[i];
			return [name, new Column(sum)];
		});
		return { ...Object.fromEntries(times), calls: new Column(calls), recursive: new Column(recursive) };
	}

	// The numbers, of N items, of those whose NODEOF has something in the new tree.
	#rows(n, nodeOf) {
		const rows = [];
		for (let i = 0; i < n; i++) if (this.to[nodeOf(i)] !== NOWHERE) rows.push(i);
		return rows;
	}

	// The shares of threads in contexts (decode.js).
	shares({ thread, node, ...columns }) {
		const rows = this.#rows(node.length, (i) => node[i]),
			column = (value) => new Column(Float64Array.from(rows, value)),
			times = ['time', 'ticks', 'measured', 'variance'].map((name) => [
				name,
				column((i) => this.part(node[i]) * columns[name].at(i)),
			]),
			counted = (k) => column((i) => this.#calls(node[i], columns.calls.at(i), columns.recursive.at(i))[k]);
		return {
			thread: Int32Array.from(rows, (i) => thread[i]),
			node: Int32Array.from(rows, (i) => this.to[node[i]]),
			...Object.fromEntries(times),
			calls: counted(0),
			recursive: counted(1),
		};
	}

	// The slices of these (decode.js).
	slices({ thread, node, interval, time, ticks, phase }) {
		const rows = this.#rows(node.length, (i) => node.at(i)),
			column = (value) => new Column(Float64Array.from(rows, value));
		return {
			thread: column((i) => thread.at(i)),
			node: column((i) => this.to[node.at(i)]),
			interval: column((i) => interval.at(i)),
			time: column((i) => this.part(node.at(i)) * time.at(i)),
			ticks: column((i) => this.part(node.at(i)) * ticks.at(i)),
			phase: column((i) => phase.at(i)),
		};
	}
}
