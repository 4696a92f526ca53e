// source.js - the source of a routine, where the page has it: samples and calls by line, as `aprof annotate` has them.
import { h, named } from './dom.js';
import * as format from './format.js';
import { isNarrowed } from './narrow.js';
import { coloured } from './syntax.js';

// Editors that open a file at a line, by the address that they listen to.
const EDITORS = {
	'': 'no editor',
	'vscode://file%p:%l': 'VS Code',
	'mvim://open?url=file://%p&line=%l': 'Vim',
	'emacs://open?url=file://%p&line=%l': 'Emacs',
	'idea://open?file=%p&line=%l': 'IDEA',
};
const KEY = 'aprof-editor',
	CALLEES = 4; // on a line

function remembered() {
	try {
		return localStorage.getItem(KEY) ?? '';
	} catch {
		return ''; // a page from a file may have no memory
	}
}

function remember(template) {
	try {
		localStorage.setItem(KEY, template);
	} catch {
		// then it is chosen anew the next time
	}
}

const addressOf = (template, file, line) => template.replace('%p', encodeURI(file)).replace('%l', line);

function editorChoice(draw) {
	const now = remembered(),
		known = now in EDITORS ? EDITORS : { ...EDITORS, [now]: now };
	return h(
		'select',
		{
			'aria-label': 'editor that a line is opened in',
			onchange: ({ target }) => {
				if (target.value === 'other')
					target.value = window.prompt('Address that opens the file %p at line %l', now || 'editor://%p:%l') ?? now;
				remember(target.value === 'other' ? now : target.value);
				draw();
			},
		},
		Object.entries(known).map(([value, text]) => h('option', { value, selected: value === now }, text)),
		h('option', { value: 'other' }, 'other …'),
	);
}

// Callees by line: those that are called on one line only have their calls and time there, others stand at each.
function calleesByLine(source, hidden) {
	const lines = new Map();
	for (const callee of source.callees.filter(({ name }) => !hidden.has(name)))
		for (const line of callee.call_lines) {
			const site = callee.call_sites?.filter((s) => s.line === line) ?? [];
			const sum = (what) => site.reduce((all, s) => all + s[what], 0);
			const told = site.length > 0,
				timed = told && site.every((s) => s.time_ns !== null);
			const figures = { calls: told ? sum('calls') : callee.calls, time_ns: timed ? sum('time_ns') : callee.time_ns };
			lines.set(line, [...(lines.get(line) ?? []), { ...callee, ...figures, shared: !timed && callee.call_lines.length > 1 }]);
		}
	return lines;
}

function calleeText(app, callee) {
	const r = callee.place ? -1 : app.model.routines.findIndex((about) => about.name === callee.name && !about.leaf);
	const figures = [callee.calls ? `${format.count(callee.calls)} ×` : '', app.told(callee.time_ns)].filter(Boolean).join(' ');
	return h(
		'span',
		{ class: 'call' },
		r < 0
			? callee.name
			: h(
					'button',
					{ type: 'button', class: 'link', 'data-routine': r, onclick: () => app.set({ sel: r }) },
					named(app.model.routineName(r), callee.name),
				),
		` ${figures}${callee.shared ? ' ~' : ''}`,
	);
}

function lineOf(app, source, template, [text, shown], line, cost, callees) {
	const share = cost && source.self_ns ? cost.self_ns / source.self_ns : 0;
	return h(
		'tr',
		{ 'data-line': line },
		h(
			'td',
			{ class: 'number' },
			template
				? h('a', { href: addressOf(template, source.file, line), title: 'open it in the editor' }, String(line))
				: String(line),
		),
		h(
			'td',
			{ class: 'cost', 'data-exact': cost?.self_ns ?? 0, style: `--p:${(100 * share).toFixed(2)}%` },
			cost ? `${app.told(cost.self_ns)} ± ${format.time(cost.error_ns ?? 0)}` : '',
		),
		h(
			'td',
			{ class: 'code' },
			h('code', {}, text ? shown : ' '),
			callees.length
				? h(
						'div',
						{ class: 'calls', style: `--indent:${/^ */.exec(text)[0].length}ch` },
						callees.slice(0, CALLEES).map((c) => calleeText(app, c)),
						callees.length > CALLEES ? ` and ${callees.length - CALLEES} more` : null,
					)
				: null,
		),
	);
}

// How many blanks all of LINES begin with that are not empty.
const marginOf = (lines) => Math.min(...lines.filter((text) => text.trim()).map((text) => /^ */.exec(text)[0].length), 80);

// The source of routine R as an element; null where the page has none.
export function sourceOf(app, r) {
	const source = app.model.compares ? null : app.model.sides[0].sources?.find((s) => s.routine === r);
	if (!source) return null;
	const box = h('section', { class: 'source', 'aria-label': 'source' }),
		margin = marginOf(source.text);
	const hidden = new Set(app.model.routines.filter((_, r) => app.base.hidden?.[r]).map(({ name }) => name));
	const draw = () => {
		const costs = new Map(source.lines.map((cost) => [cost.line, cost])),
			callees = calleesByLine(source, hidden),
			template = remembered(),
			texts = source.text.map((text) => text.slice(margin)),
			shown = coloured(source.file, texts),
			at = box.querySelector('.scroll')?.scrollTop ?? 0;
		box.replaceChildren(
			h(
				'h2',
				{},
				'Source ',
				h('span', { class: 'note' }, `${format.visible(source.file)}:${source.first_line}`),
				' ',
				editorChoice(draw),
			),
			h(
				'div',
				{ class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'lines' },
				h(
					'table',
					{ class: source.lines.length ? '' : 'bare' },
					source.text.map((text, i) => {
						const line = source.first_line + i;
						return lineOf(
							app,
							source,
							template,
							[texts[i], shown[i]],
							line,
							costs.get(line),
							callees.get(line) ?? [],
						);
					}),
				),
			),
			h(
				'p',
				{ class: 'note' },
				app.state.thread === 'all' || !app.model.byThread ? '' : 'Of all threads. ',
				isNarrowed(app)
					? 'Of the run as a whole: with what is not in focus, and without what is hidden in the routine. '
					: '',
				`Own ${format.amount()} of each line by its samples; calls that begin there, with all that they called. `,
				callees.size && [...callees.values()].flat().some((c) => c.shared)
					? '~ the routine is called on several lines: the figures are of all of them. '
					: '',
				source.plain_ns ? `${app.told(source.plain_ns)} in code without hooks. ` : '',
				source.elsewhere_ns ? `${app.told(source.elsewhere_ns)} at lines of other files. ` : '',
				source.unknown_ns ? `${app.told(source.unknown_ns)} at no known line.` : '',
			),
		);
		box.querySelector('.scroll').scrollTop = at;
	};
	draw();
	return box;
}

// Have the SOURCE that is on show begin where most of the time is.
export function toHottest(source) {
	const lines = source.querySelector('.scroll'),
		rows = [...lines.querySelectorAll('tr')],
		cost = (row) => Number(row.querySelector('.cost').dataset.exact),
		hottest = rows.reduce((best, row) => (cost(row) > cost(best) ? row : best), rows[0]);
	if (!hottest || !cost(hottest)) return;
	hottest.classList.add('hottest');
	lines.scrollTop += hottest.getBoundingClientRect().top - lines.getBoundingClientRect().top - lines.clientHeight / 3;
}
