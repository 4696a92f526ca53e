// graph.js - the call graph as a picture, with as much detail as can be read.
//
// At first as many of the heaviest routines are in it as there is room for (detail.js), each with its way to the root; who zooms in
// gets more, who zooms out fewer. The state `most` is their number where somebody has asked for one, `least` a share that they are to have.
import { choice, fill, h, named } from './dom.js';
import { arcShare, centreOf, detailOf, heaviest, MOST, routineShare } from './detail.js';
import * as format from './format.js';
import { groupings, groups } from './groups.js';
import { layout } from './layouts.js';
import { bar } from './pane.js';
import { dotOf, Picture, roomOf, sizeOfLayout } from './picture.js';
import { save } from './save.js';

const FITTED = 40, // routines that a picture begins with, at most
	FEWEST = 4,
	ENOUGH = 8, // routines with less than half of the run that are drawn, though there is no room for them, where else none would be
	HALF = 50, // percent: routines with more are one chain of calls
	ALL = 99.95, // as `100 %` is written
	TRIES = 7;
const LEAST = 0.01,
	LARGEST = 50; // ends of the slider, percent; it is logarithmic

let picture = null,
	turn = 0;

// The detail for N items, laid out.
async function laidOut(app, n, room) {
	const detail = detailOf(app, n),
		svg = await layout(dotOf(app, detail, room)),
		[width, height] = sizeOfLayout(svg);
	return { detail, svg, fits: width <= room.width && height <= room.height };
}

// The most detail that there is ROOM for; null: nobody wants it any more, as GONE says.
async function fitting(app, room, gone) {
	let n = Math.round(Math.min(FITTED, Math.max(FEWEST, (room.width * room.height) / 24000))),
		low = 0,
		high = FITTED + 1,
		best = null,
		last = null;
	for (let i = 0; i < TRIES && n > low && n < high; i++) {
		last = await laidOut(app, n, room);
		if (gone()) return null;
		if (last.fits) {
			best = last;
			low = n;
			if (!last.detail.limited) break;
		} else high = Math.min(n, last.detail.items.length);
		n = high > FITTED ? Math.min(FITTED, Math.ceil(n * 1.4)) : low ? (low + high) >> 1 : Math.max(1, Math.floor(high / 1.5));
	}
	const made = best ?? last,
		enough = enoughOf(app);
	return made.detail.limited && made.detail.least >= HALF && made.detail.items.length < enough ? laidOut(app, enough, room) : made;
}

// How many routines say something: a chain of calls that most of the run goes through says little by itself.
const enoughOf = (app) => Math.min(FITTED, ENOUGH + heaviest(app).filter((r) => routineShare(app, r) >= HALF).length);

// What the state asks for: a number of items, or as many as fit.
function asked(app) {
	if (app.state.most) return app.state.most === 'fit' ? 0 : Math.min(MOST, Math.max(1, Number(app.state.most) || 0));
	return app.state.least ? MOST : 0;
}

function noteOf({ items, arcs, arcsAll, shown, all, limited }) {
	if (!all) return 'no routine is left to be drawn';
	const routines = `${format.count(shown)} of ${format.plural(all, 'routine')}`,
		drawn = arcs.length < arcsAll ? `${format.count(arcs.length)} of ${format.plural(arcsAll, 'arc')}` : format.plural(arcsAll, 'arc');
	if (!limited && shown === all) return `all ${format.plural(all, 'routine')}, ${drawn}`;
	return `${routines}, ${drawn}; ${items.length < MOST ? 'zoom in or press + for more' : 'a picture of more would be a tangle'}`;
}

// Room for twice the N items on show, or for as many as it takes for more of them: a routine's way to the root may be longer than that room.
function roomier(app, n) {
	let room = Math.min(MOST, 2 * n);
	while (room < MOST && detailOf(app, room).items.length <= n) room = Math.min(MOST, 2 * room);
	return room;
}

// More detail by 1, less by -1; by 0 as much as fits. False: there is no other.
function turnDetail(app, by) {
	const { items, shown, all } = picture.detail,
		n = items.length,
		now = { most: app.state.most, least: app.state.least };
	let next = now;
	if (picture.box.classList.contains('busy')) return true;
	if (by > 0 && shown < all && n < MOST) next = { most: String(roomier(app, n)), least: '' };
	else if (by < 0 && asked(app)) next = n / 2 <= (picture.fitted ?? FEWEST) ? { most: '', least: '' } : { most: String(n >> 1), least: '' };
	else if (by === 0 && !picture.fits) next = { ...now, most: now.least ? 'fit' : '' };
	if (next.most === now.most && next.least === now.least) return false;
	app.set(next);
	return true;
}

const fromSlider = (x) => LEAST * (LARGEST / LEAST) ** (x / 1000);
const toSlider = (p) => Math.round((1000 * Math.log(Math.min(LARGEST, Math.max(LEAST, p)) / LEAST)) / Math.log(LARGEST / LEAST));
const rounded = (p) => Number(p.toPrecision(2));

