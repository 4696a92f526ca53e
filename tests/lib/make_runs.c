/* make_runs.c - the command make-runs: runs of one made-up program, as a machine would vary them, for tests of comparisons.
 *
 * main calls N routines.  The first takes 5 % of the time, the others share the rest as 1 to 1/N.  In each run the ticks of a routine are
 * Poisson around what it takes, times what the run varies as a whole, times what the routine varies in it; so are its program counters, where there are any. */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/make_amon.h"

static const char usage[] =
	"usage: make-runs [options] PREFIX COUNT    writes PREFIX.1.out ... PREFIX.COUNT.out\n"
	"  --seed N --routines N --seconds X (of a run) --rate HZ\n"
	"  --vary X        standard deviation of a run, and of a routine in it, as a share\n"
	"  --slow X        the first routine takes X times its time\n"
	"  --calls N       calls of the second routine more than of each other (100)\n"
	"  --loose N       calls of the third routine vary by up to N from run to run\n"
	"  --exact         clock tsc: no ticks, no sampling\n"
	"  --codes         program counters beside the ticks, half as many\n"
	"  --moved         another build: other addresses and build-id\n";

static const struct option options[] = {
	{ "seed", 1, NULL, 's' }, { "routines", 1, NULL, 'r' }, { "seconds", 1, NULL, 't' }, { "rate", 1, NULL, 'h' },
	{ "vary", 1, NULL, 'v' }, { "slow", 1, NULL, 'w' }, { "calls", 1, NULL, 'c' }, { "loose", 1, NULL, 'l' },
	{ "exact", 0, NULL, 'x' }, { "codes", 0, NULL, 'p' }, { "moved", 0, NULL, 'm' }, { NULL, 0, NULL, 0 }
};

enum { CALLS = 100, SIZE = 64, ELSEWHERE = 0x1000 };	/* calls of a routine; bytes of its code; an address in no module: whose code it is, no symbols tell */

struct runs {
	uint64_t random;	/* state of the generator */
	uint32_t routines;	/* without main */
	double seconds, rate;	/* of a run; ticks a second */
	double vary, slow;	/* see usage */
	uint32_t calls, loose;	/* see usage */
	bool exact, codes, moved; /* see usage */
};

/* Uniform in (0, 1): splitmix64 (Steele, Lea and Flood, 2014). */
static double uniform(struct runs *r)
{
	uint64_t z = r->random += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller, 1958. */
static double normal(struct runs *r)
{
	double radius = sqrt(-2 * log(uniform(r)));

	return radius * cos(6.283185307179586 * uniform(r));
}

/* Knuth's product for small means; the sum of parts for large ones. */
static uint64_t poisson(struct runs *r, double mean)
{
	uint64_t n = 0;

	for (; mean > 0; mean -= 500) {
		double product = uniform(r), least = exp(-(mean > 500 ? 500 : mean));

		for (; product > least; product *= uniform(r))
			n++;
	}
	return n;
}

static double share_of(const struct runs *r, uint32_t routine)
{
	double sum = 0;

	if (routine == 0)
		return 0.05;
	for (uint32_t i = 1; i < r->routines; i++)
		sum += 1.0 / i;
	return 0.95 / routine / sum;
}

static void charge(struct runs *r, struct make_amon *m, double seconds)
{
	uint64_t ticks = r->exact ? 0 : poisson(r, seconds * r->rate);

	make_amon_charge(m, 0, (uint64_t)(1e9 * (r->exact ? seconds : (double)ticks / r->rate)), ticks);
	if (r->codes)
		make_amon_pc(m, 0, ELSEWHERE, (uint32_t)poisson(r, seconds * r->rate / 2));
}

static void routine_run(struct runs *r, struct make_amon *m, uint32_t routine, double factor)
{
	uint32_t calls = CALLS + (routine == 1 ? r->calls : 0) + (routine == 2 && r->loose ? (uint32_t)(uniform(r) * r->loose) : 0);
	double seconds = r->seconds * share_of(r, routine) * factor * (1 + r->vary * normal(r));

	for (uint32_t i = 0; i < calls; i++) {
		make_amon_enter(m, 0, routine + 1);
		if (i == 0)
			charge(r, m, routine == 0 ? seconds * r->slow : seconds);
		make_amon_leave(m, 0);
	}
}

static struct make_amon *run_make(struct runs *r)
{
	uint64_t base = r->moved ? 0x500000 : 0x400000;
	struct make_amon *m = make_amon_new();
	double factor = 1 + r->vary * normal(r);

	make_amon_module(m, "/made/program", r->moved ? "made-by-make-amon--2" : "made-by-make-amon--1", base,
			 base + SIZE * (uint64_t)(r->routines + 1), 0);
	make_amon_module_record(m, 0)->main_program = 1;
	for (uint32_t i = 0; i <= r->routines; i++)
		make_amon_routine(m, 0, base + SIZE * (uint64_t)i, 0);
	make_amon_thread(m, "made");
	make_amon_header(m)->rate = (uint32_t)r->rate;
	if (r->codes) {
		make_amon_header(m)->source = AMON_SOURCE_SAMPLER;
		make_amon_header(m)->pc_source = AMON_SOURCE_PERF;
		make_amon_header(m)->pc_period = (uint64_t)(2e9 / r->rate);
	}
	if (r->exact) {
		make_amon_header(m)->clock = AMON_CLOCK_TSC;
		make_amon_header(m)->tsc_hz = 1000000000;
	}
	make_amon_enter(m, 0, 0);
	for (uint32_t i = 0; i < r->routines; i++)
		routine_run(r, m, i, factor);
	make_amon_leave(m, 0);
	return m;
}

static bool run_write(struct make_amon *m, const char *prefix, int number)
{
	char name[4096];
	size_t len;
	uint8_t *data = make_amon_finish(m, &len);
	FILE *f;
	bool ok;

	snprintf(name, sizeof name, "%s.%d.out", prefix, number);
	f = fopen(name, "wb");
	ok = f && fwrite(data, 1, len, f) == len;
	if (!f || fclose(f) != 0 || !ok)
		perror(name);
	free(data);
	return ok;
}

static bool parse(int argc, char **argv, struct runs *r)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (c) {
		case 's': r->random = strtoull(optarg, NULL, 0); break;
		case 'r': r->routines = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 't': r->seconds = atof(optarg); break;
		case 'h': r->rate = atof(optarg); break;
		case 'v': r->vary = atof(optarg); break;
		case 'w': r->slow = atof(optarg); break;
		case 'c': r->calls = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'l': r->loose = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'x': r->exact = true; break;
		case 'p': r->codes = true; break;
		case 'm': r->moved = true; break;
		default: return false;
		}
	return argc - optind == 2 && r->routines > 3;
}

int main(int argc, char **argv)
{
	struct runs r = { .random = 1, .routines = 60, .seconds = 10, .rate = 997, .vary = 0.01, .slow = 1 };
	bool ok = true;

	if (!parse(argc, argv, &r)) {
		fputs(usage, stderr);
		return 2;
	}
	for (int i = 1; ok && i <= atoi(argv[optind + 1]); i++) {
		struct make_amon *m = run_make(&r);

		ok = run_write(m, argv[optind], i);
		make_amon_free(m);
	}
	return ok ? 0 : 2;
}
