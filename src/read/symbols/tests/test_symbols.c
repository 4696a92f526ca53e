/* test_symbols.c - names and places in programs of every make, and in files that are not what they should be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "read/symbols/tests/scratch.h"

static const char one[] =				/* one.c */
	"int two(int);\n"
	"__attribute__((noinline)) static int init(int x)\n"
	"{\n"
	"	return x + 1;\n"
	"}\n"
	"__attribute__((noinline)) int one(int x) { return init(x) + init(x + 2); }\n"
	"int main(int argc, char **argv) { (void)argv; return one(argc) + two(argc) == 9; }\n";

static const char two[] =				/* two.c */
	"\n"
	"__attribute__((noinline)) static int init(int x) { return x * 5; }\n"
	"__attribute__((noinline)) int two(int x) { return init(x) - init(x + 3); }\n";

static int begin(void **state)
{
	if (scratch_begin(state))
		return -1;
	scratch_file("one.c", one);
	scratch_file("two.c", two);
	return 0;
}

static const struct symbol *find(struct symbols *s, uint64_t address)
{
	return symbols_find(s, 0, address);
}

/* Check the function NAME of PATH through S: its name, and its source place unless LINE is 0. */
static void check_place(struct symbols *s, const char *path, const char *name, const char *file, uint32_t line)
{
	uint64_t address = scratch_address(path, name);
	const struct symbol *f = find(s, address);

	assert_string_equal(f->name, name);
	assert_true(f->known);
	assert_int_equal(f->start, address);
	assert_int_equal(f->line, line);
	if (line)
		assert_string_equal(strrchr(f->file, '/') + 1, file);
	assert_ptr_equal(find(s, address + f->size - 1), f);
}

static void every_model(void **state)
{
	static const char *const models[] = {
		"-fPIE -pie", "-fno-pie -no-pie", "-static", "-fPIE -static-pie", "-shared -fPIC",
		"-shared -fPIC -Wl,-Ttext-segment=0x30000000", "-gdwarf-4", "-gsplit-dwarf", "-gz", "-Wl,--build-id=none",
	};

	(void)state;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
		const char *file;
		uint32_t line;
		struct symbols *s;
		scratch_run("$CC -g -O1 one.c two.c -o p %s", models[i]);
		s = scratch_open("p");
		check_place(s, "p", "one", "one.c", 6);
		check_place(s, "p", "two", "two.c", 3);
		check_place(s, "p", "main", "one.c", 7);
		assert_true(symbols_line(s, 0, scratch_address("p", "one"), &file, &line));
		assert_int_equal(line, 6);
		assert_null(symbols_warning(s, 0));
		symbols_free(s);
	}
}

/* Names and places of the functions of the file p, found in the stripped file q. */
static void check_same_names(void)
{
	struct symbols *s = scratch_open("q");

	check_place(s, "p", "one", "one.c", 6);
	check_place(s, "p", "two", "two.c", 3);
	check_place(s, "p", "main", "one.c", 7);
	assert_string_equal(find(s, scratch_address("p", "one"))->display, "one");
	symbols_free(s);
}

static void separate_debug_files(void **state)
{
	(void)state;
	scratch_run("$CC -g -O1 one.c two.c -o p && objcopy --only-keep-debug p q.debug && strip p -o q");
	scratch_run("cp q unlinked && objcopy --add-gnu-debuglink=q.debug q");
	check_same_names();
	scratch_run("mkdir .debug && mv q.debug .debug");
	check_same_names();
	scratch_run("id=$(readelf -n q | sed -n 's/.*Build ID: //p'); d=debug/.build-id/$(echo $id | cut -c1-2); "
		    "mkdir -p $d && mv .debug/q.debug $d/$(echo $id | cut -c3-).debug && cp unlinked q");
	setenv("APROF_DEBUG_PATH", "/nowhere:", 1);
	struct symbols *s = scratch_open("q");
	assert_false(find(s, scratch_address("p", "one"))->known);
	symbols_free(s);
	char *path, *here = getcwd(NULL, 0);
	assert_true(asprintf(&path, "/nowhere:%s/debug", here) > 0);
	setenv("APROF_DEBUG_PATH", path, 1);
	check_same_names();
	unsetenv("APROF_DEBUG_PATH");
	free(path);
	free(here);
}

