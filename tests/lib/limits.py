#!/usr/bin/env python3
"""limits.py [--cpu S] [--idle S] [--wall S] [--tell 1] -- COMMAND... - run a command that must end, however slow or busy the machine is.

What is limited is the CPU time of all processes that the command starts, those that ended included (default 600 s, or TEST_CPU_SECONDS).
A group that uses no CPU time for so long while none of its threads can run hangs (default 120 s).  Elapsed time is the last resort, far away
(default 20 times the CPU time).  With --tell the last line on standard error says what was used.  Past a limit it is told what each thread of the group waits for, with stacks by gdb where there is one, all of
the group is killed, and the status is 124.  Otherwise it is the command's.

For a test's runner, which has many such commands: `limits.run` is `subprocess.run` but for the limits, and raises `limits.Exceeded`."""
import glob, os, select, shutil, signal, subprocess, sys, tempfile, time
from collections import namedtuple

EVERY = 1                   # seconds between two looks at a group
GIVEN_UP = 124              # the status, as timeout(1) has it
TOLD = 24                   # processes that are told of
TICKS = os.sysconf("SC_CLK_TCK")
Process = namedtuple("Process", "state parent session start ticks faults")


class Exceeded(Exception):
    """A command did not keep its limits; the text says which, and what it was at."""


# ---- a group of processes ----

def skip_blanks(path):
    """End as skipped where PATH, of aprof, has a blank: flags cannot carry it, nor CC of a makefile, nor LD_PRELOAD."""
    if any(c.isspace() for c in str(path)):
        print(f"the path {path} has a blank, which flags, makefiles and LD_PRELOAD cannot carry")
        sys.exit(77)


