"""Plays a list with a Player, and does what its user's keys say."""

import time

from gi.repository import Gst

from command import shown
from media import ErrorContext, Failure, Signals
from play_list import make_item
from player import key_of
from player_keys import normal
from times import exact

SEEK_STEP = 10 * Gst.SECOND
VOLUME_STEP = 0.1
KEYS = """\
space    pause, play                    h    extended range on, off
Left     10 seconds back                + -  headroom up, down by a quarter of a stop
Right    10 seconds on                  0    headroom of the display
Up Down  volume                         s    save a still beside the file
. n      next frame                     i    what the display offers
< >      previous file, next file       ?    this list
                                        q    quit"""


class PlayRun:
    def __init__(self, player, status, keys, items, loops=False, seconds=None, assumed=None):
        self.player = player
        self.status = status
        self.keys = keys
        self.names = items
        self.loops = loops
        self.assumed = assumed
        self.seconds = seconds
        self.deadline = None
        # Which of the list is played, and what it is; None at the end.
        self.index = -1
        self.item = None
        self.failed = set()
        self.said = set()
        self.is_over = False
        self.actions = {
            " ": player.pause_or_play, "q": self._quit, ".": player.step, "n": player.step,
            "Left": lambda: self._seek(-SEEK_STEP), "Right": lambda: self._seek(SEEK_STEP),
            "Up": lambda: player.change_volume(VOLUME_STEP), "Down": lambda: player.change_volume(-VOLUME_STEP),
            "h": player.toggle_extended, "+": lambda: self._change_headroom(1),
            "=": lambda: self._change_headroom(1), "-": lambda: self._change_headroom(-1),
            "0": player.follow_display, "<": lambda: self._turn(-1), ">": lambda: self._turn(1),
            "s": self._save, "i": self._tell_display, "?": lambda: status.say(KEYS),
        }

    def run(self):
        self._turn(1)
        try:
            while not self.is_over:
                Signals.check()
                if self.deadline and time.monotonic() >= self.deadline:
                    self._quit()
                    break
                message = self.player.bus.timed_pop_filtered(40 * Gst.MSECOND, Gst.MessageType.ANY)
                while message and not self.is_over:
                    self._hear(message)
                    message = self.player.bus.pop()
                for key in self.keys.read():
                    self._press(key)
                if not self.is_over:
                    self.status.show(self.player)
        finally:
            self.player.close()
            self.status.clear()
        if self.failed:
            raise Failure(f"{len(self.failed)} of {len(self.names)} could not be played")

    # MARK: The list

    def _turn(self, by):
        """Goes on to the next file that can be played, or back."""
        index = self.index
        while True:
            index = max(index + by, 0)
            if index >= len(self.names) and self.loops and len(self.failed) < len(self.names):
                index = 0
            if index >= len(self.names):
                self._quit()
                return
            if index in self.failed and by < 0 and index == 0:
                return
            if index in self.failed:
                continue
            try:
                item = make_item(self.names[index], self.assumed)
            except Failure as failure:
                self._fail(index, failure)
                by = by or 1
                continue
            break
        self._sum_up()
        self.index, self.item = index, item
        self.player.open(item)
        self.deadline = self.deadline or (self.seconds and time.monotonic() + self.seconds)

    def _fail(self, index, failure):
        self.failed.add(index)
        # With a single one its reason is the whole error.
        if len(self.names) == 1:
            raise failure
        self.status.say(str(failure), complains=True)

    def _quit(self):
        self._sum_up()
        self.is_over = True

    def _sum_up(self):
        """What became of the file that was played."""
        if self.item is None:
            return
        shown, late, dropped = self.player.counts()
        self.status.say(f"{self.item.name}: up to {exact(self.player.position)}, {shown} frames shown, "
                        f"{late} of them late, {dropped} dropped")
        self.item = None

    # MARK: Messages

    def _hear(self, message):
        kind = message.type
        if kind == Gst.MessageType.EOS:
            self._turn(1)
        elif kind == Gst.MessageType.ERROR:
            self._hear_error(message)
        elif kind == Gst.MessageType.WARNING:
            text = message.parse_warning()[0].message
            # What other elements warn of, as tracks without a decoder, changes nothing that is seen.
            if message.src is self.player.sink and text not in self.said:
                self.said.add(text)
                self.status.say(f"note: {text}", complains=True)
        elif kind == Gst.MessageType.BUFFERING:
            self.player.note_buffering(message.parse_buffering())
        elif kind == Gst.MessageType.QOS:
            self.player.note_quality(message)
        elif kind == Gst.MessageType.CLOCK_LOST:
            self.player.restart_clock()
        elif kind == Gst.MessageType.LATENCY:
            self.player.playbin.recalculate_latency()
        elif kind == Gst.MessageType.ELEMENT:
            key = key_of(message)
            if key:
                self._press(key)

    def _hear_error(self, message):
        error = message.parse_error()[0]
        if message.src is self.player.sink and error.domain == "gst-resource-error-quark":
            # Closing the window is how one quits.
            if error.code == Gst.ResourceError.NOT_FOUND:
                self._quit()
                return
            raise Failure(error.message)
        name = self.item.name if self.item else shown(self.names[self.index])
        self.item = None
        self._fail(self.index, Failure(ErrorContext(name, deed="played").explain(message)))
        self._turn(1)

    # MARK: Keys

    def _press(self, key):
        action = self.actions.get(normal(key))
        if action and not self.is_over:
            action()
            if not self.is_over:
                self.status.show(self.player, now=True)

    def _seek(self, by):
        target, duration = self.player.position + by, self.player.duration
        if duration and target >= duration:
            self._turn(1)
        elif not self.player.seek(target):
            self.status.say("this cannot be searched", complains=True)

    def _change_headroom(self, steps):
        if self.player.shows_sdr:
            self.status.say("the picture is shown as SDR, whose headroom is always 1")
        else:
            self.player.change_headroom(steps)

    def _save(self):
        path = self.item.still_path(self.player.position)
        # A failure comes as a warning. It is printed as other warnings are, but each time.
        self.said.clear()
        if self.player.save(path):
            self.status.say(f"Saved {shown(path)}")

    def _tell_display(self):
        for name, value in self.player.display_state().items():
            if isinstance(value, list):
                value = ", ".join(value) or "nothing"
            elif isinstance(value, float):
                value = f"{value:g}"
            self.status.say(f"  {name:20} {value}")
