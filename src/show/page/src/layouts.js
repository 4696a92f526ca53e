// layouts.js - asks for layouts of graphs: the worker of layout.js, or, where the browser has none for files, the page itself.
import { h } from './dom.js';

const source = () => document.getElementById('layout').textContent;
let worker = null,
	waiting = null; // for what it lays out: its promise's failure

// One layout at a time: a newer one ends the older one, and its worker.
function inWorker(dot) {
	if (waiting || !worker) {
		worker?.terminate();
		waiting?.(new Error('another picture is wanted'));
		const address = URL.createObjectURL(new Blob([source()], { type: 'text/javascript' }));
		worker = new Worker(address);
		worker.address = address;
	}
	const own = worker;
	return new Promise((done, failed) => {
		waiting = failed;
		own.onmessage = ({ data }) => (data.error ? failed(new Error(data.error)) : done(data.svg));
		own.onerror = (event) => failed(new Error(event.message));
		own.postMessage(dot);
	}).finally(() => {
		URL.revokeObjectURL(own.address);
		if (own === worker) waiting = null;
	});
}

// The graph DOT, in Graphviz's language, laid out: an SVG text.
export async function layout(dot) {
	if (typeof Worker !== 'undefined' && !self.aprofLayout)
		try {
			return await inWorker(dot);
		} catch (error) {
			if (error instanceof Error && error.message && !/security|insecure/i.test(error.message)) throw error;
			worker = null;
		}
	if (!self.aprofLayout) document.head.append(h('script', {}, source()));
	return self.aprofLayout(dot);
}
