// live.mjs BUILD: aprof html --live in a real browser: figures move, what the reader does stays; and nobody else gets anything.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import test, { after, before } from 'node:test';
import { Bench, Program, chromium, found, settled, within } from './browser.mjs';

if (!chromium) {
	console.log('no Chromium here');
	process.exit(77);
}

// It works on and on, a little at a time; once told to, it calls one more routine; it ends when its input does.
const PROGRAM = `
#include <poll.h>
#include <stdio.h>
#include <unistd.h>
static volatile long sink;
__attribute__((noinline)) void work(long n) { for (long i = 0; i < n; i++) sink += i; }
#line 1 "cheap.c"
__attribute__((noinline)) void cheap(void) { for (int i = 0; i < 10; i++) work(20000); }
#line 1 "server.c"
__attribute__((noinline)) void dear(void) { for (int i = 0; i < 10; i++) work(400000); }
#line 1 "late.c"
__attribute__((noinline)) void late(void) { work(6000000); }
#line 1 "server.c"
int main(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	int told = 0;
	char c;
	puts("ready");
	fflush(stdout);
	for (;;) {
		cheap();
		dear();
		if (told)
			late();
		if (poll(&in, 1, 20) > 0) {
			if (read(0, &c, 1) != 1)
				return 0;
			told = 1;
		}
	}
}
`;

// Its routines and files.  Beside them a sample may find code without hooks at any time, the kernel's first of all, and that has a row from then on.
const OURS = ['cheap', 'cheap.c', 'dear', 'late', 'late.c', 'main', 'server.c', 'work'];
const ours = (names) => names.filter((name) => OURS.includes(name)).sort();

const bench = new Bench(process.argv[2]);
const aprof = path.join(bench.build, 'aprof');
const started = [];

before(async () => {
	fs.writeFileSync(bench.file('server.c'), PROGRAM);
	bench.run(path.join(bench.build, 'aprof-cc'), '-O1', '-g', '-o', 'server', 'server.c');
	await bench.open();
});

after(async () => {
	started.forEach((program) => program.kill('SIGKILL'));
	await bench.close();
});

function start(program, args, options = {}) {
	const made = new Program(program, args, { cwd: bench.folder, ...options });
	started.push(made);
	return made;
}

// aprof html --live of the process PID, and its address.
async function serve(pid) {
	const server = start(aprof, ['html', '--live', String(pid)]);
	return { server, address: await server.line('the address of the page') };
}

// The program under way, and aprof html --live of it.
async function live(name) {
	const file = bench.file(name),
		program = start(bench.file('server'), [], { env: { ...process.env, APROF_OUT: file } });
	assert.equal(await program.line('its first word'), 'ready');
	return { file, program, ...(await serve(program.pid)) };
}

function ask(address, options = {}) {
	const { method = 'GET', path: asked = '' } = options;
	let request;
	const answered = new Promise((done, failed) => {
		request = http.request(address, options, (answer) => {
			let text = '';
			answer.setEncoding('utf8');
			answer.on('data', (part) => (text += part));
			answer.on('end', () => done({ status: answer.statusCode, text, headers: answer.headers }));
			answer.on('error', failed);
		});
		request.on('error', failed);
		request.end();
	});
	return within(`an answer to ${method} ${address}${asked && `, ${asked}`}`, answered).finally(() => request.destroy());
}

const callsOf = (tab, name) => tab.evaluate((n) => app.view.figures[0].calls[app.model.routines.findIndex((r) => r.name === n)] ?? 0, name);

// Until the figures on show are later ones, and those are drawn.
async function moved(tab) {
	const calls = await callsOf(tab, 'work');
	await tab.waitForFunction((n) => app.view.figures[0].calls[app.model.routines.findIndex((r) => r.name === 'work')] > n, calls);
	await tab.waitForTimeout(100);
	await settled(tab);
}

const numberOf = (tab, name) => tab.evaluate((n) => app.model.routines.findIndex((r) => r.name === n), name);

// Where the node of the routine NAME is in the call graph.  No box: it was just drawn anew.
async function placeOf(tab, name) {
	const node = tab.locator(`#n${await numberOf(tab, name)}`),
		box = await found(`a place of ${name} in the call graph`, () => node.boundingBox());
	return [box.x + box.width / 2, box.y + box.height / 2];
}

