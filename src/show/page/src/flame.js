// flame.js - the flame graph: top-down, inverted, or as a sandwich around a routine.
//
// d3-flame-graph draws; it is given no more than can be seen.  Of a branch's children those too narrow are one frame "and N more",
// so that what is drawn adds up.  A zoom is a new drawing whose lowest full-width frames are the way to its branch.
import flamegraph from 'd3-flame-graph';
import { select } from 'd3-selection';
import { colours, inkOn, legend, shade } from './colour.js';
import { choice, FEW, fill, h, named } from './dom.js';
import * as figures from './figures.js';
import * as format from './format.js';
import { pieces } from './names.js';
import { Down, Up, follow } from './paths.js';
import { pathLinks, pathText } from './state.js';
import * as tip from './tip.js';

const CELL = 20,
	NARROW = 2,
	MOST = 1800,
	DEEPEST = 400;

const PADDING = 11, // of a frame, and what letters may be wider than they are measured
	SCOPE = 20, // what is left of what a name is in, where it gives way
	TELLING = 3, // letters: fewer are of any routine
	LEAST = 24; // in which there is room for some letters
const pen = document.createElement('canvas').getContext('2d');
const widthOf = (text) => {
	pen.font = '12px system-ui, sans-serif';
	return pen.measureText(text).width;
};

// What of NAME is shown in ROOM pixels that are too few for its last part: the end of that.  null: there is room, or none for anything; '': for no more than a letter or two.
function endOf(name, room) {
	const [scope, last, args] = pieces(name),
		full = args.length <= FEW ? last + args : last;
	if (room < LEAST || widthOf(full) + (scope ? SCOPE : 0) <= room) return null;
	const end = full.replace(/^::/, '');
	if (widthOf(`…${end}`) <= room) return scope ? `…${end}` : end;
	if (widthOf(end) <= room) return end;
	const tells = args && args.length <= FEW, // its end does, else its beginning
		part = (k) => (tells ? `…${end.slice(-k)}` : `${end.slice(0, k)}…`);
	let k = end.length - 1;
	while (k >= TELLING && widthOf(part(k)) > room) k--;
	return k < TELLING ? '' : part(k);
}

// The frames of BRANCH that are at least LEAST wide, as d3-flame-graph wants them.
function framesOf(app, branch, least) {
	const metric = app.state.metric,
		s = app.side,
		top = { branch, value: branch[metric][s] };
	let level = [top],
		n = 1;
	for (let depth = 0; level.length && depth < DEEPEST; depth++) {
		const next = [];
		for (const frame of level) {
			let more = 0,
				value = 0;
			frame.children = [];
			for (const child of frame.branch.sorted(metric)) {
				if (child[metric][s] >= least && child[metric][s] > 0)
					frame.children.push({ branch: child, value: child[metric][s] });
				else if (child[metric][s] > 0) {
					more++;
					value += child[metric][s];
				}
			}
			next.push(...frame.children);
			if (value >= least && more) frame.children.push({ more, value, children: [] });
			n += frame.children.length;
		}
		level = next;
	}
	return { top, n };
}

function visibleFrames(app, branch, width) {
	const whole = branch[app.state.metric][app.side];
	for (let narrow = NARROW; ; narrow *= 1.5) {
		const { top, n } = framesOf(app, branch, (whole * narrow) / width);
		if (n <= MOST || narrow > 20) return top;
	}
}

// The frames of the way from the top to BRANCH around FRAME.
function wrapped(branch, frame) {
	for (let b = branch.parent; b; b = b.parent) frame = { branch: b, value: frame.value, fade: true, children: [frame] };
	return frame;
}

const nameOf = (app, frame) => {
	if (frame.more) return `and ${frame.more} more`;
	return `${frame.branch.gap ? '.. ' : ''}${app.model.routineName(frame.branch.routine)}${frame.branch.folded ? "'" : ''}`;
};

const colourOf = (app, frame) => (frame.more ? 'var(--frame-more)' : shade(app, frame.branch));

function tipOf(app, frame) {
	if (frame.more) return [h('b', {}, nameOf(app, frame)), h('div', {}, 'too narrow to be drawn; zoom in to see them')];
	const b = frame.branch;
	return [
		tip.title(app, b.routine, nameOf(app, frame)),
		figures.table(app, figures.ofBranch(b, b.tree instanceof Down)),
		b.folded ? h('div', { class: 'note' }, "' folded recursion: active again further on; calls between are squeezed out") : null,
		figures.leafNote(app, b),
		b.gap ? h('div', { class: 'note' }, '.. calls were squeezed out before this one: no known call') : null,
	];
}

