/* visits.c - counts the visits of a made-up log by host and by page.  The tutorial finds out why it is slow. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BUCKETS
#define BUCKETS 256
#endif

enum { VISITS = 1000000, HOSTS = 40, PAGES = 20000 };

struct entry {
	struct entry *next;
	char name[24];
	long count;
};

struct table {
	struct entry *buckets[BUCKETS];
};

static unsigned hash(const char *name)
{
	unsigned h = 0;

	while (*name)
		h = 31 * h + (unsigned char)*name++;
	return h % BUCKETS;
}

/* The entry of NAME, made if there is none. */
__attribute__((noipa)) struct entry *lookup(struct table *t, const char *name)
{
	struct entry **bucket = &t->buckets[hash(name)], *e;

	for (e = *bucket; e; e = e->next) {
		size_t i = 0;

		while (e->name[i] && e->name[i] == name[i])
			i++;
		if (e->name[i] == name[i])
			return e;
	}
	e = calloc(1, sizeof *e);
	if (!e)
		exit(1);
	strcpy(e->name, name);
	e->next = *bucket;
	return *bucket = e;
}

__attribute__((noipa)) void count_host(struct table *t, unsigned n)
{
	char name[24];

	snprintf(name, sizeof name, "host%u", n % HOSTS);
	lookup(t, name)->count++;
}

__attribute__((noipa)) void count_page(struct table *t, unsigned n)
{
	char name[24];

	snprintf(name, sizeof name, "/page/%u.html", n % PAGES);
	lookup(t, name)->count++;
}

int main(int argc, char **argv)
{
	long visits = argc > 1 ? atol(argv[1]) : VISITS;
	static struct table hosts, pages;
	unsigned random = 1;

	for (long i = 0; i < visits; i++) {
		random = random * 1103515245 + 12345;
		count_host(&hosts, random >> 8);
		count_page(&pages, random >> 8);
	}
	printf("%ld visits of page 1\n", lookup(&pages, "/page/1.html")->count);
	return 0;
}
