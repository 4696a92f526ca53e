// tree.js - the top-down and the bottom-up tree, each level made when it is opened.
import { TabulatorFull as Tabulator } from 'tabulator-tables';
import { choice, fill, groupRows, h, named, nameWidth } from './dom.js';
import { changeText } from './figures.js';
import * as format from './format.js';
import { leading } from './paths.js';
import { change, error } from './stats.js';

const MOST = 500; // branches of one parent that are listed

// A row for BRANCH; its children are rows when Tabulator first asks for them.
class Row {
	#kids;
	constructor(app, branch, key) {
		Object.assign(this, { app, branch, key });
	}

	get kids() {
		if (this.#kids === undefined) {
			const branches = shownOf(this.app, this.branch);
			this.#kids = branches.length ? rowsOf(this.app, branches, this.key) : null;
		}
		return this.#kids;
	}
}

// A line for the branches that are not listed.
class Rest {
	constructor(branches, key) {
		Object.assign(this, { rest: branches, key, kids: null });
	}
}

const NARROW = 600; // a window in which names have little room

let leads = null; // of a search: whether a branch is a hit or leads to one

const hitsOnly = (app) => leads && app.state.only === '1';
const shownOf = (app, branch) =>
	branch.sorted(app.state.metric).filter((b) => b[app.state.metric].some((v) => v > 0) && (!hitsOnly(app) || leads(b)));

function rowsOf(app, branches, key) {
	const rows = branches.slice(0, MOST).map((b) => new Row(app, b, `${key}.${b.link}`));
	if (branches.length > MOST) rows.push(new Rest(branches.slice(MOST), `${key}.rest`));
	return rows;
}

const right = { hozAlign: 'right', headerHozAlign: 'right', headerSort: false };

function nameCell(app, row) {
	if (row.rest) return h('span', { class: 'note' }, `and ${row.rest.length} more`);
	const b = row.branch;
	return h(
		'span',
		{ class: `branch${app.hits?.[b.routine] ? ' hit' : ''}`, 'data-routine': b.routine },
		b.gap ? h('span', { class: 'note', title: 'calls were squeezed out: no known call' }, '.. ') : null,
		named(app.model.routineName(b.routine), app.model.wholeName(b.routine), { class: b.leaf ? 'leaf' : '' }),
		b.folded ? h('span', { title: 'folded recursion' }, "'") : null,
	);
}

const sum = (row, name, s) => (row.rest ? row.rest.reduce((all, b) => all + b[name][s], 0) : row.branch[name][s]);

function numberColumn(title, name, s, text) {
	return {
		...right,
		title,
		width: 118,
		formatter: (c) => {
			const v = sum(c.getData(), name, s);
			if (text === format.count && c.getData().branch?.uncounted) return '';
			return h('span', { 'data-exact': v }, text(v, s));
		},
	};
}

function shareColumn(app, s) {
	const metric = app.state.metric;
	return {
		...right,
		title: { run: '%', parent: '% of parent', sel: '% of selected' }[app.of],
		width: app.of === 'run' ? 92 : 116,
		formatter: (c) => {
			const v = sum(c.getData(), metric, s),
				up = (c.getData().rest?.[0] ?? c.getData().branch).parent,
				whole = app.whole(s, metric, up ? up[metric][s] : null);
			return h('span', { class: 'share', style: `--p:${(whole ? (100 * v) / whole : 0).toFixed(2)}%` }, format.percent(v, whole));
		},
	};
}

function changeColumn(app, title, name) {
	return {
		...right,
		title,
		width: 178,
		formatter: (c) => {
			const row = c.getData();
			const timed = name === 'time';
			if (row.rest || (!timed && row.branch.uncounted)) return '';
			return changeText(
				change(app.view, timed ? 'path' : 'calls', row.branch[name], row.branch.variance, row.branch.item),
				timed ? format.time : format.count,
			);
		},
	};
}

