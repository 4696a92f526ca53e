/* history.h - histories and the step from one to the next.
 *
 * A history is a sequence s1..sn of routines with mark bits m1..mn, a partial
 * copy of the call stack.  It stands for the set of items s(i-1)[s(i)]s(i+1) with
 * m(i) set: routine s(i) is active, called by s(i-1), and calling s(i+1).  Each
 * routine has at most one marked entry, its most recent activation, and the last entry
 * is always marked.  (J. M. Spivey, Fast, accurate call graph profiling, 2004,
 * "Data structures for fast profiling".)
 *
 * The file stores contexts as transitions; monitor and reader replay them by this
 * one function, so this is part of the format. */
#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry: routine << 1 | mark. */
typedef uint32_t history_entry;

static inline history_entry history_marked(uint32_t routine) { return routine << 1 | 1; }
static inline uint32_t history_routine(history_entry e) { return e >> 1; }
static inline bool history_is_marked(history_entry e) { return e & 1; }

/* Take the step A1-A5 in place: in the history S of N entries, ROUTINE is called.
 * S has room for N + 1 entries.  Returns the new length; it equals N, with S unchanged, for
 * a direct recursive call (A1).  Linear in N; no other memory. */
size_t history_next(history_entry *s, size_t n, uint32_t routine);

/* Steps A4 and A5 alone, in place: squeeze out unmarked entries that join nothing.
 * Returns the new length. */
size_t history_squeeze(history_entry *s, size_t n);

/* True when S of N entries is one that history_next could have made: last entry
 * marked, one mark at most for each routine, nothing left for A4 and A5.  Quadratic; for checks. */
bool history_is_valid(const history_entry *s, size_t n);

/* A hash of a history that can be extended entry by entry: start from HISTORY_HASH_EMPTY. */
#define HISTORY_HASH_EMPTY UINT64_C(0x9e3779b97f4a7c15)
static inline uint64_t history_hash_add(uint64_t hash, history_entry e)
{
	hash = (hash ^ e) * UINT64_C(0xff51afd7ed558ccd);
	return hash ^ hash >> 32;
}

/* Hash of the whole history S of N entries. */
uint64_t history_hash(const history_entry *s, size_t n);

#endif
