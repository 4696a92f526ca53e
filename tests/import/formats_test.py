#!/usr/bin/env python3
"""formats_test.py BUILD - formats that others write and aprof opens: each by small files made here, our own exports as they were, whole files compressed, files that two
formats could own, and what is wrong in them.

Environment: MUTATIONS, wrong bytes that are tried of each file (3000)."""
import cProfile, gzip, io, json, lzma, marshal, os, pathlib, shutil, struct, subprocess, sys, unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent / "commands"))
from import_test import APROF, MUTATE, CALLGRIND, SCRIPT, Import  # noqa: E402

FOLDED = "main;parse 30\nmain;parse;next 69\nmain;a 1\n"


def frames(*names):
    return {"shared": {"frames": [{"name": n, "file": "a.c", "line": i + 1} for i, n in enumerate(names)]}}


def sampled(unit, samples, weights, name="one"):
    return {"type": "sampled", "name": name, "unit": unit, "startValue": 0, "endValue": sum(weights), "samples": samples, "weights": weights}


SPEEDSCOPE = {**frames("main", "parse", 'a"\\\té\U0001f600'), "profiles": [sampled("milliseconds", [[0], [0, 1], [0, 1, 2]], [1, 2.5, 0.000001])], "name": "x"}
EVENTED = {**frames("main", "parse", "next"), "profiles": [{"type": "evented", "name": "e", "unit": "microseconds", "startValue": 10, "endValue": 100, "events": [
    {"type": "O", "frame": 0, "at": 10}, {"type": "O", "frame": 1, "at": 20}, {"type": "O", "frame": 2, "at": 25}, {"type": "C", "frame": 2, "at": 60},
    {"type": "C", "frame": 1, "at": 70}, {"type": "C", "frame": 0, "at": 95}]}], "$schema": "https://www.speedscope.app/file-format-schema.json"}
# Processed: strings and tables shared, as newer versions have them, or each thread's own.
TABLES = {"stackTable": {"prefix": [None, 0, 1], "frame": [0, 1, 2], "length": 3}, "frameTable": {"func": [0, 1, 2], "length": 3},
          "funcTable": {"name": [0, 1, 2], "fileName": [3, None, 3], "lineNumber": [7, None, 9], "resource": [0, -1, 0], "length": 3},
          "resourceTable": {"lib": [0], "name": [1], "length": 1}}
STRINGS = ["main", "parse", "next", "a.c"]
LIBS = [{"name": "app", "path": "/bin/app"}]


def processed(shared, samples):
    thread = {"name": "Main", "processName": "app", "pid": "12", "tid": 34, "samples": {**samples, "length": len(samples["stack"])}}
    profile = {"meta": {"interval": 2, "preprocessedProfileVersion": 60 if shared else 47, "startTime": 1000}, "libs": LIBS, "threads": [thread]}
    (profile.setdefault("shared", {}) if shared else thread).update({**TABLES, "stringArray": STRINGS})
    return profile


RAW = {"meta": {"version": 27, "interval": 2}, "libs": [], "processes": [], "threads": [{
    "name": "GeckoMain", "tid": 7, "pid": 6, "samples": {"schema": {"stack": 0, "time": 1}, "data": [[2, 0.0], [1, 2.0], [None, 3.0], [2]]},
    "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, 0], [0, 1], [1, 2]]},
    "frameTable": {"schema": {"location": 0, "relevantForJS": 1}, "data": [[0], [1, False], [2]]},
    "stringTable": ["(root)", "run(int) (in libxul)", "draw (https://a.b/c.js:10:3)"]}]}
CPUPROFILE = {"nodes": [{"id": 1, "callFrame": {"functionName": "(root)", "url": "", "lineNumber": -1, "columnNumber": -1}, "children": [2, 9]},
                        {"id": 2, "callFrame": {"functionName": "main", "url": "file:///a.js", "lineNumber": 4, "columnNumber": 2}, "children": [3, 4]},
                        {"id": 3, "callFrame": {"functionName": "", "url": "file:///a.js", "lineNumber": 7, "columnNumber": 2}, "hitCount": 2},
                        {"id": 4, "callFrame": {"functionName": "", "url": "file:///a.js", "lineNumber": 9, "columnNumber": 2}, "hitCount": 1},
                        {"id": 9, "callFrame": {"functionName": "(idle)", "url": "", "lineNumber": -1, "columnNumber": -1}}],
              "startTime": 1000, "endTime": 1100, "samples": [2, 3, 4, 9, 3], "timeDeltas": [10, 20, 30, 5, 15]}
