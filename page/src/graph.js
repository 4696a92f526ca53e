// graph.js - the call graph as a picture: Graphviz lays out, d3-zoom moves.
//
// Nodes are the routines whose share reaches the threshold, or the neighbourhood of one; each keeps its heaviest caller, and
// of the other arcs between them those follow that carry a fifth of the threshold, the heaviest if they are many.
import { select } from 'd3-selection';
import { zoom, zoomIdentity, zoomTransform } from 'd3-zoom';
import { choice, fill, fitted, h } from './dom.js';
import * as figures from './figures.js';
import * as format from './format.js';
import { changeText } from './figures.js';
import { arcTicks, change, tone } from './stats.js';
import * as tip from './tip.js';

const MOST = 1000,
	FIRST = 30,
	LABELLED = 80;
const ASIDE = '\u2003\u2003'; // keeps a label clear of the line of its arc
const LEAST = 0.01,
	LARGEST = 50; // ends of the slider, percent; it is logarithmic

export const arcTime = (at) => Math.max(at.self1 + at.child1, at.self2 + at.child2);

// Share of the run of routine R or of an arc, on the side on show, percent.
const whole = (app) => app.view.size(app.side, app.state.metric) || 1;
const nodeShare = (app, r, by = app.state.by) =>
	(100 * app.view.figures[app.side][app.state.metric === 'calls' ? 'calls' : by === 'self' ? 'self' : 'total'][r]) / whole(app);
const arcShare = (app, arc) => (100 * (app.state.metric === 'calls' ? arc.at[app.side].calls : arcTime(arc.at[app.side]))) / whole(app);

function heaviest(app) {
	return app.remember(`heaviest ${app.state.by}`, () =>
		app.model.routines
			.map((_, r) => r)
			.filter((r) => app.view.figures.some((f) => f.calls[r] || f.total[r]))
			.sort((a, b) => nodeShare(app, b) - nodeShare(app, a)),
	);
}

// The threshold that shows some FIRST routines of this profile.
function usual(app) {
	const list = heaviest(app),
		share = list.length > FIRST ? nodeShare(app, list[FIRST]) : 0;
	return Math.min(LARGEST, Math.max(LEAST, Number(share.toPrecision(2))));
}

// While a program runs the first threshold of a kind stays, so that nodes do not come and go.
const firsts = new Map();
function lasting(app) {
	const kind = `${app.state.metric} ${app.state.by}`;
	if (!firsts.has(kind)) firsts.set(kind, usual(app));
	return firsts.get(kind);
}

const leastOf = (app) => (app.state.least ? Number(app.state.least) : app.feed ? lasting(app) : usual(app));

function neighbourhood(app, centre, hops) {
	const found = new Set([centre]);
	for (let edge = [centre], i = 0; i < hops; i++) {
		const next = new Set();
		for (const r of edge) {
			for (const arc of app.view.arcs.in[r]) if (arc.from >= 0) next.add(arc.from);
			for (const arc of app.view.arcs.out[r]) next.add(arc.to);
		}
		edge = [...next].filter((r) => !found.has(r));
		edge.forEach((r) => found.add(r));
	}
	return found;
}

function nodesOf(app) {
	const hops = Number(app.state.hops),
		near = hops && app.selected >= 0 ? neighbourhood(app, app.selected, hops) : null;
	const least = leastOf(app),
		wanted = heaviest(app).filter((r) =>
			near
				? near.has(r) && (hops === 1 || r === app.selected || nodeShare(app, r) >= least)
				: nodeShare(app, r) >= least || r === app.selected,
		);
	return { nodes: wanted.slice(0, MOST), wanted: wanted.length };
}

