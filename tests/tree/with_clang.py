#!/usr/bin/env python3
"""with_clang.py BUILD - the product's C is C to Clang, too: every file that the compiler of BUILD has compiled, by its own flags, but for what only GCC knows.

Whoever has Clang alone builds with it, and no test of a build by GCC would tell that it no longer can."""
import concurrent.futures, json, os, pathlib, shlex, shutil, subprocess, sys

BUILD = pathlib.Path(sys.argv[1]).resolve()
TESTED = ("tests/", "traps/")           # programs that are GCC's on purpose


def command_of(entry):
    """ENTRY's command as Clang is to check it; None: it is no C of the product's."""
    file = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
    words = shlex.split(entry["command"])
    if file.suffix != ".c" or BUILD in file.parents or any(part in str(file.relative_to(BUILD.parent)) for part in TESTED):
        return None
    kept = [w for w in words[1:] if w.startswith(("-I", "-D", "-std=", "-isystem", "-m")) and not w.startswith("-mpreferred")]
    return ["clang", "-fsyntax-only", "-w", "-pthread", *kept, str(file)]


def check(command):
    done = subprocess.run(command, cwd=BUILD, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.stdout if done.returncode else ""


def main():
    if not shutil.which("clang"):
        return 77
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    commands = {command[-1]: command for command in map(command_of, entries) if command}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [text for text in pool.map(check, commands.values()) if text]
    print("".join(wrong), end="")
    print(f"{len(commands)} files, {len(wrong)} of which Clang does not compile")
    return int(bool(wrong) or len(commands) < 100)


sys.exit(main())
