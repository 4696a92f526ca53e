"""interpreters_test.py BUILD [TEST...] - aprof run --script: Lua 5.4 and CPython as Debian has them, against other counts of the same run."""
import json, os, pathlib, re, shutil, subprocess, sys, tempfile, unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import random_greenlets, random_python  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
APROF = str(BUILD / "aprof")
LUA = shutil.which("lua5.4")
PYTHON = "/usr/bin/python3"
HAS_PYTHON = next(iter((BUILD / "src/inside/interpreters").glob("libaprof-python3.*.so")), None) is not None


def run(command, cwd, status=0, **environ):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8", **environ))
    if status is not None and done.returncode != status:
        raise AssertionError("%s: status %d\n%s%s" % (command, done.returncode, done.stdout, done.stderr))
    return done


class Interpreter(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.cwd = self.folder.name

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        pathlib.Path(self.cwd, name).write_text(text)

    def profile(self, *command, options=(), clock="none", data="amon.out", status=0, **environ):
        return run([APROF, "run", "--script", "--no-report", "--clock=" + clock, "--data", data, *options, *command], self.cwd, status, **environ)

    def routines(self, language, data="amon.out"):
        found = json.loads(run([APROF, "report", "--json", data], self.cwd).stdout)["flat"]
        return [r for r in found if r["module"] == "script: " + language]

    def contexts(self, data="amon.out", **more):
        """History -> [entries, recursive, counted]."""
        found = {}
        for line in run([APROF, "contexts", "-b", "--raw", data], self.cwd).stdout.splitlines():
            if re.match(r"\d+ \d+ [\d.]+ ", line):
                entries, recursive, counted, history = line.split(" ", 3)
                found[history.replace("\\x20", "_")] = [int(entries), int(recursive), int(float(counted))]
        return {history: counts for history, counts in found.items() if any(counts)}

    def info(self, data="amon.out"):
        return run([APROF, "info", data], self.cwd).stdout


@unittest.skipUnless(LUA, "no lua5.4 here")
class Lua(Interpreter):
    def test_calls(self):
        """Each function's calls are what a hook in Lua counts; what is printed is what is printed without."""
        script = HERE / "calls.lua"
        bare = run([LUA, script], self.cwd)
        counted = run([LUA, HERE / "reference.lua", script], self.cwd)
        self.assertEqual(self.profile(LUA, script).stdout, bare.stdout)
        found, expected = {}, {}
        for r in self.routines("lua"):
            key = "%s:%d" % (r["file"], r["line"] or 0) if r["file"] else r["name"]
            found[key] = found.get(key, 0) + r["calls"] + r["recursive"]
        for line in counted.stderr.splitlines():
            n, key = line.split(" ", 1)
            expected[key] = int(n)
        for those in found, expected:               # what the reference has in their place
            for name in "coroutine.create", "coroutine.resume", "coroutine.wrap", "for iterator [C]", "debug.sethook":
                those.pop(name, None)
        self.assertGreater(len(found), 60)
        self.assertEqual(found, expected)

    def test_contexts(self):
        """Errors, tail calls and coroutines leave what they leave."""
        self.write("s.lua", """
local function leaf() end
local function thrower() leaf() error("x") end
local function tail() return leaf() end
local body = function() leaf() coroutine.yield() leaf() end
local function start(co) coroutine.resume(co) end
local function finish(co) coroutine.resume(co) end
pcall(thrower) leaf() tail() leaf()
local co = coroutine.create(body)
start(co) finish(co) leaf()
""")
        self.profile(LUA, "s.lua")
        main, found = "main_chunk_(s.lua)", {}
        for history, counts in self.contexts().items():
            found[history.replace(main, "main")] = counts[0]
        self.assertEqual(found, {
            "main": 1, "main pcall": 1, "main pcall <s.lua:3>": 1, "main pcall <s.lua:3> leaf": 1, "main pcall <s.lua:3> error": 1,
            "main leaf": 4, "main tail": 1, "main coroutine.create": 1,
            "main start": 1, "main start coroutine.resume": 1, "main start coroutine.resume <s.lua:5>": 1,
            "main start coroutine.resume <s.lua:5> leaf": 1, "main start coroutine.resume <s.lua:5> coroutine.yield": 1,
            "main finish": 1, "main finish coroutine.resume": 1, "main finish coroutine.resume <s.lua:5> leaf": 1})

    def test_one_line(self):
        """Functions that begin in one line are two."""
        self.write("s.lua", "local function f() return function() end end\nlocal g = f() g() g()\n")
        self.profile(LUA, "s.lua")
        self.assertEqual(sorted(r["calls"] for r in self.routines("lua")), [1, 1, 2])

    def test_many(self):
        """A thousand functions, called in turn: each has its calls, wherever the hook's table has it."""
        self.write("s.lua", "local f = {}\n" + "".join("f[%d] = function() end\n" % (i + 1) for i in range(1000)) +
                   "for n = 1, 3 do for i = 1, #f do for j = 1, i % 5 + 1 do f[i]() end end end\n")
        self.profile(LUA, "s.lua")
        self.assertEqual({r["line"] - 1: r["calls"] for r in self.routines("lua") if (r["line"] or 0) > 1}, {i: 3 * (i % 5 + 1) for i in range(1, 1001)})

    def calls_by_line(self, script):
        """Of a run of SCRIPT, by source and line: of all routines that begin there."""
        self.profile(LUA, script)
        calls = {}
        for r in self.routines("lua"):
            where = r["file"], r["line"] or 0
            calls[where] = calls.get(where, 0) + r["calls"]
        return calls

    def test_collected(self):
        """Prototypes whose addresses the collector gives to others, of sources with short names and with long ones."""
        for name in "made", "made" * 13:
            self.write("s.lua", """
for i = 1, 3000 do
  local n = i % 7
  local f = load(("\\n"):rep(n) .. "local x = ... return function() return x end", "=NAME" .. n)
  f(i)() f = nil
  if i % 10 == 0 then collectgarbage() end
end""".replace("NAME", name))
            calls = self.calls_by_line("s.lua")
            for n in range(7):
                each = len([i for i in range(1, 3001) if i % 7 == n])
                self.assertEqual([calls["%s%d" % (name, n), 0], calls["%s%d" % (name, n), n + 1]], [each, each])

    def test_collected_in_one_line(self):
        """The same where nothing but the text of the source tells one from the other, whoever loads it; some hundred have all addresses of one before."""
        load = ["load", "function(...) return select(2, pcall(load, ...)) end",
                "coroutine.wrap(function(...) local text, name = ... while true do text, name = coroutine.yield((load(text, name))) end end)",
                "function(text, name) return dofile(name:sub(2)) end", "package.loadlib('./loads.so', 'loads')"]
        self.write("loads.c", """
#include <stddef.h>
struct lua_State;
extern const char *lua_tolstring(struct lua_State *L, int index, size_t *length);
extern int luaL_loadbufferx(struct lua_State *L, const char *text, size_t length, const char *name, const char *mode);
int loads(struct lua_State *L)
{
	size_t length;
	const char *text = lua_tolstring(L, 1, &length);

	luaL_loadbufferx(L, text, length, lua_tolstring(L, 2, NULL), NULL);
	return 1;
}""")
        subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "loads.c", "-o", "loads.so"], cwd=self.cwd, check=True)
        for loads in load:
            for name in "made", "made" * 13, "made" * 20:
                text = "return function() local x = 1; return x + 12, x * 3, x // 2, x - 4, x and 1 end"
                for n in range(7):
                    self.write(name + str(n), text)
                self.write("s.lua", """
local load = LOAD
for i = 1, 6000 do
  local f = load("TEXT", "=NAME" .. i % 7)
  if type(f()) == "function" then f()() f()() else f() end
  f = nil
  if i % 2 == 0 then collectgarbage() end
end""".replace("LOAD", loads).replace("TEXT", text).replace("NAME", name))
                calls = self.calls_by_line("s.lua")
                for n in range(7):
                    each = len([i for i in range(1, 6001) if i % 7 == n])
                    wanted = [each, 2 * each] if "dofile" in loads else [3 * each, 2 * each]
                    self.assertEqual([calls["%s%d" % (name, n), 0], calls["%s%d" % (name, n), 1]], wanted, loads)

    def test_yields(self):
        """A million yields, and 100,000 coroutines, take no more contexts and memory than a few."""
        self.write("s.lua", """
local co = coroutine.wrap(function() while true do coroutine.yield() end end)
for i = 1, 1000000 do co() end
for i = 1, 100000 do local c = coroutine.create(function() coroutine.yield() end) coroutine.resume(c) end
""")
        self.profile(LUA, "s.lua")
        contexts = self.contexts()
        self.assertLess(len(contexts), 20)
        self.assertIn([1000000, 0, 0], contexts.values())
        self.assertIn([100000, 0, 0], contexts.values())
        self.assertLess(int(re.search(r"(\d+) bytes outside the file", self.info())[1]), 64 << 20)

    def test_instructions(self):
        """By the clock of instructions two runs are the same, and one call more is found."""
        script = HERE / "calls.lua"
        self.profile(LUA, script, clock="count", data="one")
        self.profile(LUA, script, clock="count", data="two")
        one = self.contexts("one")
        self.assertEqual(one, self.contexts("two"))
        self.assertGreater(sum(c[2] for c in one.values()), 10000)
        run([APROF, "check", "one", "--against", "two"], self.cwd)
        self.write("a.lua", "local function f() end\nfor i = 1, 1000 do f() end\n")
        self.write("b.lua", "local function f() end\nfor i = 1, 1001 do f() end\n")
        for name in "a", "b":
            os.replace(pathlib.Path(self.cwd, name + ".lua"), pathlib.Path(self.cwd, "s.lua"))
            self.profile(LUA, "s.lua", clock="count", data=name)
        self.assertRegex(run([APROF, "check", "a", "--against", "b"], self.cwd, status=1).stdout, r"\bf\b")

    def test_own_hook(self):
        """A script does not see our hook; while it has its own nothing is told, and afterwards it is again."""
        self.write("s.lua", """
local function before() end
local function during() end
local function after() end
local seen = 0
before()
assert(not debug.gethook())
debug.sethook(function() seen = seen + 1 end, "c")
assert(debug.gethook())
during()
debug.sethook()
assert(not debug.gethook() and seen > 1)
local function deep() for i = 1, 3 do after() end end
deep()
local co = coroutine.create(function() after() end)
assert(not debug.gethook(co))
coroutine.resume(co)
print(seen)
""")
        self.assertEqual(self.profile(LUA, "s.lua").stdout, run([LUA, "s.lua"], self.cwd).stdout)
        names = "before", "during", "after", "deep"
        found = {tuple(h.split()[1:]): counts[0] for h, counts in self.contexts().items() if h.split()[-1] in names}
        self.assertEqual(found, {("before",): 1, ("deep",): 1, ("deep", "after"): 3, ("coroutine.resume", "<s.lua:15>", "after"): 1}, self.contexts())

    def test_stripped(self):
        """Functions whose debug information was stripped away have no source and no name."""
        self.write("s.lua", """
local one = load(string.dump(function() return 1 end, true))
local two = load(string.dump(load("local function g() return 2 end return g() + g()"), true))
for i = 1, 3 do one() two() end
""")
        self.profile(LUA, "s.lua")
        calls = sorted(r["calls"] for r in self.routines("lua") if r["name"] in ("one", "two", "g") or "?" in r["name"])
        self.assertEqual(calls, [3, 3, 6], self.routines("lua"))

    def test_environment(self):
        """What the user has in LUA_INIT runs too, and children of the script are followed."""
        self.write("s.lua", "print(x)\nif not arg[1] then os.execute('%s s.lua child') end\n" % LUA)
        self.assertEqual(self.profile(LUA, "s.lua", LUA_INIT="x = 1").stdout, "1\n1\n")
        self.assertEqual(self.profile(LUA, "s.lua", LUA_INIT="x = 1", LUA_INIT_5_4="x = 2").stdout, "2\n2\n")
        self.write("init.lua", "x = 3\n")
        self.assertEqual(self.profile(LUA, "s.lua", LUA_INIT_5_4="@init.lua").stdout, "3\n3\n")
        self.assertEqual(self.contexts()["main_chunk_(s.lua)"][0], 2)

    def test_status(self):
        """A script that fails fails as without."""
        self.write("s.lua", "local function f() error('no') end\nf()\n")
        bare, done = run([LUA, "s.lua"], self.cwd, 1), self.profile(LUA, "s.lua", status=1)
        self.assertEqual(done.stderr, bare.stderr)
        self.assertIn("main_chunk_(s.lua) f error", self.contexts())
        self.write("s.lua", "os.exit(7)\n")
        self.profile(LUA, "s.lua", status=7)

    def test_report(self):
        self.write("s.lua", "local function work() local n = 0 for i = 1, 3e7 do n = n + i % 7 end return n end\nprint(work())\n")
        done = run([APROF, "run", "--script", "--report", "-b", LUA, "s.lua"], self.cwd)
        self.assertRegex(done.stdout, r"(?m)^ *(9\d|100)\.\d\d .* 1 .* work$")