// The arcs to draw among NODES, and how many there are; a picture of more than a few a node is a tangle.
function arcsOf(app, nodes) {
	const among = new Set(nodes),
		least = leastOf(app) / 5,
		sure = [],
		more = [];
	if (app.state.hops === '1' && app.selected >= 0) {
		const near = [...app.view.arcs.in[app.selected].filter((arc) => among.has(arc.from)), ...app.view.arcs.out[app.selected]];
		return { arcs: near, all: near.length };
	}
	for (const r of nodes) {
		const into = app.view.arcs.in[r].filter((arc) => among.has(arc.from));
		const best = into.reduce((a, b) => (a && arcShare(app, a) >= arcShare(app, b) ? a : b), null);
		for (const arc of into) (arc === best ? sure : more).push(arc);
	}
	const drawn = more
		.filter((arc) => arcShare(app, arc) >= least)
		.sort((a, b) => arcShare(app, b) - arcShare(app, a))
		.slice(0, 2 * nodes.length + 10);
	return { arcs: [...sure, ...drawn], all: sure.length + more.length };
}

// "from to" of the calls that close cycles which were traversed.
function cycleArcs(app) {
	return app.remember('cycle arcs', () => {
		const found = new Set();
		for (const cycles of app.model.cycles)
			for (const { entries } of cycles)
				entries.forEach((e, i) => e.known && found.add(`${e.routine} ${entries[(i + 1) % entries.length].routine}`));
		return found;
	});
}

