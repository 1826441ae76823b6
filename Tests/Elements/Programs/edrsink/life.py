"""States, seeks, steps, flushes, new caps, several sinks, and what is left in memory."""
import time

import gi

import light
from bench import HLG, PQ, SRGB, Bench, Gst, bytes_of, caps, host_time, make, rgba64, run, wait

SIZE = (16, 8)
FRAME = Gst.SECOND // 30
ENDS = Gst.MessageType.EOS | Gst.MessageType.ERROR


def grey(code):
    """SDR codes that are multiples of 257 are exact in 8 bits, without dither."""
    return rgba64([[(code,) * 3] * SIZE[0]] * SIZE[1])


class Line:
    """A launch line whose sink is called sink; its end is NULL, without an error."""

    def __init__(self, text):
        self.pipeline = Gst.parse_launch(text)
        self.sink = self.pipeline.get_by_name("sink")
        self.bus = self.pipeline.get_bus()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.pipeline.set_state(Gst.State.NULL)

    def change(self, state):
        self.pipeline.set_state(state)
        result, now, _ = self.pipeline.get_state(10 * Gst.SECOND)
        assert result == Gst.StateChangeReturn.SUCCESS and now == state, (result, now)

    def end(self, seconds=15):
        message = self.bus.timed_pop_filtered(seconds * Gst.SECOND, ENDS)
        assert message is not None, "no end of stream"
        assert message.type == Gst.MessageType.EOS, message.parse_error()

    def pts(self):
        """The time of the frame that is shown."""
        sample = self.sink.emit("copy-frame", Gst.CLOCK_TIME_NONE - 1)
        return sample.get_buffer().pts

    def seek(self, time):
        assert self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, time)
        result, _, _ = self.pipeline.get_state(10 * Gst.SECOND)
        assert result == Gst.StateChangeReturn.SUCCESS, result


MOVING = ("videotestsrc num-buffers=300 pattern=ball ! video/x-raw,format=I420_10LE,width=64,height=48,framerate=30/1,"
          "colorimetry=bt2100-pq ! edrsink name=sink presenter=offscreen ")


def unopened():
    """A sink that has not been started says so, and not that it has the wrong presenter."""
    sink, bus = Gst.ElementFactory.make("edrsink"), Gst.Bus.new()
    sink.set_bus(bus)
    Gst.util_set_object_arg(sink, "presenter", "offscreen")
    assert sink.emit("read-frame") is None
    text = bus.pop_filtered(Gst.MessageType.WARNING).parse_warning()[0].message
    assert "PAUSED or PLAYING" in text and "needs presenter" not in text, text


def again():
    """NULL, READY and PAUSED and back, three times, with the same picture each time."""
    pictures = set()
    with Line("videotestsrc num-buffers=5 pattern=smpte75 ! video/x-raw,format=P010_10LE,width=64,height=48,framerate=30/1,"
              "colorimetry=bt2100-pq ! edrsink name=sink presenter=offscreen") as line:
        for _ in range(3):
            line.change(Gst.State.READY)
            assert line.sink.emit("read-frame") is None
            line.change(Gst.State.PAUSED)
            pictures.add(bytes_of(line.sink.emit("read-frame")))
            line.change(Gst.State.READY)
            line.change(Gst.State.PAUSED)
            line.change(Gst.State.PLAYING)
            line.end()
            assert line.sink.get_property("frame-record").get_int("frames")[1] == 5
            line.change(Gst.State.PAUSED)
            line.change(Gst.State.NULL)
            assert line.sink.emit("read-frame") is None and line.sink.get_property("headroom") >= 1
    assert len(pictures) == 1


def pauses():
    """Pauses at any moment of a picture are reached, and playing goes on."""
    with Line("videotestsrc ! video/x-raw,format=GRAY8,width=64,height=36,framerate=1000/1 ! edrsink name=sink "
              "presenter=offscreen") as line:
        for turn in range(100):
            line.change(Gst.State.PLAYING)
            time.sleep(0.002 * (turn % 4))
            line.change(Gst.State.PAUSED)
        line.change(Gst.State.PLAYING)
        shown = line.pts()
        assert wait(lambda: line.pts() > shown, 5)