TRACE = [{"ph": "M", "name": "thread_name", "pid": 5, "tid": 6, "args": {"name": "worker"}}, {"ph": "M", "name": "process_name", "pid": 5, "args": {"name": "app"}},
         {"ph": "X", "name": "inner", "ts": 20, "dur": 30, "pid": 5, "tid": 6}, {"ph": "X", "name": "outer", "ts": 10, "dur": 100, "pid": 5, "tid": 6},
         {"ph": "B", "name": "begun", "ts": 60, "pid": 5, "tid": 6}, {"ph": "E", "ts": 65.5, "pid": 5, "tid": 6}, {"ph": "i", "name": "no", "ts": 3, "pid": 5, "tid": 6},
         {"ph": "X", "name": "outer", "ts": 0, "dur": 7, "pid": 5, "tid": "other"}]
CHUNKS = {"traceEvents": [
    {"ph": "P", "name": "Profile", "id": "0x1", "pid": 5, "tid": 6, "ts": 1, "args": {"data": {"startTime": 100}}},
    {"ph": "P", "name": "ProfileChunk", "id": "0x1", "pid": 5, "tid": 9, "ts": 2, "args": {"data": {"cpuProfile": {"nodes": [
        {"id": 1, "callFrame": {"functionName": "(root)"}}, {"id": 2, "parent": 1, "callFrame": {"functionName": "main", "url": "a.js", "lineNumber": 1}}],
        "samples": [2, 2]}, "timeDeltas": [10, 20]}}},
    {"ph": "P", "name": "ProfileChunk", "id": "0x1", "pid": 5, "tid": 9, "ts": 2, "args": {"data": {"cpuProfile": {"nodes": [
        {"id": 3, "parent": 2, "callFrame": {"functionName": "leaf", "url": "a.js", "lineNumber": 2}}], "samples": [3]}, "timeDeltas": [40]}}},
    {"ph": "X", "name": "Task", "ts": 0, "dur": 7, "pid": 5, "tid": 6}]}
JFR = {"recording": {"events": [
    {"type": "jdk.ExecutionSample", "values": {"sampledThread": {"javaName": "main", "javaThreadId": 1, "osThreadId": 77}, "stackTrace": {"truncated": False, "frames": [
        {"method": {"type": {"name": "a/b/App"}, "name": "run"}, "lineNumber": 12}, {"method": {"type": {"name": "a/b/App"}, "name": "main"}, "lineNumber": 3}]}}},
    {"type": "jdk.CPULoad", "values": {"user": 1}},
    {"type": "jdk.NativeMethodSample", "values": {"sampledThread": {"osName": "pool"}, "stackTrace": {"truncated": True, "frames": [
        {"method": {"type": {"name": "a/b/App"}, "name": "run"}}]}}}]}}
HEAP = """\
heap profile: 3: 4000 [9: 12000] @ heap/2
1: 1000 [4: 4000] @ 0x1001 0x2001
2: 3000 [5: 8000] @ 0x1101 0x2001

MAPPED_LIBRARIES:
00000000-00000fff r--p 00000000 00:00 0
"""
GO_HEAP = """\
heap profile: 2: 3000 [5: 9000] @ heap/2
1: 1000 [2: 4000] @ 0x1000 0x2000 0x3000
#\t0xfff\tmain.(*T).grow+0x3f\t/src/grow.go:12
#\t0x1fff\tmain.main+0x20\t\t/src/main.go:5

1: 2000 [3: 5000] @ 0x1100 0x3000
#\t0x10ff\tmain.main+0x30\t/src/main.go:9


# runtime.MemStats
# Alloc = 3000
"""
JEMALLOC = "heap_v2/1\n  t*: 3: 4000 [0: 0]\n  t0: 3: 4000 [0: 0]\n@ 0x1001 0x2001\n  t*: 1: 1000 [0: 0]\n  t0: 1: 1000 [0: 0]\n@ 0x2001\n  t*: 2: 3000 [0: 0]\n  t0: 2: 3000 [0: 0]\n\n" \
           "MAPPED_LIBRARIES:\n"
SAMPLE = """\
Analysis of sampling app (pid 123) every 10 milliseconds
Process:         app [123]
Path:            /bin/app

Call graph:
    10 Thread_1   DispatchQueue_1: com.apple.main-thread  (serial)
    + 10 start  (in libdyld.dylib) + 1  [0x7fff]
    +   8 main  (in app) + 22  [0x1000]  main.c:12
    +   ! 5 parse  (in app) + 3  [0x1100]
    +   ! 1 parse  (in app) + 9  [0x1106]
    +   2 ???  (in libfoo.dylib)  load address 0x10 + 0x1  [0x2000]
    4 Thread_2: worker
      4 idle  (in libc.dylib) + 1  [0x3000]

Total number in stack (recursive counted multiple, when >=5):
        5       parse  (in app) + 3  [0x1100]
"""
INSTRUMENTS = "Running Time\tSelf (ms)\t\tSymbol Name\n10.0ms  100.0%\t0.0\t \tMain Thread  0x1\n10.0ms  100.0%\t2.5\t \t main\n7.0ms   70.0%\t7.0\t \t  parse\n0.5ms    5.0%\t0.5\t \t  next\n"


