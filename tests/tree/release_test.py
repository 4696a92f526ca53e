"""release_test.py - what a release asks of the tree at any time: one version everywhere; debian/ and the workflow name what is there."""
import glob, importlib.machinery, importlib.util, os, re, shutil, sys, unittest

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
loader = importlib.machinery.SourceFileLoader("release", os.path.join(ROOT, "tests/release"))
release = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
loader.exec_module(release)


class Release(unittest.TestCase):
    def test_versions(self):
        self.assertEqual(release.versions(), [])

    def test_it_sees_what_is_wrong(self):
        release.version = lambda: "99.1.0"
        self.addCleanup(loader.exec_module, release)
        self.assertEqual(len(release.versions()), 6)
        self.assertIn("libaprof-99.1.abi is missing", release.interface()[0])

    def test_what_it_runs_can_be_run(self):
        """Each item of the list ends, and what it starts is a command, or a file of the tree that may be executed."""
        started = []
        real = release.subprocess.run
        release.subprocess.run = lambda words, **options: started.append(words) or real(["true"], **options)
        self.addCleanup(setattr, release.subprocess, "run", real)
        for name, ask, _ in release.ITEMS:
            with self.subTest(name):
                ask()
        self.assertGreater(len(started), 5)
        for words in started:
            self.assertTrue(shutil.which(words[0]) or os.access(os.path.join(ROOT, words[0]), os.X_OK), words)

    def test_packages(self):
        """Each package has a list of files, and each list a package; a plugin's has its plugin, and each plugin that Meson makes has one."""
        names = set(re.findall(r"(?m)^Package: (.*)$", release.read("debian/control")))
        lists = {os.path.basename(path).removesuffix(".install") for path in glob.glob(os.path.join(ROOT, "debian/*.install"))}
        self.assertEqual({name for name in names if not name.endswith("-plugin-aprof")}, lists)
        for folder, compiler in ("gcc", "gcc"), ("llvm", "clang"):
            majors = re.search(r"foreach major : \[([^]]*)\]", release.read(f"src/compile/{folder}/meson.build"))[1]
            self.assertEqual({f"{compiler}-{major}-plugin-aprof" for major in re.findall(r"\d+", majors)}, {name for name in names if name.startswith(compiler + "-")})

    def test_build_dependencies(self):
        """What make installs to build is what the source package asks for, but for the page's, which a tarball has, and what all have (build-essential)."""
        asked = re.search(r"(?s)^Build-Depends: (.*?)\n\n", release.read("debian/control"), re.M)[1]
        packages = re.search(r"(?s)^PKGS = (.*?) \$\(PLUGIN\)$", release.read("Makefile"), re.M)[1].replace("\\\n", " ").split()
        self.assertEqual([name for name in packages if name not in re.split(r"[\s,:]+", asked)], ["dpkg-dev", "g++"])

    def test_workflow(self):
        """It runs what .ci/run runs, on the releases that make distributions has."""
        text = release.read(".github/workflows/check.yml")
        self.assertIn("&& .ci/run", text)
        self.assertEqual(re.search(r"debian: \[(.*)\]", text)[1], "'12', '13'")


if __name__ == "__main__":
    unittest.main()
