// colour.js - what the colours of the flame graph's frames mean, by choice; and ink that can be read on each of them.
import { h } from './dom.js';
import { toneOf } from './figures.js';
import { basename } from './format.js';
import { moduleOf } from './kinds.js';

const COLOURS = [
	['routine', 'routine', 'each routine has a colour of its own'],
	['module', 'module', 'the program and its libraries each have a colour'],
	['self', 'self', 'the more of a frame is time of its own, the hotter'],
	['known', 'known by', 'what hooks counted, to the call, and what samples alone say'],
	['calls', 'calls', 'the more calls, the hotter; each step is ten times as many'],
];
const NONE = 'var(--frame-none)',
	GOLDEN = 137.508, // degrees: as far apart as can be, however many there are
	COUNTED = 38, // degrees
	SAMPLED = 210,
	UNHOOKED = 170, // turns a warm colour into a cold one
	MODULES = 8; // in the legend

const hue = (degrees) => `hsl(${degrees} var(--frame-saturation) var(--frame-lightness))`;
const heat = (part, name = '--hot') => `color-mix(in oklab, var(${name}) ${Math.round(100 * part)}%, ${NONE})`;

function hueOfName(name) {
	let hash = 7;
	for (let i = 0; i < name.length; i++) hash = (hash * 31 + name.charCodeAt(i)) >>> 0;
	return 8 + (hash % 48);
}

// The modules of the view's routines by self time, the heaviest first: [path, hue].
function modules(app) {
	return app.remember('modules', () => {
		const f = app.view.figures[app.side],
			self = new Map();
		app.model.routines.forEach((about, r) => {
			if (app.leafed || !about.leaf) self.set(moduleOf(about), (self.get(moduleOf(about)) ?? 0) + f.self[r]);
		});
		return [...self].sort((a, b) => b[1] - a[1]).map(([module], i) => [module, (28 + i * GOLDEN) % 360]);
	});
}

const hueOfModule = (app, module) => app.remember('hues', () => new Map(modules(app))).get(module);

// Of CALLS in tens, as a part of the most that any routine has.
const callsPart = (app, calls) => {
	const most = app.remember('most calls', () => app.view.figures[app.side].calls.reduce((a, b) => Math.max(a, b), 1));
	return Math.min(1, Math.log10(1 + calls) / Math.log10(1 + most));
};

// The colours to choose from in APP: without counted calls these have none, and without functions that samples alone tell of all is known in one way.
export const colours = (app) => COLOURS.filter(([key]) => (key !== 'calls' || app.model.counted) && (key !== 'known' || app.leafed));

// The colour of BRANCH.
export function shade(app, branch) {
	if (!app.model.isRoutine(branch.routine)) return NONE;
	if (app.model.compares) {
		const t = toneOf(app, branch);
		return t === 0 ? NONE : heat(0.14 + 0.86 * Math.abs(t), t > 0 ? '--more' : '--less');
	}
	const about = app.model.routines[branch.routine],
		s = app.side;
	switch (app.colour) {
		case 'module':
			return hue(hueOfModule(app, moduleOf(about)));
		case 'known':
			return hue(about.uncounted ? SAMPLED : COUNTED);
		case 'self':
			return heat(branch.time[s] ? Math.min(1, branch.self[s] / branch.time[s]) : 0);
		case 'calls':
			return heat(callsPart(app, branch.entries[s]));
		default:
			return hue(hueOfName(about.name) + (about.uncounted ? UNHOOKED : 0));
	}
}

// What the colours on show mean.
export function legend(app) {
	const swatch = (background, text) => [h('i', { style: `background: ${background}` }), text, ' '];
	const means = {
		routine: () => (app.leafed ? swatch(hue(COUNTED + UNHOOKED), h('em', {}, 'without hooks')) : []),
		module: () => {
			const all = modules(app);
			return [
				all.slice(0, MODULES).map(([module, degrees]) => h('span', {}, swatch(hue(degrees), basename(module)))),
				all.length > MODULES ? `and ${all.length - MODULES} more` : null,
			];
		},
		known: () => [swatch(hue(COUNTED), 'hooks: exact calls'), swatch(hue(SAMPLED), 'samples')],
		self: () => [swatch(heat(0), 'none of it is its own'), swatch(heat(1), 'all of it')],
		calls: () => [swatch(heat(0), 'none'), swatch(heat(1), 'most')],
	};
	return h('span', { class: 'legend' }, means[app.colour]());
}

const inks = new Map(); // by theme and colour

// What to write with on COLOUR: of the darkest and the lightest ink that which has more contrast with it (WCAG 2: 4.58 at least).
export function inkOn(colour) {
	const key = `${document.documentElement.dataset.theme} ${colour}`;
	if (!inks.has(key)) inks.set(key, luminance(colour) > 0.179 ? '#000' : '#fff');
	return inks.get(key);
}

const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true });

// The relative luminance of COLOUR, 0 to 1 (WCAG 2).
function luminance(colour) {
	const probe = h('i', { style: `color: ${colour}; display: none` });
	document.body.append(probe);
	pen.fillStyle = getComputedStyle(probe).color;
	probe.remove();
	pen.fillRect(0, 0, 1, 1);
	const [r, g, b] = Array.from(pen.getImageData(0, 0, 1, 1).data, (v) =>
		v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4,
	);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
