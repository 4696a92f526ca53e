// live.js - the page of a program that runs: asks for its figures again and again, and says how it stands (see show/page/contents.h).
import { h } from './dom.js';

const WORDS = {
	running: 'running',
	ended: 'the program has ended',
	died: 'the program died',
	unknown: 'the program does not run here',
	lost: 'its profile cannot be read any more',
	gone: 'aprof has ended',
};

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// Until the page can be seen, and nobody holds the mouse: what is dragged would be drawn anew.
let held = false;
function still() {
	if (!held && !document.hidden) return Promise.resolve();
	return new Promise((done) => {
		const look = () => {
			if (held || document.hidden) return;
			for (const name of ['visibilitychange', 'pointerup', 'pointercancel']) document.removeEventListener(name, look);
			done();
		};
		for (const name of ['visibilitychange', 'pointerup', 'pointercancel']) document.addEventListener(name, look);
	});
}

export class Feed {
	constructor(address) {
		this.address = address;
		this.reading = '';
		this.state = 'running';
		this.every = 2000;
		this.paused = false;
		this.at = new Date();
		document.addEventListener('pointerdown', () => (held = true), true);
		for (const name of ['pointerup', 'pointercancel']) document.addEventListener(name, () => (held = false), true);
		this.button = h('button', { type: 'button', class: 'small', onclick: () => this.hold(!this.paused) }, 'hold');
		this.word = h('span', {});
		this.box = h('span', { id: 'live', role: 'status' }, h('i', {}), this.word, this.button);
		this.#tell();
	}

	get over() {
		return this.state !== 'running';
	}

	// The figures, if they are others than the last ones; else null.
	async ask() {
		const answer = await fetch(`${this.address}?have=${this.reading}`, { cache: 'no-store' });
		if (!answer.ok) throw new Error(`status ${answer.status}`);
		this.state = answer.headers.get('Aprof-State') in WORDS ? answer.headers.get('Aprof-State') : 'lost';
		this.every = Number(answer.headers.get('Aprof-Every')) || this.every;
		if (answer.status === 204) return null;
		this.reading = answer.headers.get('Aprof-Reading');
		return answer.text();
	}

	hold(paused) {
		this.paused = paused;
		this.#tell();
		if (!paused) this.wake?.();
	}

	#tell() {
		this.box.dataset.state = this.paused && !this.over ? 'held' : this.state;
		this.word.textContent = this.paused && !this.over ? `held, of ${this.at.toLocaleTimeString()}` : WORDS[this.state];
		this.button.textContent = this.paused ? 'go on' : 'hold';
		this.button.title = this.paused ? 'show the figures of now (p)' : 'keep these figures on show (p)';
		this.button.hidden = this.over;
	}

	// Give each new data to SHOW until the program or aprof ends.
	async follow(show) {
		while (!this.over) {
			await pause(this.every);
			await still();
			if (this.paused) await new Promise((done) => (this.wake = done));
			const data = await this.ask().catch(() => {
				this.state = 'gone';
				return null;
			});
			await still();
			if (data && !this.paused) {
				this.at = new Date();
				await show(data);
			} else if (data) this.reading = ''; // it is asked for again
			this.#tell();
		}
	}
}
