// page.mjs BUILD: the page in a real browser.  Every figure that it shows is held against `aprof report --json` and its like.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { withoutArguments } from '../src/names.js';
import { Bench, chromium, found, settled } from './browser.mjs';

if (!chromium) {
	console.log('no Chromium here');
	process.exit(77);
}

const here = path.dirname(fileURLToPath(import.meta.url));
const bench = new Bench(process.argv[2]);
const HOSTILE = {
	P: '<img src=x onerror=window.hacked=1>',
	Q: '</script><script>window.hacked=1</script>',
	R: 'r\u202evil\u001b[31m',
	S: 'back\\slash & "quotes"',
};
let one, two, threads, hostile, sliced, onePage, pairPage, threadsPage, slicedPage;

// The program of the paper, with names made to harm whoever believes them.
function hostileProgram() {
	const text = fs
		.readFileSync(path.join(here, '../../../../tests/golden/paper.s'), 'utf8')
		.replace(
			/^\troutine\t([PQRS])$/gm,
			(all, name) =>
				`\troutine\t"${[...Buffer.from(HOSTILE[name], 'utf8')].map((b) => `\\${b.toString(8).padStart(3, '0')}`).join('')}"`,
		)
		.replace(/\\name/g, '"\\name"');
	const plain = text
		.replace(/\t\.macro[^]*?\.endm\n/, '')
		.replace(
			/\troutine\t("[^"]*"|\w+)/g,
			(all, name) => `\t.globl ${name}\n\t.type ${name}, %function\n${name}: .space 64\n\t.size ${name}, 64`,
		);
	fs.writeFileSync(bench.file('hostile.s'), plain);
	bench.run(
		'cc',
		'-nostdlib',
		'-static',
		'-Wl,-Ttext=0x400000',
		'-Wl,--section-start=.note.gnu.build-id=0x500000',
		`-Wl,--build-id=0x${Buffer.from('made-by-make-amon--1').toString('hex')}`,
		'-Wl,-e,Main',
		'-o',
		bench.file('hostile'),
		bench.file('hostile.s'),
	);
	return bench.file('hostile');
}

before(async () => {
	one = bench.make('one', '--seed', '7', '--routines', '40', '--calls', '40000', '--ticks', '0.5', '--recursion', '0.2');
	two = bench.make('two', '--seed', '8', '--routines', '44', '--calls', '50000', '--ticks', '0.5', '--recursion', '0.2');
	threads = bench.make('threads', '--seed', '9', '--routines', '12', '--threads', '3', '--calls', '3000', '--ticks', '0.7');
	bench.make('paper', '--paper', '6');
	hostile = hostileProgram();
	onePage = bench.page('one.html', one);
	pairPage = bench.page('pair.html', one, '--against', two);
	threadsPage = bench.page('threads.html', threads);
	sliced = bench.make('sliced', '--seed', '9', '--routines', '12', '--threads', '3', '--calls', '900', '--ticks', '0.7', '--intervals', '0');
	slicedPage = bench.page('sliced.html', sliced);
	await bench.open();
});

after(() => bench.close());

async function sheet(tab, name) {
	await tab.locator(`button[data-tab=${name}]`).click();
	await settled(tab);
}

// Its address, and what that says of KEY; tab.url() learns of a change some time later.
const addressOf = (tab) => tab.evaluate(() => location.href);
const stateOf = async (tab, key) => new URLSearchParams(new URL(await addressOf(tab)).hash.slice(1)).get(key);

// KEY is pressed on the call graph until IS_SO, which WHAT says.
const pressedUntil = (tab, key, what, isSo) => found(what, async () => (await isSo()) || (await tab.locator('.canvas').press(key), false));

// The first row of the table is NAME's.
const firstIs = (tab, name) =>
	tab.waitForFunction((n) => document.querySelector('.grid .tabulator-row [tabulator-field=name]')?.textContent === n, name);

const exact = (locator) => locator.evaluateAll((all) => all.map((e) => Number(e.dataset.exact)));
const byName = (list) => new Map(list.map((r) => [r.name, r]));
const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b)), `${what}: ${a}, not ${b}`);

async function closed(tab) {
	assert.deepEqual(tab.wrong, []);
	assert.deepEqual(
		tab.asked.filter((url) => !/^(file|blob|data):/.test(url)),
		[],
		'the page asked the network',
	);
	await tab.close();
}

