// shape.js - trees as arrays by node, parents before children, node 0 the run:
//
//     parent, routine (-1: the run), flags,
//     first (its children are the nodes from first[node] on, before first[node + 1], or these places of list, if there is one)

export const GAP = 1, // the link to the parent is no known call
	FOLDED = 2; // recursion that is folded

// Call VISIT with each child of node I of TREE.
export function kidsOf(tree, i, visit) {
	for (let k = tree.first[i]; k < tree.first[i + 1]; k++) visit(tree.list ? tree.list[k] : k);
}

// A tree whose children do not stand side by side gets lists of them.
export function listed(tree) {
	const first = new Int32Array(tree.n + 1),
		list = new Int32Array(tree.n - 1);
	for (let i = 1; i < tree.n; i++) first[tree.parent[i] + 1]++;
	for (let i = 0; i < tree.n; i++) first[i + 1] += first[i];
	const at = first.slice();
	for (let i = 1; i < tree.n; i++) list[at[tree.parent[i]]++] = i;
	return { ...tree, first, list };
}