const quoted = (text) => text.replace(/[\\"]/g, '\\$&').replace(/&/g, '&amp;');
const LONGEST = 38; // characters of a name in a node
function shortened(name) {
	const text = fitted(name, (t) => t.length <= LONGEST);
	return text.length > LONGEST || (text !== name && text.length < LONGEST / 2) ? `${name.slice(0, 20)}…${name.slice(-16)}` : text;
}

// Lines below the name.
function nodeText(app, r) {
	const f = app.view.figures[app.side],
		of = (v) => app.share(v, app.side);
	const calls = format.plural(f.calls[r], 'call');
	if (!app.model.timed) return [calls];
	const counted = app.model.counted ? [calls] : [];
	return app.model.compares ? [[of(f.total[r]), ...counted].join(' · ')] : [`self ${of(f.self[r])} · total ${of(f.total[r])}`, ...counted];
}

// Width of the widest of LINES at SIZE, as this browser draws it; Graphviz knows other fonts.
const pen = document.createElement('canvas').getContext('2d');
function widthOf(lines, size) {
	pen.font = `${size}px system-ui, Helvetica, Arial, sans-serif`;
	return Math.max(...lines.map((line) => pen.measureText(line).width));
}

// Words beside an arc, and the width of its line.
function arcWords(app, arc) {
	const at = arc.at[app.side];
	return [
		...(app.model.timed && app.state.metric === 'time' ? [format.time(arcTime(at))] : []),
		...(app.model.counted ? [`${format.count(at.calls)} ×`] : []),
	];
}

const penOf = (app, arc) => (0.6 + 5 * Math.sqrt(arcShare(app, arc) / 100)).toFixed(2);

function dotOf(app, nodes, arcs) {
	const lines = [
		`digraph { graph [nodesep=0.25, ranksep=0.45, nslimit=2, nslimit1=2, mclimit=${nodes.length > 150 ? 0.1 : 1}];`,
		'node [shape=box, margin="0.12,0.06", fontname="Helvetica,Arial,sans-serif"];',
		'edge [fontname="Helvetica,Arial,sans-serif", fontsize=9, arrowsize=0.7];',
	];
	const rows = Math.min(6, Math.ceil(arcs.length / 8)); // many callers in one row would be too wide to read
	for (const r of nodes) {
		const size = 9 + 9 * Math.sqrt(Math.min(1, nodeShare(app, r, 'total') / 100));
		const text = [shortened(app.model.routineName(r)), ...nodeText(app, r)];
		lines.push(
			`n${r} [id="n${r}", fontsize=${size.toFixed(1)}, width=${((widthOf(text, size) + 16) / 72).toFixed(3)}, label="${text.map(quoted).join('\\n')}"];`,
		);
	}
	for (const [i, arc] of arcs.entries()) {
		const share = arcShare(app, arc);
		const label =
			arcs.length > LABELLED
				? ''
				: arcWords(app, arc)
						.map((word) => ASIDE + word)
						.join('\\n');
		lines.push(
			`n${arc.from} -> n${arc.to} [id="e${arc.from}_${arc.to}", penwidth=${penOf(app, arc)}, weight=${
				1 + Math.round(share)
			}, minlen=${app.state.hops === '1' ? 1 + (i % rows) : 1}, label="${label}"];`,
		);
	}
	return `${lines.join('\n')}\n}`;
}

// One layout at a time: a newer one ends the older one's worker.
const source = () => document.getElementById('layout').textContent;
let worker = null;

function inWorker(dot) {
	worker?.terminate();
	const address = URL.createObjectURL(new Blob([source()], { type: 'text/javascript' }));
	worker = new Worker(address);
	return new Promise((done, failed) => {
		worker.onmessage = ({ data }) => (data.error ? failed(new Error(data.error)) : done(data.svg));
		worker.onerror = (event) => failed(new Error(event.message));
		worker.postMessage(dot);
	}).finally(() => URL.revokeObjectURL(address));
}

async function layout(dot) {
	if (typeof Worker !== 'undefined' && !self.aprofLayout)
		try {
			return await inWorker(dot);
		} catch (error) {
			if (error instanceof Error && error.message && !/security|insecure/i.test(error.message)) throw error;
		}
	if (!self.aprofLayout) document.head.append(h('script', {}, source()));
	return self.aprofLayout(dot);
}

class Picture {
	constructor(app, box, nodes, arcs) {
		Object.assign(this, { app, box, nodes, arcs });
	}

	put(text) {
		const parsed = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
		this.svg = document.importNode(parsed, true);
		this.svg.querySelectorAll('title').forEach((title) => title.remove());
		const [, , width, height] = this.svg.getAttribute('viewBox').split(' ').map(Number);
		Object.assign(this, { width, height });
		for (const name of ['width', 'height', 'viewBox']) this.svg.removeAttribute(name);
		this.svg.querySelector('polygon')?.remove(); // the background
		this.inner = this.svg.querySelector('g.graph');
		this.base = this.inner.getAttribute('transform');
		const outer = document.createElementNS('http://www.w3.org/2000/svg', 'g');
		this.inner.replaceWith(outer);
		outer.append(this.inner);
		fill(this.box, this.svg);
		this.#paintNodes();
		this.#paintArcs();
		this.zoom = zoom()
			.scaleExtent([0.02, 6])
			.on('zoom', (event) => {
				outer.setAttribute('transform', event.transform);
				this.moved ||= Boolean(event.sourceEvent);
			});
		select(this.svg).call(this.zoom).on('dblclick.zoom', null);
		this.box.onkeydown = (event) => this.#key(event);
		this.fit();
		this.mark();
	}

	fit() {
		this.moved = false;
		const { clientWidth: w, clientHeight: h } = this.box;
		const scale = Math.min(1.4, 0.97 * Math.min(w / this.width, h / this.height));
		this.#look(scale, this.width / 2, this.height / 2);
		const own = this.app.selected >= 0 && this.svg.querySelector(`#n${this.app.selected}`);
		if (scale < 0.4 && own)
			// too small to read: show the selected routine at a readable size
			this.centre(own, 0.9);
		else if (scale < 0.25) this.centre(this.svg.querySelector(`#n${this.nodes[0]}`), 0.9, 0.12);
	}

	// Show the point (X, Y) of the layout in the middle, or at the share DOWN of the height.
	#look(scale, x, y, down = 0.5) {
		const { clientWidth: w, clientHeight: h } = this.box;
		select(this.svg).call(this.zoom.transform, zoomIdentity.translate(w / 2 - scale * x, h * down - scale * y).scale(scale));
	}

	centre(node, scale, down) {
		const box = node.getBBox(),
			[dx, dy] = (this.base?.match(/translate\(([-\d.]+) ([-\d.]+)\)/) ?? [0, 0, 0]).slice(1).map(Number);
		this.#look(scale, box.x + box.width / 2 + dx, box.y + box.height / 2 + dy, down);
	}

	#paintNodes() {
		const app = this.app,
			self = app.view.figures[app.side].self,
			all = app.view.size(app.side, 'time');
		for (const r of this.nodes) {
			const g = this.svg.querySelector(`#n${r}`),
				what = figures.ofRoutine(app, r),
				name = app.model.routineName(r);
			g.setAttribute('tabindex', 0);
			g.setAttribute('role', 'button');
			g.setAttribute('aria-label', `${name}, total ${app.shareText(what.time[app.side], app.side)}`);
			g.dataset.routine = r;
			const t = app.model.compares ? figures.toneOf(app, what) : 0;
			g.style.setProperty(
				'--heat',
				app.model.compares ? `${Math.round(70 * Math.abs(t))}%` : `${Math.round(85 * Math.sqrt(all ? self[r] / all : 0))}%`,
			);
			g.classList.add(app.model.compares ? (t > 0 ? 'more' : 'less') : 'hot');
			const tell = (near) => tip.show(near, tip.title(app, r), figures.table(app, what));
			g.addEventListener('mousemove', tell);
			g.addEventListener('mouseleave', tip.hide);
			g.addEventListener('focus', () => tell(tip.below(g)));
			g.addEventListener('blur', tip.hide);
			g.addEventListener('click', () => app.set({ sel: r }));
			g.addEventListener('dblclick', () => app.set({ sel: r, hops: '1' }));
		}
	}

	#paintArcs() {
		const app = this.app,
			cycles = cycleArcs(app);
		for (const arc of this.arcs) {
			const g = this.svg.querySelector(`#e${arc.from}_${arc.to}`);
			Object.assign(g.dataset, { from: arc.from, to: arc.to });
			g.classList.toggle('cycle', cycles.has(`${arc.from} ${arc.to}`));
			g.classList.toggle('folded', arc.folded);
			if (app.model.compares) {
				const c = change(
					app.view,
					'calls',
					arc.at.map((at) => at.calls),
				);
				const by = app.state.metric === 'calls' ? tone(c) : this.#arcTone(arc);
				g.classList.toggle('more', by > 0);
				g.classList.toggle('less', by < 0);
			}
			g.addEventListener('mousemove', (event) => tip.show(event, this.#arcTip(arc, cycles)));
			g.addEventListener('mouseleave', tip.hide);
		}
	}

	#arcChange(arc) {
		const times = arc.at.map((at) => at.self2 + at.child2);
		return change(this.app.view, 'arc', times, arcTicks(this.app.view, times));
	}

	#arcTone(arc) {
		return tone(this.#arcChange(arc));
	}

	#arcTip(arc, cycles) {
		const app = this.app,
			name = (r) => app.model.routineName(r);
		const line = (at, s) =>
			h(
				'tr',
				{},
				app.model.compares ? h('th', {}, s ? 'new' : 'base') : null,
				h('td', {}, `${format.time(arcTime(at))} · ${app.shareText(arcTime(at), s)}`),
				app.model.counted ? h('td', {}, format.plural(at.calls, 'call')) : null,
			);
		return [
			h('b', {}, `${name(arc.from)} → ${name(arc.to)}`),
			h(
				'table',
				{ class: 'figures' },
				arc.at.map(line),
				app.model.compares
					? h(
							'tr',
							{},
							h('th', {}, 'change'),
							h('td', {}, changeText(this.#arcChange(arc), format.time)),
							app.model.counted &&
								h(
									'td',
									{},
									changeText(
										change(
											app.view,
											'calls',
											arc.at.map((at) => at.calls),
										),
										format.count,
									),
								),
						)
					: null,
			),
			cycles.has(`${arc.from} ${arc.to}`) ? h('div', { class: 'note' }, 'part of a cycle that was traversed') : null,
			arc.folded ? h('div', { class: 'note' }, 'folded recursion: calls between older activations are squeezed out') : null,
		];
	}

	// Selection and search, without a new layout.
	mark() {
		const app = this.app,
			sel = app.selected,
			near = new Set([sel]);
		for (const g of this.svg.querySelectorAll('g.edge')) {
			const mine = sel >= 0 && (Number(g.dataset.from) === sel || Number(g.dataset.to) === sel);
			g.classList.toggle('near', mine);
			if (mine) near.add(Number(g.dataset.from)).add(Number(g.dataset.to));
		}
		for (const g of this.svg.querySelectorAll('g.node')) {
			const r = Number(g.dataset.routine);
			g.classList.toggle('selected', r === sel);
			g.classList.toggle('near', near.has(r));
			g.classList.toggle('hit', Boolean(app.hits?.[r]));
		}
		this.svg.classList.toggle('focused', sel >= 0 && this.nodes.includes(sel) && !app.hits);
		this.svg.classList.toggle('searched', Boolean(app.hits));
	}

	// The place of routine R on the screen; null: it is not in the picture.
	placeOf(r) {
		const box = this.svg.querySelector(`#n${r}`)?.getBoundingClientRect();
		return box ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
	}

	// Show it as OTHER was shown: as large, and the selected routine, or that in the middle, at the same place.
	lookAs(other) {
		const { x, y } = other.middle ?? { x: 0, y: 0 };
		const far = (r) => Math.hypot(other.places.get(r).x - x, other.places.get(r).y - y);
		const common = this.nodes.filter((r) => other.places.has(r)),
			anchor = common.includes(this.app.selected)
				? this.app.selected
				: common.reduce((a, r) => (a < 0 || far(r) < far(a) ? r : a), -1);
		if (!other.moved || anchor < 0) return;
		this.moved = true;
		select(this.svg).call(this.zoom.transform, zoomIdentity.scale(other.scale));
		const now = this.placeOf(anchor),
			then = other.places.get(anchor);
		select(this.svg).call(this.zoom.translateBy, (then.x - now.x) / other.scale, (then.y - now.y) / other.scale);
	}

	// What lookAs wants to know, before the picture goes.
	get look() {
		const box = this.box.getBoundingClientRect();
		return {
			moved: this.moved,
			scale: zoomTransform(this.svg).k,
			middle: { x: box.x + box.width / 2, y: box.y + box.height / 2 },
			places: new Map(this.nodes.map((r) => [r, this.placeOf(r)])),
		};
	}

	// New figures in the same layout.
	refresh() {
		const app = this.app,
			labelled = this.arcs.length <= LABELLED;
		const put = (g, lines) =>
			[...g.querySelectorAll('text')].forEach((text, i) => lines[i] !== undefined && (text.textContent = lines[i]));
		this.arcs = this.arcs.map((arc) => app.view.arcs.in[arc.to].find((a) => a.from === arc.from) ?? arc);
		for (const name of ['node', 'edge']) for (const g of this.svg.querySelectorAll(`g.${name}`)) g.replaceWith(g.cloneNode(true)); // without what they told before
		this.#paintNodes();
		this.#paintArcs();
		for (const r of this.nodes) put(this.svg.querySelector(`#n${r}`), [shortened(app.model.routineName(r)), ...nodeText(app, r)]);
		for (const arc of this.arcs) {
			const g = this.svg.querySelector(`#e${arc.from}_${arc.to}`);
			g.querySelector('path')?.setAttribute('stroke-width', penOf(app, arc));
			if (labelled)
				put(
					g,
					arcWords(app, arc).map((word) => ASIDE + word),
				);
		}
		this.mark();
	}

	step(by) {
		this.moved = true;
		select(this.svg).call(this.zoom.scaleBy, by);
	}

	#key(event) {
		const pan = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
		const node = event.target.closest('g.node');
		this.moved ||= Boolean(pan);
		if (pan) select(this.svg).call(this.zoom.translateBy, ...pan.map((d) => d / zoomTransform(this.svg).k));
		else if (event.key === '+' || event.key === '=') this.step(1.3);
		else if (event.key === '-') this.step(1 / 1.3);
		else if (event.key === '0') this.fit();
		else if ((event.key === 'Enter' || event.key === ' ') && node) this.app.set({ sel: node.dataset.routine });
		else return;
		event.preventDefault();
	}
}

