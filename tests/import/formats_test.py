#!/usr/bin/env python3
"""formats_test.py BUILD - files of other people's that were compressed as a whole, and files that two formats could own.

Environment: MUTATIONS, wrong bytes that are tried of each file (3000)."""
import gzip, lzma, os, pathlib, shutil, subprocess, sys, unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent / "commands"))
from import_test import APROF, MUTATE, CALLGRIND, SCRIPT, Import  # noqa: E402

FOLDED = "main;parse 30\nmain;parse;next 69\nmain;a 1\n"


class Formats(Import):
    def totals(self, name, *more):
        report = self.json("report", name, *more)
        return {r["name"]: (r["self_ns"], r["total_ns"]) for r in report["flat"]}

    def put(self, name, data):
        return self.write(name, data)


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


class Compressed(Formats):
    def packed(self):
        yield "gz", gzip.compress
        yield "xz", lzma.compress
        if shutil.which("zstd"):
            yield "zst", zstd

    def test_compressed(self):
        whole = self.totals(self.put("a", FOLDED))
        for name, pack in self.packed():
            data = pack(FOLDED.encode())
            self.assertEqual(self.totals(self.put("a." + name, data)), whole, name)
            halves = FOLDED.encode()[:20], FOLDED.encode()[20:]                       # cat, pigz, xz -T, bgzip
            self.assertEqual(self.totals(self.put("b." + name, b"".join(map(pack, halves)))), whole, name)
            done = subprocess.run([APROF, "report", "--flat", "-b", "-"], input=data, capture_output=True)
            self.assertIn(b"parse", done.stdout, name)
            for cut in range(8, len(data)):
                done = subprocess.run([APROF, "report", "-b", self.put("cut", data[:cut])], cwd=self.folder, capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), (name, cut, done.stderr))
            broken = bytearray(data)
            broken[len(data) // 2] ^= 0x55
            done = subprocess.run([APROF, "report", "-b", self.put("broken", bytes(broken))], cwd=self.folder, capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 2), done.stderr)

    def test_window(self):
        """A frame whose window takes two gigabytes is refused before any of it is filled."""
        self.refused(self.put("a.zst", b"\x28\xb5\x2f\xfd\0\xa8" + bytes(1000)), "a.zst", "neither a profile")
        if shutil.which("zstd"):
            self.refused(self.put("a.zst", zstd(FOLDED.encode() * 4000) + b"\x28\xb5\x2f\xfd\0\xa8" + bytes(1000)), "more memory than is allowed")


class Recognised(Formats):
    def test_by_how_much_is_read(self):
        """A few odd lines before, behind or among do not make it another's."""
        lines = FOLDED * 20
        for text in "collected 5 stacks\n" + lines, lines + "done 5 s\n", "# a comment\r\n" + lines.replace("\n", "\r\n"), "\ufeff" + lines, "events: nothing\n" + lines:
            self.assertEqual(self.json("report", self.put("a", text))["run"]["imported"]["format"], "folded stacks", text[:30])
            self.assertEqual(self.flat("a")["parse"]["total_ticks"], 1980)
        for text in "Warning: 3 samples lost\n" + SCRIPT, SCRIPT.replace("\n", "\r\n"), "\ufeff" + SCRIPT, "main;a 3\n" + SCRIPT:
            self.assertEqual(self.json("report", self.put("a", text))["run"]["imported"]["format"], "perf script", text[:30])
        for text in CALLGRIND.replace("\n", "\r\n"), "\ufeff" + CALLGRIND, CALLGRIND.replace("desc: I1", "desc: " + "x" * 20000):
            self.assertEqual(self.json("report", self.put("a", text))["run"]["imported"]["format"], "callgrind", text[:30])

    def test_long_heads(self):
        for size in 9000, 70000, 300000:
            for head in "# " + "x" * size + "\n", "# a line of a head\n" * (size // 19), "\n" * size:
                for text, kind in (FOLDED, "folded stacks"), (SCRIPT, "perf script"), (CALLGRIND, "callgrind"):
                    self.assertEqual(self.json("report", self.put("a", head + text))["run"]["imported"]["format"], kind, (size, head[:9], kind))
                self.put("a.xz", lzma.compress((head + FOLDED).encode(), preset=0))
                self.assertEqual(self.json("report", "a.xz")["run"]["imported"]["format"], "folded stacks", (size, head[:9]))

    def test_nothing(self):
        for text in "a word and a number 4\n", "1 2\n3 4\n", "\0\0\0\0", "[1, 2]", "{}", "plain prose, of which nothing is a profile.\n" * 10, '{"a": {"b": [1, 2, {"nodes": 3}]}}':
            self.refused(self.put("a", text), "a: ", "no")


class Mutations(Formats):
    def test_wrong_bytes(self):
        files = [self.put("a.gz", gzip.compress(FOLDED.encode())), self.put("b.xz", lzma.compress(FOLDED.encode()))]
        if shutil.which("zstd"):
            files.append(self.put("c.zst", zstd(FOLDED.encode())))
        subprocess.run([MUTATE, os.environ.get("MUTATIONS", "3000"), *files], cwd=self.folder, check=True)


if __name__ == "__main__":
    unittest.main()
