// detail.js - how much of the call graph is in its picture: the heaviest routines, and what connects them.
//
// A routine comes with its way to the root, so that each one in the picture is reached from the root by others in it.  Of all ways that is the one whose
// lightest arc is heaviest.  Around a selected routine the way is that to it, by the heaviest arcs.
//
// What is drawn is { items, arcs }: an item is a routine, or a folded group of them, { id, routine, group, members }; an arc between items
// is { id, from, to, at: [figures of each side], folded, parts: the arcs that it sums }.
import { folding } from './groups.js';

export const MOST = 1000; // items that are drawn
const HEAVIEST = 'heaviest'; // the key of what is remembered

export const arcTime = (at) => Math.max(at.self1 + at.child1, at.self2 + at.child2);

// Share of the run of routine R, on the side on show, percent.
const whole = (app) => app.view.size(app.side, app.state.metric) || 1;
const column = (app) => (app.state.metric === 'calls' ? 'calls' : app.state.by === 'self' ? 'self' : 'total');
export const routineShare = (app, r) => (100 * app.view.figures[app.side][column(app)][r]) / whole(app);
export const arcShare = (app, arc) => (100 * (app.state.metric === 'calls' ? arc.at[app.side].calls : arcTime(arc.at[app.side]))) / whole(app);

// All routines that did anything, the heaviest first.
export function heaviest(app) {
	return app.remember(`${HEAVIEST} ${app.state.by}`, () => {
		const { figures } = app.view,
			size = figures[app.side][column(app)];
		return app.model.routines
			.map((_, r) => r)
			.filter((r) => figures.some((f) => f.calls[r] || f.total[r]))
			.sort((a, b) => size[b] - size[a]);
	});
}

// What has been reached, the heaviest first: a heap of [arc, weight].
class Heaviest {
	list = [];

	push(arc, weight) {
		const { list } = this;
		let i = list.push(null) - 1;
		for (; i && list[(i - 1) >> 1][1] < weight; i = (i - 1) >> 1) list[i] = list[(i - 1) >> 1];
		list[i] = [arc, weight];
	}

	pop() {
		const { list } = this,
			first = list[0],
			last = list.pop();
		if (!list.length) return first[0];
		let i = 0;
		for (;;) {
			let child = 2 * i + 1;
			if (child + 1 < list.length && list[child + 1][1] > list[child][1]) child++;
			if (child >= list.length || list[child][1] <= last[1]) break;
			list[i] = list[child];
			i = child;
		}
		list[i] = last;
		return first[0];
	}
}

// By routine the caller on its way to the root; -1: none, it is called from nowhere.
function waysToRoot(app) {
	return app.remember('ways', () => {
		const n = app.model.routines.length,
			up = new Int32Array(n).fill(-1),
			reached = new Uint8Array(n),
			heap = new Heaviest(),
			{ arcs } = app.view;
		const push = (arc) => !reached[arc.to] && heap.push(arc, arcShare(app, arc) + Math.min(1, arc.at[app.side].calls) * 1e-12);
		const grow = () => {
			while (heap.list.length) {
				const { from, to } = heap.pop();
				if (reached[to]) continue;
				reached[to] = 1;
				up[to] = from;
				arcs.out[to].forEach(push);
			}
		};
		for (const arc of arcs.list) if (arc.from < 0) push(arc);
		grow();
		for (const r of heaviest(app)) {
			if (reached[r]) continue;
			reached[r] = 1; // nobody called it: a part of the graph for itself
			arcs.out[r].forEach(push);
			grow();
		}
		return up;
	});
}

// The routines up to HOPS calls away from CENTRE by arcs that weigh anything, each with the next one on its way there; CENTRE itself has -1.
function neighbourhood(app, centre, hops) {
	const found = new Map([[centre, -1]]);
	for (let edge = [centre], i = 0; i < hops; i++) {
		const next = new Map();
		const reach = (r, from, arc) => {
			const weight = arcShare(app, arc);
			if (r >= 0 && weight > 0 && !found.has(r) && !(next.get(r)?.weight >= weight)) next.set(r, { from, weight });
		};
		for (const r of edge) {
			for (const arc of app.view.arcs.in[r]) reach(arc.from, r, arc);
			for (const arc of app.view.arcs.out[r]) reach(arc.to, r, arc);
		}
		for (const [r, { from }] of next) found.set(r, from);
		edge = [...next.keys()];
	}
	return found;
}

// The routine whose neighbourhood is on show; -1: none.
export const centreOf = (app) => (app.state.hops === '0' ? -1 : app.selected);

