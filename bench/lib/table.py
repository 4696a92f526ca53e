"""The tables of results, in Markdown, which reads well on a terminal too."""

from stats import estimate, geometric_mean, geometric_mean_estimate, least_share, ratios, shares
from variants import BEST, LITTLE, MEMORY, POINTS, TARGETS, VARIANTS

COLUMNS = ("variant", "CPU s", "CPU / bare", "wall / bare", "added / gprof's", "calls", "contexts", "transitions",
           "hit rate", "memory + MB", "file MB", "rounds", "output")

TABLE_I = ("program", "text KiB", "routines", "calls", "contexts", "transitions", "depth mean", "depth max",
           "memory + MB", "amon.out MB", "gmon.out MB")
TABLE_II = ("program", "bare s", "aprof charged", "aprof total", "aprof change", "gprof charged", "gprof total",
            "gprof change", "dummy change")


class Results:
    """The samples of one program, by variant and round."""

    def __init__(self, samples):
        self.samples = {}
        for sample in samples:
            self.samples.setdefault(sample["variant"], {})[sample["round"]] = sample

    def variants(self):
        return [v for v in VARIANTS if v in self.samples]

    def trouble(self, name):
        return next((s["trouble"] for s in self.samples[name].values() if "trouble" in s), None)

    def series(self, name, value):
        """Round -> value, of the runs that were measured."""
        runs = self.samples.get(name, {})
        return {r: value(s) for r, s in runs.items() if "trouble" not in s}

    def cpu(self, name):
        return self.series(name, lambda s: s["user"] + s["system"])

    def wall(self, name):
        return self.series(name, lambda s: s["wall"])

    def share(self, name, reference):
        return shares(self.cpu(name), self.cpu("bare"), self.cpu(reference))

    def least_share(self, name, reference):
        return least_share(self.cpu(name), self.cpu("bare"), self.cpu(reference))

    def least(self, name):
        """What the least run of NAME adds to that of the bare program, as a part of it."""
        return min(self.cpu(name).values()) / min(self.cpu("bare").values()) - 1

    def added(self, name):
        """What NAME adds to the bare program's CPU time, as a part of it."""
        return [r - 1 for r in ratios(self.cpu(name), self.cpu("bare"))]

    def info(self, name, key):
        return next((s["info"][key] for s in self.samples.get(name, {}).values() if key in s.get("info", {})), None)

    def same_output(self, name):
        """Whether each run printed what the bare program's first run did; None
        without a bare run."""
        bare = list(self.series("bare", lambda s: s["output"]).values())
        own = list(self.series(name, lambda s: s["output"]).values())
        return all(o == bare[0] for o in own) if bare and own else None


def spread(values, form="{:.2f}"):
    """Median and interval, or "-" for no values."""
    if not values:
        return "-"
    e = estimate(values)
    text = form.format(e.value)
    return text if e.count < 2 else f"{text} [{form.format(e.low)}, {form.format(e.high)}]"


def count(number):
    if number is None:
        return "-"
    return f"{number / 1e6:.1f} M" if number >= 1e6 else f"{number:,.0f}"


def data_size(results, name):
    """Megabytes of what a run of NAME left on the disk."""
    sizes = [b for b in results.series(name, lambda s: s["data_bytes"]).values() if b is not None]
    return f"{estimate(sizes).value / 1e6:.2f}" if sizes else "-"


def memory(results, name):
    """Bytes of the largest resident size over the bare program's, None where it is not known."""
    own = list(results.series(name, lambda s: s["rss_kib"] * 1024).values())
    bare = list(results.series("bare", lambda s: s["rss_kib"] * 1024).values())
    return estimate(own).value - estimate(bare).value if own and bare else None


def added_memory(results, name):
    added = memory(results, name)
    return "-" if added is None else f"{added / 1e6:.1f}"


def row(results, name):
    if results.trouble(name):
        return [name, results.trouble(name)] + ["-"] * (len(COLUMNS) - 2)
    cpu, wall = results.cpu(name), results.wall(name)
    hits = results.info(name, "hit_rate")
    same = {True: "same", False: "DIFFERS", None: "-"}[results.same_output(name)]
    return [name, spread(list(cpu.values())),
            spread(ratios(cpu, results.cpu("bare"))), spread(ratios(wall, results.wall("bare"))),
            spread(results.share(name, "gprof")) if name != "bare" else "-",
            *[count(results.info(name, key)) for key in ("calls", "contexts", "transitions")],
            f"{hits:.2%}" if hits is not None else "-",
            added_memory(results, name), data_size(results, name), str(len(cpu)), same]


def markdown(columns, rows):
    widths = [max(len(r[i]) for r in [columns, *rows]) for i in range(len(columns))]

    def line(cells):
        return "| " + " | ".join(c.ljust(w) for c, w in zip(cells, widths)) + " |"

    return "\n".join([line(columns), line(["-" * w for w in widths]), *map(line, rows)])


