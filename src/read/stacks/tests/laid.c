/* laid.c - built by test_space.c in many layouts: says where its own functions are, and does what it is told, a letter a line; each is answered by a line. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int in_library(int n);
__attribute__((noinline)) int here(int n) { __asm__ volatile(""); return n + 1; }
__attribute__((noinline, section(".far"))) int far_away(int n) { __asm__ volatile(""); return n + 2; }

/* What follows is done while the page that it is on is not there: by a copy of itself. */
static const unsigned char over[] = {	/* (at, size, keep): mmap(at, size, 7, PRIVATE|ANONYMOUS|FIXED, -1, 0); copy; return */
	0x57, 0x56, 0x52, 0xb8, 9, 0, 0, 0, 0xba, 7, 0, 0, 0, 0x41, 0xba, 0x32, 0, 0, 0, 0x49, 0xc7, 0xc0, 0xff, 0xff, 0xff, 0xff, 0x45, 0x31, 0xc9, 0x0f, 0x05,
	0x5a, 0x59, 0x5f, 0x48, 0x89, 0xd6, 0xf3, 0xa4, 0xc3 };

static char *page_of(int (*f)(int)) { return (char *)((uintptr_t)f & ~UINT64_C(0xfff)); }

/* New memory in the place of SIZE bytes at AT, and the code copied into it. */
static void put_over(char *at, size_t size)
{
	char *keep = mmap(NULL, size + 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(keep, at, size);
	memcpy(keep + size, over, sizeof over);
	((void (*)(char *, size_t, char *))(uintptr_t)(keep + size))(at, size, keep);
}

/* A copy of SIZE bytes at AT, moved into their place. */
static void move_over(char *at, size_t size, int kind)
{
	char *copy = mmap(NULL, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);

	memcpy(copy, at, size);
	mprotect(copy, size, PROT_READ | PROT_EXEC);
	if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, at) == MAP_FAILED)
		abort();
}

/* The mapping that F is in. */
static void mapping_of(int (*f)(int), char **low, char **high)
{
	FILE *maps = fopen("/proc/thread-self/maps", "re");
	unsigned long from, to;
	char line[4096];

	*low = *high = NULL;
	while (fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && from <= (uintptr_t)f && (uintptr_t)f < to) {
			*low = (char *)from;
			*high = (char *)to;
		}
	fclose(maps);
}

static void act(int letter)
{
	char *low, *high;
	void *library;

	mapping_of(here, &low, &high);
	switch (letter) {
	case 'p':		/* part of the code gets other rights */
		mprotect(page_of(here), 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
		break;
	case 'o':
		put_over(low, (size_t)(high - low));
		break;
	case 'm':
		move_over(low, (size_t)(high - low), MAP_PRIVATE);
		break;
	case 's':
		move_over(low, (size_t)(high - low), MAP_SHARED);
		break;
	case '1':		/* one page alone */
		put_over(page_of(here), 4096);
		break;
	case 'j':		/* code of another sort comes to where a library was */
		library = dlopen("./libgone.so", RTLD_NOW);
		mapping_of((int (*)(int))(uintptr_t)dlsym(library, "in_library"), &low, &high);
		dlclose(library);
		mmap(low, (size_t)(high - low), PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		printf("%p %#lx ", (void *)low, (unsigned long)(high - low));
		break;
	}
}

static void *obey(void *unused)
{
	char line[16];

	if (unused)
		pthread_join(*(pthread_t *)unused, NULL);	/* the first thread is no more */
	printf("%p %p %p\n", (void *)(uintptr_t)here, (void *)(uintptr_t)far_away, dlsym(RTLD_DEFAULT, "in_library"));
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		act(line[0]);
		puts("done");
		fflush(stdout);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	static pthread_t first;
	pthread_t other;

	(void)argv;
	in_library(0);
	if (argc == 1)
		obey(NULL);
	first = pthread_self();
	pthread_create(&other, NULL, obey, &first);
	pthread_exit(NULL);
}
