/* response.c - response files, expanded with a list of what is still to do instead of recursion. */
#include "base/response.h"

#include <libiberty/libiberty.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MOST_FILES = 2000 };	/* GCC's own bound on the response files of one command */

/* The whole text of the regular file at PATH, or NULL. The caller frees it. */
static char *read_text(const char *path)
{
	FILE *in = fopen(path, "re");
	struct stat st;
	char *text = NULL;
	size_t size = 0;

	if (!in)
		return NULL;
	if (!fstat(fileno(in), &st) && !S_ISDIR(st.st_mode) && getdelim(&text, &size, '\0', in) < 0) {
		free(text);
		text = ferror(in) ? NULL : calloc(1, 1);
	}
	fclose(in);
	return text;
}

/* Append the words of ITEMS to PENDING, the last one first: PENDING is a stack. */
static void response_push(struct list *pending, char *const *items)
{
	size_t n = 0;

	while (items && items[n])
		n++;
	while (n)
		list_add(pending, items[--n]);
}

/* Push the words of the file that WORD (@FILE) names; false if it cannot be read. */
static bool push_file(struct list *todo, const char *word)
{
	char *text = read_text(word + 1);
	char **words;

	if (!text)
		return false;
	words = buildargv(text);
	response_push(todo, words);
	freeargv(words);
	free(text);
	return true;
}

bool response_expand(char *const args[], struct list *out, struct error *err)
{
	struct list todo = {0};
	int files = 0;

	response_push(&todo, args);
	while (todo.count && files <= MOST_FILES) {
		char *word = todo.items[--todo.count];

		todo.items[todo.count] = NULL;
		if (word[0] == '@' && push_file(&todo, word))
			files++;
		else
			list_add(out, word);
		free(word);
	}
	out->failed |= todo.failed;
	list_free(&todo);
	if (files > MOST_FILES)
		return error_set(err, ERROR_COMPILER, ERROR_NO_OFFSET, "more than %d response files: they name each other", MOST_FILES);
	return true;
}
