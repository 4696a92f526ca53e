/* line.c - reading of a compiler's command line. */
#include "compile/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options whose value is the next word. (Those that may also carry it themselves, as -oFILE, are the same options.) */
static const char *const valued[] = {
	"-o", "-x", "-I", "-L", "-l", "-D", "-U", "-A", "-B", "-T", "-u", "-z", "-e", "-J", "-F",
	"-MF", "-MT", "-MQ", "-MJ", "-Xlinker", "-Xassembler", "-Xpreprocessor", "-Xclang", "-Xanalyzer",
	"-include", "-imacros", "-idirafter", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-isysroot",
	"-isystem", "-iquote", "-imultilib", "-imultiarch", "-include-pch", "-iframework", "-ivfsoverlay",
	"-mllvm", "-target", "-arch", "-aux-info", "-auxbase", "-auxbase-strip", "-dumpbase", "-dumpbase-ext", "-dumpdir",
	"-wrapper", "-specs", "-Tbss", "-Tdata", "-Ttext", "-framework", "-gcc-toolchain", "-rpath",
	"--param", "--output", "--language", "--sysroot", "--include", "--imacros", "--define-macro",
	"--undefine-macro", "--library-directory", "--include-directory", "--include-directory-after",
	"--for-assembler", "--for-linker", "--entry", "--prefix", "--specs", "--dumpbase", "--dumpdir", NULL
};

static const char *const informing[] = {
	"--version", "--help", "--target-help", "-dumpversion", "-dumpfullversion", "-dumpmachine", "-dumpspecs",
	"--print-", "-print-", "--help=", NULL
};

static const char *const stops_early[] = {
	"-E", "-M", "-MM", "-fsyntax-only", "--preprocess", "--dependencies", "--user-dependencies", "--analyze", NULL
};

/* Sources that C's preprocessor reads, those that it has read, and those that know nothing of it. */
static const char *const preprocessed_suffixes[] = {
	"c", "cc", "cp", "cxx", "cpp", "CPP", "c++", "C", "m", "mm", "M", "cppm", "ccm", "cxxm", "c++m", "ixx", "cu", NULL
};

static const char *const finished_suffixes[] = { "i", "ii", "mi", "mii", "pcm", NULL };

static const char *const foreign_suffixes[] = {
	"f", "for", "ftn", "F", "FOR", "fpp", "FPP", "FTN", "f77", "F77", "f90", "f95", "f03", "f08", "f18", "F90", "F95", "F03", "F08",
	"F18", "ads", "adb", "d", "di", "dd", "go", "mod", "def", "ll", "bc", NULL
};

static const char *const header_suffixes[] = {
	"h", "hh", "H", "hp", "hxx", "hpp", "HPP", "h++", "tcc", NULL
};

static const char *const assembler_suffixes[] = { "s", "S", "sx", NULL };

/* The last one says what kind of program the code may be part of. */
static const char *const models[] = {
	"-fPIC", "-fpic", "-fPIE", "-fpie", "-fno-PIC", "-fno-pic", "-fno-PIE", "-fno-pie", NULL
};

static bool among(const char *const *table, const char *word)
{
	while (*table && strcmp(*table, word))
		table++;
	return *table;
}

static bool line_starts(const char *word, const char *prefix)
{
	return !strncmp(word, prefix, strlen(prefix));
}

/* WORD is an option of `informing`: those that end in - or = are prefixes. */
static bool informs(const char *word)
{
	for (const char *const *p = informing; *p; p++) {
		char last = (*p)[strlen(*p) - 1];

		if (last == '-' || last == '=' ? line_starts(word, *p) : !strcmp(word, *p))
			return true;
	}
	return false;
}

/* The last dot of FILE's name; NULL: it has none. */
static const char *suffix(const char *file)
{
	const char *base = strrchr(file, '/');

	return strrchr(base ? base : file, '.');
}

static enum line_word kind_by_suffix(const char *file)
{
	const char *dot = suffix(file);

	if (!strcmp(file, "-"))
		return WORD_SOURCE;
	if (!dot)
		return WORD_OBJECT;
	if (among(preprocessed_suffixes, dot + 1) || among(finished_suffixes, dot + 1) || among(foreign_suffixes, dot + 1))
		return WORD_SOURCE;
	if (among(header_suffixes, dot + 1))
		return WORD_HEADER;
	return among(assembler_suffixes, dot + 1) ? WORD_ASSEMBLER : WORD_OBJECT;
}