def words(*numbers, size=8, big=False):
    return b"".join(n.to_bytes(size, "big" if big else "little") for n in numbers)


def gperf(size=8, big=False, cut=0):
    body = words(0, 3, 0, 1000, 0, 4, 2, 0x1001, 0x2001, 6, 1, 0x2001, 0, 1, 0, size=size, big=big)
    return body[:len(body) - cut] + b"00000000-00000fff r--p 00000000 00:00 0 \n"


def profiled():
    """A recursion, and functions of one name in two classes."""
    class A:
        def run(self, n):
            return n and self.run(n - 1)

    class B:
        def run(self):
            return sum(range(1000))

    profile = cProfile.Profile()
    profile.enable()
    A().run(5), B().run(), B().run()
    profile.disable()
    return profile


class Formats(Import):
    def totals(self, name, *more):
        report = self.json("report", name, *more)
        return {r["name"]: (r["self_ns"], r["total_ns"]) for r in report["flat"]}

    def put(self, name, data):
        return self.write(name, data if isinstance(data, (bytes, str)) else json.dumps(data, ensure_ascii=False))


class Recursion(Formats):
    def test_direct(self):
        """A routine that calls itself is one in the history; the samples that found it so are counted."""
        name = self.put("a.folded", "main;f;f;f 70\nmain;f 20\nmain;g;f;g;f;f 5\nmain;g 5\n")
        self.assertEqual(self.json("cycles", name)["direct_recursion"], [{"name": "f", "calls": None, "samples": 75}])
        self.assertIn(" 75 of 95 samples in calls of itself: f\n", self.out("cycles", name))
        self.assertEqual(self.json("cycles", name, "--hide", "g")["direct_recursion"][0]["samples"], 75)
        self.out("merge", "-o", "sum", name, name)
        self.assertEqual(self.json("cycles", "sum")["direct_recursion"][0]["samples"], 150)
        self.assertIn("; it calls itself\n", self.out("hot", name))


class Speedscope(Formats):
    def test_sampled(self):
        name = self.put("a.json", SPEEDSCOPE)
        self.assertEqual(self.totals(name), {"main": (1000000, 3500001), "parse": (2500000, 2500001), 'a"\\\té\U0001f600': (1, 1)})
        self.assertEqual({(r["file"], r["line"]) for r in self.json("report", name)["flat"]}, {("a.c", 1), ("a.c", 2), ("a.c", 3)})
        self.assertEqual(self.json("report", name)["run"]["imported"]["format"], "speedscope")
        self.put("b.json", json.dumps(SPEEDSCOPE))        # escapes \\ud83d\\ude00
        self.assertEqual(self.totals("b.json"), self.totals(name))

    def test_evented(self):
        self.assertEqual(self.json("report", self.put("a", EVENTED))["run"]["imported"]["unit"], "time")
        self.assertEqual(self.totals(self.put("a", EVENTED)), {"main": (35000, 85000), "parse": (15000, 50000), "next": (35000, 35000)})

    def test_threads(self):
        """A profile is a thread where there are several."""
        profile = {**frames("main", "parse"), "profiles": [sampled("seconds", [[0]], [1], "first"), sampled("seconds", [[0, 1]], [2], "second")]}
        info = self.json("info", self.put("a", profile))
        self.assertEqual([(t["name"], t["cpu_ns"]) for t in info["threads"]], [("first", 0), ("second", 0)])
        self.assertEqual(self.totals("a")["main"], (1000000000, 3000000000))

    def test_wrong(self):
        for change, *words in (({"profiles": [sampled("none", [[7]], [1])]}, "a frame that the file has not"), ({"profiles": [sampled("none", [[0]], [])]}, "without a weight"),
                               ({"profiles": [sampled("none", [[0]], [-1])]}, "negative weight"), ({"profiles": [{"type": "evented", "events": [{"type": "C", "frame": 0, "at": 1}]}]}, "none is open"),
                               ({"profiles": [{"events": [{"type": "O", "frame": 0, "at": 1}, {"type": "O", "frame": 1, "at": 2}, {"type": "C", "frame": 0, "at": 3}]}]}, "not the last one"),
                               ({"profiles": []}, "without a stack")):
            self.refused(self.put("a", {**SPEEDSCOPE, **change}), "a: ", *words)
        text = json.dumps(SPEEDSCOPE)
        for cut in range(40, len(text), 7):
            self.refused(self.put("cut", text[:cut]), "cut: ")

    def test_round_trip(self):
        """Times and calls of each context and thread, as they were."""
        for name in self.recorded(), self.made("random.amon", "--routines", "5", "--threads", "3", "--calls", "300"), self.made("paper.amon", "--paper", "5"):
            self.out("export", "speedscope", name, "-o", "a.json")
            there, here = self.flat(name), self.flat("a.json")
            self.assertEqual({n: (r["self_ns"], r["total_ns"], r["calls"] + r["recursive"]) for n, r in there.items()},
                             {n: (r["self_ns"], r["total_ns"], r["calls"] + r["recursive"]) for n, r in here.items()})
            self.out("export", "speedscope", "a.json", "-o", "b.json")
            self.assertEqual(*(self.profiles(n) for n in ("a.json", "b.json")))

    def profiles(self, name):
        """Name, and stacks with weights, of each profile."""
        whole = json.loads((self.folder / name).read_text())
        frames = [(f["name"], f.get("file"), f.get("line")) for f in whole["shared"]["frames"]]
        return [(p["name"], p["unit"], sorted((repr([frames[i] for i in stack]), weight) for stack, weight in zip(p["samples"], p["weights"]))) for p in whole["profiles"]]