// Which routines to draw, where there is room for ROOM items: those of the state's least share, if it has one, or the heaviest; with the ways to them.
function routinesOf(app, room, keyOf) {
	const centre = centreOf(app),
		near = centre < 0 ? null : neighbourhood(app, centre, Number(app.state.hops)),
		ways = near ? null : waysToRoot(app),
		next = near ? (r) => near.get(r) : (r) => ways[r];
	const all = near ? heaviest(app).filter((r) => near.has(r)) : heaviest(app),
		least = Number(app.state.least || 0),
		wanted = all.filter((r) => r === app.selected || app.state.hops === '1' || routineShare(app, r) >= least);
	if (app.selected >= 0) wanted.sort((a, b) => (b === app.selected) - (a === app.selected)); // the first one has always room
	const taken = new Set(),
		keys = new Set();
	let light = 0,
		limited = false;
	for (const r of wanted) {
		const way = [];
		for (let q = r; q >= 0 && !taken.has(q); q = next(q)) way.push(q);
		const more = new Set(way.map(keyOf).filter((key) => !keys.has(key)));
		limited = keys.size > 0 && keys.size + more.size > room;
		if (limited) break;
		for (const q of way) taken.add(q);
		for (const key of more) keys.add(key);
		if (r !== app.selected) light = routineShare(app, r);
	}
	return { taken, keys, next, all: all.length, limited, least: light };
}

// The arcs among ITEMS, those of one pair summed.
function arcsAmong(app, items, itemOf) {
	const found = new Map();
	for (const to of items)
		for (const r of to.members)
			for (const arc of app.view.arcs.in[r]) {
				const from = itemOf.get(arc.from);
				if (!from || (from === to && to.group)) continue;
				const id = `e_${from.id}_${to.id}`,
					known = found.get(id);
				if (!known) found.set(id, { id, from, to, at: arc.at, folded: arc.folded, parts: [arc] });
				else {
					known.parts.push(arc);
					known.folded ||= arc.folded;
					known.at = known.at.map((at, s) =>
						Object.fromEntries(Object.entries(at).map(([name, v]) => [name, v + arc.at[s][name]])),
					);
				}
			}
	return found;
}

// Of ARCS those to draw among N items: the ways, the heaviest to each item, and of the others the heaviest; more would be a tangle.
function arcsDrawn(app, arcs, items, ways, centre) {
	if (app.state.hops === '1' && centre)
		return [...arcs.values()].filter((arc) => (arc.from === centre || arc.to === centre) && arcShare(app, arc) > 0);
	const best = new Map();
	for (const arc of arcs.values())
		if (arcShare(app, arc) > 0 && !(best.has(arc.to) && arcShare(app, best.get(arc.to)) >= arcShare(app, arc))) best.set(arc.to, arc);
	const sure = new Set([...ways, ...best.values()]);
	const more = [...arcs.values()]
		.filter((arc) => !sure.has(arc) && arcShare(app, arc) >= Number(app.state.least || 0) / 5 && arcShare(app, arc) > 0)
		.sort((a, b) => arcShare(app, b) - arcShare(app, a))
		.slice(0, Math.ceil(items.length / 2));
	return [...sure, ...more];
}

// What to draw where there is room for ROOM items: { items, arcs, arcsAll, shown, all, limited, least }; of ALL routines SHOWN are in it, all of at least
// LEAST percent; LIMITED: there would be more, were there room.
export function detailOf(app, room) {
	const folded = folding(app),
		keyOf = (r) => folded(r)?.id ?? r,
		{ taken, keys, next, ...told } = routinesOf(app, Math.min(room, MOST), keyOf);
	const byKey = new Map(),
		itemOf = new Map();
	for (const r of taken) {
		const group = folded(r),
			key = keyOf(r);
		if (!byKey.has(key))
			byKey.set(
				key,
				group
					? { id: group.id, routine: -1, group, members: group.members }
					: { id: `n${r}`, routine: r, group: null, members: [r] },
			);
	}
	const items = [...byKey.values()];
	for (const item of items) for (const r of item.members) itemOf.set(r, item);
	const among = arcsAmong(app, items, itemOf),
		ways = new Set();
	for (const r of taken) {
		const q = next(r);
		if (q < 0) continue;
		const ends = [
			[q, r],
			[r, q],
		].map(([from, to]) => among.get(`e_${itemOf.get(from).id}_${itemOf.get(to).id}`));
		for (const arc of centreOf(app) < 0 ? ends.slice(0, 1) : ends) if (arc && itemOf.get(q) !== itemOf.get(r)) ways.add(arc);
	}
	const arcs = arcsDrawn(app, among, items, ways, itemOf.get(centreOf(app)));
	return { ...told, items, arcs, arcsAll: among.size, shown: itemOf.size };
}
