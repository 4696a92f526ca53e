"""What a run writes as it goes: a line of JSON that says where it was measured, and one for each run of a program."""

import json

from recipe import Trouble

HEAD = {"machine": str, "compiler": str, "date": str, "load": str}
SAMPLE = {"title": str, "variant": str, "round": int}
MEASURED = {"user": (int, float), "system": (int, float), "wall": (int, float), "rss_kib": int, "output": str, "data_bytes": (int, type(None)),
            "info": dict}


def read(path, head=HEAD, measured=MEASURED):
    """The first line of the file at PATH and the list of the others, each a dict. The first one has the members HEAD, with their
    types, and each run that had no trouble MEASURED."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [_parse(path, number, line) for number, line in enumerate(file, 1)]
    except OSError as problem:
        raise Trouble(f"{path}: {problem.strerror}") from None
    except UnicodeDecodeError:
        raise Trouble(f"{path}: no samples of a run: it is no text") from None
    if not lines:
        raise Trouble(f"{path}: no samples of a run: it is empty")
    _check(path, 1, lines[0], head)
    for number, line in enumerate(lines[1:], 2):
        _check(path, number, line, SAMPLE if "trouble" in line else {**SAMPLE, **measured})
    return lines[0], lines[1:]


def _parse(path, number, line):
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        return value
    raise Trouble(f"{path}: no samples of a run: line {number} is no JSON object")


def _check(path, number, value, types):
    for member, kinds in types.items():
        if member not in value or not isinstance(value[member], kinds):
            raise Trouble(f"{path}: no samples of a run: line {number} has no {member}, or it is of another kind")
