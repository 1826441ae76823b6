"""The line with the position of playback, which is redrawn on a terminal and left out elsewhere."""

import sys
import time

from media import clock

INTERVAL = 0.25


class Status:
    def __init__(self, console, quiet):
        self.console = console
        self.is_shown = sys.stderr.isatty() and not quiet
        self.quiet = quiet
        self.shown = 0
        self.width = 0

    def show(self, player, now=False):
        moment = time.monotonic()
        if not self.is_shown or (not now and moment - self.shown < INTERVAL):
            return
        self.shown = moment
        _shown, _late, dropped = player.counts()
        duration = player.duration
        parts = [clock(player.position) + (f" / {clock(duration)}" if duration else "")]
        if player.buffering < 100:
            parts.append(f"buffering {player.buffering} %")
        elif player.is_paused:
            parts.append("paused")
        parts.append(f"headroom {player.headroom:.2f}" + ("" if player.is_extended else " (off)"))
        parts.append(f"volume {100 * player.volume:.0f} %")
        parts.append(f"dropped {dropped}")
        self._write("  ".join(parts))

    def _write(self, text):
        try:
            sys.stderr.write("\r" + text.ljust(self.width))
            sys.stderr.flush()
            self.width = len(text)
        except OSError:
            self.is_shown = False

    def say(self, text, complains=False):
        """A line of its own above the status."""
        self.clear()
        if complains:
            self.console.complain(text)
        elif not self.quiet:
            self.console.say(text)

    def clear(self):
        if self.width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()
            self.width = 0
