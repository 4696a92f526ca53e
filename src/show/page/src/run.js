// run.js - the first sheet: where to look first, or what changed; then what weighs most, which sequences and cycles recur; then what ran, how it was measured,
// what was lost.
import { fill, h } from './dom.js';
import { changeText, wholeText } from './figures.js';
import { findings, heavyHere, isThere, routineLink, sequences } from './findings.js';
import * as format from './format.js';
import { isNarrowed } from './narrow.js';
import { change, error, partOf, wholeChange } from './stats.js';
import { rangeAgainstRest } from './time.js';

const TEN = 10;
const OF_ALL =
	'Where to look first, and what recurs, is known of the run as a whole, not of what is in focus nor without what is hidden. ' +
	'Told here is what is of routines that are looked at, with figures and shares of the whole run.';

const OF_RUN = 'Where to look first, and what recurs, of the run as a whole: what of it was in the range of time stands above.';

// The head of `aprof report` as pairs of label and text; its lines are wrapped and indented.
function headOf(text) {
	const pairs = [];
	for (const line of text.split('\n')) {
		const found = line.match(/^(\S.*?)\s{2,}(\S.*)$/);
		if (found) pairs.push([found[1], [found[2]]]);
		else if (/^\s+\S/.test(line) && pairs.length) pairs.at(-1)[1].push(line.trim());
	}
	return pairs.map(([label, lines]) => [label, lines.join(' ')]);
}

function tile(label, value, more) {
	return h(
		'div',
		{ class: 'tile' },
		h('div', { class: 'label' }, label),
		h('div', { class: 'value' }, value),
		more ? h('div', { class: 'note' }, more) : null,
	);
}

// Of two profiles a tile has both, and the change: coloured only if JUDGED, where less is better.
function tileOf(app, label, values, text, more, judged = null) {
	if (!app.model.compares) return tile(label, h('span', { 'data-exact': values[0] }, text(values[0])), more);
	return tile(
		label,
		h('span', { class: 'two' }, `${text(values[0])} → ${text(values[1])}`),
		judged ? wholeText(judged, text) : plainChange(values, text),
	);
}

// The change of what has no direction.
function plainChange([before, after], text) {
	const by = after - before,
		relative = before ? ` (${format.signed(format.percent(by, before), by)})` : '';
	return h('span', { 'data-exact': by }, `${format.signed(text(by), by)}${relative}`);
}

// The change of the time of the run, the TIMES of both sides: within noise or beyond it.
const timeChange = (app, times) => (app.model.compares ? wholeChange(app.view, times) : null);

// The time of each side, all told; of two what `aprof diff` compares.
const spentOf = (app) =>
	isRange(app) || app.model.compares
		? app.view.whole.map((w) => w.time + w.outside)
		: app.model.sides.map(({ run: { times: t } }) => t.contexts_ns + t.outside_ns + t.hooks_ns + t.monitor_ns + t.unplaced_ns);

// Whether a range of time is looked at.
const isRange = (app) => app.model === app.base && Boolean(app.base.cut(app.state.range));

// Whether it is a part of what the page has.
const isPart = (app) => isNarrowed(app) || isRange(app);

// Contexts in which there was anything, of each side.
const contextsOf = (app) =>
	isRange(app)
		? app.view.tree.own.map((own) => own.self.wide().reduce((n, v, i) => n + (i > 0 && v > 0), 0))
		: app.model.sides.map(({ run: { counts } }) => counts.contexts);

