# All of a routine's own work stands before its exit, where it counts as the routine's: GCC likes to compute what is returned last of all.
# ways: inline
# opt: -O2 -Os
# need: objdump
command -v python3 >/dev/null || { echo needs python3; exit 77; }
cat >last.c <<'C'
#include <stdint.h>
#define HOOKED __attribute__((noinline, noclone))
long kept[4];
HOOKED uint32_t e_hash(uint64_t key, uint32_t seed)
{
	uint32_t h = seed ^ 8, k = (uint32_t)key;
	k *= 0x5bd1e995; k ^= k >> 24; h = (h ^ k) * 0x5bd1e995; k = (uint32_t)(key >> 32);
	k *= 0x5bd1e995; h ^= k; h ^= h >> 13; h *= 0x5bd1e995;
	return h ^ h >> 15;
}
HOOKED double e_double(double a) { return a * 3 + 1; }
HOOKED float e_float(float a) { return a * a - 2; }
HOOKED _Bool e_bool(long a, long b) { return a * b < b - 3; }
HOOKED char *e_pointer(char *p, long n) { return p + n * 3; }
HOOKED short e_short(int a) { return (short)(a * 7 + 5); }
HOOKED void e_nothing(long a) { kept[0] = a * 3; kept[1] = a * 5; kept[2] = a * 7; kept[3] = a * 9; }
HOOKED long e_either(long a) { if (a & 1) return a * 12345; return (a ^ a >> 7) * 77; }
int main(int argc, char **argv)
{
	kept[0] = e_hash((uint64_t)argc << 33, 2) + (long)e_double(argc) + (long)e_float((float)argc) + e_bool(argc, 3) +
		(e_pointer(argv[0], argc) == argv[0]) + e_short(argc) + e_either(argc);
	e_nothing(argc);
	return 0;
}
C
$CC $OPT -w last.c -o last
./last
cat >check.py <<'P'
import re, subprocess, sys
code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", "last"], capture_output=True, text=True).stdout
bodies = dict(re.findall(r"^[0-9a-f]+ <(e_\w+)>:\n((?:.+\n)+)", code, re.M))
exits = 0
for name, body in bodies.items():
    since = None                # since the last store to the thread's words
    for line in body.splitlines():
        text = line.partition(":")[2].strip()
        if re.match(r"mov\s+%\w+,%fs:", text):
            since = []
        elif text.startswith("ret"):
            exits += 1
            if since is None or any(not re.match(r"pop|leave|nop|(add|sub|lea) .*%rsp$", t) for t in since):
                sys.exit("%s does something behind its exit: %s" % (name, since))
        elif since is not None and text:
            since.append(text)
if len(bodies) != 8 or exits < 8:
    sys.exit("%d routines, %d exits" % (len(bodies), exits))
P
python3 check.py
