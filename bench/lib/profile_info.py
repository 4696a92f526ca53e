"""What a profile file says of a run, by `aprof info --json FILE`."""

import glob
import json
import os
import subprocess

# Column of the table -> key in the JSON of `aprof info`.
FIELDS = {"calls": "calls", "contexts": "contexts", "transitions": "transitions", "hit_rate": "hit_rate"}


def read_info(aprof, folder):
    """The figures of the first amon.out in FOLDER; {} where there is none, or
    none that this aprof can read."""
    files = sorted(glob.glob(os.path.join(folder, "amon.out*")))
    command = os.path.join(aprof, "aprof")
    if not files or not os.access(command, os.X_OK):
        return {}
    done = subprocess.run([command, "info", "--json", files[0]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if done.returncode:
        return {}
    return pick(json.loads(done.stdout))


def pick(info):
    return {column: info[key] for column, key in FIELDS.items() if key in info}