// Layouts are made in the page, and from now on only once it calls release.
const heldLayouts = (tab) =>
	tab.evaluate(() => {
		const script = document.createElement('script');
		script.textContent = document.getElementById('layout').textContent;
		document.head.append(script);
		const held = new Promise((done) => (self.release = done)),
			layout = self.aprofLayout;
		self.aprofLayout = (dot) => held.then(() => layout(dot));
	});

const near = (place, old) => place.forEach((value, i) => assert.ok(Math.abs(value - old[i]) < 4, `${value}, not ${old[i]}`));

test('nobody gets anything without the token, nor any other path, nor from elsewhere', async () => {
	const { server, program, address } = await live('guarded'),
		url = new URL(address),
		token = url.pathname.slice(1, -1);
	assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\/$/);
	assert.equal((await ask(address)).status, 200);
	const data = await ask(`${address}profile?have=`);
	assert.deepEqual([data.status, data.headers['aprof-state']], [200, 'running']);
	for (const bad of [
		'/',
		'/profile',
		'/favicon.ico',
		`/${token.slice(1)}/`,
		`/${token.replace(/./, (c) => (c === '0' ? '1' : '0'))}/profile`,
		'/%00',
		'//',
	]) {
		const answer = await ask(url.origin + bad);
		assert.deepEqual([bad, answer.status, answer.text], [bad, 403, 'The address lacks its token.\n']);
	}
	for (const other of ['x', 'profile/', '../profile', 'server.c', '%2e%2e/']) {
		const answer = await ask(address, { path: `${url.pathname}${other}` });
		assert.deepEqual([other, answer.status, answer.text], [other, 404, 'There is nothing here.\n']);
	}
	assert.equal((await ask(address, { headers: { Host: 'evil.example:80' } })).status, 403);
	assert.equal((await ask(address, { headers: { Host: `localhost:${url.port}` } })).status, 200);
	for (const method of ['PUT', 'POST', 'DELETE', 'OPTIONS'])
		assert.deepEqual([(await ask(address, { method })).status, (await ask(url.origin, { method })).status], [405, 403], method);
	const head = await ask(address, { method: 'HEAD' });
	assert.deepEqual([head.status, head.text, head.headers['content-length']], [200, '', String(Buffer.byteLength((await ask(address)).text))]);
	const port = Number(url.port).toString(16).toUpperCase().padStart(4, '0'),
		listening = ['tcp', 'tcp6'].flatMap((kind) =>
			fs
				.readFileSync(`/proc/${server.pid}/net/${kind}`, 'utf8')
				.split('\n')
				.filter((line) => line.includes(`:${port} `) && / 0A /.test(line)),
		);
	assert.equal(listening.length, 1);
	assert.ok(listening[0].includes(`0100007F:${port} `), 'on the loopback alone');
	server.kill('SIGINT');
	assert.equal(await server.ended(), 0);
	assert.ok(program.running, 'the program runs on');
	program.leave();
	assert.equal(await program.ended(), 0);
});