static uint64_t section_address(const char *path, const char *section)
{
	unsigned long address = 0;
	char *command;
	FILE *f;

	assert_true(asprintf(&command, "readelf -SW %s | sed -n 's/.* \\%s  *PROGBITS  *\\([0-9a-f]*\\).*/\\1/p'", path, section) > 0);
	f = popen(command, "r");
	assert_int_equal(fscanf(f, "%lx", &address), 1);
	pclose(f);
	free(command);
	return address;
}

static void no_debug_file(void **state)
{
	const char *paths[2] = { "q", "q.so" };
	char hex[32], display[32];
	struct symbols *s;
	const struct symbol *f;

	(void)state;
	scratch_run("$CC -O1 one.c two.c -o p && strip p -o q");
	scratch_run("$CC -O1 -shared -fPIC one.c two.c -o p.so && strip p.so -o q.so");
	s = symbols_open(scratch_profile(2, paths), NULL, NULL);
	snprintf(hex, sizeof hex, "0x%lx", scratch_address("p", "one"));
	f = symbols_find(s, 0, scratch_address("p", "one") + 2);
	assert_string_equal(f->name, hex);			/* start and size by the unwind table */
	assert_string_equal(f->display, hex);
	assert_true(f->size > 2);
	assert_false(f->known);
	assert_ptr_equal(f, symbols_find(s, 0, f->start));
	assert_ptr_not_equal(f, symbols_find(s, 0, scratch_address("p", "two")));
	assert_non_null(strstr(symbols_warning(s, 0), "no symbols"));
	f = symbols_find(s, 1, section_address("q.so", ".plt") + 18);
	assert_string_equal(f->display, "(plt)");
	assert_false(f->known);
	assert_string_equal(symbols_find(s, 1, scratch_address("p.so", "one"))->name, "one");
	f = symbols_find(s, 1, scratch_address("p.so", "init"));
	snprintf(display, sizeof display, "q.so+0x%lx", f->start);
	assert_string_equal(f->display, display);
	symbols_free(s);
}

static void other_build(void **state)
{
	const char *paths[2] = { "p", "p.so" };
	struct error err = { 0 };
	struct symbols *s;
	const struct profile *p;

	(void)state;
	scratch_run("$CC one.c two.c -o p && $CC -DOTHER -O2 one.c two.c -o other && $CC -shared -fPIC two.c -o p.so");
	p = scratch_profile(2, paths);
	assert_null(symbols_open(p, "other", &err));
	assert_int_equal(err.code, ERROR_BUILD_ID);
	assert_non_null(strstr(err.text, "other: not the file that was profiled: its build-id is "));
	assert_null(symbols_open(p, "one.c", &err));
	assert_int_equal(err.code, ERROR_NOT_ELF);
	assert_null(symbols_open(p, "nowhere", &err));
	assert_int_equal(err.code, ERROR_SYSTEM);
	scratch_run("cp p elsewhere && rm p && $CC -O2 -shared -fPIC two.c -o p.so");
	s = symbols_open(p, "elsewhere", &err);
	assert_string_equal(find(s, scratch_address("elsewhere", "one"))->name, "one");
	assert_false(symbols_find(s, 1, scratch_address("p.so", "two"))->known);
	assert_false(symbols_find(s, 1, 0x1)->known);
	assert_non_null(strstr(symbols_warning(s, 0), "p.so: not the file that was profiled"));
	assert_null(symbols_warning(s, 1));
	symbols_free(s);
	s = symbols_open(p, NULL, &err);
	assert_string_equal(find(s, 0x4010)->name, "0x4010");
	assert_string_equal(find(s, 0x4020)->name, "0x4020");
	assert_non_null(strstr(symbols_warning(s, 0), "p: No such file"));
	assert_null(symbols_warning(s, 1));
	symbols_free(s);
}

