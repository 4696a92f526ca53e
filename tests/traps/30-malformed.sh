# A profile with a wrong byte anywhere: read within seconds, with status 0 or 2, and 2 comes with one line that says where.
#
# ways: fentry
# cc: gcc
# opt: -O2
printf 'void f(int n);\nvoid f(int n) { if (n) f(n / 2); __asm__ volatile(""); }\nint main(void) { for (int i = 0; i < 99; i++) f(i); return 0; }\n' > p.c
$CC -O2 p.c -o p
./p
cat > mutate.py <<'EOF'
import os, random, re, subprocess, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["SOURCE"] + "/../lib")
import limits
data = open("amon.out", "rb").read()
marks = [i for i in range(0, len(data)) if data[i]]         # what stands there, and not only zeros
for seed in range(60):
    r, wrong = random.Random(seed), bytearray(data)
    for _ in range(1 + seed % 4):
        wrong[r.choice(marks)] = r.choice([0, 1, 0x7f, 0x80, 0xff, r.randrange(256)])
    if seed % 5 == 0:
        wrong = wrong[:r.randrange(len(wrong))]
    open("wrong", "wb").write(wrong)
    done = limits.run([os.environ["APROF"], "report", "wrong"], 5, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = done.stderr.decode(errors="replace")
    assert done.returncode in (0, 2), (seed, done.returncode)
    assert done.returncode == 0 or error.count("\n") == 1, (seed, error)
    assert "\x1b" not in error, seed
EOF
python3 mutate.py
