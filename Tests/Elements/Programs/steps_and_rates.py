"""Frame steps, and rates that change without a flush, in front of which `hdrtap` acts: what its video outputs give, and
frames that are processed again in a pause. Each check is a command line argument."""
import faulthandler
import os
import sys
import tempfile
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402
from waiting import wait  # noqa: E402

faulthandler.enable()
faulthandler.dump_traceback_later(100, exit=True)
Gst.init(None)
MSECOND, SECOND = Gst.MSECOND, Gst.SECOND
FRAME = SECOND // 25
TROUBLE = Gst.MessageType.ERROR | Gst.MessageType.WARNING
VIDEO = "video/x-raw,format=GRAY8,width=32,height=16,framerate=25/1"


class Line:
    """A pipeline with `tap`, whose effect is called `effect`, `sink`, and a video output; it ends without an error."""

    def __init__(self, line):
        self.pipeline = Gst.parse_launch(line)
        self.tap, self.sink = (self.pipeline.get_by_name(name) for name in ("tap", "sink"))
        self.effect = self.tap.get_child_by_name("effect") if "effect=" in line else None
        self.output = self.tap.emit("create-video-output")
        self.source = self.output if "hdrtap" in line else self.tap
        self.stops = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        trouble = self.pipeline.get_bus().pop_filtered(TROUBLE)
        self.pipeline.set_state(Gst.State.NULL)
        assert trouble is None, trouble.get_structure().to_string()

    def state(self, state):
        self.pipeline.set_state(state)
        self.settle()

    def settle(self):
        assert self.pipeline.get_state(20 * SECOND)[0] == Gst.StateChangeReturn.SUCCESS

    def step(self, amount=1, format=Gst.Format.BUFFERS):
        assert self.pipeline.send_event(Gst.Event.new_step(format, amount, 1.0, True, False))
        assert self.pipeline.get_bus().timed_pop_filtered(20 * SECOND, Gst.MessageType.STEP_DONE)
        self.settle()

    def rate(self, rate):
        assert self.pipeline.seek(rate, Gst.Format.TIME, Gst.SeekFlags.INSTANT_RATE_CHANGE, Gst.SeekType.NONE, 0,
                                  Gst.SeekType.NONE, 0)

    def seek(self, rate, start, stop):
        flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
        assert self.pipeline.seek(rate, Gst.Format.TIME, flags, Gst.SeekType.SET, start, Gst.SeekType.SET, stop)
        self.settle()

    def position(self):
        return self.pipeline.query_position(Gst.Format.TIME)[1]

    def now(self):
        return self.source.emit("item-time-for-host-time", time.clock_gettime_ns(time.CLOCK_MONOTONIC))

    def shown(self):
        """The first code and the time stamp of the frame that the sink shows; none while it is flushed."""
        sample = self.sink.get_property("last-sample")
        buffer = sample.get_buffer() if sample else None
        return (buffer.extract_dup(0, 1)[0], buffer.pts) if buffer else (-1, -1)

    def change(self):
        """Changes the effect in a pause, and waits until the change is seen."""
        before = self.shown()[0]
        self.stops -= 1
        self.effect.set_property("stops", self.stops)
        assert wait(lambda: self.shown()[0] not in (-1, before)), (self.shown(), before)
        return self.shown()[1]

    def play(self, frames=5):
        """The time stamps of the next frames that are shown, and the item times at which they were."""
        handoffs = []
        number = self.sink.connect("handoff", lambda _, buffer, pad: handoffs.append((buffer.pts, self.now())))
        self.sink.set_property("signal-handoffs", True)
        self.state(Gst.State.PLAYING)
        assert wait(lambda: len(handoffs) >= frames), handoffs
        self.sink.set_property("signal-handoffs", False)
        self.sink.disconnect(number)
        return handoffs[:frames]

    def copies_what_is_shown(self):
        """Whether the output gives the frame that the sink shows; a busy machine stops between the two, so it asks
        again."""
        def is_same():
            before = self.shown()[1]
            frame = self.output.emit("copy-frame", self.now())
            return frame and before == frame.get_buffer().pts == self.shown()[1]
        return wait(is_same, 5)


class Source(Line):
    """Bright frames at 25 a second, of which the effect exposure makes darker ones."""

    def __init__(self, behind="identity", frames=600, clips=1, effect="effect=exposure"):
        source = f"videotestsrc num-buffers={frames} pattern=white ! {VIDEO}"
        joined = f"concat name=c {f'{source} ! c. ' * clips} c." if clips > 1 else source
        super().__init__(f"{joined} ! hdrtap name=tap {effect} ! {behind} ! fakesink name=sink sync=true")


