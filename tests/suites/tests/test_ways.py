"""test_ways.py BUILD - what holds the ways against each other finds what differs, on programs made up here; nothing is fetched."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
SUITES = os.path.dirname(HERE)
sys.path[:0] = [SUITES, os.path.join(SUITES, "..", "..", "bench", "lib")]

import against  # noqa: E402
import corpora  # noqa: E402
import directives  # noqa: E402
import here  # noqa: E402

SAME = """#include <stdio.h>
__attribute__((noinline)) int f(int n) { return n ? f(n - 1) + 1 : 0; }
int main(void) { printf("%d\\n", f(3)); return 7; }
"""
# By way fentry alone a routine calls another one once more: the macro is given with that way's flags.
PLANTED = """__attribute__((noinline)) void g(void) { __asm__ volatile(""); }
__attribute__((noinline)) void f(void) { g(); __asm__ volatile(""); if (PLANTED) { g(); __asm__ volatile(""); } }
int main(void) { f(); return STATUS; }
"""


class Directives(unittest.TestCase):
    def test_words_are_tcls(self):
        self.assertEqual(directives.words('do run { target { lp64 || x } } "a b" c'), ["do", "run", " target { lp64 || x } ", "a b", "c"])

    def test_selectors(self):
        for selector, true in [("x86_64-*-*", True), ("i?86-*-* x86_64-*-*", True), ("powerpc*-*-*", False), ("! lp64", False), ("lp64", True),
                               ("{ i?86-*-* x86_64-*-* } && { ! ia32 }", True), ("{ i?86-*-* x86_64-*-* } && ia32", False),
                               ("target { arm*-*-* || lp64 }", True), ("target lp64 xfail *-*-*", True), ("! { arm*-*-* }", True), ("", True)]:
            self.assertEqual(directives.holds(selector), true, selector)

    def test_a_file(self):
        text = """/* { dg-do run { target lp64 } } */
