// contexts.js - the contexts of one side narrowed down: to those in which something is active, and without the frames of what is hidden.
//
// A context is in focus if a routine that is wanted is active in it, as `aprof report --focus` has it; of one in which none is, what of its own
// time was in functions without hooks that are wanted (leaves.js).
//
// A hidden routine's frames are taken out of every history, as `aprof report --hide` does it (graph/fold_contexts.c): its own time is that of the context of
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
import { FOLDED, GAP, kidsOf, listed } from './shape.js';

const NOWHERE = -1;
const DROPPED = 0, // how calls of a node count: not at all, as calls, as direct recursive ones
	CALLED = 1,
	RECURSIVE = 2;
const TIMES = ['self', 'ticks', 'measured', 'variance'];

const marked = (entry) => (entry & 1) === 1;

// Steps A4 and A5 in place: of the entries S, each routine << 1 | mark, those that stay; how many.  As format/history.c has it.
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
	n = 1;
	#table; // places of paths by their parents and links; 0: free

	constructor(room) {
		this.parent = new Int32Array(room).fill(-1, 0, 1);
		this.link = new Int32Array(room);
		this.folded = new Uint8Array(room);
		this.#index(room);
	}

	#index(room) {
		this.#table = new Int32Array(2 ** Math.ceil(Math.log2(2 * room)));
		for (let i = 1; i < this.n; i++) this.#table[this.#place(this.parent[i], this.link[i])] = i;
	}

	// Where the child of PARENT by LINK stands in the table, or is to stand.
	#place(parent, link) {
		const mask = this.#table.length - 1;
		let at = Math.imul(Math.imul(parent, 0x9e3779b1) ^ link, 0x85ebca6b);
		for (at ^= at >>> 15; ; at++) {
			const found = this.#table[(at &= mask)];
			if (found === 0 || (this.parent[found] === parent && this.link[found] === link)) return at;
		}
	}

	#grow() {
		for (const name of ['parent', 'link', 'folded']) {
			const larger = new this[name].constructor(2 * this.n);
			larger.set(this[name]);
			this[name] = larger;
		}
		this.#index(2 * this.n);
	}

	child(parent, link) {
		const at = this.#place(parent, link),
			found = this.#table[at];
		if (found) return found;
		this.#table[at] = this.n;
		this.parent[this.n] = parent;
		this.link[this.n] = link;
		if (++this.n === this.parent.length) this.#grow();
		return this.n - 1;
	}

	// The node of the history S of N entries; those that are unmarked are folded there.
	of(s, n) {
		let node = 0;
		for (let i = 0; i < n; i++) {
			const gap = i > 0 && !marked(s[i - 1]) && !marked(s[i]);
			node = this.child(node, (s[i] >> 1) * 2 + (gap ? GAP : 0));
			if (!marked(s[i])) this.folded[node] = 1;
		}
		return node;
	}

	get shape() {
		const n = this.n,
			links = this.link.subarray(0, n);
		return {
			n,
			parent: this.parent.slice(0, n),
			routine: links.map((link, i) => (i ? link >> 1 : -1)),
			flags: Uint8Array.from(links, (link, i) => (link & GAP) | (this.folded[i] ? FOLDED : 0)),
		};
	}
}

// The histories of TREE, whose nodes have figures OWN, on their way to Paths.  HIDDEN by routine.
class Walk {
	constructor(tree, hidden, routines, needed, has) {
		Object.assign(this, { tree, hidden, needed, has });
		this.paths = new Paths(tree.n + 1);
		this.to = new Int32Array(tree.n).fill(NOWHERE);
		this.kind = new Uint8Array(tree.n);
		this.path = [0]; // nodes from the run to where the walk is
		this.outer = [0]; // by depth, the nearest that is not hidden
		this.last = new Int32Array(routines).fill(-1); // by routine that is not hidden, its last entry on the path
		this.before = new Int32Array(tree.n); // that before an entry
		this.depth = new Int32Array(tree.n);
		this.hid = 0; // hidden entries on the path
		this.again = 0; // entries on the path whose routine was on it before
		this.seen = new Int32Array(routines); // by routine, the node for which it was seen last
		this.entries = [];
	}

