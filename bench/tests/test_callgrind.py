"""What is read of a callgrind file, and how it is held against a report."""

import importlib.machinery
import importlib.util
import os
import sys
import unittest

sys.dont_write_bytecode = True
BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(BENCH, "lib"))

from callgrind import Routine, called, hook_calls, read_calls  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("lua_callgrind", os.path.join(BENCH, "lua-callgrind"))
lua_callgrind = importlib.util.module_from_spec(importlib.util.spec_from_loader("lua_callgrind", LOADER))
LOADER.exec_module(lua_callgrind)

# main calls f twice, directly and from a line of an inlined file; f calls g
# three times, another file's g once, and its hook.
FILE = """\
# callgrind format
events: Ir
ob=(1) /bin/prog
fl=(1) /src/a.c
fn=(1) main
1 5
cfn=(2) f
calls=1 10
2 100
fi=(2) /src/inline.h
cfn=(2)
calls=1 10
7 100
fe=(1)
3 1

fn=(2)
10 4
cfn=(3) g
calls=3 20
11 30
cfi=(3) /src/b.c
cfn=(3)
calls=1 5
12 10
cob=(1)
cfi=(4) ???
cfn=(4) __aprof_entry
calls=2 0
10 2

fl=(1)
fn=(3)
cfi=(4)
cfn=(4)
calls=3 0
20 3
"""


class Reading(unittest.TestCase):
    def setUp(self):
        self.calls = read_calls(FILE.splitlines())

    def test_calls_are_summed_over_lines_and_files_kept_apart(self):
        total = called(self.calls)
        self.assertEqual(total[Routine("a.c", "f")], 2)
        self.assertEqual(total[Routine("a.c", "g")], 3)
        self.assertEqual(total[Routine("b.c", "g")], 1)

    def test_hooks_are_counted_by_their_caller(self):
        self.assertEqual(hook_calls(self.calls, "__aprof_entry"), {Routine("a.c", "f"): 2, Routine("a.c", "g"): 3})

    def test_recursive_calls_are_the_routines_own(self):
        calls = read_calls("fl=(1) a.c\nfn=(1) f\ncfn=(2) f'2\ncalls=7 1\n1 1\nfn=(2)\ncfn=(2)\ncalls=2 1\n1 1\n".splitlines())
        self.assertEqual(called(calls), {Routine("a.c", "f"): 9})

    def test_calls_that_calibrate_the_hook_are_nobodys(self):
        fake, hook = Routine("", "0xd780"), Routine("", "__aprof_entry")
        self.calls.update({(Routine("", "0xd7a0"), fake): 128, (fake, hook): 128})
        self.assertNotIn(fake, hook_calls(self.calls, "__aprof_entry"))
        self.calls[Routine("a.c", "f"), fake] = 1
        self.assertEqual(hook_calls(self.calls, "__aprof_entry")[fake], 128)


class Comparing(unittest.TestCase):
    @staticmethod
    def calls(entered, hooked, name="f"):
        main, f, hook = Routine("a.c", "main"), Routine("a.c", name), Routine("", "__aprof_entry")
        return {(main, f): entered, (f, hook): hooked}

    def test_equal_counts_say_nothing(self):
        self.assertEqual(lua_callgrind.compare({Routine("a.c", "f"): 5}, self.calls(5, 5)), ([], 0))

    def test_a_jump_that_the_hook_bears_out_is_explained(self):
        lines, unexplained = lua_callgrind.compare({Routine("a.c", "f"): 5}, self.calls(3, 5))
        self.assertEqual((len(lines), unexplained), (1, 0))

    def test_a_count_that_nobody_bears_out_is_not(self):
        for ours in ({Routine("a.c", "f"): 4}, {}):
            lines, unexplained = lua_callgrind.compare(lua_callgrind.Counter(ours), self.calls(5, 5))
            self.assertEqual((len(lines), unexplained), (1, 1))

    def test_a_run_alone_that_made_other_calls_is_listed(self):
        f, g = Routine("a.c", "f"), Routine("a.c", "g")
        self.assertEqual(lua_callgrind.drift(lua_callgrind.Counter({f: 5}), lua_callgrind.Counter({f: 5})), ([], 0))
        lines, strayed = lua_callgrind.drift(lua_callgrind.Counter({f: 5}), lua_callgrind.Counter({f: 3, g: 1}))
        self.assertEqual((len(lines), strayed), (2, 3))

    def test_clones_fold_and_pieces_are_no_calls(self):
        counts = {Routine("a.c", "f"): 1, Routine("a.c", "f.constprop.0"): 2, Routine("a.c", "f.isra.0"): 4,
                  Routine("a.c", "f.part.0"): 8, Routine("a.c", "f.isra.0.cold"): 16}
        self.assertEqual(lua_callgrind.folded(counts), {Routine("a.c", "f"): 7})


if __name__ == "__main__":
    unittest.main()
