"""readme_figures_test.py - the figures of README.md, and those of doc/ that are measured, are those of the tables in bench/records/, which commands make.
The tests say where each is found; what has a unit in README, or stands in a table, and is in no rule is an error."""
import decimal
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
README, COMMANDS, CONCEPTS = ((ROOT / name).read_text() for name in ('README.md', 'doc/commands.md', 'doc/concepts.md'))
SIX = '| on SQLite, speedtest1 | calls | callers | cost |'
COST, METHODS = '| | calls | aprof | empty hooks | gprof |', '| | inline | fentry | cyg | gprof |'
VARIANTS = {'aprof, built by `aprof-cc`': 'inline', '`aprof run`, of the program as it is': 'stacks', 'gprof (`-pg`)': 'gprof',
            '`perf record --call-graph dwarf`': 'perf', '`uftrace record`': 'uftrace', '`valgrind --tool=callgrind`': 'callgrind'}


def rows(text):
    """The tables of TEXT: lists of cells."""
    return [[cell.strip() for cell in line.strip().strip('|').split('|')] for line in text.splitlines() if line.startswith('|')]


def section(document, title):
    """The section `# TITLE` of a document, or all of it."""
    text = (ROOT / 'bench' / 'records' / document).read_text()
    return re.search(rf'(?ms)^# {re.escape(title)}$(.*?)(?=^# |\Z)', text).group(1) if title else text


def results(title):
    """{program: {variant: {column: cell}}} of a section of results.md: a table for each program, or one with a column for it."""
    found, program = {}, title
    columns = []
    for line in section('results.md', title).splitlines():
        heading = re.match(r'##+ (.*)', line)
        program = heading.group(1) if heading else program
        cells = rows(line)[0] if line.startswith('|') else []
        if 'variant' in cells:
            columns = cells
        elif columns and len(cells) == len(columns):
            row = dict(zip(columns, cells))
            found.setdefault(row.get('program', program), {})[row['variant']] = row
        elif not line.startswith('|'):
            columns = []
    return found


def rounded(cell, like):
    """The first number of CELL, rounded as the figure LIKE is: with as many places, or to the same unit."""
    number = decimal.Decimal(cell.split()[0].replace(',', ''))
    places = len(like.split()[0].partition('.')[2])
    return str(number.quantize(decimal.Decimal(1).scaleb(-places), rounding=decimal.ROUND_HALF_UP))


def shown(page, heading):
    """{label: {column: cell}} of the table of PAGE whose columns are HEADING."""
    lines = page.splitlines()
    at = lines.index(heading)
    columns = rows(heading)[0]
    found = {}
    for line in lines[at + 2:]:
        if not line.startswith('|'):
            return found
        cells = rows(line)[0]
        found[cells[0]] = dict(zip(columns, cells))
    return found


class Figures(unittest.TestCase):
    def same(self, figure, cell, what):
        self.assertEqual(figure.split()[0], rounded(cell, figure), f'{what}: the page says {figure}, the table {cell}')

    def test_six(self):
        """Six profilers on one program, in one session."""
        table = shown(README, SIX)
        found = results('Six profilers, one program')['SQLite, speedtest1']
        self.assertEqual(set(table), set(VARIANTS))
        for tool, row in table.items():
            self.same(row['cost'], found[VARIANTS[tool]]['CPU / bare'], tool)

    def test_cost(self):
        """The programs of one session, and cc1."""
        table = shown(COMMANDS, COST)
        found = {name: found for name, found in results('Way inline, seven programs').items() if 'inline' in found}
        self.assertEqual(set(table), set(found) | {"GCC 12's cc1, -O3"})
        found["GCC 12's cc1, -O3"] = next(iter(results("GCC's cc1").values()))
        for program, row in table.items():
            for column, variant in {'aprof': 'inline', 'empty hooks': 'empty', 'gprof': 'gprof'}.items():
                self.same(row[column], found[program][variant]['CPU / bare'], f'{program}, {column}')
            self.same(row['calls'], found[program]['inline']['calls'], f'{program}, calls')

    def test_methods(self):
        table = shown(COMMANDS, METHODS)
        found = {name: found for name, found in results('Ways fentry and cyg, by GCC').items() if 'inline' in found}
        self.assertEqual(set(table), set(found))
        for program, row in table.items():
            for variant in 'inline', 'fentry', 'cyg', 'gprof':
                self.same(row[variant], found[program][variant]['CPU / bare'], f'{program}, {variant}')

    # Sentences: a page, a pattern, and what its groups are, in order.
    def sentences(self):
        mean = next(row for row in rows(section('results.md', 'Way mcount')) if row[1] == 'geometric mean')
        six = results('Six profilers, one program')['SQLite, speedtest1']
        accuracy = rows((ROOT / 'bench' / 'records' / 'accuracy.md').read_text().partition('\n## Clang')[0])
        charged = [row for row in accuracy if len(row) == 10 and row[-1] in ('met', 'missed', 'not told')]
        variation = [row for row in accuracy if len(row) == 9 and row[-1] in ('met', 'missed')]
        shares = [decimal.Decimal(row[4]) for row in variation]
        words = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven']
        count = lambda table, verdict: words[sum(row[-1] == verdict for row in table)]
        apart = [abs(decimal.Decimal(row[3])) for row in accuracy if len(row) == 8 and re.fullmatch(r'[+-][\d.]+', row[3])]
        self.assertEqual(len(charged), len(variation))
        yield README, r'It makes ([\d.]+) M calls', [six['inline']['calls']]
        yield README, r'by the log, of ([\d.]+) GB', [str(decimal.Decimal(six['uftrace']['file MB']) / 1000)]
        yield COMMANDS, r'adds ([\d.]+) of what gprof adds', [mean[2]]
        yield CONCEPTS, rf'Of {words[len(charged)]} programs the sum was within its limit, 5 or 10 %, for {count(charged, "met")}; for {count(charged, "not told")} the machine was too busy to say', []
        yield CONCEPTS, r'Of the run\'s time (\d+) to (\d+) % stands in the wrong routine', [str(min(shares)), str(max(shares))]
        yield CONCEPTS, rf'within the limit for {count(variation, "met")} programs, beyond it for Lua and tcc', []
        yield CONCEPTS, r'One routine is ([\d.]+) points of the whole off at worst', [str(max(apart))]

    def test_sentences(self):
        for page, pattern, cells in self.sentences():
            found = re.search(pattern, ' '.join(page.split()))
            self.assertTrue(found, f'no page says: {pattern}')
            for figure, cell in zip(found.groups(), cells):
                self.same(figure, cell, found.group(0))

    def test_all_are_accounted_for(self):
        text = ' '.join(re.sub(r'(?m)^(    |\|).*$', '', README).split())         # examples, and tables, which are asked about above
        for _, pattern, _ in self.sentences():
            text = re.sub(pattern, '', text)
        left = re.findall(r'[\d.]+ ?(?:%|times|points|ns|ms|us|s|KB|MB|GB)(?=\W)', text)
        self.assertEqual(left, [], 'figures of README that no rule knows')
        for page, known in (README, [SIX]), (COMMANDS[:COMMANDS.index('## Scripts')], [COST, METHODS]):
            for heading in re.findall(r'(?m)^(\|.*\|)\n\|-', page):
                if re.search(r'\d\.\d', str(shown(page, heading))):
                    self.assertIn(heading, known)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
