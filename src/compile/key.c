/* key.c - files by what changes when they do, and who asks for them. */
#include "compile/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/find.h"

/* Print what tells the file behind WORD from another one. */
static void print_identity(FILE *out, const char *word)
{
	char *path = strchr(word, '/') ? strdup(word) : find_in_path(word, NULL);
	char *real = path ? realpath(path, NULL) : NULL;
	struct stat st;

	fprintf(out, " %s", word);
	if (real && !stat(real, &st))
		fprintf(out, " %s %jd %jd.%09ld", real, (intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
			st.st_mtim.tv_nsec);
	free(real);
	free(path);
}

char *key_text(const char *what, const struct list *words, const struct list *files)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(what, out);
	for (size_t i = 0; i < words->count; i++)
		print_identity(out, words->items[i]);
	if (files)
		fputs(" plugins", out);
	for (size_t i = 0; files && i < files->count; i++)
		print_identity(out, files->items[i]);
	if (fclose(out) || strchr(text, '\n')) {
		free(text);
		return NULL;
	}
	return text;
}

uint64_t key_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	while (*text)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3;
	return h;
}

/* ccache may have been started by any name; it marks all that it starts, also behind other wrappers. */
bool key_is_asked(void)
{
	static const char *const names[] = {"ccache", "sccache", "buildcache"};
	char link[64], path[4096];
	const char *base;
	ssize_t n;

	if (getenv("CCACHE_DISABLE"))
		return true;
	snprintf(link, sizeof link, "/proc/%d/exe", (int)getppid());
	n = readlink(link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(base, names[i]))
			return true;
	return false;
}
