"""The root of the tree has what is on this list, and nothing else: what a tool or a test leaves there does not stay unseen."""
import os, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "INSTALL.md", "LICENSE", "Makefile", "SECURITY.md", "meson.build", "meson_options.txt"}
FOLDERS = {"src", "tests", "bench", "doc", "python", "debian"}
OWN = ("amon.out", "gmon.out")          # a user's own, as .gitignore has them

more = [name for name in sorted(os.listdir(ROOT)) if name not in FILES | FOLDERS and not name.startswith((".", "build", *OWN))]
print(*(f"{name}: not on the root's list (tests/tree/root_test.py)" for name in more), sep="\n")
sys.exit(bool(more))
