// main.js - unpack, then show a sheet; each sheet is a file of its own with show(box, app) and, where less than a new
// drawing may do, update(changed, app).
import { colours } from './colour.js';
import { decode } from './decode.js';
import { choice, copy, fill, h, named } from './dom.js';
import { flame } from './flame.js';
import * as format from './format.js';
import { graph } from './graph.js';
import { Feed } from './live.js';
import { Model } from './model.js';
import { chips, focusOn, hideOne, isNarrowed, narrowed, offer, offerOf, showAll } from './narrow.js';
import { Down, Up, matched } from './paths.js';
import { Recent } from './recent.js';
import { run } from './run.js';
import { State, pathLinks, pathText } from './state.js';
import { change } from './stats.js';
import { table } from './table.js';
import { threads } from './threads.js';
import { time } from './time.js';
import * as tip from './tip.js';
import { tree } from './tree.js';

const SHEETS = [
	['run', 'Run', run],
	['flame', 'Flame graph', flame],
	['graph', 'Call graph', graph],
	['table', 'Routines', table],
	['tree', 'Trees', tree],
	['threads', 'Threads', threads],
	['time', 'Time', time],
];

const CONTEXTUAL = new Set(['flame', 'tree', 'threads', 'time']); // sheets that show contexts, or what is known by them alone
const LEAFED = ['flame', 'graph', 'table', 'tree']; // sheets that can show functions without hooks

const VIEWS = 4; // of which what was made is kept
const VALUES = 500; // of each of these
const LATELY = 10000; // ms that are lately
const MANY = 30000; // contexts, that are not narrowed down at once

const KEYS = [
	['1 … 7', 'the sheets'],
	['/, Ctrl-F', 'search: a regular expression'],
	['n, N', 'to the next hit, to the one before'],
	['Esc', 'clear the search, or zoom out, or show the whole run, or select nothing, or show all'],
	['m', 'time or calls'],
	['b', 'base or new, of two profiles'],
	['s', 'sandwich around the selected routine'],
	['g', 'its neighbourhood in the call graph'],
	['f, h', 'the selected routine: focus on it, hide it; more on a right click, on the routine, its file, class, module'],
	['a', 'show all again: nothing in focus, nothing hidden'],
	['t', 'light or dark'],
	['p', 'of a program that runs: hold the figures, go on'],
	['?', 'this help'],
	['arrows', 'flame graph: to the frame beside, above, below; tables: rows; trees: open and close; call graph: move'],
	['Enter', 'flame graph: zoom to the frame; call graph: select the routine, fold or unfold the group'],
	['Backspace', 'flame graph: zoom out'],
	['+ − 0', 'call graph: larger and more routines, smaller and fewer, as many as there is room for; flame graph: zoom in, out, out to all'],
	['*', 'trees: unfold all below the line, from the heaviest on'],
];

const MARKS = [
	"' folded recursion: of a routine that is active several times only the latest activation is known fully, and calls between older " +
		'ones are squeezed out; .. stands where they were.',
	'± so far from it, at most, the true time is in 95 of 100 runs: times that are samples have a statistical error. Of two profiles, ' +
		'a change of time is coloured if it is more than noise, as `aprof diff` has it: of those that are coloured 5 in 100 are noise ' +
		'all the same. A change of calls is coloured unless runs of one side differ as much among themselves. ~ is a change that may be noise.',
	'(2) of long names that are the same but for template arguments, which have no room, each has a number.',
	'Focus: only contexts in which the routine is active count, as with `aprof report --focus`; shares are shares of these. ' +
		"Hidden: the routine's frames are its callers'. Its own time is theirs, and what it called was called by them, as with " +
		'`aprof report --hide`; nothing is lost. Findings, cycles and source lines are of the run as a whole.',
	'Names in italics: functions without hooks, of libraries and the kernel. Their times are own times of the routines above them, divided as ' +
		'samples of the program counter are, in each context by its own samples as far as it has any; calls of them are not counted.',
];

// What has the focus, by what it stands for, so that it is found again in a new drawing.
const likeness = (e) =>
	[e.tagName, e.dataset.path ?? e.dataset.routine ?? e.dataset.value ?? e.getAttribute('aria-label') ?? e.textContent].join(' ');

const readingOf = (model) => ({ at: performance.now(), self: model.view('all').figures[0].self });

