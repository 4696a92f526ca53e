// strip.js - the samples of the run over its time, where a range of it is chosen: by dragging over them, or by its ends in seconds.
//
// The range is state's `range`, `FROM..TO`, as --time-range has it; the page shows the times of it alone, and the calls of the whole run.
import { h } from './dom.js';
import * as format from './format.js';

const SVG = 'http://www.w3.org/2000/svg',
	HEIGHT = 100; // of a chart's own units; its width is as many as there are intervals

function svg(tag, properties, ...children) {
	const element = document.createElementNS(SVG, tag);
	for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
	element.append(...children);
	return element;
}

const seconds = (model, interval) => (interval * model.interval) / 1e9;
const written = (s) => String(Number(s.toFixed(6)));

// The range of intervals [first, end) as it stands in the address: '' for all.
const rangeText = (model, first, end) =>
	first <= 0 && end >= model.intervals ? '' : `${written(seconds(model, first))}..${written(seconds(model, end))}`;

// What is at SAMPLES, by interval, as the outline of bars side by side, as high as MOST has it.
function outline(samples, most) {
	let d = `M0 ${HEIGHT}`;
	samples.forEach((v, i) => (d += `V${(HEIGHT - (HEIGHT * v) / (most || 1)).toFixed(2)}H${i + 1}`));
	return `${d}V${HEIGHT}Z`;
}

// What of a chart of N intervals is outside of those from FIRST to END, which may be in reverse.
const outside = (n, first, end) => `M0 0H${Math.min(first, end)}V${HEIGHT}H0ZM${Math.max(first, end)} 0H${n}V${HEIGHT}H${Math.max(first, end)}Z`;

// Let a range be dragged over CHART, where OUT covers what is not chosen.
function draggable(app, chart, out) {
	const { base } = app,
		at = (event) => {
			const box = chart.getBoundingClientRect();
			return Math.max(0, Math.min(base.intervals, ((event.clientX - box.left) / box.width) * base.intervals));
		};
	let from = null;
	chart.addEventListener('pointerdown', (event) => {
		from = at(event);
		chart.setPointerCapture(event.pointerId);
		event.preventDefault();
	});
	chart.addEventListener('pointermove', (event) => {
		if (from === null) return;
		out.setAttribute('d', outside(base.intervals, from, at(event)));
	});
	chart.addEventListener('pointerup', (event) => {
		if (from === null) return; // it was pressed elsewhere
		const to = at(event),
			[first, end] = [Math.floor(Math.min(from, to)), Math.ceil(Math.max(from, to))];
		from = null;
		app.set({ range: end - first > 1 ? rangeText(base, first, end) : '' });
	});
	chart.addEventListener('pointercancel', () => {
		from = null;
		out.setAttribute('d', outside(base.intervals, ...chosen(app)));
	});
}

const chosen = ({ base, state }) => base.cut(state.range) ?? [0, base.intervals];

// The chart of the threads that KEY means, as high as MOST samples in an interval have it, with what is chosen; WHAT it is.
export function chart(app, key, most, what) {
	const { base } = app,
		out = svg('path', { class: 'out', d: outside(base.intervals, ...chosen(app)) }),
		drawn = svg(
			'svg',
			{
				class: 'strip',
				viewBox: `0 0 ${base.intervals} ${HEIGHT}`,
				preserveAspectRatio: 'none',
				role: 'img',
				'aria-label': `${what}: samples over the time of the run`,
			},
			svg('path', { d: outline(base.samples(key), most) }),
			out,
		);
	draggable(app, drawn, out);
	return drawn;
}

// The most samples that any of KEYS has in an interval.
export const mostOf = (model, keys) => keys.reduce((most, key) => Math.max(most, ...model.samples(key)), 0);

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

// What stands in the bar over all sheets; nothing, where the profile does not tell its time by interval.
export function strip(app) {
	const { base, model } = app;
	if (!base.interval || model !== base) return [];
	const cut = base.cut(app.state.range),
		[first, last] = chosen(app),
		shown = app.stateHolder.now.thread,
		key = base.members(shown) ? shown : 'all',
		set = (from, to) => app.set({ range: from < to ? rangeText(base, from, to) : '' });
	return [
		h(
			'div',
			{ class: 'time-line', role: 'group', 'aria-label': 'range of time' },
			chart(app, key, mostOf(base, [key]), key === 'all' ? 'all threads' : base.partName(key)),
			h(
				'span',
				{ class: 'ends' },
				end(app, 'from', 'from second', first, (from) => set(Math.max(0, from), last)),
				' to ',
				end(app, 'to', 'to second', last, (to) => set(first, Math.min(base.intervals, to))),
				` s of ${format.time(base.intervals * base.interval)}`,
				cut
					? h(
							'button',
							{ type: 'button', class: 'small', 'data-end': 'all', onclick: () => app.set({ range: '' }) },
							'whole run',
						)
					: h('span', { class: 'note' }, 'drag a range of time'),
			),
			cut
				? h(
						'span',
						{ class: 'note' },
						'Times are of this range; calls, findings, and the figures of the run as a whole are of all of it.',
					)
				: null,
		),
	];
}
