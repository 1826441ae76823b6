"""One line of progress: redrawn on a terminal, a plain line now and then elsewhere."""

import sys
import time

from media import Gst, clock

TERMINAL_INTERVAL = 0.25
PLAIN_INTERVAL = 5.0


class Progress:
    def __init__(self, duration, quiet, label=""):
        self.duration = duration
        self.label = label
        self.quiet = quiet
        self.terminal = sys.stderr.isatty()
        self.started = self.shown = time.monotonic()
        self.width = 0
        # Frames, and all buffers that show that something moves.
        self.frames = self.steps = 0
        self.position = 0

    def note(self, position):
        """Counts a frame, whose time ends at `position` nanoseconds."""
        self.frames += 1
        self.note_sound(position)

    def note_sound(self, position):
        self.steps += 1
        self.position = max(self.position, position)

    @property
    def elapsed(self):
        return max(time.monotonic() - self.started, 1e-3)

    def show(self):
        now = time.monotonic()
        interval = TERMINAL_INTERVAL if self.terminal else PLAIN_INTERVAL
        if self.quiet or now - self.shown < interval:
            return
        self.shown = now
        speed = self.position / Gst.SECOND / self.elapsed
        text = f"{speed:.2f}x real time"
        if self.frames:
            text = f"{self.frames / self.elapsed:.1f} fps, {text}"
        if self.duration:
            share = min(self.position / self.duration, 1)
            text = f"{100 * share:3.0f} %, {text}"
            if speed > 0:
                text += f", {clock((self.duration - share * self.duration) / speed)} left"
        else:
            text = f"{clock(self.position)} done, {text}"
        self._write(self.label + text)

    def _write(self, text):
        try:
            if self.terminal:
                sys.stderr.write("\r" + text.ljust(self.width))
                self.width = len(text)
            else:
                sys.stderr.write(text + "\n")
            sys.stderr.flush()
        except OSError:
            # Whoever read the progress has gone; the conversion goes on.
            self.quiet = True

    def clear(self):
        if self.terminal and self.width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()
            self.width = 0
