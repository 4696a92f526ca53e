/* mpi_calls.c - calls of MPI as routines of a language of their own (contract/aprof.h), with their bytes. */
#include "inside/mpi/mpi_calls.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/aprof.h"
#include "inside/mpi/abi.h"

#define LANGUAGE "MPI"
#define WAIT "(wait)"		/* below a collective call: for the other ranks to come to it */

enum { LONGEST_NAME = 64, ERROR_OTHER = 16 };

/* The outermost wrapper of the thread that is at work. */
static __thread struct {
	const char *frame;	/* NULL: there is none */
	unsigned index;		/* of its routine */
	bool through_c;		/* it is Fortran's, and MPI's own comes by C's wrapper, which counts the bytes */
} inside;

static aprof_routine keys[MOST_ROUTINES], wait_key;	/* 0: not defined yet */

bool mpi_calls_on;

bool mpi_call_looks(void)
{
	if (!aprof_has_begun())
		return false;
	__atomic_store_n(&mpi_calls_on, true, __ATOMIC_RELAXED);
	return true;
}

/* Routine NAME, whose number is kept at KEY. */
static aprof_routine mpi_call_key_of(aprof_routine *key, const char *name)
{
	aprof_routine known = __atomic_load_n(key, __ATOMIC_RELAXED);

	if (__builtin_expect(!known, 0)) {
		known = aprof_define(LANGUAGE, name, NULL, 0);
		__atomic_store_n(key, known, __ATOMIC_RELAXED);
	}
	return known;
}

static const struct abi *abi_here(void)
{
	static const struct abi *abi;
	static bool looked;

	if (!__atomic_load_n(&looked, __ATOMIC_ACQUIRE)) {
		abi = abi_find();
		__atomic_store_n(&looked, true, __ATOMIC_RELEASE);
	}
	return abi;
}

static bool waits(void)
{
	static signed char wish;	/* 0: not looked at */

	if (!wish) {
		const char *text = getenv("APROF_MPI_WAIT");

		wish = text && strcmp(text, "1") == 0 ? 1 : -1;
	}
	return wish > 0;
}

/* ---- bytes ---- */

/* A call to be counted: the routine, and how its arguments are passed. */
struct call {
	const struct abi *abi;
	const struct routine *routine;
	const word *a;
	bool fortran;
};

/* Number I of the array at AT. */
static int64_t element(const struct call *c, word at, int i)
{
	return c->routine->wide ? ((const int64_t *)at)[i] : ((const int *)at)[i];
}

/* The number that argument I is. */
static int64_t mpi_call_number(const struct call *c, int i)
{
	if (c->fortran)
		return element(c, c->a[i], 0);
	return c->routine->wide ? (int64_t)c->a[i] : (int)c->a[i];
}

/* Datatype I of the array AT, as a handle is passed. */
static word type_at(const struct call *c, word at, int i)
{
	if (c->fortran)
		return at + (word)i * sizeof(int);
	return c->abi->handle_size == sizeof(int) ? (word)((const int *)at)[i] : ((const word *)at)[i];
}

static int64_t sized(const struct call *c, int64_t count, word type)
{
	return count > 0 ? count * c->abi->type_size(type, c->fortran) : 0;
}

/* Of the first N counts of an array. */
static int64_t sum(const struct call *c, const struct side *s, int n)
{
	int64_t bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += sized(c, element(c, c->a[s->count], i), s->types ? type_at(c, c->a[s->type], i) : c->a[s->type]);
	return bytes;
}

static int64_t side_bytes(const struct call *c, const struct side *s)
{
	word type = s->type < 0 ? 0 : c->a[s->type], comm = c->routine->comm < 0 ? 0 : c->a[c->routine->comm];
	int self;

	if (s->type < 0 || (s->buffer >= 0 && c->abi->is_in_place(c->a[s->buffer], c->fortran)))
		return 0;
	switch (s->shape) {
	case SHAPE_EACH: return c->abi->peers(comm, c->fortran) * sized(c, mpi_call_number(c, s->count), type);
	case SHAPE_SUM: return sum(c, s, c->abi->peers(comm, c->fortran));
	case SHAPE_FAN: return c->abi->fan(comm, c->fortran) * sized(c, mpi_call_number(c, s->count), type);
	case SHAPE_FAN_SUM: return sum(c, s, c->abi->fan(comm, c->fortran));
	case SHAPE_OWN:
		self = c->abi->self(comm, c->fortran);
		return self < 0 ? 0 : sized(c, element(c, c->a[s->count], self), type);
	default: return sized(c, s->count < 0 ? 1 : mpi_call_number(c, s->count), type);
	}
}