def seeks():
    """A seek while PAUSED shows the frame of the new time, and again after PLAYING."""
    with Line(MOVING) as line:
        line.change(Gst.State.PAUSED)
        first = bytes_of(line.sink.emit("read-frame"))
        for time in (2 * Gst.SECOND, Gst.SECOND, 3 * Gst.SECOND):
            line.seek(time)
            assert wait(lambda: abs(line.pts() - time) <= FRAME, 2), (line.pts(), time)
            assert bytes_of(line.sink.emit("read-frame")) != first
        line.seek(0)
        assert wait(lambda: bytes_of(line.sink.emit("read-frame")) == first, 2)
        line.change(Gst.State.PLAYING)
        for time in (5 * Gst.SECOND, 9 * Gst.SECOND):
            line.seek(time)
            assert wait(lambda: 0 <= line.pts() - time < Gst.SECOND, 2), (line.pts(), time)
        line.end()


def steps():
    """A step of one buffer while PAUSED shows the next frame; a step of time goes as far."""
    with Line(MOVING) as line:
        line.change(Gst.State.PAUSED)
        assert line.pts() == 0
        seen = {bytes_of(line.sink.emit("read-frame"))}
        for index in range(1, 6):
            assert line.sink.send_event(Gst.Event.new_step(Gst.Format.BUFFERS, 1, 1.0, True, False))
            message = line.bus.timed_pop_filtered(5 * Gst.SECOND, Gst.MessageType.STEP_DONE)
            assert message is not None, "no end of the step"
            line.pipeline.get_state(5 * Gst.SECOND)
            assert wait(lambda: abs(line.pts() - index * FRAME) < 100, 2), (index, line.pts())
            seen.add(bytes_of(line.sink.emit("read-frame")))
        assert len(seen) == 6
        assert line.sink.send_event(Gst.Event.new_step(Gst.Format.TIME, Gst.SECOND, 1.0, True, False))
        assert line.bus.timed_pop_filtered(5 * Gst.SECOND, Gst.MessageType.STEP_DONE) is not None
        line.pipeline.get_state(5 * Gst.SECOND)
        assert wait(lambda: abs(line.pts() - 5 * FRAME - Gst.SECOND) <= FRAME, 2), line.pts()


def flushes():
    """A flush ends a wait for the clock at once, and the stream goes on after it."""
    with Bench(caps(*SIZE, SRGB, rate="1/10"), [grey(1000)], pixel_format="rgba8") as bench:
        bench.play()
        # Due in ten seconds.
        bench.time = 10 * Gst.SECOND
        bench.push(grey(20000))
        wait(lambda: False, 0.2)
        begin = host_time()
        pad = bench.source.get_static_pad("src")
        assert pad.push_event(Gst.Event.new_flush_start())
        assert pad.push_event(Gst.Event.new_flush_stop(True))
        assert host_time() - begin < Gst.SECOND
        for _ in range(50):
            assert pad.push_event(Gst.Event.new_flush_start()) and pad.push_event(Gst.Event.new_flush_stop(True))


