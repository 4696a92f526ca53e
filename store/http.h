/* http.h - a ClickHouse server, asked by its HTTP interface. */
#ifndef STORE_HTTP_H
#define STORE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct http;

/* The server at URL, http[s]://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]; without a port 8123, or 8443.  User and password that are not in it are CLICKHOUSE_USER's and
 * CLICKHOUSE_PASSWORD's of the environment.  Nothing is sent yet.  NULL with *ERR set: the URL is none, or memory is short.  Freed with http_free. */
struct http *http_open(const char *url, struct error *err);
void http_free(struct http *h);

/* What comes back. */
struct http_reply {
	unsigned char *data;	/* malloc'ed, by http_ask; NULL: nothing */
	size_t len, room;
};

/* Ask the server SQL, and have its answer in *REPLY, whole.  False with *ERR set, *REPLY being empty: nothing answered, or it refused; the text names the server without user
 * and password. */
bool http_ask(struct http *h, const char *sql, struct http_reply *reply, struct error *err);

/* Send the LEN bytes at DATA with the statement SQL, an INSERT.  Where the server has too much to do it is asked again, for some minutes; doing so twice is to do no harm. */
bool http_send(struct http *h, const char *sql, const void *data, size_t len, struct error *err);

#endif
