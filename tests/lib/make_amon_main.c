/* make_amon_main.c - the command make-amon: writes a made amon.out. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/make_amon.h"

static const char usage[] =
	"usage: make-amon [options] FILE\n"
	"  --paper N       the program of the paper's Figure 1: Main (P Q R)^N P S\n"
	"  --stacks        of it, with stacks that were held against their contexts\n"
	"  --cc1 N         N contexts shaped like GCC's cc1\n"
	"else a random program run:\n"
	"  --seed N --routines N --callees N (0: any calls any) --threads N --calls N (each thread)\n"
	"  --max-contexts N --mean N --deepest N (histories) --recursion X --ticks X (for each call)\n"
	"  --reset N       zero the counters after N calls of a thread\n"
	"  --phases N      go through N phases, 10 at most, at random, stopped now and then\n"
	"  --intervals L   keep what is charged by interval of level L\n"
	"  --unsure NS     of so much of the time it is not known where it was spent\n"
	"  --chunk N       items in a chunk of contexts\n"
	"  --values N      tell what it has amounts of, N values, 4 at most: cpu, and for some samples value1, exact for even numbers\n"
	"  --beside        with the same as call stacks beside\n"
	"  --ranks N       the sum of N ranks of an MPI job; one thread alone\n"
	"  --contexts OUT  also print what was counted, as aprof contexts does\n";

static const struct option options[] = {
	{ "paper", 1, NULL, 'p' }, { "cc1", 1, NULL, 'g' }, { "seed", 1, NULL, 's' }, { "routines", 1, NULL, 'r' },
	{ "callees", 1, NULL, 'k' }, { "threads", 1, NULL, 't' }, { "calls", 1, NULL, 'c' },
	{ "max-contexts", 1, NULL, 'n' }, { "mean", 1, NULL, 'm' }, { "deepest", 1, NULL, 'd' },
	{ "recursion", 1, NULL, 'R' }, { "ticks", 1, NULL, 'T' }, { "chunk", 1, NULL, 'C' }, { "reset", 1, NULL, 'z' },
	{ "phases", 1, NULL, 'P' }, { "unsure", 1, NULL, 'l' }, { "stacks", 0, NULL, 'v' }, { "ranks", 1, NULL, 'a' }, { "intervals", 1, NULL, 'i' },
	{ "beside", 0, NULL, 'b' }, { "values", 1, NULL, 'V' },
	{ "contexts", 1, NULL, 'o' }, { NULL, 0, NULL, 0 }
};

static uint32_t number(const char *s)
{
	return (uint32_t)strtoul(s, NULL, 0);
}

struct request {
	struct made_program program;
	long paper, cc1;		/* argument of --paper or --cc1; -1: not asked */
	bool stacks, beside;		/* --stacks, --beside */
	uint32_t chunk, ranks;
	uint64_t unsure;		/* --unsure */
	const char *contexts;
};

static int parse(int argc, char **argv, struct request *q)
{
	struct made_program *p = &q->program;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 'p': q->paper = atol(optarg); break;
		case 'g': q->cc1 = atol(optarg); break;
		case 's': p->seed = strtoull(optarg, NULL, 0); break;
		case 'r': p->routines = number(optarg); break;
		case 'k': p->callees = number(optarg); break;
		case 't': p->threads = number(optarg); break;
		case 'c': p->calls = strtoull(optarg, NULL, 0); break;
		case 'n': p->contexts = number(optarg); break;
		case 'm': p->mean = number(optarg); break;
		case 'd': p->deepest = number(optarg); break;
		case 'R': p->recursion = atof(optarg); break;
		case 'T': p->ticks = atof(optarg); break;
		case 'z': p->reset = strtoull(optarg, NULL, 0); break;
		case 'i': p->intervals = number(optarg) + 1; break;
		case 'P': p->phases = number(optarg); break;
		case 'C': q->chunk = number(optarg); break;
		case 'o': q->contexts = optarg; break;
		case 'l': q->unsure = strtoull(optarg, NULL, 0); break;
		case 'v': q->stacks = true; break;
		case 'b': q->beside = true; break;
		case 'V': p->values = number(optarg); break;
		case 'a': q->ranks = number(optarg); break;
		default: return 0;
		}
	return argc - optind == 1 && p->routines > 0 && p->mean > 0 && p->phases <= 10 && p->values <= 4 && q->chunk > 0;
}

