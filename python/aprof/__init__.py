"""aprof - profiles of aprof, and of perf, pprof, callgrind and others, for Python.

    import aprof

    profile = aprof.open("amon.out")
    for routine in profile.routines[:10]:                  # in the order of `aprof report`
        print(routine.name, routine.self, routine.calls)   # nanoseconds, calls
    frame = profile.routines.to_pandas()                   # or pandas.DataFrame(profile.routines)
    for node in profile.tree.root.children:                # contexts as a tree
        print(node.name, node.total)
    print(aprof.compare("old.amon", "new.amon").verdict.answer)
    profile = aprof.run(["./prog", "-x"])                  # what `aprof run` runs

A profile has tables: routines, arcs, contexts, tree, findings, values, runs.  A table has rows, which are named tuples, and columns, which are arrays in the
library's own memory.  Table.columns tells what each column holds, and its unit: nanoseconds ("ns") for times, as a rule.  What is not known is None in a
row, NaN or NA in a column.  All is done by libaprof (libaprof(3)); nothing is computed here.
"""
from __future__ import annotations

import array
import collections
import collections.abc
import os
import subprocess
import tempfile
import weakref
from typing import Any, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Union

from . import _library
from ._library import NONE

__all__ = ["Column", "Comparison", "Error", "FileError", "MismatchError", "Node", "Profile", "Table", "Tree", "UsageError", "compare", "open", "run", "version"]

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Iterable[Path]]


class Error(Exception):
    """Something failed; str() is the sentence that the command would print."""


class FileError(Error):
    """A file is no profile, is corrupt, or is of another version of aprof."""


class MismatchError(Error):
    """Profiles do not go together, or the program is not the one that was profiled."""


class UsageError(Error, ValueError):
    """No such option, table or value, or a name that means no routine."""


_FORMATS = {_library.INTEGER: "Q", _library.REAL: "d", _library.INDEX: "I", _library.FLAG: "B"}
_KINDS = {1: MemoryError, 2: OSError, 3: FileError, 4: MismatchError, 5: UsageError}


def _checked(*arguments: Any) -> Any:
    try:
        return _library.checked(*arguments)
    except _library.Failure as failure:
        raise _KINDS.get(failure.kind, Error)(str(failure)) from None


class Column(NamedTuple):
    """What a column of a table is."""
    name: str
    unit: str       #: "ns", "calls", "samples", ...; "" of what has none
    about: str      #: what it holds, in a sentence
    refers: str     #: of an index: the table whose rows it counts; else ""


