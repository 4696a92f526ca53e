// picture.js - the call graph drawn: Graphviz has laid it out, d3-zoom moves it.
//
// No letter is ever smaller than ten pixels: those of the layout are TEXT units or more, and it is never shown smaller than at LEAST.
import { select } from 'd3-selection';
import { zoom, zoomIdentity, zoomTransform } from 'd3-zoom';
import { fill, h } from './dom.js';
import * as figures from './figures.js';
import { changeText } from './figures.js';
import * as format from './format.js';
import { arcShare, arcTime, routineShare } from './detail.js';
import { figuresOf, groupOf, turn } from './groups.js';
import { arcTimes, arcVariances, change, tone } from './stats.js';
import { Overview } from './overview.js';
import * as tip from './tip.js';
import { fitted } from './names.js';

const TEXT = 12, // size of the smallest letters
	LEAST = 10.05 / TEXT, // scale
	LARGEST = 6,
	USUAL = 1.25, // the largest that it is shown at without being asked
	MORE = 1.6; // from here on there are more routines to be seen, if there are more
const LABELLED = 80, // arcs, of which each has its figure beside it
	MEMBERS = 6; // that are named in a tip
const ASIDE = '\u2003'; // keeps a label clear of the line of its arc
const FONT = 'system-ui, Helvetica, Arial, sans-serif';

// "from to" of the calls that close cycles which were traversed.
function cycleArcs(app) {
	return app.remember('cycle arcs', () => {
		const found = new Set();
		for (const s of app.model.sides.keys())
			for (const { entries } of app.model.cycles(s))
				entries.forEach((e, i) => e.known && found.add(`${e.routine} ${entries[(i + 1) % entries.length].routine}`));
		return found;
	});
}

const inCycle = (app, arc) => arc.parts.some((part) => cycleArcs(app).has(`${part.from} ${part.to}`));

// The figures of ITEM, as figures.table wants them.
const whatOf = (app, item) => (item.group ? figuresOf(app, item.group) : figures.ofRoutine(app, item.routine));

// That and where routine R has no hooks, if so.
const unhooked = (app, r) => {
	const about = app.model.routines[r];
	return about.uncounted
		? h(
				'div',
				{ class: 'note' },
				`without hooks, in ${format.basename(about.module)}; ${format.amount()} by samples, calls are not counted`,
			)
		: null;
};

