/* option_table.h - the rows of all options, as getopt wants them. */
#ifndef OPTION_TABLE_H
#define OPTION_TABLE_H

#include <getopt.h>
#include <stdbool.h>

/* Options without a letter. */
enum {
	KEY_SORT = 256, KEY_FOCUS, KEY_HIDE, KEY_THREAD, KEY_COMM, KEY_PROCESS, KEY_PHASE, KEY_VALUE, KEY_TIME_RANGE, KEY_INTERVALS, KEY_RAW, KEY_LAYER, KEY_LEAVES, KEY_LINES, KEY_SITES, KEY_JSON, KEY_COLOR, KEY_BOTTOM_UP, KEY_IMBALANCE, KEY_RANK, KEY_MPI,
	KEY_DEPTH, KEY_MIN_PERCENT, KEY_CLOCK, KEY_RATE, KEY_MEMORY, KEY_DATA, KEY_NO_REPORT, KEY_SECONDS, KEY_VERIFY, KEY_STACKS, KEY_ALLOCATIONS, KEY_EVENT, KEY_SCRIPT, KEY_KERNEL, KEY_INLINES, KEY_ALL_PROCESSES, KEY_MODEL, KEY_TOP,
	KEY_WEIGHT, KEY_TABLE, KEY_SOURCE_PATH, KEY_NO_SOURCE, KEY_SUBSTITUTE, KEY_AGAINST, KEY_ORDER, KEY_ALL, KEY_MAX_REGRESS, KEY_METRIC,
	KEY_CALLS, KEY_LIVE, KEY_OPEN, KEY_HTML, KEY_ONLY, KEY_REPORT, KEY_NO_PAGER, KEY_WIDE, KEY_NAMES, KEY_PROCESSES, KEY_THREADS, KEY_STORE, KEY_TIMEOUT, KEY_LABEL, KEY_SCHEMA, KEY_FORMAT, KEY_GIT, KEY_BUILD, KEY_ROUNDS, KEY_LAYOUTS, KEY_KEEP, KEY_MARKDOWN,
};

enum { KEY_OPERAND = 1 };		/* what getopt returns for one where their place matters */

/* The long options of COMMAND (a COMMAND_ bit) for getopt_long; to be freed.  NULL: out of memory. */
struct option *option_table_longs(unsigned command);

/* Its letters, a leading + with STOP, a leading - where operands are told apart by their place; to be freed.  NULL: out of memory. */
char *option_table_letters(unsigned command, bool stop);

struct options;

/* Put the value of KEY where its row says: a switch, or ARGUMENT as it is.  False: no row of KEY says so, and nothing is put. */
bool option_table_put(struct options *o, int key, const char *argument);

/* Does KEY choose or shape the listings of the report?  Then aprof run prints that. */
bool option_table_is_listing(int key);

#endif
