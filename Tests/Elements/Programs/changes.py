"""What applications do with elements that run: change pads and properties, seek, and call back from handlers."""
import os
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "edrsink"))
from bench import SRGB, TROUBLE, Bench, Gst, caps, make, run  # noqa: E402


def trouble(bus):
    texts = []
    while message := bus.pop_filtered(TROUBLE):
        error = message.parse_error() if message.type == Gst.MessageType.ERROR else message.parse_warning()
        texts.append(error[0].message)
    return texts


def ending(line, seconds=20):
    """The message that ends a pipeline."""
    return line.get_bus().timed_pop_filtered(
        seconds * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.SEGMENT_DONE)


def play(text):
    """Plays a launch line to its end."""
    line = Gst.parse_launch(text)
    line.set_state(Gst.State.PLAYING)
    message = ending(line)
    assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()
    line.set_state(Gst.State.NULL)


def release_pads():
    """A pad of hdrmux-settings may be released and requested again while the other stream goes on."""
    line = Gst.parse_launch(
        "videotestsrc is-live=true ! video/x-raw,format=I420,width=64,height=64,framerate=10/1 ! m.video_0 "
        "audiotestsrc is-live=true samplesperbuffer=4410 name=a ! audio/x-raw,rate=44100,channels=1 ! m.audio_0 "
        "hdrmux-settings name=m file-type=mpegts speed-preset=ultrafast preset=h264-low-quality ! "
        "fakesink async=false name=sink")
    muxer, source, bus = line.get_by_name("m"), line.get_by_name("a"), line.get_bus()
    line.set_state(Gst.State.PLAYING)
    time.sleep(1)
    for _ in range(3):
        pad = muxer.get_static_pad("audio_0")
        peer = pad.get_peer()
        source.set_locked_state(True)
        source.set_state(Gst.State.READY)
        peer.unlink(pad)
        muxer.release_request_pad(pad)
        pad = muxer.request_pad_simple("audio_0")
        assert peer.link(pad) == Gst.PadLinkReturn.OK
        source.set_locked_state(False)
        source.sync_state_with_parent()
        time.sleep(0.7)
        assert not trouble(bus)
    line.set_state(Gst.State.NULL)


def settings_at_the_start():
    """Settings of hdrmux-settings that change while it runs are those of the next file."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.mov")
        line = Gst.parse_launch(
            "appsrc name=a format=time caps=video/x-raw,format=I420,width=64,height=64,framerate=25/1 ! m.video_0 "
            f"hdrmux-settings name=m speed-preset=ultrafast preset=h264-low-quality ! filesink location={path}")
        source, muxer = line.get_by_name("a"), line.get_by_name("m")
        line.set_state(Gst.State.PLAYING)
        time.sleep(0.3)
        Gst.util_set_object_arg(muxer, "file-type", "mpegts")
        for index in range(10):
            buffer = Gst.Buffer.new_wrapped(bytes(6144))
            buffer.pts, buffer.duration = index * 40 * Gst.MSECOND, 40 * Gst.MSECOND
            source.emit("push-buffer", buffer)
        source.emit("end-of-stream")
        message = ending(line)
        assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()
        line.set_state(Gst.State.NULL)
        with open(path, "rb") as file:
            assert file.read(12)[4:8] == b"ftyp"


def save_on_error():
    """A handler of an error may save the frame that is shown."""
    line = Gst.parse_launch(
        "appsrc name=source format=time caps=video/x-raw,format=I420,width=64,height=64,framerate=25/1 ! "
        "edrsink name=sink presenter=offscreen sync=false")
    source, sink, saved = line.get_by_name("source"), line.get_by_name("sink"), []
    with tempfile.TemporaryDirectory() as folder:
        def on_message(bus, message):
            if message.type == Gst.MessageType.ERROR and not saved:
                saved.append(sink.emit("save-frame", os.path.join(folder, "frame.png")))
            return Gst.BusSyncReply.PASS

        line.get_bus().set_sync_handler(on_message)
        line.set_state(Gst.State.PLAYING)
        # The second buffer is smaller than its caps say.
        for index, size in enumerate((6144, 10)):
            buffer = Gst.Buffer.new_wrapped(bytes(size))
            buffer.pts = index * 40 * Gst.MSECOND
            source.emit("push-buffer", buffer)
        message = ending(line)
        assert message and message.type == Gst.MessageType.ERROR
        line.set_state(Gst.State.NULL)
        assert saved == [True], saved


def again_in_a_flush():
    """A probe that asks hdrtap to process the shown frame again, in the flush of such a request, is told no."""
    line = Gst.parse_launch(
        "videotestsrc ! video/x-raw,format=I420,width=64,height=64 ! "
        "hdrtap name=tap effect=exposure keep-frames=true ! fakesink sync=true name=sink")
    tap, answers = line.get_by_name("tap"), []

    def probe(pad, info):
        if info.get_event().type == Gst.EventType.FLUSH_STOP and not answers:
            answers.append(tap.emit("render-again"))
        return Gst.PadProbeReturn.OK

    line.get_by_name("sink").get_static_pad("sink").add_probe(Gst.PadProbeType.EVENT_FLUSH, probe)
    line.set_state(Gst.State.PAUSED)
    assert line.get_state(5 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
    assert tap.emit("render-again")
    time.sleep(0.5)
    assert answers == [False], answers
    assert line.get_state(5 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
    assert tap.emit("render-again")
    line.set_state(Gst.State.NULL)


def views_anywhere():
    """Views that lie far outside the picture or the window show nothing, or the picture's edge."""
    frame = bytes([200, 100, 50, 255]) * (64 * 32)
    for views in ('<"view,source-x=1e19">', '<"view,source-width=1e308">', '<"view","view,x=-1e19">',
                  '<"view,x=1e308,width=1e308">', '<"view,source-y=-1e300,height=1e-300">'):
        with Bench(caps(64, 32, SRGB, format="RGBx"), [frame], views=views) as bench:
            structure, data = bench.read()
            assert structure.get_value("width") > 0 and data, views


