#!/usr/bin/env python3
"""judge_test.py - what programs tell and what reports state, both made up: which claims there are, which hold, and what the tables and gates make of them."""
import importlib.machinery
import importlib.util
import os
import random
import sys
import unittest

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import generate  # noqa: E402
import judge  # noqa: E402

loader = importlib.machinery.SourceFileLoader("time_truth", os.path.join(HERE, "run"))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
sys.modules[loader.name] = run
loader.exec_module(run)


def node(parent, name, own, entries=1, doubt=0, process=0, processes=0):
    times = [own, doubt, process]
    return {"parent": parent, "name": name, "entries": entries, "processes": processes, "cpu": times, "wall": times}


def told(*nodes, border=0):
    return {"border_ns": border, "elapsed_ns": 10 ** 9, "sleeps": 0, "nodes": list(nodes)}


# main 100; a 300, and b for it 200; c 100, and b for it 300
PROGRAM = told(node(0, "main", 100), node(1, "a", 300), node(2, "b", 200), node(1, "c", 100), node(4, "b", 300))


def report(rows, arcs=(), outside=0, samples=1000):
    """ROWS: name -> (own time, its error); ARCS: (caller, routine) -> (time, its error)."""
    totals = {}
    for (_, name), (time, _) in dict(arcs).items():
        totals[name] = totals.get(name, 0) + time
    return {"run": {"times": {"contexts_ns": sum(time for time, _ in rows.values()), "outside_ns": outside},
                    "clock": {"samples": samples}, "counts": {"pc_samples": 0}},
            "flat": [{"name": name, "self_ns": time, "self_error_ns": error} for name, (time, error) in rows.items()],
            "callgraph": [{"name": name, "self_ns": total, "children_ns": 0,
                           "parents": [{"name": caller, "self_ns": time, "children_ns": 0, "error_ns": error}
                                       for (caller, of), (time, error) in dict(arcs).items() if of == name]}
                          for name, total in totals.items()]}


def judged(rows, arcs=(), program=PROGRAM, **keys):
    return {claim.what: claim for claim in judge.claims(report(rows, arcs, **keys), judge.truth(program, None, "cpu"))}


class Truth(unittest.TestCase):
    def test_times_by_routine_and_by_caller(self):
        made = judge.truth(PROGRAM, None, "cpu")
        self.assertEqual(made.run, 1000)
        self.assertEqual(dict(made.own), {"main": 100, "a": 300, "b": 500, "c": 100})
        self.assertEqual((made.arcs["a", "b"], made.arcs["c", "b"], made.arcs["main", "a"], made.total["b"]), (200, 300, 500, 500))

    def test_a_border_is_the_time_of_who_is_called(self):
        own, unsure = judge.times(told(node(0, "main", 1000), node(1, "a", 0, entries=100), border=2), None, "cpu")
        self.assertEqual(own[1:], [1000 - 200 + 2, 200])
        self.assertGreater(unsure[2], 0)

    def test_a_jump_is_the_doubt_of_both(self):
        own, unsure = judge.times(told(node(0, "main", 100), node(1, "a", 300, doubt=40)), None, "cpu")
        self.assertEqual((own[1:], unsure[1:]), ([100, 340], [40, 40]))

    def test_processes_take_what_they_do_without_hooks(self):
        hooked = told(node(0, "main", 100, process=9000, processes=10))
        bare = told(node(0, "main", 100, process=400, processes=20))
        self.assertEqual(judge.times(hooked, bare, "cpu")[0][1], 100 + 10 * 20)
        self.assertEqual(judge.times(hooked, None, "wall")[0][1], 9100)