def formats():
    """New caps mid-stream: another size, another range, other metadata; nothing of the old ones stays."""
    nits = 800
    code = round(65535 * light.pq_signal(nits))
    wide = (24, 10)
    with Bench(caps(*SIZE, PQ, content_light_level="4000:400"), [grey(code)], sync=False, pixel_format="rgba16f",
               force_headroom=2, peak_detection="off") as bench:
        def shows(size, level):
            structure, data = bench.read()
            got = light.halves(data)[0][1] if structure.get_string("format") == "RGBA_F16LE" else None
            return (structure.get_int("width")[1], structure.get_int("height")[1]) == size and got is not None and \
                abs(got - level) < 2e-3 * level

        assert shows(SIZE, light.rolloff(nits, 2, 4000))
        bench.play()

        def step(size, level, data, *arguments, **more):
            bench.source.set_property("caps", caps(*size, *arguments, **more))
            bench.push(data)
            assert wait(lambda: shows(size, level)), (arguments, more, light.halves(bench.read()[1])[0], level)

        larger = rgba64([[(code,) * 3] * wide[0]] * wide[1])
        step(wide, light.rolloff(nits, 2, 4000), larger, PQ, content_light_level="4000:400")
        step(wide, light.rolloff(nits, 2, 1000), larger, PQ)
        step(SIZE, light.srgb_light(code / 65535), grey(code), SRGB)
        hlg = light.hlg_light([0.8] * 3)[0]
        step(SIZE, light.rolloff(hlg, 2, 1000), grey(round(0.8 * 65535)), HLG)
        step(wide, light.rolloff(nits, 2, 2000), larger, PQ, content_light_level="2000:400")
    with Bench(caps(*SIZE, PQ), [grey(code)], sync=False) as bench:
        # What suits the stream is chosen anew.
        assert bench.get("display-state").get_string("color-space") != "srgb"
        bench.play()
        bench.source.set_property("caps", caps(*SIZE, SRGB))
        bench.push(grey(257 * 99))
        assert wait(lambda: bench.get("display-state").get_string("color-space") == "srgb")
        assert wait(lambda: light.bytes3(bench.read()[1])[0] == (99, 99, 99)), bench.read()[1][:8]
        bench.source.set_property("caps", caps(*SIZE, PQ))
        bench.push(grey(code))
        assert wait(lambda: bench.get("display-state").get_string("color-space") != "srgb")
        bench.finish()


def refused():
    """Caps without a size that can be are an error, not a crash, and the sink takes good ones later."""
    for text in ("video/x-raw,format=RGBA64_LE,width=16,height=8,framerate=30/1,colorimetry=2:3:9:7",
                 "video/x-raw,format=P010_10LE,width=1,height=1,framerate=0/1,colorimetry=bt2100-pq",
                 "video/x-raw,format=RGBA64_LE,width=16,height=8,framerate=30/1,colorimetry=1:1:14:7,"
                 "content-light-level=(string)0:0,mastering-display-info=(string)0:0:0:0:0:0:0:0:0:0"):
        bench = Bench(Gst.Caps.from_string(text), paused=False, sync=False)
        bench.source.emit("push-buffer", Gst.Buffer.new_wrapped(bytes(16 * 8 * 8)))
        bench.source.emit("end-of-stream")
        bench.pipeline.set_state(Gst.State.PLAYING)
        message = bench.bus.timed_pop_filtered(10 * Gst.SECOND, ENDS)
        assert message is not None, text
        bench.pipeline.set_state(Gst.State.NULL)
    # A buffer that is too small for its caps.
    bench = Bench(caps(*SIZE, PQ), paused=False, sync=False)
    bench.source.emit("push-buffer", Gst.Buffer.new_wrapped(bytes(10)))
    bench.pipeline.set_state(Gst.State.PLAYING)
    message = bench.bus.timed_pop_filtered(10 * Gst.SECOND, ENDS)
    assert message is not None and message.type == Gst.MessageType.ERROR
    bench.pipeline.set_state(Gst.State.NULL)


def several():
    """Two sinks of one stream, and two streams, with headrooms of their own."""
    with Line("videotestsrc num-buffers=20 pattern=white ! video/x-raw,format=P010_10LE,width=32,height=32,framerate=30/1,"
              "colorimetry=bt2100-pq ! tee name=t ! queue ! edrsink name=sink presenter=offscreen force-headroom=2 "
              "pixel-format=rgba16f t. ! queue ! edrsink name=other presenter=offscreen force-headroom=4 "
              "pixel-format=rgba16f") as line:
        with Bench(caps(*SIZE, SRGB), [grey(65535)], pixel_format="rgba16f") as bench:
            line.change(Gst.State.PLAYING)
            bench.finish()
            line.end()
            levels = [light.halves(bytes_of(sink.emit("read-frame")))[0][0]
                      for sink in (line.sink, line.pipeline.get_by_name("other"), bench.sink)]
            assert levels == [2, 4, 1], levels


