// threads.js - threads, processes and phases as small charts side by side, each with the same scale: where the time, the samples and the calls went.
//
// A card is { key, name, about, time[], cpu[], ticks[], calls[], own[] }: figures of each side; KEY is what the state's `thread` is when it alone is shown, '' if it cannot be.
// Two of them are compared as two files are: the state is `A~B` then, and the model that of Model.compared.
import { choice, fill, h } from './dom.js';
import * as format from './format.js';

const CARDS = 200, // drawn
	HEAVY = 4; // routines that a strip tells by name
const MEASURES = [
	['time', 'in routines', format.time],
	['cpu', 'CPU time', format.time],
	['ticks', 'samples', format.count],
	['calls', 'calls', format.count],
];

const SORTS = [
	['order', 'as begun'],
	['name', 'name'],
	['time', 'time'],
	['cpu', 'CPU'],
	['ticks', 'samples'],
	['calls', 'calls'],
];

const blank = (model, key, name, about) => ({
	key,
	name,
	about,
	...Object.fromEntries(MEASURES.map(([measure]) => [measure, model.sides.map(() => 0)])),
	own: model.sides.map(() => new Map()), // of each side self time by routine
});

// What a card of the thread TOLD by the profile says below its name; of several RUNS each has a number of the kernel's.
const aboutThread = (told, runs) =>
	[told.folded > 1 ? `${format.plural(told.folded, 'thread')} added up` : runs > 1 ? '' : `tid ${told.tid}`, told.state.replace('_', ' ')]
		.filter(Boolean)
		.join(', ');

// The threads, with what their shares add up to in RANGE.
function threadCards(model, range) {
	const cards = model.threads.map((t, i) => blank(model, model.byThread ? String(i) : '', `thread ${t.label}`, ''));
	model.sides.forEach((side, s) => {
		side.threads.forEach((told, i) => {
			const card = cards[model.threadMaps[s][i]];
			if (!model.cut(range) && !model.focused) card.cpu[s] += told.cpu_ns; // which is not known by interval, nor by context
			card.about ||= aboutThread(told, side.runs);
		});
		const shares = model.sharesOf(s, range);
		for (let i = 0; i < shares.node.length; i++) {
			const card = cards[model.threadMaps[s][shares.thread[i]]],
				node = model.node(s, shares.node[i]);
			card.time[s] += shares.time.at(i);
			card.ticks[s] += shares.ticks.at(i);
			card.calls[s] += shares.calls.at(i) + shares.recursive.at(i);
			const r = model.tree.routine[node];
			if (r >= 0) card.own[s].set(r, (card.own[s].get(r) ?? 0) + shares.time.at(i));
		}
		if (!model.byThread && cards.length === 1) {
			const [card] = cards,
				whole = model.view('all', range).whole[s];
			card.time[s] = whole.time + whole.outside;
			card.ticks[s] = whole.ticks;
			card.calls[s] = whole.calls;
			model.view('all', range).figures[s].self.forEach((v, r) => v && card.own[s].set(r, v));
		}
	});
	return cards;
}

// The processes of one profile that has several, or the ranks.
function processCards(model, threads) {
	if (!model.byThread) return [];
	return model.processes.map((process, k) => {
		const card = blank(model, `p${k}`, `${process.program}, ${process.name}`, process.command);
		for (const i of process.threads) {
			const thread = threads[model.threadMaps[0][i]];
			for (const [measure] of MEASURES) card[measure][0] += thread[measure][0];
			for (const [r, v] of thread.own[0]) card.own[0].set(r, (card.own[0].get(r) ?? 0) + v);
		}
		return card;
	});
}

// What the PHASE of a program is called; the time before it named any has no name.
export const phaseName = (phase) => format.visible(phase) || 'before the first phase';

function phaseCards(model) {
	const found = new Map();
	model.sides.forEach((side, s) => {
		for (const told of side.phases ?? []) {
			const name = phaseName(told.phase);
			if (!found.has(name))
				found.set(name, blank(model, '', name, told.entered ? `entered ${format.plural(told.entered, 'time')}` : ''));
			const card = found.get(name);
			card.cpu[s] += told.cpu_ns;
			card.time[s] += told.contexts_ns;
			card.calls[s] += told.calls ?? 0;
		}
	});
	return [...found.values()];
}

function sorted(app, cards) {
	const by = app.state.order,
		s = app.side;
	if (by === 'name') return [...cards].sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }));
	return MEASURES.some(([measure]) => measure === by) ? [...cards].sort((a, b) => b[by][s] - a[by][s]) : cards;
}

// One line of the chart: VALUES of each side, the bar as a part of MOST.
function bar(app, [measure, title, text], values, most) {
	const p = most ? (100 * values[app.base.compares ? app.side : 0]) / most : 0;
	return h(
		'tr',
		{ 'data-measure': measure },
		h('th', {}, title),
		h(
			'td',
			{ class: 'value' },
			values.map((v, s) => [s ? ' → ' : '', h('span', { 'data-exact': v }, measure === 'time' ? app.told(v, s) : text(v))]),
		),
		h('td', { class: 'bar-of' }, h('i', { style: `width: ${p.toFixed(2)}%` })),
	);
}

