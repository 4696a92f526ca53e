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

// A figure whose exact value stands in the element, for tests and for whoever copies.
export const figure = (text, exact, more = {}) => h('span', { 'data-exact': exact, ...more }, text);