/* The kind of FILE where LANGUAGE is what the last -x said, or NULL. */
static enum line_word kind_of_file(const char *file, const char *language)
{
	if (!language || !strcmp(language, "none"))
		return kind_by_suffix(file);
	if (line_starts(language, "assembler"))
		return WORD_ASSEMBLER;
	if (strstr(language, "-header"))
		return WORD_HEADER;
	return WORD_SOURCE;
}

/* Count the source or header FILE by what C's preprocessor has to do with it. LANGUAGE is as above. */
static void count_preprocessed(struct line *l, const char *file, const char *language)
{
	const char *dot = suffix(file);
	bool wants, finished;

	if (language && strcmp(language, "none")) {
		finished = strstr(language, "cpp-output");
		wants = !finished && (line_starts(language, "c") || line_starts(language, "objective-c"));
	} else {
		finished = dot && among(finished_suffixes, dot + 1);
		wants = dot && (among(preprocessed_suffixes, dot + 1) || among(header_suffixes, dot + 1));
	}
	l->preprocessed += wants;
	l->foreign += !wants && !finished;
}

/* A path or a name after -l that is a C library. */
static bool is_libc(const char *file)
{
	const char *base = strrchr(file, '/');

	base = base ? base + 1 : file;
	return line_starts(base, "libc.") || line_starts(base, "libc-") || line_starts(base, "libc_");
}

/* WORD is the linker option NAME (with one dash or two), with or without a value. */
static bool is_linker_option(const char *word, const char *name)
{
	word += *word == '-';
	word += *word == '-';
	return line_starts(word, name) && strchr("=", word[strlen(name)]);
}

static void read_linker_word(struct line *l, const char *word)
{
	if (!strcmp(word, "-shared") || !strcmp(word, "--shared") || !strcmp(word, "-Bshareable"))
		l->shared = true;
	if (!strcmp(word, "-r") || !strcmp(word, "--relocatable") || !strcmp(word, "-i"))
		l->relocatable = true;
	if (is_linker_option(word, "version-script") || is_linker_option(word, "exclude-libs"))
		l->hides = true;
}

/* The words of -Wl,A,B,C; of a long one the start is enough. */
static void read_linker_words(struct line *l, const char *words)
{
	while (*words) {
		size_t n = strcspn(words, ",");
		char word[32];

		snprintf(word, sizeof word, "%.*s", (int)n, words);
		read_linker_word(l, word);
		words += n + (words[n] == ',');
	}
}

static void raise_action(struct line *l, enum line_action action)
{
	if (action > l->action)
		l->action = action;
}

static void line_read_action(struct line *l, const char *w)
{
	if (!strcmp(w, "-c") || !strcmp(w, "-S") || !strcmp(w, "--compile") || !strcmp(w, "--assemble") ||
	    !strcmp(w, "--precompile"))
		raise_action(l, ACTION_COMPILE);
	if (!strcmp(w, "-S") || !strcmp(w, "--assemble"))
		l->assembly = true;
	if (among(stops_early, w))
		raise_action(l, ACTION_PREPROCESS);
	if (informs(w))
		raise_action(l, ACTION_INFORM);
}

static void read_link_option(struct line *l, const char *w)
{
	read_linker_word(l, w);
	if (!strcmp(w, "-static") || !strcmp(w, "--static") || !strcmp(w, "-static-pie"))
		l->fixed = true;
	if (!strcmp(w, "-static-libgo") || !strcmp(w, "-static-libphobos"))
		l->fixed_runtime = true;
	if (!strcmp(w, "-nostdlib") || !strcmp(w, "-nodefaultlibs") || !strcmp(w, "-nolibc") ||
	    !strcmp(w, "--no-standard-libraries"))
		l->no_libc = true;
	if (line_starts(w, "-Wl,"))
		read_linker_words(l, w + strlen("-Wl,"));
	if (line_starts(w, "-fuse-ld=") || line_starts(w, "--ld-path="))
		l->linker = w;
	if (!strcmp(w, "-flto") || line_starts(w, "-flto=") || !strcmp(w, "-fno-lto")) {
		l->no_lto = !strcmp(w, "-fno-lto");
		l->lto = !l->no_lto;
	}
}