def written(folder, frames):
    path = os.path.join(folder, f"{frames}.mkv")
    writer = Gst.parse_launch(f"videotestsrc num-buffers={frames} pattern=white ! {VIDEO} ! matroskamux ! "
                              f"filesink location={path}")
    writer.set_state(Gst.State.PLAYING)
    assert writer.get_bus().timed_pop_filtered(20 * SECOND, Gst.MessageType.EOS)
    writer.set_state(Gst.State.NULL)
    return path


class Clip(Line):
    """A file, whose demuxer changes rates without a flush."""

    def __init__(self, path, rest="hdrtap name=tap effect=exposure ! fakesink name=sink sync=true", clips=1):
        source = f"filesrc location={path} ! matroskademux"
        # Demuxers link from threads of their own: two that ask for any pad may both get the first.
        joined = " ".join([f"{source} ! c.sink_{clip}" for clip in range(clips)] + ["concat name=c"])
        super().__init__(f"{joined if clips > 1 else source} ! {rest}")


def check_order(handoffs, first):
    stamps = [stamp for stamp, _ in handoffs]
    assert stamps == [first + index * FRAME for index in range(len(stamps))], (first, stamps)


def time_steps():
    """Steps that end within a frame or at its start: a change is of the frame that is shown, which stays for its rest."""
    for behind in ("identity", "queue"):
        for count, amount in ((1, 50), (10, 50), (9, 50), (3, 90), (5, 40)):
            with Source(behind) as line:
                line.state(Gst.State.PAUSED)
                for _ in range(count):
                    line.step(amount * MSECOND, Gst.Format.TIME)
                frame = count * amount // 40 * FRAME
                assert line.shown()[1] == frame and line.now() == count * amount * MSECOND, (line.shown(), line.now())
                for _ in range(2):
                    assert line.change() == frame, (behind, count, amount)
                handoffs = line.play()
                check_order(handoffs, frame)
                # A sink waits for a frame's time, so that playing neither hurries nor stalls.
                assert all(now >= stamp for stamp, now in handoffs), handoffs
                assert wait(lambda: abs(line.now() - line.shown()[1]) < 3 * FRAME), (line.now(), line.shown())


def far():
    """One step over more frames than are kept."""
    for behind in ("identity", "queue"):
        with Source(behind) as line:
            line.tap.set_property("keep-frames", True)
            line.state(Gst.State.PAUSED)
            line.step(150)
            assert line.shown()[1] == 150 * FRAME
            assert line.change() == 150 * FRAME
            check_order(line.play(), 150 * FRAME)


def reverse():
    """Steps after a change go on in reverse, too, and at any rate."""
    for rate in (-1.0, 0.7, -1.3):
        with Source() as line:
            line.state(Gst.State.PAUSED)
            line.seek(rate, 0, 8 * SECOND)
            towards = -FRAME if rate < 0 else FRAME
            expected = line.shown()[1]
            for _ in range(3):
                for _ in range(4):
                    line.step()
                    expected += towards
                assert line.shown()[1] == expected, (line.shown(), expected)
                assert line.change() == expected
            stamps = [stamp for stamp, _ in line.play()]
            assert stamps == [expected + index * towards for index in range(len(stamps))], (expected, stamps)


def boundary():
    """A step into the next clip, after a step in the first one."""
    for behind in ("identity", "queue"):
        for steps in ((70,), (10, 60), (10, 40, 80)):
            with Source(behind, frames=60, clips=3) as line:
                line.state(Gst.State.PAUSED)
                for step in steps:
                    line.step(step)
                total = sum(steps)
                assert wait(lambda: line.now() == total * FRAME), (line.now(), total)
                stamp = total % 60 * FRAME
                assert line.shown()[1] == stamp
                assert line.change() == stamp
                check_order(line.play(), stamp)


def next_clip():
    """A change while the next clip comes ends no stream, whether or not it can be seen in the pause."""
    for turn in range(20):
        with Source("queue", frames=60, clips=3) as line:
            line.state(Gst.State.PAUSED)
            line.step(33 + turn)
            shown = line.shown()[1]
            for stops in range(4):
                line.effect.set_property("stops", -1 - stops)
                time.sleep(0.002 * (turn % 5))
            line.settle()
            assert wait(lambda: line.shown()[1] == shown), (turn, line.shown(), shown)
            assert len(line.play()) == 5


def step_while_playing():
    """A step while playing is followed at once."""
    for behind in ("identity", "queue"):
        with Source(behind, effect="") as line:
            line.state(Gst.State.PLAYING)
            assert wait(lambda: line.shown()[1] >= 5 * FRAME)
            line.step(100)
            assert wait(lambda: abs(line.now() - line.shown()[1]) < 3 * FRAME), (line.now(), line.shown())
            assert line.now() > 100 * FRAME
            assert line.copies_what_is_shown()


