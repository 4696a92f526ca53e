"""What each format of aprof export adds up to, as read by other programs, or by Python where any will do.

totals() holds them all against a report; the readers of single formats are export_test.py's, too."""
import csv
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True


def run(*command, cwd, env=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=dict(os.environ, LC_ALL='C.UTF-8', HOME=str(cwd), **(env or {})))
    if done.returncode:
        raise AssertionError(f'{command}: status {done.returncode}\n{done.stdout}\n{done.stderr}')
    return done.stdout


def whole(report):
    """Nanoseconds of a run, of the JSON of its report."""
    times = report['run']['times']
    return times['contexts_ns'] + times['outside_ns']


def calls(report):
    return sum(r['calls'] + r['recursive'] for r in report['flat'])


# ---- readers of one format: PATH is a file in the folder CWD ----

def annotate(path, cwd, *more):
    """What callgrind_annotate says: the total cost, and that of each function."""
    shown = run('callgrind_annotate', '--threshold=100', '--auto=no', '--show-percs=no', *more, path, cwd=cwd)
    if 'WARNING' in shown:
        raise AssertionError(shown)
    total = int(re.search(r'(?m)^([\d,]+|0) +PROGRAM TOTALS', shown).group(1).replace(',', ''))
    rows = {}
    for row in re.finditer(r'(?m)^ *([\d,]+)  (\?\?\?|[^:\n]+):(.*?)(?: \[.*\])?$', shown.split('file:function')[1]):
        rows[row.group(3)] = int(row.group(1).replace(',', ''))
    return total, rows


def callgrind_lines(path, cwd, key):
    """The first numbers behind KEY, one for each line that begins with it."""
    with open(os.path.join(cwd, path)) as file:
        return [int(line[len(key):].split()[0]) for line in file if line.startswith(key)]


def callgrind_calls(path, cwd):
    return sum(callgrind_lines(path, cwd, 'calls='))


def pprof(path, cwd, *more):
    return run('go', 'tool', 'pprof', '-symbolize=demangle=none', *more, path, cwd=cwd, env={'PPROF_TMPDIR': str(cwd)})


def pprof_samples(path, cwd):
    """What pprof read: (calls, samples, ns, stack, the running routine first) of each sample, and functions by location."""
    samples, places = pprof(path, cwd, '-raw').split('\nLocations\n')
    names = {int(m.group(1)): m.group(2) for m in re.finditer(r'(?m)^ +(\d+): \S+ (?:M=\d+ )?(.*) \S*:\d+(?::\d+)? s=\d+', places)}
    found = re.finditer(r'(?m)^ +(\d+) +(\d+) +(\d+): ([\d ]+?) *$', samples)
    return [(*map(int, m.groups()[:3]), [int(i) for i in m.group(4).split()]) for m in found], names


def folded(path, cwd):
    """(stack, weight) of each line."""
    with open(os.path.join(cwd, path)) as file:
        for line in file:
            stack, weight = line.rstrip('\n').rsplit(' ', 1)
            yield stack.split(';'), int(weight)


def graphviz(path, cwd):
    return json.loads(run('dot', '-Tdot_json', path, cwd=cwd))


def _json(path, cwd):
    with open(os.path.join(cwd, path)) as file:
        return json.load(file)


def csv_rows(path, cwd):
    with open(os.path.join(cwd, path), newline='') as file:
        return list(csv.DictReader(file, strict=True))


# ---- totals: EXPORT(format, option...) makes a file and returns its name; nanoseconds and calls, None for what a format has not ----

def _callgrind(export, cwd):
    path = export('callgrind')
    # callgrind_annotate refuses a file in which nothing cost anything.
    return annotate(path, cwd)[0] if any(callgrind_lines(path, cwd, 'summary:')) else 0, callgrind_calls(path, cwd)


def _pprof(export, cwd):
    samples, _ = pprof_samples(export('pprof'), cwd)
    return sum(s[2] for s in samples), sum(s[0] for s in samples)


def _folded(export, cwd):
    time, count = (sum(weight for _, weight in folded(export('folded', *more), cwd)) for more in ([], ['--weight=calls']))
    return time, count


def _dot(export, cwd):
    graph = graphviz(export('dot'), cwd)
    shown = sum(int(node['aprof_self_ns']) for node in graph.get('objects', []))
    return shown + int(graph['aprof_hidden_self_ns']) + int(graph['aprof_outside_ns']), None


def _json_total(export, cwd):
    data = _json(export('json'), cwd)
    return data['tree'][0]['total_ns'], sum(c['entries'] + c['recursive'] for c in data['contexts'])


def _speedscope(export, cwd):
    time, count = (sum(profile['weights']) for profile in _json(export('speedscope'), cwd)['profiles'][:2])
    return time, count


def _firefox(export, cwd):
    return round(1e6 * sum(w for t in _json(export('firefox'), cwd)['threads'] for w in t['samples']['weight'])), None


def _csv(export, cwd):
    contexts = csv_rows(export('csv', '--table=contexts'), cwd)
    return sum(int(c['time_ns']) for c in contexts), sum(int(c['entries']) + int(c['recursive']) for c in contexts)


# By format: the program that reads it, "" for none but Python; and its totals.
READERS = {'callgrind': ('callgrind_annotate', _callgrind), 'pprof': ('go', _pprof), 'folded': ('', _folded), 'dot': ('dot', _dot),
           'json': ('', _json_total), 'speedscope': ('', _speedscope), 'firefox': ('', _firefox), 'csv': ('', _csv)}


def totals(aprof, profiles, report, cwd):
    """What differs between REPORT, the JSON of `aprof report` on the files PROFILES, and their exports, which are made in CWD: a line
    each; and the formats that were read.  A format whose reader is not installed is left out."""
    def export(fmt, *more):
        run(aprof, 'export', fmt, '-o', 'exported.' + fmt, *more, '--', *profiles, cwd=cwd)
        return 'exported.' + fmt

    wrong, read = [], []
    for fmt, (program, reader) in READERS.items():
        if program and not shutil.which(program):
            continue
        time, count = reader(export, cwd)
        read.append(fmt)
        if abs(time - whole(report)) > (fmt == 'firefox'):          # it has milliseconds, with fractions
            wrong.append(f'{fmt}: {time} ns, not {whole(report)}')
        if count not in (None, calls(report)):
            wrong.append(f'{fmt}: {count} calls, not {calls(report)}')
    return wrong, read