/* A partner's rank is an int in calls with wide counts, too. */
static bool is_nobody(const struct call *c)
{
	int i = c->routine->partner;

	return i >= 0 && (c->fortran ? *(const int *)c->a[i] : (int)c->a[i]) < 0;
}

/* Is what the rank gets to be counted: it hands in nothing, or that is in place? */
static bool gets(const struct call *c)
{
	const struct side *give = &c->routine->give;

	return give->type < 0 || (give->buffer >= 0 && c->abi->is_in_place(c->a[give->buffer], c->fortran));
}

static int64_t call_bytes(const struct call *c)
{
	int64_t bytes = is_nobody(c) ? 0 : side_bytes(c, &c->routine->give);

	if (c->routine->status >= 0)
		return bytes + c->abi->received(c->a[c->routine->status]);
	return gets(c) && !is_nobody(c) ? side_bytes(c, &c->routine->get) : bytes;
}

/* ---- calls ---- */

static bool has_bytes(const struct routine *r) { return r->give.type >= 0 || r->get.type >= 0; }

static void mpi_call_enter(struct mpi_call *t, const word *a, const void *frame)
{
	const struct routine *r = &routines[t->index];
	const struct abi *abi = abi_here();

	inside.frame = frame;
	inside.index = t->index;
	inside.through_c = t->fortran && abi && abi->fortran_calls_c;
	t->counts = abi && !inside.through_c && has_bytes(r);
	aprof_enter(mpi_call_key_of(&keys[t->index], r->name));
	if (r->collective && abi && waits()) {
		aprof_enter(mpi_call_key_of(&wait_key, WAIT));
		abi->barrier(a[r->comm], t->fortran);
		aprof_leave();
	}
}

void mpi_call_begin(struct mpi_call *t, unsigned index, word *a, bool fortran, void *frame)
{
	const struct routine *r = &routines[index];

	t->index = index;
	t->fortran = fortran;
	t->outermost = !inside.frame || (const char *)frame >= inside.frame;
	t->counts = false;
	if (t->outermost)
		mpi_call_enter(t, a, frame);
	else
		t->counts = inside.through_c && inside.index == index && !fortran && has_bytes(r);
	if (t->counts && r->status >= 0 && abi_here()->is_ignored(a[r->status], fortran))
		a[r->status] = (word)t->status;
}

void mpi_call_end(struct mpi_call *t, const word *a, const int *error)
{
	if (t->counts && (!error || *error == 0)) {
		const struct call c = { abi_here(), &routines[t->index], a, t->fortran };

		aprof_bytes((unsigned long long)call_bytes(&c));
	}
	if (!t->outermost)
		return;
	inside.frame = NULL;
	aprof_leave();
}

/* ---- what is behind us ---- */

/* What stands in for a function that is nowhere, but was called: it can only fail. */
static int nowhere(void) { return ERROR_OTHER; }

/* NAME in the library of the code at CALLER, and in those that it needs; NULL: not there. */
static void *found_by(void *caller, const char *name)
{
	Dl_info info;
	void *library = dladdr(caller, &info) && info.dli_fname ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	void *found = library ? dlsym(library, name) : NULL;

	if (library)
		dlclose(library);	/* it stays: its code is at work */
	return found;
}

static void *mpi_call_found_here(const char *name, void *self, void *caller)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found || found == self)
		found = dlsym(RTLD_DEFAULT, name);	/* the library was loaded apart, behind us */
	if (!found || found == self)
		found = found_by(caller, name);		/* or alone with its caller */
	return found == self ? NULL : found;
}

void *real_function(const char *name, void *self, void *caller)
{
	char profiled[LONGEST_NAME + 2];
	void *found = mpi_call_found_here(name, self, caller);

	snprintf(profiled, sizeof profiled, "%c%s", name[0] == 'M' ? 'P' : 'p', name);
	found = found ? found : mpi_call_found_here(profiled, self, caller);
	return found ? found : (void *)nowhere;
}
