// stats.js - how far times that are samples can be trusted, and which changes are more than noise.
//
// Of one profile each share has Wilson's interval, as understand/graph/errors.c computes it.
//
// Of two sides understand/compare/ has judged all that `aprof diff` lists, and that stands in the page (View.verdict).  What the page makes itself - of a range, a focus, a group, of code without
// hooks - it judges as that does, by what that has learnt of the noise: the variance of a run is what is expected, sampling + common.  With one run a side that is sampling alone.
// Below FEW samples on both sides the exact test of two Poisson counts must agree.  Of the changes of a kind that are shown as news 5 in 100 are not, by Benjamini's and
// Hochberg's correction.  Two threads of one profile are judged as two such runs.

const DEVIATIONS = 1.96; // of a normal distribution, for 95 of 100
const FINE = 1e-9, // of a bound
	STEPS = 100; // to one, at most
const LEVEL = 0.05,
	FEW = 50;

const NEWS = { self: 2, pathSelf: 2, total: 4, path: 4, arc: 4, calls: 8 }; // bits of a verdict (contents.h)

// What one sample of a time stands for, of which samples say MEASURED, with that VARIANCE; OTHERWISE where nothing was measured.
const sampleOf = (measured, variance, otherwise) => (measured > 0 && variance > 0 ? variance / measured : otherwise);

// Wilson's bound of the share Q of N samples: SIDE -1 the lower one, 1 the upper one.
function wilson(q, n, side) {
	const z = DEVIATIONS,
		middle = (n * q + (z * z) / 2) / (n + z * z),
		half = (z * Math.sqrt(n * q * (1 - q) + (z * z) / 4)) / (n + z * z);
	return Math.min(1, Math.max(0, middle + side * half));
}

// The bound that is believed of so many samples as it makes of them itself: those of the part and of the rest weigh unlike.
function boundOf({ q, whole, within, beside }, side) {
	let p = q;
	for (let i = 0; i < STEPS; i++) {
		const each = (1 - p) * within + p * beside,
			before = p;
		p = wilson(q, each > 0 ? whole / each : 0, side);
		if (Math.abs(p - before) < FINE) break;
	}
	return p;
}

// By how much PART, { time, measured, variance }, of the run of VIEW's one side may be off: so far from it, at most, is the true time in 95 of 100 runs,
// ns; null where times are no samples.
export function error(model, view, part) {
	const run = view.whole[0],
		whole = run.time + run.outside;
	if (!model.sampled) return null;
	const share = whole ? Math.min(part.time / whole, 1) : 0,
		q = run.measured > 0 ? Math.min(part.measured / run.measured, 1) : share,
		all = sampleOf(run.measured, run.variance, 0),
		within = sampleOf(part.measured, part.variance, all),
		beside = sampleOf(run.measured - part.measured, run.variance - part.variance, all),
		of = { q, whole: run.measured, within, beside };
	return Math.max(Math.abs(share - boundOf(of, -1)), Math.abs(boundOf(of, 1) - share)) * whole;
}

// The figures of one routine or group, R of F, as such a part: by NAME, self or total.
export const partOf = (f, name, r) => ({ time: f[name][r], measured: f[`${name}Measured`][r], variance: f[`${name}Variance`][r] });

// The chance that a normal variable is above T, by the series of the error function (DLMF 7.6.1) or the continued fraction of its
// complement (DLMF 7.9.1).
function normalAbove(t) {
	const x = Math.abs(t) / Math.SQRT2;
	let tail;
	if (x < 3) {
		let term = x,
			sum = x;
		for (let n = 1; Math.abs(term) > 1e-17; n++) {
			term *= (-x * x) / n;
			sum += term / (2 * n + 1);
		}
		tail = 0.5 - sum / Math.sqrt(Math.PI);
	} else {
		let fraction = x;
		for (let n = 60; n > 0; n--) fraction = x + n / 2 / fraction;
		tail = Math.exp(-x * x) / Math.sqrt(Math.PI) / fraction / 2;
	}
	return t >= 0 ? tail : 1 - tail;
}