// Each frame of the flame graph in BOX: its routine, value, depth and the sum of its children.
const frames = (tab, box = '.flame') =>
	tab
		.locator(box)
		.first()
		.evaluate((element) =>
			[...element.querySelectorAll('g.frame')].map((g) => {
				const d = g.__data__,
					name = g.getAttribute('name');
				return {
					name: name.replace(/^\.\. /, '').replace(/'$/, ''),
					value: d.data.value,
					depth: d.depth,
					fade: Boolean(d.data.fade),
					more: d.data.more ?? 0,
					below: (d.data.children ?? []).reduce((sum, c) => sum + c.value, 0),
					width: g.querySelector('rect').width.baseVal.value,
				};
			}),
		);

// The rows of the table, whole, as it stands: name and every exact figure by column.
const tableRows = (tab) =>
	tab.evaluate(() =>
		[...document.querySelectorAll('.grid .tabulator-row')].map((row) =>
			Object.fromEntries(
				[...row.querySelectorAll('.tabulator-cell')].map((cell) => {
					const figure = cell.querySelector('[data-exact]');
					return [cell.getAttribute('tabulator-field'), figure ? Number(figure.dataset.exact) : cell.textContent];
				}),
			),
		),
	);

// An error, which the page computes of whole nanoseconds.
const about = (value, wanted, what) => assert.ok(Math.abs(value - wanted) <= 2 + wanted * 1e-4, `${what}: ${value}, not ${wanted}`);

// In the page: the rows of the part of the table that is seen have been drawn.
const isFilled = () => {
	const holder = document.querySelector('.grid .tabulator-tableholder'),
		places = [...holder.querySelectorAll('.tabulator-row')].map((row) => row.getBoundingClientRect()),
		{ top } = holder.getBoundingClientRect();
	return (
		Math.min(...places.map((place) => place.top)) <= top + 1 &&
		Math.max(...places.map((place) => place.bottom)) >= top + holder.clientHeight - 1
	);
};

async function allRows(tab) {
	const seen = new Map();
	await tab.waitForSelector('.grid .tabulator-row');
	for (;;) {
		for (const row of await tableRows(tab)) seen.set(row.name, row);
		const more = await tab.locator('.grid .tabulator-tableholder').evaluate((holder) => {
			const at = holder.scrollTop;
			holder.scrollTop += 200;
			return holder.scrollTop > at;
		});
		if (!more) return [...seen.values()];
		await tab.waitForFunction(isFilled);
	}
}

test('the run: times, the heaviest routines and cycles', async () => {
	const tab = await bench.tab(onePage),
		report = bench.json('report', one),
		cycles = bench.json('cycles', one).cycles;
	const self = [...report.flat].sort((a, b) => b.self_ns - a.self_ns).slice(0, 10),
		total = [...report.flat].sort((a, b) => b.total_ns - a.total_ns).slice(0, 10);
	assert.deepEqual(
		await exact(tab.locator('[data-list=self] td[data-exact]')),
		self.map((r) => r.self_ns),
	);
	assert.deepEqual(
		await exact(tab.locator('[data-list=total] td[data-exact]')),
		total.map((r) => r.total_ns),
	);
	const shown = await exact(tab.locator('[data-list=cycles] [data-exact]'));
	assert.deepEqual(
		shown,
		cycles.slice(0, 10).flatMap((c) => [c.time_ns, c.calls]),
	);
	const text = await tab.locator('main').innerText();
	for (const word of ['program --made', 'histories', 'a share of 10 %', report.run.counts.calls.toLocaleString('en-US')])
		assert.ok(text.includes(word), word);
	await closed(tab);
});

test('the first thing to see is what aprof hot says; each routine is selected by its name; sequences are those of aprof paths', async () => {
	const tab = await bench.tab(onePage),
		hot = bench.json('hot', one),
		paths = bench.json('paths', '--top=10', '--min-percent=0.1', one);
	const card = (kind) => tab.locator(`[data-finding=${kind}]`);
	assert.deepEqual(await exact(tab.locator('.summary [data-exact]')), [hot.time_ns]);
	for (const kind of ['heavy', 'library']) {
		const [first] = hot[kind];
		if (!first) {
			assert.equal(await card(kind).count(), 0);
			continue;
		}
		assert.deepEqual(await exact(card(kind).locator('[data-exact]')), [first.time_ns, ...(first.calls ? [first.calls] : [])], kind);
		const hooked = (list) => list.filter((x) => x.total_ns !== null && x.name !== null).map((x) => x.name); // others are no routines to select
		assert.deepEqual(
			await card(kind).locator('.link').allTextContents(),
			[...hooked([first]), ...hooked(first.callers.slice(0, 4)), ...hooked(hot[kind].slice(1))],
			kind,
		);
	}
	assert.ok(hot.heavy.length + hot.library.length > 0, 'a test of something');
	if (hot.sequence) {
		assert.deepEqual(await card('sequence').locator('.link').allTextContents(), hot.sequence.path);
		assert.deepEqual(await exact(card('sequence').locator('[data-exact]')), [hot.sequence.time_ns]);
	}
	assert.equal(await card('one_callee').count(), hot.one_callee ? 1 : 0);
	assert.deepEqual(
		await exact(tab.locator('[data-list=paths] td[data-exact]')),
		paths.paths.flatMap((p) => [p.time_ns, p.contexts]),
	);
	assert.ok(paths.paths.length > 0);
	const top = async (where) => (await tab.locator(where).first().boundingBox()).y;
	assert.ok((await top('.findings')) < (await top('.tiles')) && (await top('[data-list=cycles]')) < (await top('.tiles')), 'what ran is below');
	const link = tab.locator('.card .link').first(),
		name = await link.innerText();
	await link.click();
	await tab.waitForSelector('.entry h2');
	assert.equal(await tab.locator('.entry h2').innerText(), name);
	await closed(tab);
});

// What aprof hot calls its findings in FILE, and the page at ADDRESS.
async function sameTitles(address, file) {
	const told = bench.aprof('hot', file),
		tab = await bench.tab(address);
	for (const kind of ['heavy', 'library']) {
		const found = tab.locator(`[data-finding=${kind}] h2`);
		if ((await found.count()) === 0) continue;
		const title = await found.innerText();
		assert.match(told, new RegExp(`^\\d\\. ${title.replace('?', '\\?')}$`, 'm'), kind);
	}
	await closed(tab);
}

test("findings have the titles of aprof hot's, where calls were counted and where stacks were sampled", async () => {
	await sameTitles(onePage, one);
	fs.writeFileSync(
		bench.file('clears.c'),
		`#include <string.h>
static char room[1 << 21];
#define CALLER(n) __attribute__((noinline)) static void caller##n(unsigned x) { memset(room, x, sizeof room); room[x % 7] = n; }
CALLER(1) CALLER(2) CALLER(3)
int main(int n, char **v)
{
	unsigned x = n;
	for (int i = 0; i < 500; i++) {
		for (int k = 0; k < 200000; k++)
			x = x * 1103515245 + k;
		caller1(x);
		caller2(x);
		caller3(x);
	}
	return x == 1 && room[8] == 2;
}
`,
	);
	bench.run('cc', '-O1', '-g', '-o', 'clears', 'clears.c');
	bench.aprof('run', '--no-report', '--data=clears.out', './clears');
	assert.ok(bench.json('hot', bench.file('clears.out')).library.length > 0, 'a test of something');
	await sameTitles(bench.page('clears.html', bench.file('clears.out')), bench.file('clears.out'));
});

test('routines: what is printed is what the report prints, and no finer than a sample tells', async () => {
	const few = bench.make('few', '--seed', '7', '--routines', '40', '--calls', '4000', '--ticks', '0.01', '--recursion', '0.2'),
		printed = new Map(
			[
				...bench
					.aprof('report', '-b', '-p', few)
					.matchAll(
						/^ *<?[\d.]+ +(?:±[\d.]+ +)?(?:[\d.]+ \w+|0) +(<?[\d.]+ \w+|0) +\d+ +(<?[\d.]+ \w+|0) +(<?[\d.]+ \w+|0) +(\w+)$/gm,
					),
			].map(([, self, each, all, name]) => [name, [self, each, all]]),
		),
		tab = await bench.tab(bench.page('few.html', few), 'tab=table&leaves=within');
	const shown = await tab.evaluate(() =>
		Object.fromEntries(
			[...app.model.routines.keys()].map((r) => {
				const f = app.view.figures[0];
				return [
					app.model.routines[r].name,
					[app.told(f.self[r]), app.mean(f.self[r], f.calls[r]), app.mean(f.total[r], f.calls[r])],
				];
			}),
		),
	);
	assert.ok(printed.size > 20);
	for (const [name, texts] of printed)
		assert.deepEqual(
			shown[name].map((text) => text.replace('µ', 'u').replace(',', '')),
			texts,
			name,
		);
	const [below, above, mean] = await tab.evaluate(() => {
		const [sample] = app.model.sample;
		return [app.told(0.49 * sample), app.told(0.51 * sample), app.mean(0.49 * sample, 10)];
	});
	assert.match(below, /^<[\d.]+ .s$/);
	assert.match(above, /^[\d.]+ .s$/);
	assert.match(mean, /^<[\d.]+ .s$/);
	const [first] = await tab.locator('.tabulator-row').all(),
		name = await first.locator('[data-routine]').innerText();
	assert.equal((await first.locator('[tabulator-field=self]').innerText()).replace('µ', 'u'), printed.get(name)[0]);
	await closed(tab);
});

test("routines: every figure is the report's; sort, filter, columns", async () => {
	const tab = await bench.tab(onePage, 'tab=table'),
		flat = bench.json('report', one).flat,
		rows = await allRows(tab);
	assert.equal(rows.length, flat.length);
	for (const r of flat) {
		const row = rows.find((x) => x.name === r.name);
		assert.deepEqual([row.self, row.total, row.calls, row.recursive], [r.self_ns, r.total_ns, r.calls, r.recursive], r.name);
		about(row.error, r.self_error_ns, `${r.name}: error`);
	}
	await tab.locator('.grid .tabulator-tableholder').evaluate((holder) => {
		holder.scrollTop = 0;
	});
	await firstIs(tab, [...flat].sort((a, b) => b.self_ns - a.self_ns)[0].name);
	await tab.locator('.tabulator-col[tabulator-field=calls]').click();
	await tab.waitForFunction(() => location.hash.includes('sort=calls.desc'));
	await firstIs(tab, [...flat].sort((a, b) => b.calls - a.calls)[0].name);
	await tab.locator('#search').fill(`${flat[3].name.slice(-5)}$`);
	await tab.waitForFunction(() => document.querySelectorAll('.grid .tabulator-row').length === 1);
	await firstIs(tab, flat[3].name);
	await tab.locator('#search').fill('');
	await tab.waitForFunction(() => document.querySelectorAll('.grid .tabulator-row').length > 1);
	await tab.locator('.menu summary').click();
	await tab.getByLabel('total/call').uncheck();
	await tab.locator('.tabulator-col[tabulator-field=totalCall]').waitFor({ state: 'hidden' });
	await closed(tab);
});

test('routines of an MPI job have a column that says how uneven its ranks are; others have none', async () => {
	const job = bench.make('job', '--seed', '7', '--routines', '12', '--calls', '4000', '--ticks', '0.5', '--ranks', '3'),
		tab = await bench.tab(bench.page('job.html', job), 'tab=table'),
		{ ranks, imbalance } = bench.json('report', '--imbalance', job);
	const cells = await tab
		.locator('.grid .tabulator-row')
		.evaluateAll((rows) =>
			rows.map((row) => [
				row.querySelector('[tabulator-field=name]').textContent,
				Number(row.querySelector('[tabulator-field=uneven] [data-exact]').dataset.exact),
			]),
		);
	assert.ok(cells.length > 3);
	for (const [name, uneven] of cells) {
		const rows = imbalance.filter((row) => row.history.at(-1) === name);
		about(
			uneven,
			rows.reduce((sum, row) => sum + row.time_most_ns - row.time_ns / ranks, 0),
			name,
		);
	}
	await closed(tab);
	const other = await bench.tab(onePage, 'tab=table');
	assert.equal(await other.locator('.tabulator-col[tabulator-field=uneven]').count(), 0);
	await closed(other);
});

test('the entry of every routine has the arcs of the call graph, both sets', async () => {
	const tab = await bench.tab(onePage, 'tab=table'),
		graph = bench.json('report', one).callgraph;
	const names = await tab.evaluate(() => app.model.routines.map((r) => r.name));
	for (const want of graph) {
		await tab.evaluate((r) => app.set({ sel: r }), names.indexOf(want.name));
		const lines = async (part) =>
			(
				await tab
					.locator(`.arcs .${part} tr[data-routine]`)
					.evaluateAll((rows) =>
						rows.map((row) => [
							Number(row.dataset.routine),
							...[...row.querySelectorAll('[data-exact]')].map((c) => Number(c.dataset.exact)),
						]),
					)
			).sort((a, b) => a[0] - b[0]);
		const wanted = (list) =>
			list
				.map((a) => [a.name === null ? -1 : names.indexOf(a.name), a.self_ns, a.children_ns, a.calls])
				.sort((a, b) => a[0] - b[0]);
		assert.deepEqual(await lines('parents'), wanted(want.parents), `callers of ${want.name}`);
		assert.deepEqual(await lines('children'), wanted(want.children), `callees of ${want.name}`);
	}
	await closed(tab);
});

test('flame graph: totals are conserved, zoom, way back, search, calls', async () => {
	const tab = await bench.tab(onePage, 'tab=flame&leaves=within'),
		report = bench.json('report', one),
		tree = bench.json('tree', one).tree;
	let all = await frames(tab);
	assert.equal(all[0].value, report.run.times.contexts_ns + report.run.times.outside_ns);
	for (const f of all) assert.ok(f.below <= f.value * (1 + 1e-9), `${f.name}: ${f.below} below ${f.value}`);
	const tops = tree.filter((n) => n.parent === 0);
	assert.deepEqual(
		all.filter((f) => f.depth === 1 && !f.more).map((f) => [f.name, f.value]),
		tops.slice(0, all.filter((f) => f.depth === 1 && !f.more).length).map((n) => [n.name, n.total_ns]),
	);
	for (const f of all.filter((x) => !x.more)) near(f.width, (all[0].width * f.value) / all[0].value, `width of ${f.name}`);
	const second = all.find((f) => f.depth === 2);
	await tab.locator('g.frame').nth(all.indexOf(second)).click();
	await tab.waitForFunction(() => document.querySelectorAll('.crumbs button').length === 3);
	all = await frames(tab);
	assert.deepEqual(
		all.slice(0, 3).map((f) => f.fade),
		[true, true, false],
	);
	assert.equal(all[2].value, second.value);
	near(all[2].width, all[0].width, 'width of the zoomed frame');
	await tab.goBack();
	await tab.waitForFunction(() => document.querySelectorAll('.crumbs button').length === 1);
	const wanted = report.flat[2].name;
	await tab.locator('#search').fill(wanted.replace(/[+.]/g, '\\$&'));
	await tab.waitForSelector('#found b');
	assert.deepEqual(await exact(tab.locator('#found b')), [report.flat[2].total_ns], "the matched share is the routine's total");
	assert.ok((await tab.locator('g.frame.hit').count()) > 0);
	assert.ok((await tab.locator('g.frame.hit').evaluateAll((gs) => gs.map((g) => g.getAttribute('name')))).every((n) => n.includes(wanted)));
	await tab.keyboard.press('Escape');
	await tab.locator('[aria-label=measure] button[data-value=calls]').click();
	await tab.waitForFunction(() => location.hash.includes('metric=calls'));
	assert.equal(
		(await frames(tab))[0].value,
		tree.reduce((sum, n) => sum + n.calls, 0),
		'all calls',
	);
	await closed(tab);
});

test('colours of frames mean what is chosen: the module, the share of own time, calls', async () => {
	const tab = await bench.tab(onePage, 'tab=flame&colour=self&leaves=within');
	const fills = () =>
		tab.evaluate(() =>
			[...document.querySelectorAll('g.frame')]
				.filter((g) => g.__data__.data.branch && app.model.isRoutine(g.__data__.data.branch.routine))
				.map((g) => {
					const b = g.__data__.data.branch;
					return {
						name: g.getAttribute('name'),
						own: b.self[0] / b.time[0],
						calls: b.entries[0],
						module: app.model.routines[b.routine].module,
						fill: getComputedStyle(g.querySelector('rect')).fill,
					};
				}),
		);
	const ordered = (list, by) => [...list].sort((a, b) => a[by] - b[by]);
	const lightness = (fill) => Number(/oklab\(([\d.]+)/.exec(fill)[1]);
	for (const by of ['own', 'calls']) {
		if (by === 'calls') await tab.locator('[aria-label=colour] button[data-value=calls]').click();
		const list = ordered(await fills(), by);
		assert.ok(list.length > 20);
		for (let i = 1; i < list.length; i++)
			assert.ok(lightness(list[i].fill) <= lightness(list[i - 1].fill) + 1e-3, `${by}: ${list[i].name} after ${list[i - 1].name}`);
		assert.ok(lightness(list.at(-1).fill) < lightness(list[0].fill) - 0.05);
	}
	await tab.locator('.choice button[data-value=module]').click();
	await tab.waitForFunction(() => location.hash.includes('colour=module'));
	const modules = new Map();
	for (const f of await fills()) modules.set(f.module, (modules.get(f.module) ?? new Set()).add(f.fill));
	for (const [module, colours] of modules) assert.equal(colours.size, 1, module);
	assert.equal(new Set([...modules.values()].map((c) => [...c][0])).size, modules.size);
	assert.equal(
		await tab.locator('.legend > span').count(),
		new Set(await tab.evaluate(() => app.model.routines.filter((r) => !r.leaf).map((r) => r.module || r.name))).size,
	);
	await closed(tab);
});

test('inverted: the first level is self time; sandwich: both halves are the total, their first levels the arcs', async () => {
	const tab = await bench.tab(onePage, 'tab=flame&dir=up&leaves=within'),
		report = bench.json('report', one);
	const first = (await frames(tab)).filter((f) => f.depth === 1);
	const flat = byName(report.flat);
	for (const f of first.filter((x) => !x.more)) assert.equal(f.value, flat.get(f.name).self_ns, f.name);
	near(
		first.reduce((sum, f) => sum + f.value, 0),
		report.run.times.contexts_ns,
		'sum of self times',
	);
	const names = await tab.evaluate(() => app.model.routines.map((r) => r.name));
	for (const entry of report.callgraph.slice(0, 8)) {
		await tab.evaluate((sel) => app.set({ sel, dir: 'sandwich' }), names.indexOf(entry.name));
		await tab.waitForFunction(() => document.querySelectorAll('.flame').length === 2);
		assert.deepEqual(await exact(tab.locator('.half [data-exact]')), [
			entry.self_ns + entry.children_ns,
			entry.self_ns + entry.children_ns,
		]);
		const halves = await tab.evaluate(() => {
			const levels = (box) =>
				[...box.querySelectorAll('g.frame')]
					.filter((g) => g.__data__.depth === 1 && !g.__data__.data.more)
					.map((g) => {
						const b = g.__data__.data.branch;
						return [app.model.routineName(b.routine), b.gap, g.__data__.data.value];
					});
			return [...document.querySelectorAll('.flame')].map(levels);
		});
		for (const [half, arcs] of [
			[0, entry.parents],
			[1, entry.children],
		])
			for (const [name, gap, value] of halves[half])
				assert.equal(
					value,
					arcs.find((a) => a.name === name).self_ns + arcs.find((a) => a.name === name).children_ns,
					`${entry.name}, ${name}${gap ? ' ..' : ''}`,
				);
	}
	await closed(tab);
});

test('trees: opened line by line they are those of aprof tree', async () => {
	for (const [hash, args] of [
		['tree=down', []],
		['tree=up', ['--bottom-up']],
	]) {
		const tab = await bench.tab(onePage, `tab=tree&${hash}&leaves=within`),
			tree = bench.json('tree', ...args, one).tree;
		await tab.waitForSelector('.grid .tabulator-row');
		const tops = tree.filter((n) => n.parent === 0 && n.total_ns > 0);
		const shown = await tab.evaluate(() =>
			[...document.querySelectorAll('.tabulator-row.tabulator-tree-level-0')].map((row) => [
				row.querySelector('.branch').textContent,
				Number(row.querySelectorAll('[data-exact]')[0].dataset.exact),
			]),
		);
		assert.deepEqual(
			shown.slice(0, 20),
			tops
				.slice(0, shown.length)
				.slice(0, 20)
				.map((n) => [n.name + (n.folded ? "'" : ''), n.total_ns]),
		);
		const row = tab
			.locator('.tabulator-row.tabulator-tree-level-0')
			.filter({ has: tab.locator('.tabulator-data-tree-control') })
			.first();
		const name = (await row.locator('.branch').textContent()).replace(/'$/, ''),
			node = tops.find((n) => n.name === name);
		if (await row.locator('.tabulator-data-tree-control-collapse').count()) {
			// open at first: close it, and open it again
			await row.locator('.tabulator-data-tree-control').click();
			await tab.waitForFunction(() => !document.querySelector('.tabulator-row.tabulator-tree-level-1'));
		}
		await row.locator('.tabulator-data-tree-control').click();
		await tab.waitForSelector('.tabulator-row.tabulator-tree-level-1');
		if (!args.length) about(Number(await row.locator('.error').getAttribute('data-exact')), node.error_ns, `${name}: error`);
		const kids = tree.filter((n) => n.parent === node.node && n.total_ns > 0);
		const below = await tab.evaluate((from) => {
			const rows = [...document.querySelectorAll('.tabulator-row')],
				at = rows.findIndex(
					(r) =>
						r.classList.contains('tabulator-tree-level-0') &&
						r.querySelector('.branch').textContent.replace(/'$/, '') === from,
				);
			const found = [];
			for (const r of rows.slice(at + 1)) {
				if (r.classList.contains('tabulator-tree-level-0')) break;
				if (r.classList.contains('tabulator-tree-level-1'))
					found.push(Number(r.querySelectorAll('[data-exact]')[0].dataset.exact));
			}
			return found;
		}, name);
		assert.ok(below.length > 0);
		assert.deepEqual(
			below,
			kids.slice(0, below.length).map((n) => n.total_ns),
		);
		await closed(tab);
	}
});

test('shares are of the run, of the parent or of the selected routine, in every sheet', async () => {
	const report = bench.json('report', one),
		tree = bench.json('tree', one).tree,
		flat = byName(report.flat);
	const tab = await bench.tab(onePage, 'tab=tree&leaves=within');
	const choose = (of) => tab.locator('select[aria-label="shares of"]').selectOption(of);
	const lines = () =>
		tab.evaluate(() =>
			[...document.querySelectorAll('.grid .tabulator-row')].map((row) => ({
				level: Number(/tree-level-(\d+)/.exec(row.className)[1]),
				name: row.querySelector('.branch')?.textContent.replace(/'$/, ''),
				share: parseFloat(row.querySelector('.share').textContent),
				total: Number(row.querySelector('[data-exact]').dataset.exact),
			})),
		);
	await tab.waitForSelector('.tabulator-row.tabulator-tree-level-1');
	await choose('parent');
	await tab.waitForFunction(() => location.hash.includes('of=parent'));
	await tab.waitForSelector('.tabulator-row.tabulator-tree-level-1');
	let above = [];
	const all = await lines();
	for (const line of all) {
		above[line.level] = line.total;
		const whole = line.level ? above[line.level - 1] : tree[0].total_ns;
		assert.ok(Math.abs(line.share - (100 * line.total) / whole) < 0.06, `${line.name}: ${line.share} of its parent`);
	}
	assert.ok(all.some((line) => line.level > 0));
	const chosen = report.flat[2];
	await tab.evaluate((name) => app.set({ sel: app.model.routines.findIndex((r) => r.name === name) }), chosen.name);
	await choose('sel');
	await sheet(tab, 'table');
	await tab.waitForSelector('.grid .tabulator-row');
	const rows = await tab.evaluate(() =>
		[...document.querySelectorAll('.grid .tabulator-row')].map((row) => [
			row.querySelector('[tabulator-field=name]').textContent,
			parseFloat(row.querySelector('[tabulator-field=totalShare]').textContent),
		]),
	);
	assert.ok(rows.length > 5);
	for (const [name, share] of rows)
		assert.ok(Math.abs(share - (100 * flat.get(name).total_ns) / chosen.total_ns) < 0.6, `${name}: ${share} of ${chosen.name}`);
	assert.match(await tab.locator('.figures').first().innerText(), / of selected/);
	await choose('run');
	await tab.waitForFunction(() => !location.hash.includes('of='));
	assert.doesNotMatch(await tab.locator('.figures').first().innerText(), / of selected/);
	await closed(tab);
});

test('source: lines, samples and calls are those of aprof annotate; it can be left out', async () => {
	fs.writeFileSync(
		bench.file('lines.c'),
		`#include <string.h>
static volatile long sink;
static char room[4096];
__attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) void work(long n)
{
	for (long i = 0; i < 3000; i++)
		sink += i * n;
	leaf(2000);
	if (n % 2)
		leaf(1000);	/* "<b>" & \\ */
	memset(room, (int)n, sizeof room);
}
int main(void) { for (long i = 0; i < 40000; i++) work(i); return 0; }
`,
	);
	bench.run(path.join(bench.build, 'aprof-cc'), '-O1', '-g', '-o', 'lines', 'lines.c');
	bench.aprof('run', '--no-report', '--data=lines.out', './lines');
	const [told] = bench.json('annotate', 'work', bench.file('lines.out')).annotate;
	const address = bench.page('lines.html', bench.file('lines.out'));
	const tab = await bench.tab(address, 'tab=table');
	await tab.evaluate(() => app.set({ sel: app.model.routines.findIndex((r) => r.name === 'work') }));
	await tab.waitForSelector('.source tr');
	const rows = await tab.evaluate(() =>
		[...document.querySelectorAll('.source tr')].map((row) => ({
			line: Number(row.dataset.line),
			self: Number(row.querySelector('.cost').dataset.exact),
			text: row.querySelector('code').textContent,
			calls: row.querySelector('.calls')?.textContent ?? '',
		})),
	);
	const text = fs.readFileSync(bench.file('lines.c'), 'utf8').split('\n'),
		blanks = (line) => line.replace(/\s+/g, ' ').trim();
	assert.ok(rows.length >= told.last_line - told.first_line);
	for (const row of rows) {
		assert.equal(blanks(row.text), blanks(text[row.line - 1]));
		assert.equal(row.self, told.lines.find((l) => l.line === row.line)?.self_ns ?? 0, `line ${row.line}`);
	}
	assert.ok(rows.some((row) => row.self > 0));
	for (const theme of ['light', 'dark']) {
		await tab.evaluate((t) => app.set({ theme: t }), theme);
		assert.deepEqual(await violations(tab), [], theme);
	}
	const leaf = told.callees.find((c) => c.name === 'leaf');
	assert.equal(leaf.call_lines.length, 2);
	for (const line of leaf.call_lines) assert.match(rows.find((row) => row.line === line).calls, /leaf 60,000 × .* ~/);
	await tab.locator('.source .calls .link').first().click();
	await tab.waitForFunction(() => document.querySelector('.entry h2').textContent === 'leaf');
	await tab.locator('.source select').selectOption({ label: 'VS Code' });
	assert.equal(await tab.locator('.source .number a').first().getAttribute('href'), `vscode://file${encodeURI(bench.file('lines.c'))}:4`);
	await closed(tab);
	bench.aprof('html', '--no-source', '-o', bench.file('bare.html'), bench.file('lines.out'));
	const bare = await bench.tab(address.replace('lines.html', 'bare.html'), 'tab=table&sel=0');
	await bare.waitForSelector('.entry h2');
	assert.equal(await bare.locator('.source').count(), 0);
	await closed(bare);
});

test('callers and callees by call site, as aprof report --sites has them', async () => {
	fs.writeFileSync(
		bench.file('sited.c'),
		`static volatile long sink;
__attribute__((noinline)) void leaf(long n) { for (long i = 0; i < n; i++) sink += i; }
__attribute__((noinline)) long again(long n) { return n ? again(n - 1) + 1 : sink; }
void (*volatile way)(long) = leaf;
__attribute__((noinline)) void work(long n)
{
	leaf(100); leaf(n);
	way(n);
	sink = again(3) + 1;
}
int main(void) { for (long i = 0; i < 20000; i++) work(i); return 0; }
`,
	);
	bench.run(path.join(bench.build, 'aprof-cc'), '--aprof-way=fentry', '-O1', '-g', '-o', 'sited', 'sited.c');
	bench.aprof('run', '--sites', '--no-report', '--data=sited.out', './sited');
	const graph = bench.json('report', '--sites', bench.file('sited.out')).callgraph;
	const tab = await bench.tab(bench.page('sited.html', bench.file('sited.out')), 'tab=table');
	const within = (s) => (s.within ? ` in ${path.basename(s.module)}: ${s.within}` : '');
	const text = (s) => `at ${path.basename(s.file)}:${s.line}:${s.column}${within(s)}${s.by_pointer ? ', through a pointer' : ''} ${s.calls}`;
	for (const entry of graph) {
		await tab.evaluate((name) => app.set({ sel: app.model.routines.findIndex((r) => r.name === name) }), entry.name);
		await tab.waitForFunction((name) => document.querySelector('.entry h2')?.textContent === name, entry.name);
		const rows = await tab.evaluate(() =>
			[...document.querySelectorAll('.entry .site')].map((row) => ({
				part: row.parentElement.className,
				times: [...row.querySelectorAll('td[data-exact]')].map((cell) => Number(cell.dataset.exact)),
				text: row.querySelector('.who').textContent,
			})),
		);
		const wanted = [
			...entry.parents.map((arc) => ['parents', arc.sites]),
			['', entry.recursive_sites ?? []],
			...entry.children.map((arc) => ['children', arc.sites]),
		];
		for (const part of ['parents', '', 'children'])
			assert.deepEqual(
				rows
					.filter((row) => row.part === part)
					.map((row) => `${row.text} ${row.times.at(-1)}`)
					.sort(),
				wanted
					.filter(([of]) => of === part)
					.flatMap(([, sites]) => sites.map(text))
					.sort(),
				`${entry.name}: ${part}`,
			);
	}
	await tab.evaluate(() => app.set({ sel: app.model.routines.findIndex((r) => r.name === 'work') }));
	await tab.waitForFunction(() => document.querySelector('.entry h2')?.textContent === 'work');
	for (const theme of ['light', 'dark']) {
		await tab.evaluate((t) => app.set({ theme: t }), theme);
		assert.deepEqual(await violations(tab), [], theme);
	}
	await closed(tab);
});

// What is seen of the call graph: letters by their size on the screen, nodes with their lines and routines, arcs.
const drawing = (tab) =>
	tab.evaluate(() => ({
		smallest: Math.min(
			...[...document.querySelectorAll('.canvas text')].map((e) => parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a),
		),
		nodes: [...document.querySelectorAll('g.node')].map((g) => ({
			id: g.id,
			routine: Number(g.dataset.routine),
			lines: [...g.querySelectorAll('text')].map((e) => e.textContent),
		})),
		arcs: [...document.querySelectorAll('g.edge')].map((g) => [g.dataset.from, g.dataset.to]),
		frames: [...document.querySelectorAll('g.cluster')].map((g) => g.id),
		note: document.querySelector('.bar .note[role=status]').textContent,
		routines: app.model.routines.filter((r, i) => app.view.figures.some((f) => f.calls[i] || f.total[i])).length,
	}));

// Of a DRAWING: letters can be read, two lines a node, no two alike, and each node is reached from the root by those that are drawn.
async function readable(tab, what) {
	const d = await drawing(tab),
		roots = await tab.evaluate(() => app.view.arcs.list.filter((arc) => arc.from < 0).map((arc) => arc.to));
	assert.ok(d.smallest >= 10, `${what}: letters of ${d.smallest} pixels`);
	assert.ok(d.nodes.length > 0, what);
	for (const node of d.nodes) assert.equal(node.lines.length, 2, `${what}: ${node.lines}`);
	assert.equal(new Set(d.nodes.map((node) => node.lines[0])).size, d.nodes.length, `${what}: names are told apart`);
	const reached = new Set(d.nodes.filter((node) => node.routine < 0 || roots.includes(node.routine)).map((node) => node.id));
	for (let n = -1; n !== reached.size;) {
		n = reached.size;
		for (const [from, to] of d.arcs) if (reached.has(from)) reached.add(to);
	}
	assert.deepEqual(
		d.nodes.filter((node) => !reached.has(node.id)).map((node) => node.lines[0]),
		[],
		`${what}: cut off from the root`,
	);
	return d;
}

const drawn = async (tab) => {
	await tab.waitForSelector('.canvas:not(.busy) g.node');
	await settled(tab);
};

test('call graph: letters of 10 pixels, two lines a node, a way from the root, at any size of window and zoom', async () => {
	const large = bench.make(
		'large',
		'--seed',
		'5',
		'--routines',
		'1100',
		'--callees',
		'4',
		'--calls',
		'12000',
		'--ticks',
		'0.5',
		'--recursion',
		'0.3',
	);
	for (const [page, sizes] of [
		[longNames(), [0, 1, 2]],
		[bench.page('large.html', large), [0, 2]],
		[pairPage, [1]],
	])
		for (const [width, height, theme] of sizes.map(
			(i) =>
				[
					[1440, 900, 'light'],
					[1024, 768, 'dark'],
					[390, 844, 'light'],
				][i],
		)) {
			const tab = await bench.tab(page, `tab=graph&theme=${theme}&leaves=within`, { viewport: { width, height } }),
				what = `${path.basename(page)} at ${width}`;
			await drawn(tab);
			const first = await readable(tab, what);
			const inside = await tab.evaluate(() => {
				const box = document.querySelector('.canvas').getBoundingClientRect(),
					all = document.querySelector('g.graph').getBoundingClientRect();
				return (
					all.left >= box.left - 1 &&
					all.right <= box.right + 1 &&
					all.top >= box.top - 1 &&
					all.bottom <= box.bottom + 1
				);
			});
			assert.ok(inside || first.nodes.length <= 2, `${what}: all of it is seen`);
			assert.ok(
				first.note.includes(` of ${first.routines.toLocaleString('en-US')} routines`) || first.note.startsWith('all '),
				first.note,
			);
			for (let i = 0; i < 6; i++) await tab.locator('.canvas').press('-');
			await readable(tab, `${what}, smaller`);
			if (first.nodes.length === first.routines) {
				await closed(tab);
				continue;
			}
			assert.match(first.note, /zoom in or press \+ for more$/);
			await pressedUntil(tab, '+', 'more routines are asked for', () => tab.evaluate(() => location.hash.includes('most=')));
			await drawn(tab);
			const more = await readable(tab, `${what}, with more`);
			assert.ok(more.nodes.length > first.nodes.length, `${more.nodes.length} after ${first.nodes.length}`);
			assert.ok(
				first.nodes.every((node) => more.nodes.some((other) => other.id === node.id)),
				'what was there stays',
			);
			await tab.evaluate(() => document.activeElement.blur());
			await tab.locator('.canvas').press('0');
			await tab.waitForFunction(() => !location.hash.includes('most='));
			await drawn(tab);
			assert.deepEqual(
				(await readable(tab, `${what}, as at first`)).nodes.map((node) => node.id),
				first.nodes.map((node) => node.id),
			);
			await closed(tab);
		}
});

test('call graph: of a thousand routines that call each other as many are drawn as are asked for, and the wheel asks', async () => {
	const dense = bench.make('dense', '--seed', '6', '--routines', '300', '--calls', '6000', '--ticks', '0.5', '--recursion', '0.5'),
		tab = await bench.tab(bench.page('dense.html', dense), 'tab=graph&most=200&leaves=within');
	await drawn(tab);
	const d = await readable(tab, 'dense');
	assert.equal(d.nodes.length, 200);
	assert.ok(d.arcs.length <= 600, `${d.arcs.length} arcs`);
	assert.equal(d.frames.length, 1, 'all of it is one component');
	await tab.locator('.canvas').hover();
	// Each turn of the wheel makes it smaller, and the one after the smallest asks for fewer; the next waits until it was taken, or, as the browser of
	// a busy machine loses one now and then, for some seconds.
	const look = () =>
		tab.evaluate(() => [document.querySelector('.canvas svg:not(.overview) > g').getAttribute('transform'), location.hash].join(' '));
	for (let turns = 0; turns < 50 && (await stateOf(tab, 'most')) === '200'; turns++) {
		const before = await look();
		await tab.mouse.wheel(0, 400);
		await tab
			.waitForFunction(
				(was) =>
					[document.querySelector('.canvas svg:not(.overview) > g').getAttribute('transform'), location.hash].join(
						' ',
					) !== was,
				before,
				{
					timeout: 5000,
				},
			)
			.catch(() => {});
	}
	assert.equal(await stateOf(tab, 'most'), '100');
	await drawn(tab);
	assert.equal((await readable(tab, 'dense, fewer')).nodes.length, 100);
	await closed(tab);
});

test('call graph: who asks for more gets more, though the next routine has a way longer than twice what is drawn', async () => {
	const way = Array.from({ length: 30 }, (_, i) => `on_the_way_${i}`);
	fs.writeFileSync(bench.file('far.folded'), `main;near 500\nmain;also 400\nmain;${way.join(';')} 100\n`);
	const tab = await bench.tab(bench.page('far.html', bench.file('far.folded')), 'tab=graph&by=self&most=3');
	await drawn(tab);
	assert.equal((await readable(tab, 'near')).nodes.length, 3);
	await pressedUntil(tab, '+', 'more than three routines are asked for', async () => (await stateOf(tab, 'most')) !== '3');
	await drawn(tab);
	assert.equal((await readable(tab, 'far')).nodes.length, 33);
	await closed(tab);
});

test('call graph: threshold, neighbourhood, selection, zoom', async () => {
	const tab = await bench.tab(onePage, 'tab=graph&least=5&leaves=within'),
		report = bench.json('report', one);
	await drawn(tab);
	const whole = report.run.times.contexts_ns + report.run.times.outside_ns;
	const shown = async () => (await readable(tab, 'of a share')).nodes.map((node) => node.routine),
		names = await tab.evaluate(() => app.model.routines.map((r) => r.name));
	const over = async (least) => {
		const have = await shown();
		for (const r of report.flat) if ((100 * r.total_ns) / whole >= least) assert.ok(have.includes(names.indexOf(r.name)), r.name);
		return have.length;
	};
	const before = await over(5);
	await tab.locator('.slider input').fill('930');
	await tab.waitForFunction((n) => document.querySelectorAll('g.node').length < n && !document.querySelector('.busy'), before);
	await over(Number(await stateOf(tab, 'least')));
	await tab.locator('g.node').nth(1).click();
	await tab.waitForSelector('g.node.selected');
	const name = await tab.locator('.picked b').innerText(),
		entry = report.callgraph.find((e) => e.name === name);
	await tab.locator('.choice button[data-value="1"]').click();
	const weighs = (list) => list.filter((a) => a.self_ns + a.children_ns > 0).map((a) => a.name);
	const around = new Set([name, ...weighs(entry.parents), ...weighs(entry.children)].filter(Boolean));
	await tab.waitForFunction((n) => document.querySelectorAll('g.node').length === n && !document.querySelector('.busy'), around.size);
	const at = await tab.locator('.canvas svg:not(.overview) > g').getAttribute('transform');
	await tab.locator('.canvas').press('+');
	await tab.waitForFunction((old) => document.querySelector('.canvas svg:not(.overview) > g').getAttribute('transform') !== old, at);
	await closed(tab);
});

test('call graph: g shows the neighbourhood of the routine that is heaviest, with no arc that weighs nothing', async () => {
	const tab = await bench.tab(onePage),
		report = bench.json('report', one),
		first = report.flat.reduce((a, b) => (b.self_ns > a.self_ns ? b : a)),
		entry = report.callgraph.find((e) => e.name === first.name),
		split = bench.json('report', '--leaves', one).flat;
	await tab.keyboard.press('g');
	await drawn(tab);
	assert.equal(await tab.locator('.picked b').innerText(), first.name);
	const d = await drawing(tab),
		routines = await tab.evaluate(() => app.model.routines.map(({ name, leaf }) => ({ name, leaf }))),
		routine = (id) => routines[Number(id.slice(1))],
		of = (id) => routine(id).name,
		withoutHooks = (from, to) => split.find((r) => r.name === from).parts.filter((part) => part.name === to);
	assert.ok(d.arcs.length > 0 && d.smallest >= 10);
	for (const [from, to] of d.arcs) {
		if (routine(to).leaf) {
			assert.ok(withoutHooks(of(from), of(to))[0].self_ns > 0, `${of(from)} -> ${of(to)}`);
			continue;
		}
		const [arc] =
			of(from) === first.name ? entry.children.filter((a) => a.name === of(to)) : entry.parents.filter((a) => a.name === of(from));
		assert.ok(arc.self_ns + arc.children_ns > 0, `${of(from)} -> ${of(to)}`);
	}
	assert.equal(new Set(d.arcs.flat()).size, d.nodes.length, 'nothing stands alone');
	await closed(tab);
});

// A program with a library of its own, built and run; the page of its profile is modules.html.
function twoModules() {
	const work = (name, calls) =>
		`__attribute__((noinline)) void ${name}(long n) { static volatile long sink; for (long i = 0; i < 4000; i++) sink += i * n; ${calls} }\n`;
	fs.writeFileSync(bench.file('library.c'), work('deep', '') + work('shared', 'deep(n);') + work('other', 'deep(n); deep(n);'));
	fs.writeFileSync(
		bench.file('program.c'),
		`void shared(long), other(long);\n${work('mine', 'shared(n);')}int main(void) { for (long i = 0; i < 4000; i++) { mine(i); other(i); } return 0; }\n`,
	);
	const cc = path.join(bench.build, 'aprof-cc');
	bench.run(cc, '-O1', '-g', '-shared', '-fPIC', '-o', 'liblibrary.so', 'library.c');
	bench.run(cc, '-O1', '-g', '-o', 'modules', 'program.c', '-L.', '-llibrary', '-Wl,-rpath,$ORIGIN');
	bench.aprof('run', '--no-report', '--data=modules.out', './modules');
	return bench.page('modules.html', bench.file('modules.out'));
}

// The groups of the table with their rows, all of them open: { name, self, ..., rows }.
async function openGroups(tab) {
	await tab.getByRole('button', { name: 'unfold all' }).click();
	await tab.waitForSelector('.tabulator-tree-level-1');
	const groups = [];
	for (const row of await allRows(tab)) {
		const [, title, n] = /^(.*?)([\d,]+) routines?$/.exec(row.name) ?? [];
		if (title === undefined) groups.at(-1).rows.push(row);
		else groups.push({ ...row, name: title, count: Number(n), rows: [] });
	}
	return groups;
}

const FIGURES = ['self', 'calls', 'recursive'];

test('routines by module and file: sums are those of their rows, totals those of the contexts, figures those of the report', async () => {
	const address = twoModules(),
		file = bench.file('modules.out'),
		flat = byName(bench.json('report', file).flat),
		contexts = bench.json('contexts', file).contexts;
	for (const [kind, titles] of [
		['module', ['liblibrary.so', 'modules']],
		['file', ['library.c', 'program.c']],
	]) {
		const tab = await bench.tab(address, 'tab=table');
		await tab.locator(`[aria-label="grouped by"] button[data-value=${kind}]`).click();
		await tab.waitForSelector('.grid .group');
		assert.equal(await tab.locator('.grid .tabulator-row').count(), titles.length, 'folded at first');
		const groups = await openGroups(tab);
		assert.deepEqual(groups.map((g) => g.name).sort(), titles);
		assert.deepEqual(
			groups.map((g) => g.self),
			groups.map((g) => g.self).sort((a, b) => b - a),
			'the heaviest first',
		);
		for (const g of groups) {
			assert.equal(g.rows.length, g.count);
			for (const row of g.rows) {
				const r = flat.get(row.name);
				assert.deepEqual(
					[row.self, row.total, row.calls, row.recursive],
					[r.self_ns, r.total_ns, r.calls, r.recursive],
					row.name,
				);
			}
			for (const name of FIGURES)
				assert.equal(
					g[name],
					g.rows.reduce((sum, row) => sum + row[name], 0),
					`${g.name}: ${name}`,
				);
			const names = new Set(g.rows.map((row) => row.name)),
				inside = contexts.filter((c) => c.history.split(' ').some((name) => names.has(name)));
			assert.equal(
				g.total,
				inside.reduce((sum, c) => sum + c.time_ns, 0),
				`${g.name}: total, counted once`,
			);
			assert.deepEqual([g.selfCall, g.totalCall], ['', '']);
		}
		assert.deepEqual(groups.flatMap((g) => g.rows.map((row) => row.name)).sort(), [...flat.keys()].sort(), 'each routine once');
		await closed(tab);
	}
});

test('routines by module: foldable by click, key and link; a search shows the hits within, a selection its group', async () => {
	const tab = await bench.tab(twoModules(), 'tab=table&kind=module'),
		names = () => tab.locator('.grid .tabulator-row .last').allInnerTexts(),
		folded = ['liblibrary.so', 'modules'];
	await tab.waitForSelector('.grid .group');
	assert.deepEqual((await names()).sort(), folded);
	await tab.locator('.tabulator-row', { hasText: 'liblibrary.so' }).locator('.tabulator-data-tree-control').click();
	await tab.waitForFunction(() => document.querySelectorAll('.grid .tabulator-row').length === 5);
	assert.match(await stateOf(tab, 'opened'), /^m\d+$/);
	const link = await bench.tab(await addressOf(tab));
	await link.waitForFunction(() => document.querySelectorAll('.grid .tabulator-row').length === 5);
	await link.close();
	await tab.locator('#search').fill('^(deep|mine)$');
	await tab.waitForFunction(() => document.querySelectorAll('.grid .tabulator-row').length === 4);
	assert.deepEqual((await names()).sort(), ['deep', ...folded, 'mine'].sort());
	await tab.waitForFunction(() => document.querySelector('main .note[role=status]').textContent === '2 of 5 routines');
	await tab.locator('#search').fill('');
	await tab.waitForFunction(() => document.querySelectorAll('.grid .tabulator-row').length === 5);
	await tab.evaluate(() => app.set({ sel: app.model.routines.findIndex((r) => r.name === 'mine') }));
	await tab.waitForSelector('.tabulator-row.tabulator-selected');
	assert.equal(await tab.locator('.tabulator-row.tabulator-selected .last').innerText(), 'mine');
	await tab.locator('.grid').press('ArrowLeft');
	assert.match(await tab.locator('.tabulator-row.tabulator-selected').innerText(), /^modules/);
	await tab.locator('.grid').press('ArrowLeft');
	await tab.waitForFunction(() => document.querySelectorAll('.grid .tabulator-row').length === 5);
	await tab.getByRole('button', { name: 'fold all' }).click();
	await tab.waitForFunction(() => document.querySelectorAll('.grid .tabulator-row').length === 2);
	await closed(tab);
});

test('routines by class: those of a class template, and of all its instances, are one group', async () => {
	const tab = await bench.tab(longNames(), 'tab=table&kind=class'),
		flat = byName(bench.json('report', bench.file('names.out')).flat);
	await tab.waitForSelector('.grid .group');
	const groups = await openGroups(tab);
	assert.ok(groups.find((g) => g.name === 'expression::sum').count > 1);
	assert.ok(groups.some((g) => g.name === '(no class or namespace)' && g.rows.some((row) => row.name === 'main')));
	for (const g of groups) {
		assert.ok(!/[<>]/.test(g.name), g.name);
		for (const name of FIGURES)
			assert.equal(
				g[name],
				g.rows.reduce((sum, row) => sum + row[name], 0),
				`${g.name}: ${name}`,
			);
	}
	near(
		groups.reduce((sum, g) => sum + g.self, 0),
		[...flat.values()].reduce((sum, r) => sum + r.self_ns, 0),
		'all groups',
	);
	await closed(tab);
});

test('call graph: cycles and modules have frames, and fold into one node that has their sums', async () => {
	const tab = await bench.tab(twoModules(), 'tab=graph&group=module&leaves=within'),
		file = bench.file('modules.out'),
		report = bench.json('report', file);
	await drawn(tab);
	await tab.getByRole('button', { name: 'fold all' }).click();
	await tab.waitForSelector('.canvas:not(.busy) g.node.group');
	const told = await tab.evaluate(() =>
		[...document.querySelectorAll('g.node')].map((g) => {
			g.dispatchEvent(new MouseEvent('mousemove', { clientX: 5, clientY: 5 }));
			const figures = [...document.querySelectorAll('#tip [data-exact]')].map((e) => Number(e.dataset.exact));
			return [figures[0], figures[1]];
		}),
	);
	const selves = await tab.evaluate(() => {
		const sums = new Map();
		app.model.routines.forEach((r, i) => sums.set(r.module || r.name, (sums.get(r.module || r.name) ?? 0) + app.view.figures[0].self[i]));
		return [...sums.values()].filter((v) => v > 0);
	});
	near(
		told.reduce((sum, [self]) => sum + self, 0),
		report.flat.reduce((sum, r) => sum + r.self_ns, 0),
		'own times of all modules',
	);
	assert.deepEqual(new Set(told.map(([self]) => self)), new Set(selves));
	assert.ok(told.every(([self, total]) => total >= self && total <= report.run.times.contexts_ns + report.run.times.outside_ns));
	assert.ok((await readable(tab, 'modules folded')).nodes.length > 1);
	await tab.locator('g.node.group').first().press('Enter');
	await tab.waitForSelector('.canvas:not(.busy) g.node:not(.group)');
	await closed(tab);

	const cyclic = await bench.tab(onePage, 'tab=graph&leaves=within'),
		one_ = bench.json('report', one);
	await drawn(cyclic);
	const [id] = (await readable(cyclic, 'cycles')).frames;
	assert.match(id, /^c\d+$/);
	await cyclic.locator(`#${id}`).focus();
	await cyclic.keyboard.press('Enter');
	await cyclic.waitForSelector('.canvas:not(.busy) g.node.group');
	await readable(cyclic, 'a cycle folded');
	for (const theme of ['light', 'dark']) {
		await cyclic.evaluate((t) => app.set({ theme: t }), theme);
		const [contrast, where] = await lowestContrast(cyclic);
		assert.ok(contrast >= 4.5 && contrast < 99, `${theme}: ${contrast.toFixed(2)} of ${where}`);
	}
	const group = await cyclic.evaluate((g) => {
		const element = document.querySelector(`#${g}`);
		element.dispatchEvent(new MouseEvent('mousemove', { clientX: 5, clientY: 5 }));
		return [...document.querySelectorAll('#tip [data-exact]')].map((e) => Number(e.dataset.exact));
	}, id);
	const members = await cyclic.evaluate(
		(g) =>
			app.model.routines
				.map((r, i) => [r.name, i])
				.filter(([, i]) => document.querySelector(`#${g}`) && !document.querySelector(`#n${i}`)),
		id,
	);
	assert.ok(members.length > 1);
	// Of all that are not drawn for themselves those are in the cycle that both call and are called by it, by way of others or not.
	const out = new Map(one_.callgraph.map((e) => [e.name, e.children.map((c) => c.name)]));
	const reach = (from) => {
		const seen = new Set();
		for (const todo of [[from]])
			while (todo.length) for (const next of out.get(todo.pop()) ?? []) if (!seen.has(next)) seen.add(next) && todo.push(next);
		return seen;
	};
	const first = await cyclic.evaluate((g) => app.model.routines[Number(g.slice(1))].name, id),
		below = reach(first),
		component = [...below].filter((name) => reach(name).has(first));
	assert.equal(
		group[0],
		one_.flat.filter((r) => component.includes(r.name)).reduce((sum, r) => sum + r.self_ns, 0),
		'own time of the cycle',
	);
	const calls = one_.callgraph
		.filter((e) => component.includes(e.name))
		.flatMap((e) => e.parents.filter((p) => !component.includes(p.name)))
		.reduce((sum, p) => sum + p.calls, 0);
	assert.equal(group[2], calls, 'calls of the cycle from elsewhere');
	await closed(cyclic);
});

test('call graph: what is saved is what is seen, as SVG and as PNG', async () => {
	for (const theme of ['light', 'dark']) {
		const tab = await bench.tab(onePage, `tab=graph&theme=${theme}`);
		await drawn(tab);
		await tab.locator('.canvas').press('ArrowRight');
		const saved = async (kind) => {
			const [download] = await Promise.all([
				tab.waitForEvent('download'),
				tab.getByRole('button', { name: kind, exact: true }).click(),
			]);
			assert.equal(download.suggestedFilename(), `program-call-graph.${kind.toLowerCase()}`);
			await download.saveAs(bench.file(`seen-${theme}.${kind.toLowerCase()}`));
			return bench.file(`seen-${theme}.${kind.toLowerCase()}`);
		};
		const look = (where) =>
			where.evaluate(() => {
				const svg = document.querySelector('.canvas svg:not(.overview)') ?? document.querySelector('svg'),
					{ x, y } = svg.getBoundingClientRect(),
					round = (v) => Math.round(v * 10) / 10;
				return [...svg.querySelectorAll('text, polygon, path')].map((e) => {
					const box = e.getBoundingClientRect(),
						style = getComputedStyle(e);
					return [
						e.textContent,
						...[box.x - x, box.y - y, box.width, box.height].map(round),
						...[style.fill, style.stroke, style.strokeWidth, style.fontSize, style.fontWeight, style.opacity],
					].join(' ');
				});
			});
		const svg = await saved('SVG'),
			png = await saved('PNG'),
			box = await tab.locator('.canvas svg:not(.overview)').boundingBox();
		const other = await bench.browser.newPage({ viewport: { width: 1280, height: 800 } });
		await other.goto(`file://${svg}`);
		const [written, seen] = [await look(other), await look(tab)];
		assert.equal(written.length, seen.length, theme);
		for (const [i, words] of seen.map((line) => line.split(' ')).entries())
			for (const [k, word] of written[i].split(' ').entries())
				assert.ok(word === words[k] || Math.abs(word - words[k]) < 0.6, `${theme}: ${written[i]}, seen as ${seen[i]}`); // letters are set anew
		await other.goto(`file://${png}`);
		assert.deepEqual(await other.locator('img').evaluate((image) => [image.naturalWidth, image.naturalHeight]), [
			Math.floor(box.width * 2),
			Math.floor(box.height * 2),
		]);
		await other.close();
		await closed(tab);
	}
});

test('threads: each alone is that of --thread, side by side they are the whole', async () => {
	const whole = bench.json('report', threads);
	const tab = await bench.tab(threadsPage, 'tab=flame&thread=split');
	const all = await frames(tab),
		level = all.filter((f) => f.depth === 1);
	near(all[0].value, whole.run.times.contexts_ns + whole.run.times.outside_ns, 'the run');
	assert.equal(level.length, 3);
	near(
		level.reduce((sum, f) => sum + f.value, 0),
		all[0].value,
		'sum of the threads',
	);
	for (let thread = 0; thread < 3; thread++) {
		const report = bench.json('report', '--thread', String(thread), threads),
			flat = byName(report.flat);
		const got = await tab.evaluate((t) => {
			const { model } = app,
				view = model.view(t),
				f = view.figures[0];
			return {
				flat: model.routines
					.map((r, i) => [r.name, f.self[i], f.total[i], f.calls[i], f.recursive[i]])
					.filter((r) => r.slice(1).some(Boolean)),
				arcs: view.arcs.list.map((a) => [
					a.from < 0 ? null : model.routines[a.from].name,
					model.routines[a.to].name,
					a.at[0].self1,
					a.at[0].child1,
					a.at[0].self2,
					a.at[0].child2,
					a.at[0].calls,
				]),
			};
		}, thread);
		assert.deepEqual(
			new Map(got.flat.map((r) => [r[0], r.slice(1)])),
			new Map([...flat].map(([n, r]) => [n, [r.self_ns, r.total_ns, r.calls, r.recursive]])),
		);
		for (const entry of report.callgraph) {
			for (const c of entry.children)
				assert.deepEqual(
					got.arcs.find((a) => a[0] === entry.name && a[1] === c.name).slice(2, 4),
					[c.self_ns, c.children_ns],
					`${entry.name} -> ${c.name}, outgoing`,
				);
			for (const p of entry.parents)
				assert.deepEqual(
					got.arcs.find((a) => a[0] === p.name && a[1] === entry.name).slice(4),
					[p.self_ns, p.children_ns, p.calls],
					`${p.name} -> ${entry.name}, incoming`,
				);
		}
	}
	await tab.locator('select[aria-label=threads]').selectOption('1');
	await sheet(tab, 'table');
	await tab.waitForSelector('.grid .tabulator-row');
	const flat = byName(bench.json('report', '--thread', '1', threads).flat);
	for (const row of await tableRows(tab)) {
		const r = flat.get(row.name);
		assert.deepEqual([row.self, row.total, row.calls], [r.self_ns, r.total_ns, r.calls], row.name);
		about(row.error, r.self_error_ns, `${row.name}: error`);
	}
	await closed(tab);
});

// A part of a time is rounded in each context, and there are some hundreds.
const close = (a, b, what) => assert.ok(Math.abs(a - b) <= 200, `${what}: ${a}, not ${b}`);

// The figures of all threads, or of THREAD, in RANGE, as the page has them: self, total, calls, recursive by routine.
const inRange = async (tab, thread, range) =>
	new Map(
		await tab.evaluate(
			([t, r]) => {
				const { model } = app,
					f = model.view(t, r).figures[0];
				return model.routines
					.map((routine, i) => [routine.name, [f.self[i], f.total[i], f.calls[i], f.recursive[i], f.selfTicks[i]]])
					.filter(([, values]) => values.some(Boolean));
			},
			[thread, range],
		),
	);

// The same as `aprof report --time-range` says.
function reportedIn(file, range, ...options) {
	const { flat } = bench.json('report', `--time-range=${range}`, ...options, file);
	return new Map(flat.map((r) => [r.name, [r.self_ns, r.total_ns, r.calls, r.recursive, r.self_ticks]]));
}

test('a range of time: every figure is that of --time-range, of all threads and of each', async () => {
	const [several, single] = [
		sliced,
		bench.make(
			'sliced-one',
			'--seed',
			'7',
			'--routines',
			'20',
			'--calls',
			'4000',
			'--ticks',
			'0.5',
			'--recursion',
			'0.2',
			'--intervals',
			'1',
		),
	];
	for (const [file, threadsThere] of [
		[several, ['0', '1', '2']],
		[single, []],
	]) {
		const tab = await bench.tab(bench.page(`${path.basename(file)}.html`, file));
		for (const range of ['..0.7', '0.3..2.1', '1.2345..', '0.002..0.006'])
			for (const thread of ['all', ...threadsThere]) {
				const want = reportedIn(file, range, ...(thread === 'all' ? [] : ['--thread', thread])),
					got = await inRange(tab, thread, range);
				assert.deepEqual([...got.keys()].sort(), [...want.keys()].sort(), `${range}, ${thread}`);
				for (const [name, values] of want)
					values.forEach((v, i) => v === undefined || close(got.get(name)[i], v, `${range}, ${thread}, ${name}`));
			}
		const whole = await inRange(tab, 'all', ''),
			parts = [await inRange(tab, 'all', '..1'), await inRange(tab, 'all', '1..')];
		for (const [name, values] of whole)
			close(
				parts.reduce((sum, part) => sum + (part.get(name)?.[0] ?? 0), 0),
				values[0],
				`sum of ${name}`,
			);
		await closed(tab);
	}
});

test('time as a sheet: an axis in seconds, a lane for each thread as high as it was busy, in the colour of its routine', async () => {
	const tab = await bench.tab(slicedPage, 'tab=time'),
		words = await tab.locator('.axis text').allTextContents();
	assert.ok(words.length >= 3 && words.every((word) => /^\d+(\.\d+)? s$/.test(word)), `${words}`);
	const steps = words.map(parseFloat),
		step = steps[1] - steps[0];
	steps.forEach((at, k) => near(at, k * step, 'the axis is even'));
	const told = bench.json('info', sliced).threads;
	assert.equal(await tab.locator('.lane').count(), told.length);
	assert.deepEqual(
		await tab.locator('.lane-name > span:first-child').allTextContents(),
		told.map((t) => `thread ${t.thread} ${t.name}`),
	);
	for (const thread of told.keys()) {
		const [drawn, worked] = await tab.evaluate((i) => {
			const canvas = document.querySelectorAll('.lane canvas')[i],
				{ data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height),
				{ slices } = app.base.sides[0],
				busy = new Float64Array(width);
			for (let k = 0; k < slices.interval.length; k++)
				if (slices.thread.at(k) === i)
					busy[Math.floor((slices.interval.at(k) * width) / app.base.intervals)] += slices.time.at(k) || 1;
			const inked = Array.from({ length: width }, (_, x) => data[((height - 1) * width + x) * 4 + 3] > 0);
			return [inked.filter(Boolean).length, [...busy].filter((v, x) => v > 0 && !inked[x]).length];
		}, thread);
		assert.ok(drawn > 0, `thread ${thread} worked`);
		assert.ok(worked <= drawn / 10, `thread ${thread}: ${worked} columns with work are empty`);
	}
	await tab.locator('.field').hover({ position: { x: 30, y: 10 } });
	assert.match(await tab.locator('#tip').innerText(), /^thread .*\n.* to .* s: busy .* %/);
	await tab.locator('.lane-name').nth(1).click();
	await tab.waitForFunction(() => location.hash.includes('thread=1'));
	await closed(tab);

	// Of several files there are lanes for the threads of each, and one range of all of them.
	const second = bench.make(
			'sliced-two',
			'--seed',
			'9',
			'--routines',
			'12',
			'--threads',
			'3',
			'--calls',
			'900',
			'--ticks',
			'0.7',
			'--intervals',
			'1',
		),
		both = await bench.tab(bench.page('sliced-both.html', sliced, second), 'tab=time');
	const named = (tab) => tab.locator('.lane-name > span:first-child').allTextContents();
	assert.deepEqual(
		(await named(both)).map((name) => name.replace(/\d+ .*|\d+$/, 'N')),
		[...Array(2).fill('process N'), ...bench.json('info', sliced, second).threads.map(() => 'thread N')],
	);
	const ticks = (files) => files.map((file) => bench.json('report', file).run.times.contexts_ns).reduce((a, b) => a + b);
	const work = await both.evaluate(() => {
		const { interval, time, thread } = app.base.sides[0].slices;
		return [Math.max(...Array.from({ length: interval.length }, (_, i) => thread.at(i))), time.sum];
	});
	assert.ok(work[0] >= told.length, 'both files are in it');
	assert.ok(work[1] > 0.9 * ticks([sliced, second]), `${work[1]}`);
	await both.locator('.lane-name').nth(1).click();
	await both.waitForFunction(() => location.hash.includes('thread=p1'));
	await closed(both);
});

test('a phase has a lane, too, in which its time stands; its name chooses the time from its begin to its end', async () => {
	const file = bench.make(
			'phased',
			'--seed',
			'9',
			'--routines',
			'12',
			'--threads',
			'2',
			'--calls',
			'4000',
			'--ticks',
			'0.7',
			...['--phases', '3', '--intervals', '3'],
		),
		tab = await bench.tab(bench.page('phased.html', file), 'tab=time'),
		told = bench.json('info', file).phases.filter((p) => p.phase !== '(stopped)');
	const lanes = await tab.evaluate(() =>
		[...document.querySelectorAll('.lane-name')].map((button, i) => ({
			name: button.firstChild.textContent,
			time: app.sheet.chart.lanes[i].work.flat().reduce((sum, v, k) => (k % 2 ? sum + v : sum), 0),
		})),
	);
	assert.deepEqual(
		lanes.map((lane) => lane.name),
		[
			...told.map((p) => `phase ${p.phase || 'before the first phase'}`),
			...bench.json('info', file).threads.map((t) => `thread ${t.thread} ${t.name}`),
		],
	);
	for (const [i, phase] of told.entries()) close(lanes[i].time, phase.contexts_ns, phase.phase);
	await tab.locator('.lane-name').nth(1).click();
	await tab.waitForFunction(() => location.hash.includes('range='));
	const [first, end] = await tab.evaluate(() => app.base.cut(app.state.range)),
		worked = await tab.evaluate(() => Object.keys(app.sheet.chart.lanes[1].work).map(Number));
	assert.ok(worked.every((i) => i >= first && i < end) && end - first < 1.1 * (worked.at(-1) - worked[0]) + 3, 'no more than that');
	await closed(tab);
});

test('a range of time is dragged, typed and taken back; it filters all sheets, and the address keeps it', async () => {
	const file = sliced,
		tab = await bench.tab(slicedPage, 'tab=flame'),
		all = (await frames(tab))[0].value;
	await sheet(tab, 'time');
	const box = await tab.locator('.field').boundingBox();
	await tab.mouse.move(box.x + box.width * 0.25, box.y + box.height / 2);
	await tab.mouse.down();
	await tab.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2, { steps: 4 });
	await tab.mouse.up();
	await tab.waitForFunction(() => location.hash.includes('range='));
	const range = await stateOf(tab, 'range'),
		time = (r) => bench.json('report', `--time-range=${r}`, file).run.times.contexts_ns;
	await sheet(tab, 'flame');
	close((await frames(tab))[0].value, time(range), 'the part that was dragged');
	assert.ok(time(range) < 0.4 * all);
	const other = await bench.tab((await addressOf(tab)).replace('tab=flame', 'tab=table')),
		flat = reportedIn(file, range);
	for (const row of await allRows(other)) {
		close(row.self, flat.get(row.name)[0], row.name);
		assert.equal(row.calls, flat.get(row.name)[2], row.name);
	}
	await closed(other);
	await sheet(tab, 'time');
	await tab.getByLabel('from second').focus();
	await tab.keyboard.press('Control+A');
	await tab.keyboard.type('0.5');
	await tab.keyboard.press('Enter');
	await tab.waitForFunction(() => location.hash.includes('range=0.5..'));
	assert.equal(await tab.evaluate(() => document.activeElement.dataset.end), 'from');
	await tab.locator('.field').focus();
	const typed = await stateOf(tab, 'range');
	await tab.keyboard.press('ArrowRight');
	await tab.waitForFunction((was) => !location.hash.includes(`range=${was}`), typed);
	assert.equal(await tab.evaluate(() => document.activeElement.dataset.end), 'field');
	await tab.keyboard.press('ArrowLeft');
	await tab.waitForFunction((was) => location.hash.includes(`range=${was}`), typed);
	await sheet(tab, 'flame');
	close((await frames(tab))[0].value, time(await stateOf(tab, 'range')), 'the part that was typed');
	await sheet(tab, 'threads');
	const shown = await stateOf(tab, 'range');
	for (const card of await cards(tab)) {
		const { run } = bench.json('report', `--time-range=${shown}`, '--thread', card.key, file);
		close(card.time[0], run.times.contexts_ns + run.times.outside_ns, card.name);
		assert.equal(card.cpu, undefined);
	}
	await sheet(tab, 'run');
	const inside = byName(bench.json('report', `--time-range=${shown}`, file).flat);
	for (const name of ['self', 'total']) {
		const rows = await tab
			.locator(`[data-list=${name}] tr`)
			.evaluateAll((all) =>
				all.map((row) => [row.querySelector('.name').title, Number(row.querySelector('[data-exact]').dataset.exact)]),
			);
		assert.ok(rows.length > 3);
		for (const [routine, value] of rows) close(value, inside.get(routine)[`${name}_ns`], `${name} of ${routine} in the range`);
	}
	const [heavy] = await tab
		.locator('[data-of=range] [data-finding=range]')
		.evaluateAll((all) =>
			all.map((card) => [card.querySelector('.name').title, Number(card.querySelector('[data-exact]').dataset.exact)]),
		);
	close(heavy[1], Math.max(...[...inside.values()].map((r) => r.self_ns)), 'what is heavy in the range');
	const tile = Number(await tab.locator('.tile [data-exact]').first().getAttribute('data-exact'));
	close(tile, time(shown), 'the tile of time');
	await tab.locator('.chips [data-key=range]').click();
	await tab.waitForFunction(() => !location.hash.includes('range='));
	await sheet(tab, 'flame');
	await settled(tab);
	assert.equal((await frames(tab))[0].value, all);
	await closed(tab);
	const none = await bench.tab(threadsPage, 'tab=time&range=0..1');
	assert.match(await none.locator('main').innerText(), /aprof run --intervals/);
	assert.equal(await none.locator('.field, .chips').count(), 0);
	assert.equal(await none.evaluate(() => app.view === app.model.view('all')), true);
	await closed(none);
});

test('of many views what was made for the last few is kept, and a tree is one for both measures', async () => {
	const tab = await bench.tab(slicedPage, 'tab=flame');
	const kept = await tab.evaluate(() => {
		const sizes = [];
		for (let i = 1; i <= 12; i++) {
			app.set({ range: `${i / 10}..${i / 10 + 0.3}`, thread: ['all', '0', 'split', '1'][i % 4] });
			sizes.push([app.caches.size, app.model.parts.size, app.view === app.view]);
		}
		const { view } = app,
			tree = app.tree('down');
		app.set({ metric: 'calls' });
		const shared = app.tree('down') === tree;
		app.set({ thread: 'all', range: '' });
		const all = app.view;
		for (let i = 1; i <= 4; i++) app.set({ thread: `${i % 3}~${(i + 1) % 3}` });
		app.set({ thread: 'all' });
		return { sizes, shared, all: app.view === all, pairs: app.model.pairs.size, before: view !== all };
	});
	for (const [caches, parts, same] of kept.sizes) assert.ok(caches <= 4 && parts <= 4 && same, `${caches} and ${parts}`);
	assert.deepEqual([kept.sizes.at(-1), kept.shared, kept.all, kept.pairs, kept.before], [[4, 4, true], true, true, 2, true]);
	await closed(tab);
});

// The figures of each card of the sheet of threads: key, and by measure what each side has.
const cards = (tab) =>
	tab.evaluate(() =>
		[...document.querySelectorAll('.slice')].map((card) => ({
			key: card.dataset.key,
			name: card.querySelector('h3').textContent,
			...Object.fromEntries(
				[...card.querySelectorAll('[data-measure]')].map((row) => [
					row.dataset.measure,
					[...row.querySelectorAll('[data-exact]')].map((e) => Number(e.dataset.exact)),
				]),
			),
		})),
	);

const reported = ({ run, flat }) => ({
	time: run.times.contexts_ns + run.times.outside_ns,
	calls: flat.reduce((sum, r) => sum + r.calls + r.recursive, 0),
});

test('threads as small charts: figures are those of --thread; sorted; one selected filters all sheets, and the address keeps it', async () => {
	const tab = await bench.tab(threadsPage, 'tab=threads'),
		told = bench.json('info', threads).threads,
		alone = told.map((t) => bench.json('report', '--thread', String(t.thread), threads));
	await tab.waitForSelector('.slice');
	let seen = await cards(tab);
	assert.equal(seen.length, told.length);
	for (const [i, card] of seen.entries()) {
		const want = reported(alone[i]);
		assert.deepEqual(
			[card.name, card.time, card.ticks, card.calls],
			[`thread ${told[i].thread} ${told[i].name}`, [want.time], [told[i].ticks], [want.calls]],
		);
	}
	await tab.locator('[aria-label="sorted by"] button[data-value=time]').click();
	await tab.waitForFunction(() => location.hash.includes('order=time'));
	seen = await cards(tab);
	assert.deepEqual(
		seen.map((card) => card.time[0]),
		alone.map((r) => reported(r).time).sort((a, b) => b - a),
	);
	const { key, name } = seen[1],
		report = alone[Number(key)];
	await tab.getByRole('button', { name: `only ${name}` }).click();
	await tab.waitForFunction((k) => location.hash.includes(`thread=${k}`), key);
	assert.equal(await tab.locator('.slice.chosen h3').innerText(), name);
	await sheet(tab, 'flame');
	assert.equal((await frames(tab))[0].value, reported(report).time);
	const other = await bench.tab((await addressOf(tab)).replace('tab=flame', 'tab=table')),
		flat = byName(report.flat);
	for (const row of await allRows(other))
		assert.deepEqual(
			[row.self, row.total, row.calls],
			[flat.get(row.name).self_ns, flat.get(row.name).total_ns, flat.get(row.name).calls],
		);
	await sheet(other, 'graph');
	await drawn(other);
	await readable(other, 'of one thread');
	await closed(other);
	await closed(tab);
});

test('a search in the sheet of threads finds them by name and by what ran in them, and leads from one to the next', async () => {
	const tab = await bench.tab(threadsPage, 'tab=threads'),
		told = bench.json('info', threads).threads,
		alone = told.map((t) => bench.json('report', '--thread', String(t.thread), threads).flat);
	const keys = () => tab.locator('.slice').evaluateAll((all) => all.map((e) => e.dataset.key));
	const search = async (text, wanted) => {
		await tab.locator('#search').fill(text);
		await tab.waitForFunction(
			(t) => document.querySelector('#place')?.textContent === t,
			wanted.length === 1 ? '1 hit' : `${wanted.length} hits`,
		);
		assert.deepEqual(await keys(), wanted, text);
	};
	const all = told.map((t) => String(t.thread));
	await search(`tid ${told[1].tid}\\b`, ['1']);
	const few = [...byName(alone.flat()).keys()].map((name) => [
		name,
		all.filter((_, i) => alone[i].some((r) => r.name === name && r.self_ns > 0)),
	]);
	const [name, ran] = [...few].sort((a, b) => a[1].length - b[1].length).find(([, where]) => where.length > 0);
	await search(`^${name.replace(/[^\w]/g, '\\$&')}$`, ran);
	assert.deepEqual(
		new Set(await tab.locator('.slice .heavy div:first-child span.hit').allTextContents()),
		new Set([name]),
		'the routine that is searched for comes first',
	);
	await tab.locator('#search').blur();
	await tab.keyboard.press('n');
	assert.equal(await tab.evaluate(() => document.activeElement.dataset.key), ran[0]);
	await tab.keyboard.press('N');
	assert.equal(await tab.evaluate(() => document.activeElement.dataset.key), ran.at(-1));
	await tab.getByLabel('hits only').uncheck();
	await tab.waitForFunction((n) => document.querySelectorAll('.slice').length === n, all.length);
	assert.equal(await tab.locator('.slice.hit').count(), ran.length);
	await tab.locator('#search').fill('nothing is called so');
	await tab.waitForFunction(() => document.querySelector('#place')?.textContent === '0 hits');
	await closed(tab);
});

test('two threads are compared as two files are', async () => {
	const tab = await bench.tab(threadsPage, 'tab=threads'),
		[base, next] = ['0', '2'].map((t) => byName(bench.json('report', '--thread', t, threads).flat));
	await tab.locator('.slice[data-key="0"] button').last().click();
	await tab.waitForFunction(() => location.hash.includes('versus=0'));
	await tab.locator('.slice[data-key="2"] button').last().click();
	await tab.waitForFunction(() => location.hash.includes('thread=0%7E2') || location.hash.includes('thread=0~2'));
	const rows = await allRows(tab);
	assert.equal(rows.length, new Set([...base.keys(), ...next.keys()]).size);
	for (const row of rows) {
		const [a, b] = [base, next].map((list) => list.get(row.name));
		assert.deepEqual(
			[row.self0, row.self1, row.total0, row.total1, row.calls0, row.calls1],
			[a?.self_ns ?? 0, b?.self_ns ?? 0, a?.total_ns ?? 0, b?.total_ns ?? 0, a?.calls ?? 0, b?.calls ?? 0],
			row.name,
		);
	}
	for (const name of ['run', 'flame', 'graph', 'tree', 'threads']) {
		await sheet(tab, name);
		await settled(tab);
		assert.equal((await tab.locator('h1 small').innerText()).trim(), 'thread 0 thread-0 → thread 2 thread-2');
		for (const theme of ['light', 'dark']) {
			await tab.evaluate((t) => app.set({ theme: t }), theme);
			await settled(tab);
			assert.deepEqual(await violations(tab), [], `${name}, ${theme}`);
		}
	}
	assert.deepEqual(await tab.locator('.slice.chosen').evaluateAll((all) => all.map((e) => e.dataset.key)), ['0', '2']);
	await tab.locator('select[aria-label=threads]').selectOption('all');
	await tab.waitForFunction(() => !location.hash.includes('thread='));
	assert.equal(await tab.locator('h1 small').count(), 0);
	await closed(tab);
});

test('processes and phases as small charts: processes are those of each file, phases what aprof info says', async () => {
	const more = bench.make('more', '--seed', '9', '--routines', '12', '--threads', '2', '--calls', '2000', '--ticks', '0.7', '--phases', '3'),
		tab = await bench.tab(bench.page('processes.html', threads, more), 'tab=threads'),
		info = bench.json('info', threads, more);
	await tab.waitForSelector('.slice');
	const seen = await cards(tab),
		processes = seen.filter((card) => card.key.startsWith('p'));
	assert.equal(processes.length, 2);
	for (const [i, card] of processes.entries()) {
		const mine = info.threads.filter((t) => t.run === i).map((t) => bench.json('report', '--thread', String(t.thread), threads, more));
		assert.deepEqual(card.time, [mine.reduce((sum, r) => sum + reported(r).time, 0)], 'time');
		assert.deepEqual(card.calls, [mine.reduce((sum, r) => sum + reported(r).calls, 0)], 'calls');
	}
	const phases = seen.filter((card) => card.key === '');
	assert.deepEqual(
		phases.map((card) => [card.name, card.time, card.calls]),
		info.phases.map((p) => [p.phase || 'before the first phase', [p.contexts_ns], [p.calls]]),
	);
	assert.ok(phases.length > 1);
	await tab.locator('.slice[data-key=p1] button').first().click();
	await tab.waitForFunction(() => location.hash.includes('thread=p1'));
	await sheet(tab, 'flame');
	assert.deepEqual([(await frames(tab))[0].value], processes[1].time);
	await closed(tab);
});

test('small charts are whole, however low the window is; the time before the first phase is called so', async () => {
	const file = bench.make('phases', '--seed', '9', '--routines', '12', '--threads', '4', '--calls', '2000', '--ticks', '0.7', '--phases', '3'),
		tab = await bench.tab(bench.page('phases.html', file), 'tab=threads', { viewport: { width: 390, height: 500 } });
	const cut = await tab
		.locator('main > section')
		.evaluateAll((all) => all.filter((section) => section.scrollHeight > section.clientHeight + 1).length);
	assert.equal(cut, 0);
	assert.deepEqual(await tab.locator('.slice h3').evaluateAll((all) => all.filter((title) => !title.textContent.trim()).length), 0);
	await closed(tab);
});

test('where names have no room beside their figures they stand above them, whole', async () => {
	const tab = await bench.tab(onePage, '', { viewport: { width: 390, height: 800 } });
	const out = await tab
		.locator('[data-list=self] .who')
		.evaluateAll(
			(all) => all.filter((cell) => cell.getBoundingClientRect().right > innerWidth || cell.clientWidth < innerWidth / 2).length,
		);
	assert.equal(out, 0);
	await closed(tab);
});

test('a picture is more than the chain of calls that most of the run goes through', async () => {
	const chain = Array.from({ length: 40 }, (_, i) => `through_${i}`),
		stacks = [`_start 2`];
	for (let i = 0; i < 12; i++) stacks.push(`${chain.join(';')};leaf_${i} ${50 + i}`);
	fs.writeFileSync(bench.file('chain.folded'), `${stacks.join('\n')}\n`);
	const tab = await bench.tab(bench.page('chain.html', bench.file('chain.folded')), 'tab=graph');
	await drawn(tab);
	const { nodes } = await readable(tab, 'chain');
	assert.ok(nodes.length > 20, `${nodes.length} nodes`);
	await closed(tab);
});

test('what is no time is not called time', async () => {
	fs.writeFileSync(
		bench.file('callgrind.out'),
		'version: 1\ncreator: a test\nevents: Dr\nfn=main\n1 100\ncfn=work\ncalls=3 2\n1 900\nfn=work\n2 900\n',
	);
	const file = bench.file('callgrind.out'),
		tab = await bench.tab(bench.page('dr.html', file));
	assert.deepEqual(await tab.locator('[data-list=self], [data-list=total]').count(), 2);
	const text = await tab.locator('main').innerText();
	assert.doesNotMatch(text, /self time|total time|its time/);
	await closed(tab);
	await sameTitles(bench.page('dr2.html', file), file);
});

test('two profiles: both sides and the change in every sheet', async () => {
	const base = byName(bench.json('report', one).flat),
		next = byName(bench.json('report', two).flat);
	const tab = await bench.tab(pairPage, 'tab=table&leaves=within'),
		rows = await allRows(tab);
	assert.equal(rows.length, new Set([...base.keys(), ...next.keys()]).size);
	for (const row of rows) {
		const a = base.get(row.name),
			b = next.get(row.name);
		assert.deepEqual(
			[row.self0, row.self1, row.total0, row.total1, row.calls0, row.calls1],
			[a?.self_ns ?? 0, b?.self_ns ?? 0, a?.total_ns ?? 0, b?.total_ns ?? 0, a?.calls ?? 0, b?.calls ?? 0],
			row.name,
		);
		assert.equal(row.selfChange, row.self1 - row.self0);
		assert.equal(row.callsChange, row.calls1 - row.calls0);
	}
	await sheet(tab, 'flame');
	await tab.waitForSelector('g.frame');
	const sum = (file) => {
		const { times } = bench.json('report', file).run;
		return times.contexts_ns + times.outside_ns;
	};
	assert.equal((await frames(tab))[0].value, sum(two));
	await tab.locator('.choice button[data-value=base]').click();
	await tab.waitForFunction(() => location.hash.includes('side=base'));
	assert.equal((await frames(tab))[0].value, sum(one));
	await sheet(tab, 'tree');
	await tab.waitForSelector('.grid .tabulator-row');
	const line = await tab
		.locator('.tabulator-row')
		.first()
		.locator('[data-exact]')
		.evaluateAll((all) => all.map((e) => Number(e.dataset.exact)));
	assert.equal(line[0], line[2] - line[1]);
	await sheet(tab, 'graph');
	await tab.waitForSelector('g.node');
	await settled(tab);
	assert.ok((await tab.locator('g.node.more, g.node.less').count()) > 0);
	await sheet(tab, 'run');
	await tab.waitForSelector('[data-list=self]');
	assert.equal(await tab.locator('.findings').count(), 0);
	const coloured = await tab
		.locator('.tile')
		.evaluateAll((all) => all.filter((t) => t.querySelector('.more, .less')).map((t) => t.querySelector('.label').textContent));
	assert.deepEqual(
		coloured.filter((label) => label !== 'time'),
		['calls'],
		'only what has a direction is coloured',
	);
	assert.deepEqual(
		await tab
			.locator('[data-list=cycles] tr')
			.evaluateAll((rows) => rows.map((row) => row.querySelectorAll('[data-exact]').length).filter((n) => n !== 4)),
		[],
		'time and calls of both sides',
	);
	await sheet(tab, 'threads');
	assert.deepEqual(await exact(tab.locator('.card [data-measure=time] [data-exact]')), [sum(one), sum(two)]);
	assert.deepEqual(
		await exact(tab.locator('.card [data-measure=calls] [data-exact]')),
		[one, two].map((file) => bench.json('report', file).run.counts.calls),
	);
	await closed(tab);
});

test('two profiles: what is news is what aprof diff says', async () => {
	const news = bench.make('news', '--seed', '7', '--routines', '40', '--calls', '46000', '--ticks', '0.12', '--recursion', '0.2');
	const fewer = bench.make('fewer', '--seed', '7', '--routines', '40', '--calls', '40000', '--ticks', '0.1', '--recursion', '0.2');
	const diff = JSON.parse(bench.aprof('diff', '--json', fewer, news)),
		tab = await bench.tab(bench.page('news.html', fewer, '--against', news), 'tab=table&leaves=within');
	const rows = await tab.evaluate(() => {
		const found = {};
		for (const row of app.model.routines.keys()) {
			const f = app.view.figures,
				of = (name) =>
					app.changeOf(
						name,
						f.map((x) => x[name][row]),
						f.map((x) => x[`${name}Variance`][row]),
					).news;
			found[app.model.routines[row].name] = [of('self'), of('total')];
		}
		return found;
	});
	for (const r of diff.routines) assert.deepEqual(rows[r.name], [r.self.news, r.total.news], r.name);
	assert.ok(diff.routines.some((r) => r.self.news) && diff.routines.some((r) => !r.self.news), 'a test of both');
	const paths = await tab.evaluate(
		() =>
			[...app.view.tree.parent.keys()].filter(
				(i) =>
					app.view.tree.own.some((own) => own.calls.at(i) || own.recursive.at(i) || own.self.at(i)) &&
					app.changeOf(
						'path',
						app.view.totals.map((t) => t.time.at(i)),
						app.view.totals.map((t) => t.variance.at(i)),
					).news,
			).length,
	);
	assert.equal(paths, diff.contexts.filter((c) => c.total.news).length);
	const arcs = await tab.evaluate(
		() =>
			app.view.arcs.list.filter((a) => {
				const times = a.at.map((x) => x.self2 + x.child2);
				return app.changeOf(
					'arc',
					times,
					a.at.map((x) => x.variance),
				).news;
			}).length,
	);
	assert.equal(arcs, diff.arcs.filter((a) => a.total.news).length);
	await closed(tab);
});

test('several runs a side: what they came to on average, as aprof diff has it', async () => {
	const runs = [4, 5, 6].map((n) =>
		bench.make(`run${n}`, '--seed', '7', '--routines', '40', '--calls', `${n}0000`, '--ticks', '0.1', '--recursion', '0'),
	);
	const files = [runs[0], runs[2], '--against', runs[1]],
		diff = JSON.parse(bench.aprof('diff', '--json', ...files)),
		tab = await bench.tab(bench.page('several.html', ...files), 'tab=table&leaves=within');
	const rows = await tab.evaluate(() =>
		Object.fromEntries(
			[...app.model.routines.keys()].map((r) => [
				app.model.routines[r].name,
				app.view.figures.flatMap((f) => [f.self[r], f.total[r], f.calls[r] + f.recursive[r]]),
			]),
		),
	);
	const near = (a, b) => Math.abs(a - b) <= Math.max(1, 1e-3 * b); // what hooks cost is taken away from contexts, of one run or of all
	for (const r of diff.routines) {
		const want = ['base', 'new'].flatMap((side) => [r.self[`${side}_ns`], r.total[`${side}_ns`], r.calls[side]]),
			have = rows[r.name];
		assert.ok(
			want.every((value, i) => near(value, have[i])),
			`${r.name}: ${have} where diff has ${want}`,
		);
	}
	assert.ok((await tab.locator('h1').innerText()).includes('mean of 2 runs'));
	// What is printed, with its mark: ~ may be noise.
	const bits = (change) => (change.news ? 'news' : 'quiet'),
		marks = await tab.evaluate(() =>
			Object.fromEntries(
				[...app.model.routines.keys()].map((routine) => [
					app.model.routines[routine].name,
					['self', 'total', 'calls'].map((name) => {
						const f = app.view.figures,
							variance = (x) => x[`${name}Variance`]?.[routine] ?? 0;
						return app.changeOf(
							name,
							f.map((x) => x[name][routine]),
							f.map(variance),
							{ routine },
						).news
							? 'news'
							: 'quiet';
					}),
				]),
			),
		);
	for (const r of diff.routines) assert.deepEqual(marks[r.name], [r.self, r.total, r.calls].map(bits), r.name);
	assert.ok(
		diff.routines.some((r) => !r.calls.news && r.calls.change !== 0),
		'there are calls that differ by chance',
	);
	const nodes = await tab.evaluate(
		() =>
			[...app.view.tree.parent.keys()].filter(
				(node) =>
					app.changeOf(
						'path',
						app.view.totals.map((t) => t.time.at(node)),
						app.view.totals.map((t) => t.variance.at(node)),
						{ node },
					).news,
			).length,
	);
	assert.equal(nodes, diff.contexts.filter((c) => c.total.news).length);
	const arcs = await tab.evaluate(() => app.view.arcs.list.filter((arc) => (arc.verdict & 4) !== 0).length);
	assert.equal(arcs, diff.arcs.filter((a) => a.total.news).length);
	const cells = await tab
		.locator('.tabulator-row [tabulator-field=selfChange] [data-exact]')
		.evaluateAll((all) => all.map((c) => c.textContent));
	assert.ok(cells.includes('~') && cells.every((text) => /^([~=]|[+−]\d.*)$/.test(text)), cells.join());
	// Tiles and headline, too.
	await sheet(tab, 'run');
	await tab.waitForSelector('.tile');
	const summary = await tab.locator('.summary [data-exact]').first().getAttribute('data-exact');
	assert.ok(Math.abs(Number(summary) - diff.whole.change_ns) <= 1e-3 * diff.whole.base_ns, `${summary} where diff has ${diff.whole.change_ns}`);
	const calls = await tab.locator('.tile', { has: tab.locator('.label', { hasText: /^calls$/ }) }).innerText();
	assert.match(calls, /50,000 → 50,000/);
	await sheet(tab, 'threads');
	const spent = await exact(tab.locator('.card [data-measure=time] [data-exact]'));
	assert.equal(spent.length, 2, 'the threads of both runs are one');
	assert.ok(Math.abs(spent[0] - diff.whole.base_ns) <= 1e-3 * diff.whole.base_ns, `${spent} where diff has ${diff.whole.base_ns}`);
	await closed(tab);
});

test('a profile compared with itself has no news', async () => {
	const tab = await bench.tab(bench.page('same.html', one, '--against', one), 'tab=table');
	const rows = await allRows(tab);
	assert.ok(rows.every((row) => row.selfChange === 0 && row.totalChange === 0 && row.callsChange === 0));
	await sheet(tab, 'run');
	assert.equal(await tab.locator('[data-list=self]').count(), 0);
	assert.ok((await tab.locator('main').innerText()).includes('Nothing changed by more than noise.'));
	await closed(tab);
});

// The keys of what is in force, from the bar over all sheets.
const chipsOf = (tab) => tab.locator('.chip').evaluateAll((all) => all.map((chip) => chip.dataset.key));

// It is narrowed down to what HASH says, and drawn.
const narrowedTo = async (tab, focus, hidden) => {
	await tab.waitForFunction(
		([f, h]) => {
			const { now } = app.stateHolder;
			return now.focus === f && now.hidden === h;
		},
		[focus, hidden],
	);
	await settled(tab);
};

// What is known of the whole run alone is told as such, of the routines in FLAT: of each case the first of these, and of the sequences those of them.
const ofAllAndThere = async (tab, flat) => {
	const of = tab.locator('[data-of=run]'),
		hot = bench.json('hot', one),
		known = new Set(bench.json('report', one).flat.map((row) => row.name)),
		there = (name) => flat.has(name) || !known.has(name),
		{ paths } = bench.json('paths', '--top=10', '--min-percent=0.1', one);
	assert.match(await of.innerText(), /is known of the run as a whole/);
	assert.equal(
		await tab.locator('.findings, [data-list=paths], [data-list=cycles]').count(),
		await of.locator('.findings, [data-list]').count(),
	);
	for (const kind of ['heavy', 'library']) {
		const wanted = hot[kind].find((found) => there(found.name)),
			card = of.locator(`[data-finding=${kind}]`);
		assert.deepEqual((await exact(card.locator('[data-exact]')))[0], wanted?.time_ns, kind);
		if (hot[kind].length && !wanted) assert.match(await card.innerText(), /none of what is looked at/);
	}
	assert.deepEqual(
		await exact(of.locator('[data-list=paths] td:first-child')),
		paths.filter((p) => p.path.every(there)).map((p) => p.time_ns),
	);
	return { hot, paths, there };
};

test('a routine in focus, by the list on it, by key and by link: every sheet has the figures of --focus, and Back takes it back', async () => {
	const tab = await bench.tab(onePage, 'tab=flame&leaves=within'),
		frame = (await frames(tab)).filter((f) => !f.more)[3],
		r = await tab.evaluate((name) => app.model.routines.findIndex((about) => about.name === name), frame.name),
		all = (await frames(tab))[0].value,
		report = bench.json('report', `--focus=${frame.name}`, one);
	await tab.locator(`g.frame[data-routine="${r}"]`).first().click({ button: 'right' });
	assert.match(await tab.locator('.actions').innerText(), /^0x\w+\s+focus on 0x/);
	await tab.getByRole('menuitem', { name: 'focus on 0x' }).click();
	await narrowedTo(tab, `r${r}`, '');
	assert.deepEqual(await chipsOf(tab), [`r${r}`]);
	assert.deepEqual(await exact(tab.locator('.chips [data-exact]')), [report.run.times.contexts_ns]);
	assert.equal((await frames(tab))[0].value, report.run.times.contexts_ns);
	await sheet(tab, 'table');
	const rows = await allRows(tab),
		flat = byName(report.flat);
	assert.equal(rows.length, flat.size);
	for (const row of rows) {
		const want = flat.get(row.name);
		assert.deepEqual(
			[row.self, row.total, row.calls, row.recursive],
			[want.self_ns, want.total_ns, want.calls, want.recursive],
			row.name,
		);
		about(row.error, want.self_error_ns, `${row.name}: error`);
	}
	await sheet(tab, 'run');
	assert.deepEqual(await exact(tab.locator('.summary b[data-exact]')), [report.run.times.contexts_ns]);
	assert.deepEqual(
		await exact(tab.locator('[data-list=self] td[data-exact]')),
		[...report.flat]
			.sort((a, b) => b.self_ns - a.self_ns)
			.slice(0, 10)
			.map((row) => row.self_ns),
	);
	await ofAllAndThere(tab, flat);
	await sheet(tab, 'tree');
	assert.equal(await tab.evaluate(() => app.tree('down').time[0]), bench.json('tree', `--focus=${frame.name}`, one).tree[0].total_ns);
	await sheet(tab, 'graph');
	assert.equal(await tab.evaluate(() => app.view.size(0, 'time')), report.run.times.contexts_ns);
	for (let i = 0; i < 4; i++) await tab.goBack();
	await tab.waitForFunction(() => app.state.tab === 'flame');
	await tab.goBack();
	await narrowedTo(tab, '', '');
	assert.equal((await frames(tab))[0].value, all);
	assert.equal(await tab.locator('.chips').count(), 0);
	// The key is about what has the focus.
	await tab.locator(`g.frame[data-routine="${r}"]`).first().focus();
	await tab.keyboard.press('f');
	await narrowedTo(tab, `r${r}`, '');
	assert.equal((await frames(tab))[0].value, report.run.times.contexts_ns);
	const other = await bench.tab(await addressOf(tab));
	assert.equal((await frames(other))[0].value, report.run.times.contexts_ns, 'the link restores it');
	await closed(other);
	await tab.keyboard.press('a');
	await narrowedTo(tab, '', '');
	await closed(tab);
});

test('hidden routines are in no sheet, and nothing is lost: by key, by list, taken back one by one and all together', async () => {
	const tab = await bench.tab(onePage, 'tab=table&leaves=within'),
		sum = async () => (await allRows(tab)).reduce((all, row) => all + row.self, 0),
		whole = await sum(),
		pick = async (r) => {
			await tab.evaluate((x) => app.set({ sel: x }), r);
			await tab.waitForFunction((x) => app.selected === x, r);
		};
	const [first, second] = await tab.evaluate(() =>
		[...app.model.routines.keys()]
			.filter((r) => !app.view.arcs.in[r].some((arc) => arc.from < 0))
			.sort((a, b) => app.view.figures[0].self[b] - app.view.figures[0].self[a])
			.slice(0, 2),
	);
	const names = await tab.evaluate((list) => list.map((r) => app.model.routines[r].name), [first, second]);
	await pick(first);
	await tab.keyboard.press('h');
	await narrowedTo(tab, '', `r${first}`);
	assert.equal(await tab.evaluate(() => app.selected), -1, 'what is hidden is not selected');
	await pick(second);
	await tab.locator('.entry').getByRole('button', { name: 'focus, hide' }).click();
	await tab.getByRole('menuitem', { name: 'hide 0x' }).click();
	await narrowedTo(tab, '', `r${first},r${second}`);
	assert.equal(await sum(), whole, 'self times add up to the same');
	const report = bench.json('report', ...names.map((name) => `--hide=${name}`), one);
	assert.deepEqual(
		new Map((await allRows(tab)).map((row) => [row.name, [row.self, row.total, row.calls + row.recursive]])),
		new Map([...byName(report.flat)].map(([name, row]) => [name, [row.self_ns, row.total_ns, row.calls + row.recursive]])),
	);
	for (const name of ['run', 'flame', 'graph', 'table', 'tree', 'threads']) {
		await sheet(tab, name);
		const text = await tab.locator('main').evaluate((main) => main.textContent);
		for (const gone of names) assert.ok(!text.includes(gone), `${name}: ${gone}`);
	}
	await sheet(tab, 'run');
	const { paths, there } = await ofAllAndThere(tab, byName(report.flat));
	assert.ok(paths.some((p) => p.path.every(there)) && !paths.every((p) => p.path.every(there)), 'some sequences are left, some are not');
	await sheet(tab, 'flame');
	for (const dir of ['down', 'up', 'sandwich']) {
		await tab.locator(`[aria-label=direction] button[data-value=${dir}]`).click();
		await tab.waitForFunction((d) => app.state.dir === d, dir);
		const text = await tab.locator('main').evaluate((main) => main.textContent);
		for (const gone of names) assert.ok(!text.includes(gone), `${dir}: ${gone}`);
	}
	await tab.locator(`.chip[data-key=r${first}]`).click();
	await narrowedTo(tab, '', `r${second}`);
	await tab.getByRole('button', { name: 'show all' }).click();
	await narrowedTo(tab, '', '');
	await closed(tab);
});

test('of many contexts the page says that it narrows them down, and follows what changes meanwhile', async () => {
	const tab = await bench.tab(onePage, 'tab=table'),
		contexts = await tab.evaluate(() => app.reading.tree.n - 1);
	assert.ok(contexts > 30000);
	await tab.evaluate(() => {
		window.said = [];
		const said = (node) => node.role === 'status' && window.said.push(node.textContent);
		new MutationObserver((all) => all.forEach(({ addedNodes }) => addedNodes.forEach(said))).observe(document.body, { childList: true });
		app.set({ sel: '3' });
		app.set({ hidden: 'r5' });
		app.set({ sel: '4', tab: 'flame' });
		app.set({ hidden: 'r5,r6' });
	});
	await narrowedTo(tab, '', 'r5,r6');
	assert.deepEqual(await tab.evaluate(() => window.said), [`narrowing down ${contexts.toLocaleString('en')} contexts …`]);
	assert.deepEqual(await chipsOf(tab), ['r5', 'r6']);
	assert.equal(await tab.evaluate(() => app.selected), 4);
	assert.ok((await frames(tab)).length > 10, 'the flame graph is there');
	assert.equal(await tab.locator('.works').count(), 0);
	await tab.keyboard.press('a');
	await narrowedTo(tab, '', '');
	assert.equal(await tab.evaluate(() => window.said.length), 1, 'all is at hand');
	await closed(tab);
});

test('a library, a file or a class is in focus or hidden as a whole, its functions without hooks too', async () => {
	const tab = await bench.tab(plainCode(), 'tab=flame'),
		file = bench.file('plain.out'),
		report = bench.json('report', '--leaves', file),
		parts = report.flat.flatMap((r) => r.parts);
	const libc = await tab.evaluate(() => {
			const [{ self }] = app.view.figures;
			return [...app.model.routines.keys()]
				.filter((r) => app.model.routines[r].leaf && /libc\.so/.test(app.model.routines[r].module))
				.reduce((a, r) => (self[r] > self[a] ? r : a));
		}),
		first = await tab.evaluate((r) => app.model.routines.findIndex((about) => about.module === app.model.routines[r].module), libc),
		inside = parts.filter((part) => /^libc\.so/.test(part.place)).reduce((all, part) => all + part.self_ns, 0);
	await tab.locator(`g.frame[data-routine="${libc}"]`).first().click({ button: 'right' });
	await tab.getByRole('menuitem', { name: /^focus on module libc/ }).click();
	await narrowedTo(tab, `m${first}`, '');
	const time = (await frames(tab))[0].value;
	assert.ok(inside > 0 && Math.abs(time - inside) <= 1e-3 * inside, `${time}, not ${inside}`);
	const leaves = await tab.evaluate(() => app.model.routines.flatMap((about, r) => (app.view.figures[0].self[r] > 1 ? [about.module] : [])));
	assert.ok(leaves.length && leaves.every((module) => /libc\.so/.test(module)), `${leaves}`);
	await tab.evaluate((key) => app.set({ focus: '', hidden: key }), `m${first}`);
	await narrowedTo(tab, '', `m${first}`);
	assert.equal(await tab.locator(`g.frame[data-routine="${libc}"]`).count(), 0);
	near((await frames(tab))[0].value, report.run.times.contexts_ns + report.run.times.outside_ns, 'nothing is lost');
	// By the line of a group.
	await tab.evaluate(() => app.set({ tab: 'table', hidden: '', kind: 'module', leaves: 'below' }));
	await settled(tab);
	await tab.locator('.tabulator-row', { has: tab.locator('.group', { hasText: 'libc.so' }) }).click({ button: 'right' });
	await tab.getByRole('menuitem', { name: /^hide module libc/ }).click();
	await narrowedTo(tab, '', `m${first}`);
	assert.equal(await tab.locator('.group', { hasText: 'libc.so' }).count(), 0);
	// By a routine: all that has hooks is in its file, and so the run alone is left.
	await tab.evaluate(() => app.set({ hidden: '', kind: 'none' }));
	await settled(tab);
	await tab.locator('.tabulator-row', { hasText: 'both' }).click({ button: 'right' });
	await tab.getByRole('menuitem', { name: /^hide file plain\.c/ }).click();
	await tab.waitForFunction(() => app.state.hidden.startsWith('f'));
	assert.deepEqual(await tab.evaluate(() => [app.view.tree.n, app.view.whole[0].time]), [1, 0]);
	await closed(tab);
});

test('narrowed down: threads side by side, charts, ranges and two profiles are so, too', async () => {
	const tab = await bench.tab(slicedPage, 'tab=threads'),
		name = await tab.evaluate(() => app.model.routines[3].name),
		focus = `--focus=${name}`;
	await tab.evaluate(() => app.set({ focus: 'r3' }));
	await narrowedTo(tab, 'r3', '');
	for (const card of await cards(tab)) {
		const { run } = bench.json('report', focus, '--thread', card.key, sliced);
		assert.equal(card.time[0], run.times.contexts_ns, card.name);
		assert.equal(card.cpu, undefined, 'which is not known of contexts');
	}
	const flat = async () => new Map((await allRows(tab)).map((row) => [row.name, [row.self, row.total, row.calls]]));
	const reported = (...given) =>
		new Map(bench.json('report', focus, ...given, sliced).flat.map((row) => [row.name, [row.self_ns, row.total_ns, row.calls]]));
	await tab.evaluate(() => app.set({ tab: 'table', thread: '1', leaves: 'within' }));
	await settled(tab);
	assert.deepEqual(await flat(), reported('--thread=1'));
	await tab.evaluate(() => app.set({ thread: 'split', tab: 'flame' }));
	await settled(tab);
	near((await frames(tab))[0].value, bench.json('report', focus, sliced).run.times.contexts_ns, 'all threads');
	await tab.evaluate(() => app.set({ thread: '0~1', tab: 'table' }));
	await settled(tab);
	const of = [0, 1].map((thread) => byName(bench.json('report', focus, `--thread=${thread}`, sliced).flat));
	for (const row of await allRows(tab))
		assert.deepEqual(
			[row.self0, row.self1],
			of.map((list) => list.get(row.name)?.self_ns ?? 0),
			row.name,
		);
	await closed(tab);
	const pair = await bench.tab(pairPage, 'tab=table&leaves=within'),
		both = await pair.evaluate(() => app.model.routines[5].name);
	await pair.evaluate(() => app.set({ hidden: 'r5' }));
	await narrowedTo(pair, '', 'r5');
	const sides = [one, two].map((file) => byName(bench.json('report', `--hide=${both}`, file).flat));
	for (const row of await allRows(pair)) {
		const [a, b] = sides.map((list) => list.get(row.name));
		assert.deepEqual(
			[row.self0, row.self1, row.total0, row.total1],
			[a?.self_ns ?? 0, b?.self_ns ?? 0, a?.total_ns ?? 0, b?.total_ns ?? 0],
		);
	}
	await closed(pair);
});

test('the list on a routine opens by mouse and keyboard, goes round, and gives the focus back', async () => {
	const tab = await bench.tab(onePage, 'tab=flame'),
		now = () => tab.evaluate(() => document.activeElement.textContent);
	await tab.locator('g.frame').nth(2).focus();
	await tab.keyboard.press('ContextMenu');
	await tab.waitForSelector('.actions');
	const [first, last] = [0, -1].map((i) => tab.locator('.actions button').nth(i));
	assert.equal(await now(), await first.textContent());
	await tab.keyboard.press('ArrowUp');
	assert.equal(await now(), await last.textContent());
	await tab.keyboard.press('ArrowDown');
	assert.equal(await now(), await first.textContent());
	assert.deepEqual(await violations(tab), []);
	await tab.keyboard.press('Escape');
	assert.equal(await tab.locator('.actions').count(), 0);
	assert.ok(await tab.evaluate(() => document.activeElement.matches('g.frame')));
	await tab.locator('g.frame').nth(2).click({ button: 'right' });
	await tab.mouse.click(5, 5);
	assert.equal(await tab.locator('.actions').count(), 0);
	await closed(tab);
});

test('a link restores the view', async () => {
	const tab = await bench.tab(onePage, 'tab=flame');
	await tab.locator('g.frame').nth(3).click();
	await tab.locator('[aria-label=measure] button[data-value=calls]').click();
	await tab.locator('#search').fill('2');
	await tab.waitForFunction(() => /q=2/.test(location.hash));
	const address = await addressOf(tab),
		look = async (t) => [await frames(t), await t.locator('.crumbs').innerText(), await t.locator('#found').innerText()];
	const other = await bench.tab(address);
	assert.deepEqual(await look(other), await look(tab));
	await closed(other);
	await closed(tab);
});

test('what an address cannot mean is left out of it: the first sheet opens, and the rest of the link holds', async () => {
	const tab = await bench.tab(onePage, 'tab=nowhere&metric=colour&hops=many&least=x&q=00$');
	assert.equal(await tab.locator('header [aria-selected=true]').innerText(), 'Run');
	assert.equal(await tab.locator('#search').inputValue(), '00$');
	await tab.evaluate(() => (location.hash = '#tab=elsewhere&dir=sideways'));
	await tab.waitForFunction(() => document.getElementById('search').value === '');
	await sheet(tab, 'flame');
	assert.equal(await tab.locator('[aria-label=direction] [aria-pressed=true]').innerText(), 'top-down');
	await closed(tab);
});

test('an expression that is none is called so, and is searched for as text', async () => {
	const tab = await bench.tab(onePage, 'tab=table');
	const told = () => tab.locator('#found').innerText();
	await tab.locator('#search').fill('(quot');
	await tab.waitForFunction(() => /no regular expression/.test(document.getElementById('found').textContent));
	assert.equal(await tab.locator('#search').getAttribute('aria-invalid'), 'true');
	assert.match(await told(), /in and below 0 routines/);
	await tab.locator('#search').fill('(quot)?');
	await tab.waitForFunction(() => document.getElementById('search').getAttribute('aria-invalid') === 'false');
	assert.doesNotMatch(await told(), /no regular/);
	await closed(tab);
});

test('the help opens at its top; + works at once in the call graph, wherever the focus is', async () => {
	const tab = await bench.tab(onePage, '', { viewport: { width: 1000, height: 420 } });
	await tab.keyboard.press('?');
	const dialog = tab.locator('dialog');
	assert.ok(await dialog.evaluate((d) => d.open && d.scrollHeight > d.clientHeight + 20), 'a test of something');
	assert.equal(await dialog.evaluate((d) => d.scrollTop), 0);
	await tab.keyboard.press('Escape');
	const look = (t) =>
		t.evaluate(() => [
			document.querySelectorAll('g.node').length,
			Number(/scale\(([\d.]+)/.exec(document.querySelector('.canvas svg:not(.overview) > g').getAttribute('transform'))[1]),
		]);
	const other = await bench.tab(onePage, 'tab=graph', { viewport: { width: 1000, height: 420 } }),
		[nodes, scale] = await look(other);
	await other.keyboard.press('+'); // where nothing has the focus
	await settled(other);
	const then = await look(other);
	assert.ok(then[0] > nodes || then[1] > scale, `${then}, before ${nodes},${scale}`);
	await tab.keyboard.press('3');
	await tab.keyboard.press('+'); // before there is a picture
	await tab.waitForFunction((was) => document.querySelectorAll('g.node').length === was && !document.querySelector('.busy'), then[0]);
	assert.deepEqual(await look(tab), then);
	await closed(other);
	await closed(tab);
});

test('a search is followed in every sheet: n and N, the place of a hit, trees unfolded to hits and to nothing else', async () => {
	const tab = await bench.tab(onePage, 'tab=tree'),
		tree = bench.json('tree', one).tree.filter((n) => n.total_ns > 0),
		wanted = bench.json('report', one).flat.at(-3).name; // light, so deep in the tree
	const place = () => tab.locator('#place').innerText(),
		told = (text) => tab.waitForFunction((t) => document.querySelector('#place')?.textContent === t, text);
	const leads = new Set();
	for (const n of tree.filter((x) => x.name === wanted))
		for (let at = n; at?.node > 0 && !leads.has(at.node); at = tree.find((x) => x.node === at.parent)) leads.add(at.node);
	const hits = tree.filter((n) => n.name === wanted).length,
		most = 100;
	assert.ok(hits > 2, 'a test of several');
	await tab.locator('#search').fill(`^${wanted}$`);
	await told(hits < most ? `${hits} hits` : `${most}+ hits`);
	const tops = await tab.locator('.tabulator-row.tabulator-tree-level-0 .branch').allTextContents();
	const leading = new Set(tree.filter((n) => n.parent === 0 && leads.has(n.node)).map((n) => n.name));
	assert.ok(tops.length > 0 && tops.every((name) => leading.has(name.replace(/'$/, ''))), 'only what leads to hits');
	const ends = tab.locator('.tabulator-row:not(:has(.tabulator-data-tree-control))');
	assert.equal(await ends.count(), await ends.filter({ has: tab.locator('.branch.hit') }).count(), 'all ways end at hits');
	await tab.locator('#search').blur();
	for (const [key, nth] of [
		['n', 1],
		['n', 2],
		['N', 1],
	]) {
		await tab.keyboard.press(key);
		await told(`${nth} of ${hits < most ? hits : `${most}+`}`);
		assert.equal((await tab.locator('.tabulator-selected .branch').textContent()).replace(/'$/, ''), wanted);
	}
	await tab.getByLabel('hits only').uncheck();
	await tab.waitForFunction(() => location.hash.includes('only=0'));
	await tab.waitForSelector('.tabulator-row .branch.hit');
	await tab.evaluate(() => app.set({ only: '1', q: '00$' }));
	for (const name of ['run', 'flame', 'graph', 'table']) {
		await sheet(tab, name);
		await settled(tab);
		await tab.waitForFunction(() => /^[1-9]\d* hits?$/.test(document.querySelector('#place')?.textContent));
		const n = parseInt(await place(), 10);
		await tab.keyboard.press('n');
		await told(`1 of ${n}`);
		await tab.keyboard.press('N');
		await told(`${n} of ${n}`);
	}
	await closed(tab);
});

test('on a telephone the controls are lines that scroll sideways, and the sheet has the room', async () => {
	const names = longNames(),
		room = { viewport: { width: 390, height: 844 } };
	for (const page of [names, pairPage, threadsPage, slicedPage])
		for (const name of ['run', 'flame', 'graph', 'table', 'tree', 'threads']) {
			const tab = await bench.tab(page, `tab=${name}`, room);
			await settled(tab);
			await tab.evaluate(() => app.set({ sel: app.heaviest('self'), q: '.' }));
			await settled(tab);
			const seen = await tab.evaluate(() => {
				const box = (e) => e?.getBoundingClientRect();
				return {
					header: box(document.querySelector('header')).height,
					bar: box(document.querySelector('main .bar'))?.height ?? 0,
					tab: box(document.querySelector('[aria-selected=true]')).right,
					left: box(document.querySelector('[aria-selected=true]')).left,
					wide: document.documentElement.scrollWidth,
					names: [
						...document.querySelectorAll(
							'.tabulator-row:is(.tabulator-tree-level-0, .tabulator-tree-level-1, .tabulator-tree-level-5) .branch',
						),
					].map((e) => {
						const cell = box(e.closest('.tabulator-cell'));
						return [
							box(e).top >= cell.top && box(e).top < cell.bottom && box(e).right <= cell.right + 1,
							box(e.querySelector('.last')).width,
						];
					}),
				};
			});
			assert.ok(seen.header <= (page === slicedPage ? 150 : 115) && seen.bar <= 45, `${name}: ${JSON.stringify(seen)}`);
			assert.ok(seen.left >= 0 && seen.tab <= 390 - 20, `${name}: its tab is seen`);
			assert.equal(seen.wide, 390, name);
			assert.ok(
				seen.names.every(([inside, width]) => inside && width > 8),
				`${name}: names are in their cells: ${JSON.stringify(seen.names)}`,
			);
			await closed(tab);
		}
});

// axe-core's rules that another theme may break.
const OF_COLORS = ['color-contrast', 'link-in-text-block'];

// What axe-core finds wrong in TAB as it stands, by RULES or by all that it has: rule, element, why.
async function violations(tab, rules) {
	if (!(await tab.evaluate(() => 'axe' in window)))
		await tab.addScriptTag({ path: path.join(bench.build, 'src/show/page/node_modules/axe-core/axe.min.js') });
	return tab.evaluate(async (runOnly) => {
		const found = await window.axe.run({ resultTypes: ['violations'], ...(runOnly && { runOnly }) });
		return found.violations.map((v) => [v.id, v.nodes[0].html, v.nodes[0].failureSummary]);
	}, rules);
}

// The lowest contrast of the text of frames and nodes with what is behind it, by the formula of WCAG 2.
const lowestContrast = (tab) =>
	tab.evaluate(() => {
		const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
		const parse = (color) => {
			canvas.clearRect(0, 0, 1, 1);
			canvas.fillStyle = color;
			canvas.fillRect(0, 0, 1, 1);
			const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
			return { rgb: [r, g, b], a: a / 255 };
		};
		const over = (top, alpha, below) => top.map((v, i) => v * alpha + below[i] * (1 - alpha));
		const luminance = (rgb) => {
			const [r, g, b] = rgb.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
			return 0.2126 * r + 0.7152 * g + 0.0722 * b;
		};
		const opacity = (e) => (e && e !== document.documentElement ? Number(getComputedStyle(e).opacity) * opacity(e.parentElement) : 1);
		const paper = parse(getComputedStyle(document.body).backgroundColor).rgb;
		let lowest = [99, ''];
		for (const g of document.querySelectorAll('g.frame, g.node')) {
			const shape = g.querySelector('rect, polygon'),
				text = g.querySelector('.d3-flame-graph-label, text'),
				style = getComputedStyle(shape),
				fill = parse(style.fill);
			if (getComputedStyle(text).display === 'none') continue;
			const behind = over(fill.rgb, fill.a * Number(style.fillOpacity) * opacity(shape), paper);
			const ink = parse(text.tagName === 'text' ? getComputedStyle(text).fill : getComputedStyle(text).color);
			const [a, b] = [luminance(behind), luminance(over(ink.rgb, ink.a * opacity(text), behind))].sort((x, y) => y - x),
				contrast = (a + 0.05) / (b + 0.05);
			if (contrast < lowest[0]) lowest = [contrast, `${g.getAttribute('class')} ${text.textContent}`];
		}
		return lowest;
	});

test('text that stands back can be read: contrast 4.5 at least, in both themes', async () => {
	const first = await bench.tab(onePage),
		deep = await first.evaluate(() => {
			const t = app.view.tree,
				third = t.parent.findIndex((up) => up > 0 && t.parent[up] > 0), // the first that is so deep
				links = [];
			for (let i = third; i > 0; i = t.parent[i]) links.unshift((t.routine[i] * 2 + (t.flags[i] & 1)).toString(36));
			return links.join('.');
		});
	await closed(first);
	for (const theme of ['light', 'dark']) {
		const tab = await bench.tab(onePage, `theme=${theme}`);
		for (const view of [
			{ tab: 'flame' },
			{ q: '00$' },
			{ q: '', zoom: deep },
			{ colour: 'module' },
			{ colour: 'self' },
			{ colour: 'calls' },
			{ tab: 'graph', least: 5, zoom: '' },
			{ sel: 3 },
			{ q: '00$' },
		]) {
			await tab.evaluate((v) => app.set(v), view);
			await tab.waitForSelector('g.frame, g.node');
			await settled(tab);
			const [contrast, where] = await lowestContrast(tab);
			assert.ok(contrast >= 4.5 && contrast < 99, `${theme}, ${JSON.stringify(view)}: ${contrast.toFixed(2)} of ${where}`);
		}
		await closed(tab);
		const two = await bench.tab(pairPage, `tab=flame&theme=${theme}`);
		for (const then of ['as it is', 'printed', 'by the other theme']) {
			await two.emulateMedia({ media: then === 'printed' ? 'print' : 'screen' });
			if (then === 'printed') await two.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
			if (then === 'by the other theme') await two.keyboard.press('t');
			const [contrast, where] = await lowestContrast(two);
			assert.ok(contrast >= 4.5 && contrast < 99, `${theme}, two profiles, ${then}: ${contrast.toFixed(2)} of ${where}`);
			if (then === 'printed') await two.evaluate(() => window.dispatchEvent(new Event('afterprint')));
		}
		await closed(two);
	}
});

test("readers of screens, and who has no mouse: axe-core's rules hold in every sheet, in both themes", async () => {
	const none = { sel: '', q: '', dir: 'down', tree: 'down', least: '' };
	for (const page of [onePage, pairPage, threadsPage, slicedPage]) {
		const tab = await bench.tab(page, page === slicedPage ? 'range=0.5..1.4' : '');
		const alike = [
			{ tab: 'flame', dir: 'sandwich', sel: 3 },
			{ tab: 'graph', least: 5 },
			{ tab: 'table', q: '00$' },
			{ tab: 'tree', tree: 'up' },
		];
		for (const view of [
			{ tab: 'run' },
			{ tab: 'flame' },
			{ tab: 'graph', least: 5, sel: 3 },
			{ tab: 'table', sel: 3 },
			{ tab: 'tree' },
			{ tab: 'threads' },
			{ tab: 'time' },
			...(page === onePage ? alike : []), // what they have is the same in all pages
		]) {
			for (const [theme, rules] of [['light'], ['dark', OF_COLORS]]) {
				await tab.evaluate((v) => app.set(v), { ...none, ...view, theme });
				await settled(tab);
				if (['table', 'tree'].includes(view.tab)) await tab.waitForSelector('.grid .tabulator-row');
				assert.deepEqual(await violations(tab, rules), [], `${theme}, ${JSON.stringify(view)}`);
			}
		}
		await closed(tab);
	}
});

test('on paper a sheet is whole, light, and has nothing to press', async () => {
	const tab = await bench.tab(onePage, 'theme=dark&tab=table'),
		flat = bench.json('report', one).flat,
		tree = bench.json('tree', one).tree;
	await tab.waitForSelector('.grid .tabulator-row');
	await tab.emulateMedia({ media: 'print' });
	const printed = () =>
		tab.evaluate(() => {
			window.dispatchEvent(new Event('beforeprint'));
			const rows = [...document.querySelectorAll('.tabulator-print-table tbody tr')].map((row) =>
				[...row.querySelectorAll('[data-exact]')].map((figure) => Number(figure.dataset.exact)),
			);
			window.dispatchEvent(new Event('afterprint'));
			return rows;
		});
	const rows = await printed();
	assert.equal(rows.length, flat.length);
	assert.deepEqual(new Set(rows.map((row) => row[0])), new Set(flat.map((r) => r.self_ns)));
	assert.equal(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
	await tab.emulateMedia({ media: 'screen' });
	await sheet(tab, 'tree');
	await tab.waitForSelector('.grid .tabulator-row');
	await tab.emulateMedia({ media: 'print' });
	const lines = await printed();
	assert.equal(
		lines[0][0],
		tree.filter((n) => n.parent === 0).reduce((most, n) => Math.max(most, n.total_ns), 0),
	);
	assert.ok(lines.length > 10);
	await tab.emulateMedia({ media: 'screen' });
	for (const name of ['run', 'flame', 'graph', 'threads', 'time']) {
		await sheet(tab, name);
		await settled(tab);
		await tab.emulateMedia({ media: 'print' });
		const [cut, pressed] = await tab.evaluate(() => {
			const main = document.querySelector('main'),
				buttons = [...document.querySelectorAll('header button, .bar button')].filter((b) => b.checkVisibility());
			return [
				main.scrollHeight - main.clientHeight,
				buttons.filter((b) => b.ariaSelected !== 'true' && b.ariaPressed !== 'true').length,
			];
		});
		assert.ok(cut <= 1, `${name}: ${cut}`);
		assert.equal(pressed, 0, name);
		await tab.emulateMedia({ media: 'screen' });
	}
	await closed(tab);
});

test('on paper names stand in one cell, few lines high, and pictures are whole', async () => {
	const tab = await bench.tab(longNames(), 'tab=table', { viewport: { width: 1000, height: 700 } });
	await tab.waitForSelector('.grid .tabulator-row');
	const pages = async () => (await tab.pdf({ preferCSSPageSize: true })).toString('latin1').match(/\/Type\s*\/Page\b/g).length,
		rows = await tab.evaluate(() => app.model.routines.length);
	const n = await pages();
	assert.ok(n <= 3 + rows / 12, `${n} pages for ${rows} routines`);
	await tab.emulateMedia({ media: 'print' });
	const heights = await tab.evaluate(() => {
		window.dispatchEvent(new Event('beforeprint'));
		const all = [...document.querySelectorAll('.tabulator-print-table tbody tr')].map(
			(row) => row.cells[0].getBoundingClientRect().height,
		);
		window.dispatchEvent(new Event('afterprint'));
		return all;
	});
	assert.ok(heights.length > 10 && Math.max(...heights) < 70, `${Math.max(...heights)}`);
	await tab.emulateMedia({ media: 'screen' });
	await sheet(tab, 'graph');
	await tab.waitForSelector('g.node');
	for (let i = 0; i < 3; i++) await tab.keyboard.press('+');
	await settled(tab);
	await tab.emulateMedia({ media: 'print' });
	const whole = await tab.evaluate(() => {
		window.dispatchEvent(new Event('beforeprint'));
		const svg = document.querySelector('.canvas svg:not(.overview)').getBoundingClientRect(),
			inside = [...document.querySelectorAll('g.node')].every((g) => {
				const box = g.getBoundingClientRect();
				return (
					box.left >= svg.left - 1 &&
					box.right <= svg.right + 1 &&
					box.top >= svg.top - 1 &&
					box.bottom <= svg.bottom + 1
				);
			});
		window.dispatchEvent(new Event('afterprint'));
		return inside;
	});
	assert.ok(whole);
	await closed(tab);
});

test('heat can be seen in both themes', async () => {
	for (const theme of ['light', 'dark']) {
		const tab = await bench.tab(onePage, `tab=graph&theme=${theme}`);
		await tab.waitForSelector('g.node.hot');
		await settled(tab);
		const far = await tab.evaluate(() => {
			const pen = document.createElement('canvas').getContext('2d', { willReadFrequently: true }),
				rgb = (colour) => {
					pen.fillStyle = colour;
					pen.fillRect(0, 0, 1, 1);
					return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
				},
				card = rgb(getComputedStyle(document.body).getPropertyValue('--card')),
				heat = (g) => Number.parseFloat(g.style.getPropertyValue('--heat')),
				nodes = [...document.querySelectorAll('g.node.hot')].sort((a, b) => heat(b) - heat(a));
			return [
				heat(nodes[0]),
				Math.hypot(...rgb(getComputedStyle(nodes[0].querySelector('polygon')).fill).map((v, i) => v - card[i])),
			];
		});
		assert.ok(far[1] > 1.2 * far[0], `${theme}: ${far}`);
		await closed(tab);
	}
});

test('keys: sheets, measure, theme, frames, help', async () => {
	const tab = await bench.tab(onePage, '', { colorScheme: 'light' });
	for (const [key, sheet] of [
		['2', 'flame'],
		['3', 'graph'],
		['4', 'table'],
		['5', 'tree'],
		['6', 'threads'],
		['7', 'time'],
		['1', 'run'],
	]) {
		await tab.keyboard.press(key);
		await tab.waitForFunction((s) => document.body.dataset.tab === s, sheet);
	}
	const paper = () => tab.evaluate(() => getComputedStyle(document.body).backgroundColor);
	const light = await paper();
	await tab.keyboard.press('t');
	assert.notEqual(await paper(), light);
	await tab.keyboard.press('2');
	await tab.locator('g.frame').first().focus();
	await tab.keyboard.press('ArrowDown');
	await tab.keyboard.press('ArrowDown');
	assert.ok((await tab.locator('#tip').innerText()).includes('total'));
	await tab.keyboard.press('Enter');
	await tab.waitForFunction(() => document.querySelectorAll('.crumbs button').length === 3);
	await tab.keyboard.press('?');
	assert.ok(await tab.locator('dialog').isVisible());
	await closed(tab);
});

// A program of C++, built and run once; the page of its profile is names.html.
let namesPage;
function longNames() {
	if (namesPage) return namesPage;
	fs.copyFileSync(path.join(here, 'names.cc'), bench.file('names.cc'));
	bench.run(path.join(bench.build, 'aprof-c++'), '-O1', '-g', '-o', 'names', 'names.cc');
	bench.run(bench.file('names'));
	fs.renameSync(bench.file('amon.out'), bench.file('names.out'));
	namesPage = bench.page('names.html', bench.file('names.out'));
	return namesPage;
}

// A program whose time goes on in libc: both() fills memory for one caller and sorts for the other; the page of its profile is plain.html.
let plainPage;
function plainCode() {
	if (plainPage) return plainPage;
	fs.writeFileSync(
		bench.file('plain.c'),
		`#include <stdlib.h>
#include <string.h>
static char room[1 << 16];
static int numbers[3000];
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) void both(int sorts)
{
	if (!sorts) {
		for (int i = 0; i < 300; i++) { memset(room, i, sizeof room); __asm__ volatile("" : : "r"(room) : "memory"); }
		return;
	}
	for (int i = 0; i < 3000; i++)
		numbers[i] = i * 7919 % 3001;
	qsort(numbers, 3000, sizeof *numbers, by_value);
}
__attribute__((noinline)) void fills(void) { both(0); __asm__ volatile(""); }
__attribute__((noinline)) void sorts(void) { both(1); __asm__ volatile(""); }
int main(void) { for (int i = 0; i < 1200; i++) { fills(); sorts(); } return 0; }
`,
	);
	bench.run(path.join(bench.build, 'aprof-cc'), '-O1', '-g', '--aprof-except=by_value', '-o', 'plain', 'plain.c');
	bench.aprof('run', '--no-report', '--data=plain.out', './plain');
	plainPage = bench.page('plain.html', bench.file('plain.out'));
	return plainPage;
}

// The branches of the flame graph on show, in DIR, each with its children's sum.
const branchesOf = (tab, dir) =>
	tab.evaluate((d) => {
		const found = [],
			look = (b, names) => {
				found.push({
					names,
					leaf: b.leaf,
					time: b.time[0],
					self: b.self[0],
					below: b.children.reduce((sum, c) => sum + c.time[0], 0),
					calls: b.entries[0],
					sampled: b.sampled,
				});
				if (names.length < 6) b.children.forEach((c) => look(c, [...names, app.model.routineName(c.routine)]));
			};
		look(app.tree(d), []); // as the sheet has made it
		return found;
	}, dir);

// What the page calls a function, of which the reports have the processor's variant beside.
const publicName = (name) => name.replace(/ \(__\w+\)$/, '');

// What the C library's function is called there that does the work of NAME.
const variantOf = (name) =>
	publicName(
		bench
			.json('report', '--leaves', bench.file('plain.out'))
			.flat.flatMap((r) => r.parts)
			.filter((part) => part.name.includes(name))
			.sort((a, b) => b.self_ns - a.self_ns)[0].name,
	);

test('code without hooks stands below its callers: times are conserved, and those of aprof report --leaves', async () => {
	const tab = await bench.tab(plainCode(), 'tab=flame'),
		file = bench.file('plain.out'),
		report = bench.json('report', '--leaves', file),
		whole = report.run.times.contexts_ns + report.run.times.outside_ns;
	await tab.waitForSelector('g.frame.leaf');
	const all = await branchesOf(tab, 'down'),
		at = (...names) => all.find((b) => isDeepStrictEqual(b.names, names)) ?? { time: 0 };
	near(all[0].time, whole, 'the run');
	for (const b of all) if (b.names.length < 6) near(b.self + b.below, b.time, b.names.join(' '));
	assert.ok(all.filter((b) => b.leaf).every((b) => b.below === 0 && b.calls === 0));
	// Each function is where its samples were: of one routine in one context it is this, in the other that.
	const [fills, sorts] = ['fills', 'sorts'].map((name) => ['main', name, 'both']);
	const memset = variantOf('memset'),
		sorting = all.filter((b) => b.leaf && isDeepStrictEqual(b.names.slice(0, -1), sorts) && /sort|mem(cpy|move)/.test(b.names.at(-1)));
	assert.ok(at(...fills, memset).time > 0.8 * at(...fills).time && at(...fills, memset).sampled > 0);
	assert.ok(at(...sorts, memset).time < 0.1 * at(...sorts).time);
	assert.ok(sorting.reduce((sum, b) => sum + b.time, 0) > 0.5 * at(...sorts).time);
	// The sums of each routine are the report's.
	for (const r of report.flat)
		for (const part of r.parts) {
			const sum = all
				.filter((b) => b.leaf && b.names.at(-1) === publicName(part.name) && b.names.at(-2) === r.name)
				.reduce((s, b) => s + b.time, 0);
			assert.ok(Math.abs(sum - part.self_ns) <= 2 + 1e-3 * r.self_ns, `${r.name}: ${part.name}: ${sum}, not ${part.self_ns}`);
		}
	// Bottom-up its callers are above it.
	await tab.evaluate(() => app.set({ dir: 'up' }));
	const up = await branchesOf(tab, 'up');
	near(up[0].below, report.run.times.contexts_ns, 'all that ran');
	for (const b of up) if (b.names.length === 1 && b.names[0] !== 'main') near(b.below, b.time, b.names[0]);
	const parts = report.flat.flatMap((r) => r.parts).filter((part) => publicName(part.name) === memset);
	assert.ok(
		Math.abs(up.find((b) => b.names[0] === memset && b.names.length === 1).time - parts.reduce((s, p) => s + p.self_ns, 0)) <
			1e-3 * whole,
	);
	await closed(tab);
});

test('routines at 1440: the heaviest is selected, names have room, the pane is resized, the source begins at its hottest line, in colours', async () => {
	const tab = await bench.tab(longNames(), 'tab=table', { viewport: { width: 1440, height: 900 } });
	await tab.waitForSelector('.tabulator-row.tabulator-selected');
	const heaviest = await tab.evaluate(() => app.model.routineName(app.heaviest('self')));
	assert.equal(await tab.locator('.entry h2').first().innerText(), heaviest);
	assert.equal(
		await tab
			.locator('.tabulator-row.tabulator-selected .name')
			.innerText()
			.then((text) => text.replace(/\n/g, '')),
		heaviest,
	);
	const wide = (where) =>
		tab
			.locator(where)
			.first()
			.boundingBox()
			.then((box) => box.width);
	assert.ok((await wide('.tabulator-col[tabulator-field=name]')) >= 350, 'names have room');
	const before = await wide('.entry');
	await tab.locator('.splitter').focus();
	for (let i = 0; i < 3; i++) await tab.keyboard.press('ArrowLeft');
	const after = await wide('.entry');
	assert.ok(after > before + 40, `${after}, before ${before}`);
	const other = await bench.tab(await addressOf(tab), '', { viewport: { width: 1440, height: 900 } });
	assert.ok(Math.abs((await other.locator('.entry').first().boundingBox()).width - after) < 2, 'a link keeps it');
	await closed(other);
	const box = await tab.locator('.splitter').boundingBox();
	await tab.mouse.move(box.x + box.width / 2, box.y + 200);
	await tab.mouse.down();
	await tab.mouse.move(box.x + 200, box.y + 200, { steps: 3 });
	await tab.mouse.up();
	assert.ok((await wide('.entry')) < after - 100);
	await tab.locator('.splitter').dblclick();
	assert.ok(Math.abs((await wide('.entry')) - before) < 2);
	await tab.keyboard.press('Escape');
	await tab.waitForFunction(() => !document.querySelector('.tabulator-row.tabulator-selected'));

	await closed(tab);
	const deep = await bench.tab(deepProgram(), 'tab=table', { viewport: { width: 1440, height: 900 } }),
		tall = await deep.evaluate(() => app.model.routines.findIndex((r) => r.name === 'tall'));
	await deep.evaluate((r) => app.set({ sel: r }), tall);
	await deep.waitForSelector('.source .hottest');
	const [cost, most, inSight, scrolled] = await deep.evaluate(() => {
		const row = document.querySelector('.source .hottest'),
			costs = [...document.querySelectorAll('.source .cost')].map((cell) => Number(cell.dataset.exact)),
			[line, box] = [row, row.closest('.scroll')].map((e) => e.getBoundingClientRect());
		return [
			Number(row.querySelector('.cost').dataset.exact),
			Math.max(...costs),
			line.top >= box.top && line.bottom <= box.bottom,
			row.closest('.scroll').scrollTop,
		];
	});
	assert.equal(cost, most);
	assert.ok(inSight && scrolled > 0, `${scrolled}`);
	for (const kind of ['word', 'number', 'comment']) assert.ok((await deep.locator(`.source .s-${kind}`).count()) > 0, kind);
	assert.deepEqual(
		(await deep.locator('.source code').allTextContents()).map((line) => line.trim()),
		await deep.evaluate((r) => app.model.sides[0].sources.find((s) => s.routine === r).text.map((line) => line.trim()), tall),
		'colours change no letter',
	);
	await closed(deep);
});

// A chain of calls through which all of the run goes, and what it does at its end, some of it at the end of a long function.
let deepPage;
function deepProgram() {
	if (deepPage) return deepPage;
	const depth = 30,
		works = 12;
	const text = [
		'static volatile unsigned long sink;',
		'__attribute__((noinline)) void tall(void)',
		'{',
		...Array.from({ length: 80 }, () => '\tsink++; // a step'),
		'\tfor (long k = 0; k < 20000000; k++) sink += k;',
		'}',
		...Array.from(
			{ length: works },
			(_, i) => `__attribute__((noinline)) void work${i}(void) { for (long k = 0; k < ${(i + 1) * 300000}; k++) sink += k; }`,
		),
		`__attribute__((noinline)) void link${depth}(void) { ${Array.from({ length: works }, (_, i) => `work${i}();`).join(' ')} tall(); sink++; }`,
		...Array.from({ length: depth }, (_, i) => depth - 1 - i).map(
			(i) => `__attribute__((noinline)) void link${i}(void) { link${i + 1}(); sink++; }`,
		),
		'int main(void) { for (int i = 0; i < 8; i++) link0(); return 0; }',
	].join('\n');
	fs.writeFileSync(bench.file('deep.c'), text);
	bench.run(path.join(bench.build, 'aprof-cc'), '-O1', '-g', '-o', 'deep', 'deep.c');
	bench.run(bench.file('deep'));
	fs.renameSync(bench.file('amon.out'), bench.file('deep.out'));
	return (deepPage = bench.page('deep.html', bench.file('deep.out')));
}

test('call graph: what is below a chain that has all of the run is drawn, too; a list of all routines, and a map of the picture, are beside it', async () => {
	const tab = await bench.tab(deepProgram(), 'tab=graph&leaves=within', { viewport: { width: 1024, height: 700 } });
	await tab.waitForSelector('g.node');
	await settled(tab);
	const partly = await tab.evaluate(() => [...document.querySelectorAll('g.node')].filter((g) => !/total 100 %/.test(g.textContent)).length);
	assert.ok(partly >= 4, `${partly} routines with less than all`);
	assert.doesNotMatch(await tab.locator('.slider output').innerText(), /100 %/);
	const listed = await tab.locator('.inclusive tbody tr').evaluateAll((rows) => rows.map((row) => Number(row.dataset.routine))),
		wanted = await tab.evaluate(() => {
			const { total, calls } = app.view.figures[0];
			return [...total.keys()].filter((r) => total[r] > 0 || calls[r] > 0).sort((a, b) => total[b] - total[a]);
		});
	assert.equal(listed.length, wanted.length);
	assert.deepEqual(new Set(listed), new Set(wanted));
	const view = () => tab.evaluate(() => document.querySelector('.canvas svg:not(.overview) > g').getAttribute('transform'));
	assert.ok(await tab.locator('.overview').isVisible(), 'there is a map of what is seen in part');
	const before = await view(),
		map = await tab.locator('.overview').boundingBox();
	await tab.mouse.click(map.x + map.width / 2, map.y + map.height - 4);
	assert.notEqual(await view(), before);
	await tab.locator('.inclusive tr', { hasText: 'work11' }).locator('button').click();
	await settled(tab);
	await tab.waitForSelector('g.node.selected');
	assert.match(await tab.locator('g.node.selected').textContent(), /work11/);
	assert.equal(await tab.locator('.inclusive tr.selected').count(), 1);
	await tab.locator('#search').fill('^link');
	await tab.waitForFunction(() => document.querySelectorAll('.inclusive tbody tr').length === 31);
	await closed(tab);
});

test('keys of speedscope and of the Firefox Profiler do the same here', async () => {
	const tab = await bench.tab(onePage, 'tab=flame');
	await tab.keyboard.press('+');
	await tab.waitForFunction(() => location.hash.includes('zoom='));
	await tab.keyboard.press('-');
	await tab.waitForFunction(() => !location.hash.includes('zoom='));
	await tab.keyboard.press('+');
	await tab.keyboard.press('+');
	await tab.waitForFunction(() => document.querySelectorAll('.crumbs button').length === 3);
	await tab.keyboard.press('0');
	await tab.waitForFunction(() => !location.hash.includes('zoom='));
	await tab.keyboard.press('Control+f');
	assert.equal(await tab.evaluate(() => document.activeElement.id), 'search');
	await tab.locator('#search').blur();
	await sheet(tab, 'tree');
	await tab.locator('.tabulator-row').first().click();
	const lines = () => tab.evaluate(() => document.querySelectorAll('.tabulator-row .tabulator-data-tree-control-collapse').length);
	const before = await lines();
	await tab.locator('.grid').press('*');
	await tab.waitForFunction((n) => document.querySelectorAll('.tabulator-row .tabulator-data-tree-control-collapse').length > n, before);
	await closed(tab);
});

test('code without hooks: in the tree, the graph, the search and the table, as is chosen', async () => {
	const tab = await bench.tab(plainCode(), 'tab=tree'),
		report = bench.json('report', bench.file('plain.out')),
		self = (name) => report.flat.find((r) => r.name === name).self_ns,
		memsetName = variantOf('memset'),
		choose = (value) => tab.locator(`[aria-label="code without hooks"] button[data-value=${value}]`).click(),
		names = () => tab.locator('.grid .name').allInnerTexts();
	await tab.locator('#search').fill(`^${memsetName}$`);
	await tab.waitForFunction((n) => [...document.querySelectorAll('.grid .hit .name')].some((e) => e.textContent === n), memsetName);
	const [found] = await exact(tab.locator('#found b'));
	assert.ok(found > 0.1 * report.run.times.contexts_ns && found <= self('both') + self('main') + self('fills') + self('sorts'));
	assert.ok((await names()).includes('fills'));
	await choose('within');
	await tab.waitForFunction(() => !document.querySelector('.grid .name'));
	await tab.locator('#search').fill('');
	await tab.waitForFunction(() => document.querySelector('.grid .name'));
	assert.ok(!(await names()).includes(memsetName));
	await sheet(tab, 'graph');
	await drawn(tab);
	assert.equal(await tab.locator('g.node.leaf').count(), 0);
	await choose('below');
	await tab.waitForSelector('.canvas:not(.busy) g.node.leaf');
	const memset = await tab.evaluate((n) => app.model.routines.findIndex((r, i) => app.model.routineName(i) === n), memsetName);
	assert.ok((await drawing(tab)).arcs.some(([, to]) => to === `n${memset}`));
	await sheet(tab, 'table');
	const rows = await allRows(tab);
	near(
		rows.reduce((sum, row) => sum + row.self, 0),
		report.run.times.contexts_ns,
		'own times of all rows',
	);
	const row = rows.find((r) => r.name === memsetName);
	assert.deepEqual([row.calls, row.recursive, row.totalCall], ['', '', '']);
	near(row.self, found, 'what the search found');
	// The entry of such a function has the routines above it, and its routine has it below: sums are kept.
	await tab.evaluate((sel) => app.set({ sel }), memset);
	await tab.waitForSelector('.arcs .parents tr[data-routine]');
	const sum = async (part) =>
		(await exact(tab.locator(`.arcs .${part} tr[data-routine] td[data-exact]:nth-child(-n+2)`))).reduce((s, v) => s + v, 0);
	near(await sum('parents'), row.total, 'callers of memset');
	await tab.evaluate(() => app.set({ sel: app.model.routines.findIndex((r) => r.name === 'both') }));
	const both = rows.find((r) => r.name === 'both');
	near(await sum('parents'), both.total, 'callers of both');
	near(await sum('children'), both.total - both.self, 'callees of both');
	// Without a choice the table is the report's; a function that is selected is in it.
	await tab.evaluate(() => app.set({ leaves: 'auto', sel: '' }));
	await tab.waitForFunction(() => !document.querySelector('.grid .leaf'));
	for (const plain of await allRows(tab)) assert.equal(plain.self, self(plain.name), plain.name);
	await tab.evaluate((sel) => app.set({ sel }), memset);
	await tab.waitForSelector('.tabulator-selected .leaf');
	await closed(tab);
});

test('long names are short and told apart in every sheet; whole on hover, and where they are copied', async () => {
	const tab = await bench.tab(longNames(), 'tab=table'),
		flat = bench.json('report', bench.file('names.out')).flat.map((r) => r.name),
		names = await tab.evaluate(() => app.model.routines.map((r) => [r.name, r.brief])),
		shownNames = await tab.evaluate(() => app.model.routines.map((r, i) => [r.name, app.model.routineName(i)]));
	// Where template arguments have no room, a number tells long names apart.
	const narrow = shownNames.map(([, text]) => text).filter((text) => text.length > 44 && text.includes('<'));
	assert.ok(narrow.length > 10 && narrow.some((text) => / \(2\)$/.test(text)));
	assert.equal(new Set(narrow.map(withoutArguments)).size, narrow.length);
	assert.ok(Math.max(...flat.map((name) => name.length)) > 4900);
	assert.ok(
		flat.every((name) => names.some(([whole]) => whole === name)),
		'JSON has the whole names',
	);
	assert.equal(new Set(names.map(([, brief]) => brief)).size, new Set(names.map(([whole]) => whole)).size);
	for (const [, brief] of names) {
		assert.ok(brief.length < 400, brief);
		assert.ok(!/__cxx11|std::allocator|^void /.test(brief), brief);
	}
	const cells = (await tab.locator('.grid .name').evaluateAll((all) => all.map((e) => [e.title, e.textContent]))).filter(([whole]) => whole);
	assert.ok(cells.length > 5);
	for (const cell of cells)
		assert.ok(
			shownNames.some((name) => isDeepStrictEqual(name, cell)),
			`${cell}`,
		);
	const longest = names.reduce((best, [name], r) => (name.length > names[best][0].length ? r : best), 0);
	await tab.evaluate((r) => {
		app.set({ sel: r });
		Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => (window.copied = text) } });
	}, longest);
	await tab.getByRole('button', { name: 'copy name' }).click();
	assert.equal(await tab.evaluate(() => window.copied), names[longest][0]);
	for (const [name, where] of [
		['flame', 'g.frame .name'],
		['tree', '.branch .name'],
		['run', '.link .name'],
	]) {
		await sheet(tab, name);
		await tab.waitForSelector(where);
		const shown = await tab.locator(where).allTextContents();
		assert.ok(
			shown.every((text) => /^\((the run|lost)/.test(text) || shownNames.some(([, brief]) => brief === text)),
			`${name}: ${shown}`,
		);
	}
	await closed(tab);
});

test('names keep the arguments that tell them apart, however narrow; a copied name is whole, in one line', async () => {
	const tab = await bench.tab(longNames(), 'tab=flame&dir=up', { viewport: { width: 900, height: 700 } });
	const mixes = await tab.locator('g.frame').evaluateAll((all) =>
		all
			.filter((g) => /mix<\d>/.test(g.getAttribute('name')) && g.querySelector('rect').width.baseVal.value > 62)
			.map((g) => {
				const label = g.querySelector('.d3-flame-graph-label'),
					last = g.querySelector('.last') ?? label.firstElementChild,
					box = label.getBoundingClientRect(),
					end = last.getBoundingClientRect();
				return [
					/mix<\d>/.exec(g.getAttribute('name'))[0],
					last.textContent,
					Math.max(last.scrollWidth - last.clientWidth, end.right - box.right),
				];
			}),
	);
	assert.ok(new Set(mixes.map(([name]) => name)).size >= 4, `a test of several: ${mixes}`);
	for (const [name, shown, hidden] of mixes) assert.ok(shown.endsWith(name) && hidden <= 0, `${name}: ${shown}, ${hidden}`);
	await sheet(tab, 'table');
	await tab.waitForSelector('.grid .tabulator-row .scope');
	const [copied, whole, lines] = await tab.evaluate(() => {
		const names = [...document.querySelectorAll('.grid .name')].filter((e) => e.querySelector('.scope')),
			copyOf = (first, last) => {
				const clipboardData = new DataTransfer(),
					range = document.createRange();
				range.setStart(first, 0);
				range.setEnd(last, last.childNodes.length);
				getSelection().removeAllRanges();
				getSelection().addRange(range);
				document.body.dispatchEvent(new ClipboardEvent('copy', { clipboardData, bubbles: true }));
				return clipboardData.getData('text/plain');
			};
		return [copyOf(names[0], names[0]), names[0].title, [copyOf(names[0], names[1]), names[1].title]];
	});
	assert.equal(copied, whole);
	assert.ok(!/\n/.test(copied) && copied.length > 20);
	assert.ok(lines[0].split('\n').includes(whole) || lines[0].includes(whole), lines[0]);
	assert.ok(lines[0].includes(lines[1]));
	await closed(tab);
});

test('the source of a method begins at the margin, and names of callers and callees are not cut off where there is little room', async () => {
	for (const width of [1440, 1024, 390]) {
		const tab = await bench.tab(longNames(), 'tab=table', { viewport: { width, height: 800 } });
		// One of those whose lines are all within a class.
		await tab.evaluate(() =>
			app.set({
				sel: app.model.sides[0].sources.find(({ text }) => text.every((line) => !line.trim() || line[0] === ' ')).routine,
			}),
		);
		const lines = (await tab.locator('.source code').allTextContents()).filter((text) => text.trim());
		assert.equal(Math.min(...lines.map((text) => text.search(/\S/))), 0);
		await tab.evaluate(() => app.set({ sel: app.model.routines.findIndex((r) => r.name === 'main') }));
		const beyond = await tab.evaluate(() => {
			const entry = document.querySelector('.entry');
			return entry.scrollWidth - entry.clientWidth;
		});
		assert.equal(beyond, 0, `at ${width}`);
		await closed(tab);
	}
});

test('names harm nobody, and stand as in the text reports', async () => {
	const report = bench.aprof('report', '-p', '-b', hostile, bench.file('paper'));
	const address = bench.page('hostile.html', hostile, bench.file('paper')),
		text = fs.readFileSync(bench.file('hostile.html'), 'utf8');
	assert.ok(!text.includes('window.hacked'), 'names stand in the page only packed');
	const tab = await bench.tab(address);
	for (const name of ['run', 'flame', 'graph', 'table', 'tree', 'threads']) {
		await sheet(tab, name);
		assert.equal(await tab.evaluate(() => window.hacked), undefined, name);
		assert.equal(await tab.locator('img').count(), 0);
	}
	const names = await tab.evaluate(() => app.model.routines.map((r) => r.name));
	for (const name of names) assert.ok(report.includes(name), `${name} is not so in the report`);
	assert.equal(names.length, 5);
	await closed(tab);
});

test('a run without times shows calls; one without calls shows none', async () => {
	bench.make('none', '--routines', '3', '--calls', '1');
	fs.truncateSync(bench.file('none'), 12288);
	fs.writeFileSync(bench.file('folded'), 'main;work;inner 100\nmain;work 30\nmain;other 50\nmain;other;work 20\n');
	for (const [name, measures, said] of [
		['none', 0, /0 calls/],
		['paper', 2, /\d calls/],
		['folded', 0, null],
	]) {
		const tab = await bench.tab(bench.page(`${name}.html`, bench.file(name)), 'sel=1');
		let all = '';
		for (const [key, name] of [
			['2', 'flame'],
			['3', 'graph'],
			['4', 'table'],
			['5', 'tree'],
			['1', 'run'],
		]) {
			await tab.keyboard.press(key);
			await tab.waitForFunction((n) => document.body.dataset.tab === n, name);
			await settled(tab);
			all += await tab.locator('body').innerText();
		}
		assert.equal(await tab.locator('[aria-label=measure] button').count(), measures, name);
		if (said) assert.match(all, said, name);
		else assert.doesNotMatch(all, /\b0 calls?\b|called|per call|recursive|\d ×/, name);
		await closed(tab);
	}
});