// The first side's figures of a branch, as what error() is asked for.
const branchPart = (b) => ({ time: b.time[0], measured: b.measured[0], variance: b.variance[0] });

function errorColumn(app) {
	return {
		...right,
		title: '±',
		width: 84,
		formatter: (c) => {
			if (c.getData().rest) return '';
			const e = error(app.model, app.view, branchPart(c.getData().branch));
			return h('span', { class: 'error', 'data-exact': e }, format.time(e));
		},
	};
}

function columnsOf(app) {
	const up = app.state.tree === 'up',
		timed = app.model.timed,
		name = {
			title: 'routine',
			field: 'key',
			minWidth: nameWidth(240),
			widthGrow: 4,
			headerSort: false,
			formatter: (c) => nameCell(app, c.getData()),
		};
	const calls = up ? 'calls' : 'entries';
	if (app.model.compares)
		return [
			name,
			...(timed
				? [
						changeColumn(app, 'total, change', 'time'),
						numberColumn('total, base', 'time', 0, (v, s) => app.told(v, s)),
						numberColumn('total, new', 'time', 1, (v, s) => app.told(v, s)),
					]
				: []),
			...(app.model.counted
				? [
						changeColumn(app, 'calls, change', calls),
						numberColumn('calls, base', calls, 0, format.count),
						numberColumn('calls, new', calls, 1, format.count),
					]
				: []),
		];
	return [
		name,
		shareColumn(app, 0),
		...(timed
			? [
					numberColumn('total', 'time', 0, (v, s) => app.told(v, s)),
					...(app.model.sampled ? [errorColumn(app)] : []),
					...(up ? [] : [numberColumn('self', 'self', 0, (v, s) => app.told(v, s))]),
				]
			: []),
		...(app.model.counted ? [numberColumn('calls', calls, 0, format.count)] : []),
	];
}

// Open at first: the way along which most of the time goes.
function hotKeys(app, rows) {
	const metric = app.state.metric,
		hot = new Set();
	const size = (b) => b[metric].reduce((all, v) => all + v, 0);
	for (let row = rows[0], depth = 0; row?.branch && depth < 12; row = row.kids?.[0], depth++) {
		hot.add(row.key);
		if (!row.kids?.[0]?.branch || size(row.kids[0].branch) < 0.5 * size(row.branch)) break;
	}
	return hot;
}

const FOUND = 100; // hits to which trees are unfolded

// Unfold ROWS to the first FOUND hits, whose keys it returns in the order of their lines.
function unfold(app, rows) {
	const found = [],
		look = (row) => {
			if (!row.branch || found.length >= FOUND || !leads(row.branch)) return false;
			const hit = app.hits[row.branch.routine];
			if (hit) found.push(row.key);
			const below = (row.kids ?? []).map(look).some(Boolean);
			if (below) open.add(row.key);
			return hit || below;
		};
	rows.forEach(look);
	return found;
}

let shown = null,
	open = new Set(), // keys of the lines that are open
	found = []; // of a search, keys of its hits

function key(app, event) {
	const [row] = shown.getSelectedRows(),
		rows = shown.getRows('visible');
	if (event.key === 'ArrowRight' && row && !row.isTreeExpanded()) row.treeExpand();
	else if (event.key === 'ArrowLeft' && row) row.isTreeExpanded() ? row.treeCollapse() : pick(app, row.getTreeParent() || row);
	else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
		const order = shown.rowManager.getDisplayRows(),
			at = row ? order.findIndex((r) => r.getComponent() === row) : -1;
		const next = order[Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1))];
		pick(app, next ? next.getComponent() : rows[0]);
	} else if (event.key === '*') unfoldAll(row || rows[0]);
	else return;
	event.preventDefault();
}

const AT_ONCE = 300; // lines that are unfolded