// The same of Student's t with DF degrees of freedom, by the normal variable that is as rare (G. W. Hill, Algorithm 395, Communications of the ACM 13, 1970).
function studentAbove(t, df) {
	if (!Number.isFinite(df)) return normalAbove(t);
	const a = df - 0.5,
		b = 48 * a * a,
		y = a * Math.log1p((t * t) / df),
		z = (((((-0.4 * y - 3.3) * y - 24) * y - 85.5) / (0.8 * y * y + 100 + b) + y + 3) / b + 1) * Math.sqrt(y);
	return normalAbove(t < 0 ? -z : z);
}

// The chance that of N tosses K or more are heads, if each is one with the chance P.
const tosses = new Map();
function tossesAbove(k, n, p) {
	const key = `${n} ${p}`;
	if (!tosses.has(key)) {
		const above = new Float64Array(n + 2);
		for (let i = n, chance = p ** n; i >= 0; chance *= (i / (n - i + 1)) * ((1 - p) / p), i--) above[i] = above[i + 1] + chance;
		tosses.set(key, above);
	}
	return tosses.get(key)[k];
}

// The variance of TIME on side S, a mean: VARIANCE; but time without a sample is worth one, if it is as much.
function varianceOf(model, s, time, variance) {
	const each = model.each[s];
	return time > 0 && !(variance > 0) ? Math.min(time, each) * each : variance;
}

// What is known of the noise of a KIND: { common, df } (understand/compare/noise.h); where the crowd tells nothing, that of the runs as wholes.
function noiseOf(model, kind, runs) {
	const { judged } = model,
		told = judged?.noise[kind];
	if (runs === 2 || !judged) return { common: 0, df: Infinity };
	if (told && told.df !== 0) return { common: told.common, df: (told.df ?? Infinity) + runs - 2 };
	return { common: judged.whole.variance, df: judged.whole.df };
}

// The variances of one run of each side by sampling, of such TIMES and VARIANCES: of a part of runs that are known as wholes, if there are several (comparison.c).
function samplingOf(view, times, variances) {
	const { model, whole } = view,
		several = model.runs[0] + model.runs[1] > 2;
	return times.map((time, s) => {
		const of = varianceOf(model, s, time, variances[s]) * model.runs[s],
			all = whole[s].variance * model.runs[s],
			q = Math.min(1, time / (whole[s].time + whole[s].outside || 1));
		return several ? (1 - q) ** 2 * of + q ** 2 * Math.max(all - of, 0) : of;
	});
}

// The chance of so large a change of time, of a KIND, either way, if nothing changed; NaN: unknown, the clock takes no samples.
export function chance(view, kind, times, variances) {
	const { model } = view,
		[before, after] = times,
		[base, fresh] = model.runs,
		runs = base + fresh,
		average = (before * base + after * fresh) / runs,
		sampling = samplingOf(view, times, variances),
		{ common, df } = noiseOf(model, kind, runs),
		deviation = Math.sqrt((sampling[0] + common * average ** 2) / base + (sampling[1] + common * average ** 2) / fresh);
	if (!deviation) return NaN;
	const [samplesBefore, samplesAfter] = times.map((time, s) => (sampling[s] > 0 ? Math.round((model.runs[s] * time ** 2) / sampling[s]) : 0)),
		t = (after - before) / deviation,
		n = samplesBefore + samplesAfter;
	let above = studentAbove(t, df),
		below = studentAbove(-t, df);
	if (model.sampled && n < FEW) {
		above = Math.max(above, tossesAbove(samplesAfter, n, fresh / runs)); // more runs have more samples of the same
		below = Math.max(below, tossesAbove(samplesBefore, n, base / runs));
	}
	return Math.min(1, 2 * Math.min(above, below));
}

