/* http.c - requests over HTTP, by libcurl. */
#include "store/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "store/curl_calls.h"

enum {
	CONNECT_SECONDS = 20,
	FIRST_PAUSE = 100,		/* ms before the server is asked again; twice as long each time, */
	LONGEST_PAUSE = 10000,		/* up to that, */
	TRIES = 30,			/* as often */
	FEW = 16 << 20,			/* bytes of an answer of few rows, or of a refusal */
};

/* Errors of ClickHouse's that have a remedy. */
enum { UNKNOWN_TABLE = 60, UNKNOWN_DATABASE = 81, TOO_MANY_QUERIES = 202, TOO_MANY_PARTS = 252 };

struct http {
	const struct curl_calls *lib;
	CURL *curl;
	char *server;			/* as it is named in messages: scheme, host, port */
	char *path;			/* of the URL, without a slash at its end */
	char *query;			/* what the URLs of all requests to ClickHouse begin with */
	char *user, *password;		/* NULL: none */
	double silence;			/* seconds until a request is given up */
};

/* A request under way. */
struct transfer {
	struct http_reply *reply;
	size_t most;			/* bytes of it */
	bool too_long;			/* it is longer */
	double silence;			/* seconds, at most */
	curl_off_t moved;		/* bytes in both directions so far, */
	double moved_at;		/* and when that changed last, s */
};

const struct http_kind http_clickhouse = { "8123", "8443", "CLICKHOUSE_USER", "CLICKHOUSE_PASSWORD", "http[s]://[USER:PASSWORD@]HOST[:PORT][/DATABASE]" };

/* ---- its address ---- */

/* PART of U, malloc'ed; that of the environment, where it has none; NULL: that has none either. */
static char *http_part_of(const struct http *h, CURLU *u, CURLUPart part, const char *variable)
{
	const char *set = variable ? getenv(variable) : NULL;
	char *text = NULL, *copy = NULL;

	if (h->lib->url_get(u, part, &text, CURLU_URLDECODE) == CURLUE_OK)
		copy = strdup(text);
	else if (set && *set)
		copy = strdup(set);
	h->lib->free(text);
	return copy;
}

/* The names of H of the parts of U.  False: out of memory. */
static bool http_names_make(struct http *h, CURLU *u, const struct http_kind *kind)
{
	char *scheme = http_part_of(h, u, CURLUPART_SCHEME, NULL), *host = http_part_of(h, u, CURLUPART_HOST, NULL), *port = http_part_of(h, u, CURLUPART_PORT, NULL);
	char *path = http_part_of(h, u, CURLUPART_PATH, NULL), *database = NULL;
	bool ok = scheme && host && path;

	if (ok && !port)
		port = strdup(strcmp(scheme, "https") == 0 ? kind->tls_port : kind->port);
	if (ok && path[0] == '/' && path[1])
		database = h->lib->easy_escape(h->curl, path + 1, 0);
	ok = ok && port && asprintf(&h->server, "%s://%s:%s", scheme, host, port) >= 0 &&
	     asprintf(&h->query, "%s/?wait_end_of_query=1%s%s", h->server, database ? "&database=" : "", database ? database : "") >= 0;
	h->user = http_part_of(h, u, CURLUPART_USER, kind->user);
	h->password = http_part_of(h, u, CURLUPART_PASSWORD, kind->password);
	h->lib->free(database);
	free(scheme);
	free(host);
	free(port);
	h->path = path;
	if (path && *path && path[strlen(path) - 1] == '/')
		path[strlen(path) - 1] = '\0';
	return ok;
}

/* Is what URL names to be asked at all?  Only what is before the host is looked at: the rest may be a password. */
static bool is_http(const char *url)
{
	return strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0;
}

/* The parts of URL for H.  False with *ERR set. */
static bool url_read(struct http *h, const char *url, const struct http_kind *kind, struct error *err)
{
	CURLU *u = h->lib->url();
	bool ok = u && (h->curl = h->lib->easy_init());

	if (!ok)
		error_no_memory(err, NULL);
	else if (!is_http(url) || h->lib->url_set(u, CURLUPART_URL, url, 0) != CURLUE_OK)
		ok = error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "the store's URL is to be of the form %s", kind->form);
	else if (!http_names_make(h, u, kind))
		ok = error_no_memory(err, NULL);
	h->lib->url_cleanup(u);
	return ok;
}

struct http *http_open(const char *url, const struct http_kind *kind, double silence, struct error *err)
{
	const struct curl_calls *lib = curl_calls_load(err);
	struct http *h = lib ? calloc(1, sizeof *h) : NULL;