const fromSlider = (x) => LEAST * (LARGEST / LEAST) ** (x / 1000);
const toSlider = (p) => Math.round((1000 * Math.log(p / LEAST)) / Math.log(LARGEST / LEAST));

function slider(app) {
	const text = h('output', {}, `${leastOf(app)} %`);
	let timer;
	const input = h('input', {
		type: 'range',
		min: 0,
		max: 1000,
		value: toSlider(leastOf(app)),
		'aria-label': 'least share shown',
		oninput: () => {
			const p = Number(fromSlider(Number(input.value)).toPrecision(2));
			text.textContent = `${p} %`;
			clearTimeout(timer);
			timer = setTimeout(() => app.set({ least: p }), 200);
		},
	});
	return h('label', { class: 'slider' }, 'at least ', input, text);
}

let picture = null,
	turn = 0;

// With FROM, a picture of an earlier reading, what one looks at stays where it is.
async function draw(app, box, note, from = null) {
	const { nodes, wanted } = nodesOf(app),
		{ arcs, all } = arcsOf(app, nodes),
		mine = ++turn;
	const of = wanted > nodes.length ? ` of ${format.count(wanted)} that reach the threshold` : '';
	const drawn = all > arcs.length ? `the heaviest ${format.count(arcs.length)} of ${format.plural(all, 'arc')}` : format.plural(all, 'arc');
	const told = `${format.plural(nodes.length, 'routine')}${of}, ${drawn}`;
	note.textContent = `laying out ${told} …`;
	box.classList.add('busy');
	try {
		const svg = await layout(dotOf(app, nodes, arcs));
		if (mine !== turn) return;
		picture = new Picture(app, box, nodes, arcs);
		picture.put(svg);
		if (from) picture.lookAs(from);
		note.textContent = told;
		app.tellHits();
	} catch (error) {
		if (mine === turn) note.textContent = `no picture: ${error.message}`;
	}
	box.classList.remove('busy');
}