// The largest chance among CHANCES that is news.
function newsBelow(chances) {
	const sorted = Float64Array.from(chances.filter((p) => !Number.isNaN(p))).sort();
	for (let i = sorted.length; i-- > 0;) if (sorted[i] * sorted.length <= LEVEL * (i + 1)) return sorted[i];
	return -1;
}

// Chances of all items of a kind in VIEW, of those that were seen on either side.
const KINDS = {
	self: (view) => routines(view, 'self'),
	total: (view) => routines(view, 'total'),
	arc: (view) =>
		view.arcs.list
			.filter((arc) => arc.at.some((at) => at.calls || at.self2 || at.child2))
			.map((arc) => chance(view, 'arc', arcTimes(arc), arcVariances(arc))),
	pathSelf: (view) =>
		paths(
			view,
			'pathSelf',
			view.tree.own.map((own) => ({ time: own.self, variance: own.variance })),
		),
	path: (view) => paths(view, 'path', view.totals),
};

function routines(view, name) {
	const [a, b] = view.figures,
		seen = (f, r) => f.calls[r] || f.recursive[r] || f.total[r];
	return view.model.routines.flatMap((_, r) =>
		seen(a, r) || seen(b, r) ? [chance(view, name, [a[name][r], b[name][r]], [a[`${name}Variance`][r], b[`${name}Variance`][r]])] : [],
	);
}

function paths(view, kind, [a, b]) {
	const chances = [],
		seen = (own, i) => own.calls.at(i) || own.recursive.at(i) || own.self.at(i);
	for (let i = 0; i < view.tree.n; i++)
		if (seen(view.tree.own[0], i) || seen(view.tree.own[1], i))
			chances.push(chance(view, kind, [a.time.at(i), b.time.at(i)], [a.variance.at(i), b.variance.at(i)]));
	return chances;
}

// The incoming view's time of an arc on each side, and its variance.
export const arcTimes = (arc) => arc.at.map((at) => at.self2 + at.child2);
export const arcVariances = (arc) => arc.at.map((at) => at.variance);

const limits = new WeakMap();
function limit(view, kind) {
	const known = limits.get(view) ?? {};
	limits.set(view, known);
	return (known[kind] ??= newsBelow(KINDS[kind](view)));
}

// Whether what was so and so is news: by what `aprof diff` says, or by what the page can know.
function isNews(view, kind, values, variances, item) {
	const verdict = view.verdict(kind, values, item);
	if (verdict) return (verdict & NEWS[kind]) !== 0;
	if (!(kind in KINDS)) return view.model.judged?.steady ?? true; // counted, and the same in all runs of a side
	const p = chance(view, kind, values, variances);
	return Number.isNaN(p) || p <= limit(view, kind);
}

// The change of VALUES [base, new] of a KIND (see KINDS; or `calls`), of such VARIANCES: { before, after, by, news }.  ITEM is whose they are: { routine }, { node } or { arc }; null: of
// nothing that `aprof diff` lists.
export function change(view, kind, values, variances, item = null) {
	const [before, after] = values,
		by = after - before;
	return { before, after, by, news: by !== 0 && isNews(view, kind, values, variances, item) };
}

// The same of the time of the run as a whole.
export function wholeChange(view, values) {
	const [before, after] = values,
		by = after - before,
		variances = view.whole.map((w) => w.variance),
		p = view.isJudged ? (view.model.judged.whole.chance ?? NaN) : chance(view, 'whole', values, variances);
	return { before, after, by, news: by !== 0 && (Number.isNaN(p) || p <= LEVEL) };
}

// From -1 (gone) over 0 (noise) to 1 (new, or more than twice): how to colour a change.
export function tone(c) {
	if (!c.news) return 0;
	return Math.max(-1, Math.min(1, c.by / Math.max(c.before, 1e-9)));
}
