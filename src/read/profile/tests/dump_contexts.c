/* dump_contexts.c - the contexts of a file, sorted, without symbols, of times or of another value: dump-contexts [--value NAME] FILE... */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "read/profile/tests/dump.h"

static bool add_file(struct profile *p, const char *name, struct error *err)
{
	FILE *f = fopen(name, "rb");
	size_t len = 0, room = 0, n;
	char *data = NULL;
	bool ok;

	if (!f)
		return error_set(err, ERROR_SYSTEM, ERROR_NO_OFFSET, "%.100s: cannot be opened", name);
	while ((ok = array_reserve(&data, &room, len + (1 << 20), 1)) && (n = fread(data + len, 1, room - len, f)) > 0)
		len += n;
	fclose(f);
	ok = ok ? profile_read(p, data, len, name, err) : error_no_memory_for(err, name);
	free(data);
	return ok;
}

int main(int argc, char **argv)
{
	struct profile *p = profile_new();
	bool amounts = argc > 2 && strcmp(argv[1], "--value") == 0;
	struct error err;
	char *text;

	if (p && amounts && !profile_set_value(p, argv[2], PROFILE_VALUE_OWN))
		return 2;
	for (int i = amounts ? 3 : 1; i < argc; i++)
		if (!p || !add_file(p, argv[i], &err)) {
			fprintf(stderr, "%s\n", p ? err.text : "out of memory");
			return 2;
		}
	text = dump_contexts(p, amounts);
	fputs(text, stdout);
	free(text);
	profile_free(p);
	return 0;
}
