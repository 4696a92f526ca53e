#!/usr/bin/env python3
"""wrappers.py ROUTINES.TXT - print C that wraps the routines of the table: a descriptor of each, and by the macros of wrap.h its C function, that
which takes MPI_Count, and Fortran's."""
import sys

SHAPES = {"count": "ONE", "each": "EACH", "counts": "SUM", "own": "OWN", "fan": "FAN", "fans": "FAN_SUM"}


def rows(path):
    """Kind, name and arguments of each routine."""
    with open(path) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                kind, names, *arguments = line.split()
                for name in names.split(","):
                    yield kind, name, arguments


def side(letter, arguments):
    """What is said of one side, as a struct side."""
    places = {word[1:]: i for i, word in enumerate(arguments) if word[0] == letter and word[1:] in {"buf", "type", "types", *SHAPES}}
    shape = next((word for word in places if word in SHAPES), None)
    kind = "types" if "types" in places else "type"
    return "{ %d, %d, %d, %s, %s }" % (places.get("buf", -1), places.get(shape, -1), places.get(kind, -1),
                                       "SHAPE_" + SHAPES.get(shape, "ONE"), "true" if kind == "types" else "false")


def descriptor(kind, name, arguments, wide):
    at = {word: i for i, word in enumerate(arguments)}
    partner = at.get("dest", at.get("root", -1))
    return '{ "MPI_%s", %s, %s, %d, %d, %d, %s, %s }' % (name, "true" if kind == "collective" else "false", "true" if wide else "false",
                                                    partner, at.get("comm", -1), at.get("status", -1), side("s", arguments), side("r", arguments))


def main():
    routines, wrappers = [], []
    for kind, name, arguments in rows(sys.argv[1]):
        n, counted = len(arguments), any(word[1:] in SHAPES for word in arguments)
        wrappers += ["C(%d, %s, %d)" % (len(routines), name, n),
                     "FORTRAN(%d, %s, %s, %d, %d)" % (len(routines), name.lower(), name.upper(), n + 1 + arguments.count("text"), n)]
        routines.append(descriptor(kind, name, arguments, False))
        if counted:
            wrappers.append("C(%d, %s_c, %d)" % (len(routines), name, n))
            routines.append(descriptor(kind, name + "_c", arguments, True))
    print('#include "inside/mpi/wrap.h"\n\nconst struct routine routines[] = {\n\t%s,\n};\n\n_Static_assert(sizeof routines / sizeof *routines <= MOST_ROUTINES, "so many");\n\n%s' %
          (",\n\t".join(routines), "\n".join(wrappers)))


main()