static void no_module(void **state)
{
	struct profile_module modules[] = { { .path = (char *)"[vdso]" }, { .path = (char *)"[heap]" }, { .path = (char *)"" } };
	struct profile p = { .modules = modules, .nmodules = 3 };
	struct symbols *s = symbols_open(&p, NULL, NULL);
	unsigned known = 0;
	const char *file;
	uint32_t line;

	(void)state;
	for (uint64_t address = 0; address < 0x4000; address += 16)
		known += symbols_find(s, 0, address)->known;
	assert_true(known > 0);
	assert_false(symbols_find(s, 1, 0x1000)->known);
	assert_false(symbols_find(s, 2, 0x1000)->known);
	assert_string_equal(symbols_find(s, PROFILE_NONE, 0x7fff12345678)->name, "0x7fff12345678");
	assert_false(symbols_line(s, PROFILE_NONE, 1, &file, &line));
	assert_false(symbols_hooked(s, PROFILE_NONE, true, NULL, NULL));
	assert_null(symbols_warning(s, 0));
	symbols_free(s);
}

/* Remember the symbols of the names in nm's output that begin with PREFIX. */
static size_t find_all(struct symbols *s, const char *path, const char *prefix, const struct symbol **found, size_t max)
{
	char *command, line[1000], name[500];
	unsigned long address;
	size_t n = 0;
	FILE *f;

	assert_true(asprintf(&command, "nm -n '%s' | grep ' [tT] %s'", path, prefix) > 0);
	f = popen(command, "r");
	while (n < max && fgets(line, sizeof line, f))
		if (sscanf(line, "%lx %*c %499s", &address, name) == 2)
			found[n++] = find(s, address);
	pclose(f);
	free(command);
	return n;
}

static void static_names_clash(void **state)
{
	static const char *const flags[] = { "-g", "", "-g -flto -fno-ipa-icf" };
	const struct symbol *found[4];

	(void)state;
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		scratch_run("$CC -O1 -fno-inline %s one.c two.c -o p", flags[i]);
		struct symbols *s = scratch_open("p");
		assert_int_equal(find_all(s, "p", "init", found, 4), 2);
		assert_string_equal(found[0]->display, "init");
		assert_string_equal(found[1]->display, "init");
		assert_string_not_equal(found[0]->key, found[1]->key);
		if (i < 2)
			assert_string_not_equal(found[0]->file, found[1]->file);
		symbols_free(s);
	}
}

/* GCC splits f into f.part.0 and what is inlined, and specialises g for a constant; both files have the same. */
/* C whose names only look like those of the language that it stands beside. */
static const char foreign[] =
	"void plain_(void) { }\n"
	"void pack__push(void) { }\n"
	"void inner(void) { }\n";

static const char shapes[] =				/* shapes.f90 */
	"module shapes\n"
	"contains\n"
	" subroutine Area(s)\n"
	"  real, intent(inout) :: s\n"
	"  call inner(s)\n"
	" contains\n"
	"  subroutine inner(t)\n"
	"   real, intent(inout) :: t\n"
	"   t = t + 1\n"
	"  end subroutine\n"
	" end subroutine\n"
	"end module\n"
	"subroutine outside()\n"
	"end subroutine\n"
	"program demo\n"
	" use shapes\n"
	" real :: s = 0\n"
	" call area(s)\n"
	" call outside()\n"
	" print *, s\n"
	"end program\n";

static const struct { const char *linked, *with_debug, *without; } fortran[] = {
	{ "__shapes_MOD_area", "shapes::area", "shapes::area" }, { "inner.0", "shapes::area::inner", "inner.0" },
	{ "outside_", "outside", "outside_" }, { "MAIN__", "demo", "MAIN__" }, { "main", "main", "main" },
	{ "plain_", "plain_", "plain_" }, { "pack__push", "pack__push", "pack__push" }, { "inner", "inner", "inner" },
}, ada[] = {
	{ "stack__push", "stack.push", "stack.push" }, { "stack__push__2", "stack.push", "stack.push" },
	{ "stack__Oadd", "stack.\"+\"", "stack.\"+\"" }, { "stack__push__inner.*", "stack.push.inner", "stack.push.inner" },
	{ "stack__serverTB", "stack.server", "stack.server" }, { "stack__oneTKB", "stack.one", "stack.one" },
	{ "stack__guard__pop_E*s", "stack.guard.pop", "stack.guard.pop" }, { "stack__guard__pop_B*s", "stack.guard.pop'Barrier", "stack.guard.pop'Barrier" },
	{ "stack__push___finalizer__2.*", "stack.push'Finalizer", "stack.push'Finalizer" },
	{ "stack__oneTK___finalizer.*", "stack.one'Finalizer", "stack.one'Finalizer" },
	{ "_ada_demo", "demo", "demo" }, { "adainit", "adainit", "adainit" },
	{ "plain_", "plain_", "plain_" }, { "pack__push", "pack__push", "pack__push" },
};