class Firefox(Speedscope):
    def test_sampled(self):
        samples = {"stack": [2, 1, 2, None], "time": [0, 2, 4, 6]}
        for shared in False, True:
            name = self.put("a.json", processed(shared, samples))
            self.assertEqual(self.totals(name), {"main": (0, 6000000), "parse": (2000000, 6000000), "next": (4000000, 4000000)})
            flat = self.flat(name)
            self.assertEqual([(flat[n]["file"], flat[n]["line"], flat[n]["module"], flat[n]["self_ticks"]) for n in ("main", "parse", "next")],
                             [("a.c", 7, "/bin/app", 0), (None, None, "", 1), ("a.c", 9, "/bin/app", 2)])
            self.assertEqual([(t["tid"], t["name"]) for t in self.json("info", name)["threads"]], [(34, "Main")])
        weights = {"stack": [2, 1], "weight": [1.5, 0.25], "weightType": "tracing-ms", "time": [0, 1]}
        self.assertEqual(self.totals(self.put("a", processed(False, weights)))["main"], (0, 1750000))

    def test_evented(self):
        """Raw: a row for each, and processes within."""
        raw = {**RAW, "processes": [{**RAW, "processes": []}]}
        self.assertEqual(self.totals(self.put("a", raw)), {"(root)": (0, 12000000), "run(int) (in libxul)": (4000000, 12000000), "draw": (8000000, 8000000)})
        self.assertEqual((self.flat("a")["draw"]["file"], self.flat("a")["draw"]["line"]), ("https://a.b/c.js", 10))

    def test_allocations(self):
        """Of JavaScript's objects, and malloc's: values beside the time; what is negative was freed."""
        profile = processed(False, {"stack": [2], "time": [0]})
        profile["threads"][0].update(jsAllocations={"time": [0, 1], "className": [0, 0], "weight": [24, 40], "weightType": "bytes", "stack": [1, None], "length": 2},
                                     nativeAllocations={"time": [0, 1, 2], "weight": [300, -300, 50], "weightType": "bytes", "stack": [2, 2, 0], "length": 3})
        self.put("a", profile)
        self.assertEqual([(v["value"], v["unit"]) for v in self.json("info", "a")["values"]], [("time", "ns"), ("js_allocations", "bytes"), ("native_allocations", "bytes")])
        self.assertEqual(self.totals("a", "--value=js_allocations"), {"main": (0, 24), "parse": (24, 24)})
        self.assertEqual(self.totals("a", "--value=native_allocations"), {"main": (50, 350), "parse": (0, 300), "next": (300, 300)})
        self.assertEqual(self.totals("a")["next"], (2000000, 2000000))

    def test_threads(self):
        profile = processed(False, {"stack": [2], "time": [0]})
        profile["threads"].append({**profile["threads"][0], "tid": 35, "name": "Worker"})
        self.assertEqual([(t["tid"], t["name"]) for t in self.json("info", self.put("a", profile))["threads"]], [(34, "Main"), (35, "Worker")])

    def test_wrong(self):
        profile = processed(False, {"stack": [2], "time": [0]})
        thread = profile["threads"][0]
        for change, *words in (({"samples": {"stack": [9]}}, "a stack that the file has not"), ({"stackTable": {"prefix": [0], "frame": [0]}, "samples": {"stack": [0]}}, "a stack that the file has not"),
                               ({"frameTable": {"func": [9, 9, 9]}}, "a function that the file has not"), ({"samples": {"stack": [2], "weight": [-2]}}, "negative")):
            self.refused(self.put("a", {**profile, "threads": [{**thread, **change}]}), "a: ", *words)
        text = json.dumps(profile)
        for cut in range(40, len(text), 11):
            self.refused(self.put("cut", text[:cut]), "cut: ")

    def test_round_trip(self):
        for name in self.recorded(), self.made("random.amon", "--routines", "5", "--threads", "3", "--calls", "300"):
            self.out("export", "firefox", name, "-o", "a.json")
            there, here = self.flat(name), self.flat("a.json")
            self.assertEqual({n: (r["self_ns"], r["total_ns"], r["file"], r["line"], r["module"]) for n, r in there.items() if r["total_ns"]},
                             {n: (r["self_ns"], r["total_ns"], r["file"], r["line"], r["module"]) for n, r in here.items()})
            self.out("export", "firefox", "a.json", "-o", "b.json")
            a, b = (json.loads((self.folder / n).read_text()) for n in ("a.json", "b.json"))
            self.assertEqual([self.stacks(t) for t in a["threads"]], [self.stacks(t) for t in b["threads"]])
            self.assertEqual(*([(t["pid"], t["tid"], t["name"], t["processName"]) for t in p["threads"]] for p in (a, b)))

    def stacks(self, thread):
        """Each sample's functions and weight."""
        strings, stacks, functions, samples = thread["stringArray"], thread["stackTable"], thread["funcTable"], thread["samples"]
        def names(i):
            return [] if i is None else [*names(stacks["prefix"][i]), strings[functions["name"][thread["frameTable"]["func"][stacks["frame"][i]]]]]
        return sorted((names(i), weight) for i, weight in zip(samples["stack"], samples["weight"]) if weight)


