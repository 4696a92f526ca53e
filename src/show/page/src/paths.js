// paths.js - trees that grow where somebody looks: from the root down, from the running routines up, and around a routine.
//
// A branch stands for a path of routines from the top of such a tree.  Each has its figures for each side:
//
//     time, ticks, measured, variance    (selfTicks ...: of self) of the contexts that pass;  calls  entries of these contexts
//     entries        down: of the contexts that end there, the calls of this very branch; up: the same as calls
//     self           down: time of the contexts that end there; up: that of the first routine, on whose behalf it went on
//
// A branch's members are the nodes of the view's tree whose figures it carries (members.js).
//
// Where the view has leaves (leaves.js), a routine's branches are also the functions without hooks on its time; these end there.
//
// Sums are kept: down, a branch's time is its self time and that of its branches; up, that of its branches and of
// the histories that begin with it.
import { Members } from './members.js';
import { FOLDED, GAP, kidsOf } from './shape.js';

const OWN = -1; // not in a function without hooks
const NAMES = ['time', 'self', 'calls', 'entries', 'ticks', 'selfTicks', 'measured', 'selfMeasured', 'variance', 'selfVariance'];
const [TIME, SELF, CALLS, ENTRIES, TICKS, SELF_TICKS, MEASURED, SELF_MEASURED, VARIANCE, SELF_VARIANCE] = NAMES.keys();
const EVIDENCE = [
	['ticks', TICKS, SELF_TICKS],
	['measured', MEASURED, SELF_MEASURED],
	['variance', VARIANCE, SELF_VARIANCE],
];

class Branch {
	constructor(tree, parent, link) {
		this.tree = tree; // the Down or Up that it belongs to
		this.parent = parent;
		this.routine = link >> 1;
		this.gap = Boolean(link & 1);
		this.folded = false;
		this.depth = parent ? parent.depth + 1 : 0;
		this.figures = Array(NAMES.length * tree.sides).fill(0); // one side after the other: there are many branches, and an array for each figure would take more
		this.members = new Members();
		this.leaf = false; // of a function without hooks
		this.sampled = 0; // samples that say so of these very contexts
	}

	get link() {
		return this.routine * 2 + (this.gap ? 1 : 0);
	}

	// Whether its calls are not known: it is, or leads up from, a function without hooks.
	get uncounted() {
		return this.leaf || (this.lower ?? OWN) >= 0 || Boolean(this.tree.view.model.routines[this.routine]?.uncounted);
	}

	// What it is one of, of what is judged (stats.js): null, of several contexts, or of a part of one.
	get item() {
		const { tree, members, leaf } = this;
		if (!(tree instanceof Down) || tree.around >= 0 || leaf || members.n !== 1) return null;
		let node = 0;
		members.each((i) => (node = i));
		return { node };
	}

	// Whether a branch on the way from the top here is of the same routine: going up, a later activation.
	get again() {
		for (let b = this.parent; b; b = b.parent) if (b.routine === this.routine) return true;
		return false;
	}

	// The branches below, unsorted, made when first asked for.
	get children() {
		return (this.made ??= this.#grown());
	}

	#grown() {
		const made = this.tree.grow(this);
		for (const branch of made) branch.members.pack();
		return made;
	}

	// Figure K of all sides together.
	whole(k) {
		let sum = 0;
		for (; k < this.figures.length; k += NAMES.length) sum += this.figures[k];
		return sum;
	}

	// Largest first by METRIC ("time" or "calls"), summed over the sides.
	sorted(metric) {
		const k = NAMES.indexOf(metric),
			size = (b) => b.whole(k);
		if (this.sortedBy !== metric) {
			this.order = [...this.children].sort((a, b) => size(b) - size(a) || a.link - b.link);
			this.sortedBy = metric;
		}
		return this.order;
	}

	// The links from the top to here.
	get path() {
		const links = [];
		for (let b = this; b.parent; b = b.parent) links.push(b.link);
		return links.reverse();
	}
}

// Each figure by its name, an array by side.
NAMES.forEach((name, k) =>
	Object.defineProperty(Branch.prototype, name, {
		get() {
			return Array.from({ length: this.tree.sides }, (_, s) => this.figures[s * NAMES.length + k]);
		},
	}),
);

// The branch at the end of PATH, or the last that exists on the way.
export function follow(top, path) {
	let branch = top;
	for (const link of path) {
		const next = branch.children.find((b) => b.link === link);
		if (!next) break;
		branch = next;
	}
	return branch;
}

// Add to BRANCH, of function LEAF, the PART of the own figures of node I, of side S, that was in it.
function leafJoin(view, branch, s, i, leaf, part) {
	const own = view.tree.own[s];
	if (!part || !(own.self.at(i) || own.ticks.at(i))) return;
	const { figures } = branch,
		side = s * NAMES.length;
	figures[side + TIME] += part * own.self.at(i);
	figures[side + SELF] += part * own.self.at(i);
	for (const [name, all, self] of EVIDENCE) {
		figures[side + all] += part * own[name].at(i);
		figures[side + self] += part * own[name].at(i);
	}
	branch.sampled += view.leafSamples(s, i, leaf);
}

