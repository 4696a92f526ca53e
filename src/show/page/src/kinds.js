// kinds.js - by what routines belong together: the module, the source file, the C++ class or namespace.
//
// A group is { id, title, whole, members }: WHOLE is the full text of what its routines have in common, TITLE what is shown of it, MEMBERS are their numbers.
// Its id stays while the routine of its lowest number belongs to it.
import { scopeOf } from './names.js';
import { basename } from './format.js';
import { kidsOf } from './shape.js';

// Where a routine is: in a module, or in what stands for one, such as the kernel.
export const moduleOf = (about) => about.module || about.name;

export const KINDS = {
	module: { letter: 'm', of: moduleOf, none: '(module unknown)' },
	file: { letter: 'f', of: (about) => about.file, none: '(file unknown)' },
	class: { letter: 's', of: (about) => scopeOf(about.brief), none: '(no class or namespace)' },
};

// Whether routine R did anything in what APP shows.
const seenIn = (figures, r) => figures.some((f) => f.calls[r] || f.recursive[r] || f.total[r] || f.self[r]);
export const seen = (app, r) => seenIn(app.view.figures, r);

export const group = (letter, title, members, whole = title) => ({
	id: `${letter}${members.reduce((a, b) => Math.min(a, b))}`,
	title,
	whole,
	members,
});

// Of each of PATHS its last part, or all of it where several end alike.
function endings(paths) {
	const times = new Map();
	for (const path of paths) times.set(basename(path), (times.get(basename(path)) ?? 0) + 1);
	return paths.map((path) => (times.get(basename(path)) > 1 ? path : basename(path)));
}

// The groups of KIND, module, file or class, to one of which each routine that did anything belongs.
export function partition(app, kind) {
	return app.remember(`kind ${kind}`, () => {
		const { letter, of, none } = KINDS[kind],
			found = new Map();
		const { figures } = app.view;
		app.model.routines.forEach((about, r) => {
			if (!seenIn(figures, r)) return;
			if (!found.has(of(about))) found.set(of(about), []);
			found.get(of(about)).push(r);
		});
		const keys = [...found.keys()],
			titles = kind === 'class' ? keys : endings(keys);
		return keys.map((key, i) => group(letter, titles[i] || none, found.get(key), key || none));
	});
}

// Whether routines differ by KIND.
export const differs = (app, kind) => partition(app, kind).length > 1;

const SUMS = ['calls', 'recursive', 'self', 'selfTicks', 'selfMeasured', 'selfVariance'];
const BELOW = { total: 'time', totalTicks: 'ticks', totalMeasured: 'measured', totalVariance: 'variance' };

const LEAFED = [
	['total', 'self'],
	['totalTicks', 'ticks'],
	['totalMeasured', 'measured'],
	['totalVariance', 'variance'],
];

// The BELOW of one SIDE by group, where OF is the group of each routine, or -1: what its outermost nodes on each path of the tree came to.
function belowOf(view, side, of, n) {
	const tree = view.tree,
		totals = view.totals[side],
		sums = Object.fromEntries(Object.keys(BELOW).map((name) => [name, new Float64Array(n)])),
		active = new Int32Array(n),
		stack = [];
	const groupAt = (i) => of[tree.routine[i]] ?? -1;
	const open = (i) => kidsOf(tree, i, (k) => stack.push(k));
	open(0);
	const leafed = (i) =>
		// functions without hooks, in groups of which nothing else is active
		view.eachLeaf(side, i, (leaf, part) => {
			const g = of[leaf];
			if (g < 0 || active[g]) return;
			for (const [name, own] of LEAFED) sums[name][g] += part * tree.own[side][own].at(i);
		});
	while (stack.length) {
		const i = stack.pop();
		if (i < 0) {
			active[groupAt(~i)]--;
			continue;
		}
		const g = groupAt(i);
		if (g >= 0) {
			if (!active[g]++) for (const name in BELOW) sums[name][g] += totals[BELOW[name]].at(i);
			stack.push(~i);
		}
		leafed(i);
		open(i);
	}
	return sums;
}

// The figures of GROUPS, whose routines are in none other, for each side: by group as those of a view are by routine.  Self times and calls are sums; a
// total is all time in which a routine of the group was active, counted once.
export function sumsOf(view, groups) {
	const of = new Int32Array(view.model.routines.length).fill(-1);
	groups.forEach(({ members }, g) => members.forEach((r) => (of[r] = g)));
	return view.figures.map((figures, side) => {
		const sum = (name) => Float64Array.from(groups, ({ members }) => members.reduce((all, r) => all + figures[name][r], 0));
		return { ...Object.fromEntries(SUMS.map((name) => [name, sum(name)])), ...belowOf(view, side, of, groups.length) };
	});
}
