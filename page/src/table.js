// table.js - the table of routines, and beside it gprof's entry of the selected one.
//
// Tabulator draws only the rows in sight.  Every formatter returns an element: strings would be read as HTML.
import { TabulatorFull as Tabulator } from 'tabulator-tables';
import { fill, groupRows, h, nameWidth, named } from './dom.js';
import { entry } from './entry.js';
import { changeText } from './figures.js';
import * as format from './format.js';
import { change, error, routinePart } from './stats.js';

const cell = (text, exact) => h('span', exact === undefined ? {} : { 'data-exact': exact }, text);
const right = { hozAlign: 'right', headerHozAlign: 'right', headerSortStartingDir: 'desc', sorter: 'number' };

// A column of times of the side S.
function timeColumn(app, title, field, s) {
	return { ...right, title, field, width: 112, formatter: (c) => cell(format.time(c.getValue()), c.getValue()) };
}

function shareColumn(app, title, field, of, s) {
	return {
		...right,
		title,
		field,
		width: 92,
		formatter: (c) => {
			const whole = app.whole(s),
				p = whole ? (100 * c.getValue()) / whole : 0;
			return h('span', { class: 'share', style: `--p:${p.toFixed(2)}%` }, app.share(c.getValue(), s));
		},
	};
}

const countColumn = (title, field) => ({ ...right, title, field, width: 118, formatter: (c) => cell(format.count(c.getValue()), c.getValue()) });

function changeColumn(app, title, field, text) {
	return {
		...right,
		title,
		field,
		width: 178,
		sorter: (a, b) => Math.abs(a.by) - Math.abs(b.by) || a.by - b.by,
		formatter: (c) => changeText(c.getValue(), text),
	};
}

const lastColumns = [
	{ title: 'module', field: 'module', width: 150, formatter: (c) => cell(format.basename(c.getValue())) },
	{ title: 'source', field: 'source', width: 170, formatter: (c) => h('span', { title: c.getData().file }, c.getValue()) },
];

function nameColumn(app) {
	return {
		title: 'routine',
		field: 'name',
		minWidth: nameWidth(220),
		widthGrow: 3,
		headerSortStartingDir: 'asc',
		formatter: (c) => named(app.model.routineName(c.getData().id), c.getValue(), { class: app.hits?.[c.getData().id] ? 'hit' : '' }),
	};
}

// Of an MPI job: what the ranks with the most of a routine have beyond the mean.
function unevenColumn(app) {
	if (!app.model.beyond) return [];
	return [app.model.timed ? timeColumn(app, 'uneven', 'uneven', 0) : countColumn('uneven', 'uneven')];
}

function columnsOfOne(app) {
	const times = !app.model.timed
		? []
		: [
				timeColumn(app, 'self', 'self', 0),
				shareColumn(app, 'self %', 'selfShare', 'self', 0),
				...(app.model.sampled
					? [
							{
								...right,
								title: '± self',
								field: 'error',
								width: 84,
								formatter: (c) => cell(format.time(c.getValue()), c.getValue()),
							},
						]
					: []),
				timeColumn(app, 'total', 'total', 0),
				shareColumn(app, 'total %', 'totalShare', 'total', 0),
			];
	const perCall =
		!app.model.timed || !app.model.counted
			? []
			: [timeColumn(app, 'self/call', 'selfCall', 0), timeColumn(app, 'total/call', 'totalCall', 0)];
	const calls = app.model.counted ? [countColumn('calls', 'calls'), countColumn('recursive', 'recursive')] : [];
	return [nameColumn(app), ...times, ...calls, ...unevenColumn(app), ...perCall, ...lastColumns];
}

function columnsOfTwo(app) {
	const times = (title, field) =>
		app.model.timed
			? [
					changeColumn(app, `${title}, change`, `${field}Change`, format.time),
					timeColumn(app, `${title}, base`, `${field}0`, 0),
					timeColumn(app, `${title}, new`, `${field}1`, 1),
				]
			: [];
	return [
		nameColumn(app),
		...times('self', 'self'),
		...times('total', 'total'),
		...(app.model.counted
			? [
					changeColumn(app, 'calls, change', 'callsChange', format.count),
					countColumn('calls, base', 'calls0'),
					countColumn('calls, new', 'calls1'),
				]
			: []),
		...(app.model.timed && app.model.counted ? [changeColumn(app, 'per call, change', 'callChange', format.time)] : []),
		...lastColumns,
	];
}

const per = (value, calls) => (calls ? value / calls : 0);

function rowOfOne(app, r, row) {
	const f = app.view.figures[0];
	return {
		...row,
		self: f.self[r],
		selfShare: f.self[r],
		error: error(app.model, app.view, routinePart(app.view, 'self', r)) ?? 0,
		total: f.total[r],
		totalShare: f.total[r],
		calls: f.calls[r],
		recursive: f.recursive[r],
		uneven: app.model.beyond?.[r],
		selfCall: per(f.self[r], f.calls[r] + f.recursive[r]),
		totalCall: per(f.total[r], f.calls[r]),
	};
}

function rowOfTwo(app, r, row) {
	const [a, b] = app.view.figures,
		told = (name, ticks) => change(app.view, name, [a[name][r], b[name][r]], ticks ? [a[ticks][r], b[ticks][r]] : []);
	const total = told('total', 'totalTicks'),
		before = per(a.total[r], a.calls[r]),
		after = per(b.total[r], b.calls[r]);
	return {
		...row,
		selfChange: told('self', 'selfTicks'),
		self0: a.self[r],
		self1: b.self[r],
		totalChange: total,
		total0: a.total[r],
		total1: b.total[r],
		callsChange: told('calls'),
		calls0: a.calls[r],
		calls1: b.calls[r],
		callChange: { before, after, by: after - before, news: total.news && before !== after },
	};
}

