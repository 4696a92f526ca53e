// model.js - what the page looks at: one profile, or two on common routines, arcs and contexts.
//
// With two, routines are matched by name and module, contexts by their paths, and every figure exists once
// for each side: index 0 is the base, 1 the new profile.  A tree is a shape (shape.js) and
// own[side] = { self, calls, recursive, ticks, measured, variance }, each a column (column.js).
import { Column } from './column.js';
import { Narrowed } from './contexts.js';
import { basename, visible } from './format.js';
import { Gathered, Leaves } from './leaves.js';
import { numbersOf } from './names.js';
import { Pairs } from './pairs.js';
import { Recent } from './recent.js';
import { GAP, kidsOf, listed } from './shape.js';

export const FIGURES = [
	...['calls', 'recursive', 'self', 'total', 'selfTicks', 'totalTicks'],
	...['selfMeasured', 'selfVariance', 'totalMeasured', 'totalVariance'],
];
const EVIDENCE = ['measured', 'variance']; // what samples alone say of a time, and the variance of that
const OWN = ['self', 'calls', 'recursive', 'ticks', ...EVIDENCE];
const PARTS = 4, // views of some threads, or of a range of time, that are kept: each has figures of all contexts
	PAIRS = 2, // parts that are compared
	NARROWED = 1; // models narrowed down
const ARC = ['calls', 'self1', 'child1', 'self2', 'child2', 'variance']; // the last of self2 and child2 together

// What a module is in every build: the main program is the same whatever it is called, a library whatever follows .so.
function moduleIdentity(side, r) {
	const path = side.routines.module[r] ? side.strings[side.routines.module[r] - 1] : '';
	return !path || side.modules.some((m) => m.main_program && m.path === path) ? '' : basename(path).replace(/\.so\..*/, '.so');
}

const fileOf = (side, r) => (side.routines.file[r] ? basename(side.strings[side.routines.file[r] - 1]) : '');

// Names in modules that stand for several routines of one side, which only their source files tell apart.
function twinsOf(sides, identities) {
	const twins = new Set();
	sides.forEach((side, s) => {
		const files = new Map();
		identities[s].forEach((key, r) => {
			if (files.has(key) && files.get(key) !== fileOf(side, r)) twins.add(key);
			files.set(key, fileOf(side, r));
		});
	});
	return twins;
}

// What tells a function without hooks from a routine of that name.
const leafMark = (side, r) => (r < side.hooked ? '' : '\0leaf');

// What a routine of a program that runs is in all readings of it: the nth of its name, file and line in a module.
function lastingIdentities(side) {
	const seen = new Map(),
		text = (column, r) => (side.routines[column][r] ? side.strings[side.routines[column][r] - 1] : '');
	return side.names.map((name, r) => {
		const key = [name, text('module', r), text('file', r), side.routines.line[r], leafMark(side, r)].join('\0'),
			nth = seen.get(key) ?? 0;
		seen.set(key, nth + 1);
		return `${key}\0${nth}`;
	});
}

// What is told of routine R of SIDE.
function aboutOf(side, r) {
	const text = (column) => (side.routines[column][r] ? visible(side.strings[side.routines[column][r] - 1]) : '');
	return {
		name: visible(side.names[r]),
		brief: visible(side.briefs[r] ?? side.names[r]),
		number: '', // of several that look alike
		module: text('module'),
		file: text('file'),
		line: side.routines.line[r],
		pseudo: Boolean(side.routines.pseudo[r] & 1),
		leaf: r >= side.hooked, // a function without hooks, known by program counters
		uncounted: r >= side.hooked || Boolean(side.routines.pseudo[r] & 2), // or by call stacks
	};
}

// LIST with the numbers of those that look alike.
const numbered = (list) =>
	numbersOf(list.map(({ brief }) => brief)).map((n, r) => {
		const number = n ? ` (${n})` : '';
		return list[r].number === number ? list[r] : { ...list[r], number };
	});

// The routines of all sides; maps[side][routine of the side] is the common number.  Of one side each is itself; of two, routines
// of one name in one module are one, as `aprof diff` has it.  With BEFORE, the model of an earlier reading of the one side, its routines keep their
// numbers, and new ones come behind.
function routinesOf(sides, before) {
	if (sides.length === 1 && !before) {
		const [side] = sides;
		return {
			list: numbered(side.names.map((_, r) => aboutOf(side, r))),
			maps: [Int32Array.from(side.names, (_, r) => r)],
			numbers: null,
		};
	}
	const identities = sides.map((side) =>
		sides.length > 1 ? side.names.map((name, r) => `${name}\0${moduleIdentity(side, r)}${leafMark(side, r)}`) : lastingIdentities(side),
	);
	const numbers = new Map(before?.numbers),
		list = before ? [...before.routines] : [],
		maps = [],
		twins = twinsOf(sides, identities);
	sides.forEach((side, s) => {
		const map = new Int32Array(side.names.length);
		for (let r = 0; r < map.length; r++) {
			const name = identities[s][r],
				key = twins.has(name) ? `${name}\0${fileOf(side, r)}` : name;
			if (!numbers.has(key)) {
				numbers.set(key, list.length);
				list.push(null);
			}
			const q = (map[r] = numbers.get(key));
			list[q] = aboutOf(side, r);
		}
		maps.push(map);
	});
	return { list: numbered(list), maps, numbers };
}

// FIGURES of each side by common routine.
function figuresOf(sides, maps, n) {
	return sides.map((side, s) =>
		Object.fromEntries(
			FIGURES.map((name) => {
				const values = new Float64Array(n),
					from = side.routines[name];
				for (let r = 0; r < from.length; r++) values[maps[s][r]] += from[r];
				return [name, values];
			}),
		),
	);
}

// Arcs by (caller, callee); each is { from, to, folded, at: [figures of each side] }.
class Arcs {
	constructor(sides, routines) {
		this.sides = sides;
		this.list = [];
		this.out = Array.from({ length: routines }, () => []);
		this.in = Array.from({ length: routines }, () => []);
	}

