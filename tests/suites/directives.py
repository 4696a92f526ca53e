"""What a test of GCC's says in its comments, `{ dg-do run { target lp64 } }`: whether it is to be run, and with which options.

The directives are words of Tcl: braces and quotes hold a word together.  A selector is a word that names targets, a pattern of a
target's name, or an expression of both with `!`, `&&` and `||`.  Here it is read for x86-64 Linux, where what the tests call an effective
target is mostly there; a test that asks for more than the machine has does not build or dies of SIGILL without aprof too, and is left
out for that."""

import fnmatch
import re
from dataclasses import dataclass, field

TARGET = "x86_64-pc-linux-gnu"
# Effective targets that x86-64 Linux is not, of those that tests of folders with programs to run ask for.
ABSENT = re.compile(r"ilp32|ia32|x32|freestanding|newlib\w*|default_packed|avr\w*|arm_\w*|aarch64\w*|powerpc\w*|ppc\w*|vmx_hw|vsx_hw|mips\w*|"
                    r"nvptx|hppa\w*|s390\w*|sparc\w*|run_expensive_tests|short_enums|int16|double_is_short|unwrapped|signal_unsafe|"
                    r"llp64|large_double|mmix\w*|size20plus_only|keeps_null_pointer_checks|no_alignment_constraints_false|simulator|hw")
# Options that say how the compiler talks or what it leaves beside the program: with them nothing is tested here.
QUIET = re.compile(r"-fdump-|-fcompare-debug|-fdiagnostics|-W(?!l,|a,|p,)|-O|-g|-save-temps|-fmessage-length|-ftrack-macro|-flto-report|"
                   r"-fopt-info|-pedantic|-dA|-dP|-dp|--param=?ggc|-fchecking|-fno-checking|-aux-info|-ansi-pedantic")

# Options with which aprof-cc puts no hooks into code, or refuses it.
NO_HOOKS = {"-mcmodel=large", "-mcmodel=kernel", "-ffreestanding"}


@dataclass
class Wanted:
    """What the directives of one file come to."""
    action: str = ""                                # of dg-do: run, compile, link, ...; "" where it is not said
    options: list = field(default_factory=list)
    sources: list = field(default_factory=list)     # dg-additional-sources
    arguments: list = field(default_factory=list)   # of the program
    why_not: str = ""                               # why it is not for this machine, "" if it is


def words(text):
    """The words of TEXT, a list of Tcl's; one in braces or quotes comes without them."""
    found, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] == "{":
            end = closing(text, at)
            found.append(text[at + 1:end])
            at = end + 1
        elif text[at] == '"':
            end = text.find('"', at + 1)
            end = len(text) if end < 0 else end
            found.append(text[at + 1:end])
            at = end + 1
        else:
            word = re.match(r"[^\s{}]+|\}", text[at:])[0]
            found.append(word)
            at += len(word)
    return found


def closing(text, at):
    """Where the brace at AT ends; the end of TEXT if nowhere."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[i], 0)
        if not depth:
            return i
    return len(text)


def directives(text):
    """(name, words) of each `{ dg-NAME ... }` in TEXT, in order."""
    found = []
    for start in re.finditer(r"\{\s*dg-([a-z-]+)", text):
        line = text[start.start():text.find("\n", start.start()) if "\n" in text[start.start():] else len(text)]
        found.append((start[1], words(line[1:closing(line, 0)])[1:]))
    return found


# ---- selectors ----

def holds(selector):
    """Whether SELECTOR, such as `{ i?86-*-* x86_64-*-* } && { ! ia32 }`, is true here."""
    parts = words(selector)
    if not parts:
        return True
    if len(parts) == 1:
        return holds(parts[0]) if re.search(r"[\s{]", parts[0]) else known(parts[0])
    if "||" in parts:
        at = parts.index("||")
        return holds(joined(parts[:at])) or holds(joined(parts[at + 1:]))
    if "&&" in parts:
        at = parts.index("&&")
        return holds(joined(parts[:at])) and holds(joined(parts[at + 1:]))
    if parts[0] == "!":
        return not holds(joined(parts[1:]))
    if parts[0] in ("target", "xfail"):
        return holds(before_xfail(parts[1:])) if parts[0] == "target" else True
    return any(holds(part) for part in parts)       # a list of targets


def joined(parts):
    return " ".join("{" + part + "}" if re.search(r"\s", part) else part for part in parts)


def before_xfail(parts):
    """A selector's target without the failures that are expected of it."""
    return joined(parts[:parts.index("xfail")] if "xfail" in parts else parts)


def known(word):
    """Whether a pattern of targets or an effective target is this one."""
    if word.startswith("!"):
        return not known(word[1:])
    if "-" in word and "*" in word:
        return fnmatch.fnmatch(TARGET, word)
    return not ABSENT.fullmatch(word)


# ---- a file ----

