// members.js - the nodes that a branch of a tree stands for, one after the other, kept in few bytes.
//
// They are added in the order of their numbers, nearly always.  So many of them have small differences, each from the one before, which are a column
// (column.js): of a branch that has a hundredth of all nodes a byte each does.  Few stay a plain array, which is less than a column takes for itself.
import { Column } from './column.js';

const FEW = 64;

export class Members {
	#list = []; // the nodes; null: they are packed
	#steps; // the differences, from 0 on
	n = 0;

	add(node) {
		this.#list.push(node);
		this.n++;
	}

	// The one that was added last.
	get last() {
		return this.#list.at(-1);
	}

	// None is added from now on.
	pack() {
		const list = this.#list;
		if (list.length <= FEW)
			this.#list = list.slice(); // as long as it is
		else {
			this.#steps = new Column(Float64Array.from(list, (node, i) => node - (i ? list[i - 1] : 0)));
			this.#list = null;
		}
	}

	// Bytes that they take, more or less.
	get bytes() {
		return this.#steps?.bytes ?? 4 * this.n;
	}

	// Call VISIT with each.
	each(visit) {
		this.some((node) => {
			visit(node);
			return false;
		});
	}

	// Whether TEST is true of any.
	some(test) {
		if (this.#list) return this.#list.some(test);
		for (let i = 0, node = 0; i < this.n; i++) if (test((node += this.#steps.at(i)))) return true;
		return false;
	}
}
