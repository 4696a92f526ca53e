#!/usr/bin/env node
// bench/page.mjs [BUILD [ROUNDS [CONTEXTS...]]]: how long the page of `aprof html` takes from opening to use, in Chromium, and how large it is.
//
// Made profiles of 100,000, a million and 3.35 million contexts shaped like those of GCC's cc1, or of CONTEXTS.  A sheet is in use when it is drawn and the
// page's thread is free to answer: medians of the rounds with the least and the most, each in a new tab; and the processor time that
// all of the browser took meanwhile, and what its script then holds, garbage collected.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Bench, chromium } from '../page/tests/browser.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const build = process.argv[2] ?? path.join(here, '..', 'build'),
	rounds = Number(process.argv[3] ?? 5),
	sizes = process.argv.length > 4 ? process.argv.slice(4).map(Number) : [100000, 1000000, 3350000];
const SHEETS = [
	['', 'body'],
	['run', '.list'],
	['flame', 'g.frame'],
	['flame&dir=up', 'g.frame'],
	['graph', 'g.node'],
	['table', '.tabulator-row'],
	['tree', '.tabulator-row'],
];
const TICK = 100; // clock ticks of a second in /proc

if (!chromium || !fs.existsSync(path.join(build, 'page', 'page.html'))) {
	console.log('no page: it takes Node.js and npm when aprof is built, and Chromium to open it');
	process.exit(0);
}

// Seconds of processor time of process PID and all below it.
function processorTime(pid) {
	const parts = new Map();
	for (const name of fs.readdirSync('/proc').filter((n) => /^\d+$/.test(n)))
		try {
			const fields = fs
				.readFileSync(`/proc/${name}/stat`, 'utf8')
				.replace(/^.*\) /, '')
				.split(' ');
			parts.set(Number(name), { parent: Number(fields[1]), time: Number(fields[11]) + Number(fields[12]) });
		} catch {
			/* it ended meanwhile */
		}
	const ours = (id) => id === pid || (parts.has(id) && ours(parts.get(id).parent));
	return [...parts].filter(([id]) => ours(id)).reduce((sum, [, p]) => sum + p.time, 0) / TICK;
}

async function opened(bench, address, [hash, drawn]) {
	const tab = await bench.browser.newPage({ viewport: { width: 1280, height: 800 } }),
		begun = processorTime(process.pid),
		start = performance.now();
	await tab.goto(hash ? `${address}#tab=${hash}` : 'about:blank', { waitUntil: 'commit' });
	await tab.waitForSelector(drawn, { timeout: 120000 });
	await tab.evaluate(() => new Promise((free) => requestAnimationFrame(() => setTimeout(free))));
	const seconds = (performance.now() - start) / 1000,
		processor = processorTime(process.pid) - begun,
		held = await heap(tab);
	await tab.close();
	return [seconds, processor, held];
}

// Megabytes that TAB's script holds, those of typed arrays too.
async function heap(tab) {
	const session = await tab.context().newCDPSession(tab);
	await session.send('HeapProfiler.collectGarbage');
	const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
	return (usedSize + backingStorageSize) / 1e6;
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

async function main() {
	const bench = new Bench(build);
	await bench.open();
	for (const contexts of sizes) {
		const file = bench.make('amon.out', '--cc1', String(contexts)),
			address = bench.page('page.html', file);
		console.log(
			`${contexts} contexts: profile ${(fs.statSync(file).size / 1e6).toFixed(1)} MB, page ${(fs.statSync(bench.file('page.html')).size / 1e6).toFixed(1)} MB`,
		);
		for (const sheet of SHEETS) {
			const times = [];
			for (let i = 0; i < rounds; i++) times.push(await opened(bench, address, sheet));
			const wall = times.map((t) => t[0]);
			console.log(
				`  ${(sheet[0] || 'an empty tab').padEnd(14)} ${median(wall).toFixed(2)} s (${Math.min(...wall).toFixed(2)} to ${Math.max(...wall).toFixed(2)}), processor ${median(times.map((t) => t[1])).toFixed(2)} s, ${median(times.map((t) => t[2])).toFixed(0)} MB held`,
			);
		}
	}
	await bench.browser.close();
}

await main();