static int write_file(const char *name, const void *data, size_t len)
{
	FILE *f = fopen(name, "wb");

	if (!f || fwrite(data, 1, len, f) != len || fclose(f) != 0) {
		perror(name);
		return 2;
	}
	return 0;
}

static int print_contexts(const struct make_amon *m, const char *name)
{
	FILE *f = fopen(name, "w");

	if (f)
		make_amon_print(m, f);
	if (!f || fclose(f) != 0) {
		perror(name);
		return 2;
	}
	return 0;
}

/* 1000 stacks of the paper's program that fit, one that lacks S, two that have R where the context has S, one that could not be read. */
static void add_stacks(struct make_amon *m)
{
	enum { ROUTINE_R = 3, ROUTINE_S };

	make_amon_header(m)->stacks[AMON_STACK_FITS] = 1000;
	make_amon_header(m)->stacks[AMON_STACK_UNTOLD] = 1;
	make_amon_enter(m, 0, ROUTINE_S);
	make_amon_stack(m, 0, 0x400104, AMON_STACK_OPEN, AMON_NONE);
	make_amon_stack(m, 0, 0x400104, AMON_STACK_DIFFERS, ROUTINE_R);
	make_amon_stack(m, 0, 0x400104, AMON_STACK_DIFFERS, ROUTINE_R);
	make_amon_leave(m, 0);
}

/* The file of *LEN bytes at DATA, which is freed, with what M made as call stacks beside. */
static uint8_t *add_beside(struct make_amon *m, uint8_t *data, size_t *len)
{
	struct amon_chunk head = { .magic = AMON_CHUNK_MAGIC, .kind = AMON_SAMPLED, .thread = AMON_NONE, .first = sizeof head };
	uint8_t *stacks, *both;
	uint64_t used;
	size_t size;

	make_amon_header(m)->way = 1u << AMON_WAY_STACKS;
	stacks = make_amon_finish(m, &size);
	head.size = (sizeof head + size + AMON_PAGE - 1) / AMON_PAGE * AMON_PAGE;
	head.count = head.capacity = (uint32_t)size;
	memcpy(&used, data + offsetof(struct amon_header, used), sizeof used);
	both = calloc(1, used + head.size);
	if (!both)
		abort();
	memcpy(both, data, used < *len ? used : *len);
	memcpy(both + used, &head, sizeof head);
	memcpy(both + used + sizeof head, stacks, size);
	*len = used + head.size;
	memcpy(both + offsetof(struct amon_header, used), &(uint64_t){ *len }, sizeof used);
	free(stacks);
	free(data);
	return both;
}

int main(int argc, char **argv)
{
	struct request q = {
		.program = { .seed = 1, .routines = 30, .threads = 1, .calls = 10000, .mean = 8, .deepest = 40, .recursion = 0.1, .ticks = 0.1 },
		.paper = -1, .cc1 = -1, .chunk = 1024,
	};
	struct make_amon *m;
	uint8_t *data;
	size_t len;
	int status;

	if (!parse(argc, argv, &q)) {
		fputs(usage, stderr);
		return 2;
	}
	m = q.paper >= 0 ? make_amon_paper((unsigned)q.paper) : q.cc1 >= 0 ? make_amon_cc1((uint32_t)q.cc1) :
	    make_amon_random(&q.program);
	make_amon_chunk_items(m, q.chunk);
	make_amon_ranks(m, q.ranks);
	make_amon_header(m)->unsure = q.unsure;
	if (q.stacks)
		add_stacks(m);
	data = make_amon_finish(m, &len);
	if (q.beside)
		data = add_beside(m, data, &len);
	status = write_file(argv[optind], data, len);
	if (status == 0 && q.contexts)
		status = print_contexts(m, q.contexts);
	free(data);
	make_amon_free(m);
	return status;
}
