// save.js - a drawing as a file, as it is seen: SVG with the colours and letters that it has in the page, or PNG, two dots for one.

const PROPERTIES = [
	...['display', 'opacity', 'fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray'],
	...['font-family', 'font-size', 'font-weight', 'text-anchor'],
];

// What PICTURE, an svg element, shows of itself, as the text of a file that needs nothing else.
export function svgText(picture) {
	const { width, height } = picture.getBoundingClientRect(),
		copy = picture.cloneNode(true),
		from = [picture, ...picture.querySelectorAll('*')],
		to = [copy, ...copy.querySelectorAll('*')];
	from.forEach((element, i) => {
		const style = getComputedStyle(element);
		for (const { name } of [...to[i].attributes]) if (/^(class|role|tabindex|style|data-|aria-)/.test(name)) to[i].removeAttribute(name);
		if (element !== picture) to[i].setAttribute('style', PROPERTIES.map((name) => `${name}: ${style.getPropertyValue(name)}`).join('; '));
	});
	for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) copy.setAttribute(name, value);
	const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
	for (const [name, value] of Object.entries({ width, height, fill: getComputedStyle(document.body).backgroundColor }))
		paper.setAttribute(name, value);
	copy.prepend(paper);
	return new XMLSerializer().serializeToString(copy);
}

async function pngOf(text, { width, height }) {
	const image = new Image(),
		canvas = document.createElement('canvas'),
		dots = 2;
	image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
	await image.decode();
	Object.assign(canvas, { width: width * dots, height: height * dots });
	canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
	return new Promise((done) => canvas.toBlob(done, 'image/png'));
}

// Hand PICTURE to whoever looks at the page as a file NAME of KIND: svg or png.
export async function save(picture, name, kind) {
	const text = svgText(picture),
		data = kind === 'svg' ? new Blob([text], { type: 'image/svg+xml' }) : await pngOf(text, picture.getBoundingClientRect()),
		link = document.createElement('a');
	link.href = URL.createObjectURL(data);
	link.download = `${name}.${kind}`;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
