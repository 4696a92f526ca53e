// browser.mjs - what the tests and the benchmark of the page share: profiles, pages, and Chromium.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

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
		});
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
		this.browser = await engine.launch({ executablePath: chromium, args: QUIET, timeout: 600000 });
		return this.browser;
	}

	// A tab with ADDRESS and HASH, ready and drawn; what goes wrong in it is in tab.wrong, what it asked for in tab.asked.
	async tab(address, hash = '', options = {}) {
		const tab = await this.browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
		tab.setDefaultTimeout(600000);
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

// The sheet on show is drawn: its table is built, its picture laid out.
export const settled = (tab) => tab.waitForFunction(() => !document.querySelector('.busy'));
