// layout.js - lays a graph out by Graphviz: in a worker, so that the page answers meanwhile; or, where the browser has
// none for files, in the page itself.
import { Graphviz } from '@hpcc-js/wasm-graphviz';

const loaded = Graphviz.load();

self.aprofLayout = async (dot) => (await loaded).dot(dot, 'svg');

if (typeof document === 'undefined')
	self.onmessage = async ({ data }) => {
		try {
			self.postMessage({ svg: await self.aprofLayout(data) });
		} catch (error) {
			self.postMessage({ error: String(error?.message ?? error) });
		}
	};
