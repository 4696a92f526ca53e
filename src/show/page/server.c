/* server.c - libevent's HTTP.
 *
 * Every connection takes a descriptor, and the kernel gives the least that is free.  So as long as one below `beyond` is free, fewer than MOST connections are open,
 * whatever became of the others.  When none is, the library listens no more: whoever comes is told so, and closed, until one is free again.  `beyond` is below what
 * the process may have by SPARE, so that profiles can always be opened.  Where a descriptor is refused all the same (the system has no more), nobody listens for
 * a second: a knock that stays would be told of again at once. */
#include "show/page/server.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FORBIDDEN = 403, NOT_ALLOWED = 405 };	/* statuses that libevent has no names for */
enum { TOKEN_BYTES = 16, SIGNALS = 3, PATIENCE = 60, MOST_HEAD = 16384 };	/* PATIENCE: s that a connection may be silent; MOST_HEAD: bytes of a request */
enum { MOST = 64, SPARE = 16 };			/* connections; descriptors that they leave */

struct server {
	struct event_base *base;
	struct evhttp *http;
	struct event *signals[SIGNALS];	/* those that end it */
	struct evconnlistener *listener; /* the library's; enabled as long as there is room, and nothing is wrong */
	struct event *knock;		/* somebody comes while there is none */
	struct event *again;		/* listen again, a second after something was wrong */
	int beyond;			/* descriptors of connections are less */
	server_answer *answer;
	void *arg;			/* its first argument */
	char token[2 * TOKEN_BYTES + 1]; /* hexadecimal digits */
	char address[64 + 2 * TOKEN_BYTES];
};

bool server_known(void)
{
	return true;
}

/* Compare all of the token, however much of it is right. */
static bool is_token(const struct server *s, const char *text)
{
	unsigned differs = 0;

	if (strnlen(text, 2 * TOKEN_BYTES) < 2 * TOKEN_BYTES)
		return false;
	for (size_t i = 0; i < 2 * TOKEN_BYTES; i++)
		differs |= (unsigned char)text[i] ^ (unsigned char)s->token[i];
	return differs == 0;
}

/* Whether the request is to a loopback by its name, at whatever port, as that which ssh forwards: another name that leads here is somebody's trick. */
static bool server_is_for_us(struct evhttp_request *request)
{
	static const char *const names[] = { "127.0.0.1", "localhost" };
	const char *host = evhttp_find_header(evhttp_request_get_input_headers(request), "Host");

	for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
		size_t n = strlen(names[i]);

		if (strncmp(host, names[i], n) == 0 && (host[n] == '\0' || host[n] == ':'))
			return true;
	}
	return false;
}

static void fields_add_length(struct evkeyvalq *head, size_t len)
{
	char text[32];

	snprintf(text, sizeof text, "%zu", len);
	evhttp_add_header(head, "Content-Length", text);
}

static void reply_send(struct evhttp_request *request, const struct server_reply *r)
{
	struct evkeyvalq *head = evhttp_request_get_output_headers(request);
	struct evbuffer *body = evbuffer_new();

	evhttp_add_header(head, "Content-Type", r->type ? r->type : "text/plain; charset=utf-8");
	evhttp_add_header(head, "Cache-Control", "no-store");
	evhttp_add_header(head, "Referrer-Policy", "no-referrer");
	evhttp_add_header(head, "X-Content-Type-Options", "nosniff");
	evhttp_add_header(head, "X-Frame-Options", "DENY");
	evhttp_add_header(head, "Cross-Origin-Resource-Policy", "same-origin");
	for (int i = 0; i < SERVER_FIELDS && r->fields[i].name; i++)
		evhttp_add_header(head, r->fields[i].name, r->fields[i].value);
	if (r->data && evhttp_request_get_command(request) == EVHTTP_REQ_HEAD)	/* libevent would send the data, too */
		fields_add_length(head, r->len);
	else if (body && r->data)
		evbuffer_add(body, r->data, r->len);
	evhttp_send_reply(request, r->status, NULL, body);
	if (body)
		evbuffer_free(body);
}

static void on_request(struct evhttp_request *request, void *arg)
{
	static const char refused[] = "The address lacks its token.\n", missing[] = "There is nothing here.\n", unable[] = "This is for reading.\n";
	const enum evhttp_cmd_type reading = EVHTTP_REQ_GET | EVHTTP_REQ_HEAD;
	struct server *s = arg;
	const struct evhttp_uri *uri = evhttp_request_get_evhttp_uri(request);
	const char *path = uri ? evhttp_uri_get_path(uri) : NULL, *query = uri ? evhttp_uri_get_query(uri) : NULL;
	struct server_reply r = { 0 };

	if (!path || path[0] != '/' || !is_token(s, path + 1) || !server_is_for_us(request))
		r = (struct server_reply){ .status = FORBIDDEN, .data = refused, .len = sizeof refused - 1 };
	else if (!(evhttp_request_get_command(request) & reading))
		r = (struct server_reply){ .status = NOT_ALLOWED, .data = unable, .len = sizeof unable - 1 };
	else if (path[1 + 2 * TOKEN_BYTES] == '/')
		s->answer(s->arg, path + 2 + 2 * TOKEN_BYTES, query ? query : "", &r);
	if (!r.status)
		r = (struct server_reply){ .status = HTTP_NOTFOUND, .data = missing, .len = sizeof missing - 1 };
	reply_send(request, &r);
}

/* ---- how many connections ---- */

/* Whether one more connection fits. */
static bool server_has_room(const struct server *s)
{
	int next = fcntl(evconnlistener_get_fd(s->listener), F_DUPFD_CLOEXEC, 0);

	if (next >= 0)
		close(next);
	return next >= 0 && next < s->beyond;
}

