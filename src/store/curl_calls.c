/* curl_calls.c - libcurl by dlopen, of either flavour that Debian has of it. */
#include "store/curl_calls.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

static void *library_open(void)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	void *library = NULL;

	for (size_t i = 0; !library && i < sizeof names / sizeof *names; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	return library;
}

/* Have *CALL, a pointer to a function, lead to NAME.  False: there is no such function. */
static int call_find(void *call, void *library, const char *name)
{
	void *found = dlsym(library, name);

	memcpy(call, &found, sizeof found);
	return found != NULL;
}

const struct curl_calls *curl_calls_load(struct error *err)
{
	static struct curl_calls calls;
	static void *library;
	int found = 1;

	if (library)
		return &calls;
	library = library_open();
	if (library) {
#define X(name) found &= call_find(&calls.name, library, "curl_" #name);
		CURL_CALLS(X)
#undef X
	}
	if (library && found && calls.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK)
		return &calls;
	library = NULL;
	error_set(err, ERROR_STORE, ERROR_NO_OFFSET, "libcurl (libcurl.so.4), by which the store is asked, cannot be loaded; install it");
	return NULL;
}
