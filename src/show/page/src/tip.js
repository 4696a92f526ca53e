// tip.js - the tool tip: one element that follows the pointer, or stands below what has the focus.
import { fill, h } from './dom.js';

const tip = h('div', { id: 'tip', role: 'tooltip', hidden: true });

export function show(near, ...content) {
	if (!tip.isConnected) document.body.append(tip);
	fill(tip, ...content);
	tip.hidden = false;
	const box = tip.getBoundingClientRect(),
		gap = 14;
	const x = Math.min(near.x + gap, innerWidth - box.width - 4);
	const y = near.y + gap + box.height > innerHeight ? near.y - gap - box.height : near.y + gap;
	tip.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
}

// The names of routine R: the short one and, if it is another, the whole one, of which a part may have to do.
const LONGEST = 600;
export function title(app, r, short = app.model.routineName(r)) {
	const whole = app.model.wholeName(r);
	return [
		h('b', {}, short),
		whole === app.model.routineName(r)
			? null
			: h(
					'div',
					{ class: 'note' },
					whole.length > LONGEST ? `${whole.slice(0, LONGEST / 2)} … ${whole.slice(-LONGEST / 2)}` : whole,
				),
	];
}

export function hide() {
	tip.hidden = true;
}

// What is under the pointer was drawn anew: it is asked again what it has to tell.
let pointer = null;
document.addEventListener('mousemove', (event) => (pointer = { clientX: event.clientX, clientY: event.clientY }), { capture: true, passive: true });
document.addEventListener('mouseleave', () => (pointer = null));

export function again() {
	const under = pointer && document.elementFromPoint(pointer.clientX, pointer.clientY);
	if (!under?.closest('g.frame, g.node, g.edge')) return;
	for (const name of ['mouseover', 'mousemove']) under.dispatchEvent(new MouseEvent(name, { ...pointer, bubbles: true, view: window }));
}

export const below = (element) => {
	const box = element.getBoundingClientRect();
	return { x: box.x, y: box.bottom - 8 };
};
