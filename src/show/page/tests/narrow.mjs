// narrow.mjs BUILD: contexts narrowed down (show/page/src/contexts.js), without a browser: in focus they have the figures of `aprof report --focus`, and without what is
// hidden those of `aprof report --hide`.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import test from 'node:test';
import { decode } from '../src/decode.js';
import { Model } from '../src/model.js';
import { Bench } from './browser.mjs';

const bench = new Bench(process.argv[2]);
const MADE = [
	['flat', '--seed', '3', '--routines', '16', '--calls', '3000', '--ticks', '0.5', '--recursion', '0'],
	['deep', '--seed', '7', '--routines', '16', '--calls', '3000', '--ticks', '0.5', '--recursion', '0.3'],
	['threads', '--seed', '9', '--routines', '12', '--calls', '900', '--ticks', '0.7', '--threads', '3', '--intervals', '0'],
].map(([name, ...args]) => bench.make(name, ...args));

async function modelOf(...operands) {
	bench.page('page.html', ...operands);
	const [, packed] = /id="profile"[^>]*>([^<]*)</.exec(fs.readFileSync(bench.file('page.html'), 'utf8'));
	return new Model(await decode(packed.trim()));
}

// By routine, whether it is one of LIST.
const marks = (model, list) => Uint8Array.from(model.routines, (_, r) => (list.includes(r) ? 1 : 0));
const focus = (model, ...list) => model.narrow(`focus ${list}`, marks(model, list), null);
const hide = (model, ...list) => model.narrow(`hide ${list}`, null, marks(model, list));
const hooked = (model) => [...model.routines.keys()].filter((r) => !model.routines[r].leaf);
const options = (model, name, list) => list.map((r) => `--${name}=${model.routines[r].name}`);

// The figures of VIEW as the report has them: by name self, total, calls, recursive; by arc both sets of times, and calls.
function shown({ model, figures: [f], arcs }) {
	const flat = new Map(),
		sets = new Map();
	for (const r of model.routines.keys()) {
		const values = [f.self[r], f.total[r], f.calls[r], f.recursive[r]];
		if (values.some(Boolean)) flat.set(model.routines[r].name, values);
	}
	for (const {
		from,
		to,
		at: [at],
	} of arcs.list) {
		const key = `${from < 0 ? null : model.routines[from].name} ${model.routines[to].name}`;
		if (at.calls || at.self2 || at.child2) sets.set(`in ${key}`, [at.self2, at.child2, at.calls]);
		if (from >= 0 && (at.calls || at.self1 || at.child1)) sets.set(`out ${key}`, [at.self1, at.child1, at.calls]);
	}
	return { flat, sets };
}

function reported({ flat, callgraph }) {
	const sets = new Map(),
		keep = (key, arc) => (arc.self_ns || arc.children_ns || arc.calls) && sets.set(key, [arc.self_ns, arc.children_ns, arc.calls]);
	for (const { name, parents, children } of callgraph) {
		for (const arc of parents) keep(`in ${arc.name} ${name}`, arc);
		for (const arc of children) keep(`out ${name} ${arc.name}`, arc);
	}
	return { flat: new Map(flat.map((r) => [r.name, [r.self_ns, r.total_ns, r.calls, r.recursive]])), sets };
}

function alike(view, report, what) {
	const got = shown(view),
		want = reported(report);
	for (const part of ['flat', 'sets']) {
		assert.deepEqual([...got[part].keys()].sort(), [...want[part].keys()].sort(), `${what}: ${part}`);
		for (const [key, values] of want[part]) assert.deepEqual(got[part].get(key), values, `${what}: ${key}`);
	}
	assert.equal(view.whole[0].time, report.run.times.contexts_ns, what);
	assert.equal(view.whole[0].outside, report.run.times.outside_ns, what);
}

const sum = (values) => values.reduce((all, v) => all + v, 0);

test('in focus: each figure is that of --focus, of each routine', async () => {
	for (const file of MADE) {
		const model = await modelOf(file);
		for (const r of hooked(model))
			alike(focus(model, r).view('all'), bench.json('report', ...options(model, 'focus', [r]), file), `${file} ${r}`);
	}
});

test('several in focus: that of one of them suffices, as with several --focus', async () => {
	const model = await modelOf(MADE[1]);
	for (const list of [
		[1, 2],
		[3, 8, 11],
	])
		alike(focus(model, ...list).view('all'), bench.json('report', ...options(model, 'focus', list), MADE[1]), `${list}`);
});

test('hidden: each figure is that of --hide, of each routine', async () => {
	for (const file of MADE) {
		const model = await modelOf(file);
		for (const r of hooked(model))
			alike(hide(model, r).view('all'), bench.json('report', ...options(model, 'hide', [r]), file), `${file} ${r}`);
	}
});

// Which of them are direct recursive ones the page may take otherwise: see contexts.js.
test('several hidden: times, and all calls', async () => {
	const model = await modelOf(MADE[1]),
		all = hooked(model);
	for (const list of [all.slice(2, 5), all.filter((_, i) => i % 2)]) {
		const [f] = hide(model, ...list).view('all').figures;
		for (const row of bench.json('report', ...options(model, 'hide', list), MADE[1]).flat) {
			const r = model.routines.findIndex((about) => about.name === row.name);
			assert.deepEqual(
				[f.self[r], f.total[r], f.calls[r] + f.recursive[r]],
				[row.self_ns, row.total_ns, row.calls + row.recursive],
				row.name,
			);
		}
	}
});

test('in focus and hidden together: as the reports have both', async () => {
	const model = await modelOf(MADE[1]),
		both = model.narrow('both', marks(model, [4]), marks(model, [9]));
	alike(both.view('all'), bench.json('report', ...options(model, 'focus', [4]), ...options(model, 'hide', [9]), MADE[1]), 'both');
});

