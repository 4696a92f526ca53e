"""draw_test.py - what SEED draws is the same for the same SEED, in whatever process, and weeks of days draw all that there is."""
import os, subprocess, sys, types, unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(TESTS, "traps")]
import importlib.machinery, importlib.util
import draw

loader = importlib.machinery.SourceFileLoader("traps_run", os.path.join(TESTS, "traps", "run"))
traps = importlib.util.module_from_spec(importlib.util.spec_from_loader("traps_run", loader))
loader.exec_module(traps)

COLUMNS = [[way, cc, opt] for way in ("inline", "fentry", "cyg", "mcount") for cc in ("gcc", "clang") for opt in ("-O2", "-O0", "-Os") if cc == "gcc" or way == "cyg"]


class Draw(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, draw, "SEED", draw.SEED)

    def orders(self, name, days):
        args, found = types.SimpleNamespace(draw=True, folder=traps.HERE), []
        for day in range(days):
            draw.SEED = "day %d" % day
            found.append(traps.order(args, types.SimpleNamespace(name=name), COLUMNS))
        return found

    def test_weeks_cover_all(self):
        """Each cell that check-all holds of a trap is the first on some day of six weeks; none that it does not hold is, but the default one."""
        for name in "02-throw.cc", "06-tail.c", "15-kill.c", "11-fork.c":
            held = set()
            for words in COLUMNS:
                try:
                    if tuple(words[:2]) in traps.COLUMNS:
                        traps.needs_cell(name, *words, traps.LEVELS)
                        held.add(tuple(words))
                except traps.Skip:
                    pass
            orders = self.orders(name, 42)
            self.assertEqual({tuple(order[0]) for order in orders}, held | {tuple(COLUMNS[0])}, name)
            self.assertTrue(all(sorted(order) == sorted(COLUMNS) for order in orders), "a cell is lost")

    def test_same_seed(self):
        """In another process, and whatever was drawn before."""
        text = "import draw; draw.one_of('other', [1, 2]); print(draw.generator('x').random())"
        told = [subprocess.run([sys.executable, "-B", "-c", text], cwd=HERE, env=dict(os.environ, SEED=seed), stdout=subprocess.PIPE, text=True, check=True).stdout
                for seed in ("a", "a", "b")]
        self.assertEqual(told[0], told[1])
        self.assertNotEqual(told[0].splitlines()[1], told[2].splitlines()[1])
        draw.SEED = "a"
        self.assertEqual(told[0].splitlines(), ["drawn by SEED=a", str(draw.generator("x").random())])


if __name__ == "__main__":
    unittest.main()
