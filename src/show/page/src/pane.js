// pane.js - the bar between a sheet and what stands beside it: dragged, or moved by the arrows, it gives one the room of the other.
//
// The state's `pane` is how much of the width what stands beside has, percent; '': as much as the sheet gives it.
import { h } from './dom.js';

const LEAST = 15,
	MOST = 80,
	STEP = 2; // percent, of a key

const within = (percent) => Math.max(LEAST, Math.min(MOST, percent));

// The bar in HALVES, which is the width of both.
export function bar(app, halves) {
	const put = (percent) => {
		halves.style.setProperty('--pane', `${percent}%`);
		handle.setAttribute('aria-valuenow', String(Math.round(percent)));
	};
	const now = () => (100 * halves.lastElementChild.getBoundingClientRect().width) / halves.getBoundingClientRect().width;
	const at = ({ clientX }) => {
		const box = halves.getBoundingClientRect();
		return within((100 * (box.right - clientX - held.beside)) / box.width);
	};
	const set = (percent) => {
		put(percent);
		app.set({ pane: percent.toFixed(1) });
	};
	let held = null; // where it was taken: how far from what stands beside, and whether it has moved since
	const handle = h('div', {
		class: 'splitter',
		role: 'separator',
		tabindex: 0,
		'aria-orientation': 'vertical',
		'aria-label': 'width of what stands beside',
		'aria-valuemin': LEAST,
		'aria-valuemax': MOST,
		'aria-valuenow': Math.round(Number(app.state.pane) || 40),
		title: 'drag, or arrows, for more room; a double click: as it was',
		onpointerdown: (event) => {
			held = { beside: halves.lastElementChild.getBoundingClientRect().left - event.clientX, moved: false };
			handle.setPointerCapture(event.pointerId);
			event.preventDefault();
		},
		onpointermove: (event) => {
			if (!held) return;
			held.moved ||= event.movementX !== 0;
			if (held.moved) put(at(event));
		},
		onpointerup: (event) => {
			if (held?.moved) set(at(event));
			held = null;
		},
		onpointercancel: () => (held = null),
		ondblclick: () => {
			halves.style.removeProperty('--pane');
			app.set({ pane: '' });
		},
		onkeydown: (event) => {
			const by = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
			if (!by) return;
			set(within(now() + by));
			event.preventDefault();
			event.stopPropagation();
		},
	});
	if (app.state.pane) halves.style.setProperty('--pane', `${within(Number(app.state.pane))}%`);
	return handle;
}