	#numbers = new Pairs(); // by caller and callee, their places in the list

	// The number of the arc in the list.
	number(from, to) {
		const number = this.#numbers.at(from, to);
		if (number === this.list.length) this.#add(from, to);
		return number;
	}

	#add(from, to) {
		const at = [];
		for (let s = 0; s < this.sides; s++) at.push({ calls: 0, self1: 0, child1: 0, self2: 0, child2: 0, variance: 0 });
		const arc = { from, to, folded: false, at, verdict: 0 };
		this.list.push(arc);
		this.in[to].push(arc);
		if (from >= 0) this.out[from].push(arc);
	}

	at(from, to) {
		return this.list[this.number(from, to)];
	}

	// The arc if there is one; undefined: there is none.
	find(from, to) {
		return this.list[this.#numbers.find(from, to)];
	}
}

function arcsOf(sides, maps, n) {
	const arcs = new Arcs(sides.length, n);
	sides.forEach((side, s) => {
		const from = side.arcs;
		for (let i = 0; i < from.to.length; i++) {
			const arc = arcs.at(from.from[i] < 0 ? -1 : maps[s][from.from[i]], maps[s][from.to[i]]);
			arc.folded ||= from.folded[i] === 1;
			arc.verdict |= side.verdicts?.arc[i] ?? 0;
			for (const name of ARC) arc.at[s][name] += from[name][i];
		}
	});
	return arcs;
}

// Own figures to be added up, and the same as they are kept.
const empty = (n) => Object.fromEntries(OWN.map((name) => [name, new Float64Array(n)]));
const packed = (figures) => Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, new Column(values)]));

// One tree that has the paths of both; nodes[side][node of the side] is the common node.
function treesJoined(sides, maps) {
	const size = sides.reduce((sum, side) => sum + side.tree.n, 1 - sides.length);
	const parent = new Int32Array(size),
		routine = new Int32Array(size),
		flags = new Uint8Array(size),
		nodes = [];
	const index = new Map(),
		routines = Math.max(...maps.map((m) => m.length)) * 2 + 1;
	let n = 1;
	parent[0] = routine[0] = -1;
	for (let s = 0; s < sides.length; s++) {
		const t = sides[s].tree,
			node = new Int32Array(t.n);
		for (let i = 1; i < t.n; i++) {
			const r = maps[s][t.routine[i]],
				up = node[t.parent[i]],
				gap = t.flags[i] & GAP;
			const key = (up * routines + r) * 2 + gap;
			let found = index.get(key);
			if (found === undefined) {
				found = n++;
				index.set(key, found);
				parent[found] = up;
				routine[found] = r;
			}
			flags[found] |= t.flags[i];
			node[i] = found;
		}
		nodes.push(node);
	}
	const own = sides.map((side, s) => {
		const w = empty(n);
		for (const name of OWN) for (let i = 0; i < side.tree.n; i++) w[name][nodes[s][i]] += side.tree[name].at(i);
		return packed(w);
	});
	return { ...listed({ n, parent: parent.slice(0, n), routine: routine.slice(0, n), flags: flags.slice(0, n), own }), nodes };
}

// What is summed up over nodes, and of what.
const PASSING = [
	['time', 'self'],
	['calls', 'calls'],
	['ticks', 'ticks'],
	['measured', 'measured'],
	['variance', 'variance'],
];

// VALUES by node become those of the node and all below it; but the next entry of routine AROUND takes what passes through it.
function sumUp({ n, parent, routine }, values, around = -1) {
	for (let i = n - 1; i > 0; i--) if (around < 0 || routine[i] !== around) values[parent[i]] += values[i];
	return values;
}

// Inclusive figures by node: totals of the node and all below it, or around a routine.
function totals(tree, own, around = -1) {
	return Object.fromEntries(PASSING.map(([name, from]) => [name, new Column(sumUp(tree, own[from].wide(), around))]));
}

// Of one profile of an MPI job, by routine: what the ranks with the most have beyond the mean. null: it is none.
function beyondOf(sides, map, n) {
	if (sides.length > 1 || !sides[0].beyond) return null;
	const beyond = new Float64Array(n);
	sides[0].beyond.forEach((value, r) => {
		beyond[map[r]] += value;
	});
	return beyond;
}

// What the NTH thread of a NAME is called: by the number that `aprof info --threads` gives it and --thread wants; of two sides, which may number it differently, by its order.
const threadLabel = (sides, thread, name, nth) => (sides.length === 1 ? `${thread.thread} ${name}` : nth ? `${name} ${nth + 1}` : name);

// The threads of all sides, matched by name and order; those of BEFORE keep their numbers.
function threadsOf(sides, before) {
	const list = before ? [...before.threads] : [],
		numbers = new Map(list.map((thread, i) => [`${thread.name}\0${thread.nth}`, i]));
	const maps = sides.map((side) => {
		const seen = new Map();
		return side.threads.map((thread) => {
			const name = visible(thread.name) || '(no name)',
				nth = seen.get(name) ?? 0,
				key = `${name}\0${nth}`;
			seen.set(name, nth + 1);
			if (!numbers.has(key)) {
				numbers.set(key, list.length);
				list.push({ name, nth, label: threadLabel(sides, thread, name, nth), number: thread.thread });
			}
			return numbers.get(key);
		});
	});
	return { list, maps };
}

// The processes of SIDE, by its threads, in their order: of each its name, what it ran, and its threads' numbers there.  One alone is none.
function processesOf(side) {
	const found = new Map();
	side.threads.forEach(({ run, pid = null, rank = null }, i) => {
		const key = `${run} ${pid} ${rank}`,
			file = side.run.files?.[run] ?? {};
		if (!found.has(key)) {
			const number = pid ?? file.pid ?? found.size + 1;
			found.set(key, {
				name: rank === null ? `process ${number}` : `rank ${rank}`,
				program: basename(visible(file.program ?? '')),
				command: visible(file.command ?? ''),
				pid: number,
				threads: [],
			});
		}
		found.get(key).threads.push(i);
	});
	return found.size > 1 ? [...found.values()] : [];
}