class App {
	constructor(model, feed = null) {
		format.show(model.sides[0].run.value);
		this.reading = model; // all that the page has
		this.feed = feed;
		this.caches = new Recent(VIEWS);
		this.readings = [readingOf(model)]; // of a program that runs, the last of them and those of the last seconds
		this.stateHolder = new State((changed) => this.#changed(changed));
		this.#narrow();
		this.#frame();
		this.#theme();
		this.#search();
		this.#bar();
		this.#show();
		document.addEventListener('keydown', (event) => this.#key(event));
		let timer;
		window.addEventListener('resize', () => {
			clearTimeout(timer);
			timer = setTimeout(() => this.#show(), 150);
		});
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#theme());
		window.addEventListener('beforeprint', () => {
			this.#theme('light');
			this.sheet.paper?.(true);
		});
		window.addEventListener('afterprint', () => {
			this.sheet.paper?.(false);
			this.#theme();
		});
	}

	// What is in focus, without what is hidden.
	#narrow() {
		this.base = narrowed(this.reading, this.stateHolder.now);
	}

	// What is looked at: all that there is then, or two parts of it, compared.
	get model() {
		return this.base.compared(this.stateHolder.now.thread) ?? this.base;
	}

	// The choices in force: a run without times has calls only, one whose calls were not counted has times only.
	get state() {
		const now = this.stateHolder.now;
		return this.model.timed && this.model.counted ? now : { ...now, metric: this.model.timed ? 'time' : 'calls' };
	}

	set(patch) {
		const typed = this.typing ? { q: this.input.value } : {};
		clearTimeout(this.typing);
		this.typing = null;
		this.stateHolder.set({ ...typed, ...patch });
	}

	// The figures of the threads on show, in the range of time that is chosen.
	get view() {
		const thread = this.state.thread,
			view = this.model.view(
				!this.model.byThread || !(thread === 'split' || this.model.members(thread)) ? 'all' : thread,
				this.state.range,
			);
		return this.leafed ? view.leafed : view;
	}

	// Whether there are functions without hooks to show: samples of the program counter are kept by context, not by thread nor by interval.
	get hasLeaves() {
		const { thread, tab, range } = this.state;
		return this.model.hasLeaves && !range && LEAFED.includes(tab) && (thread === 'all' || !this.base.byThread);
	}

	// Whether time in them stands below their callers: as is chosen, or else in pictures, and where such a function is selected.
	get leafed() {
		const { leaves, tab } = this.state;
		if (!this.hasLeaves || leaves === 'within') return false;
		return leaves === 'below' || tab !== 'table' || (this.selected >= 0 && this.model.routines[this.selected].leaf);
	}

	// The choice of that; null: there are none.
	leafChoice() {
		if (!this.hasLeaves || this.state.metric !== 'time') return null;
		return h(
			'span',
			{ class: 'labelled' },
			'code without hooks ',
			choice(
				'code without hooks',
				[
					[
						'below',
						'below callers',
						'functions of libraries and the kernel stand below the routines that called them, as far as samples tell',
					],
					['within', 'in callers', 'its time is own time of the routines that called it, as in the text reports'],
				],
				this.leafed ? 'below' : 'within',
				(leaves) => this.set({ leaves, zoom: '', zoomup: '' }),
			),
		);
	}

	// Which of two profiles gives widths and orders.
	get side() {
		return this.model.compares && this.state.side !== 'base' ? 1 : 0;
	}

	get selected() {
		const r = this.state.sel === '' ? -1 : Number(this.state.sel);
		return Number.isInteger(r) && this.model.isRoutine(r) && !this.base.hidden?.[r] ? r : -1;
	}

	// MAKE's value for the view on show, made once, as long as it is among the last that were asked for.
	keep(key, make) {
		return this.caches.get(this.view, () => new Recent(VALUES)).get(key, make);
	}

	// The same of a value that is another one for each measure, and each profile that gives the widths.
	remember(key, make) {
		return this.keep(`${key} ${this.state.metric} ${this.side}`, make);
	}

	// The top of the tree from the root DOWN, or from the running routines up.
	tree(dir) {
		return this.keep(dir, () => new (dir === 'down' ? Down : Up)(this.view)).top;
	}

	// What shares are shares of: the run, the parent, or, if there is one, the selected routine.
	get of() {
		return this.state.of === 'sel' && this.selected < 0 ? 'run' : this.state.of;
	}

	// Of what VALUE of side S, by METRIC, is to be the share: of PARENT, its parent's value, if it has one, of the selected routine's or of the run's.
	whole(s, metric = 'time', parent = null) {
		const f = this.view.figures[s];
		if (this.of === 'parent' && parent !== null) return parent;
		if (this.of === 'sel') return metric === 'calls' ? f.calls[this.selected] : f.total[this.selected];
		return this.view.size(s, metric);
	}

	share(value, s, metric = 'time', parent = null) {
		return format.percent(value, this.whole(s, metric, parent));
	}

	// The same with what it is a share of, where that is not the run.
	shareText(value, s, metric = 'time', parent = null) {
		const of = this.of === 'sel' ? ' of selected' : this.of === 'parent' && parent !== null ? ' of parent' : '';
		return this.share(value, s, metric, parent) + of;
	}

	// A TIME of side S, as no finer than a sample tells; and its mean over CALLS.
	told(time, s = 0) {
		return format.told(time, this.base.whole.sample[s]);
	}

	mean(time, calls, s = 0) {
		return format.mean(time, calls, this.base.whole.sample[s]);
	}

	changeOf(kind, values, variances, item) {
		return change(this.view, kind, values, variances, item);
	}

	heaviest(name) {
		const f = this.view.figures[this.side],
			column = this.model.timed ? f[name] : f.calls;
		return column.reduce((best, v, r) => (v > column[best] ? r : best), 0);
	}

	// What the frames' colours mean, of what can be chosen.
	get colour() {
		return colours(this).some(([key]) => key === this.state.colour) ? this.state.colour : 'routine';
	}

	picker() {
		return h(
			'span',
			{ class: 'picked' },
			this.selected < 0
				? h('span', { class: 'note' }, 'no routine selected')
				: [
						'selected: ',
						h('b', {}, named(this.model.routineName(this.selected), this.model.wholeName(this.selected))),
						this.jumps(),
						h(
							'button',
							{
								type: 'button',
								class: 'small',
								title: 'select nothing',
								'aria-label': 'select nothing',
								onclick: () => this.#deselect(),
							},
							'×',
						),
					],
		);
	}

	// Who wants nothing selected is not given the heaviest instead.
	#deselect() {
		this.hasSelected = true;
		this.set({ sel: '', hops: '0' });
	}

	// Ways from the selected routine to its other pictures.
	jumps() {
		const go = (text, patch) => h('button', { type: 'button', class: 'small', onclick: () => this.set(patch) }, text);
		return h(
			'span',
			{ class: 'jumps' },
			this.reading.contextual ? go('sandwich', { tab: 'flame', dir: 'sandwich', zoom: '', zoomup: '' }) : null,
			go('neighbours', { tab: 'graph', hops: '1' }),
			h(
				'button',
				{ type: 'button', class: 'small', title: 'the whole name', onclick: () => copy(this.model.wholeName(this.selected)) },
				'copy name',
			),
			this.state.tab === 'table' ? null : go('callers and callees', { tab: 'table' }),
			!this.reading.contextual
				? null
				: h(
						'button',
						{
							type: 'button',
							class: 'small',
							title: 'look at its contexts alone (f), fold it into its callers (h); or all of its file, class or module',
							'aria-haspopup': 'menu',
							onclick: ({ currentTarget }) => offer(this, this.selected, tip.below(currentTarget)),
						},
						'focus, hide …',
					),
		);
	}

	legend(of = 'flame') {
		if (this.model.compares)
			return h(
				'span',
				{ class: 'legend' },
				h('i', { class: 'more' }),
				'more ',
				h('i', { class: 'less' }),
				'less ',
				h('i', { class: 'noise' }),
				this.model.sampled && this.state.metric === 'time' ? 'within noise' : 'unchanged',
			);
		return of === 'graph'
			? h('span', { class: 'legend' }, h('i', { class: 'hot' }), `self ${format.amount()} `, h('i', { class: 'loop' }), 'cycle')
			: h('span', { class: 'legend' }, h('i', { class: 'fold' }), "folded recursion '");
	}

	#frame() {
		this.box = h('main', { id: 'sheet', tabindex: -1 });
		this.box.addEventListener('contextmenu', (event) => this.#offered(event));
		this.barBox = h('header');
		document.getElementById('wait').replaceWith(this.barBox, this.box, this.#help());
		document.body.dataset.ready = '';
		const [first] = this.model.sides,
			name = format.visible(first.run.files?.[0]?.program ?? first.label);
		this.name = format.basename(name);
		document.title = `aprof: ${this.name}${this.model.compares ? ', compared' : ''}`;
	}

	#title() {
		const about = this.model.sides.map((side) => {
			const file = side.run.files?.[0] ?? {};
			return h(
				'span',
				{ title: `${format.visible(side.label)}: ${format.visible(file.command ?? '')}` },
				format.basename(format.visible(file.program ?? side.label)),
			);
		});
		const mean = (side) => (side.runs > 1 ? `mean of ${side.runs} runs` : format.basename(format.visible(side.label)));
		const [a, b] = this.model.sides.map(mean);
		return h('h1', {}, about[0], this.model.compares ? h('small', {}, ` ${a} → ${b}`) : null);
	}

	// The bar over all sheets.
	#bar() {
		const { state, model, base } = this,
			last = document.activeElement?.id === 'search' ? document.activeElement.selectionStart : null;
		const part = state.thread,
			others = base.compared(part)
				? [
						[
							part,
							part
								.split('~')
								.map((key) => base.partName(key))
								.join(' ↔ '),
						],
					]
				: base.members(part) && part.startsWith('p')
					? [[part, base.partName(part)]]
					: [];
		const choices = !base.byThread
			? null
			: h(
					'select',
					{
						'aria-label': 'threads',
						onchange: (event) => this.set({ thread: event.target.value, zoom: '', zoomup: '' }),
					},
					[
						['all', 'all threads'],
						['split', 'threads side by side'],
						...base.threads.map((t, i) => [String(i), `thread ${t.label}`]),
						...others,
					].map(([value, text]) => h('option', { value, selected: value === part }, text)),
				);
		this.input = h('input', {
			id: 'search',
			type: 'search',
			placeholder: 'search  /',
			'aria-label': 'search',
			value: this.typing ? this.input.value : state.q,
			spellcheck: 'false',
			oninput: () => {
				clearTimeout(this.typing);
				this.typing = setTimeout(() => this.set({ q: this.input.value }), 150);
			},
		});
		this.found = h('output', { id: 'found', for: 'search' });
		fill(
			this.barBox,
			this.#title(),
			this.feed?.box,
			h(
				'nav',
				{ role: 'tablist' },
				this.sheets.map(([key, text]) =>
					h(
						'button',
						{
							type: 'button',
							role: 'tab',
							'data-tab': key,
							'aria-selected': String(this.#shown[0] === key),
							onclick: () => this.set({ tab: key }),
						},
						text,
					),
				),
			),
			h(
				'div',
				{ class: 'tools' },
				model.timed && model.counted
					? choice(
							'measure',
							[
								['time', format.what()],
								['calls', 'calls'],
							],
							this.state.metric,
							(metric) => this.set({ metric }),
						)
					: null,
				model.compares
					? choice(
							'profile on show',
							[
								['base', 'base', 'widths and orders by the base'],
								['new', 'new', 'widths and orders by the new profile'],
							],
							this.side ? 'new' : 'base',
							(side) => this.set({ side }),
						)
					: null,
				h(
					'select',
					{ 'aria-label': 'shares of', onchange: (event) => this.set({ of: event.target.value }) },
					[
						['run', '% of run'],
						['parent', '% of parent'],
						['sel', '% of selected'],
					].map(([value, text]) => h('option', { value, selected: value === state.of }, text)),
				),
				choices,
				this.input,
				this.found,
				h(
					'button',
					{
						type: 'button',
						class: 'icon',
						title: 'light or dark (t)',
						'aria-label': 'light or dark',
						onclick: () => this.#turn(),
					},
					'◐',
				),
				h(
					'button',
					{
						type: 'button',
						class: 'icon',
						title: 'help (?)',
						'aria-label': 'help',
						onclick: () => this.#openHelp(),
					},
					'?',
				),
			),
		);
		this.barBox.append(...chips(this));
		this.barBox.querySelector('[aria-selected=true]').scrollIntoView({ block: 'nearest', inline: 'nearest' });
		if (last !== null) {
			this.input.focus();
			this.input.setSelectionRange(last, last);
		}
		this.#tellFound();
	}

	#help() {
		this.help = h(
			'dialog',
			{ 'aria-label': 'help', onclick: (event) => event.target === this.help && this.help.close() },
			h(
				'div',
				{ tabindex: -1 },
				h('h2', {}, 'Keys'),
				h(
					'table',
					{ class: 'keys' },
					KEYS.map(([key, text]) => h('tr', {}, h('th', {}, key), h('td', {}, text))),
				),
				h('h2', {}, 'Marks'),
				MARKS.map((text) => h('p', {}, text)),
				h('p', {}, 'The address of the page holds the view: a link restores it.'),
				h(
					'details',
					{},
					h('summary', {}, `aprof ${this.model.version}; licences of what this page stands on`),
					h('pre', {}, document.getElementById('licences')?.content.textContent ?? ''),
				),
				h('form', { method: 'dialog' }, h('button', {}, 'close')),
			),
		);
		return this.help;
	}