def process(pid):
    """What the kernel says of PID, or None: it has ended.  Ticks and faults are its own and those of the children that it waited for."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            words = file.read().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return Process(words[0], int(words[1]), int(words[3]), int(words[19]), sum(map(int, words[11:15])), sum(map(int, words[7:11])))


def processes():
    found = {int(name): process(int(name)) for name in os.listdir("/proc") if name.isdigit()}
    return {pid: p for pid, p in found.items() if p}


class Group:
    """The processes of the session that LEADER began, and all that they started; who left the session is known by his parent, or from before."""

    def __init__(self, leader):
        self.leader, self.members, self.sum, self.lost = leader, {}, 0, 0

    def look(self):
        now = processes()
        known = lambda pid, p: pid in self.members and self.members[pid].start == p.start
        found = {pid for pid, p in now.items() if pid == self.leader or p.session == self.leader or known(pid, p)}
        while True:
            more = {pid for pid, p in now.items() if p.parent in found} - found
            if not more:
                break
            found |= more
        self.members = {pid: now[pid] for pid in sorted(found)}
        self._add_up()

    def _add_up(self):
        """The sum stays where a parent waits for its child, and falls where somebody else does: what was used is not forgotten then."""
        last, self.sum = self.sum, sum(p.ticks for p in self.members.values())
        self.lost += max(0, last - self.sum)

    def used(self):
        """Seconds of CPU time up to the last look."""
        return (self.sum + self.lost) / TICKS

    def signs(self):
        """What changes if anything was done between two looks; less than a tick of CPU time shows by the page faults of what was started."""
        return self.sum, self.lost, [(pid, p.start, p.faults) for pid, p in self.members.items()]

    def can_run(self):
        return any(read(task + "/stat").rpartition(")")[2].split()[:1] == ["R"] for pid in self.members for task in tasks(pid))

    def kill(self):
        """Nobody is left, not even who is being started at this moment."""
        for _ in range(100):
            self.look()
            living = [pid for pid, p in self.members.items() if p.state not in "ZX"]
            if not living:
                return
            for pid in living:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.01)


# ---- what a group is at ----

def read(path):
    """"" of what is gone, or not for us."""
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def tasks(pid):
    return sorted(glob.glob("/proc/%d/task/*" % pid), key=lambda path: int(os.path.basename(path)))


def describe_task(task):
    words = read(task + "/stat").rpartition(")")[2].split() or ["gone"] + ["0"] * 15
    line = "    %s %s: state %s, waits in %s, CPU %.2f s, system call %s" % (
        os.path.basename(task), read(task + "/comm").strip(), words[0], read(task + "/wchan") or "?", (int(words[11]) + int(words[12])) / TICKS,
        read(task + "/syscall").strip() or "?")
    return [line] + ["        " + frame for frame in read(task + "/stack").splitlines()]


def stacks(pid):
    if not shutil.which("gdb"):
        return ["    no gdb, so no stacks"]
    try:
        done = subprocess.run(["gdb", "-nx", "-batch", "-p", str(pid), "-ex", "set pagination off", "-ex", "thread apply all bt 40"],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
                              env=dict(os.environ, DEBUGINFOD_URLS="", LC_ALL="C"))
    except subprocess.TimeoutExpired:
        return ["    gdb cannot stop it"]
    text = done.stdout.decode(errors="replace")
    return ["    " + line[:300] for line in text[max(0, text.find("\nThread ")):].splitlines() if line]


def describe(group):
    """Lines on each process of GROUP and each of its threads."""
    lines = []
    for pid, p in list(group.members.items())[:TOLD]:
        command = read("/proc/%d/cmdline" % pid).replace("\0", " ").strip()
        lines.append("  process %d, of %d, state %s: %s" % (pid, p.parent, p.state, command[:300]))
        if p.state not in "ZX":
            for task in tasks(pid):
                lines += describe_task(task)
            lines += stacks(pid)
    return lines + (["  and %d more" % (len(group.members) - TOLD)] if len(group.members) > TOLD else [])


# ---- watching it ----

class Watch:
    """Limits of the group of a process, in seconds."""

    def __init__(self, pid, cpu, idle=60, wall=None, every=EVERY):
        self.group, self.cpu, self.idle, self.wall, self.every = Group(pid), cpu, idle, wall or 20 * cpu, every
        self.begin, self.quiet = time.monotonic(), 0

    def look(self):
        """To be called EVERY so many seconds; raises Exceeded, and then nothing of the group is left."""
        before = self.group.signs()
        self.group.look()
        # Counted, not timed: a machine that was asleep did not look.
        self.quiet = self.quiet + self.every if self.group.signs() == before else 0
        wrong = self.wrong()
        if wrong:
            lines = ["does not end: " + wrong] + describe(self.group)
            self.group.kill()
            raise Exceeded("\n".join(lines))

    def wrong(self):
        used, passed = self.group.used(), time.monotonic() - self.begin
        if used > self.cpu:
            return "%.1f s of CPU time of %g, after %.0f s" % (used, self.cpu, passed)
        if self.quiet >= self.idle and not self.group.can_run():
            return "hangs, no CPU time for %g s (%.1f s before)" % (self.quiet, used)
        return "%.0f s passed (%.1f s of CPU time of %g)" % (passed, used, self.cpu) if passed > self.wall else ""


def wait_for(child, seconds):
    """Wait for the end of CHILD, but no longer; without asking again and again, where the kernel can tell."""
    if not hasattr(os, "pidfd_open"):
        return child.wait(seconds)
    try:
        fd = os.pidfd_open(child.pid)
    except OSError:
        return child.wait(seconds)
    try:
        ended = select.select([fd], [], [], seconds)[0]
    finally:
        os.close(fd)
    if not ended:
        raise subprocess.TimeoutExpired(child.args, seconds)
    return child.wait()


def attend(child, watch):
    """The outputs of CHILD, when it has ended."""
    while True:
        try:
            if child.stdout or child.stderr:
                return child.communicate(timeout=watch.every)
            wait_for(child, watch.every)
            return None, None
        except subprocess.TimeoutExpired as so_far:
            try:
                watch.look()
            except Exceeded as e:
                raise Exceeded(str(e) + printed(so_far)) from None


def printed(so_far):
    """The end of what the command had said."""
    text = b"".join(part for part in (so_far.stdout, so_far.stderr) if part).decode(errors="replace")
    return "\n  it had printed:\n" + text[-2000:] if text else ""


def kept(input):
    """A file to read INPUT from.  (Popen.communicate sends no more of it, once it was interrupted.)"""
    file = tempfile.TemporaryFile()
    file.write(input.encode() if isinstance(input, str) else input)
    file.seek(0)
    return file


def run(command, cpu=60, idle=60, wall=None, every=EVERY, sweep=False, input=None, capture_output=False, check=False, **popen):
    """As subprocess.run, with limits: seconds of CPU time, without any, and elapsed, of all that COMMAND starts, in a session of its own.
    With SWEEP what it leaves running is ended."""
    if input is not None:
        popen["stdin"] = kept(input)
    if capture_output:
        popen["stdout"] = popen["stderr"] = subprocess.PIPE
    child = subprocess.Popen(command, start_new_session=True, **popen)
    watch = Watch(child.pid, cpu, idle, wall, every)
    try:
        out, err = attend(child, watch)
    except BaseException:
        watch.group.kill()
        child.wait()
        raise
    finally:
        if sweep:
            watch.group.kill()
        for pipe in (child.stdout, child.stderr, popen["stdin"] if input is not None else None):
            if pipe:
                pipe.close()
    if check and child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command, out, err)
    return subprocess.CompletedProcess(command, child.returncode, out, err)


# ---- as a command ----

class Asked(Exception):
    """A signal asks for the end."""


def asked(number, _):
    raise Asked(number)


def arguments(words):
    """({limit: seconds}, the command)."""
    limits = {"cpu": float(os.environ.get("TEST_CPU_SECONDS", 600)), "idle": 120, "wall": None, "tell": 0}
    while words and words[0][2:] in limits and len(words) > 1:
        limits[words[0][2:]] = float(words[1])
        words = words[2:]
    command = words[words[:1] == ["--"]:]
    if not command:
        sys.exit(__doc__.splitlines()[0])
    return limits, command


def tell():
    """What all that ended used; of who was killed, what his parents waited for."""
    import resource
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    print("\nlimits: %.1f s of CPU time" % (usage.ru_utime + usage.ru_stime), file=sys.stderr, flush=True)


def end_as(status):
    """End by the signal that ended the command, without a core of our own."""
    if status < 0:
        import resource
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if -status not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    sys.exit(status)


def main():
    limits, command = arguments(sys.argv[1:])
    telling = limits.pop("tell")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, asked)
    try:
        status = run(command, **limits).returncode
    except Exceeded as e:
        print(e, file=sys.stderr)
        status = GIVEN_UP
    except Asked as e:
        status = -e.args[0]
    except OSError as e:
        print("limits: %s: %s" % (command[0], e.strerror), file=sys.stderr)
        status = 127
    if telling:
        tell()
    end_as(status)


if __name__ == "__main__":
    main()
