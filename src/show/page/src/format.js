// format.js - names made harmless and numbers made readable.

// Characters that cannot be seen, or that turn the direction of writing: shown by their number, as the text reports do.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\\]/gu;

function shown(c) {
	const code = c.codePointAt(0);
	if (c === '\\') return '\\\\';
	return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

const PLAIN = /^[ -[\]-~]*$/; // nearly all names are, and it is soon seen

export const visible = (text) => (!text ? '' : PLAIN.test(text) ? text : text.replace(HIDDEN, shown));

const grouping = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

// Units of a size, the largest first, of what the page is of.
const SIZES = {
	ns: [
		[1e9, 's'],
		[1e6, 'ms'],
		[1e3, 'µs'],
		[1, 'ns'],
	],
	bytes: [
		[1e12, 'TB'],
		[1e9, 'GB'],
		[1e6, 'MB'],
		[1e3, 'kB'],
		[1, 'B'],
	],
	count: [
		[1e12, 'T'],
		[1e9, 'G'],
		[1e6, 'M'],
		[1e3, 'k'],
		[1, ''],
	],
};
let value = { value: 'cpu', unit: 'ns' };

// The page is of V, { value, unit }, as the reports have it: what is called time everywhere is an amount of that.
export function show(v) {
	if (v) value = v;
}

// What it is called: a time, or by its own name.
export const isTime = () => value.unit === 'ns';
export const what = () => (isTime() ? 'time' : value.value);

// The same in a sentence: `its own time`, `its own amount`.
export const amount = () => (value.unit === 'ns' ? 'time' : 'amount');

// AMOUNT in the unit that leaves one to three digits before the point, with at least three digits in all, but of what is counted one by one.
export function time(amount) {
	const size = Math.abs(amount);
	if (size === 0) return '0';
	const sizes = SIZES[value.unit] ?? SIZES.count,
		word = SIZES[value.unit] ? '' : value.unit;
	const [scale, unit] = sizes.find(([s]) => size >= 0.9995 * s) ?? sizes.at(-1); // 999.6 us are 1.00 ms
	const scaled = amount / scale,
		rounded = Number(Math.abs(scaled).toPrecision(3)),
		digits = rounded >= 100 ? 0 : rounded >= 10 ? 1 : 2;
	const number = rounded >= 1000 ? grouping.format(scaled) : scaled.toFixed(scale === 1 && Number.isInteger(amount) ? 0 : digits);
	return [number, unit, word].filter(Boolean).join(' ');
}

// The same of a time of which a sample stands for SAMPLE ns, 0: it is none: half of one is no more than chance (understand/findings/figures.h).
export const told = (ns, sample) => (ns > 0 && 2 * ns < sample ? `<${time(sample)}` : time(ns));

// The mean of such a time over CALLS.
export const mean = (ns, calls, sample) => (calls && ns > 0 && 2 * ns < sample ? `<${time(sample / calls)}` : time(calls ? ns / calls : 0));

export const count = (n) => grouping.format(n);

export function percent(part, whole) {
	if (!whole) return '0 %';
	const p = (100 * part) / whole;
	return `${p.toFixed(Math.abs(p) >= 99.95 ? 0 : Math.abs(p) >= 10 ? 1 : 2)} %`;
}

// With a sign, zero too.
export const signed = (text, value) => (value > 0 ? `+${text}` : text.replace('-', '−'));

export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

// The last part of a path.
export const basename = (path) => path.slice(path.lastIndexOf('/') + 1) || path;
