/* server.h - a page that asks for more: served on the loopback, to whoever has the token that stands in its address.
 *
 *     http://127.0.0.1:PORT/TOKEN/NAME
 *
 * Only 127.0.0.1 is listened to, and each path without the token is refused (403): a page shows names, sources' paths and a command line, and every
 * user of the machine, and every web page in the browser, can ask the loopback.  Only server.c knows the library. */
#ifndef PAGE_SERVER_H
#define PAGE_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct server;

enum { SERVER_FIELDS = 4 };

/* What is answered.  All of it is copied when the function that filled it returns. */
struct server_reply {
	int status;			/* of HTTP; 0 stands for 404 */
	const char *type;		/* of the data: text/html; charset=utf-8 */
	const void *data;		/* NULL: none */
	size_t len;			/* bytes of it */
	struct { const char *name; char value[32]; } fields[SERVER_FIELDS]; /* more for its head; a NULL name ends them */
};

/* Somebody who has the token asks for NAME, "" for the page itself, with QUERY behind a `?`, "" if there is none.  R is zero. */
typedef void server_answer(void *arg, const char *name, const char *query, struct server_reply *r);

/* Whether this aprof was built with a server. */
bool server_known(void);

/* Listen on a free port; ANSWER gets ARG.  NULL with *ERR set.  Freed with server_free. */
struct server *server_new(server_answer *answer, void *arg, struct error *err);
void server_free(struct server *s);

/* The address of the page, which S owns. */
const char *server_address(const struct server *s);

/* Serve until SIGINT, SIGTERM or SIGHUP comes. */
void server_run(struct server *s);

#endif