// One drawing of the branches from TOP, zoomed to PATH; ZOOM is called with the path of a frame that is chosen.
class Drawing {
	constructor(app, top, path, inverted, zoom) {
		Object.assign(this, { app, top, inverted, zoom });
		this.branch = follow(top, path);
		this.box = h('div', { class: 'flame', tabindex: -1 });
		this.box.addEventListener('click', (event) => this.#click(event), true);
		this.box.addEventListener('keydown', (event) => this.#key(event));
		this.box.addEventListener(
			'focusin',
			({ target }) => target.__data__ && tip.show(tip.below(target), tipOf(app, target.__data__.data)),
		);
		this.box.addEventListener('focusout', tip.hide);
	}

	draw() {
		const width = Math.max(200, this.box.clientWidth),
			frame = wrapped(this.branch, visibleFrames(this.app, this.branch, width));
		const tips = () => {};
		tips.show = (event, d) => tip.show(event, tipOf(this.app, d.data));
		tips.hide = tip.hide;
		const chart = flamegraph()
			.width(width)
			.cellHeight(CELL)
			.inverted(this.inverted)
			.sort(false)
			.transitionDuration(0)
			.tooltip(tips)
			.getName((d) => nameOf(this.app, d.data))
			.setColorMapper((d) => colourOf(this.app, d.data));
		const box = select(this.box).datum(frame).call(chart);
		// At once: the library would let the frames grow, and put its text into labels that are ours.
		box.selectAll('rect')
			.interrupt()
			.attr('width', (d) => (d.x1 - d.x0) * width);
		box.selectAll('.d3-flame-graph-label').interrupt();
		this.#finish(width);
	}

	// What the library knows nothing of: marks of recursion and of the search, and the keyboard.
	#finish(width) {
		const app = this.app,
			hits = app.hits,
			frames = this.box.querySelectorAll('g.frame');
		let last = 0;
		for (const g of frames) {
			const d = g.__data__,
				b = d.data.branch;
			last = Math.max(last, d.depth);
			g.setAttribute('tabindex', d.depth === 0 ? 0 : -1);
			g.setAttribute('role', 'button');
			g.setAttribute(
				'aria-label',
				`${nameOf(app, d.data)}, ${app.shareText(d.data.value, app.side, app.state.metric, d.parent?.data.value ?? null)}`,
			);
			g.dataset.exact = d.data.value;
			if (b) {
				g.dataset.routine = b.routine;
				g.dataset.path = pathText(b.path);
			}
			if (b && (b.folded || b.gap)) {
				const mark = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
				mark.setAttribute('class', 'fold');
				mark.setAttribute('width', (d.x1 - d.x0) * width);
				mark.setAttribute('height', CELL);
				g.insertBefore(mark, g.querySelector('foreignObject'));
			}
			const label = g.querySelector('.d3-flame-graph-label');
			if (b) this.#label(label, b, (d.x1 - d.x0) * width - PADDING);
			else fill(label, nameOf(app, d.data));
			g.style.setProperty('--ink-here', inkOn(colourOf(app, d.data)));
			g.classList.toggle('hit', Boolean(hits && b && hits[b.routine]));
			g.classList.toggle('leaf', Boolean(b?.leaf || app.model.routines[b?.routine]?.uncounted));
			g.classList.toggle('selected', Boolean(b && b.routine >= 0 && b.routine === app.selected));
		}
		const svg = this.box.querySelector('svg'),
			height = (last + 1) * CELL;
		// The library leaves two rows free above the highest flame.
		svg.setAttribute('viewBox', `0 ${this.inverted ? 0 : svg.getAttribute('height') - height} ${width} ${height}`);
		svg.setAttribute('height', height);
		this.box.classList.toggle('searched', Boolean(hits));
	}

	// The name in a frame keeps its end, however little ROOM there is.
	#label(label, b, room) {
		const name = this.app.model.routineName(b.routine),
			whole = this.app.model.wholeName(b.routine),
			brief = endOf(name, room);
		fill(
			label,
			b.gap && brief !== '' ? '.. ' : null,
			brief === null ? named(name, null, { 'data-whole': whole }) : h('span', { 'data-whole': whole }, brief),
			b.folded && brief !== '' ? "'" : null,
		);
	}

	#click(event) {
		const g = event.target.closest('g.frame');
		if (!g) return;
		event.stopPropagation();
		const b = g.__data__.data.branch;
		if (b) this.zoom(b);
	}

	#key(event) {
		const g = event.target.closest('g.frame');
		if (!g) return;
		const d = g.__data__,
			siblings = d.parent?.children ?? [d],
			at = siblings.indexOf(d);
		const inward = d.children?.[0],
			outward = d.parent;
		const to = {
			ArrowDown: this.inverted ? inward : outward,
			ArrowUp: this.inverted ? outward : inward,
			ArrowLeft: siblings[at - 1],
			ArrowRight: siblings[at + 1],
		}[event.key];
		if (event.key === 'Enter' || event.key === ' ') d.data.branch && this.zoom(d.data.branch);
		else if (event.key === 'Backspace') this.branch.parent && this.zoom(this.branch.parent);
		else if (to) [...this.box.querySelectorAll('g.frame')].find((f) => f.__data__ === to)?.focus();
		else return;
		event.preventDefault();
	}
}

