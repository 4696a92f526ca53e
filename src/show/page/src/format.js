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

const UNITS = [
	[1e9, 's'],
	[1e6, 'ms'],
	[1e3, 'µs'],
	[1, 'ns'],
];
const grouping = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

// NS in the unit that leaves one to three digits before the point, with at least three digits in all.
export function time(ns) {
	const size = Math.abs(ns);
	if (size === 0) return '0';
	const [scale, unit] = UNITS.find(([s]) => size >= 0.9995 * s) ?? [1, 'ns']; // 999.6 us are 1.00 ms
	const value = ns / scale,
		rounded = Number(Math.abs(value).toPrecision(3)),
		digits = rounded >= 100 ? 0 : rounded >= 10 ? 1 : 2;
	return `${rounded >= 1000 ? grouping.format(value) : value.toFixed(scale === 1 && Number.isInteger(ns) ? 0 : digits)} ${unit}`;
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
