"""A terminal that programs are run on, of a size."""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios


def terminal(arguments, cwd, lines=24, columns=80, streams=(0, 1, 2), keys=b'', **environment):
    """(status, what a terminal of that size was sent by ARGUMENTS, which have it as their STREAMS, but for what was erased again: a
    busy machine tells how far it is)."""
    names = {**os.environ, 'LC_ALL': 'C.UTF-8', 'TERM': 'xterm', **environment}
    for name in 'PAGER', 'APROF_PAGER', 'LESS', 'NO_COLOR', 'COLUMNS':
        if name not in environment:
            names.pop(name, None)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))
    given = [slave if stream in streams else subprocess.DEVNULL for stream in range(3)]
    process = subprocess.Popen([str(argument) for argument in arguments], cwd=cwd, env=names, start_new_session=True,
                               stdin=given[0], stdout=given[1], stderr=given[2])
    os.close(slave)
    shown = b''
    while True:
        if select.select([master], [], [], 0.2)[0]:
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
            if keys:                    # typed once there is something to see
                os.write(master, keys)
                keys = b''
        elif process.poll() is not None:
            break
    os.close(master)
    return process.wait(), re.sub(r'(?m)^[^\n]*\r\x1b\[K', '', shown.decode().replace('\r\n', '\n'))


def plain(shown):
    return re.sub(r'\x1b\[[0-9;?]*[A-Za-z]', '', shown)
