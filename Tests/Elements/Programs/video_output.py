"""Video outputs of `hdrtap` in a pipeline that plays: each check is a command line argument."""
import faulthandler
import os
import struct
import sys
import tempfile
import threading
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402
from waiting import wait  # noqa: E402

faulthandler.enable()
Gst.init(None)
NONE = Gst.CLOCK_TIME_NONE
SECOND = Gst.SECOND
TROUBLE = Gst.MessageType.ERROR | Gst.MessageType.WARNING


def host_time():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class Player:
    """`videotestsrc ! hdrtap ! queue ! fakesink` at 25 frames a second; to be used in a `with`."""

    def __init__(self, frames=50, color="bt2100-pq", format="P010_10LE", queue="queue max-size-buffers=8"):
        self.pipeline = Gst.parse_launch(
            f"videotestsrc num-buffers={frames} ! video/x-raw,format={format},width=64,height=36,framerate=25/1,"
            f"colorimetry={color} ! hdrtap name=tap ! {queue} ! fakesink name=sink sync=true")
        self.tap = self.pipeline.get_by_name("tap")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        trouble = self.pipeline.get_bus().pop_filtered(TROUBLE)
        self.pipeline.set_state(Gst.State.NULL)
        assert trouble is None, trouble.get_structure().to_string()

    def output(self, **settings):
        output = self.tap.emit("create-video-output")
        for name, value in settings.items():
            output.set_property(name.replace("_", "-"), value)
        return output

    def state(self, state):
        self.pipeline.set_state(state)
        assert self.pipeline.get_state(20 * SECOND)[0] == Gst.StateChangeReturn.SUCCESS

    def at_end(self):
        return self.pipeline.get_bus().pop_filtered(Gst.MessageType.EOS) is not None

    def finish(self):
        assert self.pipeline.get_bus().timed_pop_filtered(30 * SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)


def record(output):
    structure = output.get_property("consumption-record")
    return {name: structure.get_uint64(name)[1] for name in ("copied", "missed", "repeated", "last-item-time")}


def item_time(sample):
    found, value = sample.get_info().get_uint64("item-time")
    assert found
    return value


def current(output):
    """The frame for now. A thread that a busy machine stops between two calls comes too late for one, and asks again."""
    frames = []
    assert wait(lambda: frames.append(output.emit("copy-frame", output.emit("item-time-for-host-time", host_time())))
                or frames[-1])
    return frames[-1]


def rates(queue="queue"):
    """Outputs that are asked every 5, 40 and 100 ms: each sees each frame once, in order and not after its time."""
    with Player(queue=queue) as player:
        outputs = [(player.output(), every) for every in (0.005, 0.04, 0.1)]
        seen = [[], [], []]
        is_over = threading.Event()

        def ask(output, every, seen):
            while not is_over.is_set():
                now = output.emit("item-time-for-host-time", host_time())
                # A thread that a busy machine stops between the two calls comes too late for its frame.
                if now != NONE and output.emit("has-new-frame", now) and (frame := output.emit("copy-frame", now)):
                    seen.append((item_time(frame), now))
                time.sleep(every)

        threads = [threading.Thread(target=ask, args=(*output, frames)) for output, frames in zip(outputs, seen)]
        for thread in threads:
            thread.start()
        player.state(Gst.State.PLAYING)
        player.finish()
        time.sleep(0.1)
        is_over.set()
        for thread in threads:
            thread.join()
        for (output, _), frames in zip(outputs, seen):
            times = [frame for frame, _ in frames]
            assert times == sorted(set(times)), times
            assert all(frame <= now for frame, now in frames), frames
            counted = record(output)
            assert counted["copied"] == len(times) and counted["repeated"] == 0, counted
            assert counted["missed"] == (times[-1] - times[0]) // (SECOND // 25) + 1 - len(times), (counted, times)
        # A busy machine may keep a thread from running for a frame or two.
        assert len(seen[0]) >= 45 and 15 <= len(seen[2]) <= 21, [len(frames) for frames in seen]


