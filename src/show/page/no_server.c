/* no_server.c - what stands for the server in a build without libevent: nothing. */
#include "show/page/server.h"

bool server_known(void)
{
	return false;
}

struct server *server_new(server_answer *answer, void *arg, struct error *err)
{
	(void)answer;
	(void)arg;
	error_set(err, ERROR_USAGE, ERROR_NO_OFFSET, "this aprof was built without libevent");
	return NULL;
}

const char *server_address(const struct server *s)
{
	(void)s;
	return "";
}

void server_run(struct server *s)
{
	(void)s;
}

void server_free(struct server *s)
{
	(void)s;
}