	#isHidden(i) {
		return this.hidden !== null && this.hidden[this.tree.routine[i]] === 1;
	}

	// The node for which the history at I is to be written out.
	#written(i) {
		const { entries, path, seen, tree } = this;
		let n = 0;
		for (let k = this.depth[i]; k > 0; k--) {
			const r = tree.routine[path[k]];
			if (this.#isHidden(path[k])) continue;
			entries[n++] = r * 2 + (seen[r] === i ? 0 : 1);
			seen[r] = i;
		}
		let kept = 0;
		for (let lo = 0, hi = n - 1; lo < hi; lo++, hi--) [entries[lo], entries[hi]] = [entries[hi], entries[lo]];
		for (let k = 0; k < n; k++)
			if (kept > 0 && entries[kept - 1] >> 1 === entries[k] >> 1)
				entries[kept - 1] = entries[k]; // of equals only the last can be marked
			else entries[kept++] = entries[k];
		return this.paths.of(entries, squeeze(entries, kept));
	}

	#place(i, hidden) {
		const { tree, to } = this,
			up = to[tree.parent[i]];
		if (this.hid === 0) return this.paths.child(up, tree.routine[i] * 2 + (tree.flags[i] & GAP));
		if (this.again === 0) return hidden ? up : this.paths.child(up, tree.routine[i] * 2);
		return this.has(i) ? this.#written(i) : NOWHERE; // nobody asks for it: what is below is written out, too
	}

	enter(i) {
		const { tree, last } = this,
			r = tree.routine[i],
			hidden = this.#isHidden(i),
			depth = (this.depth[i] = this.depth[tree.parent[i]] + 1),
			outer = this.outer[depth - 1];
		this.path[depth] = i;
		this.outer[depth] = hidden ? outer : i;
		this.kind[i] = hidden ? DROPPED : outer > 0 && tree.routine[outer] === r ? RECURSIVE : CALLED;
		if (hidden) this.hid++;
		else {
			const up = (this.before[i] = last[r]);
			if (up >= 0) {
				this.again++;
				if (this.hid === 0) this.paths.folded[this.to[up]] = 1;
			}
			last[r] = i;
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

// Of one side: where each node of its tree is in the new one, and what that has.
export class Narrowed {
	// TREE, a shape with the columns self, calls, recursive, ticks, measured and variance, is narrowed down to where one of WANTED is active, without HIDDEN, both by the
	// number of ROUTINES, or null.  LEAFPART(node) is what of a node's own time is in functions without hooks that are wanted.
	constructor(tree, { wanted, hidden, routines, leafPart }) {
		this.#active = activeIn(tree, wanted);
		this.#leafPart = leafPart;
		const has = (i) => this.part(i) > 0 && Boolean(tree.self.at(i) || tree.ticks.at(i) || tree.calls.at(i) || tree.recursive.at(i)),
			needed = new Uint8Array(tree.n);
		for (let i = tree.n - 1; i > 0; i--) {
			if (!needed[i] && has(i)) needed[i] = 1;
			if (needed[i]) needed[tree.parent[i]] = 1;
		}
		const walk = new Walk(tree, hidden, routines, needed, has);
		walk.run();
		this.#kind = walk.kind;
		this.to = walk.to; // by node, that in the new tree
		for (let i = 0; i < tree.n; i++) if (!(this.part(i) > 0)) this.to[i] = NOWHERE; // it only leads to something
		this.tree = { ...listed(walk.paths.shape), ...this.#figures(tree, walk.paths.n) };
	}

	#active; // by node, whether it is in focus; null: all are
	#leafPart;
	#kind;

	isActive(i) {
		return this.#active === null || this.#active[i] === 1;
	}

	// What of the own figures of node I is in focus; of its calls nothing, if that is not all.
	part(i) {
		return this.isActive(i) ? 1 : this.#leafPart(i);
	}

	// Of CALLS and RECURSIVE ones of node I, those that count as either.
	#calls(i, calls, recursive) {
		if (this.#kind[i] === DROPPED || !this.isActive(i)) return [0, 0];
		return this.#kind[i] === RECURSIVE ? [0, calls + recursive] : [calls, recursive];
	}

	#figures(own, n) {
		const sums = Object.fromEntries([...TIMES, 'calls', 'recursive'].map((name) => [name, new Float64Array(n)]));
		for (let i = 0; i < this.to.length; i++) {
			const j = this.to[i],
				part = this.part(i);
			if (j === NOWHERE) continue;
			for (const name of TIMES) sums[name][j] += part * own[name].at(i);
			const [calls, recursive] = this.#calls(i, own.calls.at(i), own.recursive.at(i));
			sums.calls[j] += calls;
			sums.recursive[j] += recursive;
		}
		return Object.fromEntries(Object.entries(sums).map(([name, values]) => [name, new Column(values)]));
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
	slices({ thread, node, interval, time, ticks }) {
		const rows = this.#rows(node.length, (i) => node.at(i)),
			column = (value) => new Column(Float64Array.from(rows, value));
		return {
			thread: column((i) => thread.at(i)),
			node: column((i) => this.to[node.at(i)]),
			interval: column((i) => interval.at(i)),
			time: column((i) => this.part(node.at(i)) * time.at(i)),
			ticks: column((i) => this.part(node.at(i)) * ticks.at(i)),
		};
	}
}
