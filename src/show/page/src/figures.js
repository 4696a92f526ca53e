// figures.js - the lines of tool tips and panels: self, total, calls, time per call, share, error, and the change.
import { h, figure } from './dom.js';
import * as format from './format.js';
import { change, error, tone } from './stats.js';

function timeText(app, value, part, s, parent) {
	const e = app.model.compares ? null : error(app.model, app.view, { time: value, ...part });
	return [figure(app.told(value, s), value), ` · ${app.shareText(value, s, 'time', parent)}`, e === null ? null : ` ± ${format.time(e)}`];
}

// The change C in words that TEXT makes of a number; BRIEF leaves out what part of the value before it is.
function changeWords(c, text, brief) {
	const relative = brief ? '' : c.before ? ` (${format.signed(format.percent(c.by, c.before), c.by)})` : c.after ? ' (new)' : '';
	return `${format.signed(text(c.by), c.by)}${relative}`;
}

const changeClass = (c) => (c.news ? (c.by > 0 ? 'more' : 'less') : 'noise');

// In a table, as `aprof diff` prints it: `~` may be noise, `=` is none.
export function changeText(c, text, brief = false) {
	const words = changeWords(c, text, brief),
		quiet = c.by === 0 ? '=' : '~';
	return h(
		'span',
		{ class: changeClass(c), 'data-exact': c.by, title: c.news || c.by === 0 ? null : `${words}: may be noise` },
		c.news ? words : quiet,
	);
}

// Where there is one, of the run: a change that may be noise has its figure, too.
export const wholeText = (c, text) =>
	h('span', { class: changeClass(c), 'data-exact': c.by }, c.news || c.by === 0 ? '' : '~ ', changeWords(c, text, false));

const kindOf = (what) => (what.isRoutine ? 'total' : 'path');

// Rows of a table with a column for each side and one for the change.  WHAT is a routine (see ofRoutine) or a branch (ofBranch): { self,
// selfMeasured, selfVariance, time, measured, variance, calls, recursive, parent's time }, each by side; self may be null, recursive and parent missing; UNCOUNTED: calls
// are not known; ITEM: what they are of, of what is judged (stats.js).
export function rows(app, what) {
	const times = (label, values, [measured, variance], kind) => [
		label,
		values,
		variance,
		(v, s) => timeText(app, v, { measured: measured[s], variance: variance[s] }, s, what.parent?.[s] ?? null),
		kind,
	];
	const lines = !app.model.timed
		? []
		: [
				...(what.self
					? [times('self', what.self, [what.selfMeasured, what.selfVariance], what.isRoutine ? 'self' : 'pathSelf')]
					: []),
				times('total', what.time, [what.measured, what.variance], kindOf(what)),
			];
	const counted = app.model.counted && !what.uncounted;
	if (counted) lines.push(['calls', what.calls, null, (v) => figure(format.count(v), v), 'calls']);
	if (what.recursive?.some((v) => v > 0)) lines.push(['recursive', what.recursive, null, (v) => figure(format.count(v), v), 'calls']);
	if (app.model.timed && counted) lines.push(['per call', what.time, null, (v, s) => app.mean(v, what.calls[s], s), null]);
	return lines.map(([label, values, variances, text, kind]) =>
		h(
			'tr',
			{},
			h('th', {}, label),
			Array.from(values, (v, s) => h('td', {}, text(v, s))),
			app.model.compares
				? h(
						'td',
						{},
						kind
							? changeText(
									change(app.view, kind, values, variances, what.item),
									kind === 'calls' ? format.count : format.time,
								)
							: '',
					)
				: null,
		),
	);
}

export const table = (app, what) =>
	h(
		'table',
		{ class: 'figures' },
		app.model.compares ? h('tr', {}, h('td'), h('th', {}, 'base'), h('th', {}, 'new'), h('th', {}, 'change')) : null,
		rows(app, what),
	);

// The figures of routine R as those of a branch.
export function ofRoutine(app, r) {
	const column = (name) => Float64Array.from(app.view.figures, (f) => f[name][r]);
	return {
		isRoutine: true,
		item: { routine: r },
		uncounted: app.model.routines[r].uncounted,
		self: column('self'),
		time: column('total'),
		calls: column('calls'),
		recursive: column('recursive'),
		measured: column('totalMeasured'),
		variance: column('totalVariance'),
		selfMeasured: column('selfMeasured'),
		selfVariance: column('selfVariance'),
	};
}

// Those of branch B; SELF: it has a self time.
export function ofBranch(b, self) {
	const { time, entries: calls, measured, variance, selfMeasured, selfVariance } = b;
	return {
		uncounted: b.uncounted,
		item: b.item,
		parent: b.parent?.time,
		self: self ? b.self : null,
		time,
		calls,
		measured,
		variance,
		selfMeasured,
		selfVariance,
	};
}

// How the time of branch B, if it is one of a function without hooks, is known.
export function leafNote(app, b) {
	if (!b.leaf) return null;
	const { module } = app.model.routines[b.routine],
		by = b.sampled
			? `${format.amount()} by ${format.plural(b.sampled, 'sample')} of these contexts`
			: `no sample of these contexts was there: ${format.amount()} as in all of the routine`;
	return h('div', { class: 'note' }, `without hooks, in ${format.basename(module)}; ${by}; calls are not counted`);
}

// The tone of a branch or routine by the metric on show.
export function toneOf(app, what) {
	const timed = app.state.metric === 'time';
	return tone(change(app.view, timed ? kindOf(what) : 'calls', timed ? what.time : (what.entries ?? what.calls), what.variance, what.item));
}