// From the top down; a member is the node that is reached.  With AROUND, only what goes on below each last entry of that
// routine, all of them together.
export class Down {
	constructor(view, around = -1) {
		Object.assign(this, { view, around, sides: view.tree.own.length });
		this.totals = around < 0 ? view.totals : view.totalsAround(around);
		this.top = new Branch(this, null, around * 2);
		if (around < 0) this.#join(this.top, 0);
		else if (view.model.routines[around].leaf) this.#joinLeaves(around);
		else for (let i = 1; i < view.tree.n; i++) if (view.tree.routine[i] === around) this.#join(this.top, i);
		this.top.members.pack();
	}

	#join(branch, i) {
		const t = this.view.tree;
		branch.members.add(i);
		branch.folded ||= Boolean(t.flags[i] & FOLDED);
		for (let s = 0; s < this.sides; s++) {
			const { figures } = branch,
				side = s * NAMES.length,
				part = this.view.ownPart(s, i);
			figures[side + TIME] += this.totals[s].time.at(i);
			figures[side + CALLS] += this.totals[s].calls.at(i);
			figures[side + SELF] += part * t.own[s].self.at(i);
			for (const [name, all, self] of EVIDENCE) {
				figures[side + all] += this.totals[s][name].at(i);
				figures[side + self] += part * t.own[s][name].at(i);
			}
			figures[side + ENTRIES] += t.own[s].calls.at(i);
		}
	}

	// All of function LEAF is the top.
	#joinLeaves(leaf) {
		this.top.leaf = true;
		for (let i = 1; i < this.view.tree.n; i++)
			for (let s = 0; s < this.sides; s++) leafJoin(this.view, this.top, s, i, leaf, this.view.leafPart(s, i, leaf));
	}

	grow(branch) {
		const t = this.view.tree,
			found = new Map();
		if (branch.leaf) return [];
		branch.members.each((i) => {
			for (let s = 0; s < this.sides; s++)
				this.view.eachLeaf(s, i, (leaf, part) => {
					const link = leaf * 2;
					if (!found.has(link)) found.set(link, Object.assign(new Branch(this, branch, link), { leaf: true }));
					leafJoin(this.view, found.get(link), s, i, leaf, part);
				});
		});
		branch.members.each((i) =>
			kidsOf(t, i, (k) => {
				if (t.routine[k] === this.around) return;
				const link = t.routine[k] * 2 + (t.flags[k] & GAP);
				let child = found.get(link);
				if (!child) found.set(link, (child = new Branch(this, branch, link)));
				this.#join(child, k);
			}),
		);
		return [...found.values()];
	}
}

// From the running routines up to their callers; a member is the node whose figures are carried, and the one that is reached is as many steps
// nearer to the root as the branch is.  With AROUND, from the last entries of that routine with all that happens below them.
export class Up {
	constructor(view, around = -1) {
		Object.assign(this, { view, around, sides: view.tree.own.length });
		const t = view.tree,
			leaf = around >= 0 && view.model.routines[around].leaf;
		this.carried =
			around < 0 || leaf
				? t.own.map((own) => ({ ...own, time: own.self }))
				: view.totalsAround(around).map((sums, s) => ({ ...sums, calls: t.own[s].calls }));
		this.top = this.#branch(null, around * 2, { leaf, lower: leaf ? around : null, steps: 0 });
		const begins = (i) => around < 0 || (leaf ? this.#part(this.top, i) > 0 : t.routine[i] === around);
		for (let i = 1; i < t.n; i++) if (this.#carries(i) && begins(i)) this.#join(this.top, i, i);
		this.top.members.pack();
	}

	// LOWER is where what is carried went: a function without hooks, OWN, or null: everywhere; STEPS is how many nodes lie between a member and the node reached,
	// that one too.
	#branch(parent, link, { leaf = false, lower, steps }) {
		return Object.assign(new Branch(this, parent, link), { leaf, lower, steps });
	}

	// The node that BRANCH reaches from member FROM.
	reached({ steps }, from) {
		const { parent } = this.view.tree;
		let at = from;
		for (let step = 0; step < steps; step++) at = parent[at];
		return at;
	}

	// What of the figures of node FROM, of side S or else the most of any side, BRANCH carries.
	#part({ lower }, from, s = -1) {
		if (lower === null) return 1;
		if (s < 0) return Math.max(...this.carried.map((_, side) => this.#part({ lower }, from, side)));
		return lower === OWN ? this.view.ownPart(s, from) : this.view.leafPart(s, from, lower);
	}

	#carries(i) {
		for (const c of this.carried) if (c.time.at(i) || c.calls.at(i) || c.ticks.at(i)) return true;
		return false;
	}

	#join(branch, from, at) {
		if (branch.members.n === 0 && this.around < 0) branch.folded = branch.again;
		else if (this.around >= 0 && branch.parent !== null && !branch.parent.leaf && this.view.tree.flags[at] & FOLDED) branch.folded = true;
		branch.members.add(from);
		const called = !branch.uncounted;
		for (let s = 0; s < this.sides; s++) {
			const carried = this.carried[s],
				{ figures } = branch,
				side = s * NAMES.length,
				part = this.#part(branch, from, s);
			figures[side + TIME] += part * carried.time.at(from);
			if (called) figures[side + CALLS] = figures[side + ENTRIES] += carried.calls.at(from);
			for (const [name, all] of EVIDENCE) figures[side + all] += part * carried[name].at(from);
			if (!called) branch.sampled += this.view.leafSamples(s, from, branch.lower);
			if (branch.depth > 1) continue;
			figures[side + SELF] = figures[side + TIME];
			for (const [, all, self] of EVIDENCE) figures[side + self] = figures[side + all];
		}
	}