def changed_rate(path):
    """A change in a pause after the rate has changed: the same frame, and playing goes on at that rate."""
    for rate in (2.0, 0.5):
        with Clip(path) as line:
            line.state(Gst.State.PLAYING)
            assert wait(lambda: line.position() > SECOND // 4)
            line.rate(rate)
            assert wait(lambda: line.position() > SECOND)
            line.state(Gst.State.PAUSED)
            shown = line.shown()[1]
            for _ in range(2):
                assert line.change() == shown
            handoffs = line.play(10)
            check_order(handoffs, shown)
            # Neither hurries nor stalls.
            assert all(now >= stamp - FRAME // 2 for stamp, now in handoffs), handoffs
            assert wait(lambda: abs(line.now() - line.shown()[1]) < 3 * FRAME), (line.now(), line.shown())
            assert wait(lambda: abs(line.position() - line.now()) < FRAME), (line.position(), line.now())


def rate_in_a_pause(path):
    """A rate that changes again in a pause leaves the frame that is shown."""
    for rest in ("hdrtap name=tap ! fakesink name=sink sync=true", "edrsink name=tap presenter=offscreen"):
        with Clip(path, rest) as line:
            line.state(Gst.State.PLAYING)
            assert wait(lambda: line.position() > SECOND // 4)
            line.rate(2.0)
            assert wait(lambda: line.position() > SECOND)
            line.state(Gst.State.PAUSED)
            before = line.now()
            for rate in (1.0, 0.5, 2.0):
                line.rate(rate)
                assert abs(line.now() - before) < FRAME // 4, (rest, rate, line.now(), before)
            line.state(Gst.State.PLAYING)
            assert wait(lambda: abs(line.position() - line.now()) < FRAME), (line.position(), line.now())
            assert wait(lambda: line.output.emit("has-new-frame", line.now()))


def rate_over_clips(path):
    """The rate is that of the next clip too."""
    for rate in (2.0, 0.75):
        with Clip(path, "hdrtap name=tap ! fakesink name=sink sync=true", clips=2) as line:
            line.state(Gst.State.PLAYING)
            assert wait(lambda: line.shown()[1] > SECOND // 4)
            line.rate(rate)
            last = []

            def is_in_the_second():
                last.append(line.shown()[1])
                return len(last) > 1 and 0 <= last[-1] < last[-2]

            assert wait(is_in_the_second), last[-2:]
            # Sinks of some versions of GStreamer hurry, or wait, until they have reached the second clip's time.
            assert wait(lambda: line.shown()[1] > 15 * FRAME)
            assert line.copies_what_is_shown(), (rate, line.now(), line.shown())


def copies_at_a_rate(path):
    """Outputs give each frame at its time after the rate has changed."""
    for rest in ("hdrtap name=tap ! fakesink name=sink sync=true", "edrsink name=tap presenter=offscreen"):
        for rate in (0.5, 2.0):
            with Clip(path, rest) as line:
                line.state(Gst.State.PLAYING)
                assert wait(lambda: line.position() > SECOND // 4)
                line.rate(rate)
                start = line.position()
                seen = []
                while len(seen) < 8:
                    assert wait(lambda: line.output.emit("has-new-frame", line.now())), (rest, rate, seen)
                    now = line.now()
                    frame = line.output.emit("copy-frame", now)
                    # A busy machine comes too late for a frame, but a frame never comes before its time.
                    if frame:
                        stamp = frame.get_buffer().pts
                        found, time = frame.get_info().get_uint64("item-time")
                        assert found and time == stamp <= now, (rest, rate, stamp, time, now)
                        seen.append(stamp)
                assert seen == sorted(set(seen)) and seen[-1] > start, (rest, rate, start, seen)
                assert wait(lambda: abs(line.position() - line.now()) < FRAME), (line.position(), line.now())


def with_clip(check, frames=500):
    def run():
        with tempfile.TemporaryDirectory() as folder:
            check(written(folder, frames))
    return run


if __name__ == "__main__":
    for name in sys.argv[1:]:
        {"time-steps": time_steps, "far": far, "reverse": reverse, "boundary": boundary, "next-clip": next_clip,
         "step-while-playing": step_while_playing, "changed-rate": with_clip(changed_rate),
         "rate-in-a-pause": with_clip(rate_in_a_pause), "rate-over-clips": with_clip(rate_over_clips, 40),
         "copies-at-a-rate": with_clip(copies_at_a_rate)}[name]()
        print(name, "ok")
