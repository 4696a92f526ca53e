# Tail calls behind arguments that take branches or calls to compute: each scalar type to each other, in several shapes.
#
# Each routine t_* calls a c_*, which calls leaf. Which calls are jumps is read from the machine code, and so are the contexts that there must be.
# With TYPES only some types take part, by their short names.
# ways: inline fentry
# na(-O0): the compiler makes no tail calls
# na(clang -O1): nor does Clang there
# need: objdump
command -v python3 >/dev/null || { echo needs python3; exit 77; }
cat >make.py <<'P'
import os
types = {"b": "_Bool", "i": "int", "u": "unsigned", "l": "long", "ul": "unsigned long", "x": "__int128", "ux": "unsigned __int128",
         "f": "float", "d": "double", "ld": "long double", "q": "_Float128", "cd": "_Complex double", "p": "char *"}
only = os.environ.get("TYPES", "").split()
types = {t: name for t, name in types.items() if not only or t in only}
whole = [t for t in types if t not in ("f", "d", "ld", "q", "cd", "p")]
shapes = {
    "plain": "return c_%(to)s((T)a);",
    "if": "if (n > 2) return c_%(to)s((T)a); return n;",
    "either": "return n & 1 ? c_%(to)s((T)a) : c_%(to)s((T)(a + 1));",
    "switch": "switch (n) { case 1: return c_%(to)s((T)a); case 2: sink = n; return c_%(to)s((T)(a * a)); case 4: return 5; default: return c_%(to)s((T)(a - n)); }",
    "after": "leaf(n); return c_%(to)s((T)a);",
    "loop": "for (long i = 0; i < n; i++) if (i == 3) return c_%(to)s((T)(a + i)); return c_%(to)s((T)a);",
}
print("#define HOOKED __attribute__((noinline, noclone))\nvolatile long sink;\nHOOKED void leaf(long n) { sink = n; __asm__ volatile(\"\"); }")
for t, name in types.items():
    convert = "(long)__real__ v" if t == "cd" else "(long)v"
    print("HOOKED long c_%s(%s v) { leaf(%s); __asm__ volatile(\"\"); return sink; }" % (t, name, convert))
names = []
for a, source in types.items():
    for b, target in types.items():
        if (a == "p") != (b == "p") and not (a in whole and b in whole) and not {a, b} <= {"p", "l", "ul"}:
            continue
        for shape, body in shapes.items():
            if a == "p" and shape not in ("plain", "if", "after"):
                continue
            name = "t_%s_%s_%s" % (a, b, shape)
            names.append((name, source))
            print("HOOKED long %s(%s a, long n) { %s }" % (name, source, (body % {"to": b}).replace("(T)", "(%s)" % target)))
print("int main(int argc, char **argv)\n{\n\tlong s = 0;")
for name, source in names:
    print("\tfor (long i = 0; i < 7; i++) s += %s((%s)(long)i, i);" % (name, source))
print("\treturn s == argc;\n}")
P
case $BARE in *clang*) CC="$CC -D_Float128=__float128" ;; esac
python3 make.py >tails.c
$CC $OPT -w tails.c -o tails
./tails
cat >check.py <<'P'
import os, re, subprocess, sys
code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "tails"], capture_output=True, text=True).stdout
kinds, jumps = {}, 0
for name, body in re.findall(r"^[0-9a-f]+ <(t_\w+)(?:\.cold)?>:\n((?:.+\n)+)", code, re.M):
    for how, callee in re.findall(r"\b(jmp|j[a-z]+|call)\s+[0-9a-f]+ <(c_\w+|leaf)>", body):
        kinds.setdefault((name, callee), set()).add("call" if how == "call" else "jmp")
wanted = {"main"} | {"main " + name for name in re.findall(r"^[0-9a-f]+ <(t_\w+)>:", code, re.M)}
for (name, callee), how in kinds.items():
    for one in how:
        start = "main " + ("" if one == "jmp" else name + " ") + callee
        wanted |= {start} | ({start + " leaf"} if callee != "leaf" else set())
    jumps += "jmp" in how
lines = subprocess.run([sys.argv[1], "contexts", "amon.out"], capture_output=True, text=True).stdout.splitlines()
found = {line.split(" ", 3)[3]: int(line.split(" ", 3)[0]) + int(line.split(" ", 3)[1]) for line in lines}
found.pop("-", None)                                                # the root: time by clock tsc
part = 0.5 if "clang" in os.environ["BARE"] else 0.8                 # Clang's -Os saves registers where GCC's has none to save
entries = [n for h, n in found.items() if re.fullmatch(r"main t_\w+", h)]
if set(found) != wanted or jumps < (part * len(entries) if os.environ.get("TYPES") else 500) or set(entries) != {7}:
    print("%d jumps; not there: %s\nthere: %s" % (jumps, sorted(wanted - set(found))[:20], sorted(set(found) - wanted)[:20]))
    sys.exit(1)
P
python3 check.py "$APROF"