def flushed():
    """Seeks, paused and playing: nothing of before, and the frame that is shown then."""
    with Player(frames=250) as player:
        output, flushes = player.output(), []
        output.connect("flushed", lambda _: flushes.append(threading.get_native_id()))
        player.state(Gst.State.PAUSED)
        assert wait(lambda: output.emit("has-new-frame", 0))
        assert output.emit("copy-frame", 0).get_buffer().pts == 0
        flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
        for count, target in enumerate((2, 5), 1):
            assert player.pipeline.seek_simple(Gst.Format.TIME, flags, target * SECOND)
            assert player.pipeline.get_state(20 * SECOND)[0] == Gst.StateChangeReturn.SUCCESS
            assert output.emit("item-time-for-host-time", host_time()) == 0
            assert output.emit("has-new-frame", 0)
            assert output.emit("copy-frame", 0).get_buffer().pts == target * SECOND
            # Flushes that follow each other at once are one notice.
            assert wait(lambda: len(flushes) == count), flushes
        player.state(Gst.State.PLAYING)
        assert wait(lambda: 0 < output.emit("item-time-for-host-time", host_time()) < NONE)
        assert wait(lambda: output.emit("has-new-frame", output.emit("item-time-for-host-time", host_time())))
        assert player.pipeline.seek_simple(Gst.Format.TIME, flags, 8 * SECOND)
        assert wait(lambda: output.emit("has-new-frame", output.emit("item-time-for-host-time", host_time())))
        sample = current(output)
        assert 8 * SECOND <= sample.get_buffer().pts < 9 * SECOND, sample.get_buffer().pts
        assert wait(lambda: len(flushes) == 3), flushes
        assert threading.get_native_id() not in flushes


def paused():
    """In a pause time stands still."""
    with Player(frames=250) as player:
        output = player.output()
        player.state(Gst.State.PLAYING)
        assert wait(lambda: 200 * Gst.MSECOND < output.emit("item-time-for-host-time", host_time()) < NONE)
        player.state(Gst.State.PAUSED)
        now = output.emit("item-time-for-host-time", host_time())
        assert now >= 200 * Gst.MSECOND
        time.sleep(0.2)
        assert output.emit("item-time-for-host-time", host_time() + SECOND) == now
        assert output.emit("copy-frame", now) is not None
        player.state(Gst.State.PLAYING)
        assert wait(lambda: output.emit("item-time-for-host-time", host_time()) > now)


def notification():
    """One call ahead of the first frame that was not taken; none at the end, where nothing waits for it."""
    with Player(frames=25) as player:
        output, calls = player.output(), []
        output.connect("media-data-will-change", lambda output: calls.append(
            output.emit("item-time-for-host-time", host_time())))
        output.emit("request-notification", 20 * Gst.MSECOND)
        player.state(Gst.State.PAUSED)
        assert wait(lambda: calls), "nothing is told of the preroll"
        assert len(calls) == 1
        player.state(Gst.State.PLAYING)
        assert wait(lambda: 100 * Gst.MSECOND < output.emit("item-time-for-host-time", host_time()) < NONE)
        taken = item_time(current(output))
        output.emit("request-notification", 10 * Gst.MSECOND)
        assert wait(lambda: len(calls) == 2)
        # Not before the time that was asked for; a busy machine is late.
        assert calls[1] >= taken + 30 * Gst.MSECOND - Gst.MSECOND, (calls, taken)
        player.finish()
        assert output.emit("copy-frame", NONE - 1) is not None
        output.emit("request-notification", 0)
        time.sleep(0.1)
        assert len(calls) == 2, calls
    assert output.emit("copy-frame", NONE - 1) is None
    del output, player


