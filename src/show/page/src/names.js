// names.js - qualified names: their parts, and what of them gives way where there is no room.

// Where the parts of a qualified name begin, behind the first: at each `::` outside of all brackets.
function partsOf(name) {
	const found = [];
	for (let i = 0, depth = 0; i < name.length; i++) {
		if ('<([{'.includes(name[i])) depth++;
		else if ('>)]}'.includes(name[i])) depth = Math.max(0, depth - 1);
		else if (depth === 0 && name.startsWith('::', i)) found.push(i++);
	}
	return found;
}

// What stands in < and > left out of TEXT.
export function withoutArguments(text) {
	let kept = '';
	for (let i = 0, depth = 0; i < text.length; i++) {
		if (text[i] === '<') depth++;
		if (depth === 0) kept += text[i];
		if (text[i] === '>') depth = Math.max(0, depth - 1);
	}
	return kept;
}

// The class or namespace of the short NAME, of a template that of all its instances; '': it is in none.
export function scopeOf(name) {
	const scope = name.slice(0, partsOf(name).at(-1) ?? 0);
	return withoutArguments(scope) || scope;
}

// Where the template arguments of LAST, the last part of a name, begin; its length, where it has none.
function argumentsIn(last) {
	const at = last.includes('operator') ? -1 : last.indexOf('<', 3);
	return at < 0 ? last.length : at;
}

// NAME in pieces, some of which may be empty: what it is in, its last part, the template arguments of that, and its number (numbersOf).
export function pieces(name) {
	const [number] = / \(\d+\)$/.exec(name) ?? [''],
		text = name.slice(0, name.length - number.length),
		at = partsOf(text).at(-1) ?? 0,
		last = text.slice(at),
		end = argumentsIn(last);
	return [text.slice(0, at), last.slice(0, end), last.slice(end), number];
}

// NAME without as many of its first parts as it takes for FITS to be true, or of its last part what is left of it.
export function fitted(name, fits) {
	if (fits(name)) return name;
	const shorter = partsOf(name).map((at) => `…${name.slice(at)}`);
	return shorter.find(fits) ?? shorter.at(-1) ?? name;
}

const LONG = 40; // characters; what is shorter is seen whole nearly everywhere

// Long names that differ in template arguments alone look alike where these have no room.  Of NAMES the number of each among such; 0: it needs none.
export function numbersOf(names) {
	const keys = names.map((name) => (name.length > LONG && name.includes('<') ? withoutArguments(name) : null)),
		counts = new Map(),
		seen = new Map();
	for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
	return keys.map((key) => {
		if (key === null || counts.get(key) < 2) return 0;
		seen.set(key, (seen.get(key) ?? 0) + 1);
		return seen.get(key);
	});
}
