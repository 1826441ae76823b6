"""Frames of a pause processed again by `hdrtap`, without a seek: each check is a command line argument."""
import faulthandler
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstCheck", "1.0")
from gi.repository import GLib, Gst, GstCheck  # noqa: E402
from waiting import wait  # noqa: E402

faulthandler.enable()
faulthandler.dump_traceback_later(50, exit=True)
Gst.init(None)
TROUBLE = Gst.MessageType.ERROR | Gst.MessageType.WARNING
SIZE = 32 * 16


class Paused:
    """A pipeline with `tap` and `sink`, which ends without an error."""

    def __init__(self, line):
        self.pipeline = Gst.parse_launch(line)
        self.tap, self.sink = (self.pipeline.get_by_name(name) for name in ("tap", "sink"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        trouble = self.pipeline.get_bus().pop_filtered(TROUBLE)
        self.pipeline.set_state(Gst.State.NULL)
        assert trouble is None, trouble.get_structure().to_string()

    def state(self, state):
        self.pipeline.set_state(state)
        assert self.pipeline.get_state(20 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS


class Player(Paused):
    """Frames that hold their number in the second byte and, from `hdrtap`, a value that may change in the first."""

    def __init__(self, behind, frames=250, sink="fakesink name=sink sync=true", keeps=True):
        self.value = 1
        self.calls = 0
        super().__init__(
            f"videotestsrc num-buffers={frames} pattern=black ! video/x-raw,format=GRAY8,width=32,height=16,"
            f"framerate=25/1 ! hdrtap name=tap emit-signals=true ! {behind} ! {sink}")
        self.tap.set_property("keep-frames", keeps)
        self.tap.connect("process", self.process)

    def process(self, tap, data, frames, flags, stream_time):
        self.calls += 1
        # Frames come as the source has made them, also when they come again.
        assert data.get_data()[0] == 16, data.get_data()[0]
        return GLib.Bytes.new(bytes([self.value, stream_time // 40_000_000 & 255]) + bytes(SIZE - 2))

    def shown(self):
        """The value and the number of the frame that the sink shows; none while it is flushed."""
        sample = self.sink.get_property("last-sample")
        return tuple(sample.get_buffer().extract_dup(0, 2)) if sample else (-1, -1)

    def change(self, value):
        self.value = value
        return self.tap.emit("render-again")


def updated(behind):
    """Each change is seen, of the same frame, before and after having played, and playing goes on from there."""
    with Player(behind) as player:
        output = player.tap.emit("create-video-output")
        assert not player.change(1), "nothing is shown yet"
        player.state(Gst.State.PAUSED)
        assert wait(lambda: player.shown() == (1, 0)), player.shown()
        for value in range(2, 12):
            assert player.change(value)
            assert wait(lambda: player.shown() == (value, 0)), player.shown()
            assert wait(lambda: output.emit("has-new-frame", 0))
            assert output.emit("copy-frame", 0).get_buffer().extract_dup(0, 2) == bytes([value, 0])
        player.state(Gst.State.PLAYING)
        assert wait(lambda: player.shown()[1] >= 5)
        assert not player.tap.emit("render-again"), "the next frame is as it should be anyhow"
        player.state(Gst.State.PAUSED)
        # The sink waits with the frame that comes next, and shows it.
        number = player.shown()[1]
        for value in range(20, 30):
            assert player.change(value)
            assert wait(lambda: player.shown() == (value, number)), (player.shown(), number)
        numbers = []
        player.sink.set_property("signal-handoffs", True)
        player.sink.connect("handoff", lambda _, buffer, pad: numbers.append(buffer.extract_dup(1, 1)[0]))
        player.state(Gst.State.PLAYING)
        assert wait(lambda: len(numbers) >= 10)
        # No frame is lost and none comes again.
        assert numbers[:10] == list(range(number, number + 10)), (number, numbers)


def direct():
    updated("identity")


def queued():
    updated("queue max-size-buffers=5")


def at_a_frames_time():
    """A pause just behind the time of a frame, which the sink has rendered: it shows the next one, and so it stays."""
    for lateness in (0, 1, 200_000, 499_000, 600_000):
        with Player("queue max-size-buffers=5") as player:
            clock = GstCheck.TestClock.new()
            player.pipeline.use_clock(clock)
            player.pipeline.set_state(Gst.State.PLAYING)
            for _ in range(5):
                assert clock.crank()
            clock.set_time(clock.get_time() + lateness)
            # The next frame is there and waits for its time.
            clock.wait_for_next_pending_id()
            player.state(Gst.State.PAUSED)
            number = player.shown()[1]
            for value in range(20, 25):
                assert player.change(value)
                assert wait(lambda: player.shown() == (value, number)), (lateness, player.shown(), number)


def at_the_end():
    """Upstream has nothing more: its thread is not there, and the end comes after the frames all the same."""
    with Player("queue", frames=5) as player:
        player.state(Gst.State.PAUSED)
        assert wait(lambda: player.calls == 5)
        time.sleep(0.1)
        assert player.change(7)
        assert wait(lambda: player.shown() == (7, 0)), player.shown()
        player.pipeline.set_state(Gst.State.PLAYING)
        message = player.pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS | TROUBLE)
        assert message and message.type == Gst.MessageType.EOS
        assert player.shown() == (7, 4), player.shown()


def left_playing():
    """Where a bin pauses while it is about to play, GStreamer may leave an element playing: it is a pause all the same."""
    with Player("queue max-size-buffers=3") as player:
        player.state(Gst.State.PAUSED)
        player.tap.set_state(Gst.State.PLAYING)
        for value in range(2, 7):
            assert player.change(value)
            assert wait(lambda: player.shown()[0] == value), player.shown()
        player.state(Gst.State.PLAYING)
        assert not player.change(9), "the next frame is as it should be anyhow"


def not_kept():
    """Without keep-frames nothing is done."""
    with Player("identity", keeps=False) as player:
        player.state(Gst.State.PAUSED)
        assert not player.change(5)
        time.sleep(0.1)
        assert player.shown() == (1, 0) and player.calls == 1


class Effect(Paused):
    """An effect on white frames, with what is behind it; nothing asks to keep frames."""

    def __init__(self, behind):
        super().__init__(
            "videotestsrc num-buffers=250 pattern=white ! video/x-raw,format=GRAY8,width=32,height=16,framerate=25/1 ! "
            f"hdrtap name=tap effect=exposure ! {behind}")
        self.effect = self.tap.get_child_by_name("effect")
        self.state(Gst.State.PAUSED)

    def shown(self):
        sample = self.sink.get_property("last-sample")
        return sample.get_buffer().extract_dup(0, 1)[0] if sample else -1


def unasked():
    """A changed parameter of an effect is seen in a pause where pictures are only shown; changes that come together are
    one, and a seek that follows a change is done."""
    for behind in ("fakesink name=sink sync=true", "queue ! videoconvert ! fakesink name=sink sync=true",
                   "bin.( queue max-size-buffers=3 ! identity ) ! fakesink name=sink sync=true"):
        with Effect(behind) as player:
            assert wait(lambda: player.shown() == 235), player.shown()
            for _ in range(2):
                for stops, is_right in ((-1, lambda code: 160 < code < 190), (-4, lambda code: 60 < code < 110),
                                        (0, lambda code: code == 235)):
                    player.effect.set_property("stops", stops)
                    assert wait(lambda: is_right(player.shown())), (behind, stops, player.shown())
                player.state(Gst.State.PLAYING)
                time.sleep(0.2)
                player.state(Gst.State.PAUSED)
            for step in range(30):
                player.effect.set_property("stops", -1 - step % 4)
                assert player.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, step * 100 * Gst.MSECOND)
                assert player.pipeline.get_state(20 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS


def not_only_shown():
    """A parameter that changes in a pause flushes nothing that is written, and nothing that waits in a deep queue."""
    for behind in ("tee name=t ! queue ! fakesink name=sink sync=true t. ! queue ! fakesink name=other sync=true",
                   "compositor ! video/x-raw,format=I420 ! fakesink name=sink sync=true",
                   "queue ! pngenc ! fakesink name=sink sync=true",
                   "queue ! filesink name=sink location=/dev/null",
                   "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 ! fakesink name=sink sync=true"):
        flushes = []

        def notice(pad, info):
            if info.get_event().type == Gst.EventType.FLUSH_START:
                flushes.append(pad)
            return Gst.PadProbeReturn.OK

        with Effect(behind) as player:
            probed = player.tap.get_static_pad("src")
            probed.add_probe(Gst.PadProbeType.EVENT_FLUSH, notice)
            # The deep queue takes more frames than are kept.
            time.sleep(0.3)
            player.effect.set_property("stops", -2)
            time.sleep(0.1)
            assert not player.tap.emit("render-again")
            assert not flushes, behind


def edrsink():
    """The display's picture follows, and what applications copy."""
    with Player("identity", sink="edrsink name=sink presenter=offscreen pixel-format=rgba8") as player:
        player.state(Gst.State.PAUSED)
        for value in (200, 90, 40):
            assert player.change(value)

            def red():
                sample = player.sink.emit("read-frame")
                return sample.get_buffer().extract_dup(0, 1)[0] if sample else -1

            # SDR has 16 as black and 235 as white; the display's curve is another one.
            assert wait(lambda: abs(red() - (value - 16) * 255 / 219) <= 20), (red(), value)
            assert wait(lambda: player.sink.emit("has-new-frame", 0))
            assert player.sink.emit("copy-frame", 0).get_buffer().extract_dup(0, 2) == bytes([value, 0])


def swapped():
    """Effects that take others' place in a pause are seen at once, and the frame as it came when they go; so is the
    first one of a tap that had none."""
    pipeline = Gst.parse_launch(
        "videotestsrc num-buffers=250 pattern=white ! video/x-raw,format=GRAY8,width=32,height=16,framerate=25/1 ! "
        "hdrtap name=tap keep-frames=true ! queue ! fakesink name=sink sync=true")
    tap, sink = (pipeline.get_by_name(name) for name in ("tap", "sink"))

    def shown():
        sample = sink.get_property("last-sample")
        return sample.get_buffer().extract_dup(0, 1)[0] if sample else -1

    try:
        pipeline.set_state(Gst.State.PAUSED)
        assert pipeline.get_state(20 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
        assert wait(lambda: shown() == 235), shown()
        for effect, is_right in [("invert", lambda value: value < 60), ("exposure,invert", lambda value: value < 60),
                                 ("sepia", lambda value: value >= 230), ("invert", lambda value: value < 60),
                                 (None, lambda value: value == 235)]:
            tap.set_property("effect", effect)
            assert wait(lambda: 0 <= shown() and is_right(shown())), (effect, shown())
        trouble = pipeline.get_bus().pop_filtered(TROUBLE)
        assert trouble is None, trouble.get_structure().to_string()
    finally:
        pipeline.set_state(Gst.State.NULL)


def copied():
    """What an application copies at the time of the pause is there after a change too: what the sink shows."""
    with Player("identity") as player:
        output = player.tap.emit("create-video-output")
        player.state(Gst.State.PLAYING)
        assert wait(lambda: player.shown()[1] >= 5)
        player.state(Gst.State.PAUSED)
        now = output.emit("item-time-for-host-time", time.clock_gettime_ns(time.CLOCK_MONOTONIC))
        assert output.emit("copy-frame", now)
        for value in (2, 3):
            assert player.change(value)
            assert wait(lambda: player.shown()[0] == value), player.shown()
            assert wait(lambda: output.emit("has-new-frame", now))
            copied = output.emit("copy-frame", now).get_buffer().extract_dup(0, 2)
            assert tuple(copied) == player.shown(), (tuple(copied), player.shown())


def stepped(behind):
    """A change after frame steps is of the frame that the sink shows, and steps and playing go on from there."""
    with Player(behind) as player:
        player.state(Gst.State.PAUSED)
        number = 0
        for value in (2, 3):
            for _ in range(5):
                assert player.pipeline.send_event(Gst.Event.new_step(Gst.Format.BUFFERS, 1, 1.0, True, False))
                number += 1
                assert player.pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.STEP_DONE)
                player.state(Gst.State.PAUSED)
                assert player.shown()[1] == number, (player.shown(), number)
            assert player.change(value)
            assert wait(lambda: player.shown() == (value, number)), (player.shown(), number)
        numbers = []
        output = player.tap.emit("create-video-output")
        player.sink.set_property("signal-handoffs", True)
        player.sink.connect("handoff", lambda _, buffer, pad: numbers.append(buffer.extract_dup(1, 1)[0]))
        player.state(Gst.State.PLAYING)
        assert wait(lambda: len(numbers) >= 10)
        assert numbers[:10] == list(range(number, number + 10)), (number, numbers)
        # The time that the steps have skipped has passed for what applications copy too.
        player.state(Gst.State.PAUSED)
        now = output.emit("item-time-for-host-time", time.clock_gettime_ns(time.CLOCK_MONOTONIC))
        shown = player.shown()[1]
        assert (shown - 2) * 40_000_000 < now < (shown + 1) * 40_000_000, (now, shown)
        assert player.change(9)
        assert wait(lambda: player.shown()[0] == 9), player.shown()
        assert shown - 1 <= player.shown()[1] <= shown, (player.shown(), shown)


def stepped_directly():
    stepped("identity")


def stepped_queued():
    stepped("queue")


def storm():
    """Changes from two threads, while the pipeline seeks, plays and pauses: it neither hangs nor stops."""
    with Player("queue max-size-buffers=3", frames=2500) as player:
        player.state(Gst.State.PAUSED)
        is_over = threading.Event()

        def change():
            while not is_over.is_set():
                player.change(player.value % 200 + 1)
                time.sleep(0.001)

        threads = [threading.Thread(target=change) for _ in range(2)]
        for thread in threads:
            thread.start()
        for step in range(25):
            player.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH, step * Gst.SECOND)
            time.sleep(0.02 * (step % 3))
            player.pipeline.set_state(Gst.State.PLAYING)
            time.sleep(0.02 * (step % 4))
            player.pipeline.set_state(Gst.State.PAUSED)
            time.sleep(0.02 * (step % 2))
            if step % 8 == 7:
                player.pipeline.set_state(Gst.State.NULL)
                player.pipeline.set_state(Gst.State.PAUSED)
                assert player.pipeline.get_state(20 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
        is_over.set()
        for thread in threads:
            thread.join()
        assert wait(lambda: player.pipeline.get_state(0)[0] == Gst.StateChangeReturn.SUCCESS), "no preroll any more"
        # A state change or a seek that is still on its way takes the place of what is asked for.
        assert wait(lambda: player.change(250) and wait(lambda: player.shown()[0] == 250, 1)), player.shown()
        player.state(Gst.State.PLAYING)
        number = player.shown()[1]
        assert wait(lambda: player.shown()[1] != number)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        {"direct": direct, "queued": queued, "at-a-frames-time": at_a_frames_time,
         "at-the-end": at_the_end, "left-playing": left_playing, "not-kept": not_kept,
         "swapped": swapped, "unasked": unasked, "not-only-shown": not_only_shown, "edrsink": edrsink,
         "copied": copied, "stepped": stepped_directly, "stepped-queued": stepped_queued, "storm": storm}[name]()
        print(name, "ok")
