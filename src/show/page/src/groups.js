// groups.js - routines that belong together in the call graph: strongly connected components, which are gprof's cycles, and what kinds.js has.
//
// A group is as kinds.js has it.  It is folded when its id is among the
// folded ones of the address: then it is one node, with the figures of all its members, whether they would be in the picture or not.
import * as format from './format.js';
import { differs, group, partition } from './kinds.js';
import { matched } from './paths.js';

const GROUPINGS = [
	['cycle', 'cycles', 'routines that call each other, round and round, have a frame around them'],
	['module', 'modules', 'the routines of the program, and of each library, have a frame around them'],
	['file', 'files', 'the routines of each source file have a frame around them'],
	['class', 'classes', 'the routines of each class or namespace have a frame around them'],
	['none', 'none'],
];

// The strongly connected components of more than one of N routines, by Tarjan's algorithm; ARCS[r] are the arcs out of r.
function components(n, arcs) {
	const number = new Int32Array(n),
		low = new Int32Array(n),
		open = new Uint8Array(n),
		next = new Int32Array(n);
	const stack = [],
		found = [];
	let count = 0;
	const visit = (r) => {
		number[r] = low[r] = ++count;
		open[r] = 1;
		stack.push(r);
		return r;
	};
	const close = (r) => {
		const from = stack.lastIndexOf(r),
			members = stack.splice(from);
		for (const m of members) open[m] = 0;
		if (members.length > 1) found.push(members);
	};
	for (let root = 0; root < n; root++) {
		const way = number[root] ? [] : [visit(root)];
		while (way.length) {
			const r = way.at(-1),
				arc = arcs[r][next[r]++];
			if (!arc) {
				way.pop();
				if (way.length) low[way.at(-1)] = Math.min(low[way.at(-1)], low[r]);
				if (low[r] === number[r]) close(r);
			} else if (!number[arc.to]) way.push(visit(arc.to));
			else if (open[arc.to]) low[r] = Math.min(low[r], number[arc.to]);
		}
	}
	return found;
}

// The groupings that APP's routines can have.
export const groupings = (app) => GROUPINGS.filter(([kind]) => kind === 'cycle' || kind === 'none' || differs(app, kind));

const cycles = (app) =>
	components(app.model.routines.length, app.view.arcs.out).map((members) =>
		group('c', `cycle of ${format.count(members.length)} routines`, members),
	);

function groupsOf(app) {
	return app.remember(`groups ${app.state.group}`, () => {
		const kind = groupings(app).some(([key]) => key === app.state.group) ? app.state.group : 'none',
			list = kind === 'none' ? [] : kind === 'cycle' ? cycles(app) : partition(app, kind);
		return { list, of: new Map(list.flatMap((g) => g.members.map((r) => [r, g]))) };
	});
}

// The group of routine R; undefined: it is in none.
export const groupOf = (app, r) => groupsOf(app).of.get(r);

export const groups = (app) => groupsOf(app).list;

const foldedIds = (app) => new Set(app.state.folded.split(',').filter(Boolean));

// The groups that are one node each, as a function of routines: the group, or null.
export function folding(app) {
	const ids = foldedIds(app);
	return (r) => {
		const g = groupOf(app, r);
		return g && ids.has(g.id) ? g : null;
	};
}

// Fold the group ID, or unfold it.
export function turn(app, id) {
	const ids = foldedIds(app);
	if (!ids.delete(id)) ids.add(id);
	app.set({ folded: [...ids].join(',') });
}

// What GROUP took, as figures.table wants it: time with all that was called from it, counted once; calls from elsewhere.
export function figuresOf(app, group) {
	return app.remember(`figures ${group.id}`, () => {
		const hit = new Array(app.model.routines.length).fill(false);
		for (const r of group.members) hit[r] = true;
		const below = matched(app.view, hit);
		const sum = (name) => Float64Array.from(app.view.figures, (f) => group.members.reduce((all, r) => all + f[name][r], 0));
		const calls = new Float64Array(app.view.figures.length);
		for (const r of group.members)
			for (const arc of app.view.arcs.in[r]) if (!hit[arc.from]) arc.at.forEach((at, s) => (calls[s] += at.calls));
		const column = (name) => Float64Array.from(below, (side) => side[name]);
		return {
			self: sum('self'),
			selfTicks: sum('selfTicks'),
			selfMeasured: sum('selfMeasured'),
			selfVariance: sum('selfVariance'),
			time: column('time'),
			ticks: column('ticks'),
			measured: column('measured'),
			variance: column('variance'),
			calls,
		};
	});
}