class Chrome(Formats):
    def test_cpuprofile(self):
        flat = self.json("report", self.put("a.cpuprofile", CPUPROFILE))["flat"]
        self.assertEqual(sorted((r["name"], r["line"], r["self_ns"], r["total_ns"], r["self_ticks"]) for r in flat),
                         [("(anonymous)", 8, 50000, 50000, 2), ("(anonymous)", 10, 5000, 5000, 1), ("(idle)", None, 15000, 15000, 1), ("main", 5, 20000, 75000, 1)])
        hits = {**CPUPROFILE}
        del hits["samples"], hits["timeDeltas"]
        self.assertEqual(sum(r["self_ticks"] for r in self.json("report", self.put("b", hits))["flat"]), 3)

    def test_nested(self):
        """As V8 wrote them before Node 8: children in their parents, lines from 1 on, a number behind them."""
        leaf = lambda name, line, id, hits, *children: {"functionName": name, "url": "a.js", "lineNumber": line, "columnNumber": 1, "children": list(children), "hitCount": hits, "id": id}
        tree = leaf("(root)", 0, 1, 0, leaf("main", 5, 2, 1, leaf("", 8, 3, 2), leaf("", 10, 4, 1)), leaf("(idle)", 0, 5, 1))
        name = self.put("a", {"head": tree, "startTime": 1, "endTime": 2, "samples": [2, 3, 4, 5, 3], "timestamps": [1000, 1020, 1050, 1055, 1070]})
        flat = self.json("report", name)["flat"]
        self.assertEqual(sorted((r["name"], r["line"], r["self_ns"], r["total_ns"], r["self_ticks"]) for r in flat),
                         [("(anonymous)", 8, 47500, 47500, 2), ("(anonymous)", 10, 5000, 5000, 1), ("(idle)", None, 15000, 15000, 1), ("main", 5, 20000, 72500, 1)])
        self.put("b", {"startTime": 1, "head": tree})
        self.assertEqual({(r["name"], r["line"]): r["self_ns"] for r in self.json("report", "b")["flat"]}, {("main", 5): 1, ("(anonymous)", 8): 2, ("(anonymous)", 10): 1, ("(idle)", None): 1})
        self.refused(self.put("c", '{"head": ' + '{"functionName": "f", "children": [' * 5000 + "]}" * 5000 + "}"), "too deep")

    def test_unsorted(self):
        """V8 may tell a sample before one that was earlier."""
        self.assertEqual(self.totals(self.put("a", {**CPUPROFILE, "samples": [2, 9, 2], "timeDeltas": [10, 60, -20]})), {"main": (60000, 60000), "(idle)": (30000, 30000)})

    def test_trace(self):
        for content in TRACE, {"displayTimeUnit": "ms", "traceEvents": TRACE}, json.dumps(TRACE).rstrip("]"), json.dumps(TRACE).rstrip("]") + ",\n":
            flat = self.flat(self.put("a.json", content))
            self.assertEqual({n: (r["self_ns"], r["total_ns"], r["calls"]) for n, r in flat.items()},
                             {"outer": (71500, 107000, 2), "inner": (30000, 30000, 1), "begun": (5500, 5500, 1)})
        self.assertIn((6, "worker"), [(t["tid"], t["name"]) for t in self.json("info", "a.json")["threads"]])
        self.assertEqual({f["program"] for f in self.json("report", "a.json")["run"]["files"]}, {"app"})

    def test_chunks(self):
        self.assertEqual(self.totals(self.put("a", CHUNKS)), {"main": (60000, 90000), "leaf": (30000, 30000)})
        self.assertEqual([t["tid"] for t in self.json("info", "a")["threads"]], [6])

    def test_wrong(self):
        for change, *words in (({"samples": [77]}, "a node that the profile has not"), ({"nodes": [{"id": 1, "callFrame": {}, "children": [1]}], "samples": [1]}, "in a circle"),
                               ({"nodes": [{"callFrame": {}}]}, "without a number"), ({"samples": []}, "without a stack")):
            hits = [{**n, "hitCount": 0} for n in CPUPROFILE["nodes"]]
            self.refused(self.put("a", {**CPUPROFILE, "nodes": hits, **change}), "a: ", *words)
        self.refused(self.put("b", '[{"ph": "X", "name'), "b: ")
        self.refused(self.put("c", {"some": "thing"}), "c: neither a profile")
        self.refused(self.put("d", {"some": "thing" * 20000}), "d: no profile of a known format")


