// table.js - the table of routines, by what they belong to if so chosen, and beside it gprof's entry of the selected one.
//
// Tabulator draws only the rows in sight.  Every formatter returns an element: strings would be read as HTML.
import { TabulatorFull as Tabulator } from 'tabulator-tables';
import { choice, fill, groupRows, h, nameWidth, named } from './dom.js';
import { entry } from './entry.js';
import { changeText } from './figures.js';
import * as format from './format.js';
import { differs, partition, seen, sumsOf } from './kinds.js';
import { bar } from './pane.js';
import { change, error, partOf } from './stats.js';

const GROUPED = [
	['none', 'none'],
	['module', 'module', 'the program and each library'],
	['file', 'file', 'source files'],
	['class', 'class', 'C++ classes and namespaces'],
];

const cell = (text, exact) => h('span', exact === undefined ? {} : { 'data-exact': exact }, text);
const right = { hozAlign: 'right', headerHozAlign: 'right', headerSortStartingDir: 'desc', sorter: 'number' };

// A formatter of values by SHOWN; of a group some are not known.
const given = (shown) => (c) => (c.getValue() === null ? '' : shown(c));

// A column of times of the side S.
function timeColumn(app, title, field, s) {
	return { ...right, title, field, width: title.length > 8 ? 112 : 88, formatter: given((c) => cell(app.told(c.getValue(), s), c.getValue())) };
}

// Of the means by calls of the times in column OF.
function meanColumn(app, title, field, of) {
	const text = (c) => app.mean(c.getData()[of], c.getData().calls);
	return { ...right, title, field, width: title.length > 8 ? 112 : 88, formatter: given((c) => cell(text(c), c.getValue())) };
}

function shareColumn(app, title, field, of, s) {
	return {
		...right,
		title,
		field,
		width: title.length > 6 ? 94 : 86,
		formatter: given((c) => {
			const whole = app.whole(s),
				p = whole ? (100 * c.getValue()) / whole : 0;
			return h('span', { class: 'share', style: `--p:${p.toFixed(2)}%` }, app.share(c.getValue(), s));
		}),
	};
}

const countColumn = (title, field) => ({
	...right,
	title,
	field,
	width: 108,
	formatter: given((c) => cell(format.count(c.getValue()), c.getValue())),
});

function changeColumn(app, title, field, text) {
	return {
		...right,
		title,
		field,
		width: 164,
		sorter: (a, b) => Math.abs(a?.by ?? 0) - Math.abs(b?.by ?? 0) || (a?.by ?? 0) - (b?.by ?? 0),
		formatter: given((c) => changeText(c.getValue(), text)),
	};
}

const lastColumns = [
	{ title: 'module', field: 'module', width: 150, formatter: (c) => cell(format.basename(c.getValue())) },
	{ title: 'source', field: 'source', width: 170, formatter: (c) => h('span', { title: c.getData().file }, c.getValue()) },
];

const titleOf = (row) => [named(row.name, row.whole), h('span', { class: 'note' }, format.plural(row.kids.length, 'routine'))];

const nameCell = (app, row) =>
	h(
		'span',
		{ class: `branch${app.hits?.[row.id] ? ' hit' : ''}${row.kids ? ' group' : ''}`, [row.kids ? 'data-group' : 'data-routine']: row.id },
		row.kids ? titleOf(row) : named(app.model.routineName(row.id), row.name, { class: row.leaf ? 'leaf' : '' }),
	);

