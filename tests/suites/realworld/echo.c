/* echo.c - a server that sends back what it gets, by libevent: echo SOCKET PIDFILE.  SIGTERM ends it when all are served. */
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

static void close_when_written(struct bufferevent *connection, void *arg)
{
	(void)arg;
	if (evbuffer_get_length(bufferevent_get_output(connection)) == 0)
		bufferevent_free(connection);
}

static void echo(struct bufferevent *connection, void *arg)
{
	(void)arg;
	bufferevent_write_buffer(connection, bufferevent_get_input(connection));
}

static void end(struct bufferevent *connection, short what, void *arg)
{
	if (!(what & (BEV_EVENT_EOF | BEV_EVENT_ERROR)))
		return;
	bufferevent_setcb(connection, NULL, close_when_written, end, arg);
	close_when_written(connection, arg);
}

static void accept_one(struct evconnlistener *listener, evutil_socket_t fd, struct sockaddr *address, int len, void *arg)
{
	struct bufferevent *connection = bufferevent_socket_new(evconnlistener_get_base(listener), fd, BEV_OPT_CLOSE_ON_FREE);

	(void)address, (void)len, (void)arg;
	bufferevent_setcb(connection, echo, NULL, end, NULL);
	bufferevent_enable(connection, EV_READ | EV_WRITE);
}

static void stop(evutil_socket_t number, short what, void *base)
{
	(void)number, (void)what;
	event_base_loopexit(base, NULL);
}

static int write_pid(const char *path)
{
	FILE *file = fopen(path, "w");

	return file && fprintf(file, "%ld\n", (long)getpid()) > 0 && fclose(file) == 0;
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct event_base *base = event_base_new();

	if (argc != 3 || !base || strlen(argv[1]) >= sizeof address.sun_path || !write_pid(argv[2]))
		return 2;
	strcpy(address.sun_path, argv[1]);
	struct evconnlistener *listener = evconnlistener_new_bind(base, accept_one, NULL, LEV_OPT_CLOSE_ON_FREE, -1, (struct sockaddr *)&address,
								 sizeof address);
	struct event *term = evsignal_new(base, SIGTERM, stop, base);

	if (!listener || !term || event_add(term, NULL) != 0)
		return 1;
	event_base_dispatch(base);
	event_free(term);
	evconnlistener_free(listener);
	event_base_free(base);
	return 0;
}
