#!/usr/bin/env python3
"""compare_static_arcs DUMP [PROGRAM...]: the static arcs against objdump's and GNU gprof's, on made programs or those named.

objdump decodes on its own, and prints where each call and jump goes: both must see the same arcs.  GNU gprof -c
lists those of them that are calls (no jumps) and go to a higher address: its scan takes the offset of a call for
unsigned, so that all calls backwards are lost, and looks in .text alone.  It drops the symbols of pieces and
of some clones (it reads on behind the end of their names, so that which ones is chance), and gives their code to the
function before.  But for those, what it lists must be exactly that.
A PROGRAM of somebody's choice must have been built with -pg, and its gmon.out must be beside it."""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HOOKS = {'mcount', '_mcount', '__fentry__'}    # no arcs of the program
BRANCH = re.compile(r'^\s+([0-9a-f]+):\s+(?:notrack |bnd |addr32 |repz )*(call|jmp|j[a-z]+)\s+([0-9a-f]+) <([^>+]+)>')


def output(*command, cwd=None):
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout


def functions(program):
    """Names by address; those of them that are resolved when the program starts; each one, or the function before a piece or clone."""
    names, indirect, last = {}, set(), 'nothing'
    for line in output('nm', program).splitlines():
        match = re.fullmatch(r'([0-9a-f]+) ([tTwWiu]) (\S+)', line)
        if match:
            names.setdefault(int(match[1], 16), set()).add(match[3].split('@')[0])
            if match[2] == 'i':
                indirect.add(match[3].split('@')[0])
    owner = {}
    for _, group in sorted(names.items()):
        last = min((name for name in group if '.' not in name), default=last)
        owner.update((name, last) for name in group)
    return names.values(), indirect, owner


def by_objdump(program):
    """(from, to, is it a call, does it go up): every direct branch to another function's first byte."""
    arcs, function = set(), None
    for line in output('objdump', '-d', '--no-show-raw-insn', program).splitlines():
        head = re.fullmatch(r'([0-9a-f]+) <(.+)>:', line)
        if head:
            function = head[2].split('@')[0]
        match = BRANCH.match(line)
        if match and match[4].split('@')[0] != function and '@plt' not in match[4]:
            arcs.add((function, match[4].split('@')[0], match[2] == 'call', int(match[3], 16) > int(match[1], 16)))
    return arcs


def by_gprof(program, gmon):
    """(from, to) of the arcs that gprof -c lists as children, those of cycles too: not made, and made."""
    arcs, made, inside, function = set(), set(), False, None
    for line in output('gprof', '-b', '-c', '-q', '-z', program, gmon).splitlines():
        if line.startswith('----'):
            inside, function = False, None
        name = re.search(r' (\d+)(?:/\d+)? {2,}(\S+)(?: <cycle \d+>)? \[\d+\]$', line)
        if re.match(r'\[\d+\]', line):
            inside, function = True, re.search(r'(\S+)(?: <cycle \d+>)? \[\d+\]$', line)[1]
        elif inside and name and name[2] != function:
            (arcs if name[1] == '0' else made).add((function, name[2]))
    return arcs, made


def base(name):
    """The function behind a clone or a piece."""
    return re.sub(r'(\.(part|cold|constprop|isra)(\.\d+)*)+$', '', name)


def compare(dump, program, gmon, gprof=True):
    """Without GPROF by objdump alone: in a static libc gprof's rules for the names of clones are a story of their own."""
    mine = {tuple(line.split()) for line in output(dump, program).splitlines()}
    theirs = by_objdump(program)
    alias, bases = {}, {}
    groups, indirect, owner = functions(program)
    for names in groups:
        for name in names:
            alias[name] = frozenset(names)
            bases[name] = {base(other) for other in names}

    def canonical(arcs):
        """Pairs of functions by all their names: no pieces of one function, and no indirect functions, which have a stub each."""
        known = [a[:2] for a in arcs if a[0] in alias and a[1] in alias]
        return {(alias[a], alias[b]) for a, b in known 
                if not bases[a] & bases[b] and not alias[b] & indirect and not (alias[a] | alias[b]) & HOOKS}

    wrong = canonical(mine) ^ canonical(theirs)
    assert not wrong, f'{program}: not as objdump: {sorted(map(str, wrong))[:5]}'
    if gprof:
        whole = lambda arcs: canonical((owner[a[0]], a[1]) for a in arcs if a[0] in owner and '.' not in a[1])
        text = whole({tuple(line.split()) for line in output(dump, '--text', program).splitlines()})
        assert text == whole(theirs), f'{program}: text not as objdump: {sorted(map(str, text ^ whole(theirs)))[:5]}'
        listed, done = map(whole, by_gprof(program, gmon))
        forward = whole(a for a in theirs if a[2] and a[3]) - done
        listed -= done
        assert listed == forward, f'{program}: not as gprof -c: {sorted(map(str, listed ^ forward))[:5]}'
        print(f'{program}: {len(canonical(mine))} arcs as objdump; gprof -c has {len(listed)}, and {len(done)} that were made')


def make_source(seed, n):
    dice = random.Random(seed)
    calls = [sorted({dice.randrange(n) for _ in range(dice.randrange(4))}) for _ in range(n)]
    lines = ['volatile int no;'] + [f'int f{i}(int);' for i in range(n)]
    for i, callees in enumerate(calls):
        made = ' '.join(f'if (no > {c}) x += f{c}(x + 1);' for c in callees)
        last = f'if (no > 100) return f{dice.randrange(n)}(x + 2);' if dice.random() < .5 else ''
        lines.append(f'__attribute__((noipa)) int f{i}(int x) {{ {made} {last} return x; }}')
    lines.append('int main(void) { int x = 0; ' + ' '.join(f'x += f{i}(x);' for i in range(n)) + ' return x > 5; }')
    return '\n'.join(lines)


def made(dump, folder):
    compiler = os.environ.get('CC', 'cc').split()
    (folder / 'p.c').write_text(make_source(1, 80))
    for flags in ('-O0', '-O2', '-Os -fno-pie -no-pie', '-O2 -fPIE -pie -fcf-protection', '-O1 -static'):
        subprocess.run([*compiler, '-pg', '-w', *flags.split(), 'p.c', '-o', 'p'], cwd=folder, check=True)
        subprocess.run(['./p'], cwd=folder, check=True)
        compare(dump, str(folder / 'p'), str(folder / 'gmon.out'), '-static' not in flags)


def main():
    dump, programs = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    for program in programs:
        compare(dump, program, str(pathlib.Path(program).parent / 'gmon.out'))
    if not programs:
        with tempfile.TemporaryDirectory() as folder:
            made(dump, pathlib.Path(folder))


main()