test('what is hidden loses nothing, and is nowhere; nothing hidden changes nothing', async () => {
	for (const file of MADE) {
		const model = await modelOf(file),
			whole = model.view('all');
		for (const r of hooked(model)) {
			const view = hide(model, r).view('all'),
				[f] = view.figures;
			assert.equal(sum(f.self) + view.whole[0].outside, sum(whole.figures[0].self) + whole.whole[0].outside, `time without ${r}`);
			assert.equal(
				sum(f.selfTicks),
				sum(whole.figures[0].selfTicks) + whole.tree.own[0].ticks.at(0) - view.tree.own[0].ticks.at(0),
			);
			assert.equal(f.self[r] + f.total[r] + f.calls[r] + f.recursive[r], 0);
			assert.ok(!view.tree.routine.includes(r) && !view.arcs.list.some((arc) => arc.from === r || arc.to === r));
			const calls = sum(f.calls) + sum(f.recursive),
				[g] = whole.figures;
			assert.equal(calls, sum(g.calls) + sum(g.recursive) - g.calls[r] - g.recursive[r], `calls but those of ${r}`);
		}
		const same = shown(model.narrow('nothing', null, marks(model, [])).view('all')),
			before = shown(whole);
		for (const part of ['flat', 'sets']) assert.deepEqual(new Map([...same[part]].sort()), new Map([...before[part]].sort()));
	}
});

test('all hidden: the run alone is left', async () => {
	const model = await modelOf(MADE[1]),
		view = hide(model, ...hooked(model)).view('all');
	assert.equal(view.tree.n, 1);
	assert.equal(view.whole[0].time, 0);
	assert.equal(view.whole[0].outside, model.view('all').whole[0].time + model.view('all').whole[0].outside);
});

test('threads and ranges of time: as with --thread and --time-range', async () => {
	const [, , file] = MADE,
		model = await modelOf(file),
		part = ['--thread', '1'];
	for (const [name, narrow] of [
		['focus', focus],
		['hide', hide],
	])
		for (const r of hooked(model).slice(0, 6)) {
			const narrowed = narrow(model, r),
				given = options(model, name, [r]);
			alike(narrowed.view('1'), bench.json('report', ...given, ...part, file), `${name} ${r}, a thread`);
			const { flat } = bench.json('report', ...given, '--time-range=0.3..2.1', file),
				[f] = narrowed.view('all', '0.3..2.1').figures;
			for (const row of flat) {
				const q = model.routines.findIndex((about) => about.name === row.name);
				assert.ok(Math.abs(f.self[q] - row.self_ns) <= 200, `${name} ${r}: ${row.name}`); // a part of a time is rounded in each context
				assert.deepEqual([f.calls[q], f.recursive[q]], [row.calls, row.recursive]);
			}
			for (const q of model.routines.keys())
				assert.ok(f.self[q] === 0 || flat.some((row) => row.name === model.routines[q].name), `${name} ${r}: ${q} is there`);
		}
});

test('two profiles: both sides are narrowed down, as aprof diff has it', async () => {
	const [base, next] = [
			MADE[1],
			bench.make('next', '--seed', '7', '--routines', '16', '--calls', '3500', '--ticks', '0.5', '--recursion', '0.3'),
		],
		model = await modelOf(base, '--against', next);
	for (const [name, narrow] of [
		['focus', focus],
		['hide', hide],
	])
		for (const r of [2, 5]) {
			const view = narrow(model, r).view('all'),
				diff = JSON.parse(bench.aprof('diff', '--json', ...options(model, name, [r]), base, next));
			assert.ok(diff.routines.length > 5);
			for (const row of diff.routines) {
				const q = model.routines.findIndex((about) => about.name === row.name);
				assert.deepEqual(
					view.figures.map((f) => [f.self[q], f.total[q], f.calls[q] + f.recursive[q]]),
					['base', 'new'].map((side) => [row.self[`${side}_ns`], row.total[`${side}_ns`], row.calls[side]]),
					`${name} ${r}: ${row.name}`,
				);
			}
		}
});

test('functions without hooks: their time stays theirs below whoever is left, and can be in focus or hidden itself', async () => {
	const model = await modelOf(MADE[1]),
		whole = model.view('all').leafed,
		leaf = model.routines.findIndex((about, r) => about.leaf && whole.figures[0].self[r] > 0),
		time = whole.figures[0].self[leaf],
		near = (a, b) => assert.ok(Math.abs(a - b) <= 1e-6 * b, `${a}, not ${b}`);
	assert.ok(leaf >= 0 && time > 0);
	const called = hooked(model).filter((r) => !model.view('all').arcs.in[r].some((arc) => arc.from < 0));
	assert.ok(called.length > 3);
	for (const r of called) near(hide(model, r).view('all').leafed.figures[0].self[leaf], time);
	const [alone] = focus(model, leaf).view('all').leafed.figures;
	near(alone.self[leaf], time);
	near(sum(alone.self), time);
	const without = hide(model, leaf).view('all').leafed;
	assert.equal(without.figures[0].self[leaf], 0);
	near(sum(without.figures[0].self), sum(whole.figures[0].self));
	for (let i = 1; i < without.tree.n; i++) without.eachLeaf(0, i, (found) => assert.notEqual(found, leaf));
});

test('one narrowing is kept, another makes it anew', async () => {
	const model = await modelOf(MADE[0]),
		first = hide(model, 1);
	assert.equal(hide(model, 1), first);
	hide(model, 2);
	assert.notEqual(hide(model, 1), first);
});