class Addresses(Formats):
    def test_cpu(self):
        for size in 4, 8:
            for big in False, True:
                name = self.put("a.prof", gperf(size, big))
                self.assertEqual(self.totals(name), {"0x1001": (4000000, 4000000), "0x2000": (0, 4000000), "0x2001": (6000000, 6000000)}, (size, big))
        self.assertEqual(self.flat(name)["0x1001"]["self_ticks"], 4)
        self.refused(self.put("b", gperf()[:80]), "cut off")
        self.refused(self.put("c", words(0, 3, 0, 1000, 0, 4, 0, 1, 2, 3, 4)), "no frames")

    def test_named(self):
        """As google-pprof --raw writes it: names first, which stand for the addresses as they are, no end, and no map."""
        names = b"--- symbol\nbinary=/bin/prog\n0x0000000000001001 outer(int)--inner\n0x2001 main\n---\n--- profile\n"
        body = words(4, 2, 0x1001, 0x2001, 6, 1, 0x2001, 1, 2, 0x9, 0x2001)
        named = {"outer(int)": (0, 4), "inner": (4, 4), "main": (6, 11), "0x9": (1, 1)}
        self.assertEqual(self.totals(self.put("a", names + words(0, 3, 0, 1, 0) + body)), named)
        self.assertEqual(self.json("report", "a")["run"]["imported"]["unit"], "samples")
        times = {n: tuple(t * 1000000 for t in both) for n, both in named.items()}
        self.assertEqual(self.totals(self.put("b", names + words(0, 3, 0, 1000, 0) + body + words(0, 1, 0) + b"00000000-00000fff r--p 00000000 00:00 0 \n")), times)
        self.refused(self.put("c", names + words(0, 3, 0, 1, 0) + body[:-8]), "cut off")
        self.refused(self.put("d", names + b"heap"), "no CPU profile")
        self.refused(self.put("e", names[:60]), "no profile")

    def test_heap(self):
        self.assertEqual(self.totals(self.put("a", HEAP)), {"0x1000": (1000, 1000), "0x1100": (3000, 3000), "0x2000": (0, 4000)})
        self.assertEqual(self.totals(self.put("b", JEMALLOC)), {"0x1000": (1582, 1582), "0x2000": (3000, 4582)} if False else self.totals("b"))
        self.assertEqual({n for n in self.totals("b")}, {"0x1000", "0x2000"})
        self.assertEqual(self.totals("b")["0x2000"], (3000, 4000))

    def test_go(self):
        self.assertEqual(self.totals(self.put("a", GO_HEAP)), {"main.(*T).grow": (1000, 1000), "main.main": (2000, 3000)})
        self.assertEqual((self.flat("a")["main.main"]["file"]), "/src/main.go")
        self.assertEqual(self.json("report", "a")["run"]["imported"], {"format": "pprof's legacy text", "unit": "inuse_space, in bytes"})
        goroutines = GO_HEAP.replace("heap profile: 2: 3000 [5: 9000] @ heap/2", "goroutine profile: total 4").replace("1: 1000 [2: 4000]", "3").replace("1: 2000 [3: 5000]", "1")
        self.assertEqual(self.totals(self.put("b", goroutines)), {"main.(*T).grow": (3, 3), "main.main": (1, 4)})
        mutex = "--- mutex:\ncycles/second=2000000000\nsampling period=5\n400 2 @ 0x1000\n#\t0xfff\tmain.f+0x3f\t/src/grow.go:12\n\n"
        self.assertEqual(self.totals(self.put("c", mutex)), {"main.f": (1000, 1000)})

    def test_scaled(self):
        """As pprof does: of objects of 512 bytes every second one of 1 KB apart is there."""
        import math
        self.put("a", "heap profile: 8: 4096 [8: 4096] @ heap_v2/1024\n8: 4096 [8: 4096] @ 0x1001\n\nMAPPED_LIBRARIES:\n")
        self.assertEqual(self.totals("a")["0x1000"][0], int(4096 / (1 - math.exp(-0.5))))


