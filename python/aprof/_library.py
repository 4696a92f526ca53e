"""libaprof's C interface (aprof/profile.h), as ctypes sees it: nothing here knows what a table is for."""
from __future__ import annotations

import ctypes
import os
from typing import Any

from ._location import LIBRARY

NONE = 0xFFFFFFFF                # an index that leads nowhere
INTEGER, REAL, INDEX, TEXT, FLAG = range(1, 6)
ITEMS: dict[int, Any] = {INTEGER: ctypes.c_uint64, REAL: ctypes.c_double, INDEX: ctypes.c_uint32, TEXT: ctypes.c_char_p, FLAG: ctypes.c_uint8}
ARRAYS = {INTEGER: "integers", REAL: "reals", INDEX: "indices", TEXT: "texts", FLAG: "flags"}

_pointer, _string, _size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
_error = ctypes.POINTER(ctypes.c_void_p)
_strings = ctypes.POINTER(ctypes.c_char_p)
_FUNCTIONS = {
    "version": (_string, []),
    "error_kind": (ctypes.c_int, [_pointer]), "error_text": (_string, [_pointer]), "error_free": (None, [_pointer]),
    "options_new": (_pointer, []), "options_free": (None, [_pointer]), "options_set": (ctypes.c_bool, [_pointer, _string, _string, _error]),
    "open_files": (_pointer, [_strings, _size, _pointer, _error]), "profile_free": (None, [_pointer]),
    "profile_note": (_string, [_pointer, _size]), "profile_table": (_pointer, [_pointer, _string, _error]),
    "compare": (_pointer, [_strings, _size, _strings, _size, _pointer, _error]), "comparison_free": (None, [_pointer]),
    "comparison_note": (_string, [_pointer, _size]), "comparison_table": (_pointer, [_pointer, _string, _error]),
    "table_rows": (_size, [_pointer]), "table_column": (_pointer, [_pointer, _size]),
    "column_name": (_string, [_pointer]), "column_unit": (_string, [_pointer]), "column_about": (_string, [_pointer]),
    "column_refers": (_string, [_pointer]), "column_type": (ctypes.c_int, [_pointer]), "column_known": (_pointer, [_pointer]),
    **{"column_" + name: (_pointer, [_pointer]) for name in ARRAYS.values()},
}


def _load() -> ctypes.CDLL:
    """The library: APROF_LIBRARY's, that beside which this module was installed, or what the loader finds."""
    asked = os.environ.get("APROF_LIBRARY")
    library = ctypes.CDLL(asked or (LIBRARY if os.path.exists(LIBRARY) else "libaprof.so.1"))
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, "aprof_" + name)
        function.restype, function.argtypes = result, arguments
    return library


_library = _load()


def call(name: str, *arguments):
    return getattr(_library, "aprof_" + name)(*arguments)


def text(value: bytes | None) -> str:
    """What C has as a string; bytes that are not UTF-8 stay as they are."""
    return (value or b"").decode("utf-8", "surrogateescape")


def strings(values) -> tuple:
    """An array of paths, and how many."""
    encoded = [os.fsencode(value) for value in values]
    return (ctypes.c_char_p * max(len(encoded), 1))(*encoded), len(encoded)


class Failure(Exception):
    """A call failed: its kind, and a sentence."""

    def __init__(self, kind: int, sentence: str):
        super().__init__(sentence)
        self.kind = kind


def checked(name: str, *arguments):
    """Call a function whose last argument is its error; what it returns, which is not NULL or false."""
    error = ctypes.c_void_p()
    found = call(name, *arguments, ctypes.byref(error))
    if found:
        return found
    kind, sentence = call("error_kind", error), text(call("error_text", error))
    call("error_free", error)
    raise Failure(kind, sentence)