function slider(app) {
	const text = h('output', {}, app.state.least ? `${app.state.least} %` : '');
	let timer;
	const input = h('input', {
		type: 'range',
		min: 0,
		max: 1000,
		value: toSlider(Number(app.state.least || 1)),
		'aria-label': 'least share shown',
		oninput: () => {
			const p = rounded(fromSlider(Number(input.value)));
			text.textContent = `${p} %`;
			clearTimeout(timer);
			timer = setTimeout(() => app.set({ least: p, most: '' }), 200);
		},
	});
	const tell = (p) => {
		if (document.activeElement !== input) input.value = toSlider(p);
		text.textContent = p >= ALL ? '' : `${rounded(p)} %`;
	};
	return { tell, element: h('label', { class: 'slider' }, 'at least ', input, text) };
}

// While a program runs the picture stays, until a routine comes that is clearly heavier than what is in it, or there is room for.
function lacks(app, detail) {
	const lightest = Math.min(...picture.items.filter((item) => !item.group).map((item) => routineShare(app, item.routine)));
	const come = detail.items.filter((item) => !item.members.every((r) => picture.routines.has(r)));
	return come.some((item) => !picture.detail.limited || item.group || routineShare(app, item.routine) > 1.5 * lightest);
}

// All routines by their share, beside the picture: what is not in it is found here, and is in it once it is selected.
const LISTED = 300;
function listOf(app) {
	const all = heaviest(app),
		self = app.view.figures[app.side].self,
		whole = app.view.size(app.side, app.state.metric) || 1,
		timed = app.model.timed && app.state.metric === 'time';
	const wanted = app.hits ? all.filter((r) => app.hits[r]) : all;
	return [
		h(
			'table',
			{ class: 'inclusive' },
			h(
				'thead',
				{},
				h(
					'tr',
					{},
					h('th', {}, timed ? app.state.by : 'calls'),
					timed && app.state.by === 'total' ? h('th', {}, 'self') : null,
					h('th', {}, 'routine'),
				),
			),
			h(
				'tbody',
				{},
				wanted.slice(0, LISTED).map((r) =>
					h(
						'tr',
						{ 'data-routine': r, class: r === app.selected ? 'selected' : '' },
						h(
							'td',
							{ class: 'share', style: `--p:${Math.min(100, routineShare(app, r)).toFixed(1)}%` },
							format.percent(routineShare(app, r), 100),
						),
						timed && app.state.by === 'total' ? h('td', {}, format.percent(self[r], whole)) : null,
						h(
							'td',
							{ class: 'who' },
							h(
								'button',
								{
									type: 'button',
									class: `link${app.hits?.[r] ? ' hit' : ''}`,
									onclick: () => app.set({ sel: r }),
								},
								named(app.model.routineName(r), app.model.wholeName(r)),
							),
						),
					),
				),
			),
		),
		wanted.length > LISTED ? h('p', { class: 'note' }, `and ${format.count(wanted.length - LISTED)} more: see Routines`) : null,
	];
}

