// dom.js - elements without markup in strings, so that no name is ever read as HTML.

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

// Where the parts of a qualified name begin, behind the first: at each `::` outside of all brackets.
function partsOf(name) {
	const found = [];
	for (let i = 0, depth = 0; i < name.length; i++) {
		if ('<([{'.includes(name[i])) depth++;
		else if ('>)]}'.includes(name[i])) depth = Math.max(0, depth - 1);
		else if (depth === 0 && name.startsWith('::', i)) found.push(i++);
	}
	return found;
}

// What stands in < and > left out of TEXT.
function withoutArguments(text) {
	let kept = '';
	for (let i = 0, depth = 0; i < text.length; i++) {
		if (text[i] === '<') depth++;
		if (depth === 0) kept += text[i];
		if (text[i] === '>') depth = Math.max(0, depth - 1);
	}
	return kept;
}

// The class or namespace of the short NAME, of a template that of all its instances; '': it is in none.
export function scopeOf(name) {
	const scope = name.slice(0, partsOf(name).at(-1) ?? 0);
	return withoutArguments(scope) || scope;
}

// The short NAME of a routine, which keeps its end where it is too wide; WHOLE is shown on hover.
export function named(name, whole, properties = {}) {
	const at = partsOf(name).at(-1) ?? 0;
	return h(
		'span',
		{ title: whole, ...properties, class: `name ${properties.class ?? ''}`.trim() },
		at ? h('span', { class: 'scope' }, name.slice(0, at)) : null,
		h('span', { class: 'last' }, name.slice(at)),
	);
}

// NAME without as many of its first parts as it takes for FITS to be true, or of its last part what is left of it.
export function fitted(name, fits) {
	if (fits(name)) return name;
	const shorter = partsOf(name).map((at) => `…${name.slice(at)}`);
	return shorter.find(fits) ?? shorter.at(-1) ?? name;
}

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
