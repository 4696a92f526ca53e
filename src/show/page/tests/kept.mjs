// kept.mjs: what the page keeps, and no more: the last that was asked for (show/page/src/recent.js), nodes in few bytes (show/page/src/members.js).
import assert from 'node:assert/strict';
import test from 'node:test';
import { Members } from '../src/members.js';
import { Recent } from '../src/recent.js';

test('what was asked for last is kept, in whatever order it was made', () => {
	const recent = new Recent(3),
		made = [];
	const get = (key) => recent.get(key, () => made.push(key) && { key });
	const first = get('a');
	for (const key of ['b', 'c', 'a', 'd', 'a']) get(key);
	assert.equal(get('a'), first, 'the same one');
	assert.deepEqual(made, ['a', 'b', 'c', 'd']);
	assert.deepEqual(
		['a', 'b', 'c', 'd'].map((key) => recent.has(key)),
		[true, false, true, true],
	);
	get('b');
	assert.deepEqual(made, ['a', 'b', 'c', 'd', 'b']);
	for (let i = 0; i < 100; i++) get(i);
	assert.equal(recent.size, 3);
});

test('a value of nothing is kept, too, and a value may ask for others while it is made', () => {
	const recent = new Recent(2);
	let made = 0;
	for (let i = 0; i < 2; i++) recent.get('none', () => (made++, undefined));
	assert.equal(made, 1);
	assert.equal(
		recent.get('sum', () => recent.get('a', () => 1) + recent.get('b', () => 2)),
		3,
	);
	assert.equal(recent.get('sum', assert.fail), 3);
	assert.equal(recent.size, 2);
});

// Members of LIST, packed, are these and no others.
function packed(list) {
	const members = new Members(),
		seen = [];
	for (const node of list) members.add(node);
	assert.equal(members.last, list.at(-1));
	members.pack();
	members.each((node) => seen.push(node));
	assert.deepEqual(seen, list);
	assert.equal(members.n, list.length);
	return members;
}

test('members are those that were added, in that order, as many and as far apart as they are', () => {
	for (const n of [0, 1, 63, 64, 65, 5000]) for (const step of [1, 255, 256, 70000]) packed(Array.from({ length: n }, (_, i) => 3 + i * step));
	packed(Array.from({ length: 300 }, (_, i) => (i * 7919) % 301));
});

test('some finds a member, and looks no further', () => {
	const members = packed(Array.from({ length: 1000 }, (_, i) => 10 * i));
	let looked = 0;
	assert.equal(
		members.some((node) => ++looked && node === 500),
		true,
	);
	assert.equal(looked, 51);
	assert.equal(
		members.some((node) => node === 501),
		false,
	);
});

test('a node takes about a byte where each hundredth is a member', () => {
	assert.ok(packed(Array.from({ length: 100000 }, (_, i) => 100 * i + (i % 7))).bytes < 110000);
});