export function rowsOf(app) {
	const seen = (r) => app.view.figures.some((f) => f.calls[r] || f.recursive[r] || f.total[r] || f.self[r]);
	return app.model.routines.flatMap((about, r) => {
		if (!seen(r)) return [];
		const row = {
			id: r,
			name: about.name,
			module: about.module,
			file: about.file,
			source: about.file ? `${format.basename(about.file)}${about.line ? `:${about.line}` : ''}` : '',
		};
		return [app.model.compares ? rowOfTwo(app, r, row) : rowOfOne(app, r, row)];
	});
}

const columnsOf = (app) => (app.model.compares ? columnsOfTwo : columnsOfOne)(app);

function sortOf(app, columns) {
	const [column, dir] = app.state.sort.split('.');
	if (columns.some((c) => c.field === column)) return [{ column, dir: dir === 'asc' ? 'asc' : 'desc' }];
	const first = app.model.compares
		? app.model.timed
			? 'selfChange'
			: 'callsChange'
		: app.model.timed && app.state.metric === 'time'
			? 'self'
			: 'calls';
	return [{ column: first, dir: 'desc' }];
}

let shown = null; // the table on show

function chooser(app, columns) {
	const hidden = new Set(app.state.hide.split(',').filter(Boolean));
	const boxes = columns.slice(1).map((c) =>
		h(
			'label',
			{},
			h('input', {
				type: 'checkbox',
				...(hidden.has(c.field) ? {} : { checked: true }),
				onchange: (event) => {
					event.target.checked ? hidden.delete(c.field) : hidden.add(c.field);
					shown[event.target.checked ? 'showColumn' : 'hideColumn'](c.field);
					app.set({ hide: [...hidden].join(',') });
				},
			}),
			c.title,
		),
	);
	return h('details', { class: 'menu' }, h('summary', {}, 'columns'), h('div', {}, boxes));
}

function tell(app, note) {
	const n = shown.getDataCount('active'),
		all = shown.getDataCount();
	note.textContent = n === all ? format.plural(all, 'routine') : `${format.count(n)} of ${format.plural(all, 'routine')}`;
}

function filter(app) {
	if (app.hits && app.state.only === '1') shown.setFilter((row) => Boolean(app.hits[row.id]));
	else shown.clearFilter();
}

function select(app) {
	shown.deselectRow();
	if (app.selected >= 0 && shown.getRow(app.selected)) {
		shown.selectRow(app.selected);
		shown.scrollToRow(app.selected, 'center', false).catch(() => {});
	}
}

// Up and down move the selection as the rows stand.
function key(app, event) {
	const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
	if (!by || event.target.closest('input')) return;
	const rows = shown.getRows('active'),
		at = rows.findIndex((row) => row.getData().id === app.selected);
	const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
	if (next) app.set({ sel: next.getData().id });
	event.preventDefault();
}

export const table = {
	depends: ['metric', 'thread', 'range', 'side', 'q', 'only', 'sel', 'of'],

	show(box, app) {
		const columns = columnsOf(app),
			hidden = new Set(app.state.hide.split(','));
		const place = h('div', { class: 'grid', tabindex: 0, onkeydown: (event) => key(app, event) }),
			side = h('aside', { class: 'entry' });
		const note = h('span', { class: 'note', role: 'status' });
		fill(
			box,
			h('div', { class: 'bar' }, chooser(app, columns), note),
			h('div', { class: `halves${app.model.compares ? ' two' : ''}` }, place, side),
		);
		const grid = new Tabulator(place, {
			data: rowsOf(app),
			columns: columns.map((c) => ({ ...c, visible: !hidden.has(c.field) })),
			index: 'id',
			layout: 'fitColumns',
			height: '100%',
			printAsHtml: true,
			printStyled: false,
			printRowRange: 'active',
			selectableRows: 1,
			initialSort: sortOf(app, columns),
			placeholder: 'no such routine',
		});
		shown = grid;
		this.side = side;
		this.note = note;
		this.built = new Promise((done) =>
			grid.on('tableBuilt', () => {
				groupRows(place);
				filter(app);
				select(app);
				tell(app, note);
				done();
			}),
		);
		grid.on('rowClick', (event, row) => app.set({ sel: row.getData().id }));
		grid.on('dataFiltered', () => setTimeout(() => shown === grid && tell(app, note)));
		grid.on('headerClick', () => {
			const [sorter] = grid.getSorters();
			if (sorter) app.set({ sort: `${sorter.field}.${sorter.dir}` });
		});
		entry(side, app);
	},

	// New figures in the same rows.
	renew(app) {
		const grid = shown,
			scroller = this.side.scrollTop;
		this.built
			.then(() => shown === grid && grid.replaceData(rowsOf(app)))
			.then(() => {
				if (shown !== grid) return;
				filter(app);
				if (app.selected >= 0 && grid.getRow(app.selected)) grid.selectRow(app.selected);
				tell(app, this.note);
			});
		entry(this.side, app);
		this.side.scrollTop = scroller;
		return true;
	},

	update(changed, app) {
		if (![...changed].every((k) => k === 'q' || k === 'only' || k === 'sel')) return false;
		this.built.then(() => {
			if (changed.has('q') || changed.has('only')) {
				filter(app);
				shown.getRows('visible').forEach((row) => row.reformat());
			}
			select(app);
		});
		entry(this.side, app);
		return true;
	},

	async found(app) {
		await this.built;
		return shown
			.getRows('active')
			.map((row) => row.getData().id)
			.filter((r) => app.hits[r])
			.map((r) => () => app.set({ sel: r }));
	},
};