export class Model {
	#leaves;
	#numbers; // by what a routine is in all readings, its number; null: not asked for yet
	#all; // the view of all threads, in all of the run
	#origin; // the model that this one is narrowed down from; null: it is none
	#narrowed; // by side, how
	#verdicts;

	// BEFORE is the model of an earlier reading, whose routines keep their numbers; WHOLE that of which SIDES are parts, with its routines; NARROWED, by side, how
	// they are narrowed down from those.
	constructor({ version, sides, judged = null }, before = null, whole = null, narrowed = null) {
		this.version = version;
		this.judged = judged; // of two sides, by what changes are told from noise (stats.js)
		this.sides = sides;
		this.#origin = narrowed ? whole : null;
		this.#narrowed = narrowed;
		const { list, maps, numbers } = whole
			? { list: whole.routines, maps: sides.map((_, s) => whole.maps[narrowed ? s : 0]), numbers: null }
			: routinesOf(sides, before);
		this.routines = list;
		this.maps = maps;
		this.#numbers = numbers;
		this.compares = sides.length > 1;
		this.sampled = sides.every((side) => side.sampled);
		this.counted = sides.every((side) => side.counted); // calls are known
		this.contextual = sides.every((side) => side.contextual); // contexts are; else routines and arcs alone
		this.each = sides.map((side) => side.times.each_ns); // what a sample stands for in the variance of a mean, ns; 0: times are no samples
		this.sample = sides.map(({ sampled, times: t }) => (sampled && t.ticks + t.outside_ticks > 0 ? t.tick_ns : 0)); // what one stands for, ns; 0: times are none
		this.runs = sides.map((side) => side.runs); // whose mean a side is
		this.beyond = beyondOf(sides, maps[0], list.length);
		this.timed = narrowed ? whole.timed : sides.some((side) => side.times.time_ns + side.times.outside_ns > 0);
		const threads = threadsOf(sides, narrowed ? whole : before);
		this.threads = threads.list;
		this.threadMaps = threads.maps;
		this.processes = this.compares ? [] : processesOf(sides[0]);
		this.byThread = narrowed ? whole.byThread : this.threads.length > 1 && sides.some((side) => side.shares.node.length > 0);
		this.interval = this.compares ? 0 : sides[0].interval_ns; // ns of the run that a slice is of; 0: there are none
		this.intervals = narrowed ? whole.intervals : this.interval ? sides[0].slices.interval.most + 1 : 0;
		this.#trees(sides, maps);
		this.hasLeaves = sides.some((side) => side.plain.length > 0);
		this.parts = new Recent(PARTS);
		this.pairs = new Recent(PAIRS);
		this.narrower = new Recent(NARROWED);
		this.hidden = narrowed?.[0].hidden ?? null; // by routine, whether it is
		this.focused = Boolean(narrowed?.[0].wanted); // only contexts in which something is active
	}