# By cProfile, of the script's functions: calls, and of the functions in C that each calls.  What is imported is left out: it depends on what was imported before.
LSPROF = """
import _lsprof, sys
sys.argv, profiler, text = sys.argv[1:], _lsprof.Profiler(), open(sys.argv[1]).read()
code = compile(text, sys.argv[0], 'exec')
profiler.enable()
exec(code, {'__name__': '__main__'})
profiler.disable()
import json
own = [entry for entry in profiler.getstats() if not isinstance(entry.code, str) and entry.code.co_filename == sys.argv[0]]
print(json.dumps([[[entry.code.co_firstlineno, entry.code.co_name, entry.callcount] for entry in own],
                  [[called.code, called.callcount] for entry in own for called in entry.calls or [] if isinstance(called.code, str)]]))
"""


class Random(Interpreter):
    def random(self, text, contexts, names, above):
        """A script has the contexts that it wrote down itself, those below ABOVE."""
        self.write("s.py", text)
        self.profile(PYTHON, "s.py")
        log = json.loads(pathlib.Path(self.cwd, "log.json").read_text())
        names, found = names(log), {}
        for history, counts in self.contexts().items():
            before, _, inside = history.rpartition(above)
            if before and all(routine.rstrip("'") in names for routine in inside.split()):
                found[inside] = [sum(pair) for pair in zip(counts, found.get(inside, [0, 0]))]
        self.assertEqual(found, contexts(log))

    def random_all(self, seeds):
        greenlets = subprocess.run([PYTHON, "-c", "import greenlet"], capture_output=True).returncode == 0
        for seed in seeds:
            with self.subTest(seed=seed):
                for tasks, above in (False, "s.py "), (True, " _contextvars.Context.run "):
                    self.random(random_python.script(seed, tasks), random_python.contexts, random_python.names, above)
                if greenlets:
                    self.random(random_greenlets.script(seed), random_greenlets.contexts, random_greenlets.names, "s.py ")