	if (h) {
		h->lib = lib;
		h->silence = silence > 0 ? silence : HTTP_SILENCE;
		if (url_read(h, url, kind, err))
			return h;
	} else if (lib) {
		error_no_memory(err, NULL);
	}
	http_free(h);
	return NULL;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	if (h->curl)
		h->lib->easy_cleanup(h->curl);
	free(h->server);
	free(h->path);
	free(h->query);
	free(h->user);
	free(h->password);
	free(h);
}

/* ---- a request ---- */

static size_t reply_take(char *data, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;
	struct http_reply *reply = t->reply;

	t->too_long = size * n > t->most - reply->len;
	if (t->too_long || !array_reserve(&reply->data, &reply->room, reply->len + size * n + 1, 1))
		return 0;
	memcpy(reply->data + reply->len, data, size * n);
	reply->len += size * n;
	reply->data[reply->len] = '\0';
	return size * n;
}

static double http_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* curl asks now and then, once a second where nothing happens, whether to go on. */
static int silence_check(void *arg, curl_off_t all_down, curl_off_t down, curl_off_t all_up, curl_off_t up)
{
	struct transfer *t = arg;

	(void)all_down;
	(void)all_up;
	if (down + up != t->moved) {
		t->moved = down + up;
		t->moved_at = http_now();
	}
	return http_now() - t->moved_at > t->silence;
}

/* The header fields of a request with data of the media type TYPE; NULL: the usual one.  NULL: out of memory. */
static struct curl_slist *fields_make(const struct curl_calls *l, const char *type)
{
	struct curl_slist *fields = l->slist_append(NULL, "Expect:"), *more;	/* no round trip before the data */
	char *text = NULL;

	if (!fields || !type)
		return fields;
	more = asprintf(&text, "Content-Type: %s", type) >= 0 ? l->slist_append(fields, text) : NULL;
	free(text);
	if (!more)
		l->slist_free_all(fields);
	return more;
}

/* Post the LEN bytes at DATA, of the media type TYPE, to URL, as T says; *STATUS is HTTP's. */
static CURLcode post(struct http *h, const char *url, const char *type, const void *data, size_t len, struct transfer *t, long *status)
{
	const struct curl_calls *l = h->lib;
	struct curl_slist *headers = fields_make(l, type);
	CURL *c = h->curl;
	CURLcode code;

	*status = 0;
	l->easy_reset(c);
	l->easy_setopt(c, CURLOPT_URL, url);
	l->easy_setopt(c, CURLOPT_HTTPHEADER, headers);
	l->easy_setopt(c, CURLOPT_POST, 1L);
	l->easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	l->easy_setopt(c, CURLOPT_POSTFIELDS, data);
	l->easy_setopt(c, CURLOPT_USERNAME, h->user);
	l->easy_setopt(c, CURLOPT_PASSWORD, h->password ? h->password : h->user ? "" : NULL);
	l->easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
	l->easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
	l->easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
	l->easy_setopt(c, CURLOPT_WRITEFUNCTION, reply_take);
	l->easy_setopt(c, CURLOPT_WRITEDATA, t);
	l->easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
	l->easy_setopt(c, CURLOPT_XFERINFOFUNCTION, silence_check);
	l->easy_setopt(c, CURLOPT_XFERINFODATA, t);
	code = headers ? l->easy_perform(c) : CURLE_OUT_OF_MEMORY;
	l->easy_getinfo(c, CURLINFO_RESPONSE_CODE, status);
	l->slist_free_all(headers);
	return code;
}

/* The number of the error of ClickHouse's that TEXT tells; 0: it tells none. */
static int error_number(const char *text)
{
	return strncmp(text, "Code: ", 6) == 0 ? atoi(text + 6) : 0;
}

/* Set *ERR to what the server says in TEXT, one line of it: `Code: 60, e.displayText() = DB::Exception: WORDS, e.what() = ...`, or, of newer ones, `Code: 60. DB::Exception:
 * WORDS (version ...)`. */