const quoted = (text) => text.replace(/[\\"]/g, '\\$&').replace(/&/g, '&amp;');

// A name of LONGEST characters, about, that can still be told from others.
function shortened(name, longest) {
	const text = fitted(name, (t) => t.length <= longest);
	return text.length > longest || (text !== name && text.length < longest / 2)
		? `${name.slice(0, Math.ceil(longest * 0.55))}…${name.slice(-Math.floor(longest * 0.43)).replace(/^\.+/, '')}`
		: text;
}

// The short names of all routines at that length; those that would be one have a number, which stays whatever else is in the picture.
const labelsOf = (app, longest) =>
	app.remember(`labels ${longest}`, () => {
		const seen = new Map();
		return app.model.routines.map((about) => {
			const text = shortened(about.brief, longest) + about.number,
				nth = (seen.get(text) ?? 0) + 1;
			seen.set(text, nth);
			return nth > 1 ? `${text} (${nth})` : text;
		});
	});

const fullName = (app, item) => (item.group ? item.group.title : app.model.routineName(item.routine));

// The two lines of ITEM.
function nodeText(app, item, longest) {
	const what = whatOf(app, item),
		s = app.side,
		of = (v) => app.share(v, s),
		name = item.group ? `▸ ${shortened(item.group.title, longest)}` : labelsOf(app, longest)[item.routine];
	if (!app.model.timed) return [name, format.plural(what.calls[s], 'call')];
	if (!app.model.compares) return [name, `self ${of(what.self[s])} · total ${of(what.time[s])}`];
	const c = change(app.view, item.group ? 'path' : 'total', what.time, what.variance, what.item);
	return [name, `total ${of(what.time[s])}${c.news ? ` · ${format.signed(format.time(c.by), c.by)}` : ''}`];
}

// Which arc it is, of what is judged; null: of several.
const itemOf = ({ parts }) => (parts.length === 1 ? { arc: parts[0] } : null);

const headOf = (group, longest) => `▾ ${shortened(group.title, longest)}`;

const sizeOf = (app, item) => {
	const share = item.group
		? (100 * whatOf(app, item).time[app.side]) / (app.view.size(app.side, 'time') || 1)
		: routineShare(app, item.routine);
	return TEXT + 4 * Math.sqrt(Math.min(1, share / 100));
};

// Width of LINES at SIZE, the first of them bold, as this browser draws them; Graphviz knows other fonts.
const pen = document.createElement('canvas').getContext('2d');
const widthOf = (lines, size) =>
	Math.max(
		...lines.map((line, i) => {
			pen.font = `${i ? 400 : 600} ${size}px ${FONT}`;
			return pen.measureText(line).width;
		}),
	);

// The figure beside an arc, and the width of its line.
const arcWord = (app, arc) => {
	const at = arc.at[app.side];
	if (app.model.timed && app.state.metric === 'time') return app.told(arcTime(at), app.side);
	return app.model.counted ? `${format.count(at.calls)} ×` : '';
};
const penOf = (app, arc) => (0.6 + 5 * Math.sqrt(Math.min(1, arcShare(app, arc) / 100))).toFixed(2);

// What differs where there is little room: names are shorter, and arcs have no figures.
export const roomOf = (box) => ({
	width: box.clientWidth / LEAST / 1.02,
	height: box.clientHeight / LEAST / 1.02,
	longest: box.clientWidth < 600 ? 24 : 38,
	labelled: box.clientWidth < 600 ? 0 : LABELLED,
});

// The unfolded groups of which several of ITEMS are members: [group, items].
function frames(app, items) {
	const found = new Map();
	for (const item of items) {
		const group = item.group ? null : groupOf(app, item.routine);
		if (!group) continue;
		if (!found.has(group)) found.set(group, []);
		found.get(group).push(item);
	}
	return [...found].filter(([, list]) => list.length > 1);
}

// The graph DETAIL in Graphviz's language, for a window with ROOM.
export function dotOf(app, { items, arcs }, room) {
	const many = items.length > 150;
	const lines = [
		`digraph { graph [nodesep=0.22, ranksep=0.4, nslimit=2, nslimit1=2, mclimit=${many ? 0.1 : 1}];`,
		`node [shape=box, margin="0.12,0.06", fontname="Helvetica,Arial,sans-serif"];`,
		`edge [fontname="Helvetica,Arial,sans-serif", fontsize=${TEXT}, arrowsize=0.7];`,
	];
	const rows = Math.min(6, Math.ceil(arcs.length / 8)); // many callers in one row would be too wide to read
	for (const item of items) {
		const size = sizeOf(app, item),
			text = nodeText(app, item, room.longest);
		lines.push(
			`${item.id} [id="${item.id}", fontsize=${size.toFixed(1)}, width=${((widthOf(text, size) + 16) / 72).toFixed(3)}, label="${text
				.map(quoted)
				.join('\\n')}"];`,
		);
	}
	for (const [group, list] of frames(app, items)) {
		const head = headOf(group, room.longest);
		lines.push(
			`subgraph cluster_${group.id} { id="${group.id}"; margin=8; labeljust=l; fontsize=${TEXT}; fontname="Helvetica,Arial,sans-serif"; label="${quoted(
				head,
			)}"; ${list.map((item) => item.id).join('; ')}; }`,
		);
	}
	for (const [i, arc] of arcs.entries()) {
		const word = arcs.length > room.labelled ? '' : arcWord(app, arc);
		lines.push(
			`${arc.from.id} -> ${arc.to.id} [id="${arc.id}", penwidth=${penOf(app, arc)}, weight=${1 + Math.round(arcShare(app, arc))}, minlen=${
				app.state.hops === '1' ? 1 + (i % rows) : 1
			}, label="${word && ASIDE + word}"];`,
		);
	}
	return `${lines.join('\n')}\n}`;
}

// Width and height of the layout SVG, a text.
export const sizeOfLayout = (svg) => /viewBox="[-\d.]+ [-\d.]+ ([\d.]+) ([\d.]+)"/.exec(svg).slice(1).map(Number);

export class Picture {
	// DETAIL as it is laid out for ROOM; TURN(by) is asked for more routines, by 1, or for fewer, by -1: whether that was done.
	constructor(app, box, detail, room, turnDetail) {
		Object.assign(this, { app, box, detail, room, turnDetail });
		this.routines = new Set(detail.items.flatMap((item) => item.members));
	}

	get items() {
		return this.detail.items;
	}

	get arcs() {
		return this.detail.arcs;
	}

	// The drawn element of routine R, or of the folded group that it is in.
	elementOf(r) {
		const item = this.items.find((i) => i.members.includes(r));
		return item ? this.svg.querySelector(`#${item.id}`) : null;
	}

	put(text) {
		const parsed = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
		this.svg = document.importNode(parsed, true);
		this.svg.querySelectorAll('title').forEach((title) => title.remove());
		[this.width, this.height] = sizeOfLayout(text);
		for (const name of ['width', 'height', 'viewBox']) this.svg.removeAttribute(name);
		this.svg.querySelector('polygon')?.remove(); // the background
		this.inner = this.svg.querySelector('g.graph');
		this.base = this.inner.getAttribute('transform');
		const outer = document.createElementNS('http://www.w3.org/2000/svg', 'g');
		this.inner.replaceWith(outer);
		outer.append(this.inner);
		fill(this.box, this.svg);
		this.#paintGroups();
		this.#paintNodes();
		this.#paintArcs();
		this.#map();
		this.zoom = zoom()
			.scaleExtent([LEAST, LARGEST])
			.on('zoom', (event) => {
				outer.setAttribute('transform', event.transform);
				this.overview.tell(event.transform);
				this.moved ||= Boolean(event.sourceEvent);
			})
			.on('end', (event) => event.sourceEvent && event.transform.k > MORE && this.turnDetail(1));
		select(this.svg).call(this.zoom).on('dblclick.zoom', null);
		this.svg.addEventListener('wheel', (event) => {
			if (event.deltaY > 0 && zoomTransform(this.svg).k <= LEAST * 1.001) this.turnDetail(-1);
			event.preventDefault();
		});
		this.box.onkeydown = (event) => this.#key(event);
		this.fit();
		this.mark();
	}

	#map() {
		const [dx, dy] = this.#shift;
		const places = this.items.map((item) => {
			const { x, y, width, height } = this.svg.querySelector(`#${item.id}`).getBBox();
			return { x: x + dx, y: y + dy, width, height, kind: item.members.includes(this.app.selected) ? 'mine' : '' };
		});
		this.overview = new Overview(this.box, this.width, this.height, places, (x, y) => {
			this.moved = true;
			this.#look(this.scale, x, y);
		});
	}

	// All of it in whatever room there is, or what is looked at.
	paper(on) {
		const outer = this.svg.querySelector('g');
		if (on) this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
		else this.svg.removeAttribute('viewBox');
		outer.setAttribute('transform', on ? '' : zoomTransform(this.svg));
	}

	// By how much Graphviz moves all of it.
	get #shift() {
		return (this.base?.match(/translate\(([-\d.]+) ([-\d.]+)\)/) ?? [0, 0, 0]).slice(1).map(Number);
	}

	// All of it, if there is room for that; else what is selected, or the top.
	fit() {
		this.moved = false;
		const { clientWidth: w, clientHeight: h } = this.box;
		const scale = Math.min(USUAL, 0.98 * Math.min(w / this.width, h / this.height));
		if (scale >= LEAST) return this.#look(scale, this.width / 2, this.height / 2);
		const own = this.elementOf(this.app.selected);
		if (own) this.centre(own, 1);
		else this.centre(this.svg.querySelector(`#${this.#top.id}`), 1, 0.12);
	}

	// The first item that nothing leads to.
	get #top() {
		const led = new Set(this.arcs.map((arc) => arc.to));
		return this.items.find((item) => !led.has(item)) ?? this.items[0];
	}

	// Show the point (X, Y) of the layout in the middle, or at the share DOWN of the height.
	#look(scale, x, y, down = 0.5) {
		const { clientWidth: w, clientHeight: h } = this.box;
		select(this.svg).call(this.zoom.transform, zoomIdentity.translate(w / 2 - scale * x, h * down - scale * y).scale(scale));
	}

	centre(node, scale, down) {
		const box = node.getBBox(),
			[dx, dy] = this.#shift;
		this.#look(scale, box.x + box.width / 2 + dx, box.y + box.height / 2 + dy, down);
	}

	get scale() {
		return zoomTransform(this.svg).k;
	}

	// Have G, which stands for something to press, tell LABEL, SHOW what it is under the pointer and with the focus, and PRESS it.
	#offer(g, label, show, press) {
		g.setAttribute('tabindex', 0);
		g.setAttribute('role', 'button');
		g.setAttribute('aria-label', label);
		const tell = (near) => tip.show(near, ...show());
		g.addEventListener('mousemove', (event) => {
			tell(event);
			event.stopPropagation();
		});
		g.addEventListener('mouseleave', tip.hide);
		g.addEventListener('focus', () => g.matches(':focus-visible') && tell(tip.below(g)));
		g.addEventListener('blur', tip.hide);
		g.addEventListener('click', press);
	}

	#paintGroups() {
		for (const [group] of frames(this.app, this.items)) {
			const g = this.svg.querySelector(`#${group.id}`),
				head = g.querySelector('text');
			if (/^[fsm]/.test(group.id)) g.dataset.group = group.id;
			head.setAttribute('text-anchor', 'start'); // its letters are wider than Graphviz took them for
			head.setAttribute('x', Math.min(...[...g.querySelector('polygon').points].map((p) => p.x)) + 8);
			this.#offer(
				g,
				`${group.title}, fold`,
				() => this.#groupTip(group, 'a click folds it'),
				() => turn(this.app, group.id),
			);
		}
	}

	#groupTip(group, what) {
		const app = this.app,
			total = app.view.figures[app.side].total,
			list = [...group.members].sort((a, b) => total[b] - total[a]);
		return [
			h('b', {}, group.title),
			figures.table(app, figuresOf(app, group)),
			h(
				'div',
				{ class: 'note' },
				list
					.slice(0, MEMBERS)
					.map((r) => shortened(app.model.routineName(r), 60))
					.join(', '),
				list.length > MEMBERS ? ` and ${format.count(list.length - MEMBERS)} more` : '',
			),
			h('div', { class: 'note' }, what),
		];
	}

	#paintNodes() {
		const app = this.app,
			all = app.view.size(app.side, 'time');
		for (const item of this.items) {
			const g = this.svg.querySelector(`#${item.id}`),
				what = whatOf(app, item);
			const t = app.model.compares ? figures.toneOf(app, what) : 0,
				heat = app.model.compares ? 70 * Math.abs(t) : 85 * Math.sqrt(all ? Math.min(1, what.self[app.side] / all) : 0);
			g.style.setProperty('--heat', `${Math.round(heat)}%`);
			g.classList.add(app.model.compares ? (t > 0 ? 'more' : 'less') : 'hot');
			g.classList.toggle('group', Boolean(item.group));
			g.classList.toggle('leaf', Boolean(app.model.routines[item.routine]?.uncounted));
			g.dataset.routine = item.routine;
			const label = `${fullName(app, item)}, total ${app.shareText(what.time[app.side], app.side)}`;
			if (/^[fsm]/.test(item.group?.id ?? '')) g.dataset.group = item.group.id;
			if (item.group)
				this.#offer(
					g,
					`${label}, unfold`,
					() => this.#groupTip(item.group, 'a click unfolds it'),
					() => turn(app, item.group.id),
				);
			else {
				const show = () => [tip.title(app, item.routine), figures.table(app, what), unhooked(app, item.routine)];
				this.#offer(g, label, show, () => app.set({ sel: item.routine }));
				g.addEventListener('dblclick', () => app.set({ sel: item.routine, hops: '1' }));
			}
		}
	}

	#paintArcs() {
		const app = this.app;
		for (const arc of this.arcs) {
			const g = this.svg.querySelector(`#${arc.id}`);
			Object.assign(g.dataset, { from: arc.from.id, to: arc.to.id });
			g.classList.toggle('cycle', inCycle(app, arc));
			g.classList.toggle('folded', arc.folded);
			if (app.model.compares) {
				const by = tone(app.state.metric === 'calls' ? this.#callsChange(arc) : this.#arcChange(arc));
				g.classList.toggle('more', by > 0);
				g.classList.toggle('less', by < 0);
			}
			g.addEventListener('mousemove', (event) => {
				tip.show(event, this.#arcTip(arc));
				event.stopPropagation();
			});
			g.addEventListener('mouseleave', tip.hide);
		}
	}

	#arcChange(arc) {
		return change(this.app.view, 'arc', arcTimes(arc), arcVariances(arc), itemOf(arc));
	}

	#callsChange(arc) {
		return change(
			this.app.view,
			'calls',
			arc.at.map((at) => at.calls),
			[],
			itemOf(arc),
		);
	}

	#arcTip(arc) {
		const app = this.app,
			line = (at, s) =>
				h(
					'tr',
					{},
					app.model.compares ? h('th', {}, s ? 'new' : 'base') : null,
					app.model.timed ? h('td', {}, `${app.told(arcTime(at), s)} · ${app.shareText(arcTime(at), s)}`) : null,
					app.model.counted ? h('td', {}, format.plural(at.calls, 'call')) : null,
				);
		return [
			h('b', {}, `${fullName(app, arc.from)} → ${fullName(app, arc.to)}`),
			h(
				'table',
				{ class: 'figures' },
				arc.at.map(line),
				app.model.compares
					? h(
							'tr',
							{},
							h('th', {}, 'change'),
							app.model.timed ? h('td', {}, changeText(this.#arcChange(arc), format.time)) : null,
							app.model.counted ? h('td', {}, changeText(this.#callsChange(arc), format.count)) : null,
						)
					: null,
			),
			arc.parts.length > 1 ? h('div', { class: 'note' }, `${format.count(arc.parts.length)} arcs`) : null,
			inCycle(app, arc) ? h('div', { class: 'note' }, 'part of a cycle that was traversed') : null,
			arc.folded ? h('div', { class: 'note' }, 'folded recursion: calls between older activations are squeezed out') : null,
		];
	}

	// Selection and search, without a new layout.
	mark() {
		const app = this.app,
			own = this.items.find((item) => item.members.includes(app.selected)),
			near = new Set([own?.id]);
		for (const g of this.svg.querySelectorAll('g.edge')) {
			const mine = Boolean(own) && (g.dataset.from === own.id || g.dataset.to === own.id);
			g.classList.toggle('near', mine);
			if (mine) near.add(g.dataset.from).add(g.dataset.to);
		}
		for (const item of this.items) {
			const g = this.svg.querySelector(`#${item.id}`);
			g.classList.toggle('selected', item === own);
			g.classList.toggle('near', near.has(item.id));
			g.classList.toggle(
				'hit',
				item.members.some((r) => app.hits?.[r]),
			);
		}
		this.svg.classList.toggle('focused', Boolean(own) && !app.hits);
		this.svg.classList.toggle('searched', Boolean(app.hits));
	}

	// The place of ITEM on the screen.
	#placeOf(item) {
		const box = this.svg.querySelector(`#${item.id}`).getBoundingClientRect();
		return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
	}

	// Show it as OTHER was shown: at SCALE, or as large, and the selected routine, or that in the middle, at the same place.
	lookAs(other, scale = null) {
		const { x, y } = other.middle;
		const far = (item) => Math.hypot(other.places.get(item.id).x - x, other.places.get(item.id).y - y);
		const common = this.items.filter((item) => other.places.has(item.id)),
			anchor =
				common.find((item) => item.members.includes(this.app.selected)) ??
				common.reduce((a, item) => (a === null || far(item) < far(a) ? item : a), null);
		if (!(other.moved || scale) || !anchor) return;
		this.moved = true;
		const k = scale ?? other.scale;
		select(this.svg).call(this.zoom.transform, zoomIdentity.scale(k));
		const now = this.#placeOf(anchor),
			then = other.places.get(anchor.id);
		select(this.svg).call(this.zoom.translateBy, (then.x - now.x) / k, (then.y - now.y) / k);
		if (scale) this.#keepInside();
	}

	// Move it so that no room is left empty for which there is something.
	#keepInside() {
		const { x, y, k } = zoomTransform(this.svg),
			edge = 20;
		const by = (at, size, room) => (size < room ? (room - size) / 2 - at : Math.max(room - edge - size, Math.min(edge, at)) - at);
		const dx = by(x, this.width * k, this.box.clientWidth),
			dy = by(y, this.height * k, this.box.clientHeight);
		select(this.svg).call(this.zoom.translateBy, dx / k, dy / k);
	}

	// What lookAs wants to know, before the picture goes.
	get look() {
		const box = this.box.getBoundingClientRect();
		return {
			moved: this.moved,
			scale: this.scale,
			middle: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
			places: new Map(this.items.map((item) => [item.id, this.#placeOf(item)])),
		};
	}

	// The new figures of DETAIL, which has the same items, in the same layout.
	refresh(detail) {
		const app = this.app,
			labelled = this.arcs.length <= this.room.labelled,
			now = new Map(detail.arcs.map((arc) => [arc.id, arc]));
		const put = (g, lines) =>
			[...g.querySelectorAll('text')].forEach((text, i) => lines[i] !== undefined && (text.textContent = lines[i]));
		this.detail = { ...this.detail, arcs: this.arcs.map((arc) => now.get(arc.id) ?? arc) };
		for (const name of ['node', 'edge', 'cluster'])
			for (const g of this.svg.querySelectorAll(`g.${name}`)) g.replaceWith(g.cloneNode(true)); // without what they told before
		this.#paintGroups();
		this.#paintNodes();
		this.#paintArcs();
		for (const item of this.items) put(this.svg.querySelector(`#${item.id}`), nodeText(app, item, this.room.longest));
		for (const arc of this.arcs) {
			const g = this.svg.querySelector(`#${arc.id}`);
			g.querySelector('path')?.setAttribute('stroke-width', penOf(app, arc));
			if (labelled) put(g, [ASIDE + arcWord(app, arc)]);
		}
		this.mark();
	}

	// Larger or smaller; beyond a size there are more routines to be seen, below one fewer.
	step(by) {
		const k = this.scale;
		this.moved = true;
		if (by > 1 && k * by > MORE && this.turnDetail(1)) return;
		if (by < 1 && k <= LEAST * 1.001 && this.turnDetail(-1)) return;
		select(this.svg).call(this.zoom.scaleBy, by);
	}

	#key(event) {
		const pan = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
		const pressed = event.target.closest('g.node, g.cluster');
		this.moved ||= Boolean(pan);
		if (pan) select(this.svg).call(this.zoom.translateBy, ...pan.map((d) => d / this.scale));
		else if ((event.key === 'Enter' || event.key === ' ') && pressed) pressed.dispatchEvent(new MouseEvent('click'));
		else return;
		event.preventDefault();
	}

	// All of it, with as much detail as there is room for.
	whole() {
		if (!this.turnDetail(0)) this.fit();
	}
}