test('figures move under what the reader does, to the last ones', async () => {
	const { file, server, program, address } = await live('moving'),
		tab = await bench.tab(address, 'tab=table', { needs: [program, server] });
	await tab.waitForSelector('.grid .tabulator-row');
	await tab.locator('.tabulator-row', { hasText: 'cheap' }).click();
	await tab.locator('.tabulator-col', { hasText: 'calls' }).first().click();
	await tab.locator('#search').fill('cheap|late');
	await tab.waitForFunction(() => document.querySelectorAll('.tabulator-row').length === 1);
	const address1 = tab.url();
	program.write('x');
	await tab.waitForFunction(() => document.querySelectorAll('.tabulator-row').length === 2);
	await moved(tab);
	assert.equal(tab.url(), address1);
	assert.equal(await tab.evaluate(() => document.activeElement.id), 'search');
	assert.equal(await tab.locator('.tabulator-row.tabulator-selected .name').innerText(), 'cheap');
	const shown = Number(
		(await tab.locator('.tabulator-row.tabulator-selected [tabulator-field=calls] [data-exact]').getAttribute('data-exact')) ?? 0,
	);
	assert.equal(shown, await callsOf(tab, 'cheap'));
	assert.ok((await tab.locator('.entry .own').innerText()).includes(shown.toLocaleString('en')));

	// By file: groups stay open, their sums move with their rows, and a file that comes has its group.
	await tab.locator('#search').fill('');
	await tab.locator('[aria-label="grouped by"] button[data-value=file]').click();
	await tab.locator('.tabulator-row', { hasText: 'server.c' }).locator('.tabulator-data-tree-control').click();
	await tab.waitForSelector('.tabulator-tree-level-1');
	const figures = () =>
		tab.evaluate(() =>
			[...document.querySelectorAll('.grid .tabulator-row')].map((row) => {
				const exact = (field) => Number(row.querySelector(`[tabulator-field=${field}] [data-exact]`).dataset.exact);
				return {
					name: row.querySelector('.last').textContent,
					self: exact('self'),
					calls: exact('calls'),
				};
			}),
		);
	const sums = await figures();
	assert.deepEqual(ours(sums.map((f) => f.name)), ['cheap', 'cheap.c', 'dear', 'late.c', 'main', 'server.c', 'work']);
	await moved(tab);
	await tab.waitForFunction(
		(n) =>
			Number(
				document.querySelector('.grid .group').closest('.tabulator-row').querySelector('[tabulator-field=calls] [data-exact]')
					.dataset.exact,
			) > n,
		sums[0].calls,
	);
	const later = await figures();
	assert.deepEqual(ours(later.map((f) => f.name)), ours(sums.map((f) => f.name)));
	const within = (list, name) => list.filter((f) => ['dear', 'main', 'work'].includes(f.name)).reduce((sum, f) => sum + f[name], 0);
	for (const name of ['self', 'calls']) {
		assert.equal(later.find((f) => f.name === 'server.c')[name], within(later, name), name);
		assert.ok(within(later, name) > within(sums, name), `${name} grows`);
	}
	await tab.locator('[aria-label="grouped by"] button[data-value=none]').click();

	// What was typed right before another sheet is chosen is not lost.
	await tab.evaluate(() => {
		const search = document.getElementById('search');
		search.value = '';
		search.dispatchEvent(new Event('input'));
		document.querySelector('button[data-tab=flame]').click();
	});
	assert.equal(await tab.locator('#search').inputValue(), '');

	// Flame graph: zoomed into a branch.
	await tab.locator('g.frame[name=dear]').click();
	await tab.waitForFunction(() => document.querySelectorAll('.crumbs button').length === 3);
	const zoom = tab.url();
	await tab.locator('g.frame[name=work]').focus();
	await moved(tab);
	assert.equal(tab.url(), zoom);
	assert.equal(await tab.locator('.crumbs [aria-current=true]').innerText(), 'dear');
	assert.equal(await tab.evaluate(() => document.activeElement.getAttribute('name')), 'work');

	// Tree: what was closed and opened.
	await tab.locator('button[data-tab=tree]').click();
	const row = (name) => tab.locator('.tabulator-row', { has: tab.locator('.name', { hasText: new RegExp(`^${name}$`) }) });
	await row('cheap').first().locator('.tabulator-data-tree-control').click();
	await row('late').first().click();
	const lines = () => tab.locator('.tabulator-row .name').allInnerTexts();
	const open = ours(await lines());
	assert.ok(open.filter((name) => name === 'work').length >= 1);
	await moved(tab);
	await moved(tab);
	assert.deepEqual(ours(await lines()), open);
	assert.equal(await tab.locator('.tabulator-row.tabulator-selected .name').innerText(), 'late');

	// Call graph: moved and made larger.  What one looks at stays, in the same layout unless a routine came; words are new: the times of arcs, which grow.
	await tab.locator('button[data-tab=graph]').click();
	await tab.waitForSelector('g.node');
	await settled(tab);
	await tab.locator('.canvas').press('+');
	await tab.locator('.canvas').press('ArrowRight');
	const look = async () => ({
			transform: await tab.locator('.canvas svg:not(.overview) > g').getAttribute('transform'),
			nodes: (await tab.locator('.canvas g.node').evaluateAll((nodes) => nodes.map((node) => node.id))).join(),
			place: await placeOf(tab, 'late'),
		}),
		at = await look(),
		words = await tab.locator('.canvas svg:not(.overview)').textContent();
	await moved(tab);
	await settled(tab);
	const after = await look();
	if (after.nodes === at.nodes) assert.equal(after.transform, at.transform);
	near(after.place, at.place);
	assert.notEqual(await tab.locator('.canvas svg:not(.overview)').textContent(), words);

	// Held, and going on.
	await tab.locator('body').press('p');
	await tab.waitForSelector('#live[data-state=held]');
	const held = await callsOf(tab, 'work');
	await tab.waitForTimeout(3000);
	assert.equal(await callsOf(tab, 'work'), held);
	await tab.locator('body').press('p');
	await moved(tab);

	program.leave();
	assert.equal(await program.ended(), 0);
	await tab.waitForSelector('#live[data-state=ended]');
	assert.equal(await tab.locator('#live').innerText(), 'the program has ended');
	const report = bench.json('report', file);
	for (const entry of report.flat) assert.equal(await callsOf(tab, entry.name), entry.calls, entry.name);
	assert.match(server.wrong, /aprof: the program has ended; the page stays until \^C\n$/);
	assert.equal((await ask(address)).status, 200, 'and may be loaded again');
	server.kill('SIGTERM');
	assert.equal(await server.ended(), 0);
	assert.deepEqual(tab.wrong, []);
	assert.deepEqual(
		tab.asked.filter((asked) => !asked.startsWith(address) && !/^(blob|data):/.test(asked)),
		[],
	);
	await tab.close();
});