static void fortran_names(void **state)
{
	(void)state;
	if (!scratch_try("gfortran --version"))
		skip();
	scratch_file("foreign.c", foreign);
	scratch_file("shapes.f90", shapes);
	for (int debug = 0; debug < 2; debug++) {
		scratch_run("$CC %s -c foreign.c && gfortran %s -O0 shapes.f90 foreign.o -o p", debug ? "-g" : "", debug ? "-g" : "-g0");
		struct symbols *s = scratch_open("p"), *linked = scratch_open("p");

		symbols_keep_linked(linked);
		for (size_t i = 0; i < sizeof fortran / sizeof *fortran; i++) {
			uint64_t address = scratch_address("p", fortran[i].linked);

			assert_string_equal(find(s, address)->display, debug ? fortran[i].with_debug : fortran[i].without);
			assert_string_equal(find(linked, address)->display, fortran[i].linked);
		}
		symbols_free(linked);
		symbols_free(s);
	}
}

static void ada_names(void **state)
{
	(void)state;
	if (!scratch_try("gnatmake --version"))
		skip();
	scratch_file("foreign.c", foreign);
	scratch_file("stack.ads", "package Stack is\n procedure Push (N : Integer);\n procedure Push (N : Float);\n"
		" function \"+\" (A : Float; B : Integer) return Float;\n task type Server;\n task One;\n"
		" protected Guard is entry Pop (N : out Integer); private Full : Boolean := True; end Guard;\nend Stack;\n");
	scratch_file("stack.adb", "package body Stack is\n S : Float := 0.0;\n"
		" function \"+\" (A : Float; B : Integer) return Float is begin return A + Float (B); end \"+\";\n"
		" procedure Push (N : Integer) is\n  procedure Inner (K : Integer) is begin S := S + (K + N); end Inner;\n"
		" begin\n  Inner (1);\n end Push;\n"
		" procedure Push (N : Float) is T : Server; begin S := S * N; end Push;\n"
		" task body Server is begin S := S + 1; end Server;\n task body One is begin S := S + 2; end One;\n"
		" protected body Guard is entry Pop (N : out Integer) when Full is begin N := 1; end Pop; end Guard;\nend Stack;\n");
	scratch_file("demo.adb", "with Stack;\nprocedure Demo is begin Stack.Push (1); Stack.Push (1.0); end Demo;\n");
	for (int debug = 0; debug < 2; debug++) {
		scratch_run("$CC %s -c foreign.c && gnatmake -q -f %s -O0 demo.adb -o p -largs foreign.o", debug ? "-g" : "", debug ? "-g" : "-g0");
		struct symbols *s = scratch_open("p");

		for (size_t i = 0; i < sizeof ada / sizeof *ada; i++)
			assert_string_equal(find(s, scratch_address("p", ada[i].linked))->display, debug ? ada[i].with_debug : ada[i].without);
		symbols_free(s);
	}
}

/* The same names in C alone. */
static void names_that_look_foreign(void **state)
{
	static const char *const names[] = { "__shapes_MOD_area", "outside_", "stack__push", "_ada_demo", "MAIN__" };

	(void)state;
	scratch_file("alike.c", "void __shapes_MOD_area(void) { }\nvoid outside_(void) { }\nvoid stack__push(void) { }\nvoid _ada_demo(void) { }\n"
		"void MAIN__(void) { }\nint main(void) { return 0; }\n");
	for (int debug = 0; debug < 2; debug++) {
		scratch_run("$CC %s alike.c -o p", debug ? "-g" : "-g0");
		struct symbols *s = scratch_open("p");

		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			assert_string_equal(find(s, scratch_address("p", names[i]))->display, names[i]);
		symbols_free(s);
	}
}

