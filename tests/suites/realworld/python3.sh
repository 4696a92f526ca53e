# CPython, as the system has it: its loop, dictionaries, strings and garbage collection.
title="python3, as Debian has it"
sampled=yes
needs="/usr/bin/python3:python3"

prepare() {
    cat >work.py <<'EOP'
import json, re
words = [f"w{(i * 7919) % 10007:x}" for i in range(60000)]
count = {}
for turn in range(12):
    for word in words:
        count[word] = count.get(word, 0) + len(word) + turn
text = json.dumps(sorted(count.items()))
for _ in range(12):
    assert json.loads(text)
print(len(text), sum(count.values()), len(re.findall(r"w[0-9a-f]*7\b", text)))
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(28), sum(sorted(hash(w) % 1013 for w in map(str.upper, words * 8)) [:100]) >= 0)
EOP
}

build() { cp "$(readlink -f /usr/bin/python3)" program; }

run() { PYTHONHASHSEED=1 $launch "$program" -S "$prepared/work.py"; }