function tiles(app) {
	const sides = app.model.sides,
		{ whole, figures } = app.view;
	const counts = sides.map((s) => s.run.counts),
		times = sides.map((s) => s.run.times);
	const spent = spentOf(app);
	const lost = sides.flatMap((s) => s.run.notes).filter((n) => !n.harmless);
	return h(
		'div',
		{ class: 'tiles wide' },
		app.model.timed
			? tileOf(app, format.what(), spent, format.time, `${format.time(whole[0].time)} in routines`, timeChange(app, spent))
			: null,
		app.model.counted
			? tileOf(
					app,
					'calls',
					counts.map((c) => c.calls),
					format.count,
					`${isRange(app) ? 'of the whole run, ' : ''}${format.plural(
						app.model.routines.filter((_, r) => figures.some((f) => f.calls[r] || f.total[r])).length,
						'routine',
					)}`,
					app.model.compares
						? change(
								app.view,
								'calls',
								counts.map((c) => c.calls),
							)
						: null,
				)
			: null,
		app.reading.contextual
			? tileOf(
					app,
					'contexts',
					contextsOf(app),
					format.count,
					isRange(app)
						? 'with time in the range'
						: sides.some((side) => side.part)
							? null
							: `histories ${counts[0].mean_history.toFixed(1)} long, longest ${counts[0].longest_history}`,
				)
			: null,
		app.model.timed && !isRange(app) && times.some((t) => t.hooks_ns)
			? tileOf(
					app,
					"hooks' cost",
					times.map((t) => t.hooks_ns),
					format.time,
					times[0].raw ? 'left in the times' : 'subtracted',
				)
			: null,
		app.model.sampled
			? tileOf(
					app,
					'samples',
					whole.map((w) => w.ticks),
					format.count,
					whole[0].ticks ? 'how far they tell: see clock, below' : 'too few to say anything',
				)
			: null,
		tile('losses', lost.length ? format.plural(lost.length, 'warning') : 'none', lost.length ? 'see below' : null),
	);
}

// The TEN heaviest by column NAME of the figures, or, of two profiles, those that changed most.
function heaviest(app, title, name, text) {
	const metric = name === 'calls' ? 'calls' : 'time';
	const f = app.view.figures,
		by = app.model.compares
			? (r) => {
					const c = changeOf(r);
					return c.news ? Math.abs(c.by) : 0;
				}
			: (r) => f[0][name][r];
	const changeOf = (r) =>
		change(
			app.view,
			name,
			f.map((x) => x[name][r]),
			f.map((x) => x[`${name}Variance`]?.[r] ?? 0),
			{ routine: r },
		);
	const list = app.model.routines
		.map((_, r) => r)
		.filter((r) => by(r) > 0)
		.sort((a, b) => by(b) - by(a))
		.slice(0, TEN);
	const told = (v, s) => (metric === 'time' ? app.told(v, s) : text(v));
	const figure = (r) => {
		if (app.model.compares)
			return [h('td', {}, changeText(changeOf(r), text)), h('td', {}, f.map((x, s) => told(x[name][r], s)).join(' → '))];
		const e = metric === 'time' ? error(app.model, app.view, partOf(app.view.figures[0], name, r)) : null;
		return [
			h('td', { 'data-exact': f[0][name][r] }, told(f[0][name][r], 0)),
			h('td', {}, app.share(f[0][name][r], 0, metric)),
			h('td', { class: 'note' }, e === null ? '' : `± ${format.time(e)}`),
		];
	};
	return h(
		'section',
		{},
		h('h2', {}, title),
		name === 'self' && !app.model.compares && app.base.hasLeaves && list.length
			? h('p', { class: 'note' }, 'Code without hooks counts for who called it.')
			: null,
		list.length
			? h(
					'table',
					{ class: app.model.compares ? 'list sides' : 'list', 'data-list': name },
					list.map((r) => h('tr', {}, figure(r), h('td', { class: 'who' }, routineLink(app, r)))),
				)
			: h('p', { class: 'note' }, app.model.compares ? 'Nothing changed by more than noise.' : 'Nothing.'),
	);
}

const cycleKey = (c) => c.entries.map((e) => `${e.routine}${e.known ? '>' : '.'}`).join(' ');

