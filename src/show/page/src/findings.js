// findings.js - where to look first: what `aprof hot` says, and the sequences of `aprof paths`, each routine a link to its entry.
//
// Both are known of the run as a whole.  While what is looked at is narrowed down, there are those whose routines are in it.
import { figure, h, named } from './dom.js';
import * as format from './format.js';
import { isNarrowed } from './narrow.js';
import { error, partOf } from './stats.js';

const CALLERS = 4; // that are named, of a case
const NOT_THERE = 'none of what is looked at';

// The numbers of the routines with hooks of each side, by name.
const byName = new WeakMap();

function numbersByName({ sides: [side], maps: [map] }) {
	if (byName.has(side)) return byName.get(side);
	const found = new Map();
	for (let i = 0; i < side.hooked; i++) found.set(side.names[i], [...(found.get(side.names[i]) ?? []), map[i]]);
	byName.set(side, found);
	return found;
}

// What they are of: nothing, if two profiles, or two threads, are compared.
const toldOf = (app) => (app.model.compares ? {} : app.base.whole.sides[0]);

// The number of the routine called NAME: of several of one name that whose total is TOTAL; -1: it has no hooks, or is no routine.
function routineOf(app, name, total = null) {
	const { whole } = app.base,
		found = numbersByName(whole).get(name) ?? [];
	return found.find((r) => whole.view('all').figures[0].total[r] === total) ?? found[0] ?? -1;
}

// Whether routine R, -1 for one without a number, is in what is looked at.
export function isThere(app, r) {
	const [f] = app.base.view('all').figures;
	return r < 0 || !isNarrowed(app) || f.total[r] + f.calls[r] + f.recursive[r] > 0;
}

const areThere = (app, names) => names.every((name) => isThere(app, routineOf(app, name)));

export function routineLink(app, r) {
	return h(
		'button',
		{ type: 'button', class: `link${app.hits?.[r] ? ' hit' : ''}`, 'data-routine': r, onclick: () => app.set({ sel: r, tab: 'table' }) },
		named(app.model.routineName(r), app.model.wholeName(r)),
	);
}

function who(app, name, total) {
	const r = name === null ? -1 : routineOf(app, name, total);
	return r < 0 ? (name === null ? '<spontaneous>' : format.visible(name)) : routineLink(app, r);
}

// PART of WHOLE, percent, and by how much it may be off; what may be chance has only a bound, as in the text reports.
function share(part, error, whole) {
	if (error && error >= part) return `< ${Math.min(100, (100 * (part + error)) / whole).toFixed(0)} %`;
	return `${format.percent(part, whole)}${error ? ` ± ${((100 * error) / whole).toFixed(error / whole < 0.1 ? 1 : 0)}` : ''}`;
}

const line = (...content) => h('p', {}, content);

function cost(app, time, error, calls) {
	const whole = toldOf(app).hot.time_ns;
	return line(
		figure(app.told(time), time),
		`, ${share(time, error, whole)} of the run`,
		calls ? ['; ', figure(format.plural(calls, 'call'), calls), `, ${app.mean(time, calls)} each`] : null,
	);
}

// The heaviest callers of HOT, and what they are responsible for.
function callers(app, { callers: list }) {
	const whole = list.reduce((sum, c) => sum + c.time_ns, 0),
		named = list.filter((c) => c.name === null || areThere(app, [c.name])).slice(0, CALLERS),
		rest = list.length - named.length;
	return h(
		'p',
		{ class: 'note' },
		'for ',
		named.map((c, i) => [
			i ? ', ' : '',
			who(app, c.name),
			` ${share(c.time_ns, c.error_ns, whole)}`,
			c.calls ? ` (${format.plural(c.calls, 'call')})` : '',
		]),
		rest > 0 ? `${named.length ? ', ' : ''}${rest} more` : '',
	);
}

function next(app, list) {
	const whole = toldOf(app).hot.time_ns;
	return list.length < 2
		? null
		: h(
				'p',
				{ class: 'note' },
				'next: ',
				list
					.slice(1)
					.map((hot, i) => [
						i ? ', ' : '',
						who(app, hot.name, hot.total_ns),
						` ${share(hot.time_ns, hot.error_ns, whole)}`,
					]),
			);
}

function card(kind, title, none, ...content) {
	return h('section', { class: `card${none ? ' none' : ''}`, 'data-finding': kind }, h('h2', {}, title), none ? line(none) : content);
}

// What HOT has as other sheets have it, where code without hooks that it called counts for it.
function withCallees(app, hot) {
	const r = routineOf(app, hot.name, hot.total_ns),
		self = r < 0 ? 0 : app.base.whole.view('all').figures[0].self[r];
	return self > 1.005 * hot.time_ns ? h('p', { class: 'note' }, `with the code without hooks that it called ${app.told(self)}`) : null;
}

