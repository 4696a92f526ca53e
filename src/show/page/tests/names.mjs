// names.mjs: qualified names in pieces, and told apart where there is little room (show/page/src/names.js).
import assert from 'node:assert/strict';
import test from 'node:test';
import { fitted, numbersOf, pieces, scopeOf } from '../src/names.js';

test('what a name is in, its last part, the arguments of that, and its number; all of them are the name', () => {
	for (const [name, ...wanted] of [
		['main', '', 'main', '', ''],
		['std::sort<int*, std::less<int>>', 'std', '::sort', '<int*, std::less<int>>', ''],
		['a::sum<b::c<d>, e>::at (12)', 'a::sum<b::c<d>, e>', '::at', '', ' (12)'],
		['shop::stock::add(..., int)', 'shop::stock', '::add(..., int)', '', ''],
		['operator<<std::ostream>', '', 'operator<<std::ostream>', '', ''],
		['<lambda>', '', '<lambda>', '', ''],
	]) {
		assert.deepEqual(pieces(name), wanted);
		assert.equal(wanted.join(''), name);
	}
	assert.equal(scopeOf('a::sum<b::c<d>, e>::at'), 'a::sum');
	assert.equal(
		fitted('one::two::three', (text) => text.length <= 8),
		'…::three',
	);
});

test('long names that differ in their arguments alone are numbered, in their order; others are not', () => {
	const long = (inner, last) => `expression::sum<expression::product<${inner}, ...>, ...>::${last}`;
	assert.deepEqual(
		numbersOf([long('int', 'at'), 'f<int>', long('long', 'at'), long('int', 'end'), 'f<long>', long('char', 'at')]),
		[1, 0, 2, 0, 0, 3],
	);
});
