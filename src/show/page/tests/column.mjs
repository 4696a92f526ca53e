// column.mjs: numbers by index, kept in few bytes (show/page/src/column.js): exactly those that were given, whatever they are.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Column } from '../src/column.js';

const N = 1000;

// A column of N numbers, each made by OF of its index, has these; it, for what else it is to have.
function made(of, n = N) {
	const values = Float64Array.from({ length: n }, (_, i) => of(i)),
		column = new Column(values);
	assert.equal(column.length, n);
	assert.deepEqual(column.wide(), values);
	assert.equal(
		column.most,
		values.reduce((a, b) => Math.max(a, b), 0),
	);
	assert.equal(
		column.sum,
		values.reduce((a, b) => a + b, 0),
	);
	for (let i = 0; i < n; i++) assert.equal(column.at(i), values[i], `number ${i}`);
	return column;
}

test('numbers at the edges of what one, two, four and eight bytes hold', () => {
	for (const edge of [2 ** 8, 2 ** 16, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER])
		for (const most of [edge - 1, edge]) {
			made(() => most);
			made((i) => (i % 7 ? i % 5 : most));
			made((i) => (i === N - 1 ? most : 1));
		}
});

test('fractions, numbers below zero, and beyond what is counted exactly', () => {
	for (const odd of [0.1, 1 / 3, -1, -0.5, -(2 ** 31), 2 ** 60, 1e300]) {
		made(() => odd);
		made((i) => (i % 100 ? i % 3 : odd));
	}
});

test('none, one, and as many as there are about the borders of words of bits', () => {
	for (const n of [0, 1, 31, 32, 33, 63, 64, 65]) {
		made(() => 0, n);
		made((i) => (i === n - 1 ? 2 ** 40 : 0), n);
		made((i) => (i % 2 ? 2 ** 40 : 1), n);
		made(() => 2 ** 40, n);
	}
});

test('numbers of all sizes, at random', () => {
	let seed = 1;
	const random = () => (seed = (seed * 48271) % 0x7fffffff) / 0x7fffffff;
	for (const steep of [1, 2, 4, 8, 16]) made(() => Math.floor(2 ** (50 * random() ** steep)), 5000);
});

test('a byte each if they fit, nothing for zeros, and more for the few that are more', () => {
	assert.equal(made(() => 0).bytes, 0);
	assert.equal(made(() => 255).bytes, N);
	assert.equal(made((i) => 256 + i).bytes, 2 * N);
	assert.equal(made((i) => 70000 + i).bytes, 4 * N);
	assert.ok(made((i) => (i % 100 ? 0 : 2 ** 40)).bytes < N / 2);
	assert.ok(made((i) => (i % 100 ? i % 200 : 2 ** 40)).bytes < 1.5 * N);
});

test('what a column was made of may change', () => {
	const values = Float64Array.from([0.5, 1.5]),
		column = new Column(values);
	values.fill(0);
	assert.deepEqual([column.at(0), column.at(1)], [0.5, 1.5]);
});
