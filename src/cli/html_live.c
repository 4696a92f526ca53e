/* html_live.c - aprof html --live: the page of a program that runs.
 *
 *     a browser asks for the figures -> they are read, if the last ones are old enough -> they are sent, if they are others
 *
 * Nothing is read while nobody asks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/browser.h"
#include "cli/html_page.h"
#include "cli/listener.h"
#include "cli/message.h"
#include "cli/progress.h"
#include "cli/rereading.h"
#include "show/page/contents.h"
#include "show/page/server.h"

enum { LEAST = 2000, TIMES = 20 };	/* ms between two readings; how much longer than one takes it is at least */

struct live_page {
	struct rereading live;		/* the profiles */
	char *empty;			/* the page without figures */
	size_t empty_len;		/* its bytes */
	char *data;			/* the last figures, as the page takes them */
	size_t len;			/* bytes of them */
	uint64_t reading;		/* their number, from 1 */
	uint64_t begun;			/* when they were read, ms */
	uint64_t every;			/* ms between two readings */
	const char *state;		/* of the program, as contents.h has it */
};

static uint64_t html_live_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* Make the figures of the last reading those that are sent; the same ones keep their number. */
static bool html_live_data_make(struct live_page *p, struct error *err)
{
	const struct input *in = rereading_input(&p->live);
	struct html_side side = { .label = in->profile->runs[0].label, .in = &in->report };
	char *data = NULL;
	size_t len;
	FILE *out = open_memstream(&data, &len);
	bool ok = out ? html_write_data(&side, out, err) : error_no_memory(err, NULL);

	if (out && fclose(out) != 0 && ok)
		ok = error_no_memory(err, NULL);
	if (ok && (!p->data || len != p->len || memcmp(data, p->data, len) != 0)) {
		char *before = p->data;

		p->data = data;
		p->len = len;
		p->reading++;
		data = before;
	}
	free(data);
	return ok;
}

/* Of several programs one that runs counts. */
static const char *state_of(const struct rereading *l)
{
	const struct input *in = &l->readings[l->last];

	return rereading_runs(l) ? life_word(REPORT_RUNNING) : life_word(in->life[0]);
}

static bool html_live_page_read(struct live_page *p, const struct input_listener *to, struct error *err)
{
	uint64_t took;
	bool ok;

	p->begun = html_live_now_ms();
	ok = rereading_read(&p->live, to, err);
	if (ok) {
		rereading_release(&p->live);
		ok = html_live_data_make(p, err);
	}
	if (ok)
		p->state = state_of(&p->live);
	took = html_live_now_ms() - p->begun;
	p->every = TIMES * took > LEAST ? TIMES * took : LEAST;
	return ok;
}

/* Have newer figures if it is time. */
static void html_live_page_renew(struct live_page *p)
{
	struct error err;

	if (strcmp(p->state, life_word(REPORT_RUNNING)) != 0 || html_live_now_ms() - p->begun < p->every * 9 / 10)
		return;
	if (!html_live_page_read(p, NULL, &err)) {
		p->state = "lost";
		message_error(&err, NULL);
	} else if (strcmp(p->state, life_word(REPORT_RUNNING)) != 0) {
		message("the program has %s; the page stays until ^C", strcmp(p->state, life_word(REPORT_ENDED)) == 0 ? "ended" : "died");
	}
}

static void profile_answer(struct live_page *p, const char *query, struct server_reply *r)
{
	bool same;

	html_live_page_renew(p);
	r->fields[0].name = "Aprof-Reading";
	r->fields[1].name = "Aprof-State";
	r->fields[2].name = "Aprof-Every";
	snprintf(r->fields[0].value, sizeof r->fields[0].value, "%" PRIu64, p->reading);
	snprintf(r->fields[1].value, sizeof r->fields[1].value, "%s", p->state);
	snprintf(r->fields[2].value, sizeof r->fields[2].value, "%" PRIu64, p->every);
	same = strncmp(query, "have=", 5) == 0 && strcmp(query + 5, r->fields[0].value) == 0;
	r->status = same ? 204 : 200;
	r->data = same ? NULL : p->data;
	r->len = p->len;
}

static void html_live_answer(void *arg, const char *name, const char *query, struct server_reply *r)
{
	struct live_page *p = arg;

	if (strcmp(name, "profile") == 0) {
		profile_answer(p, query, r);
	} else if (name[0] == '\0') {
		r->status = 200;
		r->type = "text/html; charset=utf-8";
		r->data = p->empty;
		r->len = p->empty_len;
	}
}

static bool empty_make(struct live_page *p, struct error *err)
{
	FILE *out = open_memstream(&p->empty, &p->empty_len);
	bool ok = out ? html_write_empty(out, err) : error_no_memory(err, NULL);

	if (out && fclose(out) != 0 && ok)
		ok = error_no_memory(err, NULL);
	return ok;
}

/* False with *ERR set. */
static bool html_live_serve(struct live_page *p, bool open, struct error *err)
{
	struct server *s = server_new(html_live_answer, p, err);

	if (!s)
		return false;
	printf("%s\n", server_address(s));
	fflush(stdout);
	if (!open || !browser_open(server_address(s)))
		message("open this address in a browser on this machine; ^C ends the page, and not the program");
	server_run(s);
	server_free(s);
	return true;
}

static int operands_serve(const struct operands *operands, const struct options *o)
{
	struct live_page p = { .live = { .operands = operands, .options = o } };
	struct error err;
	bool ok = html_live_page_read(&p, &listener, &err) && empty_make(&p, &err);

	progress_end();
	if (!ok) {
		message_error(&err, NULL);
	} else if (!rereading_runs(&p.live)) {
		message("%s: its program does not run; without --live its page is written to a file", operands->files[0]);
		ok = false;
	} else if (!(ok = html_live_serve(&p, o->open, &err))) {
		message_error(&err, NULL);
	}
	rereading_free(&p.live);
	free(p.empty);
	free(p.data);
	return ok ? STATUS_OK : STATUS_TROUBLE;
}

/* Whether O is of one page that is served.  False after a message. */
static bool html_live_options_fit(const struct options *o)
{
	if (o->against || o->output) {
		message("--live: not with %s: it serves one profile, and writes none", o->against ? "--against" : "-o");
		return false;
	}
	if (!server_known())
		message("this aprof was built without --live: install libevent (libevent-dev), and build it again");
	return server_known();
}

int html_live(const struct options *o)
{
	struct operands operands;
	int status = STATUS_TROUBLE;

	if (!html_live_options_fit(o) || !operands_sort(&operands, o->operands, o->noperands))
		return STATUS_TROUBLE;
	if (operands.gmon)
		operands_refuse_gmon(operands.files[0]);
	else
		status = operands_serve(&operands, o);
	operands_free(&operands);
	return status;
}