// Unfold ROW and what is below it, level by level.
function unfoldAll(row) {
	const next = row ? [row] : [];
	shown.blockRedraw();
	for (let i = 0; i < next.length && i < AT_ONCE; i++) {
		if (!next[i].getData().kids) continue;
		if (!next[i].isTreeExpanded()) next[i].treeExpand();
		next.push(...next[i].getTreeChildren());
	}
	shown.restoreRedraw();
}

function pick(app, row) {
	if (!row) return;
	shown.deselectRow();
	row.select();
	row.scrollTo('nearest', false).catch(() => {});
	const b = row.getData().branch;
	if (b && app.model.isRoutine(b.routine)) app.set({ sel: b.routine });
}

export const tree = {
	depends: ['metric', 'thread', 'range', 'side', 'tree', 'q', 'only', 'sel', 'of', 'leaves'],

	show(box, app) {
		const dir = app.state.tree,
			place = h('div', { class: 'grid busy', tabindex: 0, onkeydown: (event) => key(app, event) });
		const top = app.tree(dir);
		leads = app.hits ? leading(app.view, app.hits, dir, app.state.metric) : null;
		const rows = rowsOf(app, shownOf(app, top), '');
		open = leads ? new Set() : hotKeys(app, rows);
		found = leads ? unfold(app, rows) : [];
		fill(
			box,
			h(
				'div',
				{ class: 'bar' },
				choice(
					'tree',
					[
						['down', 'top-down', 'from the root to the running routines'],
						['up', 'bottom-up', 'from the running routines to their callers'],
					],
					dir,
					(t) => app.set({ tree: t }),
				),
				app.leafChoice(),
				(this.picked = h('span', {}, app.picker())),
				h(
					'span',
					{ class: 'note' },
					dir === 'down'
						? `A line's total is its self ${format.amount()} and the totals below it.`
						: 'Below each routine its callers, and what it took on their behalf.',
				),
			),
			place,
		);
		shown = new Tabulator(place, {
			data: rows,
			columns: columnsOf(app),
			columnDefaults: { print: true }, // though they have no field
			layout: 'fitColumns',
			height: '100%',
			printAsHtml: true,
			printStyled: false,
			printRowRange: 'active',
			dataTree: true,
			dataTreeChildField: 'kids',
			dataTreeStartExpanded: (row) => open.has(row.getData().key),
			dataTreeChildIndent: window.innerWidth > NARROW ? 14 : 5,
			dataTreeFilter: false,
			dataTreeSort: false,
			selectableRows: 1,
			placeholder: leads ? 'no such routine' : 'nothing was measured',
			index: 'key',
		});
		shown.on('rowClick', (event, row) => pick(app, row));
		shown.on('dataTreeRowExpanded', (row) => open.add(row.getData().key));
		shown.on('dataTreeRowCollapsed', (row) => open.delete(row.getData().key));
		const grid = shown;
		this.built = new Promise((done) =>
			grid.on('tableBuilt', () => {
				place.classList.remove('busy');
				groupRows(place);
				done();
			}),
		);
	},

	// The lines that were open are open again.
	renew(app) {
		const grid = shown,
			dir = app.state.tree,
			picked = grid.getSelectedRows()[0]?.getData().key;
		const top = app.tree(dir);
		this.built
			.then(() => shown === grid && grid.replaceData(rowsOf(app, shownOf(app, top), '')))
			.then(() => {
				if (shown !== grid || picked === undefined) return;
				const row = grid.rowManager.getDisplayRows().find((r) => r.getData?.().key === picked);
				row?.getComponent().select();
			});
		return true;
	},

	update(changed, app) {
		if (changed.has('sel')) fill(this.picked, app.picker());
		return [...changed].every((k) => k === 'sel');
	},

	// The hits, in the order of their lines.
	async found(app) {
		await this.built;
		const rows = shown.rowManager.getDisplayRows();
		return found.map((key) => () => pick(app, rows.find((r) => r.getData?.().key === key)?.getComponent()));
	},
	most: FOUND,
};