def upright_again():
    """An upright stream after one that lies on its side, with the same caps, has its own shape."""
    pictures = "videotestsrc num-buffers=2 pattern=gradient ! video/x-raw,format=I420,width=64,height=32 ! "
    line = Gst.parse_launch(
        f"concat name=c ! edrsink name=sink presenter=offscreen sync=false {pictures} "
        f"taginject tags=image-orientation=(string)rotate-90 ! c. {pictures} c.")
    line.set_state(Gst.State.PLAYING)
    message = ending(line)
    assert message and message.type == Gst.MessageType.EOS
    shape = line.get_by_name("sink").emit("read-frame").get_caps().get_structure(0)
    assert (shape.get_value("width"), shape.get_value("height")) == (64, 32), shape.to_string()
    line.set_state(Gst.State.NULL)


def segments():
    """hdrsrc ends a segment, of a YUV4MPEG2 file too, and its range may end as late as a number can say."""
    with tempfile.TemporaryDirectory() as folder:
        path, movie = os.path.join(folder, "clip.y4m"), os.path.join(folder, "clip.mov")
        pictures = "videotestsrc num-buffers=10 ! video/x-raw,format=I420,width=64,height=32,framerate=25/1 ! "
        play(f"{pictures} y4menc ! filesink location={path}")
        play(f"{pictures} jpegenc ! qtmux ! filesink location={movie}")
        for name in (path, movie):
            line = Gst.parse_launch(f"hdrsrc location={name} name=s s.video_0 ! fakesink")
            line.set_state(Gst.State.PAUSED)
            assert line.get_state(10 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
            flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.SEGMENT
            assert line.seek(1, Gst.Format.TIME, flags, Gst.SeekType.SET, 0, Gst.SeekType.SET, 80 * Gst.MSECOND)
            line.set_state(Gst.State.PLAYING)
            message = ending(line)
            assert message and message.type == Gst.MessageType.SEGMENT_DONE, (name, message and message.type)
            line.set_state(Gst.State.NULL)
            frames = []
            line = Gst.parse_launch(
                f"hdrsrc location={name} stop=9223372036854775807 name=s "
                "s.video_0 ! fakesink signal-handoffs=true name=k")
            line.get_by_name("k").connect("handoff", lambda sink, buffer, pad: frames.append(buffer.pts))
            line.set_state(Gst.State.PLAYING)
            assert ending(line).type == Gst.MessageType.EOS
            line.set_state(Gst.State.NULL)
            assert len(frames) == 10, (name, frames)


def other_format():
    """Effects that are set while frames pass get a format that they take, where upstream can give one; where it cannot,
    an error says so."""
    for format, effects, rest in (("RGB16", ("sepia", "exposure,invert"), "videoconvert ! video/x-raw,format=I420"),
                                  ("Y41B", ("exposure", "none", "sepia"), "queue")):
        line = Gst.parse_launch(
            f"videotestsrc is-live=true ! video/x-raw,format={format},width=32,height=16,framerate=100/1 ! videoconvert ! "
            f"hdrtap name=tap ! {rest} ! fakesink name=k signal-handoffs=true")
        tap, counts = line.get_by_name("tap"), []
        line.get_by_name("k").connect("handoff", lambda sink, buffer, pad: counts.append(buffer.pts))

        def came():
            return tap.get_static_pad("sink").get_current_caps().get_structure(0).get_string("format")

        def pass_more():
            end, target = time.monotonic() + 20, len(counts) + 10
            while len(counts) < target:
                assert time.monotonic() < end and not (told := trouble(line.get_bus())), (effects, told)
                time.sleep(0.002)

        line.set_state(Gst.State.PLAYING)
        pass_more()
        assert came() == format
        for effect in effects:
            tap.set_property("effect", effect)
            pass_more()
            end = time.monotonic() + 20
            while (came() == format) != (effect == "none"):
                assert time.monotonic() < end, (effect, came())
                pass_more()
        assert tap.get_property("stats").get_uint64("processed-frames")[1] > 0
        line.set_state(Gst.State.NULL)
    line = Gst.parse_launch("videotestsrc is-live=true ! video/x-raw,format=RGB16,width=32,height=16 ! hdrtap name=tap ! "
                            "fakesink")
    line.set_state(Gst.State.PLAYING)
    line.get_state(20 * Gst.SECOND)
    line.get_by_name("tap").set_property("effect", "sepia")
    message = ending(line)
    assert message and "RGB16 is none of the raw formats" in message.parse_error()[0].message
    line.set_state(Gst.State.NULL)


if __name__ == "__main__":
    run({"release-pads": release_pads, "settings-at-the-start": settings_at_the_start, "save-on-error": save_on_error,
         "again-in-a-flush": again_in_a_flush, "views-anywhere": views_anywhere, "upright-again": upright_again,
         "segments": segments, "other-format": other_format})
