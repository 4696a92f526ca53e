// entry.js - gprof's entry of one routine: its callers above, itself, its callees below, with both sets of arc times.
import { fill, h, named } from './dom.js';
import * as figures from './figures.js';
import * as format from './format.js';
import { sourceOf, toHottest } from './source.js';
import { arcVariances, change } from './stats.js';

const PLACES = 12; // call sites of an arc that are listed
const SHOWN = 60; // callers or callees listed before "and N more"

const cell = (value, text) => h('td', { 'data-exact': value }, text);

// Of two profiles the line has the figures of the side on show, and what changed.
function changes(app, kind, times, variances, calls, item) {
	if (!app.model.compares) return null;
	return [
		app.model.timed ? h('td', {}, figures.changeText(change(app.view, kind, times, variances, item), format.time, true)) : null,
		app.model.counted ? h('td', {}, figures.changeText(change(app.view, 'calls', calls, [], item), format.count, true)) : null,
	];
}

// Where the calls from one routine to another stand, by both numbers; of one profile that told its call sites apart.
const known = new WeakMap();

function placesOf(app, from, to) {
	const side = app.model.sides[0];
	if (app.model.compares || !side.arc_places || (app.model.byThread && app.state.thread !== 'all')) return [];
	const number = (r) => (r === null ? -1 : app.model.maps[0][r]);
	if (!known.has(side)) known.set(side, new Map(side.arc_places.map((arc) => [`${number(arc.from)} ${number(arc.to)}`, arc.sites])));
	return known.get(side).get(`${from} ${to}`) ?? [];
}

function placeText(place) {
	const at = place.file ? `at ${format.basename(format.visible(place.file))}:${place.line}${place.column ? `:${place.column}` : ''}` : '',
		within = place.within
			? `in ${place.module ? `${format.basename(format.visible(place.module))}: ` : ''}${format.visible(place.within)}`
			: '';
	const nowhere = place.address ? `at 0x${place.address.toString(16)}` : 'at no known line';
	return [
		[at, within].filter(Boolean).join(' ') || nowhere,
		place.through ? `by way of ${format.visible(place.through)}` : '',
		place.by_pointer ? 'through a pointer' : '',
	]
		.filter(Boolean)
		.join(', ');
}

// A line for each place of an arc's calls; TIMED, with the times of the callers' view.
function placeLines(app, places, timed) {
	const time = (ns) => (timed && ns !== null ? cell(ns, app.told(ns)) : h('td', {}));
	const rows = places
		.slice(0, PLACES)
		.map((place) =>
			h(
				'tr',
				{ class: 'site' },
				app.model.timed ? [time(place.self_ns), time(place.children_ns)] : null,
				app.model.counted ? cell(place.calls, format.count(place.calls)) : null,
				h('td', { class: 'who', title: place.file ? format.visible(place.file) : null }, placeText(place)),
			),
		);
	if (places.length > PLACES)
		rows.push(h('tr', { class: 'site' }, h('td', { colspan: 9, class: 'note' }, `and ${places.length - PLACES} more places`)));
	return rows;
}

// A line of the entry: SELF and CHILD name the figures of its set; calls are out of all calls of the callee, as gprof has it.
function arcLine(app, arc, other, self, child) {
	const at = arc.at[app.side],
		all = app.view.figures[app.side].calls[arc.to],
		heavy = arc.at.map((a) => a[self] + a[child]);
	const name =
		other < 0
			? h('i', {}, '<spontaneous>')
			: h(
					'button',
					{ type: 'button', class: 'link', onclick: () => app.set({ sel: other }) },
					named(app.model.routineName(other), app.model.wholeName(other)),
				);
	return {
		weight: heavy[app.side],
		calls: at.calls,
		make: () => [
			h(
				'tr',
				{ 'data-routine': other },
				app.model.timed
					? [cell(at[self], app.told(at[self], app.side)), cell(at[child], app.told(at[child], app.side))]
					: null,
				app.model.counted
					? cell(
							at.calls,
							app.model.routines[arc.to].uncounted
								? ''
								: app.model.compares
									? format.count(at.calls)
									: `${format.count(at.calls)}/${format.count(all)}`,
						)
					: null,
				changes(
					app,
					'arc',
					heavy,
					arcVariances(arc),
					arc.at.map((a) => a.calls),
					{ arc },
				),
				h(
					'td',
					{ class: 'who' },
					name,
					arc.folded
						? h('span', { title: 'folded recursion: the two ends of this arc may say different times' }, " '")
						: null,
				),
			),
			placeLines(app, placesOf(app, arc.from, arc.to), !arc.folded || self === 'self2'),
		],
	};
}