export const graph = {
	depends: ['metric', 'thread', 'range', 'side', 'least', 'most', 'by', 'hops', 'group', 'folded', 'sel', 'q', 'of', 'leaves', 'pane'],

	// The hits that are drawn, the heaviest first.
	async found(app) {
		return (picture?.items ?? [])
			.filter((item) => item.members.some((r) => app.hits[r]))
			.map((item) => () => {
				const g = picture.svg.querySelector(`#${item.id}`);
				picture.centre(g, Math.max(1, picture.scale));
				g.focus();
			});
	},

	// Draw; with KEEPS what one looks at stays where it is by then: at the scale that SCALE tells of the look, or, where somebody has moved it, as large as it
	// is.  AGAIN: what the note says has taken room from the picture.
	async draw(app, keeps = false, scale = null, again = false) {
		const { box, note } = this,
			mine = ++turn,
			room = roomOf(box),
			n = asked(app);
		if (!again) note.textContent = 'laying out …';
		box.classList.add('busy');
		try {
			const made = n ? await laidOut(app, n, room) : await fitting(app, room, () => mine !== turn);
			if (mine !== turn) return;
			note.textContent = noteOf(made.detail);
			this.slider.tell(app.state.least ? Number(app.state.least) : made.detail.least);
			if (!again && roomOf(box).height !== room.height) return this.draw(app, keeps, scale, true);
			const fitted = n ? picture?.fitted : made.detail.items.length,
				from = keeps && picture?.look,
				focus = box.contains(document.activeElement);
			picture = new Picture(app, box, made.detail, room, (by) => turnDetail(app, by));
			Object.assign(picture, { fitted, fits: made.fits });
			picture.put(made.svg);
			if (focus) box.focus({ preventScroll: true });
			if (from && !(made.fits && scale)) picture.lookAs(from, scale?.(from));
			app.tellHits();
		} catch (error) {
			if (mine === turn) note.textContent = `no picture: ${error.message}`;
		}
		if (mine !== turn) return;
		box.classList.remove('busy');
		while (this.waiting.length && !box.classList.contains('busy')) this.waiting.shift()();
	},

	show(box, app) {
		picture = null;
		this.waiting = []; // what was pressed before there was a picture, in that order
		this.note = h('span', { class: 'note', role: 'status' });
		this.box = h('div', { class: 'canvas', tabindex: 0, role: 'group', 'aria-label': 'call graph' });
		this.slider = slider(app);
		this.picked = h('span', {}, app.picker());
		const tool = (text, title, onclick) => h('button', { type: 'button', title, onclick }, text);
		const file = () => `${app.name}-call-graph`;
		fill(
			box,
			h(
				'div',
				{ class: 'bar' },
				h(
					'span',
					{ class: 'choice' },
					tool('+', 'larger, and then more routines (+)', () => this.key('+')),
					tool('−', 'smaller, and then fewer routines (-)', () => this.key('-')),
					tool('fit', 'as many as there is room for (0)', () => this.key('0')),
				),
				choice(
					'neighbourhood',
					[
						['0', 'all', 'the heaviest routines, and their ways from the root'],
						['1', '1 call around', 'the selected routine, its callers and callees'],
						['2', '2 calls', 'two calls around the selected routine'],
						['3', '3 calls'],
					],
					app.state.hops,
					(hops) => app.set({ hops, ...(app.selected < 0 && hops !== '0' ? { sel: app.heaviest('self') } : {}) }),
				),
				h(
					'span',
					{ class: 'labelled' },
					'frames ',
					choice('frames around', groupings(app), app.state.group, (group) => app.set({ group, folded: '' })),
					groups(app).length
						? tool(app.state.folded ? 'unfold all' : 'fold all', 'each group as one node', () =>
								app.set({
									folded: app.state.folded
										? ''
										: groups(app)
												.map((g) => g.id)
												.join(','),
								}),
							)
						: null,
				),
				this.slider.element,
				app.model.timed && app.state.metric === 'time'
					? choice(
							'share of',
							[
								['total', 'of total'],
								['self', 'of self'],
							],
							app.state.by,
							(by) => app.set({ by }),
						)
					: null,
				h(
					'span',
					{ class: 'choice', role: 'group', 'aria-label': 'save as seen' },
					tool('SVG', 'save the picture as it is seen', () => picture && save(picture.svg, file(), 'svg')),
					tool('PNG', 'save the picture as it is seen', () => picture && save(picture.svg, file(), 'png')),
				),
				app.leafChoice(),
				this.picked,
				app.legend('graph'),
				this.note,
			),
			(this.halves = h(
				'div',
				{ class: 'halves pictured' },
				this.box,
				(this.list = h(
					'div',
					{ class: 'entry list-of-all', tabindex: 0, role: 'group', 'aria-label': 'all routines' },
					listOf(app),
				)),
			)),
		);
		this.box.after(bar(app, this.halves));
		this.draw(app);
	},

	// The picture, as soon as there is one: larger, smaller, all of it.  They work wherever the focus is.
	key(key) {
		const by = { '+': 1.3, '=': 1.3, '-': 1 / 1.3 }[key];
		if (!by && key !== '0') return false;
		const act = () => (by ? picture?.step(by) : picture?.whole());
		if (picture) act();
		else this.waiting.push(act);
		return true;
	},

	// The list anew, as it was scrolled.
	relist(app) {
		const at = this.list.scrollTop,
			focus = this.list.contains(document.activeElement) ? document.activeElement.closest('tr')?.dataset.routine : undefined;
		fill(this.list, listOf(app));
		this.list.scrollTop = at;
		if (focus !== undefined) this.list.querySelector(`tr[data-routine="${focus}"] button`)?.focus({ preventScroll: true });
	},

	// On paper all of the picture is seen, as large as the paper is.
	paper(on) {
		picture?.paper(on);
	},

	// New figures go into the picture that is there, unless a routine has come that is to be in it.
	renew(app) {
		if (!picture || this.box.classList.contains('busy')) return true; // the next reading will do
		const detail = detailOf(app, asked(app) || Math.max(picture.fitted ?? 0, picture.items.length + (picture.detail.limited ? 0 : 1)));
		this.relist(app);
		if (lacks(app, detail)) this.draw(app, true);
		else picture.refresh(detail);
		return true;
	},

	// What changes without a new drawing of all: the picture, or what is marked in it.
	update(changed, app) {
		const only = (...keys) => [...changed].every((key) => keys.includes(key));
		if (!picture || !only('q', 'sel', 'most', 'least', 'folded')) return false;
		const other = changed.has('sel') && (app.state.hops !== '0' || (app.selected >= 0 && !picture.routines.has(app.selected)));
		if (changed.has('most') || changed.has('folded')) this.draw(app, true, changed.has('most') ? () => 1 : (look) => look.scale);
		else if (changed.has('least') || other) this.draw(app);
		else picture.mark();
		fill(this.picked, app.picker());
		if (changed.has('q') || changed.has('sel')) this.relist(app);
		return true;
	},
};
