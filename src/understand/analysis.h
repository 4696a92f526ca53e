/* analysis.h - read/ and understand/ as one library: from files to what reports say of them.  Who shows, keeps or commands includes this header
 * and no other of the two wings; tests/layers sees to it.
 *
 * The library prints nothing, ends no process, and keeps no state between calls but files that have no name any more (open_files.h).  It opens what it
 * is told to, and what the profiles name: programs, their debug files and sources.  What fails returns false or NULL and fills a struct error; what a
 * user is to know meanwhile goes to a struct input_listener.  Each struct has one owner, who frees it with the function of its name.
 *
 * The short way, which most front ends take:
 *
 *     struct input in = { .listener = &listener };
 *
 *     if (!input_read(&in, files, nfiles, NULL, &err) || !input_build(&in, program, &options, &err))
 *             ... err ...
 *     ... in.graph, in.report ...
 *     input_free(&in);
 *
 * The parts stand below in the order in which they are used. */
#ifndef ANALYSIS_H
#define ANALYSIS_H

/* Open.  What a file is, how its process stands, and the profile that a process has mapped now. */
#include "understand/input/files.h"
#include "understand/input/live_profile.h"
#include "understand/input/nursery.h"

/* Read, symbolise, build: struct input has all that stands behind a report. */
#include "understand/input/input.h"
#include "understand/input/input_notes.h"
#include "understand/input/source_files.h"

/* The profile itself, and the names of its addresses. */
#include "read/profile/profile.h"
#include "read/profile/commands.h"
#include "read/symbols/symbols.h"
#include "understand/input/embedding.h"

/* Add up: many files to one; a sum that grows; and a profile put together from rows that somebody else kept. */
#include "understand/input/add_up.h"
#include "read/profile/sum.h"
#include "read/profile/parts.h"
#include "read/profile/headers.h"
#include "read/profile/key_table.h"

/* What samples mean, and what the hooks cost. */
#include "understand/overhead/overhead.h"

/* Who pays: routines, arcs, contexts, trees, sequences that recur, and gprof's model beside. */
#include "understand/graph/graph.h"
#include "understand/graph/recurring_paths.h"
#include "understand/graph/model_difference.h"

/* Two sets of runs, what differs for certain, and why; with the distributions behind that. */
#include "understand/compare/comparison.h"
#include "understand/compare/check.h"
#include "understand/compare/verdict.h"
#include "understand/compare/statistics.h"

/* What reports find before any of them prints it: of the run, */
#include "understand/findings/report_input.h"
#include "understand/findings/figures.h"
#include "understand/findings/life.h"
#include "understand/findings/notes.h"
#include "understand/findings/method_words.h"
#include "understand/findings/sums.h"
#include "understand/findings/plain_shares.h"
#include "understand/findings/busy_threads.h"
/* which routines, and in which order, */
#include "understand/findings/order.h"
#include "understand/findings/routine_selection.h"
#include "understand/findings/hot_cases.h"
#include "understand/findings/recurring.h"
/* and what stands around one: callers and callees, call sites, lines, code without hooks. */
#include "understand/findings/entry.h"
#include "understand/findings/call_sites.h"
#include "understand/findings/tail_calls.h"
#include "understand/findings/leaves.h"
#include "understand/findings/lines.h"
#include "understand/findings/code.h"

/* gprof's file, and the symbols of a program as gprof chooses them. */
#include "read/gmon/gmon.h"
#include "read/gmon/text.h"
/* and its view of who pays, by its model. */
#include "understand/gprof/gprof.h"

#endif
