"""bench/fetch with an apt made up here: nothing is fetched."""

import os
import subprocess
import tempfile
import unittest

FETCH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "fetch")

APT_GET = """#!/bin/sh
[ "$2" = update ] && exit 0
echo "E: 404 Not Found" >&2
exit 100
"""
APT_CACHE = """#!/bin/sh
[ "$3" = known ] && echo "Package: known" && exit 0
exit 100
"""


@unittest.skipUnless(os.path.exists("/etc/apt"), "no apt")
class Unfetched(unittest.TestCase):
    def fetch(self, package):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in ("apt-get", APT_GET), ("apt-cache", APT_CACHE), ("dpkg-source", ""), ("dpkg-deb", ""):
                path = os.path.join(folder, name)
                with open(path, "w") as file:
                    file.write(text)
                os.chmod(path, 0o755)
            done = subprocess.run([FETCH, package], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, "PATH": folder + ":" + os.environ["PATH"], "APROF_BENCH_CACHE": folder})
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr.splitlines()[-1]

    def test_unknown(self):
        for package in "unknown", "deb:unknown":
            self.assertEqual(self.fetch(package), f"bench/fetch: apt has no package named {package}")

    def test_behind(self):
        for package in "known", "deb:known":
            self.assertEqual(self.fetch(package), f"bench/fetch: apt knows {package} and cannot download it: see above, or try again later")


if __name__ == "__main__":
    unittest.main()
