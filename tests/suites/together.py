"""A suite under one `aprof run`: what it kept, one profile for each program, against the profiles of the single processes.

aprof run adds up processes that have ended while others go on, and removes their files.  A file holds what its process counted under each name that it has,
so keep.c, preloaded into aprof run, gives each a second one first.  Both sides are of the very same processes: they must be equal in each context,
however unsteady the suite is.

    the command of a suite -> Run; what it left -> Sums"""

import json
import os
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field

import contexts
import profiles
from recipe import Trouble

HERE = os.path.dirname(os.path.abspath(__file__))
BATCH = 400         # profiles on one command line

# In the place of the suite: TMPDIR is aprof's alone, and the suite's own profiles go where aprof run wants them ($together in the recipes).
AROUND = 'if [ "$1" ]; then TMPDIR=$1; else unset TMPDIR; fi; shift; together=$APROF_OUT exec "$@"'


def library(folder):
    """keep.c, built in FOLDER."""
    made = os.path.join(folder, "keep.so")
    done = subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", made, os.path.join(HERE, "keep.c")], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Trouble(f"keep.c: {done.stderr.strip()}")
    return made


@dataclass
class Run:
    """Where a suite under aprof run leaves what: folders that exist."""
    aprof: str
    library: str
    run: str        # of aprof run itself, its TMPDIR
    single: str     # the files of processes
    kept: str       # what aprof run keeps

    def command(self, step, environment):
        """STEP, a command, under aprof run, and the environment for that."""
        own = {**environment, "KEEP": self.single, "LD_PRELOAD": self.library, "TMPDIR": self.run}
        return [self.aprof, "run", "--no-report", "--data", os.path.join(self.kept, "amon.out"), "sh", "-c", AROUND, "sh", environment.get("TMPDIR", ""), *step], own

    def read(self, work):
        """Sums of what it left; what processes left in the folder WORK instead is told."""
        sums, strays = compare(self.aprof, profiles.find([self.kept]), profiles.find([self.single])), profiles.find([work])
        if strays:
            sums.wrong.append(f"{len(strays)} profiles are not where aprof run wants them: {strays[0]}")
        return sums


@dataclass
class Sums:
    """What aprof run kept, held against the single files."""
    processes: int = 0
    programs: int = 0
    contexts: int = 0       # of all programs
    calls: int = 0          # that it kept
    single: int = 0         # calls of the single files
    wrong: list = field(default_factory=list)   # a line each


def by_program(aprof, paths):
    """Of the profiles PATHS {program: its own}, and of how many processes they say that they are."""
    files, processes = defaultdict(list), 0
    for at in range(0, len(paths), BATCH):
        done = subprocess.run([aprof, "info", "--json", "--", *paths[at:at + BATCH]], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
        if done.returncode:
            raise Trouble(f"aprof info: {done.stderr.strip()}")
        said = json.loads(done.stdout)
        for file in said["run"]["files"]:
            files[file["program"]].append(file["file"])
        processes += sum(command["processes"] for command in said["commands"])
    return files, processes


def compare(aprof, kept, single):
    """Sums of the profiles KEPT, and of those of SINGLE processes."""
    sums = Sums(processes=len(single))
    (kept, counted), (single, _) = by_program(aprof, kept), by_program(aprof, single)
    sums.programs = len(single)
    if counted != sums.processes:
        sums.wrong.append(f"kept are {counted} processes of {sums.processes}")
    for program in sorted(kept.keys() | single.keys()):
        if len(kept[program]) != 1:
            sums.wrong.append(f"{program}: {len(kept[program])} profiles kept, not one")
        own, others = (contexts.total(aprof, files[program]) for files in (kept, single))
        sums.contexts, sums.calls, sums.single = sums.contexts + own.count, sums.calls + own.calls, sums.single + others.calls
        if own != others:
            sums.wrong.append(f"{program}: {_first(own.counts(), others.counts())}")
    return sums


def _first(kept, single):
    """Where contexts differ, the shortest history first."""
    differing = [history for history in kept.keys() | single.keys() if kept.get(history) != single.get(history)]
    history = min(differing, key=lambda text: (text.count(" "), text))
    told = lambda counts: "none" if history not in counts else "%d+%d" % counts[history]  # noqa: E731
    return f"{len(differing)} contexts differ: kept {told(kept)}, single files {told(single)}: {history}"