def endings():
    """The end of a stream comes after the last frame has had its time, and of an empty one too."""
    with Bench(caps(*SIZE, SRGB), [grey(257 * code) for code in (10, 20, 30)], paused=False, pixel_format="rgba8") as bench:
        begin = host_time()
        bench.finish()
        assert host_time() - begin > 2 * FRAME
        assert wait(lambda: light.bytes3(bench.read()[1])[0] == (30, 30, 30))
    with Bench(caps(*SIZE, SRGB), paused=False) as bench:
        bench.source.emit("end-of-stream")
        bench.pipeline.set_state(Gst.State.PLAYING)
        assert bench.bus.timed_pop_filtered(5 * Gst.SECOND, ENDS).type == Gst.MessageType.EOS
        assert bench.sink.emit("read-frame") is None


def gaps():
    """A gap and a live source that starts late keep the pipeline going."""
    with Bench(caps(*SIZE, SRGB), [grey(1000)], paused=False) as bench:
        def probe(pad, info):
            pad.push_event(Gst.Event.new_gap(FRAME, FRAME))
            return Gst.PadProbeReturn.REMOVE

        bench.play()
        bench.source.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, probe)
        bench.time = 2 * FRAME
        bench.push(grey(257 * 120))
        bench.finish()
        assert wait(lambda: light.bytes3(bench.read()[1])[0] == (120, 120, 120))
    with Line("videotestsrc is-live=true num-buffers=10 ! edrsink name=sink presenter=offscreen") as line:
        line.pipeline.set_state(Gst.State.PLAYING)
        line.end()


def resident():
    """Bytes of memory in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def memory():
    """300 frames leave no more memory in use than the 100 before them."""
    with Line("videotestsrc num-buffers=400 ! video/x-raw,format=P010_10LE,width=320,height=180,framerate=30/1,"
              "colorimetry=bt2100-pq ! edrsink name=sink presenter=offscreen sync=false") as line:
        sizes, count = [], [0]

        def probe(pad, info):
            count[0] += 1
            if count[0] in (100, 399):
                sizes.append(resident())
            return Gst.PadProbeReturn.OK

        line.sink.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, probe)
        line.change(Gst.State.PLAYING)
        line.end(60)
        growth = sizes[1] - sizes[0]
        # Two and a half pictures; a leak of one in a hundred would show.
        assert growth < 1200000, growth


def clock():
    """With a clock that a test turns, a frame is shown when its time has come and not before."""
    gi.require_version("GstCheck", "1.0")
    from gi.repository import GstCheck

    test = GstCheck.TestClock.new_with_start_time(Gst.SECOND)
    with Bench(caps(*SIZE, SRGB), [grey(257 * 30 * (index + 1)) for index in range(5)], paused=False) as bench:
        bench.pipeline.use_clock(test)
        bench.pause()
        bench.pipeline.set_state(Gst.State.PLAYING)
        bench.pipeline.get_state(5 * Gst.SECOND)

        def rendered():
            return bench.get("stats").get_uint64("rendered")[1]

        for index in range(5):
            assert wait(lambda: test.peek_id_count() > 0 or rendered() > index, 3), (index, rendered())
            code = (30 * (index + 1),) * 3
            if test.peek_id_count() > 0:
                waiting, entry = test.peek_next_pending_id()
                assert rendered() <= index, (index, rendered())
                test.set_time(Gst.Clock.id_get_time(entry))
                test.process_next_clock_id()
            assert wait(lambda: rendered() > index, 3), (index, rendered())
            assert wait(lambda: light.bytes3(bench.read()[1])[0] == code, 2), (index, code, light.bytes3(bench.read()[1])[0])


if __name__ == "__main__":
    run({"unopened": unopened, "again": again, "pauses": pauses, "seeks": seeks, "steps": steps, "flushes": flushes,
         "formats": formats, "refused": refused, "several": several, "endings": endings, "gaps": gaps, "memory": memory,
         "clock": clock})
