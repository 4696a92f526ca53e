// time.js - the run over its time: an axis, and a lane for each phase, process or rank, and thread that says when it worked, how much, and in which routine.
//
// A lane is as high as its thread was busy, and has the colour of the routine whose own time that was; that of several threads is full where they were busiest.  A range that is chosen here, by dragging, by its ends in
// seconds or by arrows, is state's `range`, `FROM..TO`, as --time-range has it: all sheets show the times of it alone, and the calls of the whole run.
import { figure, fill, h, named } from './dom.js';
import * as format from './format.js';
import { isNarrowed } from './narrow.js';
import { phaseName } from './threads.js';
import * as tip from './tip.js';

const SVG = 'http://www.w3.org/2000/svg',
	LANES = 200, // that are drawn
	HIGH = 26, // pixels of one, where they are many
	HIGHEST = 72, // where there are few
	FIELD = 288, // of all of them
	COLOURED = 12, // routines that have a colour of their own
	GOLDEN = 137.508, // degrees: as far apart as can be, however many there are
	APART = 90, // pixels between two words of the axis, at least
	SAMPLES = 4, // that a column of a lane has room for
	TOLD = 4, // routines that a tip names
	LISTED = 15; // that changed most

function svg(tag, properties, ...children) {
	const element = document.createElementNS(SVG, tag);
	for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
	element.append(...children);
	return element;
}

const seconds = (model, interval) => (interval * model.interval) / 1e9;
const written = (s) => String(Number(s.toFixed(6)));

// The range of intervals [first, end) as it stands in the address: '' for all.
export const rangeText = (model, first, end) =>
	first <= 0 && end >= model.intervals ? '' : `${written(seconds(model, first))}..${written(seconds(model, end))}`;

const chosen = ({ base, state }) => base.cut(state.range) ?? [0, base.intervals];

// The own time of routines by thread, and by phase as far as phases are told, each by interval: [routine, ns, routine, ns ...]; undefined: nothing.
const known = new WeakMap();
function workOf(model) {
	if (known.has(model)) return known.get(model);
	const { thread, node, interval, time, ticks, phase } = model.sides[0].slices,
		each = model.sides[0].times.tick_ns,
		work = { threads: model.threads.map(() => []), phases: model.sides[0].slice_phases.map(() => []) };
	for (let i = 0; i < interval.length; i++) {
		const r = model.tree.routine[node.at(i)],
			spent = time.at(i) || ticks.at(i) * each;
		for (const lane of [
			work.threads[model.byThread ? model.threadMaps[0][thread.at(i)] : 0] ?? work.threads[0],
			work.phases[phase.at(i) - 1],
		])
			if (lane) (lane[interval.at(i)] ??= []).push(r, spent);
	}
	known.set(model, work);
	return work;
}

// The work of several LANES as that of one.
function together(lanes) {
	const sum = [];
	for (const lane of lanes) lane.forEach((work, i) => (sum[i] = sum[i] ? [...sum[i], ...work] : work));
	return sum;
}

// What has a lane: { key: what the state's `thread` is when it alone is shown, '': it cannot be; name, work, threads: how many; phase: it is one }.  Phases first, then
// processes, or ranks, then threads, unless each process has one.
function rowsOf(model) {
	const { threads, phases } = workOf(model),
		named = phases.flatMap((work, i) =>
			work.length
				? [
						{
							key: '',
							name: `phase ${phaseName(model.sides[0].slice_phases[i])}`,
							work,
							threads: threads.length,
							phase: true,
						},
					]
				: [],
		),
		processes = model.byThread ? model.processes : [],
		lanes = (process) => process.threads.map((i) => threads[model.threadMaps[0][i]]);
	return [
		...(named.length > 1 ? named : []),
		...processes.map((process, k) => ({
			key: `p${k}`,
			name: process.name,
			work: together(lanes(process)),
			threads: process.threads.length,
		})),
		...(processes.length && processes.every((process) => process.threads.length === 1)
			? []
			: threads.map((work, i) => ({
					key: model.byThread ? String(i) : '',
					name: `thread ${model.threads[i].label}`,
					work,
					threads: 1,
				}))),
	];
}

