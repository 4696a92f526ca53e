"""The tables of an earlier run's samples, and files that hold none."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BENCH = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEAD = {"machine": "made up", "compiler": "gcc", "date": "2026-01-01", "load": "0.10"}


def sample(variant, number, cpu, **more):
    return {"program": "p", "title": "P", "variant": variant, "round": number, "user": cpu, "system": 0.0, "wall": cpu, "rss_kib": 1000,
            "output": "same", "data_bytes": None, "info": {}, **more}


class Samples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "samples.jsonl")

    def run_on(self, content, *options, path=None):
        if content is not None:
            with open(self.path, "wb") as file:
                file.write(content if isinstance(content, bytes) else "".join(json.dumps(line) + "\n" for line in content).encode())
        return subprocess.run([os.path.join(BENCH, "run"), "--samples", path or self.path, *options], capture_output=True, text=True)

    def test_an_earlier_run(self):
        done = self.run_on([HEAD, *[sample(v, n, c) for n in range(2) for v, c in (("bare", 1.0), ("gprof", 3.0))],
                            {"program": "p", "title": "P", "variant": "empty", "round": 0, "trouble": "not built"}])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"## P\n(.*\n)*\| gprof +\| 3\.00 .*\| 3\.00 ")
        self.assertRegex(done.stdout, r"\| empty +\| not built ")

    def test_note(self):
        """A paragraph above the tables, on the terminal and in a section, which is as long as it was when it is made again."""
        results, texts = self.path + ".md", []
        for _ in range(2):
            done = self.run_on([HEAD, sample("bare", 0, 1.0)], "--note", "To be *read*.", "--results", results, "--section", "S")
            self.assertRegex(done.stdout, r"\A.*\n\nTo be \*read\*\.\n\n## P\n")
            with open(results) as file:
                texts.append(file.read())
        self.assertIn("\n\nTo be *read*.\n\n", texts[0])
        self.assertEqual(*texts)

    def test_files_that_are_no_samples(self):
        good = sample("bare", 0, 1.0)
        for content, said in [
                (b"", "it is empty"),
                (b"\xff\xfe", "it is no text"),
                (b"# Results\n", "line 1 is no JSON object"),
                (b"[1]\n", "line 1 is no JSON object"),
                (b"[" * 100000, "line 1 is no JSON object"),
                ([{"schema": "aprof-report-1"}], "line 1 has no machine"),
                ([{**HEAD, "date": 7}], "line 1 has no date"),
                ([HEAD, good, {"title": "P"}], "line 3 has no variant"),
                ([HEAD, {**good, "user": None}], "line 2 has no user"),
                ([HEAD, {k: v for k, v in good.items() if k != "data_bytes"}], "line 2 has no data_bytes"),
                (json.dumps(HEAD).encode() + b"\n" + json.dumps(good).encode()[:50], "line 2 is no JSON object")]:
            with self.subTest(said):
                self.refused(self.run_on(content), f"bench/run: {self.path}: no samples of a run: {said}")

    def test_files_that_cannot_be_read(self):
        self.refused(self.run_on(None), f"bench/run: {self.path}: No such file or directory")
        self.refused(self.run_on(None, path=BENCH), f"bench/run: {BENCH}: Is a directory")

    def test_results_that_cannot_be_written(self):
        done = self.run_on([HEAD, sample("bare", 0, 1.0)], "--results", "/nowhere/results.md")
        self.assertIn("## P", done.stdout)
        self.assertEqual((done.returncode, done.stderr), (2, "bench/run: /nowhere/results.md: No such file or directory\n"))

    def test_a_section_is_replaced(self):
        """The others, and what stands before the first, stay as they are."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.md")
            with open(path, "w") as file:
                file.write("# Results\n\nHead.\n\n# One\n\nbefore it\n\n# Two\n\ntwo\n")
            for title in "One", "Three":
                self.assertEqual(self.run_on([HEAD, sample("bare", 0, 1.0)], "--results", path, "--section", title).returncode, 0)
            with open(path) as file:
                text = file.read()
        self.assertTrue(text.startswith("# Results\n\nHead.\n\n# One\n\n`bench/run --programs "), text)
        self.assertNotIn("before it", text)
        self.assertEqual([line for line in text.splitlines() if line.startswith("# ")], ["# Results", "# One", "# Two", "# Three"])
        self.assertIn("\n# Two\n\ntwo\n\n# Three\n", text)

    def refused(self, done, said):
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertTrue(done.stderr.startswith(said), done.stderr)


if __name__ == "__main__":
    unittest.main()
