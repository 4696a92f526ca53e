"""What this build of aprof can do on this machine: for tests that take what there is."""
import os, subprocess, sys, tempfile, unittest

BEST = ("inline", "fentry", "cyg")


def long(test):
    """TEST takes seconds: the sample of its file that `make check` has, which runs with SAMPLE set, is without it (tests/README.md)."""
    return unittest.skipIf("SAMPLE" in os.environ, "not in the sample")(test)


def major(compiler="gcc"):
    """The major version of COMPILER; "" if it is not there."""
    try:
        return subprocess.run([compiler, "-dumpversion"], stdout=subprocess.PIPE, text=True).stdout.strip().split(".")[0]
    except FileNotFoundError:
        return ""


def has_way(build, way, compiler="cc"):
    """Whether aprof-cc of BUILD takes WAY with COMPILER: inline needs a plugin for that very GCC, fentry a GCC."""
    with tempfile.TemporaryDirectory(prefix="aprof-here-") as folder:
        done = subprocess.run([os.path.join(build, "aprof-cc"), "--aprof-way=" + way, "-c", "-x", "c", "/dev/null", "-o", os.path.join(folder, "o")],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=dict(os.environ, APROF_CC=compiler))
    if done.returncode and "no method " + way not in done.stderr:
        raise RuntimeError(done.stderr)
    return done.returncode == 0


def ways(build, wanted, compiler="cc"):
    """Of WANTED those that there are, or the best that there is; it is said which there are not."""
    found = [way for way in wanted if has_way(build, way, compiler)]
    for way in wanted:
        if way not in found:
            print("no method %s here" % way, file=sys.stderr)
    return found or [next(way for way in BEST if has_way(build, way, compiler))]