// The process of the program NAME below RUN, once it has a profile.
const below = (run, name) =>
	found(
		`a process ${name} with a profile below ${run.name}`,
		() => {
			const list = [run.pid];
			for (const pid of list)
				try {
					if (
						fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === name &&
						fs.readFileSync(`/proc/${pid}/maps`, 'utf8').includes('amon.out')
					)
						return pid;
					const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
					list.push(...children.filter(Boolean).map(Number));
				} catch {
					/* it ended meanwhile */
				}
			return 0;
		},
		{ ending: [run.gone] },
	);

test('what a program under aprof run left at its end is shown, though its file is gone by then; and what it did lately, against before', async () => {
	const run = start(aprof, ['run', '--no-report', '--data=of-run', './server']),
		{ server, address } = await serve(await below(run, 'server')),
		tab = await bench.tab(address, 'tab=time', { needs: [run, server] });
	run.write('x');
	await tab.waitForFunction(() => [...document.querySelectorAll('[data-list=recent] .who')].some((e) => e.textContent === 'work'));
	assert.match(await tab.locator('main').innerText(), /The last \d+ seconds?/);
	run.leave();
	assert.equal(await run.ended(), 0);
	await tab.waitForSelector('#live[data-state=ended]');
	for (const entry of bench.json('report', bench.file('of-run')).flat) assert.equal(await callsOf(tab, entry.name), entry.calls, entry.name);
	assert.deepEqual(tab.wrong, []);
	server.kill('SIGINT');
	assert.equal(await server.ended(), 0);
	await tab.close();
});

test('the page says that aprof is gone, or that the program was killed', async () => {
	const { server, program, address } = await live('gone'),
		tab = await bench.tab(address, '', { needs: [program, server] });
	await moved(tab);
	assert.equal(
		await tab
			.locator('#live')
			.innerText()
			.then((text) => text.split('\n')[0]),
		'running',
	);

	// A routine comes into the call graph: a new layout, in which the selected one stays where it is, also where that is moved while it is laid out.
	await tab.locator('button[data-tab=graph]').click();
	await tab.waitForSelector('g.node');
	await settled(tab);
	await tab.locator(`#n${await numberOf(tab, 'work')}`).click();
	await heldLayouts(tab);
	program.write('x');
	await tab.waitForSelector('.canvas.busy');
	await tab.locator('.canvas').press('-');
	await tab.locator('.canvas').press('ArrowLeft');
	const old = await placeOf(tab, 'work');
	await tab.evaluate(() => self.release());
	await tab.waitForFunction(() => {
		const r = app.model.routines.findIndex((about) => about.name === 'late');
		return r >= 0 && document.querySelector(`#n${r}`);
	});
	await settled(tab);
	near(await placeOf(tab, 'work'), old);
	assert.equal(await tab.locator('g.node.selected').count(), 1);

	server.kill('SIGINT');
	assert.equal(await server.ended(), 0);
	await tab.waitForSelector('#live[data-state=gone]');
	program.kill('SIGKILL');
	await tab.close();

	const other = await live('killed'),
		view = await bench.tab(other.address, '', { needs: [other.program, other.server] });
	other.program.kill('SIGKILL');
	await view.waitForSelector('#live[data-state=died]');
	other.server.kill('SIGINT');
	assert.equal(await other.server.ended(), 0);
	await view.close();
});
