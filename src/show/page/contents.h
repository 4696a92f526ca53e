/* contents.h - a page to look at: the template of show/page/ with one profile in it, or two sides to be compared.
 *
 * The page is complete: it opens from disk and fetches nothing.  What stands in it is a length (four bytes, little-endian) and a
 * JSON object of that many bytes, {schema, version, sides[]}, and of two sides `judged`, then for each side its columns of LEB128 numbers, all of
 * it deflated, in base64.  A side has, beside `label`:
 *
 *   runs       of how many its times and calls are the means; 1 of one profile, however many files that has
 *   head       the head of `aprof report` as text
 *   run, never_known, never, modules, threads   as in doc/json.md
 *   times      time_ns, outside_ns, ticks, outside_ticks, calls of the graph; tick_ns, what a sample stands for, 0 if there are none;
 *              measured_ns, each_ns of the run
 *   counted    calls were; else their numbers are 0, which nobody is to show
 *   sampled    times are samples: they have an error
 *   strings[]  names of files and modules
 *   names[]    display names of the routines, by index
 *   briefs[]   their short forms among the names of all sides (base/short_names.h); null: the name itself
 *   beyond     of an MPI job, by routine: what the ranks with the most have beyond the mean (graph.h), ns, or calls where there are no times; else not there
 *   hot, paths what `aprof hot --json` and `aprof paths --json` say, the first ten of these; not of two sides, nor paths of a profile without contexts
 *   sources    the source of the heaviest routines (report.h); none of two sides, nor where no source is wanted
 *   interval_ns  how long the intervals of the slices are; 0: there are none
 *   slice_phases[]  names of the phases that slices are of
 *   plain[]    functions without hooks in which the routines' own time went: name, brief, module (or what stands for one, such as [kernel])
 *   counts     how many routines, arcs, nodes, cycles, cycle_entries, shares, slices, leaves, leaf_counts follow
 *
 * and its columns, one after the other, each with one number an item:
 *
 *   routine    calls, recursive, self, total, self_ticks, total_ticks, self_measured, self_each, total_measured, total_each, module + 1, file + 1 (in strings; 0: unknown), line, pseudo | plain << 1
 *   arc        from + 1 (0: spontaneous), to, calls, self1, child1, self2, child2, measured, each (of self2 and child2 together), folded
 *   node       children, routine << 2 | folded << 1 | gap, self, calls, recursive, ticks, measured, each of the top-down tree in the order of
 *              struct tree; all figures are those of the contexts that end there
 *   cycle      length, calls, time
 *   cycle entry    routine << 1 | known
 * `measured` is what samples alone say of a time, ns, and `each` what one of them stands for in its variance, ns (understand/graph/errors.c): variance / measured.
 *
 *   share      thread, node, calls, recursive, time, ticks, measured, each; none when there is one thread
 *   slice      thread, node, interval, time (with the hooks' cost left in), ticks, phase + 1 (0: not told) of what samples charged in an interval of the run
 *              (profile_slice), of several files from the beginning of the first on; none of two sides, where a file does not tell its time so, and of a page of a range of time
 *   leaf       routine, index in plain, time, samples (0: the kernel's, which has none): what of the routine's own time went there (understand/findings/leaves.h)
 *   leaf count node, leaf + 1 (0: the routine's own code), samples: where those of the contexts that end there were
 *
 * and of two sides, what is judged by understand/compare/ and nowhere else:
 *
 *   routine    judged: 1 | self time is news << 1 | total is << 2 | calls are << 3; 0: it was not
 *   arc        the same
 *   node       the same
 *
 * What the page makes of parts of a run nobody has judged; `judged` tells by what it is to do so:
 *
 *   steady     all counts of calls are the same in all runs of a side
 *   whole      of the runs as wholes: variance, that of one, relative; df, its degrees of freedom; chance, of so large a change if nothing changed, null: unknown
 *   noise      of self and total of routines, arc, pathSelf and path: common, a relative variance beside that of sampling, and its df, null: infinite (noise.h) */
#ifndef PAGE_CONTENTS_H
#define PAGE_CONTENTS_H

#include "show/report/report.h"

/* One profile of a page, or one side. */
struct html_side {
	const char *label;			/* what it is called in the page, as a rule its file */
	const struct report_input *in;		/* what it shows */
};

/* Whether this aprof was built with a page. */
bool html_known(void);

/* Write the page of SIDES[0..n) to OUT: one profile, or the base and what is compared with it, judged in COMPARED, which is NULL of one.  False with *ERR set:
 * out of memory, or OUT fails. */
bool html_write(const struct html_side *sides, size_t n, const struct comparison *compared, FILE *out, struct error *err);

/* The same without a profile: the page asks for `profile`, beside it, and again while that changes.  What it gets is to be what html_write_data writes, with
 * the fields of HTTP's head
 *
 *   Aprof-Reading   a number that is another one for other data; `profile?have=NUMBER` gets status 204 while that is the last
 *   Aprof-State     how the program stands: `running`, `ended`, `died`, `unknown`; `lost` if its profile cannot be read any more
 *   Aprof-Every     after how many milliseconds there may be more */
bool html_write_empty(FILE *out, struct error *err);
bool html_write_data(const struct html_side *side, FILE *out, struct error *err);

#endif
