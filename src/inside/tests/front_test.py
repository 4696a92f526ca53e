#!/usr/bin/env python3
"""front_test.py BUILD LAYOUTS - where transitions fit the front table, the first probe answers all calls but one in 10,000, however addresses lie."""
import json, os, random, subprocess, sys, tempfile

sys.dont_write_bytecode = True
sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "tests", "lib"))
import here
BUILD, LAYOUTS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
ROUTINES, CALLEES, DEPTH = 60, 2, 7
CALLS = 24000000            # growing twice costs some 1,600 misses, once and for all (inside/machine/front.c)
WAYS = {"inline": ["--aprof-way=inline"], "fentry": ["--aprof-way=fentry"], "cyg": ["--aprof-way=cyg"], "mcount": None}
if not here.has_way(BUILD, "inline"):
    del WAYS["inline"]


def program():
    """Some 150 contexts, each entered as often as chance has it."""
    generator = random.Random(5)
    yield "volatile long left; static long n;\n#define ROUTINE(r) __attribute__((noinline, noclone)) void r(int depth)"
    yield from (f"ROUTINE(r{i});" for i in range(ROUTINES))
    for i in range(ROUTINES):
        callees = sorted({generator.randrange(i + 1, ROUTINES) for _ in range(CALLEES)}) if i < ROUTINES - 1 else []
        yield f"ROUTINE(r{i}) {{ n++; if (depth) {{ {' '.join(f'r{j}(depth - 1);' for j in callees)} }} __asm__ volatile(\"\"); }}"
    yield f"int main(void) {{ while (n < {CALLS}) {{ r0({DEPTH}); r1({DEPTH}); r2({DEPTH}); }} return 0; }}"


def misses(way, folder):
    """In one run, the part of its calls that the first probe did not answer, and how many transitions there are."""
    run = [os.path.join(BUILD, "aprof"), "run", "--no-report", "./" + way] if way == "mcount" else ["./" + way]
    subprocess.run(run, cwd=folder, check=True)
    counts = json.loads(subprocess.run([os.path.join(BUILD, "aprof"), "report", "--flat", "--json"], cwd=folder, check=True, stdout=subprocess.PIPE).stdout)["run"]["counts"]
    return counts["probe_misses"] / counts["calls"], counts["transitions"]


def main():
    worst = 0
    with tempfile.TemporaryDirectory() as folder:
        for way, options in WAYS.items():
            compiler = ["cc", "-pg"] if options is None else [os.path.join(BUILD, "aprof-cc"), *options]
            subprocess.run([*compiler, "-O1", "-fPIE", "-pie", "-x", "c", "-", "-o", way], cwd=folder, input="\n".join(program()), text=True, check=True)
            found = [misses(way, folder) for _ in range(LAYOUTS)]
            print(f"{way}: {found[0][1]} transitions, {LAYOUTS} layouts: of a million calls {1e6 * max(part for part, _ in found):.0f} at most")
            worst = max(worst, *(part for part, _ in found))
    return worst > 1e-4


if __name__ == "__main__":
    sys.exit(main())
