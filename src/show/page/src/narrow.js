// narrow.js - what is looked at, narrowed down by who reads the page: a routine, or all of a source file, a class or a module, in focus or hidden.
//
// In the address each is a letter and the number of a routine: r12 is routine 12, f12 the file that it is in, s12 its class or namespace, m12 its module.  State's `focus` is one,
// `hidden` are some.  What they do is in contexts.js.
import { copy, h } from './dom.js';
import * as format from './format.js';
import { KINDS } from './kinds.js';
import { menu } from './menu.js';
import { pathLinks, pathText } from './state.js';

const WORDS = { r: '', f: 'file', s: 'class', m: 'module' };
const LEVELS = Object.values(KINDS);

// What KEY means in MODEL: { key, title, whole, members }; null: nothing.
function meaning(model, key) {
	const [, letter, number] = /^([rfsm])(\d+)$/.exec(key) ?? [],
		about = model.routines[Number(number)];
	if (!about) return null;
	if (letter === 'r') return { key, title: model.routineName(Number(number)), whole: about.name, members: [Number(number)] };
	const { of } = LEVELS.find((kind) => kind.letter === letter),
		whole = of(about),
		members = model.routines.flatMap((other, r) => (of(other) === whole ? [r] : []));
	return whole ? { key: letter + members[0], title: letter === 's' ? whole : format.basename(whole), whole, members } : null;
}

const keysOf = (text) => text.split(',').filter(Boolean);
const meanings = (model, text) => keysOf(text).flatMap((key) => meaning(model, key) ?? []);

// By routine, whether it is of one of GROUPS; null: there are none.
function marks(model, groups) {
	if (!groups.length) return null;
	const marks = new Uint8Array(model.routines.length);
	for (const { members } of groups) for (const r of members) marks[r] = 1;
	return marks;
}

// MODEL as STATE narrows it down.
export function narrowed(model, { focus, hidden }) {
	const wanted = meanings(model, focus).slice(0, 1),
		less = meanings(model, hidden);
	if (!wanted.length && !less.length) return model;
	return model.narrow(`${wanted.map((group) => group.key)} ${less.map((group) => group.key)}`, marks(model, wanted), marks(model, less));
}

// Whether anything is in focus or hidden.
export const isNarrowed = (app) => app.base !== app.base.whole;

// Contexts without GROUP are to be looked at no longer; what is hidden stays hidden.
const focus = (app, group) => app.set({ focus: group.key, zoom: '', zoomup: '' });

// A zoom goes to where it was, without what is hidden on the way.
function hide(app, group) {
	const gone = new Set(group.members),
		without = (text) => pathText(pathLinks(text).filter((link) => !gone.has(link >> 1))),
		{ zoom, zoomup, hidden } = app.state;
	app.set({
		hidden: [...new Set([...keysOf(hidden), group.key])].join(','),
		zoom: without(zoom),
		zoomup: without(zoomup),
		...(gone.has(app.selected) ? { sel: '', hops: '0' } : {}),
	});
}

const showAll = (app) => app.set({ focus: '', hidden: '', zoom: '', zoomup: '' });

// Routine R and what it is in, where that has others, too.
const levels = (app, r) =>
	['r', 'f', 's', 'm'].flatMap((letter) => meaning(app.model, letter + r) ?? []).filter(({ members }, i) => i === 0 || members.length > 1);

const said = ({ key, title, members }) =>
	`${WORDS[key[0]]} ${title}${members.length > 1 ? `: ${format.plural(members.length, 'routine')}` : ''}`.trim();

function actions(app, groups) {
	const by = (key) => (group) => (group.key[0] === 'r' ? key : null);
	return [
		groups.map((group) => [`focus on ${said(group)}`, () => focus(app, group), by('f')(group)]),
		groups.map((group) => [`hide ${said(group)}`, () => hide(app, group), by('h')(group)]),
	];
}

