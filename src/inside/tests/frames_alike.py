"""frames_alike FOLDER GCC CLANG... - the hooks' frame descriptions are the same whoever assembles them.

Unwinders go through the hooks by them: exceptions, cancellation, debuggers, `aprof run --verify`.  What an assembler makes of .cfi_ directives is
looked at as readelf tells it, hook by hook; GCC's, GNU as, is what the others are held against."""
import collections, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FILES = ["x86_64/hooks.S", "x86_64/mcount.S", "x86_64/nop.S"]
OPTIONS = [[], ["-DAPROF_SHARED", "-fPIC"], ["-DAPROF_MCOUNT", "-DAPROF_SHARED", "-fPIC"]]
ROW = re.compile(r"^[0-9a-f]{16} (.*)")


def frames(compiler, path, options, scratch):
    """Of each hook what its instructions that change it leave: the CFA and what is saved where, in their order; None: it cannot be assembled so."""
    made = os.path.join(scratch, "hooks.o")
    command = [compiler, "-c", *options, "-I", ROOT, path, "-o", made]
    if subprocess.run(command, stderr=subprocess.DEVNULL).returncode:
        return None
    told = subprocess.run(["readelf", "--debug-dump=frames-interp", "--wide", made], capture_output=True, text=True, check=True).stdout
    found, columns = [], []
    for line in told.splitlines():
        if " FDE " in line:
            found.append([])
        elif line.strip().startswith("LOC"):
            columns = line.split()[1:]
        elif found and ROW.match(line):
            found[-1].append(sorted((c, v) for c, v in zip(columns, line.split()[1:]) if v != "u"))
    # What says again what held already is no difference.
    return [[row for before, row in zip([None, *rows], rows) if row != before] for rows in found]


def differences(expected, found):
    """The hooks of either that the other has not; assemblers order sections differently."""
    a, b = (collections.Counter(repr(hook) for hook in hooks) for hooks in (expected, found))
    return [f"only the first has {hook}" for hook in b - a] + [f"only the second has {hook}" for hook in a - b]


def main():
    folder, gcc, *others = sys.argv[1:]
    compared = differ = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in FILES:
            path = os.path.join(folder, name)
            for options in OPTIONS:
                expected = frames(gcc, path, options, scratch)
                for other in others:
                    found = frames(other, path, options, scratch)
                    if expected and found:
                        wrong = differences(expected, found)
                        compared, differ = compared + len(expected), differ + len(wrong)
                        print(*(f"{name} {' '.join(options)}: by {other}, and by {gcc}: {line}" for line in wrong), sep="\n", end="\n" if wrong else "")
    print(f"{compared} hooks, {differ} differ")
    return 1 if differ or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
