/* line.h - what a compiler's command line asks for.
 *
 * The line is read as GCC and Clang read it, as far as the wrapper needs to know: which words are options, which
 * are values of options, which are files and of what kind, and how far the compiler is to go. */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>

#include "base/list.h"

/* What a word is. */
enum line_word {
	WORD_OPTION,
	WORD_VALUE,		/* of the option before it */
	WORD_SOURCE,		/* a file to compile */
	WORD_HEADER,		/* a header, given to be precompiled */
	WORD_ASSEMBLER,		/* a file to assemble */
	WORD_OBJECT,		/* anything else goes to the linker: objects, libraries, -lNAME */
};

/* How far the compiler goes. */
enum line_action {
	ACTION_LINK,
	ACTION_COMPILE,		/* -S, -c, or nothing but headers */
	ACTION_PREPROCESS,	/* -E, -M, -MM, -fsyntax-only: no code is made */
	ACTION_INFORM,		/* --version, -print-...: no file is looked at */
};

struct line {
	struct list words;	/* the arguments, response files expanded */
	enum line_word *kinds;	/* of each word */
	enum line_action action;
	int sources;		/* words of kind WORD_SOURCE */
	int headers;		/* WORD_HEADER */
	int preprocessed;	/* those of both that C's preprocessor reads: C, C++, Objective C, headers */
	int foreign;		/* those of both in languages that know nothing of it */
	int inputs;		/* files of any kind */
	const char *narrow;	/* -m32, -mx32 or -m16, whichever is in force; NULL: none. In words */
	const char *machine;	/* --target=TRIPLE, or the TRIPLE of -target, if that is another machine than the monitor's; NULL: it is not. In words */
	const char *no_hooks;	/* option that says that the code runs without libc; NULL: none. In words */
	bool shared;		/* links a shared library */
	bool relocatable;	/* links one object (-r) */
	bool fixed;		/* -static, -static-pie: no shared library can join the link */
	bool fixed_runtime;	/* -static-libgo, -static-libphobos: the language's own library is linked in */
	bool hides;		/* a linker option may keep the symbols of the program, or of archives, to itself */
	bool no_libc;		/* links without libc (-nostdlib), and none is named */
	const char *linker;	/* the last -fuse-ld= or --ld-path=; NULL: none. In words */
	bool lto;		/* -flto is in force */
	bool no_lto;		/* -fno-lto is: a link takes the machine code that an object has beside */
	bool assembly;		/* -S: assembly is what is wanted */
	bool intel;		/* -masm=intel */
	bool pic;		/* -fPIC: the code may be part of a shared library */
	bool large_model;	/* -mcmodel=large */
	bool own_wrapper;	/* -wrapper is in use by the caller */
	bool no_headers;	/* -nostdinc: no header but where the caller says */
	bool broken;		/* the last option lacks its value: the compiler will complain */
};

/* Read the words of L->words, and set all other fields.  False without memory. */
bool line_read(struct line *l);

/* Is code for TRIPLE for another machine than the monitor's? */
bool line_other_machine(const char *triple);

void line_free(struct line *l);

#endif
