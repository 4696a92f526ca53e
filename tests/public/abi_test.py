#!/usr/bin/env python3
"""abi_test.py BUILD - the interface of libaprof is that of the release before, or more: abidiff holds the library against src/public/abi/*.abi, which
`abi_test.py BUILD --keep VERSION` writes when a release is made.  77: abigail's tools are not here, or the library has no debug information."""
import pathlib, shutil, subprocess, sys, tempfile

BUILD = pathlib.Path(sys.argv[1]).resolve()
PUBLIC = pathlib.Path(__file__).resolve().parents[2] / "src/public"
LIBRARY = BUILD / "src/public/libaprof.so.1"
ALONE = ["--drop-private-types", "--exported-interfaces-only"]
ERROR, CHANGED, INCOMPATIBLE = 1 | 2, 4, 8


def released():
    """The interface of the last release."""
    return max((PUBLIC / "abi").glob("libaprof-*.abi"), key=lambda path: [int(n) for n in path.stem.partition("-")[2].split(".")])


def keep(version):
    subprocess.run(["abidw", "--headers-dir", PUBLIC / "aprof", *ALONE, "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path",
                    "--out-file", PUBLIC / "abi" / f"libaprof-{version}.abi", LIBRARY.resolve()], check=True)


def diff(library):
    """What changed since, and abidiff's status.  Functions that were added are no change."""
    done = subprocess.run(["abidiff", "--headers-dir2", PUBLIC / "aprof", *ALONE, "--no-added-syms", "--no-show-locs", released(), library],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout, done.returncode


def broken(folder):
    """The library with one function less: who takes that for the same sees nothing."""
    script, library = folder / "less.map", folder / "libaprof.so.1"
    script.write_text((PUBLIC / "libaprof.map").read_text().replace("\t\taprof_open;\n", ""))
    subprocess.run(["cc", "-shared", "-o", library, "-Wl,-soname,libaprof.so.1", f"-Wl,--version-script,{script}", "-Wl,--unresolved-symbols=ignore-all",
                    "-Wl,--whole-archive", BUILD / "src/public/libpublic.a", "-Wl,--no-whole-archive"], check=True)
    return library


def main():
    if not shutil.which("abidiff"):
        print("skipped: no abidiff here (abigail-tools)")
        return 77
    sections = subprocess.run(["readelf", "-SW", LIBRARY], capture_output=True, text=True, check=True).stdout
    if ".debug_info" not in sections:
        print("skipped: libaprof.so was built without debug information")
        return 77
    if sys.argv[2:3] == ["--keep"]:
        keep(sys.argv[3])
        return 0
    text, status = diff(LIBRARY)
    print(text, end="")
    with tempfile.TemporaryDirectory(prefix="aprof-abi-") as folder:
        seen = diff(broken(pathlib.Path(folder)))[1]
    print(f"against {released().name}: {'the same, or more' if not status else 'BROKEN: raise the soname, or put back what went'}")
    if not seen & INCOMPATIBLE:
        print("a library without aprof_open passes for the same: this test sees nothing")
    return 1 if status or not seen & INCOMPATIBLE else 0


if __name__ == "__main__":
    sys.exit(main())
