"""papers_test.py - what the papers promise of themselves: links lead somewhere, lines end at 100 columns, README is short, files that are named are there."""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAPERS = sorted([*ROOT.glob('*.md'), *ROOT.glob('doc/*.md'), *ROOT.glob('bench/*.md'), *ROOT.glob('bench/records/*.md'), ROOT / 'tests/README.md'])


def anchor(heading):
    """As a forge makes it of a heading."""
    return re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-')


def prose(text):
    """Without what is shown as it is: code."""
    return re.sub(r'(?m)^    .*$', '', re.sub(r'(?s)```.*?```', '', text))


class Papers(unittest.TestCase):
    def test_links(self):
        for paper in PAPERS:
            for target in re.findall(r'\]\(([^)\s]+)\)', re.sub(r'`[^`]*`', '', prose(paper.read_text()))):
                path, _, name = target.partition('#')
                if '://' in path:
                    continue
                with self.subTest(f'{paper.relative_to(ROOT)}: {target}'):
                    file = paper.parent / path if path else paper
                    self.assertTrue(file.exists(), 'no such file')
                    if name:
                        self.assertIn(name, [anchor(heading) for heading in re.findall(r'(?m)^#+ (.*)$', file.read_text())])

    def test_lines(self):
        """What wraps at all wraps at 100."""
        for paper in ROOT.glob('doc/*.md'):
            for number, line in enumerate(prose(paper.read_text()).splitlines(), 1):
                if not line.startswith(('|', '#', '![')):
                    self.assertLessEqual(len(line), 100, f'{paper.name}:{number}')

    def test_readme_is_short(self):
        self.assertLessEqual(len((ROOT / 'README.md').read_text().splitlines()), 120)

    def test_files_that_contributing_names(self):
        named = re.findall(r'`([a-z_]+/[\w./-]+)`', (ROOT / 'CONTRIBUTING.md').read_text())
        self.assertGreater(len(named), 20)
        for name in named:
            if not re.search(r'NAME|NN|COMMAND', name):
                self.assertTrue((ROOT / name).exists(), name)

    def test_packages_of_debian(self):
        """Those of INSTALL.md are those that make installs."""
        packages = re.search(r'(?s)^PKGS = (.*?) \$\(PLUGIN\)$', (ROOT / 'Makefile').read_text(), re.M)[1].replace('\\\n', ' ').split()
        install = (ROOT / 'INSTALL.md').read_text()
        section = install[install.index('## Debian'):install.index('## Fedora')]
        listed = re.search(r'(?s)apt install (.*?)\n    apt install gcc-\$.*-plugin-dev', section)[1].replace('\\\n', ' ').split()
        self.assertEqual(sorted(listed), sorted(packages + ['nodejs', 'npm']))
        looked_for = re.findall(r'([\w.+-]+):[^\s"]', re.sub(r'(?m)^\s*#.*', '', (ROOT / 'tests/missing').read_text().split('for pair')[0]))
        self.assertEqual(sorted(set(looked_for) - {'gcc', 'CC'}), sorted(set(listed) - {'g++', 'dpkg-dev'}), 'tests/missing')     # of Debian alone is the latter


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