static const char cloned[] =
	"int printf(const char *, ...);\n"
	"void abort(void);\n"
	"extern int data[];\n"
	"static __attribute__((noinline)) int g(int *a, int n, int k)\n"
	"{\n"
	"	int sum = 0;\n"
	"	for (int i = 0; i < n; i++)\n"
	"		sum += a[i] * k + printf(\"%d\", a[i]);\n"
	"	return sum;\n"
	"}\n"
	"static int f(int *a, int n)\n"
	"{\n"
	"	if (__builtin_expect(!a, 1))\n"
	"		return 0;\n"
	"	for (int i = 0; i < n; i++) {\n"
	"		if (a[i] < -1000)\n"
	"			abort();\n"
	"		printf(\"%d %d\", a[i], g(a, n, 3));\n"
	"	}\n"
	"	return printf(\"end\") + n;\n"
	"}\n"
	"int USER(int *a, int n) { return f(a, n) + g(a, 8, 3); }\n"
	"int USER2(int *a, int n) { return f(a, n + 1) + g(data, 8, 3); }\n"
	"#ifdef MAIN\n"
	"int data[8];\n"
	"int user_b(int *, int);\n"
	"int main(int c, char **v) { (void)v; return USER(data, c) + USER2(data, c) + user_b(data, c); }\n"
	"#endif\n";

static void clones(void **state)
{
	static const char *const flags[] = { "-g", "" };
	const struct symbol *f[10], *g[10];

	(void)state;
	scratch_file("a.c", cloned);
	scratch_run("cp a.c b.c");
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		scratch_run("$CC -O2 %s -c -DMAIN -DUSER=user_a -DUSER2=user_a2 a.c && "
			    "$CC -O2 %s -c -DUSER=user_b -DUSER2=user_b2 b.c && $CC a.o b.o -o p", flags[i], flags[i]);
		if (!scratch_try("nm p | grep 'f\\.part' && nm p | grep 'g\\.constprop'"))
			skip();
		struct symbols *s = scratch_open("p");
		size_t nf = find_all(s, "p", "f\\.part\\.[0-9]*$", f, 10), ng = find_all(s, "p", "g\\.", g, 10);
		assert_int_equal(nf, 2);			/* one a file */
		assert_int_equal(ng, 2);
		assert_string_equal(f[0]->display, "f");
		assert_string_equal(g[0]->display, "g");
		assert_true(f[0]->part && f[1]->part && !g[0]->part);
		assert_string_not_equal(f[0]->key, f[1]->key);
		assert_string_not_equal(g[0]->key, g[1]->key);
		if (i == 0) {
			assert_int_equal(f[0]->line, 11);
			assert_int_equal(g[0]->line, 4);
		}
		symbols_free(s);
	}
}

/* Symbols as GCC makes them, set by hand: what folds with what. */
static const char folding[] =
	"	.macro function name, binding=local\n"
	"	.\\binding \\name\n"
	"	.type \\name, @function\n"
	"\\name:	.fill 16, 1, 0x90\n"
	"	.size \\name, 16\n"
	"	.endm\n"
	"	.file \"%s.c\"\n"
	"	.text\n"
	"	function whole\n"
	"	function whole.constprop.0\n"
	"	function whole.isra.0.cold\n"
	"	function gone.isra.0\n"
	"	function gone.part.0\n"
	"	function gone.cold\n"
	"	function everywhere.part.0\n"
	"	function everywhere._omp_fn.0\n"
	"	function moved.lto_priv.0\n"
	"	function moved.lto_priv.0.constprop.0\n"
	"	function moved.lto_priv.1\n"
	"	function moved.lto_priv.1.constprop.0\n"
	"	function hidden.part.0\n"
	"	.section .note.GNU-stack,\"\",@progbits\n";