static bool refused(const struct http *h, const char *text, long status, struct error *err)
{
	static const char *const ends[] = { ", e.what()", " (version ", ", Stack trace", "\n" };
	const char *words = strstr(text, "DB::Exception: ");
	int number = error_number(text);
	size_t n;

	if (number == UNKNOWN_TABLE || number == UNKNOWN_DATABASE)
		return error_set(err, ERROR_STORE, ERROR_NO_OFFSET, "%s: the store has no %s; `aprof push --schema | clickhouse-client --multiquery` makes its tables", h->server,
				 number == UNKNOWN_TABLE ? "tables of aprof's" : "such database");
	words = words ? words + strlen("DB::Exception: ") : text;
	n = strlen(words);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		const char *end = strstr(words, ends[i]);

		n = end && (size_t)(end - words) < n ? (size_t)(end - words) : n;
	}
	if (n == 0)
		return error_set(err, ERROR_STORE, ERROR_NO_OFFSET, "%s: refused, with HTTP status %ld", h->server, status);
	return error_set(err, ERROR_STORE, ERROR_NO_OFFSET, "%s: refused: %.*s", h->server, (int)(n < 600 ? n : 600), words);
}

/* How many bytes an answer of SIZE has, at most. */
static size_t http_bytes_of(enum http_size size)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return size == HTTP_FEW || pages <= 0 ? FEW : (size_t)pages / 2 * (size_t)page;
}

/* Why T did not come to an end. */
static bool broken(const struct http *h, const struct transfer *t, CURLcode code, struct error *err)
{
	if (code == CURLE_ABORTED_BY_CALLBACK)
		return error_set(err, ERROR_STORE, ERROR_NO_OFFSET, "%s: silent for %g seconds (--timeout)", h->server, t->silence);
	if (code == CURLE_WRITE_ERROR && t->too_long)
		return error_set(err, ERROR_STORE, ERROR_NO_OFFSET, "%s: its answer is longer than %zu MB: it is no such server, or there is too much to be taken at once",
				 h->server, t->most >> 20);
	if (code == CURLE_WRITE_ERROR)
		return error_no_memory(err, NULL);
	return error_set(err, ERROR_STORE, ERROR_NO_OFFSET, "%s: %s", h->server, h->lib->easy_strerror(code));
}

/* Post as `post` does, for an answer of SIZE.  False with *ERR set, and ClickHouse's number of the error in *NUMBER, or 0. */
static bool http_exchange(struct http *h, const char *url, const char *type, const void *data, size_t len, enum http_size size, struct http_reply *reply, int *number,
		     struct error *err)
{
	struct transfer t = { .reply = reply, .most = http_bytes_of(size), .silence = h->silence, .moved_at = http_now() };
	long status;
	CURLcode code;
	const char *text;

	*reply = (struct http_reply){ 0 };
	*number = 0;
	code = post(h, url, type, data, len, &t, &status);
	text = reply->data ? (const char *)reply->data : "";
	if (code == CURLE_OK && status / 100 == 2)
		return true;
	if (code != CURLE_OK) {
		broken(h, &t, code, err);
	} else {
		*number = error_number(text);
		refused(h, text, status, err);
	}
	free(reply->data);
	*reply = (struct http_reply){ 0 };
	return false;
}

char *http_escape(struct http *h, const char *text)
{
	char *escaped = h->lib->easy_escape(h->curl, text, 0), *copy = escaped ? strdup(escaped) : NULL;

	h->lib->free(escaped);
	return copy;
}

bool http_post(struct http *h, const char *target, const char *type, const void *data, size_t len, struct error *err)
{
	struct http_reply reply = { 0 };
	char *url = NULL;
	int number;
	bool ok = asprintf(&url, "%s%s%s", h->server, h->path, target) >= 0 ? http_exchange(h, url, type, data, len, HTTP_FEW, &reply, &number, err) :
		  error_no_memory(err, NULL);

	free(reply.data);
	free(url);
	return ok;
}

bool http_ask(struct http *h, const char *sql, enum http_size size, struct http_reply *reply, struct error *err)
{
	int number;

	return http_exchange(h, h->query, NULL, sql, strlen(sql), size, reply, &number, err);
}

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

bool http_send(struct http *h, const char *sql, const void *data, size_t len, struct error *err)
{
	char *escaped = h->lib->easy_escape(h->curl, sql, 0), *url = NULL;
	struct http_reply reply = { 0 };
	long wait = FIRST_PAUSE;
	int number = 0;
	bool ok = escaped && asprintf(&url, "%s&query=%s", h->query, escaped) >= 0;

	h->lib->free(escaped);
	if (!ok)
		return error_no_memory(err, NULL);
	for (int i = 1; !(ok = http_exchange(h, url, NULL, data, len, HTTP_FEW, &reply, &number, err)) && i < TRIES; i++) {
		if (number != TOO_MANY_PARTS && number != TOO_MANY_QUERIES)
			break;
		pause_ms(wait);
		wait = 2 * wait < LONGEST_PAUSE ? 2 * wait : LONGEST_PAUSE;
	}
	free(reply.data);
	free(url);
	return ok;
}
