"""causes_test.py - of what a failed test printed, tests/check shows what is wrong, wherever that stands and whoever says it."""
import sys, unittest

sys.dont_write_bytecode = True
from causes import SHOWN, wrong_in

MUCH = "ok 3 - c\n" * 1000
UNITTEST = """..F
======================================================================
FAIL: test_calls (__main__.Compare.test_calls)
Sorted by calls.
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/x/tests/compare_test.py", line 20, in test_calls
    self.far(1)
  File "/x/tests/compare_test.py", line 30, in far
    self.assertEqual(have, 7)
AssertionError: 6 != 7 : calls of f

----------------------------------------------------------------------
Ran 3 tests in 0.100s

FAILED (failures=1)
"""
TRAPS = """01-chain.c  holds  inline/gcc/-O2

Does not apply:
  06-tail.c (all): only for cyg
%s
Fails:
%s
3 hold, 2 fail, 1 do not apply
"""
CMOCKA = """[==========] tests: Running 2 test(s).
[ RUN      ] test_a
[       OK ] test_a
[ RUN      ] test_b
[  ERROR   ] --- 0x1 != 0x2
[   LINE   ] --- ../src/a.c:12: error: Failure!
[  FAILED  ] test_b
[==========] tests: 2 test(s) run.
[  PASSED  ] 1 test(s).
[  FAILED  ] tests: 1 test(s), listed below:
[  FAILED  ] test_b

 1 FAILED TEST(S)
"""


def trap(name, lines):
    return "  %s (all): build failed\n" % name + "".join("      line %d\n" % i for i in range(lines))


class Causes(unittest.TestCase):
    def test_words(self):
        """A piece is shown from its first line, and what follows is not, however much it is."""
        for wrong in ("not ok 2 - b", "Traceback (most recent call last):\nValueError: 7", "x.c:3: runtime error: shift", "==7==ERROR: AddressSanitizer: heap-use-after-free",
                      "/x: does not end: hangs", "a: x.c:3: f: Assertion `b' failed."):
            with self.subTest(wrong):
                told = wrong_in("ok 1 - a\n" + wrong + "\n\n" + MUCH)
                self.assertIn(wrong.splitlines()[-1], told)
                self.assertNotIn("ok 1 - a", told)
                self.assertLessEqual(len(told.splitlines()), SHOWN)

    def test_unittest(self):
        self.assertEqual(wrong_in(UNITTEST + MUCH).splitlines(), [
            "FAIL: test_calls (__main__.Compare.test_calls)", "Sorted by calls.", '  File "/x/tests/compare_test.py", line 30, in far',
            "    self.assertEqual(have, 7)", "AssertionError: 6 != 7 : calls of f"])

    def test_traps(self):
        """Those that fail, not those that do not apply."""
        told = wrong_in(TRAPS % ("  07-many.c (all): needs x\n" * 500, trap("02-throw.cc", 2) + trap("11-fork.c", 0)))
        self.assertEqual(told.splitlines(), ["  02-throw.cc (all): build failed", "      line 0", "      line 1", "  11-fork.c (all): build failed"])

    def test_each_has_its_share(self):
        told = wrong_in(TRAPS % ("", trap("02-throw.cc", 100) + trap("11-fork.c", 100)))
        self.assertIn("02-throw.cc", told)
        self.assertIn("11-fork.c (all): build failed\n      line 0", told)
        self.assertIn("lines more", told)
        self.assertLessEqual(len(told.splitlines()), SHOWN)

    def test_many(self):
        told = wrong_in(TRAPS % ("", "".join(trap("%02d-x.c" % i, 1) for i in range(90)))).splitlines()
        self.assertLessEqual(len(told), SHOWN)
        self.assertRegex(told[-1], r"^\.\.\. and \d+ more$")

    def test_cmocka(self):
        """What differs, where, and in which case."""
        self.assertEqual(wrong_in(CMOCKA).splitlines(), ["[  ERROR   ] --- 0x1 != 0x2", "[   LINE   ] --- ../src/a.c:12: error: Failure!", "[  FAILED  ] test_b"])

    def test_diff(self):
        told = wrong_in("--- paper-gprof expected\n+++ paper-gprof found\n@@ -1,2 +1,2 @@\n same\n-a\n+b\n\nok paper-json\n" + MUCH)
        self.assertEqual(told.splitlines()[-2:], ["-a", "+b"])

    def test_end(self):
        """Who says nothing of the kind has it at its end."""
        self.assertTrue(wrong_in("a\n" * 1000 + "status 1").endswith("\nstatus 1"))
        self.assertEqual(len(wrong_in("a\n" * 1000).splitlines()), SHOWN)


if __name__ == "__main__":
    unittest.main()
