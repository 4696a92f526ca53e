"""One run of one variant, and the rounds that compare several.

In each round every variant runs once, in an order drawn anew, so that none
always follows the one that heats the machine or fills its caches.  A run has a
folder of its own, removed afterwards; its output must be the bare build's.
"""

import glob
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import time

from profile_info import read_info, text_bytes
from recipe import Trouble, say
from variants import VARIANTS


class Runner:
    def __init__(self, shop, program, executables, timeout):
        self.shop = shop
        self.program = program
        self.executables = executables  # variant -> path
        self.timeout = timeout          # seconds for one run
        self.measure = shop.helper("measure")
        self.folder = os.path.join(shop.cache, "run", str(os.getpid()))

    def run(self, name, with_info):
        """Run variant NAME once; a dict of what it cost and left behind."""
        variant = VARIANTS[name]
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        environment = self.shop.environment(prepared=self.program.prepared, program=self.executables[name],
                                            launch=variant.launch.replace("{build}", self.shop.aprof), **variant.environment(self.shop.aprof))
        try:
            self._launch(environment)
            with open(os.path.join(self.folder, "cost.json")) as file:
                cost = json.load(file)
            if cost["status"]:
                raise Trouble(f"exit status {cost['status']}: {self._last_error()}")
            self._clean(variant.chatter)
            cost["output"] = self._output(environment)
            cost["data_bytes"] = self._data_bytes(variant.data)
            cost["info"] = self._info(name) if with_info else {}
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
        return cost

    def _launch(self, environment):
        with open(os.path.join(self.folder, "stdout"), "wb") as out, \
                open(os.path.join(self.folder, "stderr"), "wb") as err:
            child = subprocess.Popen([self.measure, "cost.json", *self.program.step("run")], cwd=self.folder,
                                     env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                     start_new_session=True)
            try:
                child.wait(self.timeout)
            except BaseException as problem:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                if isinstance(problem, subprocess.TimeoutExpired):
                    raise Trouble(f"ran for more than {self.timeout} s") from None
                raise

    def _info(self, name):
        program = self.executables[name]
        return {"text_bytes": text_bytes(program), **read_info(self.shop.aprof, program, self.folder)}

    def _last_error(self):
        with open(os.path.join(self.folder, "stderr"), errors="replace") as file:
            lines = file.read().splitlines()
        return lines[-1][:120].replace("|", "/") if lines else "no message"

    def _clean(self, chatter):
        """Leave the program's own on its standard output."""
        if not chatter:
            return
        path = os.path.join(self.folder, "stdout")
        with open(path, "rb") as file:
            text = file.read()
        with open(path, "wb") as file:
            file.write(re.sub(chatter.encode(), b"", text))

    def _output(self, environment):
        done = subprocess.run(self.program.step("output"), cwd=self.folder, env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        if done.returncode:
            raise Trouble("the recipe's output step failed")
        return hashlib.sha256(done.stdout).hexdigest()[:16]

    def _data_bytes(self, pattern):
        if not pattern:
            return None
        return sum(os.path.getsize(f) for f in glob.glob(os.path.join(self.folder, pattern)))


def rounds(runner, variants, count, slow_count, record, info_always=False):
    """Run VARIANTS alternately, COUNT rounds, slow ones in the first SLOW_COUNT.
    RECORD is called with (variant, round, sample) after each run; a variant that
    fails is left out of the rounds that follow, and its trouble recorded.
    What the profile says is read in the first round, or INFO_ALWAYS."""
    order = random.Random(runner.program.name)
    alive = list(variants)
    for number in range(count):
        turn = [v for v in alive if number < slow_count or not VARIANTS[v].slow]
        order.shuffle(turn)
        for name in turn:
            begin = time.monotonic()
            try:
                sample = runner.run(name, with_info=info_always or number == 0)
            except Trouble as problem:
                sample = {"trouble": str(problem)}
                alive.remove(name)
            record(name, number, sample)
            say(f"{runner.program.name}: round {number + 1} of {count}: {name}: "
                + sample.get("trouble", f"{time.monotonic() - begin:.1f} s"))
