/* input.h - the way from files to what reports look at: read, symbolise, build the graph. */
#ifndef INPUT_H
#define INPUT_H

#include "understand/input/files.h"
#include "understand/graph/graph.h"
#include "understand/input/names.h"
#include "understand/findings/report_input.h"
#include "read/import/import.h"
#include "understand/input/static_call_graph.h"
#include "understand/input/thread_choice.h"
#include "read/symbols/symbols.h"

/* Who is told meanwhile; any of them may be NULL. */
struct input_listener {
	void (*step)(void *arg, const char *what);	/* WHAT begins, a static string such as "reading symbols"; NULL: all is done */
	void (*part)(void *arg, size_t done, size_t of); /* DONE of OF files are read, in the step that is under way */
	void (*note)(void *arg, const char *text);	/* a line that the user is to read, without a newline; gone when it returns */
	void *arg;					/* their first argument */
};

/* Are times to be split by the plain code that ran below exact contexts, as the call stacks beside tell? */
enum input_leaves {
	INPUT_WHOLE,			/* no */
	INPUT_LEAVES,			/* if there are stacks */
	INPUT_DEEP_LEAVES,		/* yes: a profile without stacks is refused */
};

/* Everything behind one report; zero it before the first use. */
struct input {
	const struct input_listener *listener; /* NULL: nobody listens; input_free leaves it */
	bool with_static;		/* the graph is to have the calls that stand in the code, too; set it before input_build */
	bool with_unused;		/* and the routines with hooks that were never called; set it likewise */
	bool with_gprof;		/* a second graph is to be made, by gprof's model; set it likewise */
	bool spare;			/* symbols are to take little of the time that the profile is of (embedding.h); set it before input_read */
	bool linked_names;		/* routines are to have the names that they were linked by; set it likewise */
	enum input_leaves leaves;	/* whether times are to be split by the call stacks beside exact contexts; set it likewise */
	bool beside;			/* call stacks of the same process that stand in a file of their own are read, too (call_stacks.h); set it before input_read */
	bool stacks;			/* what is read is to be the call stacks beside exact contexts, alone; set it before input_read */
	bool arcs_do;			/* who asks can do without contexts; else profiles without them are refused; set it likewise */
	const char *program;		/* which program files of gprof's are of, that tell addresses alone; NULL: none is named, and they are refused; set it before input_read */
	const char *phase;		/* what is read is to be of this phase; NULL: all of it; set it before input_read */
	bool mean;			/* each file is a run of one program, and what is meant is their mean (profile_take_mean), not their sum; set it before input_build */
	const char *value;		/* what is read is to be of this value, of the call stacks beside where `stacks` is set; NULL: of each file's first; set it before input_read or input_add_up */
	struct profile_range range;	/* times are to be of this range of the runs; set it before input_build */
	struct import_wishes wishes;	/* of other people's files these samples alone; set it before input_read; not owned */
	struct sample_labels labels;		/* that samples of these files have */
	struct thread_choice threads;	/* what is counted is to be of these threads; set it likewise; not owned */
	struct profile *profile;	/* sum of the files, or their mean */
	uint32_t nfiles;		/* that were read */
	enum report_life *life;		/* of each of its runs */
	char **paths;			/* the files that they were read from; NULL among them: not to be written to */
	struct symbols *symbols;	/* of its modules */
	struct overhead *overhead;	/* what its samples mean, and what the hooks cost */
	struct names names;		/* of its routines */
	struct stack_join below;		/* what became of the call stacks beside, if times were split by them; without its parts */
	struct static_arcs static_arcs;	/* calls that stand in its code; none if nobody asked */
	struct graph *graph;		/* who pays */
	struct graph *gprof;		/* the same by gprof's model; NULL: nobody asked */
	struct report_input report;	/* the same for report_print */
};

/* Add the profiles FILES[0..n) to IN, all called LABEL, or by their own names if it is NULL.  False with *ERR set; files before the bad one stay. */
bool input_read(struct input *in, char **files, size_t n, const char *label, struct error *err);

/* Whether the file at PATH is one of other people's that has two profiles beside each other, to be compared: its values SIDES[0] and SIDES[1], static. */
bool input_has_two_sides(const char *path, const char *sides[2]);

/* Symbolise what was read, with PROGRAM for the main program unless NULL, and build its graph.  False with *ERR set. */
bool input_build(struct input *in, const char *program, const struct graph_options *options, struct error *err);

/* A profile of nothing yet, as IN asks for it; BUILT: input_build comes next.  NULL: out of memory. */
struct profile *input_profile_new(const struct input *in, bool built);

/* Have the profile, which is to be written to a new file, carry the symbols of its modules (embedding.h). */
void input_carry(struct input *in);

/* Free all of it. */
void input_free(struct input *in);

#endif
