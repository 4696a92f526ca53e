#!/usr/bin/env python3
"""module_test.py BUILD - the Python module aprof in a fresh virtual environment: rows, columns, the tree, comparisons, runs, errors; DataFrames, where pandas
is; types, where mypy is."""
import os, pathlib, shutil, subprocess, sys, tempfile, textwrap, unittest

sys.dont_write_bytecode = True
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "tests/lib"))
import here  # noqa: E402

APROF, MAKE_AMON, LIBRARY = BUILD / "aprof", BUILD / "src/contract/make-amon", BUILD / "src/public/libaprof.so.1"


def interpreters():
    """The Pythons of this machine, one of each version: that which runs this first."""
    found = {}
    for name in (sys.executable, "/usr/bin/python3", *(shutil.which("python3." + str(minor)) for minor in range(9, 20))):
        if name and os.path.exists(name):
            done = subprocess.run([name, "-c", "import sys; print(*sys.version_info[:3])"], capture_output=True, text=True)
            if done.returncode == 0 and tuple(map(int, done.stdout.split())) >= (3, 9):
                found.setdefault(done.stdout, name)
    return list(found.values())


class Module(unittest.TestCase):
    interpreter = sys.executable

    def need(self, module):
        if subprocess.run([self.interpreter, "-c", "import " + module], stderr=subprocess.DEVNULL).returncode:
            self.skipTest(f"no {module} for {self.interpreter}")

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="aprof-module-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        if subprocess.run([cls.interpreter, "-m", "venv", "--without-pip", "--system-site-packages", cls.folder / "venv"]).returncode:
            raise unittest.SkipTest(f"{cls.interpreter}: it makes no virtual environment")
        packages = next((cls.folder / "venv").glob("lib/python3*/site-packages"))
        shutil.copytree(ROOT / "python/aprof", packages / "aprof", ignore=shutil.ignore_patterns("__pycache__", "*.in"))
        shutil.copy(BUILD / "python/_location.py", packages / "aprof")
        for name, options in ("old", ["--paper", "3"]), ("new", ["--paper", "5"]), ("many", ["--cc1", "20000"]):
            subprocess.run([MAKE_AMON, *options, name], cwd=cls.folder, check=True)

    def python(self, program):
        """Run PROGRAM in the environment: it asserts."""
        done = subprocess.run([self.folder / "venv/bin/python", "-W", "error", "-c", "import aprof\n" + textwrap.dedent(program)], cwd=self.folder, text=True,
                              capture_output=True, env=dict(os.environ, APROF_LIBRARY=str(LIBRARY), APROF=str(APROF)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_rows(self):
        self.python("""
            p = aprof.open("old")
            rows = list(p.routines)
            assert len(rows) == len(p.routines) > 3 and rows[0] == p.routines[0] and rows[-1] == p.routines[-1]
            assert [r.self for r in rows] == sorted((r.self for r in rows), reverse=True)
            assert rows[0]._fields == tuple(p.routines.columns) and p.routines.unit("self") == "ns"
            assert all(c.about for t in (p.routines, p.arcs, p.contexts, p.tree, p.findings, p.runs) for c in t.columns.values())
            assert rows[0].file is None and rows[0].line is None and rows[0].pseudo is False
            assert sum(r.self for r in p.contexts) == p.tree.root.total == sum(r.self for r in rows)
            assert any(a.caller is None for a in p.arcs)
            try:
                p.routines[len(rows)]
                raise SystemExit("no IndexError")
            except IndexError:
                pass
            assert aprof.version()""")

    def test_tree(self):
        self.python("""
            tree = aprof.open("old").tree                      # the profile lives on in it
            def check(node, depth=0):
                assert node.depth == depth
                assert node.total == node.self + sum(child.total for child in node.children)
                assert all(child.parent.index == node.index for child in node.children)
                return 1 + sum(check(child, depth + 1) for child in node.children)
            assert check(tree.root) == len(tree) == len(list(tree.nodes()))
            deepest = max(tree.nodes(), key=lambda n: n.depth)
            assert len(deepest.path()) == deepest.depth and tree.root.name is None and "run" in repr(tree.root)
            assert not hasattr(deepest, "no_such")""")

    def test_arrays_outlive_what_they_are_of(self):
        self.python("""
            import gc
            array = aprof.open("old").routines.array("self")
            gc.collect()
            assert sum(array) == aprof.open("old").tree.root.total and array.readonly and array.itemsize == 8""")

    def test_compare(self):
        self.python("""
            c = aprof.compare("old", ["new"])
            assert c.verdict.answer == "slower" and c.verdict.error is None
            assert [(r.file, r.new) for r in c.runs] == [("old", False), ("new", True)]
            assert all(r.new - r.base == r.change for r in c.routines) and any(r.calls_news for r in c.routines)
            assert c.contexts[0].parent is None and len(c.arcs) > 3""")

    def test_errors(self):
        (self.folder / "wrong").write_text("no profile\n")
        self.python("""
            def raises(kind, word, call, *arguments, **options):
                try:
                    call(*arguments, **options)
                except kind as error:
                    assert word in str(error), error
                else:
                    raise SystemExit(f"no {kind}")
            raises(OSError, "nowhere", aprof.open, "nowhere")
            raises(aprof.FileError, "wrong", aprof.open, "wrong")
            raises(aprof.UsageError, "no such option", aprof.open, "old", colour="red")
            raises(aprof.UsageError, "nobody", aprof.open, "old", focus="nobody")
            raises(aprof.UsageError, "no file", aprof.open, [])
            raises(aprof.UsageError, "no such table", aprof.open("old").table, "no such")""")

    def test_options(self):
        self.python("""
            p = aprof.open("old")
            heavy = max((r for r in p.routines if r.total < p.tree.root.total), key=lambda r: r.total)
            focused = aprof.open("old", focus=heavy.name, model="cct", raw=False)
            assert focused.tree.root.total == heavy.total
            assert aprof.open(["old", "new"]).tree.root.total == p.tree.root.total + aprof.open("new").tree.root.total""")

    def test_run(self):
        self.python("""
            import os, subprocess
            p = aprof.run(["/bin/sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; exit 3"], aprof=os.environ["APROF"])
            assert p.runs[0].program and p.tree.root.total > 0
            try:
                aprof.run(["/no/such/program"], aprof=os.environ["APROF"], stderr=subprocess.DEVNULL)
                raise SystemExit("no error")
            except subprocess.CalledProcessError:
                pass""")

    def test_names_are_told_apart(self):
        self.python("""
            assert aprof._distinct(["f", None, "f", "f (2)", "g", "f"]) == ["f", "(unknown)", "f (2)", "f (2) (2)", "g", "f (3)"]""")

    def test_pandas(self):
        """Numbers are the library's own memory, with no row looked at in Python."""
        self.need("pandas")
        self.python("""
            import numpy, pandas
            p = aprof.open("many")
            t = p.contexts
            frame = t.to_pandas()
            assert len(frame) == len(t) > 10000 and frame["self"].sum() == p.tree.root.total and frame.attrs["units"]["self"] == "ns"
            assert numpy.shares_memory(t.to_numpy()["self"], numpy.asarray(t.array("self")))
            tree = p.tree.to_pandas()
            assert tree["parent"][0] == tree["routine"][0] == -1 and pandas.isna(tree["name"][0]) and list(tree["parent"][1:100]) == [n.parent for n in p.tree[1:100]]
            assert numpy.shares_memory(frame["routine"], numpy.asarray(t.array("routine"))) and numpy.shares_memory(frame["self"], numpy.asarray(t.array("self")))
            assert list(frame["name"][1:100]) == [p.routines[r.routine].name for r in t[1:100]]
            rows = pandas.DataFrame(p.routines)
            assert list(rows.columns) == list(p.routines.columns) and rows["self"].sum() == p.routines.to_pandas()["self"].sum()
            assert p.routines.to_pandas()["line"].isna().all()
            assert (frame.groupby("name", observed=True)["self"].sum().sort_values(ascending=False).head(3) > 0).all()""")

    @here.long
    def test_types(self):
        self.need("mypy")
        done = subprocess.run([self.interpreter, "-m", "mypy", "--cache-dir", os.devnull, "--python-version", "3.11", "--ignore-missing-imports", "-p", "aprof"],
                              cwd=next((self.folder / "venv").glob("lib/python3*/site-packages")), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)


def main():
    """All tests by each Python; 77: none makes a virtual environment."""
    failed = passed = 0
    for Module.interpreter in interpreters():
        print(Module.interpreter, file=sys.stderr)
        result = unittest.main(exit=False).result
        failed += len(result.failures) + len(result.errors)
        passed += result.testsRun - len(result.skipped)
    return 1 if failed else 0 if passed > 0 else 77


if __name__ == "__main__":
    sys.exit(main())
