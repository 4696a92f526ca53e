// dom.js - elements without markup in strings, so that no name is ever read as HTML.
import { pieces } from './names.js';

// An element with the given properties: `class`, `data-...`, `aria-...` and the like become attributes, on... listeners.
export function h(tag, properties = {}, ...children) {
	const element = document.createElement(tag);
	for (const [key, value] of Object.entries(properties ?? {})) {
		if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
		else if (value === true) element.setAttribute(key, '');
		else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
	}
	element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
	return element;
}

// Replace what ELEMENT holds.
export function fill(element, ...children) {
	element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
	return element;
}

// A row of buttons of which one is pressed; CHOICES are [value, text, title].
export function choice(label, choices, value, pick) {
	return h(
		'span',
		{ class: 'choice', role: 'group', 'aria-label': label },
		choices.map(([v, text, title]) =>
			h('button', { type: 'button', 'data-value': v, 'aria-pressed': String(v === value), title, onclick: () => pick(v) }, text),
		),
	);
}

// The NAME of a routine as it is shown: where it is too wide its last arguments give way first, unless they are few letters, which may be all that tells it from
// another; then what it is in.  WHOLE is shown on hover, and is what is copied of it.
export const FEW = 12; // letters
export function named(name, whole, properties = {}) {
	const [scope, last, args, number] = pieces(name),
		short = args.length <= FEW;
	const piece = (kind, text) => (text ? h('span', { class: kind }, text) : null);
	return h(
		'span',
		{ title: whole, 'data-whole': whole ?? name, ...properties, class: `name ${properties.class ?? ''}`.trim() },
		piece('scope', scope),
		scope ? h('wbr') : null, // where it may go on in another line
		h('span', { class: 'last' }, short ? last + args : last),
		short ? null : piece('args', args),
		piece('nth', number),
	);
}

// The text of what RANGE has, where each name is whole and in one line, however many pieces it is shown in; null: there is none in it.
export function textOf(range) {
	const at = range.commonAncestorContainer,
		within = (at.nodeType === Node.ELEMENT_NODE ? at : at.parentElement).closest('.name'),
		box = h('div', { style: 'position: fixed; top: 0; left: -99999px; white-space: pre' });
	if (within) return within.dataset.whole;
	box.append(range.cloneContents());
	const names = box.querySelectorAll('[data-whole]');
	if (!names.length) return null;
	for (const name of names) name.replaceWith(name.dataset.whole);
	document.body.append(box);
	const text = box.innerText;
	box.remove();
	return text;
}

document.addEventListener('copy', (event) => {
	const selection = getSelection(),
		text = selection.isCollapsed || /^(INPUT|TEXTAREA)$/.test(event.target.tagName) ? null : textOf(selection.getRangeAt(0));
	if (text === null) return;
	event.clipboardData.setData('text/plain', text);
	event.preventDefault();
});

// Put TEXT where other programs paste from; a page from a file may have to do it as of old.
export async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = h('textarea', { 'aria-hidden': 'true', style: 'position: fixed; top: -9em' }, text);
		document.body.append(area);
		area.select();
		document.execCommand('copy');
		area.remove();
	}
}

// Tabulator's grid PLACE as readers of screens want it: what scrolls, and so has the focus, is its group of rows.
export function groupRows(place) {
	place.querySelector('.tabulator-tableholder').setAttribute('role', 'rowgroup');
	place.querySelector('.tabulator-table').setAttribute('role', 'presentation');
}

// How wide a column of names is at least, WIDTH where the window is: figures are to be seen beside it.
export const nameWidth = (width) => Math.min(width, Math.round(window.innerWidth * 0.45));

// A figure whose exact value stands in the element, for tests and for whoever copies.
export const figure = (text, exact, more = {}) => h('span', { 'data-exact': exact, ...more }, text);