	// The numbers of the routines by what tells them from others, for a later reading.
	get numbers() {
		return (this.#numbers ??= new Map(lastingIdentities(this.sides[0]).map((key, r) => [key, r])));
	}

	// The model that it is narrowed down from; itself: it is not narrowed down.
	get whole() {
		return this.#origin ?? this;
	}

	// The same contexts, but for those in which nothing of WANTED is active, and without the frames of HIDDEN: both by routine, or null.  KEY tells them from others.
	narrow(key, wanted, hidden) {
		return this.narrower.get(key, () => {
			const narrowed = this.sides.map((_, s) => this.#narrow(s, wanted, hidden));
			return new Model(
				{ version: this.version, judged: this.judged, sides: this.sides.map((side, s) => narrowedSide(side, narrowed[s])) },
				null,
				this,
				narrowed.map((n) => Object.assign(n, { hidden, wanted })),
			);
		});
	}

	#narrow(s, wanted, hidden) {
		const side = this.sides[s],
			map = this.maps[s],
			own = (marks) => marks && Uint8Array.from(map, (r) => marks[r]),
			leaves = wanted && this.routines.some((about, r) => about.leaf && wanted[r]) && this.leaves ? this.leaves[s] : null;
		return new Narrowed(side.tree, {
			wanted: own(wanted),
			hidden: own(hidden),
			routines: map.length,
			leafPart: leaves ? (i) => leaves.sum(this.node(s, i), wanted) : null,
		});
	}

	// By side, where the own time of contexts was; null: nothing is known of that.
	get leaves() {
		if (this.#leaves === undefined) this.#leaves = this.hasLeaves ? this.sides.map((_, s) => this.#leavesOf(s)) : null;
		return this.#leaves;
	}

	#leavesOf(s) {
		if (!this.#origin) return new Leaves(this, s);
		const whole = this.#origin,
			narrowed = this.#narrowed[s];
		return new Gathered(whole.leaves[s], {
			n: this.tree.n,
			narrowed,
			from: (i) => whole.node(s, i),
			to: (j) => this.node(s, j),
			self: whole.sides[s].tree.self,
		});
	}

	#trees(sides, maps) {
		if (this.compares) {
			this.tree = treesJoined(sides, maps);
			this.nodes = this.tree.nodes;
		} else {
			const { self, calls, recursive, ticks, measured, variance, list = null, ...shape } = sides[0].tree;
			if (maps[0].some((q, r) => q !== r)) shape.routine = Int32Array.from(shape.routine, (r) => (r < 0 ? r : maps[0][r]));
			this.tree = { ...shape, list, own: [{ self, calls, recursive, ticks, measured, variance }] };
			this.nodes = [null];
		}
	}

	// The cycles of side S, one after the other, each { entries: [{ routine, known }], calls, time }.
	*cycles(s) {
		const { length, calls, time, entries } = this.sides[s].cycles;
		for (let i = 0, at = 0; i < length.length; at += length[i++]) {
			const those = Array.from(entries.subarray(at, at + length[i]), (e) => ({
				routine: this.maps[s][e >> 1],
				known: Boolean(e & 1),
			}));
			yield { entries: those, calls: calls[i], time: time[i] };
		}
	}

	// What is known of the change of each routine and node, as bits (decode.js); null: nobody judged.
	get verdicts() {
		if (this.#verdicts !== undefined) return this.#verdicts;
		if (!this.judged || this.#origin) return (this.#verdicts = null);
		const routine = new Uint8Array(this.routines.length),
			node = new Uint8Array(this.tree.n);
		this.sides.forEach(({ verdicts }, s) => {
			verdicts.routine.forEach((bits, r) => (routine[this.maps[s][r]] |= bits));
			verdicts.node.forEach((bits, i) => (node[this.node(s, i)] |= bits));
		});
		return (this.#verdicts = { routine, node });
	}

	node(side, i) {
		return this.nodes[side] ? this.nodes[side][i] : i;
	}

	// The threads that KEY means: a number, or pN, those of process N. null: none of them is here.
	members(key) {
		if (/^\d+$/.test(key) && Number(key) < this.threads.length) return new Set([Number(key)]);
		if (!/^p\d+$/.test(key) || this.compares) return null;
		const process = this.processes[Number(key.slice(1))];
		return process ? new Set(process.threads.map((i) => this.threadMaps[0][i])) : null;
	}

	// What the part that KEY means is called.
	partName(key) {
		if (!key.startsWith('p')) return `thread ${this.threads[Number(key)].label}`;
		return this.processes[Number(key.slice(1))].name;
	}

	// The two parts of the one profile that PAIR, `A~B`, names, as if they were two profiles; null: they are none.
	compared(pair) {
		const keys = pair.split('~');
		if (keys.length !== 2 || this.compares || !this.byThread || keys.some((key) => !this.members(key))) return null;
		return this.pairs.get(pair, () => new Model({ version: this.version, sides: keys.map((key) => partOf(this, key)) }, null, this));
	}

	// The intervals [first, end) that RANGE, `FROM..TO` in seconds of the run, means, as `aprof report --time-range` has it: those whose middle is in it.  null: all,
	// or none.
	cut(range) {
		const told = /^(\d*\.?\d*)\.\.(\d*\.?\d*)$/.exec(range);
		if (!told || !this.interval) return null;
		const at = (seconds) => Math.max(0, Math.min(this.intervals, Math.ceil((Number(seconds) * 1e9) / this.interval - 0.5))),
			[first, end] = [at(told[1]), told[2] === '' ? this.intervals : at(told[2])];
		return first < end && end - first < this.intervals ? [first, end] : null;
	}

	// What is shown of all threads together ("all"), side by side ("split"), or of those that a key means; and of the RANGE of time, if it means some intervals.
	view(thread, range = '') {
		const cut = this.cut(range);
		if (thread === 'all' && !cut) return (this.#all ??= this.#whole());
		return this.parts.get(`${thread} ${cut}`, () => this.#make(thread, range, cut));
	}

	#make(thread, range, cut) {
		if (thread === 'split') return this.#split(range, cut);
		return this.#part(thread === 'all' ? null : this.members(`${thread}`), cut);
	}

	// The shares of side S, in the range of time if RANGE means some intervals.
	sharesOf(s, range) {
		const cut = this.cut(range);
		return cut && this.byThread ? this.#sharesIn(cut) : this.sides[s].shares;
	}

	// The shares of threads in contexts, of which there are none in the page where there is one thread; and of each slice the number of its share.
	get #sliced() {
		if (this.slicedShares) return this.slicedShares;
		if (this.#origin) return (this.slicedShares = { shares: this.#narrowed[0].shares(this.#origin.#sliced.shares) });
		const [side] = this.sides,
			shares = this.byThread ? side.shares : sharesOfTree(this.tree),
			numbers = new Map(),
			{ thread, node, time } = side.slices,
			n = shares.node.length;
		for (let i = 0; i < n; i++) numbers.set(shares.thread[i] * this.tree.n + shares.node[i], i);
		const place = Int32Array.from(
				{ length: node.length },
				(_, i) => numbers.get((this.byThread ? thread.at(i) : 0) * this.tree.n + node.at(i)) ?? n,
			),
			whole = new Float64Array(n + 1);
		for (let i = 0; i < place.length; i++) whole[place[i]] += time.at(i);
		return (this.slicedShares = { shares, place, whole });
	}

	// The number of the routine of NODE; behind all others that of the run.
	#routineAt(node) {
		return node ? this.tree.routine[node] : this.routines.length;
	}

	// COLUMN, of SHARES, added up by node with all below it, and by routine.
	#sumsOf(shares, column) {
		const below = new Float64Array(this.tree.n),
			routine = new Float64Array(this.routines.length + 1);
		for (let i = 0; i < shares.node.length; i++) {
			below[shares.node[i]] += column[i];
			routine[this.#routineAt(shares.node[i])] += column[i];
		}
		for (let i = this.tree.n - 1; i > 0; i--) below[this.tree.parent[i]] += below[i];
		return { below, routine };
	}

	// The same in the intervals from FIRST to END; calls stay those of the whole run.  Of the time that is left without hooks as great a part is in them as of the
	// time with hooks; of a context that no sample met, of the nearest thing that samples met: what it leads to, its routine, the run.
	#sharesIn([first, end]) {
		if (this.#origin) return this.#narrowed[0].shares(this.#origin.#sharesIn([first, end]));
		const { shares, place, whole } = this.#sliced,
			{ interval, time, ticks } = this.sides[0].slices,
			n = shares.node.length,
			part = new Float64Array(n + 1),
			found = new Float64Array(n + 1);
		for (let i = 0; i < place.length; i++)
			if (interval.at(i) >= first && interval.at(i) < end) {
				part[place[i]] += time.at(i);
				found[place[i]] += ticks.at(i);
			}
		const [inRange, inRun] = [part, whole].map((column) => this.#sumsOf(shares, column));
		const factor = Float64Array.from({ length: n }, (_, i) => {
			const node = shares.node[i],
				routine = this.#routineAt(node);
			if (whole[i]) return part[i] / whole[i];
			if (inRun.below[node]) return inRange.below[node] / inRun.below[node];
			if (inRun.routine[routine]) return inRange.routine[routine] / inRun.routine[routine];
			return inRun.below[0] ? inRange.below[0] / inRun.below[0] : 0;
		});
		const scaled = Object.fromEntries(EVIDENCE.map((name) => [name, shares[name].wide().map((v, i) => v * factor[i])]));
		const left = shares.time
			.wide()
			.map((v, i) => (whole[i] ? Math.max(0, part[i] - Math.round((whole[i] - v) * factor[i])) : Math.round(v * factor[i])));
		return { ...shares, ...packed({ ...scaled, time: left, ticks: found }) };
	}

	#whole() {
		const whole = this.sides.map((side) => ({
			time: side.times.time_ns,
			outside: side.times.outside_ns,
			ticks: side.times.ticks,
			calls: side.times.calls,
			measured: side.times.measured_ns,
			variance: side.times.measured_ns * side.times.each_ns,
		}));
		return new View(
			this,
			this.tree,
			figuresOf(this.sides, this.maps, this.routines.length),
			() => arcsOf(this.sides, this.maps, this.routines.length),
			whole,
		);
	}

	// THREADS null: of all, whose shares are made to be the whole.
	#part(threads, cut) {
		const own = this.sides.map((side, s) => {
			const w = empty(this.tree.n),
				from = cut ? this.#sharesIn(cut) : side.shares,
				scale = threads ? () => 1 : sharesScale(this, this.#sliced.shares, s);
			for (let i = 0; i < from.node.length; i++)
				if (!threads || threads.has(this.threadMaps[s][from.thread[i]]))
					shareAdd(from, w, this.node(s, from.node[i]), i, scale(i));
			return packed(w);
		});
		const tree = { ...this.tree, own };
		const charged = own.map((w) => attribute(tree, w, this.routines.length));
		const whole = charged.map((c, s) => ({ ...c.whole, outside: own[s].self.at(0), ...evidenceOf(own[s]) }));
		return new View(
			this,
			tree,
			charged.map((c) => c.figures),
			() => this.#arcsOfPart(charged),
			whole,
		);
	}

	#arcsOfPart(charged) {
		const arcs = new Arcs(charged.length, this.routines.length),
			all = this.view('all').arcs;
		charged.forEach((c, s) => {
			for (let i = 0; i < c.arcs.to.length; i++) {
				const arc = arcs.at(c.arcs.from[i], c.arcs.to[i]);
				for (const name of ARC) arc.at[s][name] = c.arcs[name][i];
				arc.folded = all.find(arc.from, arc.to)?.folded ?? false;
			}
		});
		return arcs;
	}

	// The same routines and arcs as of all threads; the tree has the threads as its first level.
	#split(range, cut) {
		const all = this.view('all', range);
		const split = treeByThread(this, (side) => (cut ? this.#sharesIn(cut) : side.shares));
		return new View(this, split, all.figures, () => all.arcs, all.whole);
	}

	// Whether R is a routine, rather than the run or a thread, which have numbers in trees, too.
	isRoutine(r) {
		return r >= 0 && r < this.routines.length;
	}

	// The short form of its name, as the text reports have it on a terminal (base/short_names.h), with its number if it looks like others.
	routineName(r) {
		return r < 0
			? '(the run)'
			: r >= this.routines.length
				? `thread ${this.threads[r - this.routines.length].label}`
				: this.routines[r].brief + this.routines[r].number;
	}

	wholeName(r) {
		return this.isRoutine(r) ? this.routines[r].name : this.routineName(r);
	}
}

// SIDE with the contexts of TREE alone, which came to WHOLE; FIGURES(name) and ARCS, of its own routines.  What is known of the run as a whole only is not there.
function sideOf(side, { tree, figures, arcs, whole, contexts }) {
	const routines = { ...side.routines };
	for (const name of FIGURES) routines[name] = figures(name);
	return {
		...side,
		routines,
		arcs,
		tree,
		part: true,
		cycles: { length: [], calls: [], time: [], entries: new Int32Array(0) },
		phases: [],
		never: [],
		hot: null,
		paths: null,
		beyond: null,
		arc_places: null,
		run: {
			...side.run,
			times: { ...side.run.times, contexts_ns: whole.time, outside_ns: whole.outside, hooks_ns: 0, monitor_ns: 0, unplaced_ns: 0 },
			counts: { ...side.run.counts, calls: whole.calls, contexts },
		},
		times: {
			...side.times,
			time_ns: whole.time,
			outside_ns: whole.outside,
			ticks: whole.ticks,
			calls: whole.calls,
			measured_ns: whole.measured,
			each_ns: whole.measured ? whole.variance / whole.measured : 0,
		},
	};
}

// How many nodes with figures OWN, of N, are contexts that something was counted in.
function contextsIn(own, n) {
	let contexts = 0;
	for (let i = 1; i < n; i++) if (['self', 'calls', 'recursive', 'ticks'].some((name) => own[name].at(i))) contexts++;
	return contexts;
}

// LIST, of Arcs, as columns; NUMBER of each of their routines.
const arcColumns = (list, number) => ({
	from: Int32Array.from(list, (arc) => (arc.from < 0 ? -1 : number(arc.from))),
	to: Int32Array.from(list, (arc) => number(arc.to)),
	folded: Int32Array.from(list, (arc) => Number(arc.folded)),
	...Object.fromEntries(ARC.map((name) => [name, Float64Array.from(list, (arc) => arc.at[0][name])])),
});

// The part of MODEL's one side that KEY means, as a side of its own: as the page would have it of `aprof html --thread`.
function partOf(model, key) {
	const [side] = model.sides,
		view = model.view(key),
		[f] = view.figures,
		[own] = view.tree.own,
		map = model.maps[0],
		back = new Map(Array.from(map, (r, i) => [r, i]));
	return {
		...sideOf(side, {
			tree: { ...side.tree, ...own },
			figures: (name) => Float64Array.from(map, (r) => f[name][r]),
			arcs: arcColumns(view.arcs.list, (r) => back.get(r)),
			whole: view.whole[0],
			contexts: contextsIn(own, model.tree.n),
		}),
		label: model.partName(key),
		shares: { thread: [], node: [] },
		threads: [],
	};
}

// Of ARCS, as columns, those that have figures.
function arcsWithFigures(arcs) {
	const { to, calls, self1, child1, self2, child2 } = arcs,
		kept = Int32Array.from(to.keys()).filter((i) => calls[i] || self1[i] || child1[i] || self2[i] || child2[i]);
	return Object.fromEntries(Object.entries(arcs).map(([name, column]) => [name, column.constructor.from(kept, (i) => column[i])]));
}

// SIDE, NARROWED down.
function narrowedSide(side, narrowed) {
	const { tree } = narrowed,
		{ figures, arcs, whole } = attribute(tree, tree, side.names.length);
	return {
		...sideOf(side, {
			tree,
			figures: (name) => figures[name],
			arcs: arcsWithFigures(arcs),
			whole: { ...whole, outside: tree.self.at(0), ...evidenceOf(tree) },
			contexts: contextsIn(tree, tree.n),
		}),
		shares: narrowed.shares(side.shares),
		slices: narrowed.slices(side.slices),
	};
}

// The hooks' cost is subtracted from a context as a whole, and from the share of each thread, never below zero: so shares
// can be more than the whole.  What a share's time is multiplied by so that they are the whole.
function sharesScale(model, shares, s) {
	const sum = new Float64Array(model.tree.n);
	for (let i = 0; i < shares.node.length; i++) sum[model.node(s, shares.node[i])] += shares.time.at(i);
	return (i) => {
		const node = model.node(s, shares.node[i]);
		return sum[node] ? model.tree.own[s].self.at(node) / sum[node] : 1;
	};
}

// Add share I of SHARES to the figures W at NODE, its time by SCALE.
function shareAdd(shares, w, node, i, scale) {
	w.self[node] += shares.time.at(i) * scale;
	for (const name of ['calls', 'recursive', 'ticks', ...EVIDENCE]) w[name][node] += shares[name].at(i);
}

// The shares of the one thread that there is: what the nodes of TREE have.
function sharesOfTree(tree) {
	const { self: time, ...others } = tree.own[0];
	return { thread: new Int32Array(tree.n), node: Int32Array.from({ length: tree.n }, (_, i) => i), time, ...others };
}

const evidenceOf = (own) => Object.fromEntries(EVIDENCE.map((name) => [name, own[name].sum]));

// A copy of each thread's part of the tree below a node for the thread, whose routine is beyond all others; SHARESOF(side) is what they have there.
function treeByThread(model, sharesOf) {
	const base = model.tree,
		parent = [-1],
		routine = [-1],
		flags = [0],
		place = new Map(),
		rows = [];
	const nodeOf = (thread, i) => {
		const key = thread * base.n + i,
			found = place.get(key);
		if (found !== undefined) return found;
		const up = i === 0 ? 0 : nodeOf(thread, base.parent[i]),
			made = parent.length;
		parent.push(up);
		routine.push(i === 0 ? model.routines.length + thread : base.routine[i]);
		flags.push(base.flags[i]);
		place.set(key, made);
		return made;
	};
	model.sides.forEach(({ shares }, s) => {
		for (let i = 0; i < shares.node.length; i++)
			rows.push([s, nodeOf(model.threadMaps[s][shares.thread[i]], model.node(s, shares.node[i])), i]);
	});
	const own = model.sides.map(() => empty(parent.length)),
		from = model.sides.map(sharesOf);
	const scale = model.sides.map((side, s) => sharesScale(model, side.shares, s));
	for (const [s, node, i] of rows) shareAdd(from[s], own[s], node, i, scale[s](i));
	return listed({
		n: parent.length,
		parent: Int32Array.from(parent),
		routine: Int32Array.from(routine),
		flags: Uint8Array.from(flags),
		own: own.map(packed),
	});
}

// Figures of one choice of threads.  With LEAVES, those of the model, time in code without hooks is not
// that of the routine on whose time it ran, but of the function where it was, as if the routine had called it.
export class View {
	#arcs;
	#makeArcs;
	#totals;
	#sizes; // by side
	#around; // { r, totals }
	#leafed;
	#within; // the view without leaves, which has the same tree
	// MAKEARCS makes the arcs, for a view that is asked for its like with leaves new ones each time.
	constructor(model, tree, figures, makeArcs, whole, leaves = null) {
		Object.assign(this, { model, tree, figures, whole, leaves });
		this.#makeArcs = makeArcs;
	}

	// The same with leaves, of a view of all threads of a model that has them.
	get leafed() {
		return (this.#leafed ??= this.#withLeaves(this.model.leaves));
	}

	#withLeaves(leaves) {
		const view = new View(this.model, this.tree, this.figures, () => leafedArcs(view, this.#makeArcs()), this.whole, leaves);
		view.#within = this;
		view.sums = this.figures.map((_, s) => leafSums(view, s));
		view.figures = this.figures.map((f, s) => leafedFigures(f, view.sums[s]));
		return view;
	}

	// The parts of the own time of node I, of side S, by slot (leaves.js); null: all was in its own code.
	parts(s, i) {
		return this.leaves ? this.leaves[s].parts(i) : null;
	}

	// What of that was in its own code.
	ownPart(s, i) {
		return this.parts(s, i)?.[0] ?? 1;
	}

	// Call VISIT with each function without hooks in which own time of node I, of side S, was, and the part that was there.
	eachLeaf(s, i, visit) {
		const parts = this.parts(s, i);
		if (!parts) return;
		const { leaf } = this.leaves[s].placesOf(i);
		for (let l = 1; l < parts.length; l++) if (parts[l] > 0) visit(leaf[l], parts[l]);
	}

	// What of the own time of node I was in function LEAF.
	leafPart(s, i, leaf) {
		const slot = this.leaves?.[s].placesOf(i)?.slots.get(leaf);
		return slot === undefined ? 0 : this.parts(s, i)[slot];
	}

	// Samples that tell so of node I alone.
	leafSamples(s, i, leaf) {
		return this.leaves[s].samples(i, leaf);
	}

	// Whether it is of all that two sides have, which is judged.
	get isJudged() {
		return this.model.verdicts !== null && this.model.view('all') === (this.#within ?? this);
	}

	// What is known of the change of ITEM, { routine }, { node } or { arc }, as bits, if VALUES, of a KIND, are those of the two sides as a whole, with or without functions without hooks;
	// 0: nothing.
	verdict(kind, values, item) {
		if (!item || !this.isJudged) return 0;
		const whole = this.#within ?? this,
			{ routine, node, arc } = item,
			of = (s) =>
				arc
					? arc.at[s].self2 + arc.at[s].child2
					: kind === 'path'
						? whole.totals[s].time.at(node)
						: kind === 'pathSelf'
							? whole.tree.own[s].self.at(node)
							: whole.figures[s][kind][routine];
		if (kind !== 'calls' && values.some((v, s) => v !== of(s))) return 0;
		return arc ? arc.verdict : routine !== undefined ? this.model.verdicts.routine[routine] : this.model.verdicts.node[node];
	}

	get arcs() {
		return (this.#arcs ??= this.#makeArcs());
	}

	get totals() {
		return this.#within?.totals ?? (this.#totals ??= this.tree.own.map((own) => totals(this.tree, own)));
	}

	// The same, but the next entry of routine R takes what passes through it; kept until another one is asked for.
	totalsAround(r) {
		if (this.#around?.r !== r) this.#around = { r, totals: this.tree.own.map((own) => totals(this.tree, own, r)) };
		return this.#around.totals;
	}

	// What a share is a share of: the run's time, or its calls from one routine to another.
	size(side, metric) {
		this.#sizes ??= this.tree.own.map((own) => ({ time: own.self.sum, calls: own.calls.sum }));
		return this.#sizes[side][metric];
	}
}

const LEAFED = [
	['self', 'self', 'total'],
	['ticks', 'selfTicks', 'totalTicks'],
	['measured', 'selfMeasured', 'totalMeasured'],
	['variance', 'selfVariance', 'totalVariance'],
]; // of a node; of a routine

// What of side S of VIEW was in functions without hooks: [{ routine, leaf, self, ticks, measured, variance }].
function leafSums(view, s) {
	const own = view.tree.own[s],
		alike = new Map(); // nodes by their parts: all that have no samples share those of their routine
	for (let i = 1; i < view.tree.n; i++) {
		const parts = view.parts(s, i);
		if (!parts) continue;
		if (!alike.has(parts)) alike.set(parts, { i, sums: LEAFED.map(() => 0) });
		LEAFED.forEach(([name], k) => (alike.get(parts).sums[k] += own[name].at(i)));
	}
	const found = new Map();
	for (const { i, sums } of alike.values())
		view.eachLeaf(s, i, (leaf, part) => {
			const routine = view.tree.routine[i],
				key = `${routine} ${leaf}`;
			if (!found.has(key)) found.set(key, { routine, leaf, ...Object.fromEntries(LEAFED.map(([name]) => [name, 0])) });
			LEAFED.forEach(([name], k) => (found.get(key)[name] += part * sums[k]));
		});
	return [...found.values()];
}

// The figures F of one side, with those of SUMS taken from the routines and given to the functions.
function leafedFigures(f, sums) {
	const figures = { ...f };
	for (const [name, self, total] of LEAFED) {
		figures[self] = f[self].slice();
		figures[total] = f[total].slice();
		for (const sum of sums) {
			figures[self][sum.routine] = Math.max(0, figures[self][sum.routine] - sum[name]);
			figures[self][sum.leaf] += sum[name];
			figures[total][sum.leaf] += sum[name];
		}
	}
	return figures;
}

// ARCS, those without leaves, made those of VIEW: there are such to functions, without calls; and of the time along an arc what its callee spent in
// functions is its child time.  What recursion folded is divided alike at both ends.
function leafedArcs(view, arcs) {
	view.figures.forEach((_, s) => {
		const { tree } = view,
			moved = new Map(),
			side = (arc) => arc.at[s];
		for (let i = 1; i < tree.n; i++) {
			const part = 1 - view.ownPart(s, i),
				up = tree.parent[i];
			if (part > 0 && tree.own[s].self.at(i) > 0) {
				const arc = arcs.at(up === 0 ? -1 : tree.routine[up], tree.routine[i]);
				moved.set(arc, (moved.get(arc) ?? 0) + part * tree.own[s].self.at(i));
			}
		}
		for (const [arc, time] of moved) {
			const at = side(arc),
				part = at.self2 ? Math.min(1, time / at.self2) : 0;
			at.child1 += part * at.self1;
			at.child2 += part * at.self2;
			at.self1 -= part * at.self1;
			at.self2 -= part * at.self2;
		}
		for (const { routine, leaf, self, variance } of view.sums[s]) {
			const at = side(arcs.at(routine, leaf));
			at.self1 += self;
			at.self2 += self;
			at.variance += variance;
		}
	});
	return arcs;
}

// The history model (Spivey 2004, "Presenting the results") on the tree, for the own figures W of one thread: of a path the
// last entry of each routine is the marked one.  A node is charged with what passes through it, less what passes through
// the next entry of its routine below it.
function attribute(tree, w, n) {
	const figures = Object.fromEntries(FIGURES.map((name) => [name, new Float64Array(n)])),
		arcs = new Pairs(),
		folded = new Set(); // numbers of arcs
	const own = Object.fromEntries(OWN.map((name) => [name, w[name].wide()])),
		all = Object.fromEntries(PASSING.map(([name, from]) => [name, sumUp(tree, own[from].slice())])),
		charged = Object.fromEntries(PASSING.map(([name]) => [name, all[name].slice()]));
	const last = new Int32Array(n).fill(-1),
		before = new Int32Array(tree.n),
		depth = new Int32Array(tree.n);
	const path = [],
		stack = [0];
	const inner = new Float64Array(tree.n); // of what passes a node, what the next entry of its parent's routine takes
	const running = new Float64Array(tree.n); // time in the routine of a node, at it or below, while its parent's entry is the last
	const order = new Int32Array(tree.n); // nodes that lead to figures, parents first
	let met = 0; // how many
	const some = new Uint8Array(tree.n); // whether a node has figures
	for (const values of Object.values(own)) for (let i = 0; i < tree.n; i++) if (values[i] > 0) some[i] = 1;
	const passing = PASSING.map(([name]) => [charged[name], all[name]]),
		push = (k) => stack.push(k);
	const leads = new Uint8Array(tree.n); // whether a node, or any below it, has figures
	leads[0] = 1;
	for (let i = tree.n - 1; i > 0; i--) {
		if (some[i]) leads[i] = 1;
		if (leads[i]) leads[tree.parent[i]] = 1;
	}
	// The entry of node U is not its routine's last any more: the arcs to and from it of which the other end is have only one.
	const refold = (u) => {
		const below = path[depth[u] + 1],
			above = tree.parent[u];
		if (last[tree.routine[below]] === below) folded.add(arcs.at(tree.routine[u], tree.routine[below]));
		if (above > 0 && last[tree.routine[above]] === above) folded.add(arcs.at(tree.routine[above], tree.routine[u]));
	};
	// The same of all entries that are no longer the last in the context I, and were in the context before it.
	const refoldAll = (i) => {
		for (let k = i; k > 0 && (k === i || !some[k]); k = tree.parent[k]) if (before[k] >= 0) refold(before[k]);
	};
	while (stack.length) {
		const i = stack.pop();
		if (i < 0) {
			last[tree.routine[~i]] = before[~i];
			continue;
		}
		if (!leads[i]) continue;
		const r = tree.routine[i];
		if (i > 0) {
			depth[i] = depth[tree.parent[i]] + 1;
			path[depth[i]] = i;
			order[met++] = i;
			const up = (before[i] = last[r]);
			if (up >= 0) {
				for (const [less, by] of passing) less[up] -= by[i];
				inner[path[depth[up] + 1]] += all.time[i];
			}
			for (let q = i; q >= 0; q = before[q]) {
				const parent = tree.parent[q];
				if (parent === 0 || last[tree.routine[parent]] === parent) running[q] += own.self[i];
			}
			last[r] = i;
			if (some[i]) refoldAll(i);
			stack.push(~i);
		}
		kidsOf(tree, i, push);
	}
	const nodes = order.subarray(0, met);
	for (const [sum, values] of figuresFrom(figures, own, charged)) addByRoutine(sum, values, tree, nodes);
	const whole = {
		time: sumOf(figures.self),
		ticks: sumOf(figures.selfTicks),
		calls: sumOf(figures.calls) + sumOf(figures.recursive),
	};
	const columns = chargedArcs(tree, nodes, arcs, { own, time: charged.time, evidence: charged.variance, all: all.time, inner, running });
	return { figures, arcs: { ...columns, folded: Int32Array.from(columns.to, (_, a) => Number(folded.has(a))) }, whole };
}

// The FIGURES of routines that are sums over nodes, each with the column that is added up: OWN figures, or what nodes are CHARGED with.
const figuresFrom = (figures, own, charged) => [
	...['self', 'calls', 'recursive'].map((name) => [figures[name], own[name]]),
	[figures.total, charged.time],
	...[
		['ticks', 'Ticks'],
		['measured', 'Measured'],
		['variance', 'Variance'],
	].flatMap(([name, title]) => [
		[figures[`self${title}`], own[name]],
		[figures[`total${title}`], charged[name]],
	]),
];

const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

// To SUM, by routine, the VALUES of NODES of TREE.
function addByRoutine(sum, values, { routine }, nodes) {
	for (let k = 0; k < nodes.length; k++) sum[routine[nodes[k]]] += values[nodes[k]];
}

// All arcs, of which some have numbers in ARCS, from the parents of NODES of TREE, as columns, with what these bring them: by what attribute made of the nodes.
function chargedArcs({ parent, routine }, nodes, arcs, { own, time, evidence, all, inner, running }) {
	const numbers = new Int32Array(nodes.length);
	for (let k = 0; k < nodes.length; k++) {
		const up = parent[nodes[k]];
		numbers[k] = arcs.at(up === 0 ? -1 : routine[up], routine[nodes[k]]);
	}
	const [calls, self1, child1, self2, child2, variance] = ARC.map(() => new Float64Array(arcs.n));
	for (let k = 0; k < nodes.length; k++) {
		const i = nodes[k],
			a = numbers[k],
			first = parent[i] === 0,
			self = first ? own.self[i] : running[i];
		calls[a] += own.calls[i];
		self2[a] += own.self[i];
		child2[a] += time[i] - own.self[i];
		variance[a] += evidence[i];
		self1[a] += self;
		child1[a] += (first ? time[i] : all[i] - inner[i]) - self;
	}
	return { from: arcs.first.slice(0, arcs.n), to: arcs.second.slice(0, arcs.n), calls, self1, child1, self2, child2, variance };
}