function crumbs(app, branch, zoom) {
	const way = [];
	for (let b = branch; b; b = b.parent) way.unshift(b);
	const shown = way.length > 12 ? [...way.slice(0, 3), null, ...way.slice(-8)] : way;
	return h(
		'nav',
		{ class: 'crumbs', 'aria-label': 'zoomed to' },
		shown.map((b) =>
			b === null
				? h('span', {}, '…')
				: h(
						'button',
						{ type: 'button', 'aria-current': b === branch ? 'true' : null, onclick: () => zoom(b) },
						named(nameOf(app, { branch: b }), app.model.wholeName(b.routine)),
					),
		),
	);
}

let drawings = []; // on show

// A drawing with its way, appended to BOX.
function place(app, box, top, key, inverted) {
	const zoom = (b) => app.set({ [key]: pathText(b.path), ...(app.model.isRoutine(b.routine) ? { sel: b.routine } : {}) });
	const drawing = new Drawing(app, top, pathLinks(app.state[key]), inverted, zoom);
	if (app.state.dir !== 'sandwich' || drawing.branch.parent) box.append(crumbs(app, drawing.branch, zoom));
	box.append(drawing.box);
	drawing.draw();
	drawings.push(drawing);
}

const sums = (app, top) => {
	const metric = app.state.metric,
		value = top[metric][app.side];
	return h('b', { 'data-exact': value }, metric === 'time' ? app.told(value, app.side) : format.plural(value, 'call'));
};

// The trees around routine R: { up, down }.  Only those of the last one are kept: each has figures of all contexts.
function halves(app, r) {
	const kept = app.keep('sandwich', () => ({}));
	if (kept.r !== r) Object.assign(kept, { r, up: new Up(app.view, r).top, down: new Down(app.view, r).top });
	return kept;
}

function sandwich(app, box) {
	const r = app.selected >= 0 ? app.selected : app.heaviest('self');
	if (!app.view.figures[app.side].total[r] && app.state.metric === 'time')
		box.append(
			h(
				'p',
				{ class: 'note' },
				`No ${format.amount()} was measured in this routine. `,
				app.model.counted
					? h('button', { type: 'button', onclick: () => app.set({ metric: 'calls' }) }, 'show its calls')
					: null,
			),
		);
	const { up, down } = halves(app, r);
	box.append(
		h(
			'p',
			{ class: 'half callers' },
			'Callers of ',
			h('b', { title: app.model.wholeName(r) }, app.model.routineName(r)),
			', on whose behalf it took ',
			sums(app, up),
		),
	);
	place(app, box, up, 'zoomup', false);
	box.append(
		h(
			'p',
			{ class: 'half callees' },
			'Below ',
			h('b', { title: app.model.wholeName(r) }, app.model.routineName(r)),
			': what it called took its part of ',
			sums(app, down),
		),
	);
	place(app, box, down, 'zoom', true);
}

export const flame = {
	inked: true,

	// The hits that are drawn, from the left, the outermost first.
	async found() {
		return [...document.querySelectorAll('g.frame.hit')].map((g) => () => g.focus());
	},

	depends: ['metric', 'thread', 'range', 'side', 'q', 'dir', 'zoom', 'zoomup', 'sel', 'colour', 'of', 'leaves'],

	// As speedscope has them: in, out, out to all; in to the frame that has the focus, or to the widest one.
	key(key, app) {
		const drawing = drawings.find((d) => d.box.contains(document.activeElement)) ?? drawings[0],
			within = document.activeElement?.__data__?.data?.branch;
		if (!drawing || !'+=-0'.includes(key)) return false;
		const to =
			{ '-': drawing.branch.parent, 0: drawing.top }[key] ??
			(key === '-' ? null : (within ?? drawing.branch.sorted(app.state.metric)[0]));
		if (to && to !== drawing.branch) drawing.zoom(to);
		return true;
	},

	show(box, app) {
		const dir = app.state.dir;
		drawings = [];
		const pick = (d) => app.set({ dir: d, zoom: '', zoomup: '' });
		const drawn = h('div', { class: 'drawn' });
		fill(
			box,
			h(
				'div',
				{ class: 'bar' },
				choice(
					'direction',
					[
						['down', 'top-down', 'callers above their callees'],
						['up', 'inverted', 'running routines above their callers'],
						['sandwich', 'sandwich', 'callers above and callees below the selected routine'],
					],
					dir,
					pick,
				),
				app.model.compares
					? null
					: h(
							'span',
							{ class: 'turn' },
							'colour',
							choice('colour', colours(app), app.colour, (colour) => app.set({ colour })),
						),
				app.leafChoice(),
				app.picker(),
				app.model.compares ? null : legend(app),
				app.legend(),
			),
			drawn,
		);
		if (dir === 'sandwich') sandwich(app, drawn);
		else place(app, drawn, app.tree(dir), 'zoom', true);
	},
};