@unittest.skipUnless(HAS_PYTHON, "aprof was built without the headers of CPython 3.11 or 3.13")
class Python(Random):
    def test_calls(self):
        """Each function's calls are cProfile's; what is printed is what is printed without."""
        script = HERE / "calls.py"
        bare = run([PYTHON, script], self.cwd)
        self.assertEqual(self.profile(PYTHON, script).stdout, bare.stdout)
        own, in_c = json.loads(run([PYTHON, "-c", LSPROF, script], self.cwd).stdout.splitlines()[-1])
        python, c = {}, {}
        for line, name, calls in own:
            python[line, name] = python.get((line, name), 0) + calls
        for name, calls in in_c:
            name = re.sub(r"<method '(\w+)' of '(\w+)' objects>|<built-in method (?:builtins\.)?([\w.]+)>", lambda m: m[3] or m[2] + "." + m[1], name)
            c[name] = c.get(name, 0) + calls
        found, named, mine = {}, set(), {}
        for r in self.routines("python"):
            if r["file"] == str(script):
                name = r["name"].split(".")[-1] if not r["name"].startswith("<module>") else "<module>"
                found[r["line"], name] = found.get((r["line"], name), 0) + r["calls"] + r["recursive"]
                named.add(r["name"].replace(" ", "_"))
        self.assertEqual(found, python)
        self.assertGreater(len(found), 20)
        for history, counts in self.contexts().items():
            *above, last = history.split()
            if above and above[-1].rstrip("'") in named:
                mine[last] = mine.get(last, 0) + counts[0] + counts[1]
        for name in "math.sqrt", "list.append", "len", "sorted", "str.join", "sum", "next", "_functools.reduce", "generator.send", "generator.throw":
            self.assertEqual(mine[name], c[name], name)

    def test_contexts(self):
        self.write("s.py", """
def leaf(): pass
def thrower():
    leaf()
    raise ValueError
def catcher():
    try: thrower()
    except ValueError: leaf()
def gen():
    leaf()
    yield 1
    leaf()
def take(g): next(g, None)
catcher()
g = gen()
take(g)
next(g, None)
leaf()
""")
        self.profile(PYTHON, "s.py")
        main = "<module>_%s" % pathlib.Path(self.cwd, "s.py").resolve()
        found = {}
        for history, counts in self.contexts().items():
            history = re.sub(r"^<module>_\S*s\.py", "main", history)
            if history.startswith("main"):
                found[history] = counts[0]
        self.assertEqual(found, {
            "main": 1, "main catcher": 1, "main catcher thrower": 1, "main catcher thrower leaf": 1, "main catcher leaf": 1,
            "main take": 1, "main take next": 1, "main take next gen": 1, "main take next gen leaf": 1,
            "main next": 1, "main next gen": 1, "main next gen leaf": 1, "main leaf": 1})

    def test_thrown_and_caught(self):
        """A generator goes on when the one that it waits for has caught what was thrown into it, of which the interpreter says nothing: by send, by await, and at the end."""
        self.write("s.py", """
import asyncio
def leaf(): pass
def inner():
    try: yield 1
    except ValueError: leaf()
def middle():
    yield from inner()
    leaf()
def outer():
    yield from middle()
    len("x")
    yield 2
def use(g):
    next(g)
    g.throw(ValueError)
    leaf()
class Own:
    def __iter__(self): return self
    def __next__(self): return 1
    def throw(self, *what): raise StopIteration
def own(): yield from Own()
async def waits():
    try: await asyncio.sleep(10)
    except asyncio.CancelledError: leaf()
async def task():
    await waits()
    leaf()
async def main():
    t = asyncio.create_task(task())
    await asyncio.sleep(0.01)
    t.cancel()
    await t
    leaf()
use(outer())
g = own()
next(g)
try: g.throw(ValueError)
except StopIteration: leaf()
asyncio.run(main())
leaf()
""")
        self.profile(PYTHON, "s.py")
        found = {}
        for history, counts in self.contexts().items():
            history = re.sub(r"^<module>_\S*s\.py", "main", history)
            history = re.sub(r"^main run .* Handle._run _contextvars.Context.run", "loop", history)
            if re.match(r"(main( use.*| own| leaf| generator.throw.*)?|loop( (main|task|waits|leaf))*)$", history):
                found[history] = counts[0]
        throw = "main use generator.throw"
        self.assertEqual({history: n for history, n in found.items() if history.startswith("main")}, {
            "main": 1, "main leaf": 2, "main use": 1, "main use leaf": 1, "main use next": 1, "main use next outer": 1, "main use next outer middle": 1,
            "main use next outer middle inner": 1, throw: 1, throw + " inner": 1, throw + " inner leaf": 1, throw + " middle": 1, throw + " middle leaf": 1,
            throw + " outer": 1, throw + " outer len": 1, "main generator.throw": 1, "main generator.throw Own.throw": 1, "main generator.throw own": 1})
        self.assertEqual({history: n for history, n in found.items() if history.startswith("loop ")}, {
            "loop main": 3, "loop main leaf": 1, "loop task": 2, "loop task waits": 1, "loop waits": 1, "loop waits leaf": 1, "loop task leaf": 1})

    def test_greenlets(self):
        """Each has its own stack; who goes on does so for who resumed it, also if that is not Python's, as in gevent."""
        if subprocess.run([PYTHON, "-c", "import gevent"], capture_output=True).returncode:
            self.skipTest("no python3-gevent here")
        self.write("s.py", """
import gevent
def leaf(): pass
def work(n):
    for i in range(n):
        leaf()
        gevent.sleep(0)
gevent.joinall([gevent.spawn(work, 5) for i in range(4)])
leaf()
""")
        self.profile(PYTHON, "s.py")
        found = {}
        for history, counts in self.contexts().items():
            if re.search(r" (work|leaf)$", history):
                found[" ".join(history.split()[-2:])] = counts[0]
        loop = next(key for key in found if key.endswith("run work"))
        self.assertEqual(found, {loop: 4, "work leaf": 20, "<module>_%s leaf" % pathlib.Path(self.cwd, "s.py").resolve(): 1})

    def test_profile_function_taken(self):
        """Greenlets, and threads that take the profile function away and give it back, where memory that is freed is overwritten."""
        if subprocess.run([PYTHON, "-c", "import greenlet"], capture_output=True).returncode:
            self.skipTest("no python3-greenlet here")
        self.write("s.py", """
import cProfile, greenlet, sys, threading
def leaf(): pass
def goes():
    while True:
        leaf()
        main.switch()
def deep(n):
    if n: return deep(n - 1)
    other.enable()
def work():
    sys.setprofile(None)
    leaf()
    sys.setprofile(threading._profile_hook)
    leaf()
main, there, other = greenlet.getcurrent(), greenlet.greenlet(goes), cProfile.Profile()
for i in range(9):
    t = threading.Thread(target=work)
    t.start()
    t.join()
deep(50)
for i in range(1000): [leaf() for j in range(3)]
there.switch()
other.disable()
there.switch()
leaf()
""")
        self.profile(PYTHON, "s.py", PYTHONMALLOC="debug", MALLOC_PERTURB_="77")
        found = [counts[0] for history, counts in self.contexts().items() if history.split()[-1] == "leaf" and not history.startswith("<module>")]
        self.assertEqual(sum(found), 9)         # of the threads; cProfile of 3.12 on takes nothing away

    def test_random(self):
        self.random_all(range(3))

    def test_threads(self):
        self.write("s.py", """
import threading
def work(n): return n if n < 2 else work(n - 1) + work(n - 2)
all = [threading.Thread(target=work, args=(12,)) for i in range(4)]
for t in all: t.start()
for t in all: t.join()
""")
        self.profile(PYTHON, "s.py")
        work = [r for r in self.routines("python") if r["name"] == "work"]
        self.assertEqual([(r["calls"], r["recursive"]) for r in work], [(4, 4 * 464)])

    def test_methods_in_c(self):
        """They are those of the type that has them, whoever calls them first."""
        self.write("s.py", "class Own(list): pass\nOwn().append(1)\n[].append(2)\nOwn.fromkeys = dict.fromkeys\nOwn.fromkeys([])\n")
        self.profile(PYTHON, "s.py")
        calls = {r["name"]: r["calls"] for r in self.routines("python")}
        self.assertEqual((calls["list.append"], calls["dict.fromkeys"]), (2, 1))

    def test_status(self):
        self.write("s.py", "def f(): raise SystemExit(5)\nf()\n")
        self.profile(PYTHON, "s.py", status=5)
        self.write("s.py", "def f(): return 1 // 0\nf()\n")
        bare, done = run([PYTHON, "s.py"], self.cwd, 1), self.profile(PYTHON, "s.py", status=1)
        self.assertEqual(done.stderr, bare.stderr)

    def test_environment(self):
        """A sitecustomize of the user's is imported as without; -m and -c are scripts too."""
        pathlib.Path(self.cwd, "own").mkdir()
        self.write("own/sitecustomize.py", "import builtins\nbuiltins.mark = 3\n")
        self.write("s.py", "import sys\nprint(mark, sys.modules['sitecustomize'].__file__.split('/')[-2])\ndef f(): pass\nf()\n")
        self.assertEqual(self.profile(PYTHON, "s.py", PYTHONPATH=str(pathlib.Path(self.cwd, "own"))).stdout, "3 own\n")
        self.assertEqual([r["calls"] for r in self.routines("python") if r["name"] == "f"], [1])
        self.profile(PYTHON, "-c", "def g(): pass\ng()")
        self.assertEqual([r["calls"] for r in self.routines("python") if r["name"] == "g"], [1])
        self.write("m.py", "def h(): pass\nh()\n")
        self.profile(PYTHON, "-m", "m")
        self.assertEqual([r["calls"] for r in self.routines("python") if r["name"] == "h"], [1])


