"""compare_readers.py MAKE_AMON DUMP_CONTEXTS READ_AMON SEEDS: the reader written from doc/format.md alone, the real
one and the maker agree on made files; the readers also on files cut off, and on several at once."""
import os, subprocess, sys, tempfile

make_amon, dump_contexts, read_amon, seeds = sys.argv[1:]

def lines(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    return sorted(done.stdout.splitlines())

def check(what, one, other):
    if one != other:
        different = sorted(set(one) ^ set(other))
        sys.exit("%s: %d lines against %d; for one: %s" % (what, len(one), len(other), different[0]))

def check_file(directory, options):
    file, counted = os.path.join(directory, "amon.out"), os.path.join(directory, "counted")
    lines(make_amon, *options, "--contexts", counted, file)
    with open(counted) as f:
        expected = sorted(f.read().splitlines())
    assert len(expected) > 5, options
    check(options, lines(dump_contexts, file), expected)
    check(options, lines(sys.executable, read_amon, file), expected)
    return file

def check_cuts(file):
    with open(file, "rb") as f:
        data = f.read()
    for size in range(4096, len(data), len(data) // 7 + 1):
        with open(file + ".cut", "wb") as f:
            f.write(data[:size])
        check("cut at %d" % size, lines(sys.executable, read_amon, file + ".cut"), lines(dump_contexts, file + ".cut"))

with tempfile.TemporaryDirectory() as directory:
    check_file(directory, ["--paper", "10"])
    check_file(directory, ["--cc1", "3000"])
    for seed in range(1, int(seeds) + 1):
        file = check_file(directory, ["--seed", str(seed), "--routines", str(3 * seed), "--threads", str(1 + seed % 3),
                                      "--calls", "3000", "--chunk", "300", "--recursion", "0.3",
                                      "--reset", str(1000 * (seed % 2)), "--phases", str(seed // 2 * 3), "--values", "3"])
        check_cuts(file)
        for value in "cpu", "value1", "value2":
            check(value, lines(sys.executable, read_amon, "--value", value, file), lines(dump_contexts, "--value", value, file))
        twice = [file, file]
        check("twice", lines(sys.executable, read_amon, *twice), lines(dump_contexts, *twice))
    names = os.path.join(directory, "names")
    with open(names, "w") as f:
        f.write("program+0x400000 operator new\n")
    named = lines(sys.executable, read_amon, "--names", names, file)
    assert any("operator\\x20new" in line for line in named)
    assert not any("program+0x400000 " in line + " " for line in named)
