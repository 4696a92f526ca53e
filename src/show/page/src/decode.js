// decode.js - the profile that stands in the page: see show/page/contents.h for what its columns are.
//
// A side is an object of typed arrays, one a column, with the strings of its JSON object beside them; what there is of each
// context, of each thread in it, or of each interval of that, are columns of column.js.
import { Column } from './column.js';

// Browsers of before 2026 may have no fromBase64.
function bytesOf(base64) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
	const text = atob(base64),
		bytes = new Uint8Array(text.length);
	for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}

async function inflated(base64) {
	const bytes = bytesOf(base64);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Numbers one after the other; beyond 2^53 they lose their last digits.
class Reader {
	#room = new Float64Array(1024); // where numbers are read to: arrays of one kind are filled fastest

	constructor(bytes, at) {
		this.bytes = bytes;
		this.at = at;
	}

	// The next N numbers, in an array that the next reading fills anew.
	#next(n) {
		if (this.#room.length < n) this.#room = new Float64Array(n);
		const values = this.#room.subarray(0, n),
			bytes = this.bytes;
		let at = this.at;
		for (let i = 0; i < n; i++) {
			let byte = bytes[at++];
			if (byte < 128) {
				values[i] = byte;
				continue;
			}
			let value = byte & 127;
			for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
				byte = bytes[at++];
				value |= (byte & 127) << shift;
			}
			for (let scale = 2 ** 28; byte > 127; scale *= 128) {
				byte = bytes[at++];
				value += (byte & 127) * scale;
			}
			values[i] = value;
		}
		this.at = at;
		return values;
	}

	column(n, make = Float64Array) {
		return new make(this.#next(n));
	}

	columns(n, names, integers = []) {
		const integer = new Set(integers);
		return Object.fromEntries(names.map((name) => [name, this.column(n, integer.has(name) ? Int32Array : Float64Array)]));
	}

	// The same, as columns of column.js.
	small(n, names) {
		return Object.fromEntries(names.map((name) => [name, new Column(this.#next(n))]));
	}

	// Columns of N numbers each, NAMES, then what samples say of a time: measured, and its variance.
	packed(n, names) {
		const columns = this.small(n, names),
			measured = this.column(n),
			variance = this.#next(n);
		for (let i = 0; i < n; i++) variance[i] *= measured[i];
		return { ...columns, measured: new Column(measured), variance: new Column(variance) };
	}
}

const variances = (measured, each) => measured.map((time, i) => time * each[i]);

// Children stand side by side, in the order of their parents: so their numbers are all that is needed.
function shapeOf(reader, n, routines) {
	const parent = new Int32Array(n),
		first = new Int32Array(n + 1),
		routine = new (routines < 0x8000 ? Int16Array : Int32Array)(n),
		flags = new Uint8Array(n);
	const kids = reader.column(n, Uint32Array),
		link = reader.column(n, Uint32Array);
	let next = 1;
	for (let i = 0; i < n; i++) {
		first[i] = next;
		for (let k = 0; k < kids[i]; k++) parent[next++] = i;
		routine[i] = link[i] >> 2;
		flags[i] = link[i] & 3;
	}
	first[n] = next;
	parent[0] = routine[0] = -1;
	return { n, parent, first, routine, flags };
}

function treeOf(reader, n, routines) {
	const shape = shapeOf(reader, n, routines);
	return { ...shape, ...reader.packed(n, ['self', 'calls', 'recursive', 'ticks']) };
}

// What `aprof diff` would say of the routines, arcs and contexts of a side: see contents.h.
function verdictsOf(reader, { routines, arcs, nodes }) {
	const bits = (n) => reader.column(n, Uint8Array);
	return { routine: bits(routines), arc: bits(arcs), node: bits(nodes) };
}

function sideOf(reader, about, judged) {
	const c = about.counts;
	const routines = reader.columns(
		c.routines,
		[
			...[
				'calls',
				'recursive',
				'self',
				'total',
				'selfTicks',
				'totalTicks',
				'selfMeasured',
				'selfEach',
				'totalMeasured',
				'totalEach',
			],
			...['module', 'file', 'line', 'pseudo'],
		],
		['module', 'file', 'line', 'pseudo'],
	);
	routines.selfVariance = variances(routines.selfMeasured, routines.selfEach);
	routines.totalVariance = variances(routines.totalMeasured, routines.totalEach);
	const { measured, each, ...arcs } = reader.columns(
		c.arcs,
		['from', 'to', 'calls', 'self1', 'child1', 'self2', 'child2', 'measured', 'each', 'folded'],
		['from', 'to', 'folded'],
	);
	arcs.variance = variances(measured, each);
	for (let i = 0; i < c.arcs; i++) arcs.from[i]--;
	const tree = treeOf(reader, c.nodes, c.routines);
	const cycles = reader.columns(c.cycles, ['length', 'calls', 'time'], ['length']);
	cycles.entries = reader.column(c.cycle_entries, Int32Array);
	const shares = {
		...reader.columns(c.shares, ['thread', 'node'], ['thread', 'node']),
		...reader.packed(c.shares, ['calls', 'recursive', 'time', 'ticks']),
	};
	const slices = reader.small(c.slices, ['thread', 'node', 'interval', 'time', 'ticks', 'phase']);
	const leaves = reader.columns(c.leaves, ['routine', 'plain', 'time', 'ticks'], ['routine', 'plain']);
	leaves.share = leaves.time.map((time, i) => (time ? time / routines.self[leaves.routine[i]] : 0));
	const leafCounts = reader.columns(c.leaf_counts, ['node', 'leaf', 'ticks'], ['node', 'leaf']);
	const verdicts = judged && verdictsOf(reader, c);
	return withPlain({ ...about, routines, arcs, tree, cycles, shares, slices, leaves, leafCounts, verdicts });
}

// SIDE with its functions without hooks behind its routines, of which there are `hooked`.
function withPlain(side) {
	const hooked = side.names.length,
		n = hooked + side.plain.length;
	const routines = Object.fromEntries(
		Object.entries(side.routines).map(([name, column]) => {
			const values = new column.constructor(n);
			values.set(column);
			return [name, values];
		}),
	);
	side.plain.forEach(({ module }, k) => (routines.module[hooked + k] = side.strings.length + k + 1));
	return {
		...side,
		hooked,
		routines,
		names: [...side.names, ...side.plain.map(({ name }) => name)],
		briefs: [...side.briefs, ...side.plain.map(({ brief }) => brief)],
		strings: [...side.strings, ...side.plain.map(({ module }) => module)],
	};
}

// The sides of the page, one or two, and how two are to be judged: see show/page/contents.h.
export async function decode(base64) {
	const bytes = await inflated(base64);
	const length = new DataView(bytes.buffer).getUint32(0, true);
	const object = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
	if (object.schema !== 'aprof-page-1') throw new Error(`this page cannot show ${object.schema}`);
	const reader = new Reader(bytes, 4 + length),
		judged = object.judged ?? null;
	return { version: object.version, judged, sides: object.sides.map((about) => sideOf(reader, about, judged)) };
}
