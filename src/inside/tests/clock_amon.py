"""What the tests of the clocks read of an amon.out: the header, the threads, time by routine."""
import bisect
import collections
import struct
import subprocess

PAGE = 4096
MODULES, ROUTINES, THREADS, CONTEXTS, PCS, PCS_PACKED = 1, 2, 3, 4, 5, 20
SOURCES = ['none', 'sampler', 'timer', 'perf']
NOTES = ('out_of_memory memory_bound lost_calls no_file disk_full truncated copied other_name timer_failed '
         'clock_changed overrun resync ambiguous foreign_stack stack_overflow unbalanced_exit fork_unseen fork '
         'vfork thread_folded pc_lost sigprof_taken unloaded internal early unredirected phase_lost untimed pc_blocked '
         'no_proc no_module unread_stack untold_jumps setting cut_stack no_kernel lost_stack no_growth').split()

Thread = collections.namedtuple('Thread', 'tid state current depth folded start_monotonic cpu_first cpu_last '
                                'unplaced monitor ticks monitor_ticks misses deepest slow name r0 r1')
Context = collections.namedtuple('Context', 'thread parent routine calls time ticks')
Pc = collections.namedtuple('Pc', 'thread pc context count')



def numbers(data):
    """Those of LEB128."""
    x = shift = 0
    for byte in data:
        x |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield x
            x = shift = 0


def packed_pcs(thread, data):
    """What doc/format.md says of packed PCs."""
    left = numbers(data)
    context = first = 0
    for step in left:
        context += step
        n, by = next(left), next(left)
        first += by // 2 if by % 2 == 0 else -(by // 2) - 1
        pc = first
        for i in range(n):
            pc += next(left) if i else 0
            yield Pc(thread, pc, context, next(left))


class Amon:
    """The whole file; times as it has them."""

    def __init__(self, path, program):
        with open(path, 'rb') as f:
            self.data = data = f.read()
        assert data[:8] == b'amon.out'
        self.used = struct.unpack_from('<Q', data, 16)[0]
        names = ('state exit_status pid ppid start_realtime start_monotonic start_ticks end_monotonic '
                 'reset_monotonic cpu_before cpu_total clock source pc_source rate tsc_hz hook_picoseconds '
                 'hook_inside memory_bound memory_private way reset_request reset_done note_errno').split()
        layout = '<I3i7Q4I5Q4I'
        values = struct.unpack_from(layout, data, 32)
        self.__dict__.update(zip(names, values))
        counts = struct.unpack_from('<64Q', data, 32 + struct.calcsize(layout))
        self.unsure, _, self.pc_unsampled, self.settled, self.sampler_cpu, self.sleeps, self.interrupt_nsec = struct.unpack_from('<7Q', data, 3152)
        self.notes = {n: c for n, c in zip(NOTES, counts) if c}
        self.threads, self.routines, self.contexts, self.pcs = [], [], [], []
        self.bias = 0
        self.packed = {}        # program counters of threads that have them packed
        self.read_chunks()
        self.pcs = [pc for pc in self.pcs if pc.thread not in self.packed] + [pc for packed in self.packed.values() for pc in packed]
        self.names = Names(program, self.bias)

    def read_chunks(self):
        at = PAGE
        while at < min(self.used, len(self.data)):
            magic, kind, size, thread, count, capacity, first, counters, base = \
                struct.unpack_from('<IIQIIIIII', self.data, at)
            assert magic == 0x6b6e6863
            self.read_chunk(kind, at, thread, count, capacity, first, counters)
            at += size

    def read_chunk(self, kind, at, thread, count, capacity, first, counters):
        items = at + first
        if kind == MODULES:
            self.read_modules(items, items + count)
        elif kind == ROUTINES:
            self.routines += [struct.unpack_from('<QII', self.data, items + 16 * i)[0] for i in range(count)]
        elif kind == THREADS:
            size = struct.calcsize('<4I11Q16s2Q')
            self.threads += [Thread(*struct.unpack_from('<4I11Q16s2Q', self.data, items + size * i))
                             for i in range(count)]
        elif kind == CONTEXTS:
            for i in range(count):
                link = struct.unpack_from('<II', self.data, items + 8 * i)
                calls, time = struct.unpack_from('<QQ', self.data, at + counters + 32 * i)
                ticks, = struct.unpack_from('<I', self.data, at + counters + 32 * capacity + 4 * i)
                self.contexts.append(Context(thread, *link, calls, time, ticks))
        elif kind == PCS:
            for i in range(capacity):
                pc, context, n = struct.unpack_from('<QII', self.data, items + 16 * i)
                if pc:
                    self.pcs.append(Pc(thread, pc, context, n))
        elif kind == PCS_PACKED and count > 0 and thread not in self.packed:
            self.packed[thread] = list(packed_pcs(thread, self.data[items:items + count]))

    def read_modules(self, at, end):
        while at < end:
            size, _, start, stop, _, bias = struct.unpack_from('<IIQQQQ', self.data, at)
            main_program = self.data[at + 41]
            if main_program:
                self.bias = bias
            at += size

    def time(self, field='time', thread=None):
        """Sum of FIELD of the contexts by routine's name."""
        sums = collections.Counter()
        for c in self.contexts:
            if thread is None or c.thread == thread:
                name = self.names.at(self.routines[c.routine]) if c.routine < len(self.routines) else '-'
                sums[name] += getattr(c, field)
        return sums

    def cpu(self, thread=None):
        """CPU time seen, ns."""
        return sum(t.cpu_last - t.cpu_first for i, t in enumerate(self.threads) if thread in (None, i))

    def accounted(self, thread=None):
        """All places where it went, ns."""
        return sum(self.time(thread=thread).values()) + sum(
            t.monitor + t.unplaced for i, t in enumerate(self.threads) if thread in (None, i))


class Names:
    """Symbols of PROGRAM by address."""

    def __init__(self, program, bias):
        lines = subprocess.run(['nm', program], capture_output=True, text=True, check=True).stdout.split('\n')
        rows = sorted((int(f[0], 16), f[2]) for f in map(str.split, lines) if len(f) == 3 and f[1] in 'tT')
        self.addresses = [a + bias for a, _ in rows]
        self.names = [n for _, n in rows]

    def at(self, address):
        i = bisect.bisect_right(self.addresses, address) - 1
        return self.names[i] if i >= 0 else '?'