/* { dg-options "-O2 -fdump-tree-optimized -fwrapv -Wall" } */
/* { dg-additional-options "-mcpu=power9" { target powerpc*-*-* } } */
/* { dg-additional-sources "other.c" } */
/* { dg-skip-if "too big" { *-*-* } { "-O3" } { "" } } */"""
        wanted = directives.wanted(text, ["-O2"])
        self.assertEqual((wanted.action, wanted.options, wanted.sources, wanted.why_not), ("run", ["-fwrapv"], ["other.c"], ""))
        self.assertEqual(directives.wanted(text, ["-O3"]).why_not, "dg-skip-if")
        self.assertTrue(directives.wanted("{ dg-do run { target ia32 } }", []).why_not)
        self.assertTrue(directives.wanted("{ dg-require-effective-target arm_neon }", []).why_not)
        self.assertEqual(directives.wanted("{ dg-do compile }", []).action, "compile")
        for fault, flags, left_out in ("asan", [], True), ("asan", ["-O1", "-fsanitize=address"], False), ("a crash", [], False):
            self.assertEqual(bool(directives.wanted('{ dg-do run }\n{ dg-shouldfail "%s" }' % fault, flags).why_not), left_out, fault)
        self.assertTrue(directives.wanted('{ dg-options "-O2 -mcmodel=large" }', []).why_not)
        self.assertTrue(directives.wanted('{ dg-options "-O2 -ffreestanding" }', []).why_not)

    def test_a_test_of_ds(self):
        text = """/*
REQUIRED_ARGS: -unittest -preview=fieldWise -w -check=assert=off
EXTRA_SOURCES: imports/a.d imports/b.d
EXECUTE_ARGS: one two
*/
// COMPILED_IMPORTS: imports/c.d
void main() {}"""
        wanted = directives.of_d(text, [])
        self.assertEqual((wanted.options, wanted.sources, wanted.arguments, wanted.why_not),
                         (["-funittest", "-fpreview=fieldwise", "-fno-check=assert"], ["imports/a.d", "imports/b.d", "imports/c.d"], ["one", "two"], ""))
        self.assertTrue(directives.of_d("// EXTRA_CPP_SOURCES: a.cpp", []).why_not)

    def test_a_test_of_gos(self):
        self.assertEqual(directives.of_go("// run arg1 arg2\n\npackage main", []), directives.Wanted("run", arguments=["arg1", "arg2"]))
        for other in ("// errorcheck", "// run -gcflags=-d=checkptr", "// Copyright", "", "// rundir"):
            self.assertEqual(directives.of_go(other, []).action, "other", other)


    def test_a_test_of_libcxxs(self):
        wanted = directives.of_libcxx("// UNSUPPORTED: c++03, c++11\n// ADDITIONAL_COMPILE_FLAGS: -DX=1 -Wno-y\n#include <a>", [])
        self.assertEqual(wanted, directives.Wanted("run", ["-DX=1", "-Wno-y"]))
        for other in ("// UNSUPPORTED: c++17, c++20", "// XFAIL: linux", "// REQUIRES: c++03"):
            self.assertTrue(directives.of_libcxx(other, []).why_not, other)


class Planting(against.Bench):
    """Compiles with the macros that say what differs by way fentry."""
    planted = status = 0

    def command(self, program, flags, way, out):
        mine = way == "fentry"
        return super().command(program, [*flags, f"-DPLANTED={self.planted * mine}", f"-DSTATUS={self.status * mine}"], way, out)


class Comparable(unittest.TestCase):
    def test_what_cyg_entered_otherwise_is_not_compared(self):
        """Nor is it counted among what was."""
        def outcome(*routines):
            return against.Outcome(contexts={routine: [1, 0] for routine in routines})
        other = {"inline": outcome("main", "f"), "fentry": outcome("main", "f"), "cyg": outcome("main", "g")}
        self.assertEqual((against.comparable(other), against.judged(against.Outcome(), other)), (("inline", "fentry"), []))
        self.assertEqual(against.comparable({**other, "cyg": outcome("f", "main")}), ("inline", "fentry", "cyg"))
        self.assertEqual(against.comparable({"cyg": outcome()}), ("cyg",))


class Held(unittest.TestCase):
    """Programs by each way."""

    @classmethod
    def setUpClass(cls):
        if not here.has_way(BUILD, "inline", "gcc"):
            raise unittest.SkipTest("no way inline here")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.kept = against.Kept(os.path.join(self.folder, "outcomes.db"))

    def program(self, text, why_not=""):
        path = os.path.join(self.folder, "p.c")
        with open(path, "w") as file:
            file.write(text)
        return against.Program("made/p.c", [path], why_not=why_not)

    def bench(self, planted=0, status=0):
        bench = Planting(BUILD, "gcc", self.kept, self.folder)
        bench.planted, bench.status = planted, status
        return bench

    def test_what_is_equal(self):
        verdict = against.compare(self.bench(), self.program(SAME), ["-O0"])
        self.assertEqual((verdict.differences, verdict.unsteady, verdict.compared), ([], "", ("inline", "fentry", "cyg")))
        self.assertEqual((verdict.routines, verdict.contexts, verdict.calls), (2, 2, 5))

    def test_a_call_that_one_way_alone_counts_is_found(self):
        verdict = against.compare(self.bench(planted=1), self.program(PLANTED), ["-O2"])
        self.assertEqual(verdict.differences, [(("inline", "fentry"), ["1+0, 2+0: main f g"])])

    def test_another_status_is_found(self):
        verdict = against.compare(self.bench(status=3), self.program(PLANTED), ["-O2"])
        self.assertEqual(verdict.differences, [(("fentry",), ["status 3, bare 0"])])

    def test_a_program_that_is_not_twice_the_same_says_nothing(self):
        text = "#include <stdlib.h>\n#include <time.h>\n" \
               "__attribute__((noinline)) void g(void) { __asm__ volatile(\"\"); }\n" \
               "int main(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); for (long n = t.tv_nsec % 9973; n; n--) g(); return 0; }\n"
        self.assertIn("contexts by way", against.compare(self.bench(), self.program(text), ["-O0"]).unsteady)

    def test_numbers_that_depend_on_addresses_are_not_compared_but_all_else_is(self):
        against.fix_addresses()
        self.addCleanup(against.fix_addresses, False)
        for what in ("here", "&there"):     # -no-pie has globals always at the same place
            text = f"#include <stdio.h>\nchar here[8];\nint main(void) {{ int there; printf(\"%lx\\n\", (long) {what}); return STATUS; }}\n"
            verdict = against.compare(self.bench(status=3), self.program(text), ["-O0", "-no-pie", "-fno-pie"])
            self.assertEqual((verdict.differences, verdict.placed), ([(("fentry",), ["status 3, bare 0"])], True), what)

    def test_another_output_is_found(self):
        against.fix_addresses()
        self.addCleanup(against.fix_addresses, False)
        for what in ('puts(STATUS ? "a" : "b")', 'printf("%d\\n", STATUS)', 'printf(STATUS ? "%p\\n" : "%p.\\n", main)'):
            program = self.program(f"#include <stdio.h>\nint main(void) {{ {what}; return 0; }}\n")
            verdict = against.compare(self.bench(status=3), program, ["-O0"], ("fentry",))
            self.assertEqual((verdict.differences, verdict.placed), ([(("fentry",), ["another output"])], False), what)

    def test_bytes_that_a_sanitizer_prints_are_not_compared_but_what_it_found_is(self):
        for where, differences in (("1", []), ("(STATUS ? 4 : 1)", [(("fentry",), ["another output"])])):
            program = self.program(f"char bytes[16];\nint main(void) {{ bytes[8] = 'a' + STATUS; return *(volatile int *)(bytes + {where}); }}\n")
            verdict = against.compare(self.bench(status=3), program, ["-O0", "-fsanitize=alignment"], ("fentry",))
            self.assertEqual(verdict.differences, differences, where)

    @unittest.skipUnless(shutil.which("clang"), "no Clang here")
    def test_another_compiler(self):
        bench = against.Bench(BUILD, "gcc", self.kept, self.folder, beside="clang")
        text = "void g(void) {}\nvoid f(void) { g(); %s }\nint main(void) { f(); return %s; }\n"
        more = "\n#ifdef __clang__\n%s\n#endif\n"
        for body, status, flags, beside, differences in (
                ("", 0, ["-O0"], True, []),
                (more % "g();", 0, ["-O0"], True, [(("cyg by clang",), ["1+0, 2+0: main f g"])]),
                (more % "g();", (more % "1 +") + "0", ["-O0"], False, []),  # by Clang its status is another
                (more % "#error", 0, ["-O0"], False, []),
                (more % "g();", 0, ["-O1", "-fno-inline", "-fno-optimize-sibling-calls"], False, [])):
            verdict = against.compare(bench, self.program(text % (body, status)), flags)
            self.assertEqual((verdict.skipped, verdict.beside, verdict.differences), ("", beside, differences), (body, flags))

    def test_other_languages(self):
        programs = {
            "Fortran": ("p.f90", "program p\n  call f(3)\ncontains\n  recursive subroutine f(n)\n    integer, value :: n\n"
                                 "    if (n > 0) call f(n - 1)\n    print *, n\n  end subroutine\nend program\n"),
            "D": ("p.d", "import core.stdc.stdio;\nvoid f(int n) { if (n) f(n - 1); printf(\"%d\\n\", n); }\nvoid main() { f(3); }\n"),
            "Ada": ("p.adb", "with Ada.Text_IO;\nprocedure P is\n   procedure F (N : Integer) is\n   begin\n      if N > 0 then F (N - 1); end if;\n"
                             "      Ada.Text_IO.Put_Line (N'Image);\n   end F;\nbegin\n   F (3);\nend P;\n"),
            "Go": ("p.go", "package main\nfunc f(n int) { if n > 0 { f(n - 1) }; println(n) }\nfunc main() { f(3) }\n"),
        }
        bench, held = against.Bench(BUILD, "gcc", self.kept, self.folder), []
        for language, (name, text) in programs.items():
            path = os.path.join(self.folder, name)
            with open(path, "w") as file:
                file.write(text)
            program = against.Program(name, [path], language=language)
            if bench.lacks(program):
                continue
            verdict = against.compare(bench, program, ["-O0"], ("inline", "fentry"))
            self.assertEqual((verdict.skipped, verdict.differences), ("", []), language)
            self.assertGreaterEqual(verdict.calls, 5, language)
            held.append(language)
        if not held:
            self.skipTest("no compiler of another language here")

    def test_what_does_not_build_bare_is_skipped_and_by_a_way_it_differs(self):
        self.assertEqual(against.compare(self.bench(), self.program("int main(void) { return "), ["-O0"]).skipped, "bare does not build")
        self.assertEqual(against.compare(self.bench(), self.program(SAME, "not here"), ["-O0"]).skipped, "not here")
        verdict = against.compare(self.bench(planted=1), self.program("#if PLANTED\n#error\n#endif\n" + SAME), ["-O0"])
        self.assertEqual(verdict.differences[0][0], ("fentry",))
        self.assertIn("does not build", verdict.differences[0][1][0])

    def test_what_was_found_out_is_kept_by_what_it_depends_on(self):
        program, bench = self.program(SAME), self.bench()
        first = bench.outcome(program, ["-O0"], "inline")
        bench.command = None        # nothing is built again
        self.assertEqual(bench.outcome(program, ["-O0"], "inline"), first)
        self.assertNotEqual(bench.key(program, ["-O0"], "inline"), bench.key(program, ["-O1"], "inline"))
        key = bench.key(program, ["-O0"], "inline")
        self.program(SAME + "\n")
        self.assertNotEqual(bench.key(program, ["-O0"], "inline"), key)


class Whole(unittest.TestCase):
    """The program itself."""

    def test_a_corpus(self):
        with tempfile.TemporaryDirectory() as cache:
            corpus = os.path.join(cache, "source", "uftrace", "unpacked", "tests")
            os.makedirs(corpus)
            for name in ("same", "other"):
                with open(os.path.join(corpus, f"s-{name}.c"), "w") as file:
                    file.write(SAME.replace("f(3)", "f(3) + (int) sizeof __FILE__"))
            def ways(*more):  # noqa: E306
                return subprocess.run([sys.executable, os.path.join(SUITES, "ways"), "--build", BUILD, "--corpora", "uftrace", "--flags=-O1",
                                       *more], env={**os.environ, "APROF_BENCH_CACHE": cache}, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True)
            done = ways()
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertTrue(done.stdout.endswith("2 passed, 0 failed, 0 skipped\n"), done.stdout)
            self.assertIn("1 passed, 0 failed, 0 skipped\n", ways("--only", "uftrace/s-same.c").stdout)

    def test_source_of_the_compiler(self):
        """The tests are those of the compiler's own version, where its source is there."""
        with tempfile.TemporaryDirectory() as sources, self.assertRaises(corpora.Trouble) as refused:
            corpora.archive_for("gcc", sources)
        major = here.major()
        self.assertIn(f"apt-get install gcc-{major}-source", str(refused.exception))
        with tempfile.TemporaryDirectory() as sources:
            for other in "9", "99", major:
                os.makedirs(f"{sources}/gcc-{other}")
                open(f"{sources}/gcc-{other}/gcc-{other}.1.tar.xz", "w").close()
                wanted = f"{sources}/gcc-{major if other == major else 9}/"
                corpora.archive_for.cache_clear()
                self.assertTrue(corpora.archive_for("gcc", sources).startswith(wanted), other)
        corpora.archive_for.cache_clear()

    def test_old_c(self):
        """Each Clang takes what it would refuse without a word of ours, and no other compiler is told."""
        for cc in filter(shutil.which, ["gcc", "clang", *(f"clang-{n}" for n in range(16, 23))]):
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "old.c")
                with open(path, "w") as file:
                    file.write("f(x) { return g(&x) + 1; } main() { int i = \"\"; return i; }\n")
                old, = corpora.permitted([against.Program("old", [path])], cc)
                done = subprocess.run([cc, "-w", *old.flags, "-c", path, "-o", path[:-1] + "o"], capture_output=True, text=True)
                self.assertEqual((done.returncode, bool(old.flags)), (0, cc != "gcc"), cc + done.stderr)
        self.assertEqual(corpora.permitted([against.Program("new", ["new.cc"], language="C++")], "clang")[0].flags, [])

    def test_no_such_corpus(self):
        for name in "nowhere", "libc++":        # which is Clang's
            with self.assertRaises(corpora.Trouble):
                corpora.programs([name], "/tmp", "/tmp", ["-O2"])


if __name__ == "__main__":
    BUILD = os.path.abspath(sys.argv.pop(1))
    unittest.main()