/* The library has just accepted a connection, for which it makes a bufferevent itself. */
static struct bufferevent *on_connection(struct event_base *base, void *arg)
{
	struct server *s = arg;

	(void)base;
	if (!server_has_room(s)) {
		evconnlistener_disable(s->listener);
		event_add(s->knock, NULL);
	}
	return NULL;
}

/* What the peer has sent is read first: else it would be told of a reset, and not what we say. */
static void server_refuse(int fd)
{
	static const char words[] = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\nRetry-After: 60\r\n\r\n"
		"Too many connections are open.\n";
	char rest[MOST_HEAD];

	(void)!recv(fd, rest, sizeof rest, MSG_DONTWAIT);
	(void)!send(fd, words, sizeof words - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	(void)!recv(fd, rest, sizeof rest, MSG_DONTWAIT);
	close(fd);
}

static void pause_listening(struct server *s)
{
	const struct timeval second = { 1, 0 };

	evconnlistener_disable(s->listener);
	event_del(s->knock);
	event_add(s->again, &second);
}

static void on_knock(evutil_socket_t listening, short what, void *arg)
{
	struct server *s = arg;
	int fd;

	(void)what;
	if (server_has_room(s)) {
		event_del(s->knock);
		evconnlistener_enable(s->listener);
		return;
	}
	fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		server_refuse(fd);
	else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
		pause_listening(s);
}

static void on_trouble(struct evconnlistener *listener, void *arg)
{
	(void)listener;
	pause_listening(arg);
}

static void on_again(evutil_socket_t none, short what, void *arg)
{
	(void)none;
	(void)what;
	evconnlistener_enable(((struct server *)arg)->listener);
}

/* False with errno set: not even one connection would fit. */
static bool bound_connections(struct server *s)
{
	struct rlimit most;
	int next = fcntl(evconnlistener_get_fd(s->listener), F_DUPFD_CLOEXEC, 0);

	if (next < 0 || getrlimit(RLIMIT_NOFILE, &most) != 0)
		return false;
	close(next);
	s->beyond = next + MOST;
	if (most.rlim_cur < (rlim_t)s->beyond + SPARE)
		s->beyond = (int)most.rlim_cur - SPARE;
	errno = EMFILE;
	if (s->beyond <= next)
		return false;
	s->knock = event_new(s->base, evconnlistener_get_fd(s->listener), EV_READ | EV_PERSIST, on_knock, s);
	s->again = evtimer_new(s->base, on_again, s);
	evconnlistener_set_error_cb(s->listener, on_trouble);
	evhttp_set_bevcb(s->http, on_connection, s);
	return s->knock && s->again;
}

/* ---- */

static void on_signal(evutil_socket_t signal, short what, void *arg)
{
	(void)signal;
	(void)what;
	event_base_loopbreak(((struct server *)arg)->base);
}

static bool token_make(struct server *s)
{
	unsigned char bytes[TOKEN_BYTES];

	if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
		return false;
	for (size_t i = 0; i < sizeof bytes; i++)
		snprintf(s->token + 2 * i, 3, "%02x", bytes[i]);
	return true;
}

/* Listen, and make the address. */
static bool bind_loopback(struct server *s)
{
	struct evhttp_bound_socket *bound = evhttp_bind_socket_with_handle(s->http, "127.0.0.1", 0);
	struct sockaddr_in at;
	socklen_t size = sizeof at;

	if (!bound || getsockname(evhttp_bound_socket_get_fd(bound), (struct sockaddr *)&at, &size) != 0)
		return false;
	s->listener = evhttp_bound_socket_get_listener(bound);
	snprintf(s->address, sizeof s->address, "http://127.0.0.1:%u/%s/", (unsigned)ntohs(at.sin_port), s->token);
	return true;
}

static bool server_signals_take(struct server *s)
{
	static const int ends[SIGNALS] = { SIGINT, SIGTERM, SIGHUP };

	signal(SIGPIPE, SIG_IGN);		/* who asked may have gone before the answer */
	for (int i = 0; i < SIGNALS; i++) {
		s->signals[i] = evsignal_new(s->base, ends[i], on_signal, s);
		if (!s->signals[i] || event_add(s->signals[i], NULL) != 0)
			return false;
	}
	return true;
}

struct server *server_new(server_answer *answer, void *arg, struct error *err)
{
	struct server *s = calloc(1, sizeof *s);

	if (s) {
		s->answer = answer;
		s->arg = arg;
		s->base = event_base_new();
		s->http = s->base ? evhttp_new(s->base) : NULL;
	}
	if (!s || !s->http || !token_make(s) || !server_signals_take(s) || !bind_loopback(s) || !bound_connections(s)) {
		error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "127.0.0.1: cannot be listened to: %s", strerror(errno));
		server_free(s);
		return NULL;
	}
	evhttp_set_allowed_methods(s->http, UINT16_MAX);	/* on_request refuses, and those without a token first */
	evhttp_set_max_headers_size(s->http, MOST_HEAD);
	evhttp_set_max_body_size(s->http, 0);
	evhttp_set_timeout(s->http, PATIENCE);
	evhttp_set_gencb(s->http, on_request, s);
	return s;
}

const char *server_address(const struct server *s)
{
	return s->address;
}

void server_run(struct server *s)
{
	event_base_dispatch(s->base);
}

void server_free(struct server *s)
{
	if (!s)
		return;
	for (int i = 0; i < SIGNALS; i++)
		if (s->signals[i])
			event_free(s->signals[i]);
	if (s->knock)
		event_free(s->knock);
	if (s->again)
		event_free(s->again);
	if (s->http)
		evhttp_free(s->http);
	if (s->base)
		event_base_free(s->base);
	free(s);
}
