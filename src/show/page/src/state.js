// state.js - what is on show, kept in the part of the address after #, so that a link restores it.

export const DEFAULTS = {
	tab: 'run', // run, flame, graph, table, tree, threads, time
	metric: 'time', // time or calls
	thread: 'all', // all; split; a number; pN: those of process N; or two of the latter two, A~B, compared
	range: '', // FROM..TO, in seconds of the run, either of which may be left out: times of these alone; '': all
	focus: '', // what is to be active for a context to count, as narrow.js has it; '': whatever
	hidden: '', // what is hidden, of the same, by comma
	versus: '', // threads: what is to be compared with the next that is chosen
	order: 'order', // threads: order (as in the file), name, time, cpu, ticks, calls
	leaves: 'auto', // time in code without hooks: below its callers, within them; auto: below in pictures
	of: 'run', // what shares are shares of: run, parent (where there is one), sel (the selected routine)
	side: 'new', // of two profiles the one that gives widths and orders: new or base
	sel: '', // number of the selected routine
	q: '', // search
	only: '1', // trees, table: 1: of a search only what leads to a hit; 0: everything
	dir: 'down', // flame graph: down, up, sandwich
	colour: 'routine', // flame graph: what colours mean: routine, module, self, calls
	zoom: '',
	zoomup: '', // path of the branch that fills the flame graph; of the callers' half of a sandwich
	tree: 'down', // tree: down or up
	least: '', // call graph: least share shown, percent
	most: '', // call graph: how many routines, at most: a number; fit: as many as there is room for; the same where neither this nor least is given
	group: 'cycle', // call graph: what has frames: cycle, module, file, class, none
	folded: '', // call graph: groups that are one node
	by: 'total', // call graph: share of total or self
	hops: '0', // call graph: only the selected routine and its neighbours so many calls away; 0: all
	sort: '', // table: column.asc or column.desc
	hide: '', // table: columns not shown
	kind: 'none', // table: by what routines are grouped: none, module, file, class
	opened: '', // table: groups whose routines are shown
	pane: '', // how much of the width what stands beside a sheet has, percent; '': as much as it is given
	theme: 'auto', // auto, light, dark
};

// What an address may say of a key, where it may not say anything: the rest of a link that was mistyped, or is of another page, holds.
const one = (...words) => new RegExp(`^(${words.join('|')})$`);
const MEANT = {
	tab: one('run', 'flame', 'graph', 'table', 'tree', 'threads', 'time'),
	metric: one('time', 'calls'),
	leaves: one('auto', 'below', 'within'),
	of: one('run', 'parent', 'sel'),
	side: one('new', 'base'),
	only: one('0', '1'),
	dir: one('down', 'up', 'sandwich'),
	tree: one('down', 'up'),
	least: /^(\d+(\.\d*)?|\.\d+)?$/,
	most: /^(\d*|fit)$/,
	by: one('total', 'self'),
	pane: /^\d+(\.\d*)?$/,
	hops: one('0', '1', '2', '3'),
};

// Choices that are one step back: what the browser's Back button undoes.
const STEPS = new Set(['tab', 'sel', 'thread', 'range', 'focus', 'hidden', 'dir', 'zoom', 'zoomup', 'tree', 'hops']);

export class State {
	constructor(changed) {
		this.now = { ...DEFAULTS, ...this.#read() };
		this.changed = changed;
		window.addEventListener('hashchange', () => this.#take({ ...DEFAULTS, ...this.#read() }));
	}

	#read() {
		const given = new URLSearchParams(location.hash.slice(1));
		return Object.fromEntries([...given].filter(([key, value]) => key in DEFAULTS && (MEANT[key]?.test(value) ?? true)));
	}

	#take(next) {
		const keys = Object.keys(DEFAULTS).filter((key) => next[key] !== this.now[key]);
		this.now = next;
		if (keys.length) this.changed(new Set(keys));
	}

	// The same choices by other names: nobody is told.
	replace(patch) {
		this.now = { ...this.now, ...patch };
		const told = new URLSearchParams(Object.entries(this.now).filter(([key, value]) => value !== DEFAULTS[key]));
		if (`#${told}` !== location.hash && (location.hash || `${told}`)) history.replaceState(null, '', `#${told}`);
	}

	// Change what PATCH names.
	set(patch) {
		const next = { ...this.now };
		for (const [key, value] of Object.entries(patch)) next[key] = String(value);
		const told = new URLSearchParams(Object.entries(next).filter(([key, value]) => value !== DEFAULTS[key]));
		const hash = `#${told}`;
		if (hash !== location.hash && (hash !== '#' || location.hash)) {
			if (Object.keys(patch).some((key) => STEPS.has(key))) location.hash = hash;
			else location.replace(hash);
		}
		this.#take(next);
	}
}

export const pathText = (links) => links.map((link) => link.toString(36)).join('.');
export const pathLinks = (text) => (text ? text.split('.').map((word) => parseInt(word, 36)) : []);