function nameColumn(app) {
	return {
		title: 'routine',
		field: 'name',
		minWidth: nameWidth(window.innerWidth > 1200 ? 360 : 260),
		widthGrow: 3,
		frozen: window.innerWidth > 600, // figures are scrolled to with the name in sight, where both have room
		headerSortStartingDir: 'asc',
		formatter: (c) => nameCell(app, c.getData()),
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
			: [meanColumn(app, 'self/call', 'selfCall', 'self'), meanColumn(app, 'total/call', 'totalCall', 'total')];
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

// The figures of item R, a routine or group, of F, those of each side, into ROW.
function rowOfOne(app, [f], r, row) {
	return {
		...row,
		self: f.self[r],
		selfShare: f.self[r],
		error: error(app.model, app.view, partOf(f, 'self', r)) ?? 0,
		total: f.total[r],
		totalShare: f.total[r],
		calls: row.leaf ? null : f.calls[r],
		recursive: row.leaf ? null : f.recursive[r],
		uneven: row.kids ? null : app.model.beyond?.[r],
		selfCall: row.kids || row.leaf ? null : per(f.self[r], f.calls[r]),
		totalCall: row.kids || row.leaf ? null : per(f.total[r], f.calls[r]),
	};
}

function rowOfTwo(app, [a, b], r, row) {
	const told = (name) => {
		const variance = `${name}Variance`;
		return change(
			app.view,
			name,
			[a[name][r], b[name][r]],
			variance in a ? [a[variance][r], b[variance][r]] : [],
			row.kids ? null : { routine: r },
		);
	};
	const total = told('total'),
		before = per(a.total[r], a.calls[r]),
		after = per(b.total[r], b.calls[r]);
	return {
		...row,
		selfChange: told('self'),
		self0: a.self[r],
		self1: b.self[r],
		totalChange: total,
		total0: a.total[r],
		total1: b.total[r],
		callsChange: row.leaf ? null : told('calls'),
		calls0: row.leaf ? null : a.calls[r],
		calls1: row.leaf ? null : b.calls[r],
		callChange: row.kids || row.leaf ? null : { before, after, by: after - before, news: total.news && before !== after },
	};
}

const figured = (app, figures, r, row) => (app.model.compares ? rowOfTwo : rowOfOne)(app, figures, r, row);

function rowOf(app, r) {
	const about = app.model.routines[r];
	return figured(app, app.view.figures, r, {
		id: r,
		name: about.name,
		leaf: about.uncounted,
		module: about.module,
		file: about.file,
		source: about.file ? `${format.basename(about.file)}${about.line ? `:${about.line}` : ''}` : '',
	});
}

// The kind of groups that the rows are in, or none.
const kindOf = (app) => (kinds(app).some(([kind]) => kind === app.state.kind) ? app.state.kind : 'none');
const kinds = (app) => GROUPED.filter(([kind]) => kind === 'none' || differs(app, kind));

// What the table shows: routines, or groups, whose kids they are.
function rowsOf(app) {
	const kind = kindOf(app);
	if (kind === 'none') return app.model.routines.flatMap((_, r) => (seen(app, r) ? [rowOf(app, r)] : []));
	const groups = partition(app, kind),
		sums = app.remember(`sums ${kind}`, () => sumsOf(app.view, groups));
	return groups.map(({ id, title, whole, members }, g) => {
		const leaf = members.every((r) => app.model.routines[r].uncounted);
		return figured(app, sums, g, {
			id,
			name: title,
			whole,
			leaf,
			module: '',
			file: '',
			source: '',
			kids: members.map((r) => rowOf(app, r)),
		});
	});
}

const openedIds = (app) => new Set(app.state.opened.split(',').filter(Boolean));

// Whether the group ROW shows its routines: it was opened, or has a hit.
const isOpen = (app, row) => Boolean(row.kids) && (app.hits ? row.kids.some((kid) => app.hits[kid.id]) : openedIds(app).has(row.id));

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
let unasked = -1; // the routine that was selected though nobody asked for it

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
	const groups = shown.getData(),
		rows = groups.flatMap((row) => row.kids ?? [row]),
		n = app.hits && app.state.only === '1' ? rows.filter((row) => app.hits[row.id]).length : rows.length;
	note.textContent = n === rows.length ? format.plural(n, 'routine') : `${format.count(n)} of ${format.plural(rows.length, 'routine')}`;
}

function filter(app) {
	const hit = (row) => (row.kids ?? [row]).some(({ id }) => app.hits[id]);
	if (app.hits && app.state.only === '1') shown.setFilter(hit);
	else shown.clearFilter();
}

// The rows as they stand, those of open groups too.
const displayed = () => shown.rowManager.getDisplayRows().map((row) => row.getComponent());
const rowById = (id) => displayed().find((row) => row.getData().id === id);

function select(app) {
	shown.deselectRow();
	if (app.selected < 0) return;
	const group = shown.getRows('active').find((row) => row.getData().kids?.some(({ id }) => id === app.selected));
	if (group && !group.isTreeExpanded()) group.treeExpand();
	const row = rowById(app.selected);
	row?.select();
	row?.scrollTo('center', false).catch(() => {});
}

// Have the row of a routine selected, or that of a group marked.
function pick(app, row) {
	const { id, kids } = row.getData();
	if (!kids) return app.set({ sel: id });
	shown.deselectRow();
	row.select();
	row.scrollTo('nearest', false).catch(() => {});
}

// Up and down move the selection as the rows stand, right and left open and close a group.
function key(app, event) {
	if (event.target.closest('input')) return;
	const rows = displayed(),
		[row] = shown.getSelectedRows(),
		at = rows.findIndex((r) => r.getData().id === row?.getData().id),
		by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
	if (by) {
		const next = rows[Math.max(0, Math.min(rows.length - 1, at + by))];
		if (next) pick(app, next);
	} else if (event.key === 'ArrowRight' && row?.getData().kids) row.treeExpand();
	else if (event.key === 'ArrowLeft' && row?.getData().kids) row.treeCollapse();
	else if (event.key === 'ArrowLeft' && row?.getTreeParent()) pick(app, row.getTreeParent());
	else return;
	event.preventDefault();
}

// The groups whose routines are shown are those that the address says.
function sync(app) {
	for (const row of shown.getRows('active'))
		if (row.getData().kids && row.isTreeExpanded() !== isOpen(app, row.getData()))
			row.isTreeExpanded() ? row.treeCollapse() : row.treeExpand();
}

// The reader has opened or closed the group ROW.  What a search opens is open as long as it lasts.
function turned(app, row, isNow) {
	if (app.hits) return;
	const ids = openedIds(app);
	isNow ? ids.add(row.getData().id) : ids.delete(row.getData().id);
	app.set({ opened: [...ids].join(',') });
}

function grouper(app) {
	if (kinds(app).length < 2) return null;
	const kind = kindOf(app),
		all = kind === 'none' ? [] : partition(app, kind).map(({ id }) => id),
		open = all.some((id) => openedIds(app).has(id));
	return h(
		'span',
		{ class: 'labelled' },
		'by ',
		choice('grouped by', kinds(app), kind, (k) => app.set({ kind: k, opened: '' })),
		all.length && !app.hits
			? h(
					'button',
					{ type: 'button', onclick: () => app.set({ opened: open ? '' : all.join(',') }) },
					open ? 'fold all' : 'unfold all',
				)
			: null,
	);
}

// Where nothing is selected yet, the routine that is first in the table as it is at first: the heaviest, or the one that changed most.
function selectFirst(app) {
	if (kindOf(app) !== 'none') {
		if (app.selected >= 0 && app.selected === unasked) app.stateHolder.replace({ sel: '' }); // for which no group is to be opened
		unasked = -1;
		return;
	}
	if (app.selected >= 0 || app.hasSelected) return;
	const { compares, timed } = app.model,
		size = (row) => (compares ? Math.abs((timed ? row.selfChange : row.callsChange)?.by ?? 0) : timed ? row.self : row.calls),
		rows = app.model.routines.flatMap((_, r) => (seen(app, r) ? [rowOf(app, r)] : [])),
		first = rows.reduce((best, row) => (best === null || size(row) > size(best) ? row : best), null);
	if (!first || !size(first)) return;
	unasked = first.id;
	app.hasSelected = true; // once: who selects nothing, or hides what is selected, has nothing selected
	app.stateHolder.replace({ sel: String(unasked) });
}

export const table = {
	depends: ['metric', 'thread', 'range', 'side', 'q', 'only', 'sel', 'of', 'kind', 'opened', 'leaves'],

	show(box, app) {
		selectFirst(app);
		const columns = columnsOf(app),
			hidden = new Set(app.state.hide.split(','));
		const place = h('div', { class: 'grid busy', tabindex: 0, onkeydown: (event) => key(app, event) }),
			side = h('aside', { class: 'entry' });
		const note = h('span', { class: 'note', role: 'status' });
		fill(
			box,
			h(
				'div',
				{ class: 'bar' },
				chooser(app, columns),
				h('div', { class: 'along' }, (this.grouper = h('span', {}, grouper(app))), app.leafChoice(), note),
			),
			(this.halves = h('div', { class: `halves${app.model.compares ? ' two' : ''}` }, place, side)),
		);
		place.after(bar(app, this.halves));
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
			dataTree: kindOf(app) !== 'none',
			dataTreeChildField: 'kids',
			dataTreeStartExpanded: (row) => isOpen(app, row.getData()),
			dataTreeChildIndent: 14,
			placeholder: 'no such routine',
		});
		shown = grid;
		this.side = side;
		this.note = note;
		this.kinds = `${kinds(app)}`;
		this.leafed = app.leafed;
		this.built = new Promise((done) =>
			grid.on('tableBuilt', () => {
				place.classList.remove('busy');
				groupRows(place);
				filter(app);
				select(app);
				tell(app, note);
				done();
			}),
		);
		grid.on('rowClick', (event, row) => pick(app, row));
		grid.on('dataTreeRowExpanded', (row) => turned(app, row, true));
		grid.on('dataTreeRowCollapsed', (row) => turned(app, row, false));
		grid.on('dataFiltered', () => setTimeout(() => shown === grid && tell(app, note)));
		grid.on('headerClick', () => {
			const [sorter] = grid.getSorters();
			if (sorter) app.set({ sort: `${sorter.field}.${sorter.dir}` });
		});
		entry(side, app);
	},

	// New figures in the same rows; false: there are other kinds of groups.
	renew(app) {
		if (`${kinds(app)}` !== this.kinds) return false;
		const grid = shown,
			scroller = this.side.scrollTop,
			marked = grid.getSelectedRows()[0]?.getData().id;
		this.built
			.then(() => shown === grid && grid.replaceData(rowsOf(app)))
			.then(() => {
				if (shown !== grid) return;
				filter(app);
				if (marked !== undefined) rowById(marked)?.select();
				tell(app, this.note);
			});
		entry(this.side, app);
		this.side.scrollTop = scroller;
		return true;
	},

	update(changed, app) {
		const searched = changed.has('q') || changed.has('only');
		if (
			![...changed].every((k) => ['q', 'only', 'sel', 'opened'].includes(k)) ||
			(searched && kindOf(app) !== 'none') ||
			this.leafed !== app.leafed
		)
			return false;
		this.built.then(() => {
			if (changed.has('opened')) {
				sync(app);
				fill(this.grouper, grouper(app));
			}
			if (searched) {
				filter(app);
				shown.getRows('visible').forEach((row) => row.reformat());
			}
			if (searched || changed.has('sel')) select(app);
		});
		if (searched || changed.has('sel')) entry(this.side, app);
		return true;
	},

	async found(app) {
		await this.built;
		return displayed()
			.map((row) => row.getData().id)
			.filter((r) => app.hits[r])
			.map((r) => () => app.set({ sel: r }));
	},
};