function lines(list) {
	list.sort((a, b) => b.weight - a.weight || b.calls - a.calls);
	const rest = list.length - SHOWN;
	return [
		...list.slice(0, SHOWN).flatMap((line) => line.make()),
		rest > 0 ? h('tr', {}, h('td', { colspan: 9, class: 'note' }, `and ${rest} more`)) : null,
	];
}

function own(app, r) {
	const f = app.view.figures[app.side],
		children = f.total[r] - f.self[r];
	return h(
		'tr',
		{ class: 'own' },
		app.model.timed ? [cell(f.self[r], app.told(f.self[r], app.side)), cell(children, app.told(children, app.side))] : null,
		app.model.counted
			? cell(
					f.calls[r],
					app.model.routines[r].uncounted
						? ''
						: `${format.count(f.calls[r])}${f.recursive[r] ? `+${format.count(f.recursive[r])}` : ''}`,
				)
			: null,
		changes(
			app,
			'total',
			app.view.figures.map((x) => x.total[r]),
			app.view.figures.map((x) => x.totalVariance[r]),
			app.view.figures.map((x) => x.calls[r]),
			{ routine: r },
		),
		h('td', { class: 'who' }, named(app.model.routineName(r), app.model.wholeName(r))),
	);
}

function head(app) {
	const two = app.model.compares;
	return h(
		'thead',
		{},
		h(
			'tr',
			{},
			app.model.timed ? [h('th', {}, 'self'), h('th', {}, 'children')] : null,
			app.model.counted ? h('th', {}, 'called') : null,
			two && app.model.timed ? h('th', {}, `${format.what()}, change`) : null,
			two && app.model.counted ? h('th', {}, 'calls, change') : null,
			h('th', { class: 'who' }, 'name'),
		),
	);
}

export function entry(box, app) {
	const r = app.selected;
	if (r < 0) {
		fill(box, h('p', { class: 'note' }, 'Select a routine to see its callers and callees, and what each of them cost.'));
		return;
	}
	const about = app.model.routines[r],
		arcs = app.view.arcs;
	const place = about.file ? `${about.file}${about.line ? `:${about.line}` : ''}` : 'source unknown';
	fill(
		box,
		h('h2', { 'data-whole': app.model.wholeName(r) }, app.model.routineName(r)),
		about.brief === about.name ? null : h('details', { class: 'whole' }, h('summary', {}, 'whole name'), h('p', {}, about.name)),
		h('p', { class: 'place' }, place, about.module ? h('span', { class: 'note' }, ` in ${about.module}`) : null),
		about.uncounted ? h('p', { class: 'note' }, `Without hooks: its ${format.amount()} is known by samples, its calls are not.`) : null,
		app.jumps(),
		figures.table(app, figures.ofRoutine(app, r)),
		h(
			'div',
			{ class: 'scroll' },
			h(
				'table',
				{ class: 'arcs' },
				head(app),
				h('tbody', { class: 'parents' }, lines(arcs.in[r].map((arc) => arcLine(app, arc, arc.from, 'self2', 'child2')))),
				h('tbody', {}, own(app, r), placeLines(app, placesOf(app, r, r), false)),
				h('tbody', { class: 'children' }, lines(arcs.out[r].map((arc) => arcLine(app, arc, arc.to, 'self1', 'child1')))),
			),
		),
		h(
			'p',
			{ class: 'note' },
			'Above the routine its callers: what it and its callees took while it worked for each. Below it its callees: what they took on its behalf.',
		),
		sourceOf(app, r),
	);
	const source = box.querySelector('.source');
	if (source) toHottest(source);
}