	// Each function in which own time of FROM was begins a branch, of which the routine is the first caller.
	#leaves(branch, found, from) {
		for (let s = 0; s < this.sides; s++)
			this.view.eachLeaf(s, from, (leaf) => {
				const link = leaf * 2;
				if (!found.has(link)) found.set(link, this.#branch(branch, link, { leaf: true, lower: leaf, steps: 0 }));
				if (found.get(link).members.last !== from) this.#join(found.get(link), from, from);
			});
	}

	grow(branch) {
		const t = this.view.tree,
			found = new Map(),
			first = branch.parent === null && this.around < 0,
			stays = first || branch.leaf,
			below = { lower: first && this.view.leaves ? OWN : branch.lower, steps: branch.steps + (stays ? 0 : 1) };
		branch.members.each((from) => {
			const at = this.reached(branch, from),
				next = stays ? at : t.parent[at];
			if (next === 0) return;
			const link = t.routine[next] * 2 + (stays ? 0 : t.flags[at] & GAP);
			if (!found.has(link)) found.set(link, this.#branch(branch, link, below));
			this.#join(found.get(link), from, next);
			if (first) this.#leaves(branch, found, from);
		});
		return [...found.values()];
	}
}

// What of the own time of node I, of side S, was in functions without hooks that are hits.
function hitPart(view, hit, s, i) {
	let sum = 0;
	view.eachLeaf(s, i, (leaf, part) => (sum += hit[leaf] ? part : 0));
	return sum;
}

// Whether a branch of DIR, down or up, that has anything of METRIC, is a hit of HIT (by routine: true) or leads to one that has: a function of branches.
export function leading(view, hit, dir, metric) {
	const t = view.tree,
		leads = new Uint8Array(t.n),
		shown = (i) => dir === 'up' || view.totals.some((total) => total[metric].at(i) > 0),
		below = (i) => dir === 'down' && metric === 'time' && t.own.some((own, s) => own.self.at(i) > 0 && hitPart(view, hit, s, i) > 0);
	for (let i = 1; i < t.n; i++) leads[i] = (hit[t.routine[i]] && shown(i)) || below(i) ? 1 : 0;
	if (dir === 'down') for (let i = t.n - 1; i > 0; i--) leads[t.parent[i]] |= leads[i];
	else for (let i = 1; i < t.n; i++) leads[i] |= leads[t.parent[i]];
	if (dir === 'down') return (branch) => (branch.leaf ? hit[branch.routine] : branch.members.some((i) => leads[i]));
	return (branch) => {
		const { members, tree, leaf, routine } = branch;
		if (leaf && hit[routine]) return true;
		return members.some((from) => leads[tree.reached(branch, from)] && tree.carried.some((c) => c[metric].at(from) > 0));
	};
}

// The time, calls, ticks and evidence of each side's contexts in which a routine of the set HIT (by routine: true) is active.
export function matched(view, hit) {
	const t = view.tree,
		active = new Uint8Array(t.n);
	const sums = t.own.map(() => ({ time: 0, calls: 0, ticks: 0, measured: 0, variance: 0 }));
	for (let i = 1; i < t.n; i++) {
		active[i] = active[t.parent[i]] || (hit[t.routine[i]] ? 1 : 0);
		t.own.forEach((own, s) => {
			const part = active[i] || hitPart(view, hit, s, i);
			if (!part) return;
			sums[s].time += part * own.self.at(i);
			for (const name of ['ticks', 'measured', 'variance']) sums[s][name] += part * own[name].at(i);
			if (active[i]) sums[s].calls += own.calls.at(i);
		});
	}
	return sums;
}
