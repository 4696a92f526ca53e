#!/usr/bin/env python3
"""corpus_test.py BUILD - files that real profilers wrote, opened by aprof: their totals, and the ten functions with most of their own and in all, are what the producer's own
reader says, for each value.

Kept: small ones (corpus/kept), each beside what its reader said when it was made.  Anew: all producers that are installed, here and now; PRODUCERS=a,b in the environment
takes some.  `corpus_test.py BUILD --keep` makes the kept ones anew, of these."""
import collections, json, lzma, os, pathlib, subprocess, sys, tempfile, unittest, shutil

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE / "corpus")]
from producers import PRODUCERS, Figures, Missing  # noqa: E402

APROF = pathlib.Path(sys.argv.pop(1)).resolve() / "aprof"
KEPT, MOST, LARGEST = HERE / "corpus" / "kept", 10, 8192


def first(costs):
    """The ten that have most, without what has nothing."""
    return dict(sorted(((n, c) for n, c in (costs or {}).items() if c), key=lambda item: (-item[1], item[0]))[:MOST])


def small(figures):
    return figures._replace(self=first(figures.self), inclusive=first(figures.inclusive))


def opened(folder, file, value):
    """What aprof says of a value, None: of the only one: its sum, and own and inclusive amounts by name; inclusive of names that one function has, outside circles."""
    done = subprocess.run([APROF, "report", "--json", *([f"--value={value}"] if value else []), file], cwd=folder, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
    if done.returncode:
        raise AssertionError(f"{file}, {value}: {done.stderr}")
    report = json.loads(done.stdout)
    names = collections.Counter(r["name"] for r in report["flat"])
    circle = {e["name"] for e in report["callgraph"] if "name" in e and "cycle" in e}
    own = collections.Counter()
    for r in report["flat"]:
        own[r["name"]] += r["self_ns"]
    whole = sum(own.values()) + report.get("run", {"times": {"outside_ns": 0}})["times"]["outside_ns"]
    return whole, own, {r["name"]: r["total_ns"] for r in report["flat"] if names[r["name"]] == 1 and r["name"] not in circle}


def wanted():
    names = os.environ.get("PRODUCERS", ",".join(p.name for p in PRODUCERS)).split(",")
    return [p for p in PRODUCERS if p.name in names]


class Corpus(unittest.TestCase):
    def compare(self, folder, file, figures):
        whole, own, inclusive = opened(folder, file, figures.value)
        near = lambda what, there, here: self.assertLessEqual(abs(there * figures.unit - here), figures.within * figures.unit + 1e-9 * abs(here), f"{file}, {figures.value}, {what}: {there}, aprof: {here / figures.unit}")
        near("total", figures.total, whole)
        for name, cost in first(figures.self).items():
            near(f"self of {name}", cost, own[name])
        compared = 0
        for name, cost in first(figures.inclusive).items():
            if name in inclusive:
                near(f"inclusive of {name}", cost, inclusive[name])
                compared += 1
        if figures.inclusive:
            self.assertGreaterEqual(2 * compared, len(first(figures.inclusive)), f"{file}: {figures.value}")


class Kept(Corpus):
    def test_kept(self):
        files = sorted(KEPT.glob("*.json"))
        self.assertGreater(len(files), 20)
        for path in files:
            for figures in json.loads(path.read_text()):
                with self.subTest(path.stem, value=figures["value"]):
                    self.compare(KEPT, path.stem + ".packed", Figures(**figures))


class Anew(Corpus):
    def test_anew(self):
        done = 0
        for p in wanted():
            with self.subTest(p.name), tempfile.TemporaryDirectory() as folder:
                missing = [n for n in p.needs if not shutil.which(n)]
                try:
                    for file, figures in () if missing else p.make(pathlib.Path(folder)):
                        for f in figures:
                            with self.subTest(file, value=f.value):
                                self.compare(folder, file, f)
                        done += 1
                except Missing as why:
                    missing = [str(why)]
                if missing:
                    print(f"{p.name}: left out, for want of: {', '.join(missing)}")
        if not done:
            print("no producer of profiles is installed")
            sys.exit(77)


def keep():
    """Make the kept files anew, with what their readers say."""
    KEPT.mkdir(exist_ok=True)
    for p in wanted():
        with tempfile.TemporaryDirectory() as folder:
            for file, figures in p.make(pathlib.Path(folder)) if p.kept else ():
                packed = (pathlib.Path(folder) / file).read_bytes()
                if packed[:2] != b"\x1f\x8b":             # what was packed by its producer stays so
                    packed = lzma.compress(packed, preset=9 | lzma.PRESET_EXTREME)
                if len(packed) > LARGEST:
                    raise SystemExit(f"{file}: {len(packed)} bytes")
                (KEPT / (file + ".packed")).write_bytes(packed)
                lines = [json.dumps(small(f)._asdict(), ensure_ascii=False) for f in figures]
                (KEPT / (file + ".json")).write_text("[" + ",\n ".join(lines) + "]\n")


if __name__ == "__main__":
    keep() if sys.argv[1:] == ["--keep"] else unittest.main()
