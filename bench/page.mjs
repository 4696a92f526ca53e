#!/usr/bin/env node
// bench/page.mjs [BUILD [ROUNDS [CONTEXTS...]]]: how long `aprof html` takes, how long its page from opening to use, in Chromium, and how large it is.
//
// Made profiles of 100,000, a million and 3.35 million contexts shaped like those of GCC's cc1, or of CONTEXTS.  A sheet is in use when it is drawn and the
// page's thread is free to answer: medians of the rounds with the least and the most, each in a new tab; and the processor time that
// all of the browser took meanwhile, and what its script then holds, garbage collected.  The same of the heaviest routine hidden in the table of routines, and of
// it in focus.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Bench, chromium, settled } from '../src/show/page/tests/browser.mjs';

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

if (!chromium || !fs.existsSync(path.join(build, 'src/show/page', 'page.html'))) {
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

// What ACT, done in TAB, takes until its page is drawn and free: seconds, processor seconds, megabytes then held.
async function measured(tab, act) {
	const begun = processorTime(process.pid),
		start = performance.now();
	await act();
	await tab.evaluate(() => new Promise((free) => requestAnimationFrame(() => setTimeout(free))));
	return [(performance.now() - start) / 1000, processorTime(process.pid) - begun, await heap(tab)];
}

async function opened(bench, address, [hash, drawn]) {
	const tab = await bench.browser.newPage({ viewport: { width: 1280, height: 800 } }),
		taken = await measured(tab, async () => {
			await tab.goto(hash ? `${address}#tab=${hash}` : 'about:blank', { waitUntil: 'commit' });
			await tab.waitForSelector(drawn, { timeout: 120000 });
		});
	await tab.close();
	return taken;
}

// The heaviest routine is made what NAME says, `hidden` or `focus`, in the table, which is on show.
async function narrowed(bench, address, name) {
	const tab = await bench.tab(address, 'tab=table'),
		taken = await measured(tab, async () => {
			await tab.evaluate((key) => window.app.set({ [key]: `r${window.app.heaviest('self')}` }), name);
			await tab.waitForSelector('.chips', { timeout: 120000 });
			await settled(tab);
		});
	await tab.close();
	return taken;
}

// Seconds, and seconds of processor time, that `aprof html` takes for FILE.
function written(bench, file) {
	const start = performance.now(),
		command = [path.join(bench.build, 'aprof'), 'html', '-o', bench.file('page.html'), file],
		[, children] = bench
			.run('sh', '-c', '"$0" "$@" > /dev/null && times', ...command)
			.trim()
			.split('\n'),
		processor = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, minutes, seconds]) => sum + 60 * minutes + Number(seconds), 0);
	return [(performance.now() - start) / 1000, processor];
}

// Megabytes that TAB's script holds, those of typed arrays too.
async function heap(tab) {
	const session = await tab.context().newCDPSession(tab);
	await session.send('HeapProfiler.collectGarbage');
	const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
	return (usedSize + backingStorageSize) / 1e6;
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

const range = (list, digits) => `${median(list).toFixed(digits)} s (${Math.min(...list).toFixed(digits)} to ${Math.max(...list).toFixed(digits)})`;

// What each of ROUNDS of MEASURE took, as a line that begins with NAME.
async function told(name, rounds, measure) {
	const times = [];
	for (let i = 0; i < rounds; i++) times.push(await measure());
	const [wall, processor, held] = [0, 1, 2].map((k) => times.map((t) => t[k]));
	console.log(
		`  ${name.padEnd(14)} ${range(wall, 2)}, processor ${median(processor).toFixed(2)} s${held[0] === undefined ? '' : `, ${median(held).toFixed(0)} MB held`}`,
	);
}

async function main() {
	const bench = new Bench(build);
	await bench.open();
	for (const contexts of sizes) {
		const file = bench.make('amon.out', '--cc1', String(contexts)),
			address = bench.page('page.html', file);
		console.log(
			`${contexts} contexts: profile ${(fs.statSync(file).size / 1e6).toFixed(1)} MB, page ${(fs.statSync(bench.file('page.html')).size / 1e6).toFixed(1)} MB`,
		);
		await told('aprof html', rounds, () => written(bench, file));
		for (const sheet of SHEETS) await told(sheet[0] || 'an empty tab', rounds, () => opened(bench, address, sheet));
		for (const name of ['hidden', 'focus']) await told(name, rounds, () => narrowed(bench, address, name));
	}
	await bench.browser.close();
}

await main();