class Table(collections.abc.Sequence):
    """Rows of a profile, in the library's order: a sequence of named tuples, which pandas.DataFrame takes; to_pandas is the fast way."""

    def __init__(self, owner: Any, name: str, pointer: int):
        self._owner, self._pointer, self.name = owner, pointer, name
        self._rows: int = _library.call("table_rows", pointer)
        self._columns: Dict[str, tuple] = {}
        self._arrays: Dict[str, Any] = {}
        self._known: Dict[str, Optional[memoryview]] = {}
        while (column := _library.call("table_column", pointer, len(self._columns))):
            told = Column(*(_library.text(_library.call("column_" + what, column)) for what in ("name", "unit", "about", "refers")))
            self._columns[told.name] = told, column, _library.call("column_type", column)
        self._row = collections.namedtuple(name.capitalize() + "Row", self._columns)  # type: ignore[misc]

    @property
    def columns(self) -> Dict[str, Column]:
        """By name, what each column is."""
        return {name: told for name, (told, _, _) in self._columns.items()}

    def unit(self, column: str) -> str:
        """The unit of a column: "ns", "calls", ...; "" if it has none."""
        return self._columns[column][0].unit

    def _memory(self, address: int, kind: int) -> Any:
        """The library's own array, which keeps what it is of alive."""
        array = (_library.ITEMS[kind] * self._rows).from_address(address)
        array._handle = self._owner._handle
        return array

    def _view(self, address: int, kind: int) -> memoryview:
        if not self._rows:
            return memoryview(array.array(_FORMATS[kind]))
        return memoryview(self._memory(address, kind)).cast("B").cast(_FORMATS[kind]).toreadonly()  # type: ignore[call-overload]

    def array(self, column: str) -> Any:
        """A column without a copy: a memoryview that numpy.asarray takes, read only; of texts a list, made once."""
        if column not in self._arrays:
            _, pointer, kind = self._columns[column]
            address = _library.call("column_" + _library.ARRAYS[kind], pointer)
            if kind == _library.TEXT:
                values = self._memory(address, kind) if self._rows else ()
                self._arrays[column] = [None if value is None else _library.text(value) for value in values]
            else:
                self._arrays[column] = self._view(address, kind)
        return self._arrays[column]

    def known(self, column: str) -> Optional[memoryview]:
        """For each row 1 if its integer is known, else 0; None: all are."""
        if column not in self._known:
            address = _library.call("column_known", self._columns[column][1])
            self._known[column] = self._view(address, _library.FLAG) if address else None
        return self._known[column]

    def _value(self, column: str, row: int) -> Any:
        kind, value, known = self._columns[column][2], self.array(column)[row], self.known(column)
        if (kind == _library.INDEX and value == NONE) or (known is not None and not known[row]) or value != value:
            return None
        return bool(value) if kind == _library.FLAG else value

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return [self[i] for i in range(*row.indices(self._rows))]
        if row < 0:
            row += self._rows
        if not 0 <= row < self._rows:
            raise IndexError(row)
        return self._row(*(self._value(column, row) for column in self._columns))

    def to_numpy(self) -> Dict[str, Any]:
        """The columns by name as numpy's arrays, of numbers without a copy; of texts arrays of objects."""
        import numpy
        return {name: numpy.asarray(self.array(name), dtype=object if kind == _library.TEXT else None) for name, (_, _, kind) in self._columns.items()}

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: an index into another table is -1 where there is none, an integer that is not known NA, the routine's name a
        categorical column `name` beside its index.  DataFrame.attrs["units"] has the units."""
        import numpy
        import pandas
        columns = {}
        for name, array in self.to_numpy().items():
            told, _, kind = self._columns[name]
            known = self.known(name)
            if kind == _library.INDEX:
                columns[name] = array.view(numpy.int32)         # none is -1 then
                if name == "routine" and told.refers == "routines" and "name" not in self._columns:
                    names = self._owner.routines.array("name")
                    columns["name"] = pandas.Categorical.from_codes(columns[name], pandas.Index(_distinct(names), dtype=object))
            elif kind == _library.FLAG:
                columns[name] = array.view(bool)
            elif known is not None:
                columns[name] = pandas.arrays.IntegerArray(array, numpy.asarray(known) == 0)
            else:
                columns[name] = array
        frame = pandas.DataFrame(columns, copy=False)
        frame.attrs["units"] = {name: told.unit for name, told in self.columns.items() if told.unit}
        return frame

    def __repr__(self) -> str:
        return f"<aprof {self.name}: {self._rows} rows of {', '.join(self._columns)}>"


def _distinct(names: Sequence[Optional[str]]) -> List[str]:
    """NAMES, each told from those before it: categories are distinct, routines of several files may share a name."""
    seen: Dict[str, int] = {}           # and how many of that name there were
    for name in names:
        name = told = name or "(unknown)"
        while told in seen:
            seen[name] += 1
            told = f"{name} ({seen[name]})"
        seen[told] = 1
    return list(seen)


class Node:
    """A place in the tree of contexts: a routine, called by its parent.  It has the columns of the table `tree` as attributes: self and total in the
    unit of the profile (ns), error, calls, samples, folded, gap."""

    __slots__ = "_tree", "index"

    def __init__(self, tree: "Tree", index: int):
        self._tree, self.index = tree, index

    def __getattr__(self, column: str) -> Any:
        if column.startswith("_") or column not in self._tree._columns:
            raise AttributeError(column)
        return self._tree._value(column, self.index)

    @property
    def name(self) -> Optional[str]:
        """The routine's name; None at the root, which is the run."""
        routine = self.routine
        return None if routine is None else self._tree._owner.routines._value("name", routine)

    @property
    def parent(self) -> Optional["Node"]:
        """The caller's node; None at the root."""
        parent = self._tree._value("parent", self.index)
        return None if parent is None else Node(self._tree, parent)

    @property
    def children(self) -> List["Node"]:
        """The nodes that it calls, the heaviest first."""
        return [Node(self._tree, index) for index in self._tree._children().get(self.index, ())]

    def path(self) -> List["Node"]:
        """It and its callers, up to the one that the root calls."""
        nodes, node = [], self
        while node.index:
            nodes.append(node)
            node = node.parent  # type: ignore[assignment]
        return nodes

    def __repr__(self) -> str:
        return f"<aprof node {self.index}: {self.name or 'run'}, {self.total} {self._tree.unit('total')}>"


class Tree(Table):
    """Contexts as a tree: a row for each node, parents before children."""

    @property
    def root(self) -> Node:
        """The run."""
        return Node(self, 0)

    def nodes(self) -> Iterator[Node]:
        """All nodes, parents before children."""
        return (Node(self, index) for index in range(len(self)))

    def _children(self) -> Dict[int, List[int]]:
        if not hasattr(self, "_below"):
            self._below: Dict[int, List[int]] = {}
            for index, parent in enumerate(self.array("parent")):
                if index:
                    self._below.setdefault(parent, []).append(index)
        return self._below


class _Handle:
    """What the library opened; it is freed when nobody uses it, or an array of it, any more."""

    def __init__(self, what: str, pointer: int):
        self.pointer = pointer
        weakref.finalize(self, _library.call, what + "_free", pointer)