bool line_other_machine(const char *triple)
{
	return !line_starts(triple, "x86_64") && !line_starts(triple, "amd64");
}

static void read_machine_option(struct line *l, const char *w)
{
	if (line_starts(w, "--target="))
		l->machine = line_other_machine(w + strlen("--target=")) ? w : NULL;
	if (!strcmp(w, "-m32") || !strcmp(w, "-mx32") || !strcmp(w, "-m16"))
		l->narrow = w;
	if (!strcmp(w, "-m64"))
		l->narrow = NULL;
	if (!strcmp(w, "-ffreestanding") || !strcmp(w, "-fno-hosted") || !strcmp(w, "-mcmodel=kernel"))
		l->no_hooks = w;
	if (!strcmp(w, "-fhosted") || !strcmp(w, "-fno-freestanding"))
		l->no_hooks = NULL;
	if (!strcmp(w, "-mcmodel=large"))
		l->large_model = true;
	if (!strcmp(w, "-masm=intel"))
		l->intel = true;
	if (among(models, w))
		l->pic = !strcmp(w, "-fPIC") || !strcmp(w, "-fpic");
	if (!strcmp(w, "-wrapper"))
		l->own_wrapper = true;
	if (!strcmp(w, "-nostdinc"))
		l->no_headers = true;
}

static void count_input(struct line *l, enum line_word kind)
{
	l->inputs++;
	l->sources += kind == WORD_SOURCE;
	l->headers += kind == WORD_HEADER;
}

/* Where reading stands. */
struct reading {
	const char *option;	/* the word before, if it waits for a value; else NULL */
	const char *language;	/* of the last -x; NULL: none */
	bool files_only;	/* after -- */
	bool libc;		/* a C library is named */
};

static enum line_word read_value(struct line *l, struct reading *r, const char *w)
{
	const char *option = r->option;

	r->option = NULL;
	if (!strcmp(option, "-x") || !strcmp(option, "--language"))
		r->language = w;
	if (!strcmp(option, "-Xlinker") || !strcmp(option, "--for-linker"))
		read_linker_word(l, w);
	if (!strcmp(option, "-target"))
		l->machine = line_other_machine(w) ? w : NULL;
	if (strcmp(option, "-l"))
		return WORD_VALUE;
	r->libc |= !strcmp(w, "c");
	return WORD_OBJECT;
}

static enum line_word line_read_option(struct line *l, struct reading *r, const char *w)
{
	if (among(valued, w))
		r->option = w;
	else if (line_starts(w, "-x"))
		r->language = w + 2;
	if (!strcmp(w, "--"))
		r->files_only = true;
	line_read_action(l, w);
	read_link_option(l, w);
	read_machine_option(l, w);
	r->libc |= !strcmp(w, "-lc");
	return line_starts(w, "-l") && w[2] ? WORD_OBJECT : WORD_OPTION;
}

static enum line_word line_read_word(struct line *l, struct reading *r, const char *w)
{
	enum line_word kind;

	if (r->option)
		return read_value(l, r, w);
	if (w[0] == '-' && w[1] && !r->files_only)
		return line_read_option(l, r, w);
	r->libc |= is_libc(w);
	kind = kind_of_file(w, r->language);
	if (kind == WORD_SOURCE || kind == WORD_HEADER)
		count_preprocessed(l, w, r->language);
	return kind;
}

bool line_read(struct line *l)
{
	struct reading r = {0};

	l->kinds = calloc(l->words.count + 1, sizeof *l->kinds);
	if (!l->kinds || l->words.failed)
		return false;
	for (size_t i = 0; i < l->words.count; i++) {
		l->kinds[i] = line_read_word(l, &r, l->words.items[i]);
		if (l->kinds[i] > WORD_VALUE)
			count_input(l, l->kinds[i]);
	}
	l->broken = r.option != NULL;
	l->no_libc &= !r.libc;
	if (l->headers && l->headers == l->inputs)
		raise_action(l, ACTION_COMPILE);
	return true;
}

void line_free(struct line *l)
{
	list_free(&l->words);
	free(l->kinds);
	*l = (struct line){0};
}