def wanted(text, flags):
    """What the directives of TEXT, a test's source, come to when it is compiled with FLAGS."""
    result, options, more = Wanted(), [], []
    for name, args in directives(text):
        if name == "do":
            if len(args) > 1 and not holds(args[1]):
                result.why_not = f"dg-do for {args[1].strip()}"
            result.action = result.action or args[0]
        elif name in ("options", "additional-options") and args and (len(args) == 1 or holds(args[1])):
            if name == "options":
                options = args[0].split()
            else:
                more += args[0].split()
        elif name == "additional-sources" and args:
            result.sources += args[0].split()
        elif name == "require-effective-target" and args and not (len(args) > 1 and not holds(args[1])):
            if not known(args[0]):
                result.why_not = f"needs {args[0]}"
        elif name == "skip-if" and skipped(args, flags):
            result.why_not = "dg-skip-if"
        elif name == "require-profiling":
            result.why_not = "needs a second compilation"
        elif name == "shouldfail" and args and re.fullmatch("[a-z]+san", args[0]) and not any(flag.startswith("-fsanitize=") for flag in flags):
            result.why_not = f"has a fault that is for {args[0]} to find"
    result.options = [option for option in options + more if not QUIET.match(option)]
    if any(option.startswith(("-fprofile-", "-fauto-profile", "-fbranch-probabilities", "-m32", "-mx32")) for option in result.options):
        result.why_not = "needs another build"
    hookless = sorted(NO_HOOKS.intersection(result.options))
    if hookless:
        result.why_not = f"{hookless[0]}: no hooks"
    return result


def skipped(args, flags):
    """dg-skip-if "why" { selector } { flags, one of which is given } { flags, none of which is }."""
    if len(args) < 2 or not holds(args[1]):
        return False
    with_any, with_none = (args[2].replace('"', " ").replace("{", " ").replace("}", " ").split() if len(args) > 2 else []), \
        (args[3].replace('"', " ").replace("{", " ").replace("}", " ").split() if len(args) > 3 else [])
    given = lambda patterns: any(fnmatch.fnmatch(flag, pattern) for flag in flags for pattern in patterns)  # noqa: E731
    return (not with_any or given(with_any)) and not given(with_none)


# ---- tests of other projects in GCC's ----

# Arguments of D's reference compiler, as gdc calls them; others say how it talks, or are not for gdc.
D_ARGUMENTS = [(re.compile(pattern), gdc) for pattern, gdc in [
    (r"-betterC", "-fno-druntime"), (r"-boundscheck=(\w+)", r"-fbounds-check=\1"), (r"-check=(\w+)=off", r"-fno-check=\1"),
    (r"-checkaction=context", "-fcheckaction=context"), (r"-debug", "-fdebug"), (r"-debug=(\w+)", r"-fdebug=\1"),
    (r"-inline", "-finline-functions"), (r"-main", "-fmain"), (r"-preview=(\w+)", r"-fpreview=\1"), (r"-release", "-frelease"),
    (r"-unittest", "-funittest"), (r"-version=(\w+)", r"-fversion=\1"), (r"-allinst", "-fall-instantiations")]]


def of_d(text, _):
    """What the head of a test of D's reference compiler says, `REQUIRED_ARGS: -unittest`."""
    said = lambda name: [word for line in re.findall(rf"^[ /*+]*{name}\s*:(.*)$", text, re.M) for word in line.split("*/")[0].split()]  # noqa: E731
    result = Wanted(sources=said("EXTRA_SOURCES") + said("COMPILED_IMPORTS"), arguments=said("EXECUTE_ARGS"))
    for argument in said("REQUIRED_ARGS"):
        result.options += [pattern.sub(gdc, argument).lower() if "preview" in argument else pattern.sub(gdc, argument)
                           for pattern, gdc in D_ARGUMENTS if pattern.fullmatch(argument)]
    if re.search(r"^[ /*+]*(DISABLED|EXTRA_CPP_SOURCES|EXTRA_OBJC_SOURCES)\s*:", text, re.M):
        result.why_not = "not for gdc"
    return result


def of_go(text, _):
    """What the first line of a test of the Go project says, `// run` and arguments."""
    first = text.split("\n", 1)[0].split()
    run = first[:2] == ["//", "run"] and not any(word.startswith("-") for word in first[2:])
    return Wanted(action="run" if run else "other", arguments=first[2:] if run else [])


def of_libcxx(text, _):
    """What a test of LLVM's C++ library says, `// UNSUPPORTED: c++03, c++11`, to who compiles it as C++20."""
    said = lambda name: [word.strip() for line in re.findall(rf"^// *{name}\s*:(.*)$", text, re.M) for word in line.split(",")]  # noqa: E731
    result = Wanted(action="run", options=" ".join(said("ADDITIONAL_COMPILE_FLAGS")).split())
    if {"c++20", "c++2a", "linux", "clang"} & {*said("UNSUPPORTED"), *said("XFAIL")} or said("REQUIRES") == ["c++03"]:
        result.why_not = "not for C++20 by Clang on Linux"
    return result