static void check_fold(struct symbols *s, uint64_t base, const char *const *names, const char *display)
{
	const struct symbol *first = NULL;

	for (; *names; names++) {
		const struct symbol *f = find(s, base + 16 * atoi(*names));
		if (!first)
			first = f;
		assert_string_equal(f->display, display);
		assert_string_equal(f->key, first->key);
	}
}

static void folds(void **state)
{
	struct symbols *s;
	uint64_t base[2];
	FILE *out;

	(void)state;
	for (const char *name = "ab"; *name; name++) {
		char file[] = { *name, '.', 's', 0 }, unit[] = { *name, 0 };
		out = fopen(file, "w");
		fprintf(out, folding, unit);
		fprintf(out, "	.text\n	.globl start_%s\nstart_%s:\n	ret\n", unit, unit);
		fclose(out);
	}
	scratch_file("c.c", "void everywhere(void) { }\n__attribute__((visibility(\"hidden\"))) void hidden(void) { }\n"
		     "int main(void) { return 0; }\n");
	scratch_run("$CC -c a.s && $CC -c b.s && $CC a.o b.o c.c -o p");
	s = scratch_open("p");
	for (int i = 0; i < 2; i++) {
		base[i] = scratch_address("p", i ? "start_b" : "start_a") - 13 * 16;
		check_fold(s, base[i], (const char *[]){ "0", "1", "2", NULL }, "whole");
		check_fold(s, base[i], (const char *[]){ "3", "4", "5", NULL }, "gone");
		check_fold(s, base[i], (const char *[]){ "6", NULL }, "everywhere");
		check_fold(s, base[i], (const char *[]){ "7", NULL }, "everywhere._omp_fn.0");
		check_fold(s, base[i], (const char *[]){ "8", "9", NULL }, "moved");
		check_fold(s, base[i], (const char *[]){ "10", "11", NULL }, "moved");
		assert_string_equal(find(s, base[i] + 6 * 16)->key, find(s, scratch_address("p", "everywhere"))->key);
		assert_string_equal(find(s, base[i] + 12 * 16)->key, find(s, scratch_address("p", "hidden"))->key);
		assert_string_not_equal(find(s, base[i])->key, find(s, base[i] + 48)->key);
		assert_string_not_equal(find(s, base[i] + 8 * 16)->key, find(s, base[i] + 10 * 16)->key);
	}
	for (int i = 0; i < 13; i++)
		assert_int_equal(find(s, base[0] + 16 * i)->part, i == 2 || i == 4 || i == 5 || i == 6 || i == 12);
	for (int i = 0; i < 12; i++)
		if (i != 6)
			assert_string_not_equal(find(s, base[0] + 16 * i)->key, find(s, base[1] + 16 * i)->key);
	assert_string_equal(find(s, base[0])->file, "a.c");
	assert_string_equal(find(s, base[1])->file, "b.c");
	symbols_free(s);
}

/* Pieces are named after one name of their function, which another may be the better of: as a C++ constructor has two. */
static void pieces_of_aliases(void **state)
{
	struct symbols *s;
	const struct symbol *whole, *piece;

	(void)state;
	scratch_file("alias.cc",
		"#include <stdexcept>\n"
		"struct S { int n; __attribute__((noinline)) S(int i); };\n"
		"S::S(int i) { if (i > 5) throw std::runtime_error(\"large\"); n = i; }\n"
		"int main(int argc, char **) { return S(argc).n; }\n");
	if (!scratch_try("g++ -O2 alias.cc -o p && nm p | grep '_ZN1SC2Ei\\.cold'"))
		skip();
	s = scratch_open("p");
	assert_int_equal(find_all(s, "p", "_ZN1SC2Ei\\.cold", &piece, 1), 1);
	whole = find(s, scratch_address("p", "_ZN1SC2Ei"));
	assert_string_equal(whole->name, "_ZN1SC1Ei");
	assert_string_equal(piece->key, whole->key);
	assert_string_equal(piece->display, "S::S(int)");
	assert_true(piece->part && !whole->part);
	symbols_free(s);
	s = scratch_open("p");
	symbols_keep_linked(s);
	assert_string_equal(find(s, scratch_address("p", "_ZN1SC2Ei"))->display, "_ZN1SC1Ei");
	assert_int_equal(find_all(s, "p", "_ZN1SC2Ei\\.cold", &piece, 1), 1);
	assert_string_equal(piece->display, "_ZN1SC1Ei");
	symbols_free(s);
	scratch_file("alias.s", ".text\n.globl bb, _start\n.type aa, @function\n.type bb, @function\n.type aa.part.0, @function\n"
		"aa: bb: nop\n.size aa, 1\n.size bb, 1\naa.part.0: nop\n.size aa.part.0, 1\n_start: nop\n");
	scratch_run("$CC -nostdlib -static alias.s -o p");
	s = scratch_open("p");
	piece = find(s, scratch_address("p", "aa.part.0"));
	assert_string_equal(piece->key, find(s, scratch_address("p", "bb"))->key);
	assert_string_equal(piece->display, "bb");
	symbols_free(s);
}