// What LANE did in the intervals [first, end): { time, by: Map of ns by routine }.
function workIn(lane, first, end) {
	const by = new Map();
	let time = 0;
	for (let i = first; i < end; i++)
		for (let k = 0, work = lane[i]; work && k < work.length; k += 2) {
			time += work[k + 1];
			by.set(work[k], (by.get(work[k]) ?? 0) + work[k + 1]);
		}
	return { time, by };
}

const heaviestOf = (by) => [...by].sort((a, b) => b[1] - a[1]);

// The routines that have a colour, the heaviest of the run first: by routine a hue.
function huesOf(app) {
	const sums = new Map();
	for (const lane of workOf(app.base).threads)
		for (const [r, v] of workIn(lane, 0, app.base.intervals).by) if (r >= 0) sums.set(r, (sums.get(r) ?? 0) + v);
	return new Map(
		heaviestOf(sums)
			.slice(0, COLOURED)
			.map(([r], i) => [r, (205 + i * GOLDEN) % 360]),
	);
}

const shade = (hue) => (hue === undefined ? 'var(--frame-none)' : `hsl(${hue} var(--frame-saturation) var(--frame-lightness))`);

// COLOUR as a canvas takes it.
function resolved(colour) {
	const probe = h('i', { style: `color: ${colour}; display: none` });
	document.body.append(probe);
	const { color } = getComputedStyle(probe);
	probe.remove();
	return color;
}

const nameOf = (app, r) => (r < 0 ? 'outside all routines' : app.base.routineName(r));

// Steps of 1, 2 or 5 that leave room for the words.
function stepOf(length, width) {
	const least = (length * APART) / Math.max(width, 1),
		ten = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].find((k) => k * ten >= least) * ten;
}

function axisOf(app, width) {
	const length = seconds(app.base, app.base.intervals),
		step = stepOf(length, width),
		digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)),
		drawn = svg('svg', {
			class: 'axis',
			width,
			height: 22,
			role: 'img',
			'aria-label': `from 0 to ${format.time(length * 1e9)} of the run`,
		});
	for (let k = 0; k * step <= length; k++) {
		const x = ((k * step) / length) * width,
			word = svg('text', { x: Math.min(x + 3, width - 2), y: 12, 'text-anchor': x > width - 40 ? 'end' : 'start' });
		word.textContent = `${(k * step).toFixed(digits)} s`;
		drawn.append(svg('path', { d: `M${x.toFixed(1)} 0V22` }), word);
	}
	return drawn;
}

class Lane {
	constructor(app, row, hues) {
		const { base } = app;
		Object.assign(this, { app, hues, ...row });
		const { time } = workIn(this.work, 0, base.intervals);
		this.busy = time / (base.intervals * base.interval);
		this.full = 1; // threads that were busy where it is full
		if (this.threads > 1)
			for (const [i] of this.work.entries())
				this.full = Math.min(this.threads, Math.max(this.full, workIn(this.work, i, i + 1).time / base.interval));
		this.canvas = h('canvas', { role: 'img', 'aria-label': `${this.name}: busy ${format.percent(this.busy, 1)} of the time` });
	}

	// From its first work to its last, as a range.
	get extent() {
		const { base } = this.app,
			first = this.work.findIndex(Boolean);
		return rangeText(base, first, Math.max(first + 2, this.work.length));
	}

	draw(width, colours) {
		const dots = window.devicePixelRatio || 1,
			{ base } = this.app,
			columns = Math.max(1, Math.round(width * dots)),
			pen = this.canvas.getContext('2d');
		Object.assign(this.canvas, { width: columns, height: Math.round(this.high * dots) });
		this.canvas.style.height = `${this.high}px`;
		// A sample stands for the time about it: what is narrower than some of them are apart would be stripes.
		const least = Math.ceil((SAMPLES * base.sides[0].times.tick_ns * columns) / (base.intervals * base.interval)),
			step = Math.max(1, Math.min(least, Math.ceil(columns / 40)));
		for (let x = 0; x < columns; x += step) {
			const first = Math.floor((x * base.intervals) / columns),
				end = Math.max(first + 1, Math.min(base.intervals, Math.floor(((x + step) * base.intervals) / columns))),
				{ time, by } = workIn(this.work, first, end);
			if (!time) continue;
			const [[r]] = heaviestOf(by),
				part = Math.min(1, time / ((end - first) * base.interval * this.full)),
				high = Math.max(dots, part * this.canvas.height);
			pen.fillStyle = colours.get(this.hues.get(r));
			pen.fillRect(x, this.canvas.height - high, Math.min(step, columns - x), high);
		}
	}