def program_table(title, results):
    rows = [row(results, name) for name in results.variants()]
    return f"## {title}\n\n{markdown(COLUMNS, rows)}\n"


def papers_tables(results_by_program, variant):
    """Tables I and II of the paper, for one of aprof's variants: what the
    profile of each program consists of, and what it costs.  "" without it."""
    chosen = {t: r for t, r in results_by_program.items() if variant in r.samples and not r.trouble(variant)}
    if not chosen:
        return ""
    return (f"## Table I: the profiles ({variant})\n\n"
            + markdown(TABLE_I, [_row_i(t, r, variant) for t, r in chosen.items()])
            + f"\n\n## Table II: seconds charged and spent ({variant})\n\n"
            + markdown(TABLE_II, [_row_ii(t, r, variant) for t, r in chosen.items()]) + "\n")


def _row_i(title, results, variant):
    def info(key):
        return results.info(variant, key)

    text, mean = results.info("bare", "text_bytes"), info("mean_history")
    return [title, count(text and text / 1024), count(info("routines")), count(info("calls")), count(info("contexts")),
            count(info("transitions")), "-" if mean is None else f"{mean:.1f}", count(info("longest_history")),
            added_memory(results, variant), data_size(results, variant), data_size(results, "gprof")]


def _row_ii(title, results, variant):
    cells = [title, seconds(results, "bare")]
    for name in (variant, "gprof"):
        charged = results.info(name, "charged")
        cells += ["-" if charged is None else f"{charged:.2f}", seconds(results, name), change(results, name)]
    return cells + [change(results, "empty")]


def seconds(results, name):
    values = list(results.cpu(name).values())
    return f"{estimate(values).value:.2f}" if values else "-"


def change(results, name):
    """What NAME adds to the bare run time, in per cent."""
    return spread([100 * a for a in results.added(name)], "{:+.0f} %")


def legend(variants):
    lines = [f"- {name}: {VARIANTS[name].caption}" for name in variants]
    lines.append("- A time is the median of the rounds with the interval of order statistics that holds the true median "
                 "with 95 % (under 6 rounds: the range). CPU is user and system time; a ratio is taken round by "
                 "round. \"added / gprof's\" is what the variant adds to the bare program's CPU time, as a share of "
                 "what gprof adds; \"by the least\" is the same of the least time of each variant. Memory is the largest resident size over the bare program's. Slow variants run in "
                 "the first rounds only.")
    return "\n".join(lines)


def target_rows(target, results_by_program):
    """One row for each program, then the geometric mean of the programs.
    Where the reference itself adds too little to divide by, points of the bare
    program's time are judged instead."""
    rows, lists, leasts, name = [], [], [], f"{target.variant} / {target.reference}"
    for title, results in results_by_program.items():
        share, limit = results.share(target.variant, target.reference), target.titles.get(title, target.each)
        if not share:
            continue
        if estimate(results.added(target.reference)).value < LITTLE:
            own, low = results.added(target.variant), results.least(target.variant)
            rows.append([target.variant, title, spread(own), f"{low:.2f}", f"{POINTS}", judge(estimate(own), POINTS)])
        else:
            low = results.least_share(target.variant, target.reference)
            lists.append(share)
            leasts.append(low)
            rows.append([name, title, spread(share), two(low), f"{limit}", judge(estimate(share), limit)])
    if len(lists) > 1 and target.mean:
        mean = geometric_mean_estimate(lists)
        low = geometric_mean([max(v, 0.001) for v in leasts]) if None not in leasts else None
        rows.append([name, "geometric mean", f"{mean.value:.2f} [{mean.low:.2f}, {mean.high:.2f}]", two(low), f"{target.mean}",
                     judge(mean, target.mean)])
    return rows


def two(value):
    return "-" if value is None else f"{value:.2f}"


def memory_rows(results_by_program):
    """What the best variant takes of memory, of the programs where that is not little."""
    rows = []
    for title, results in results_by_program.items():
        added = memory(results, BEST) or 0
        if added > MEMORY * 1e6 / 10:
            rows.append([BEST, title, f"{added / 1e6:.0f} MB", "-", f"{MEMORY} MB", "met" if added <= MEMORY * 1e6 else "missed"])
    return rows


def verdict(results_by_program):
    rows = [row for target in TARGETS for row in target_rows(target, results_by_program)] + memory_rows(results_by_program)
    if not rows:
        return ""
    return "## Targets\n\n" + markdown(("added by / added by", "program", "share", "by the least", "at most", ""), rows) + "\n"


def judge(share, limit):
    if share.value <= limit:
        return "met"
    return "missed" if share.low > limit else "open: the interval holds the limit"