class _Tables:
    """What has tables."""

    _what = ""

    def __init__(self, pointer: int):
        self._handle = _Handle(self._what, pointer)
        self._made: Dict[str, Table] = {}

    def table(self, name: str) -> Table:
        """The table NAME, as libaprof(3) lists them."""
        if name not in self._made:
            pointer = _checked(self._what + "_table", self._handle.pointer, name.encode())
            self._made[name] = (Tree if name == "tree" else Table)(self, name, pointer)
        return self._made[name]

    @property
    def notes(self) -> List[str]:
        """What whoever shows it is to tell: symbols that were not found, a process that died."""
        found: List[str] = []
        while (note := _library.call(self._what + "_note", self._handle.pointer, len(found))) is not None:
            found.append(_library.text(note))
        return found

    @property
    def routines(self) -> Table:
        """A row for each routine."""
        return self.table("routines")

    @property
    def arcs(self) -> Table:
        """A row for each pair of caller and callee."""
        return self.table("arcs")

    @property
    def contexts(self) -> Table:
        """A row for each context: a history of calls, and what was spent in it."""
        return self.table("contexts")

    @property
    def runs(self) -> Table:
        """A row for each file."""
        return self.table("runs")


class Profile(_Tables):
    """A profile, or the sum of several.  Routines are in the order of `aprof report`, the heaviest first; self and total in its unit, ns as a rule."""

    _what = "profile"

    @property
    def tree(self) -> Tree:
        """Contexts as a tree; tree.root.children are where to begin."""
        return self.table("tree")  # type: ignore[return-value]

    @property
    def values(self) -> Table:
        """What there are amounts of; open(..., value=NAME) looks at another one than time."""
        return self.table("values")

    @property
    def findings(self) -> Table:
        """What `aprof hot` finds: where to look first."""
        return self.table("findings")


class Comparison(_Tables):
    """Two sets of runs side by side."""

    _what = "comparison"

    @property
    def verdict(self) -> Any:
        """Whether the new runs are slower, and why: a row with answer ("slower", "faster", "same"), change and error as shares, routine, reason."""
        return self.table("verdict")[0]


def _many(paths: Paths) -> List[Path]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


class _Options:
    """The options of a profile, as keywords."""

    def __init__(self, asked: Dict[str, Any]):
        self.pointer = _library.call("options_new")
        if not self.pointer:
            raise MemoryError
        try:
            for name, value in asked.items():
                for word in [value] if isinstance(value, (str, bool, os.PathLike)) else value or ():
                    word = ("no", "yes")[word] if isinstance(word, bool) else os.fspath(word)
                    _checked("options_set", self.pointer, name.encode(), os.fsencode(word))
        except BaseException:
            self.free()
            raise

    def free(self) -> None:
        _library.call("options_free", self.pointer)


def open(paths: Paths, **options: Any) -> Profile:
    """Open a profile, or several, which are added up: amon.out, perf.data, pprof, callgrind.out, folded stacks, as `aprof report` opens them.

    Options are those of aprof_options_set in libaprof(3): program=FILE, focus=NAME or several, hide=NAME or several, model="history", "gprof" or "cct",
    phase=NAME, raw=True, value=NAME: a row of profile.values.  Raises OSError, FileError, MismatchError, UsageError.
    """
    asked = _Options(options)
    try:
        return Profile(_checked("open_files", *_library.strings(_many(paths)), asked.pointer))
    finally:
        asked.free()


def compare(base: Paths, new: Paths, **options: Any) -> Comparison:
    """Compare runs: one or several profiles a side.  Options as in open.  More runs a side see smaller changes."""
    asked = _Options(options)
    try:
        return Comparison(_checked("compare", *_library.strings(_many(base)), *_library.strings(_many(new)), asked.pointer))
    finally:
        asked.free()


def run(command: Sequence[Path], *, aprof: Path = "aprof", arguments: Sequence[str] = (), **popen: Any) -> Profile:
    """Run a command under `aprof run` and open its profile; the program has this one's input and output, and POPEN goes to subprocess.run.

    ARGUMENTS go to `aprof run`; APROF is the command.  Raises subprocess.CalledProcessError if there is no profile afterwards, whatever the
    program's own exit status.
    """
    with tempfile.TemporaryDirectory(prefix="aprof-") as folder:
        data = os.path.join(folder, "amon.out")
        words = [os.fspath(aprof), "run", "--no-report", "--data=" + data, *arguments, *(os.fspath(word) for word in command)]
        done = subprocess.run(words, **popen)
        if not os.path.exists(data):
            raise subprocess.CalledProcessError(done.returncode or 1, words)
        return open(data)


def version() -> str:
    """The version of the library."""
    return _library.text(_library.call("version"))
