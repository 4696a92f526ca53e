/* work.h - what the stepper's hooked routines (work.c) and its harness (stepper.c, without hooks) know of each other. */
#ifndef WORK_H
#define WORK_H

#include <setjmp.h>

/* Routines, by the numbers that the file has for them: in the order in which base() and roll_call() enter them first. */
enum { BASE, TARGET, TAIL, AFTER, RECURSE, VALUES, OUTER,
#ifdef INLINED
	WITHIN,				/* inlined into OUTER, with hooks of its own */
#endif
	HANDLER, INNER, LEVELS };
enum { DEPTH = 3, CHOICES = 14, ROUTINES = LEVELS + DEPTH * CHOICES };

extern sigjmp_buf way_out;		/* where a handler goes that does not return */

void base(void);			/* site(), which a handler may leave by way_out */
void handler(int sig);			/* inner, target, recurse(2), inner, between what stepper.c has */

/* What sites call. */
void target(void);			/* calls nobody */
void tail(void);			/* jumps to `after`, where the compiler makes tail calls; else calls it */
void after(void);
void recurse(int n);			/* calls itself, N times */
double values(long a, long b, long c, long d, long e, long f, double g, double h, ...); /* depends on all of it; behind: long, double */
void outer(void);
void inner(void);

extern void (*const levels[DEPTH][CHOICES])(void);	/* each calls descend() */

/* stepper.c */
void site(void);
void descend(void);
void handler_begins(int sig);
void handler_ends(int sig);

#endif