// Cycles of both sides as one list of { entries, time[], calls[] }.
function cyclesOf(app) {
	const { model } = app,
		found = new Map();
	if (!model.compares)
		return Array.from(app.base.whole.cycles(0), (c) => ({ entries: c.entries, time: [c.time], calls: [c.calls] })).filter((c) =>
			c.entries.every((e) => isThere(app, e.routine)),
		);
	for (const s of model.sides.keys())
		for (const c of model.cycles(s)) {
			const key = cycleKey(c),
				at = found.get(key) ?? { entries: c.entries, time: model.sides.map(() => 0), calls: model.sides.map(() => 0) };
			at.time[s] += c.time;
			at.calls[s] += c.calls;
			found.set(key, at);
		}
	return [...found.values()];
}

// VALUES of each side as TEXT in one cell, of which LAST is the last.
const bothSides = (values, text, last = text(values.at(-1), values.length - 1)) =>
	h(
		'td',
		{},
		values.map((v, s) => [s ? ' → ' : '', h('span', { 'data-exact': v }, s < values.length - 1 ? text(v, s) : last)]),
	);

function cycles(app) {
	const narrower = isNarrowed(app);
	if (app.model.compares && app.model.sides.some((side) => side.part)) return null;
	const all = cyclesOf(app),
		weight = (c) => c.time.reduce((a, b) => a + b, 0),
		calls = (c) => c.calls.reduce((a, b) => a + b, 0),
		share = (t, s) => (narrower ? format.percent(t, app.base.whole.view('all').size(s, 'time')) : app.share(t, s)),
		none = narrower
			? 'none of what is looked at'
			: 'No cycle was traversed: no routine was entered again through another while it was active.';
	const list = all.sort((a, b) => weight(b) - weight(a) || calls(b) - calls(a)).slice(0, TEN);
	const way = (c) => [
		...c.entries.map((e) => [routineLink(app, e.routine), e.known ? ' → ' : ' .. ']),
		app.model.routineName(c.entries[0].routine),
	];
	return h(
		'section',
		{ class: 'wide' },
		h('h2', {}, `Heaviest cycles${all.length > TEN ? `, ${TEN} of ${format.count(all.length)}` : ''}`),
		list.length
			? h(
					'table',
					{ class: app.model.compares ? 'list sides' : 'list', 'data-list': 'cycles' },
					list.map((c) =>
						h(
							'tr',
							{},
							app.model.timed
								? [
										bothSides(c.time, (v, s) => app.told(v, s)),
										h('td', {}, c.time.map(share).join(' → ')),
									]
								: null,
							app.model.counted
								? bothSides(c.calls, format.count, format.plural(c.calls.at(-1), 'call'))
								: null,
							h('td', { class: 'who' }, way(c)),
						),
					),
				)
			: h('p', { class: 'note' }, none),
	);
}

function heads(app) {
	const pairs = app.model.sides.map((s) =>
		headOf(format.visible(s.head.replace(/\n/g, '\u0001')).replace(/\\x01/g, '\n').replace(/\\\\/g, '\\')),
	);
	const labels = [...new Set(pairs.flat().map(([label]) => label))];
	const texts = (p, label) => p.filter(([l]) => l === label).map(([, text]) => h('div', {}, text));
	return h(
		'section',
		{ class: 'wide' },
		h('h2', {}, app.model.sides.some((side) => side.part) ? 'The run, all of it' : 'The run'),
		h(
			'table',
			{ class: 'head' },
			app.model.compares ? h('tr', {}, h('td'), h('th', {}, 'base'), h('th', {}, 'new')) : null,
			labels.map((label) =>
				h(
					'tr',
					{ class: label === 'warning' ? 'warning' : null },
					h('th', {}, label),
					pairs.map((p) => h('td', {}, texts(p, label))),
				),
			),
		),
	);
}