	tip(first, end) {
		const { app } = this,
			{ time, by } = workIn(this.work, first, end),
			length = (end - first) * app.base.interval;
		return [
			h('b', {}, this.name),
			h(
				'div',
				{},
				`${written(seconds(app.base, first))} to ${written(seconds(app.base, end))} s: busy ${format.percent(Math.min(time, length * this.threads), length)}`,
			),
			time
				? h(
						'table',
						{ class: 'figures' },
						heaviestOf(by)
							.slice(0, TOLD)
							.map(([r, v]) =>
								h('tr', {}, h('td', {}, format.percent(v, time)), h('td', {}, nameOf(app, r))),
							),
					)
				: h('div', { class: 'note' }, 'no sample: it waited, or was not there'),
		];
	}
}

// One end of the range, in seconds.
function end(app, name, label, value, set) {
	const { base } = app;
	return h('input', {
		type: 'number',
		'data-end': name,
		'aria-label': label,
		min: 0,
		max: written(seconds(base, base.intervals)),
		step: written(seconds(base, 1)),
		value: written(seconds(base, value)),
		onchange: (event) => set(Math.round((Number(event.target.value) * 1e9) / base.interval)),
	});
}

function ends(app) {
	const { base } = app,
		[first, last] = chosen(app),
		set = (from, to) => app.set({ range: from < to ? rangeText(base, from, to) : '' });
	return h(
		'span',
		{ class: 'ends' },
		'from ',
		end(app, 'from', 'from second', first, (from) => set(Math.max(0, from), last)),
		' to ',
		end(app, 'to', 'to second', last, (to) => set(first, Math.min(base.intervals, to))),
		` s of ${format.time(base.intervals * base.interval)}`,
	);
}

// The lanes, and what can be done on them.
class Chart {
	constructor(app) {
		const { base } = app,
			hues = huesOf(app);
		Object.assign(this, { app, hues });
		this.rows = rowsOf(base);
		const high = Math.max(HIGH, Math.min(HIGHEST, Math.floor(FIELD / this.rows.length)));
		this.lanes = this.rows.slice(0, LANES).map((row) => new Lane(app, { ...row, high }, hues));
		this.left = h('div', { class: 'out' });
		this.right = h('div', { class: 'out' });
		this.axis = h('div', { class: 'axis-box' });
		this.field = h(
			'div',
			{
				class: 'field',
				'data-end': 'field',
				tabindex: 0,
				role: 'group',
				'aria-label': 'lanes over the time of the run: drag, or press the arrows, to choose a range',
				onkeydown: (event) => this.#key(event),
			},
			this.lanes.map((lane) => h('div', { class: 'lane', 'data-lane': lane.key }, lane.canvas)),
			this.left,
			this.right,
		);
		this.element = h(
			'div',
			{ class: 'lanes', style: `--high: ${high}px` },
			h('div', {}),
			this.axis,
			h(
				'div',
				{ class: 'names' },
				this.lanes.map((lane) => this.#name(lane)),
			),
			this.field,
		);
		this.#brush();
	}

	#name(lane) {
		const { app } = this,
			alone = app.stateHolder.now.thread === lane.key,
			all = { thread: alone ? 'all' : lane.key, zoom: '', zoomup: '' };
		return h(
			'button',
			{
				type: 'button',
				class: 'link lane-name',
				disabled: lane.key === '' && !lane.phase,
				'aria-pressed': String(alone),
				title: lane.phase
					? `the time from its begin to its end, in every sheet: ${lane.name}`
					: alone
						? 'show all threads'
						: `only ${lane.name}, in every sheet`,
				onclick: () => app.set(lane.phase ? { range: lane.extent } : all),
			},
			h('span', {}, lane.name),
			h('span', { class: 'note' }, format.percent(lane.busy, 1)),
		);
	}

	draw() {
		const width = this.field.clientWidth,
			colours = new Map([undefined, ...this.hues.values()].map((hue) => [hue, resolved(shade(hue))]));
		fill(this.axis, axisOf(this.app, width));
		for (const lane of this.lanes) lane.draw(width, colours);
		this.#cover(...chosen(this.app));
	}

