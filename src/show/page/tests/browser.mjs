// browser.mjs - what the tests and the benchmark of the page share: profiles, pages, Chromium, and programs beside them.
//
// Every wait has an end: at once where what is waited for cannot come any more, and else after LIMIT, which no busy machine comes near.  Its error says what was
// waited for, and what whoever was to bring it said last.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const LIMIT = 600000; // ms

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const QUIET = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

// What PROMISE brings; WHAT is what is waited for, MS how long.  It is given up once ENDING is rejected, which says why it will not come.
export async function within(what, promise, { ms = LIMIT, ending = [] } = {}) {
	let timer;
	const late = new Promise((_, failed) => {
		timer = setTimeout(() => failed(new Error(`waited ${ms / 1000} s`)), ms);
	});
	try {
		return await Promise.race([promise, late, ...ending]);
	} catch (error) {
		throw new Error(`${what}: ${error.message}`, { cause: error });
	} finally {
		clearTimeout(timer);
	}
}

// The same of what LOOK finds, which is asked again and again until that is something.
export async function found(what, look, { ms = LIMIT, ending = [] } = {}) {
	let over = false;
	const looking = (async () => {
		for (let value; !over; await new Promise((again) => setTimeout(again, 20))) if ((value = await look())) return value;
	})();
	return within(what, looking, { ms, ending }).finally(() => (over = true));
}

// A program that runs beside the test; what it complains of is in `wrong`.  That it ends, though nobody told it to, is an error for all who wait for what it is to bring.
export class Program {
	constructor(program, args, options = {}) {
		this.name = [path.basename(program), ...args].join(' ');
		this.told = false; // to end
		this.wrong = '';
		this.child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
		this.child.stderr.on('data', (text) => (this.wrong += text));
		this.child.stdin.on('error', () => {}); // it has ended, which others are told
		this.lines = readline.createInterface({ input: this.child.stdout });
		this.over = new Promise((done) => {
			this.child.once('error', (error) => done(error.message));
			this.child.once('exit', (status, signal) => {
				const read = once(this.child, 'close'); // whoever it started may hold its output
				within('its output', read, { ms: 1000 })
					.catch(() => {})
					.finally(() => done(status ?? signal));
			});
		});
		this.gone = this.over.then((how) => {
			if (!this.told) throw new Error(`${this.name} has ended (${how}), and said: ${this.wrong.trim() || 'nothing'}`);
			return new Promise(() => {});
		});
		this.gone.catch(() => {}); // who waits is told
	}

	get pid() {
		return this.child.pid;
	}

	get running() {
		return this.child.exitCode === null && this.child.signalCode === null;
	}

	// The next line that it writes, which is WHAT.
	line(what) {
		const next = once(this.lines, 'line').then(([line]) => line);
		return within(`${what}, from ${this.name}`, next, { ending: [this.gone] });
	}

	write(text) {
		this.child.stdin.write(text);
	}

	// Its input ends, and so is it to.
	leave() {
		this.told = true;
		this.child.stdin.end();
	}

	kill(signal) {
		this.told = true;
		this.child.kill(signal);
	}

	// Its status, or the signal that killed it.
	ended() {
		return within(`the end of ${this.name}`, this.over);
	}
}

export const chromium = process.env.APROF_CHROMIUM || CHROMIUM.find((p) => fs.existsSync(p));

// BUILD's programs and its libraries, and a folder for what is made, removed at the end.
export class Bench {
	constructor(build) {
		this.build = path.resolve(build);
		this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'aprof-page-'));
		process.on('exit', () => fs.rmSync(this.folder, { recursive: true, force: true }));
	}

	file(name) {
		return path.join(this.folder, name);
	}

	run(program, ...args) {
		const done = spawnSync(program, args, {
			cwd: this.folder,
			encoding: 'utf8',
			maxBuffer: 1 << 30,
			env: { ...process.env, LC_ALL: 'C.UTF-8', TZ: 'UTC' },
			timeout: LIMIT,
		});
		if (done.error) throw new Error(`${path.basename(program)} ${args.join(' ')}: ${done.error.message}`);
		if (done.status !== 0) throw new Error(`${path.basename(program)} ${args.join(' ')}: status ${done.status}\n${done.stderr}`);
		return done.stdout;
	}

	aprof(...args) {
		return this.run(path.join(this.build, 'aprof'), ...args);
	}

	json(command, ...args) {
		return JSON.parse(this.aprof(command, '--json', ...args));
	}

	// A profile NAME by make-amon.
	make(name, ...args) {
		this.run(path.join(this.build, 'src/contract', 'make-amon'), ...args, this.file(name));
		return this.file(name);
	}

	// The address of the page of the given operands.
	page(name, ...args) {
		this.aprof('html', '-o', this.file(name), ...args);
		return pathToFileURL(this.file(name)).href;
	}

	async open() {
		const { chromium: engine } = createRequire(path.join(this.build, 'src/show/page', 'package.json'))('playwright-core');
		this.browser = await engine.launch({ executablePath: chromium, args: QUIET, timeout: LIMIT });
		return this.browser;
	}

	async close() {
		if (this.browser) await within('the browser to close', this.browser.close());
	}

	// A tab with ADDRESS and HASH, ready and drawn; what goes wrong in it is in tab.wrong, what it asked for in tab.asked.  NEEDS are the programs whose figures it shows:
	// it waits no longer than they run.
	async tab(address, hash = '', { needs = [], ...options } = {}) {
		const tab = await this.browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
		tab.setDefaultTimeout(LIMIT);
		explain(tab, needs);
		tab.wrong = [];
		tab.asked = [];
		tab.on('console', (message) => message.type() === 'error' && tab.wrong.push(message.text()));
		tab.on('pageerror', (error) => tab.wrong.push(error.stack));
		tab.on('request', (request) => tab.asked.push(request.url()));
		await tab.goto(address + (hash && `#${hash}`));
		await tab.waitForSelector('body[data-ready]');
		await settled(tab);
		return tab;
	}
}

// How TAB stands: what its address says, how the program does, whether it draws.
const standing = () =>
	`${location.hash || 'the first sheet'}, ${document.getElementById('live')?.textContent ?? 'of a file'}${document.querySelector('.busy') ? ', busy' : ''}`;

// What TAB waits for has an end, and says what it was and how the page stands, with what went wrong there; NEEDS are waited for no longer than they run.
function explain(tab, needs) {
	const ask = tab.evaluate.bind(tab);
	for (const name of ['evaluate', 'waitForFunction', 'waitForSelector', 'waitForEvent']) {
		const wait = tab[name].bind(tab);
		tab[name] = async (what, ...more) => {
			try {
				return await within(`${name} ${what}${more.length ? `, ${JSON.stringify(more[0])}` : ''}`, wait(what, ...more), {
					ending: needs.map((program) => program.gone),
				});
			} catch (error) {
				const stands = await within('the page', ask(standing), { ms: 5000 }).catch(() => 'no answer');
				throw new Error(`${error.message}\nthe page: ${stands}; ${tab.wrong.join('; ') || 'nothing went wrong there'}`, {
					cause: error,
				});
			}
		};
	}
}

// The sheet on show is drawn: its table is built, its picture laid out.
export const settled = (tab) => tab.waitForFunction(() => !document.querySelector('.busy'));
