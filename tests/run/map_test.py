#!/usr/bin/env python3
"""map_test.py BUILD - what code lies where in programs that are not as usual, in runs, attached to, and listed: a first thread that has ended, ld.so as
the program, titles."""
import json, os, re, signal, subprocess, sys, unittest

import stacks_test as stacks        # takes BUILD from the command line

SOURCES = ("perf", "timer", "ptrace")

# main ends by pthread_exit; what follows is done by another thread, which loads a library then.  With a second argument it works until it is told to end.
DEAD = r"""
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "spin.h"
static pthread_t first;
static char **words;
NOT_INLINED void work(void) { spin(0.3); }
static void *other(void *unused)
{
    pthread_join(first, unused);
    if (words[2]) { puts("ready"); fflush(stdout); }
    do work(); while (words[2]);
    void *library = dlopen(words[1], RTLD_NOW);
    if (!library) { puts(dlerror()); exit(1); }
    ((void (*)(void))dlsym(library, "late"))();
    exit(0);
}
int main(int argc, char **v)
{
    pthread_t t;
    (void)argc;
    words = v;
    first = pthread_self();
    pthread_create(&t, 0, other, 0);
    pthread_exit(0);
}
"""
LATE = '#include "spin.h"\nNOT_INLINED void late_leaf(void) { spin(0.3); }\nvoid late(void) { late_leaf(); sink++; }\n'
# Seconds of CPU time of the thread.
SPIN = r"""
#include <time.h>
#define NOT_INLINED __attribute__((noinline, noclone))
static volatile long sink;
static double thread_seconds(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static inline __attribute__((always_inline)) void spin(double seconds)
{
    for (double end = thread_seconds() + seconds; thread_seconds() < end;)
        for (long i = 0; i < 100000; i++) sink += i;
}
"""