	// What is not chosen stands back.
	#cover(first, last) {
		const n = this.app.base.intervals;
		this.left.style.width = `${(100 * Math.min(first, last)) / n}%`;
		this.right.style.width = `${100 - (100 * Math.max(first, last)) / n}%`;
	}

	#at(event) {
		const box = this.field.getBoundingClientRect();
		return Math.max(0, Math.min(this.app.base.intervals, ((event.clientX - box.left) / box.width) * this.app.base.intervals));
	}

	#choose(from, to) {
		const { base } = this.app,
			[first, last] = [Math.floor(Math.min(from, to)), Math.ceil(Math.max(from, to))];
		this.app.set({ range: last - first > 1 ? rangeText(base, Math.max(0, first), Math.min(base.intervals, last)) : '' });
	}

	#brush() {
		const { field } = this;
		let from = null;
		field.addEventListener('pointerdown', (event) => {
			if (event.button) return;
			from = this.#at(event);
			field.setPointerCapture(event.pointerId);
			field.focus({ preventScroll: true });
			event.preventDefault();
		});
		field.addEventListener('pointermove', (event) => {
			if (from !== null) this.#cover(from, this.#at(event));
			this.#tell(event);
		});
		field.addEventListener('pointerup', (event) => {
			if (from !== null) this.#choose(from, this.#at(event));
			from = null;
		});
		field.addEventListener('pointercancel', () => {
			from = null;
			this.#cover(...chosen(this.app));
		});
		field.addEventListener('pointerleave', tip.hide);
	}

	// What the lane below the pointer did there, in as much time as three pixels are.
	#tell(event) {
		const { base } = this.app,
			box = this.field.getBoundingClientRect(),
			lane = this.lanes[Math.floor((event.clientY - box.top) / (box.height / this.lanes.length))],
			wide = Math.max(1, Math.round((3 * base.intervals) / box.width)),
			first = Math.min(base.intervals - wide, Math.floor(this.#at(event)));
		if (lane) tip.show({ x: event.clientX, y: event.clientY }, ...lane.tip(Math.max(0, first), Math.max(0, first) + wide));
	}

	// Arrows move what is chosen, with Shift its end; a twentieth of the run at a time.
	#key(event) {
		const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key],
			{ base, state } = this.app,
			step = Math.max(1, Math.round(base.intervals / 20));
		if (!by) return;
		const cut = base.cut(state.range);
		let [first, last] = cut ?? [0, step];
		if (cut && event.shiftKey) last = Math.max(first + 2, Math.min(base.intervals, last + by * step));
		else if (cut) {
			const move = Math.max(-first, Math.min(base.intervals - last, by * step));
			[first, last] = [first + move, last + move];
		}
		this.#choose(first, last);
		event.preventDefault();
	}
}

function legendOf(app, hues) {
	const swatch = (colour, ...text) => h('span', {}, h('i', { style: `background: ${colour}` }), text);
	return h(
		'p',
		{ class: 'legend lanes-legend' },
		[...hues].map(([r, hue]) =>
			swatch(
				shade(hue),
				h(
					'button',
					{ type: 'button', class: 'link', 'data-routine': r, onclick: () => app.set({ sel: r, tab: 'table' }) },
					named(app.base.routineName(r), app.base.wholeName(r)),
				),
			),
		),
		swatch(shade(undefined), 'others'),
		h('span', {}, h('i', { class: 'idle' }), 'idle'),
	);
}

// The part of the whole that each routine's own time had, of two: [routine, part before, part now], what differs most first.
function differing(before, now) {
	const sum = (values) => values.reduce((all, v) => all + v, 0) || 1,
		[wholeBefore, wholeNow] = [sum(before), sum(now)];
	return Array.from(now, (v, r) => [r, before[r] / wholeBefore, v / wholeNow])
		.filter(([, a, b]) => a || b)
		.sort((a, b) => Math.abs(b[2] - b[1]) - Math.abs(a[2] - a[1]))
		.slice(0, LISTED);
}

