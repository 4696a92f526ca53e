// pairs.mjs: pairs of numbers are numbered as they come (show/page/src/pairs.js), however many there are, and whatever they are.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Pairs } from '../src/pairs.js';

const EDGES = [-(2 ** 31), -1, 0, 1, 2 ** 16, 2 ** 31 - 1];

test('each pair has a number of its own, and keeps it', () => {
	for (const room of [0, 1, 16, 5000]) {
		const pairs = new Pairs(room),
			known = new Map();
		let seed = 1;
		const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8;
		for (let i = 0; i < 20000; i++) {
			const [a, b] = [random() % 90, random() % 90],
				key = `${a} ${b}`;
			assert.equal(pairs.find(a, b), known.get(key) ?? -1);
			if (!known.has(key)) known.set(key, known.size);
			assert.equal(pairs.at(a, b), known.get(key));
			assert.equal(pairs.n, known.size);
		}
		for (const [key, number] of known) assert.equal(`${pairs.first[number]} ${pairs.second[number]}`, key);
	}
});

test('numbers at the edges of 32 bits', () => {
	const pairs = new Pairs();
	for (const a of EDGES) for (const b of EDGES) pairs.at(a, b);
	assert.equal(pairs.n, EDGES.length ** 2);
	EDGES.forEach((a, i) => EDGES.forEach((b, k) => assert.equal(pairs.find(a, b), EDGES.length * i + k)));
});