def light():
    """Half floats of linear light, 1.0 being reference white, whatever the stream is."""
    # The test picture begins with a bar of the largest code: 10000 cd/m2, SDR white, and 1000 cd/m2.
    clips = (("bt2100-pq", "P010_10LE", 10000 / 203), ("bt709", "I420", 1), ("bt2100-hlg", "P010_10LE", 1000 / 203))
    for color, format, white in clips:
        with Player(frames=2, color=color, format=format) as player:
            output = player.output(format="rgba16f", primaries="display-p3")
            player.state(Gst.State.PAUSED)
            assert wait(lambda: output.emit("has-new-frame", 0))
            sample = output.emit("copy-frame", 0)
            fields = sample.get_caps().get_structure(0)
            assert fields.get_string("format") == "RGBA_F16LE" and fields.get_int("stride")[1] == 64 * 8
            assert fields.get_string("colorimetry") == "1:1:1:11" and fields.get_double("white-value")[1] == 1
            ok, map = sample.get_buffer().map(Gst.MapFlags.READ)
            assert ok and len(map.data) == 64 * 36 * 8
            red, green, blue, alpha = struct.unpack_from("<4e", map.data)
            sample.get_buffer().unmap(map)
            assert alpha == 1 and all(abs(part - white) < 0.06 * white for part in (red, green, blue)), (red, green, blue)
            # The record of what was taken is the output's, whatever its settings are.
            output.set_property("format", None)
            assert output.emit("copy-frame", 0).get_caps().get_structure(0).get_string("format") == format
            assert record(output)["copied"] == 1 and record(output)["repeated"] == 1


def settings():
    """Defaults, refusals and what they read as."""
    with Player() as player:
        output = player.output()
        for name in ("format", "primaries", "transfer", "matrix"):
            assert output.get_property(name) is None, name
        assert output.get_property("allow-wide-color") is True
        assert output.get_property("look-ahead") == 2 * SECOND and output.get_property("max-bytes") == 512 << 20
        for name, value in (("format", "rgba32f"), ("primaries", "bt2020"), ("transfer", "linear"), ("matrix", "bt601")):
            output.set_property(name, value)
        assert output.get_property("format") == "RGBA_F32LE"
        assert [output.get_property(name) for name in ("primaries", "transfer", "matrix")] == ["bt2020", "linear", "bt601"]
        output.set_property("primaries", "bt2021")
        assert output.get_property("primaries") == "bt2020"
        warning = player.pipeline.get_bus().pop_filtered(Gst.MessageType.WARNING)
        assert "Did you mean bt2020" in warning.parse_warning()[0].message, warning.parse_warning()
    # One that no element has made has no frames.
    stranger = type(output).__gtype__.pytype()
    assert stranger.emit("copy-frame", 0) is None and stranger.emit("item-time-for-host-time", 0) == NONE
    stranger.emit("request-notification", 0)


def instant_rate():
    """A rate that changes in mid-stream, without a flush, is that of the times of taps and of sinks too."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "clip.mkv")
        writer = Gst.parse_launch("videotestsrc num-buffers=500 ! video/x-raw,format=I420,width=64,height=36,"
                                  f"framerate=25/1 ! matroskamux ! filesink location={path}")
        writer.set_state(Gst.State.PLAYING)
        assert writer.get_bus().timed_pop_filtered(20 * SECOND, Gst.MessageType.EOS)
        writer.set_state(Gst.State.NULL)
        for rest in ("hdrtap name=tap ! fakesink name=sink sync=true", "edrsink name=tap presenter=offscreen"):
            pipeline = Gst.parse_launch(f"filesrc location={path} ! matroskademux ! {rest}")
            tap = pipeline.get_by_name("tap")
            source = tap.emit("create-video-output") if "hdrtap" in rest else tap

            def position():
                return pipeline.query_position(Gst.Format.TIME)[1]

            pipeline.set_state(Gst.State.PLAYING)
            assert pipeline.get_state(20 * SECOND)[0] == Gst.StateChangeReturn.SUCCESS
            assert wait(lambda: position() > SECOND // 4)
            assert pipeline.seek(2.0, Gst.Format.TIME, Gst.SeekFlags.INSTANT_RATE_CHANGE, Gst.SeekType.NONE, 0,
                                 Gst.SeekType.NONE, 0)
            assert wait(lambda: position() > 2 * SECOND)
            before = position()
            now = source.emit("item-time-for-host-time", host_time())
            after = position()
            # Sinks count from the time at which the change has reached them.
            assert before - SECOND // 10 < now < after + SECOND // 10, (rest, before, now, after)
            pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        {"rates": rates, "no-queue": lambda: rates("identity"), "flushed": flushed, "paused": paused, "notification": notification, "light": light,
         "settings": settings, "instant-rate": instant_rate}[name]()
        print(name, "ok")