@unittest.skipUnless(HAS_PYTHON, "aprof was built without the headers of CPython 3.11 or 3.13")
class PythonOwn(Random):
    def test_random(self):
        self.random_all(range(3, 60))

    def test_own_tests(self):
        """CPython's own tests of what is hard pass under it, where they are installed."""
        if subprocess.run([PYTHON, "-c", "import test.test_generators"], capture_output=True).returncode:
            self.skipTest("no libpython3-testsuite here")
        for name in "test_generators", "test_coroutines", "test_exceptions", "test_threading":
            command = PYTHON, "-m", "test", "-i", "test_getprofile_all_threads", name      # which wants no profile function in C
            bare = run(command, self.cwd, None)
            self.assertEqual(self.profile(*command, status=None).returncode, bare.returncode, name)


class Unknown(Interpreter):
    def test_none(self):
        done = run([APROF, "run", "--script", "/bin/true"], self.cwd)
        self.assertIn("--script: no interpreter of this run reported a script", done.stderr)


    def test_hooks(self):
        """An interpreter with hooks of its own is refused, before it runs."""
        self.write("m.c", "#include <stdio.h>\nint main(void) { puts(\"ran\"); return 0; }\n")
        run([BUILD / "aprof-cc", "m.c", "-o", "m"], self.cwd)
        done = run([APROF, "run", "--script", "./m"], self.cwd, status=2)
        self.assertEqual((done.stdout, done.stderr), ("", "aprof: --script: ./m has hooks of its own: run an interpreter without any, or let it tell of "
                                                      "its scripts itself (aprof_api(3))\n"))


unittest.main(verbosity=1)
