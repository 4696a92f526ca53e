// recent.js - what is made when it is asked for, and kept as long as it is among the last that were: all others can be made again.

export class Recent {
	#kept = new Map(); // the longest ago first

	// As many as MOST are kept.
	constructor(most) {
		this.most = most;
	}

	get size() {
		return this.#kept.size;
	}

	has(key) {
		return this.#kept.has(key);
	}

	// The value of KEY, which MAKE makes unless it is kept.
	get(key, make) {
		const value = this.#kept.has(key) ? this.#kept.get(key) : make();
		this.#kept.delete(key);
		this.#kept.set(key, value);
		if (this.#kept.size > this.most) this.#kept.delete(this.#kept.keys().next().value);
		return value;
	}
}