	// Its first button is at its end, and would have the focus, and be scrolled to.
	#openHelp() {
		this.help.showModal();
		this.help.firstChild.focus();
		this.help.scrollTop = 0;
	}

	// Ink is chosen for colours as they are, so a drawing with some is made anew.
	#theme(theme = this.state.theme) {
		const before = document.documentElement.dataset.theme,
			now = theme === 'light' || theme === 'dark' ? theme : matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
		document.documentElement.dataset.theme = now;
		if (before && now !== before && this.sheet.inked) this.#show();
	}

	#turn() {
		this.set({ theme: document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark' });
	}

	// Routines that match the search, and what they and all below them took; null without a search.
	#search() {
		const q = this.state.q;
		this.hits = null;
		this.sums = null;
		this.wrong = '';
		if (!q) return;
		try {
			const pattern = new RegExp(q, 'iu');
			this.matches = (name) => pattern.test(name);
		} catch (error) {
			this.wrong = error.message.replace(/^.*: /, '');
			this.matches = (name) => name.toLowerCase().includes(q.toLowerCase());
		}
		this.hits = this.model.routines.map((r) => this.matches(r.name) || this.matches(r.brief));
	}

	// Go BY hits on, round and round.
	async step(by) {
		if (!this.hits) return;
		const list = await this.sheet.found(this),
			n = list.length;
		if (!n) return;
		this.at = ((((this.at < 0 && by < 0 ? 0 : this.at) + by) % n) + n) % n;
		list[this.at]();
		this.tellHits();
	}

	// `3 of 20`: the hits on this sheet, and which of them is the one.
	async tellHits() {
		if (!this.hits) return;
		const n = (await this.sheet.found(this)).length,
			many = this.sheet.most === n ? `${n}+` : `${n}`;
		if (this.hits)
			this.place.textContent = this.at >= 0 && this.at < n ? `${this.at + 1} of ${many}` : n === 1 ? '1 hit' : `${many} hits`;
	}

	#tellFound() {
		this.at = -1;
		this.input.setAttribute('aria-invalid', String(Boolean(this.wrong)));
		if (!this.hits) {
			fill(this.found);
			return;
		}
		const turn = (text, by, title) =>
			h('button', { type: 'button', class: 'small', title, 'aria-label': title, onclick: () => this.step(by) }, text);
		this.place = h('span', { id: 'place' });
		const [s, metric] = [this.side, this.state.metric],
			value = matched(this.view, this.hits)[s][metric];
		const n = this.model.routines.filter((_, r) => this.hits[r] && this.view.figures.some((f) => f.calls[r] || f.total[r])).length;
		fill(
			this.found,
			this.wrong
				? h('span', { class: 'wrong', title: this.wrong }, `no regular expression (${this.wrong}): searched for as text `)
				: null,
			h('b', { 'data-exact': value }, format.percent(value, this.view.size(s, metric))),
			` in and below ${format.plural(n, 'routine')} `,
			h(
				'span',
				{ class: 'turn' },
				turn('‹', -1, 'the hit before (N)'),
				this.place,
				turn('›', 1, 'the next hit (n)'),
				['table', 'tree', 'threads'].includes(this.state.tab)
					? h(
							'label',
							{},
							h('input', {
								type: 'checkbox',
								...(this.state.only === '1' ? { checked: true } : {}),
								onchange: (event) => this.set({ only: event.target.checked ? '1' : '0' }),
							}),
							'hits only',
						)
					: null,
			),
		);
		this.tellHits();
	}

	get sheets() {
		return SHEETS.filter(([key]) => this.reading.contextual || !CONTEXTUAL.has(key));
	}

	get #shown() {
		return this.sheets.find(([key]) => key === this.state.tab) ?? SHEETS[0];
	}

	get sheet() {
		return this.#shown[2];
	}

	// Show MODEL, a later reading: what is selected, zoomed, opened, searched and scrolled stays.
	renew(model) {
		const before = this.reading,
			more = model.routines.length - before.routines.length;
		this.reading = model;
		this.#remember();
		this.#narrow();
		this.caches = new Recent(VIEWS);
		if (more) this.#threadsMoved(before.routines.length, more);
		this.#search();
		if (
			isNarrowed(this) ||
			model.threads.length !== before.threads.length ||
			model.timed !== before.timed ||
			model.byThread !== before.byThread
		)
			this.#bar();
		else this.#tellFound();
		const alike = model.timed === before.timed && model.sampled === before.sampled;
		if (!alike || !this.sheet.renew?.(this)) this.#showAgain();
		tip.again();
	}

	#remember() {
		this.readings.push(readingOf(this.reading));
		const from = this.readings.at(-1).at - LATELY;
		while (this.readings.length > 2 && this.readings[1].at <= from) this.readings.shift();
	}

	// What was known some seconds ago, of a program that runs: { self by routine, seconds }; null: it is the first reading.
	get recent() {
		const [first] = this.readings,
			last = this.readings.at(-1);
		return first === last ? null : { self: first.self, seconds: (last.at - first.at) / 1000 };
	}

	// Threads have numbers behind those of the routines, in the way that a zoom has led.
	#threadsMoved(routines, more) {
		const moved = (text) => pathText(pathLinks(text).map((link) => (link >> 1 >= routines ? link + 2 * more : link)));
		const { zoom, zoomup } = this.stateHolder.now;
		this.stateHolder.replace({ zoom: moved(zoom), zoomup: moved(zoomup) });
	}

	#showAgain() {
		const focus = this.box.contains(document.activeElement) ? likeness(document.activeElement) : null,
			scrolled = [document.scrollingElement, this.box, ...this.box.querySelectorAll('.drawn, .flame')].map((e) => [
				e.scrollLeft,
				e.scrollTop,
			]),
			open = [...this.box.querySelectorAll('details')].map((d) => d.open);
		this.#show();
		this.box.querySelectorAll('details').forEach((d, i) => (d.open = Boolean(open[i])));
		[document.scrollingElement, this.box, ...this.box.querySelectorAll('.drawn, .flame')].forEach((e, i) => {
			if (scrolled[i]) [e.scrollLeft, e.scrollTop] = scrolled[i];
		});
		if (focus === null) return;
		const next = [...this.box.querySelectorAll('button, input, [tabindex]')].find((e) => likeness(e) === focus);
		next?.focus({ preventScroll: true });
	}

	#show() {
		tip.hide();
		document.body.dataset.tab = this.state.tab;
		this.sheet.show(this.box, this);
		this.tellHits();
	}

	// Narrowing down takes a second of a million contexts: the page says so first.  What changes meanwhile is followed with it.
	#changed(changed) {
		const { focus, hidden } = this.stateHolder.now,
			narrower = (changed.has('focus') || changed.has('hidden')) && (focus || hidden);
		if (this.late) for (const key of changed) this.late.add(key);
		else if (narrower && this.reading.tree.n > MANY) this.#later(changed);
		else this.#follow(changed);
	}

	#later(changed) {
		const told = h(
			'div',
			{ class: 'works busy', role: 'status' },
			`narrowing down ${format.plural(this.reading.tree.n - 1, 'context')} …`,
		);
		this.late = changed;
		document.body.append(told);
		requestAnimationFrame(() =>
			setTimeout(() => {
				this.late = null;
				told.remove();
				this.#follow(changed);
			}),
		);
	}

	#follow(changed) {
		if (changed.has('sel') && this.state.of === 'sel') changed.add('of');
		if (changed.has('theme')) this.#theme();
		const narrower = changed.has('focus') || changed.has('hidden');
		if (narrower) this.#narrow();
		if (changed.has('q')) this.#search();
		const bar = narrower || ['tab', 'metric', 'side', 'thread', 'range', 'of'].some((key) => changed.has(key));
		if (changed.has('q') && this.input.value !== this.state.q) this.input.value = this.state.q;
		if (bar) this.#bar();
		else if (changed.has('q')) this.#tellFound();
		if (changed.has('tab')) this.#show();
		else if (narrower) this.#showAgain();
		else if (
			this.sheet.depends.some((key) => changed.has(key)) &&
			!this.sheet.update?.(new Set([...changed].filter((k) => this.sheet.depends.includes(k))), this)
		)
			this.#show();
		if (this.hits && !changed.has('sel')) this.#tellFound();
	}

	#escape() {
		const s = this.state;
		if (s.q) this.set({ q: '' });
		else if (s.zoom || s.zoomup) this.set({ zoom: '', zoomup: '' });
		else if (s.range) this.set({ range: '' });
		else if (s.sel) this.#deselect();
		else if (isNarrowed(this)) showAll(this);
		this.input.blur();
	}

	// What is under the pointer, or has the focus, is offered.
	#offered(event) {
		const at = event.button === 2 ? event : tip.below(event.target);
		if (!event.shiftKey && offerOf(this, event.target, { x: at.x, y: at.y })) event.preventDefault();
	}

	// The routine that a key is about: what has the focus stands for it, or it is selected.
	get #meant() {
		const r = Number(document.activeElement?.closest('[data-routine]')?.dataset.routine ?? this.selected);
		return this.model.isRoutine(r) ? r : -1;
	}

	#key(event) {
		if (event.defaultPrevented || this.help.open) return;
		if (event.key === 'f' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
			this.input.select(); // the browser's own search knows nothing of what is not drawn
			event.preventDefault();
			return;
		}
		if (event.ctrlKey || event.metaKey || event.altKey) return;
		if (event.key === 'Escape') return this.#escape();
		if (event.target.closest?.('input, select, textarea')) return;
		const sheet = this.sheets[Number(event.key) - 1];
		if (sheet) this.set({ tab: sheet[0] });
		else if (event.key === '/') this.input.select();
		else if (event.key === 'n' || event.key === 'N') this.step(event.key === 'n' ? 1 : -1);
		else if (event.key === '?') this.#openHelp();
		else if (event.key === 'm' && this.model.timed && this.model.counted)
			this.set({ metric: this.state.metric === 'time' ? 'calls' : 'time' });
		else if (event.key === 'b' && this.model.compares) this.set({ side: this.side ? 'base' : 'new' });
		else if (event.key === 't') this.#turn();
		else if (event.key === 'p' && this.feed && !this.feed.over) this.feed.hold(!this.feed.paused);
		else if ('fhs'.includes(event.key) && !this.reading.contextual) return;
		else if (event.key === 'f' && this.#meant >= 0) focusOn(this, this.#meant);
		else if (event.key === 'h' && this.#meant >= 0) hideOne(this, this.#meant);
		else if (event.key === 'a' && isNarrowed(this)) showAll(this);
		else if (event.key === 's') this.set({ tab: 'flame', dir: 'sandwich', zoom: '', zoomup: '' });
		else if (event.key === 'g') this.set({ tab: 'graph', hops: '1', ...(this.selected < 0 ? { sel: this.heaviest('self') } : {}) });
		else if (!this.sheet.key?.(event.key, this)) return;
		event.preventDefault();
	}
}

async function begin() {
	const wait = document.getElementById('wait');
	try {
		const element = document.getElementById('profile'),
			feed = element.dataset.live ? new Feed(element.dataset.live) : null;
		const model = new Model(await decode(feed ? await feed.ask() : element.textContent.trim()));
		element.remove();
		window.app = new App(model, feed);
		feed?.follow(async (data) => window.app.renew(new Model(await decode(data), window.app.base)));
	} catch (error) {
		wait.textContent = `This page cannot be shown: ${error.message}. It needs a browser of 2023 or later.`;
		throw error;
	}
}

begin();
