// overview.js - a small map of a picture that is larger than its window: its nodes, and the part that is seen, which can be moved there.
//
// It is for who has a mouse; by keys the picture itself moves.
const SVG = 'http://www.w3.org/2000/svg',
	WIDE = 190,
	HIGH = 150; // pixels, at most

function svg(tag, properties, ...children) {
	const element = document.createElementNS(SVG, tag);
	for (const [key, value] of Object.entries(properties)) element.setAttribute(key, value);
	element.append(...children);
	return element;
}

export class Overview {
	// Of a picture WIDTH by HEIGHT, in BOX, whose nodes are at PLACES, { x, y, width, height, kind }; LOOK(x, y) shows the point in the middle.
	constructor(box, width, height, places, look) {
		const scale = Math.min(WIDE / width, HIGH / height);
		Object.assign(this, { box, width, height });
		this.seen = svg('rect', { class: 'seen' });
		this.element = svg(
			'svg',
			{ class: 'overview', 'aria-hidden': 'true', width: width * scale, height: height * scale, viewBox: `0 0 ${width} ${height}` },
			...places.map(({ kind, ...place }) => svg('rect', { ...place, class: kind })),
			this.seen,
		);
		let held = false;
		const go = (event) => {
			const at = this.element.getBoundingClientRect();
			look(((event.clientX - at.left) / at.width) * width, ((event.clientY - at.top) / at.height) * height);
		};
		this.element.addEventListener('pointerdown', (event) => {
			held = true;
			this.element.setPointerCapture(event.pointerId);
			go(event);
			event.preventDefault();
			event.stopPropagation();
		});
		this.element.addEventListener('pointermove', (event) => held && go(event));
		for (const name of ['pointerup', 'pointercancel']) this.element.addEventListener(name, () => (held = false));
		this.element.addEventListener('mousedown', (event) => event.stopPropagation());
		box.append(this.element);
	}

	// What is seen: from (X, Y) at scale K.  Of a picture that is seen whole there is no map.
	tell({ x, y, k }) {
		const { clientWidth, clientHeight } = this.box,
			left = Math.max(0, -x / k),
			top = Math.max(0, -y / k),
			right = Math.min(this.width, (clientWidth - x) / k),
			bottom = Math.min(this.height, (clientHeight - y) / k);
		const whole = right - left >= this.width * 0.99 && bottom - top >= this.height * 0.99;
		this.element.classList.toggle('whole', whole);
		for (const [name, value] of Object.entries({ x: left, y: top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) }))
			this.seen.setAttribute(name, value);
	}
}
