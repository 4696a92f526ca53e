"""routines_test.py - the table of MPI's routines has as many arguments for each as the mpi.h of the MPIs that are installed, and names its counts, types and
communicators where that has them."""
import pathlib, re, shutil, subprocess, sys, unittest

sys.dont_write_bytecode = True
TABLE = pathlib.Path(__file__).resolve().parent.parent / "routines.txt"
COMPILERS = [name for name in ("mpicc.openmpi", "mpicc.mpich") if shutil.which(name)]
# Letter's rest -> what the type of such an argument has in it.
TYPES = {"buf": r"void", "count": r"int|MPI_Count", "each": r"int|MPI_Count", "counts": r"(int|MPI_Count)\b.*[\[*]", "own": r"(int|MPI_Count)\b.*[\[*]",
         "fan": r"int|MPI_Count", "fans": r"(int|MPI_Count)\b.*[\[*]", "type": r"MPI_Datatype", "types": r"MPI_Datatype.*[\[*]"}
WHOLE = {"dest": r"\bint\b", "root": r"\bint\b", "comm": r"MPI_Comm\b", "status": r"MPI_Status", "text": r"char"}


def split(text):
    """Arguments between the commas of a prototype."""
    depth, words = 0, [""]
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            words.append("")
        else:
            words[-1] += c
    return [" ".join(word.split()) for word in words]


def prototypes(compiler):
    text = subprocess.run([compiler, "-E", "-x", "c", "-"], input="#include <mpi.h>\n", capture_output=True, text=True, check=True).stdout
    return {m[1]: split(m[2]) for m in re.finditer(r"\bint\s+MPI_(\w+)\s*\(([^;{]*?)\)\s*(?:__attribute__|;)", text)}


def rows():
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            _, names, *arguments = line.split()
            yield from ((name, arguments) for name in names.split(","))


class Routines(unittest.TestCase):
    def test_arguments(self):
        for compiler in COMPILERS:
            known = prototypes(compiler)
            for name, arguments in rows():
                for known_name in {name, name + "_c"} & set(known):
                    types = known[known_name]
                    self.assertEqual(len(arguments), len(types), (compiler, known_name))
                    for word, of in zip(arguments, types):
                        self.assertRegex(of, WHOLE.get(word) or TYPES.get(word[1:], "."), (compiler, known_name, word))

    def test_transfers(self):
        """Whatever has a datatype and a communicator, a window or a file, and does not only prepare a transfer, is in the table."""
        named = {name for name, _ in rows()}
        for compiler in COMPILERS:
            for name, types in prototypes(compiler).items():
                name = name.removesuffix("_c")
                text = " ".join(types)
                moves = "MPI_Datatype" in text and re.search(r"MPI_(Comm|Win|File|Message)\b", text)
                if moves and not name.endswith("_init") and not re.match(r"Type_|Pack|Unpack|File_(set|get)|Register|Reduce_local", name):
                    self.assertIn(name, named, compiler)


if not COMPILERS:
    sys.exit(77)
unittest.main()
