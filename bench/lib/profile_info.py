"""What the profile that a run left says of it: aprof's by `aprof report --json`,
gprof's by `gprof`.  Figures that are not there are left out."""

import glob
import json
import os
import subprocess


def read_info(aprof, program, folder):
    """The figures of the profile in FOLDER that PROGRAM left; {} for none."""
    profiles = sorted(glob.glob(os.path.join(folder, "amon.out*")))
    if profiles:
        text = _printed([os.path.join(aprof, "aprof"), "report", "--json", program, profiles[0]])
        return of_aprof(json.loads(text)) if text else {}
    arcs = os.path.join(folder, "gmon.out")
    if os.path.exists(arcs):
        return of_gprof(_printed(["gprof", "-b", "-p", program, arcs]))
    return {}


def text_bytes(program):
    """Size of the text segment, None where `size` does not tell."""
    words = _printed(["size", program]).split("\n", 1)[-1].split()
    return int(words[0]) if words else None


def _printed(command):
    """What COMMAND prints, "" when it is missing or fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except FileNotFoundError:
        return ""
    return "" if done.returncode else done.stdout


def of_aprof(report):
    """Counts and charged seconds of the JSON of a report."""
    counts, times = report["run"]["counts"], report["run"]["times"]
    info = {key: counts[key] for key in ("calls", "contexts", "transitions", "mean_history", "longest_history")}
    if counts["calls"]:
        info["hit_rate"] = 1 - counts["probe_misses"] / counts["calls"]
    info["charged"] = times["contexts_ns"] / 1e9
    info["routines"] = sum(not row["pseudo"] for row in report["flat"])
    return info


def of_gprof(listing):
    """The seconds of a flat profile: its largest cumulative time."""
    seconds = 0.0
    for line in listing.splitlines():
        words = line.split()
        if len(words) >= 3 and all(_is_number(w) for w in words[:3]):
            seconds = max(seconds, float(words[1]))
    return {"charged": seconds} if listing else {}


def _is_number(word):
    try:
        float(word)
    except ValueError:
        return False
    return True