// Whether a search finds CARD: by what it is called, or by a routine whose own time it has.
const isHit = (app, card) =>
	app.matches(card.name) || app.matches(card.about) || card.own.some((own) => [...own].some(([r, v]) => v > 0 && app.hits[r]));

// Which routines' own time it was, on the side on show: those that are searched for, heaviest first, and then the others.
function strip(app, card) {
	const found = (r) => Number(Boolean(app.hits?.[r])),
		list = [...card.own[app.base.compares ? app.side : 0]].sort((a, b) => found(b[0]) - found(a[0]) || b[1] - a[1]),
		all = list.reduce((sum, [, v]) => sum + v, 0);
	if (!all) return null;
	return h(
		'div',
		{ class: 'heavy' },
		list
			.slice(0, HEAVY)
			.filter(([, v]) => v > 0)
			.map(([r, v]) =>
				h(
					'div',
					{ style: `--p: ${((100 * v) / all).toFixed(2)}%` },
					h(
						'span',
						{ class: found(r) ? 'hit' : '', 'data-routine': r, title: app.base.wholeName(r) },
						app.base.routineName(r),
					),
					h('span', {}, format.percent(v, all)),
				),
			),
	);
}

function cardOf(app, card, most, measures) {
	const shown = app.stateHolder.now.thread,
		pair = shown.split('~'),
		chosen = shown === card.key && card.key !== '',
		versus = app.state.versus;
	const compared = card.key !== '' && pair.length === 2 && pair.includes(card.key);
	return h(
		'li',
		{
			class: `card slice${chosen || compared ? ' chosen' : ''}${app.hits && isHit(app, card) ? ' hit' : ''}`,
			'data-key': card.key,
			tabindex: app.hits ? -1 : null,
		},
		h('h3', {}, card.name),
		h('p', { class: 'note' }, card.about),
		h(
			'table',
			{},
			h(
				'tbody',
				{},
				measures.map((m) => bar(app, m, card[m[0]], most[m[0]])),
			),
		),
		strip(app, card),
		card.key === ''
			? null
			: h(
					'p',
					{ class: 'choose' },
					h(
						'button',
						{
							type: 'button',
							class: 'small',
							'aria-pressed': String(chosen),
							'aria-label': `only ${card.name}`,
							onclick: () => app.set({ thread: chosen ? 'all' : card.key, zoom: '', zoomup: '' }),
						},
						chosen ? 'show all' : 'show only this',
					),
					app.base.compares
						? null
						: h(
								'button',
								{
									type: 'button',
									class: 'small',
									'aria-pressed': String(versus === card.key),
									'aria-label': `compare ${card.name}`,
									onclick: () => compare(app, card.key),
								},
								versus === '' ? 'compare …' : versus === card.key ? 'with which?' : '… with this',
							),
				),
	);
}

// The first of two is chosen, given up, or compared with KEY.
function compare(app, key) {
	const { versus } = app.state;
	if (versus === '' || versus === key) app.set({ versus: versus ? '' : key });
	else app.set({ thread: `${versus}~${key}`, versus: '', zoom: '', zoomup: '', tab: 'table' });
}

function section(app, title, cards, more = null) {
	if (!cards.length) return null;
	const shown = app.hits && app.state.only === '1' ? cards.filter((card) => isHit(app, card)) : cards;
	const measures = MEASURES.filter(([measure]) => cards.some((card) => card[measure].some((v) => v > 0)));
	const most = Object.fromEntries(measures.map(([m]) => [m, cards.reduce((a, card) => Math.max(a, ...card[m]), 0)]));
	return h(
		'section',
		{},
		h('h2', {}, `${title}: ${format.count(cards.length)}${shown.length < cards.length ? `, ${format.count(shown.length)} found` : ''}`),
		more,
		h(
			'ul',
			{ class: 'slices' },
			sorted(app, shown)
				.slice(0, CARDS)
				.map((card) => cardOf(app, card, most, measures)),
		),
		shown.length > CARDS ? h('p', { class: 'note' }, `and ${format.count(shown.length - CARDS)} more`) : null,
	);
}

export const threads = {
	depends: ['thread', 'range', 'side', 'order', 'versus', 'q', 'only'],

	async found() {
		return [...document.querySelectorAll('main .slice.hit')].map((card) => () => card.focus());
	},

	show(box, app) {
		const model = app.base,
			list = threadCards(model, app.state.range),
			processes = processCards(model, list),
			phases = phaseCards(model);
		fill(
			box,
			[list, processes, phases].some((cards) => cards.length > 1)
				? h(
						'div',
						{ class: 'bar' },
						'sorted by ',
						choice('sorted by', SORTS, app.state.order, (order) => app.set({ order })),
					)
				: null,
			section(app, 'Processes', processes),
			section(app, 'Threads', list),
			section(app, 'Phases', phases, h('p', { class: 'note' }, 'A page of one of them alone is made by aprof html --phase=NAME.')),
		);
	},
};