function never(app) {
	return app.model.sides.map((side, s) =>
		side.never.length === 0
			? null
			: h(
					'section',
					{ class: 'wide' },
					h(
						'details',
						{},
						h(
							'summary',
							{},
							`${format.plural(side.never.length, 'routine')} with hooks never called${app.model.compares ? `, ${s ? 'new' : 'base'}` : ''}`,
						),
						h(
							'p',
							{ class: 'never' },
							side.never.slice(0, 2000).map((n) => h('span', {}, `${format.visible(n.name)} `)),
						),
					),
				),
	);
}

// What the run was, in a line, and whether anything is wrong with it.
function summary(app) {
	if (app.model.compares) {
		const times = spentOf(app);
		return !app.model.timed
			? null
			: h(
					'p',
					{ class: 'summary' },
					h('b', {}, times.map(format.time).join(' → ')),
					', ',
					wholeText(timeChange(app, times), format.time),
				);
	}
	const [{ run }] = app.model.sides,
		lost = run.notes.filter((n) => !n.harmless).length,
		part = isPart(app),
		time = part ? spentOf(app)[0] : app.model.sides[0].hot.time_ns;
	return h(
		'p',
		{ class: 'summary' },
		app.model.timed ? [h('b', { 'data-exact': time }, format.time(time)), ', '] : null,
		app.model.counted && !isRange(app) ? [h('b', {}, format.plural(run.counts.calls, 'call')), ', '] : null, // they are the run's
		app.reading.contextual ? format.plural(contextsOf(app)[0], 'context') : format.plural(app.model.routines.length, 'routine'),
		isNarrowed(app) ? (app.base.focused ? ' in focus' : ' without what is hidden') : null,
		isRange(app) ? ' in the range of time' : null,
		lost
			? [
					'; ',
					h(
						'button',
						{
							type: 'button',
							class: 'link warning',
							onclick: () => document.querySelector('tr.warning')?.scrollIntoView({ block: 'center' }),
						},
						format.plural(lost, 'warning'),
					),
				]
			: null,
		app.model.timed && !part ? h('span', { class: 'note' }, '. Where to look first:') : null,
	);
}

// What is known of the whole run alone, behind what is narrowed down.
function ofAll(app) {
	return app.model.compares
		? null
		: h(
				'section',
				{ class: 'wide', 'data-of': 'run' },
				h('h2', {}, 'Of the run as a whole'),
				h('p', { class: 'note' }, isNarrowed(app) ? OF_ALL : OF_RUN),
				findings(app),
				h('div', { class: 'sheets' }, sequences(app), cycles(app)),
			);
}

export const run = {
	depends: ['thread', 'range', 'q', 'of'],

	// The hits among the links.
	async found(app) {
		return [...document.querySelectorAll('main .link[data-routine]')]
			.filter((link) => app.hits[link.dataset.routine])
			.map((link) => () => link.focus());
	},

	show(box, app) {
		const two = app.model.compares,
			narrower = isPart(app);
		fill(
			box,
			summary(app),
			isRange(app) ? heavyHere(app) : narrower ? null : findings(app),
			h(
				'div',
				{ class: `sheets${two ? ' two' : ''}` },
				app.model.timed
					? [
							heaviest(
								app,
								`${two ? 'Changed most in' : 'Heaviest by'} self ${format.amount()}`,
								'self',
								format.time,
							),
							heaviest(
								app,
								`${two ? 'Changed most in' : 'Heaviest by'} total ${format.amount()}`,
								'total',
								format.time,
							),
						]
					: null,
				isRange(app) ? rangeAgainstRest(app) : null,
				app.model.counted && (two || !app.model.timed)
					? heaviest(app, two ? 'Changed most in calls' : 'Called most', 'calls', format.count)
					: null,
				isRange(app) ? tiles(app) : null,
				narrower ? ofAll(app) : app.reading.contextual ? [sequences(app), cycles(app)] : null,
				isRange(app) ? null : tiles(app),
				heads(app),
				never(app),
			),
		);
	},
};
