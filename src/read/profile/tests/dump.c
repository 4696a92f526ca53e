/* dump.c - a profile as text. */
#include "read/profile/tests/dump.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

char *must_text(char *text)
{
	if (!text)
		abort();
	return text;
}

static int compare_lines(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

char *sort_lines(char *text)
{
	size_t n = 0, at = 0, len = strlen(text);
	char **lines, *out = malloc(len + 1);

	for (const char *s = text; *s; s++)
		n += *s == '\n';
	lines = malloc((n + 1) * sizeof *lines);
	if (!lines || !out)
		abort();
	n = 0;
	for (char *s = strtok(text, "\n"); s; s = strtok(NULL, "\n"))
		lines[n++] = s;
	if (n > 0)
		qsort(lines, n, sizeof *lines, compare_lines);
	out[0] = 0;
	for (size_t i = 0; i < n; i++)
		at += (size_t)sprintf(out + at, "%s\n", lines[i]);
	memcpy(text, out, at + 1);
	free(lines);
	free(out);
	return text;
}

static void print_place(const struct profile *p, uint32_t module, uint64_t address, FILE *out)
{
	const char *slash;

	if (module == PROFILE_NONE) {
		fprintf(out, "0x%" PRIx64, address);
		return;
	}
	slash = strrchr(p->modules[module].path, '/');
	fprintf(out, "%s+0x%" PRIx64, slash ? slash + 1 : p->modules[module].path, address);
}

static void print_routine(const struct profile *p, uint32_t routine, FILE *out)
{
	static const char *const pseudo[] = { "(root)", "(elided)", "(lost)", "(monitor)", "(unplaced)", "(truncated)", "[kernel]", "(signal)" };
	const struct profile_routine *r = &p->routines[routine];

	if (r->pseudo)
		fputs(pseudo[r->pseudo - AMON_ROUTINE_ROOT], out);
	else
		print_place(p, r->module, r->address, out);
}

static void print_history(const struct profile *p, uint32_t context, FILE *out)
{
	history_entry *s = malloc((p->longest + 1) * sizeof *s);
	size_t n;

	if (!s)
		abort();
	n = profile_history(p, context, s);
	for (size_t i = 0; i < n; i++) {
		fputc(' ', out);
		print_routine(p, history_routine(s[i]), out);
		if (!history_is_marked(s[i]))
			fputc('\'', out);
	}
	fputc('\n', out);
	free(s);
}

/* NS as seconds, with as many decimals as it takes, three at least. */
static void print_seconds(uint64_t ns, FILE *out)
{
	char text[40];
	int n = snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000), most = n;

	while (n > most - 6 && text[n - 1] == '0')
		n--;
	fprintf(out, "%.*s", n, text);
}

char *dump_contexts(const struct profile *p, bool amounts)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = 0; i < p->ncontexts; i++) {
		const struct profile_context *c = &p->contexts[i];

		if (c->length == 0 && c->time == 0)
			continue;
		fprintf(out, "%" PRIu64 " %" PRIu64 " ", c->entries, c->recursive);
		if (amounts)
			fprintf(out, "%" PRIu64, c->time);
		else
			print_seconds(c->time, out);
		if (c->length == 0)
			fputs(" -", out);
		print_history(p, i, out);
	}
	fclose(out);
	return sort_lines(must_text(text));
}

static void print_shares(const struct profile *p, FILE *out)
{
	for (size_t i = 0; i < p->nshares; i++) {
		const struct profile_share *s = &p->shares[i];

		if (!(s->entries | s->recursive | s->calls_out | s->time | s->ticks))
			continue;
		fprintf(out, "share %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIx64 ":%" PRIx64, s->thread, s->entries,
			s->recursive, s->calls_out, s->time, s->ticks, s->squares[1], s->squares[0]);
		print_history(p, s->context, out);
	}
}

static void print_amounts(const struct profile *p, FILE *out)
{
	for (uint32_t i = 0; i < p->nvalues; i++)
		fprintf(out, "value %s %s %u\n", p->values[i].name, p->values[i].unit, p->values[i].flags);
	for (size_t i = 0; i < p->namounts; i++) {
		const struct profile_amount *a = &p->amounts[i];

		fprintf(out, "amount %u %s %" PRIu64 " %" PRIu64 " %" PRIx64 ":%" PRIx64, a->thread, p->values[a->value].name, a->amount, a->samples, a->squares[1], a->squares[0]);
		if (a->thread != PROFILE_NONE) {
			print_history(p, a->to, out);
			continue;
		}
		fputc(' ', out);
		if (a->from != PROFILE_NONE)
			print_routine(p, a->from, out);
		fputs(" > ", out);
		print_routine(p, a->to, out);
		fputc('\n', out);
	}
}

static void print_threads(const struct profile *p, FILE *out)
{
	for (uint32_t i = 0; i < p->nthreads; i++) {
		const struct profile_thread *t = &p->threads[i];
		const struct amon_thread *r = &t->record;

		fprintf(out, "thread %u %s %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, i, r->name, r->tid,
			r->state, r->depth, r->folded, r->monitor, r->unplaced, r->ticks);
		if (t->current == PROFILE_NONE)
			fputc('\n', out);
		else
			print_history(p, t->current, out);
	}
}

static void print_modules(const struct profile *p, FILE *out)
{
	for (uint32_t i = 0; i < p->nmodules; i++) {
		const struct profile_module *m = &p->modules[i];

		fprintf(out, "module %s %d %d ", m->path, m->main_program, m->hooked);
		for (uint32_t k = 0; k < m->build_id_size; k++)
			fprintf(out, "%02x", m->build_id[k]);
		fputc('\n', out);
	}
	for (uint32_t i = 0; i < p->nroutines; i++) {
		fprintf(out, "routine %u ", p->routines[i].flags);
		print_routine(p, i, out);
		fputc('\n', out);
	}
}

char *dump_all(const struct profile *p)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (uint32_t i = 0; i < p->ncontexts; i++) {
		const struct profile_context *c = &p->contexts[i];

		fprintf(out, "context %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, c->entries,
			c->recursive, c->calls_out, c->time, c->ticks);
		print_history(p, i, out);
	}
	for (size_t i = 0; i < p->npcs; i++) {
		fprintf(out, "pc %" PRIu64 " ", p->pcs[i].count);
		print_place(p, p->pcs[i].module, p->pcs[i].address, out);
		print_history(p, p->pcs[i].context, out);
	}
	print_shares(p, out);
	print_amounts(p, out);
	print_threads(p, out);
	print_modules(p, out);
	fprintf(out, "sums %" PRIu64 " %" PRIu64 " %" PRIu64 " %u\n", p->time, p->monitor, p->unplaced, p->longest);
	fclose(out);
	return sort_lines(must_text(text));
}
