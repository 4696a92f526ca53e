/* curl_calls.h - libcurl, which is loaded when it is first needed: it brings some thirty libraries, which would cost each start of aprof, and so each compilation by aprof-cc, 7 ms. */
#ifndef STORE_CURL_CALLS_H
#define STORE_CURL_CALLS_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/error.h"

/* Its functions, by their names without `curl_`. */
#define CURL_CALLS(X) \
	X(global_init) X(easy_init) X(easy_reset) X(easy_setopt) X(easy_perform) X(easy_getinfo) X(easy_strerror) X(easy_escape) X(easy_cleanup) X(free) \
	X(slist_append) X(slist_free_all) X(url) X(url_set) X(url_get) X(url_cleanup)

struct curl_calls {
#define X(name) __typeof__(curl_##name) *name;
	CURL_CALLS(X)
#undef X
};

/* Load it, once; never unloaded.  NULL with *ERR set: it is not installed. */
const struct curl_calls *curl_calls_load(struct error *err);

#endif
