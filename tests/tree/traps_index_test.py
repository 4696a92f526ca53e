"""traps_index_test - each trap's number stands in the index of tests/README.md, and none that no trap has."""
import os, re, sys

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def main():
    with open(os.path.join(TESTS, "README.md")) as file:
        index = re.findall(r"^\| (\d\d) \| \S", file.read(), re.M)
    traps = {name[:2] for name in os.listdir(os.path.join(TESTS, "traps")) if re.match(r"\d\d-", name)}
    wrong = [f"{number}: no trap has it" for number in sorted(set(index) - traps)]
    wrong += [f"{number}: not in the index" for number in sorted(traps - set(index))]
    wrong += [f"{number}: twice in the index" for number in sorted({n for n in index if index.count(n) > 1})]
    print(*wrong, f"{len(index)} numbers, {len(wrong)} wrong", sep="\n")
    return 1 if wrong or not index else 0


if __name__ == "__main__":
    sys.exit(main())