class Claims(unittest.TestCase):
    ROWS = {"main": (100, 30), "a": (330, 30), "b": (450, 30), "c": (120, 30)}

    def test_own_shares(self):
        claims = judged(self.ROWS)
        self.assertEqual({name: judge.holds(claim) for name, claim in claims.items()}, {"main": True, "a": True, "b": False, "c": True})
        self.assertAlmostEqual(claims["a"].true, 0.3)
        self.assertAlmostEqual(claims["a"].width, 0.03)

    def test_time_outside_all_routines_is_of_the_run(self):
        self.assertAlmostEqual(judged(self.ROWS, outside=1000)["b"].stated, 0.225)

    def test_shares_of_callers(self):
        claims = judged(self.ROWS, {("a", "b"): (190, 40), ("c", "b"): (260, 40), ("main", "a"): (520, 0)})
        self.assertTrue(judge.holds(claims["b < a"]))           # 42 ± 9 %, true 40
        self.assertNotIn("a < main", claims)                    # an only caller
        wrong = judged(self.ROWS, {("a", "b"): (400, 40), ("c", "b"): (50, 40)})
        self.assertFalse(judge.holds(wrong["b < a"]))

    def test_who_is_not_in_the_report_had_no_time(self):
        claims = judged({"main": (1000, 10)})
        self.assertFalse(judge.holds(claims["a"]))
        self.assertEqual(claims["a"].stated, 0)

    def test_a_caller_that_is_made_up_is_found_out(self):
        self.assertFalse(judge.holds(judged(self.ROWS, {("a", "b"): (200, 9), ("main", "b"): (300, 9)})["b < main"]))

    def test_what_is_next_to_nothing_is_no_claim(self):
        self.assertNotIn("main", judged({"main": (1, 0), "a": (999, 0)}, program=told(node(0, "main", 1), node(1, "a", 999))))

    def test_names_of_cxx(self):
        self.assertEqual(judge.plain("b(long)"), "b")
        self.assertEqual(judge.plain("(elided)"), "(elided)")

    def test_width_by_samples(self):
        self.assertAlmostEqual(judge.by_samples(0.5, 10000), 0.0098, 4)
        self.assertEqual(judge.by_samples(0.5, 0), 1)


def outcomes(seed, error, programs=60, bias=0.0):
    """Programs of one claim whose stated share has a normal ERROR, and states 0.02 of it for 95 of 100."""
    generator = random.Random(seed)
    for number in range(programs):
        claims = [judge.Claim("a", 0.3, 0.0, generator.gauss(0.3 + bias, error), 0.0196, 0.0196) for _ in range(20)]
        yield run.Outcome("idle-perf", number, "inline", False, 1000, 1.0, 0.0, claims)


class Gates(unittest.TestCase):
    def test_errors_that_are_as_stated(self):
        self.assertEqual(run.Row("idle-perf", list(outcomes(1, 0.01)), False).wrong, [])

    def test_errors_that_are_too_small(self):
        self.assertEqual(run.Row("idle-perf", list(outcomes(1, 0.0125)), False).wrong, ["held"])

    def test_errors_that_are_too_large(self):
        wide = [run.Outcome("idle-perf", 0, "inline", False, 1000, 1.0, 0.0, [judge.Claim("a", 0.3, 0.0, 0.3, 0.05, 0.02)])]
        self.assertEqual(run.Row("idle-perf", wide, False).wrong, ["width"])
        wide[0].sleepy = True
        self.assertEqual(run.Row("idle-perf", wide, False).wrong, [])

    def test_a_sample_fails_by_no_chance_and_by_a_fault(self):
        for seed in range(100):
            self.assertEqual(run.Row("idle-perf", list(outcomes(seed, 0.01, 6)), True).wrong, [])
        self.assertEqual(run.Row("idle-perf", list(outcomes(1, 0.01, 6, bias=0.1)), True).wrong, ["held", "far"])

    def test_cases(self):
        good, bad = (run.Outcome("idle-perf", "yield", "inline", False, 1000, 1.0, 0.0, [judge.Claim("polite", 0.01, 0.0, found, 0.03, 0.03)]) for found in (0.05, 0.5))
        self.assertFalse(run.case_cell([good])[1])
        self.assertTrue(run.case_cell([good, bad])[1])

    def test_a_log_is_read_as_it_was_written(self):
        first = next(outcomes(1, 0.01))
        self.assertEqual(run.outcome_of(first.line()), first)


class Programs(unittest.TestCase):
    def test_a_program_is_of_its_seed(self):
        texts = [generate.program(seed).text() for seed in range(40)]
        self.assertEqual(texts, [generate.program(seed).text() for seed in range(40)])
        self.assertEqual(len(set(texts)), 40)

    def test_as_many_threads_as_are_asked_for(self):
        for seed in range(40):
            self.assertGreaterEqual(len(generate.program(seed, 3).threads), 3)
            self.assertLessEqual(len(generate.program(seed, 3).threads), generate.MOST_THREADS)

    def test_every_piece_comes_up(self):
        text = "".join(generate.program(seed).text() for seed in range(300))
        pieces = [name for name, *_ in generate.COMPUTING + generate.CALLING + generate.SLEEPING]
        pieces += generate.GATES + generate.SWITCHES + ["catch_" + kind for kind in generate.JUMPS]
        for piece in pieces + ["queue_push", "stream_write", "catch_throw", "resume", "brief_work", "truth_fork", "truth_exec", "SIGNAL_TIMER", "SIGNAL_ITIMER"]:
            self.assertIn(piece, text)


if __name__ == "__main__":
    unittest.main()
