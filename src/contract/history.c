/* history.c - steps A1-A5 of Spivey 2004 as a function of histories alone. */
#include "contract/history.h"

size_t history_squeeze(history_entry *s, size_t n)
{
	size_t kept = 0;

	/* One pass: entry i is judged against what is kept before it and what comes after it. */
	for (size_t i = 0; i < n; i++) {
		bool marked = history_is_marked(s[i]);
		bool after_unmarked = kept > 0 && !history_is_marked(s[kept - 1]);
		bool before_unmarked = i + 1 < n && !history_is_marked(s[i + 1]);

		if (!marked && after_unmarked && before_unmarked)
			continue;			/* A4: surrounded by unmarked entries */
		if (!marked && after_unmarked && s[kept - 1] == s[i])
			continue;			/* A5: twin of its neighbour */
		s[kept++] = s[i];
	}
	return kept;
}

size_t history_next(history_entry *s, size_t n, uint32_t routine)
{
	history_entry called = history_marked(routine);

	if (n > 0 && s[n - 1] == called)
		return n;				/* A1: direct recursion */
	for (size_t i = 0; i < n; i++)
		if (s[i] == called) {
			s[i] &= ~(history_entry)1;	/* A3: the one earlier activation */
			s[n++] = called;		/* A2 */
			return history_squeeze(s, n);	/* A4, A5 */
		}
	s[n++] = called;				/* A2; nothing was unmarked */
	return n;
}

bool history_is_valid(const history_entry *s, size_t n)
{
	if (n > 0 && !history_is_marked(s[n - 1]))
		return false;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = i + 1; j < n; j++)
			if (history_is_marked(s[i]) && s[i] == s[j])
				return false;
		if (history_is_marked(s[i]) || i + 1 >= n || history_is_marked(s[i + 1]))
			continue;
		if (s[i] == s[i + 1] || (i > 0 && !history_is_marked(s[i - 1])))
			return false;
	}
	return true;
}

uint64_t history_hash(const history_entry *s, size_t n)
{
	uint64_t hash = HISTORY_HASH_EMPTY;

	for (size_t i = 0; i < n; i++)
		hash = history_hash_add(hash, s[i]);
	return hash;
}