// What can be done with routine R, as a list at POINT.
export function offer(app, r, point) {
	const go = (text, patch, key) => [text, () => app.set({ sel: r, ...patch }), key];
	const contextual = app.reading.contextual;
	menu(point, app.model.routineName(r), [
		...(contextual ? actions(app, levels(app, r)) : []),
		[
			go('callers and callees', { tab: 'table' }),
			...(contextual ? [go('sandwich', { tab: 'flame', dir: 'sandwich', zoom: '', zoomup: '' }, 's')] : []),
			go('neighbours in the call graph', { tab: 'graph', hops: '1' }, 'g'),
			['copy name', () => copy(app.model.wholeName(r))],
		],
	]);
}

// The same of the group of KEY.
export function offerGroup(app, key, point) {
	const group = meaning(app.model, key);
	if (group && app.reading.contextual) menu(point, group.title, actions(app, [group]));
}

// The routine or group that ELEMENT stands for is offered at POINT: whether it stands for one.
export function offerOf(app, element, point) {
	const own =
			element.closest('[data-routine], [data-group]') ??
			element.closest('.tabulator-row')?.querySelector('[data-routine], [data-group]'),
		{ routine, group } = own?.dataset ?? {};
	if (group) offerGroup(app, group, point);
	else if (app.model.isRoutine(Number(routine ?? -1))) offer(app, Number(routine), point);
	else return false;
	return true;
}

export const focusOn = (app, r) => focus(app, meaning(app.model, `r${r}`));
export const hideOne = (app, r) => hide(app, meaning(app.model, `r${r}`));

// One of what is in force, which a press takes back.
function chip(app, word, group, patch) {
	return h(
		'button',
		{
			type: 'button',
			class: 'chip',
			'data-key': group.key,
			title: `${group.whole}\n${word === 'hidden' ? 'show it' : 'look at all contexts'}`,
			'aria-label': `${word} ${said(group)}: take it back`,
			onclick: () => app.set({ ...patch, zoom: '', zoomup: '' }),
		},
		h('span', { class: 'note' }, `${word}${WORDS[group.key[0]] ? ` ${WORDS[group.key[0]]}` : ''} `),
		h('b', {}, group.title),
		h('span', { 'aria-hidden': 'true' }, ' ×'),
	);
}

// The range of time that is chosen.
function rangeChip(app, [first, end]) {
	const { base, state } = app;
	const at = (interval) => Number(((interval * base.interval) / 1e9).toFixed(3));
	return [
		h(
			'button',
			{
				type: 'button',
				class: 'chip',
				'data-key': 'range',
				title: `${state.range} s\nlook at the whole run`,
				'aria-label': 'range of time: take it back',
				onclick: () => app.set({ range: '' }),
			},
			h('span', { class: 'note' }, 'time '),
			h('b', {}, `${at(first)} to ${at(end)} s`),
			h('span', { 'aria-hidden': 'true' }, ' ×'),
		),
		h('span', { class: 'note' }, 'times are of this range; calls are of the whole run'),
	];
}

// What stands in the bar over all sheets while anything is narrowed down.
export function chips(app) {
	const { state, base } = app,
		cut = app.model === base && base.cut(state.range);
	if (!isNarrowed(app) && !cut) return [];
	const inFocus = meanings(base, state.focus).slice(0, 1),
		hidden = meanings(base, state.hidden),
		{ metric } = state,
		side = base.compares ? app.side : 0, // of two threads that are compared: of all
		[all, kept] = [base.whole, base].map((model) => model.view('all').size(side, metric));
	return [
		h(
			'div',
			{ class: 'chips', role: 'group', 'aria-label': 'narrowed down' },
			inFocus.map((group) => chip(app, 'focus', group, { focus: '' })),
			inFocus.length
				? h('span', { class: 'note', 'data-exact': kept }, `${format.percent(kept, all)} of the run; shares are of that`)
				: null,
			cut ? rangeChip(app, cut) : null,
			hidden.map((group) =>
				chip(app, 'hidden', group, {
					hidden: keysOf(state.hidden)
						.filter((key) => meaning(base, key)?.key !== group.key)
						.join(','),
				}),
			),
			isNarrowed(app) ? h('button', { type: 'button', class: 'small', onclick: () => showAll(app) }, 'show all (a)') : null,
		),
	];
}

export { showAll };
