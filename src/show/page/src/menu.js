// menu.js - what can be done with a thing, as a list that opens where it is asked for.
import { h } from './dom.js';
import * as tip from './tip.js';

let open = null; // the list on show, and what had the focus before

export function close() {
	if (!open) return;
	const { list, before } = open;
	open = null;
	list.remove();
	if (before?.isConnected) before.focus({ preventScroll: true });
}

// Up and down go round among the list's buttons; nobody else hears of a key meanwhile.
function key(event) {
	const all = [...open.list.querySelectorAll('button')],
		at = all.indexOf(document.activeElement),
		to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
	event.stopPropagation();
	if (event.key === 'Escape' || event.key === 'Tab') close();
	else if (to !== undefined) all.at(to % all.length).focus();
	else return;
	event.preventDefault();
}

document.addEventListener('pointerdown', (event) => open && !open.list.contains(event.target) && close(), true);
window.addEventListener('resize', close);
window.addEventListener('hashchange', close);

// Open it at the point (X, Y): TITLE, and PARTS, each a list of [text, what it does, its key], between which there are lines.
export function menu({ x, y }, title, parts) {
	const before = document.activeElement;
	close();
	tip.hide();
	const item = ([text, act, by]) =>
		h(
			'button',
			{
				type: 'button',
				role: 'menuitem',
				tabindex: -1,
				onclick: () => {
					close();
					act();
				},
			},
			h('span', {}, text),
			by ? h('kbd', {}, by) : null,
		);
	const list = h(
		'nav',
		{ class: 'actions', 'aria-label': `what to do with ${title}`, onkeydown: key, oncontextmenu: (event) => event.preventDefault() },
		h('div', { class: 'title' }, title),
		h(
			'div',
			{ role: 'menu', 'aria-label': title },
			parts.filter((part) => part.length).map((part) => h('div', { role: 'group' }, part.map(item))),
		),
	);
	open = { list, before };
	document.body.append(list);
	const box = list.getBoundingClientRect();
	list.style.left = `${Math.max(4, Math.min(x, innerWidth - box.width - 4))}px`;
	list.style.top = `${Math.max(4, Math.min(y, innerHeight - box.height - 4))}px`;
	list.querySelector('button').focus({ preventScroll: true });
}
