/* fuzz_gmon.c - any bytes at all are read as a gmon.out, written and read again, and made gprof's view of; nothing may break.
 *
 * With Clang this is a libFuzzer target.  Built with -DDRIVER it has a main of its own, which tries made files and ROUNDS mutations of
 * each: fuzz_gmon ROUNDS. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "understand/gprof/gprof.h"
#include "understand/gprof/tests/made_gmon.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

enum { SYMBOLS = 64 };

static void need(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "unsound: %s\n", what);
		abort();
	}
}

static void view(const struct gmon *m)
{
	static struct gmon_symbol symbols[SYMBOLS];
	static const struct gprof_spec specs[] = { { GPROF_EXCLUDE_ARCS, "a/b" }, { GPROF_EXCLUDE_TIME, "c" } };
	static const char *const names[] = { "a", "b", "c", "_d" };
	struct gprof *g;

	for (uint32_t i = 0; i < SYMBOLS; i++)
		symbols[i] = (struct gmon_symbol){ .name = names[i % 4], .display = "x", .start = 0x1000 + 0x40 * i,
			.last = 0x103f + 0x40 * i, .function = i % 7 != 0 };
	g = gprof_build(m, symbols, SYMBOLS, &(struct gprof_options){ .specs = specs, .nspecs = 2, .lines = true }, NULL);
	need(g, "memory");
	for (uint32_t i = 0; i < g->narcs; i++)
		need(gprof_is_inner(g, &g->arcs[i])
		     || g->routines[g->arcs[i].from].topological > g->routines[g->arcs[i].to].topological, "order");
	for (uint32_t i = 0; i < g->nroutines + g->ncycles; i++)
		need(g->listed[i] < g->nroutines + g->ncycles && isfinite(g->routines[i].self + g->routines[i].child), "times");
	gprof_free(g);
}

static uint64_t samples(const struct gmon *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->nhistograms; i++)
		for (uint32_t k = 0; k < m->histograms[i].nbins; k++)
			sum += m->histograms[i].bins[k];
	return sum;
}

static uint64_t calls(const struct gmon *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->narcs; i++)
		sum += m->arcs[i].count;
	return sum;
}

/* What was read can be written, and the copy says the same. */
static void copy(const struct gmon *m)
{
	struct error err = { .text = "" };
	struct gmon again;
	size_t len;
	void *data = gmon_write(m, &len, &err);

	need(data, "memory");
	gmon_init(&again, m->layout);
	need(gmon_read(&again, data, len, GMON_AUTO, "copy", &err), err.text);
	need(samples(m) == samples(&again) && calls(m) == calls(&again), "sums");
	gmon_free(&again);
	free(data);
}

/* The first byte chooses layout and format, the rest is the file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error err = { .text = "" };
	struct gmon m;

	if (size == 0)
		return 0;
	gmon_init(&m, (struct gmon_layout){ data[0] & 1 ? 4 : 8, data[0] & 2 });
	gmon_is_bsd(data + 1, size - 1, m.layout);
	if (gmon_read(&m, data + 1, size - 1, (enum gmon_format)(data[0] >> 2 & 3), "fuzz", &err)) {
		copy(&m);
		view(&m);
	} else {
		need(err.text[0] && !strchr(err.text, '\n'), "message");
	}
	gmon_free(&m);
	return 0;
}

/* A word that is likely to hurt. */
static uint32_t nasty(uint64_t *dice)
{
	static const uint32_t words[] = { 0, 1, 2, 0x7f, 0xff, 0xffff, 0x1000, 0x1040, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff };

	return words[made_roll(dice, sizeof words / sizeof *words)];
}

static size_t mutate(uint8_t *data, size_t size, uint64_t dice)
{
	for (uint32_t changes = 1 + made_roll(&dice, 3); changes > 0 && size > 8; changes--) {
		uint32_t word = nasty(&dice), at = made_roll(&dice, (uint32_t)(made_roll(&dice, 2) || size < 80 ? size - 4 : 70));

		memcpy(data + at, &word, 1 + made_roll(&dice, 4));
	}
	return made_roll(&dice, 20) == 0 ? made_roll(&dice, (uint32_t)size) : size;
}

#ifdef DRIVER

int main(int argc, char **argv)
{
	uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 0) : 0;
	static struct made_gmon made;
	static uint8_t data[sizeof made.data + 1];

	for (uint32_t seed = 0; seed < 16; seed++) {
		made_random(&made, (struct gmon_layout){ seed & 1 ? 4 : 8, seed & 2 }, seed);
		for (uint64_t round = 0; round < rounds; round++) {
			size_t size = 1 + made.len;

			data[0] = (uint8_t)seed;
			memcpy(data + 1, made.data, made.len);
			LLVMFuzzerTestOneInput(data, round ? mutate(data, size, seed << 20 | round) : size);
		}
	}
	return 0;
}

#else

/* An empty input becomes a made one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	static struct made_gmon made;

	if (size < 8) {
		made_random(&made, (struct gmon_layout){ seed & 1 ? 4 : 8, seed & 2 }, seed);
		if (made.len + 1 > most)
			return LLVMFuzzerMutate(data, size, most);
		data[0] = (uint8_t)(seed & 3);
		memcpy(data + 1, made.data, made.len);
		return made.len + 1;
	}
	return seed % 4 == 0 ? LLVMFuzzerMutate(data, size, most) : mutate(data, size, seed);
}

#endif