// A case of which LIST has routines, the heaviest first.
function routines(app, kind, title, list) {
	const there = list.filter((found) => isThere(app, routineOf(app, found.name, found.total_ns))),
		[hot] = there;
	if (!hot) return list.length ? card(kind, title, NOT_THERE) : null;
	return card(
		kind,
		title,
		null,
		h('p', { class: 'main' }, who(app, hot.name, hot.total_ns), hot.place ? ` in ${format.visible(hot.place)}` : null),
		cost(app, hot.time_ns, hot.error_ns, hot.total_ns === null ? null : hot.calls),
		hot.total_ns === null ? line('no hooks, so its calls are not counted') : null,
		kind === 'heavy' ? withCallees(app, hot) : null,
		hot.callers.length ? callers(app, hot) : null,
		next(app, there),
	);
}

const way = (app, names) => names.map((name, i) => [i ? ' → ' : '', who(app, name)]);

function sequence(app, found) {
	const title = 'A sequence of calls that recurs: is all that it computes used?';
	if (!found) return null;
	if (!areThere(app, found.path)) return card('sequence', title, NOT_THERE);
	return card(
		'sequence',
		title,
		null,
		h('p', { class: 'main' }, way(app, found.path)),
		line(
			figure(app.told(found.time_ns), found.time_ns),
			`, ${share(found.time_ns, found.error_ns, toldOf(app).hot.time_ns)} of the run; in ${format.plural(found.contexts, 'context')}`,
			found.calls ? `, ${format.plural(found.calls, 'call')}` : null,
		),
	);
}

function oneCallee(app, found) {
	if (!found || !areThere(app, [found.name, found.callee])) return null;
	return card(
		'one_callee',
		`A routine whose ${format.isTime() ? 'time' : 'share'} is one callee's: would less do?`,
		null,
		h('p', { class: 'main' }, who(app, found.name, found.total_ns), ' → ', who(app, found.callee)),
		cost(app, found.total_ns, null, found.calls),
		line(`${share(found.callee_ns, found.error_ns, found.total_ns)} of it there`),
	);
}

// What the run was, in a line, and where to look first; nothing of two profiles, where that is what changed.
export function findings(app) {
	const { hot } = toldOf(app);
	if (!hot) return null;
	const cards = app.model.timed
		? [
				routines(app, 'heavy', `A heavy routine: ${format.isTime() ? 'its time' : 'what it takes'} is its own`, hot.heavy),
				routines(
					app,
					'library',
					hot.library[0]?.in_library === false
						? 'A small routine used much: do its callers need all these calls?'
						: 'A library routine used much: do its callers need all that it does?',
					hot.library,
				),
				sequence(app, hot.sequence),
				oneCallee(app, hot.one_callee),
			]
		: [];
	return h('div', { class: 'findings' }, cards);
}

// The routines with most own time in what is looked at, and on whose behalf: what a range of time has instead of the findings of the run.
const HEAVY = 3;
export function heavyHere(app) {
	const [f] = app.view.figures,
		whole = app.view.size(0, 'time'),
		list = [...f.self.keys()].filter((r) => f.self[r] > 0).sort((a, b) => f.self[b] - f.self[a]);
	const off = (r) => error(app.model, app.view, partOf(f, 'self', r)) ?? 0;
	const behalf = (r) => {
		const arcs = [...app.view.arcs.in[r]].sort((a, b) => timeOf(b) - timeOf(a)),
			all = arcs.reduce((sum, arc) => sum + timeOf(arc), 0);
		return arcs
			.filter((arc) => arc.from >= 0 && timeOf(arc) > 0)
			.slice(0, CALLERS)
			.map((arc, i) => [i ? ', ' : 'for ', routineLink(app, arc.from), ` ${format.percent(timeOf(arc), all)}`]);
	};
	return h(
		'div',
		{ class: 'findings', 'data-of': 'range' },
		list
			.slice(0, HEAVY)
			.map((r, i) =>
				card(
					'range',
					i ? 'Next' : 'Heavy in this range of time',
					null,
					h('p', { class: 'main' }, routineLink(app, r)),
					line(figure(app.told(f.self[r]), f.self[r]), `, ${share(f.self[r], off(r), whole)} of the range`),
					h('p', { class: 'note' }, behalf(r)),
				),
			),
	);
}

const timeOf = (arc) => arc.at[0].self2 + arc.at[0].child2;

// The sequences that recur.
export function sequences(app) {
	const { paths } = toldOf(app);
	if (!paths || !app.model.timed) return null;
	const there = paths.paths.filter((p) => areThere(app, p.path));
	return h(
		'section',
		{ class: 'wide' },
		h('h2', {}, 'Recurring sequences of calls'),
		there.length
			? h(
					'table',
					{ class: 'list', 'data-list': 'paths' },
					there.map((p) =>
						h(
							'tr',
							{},
							h('td', { 'data-exact': p.time_ns }, app.told(p.time_ns)),
							h('td', {}, share(p.time_ns, p.error_ns, paths.time_ns)),
							h('td', { 'data-exact': p.contexts }, format.plural(p.contexts, 'context')),
							h('td', { class: 'who' }, way(app, p.path)),
						),
					),
				)
			: h('p', { class: 'note' }, paths.paths.length ? NOT_THERE : 'No sequence of two calls or more recurs in several contexts.'),
	);
}
