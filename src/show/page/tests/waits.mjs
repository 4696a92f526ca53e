// waits.mjs: the waits of the page's tests (browser.mjs) have an end, and say what they waited for.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Program, found, within } from './browser.mjs';

const never = new Promise(() => {});
const script = (text) => new Program(process.execPath, ['-e', text]);

test('what does not come is given up, and said', async () => {
	await assert.rejects(within('a bus', never, { ms: 20 }), /^Error: a bus: waited 0\.02 s$/);
	await assert.rejects(
		found('a place', () => null, { ms: 60 }),
		/^Error: a place: waited 0\.06 s$/,
	);
	await assert.rejects(
		found('a place', () => {
			throw new Error('no map');
		}),
		/^Error: a place: no map$/,
	);
	assert.equal(await within('a bus', Promise.resolve(7)), 7);
	let looks = 0;
	assert.equal(await found('a place', () => ++looks === 3 && 'here'), 'here');
});

test('a program that ends at once is not waited for, and what it said is repeated', async () => {
	const program = script('console.error("no such process"); process.exit(3)');
	await assert.rejects(program.line('its address'), /its address, from node .*has ended \(3\), and said: no such process/);
	await assert.rejects(within('a page', never, { ending: [program.gone] }), /^Error: a page: .*has ended \(3\)/);
	assert.equal(await program.ended(), 3);
	await assert.rejects(new Program('/no/such/program', []).line('a word'), /a word.*ENOENT/);
});

test('one that was told to end is no fault', async () => {
	const program = script('console.log("here"); process.stdin.resume()');
	assert.equal(await program.line('a word'), 'here');
	assert.ok(program.running);
	program.kill('SIGTERM');
	assert.equal(await program.ended(), 'SIGTERM');
	await assert.rejects(within('what else comes', never, { ms: 20, ending: [program.gone] }), /waited 0\.02 s/);
});