/* A program in another language, if its compiler is here. */
static void check_language(const char *compiler, const char *file, const char *text, const char *compile,
			   const char *mangled, const char *display, uint32_t line)
{
	const struct symbol *f;
	struct symbols *s;

	scratch_file(file, text);
	if (!scratch_try("command -v %s && { %s; }", compiler, compile))
		return;
	s = scratch_open("p");
	assert_int_equal(find_all(s, "p", mangled, &f, 1), 1);
	assert_string_equal(f->display, display);
	assert_int_equal(f->line, line);
	symbols_free(s);
}

static void languages(void **state)
{
	static const char cc[] = "namespace n { struct s {\n int f(double);\n}; }\n"
				 "int n::s::f(double d) { return d; }\n"
				 "int main() { n::s s; return s.f(0); }\n";
	static const char rs[] = "mod inner {\n    #[inline(never)]\n    pub fn f(x: u32) -> u32 { x + 1 }\n}\n"
				 "fn main() { std::process::exit(inner::f(7) as i32) }\n";
	static const char f90[] = "module m\ncontains\n integer function f(x)\n  integer :: x\n  f = x + 1\n"
				  " end function\nend module\nprogram p\n use m\n call exit(f(2))\nend program\n";
	static const char c[] = "static int f(int x) { return x; }\nint main(void) { return f(0); }\n";

	(void)state;
	check_language("c++", "p.cc", cc, "c++ -g p.cc -o p", "_ZN1n1s1fEd", "n::s::f(double)", 4);
	check_language("clang", "p.c", c, "clang -g p.c -o p", "f$", "f", 1);
	check_language("rustc", "p.rs", rs, "rustc -g p.rs -o p", "_ZN1p5inner1f17h", "p::inner::f", 3);
	check_language("rustc", "p.rs", rs, "rustc -g -C symbol-mangling-version=v0 p.rs -o p", "_RNv.*p5inner1f$",
		       "p::inner::f", 3);
	check_language("gfortran", "p.f90", f90, "gfortran -g p.f90 -o p", "__m_MOD_f$", "m::f", 3);
}

static void nested_functions(void **state)
{
	static const char c[] =
		"int main(int argc, char **argv)\n"
		"{\n"
		"	(void)argv;\n"
		"	__attribute__((noinline)) int inner(int x)\n"
		"	{\n"
		"		return argc + x;\n"
		"	}\n"
		"	return inner(-1);\n"
		"}\n";

	(void)state;
	check_language("gcc", "p.c", c, "gcc -g p.c -o p", "inner", "inner.0", 4);
}

static void shared_debug_information(void **state)
{
	(void)state;
	scratch_run("$CC -g -O1 one.c two.c -o p && $CC -g -O2 one.c two.c -o other");
	if (!scratch_try("dwz -m common.dwz p other"))
		skip();
	struct symbols *s = scratch_open("p");
	check_place(s, "p", "one", "one.c", 6);
	check_place(s, "p", "two", "two.c", 3);
	symbols_free(s);
}

