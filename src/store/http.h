/* http.h - servers that are asked over HTTP: ClickHouse by its own interface, and others. */
#ifndef STORE_HTTP_H
#define STORE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct http;

/* What a URL of some kind of server leaves out, and how it is to look. */
struct http_kind {
	const char *port, *tls_port;	/* where it says none */
	const char *user, *password;	/* variables of the environment that have these, if the URL has none; NULL: none do */
	const char *form;		/* for the message that it is none */
};

extern const struct http_kind http_clickhouse;

enum { HTTP_SILENCE = 300 };	/* seconds, by default */

/* The server at URL, http[s]://[USER[:PASSWORD]@]HOST[:PORT][/PATH], of KIND.  Nothing is sent yet.  NULL with *ERR set: the URL is none, or memory is short.
 * A request of which nothing more goes to the server, and nothing comes, for SILENCE seconds is given up; 0: HTTP_SILENCE.  Freed with http_free. */
struct http *http_open(const char *url, const struct http_kind *kind, double silence, struct error *err);
void http_free(struct http *h);

/* TEXT as it may stand in a URL, malloc'ed.  NULL: out of memory. */
char *http_escape(struct http *h, const char *text);

/* Post the LEN bytes at DATA, which are of the media type TYPE, to TARGET, a path and a query behind the path of the URL.  False with *ERR set. */
bool http_post(struct http *h, const char *target, const char *type, const void *data, size_t len, struct error *err);

/* ---- ClickHouse: PATH is the database ---- */

/* What comes back. */
struct http_reply {
	unsigned char *data;	/* malloc'ed, by http_ask; NULL: nothing */
	size_t len, room;
};

/* Bytes of an answer: of one that has few rows, whatever the store holds, and of one that may have all of them, half of the memory of this machine. */
enum http_size { HTTP_FEW, HTTP_MANY };

/* Ask the server SQL, and have its answer, of SIZE at most, in *REPLY, whole.  False with *ERR set, *REPLY being empty: nothing answered, or too much, or it refused; the text names
 * the server without user and password. */
bool http_ask(struct http *h, const char *sql, enum http_size size, struct http_reply *reply, struct error *err);

/* Send the LEN bytes at DATA with the statement SQL, an INSERT.  Where the server has too much to do it is asked again, for some minutes; doing so twice is to do no harm. */
bool http_send(struct http *h, const char *sql, const void *data, size_t len, struct error *err);

#endif
