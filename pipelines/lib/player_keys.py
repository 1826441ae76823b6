"""Keys of a terminal, one name each, as X and GStreamer's navigation events name them."""

import os
import select
import signal
import sys
import termios
import tty

SEQUENCES = {
    b"\x1b[A": "Up", b"\x1b[B": "Down", b"\x1b[C": "Right", b"\x1b[D": "Left",
    b"\x1bOA": "Up", b"\x1bOB": "Down", b"\x1bOC": "Right", b"\x1bOD": "Left",
    b"\x1b[5~": "Prior", b"\x1b[6~": "Next",
}
# Keys whose names are not what they write.
NAMES = {
    "space": " ", "period": ".", "plus": "+", "KP_Add": "+", "minus": "-", "KP_Subtract": "-", "equal": "=",
    "less": "<", "greater": ">", "question": "?", "Escape": "q",
}


def normal(name):
    """One name for a key, whether it comes from a window or a terminal: what it writes, or Left, Right, Up, Down."""
    return NAMES.get(name, name)


class TerminalKeys:
    """Reads single keys from standard input while it is a terminal; `with` sets it up and gives it back."""

    def __init__(self):
        self.file = sys.stdin.fileno() if sys.stdin and sys.stdin.isatty() else None
        self.before = None

    def __enter__(self):
        # In the background the terminal belongs to another program.
        if self.file is not None and os.tcgetpgrp(self.file) == os.getpgrp():
            self.before = termios.tcgetattr(self.file)
            self._listen()
            # After Ctrl-Z and fg the shell has changed the terminal.
            signal.signal(signal.SIGCONT, self._listen)
        return self

    def _listen(self, *_):
        tty.setcbreak(self.file)

    def __exit__(self, *_):
        if self.before is not None:
            signal.signal(signal.SIGCONT, signal.SIG_DFL)
            termios.tcsetattr(self.file, termios.TCSADRAIN, self.before)

    def read(self):
        """The keys since the last call; does not wait."""
        if self.before is None or not select.select([self.file], [], [], 0)[0]:
            return []
        data = os.read(self.file, 256)
        if not data:
            # The terminal has gone.
            self.before = None
        return split(data)


def split(data):
    keys = []
    while data:
        sequence = next((known for known in SEQUENCES if data.startswith(known)), None)
        if sequence:
            keys.append(SEQUENCES[sequence])
        elif data[:1] == b"\x1b" and len(data) > 1:
            # A sequence of some other key, up to its last letter.
            end = next((at for at in range(2, len(data)) if 0x40 <= data[at] <= 0x7E), len(data) - 1)
            sequence = data[:end + 1]
        else:
            sequence = data[:1]
            keys.append("q" if sequence == b"\x1b" else sequence.decode("latin-1"))
        data = data[len(sequence):]
    return keys
