/* list.h - lists of strings: command lines in the making.
 *
 * A list owns its strings.  Running out of memory is remembered in the list, so that a command line
 * is built without a test at each word and checked once at its end. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* All zero: an empty list. */
struct list {
	char **items;	/* NULL at the end; NULL itself while the list is empty */
	size_t count;	/* strings, without that NULL */
	size_t room;	/* slots in items */
	bool failed;	/* memory ran out: the list is not whole */
};

/* Append a copy of TEXT. */
void list_add(struct list *l, const char *text);

/* Append a text that is formatted as by printf. */
void list_format(struct list *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Append the words of TEXT, which are parted by single blanks. */
void list_add_words(struct list *l, const char *text);

/* Append copies of the strings at ITEMS, which end with NULL; ITEMS itself may be NULL. */
void list_add_all(struct list *l, char *const *items);

/* True if one of the strings equals TEXT. */
bool list_has(const struct list *l, const char *text);

/* The strings in one text, SEPARATOR between them, quoted for a shell if QUOTED.  The caller
 * frees it; NULL without memory. */
char *list_join(const struct list *l, const char *separator, bool quoted);

/* Give the items away, never NULL unless memory ran out; the list is empty afterwards. */
char **list_take(struct list *l);

void list_free(struct list *l);

/* Free a vector that list_take gave; NULL is allowed. */
void list_free_items(char **items);

#endif