export const graph = {
	// The hits that are drawn, the heaviest first.
	async found(app) {
		return (picture?.nodes ?? [])
			.filter((r) => app.hits[r])
			.map((r) => () => {
				const g = picture.svg.querySelector(`#n${r}`);
				picture.centre(g, Math.max(0.9, zoomTransform(picture.svg).k));
				g.focus();
			});
	},

	depends: ['metric', 'thread', 'side', 'least', 'by', 'hops', 'sel', 'q', 'of'],

	show(box, app) {
		const note = h('span', { class: 'note', role: 'status' }),
			canvas = h('div', { class: 'canvas', tabindex: 0, role: 'group', 'aria-label': 'call graph' });
		picture = null;
		fill(
			box,
			h(
				'div',
				{ class: 'bar' },
				slider(app),
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
				choice(
					'neighbourhood',
					[
						['0', 'all', 'all routines over the threshold'],
						['1', '1 call around', 'the selected routine, its callers and callees'],
						['2', '2 calls', 'two calls around the selected routine'],
						['3', '3 calls'],
					],
					app.state.hops,
					(hops) => app.set({ hops, ...(app.selected < 0 && hops !== '0' ? { sel: app.heaviest('total') } : {}) }),
				),
				(this.picked = h('span', {}, app.picker())),
				h(
					'span',
					{ class: 'choice' },
					h('button', { type: 'button', title: 'larger', onclick: () => picture?.step(1.3) }, '+'),
					h('button', { type: 'button', title: 'smaller', onclick: () => picture?.step(1 / 1.3) }, '−'),
					h('button', { type: 'button', title: 'all of it', onclick: () => picture?.fit() }, 'fit'),
				),
				app.legend('graph'),
				note,
			),
			canvas,
		);
		Object.assign(this, { box: canvas, note });
		draw(app, canvas, note);
	},

	// New figures go into the picture that is there, unless a routine has come that is not in it.
	renew(app) {
		const { nodes } = nodesOf(app);
		if (!picture || this.box.classList.contains('busy')) return true; // the next reading will do
		if (nodes.every((r) => picture.nodes.includes(r))) picture.refresh();
		else draw(app, this.box, this.note, picture.look);
		return true;
	},

	// What changes without a new layout.
	update(changed, app) {
		const only = [...changed].every((key) => key === 'q' || key === 'sel');
		if (!only || !picture || (changed.has('sel') && (app.state.hops !== '0' || !picture.nodes.includes(app.selected)))) return false;
		picture.mark();
		fill(this.picked, app.picker());
		return true;
	},
};