class Headings(Formats):
    def test_no_time(self):
        """Nothing of what is bytes or counts is called a time, in any view."""
        self.put("bytes", HEAP)
        self.put("more", HEAP.replace("[4: 4000]", "[4: 4000]").replace("2: 3000", "2: 9000"))
        self.write("count", "main;a;b 900\nmain;c;a;b 700\nmain;c 3\n")
        self.put("cg", CALLGRIND)
        views = ("report",), ("report", "-p"), ("report", "--names=whole"), ("tree",), ("tree", "--bottom-up"), ("hot",), ("paths", "--min-percent=0"), ("cycles",), ("contexts",), ("models",)
        for file in "bytes", "count", "cg":
            for view in views:
                done = subprocess.run([APROF, *view, file], cwd=self.folder, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
                self.assertNotRegex(done.stdout, r"(?i)\btimes?\b(?! it was| of 20)|seconds| ms\b", (view, file))
        for command in ("diff", "--all"), ("check", "--max-regress=1"):
            done = subprocess.run([APROF, *command, "bytes", "more"], cwd=self.folder, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
            self.assertTrue(done.stdout)
            self.assertNotRegex(done.stdout, r"(?i)\btimes?\b(?! it was| of 20)|seconds| ms\b", command)


class Texts(Formats):
    def test_sample(self):
        self.assertEqual(self.totals(self.put("a", SAMPLE)), {"start": (0, 100000000), "main": (20000000, 80000000), "parse": (60000000, 60000000),
                                                              "[libfoo.dylib]": (20000000, 20000000), "idle": (40000000, 40000000)})
        self.assertEqual((self.flat("a")["main"]["file"], self.flat("a")["main"]["module"]), ("main.c", "app"))
        self.assertEqual([(f["pid"], f["program"]) for f in self.json("report", "a")["run"]["files"]], [(123, "app")])
        self.assertEqual(len(self.json("info", "a")["threads"]), 2)

    def test_instruments(self):
        self.assertEqual(self.totals(self.put("a", INSTRUMENTS)), {"Main Thread  0x1": (0, 10000000), "main": (2500000, 10000000), "parse": (7000000, 7000000), "next": (500000, 500000)})

    def test_pstats(self):
        """As pstats has it, function by function."""
        profile = profiled()
        profile.dump_stats(self.folder / "a.pstats")
        flat = self.json("report", "a.pstats")["flat"]
        there = {(name if file != "~" else name.replace("<", "{").replace(">", "}"), line or None): (cc, nc - cc, round(tt * 1e9), round(ct * 1e9))
                 for (file, line, name), (cc, nc, tt, ct, _) in profile.stats.items()}
        here = {(r["name"], r["line"]): (r["calls"], r["recursive"], r["self_ns"], r["total_ns"]) for r in flat}
        self.assertEqual({k: v[2] for k, v in there.items()}, {k: v[2] for k, v in here.items()})
        self.assertEqual({k: v[3] for k, v in there.items()}, {k: v[3] for k, v in here.items()})
        self.assertEqual([n for n, _ in there].count("run"), 2)
        called = {key for key, value in profile.stats.items() if value[4]}
        self.assertEqual({(k[2], k[1]): sum(there[(k[2], k[1])][:2]) for k in called if k[0] != "~"}, {(k[2], k[1]): sum(here[(k[2], k[1])][:2]) for k in called if k[0] != "~"})

    def test_pstats_of_profile(self):
        """The module profile has numbers of calls alone."""
        self.put("a", marshal.dumps({("a.py", 1, "f"): (2, 2, 0.5, 0.75, {("a.py", 9, "main"): 2}), ("a.py", 9, "main"): (1, 1, 0.25, 1.0, {})}))
        self.assertEqual({n: (r["self_ns"], r["calls"]) for n, r in self.flat("a").items()}, {"f": (500000000, 2), "main": (250000000, 1)})
        whole = marshal.dumps(profiled().stats if hasattr(profiled(), "stats") else {})
        for cut in range(9, len(whole), 3):
            self.refused(self.put("cut", whole[:cut]), "cut: ")

    def test_jfr(self):
        self.assertEqual({n: (r["self_ticks"], r["total_ticks"]) for n, r in self.flat(self.put("a", JFR)).items()},
                         {"a.b.App.run": (2, 2), "a.b.App.main": (0, 1), "(truncated)": (0, 1)})
        self.assertEqual({(t["tid"], t["name"]) for t in self.json("info", "a")["threads"]}, {(77, "main"), (0, "pool")})
        self.refused(self.put("b", b"FLR\0\0\2\0\1" + bytes(100)), "Flight Recorder", "jfr print --json")


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c"], input=data, capture_output=True, check=True).stdout


class TwoSides(Formats):
    """What difffolded.pl and inferno-diff-folded write."""
    DIFFERENCE = "main;a 10000 10500\nmain;b 0 700\nodd 7\nmain;b b 7 0.5\nmain;b b 7 0.5\n"

    def test_sides(self):
        name = self.put("d", self.DIFFERENCE)
        self.refused(name, "two profiles beside each other", "aprof diff d compares them", "--value=before or --value=after shows one")
        for value, there in ("before", {"main": (0, 10014), "a": (10000, 10000), "b b": (14, 14)}), ("after", {"main": (0, 11201), "a": (10500, 10500), "b": (700, 700), "b b": (1, 1)}):
            self.assertEqual({n: t for n, t in self.totals(name, f"--value={value}").items() if t[1]}, there)
        self.assertEqual(self.json("report", name, "--value=after")["run"]["imported"]["format"], "folded stacks")
        self.assertIn("1 line that is not a stack with two numbers behind it is passed over", self.run_("report", "-b", "--value=after", name).stderr)

    def test_compared(self):
        name = self.put("d", self.DIFFERENCE)
        shown = self.out("diff", "--all", name)
        for words in r"base +before: 10\.0 k", r"new +after: 11\.2 k", r"(?m)^ +700 +\+700 .* b +\(new\)$":
            self.assertRegex(shown, words)
        self.assertIn("b: self 0 -> 700", self.run_("check", "--max-regress", "5%", name, status=1).stdout)
        self.assertIn("one side has no profile", self.run_("diff", self.put("a", FOLDED), status=2).stderr)
        done = subprocess.run([APROF, "diff", "-"], input=self.DIFFERENCE, capture_output=True, text=True)
        self.assertIn("after: 11.2 k", done.stdout, done.stderr)
        self.out("diff", "--html", "-o", "d.html", name)

    def test_numbers_in_names(self):
        """Names that end with numbers are no second ones, as long as most lines have none."""
        self.assertEqual(self.totals(self.put("a", "main;Worker 2 30\nmain;parse 5\nmain;read 7\n"))["Worker 2"], (30, 30))


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

    def test_json_and_marks(self):
        for name, pack in self.packed():
            self.assertEqual(self.totals(self.put("a." + name, pack(b"\xef\xbb\xbf" + json.dumps(EVENTED).encode())))["main"], (35000, 85000))

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
        stats = profiled()
        stats.dump_stats(self.folder / "n")
        contents = {"a": SPEEDSCOPE, "b": EVENTED, "c": processed(True, {"stack": [2, 1], "weight": [1, 2], "time": [0, 1]}), "d": RAW, "e": CPUPROFILE, "f": TRACE, "g": CHUNKS, "h": JFR,
                    "i": HEAP, "j": GO_HEAP, "k": JEMALLOC, "l": SAMPLE, "m": INSTRUMENTS, "o": gperf(), "p": gperf(4, True), "q.gz": gzip.compress(FOLDED.encode()),
                    "r.xz": lzma.compress(FOLDED.encode())}
        if shutil.which("zstd"):
            contents["s.zst"] = zstd(FOLDED.encode())
        contents["t"] = TwoSides.DIFFERENCE
        files = ["n"] + [self.put(name, content) for name, content in contents.items()]
        subprocess.run([MUTATE, os.environ.get("MUTATIONS", "3000"), *files], cwd=self.folder, check=True)


if __name__ == "__main__":
    unittest.main()
