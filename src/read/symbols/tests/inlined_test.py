#!/usr/bin/env python3
"""inlined_test.py INLINED - inlined functions of optimised C++, at every instruction, held against addr2line -i; INLINED is inlined.c."""
import os, re, shutil, subprocess, sys, tempfile, unittest

INLINED = os.path.abspath(sys.argv.pop(1))

SOURCE = r"""
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>
namespace shapes {
struct Shape { virtual double area() const = 0; virtual ~Shape() {} };
struct Square : Shape { double side; Square(double s) : side(s) {} double area() const override { return side * side; } };
template <class T> static inline T clamp(T x, T low, T high) { return x < low ? low : x > high ? high : x; }
static double sum(const std::vector<double> &v) { return std::accumulate(v.begin(), v.end(), 0.0, [](double a, double b) { return a + clamp(b, 0.0, 9.0); }); }
}
static int recursive(int n) { return n < 2 ? n : recursive(n - 1) + recursive(n - 2); }
int main(int argc, char **argv)
{
	std::vector<double> v;
	std::map<std::string, int> words;
	for (int i = 0; i < argc; i++) { v.push_back(shapes::Square(i).area()); words[argv[i]]++; }
	std::sort(v.begin(), v.end(), [](double a, double b) { return a > b; });
	return (int)shapes::sum(v) + recursive(argc) + words.size();
}
"""


class Inlined(unittest.TestCase):
    def by_addr2line(self, path, addresses):
        """The names of the functions, innermost first, for each address; the last is the one that has the code."""
        text = subprocess.run(["addr2line", "-a", "-f", "-i", "-e", path], input="\n".join(addresses), capture_output=True, text=True, check=True).stdout
        return [part.splitlines()[1::2] for part in re.split(r"^0x[0-9a-f]+$", text, flags=re.M)[1:]]

    def chains(self, text):
        """The same as inlined.c prints them: each ends with an empty line."""
        found = [[]]
        for line in text.splitlines():
            if line:
                found[-1].append(line)
            else:
                found.append([])
        return found[:-1]

    def agree(self, found, said):
        """addr2line has no scopes of a function that has no name to link by, and gives the innermost of these the name of the symbol that is there."""
        said, symbol = said[:-1], said[-1]
        if len(found) != len(said):
            return False
        return all(a == b or (not a.startswith("_Z") and (a.endswith("::" + b) or (i == 0 and b == symbol))) for i, (a, b) in enumerate(zip(found, said)))

    def same(self, compiler, *flags):
        with tempfile.TemporaryDirectory() as where:
            path = os.path.join(where, "program")
            with open(path + ".cc", "w") as file:
                file.write(SOURCE)
            subprocess.run([compiler, "-g", *flags, "-o", path, path + ".cc"], check=True)
            code = subprocess.run(["objdump", "-d", "-j", ".text", path], capture_output=True, text=True, check=True).stdout
            addresses = re.findall(r"^ +([0-9a-f]+):", code, re.M)
            done = subprocess.run([INLINED, path], input="\n".join(addresses), capture_output=True, text=True, check=True).stdout
            found, said = self.chains(done), self.by_addr2line(path, addresses)
        self.assertEqual(len(found), len(addresses))
        self.assertGreater(max(map(len, found)), 4)
        self.assertEqual([(a, x, y) for a, x, y in zip(addresses, found, said) if not self.agree(x, y)], [])

    def test_gcc(self):
        for flags in (["-O2"], ["-O3", "-gdwarf-4"], ["-O2", "-flto"]):
            with self.subTest(flags=flags):
                self.same("g++", *flags)

    def test_clang(self):
        if not shutil.which("clang++"):
            self.skipTest("no clang++")
        self.same("clang++", "-O2", "-gdwarf-4")        # of DWARF 5 by Clang addr2line knows less


if __name__ == "__main__":
    unittest.main()
