/* unit.c - the first words of a C++ source. */
#include "compile/unit.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The next character, with lines that end in a backslash joined, and comments as a blank. */
static int next(FILE *in)
{
	int c = getc(in), second, last = 0;

	while (c == '\\') {
		second = getc(in);
		if (second != '\n') {
			ungetc(second, in);
			return c;
		}
		c = getc(in);
	}
	if (c != '/')
		return c;
	second = getc(in);
	if (second == '/') {
		while ((c = getc(in)) != EOF && (c != '\n' || last == '\\'))
			last = c;
		return c;
	}
	if (second != '*') {
		ungetc(second, in);
		return c;
	}
	while ((c = getc(in)) != EOF && (c != '/' || last != '*'))
		last = c;
	return c == EOF ? EOF : ' ';
}

/* The next word into WORD, of SIZE bytes; lines of the preprocessor are none. Empty: none, or what begins with no letter. */
static void next_word(FILE *in, char *word, size_t size)
{
	size_t n = 0;
	int c = next(in);

	while (c != EOF && (isspace(c) || c == '#'))
		if (c == '#')
			while (c != EOF && c != '\n')
				c = next(in);
		else
			c = next(in);
	for (; c != EOF && (isalnum(c) || c == '_') && n + 1 < size; c = next(in))
		word[n++] = c;
	word[n] = '\0';
}

bool unit_of_module(const char *path)
{
	char word[16];
	FILE *in = fopen(path, "re");

	if (!in)
		return false;
	next_word(in, word, sizeof word);
	if (!strcmp(word, "export"))
		next_word(in, word, sizeof word);
	fclose(in);
	return !strcmp(word, "module");
}
