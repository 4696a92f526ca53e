// stats.js - how far times that are samples can be trusted, and which changes are more than noise.

const CONFIDENCE = 1.96;	// half the 95 % interval of a normal variable, in standard deviations
const NEWS = 3;			// a change is news beyond so many standard deviations: chance makes it once in 370

// The standard deviation of the time of TICKS samples among those of WHOLE { time, ticks }, binomial, ns.
function deviation(ticks, whole) {
	if (!whole.ticks)
		return 0;
	const seen = Math.min(Math.max(ticks, 1), whole.ticks);		// nothing seen is known no better than one sample
	return whole.time / whole.ticks * Math.sqrt(seen * (1 - seen / (whole.ticks + 1)));
}

// Half the 95 % interval, ns; null where times are no samples.
export const error = (model, view, side, ticks) => (model.sampled ? CONFIDENCE * deviation(ticks, view.whole[side]) : null);

// Whether a time differs between the sides by more than noise.
export function isNews(model, view, before, after, ticksBefore, ticksAfter) {
	if (before === after)
		return false;
	if (!model.sampled)
		return true;
	return Math.abs(after - before) > NEWS * Math.hypot(deviation(ticksBefore, view.whole[0]), deviation(ticksAfter, view.whole[1]));
}

// The change of a quantity { before, after, news }: calls are counted, so each change of them is one.
export const change = (model, view, metric, values, ticks) => ({
	before: values[0], after: values[1], by: values[1] - values[0],
	news: metric === 'calls' ? values[0] !== values[1] : isNews(model, view, values[0], values[1], ticks[0], ticks[1]),
});

// From -1 (gone) over 0 (noise) to 1 (new, or more than twice): how to colour a change.
export function tone(c) {
	if (!c.news)
		return 0;
	return Math.max(-1, Math.min(1, c.by / Math.max(c.before, 1e-9)));
}