function differences(app, name, [title, then, here], before, now) {
	const rows = differing(before, now);
	return h(
		'section',
		{},
		h('h2', {}, title),
		h(
			'table',
			{ class: 'list sides', 'data-list': name },
			h(
				'thead',
				{},
				h(
					'tr',
					{ class: 'note' },
					h('td', {}, here),
					h('td', {}, then),
					h('td', {}, 'points'),
					h('td', { class: 'who' }, 'routine, by own time'),
				),
			),
			h(
				'tbody',
				{},
				rows.map(([r, a, b]) =>
					h(
						'tr',
						{},
						h('td', {}, figure(format.percent(b, 1), b)),
						h('td', {}, figure(format.percent(a, 1), a)),
						h('td', {}, `${b > a ? '+' : '−'}${Math.abs(100 * (b - a)).toFixed(1)}`),
						h(
							'td',
							{ class: 'who' },
							h(
								'button',
								{
									type: 'button',
									class: 'link',
									'data-routine': r,
									onclick: () => app.set({ sel: r, tab: 'table' }),
								},
								named(app.base.routineName(r), app.base.wholeName(r)),
							),
						),
					),
				),
			),
		),
	);
}

// The range that is chosen against all the rest of the run.
export function rangeAgainstRest(app) {
	const { base, state } = app;
	if (app.model !== base || !base.cut(state.range)) return null;
	const now = app.view.figures[0].self,
		all = base.view(base.members(state.thread) ? state.thread : 'all').figures[0].self,
		rest = all.map((v, r) => Math.max(0, v - now[r]));
	return differences(app, 'range', ['What differs in this range', 'rest of the run', 'in the range'], rest, now);
}

// Of a program that runs: what it did in the last seconds, against what it did before them.
function recently(app) {
	const recent = app.recent;
	if (!recent || isNarrowed(app) || app.model !== app.base) return null;
	const { self } = app.base.view('all').figures[0],
		before = Float64Array.from(self, (_, r) => recent.self[r] ?? 0),
		now = self.map((v, r) => Math.max(0, v - before[r]));
	return now.some((v) => v > 0)
		? differences(app, 'recent', [`The last ${Math.max(1, Math.round(recent.seconds))} seconds`, 'before', 'now'], before, now)
		: h('section', {}, h('h2', {}, 'The last seconds'), h('p', { class: 'note' }, 'Nothing ran.'));
}

const WHY = {
	two: 'The time of two profiles is not laid side by side here: open each by itself.',
	none:
		'This profile does not tell its time by interval. `aprof run --intervals PROGRAM` keeps that, of sampled clocks; then each phase that the program names, each ' +
		'process or MPI rank, of up to 16, and each thread has a lane here.',
	part: 'This page is of one range of time.',
	value: 'Only time is kept by interval.',
};

function why(app) {
	if (app.model.compares) return WHY.two;
	if (!format.isTime()) return WHY.value;
	return app.base.sides[0].run.range ? WHY.part : WHY.none;
}

export const time = {
	inked: true,
	depends: ['thread', 'range', 'focus', 'hidden', 'metric'],

	async found(app) {
		return [...document.querySelectorAll('main .link[data-routine]')]
			.filter((link) => app.hits[link.dataset.routine])
			.map((link) => () => link.focus());
	},

	show(box, app) {
		const { base } = app,
			focus = box.contains(document.activeElement) ? document.activeElement.dataset.end : undefined;
		this.chart = null;
		if (!base.interval || base.compares) {
			fill(box, h('p', { class: 'note' }, why(app)), h('div', { class: 'sheets' }, recently(app)));
			return;
		}
		const all = h('button', { type: 'button', 'data-end': 'all', onclick: () => app.set({ range: '' }) }, 'whole run');
		all.disabled = !base.cut(app.state.range);
		this.chart = new Chart(app);
		fill(
			box,
			h(
				'div',
				{ class: 'bar' },
				ends(app),
				all,
				h('span', { class: 'note' }, 'drag over the lanes; every sheet then shows that range'),
			),
			this.chart.element,
			this.chart.rows.length > LANES
				? h('p', { class: 'note' }, `and ${format.count(this.chart.rows.length - LANES)} more threads`)
				: null,
			legendOf(app, this.chart.hues),
			h('div', { class: 'sheets' }, recently(app), rangeAgainstRest(app)),
		);
		this.chart.draw();
		if (focus) box.querySelector(`[data-end=${focus}]`)?.focus({ preventScroll: true });
	},
};