static void other_machines(void **state)
{
	(void)state;
	if (!scratch_try("$CC -m32 -g -shared -nostdlib two.c -o p"))
		skip();
	struct symbols *s = scratch_open("p");
	check_place(s, "p", "two", "two.c", 3);
	assert_false(symbols_hooked(s, 0, true, NULL, NULL));
	symbols_free(s);
	uint32_t hooks;
	assert_true(symbols_has_hooks("p", &hooks, NULL));
	assert_int_equal(hooks, 0);
}

static void ignore(void *arg, const struct symbol *symbol)
{
	(void)arg;
	(void)symbol;
}

/* Ask everything of the file p, whatever it has become. */
static void ask_all(uint64_t first)
{
	struct profile_module module = { .path = (char *)"p", .main_program = true };
	struct profile profile = { .modules = &module, .nmodules = 1 };
	struct symbols *s = symbols_open(&profile, NULL, NULL);
	const char *file;
	uint32_t line;

	for (uint64_t i = 0; i < 64; i++) {
		assert_non_null(symbols_find(s, 0, first + 8 * i)->display);
		symbols_line(s, 0, first + 8 * i, &file, &line);
	}
	symbols_hooked(s, 0, true, ignore, NULL);
	symbols_free(s);
	symbols_has_hooks("p", &line, NULL);
}

/* Die after SECONDS of CPU time from now; 0: no more. */
static void cpu_alarm(int seconds)
{
	setitimer(ITIMER_PROF, &(struct itimerval){ .it_value.tv_sec = seconds }, NULL);
}

/* Bytes changed all over, more often in the headers at both ends; every file must be got through soon. */
static void damaged_files(void **state)
{
	static unsigned char bytes[1 << 20], copy[1 << 20];
	uint64_t seed = 20040101, address;
	size_t size;
	FILE *f;

	(void)state;
	scratch_run("$CC -g -O1 one.c two.c -o p");
	address = scratch_address("p", "one");
	f = fopen("p", "r");
	size = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	cpu_alarm(60);
	for (int round = 0; round < 400; round++) {
		memcpy(copy, bytes, size);
		for (int i = 0; i < 1 + round % 40; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			size_t at = (seed >> 20) % size;
			copy[seed >> 61 < 2 ? at % 1024 : seed >> 61 < 4 ? size - 1 - at % 4096 : at] = seed >> 12;
		}
		f = fopen("p", "w");
		fwrite(copy, 1, round % 5 ? size : (seed >> 20) % size, f);
		fclose(f);
		ask_all(address);
	}
	cpu_alarm(0);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Our own file is a program of some size. */
static void many_addresses(void **state)
{
	char path[4096] = "";
	struct symbols *s;
	const char *file;
	uint32_t line, found = 0;
	uint64_t seed = 1;
	double start = seconds();

	(void)state;
	assert_true(readlink("/proc/self/exe", path, sizeof path - 1) > 0);
	s = scratch_open(path);
	uint64_t first = find(s, scratch_address(path, "main"))->start;
	for (int i = 0; i < 100000; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		uint64_t address = first - 0x4000 + (seed >> 33) % 0x8000;
		find(s, address);
		found += symbols_line(s, 0, address, &file, &line);
	}
	symbols_free(s);
	assert_true(found > 10000);
	assert_true(seconds() - start < 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_model),
		cmocka_unit_test(separate_debug_files),
		cmocka_unit_test(no_debug_file),
		cmocka_unit_test(other_build),
		cmocka_unit_test(no_module),
		cmocka_unit_test(static_names_clash),
		cmocka_unit_test(fortran_names), cmocka_unit_test(ada_names), cmocka_unit_test(names_that_look_foreign),
		cmocka_unit_test(clones),
		cmocka_unit_test(folds),
		cmocka_unit_test(pieces_of_aliases),
		cmocka_unit_test(languages),
		cmocka_unit_test(nested_functions),
		cmocka_unit_test(shared_debug_information),
		cmocka_unit_test(other_machines),
		cmocka_unit_test(damaged_files),
		cmocka_unit_test(many_addresses),
	};

	return cmocka_run_group_tests_name("symbols", tests, begin, scratch_end);
}