class Map(stacks.Recording):
    def setUp(self):
        super().setUp()
        with open(self.path + "/spin.h", "w") as file:
            file.write(SPIN)

    def under(self, source, *words, data=None, **more):
        """aprof with WORDS, by SOURCE; the rows of its report."""
        data = data or source
        self.aprof(words[0], "--no-report", "--data=" + data, *words[1:], env=dict(os.environ, APROF_STACKS=source), **more)
        return self.flat(data)

    def begun(self, *command):
        """A process that says when it is ready."""
        process = subprocess.Popen(command, cwd=self.path, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def share(self, rows, name):
        return rows[name]["total_ns"] / sum(row["self_ns"] for row in rows.values()) if name in rows else 0

    def assertShare(self, rows, name, low):
        self.assertGreater(self.share(rows, name), low, (name, {name: round(self.share(rows, name), 3) for name in rows}))


class Dead(Map):
    """The first thread has ended: /proc/PID has neither map nor program of it, nor its arguments."""

    def setUp(self):
        super().setUp()
        self.library = self.build(LATE, "late.so", options=("-O2", "-shared", "-fPIC"))

    def test_run(self):
        for source in SOURCES:
            with self.subTest(source):
                rows = self.under(source, "run", self.build(DEAD), self.library)
                for name in ("work", "late_leaf", "late"):
                    self.assertShare(rows, name, 0.2)

    def test_attach(self):
        process = self.begun(self.build(DEAD), self.library, "on")
        for source in "perf", "ptrace":
            with self.subTest(source):
                self.assertShare(self.under(source, "attach", "--seconds=1", str(process.pid)), "work", 0.8)
                info = json.loads(self.aprof("info", "--json", source).stdout)["run"]["files"][0]
                self.assertEqual((info["program"], info["command"]), (os.path.realpath(self.path + "/prog"), "./prog ./late.so on"))

    def test_hooked(self):
        """aprof ps, a PID for a file, and attach find the profile of hooks."""
        process = self.begun(self.build(DEAD, compiler=stacks.APROF_CC), self.library, "on")
        listed = json.loads(self.aprof("ps", "--json").stdout)["processes"]
        self.assertIn(process.pid, [one["pid"] for one in listed])
        self.assertIn("work", self.flat(str(process.pid)))
        self.aprof("attach", "--no-report", "--data=kept", str(process.pid))
        self.assertEqual(self.flat("kept")["other"]["calls"], 1)

    def test_listed(self):
        """aprof ps, and a PID for a file, find what is recorded of it."""
        recorder = subprocess.Popen([stacks.APROF, "run", "--no-report", self.build(DEAD), self.library, "on"], cwd=self.path, stdout=subprocess.PIPE, text=True,
                                    stderr=subprocess.DEVNULL)
        self.addCleanup(recorder.stdout.close)
        self.addCleanup(recorder.wait)
        self.assertEqual(recorder.stdout.readline(), "ready\n")
        found = []
        while not found:
            listed = json.loads(self.aprof("ps", "--json").stdout)["processes"]
            found = [one["pid"] for one in listed if one["program"] == os.path.realpath(self.path + "/prog")]
        self.addCleanup(os.kill, found[0], signal.SIGKILL)
        while not self.share(self.flat(str(found[0])), "work"):
            self.assertIsNone(recorder.poll())


class Named(Map):
    """What the program is, and was called with, where that is not plain."""

    CALLS = '#include "spin.h"\nNOT_INLINED void work(void) { spin(0.1); }\nint main(void) { for (int i = 0; i < 7; i++) work(); return 0; }\n'
    TITLE = r"""
#include <string.h>
#include "spin.h"
int main(int argc, char **argv)
{
    size_t size = argv[argc - 1] + strlen(argv[argc - 1]) - argv[0];
    memset(argv[0], 0, size);
    strcpy(argv[0], "server: ready");
    spin(0.3);
    return 0;
}
"""

    def test_by_the_dynamic_linker(self):
        """A program with gprof's hooks has its calls counted if ld.so is told to load it, too."""
        linker = re.search(r"interpreter: ([^]]+)\]", subprocess.run(["readelf", "-lW", "/bin/sh"], capture_output=True, text=True, check=True).stdout)[1]
        program = self.build(self.CALLS, options=("-O2", "-pg"))
        for words in [], ["--library-path", "/nowhere"]:
            self.aprof("run", "--no-report", "--data=a", linker, *words, program)
            self.assertEqual(self.flat("a")["work"]["calls"], 7)

    def test_links(self):
        """A file of several names is as many programs, each called as it was started."""
        program = self.build(self.CALLS)
        os.mkdir(self.path + "/bin")
        for name in "one", "two", "bin/three":
            os.symlink(os.path.realpath(os.path.join(self.path, program)), os.path.join(self.path, name))
        path = os.path.realpath(self.path)
        for source in SOURCES:
            with self.subTest(source):
                self.aprof("run", "--no-report", "--data=" + source, "sh", "-c", "./one; ./two; three; exec ./prog",
                           env=dict(os.environ, APROF_STACKS=source, PATH=self.path + "/bin:" + os.environ["PATH"]))
                files = [name for name in os.listdir(self.path) if name.startswith(source)]
                told = {json.loads(self.aprof("info", "--json", name).stdout)["run"]["files"][0]["program"] for name in files}
                self.assertTrue({os.path.join(path, name) for name in ("one", "two", "prog")} <= told, told)
                self.assertIn("bin/three", {os.path.relpath(name, path) for name in told} | {os.path.relpath(name, self.path) for name in told})

    def test_title(self):
        """What a title leaves of the arguments is not shown as empty ones; those that were given are."""
        self.aprof("run", "--no-report", "--data=a", self.build(self.TITLE), *["word"] * 40, env=dict(os.environ, APROF_STACKS="ptrace"))
        self.assertEqual(json.loads(self.aprof("info", "--json", "a").stdout)["run"]["files"][0]["command"], "'server: ready'")
        self.aprof("run", "--no-report", "--data=b", self.build(self.CALLS), "", "")
        self.assertEqual(json.loads(self.aprof("info", "--json", "b").stdout)["run"]["files"][0]["command"], "./prog '' ''")


if __name__ == "__main__":
    if os.uname().machine != "x86_64":
        print("skipped: x86-64 only")
        sys.exit(77)
    unittest.main()
