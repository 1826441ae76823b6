"""`hdrvideosink` as players and applications use it, on X servers, on Weston and on a display with extended range."""
import os
import struct
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "edrsink"))
from bench import HLG, PQ, SRGB, Bench, Gst, GstVideo, caps, make, rgba64, run, wait  # noqa: E402
from xserver import Screen  # noqa: E402

SIZE = (96, 64)
# Levels of PQ that become different SDR, and are far from what the codes would look like as they are.
ROWS = [[(30000 + 100 * (x // 4), 20000 + 200 * (y // 4), 15000 + (x * y * 9) % 20000) for x in range(SIZE[0])]
        for y in range(SIZE[1])]
PICTURE = bytes(v for y in range(SIZE[1]) for x in range(SIZE[0]) for v in (2 * x, 3 * y, (x * y) % 256, 255))


def bench(setup, data=(), sink="", **more):
    """As edrsink's bench, with this sink."""
    result = Bench.__new__(Bench)
    result.sink = make("hdrvideosink", **more)
    result.sink.set_property("sink", sink)
    result.source = make("appsrc", format="time", is_live=False)
    result.pipeline = Gst.Pipeline.new(None)
    result.bus = result.pipeline.get_bus()
    result.pipeline.add(result.source)
    result.pipeline.add(result.sink)
    assert result.source.link(result.sink)
    result.time = 0
    result.source.set_property("caps", setup)
    for frame in data:
        result.push(frame)
    return result


def part(rows, at=(0, 0), size=SIZE):
    return [pixel for row in rows[at[1]:at[1] + size[1]] for pixel in row[at[0]:at[0] + size[0]]]


def converted(setup, data):
    """What `hdrconvert` makes of a picture for a display of sRGB."""
    line = Gst.parse_launch(
        "appsrc name=source format=time ! hdrconvert ! video/x-raw,format=BGRx,colorimetry=sRGB ! appsink name=sink")
    source, sink = line.get_by_name("source"), line.get_by_name("sink")
    source.set_property("caps", setup)
    line.set_state(Gst.State.PLAYING)
    source.emit("push-buffer", Gst.Buffer.new_wrapped(data))
    source.emit("end-of-stream")
    sample = sink.emit("pull-sample")
    pixels = sample.get_buffer().extract_dup(0, SIZE[0] * SIZE[1] * 4)
    line.set_state(Gst.State.NULL)
    return [(pixels[i + 2], pixels[i + 1], pixels[i]) for i in range(0, len(pixels), 4)]


def state(one):
    return one.get("display-state")


def factory(one):
    return one.get("actual-sink").get_factory().get_name()


def sdr_display():
    """Without extended range HDR is shown as `hdrconvert` converts it, in the application's window, and SDR as it is."""
    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        for setup, data, wanted in (
                (caps(*SIZE, PQ, content_light_level="1000:400"), rgba64(ROWS), None),
                (caps(*SIZE, HLG), rgba64(ROWS), None),
                (caps(*SIZE, SRGB, format="RGBx"), PICTURE, [tuple(PICTURE[i:i + 3]) for i in range(0, len(PICTURE), 4)])):
            wanted = wanted or converted(setup, data)
            window = screen.window(*SIZE)
            with bench(setup, [data]) as one:
                GstVideo.VideoOverlay.set_window_handle(one.sink, window)
                one.pause()
                assert factory(one) == "ximagesink" and state(one).get_string("sink") == "ximagesink"
                assert state(one).get_boolean("converts-hdr-to-sdr")[1]
                why = state(one).to_string().split("why-nothing-better")[1]
                assert "edrsink" in why and "xvimagesink" in why and "Xv" in why, why
                seen = []
                assert wait(lambda: seen.append(part(screen.grab())) or seen[-1] == wanted), \
                    (setup.to_string(), seen[-1][100:104], wanted[100:104])
            assert len(set(wanted)) > 200


def colors():
    """SDR of colours that hdrconvert does not convert is shown as that of BT.709, as every player does: primaries of film,
    cinemas and others, and logarithmic curves, as GStreamer numbers them."""
    grey = bytes([126]) * (SIZE[0] * SIZE[1]) + bytes([128]) * (SIZE[0] * SIZE[1] // 2)
    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        for color in ("bt709", "2:3:5:2", "2:3:5:6", "2:3:5:8", "2:3:5:9", "2:3:5:10", "2:3:5:12", "2:3:9:1", "2:3:10:1"):
            window = screen.window(*SIZE)
            with bench(caps(*SIZE, color, format="I420"), [grey], sink="ximagesink") as one:
                GstVideo.VideoOverlay.set_window_handle(one.sink, window)
                one.pause()
                seen = []
                assert wait(lambda: seen.append(part(screen.grab())) or set(seen[-1]) == {(128, 128, 128)}), \
                    (color, seen[-1][:3])


def midway():
    """A stream that turns from SDR to HDR and back is right in each part."""
    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        window = screen.window(*SIZE)
        sdr = (caps(*SIZE, SRGB, format="RGBx"), PICTURE, [tuple(PICTURE[i:i + 3]) for i in range(0, len(PICTURE), 4)])
        pq = (caps(*SIZE, PQ), rgba64(ROWS), converted(caps(*SIZE, PQ), rgba64(ROWS)))
        with bench(sdr[0], sync=False) as one:
            GstVideo.VideoOverlay.set_window_handle(one.sink, window)
            # hdrconvert keeps pictures of HDR back until their scene is known, which here would be for ever.
            one.pipeline.set_state(Gst.State.PLAYING)
            convert = one.sink.get_by_name("convert")
            convert.set_property("look-ahead", 0)
            for setup, data, wanted in (sdr, pq, sdr, pq):
                one.source.set_property("caps", setup)
                one.push(data)
                assert wait(lambda: part(screen.grab()) == wanted), setup.to_string()


def turned():
    """Pictures whose tag says that they lie on their side are upright, HDR and SDR, as players show them."""
    codes = [[(60 * (x // 24), 80 * (y // 22), 30) for x in range(SIZE[0])] for y in range(SIZE[1])]
    upright = [[codes[SIZE[1] - 1 - x][y] for x in range(SIZE[1])] for y in range(SIZE[0])]
    data = bytes(v for row in codes for pixel in row for v in (*pixel, 255))
    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        window = screen.window(SIZE[1], SIZE[0])
        line = Gst.parse_launch(
            "appsrc name=source format=time ! taginject tags=image-orientation=rotate-90 ! hdrvideosink name=sink")
        source, sink = line.get_by_name("source"), line.get_by_name("sink")
        source.set_property("caps", caps(*SIZE, SRGB, format="RGBx"))
        GstVideo.VideoOverlay.set_window_handle(sink, window)
        line.set_state(Gst.State.PAUSED)
        source.emit("push-buffer", Gst.Buffer.new_wrapped(data))
        wanted = [pixel for row in upright for pixel in row]
        seen = []
        assert wait(lambda: seen.append(part(screen.grab(), size=(SIZE[1], SIZE[0]))) or seen[-1] == wanted), \
            (seen[-1][:4], wanted[:4])
        line.set_state(Gst.State.NULL)


def turned_clip():
    """A player's window has the shape of a clip that lies on its side, although caps come before tags."""
    with tempfile.TemporaryDirectory() as folder, Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        path = os.path.join(folder, "turned.mov")
        clip = Gst.parse_launch(
            f"videotestsrc num-buffers=3 ! video/x-raw,width=160,height=90 ! jpegenc ! qtmux ! filesink location={path}")
        clip.set_state(Gst.State.PLAYING)
        assert clip.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS)
        clip.set_state(Gst.State.NULL)
        with open(path, "r+b") as file:
            # The matrix of the track's header: a quarter turn.
            file.seek(file.read().index(b"tkhd") + 44)
            file.write(struct.pack(">9i", 0, 1 << 16, 0, -1 << 16, 0, 0, 90 << 16, 0, 1 << 30))
        for player in ("playbin", "playbin3"):
            one = make("hdrvideosink")
            one.set_property("sink", "ximagesink")
            one.set_state(Gst.State.READY)
            sizes = []

            def probe(pad, info):
                if info.get_event().type == Gst.EventType.CAPS:
                    shape = info.get_event().parse_caps().get_structure(0)
                    sizes.append((shape.get_value("width"), shape.get_value("height")))
                return Gst.PadProbeReturn.OK

            one.get_property("actual-sink").get_static_pad("sink").add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, probe)
            play = make(player, uri=Gst.filename_to_uri(path))
            play.set_property("video-sink", one)
            play.set_property("audio-sink", make("fakesink"))
            play.set_state(Gst.State.PAUSED)
            assert play.get_state(30 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS, player
            assert sizes == [(90, 160)], (player, sizes)
            play.set_state(Gst.State.NULL)


def subtitles():
    """Subtitles are as white as SDR's white, and do not touch the light of the picture."""
    size = (320, 240)
    setup = caps(*size, PQ)
    dark = rgba64([[(20000, 20000, 20000)] * size[0]] * size[1])
    seen = {}
    for overlay in (False, True):
        with Screen() as screen:
            os.environ["DISPLAY"] = screen.name
            text = 'textoverlay text=MMM valignment=bottom font-desc="Sans Bold 40" ! ' if overlay else ""
            line = Gst.parse_launch(f"appsrc name=source format=time ! {text}hdrvideosink name=sink")
            source, sink = line.get_by_name("source"), line.get_by_name("sink")
            source.set_property("caps", setup)
            GstVideo.VideoOverlay.set_window_handle(sink, screen.window(*size))
            line.set_state(Gst.State.PLAYING)
            for index in range(8):
                buffer = Gst.Buffer.new_wrapped(dark)
                buffer.pts, buffer.duration = index * Gst.SECOND // 30, Gst.SECOND // 30
                source.emit("push-buffer", buffer)
            source.emit("end-of-stream")
            message = line.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
            seen[overlay] = screen.grab()
            line.set_state(Gst.State.NULL)
            assert message.type == Gst.MessageType.EOS, message.parse_error()
    plain = {pixel for row in seen[False] for pixel in row}
    assert all(len(set(level)) == 1 and 20 < level[0] < 200 for level in plain) and len(plain) <= 2, plain
    assert {pixel for row in seen[True][:60] for pixel in row} == plain
    assert sum(row.count((255, 255, 255)) for row in seen[True]) > 500


def extended():
    """On a display with extended range (WAYLAND_DISPLAY) it is edrsink, to which pictures go as they are."""
    with bench(caps(*SIZE, PQ, content_light_level="1000:400"), [rgba64(ROWS)]) as one:
        one.pause()
        assert factory(one) == "edrsink" and not state(one).get_boolean("converts-hdr-to-sdr")[1]
        inner = one.get("actual-sink")
        assert inner.get_property("eligible-for-hdr-playback") and wait(lambda: inner.get_property("headroom") > 1)
        assert one.sink.numchildren == 1
        assert one.get("last-sample").get_caps().to_string().count(PQ) == 1
        # The next start asks the display anew.
        one.pipeline.set_state(Gst.State.NULL)
        assert one.get("actual-sink") is None and one.get("display-state") is None and one.get("last-sample") is None
        os.environ["WAYLAND_DISPLAY"] = ""
        one.sink.set_property("sink", "fakevideosink")
        one.pipeline.set_state(Gst.State.PAUSED)
        assert factory(one) == "fakevideosink"


def weston():
    """Without color management it is waylandsink, with SDR in it."""
    with bench(caps(*SIZE, PQ), [rgba64(ROWS)] * 8, sync=False) as one:
        one.finish()
        assert factory(one) == "waylandsink", state(one).to_string()
        assert "extended" in state(one).to_string(), state(one).to_string()
        shown = one.get("last-sample").get_caps().to_string()
        assert "14:7" not in shown and "2100" not in shown, shown
        # waylandsink of GStreamer 1.28 drops what comes before the compositor asks for the next one.
        count = [one.get("stats").get_uint64(name)[1] for name in ("rendered", "dropped")]
        assert sum(count) == 8 and count[0] > 0, count


def interfaces():
    """The application sees one sink: its messages about windows come from the bin, and what it asks reaches the window."""
    asked = []

    def answer(bus, message):
        if GstVideo.is_video_overlay_prepare_window_handle_message(message):
            asked.append(message.src)
            GstVideo.VideoOverlay.set_window_handle(message.src, window)
        return Gst.BusSyncReply.PASS

    places = []

    def probe(pad, info):
        structure = info.get_event().get_structure()
        if structure and structure.get_name() == "application/x-gst-navigation":
            places.append((structure.get_string("event"), structure.get_double("pointer_x")[1]))
        return Gst.PadProbeReturn.OK

    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        window = screen.window(*SIZE)
        with bench(caps(*SIZE, SRGB, format="RGBx"), [PICTURE]) as one:
            one.bus.set_sync_handler(answer)
            one.source.get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_UPSTREAM, probe)
            one.pause()
            pixels = [tuple(PICTURE[i:i + 3]) for i in range(0, len(PICTURE), 4)]
            assert wait(lambda: part(screen.grab()) == pixels)
            assert asked and set(asked) == {one.sink}, asked
            GstVideo.VideoOverlay.expose(one.sink)
            assert one.sink.get_by_interface(GstVideo.VideoOverlay) is not None
            GstVideo.VideoOverlay.set_render_rectangle(one.sink, 20, 10, 48, 32)
            GstVideo.VideoOverlay.expose(one.sink)
            GstVideo.Navigation.send_event_simple(
                one.sink, GstVideo.Navigation.event_new_mouse_move(30.0, 20.0, GstVideo.NavigationModifierType.NONE))
            assert wait(lambda: places and places[-1][0] == "mouse-move"), places
            assert GstVideo.ColorBalance.list_channels(one.sink) == []
            one.bus.set_sync_handler(None)
        # A sink that balances colours lends the bin its channels.
        names = [name for name in ("glimagesink", "xvimagesink") if Gst.ElementFactory.find(name)]
        for name in names:
            with bench(caps(*SIZE, SRGB, format="RGBx"), [PICTURE], sink=name) as one:
                if one.pipeline.set_state(Gst.State.READY) == Gst.StateChangeReturn.FAILURE:
                    one.trouble()
                    continue
                channels = GstVideo.ColorBalance.list_channels(one.sink)
                inner = GstVideo.ColorBalance.list_channels(one.get("actual-sink"))
                assert [c.label for c in channels] == [c.label for c in inner]


def properties():
    """What is set goes to each inner sink, whenever it was set, and what is read comes from it."""
    with bench(caps(*SIZE, SRGB, format="RGBx"), [PICTURE] * 3, sink="fakevideosink", sync=False, ts_offset=7) as one:
        assert one.get("stats") is None and one.get("max-lateness") == 5 * Gst.MSECOND and one.get("ts-offset") == 7
        one.set("qos", False)
        one.finish()
        inner = one.get("actual-sink")
        for name, value in (("sync", False), ("ts-offset", 7), ("qos", False)):
            assert inner.get_property(name) == value == one.get(name), name
        one.set("max-lateness", -1)
        one.set("render-delay", 3)
        assert inner.get_property("max-lateness") == -1 == one.get("max-lateness") and one.get("render-delay") == 3
        assert one.get("stats").get_uint64("rendered")[1] == 3, one.get("stats").to_string()
        assert one.get("last-sample").get_buffer().extract_dup(0, 8)
        # Seeks to the start, and plays again after NULL, with the same settings.
        one.pipeline.set_state(Gst.State.NULL)
        assert one.get("ts-offset") == 7
        one.pipeline.set_state(Gst.State.PAUSED)
        one.push(PICTURE)
        one.finish()
        assert one.get("actual-sink") != inner and one.get("actual-sink").get_property("ts-offset") == 7
        assert one.get("stats").get_uint64("rendered")[1] == 1


def flushes():
    """Seeks, also while paused, show the picture of their place."""
    line = Gst.parse_launch(
        "videotestsrc pattern=ball ! video/x-raw,format=P010_10LE,width=64,height=48,framerate=30/1,colorimetry=bt2100-pq "
        "! hdrvideosink name=sink sink=fakevideosink")
    sink = line.get_by_name("sink")
    line.set_state(Gst.State.PAUSED)
    assert line.get_state(10 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
    for position in (3, 1, 2):
        line.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, position * Gst.SECOND)
        assert line.get_state(10 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
        sample = sink.get_property("last-sample")
        assert sample.get_buffer().pts == position * Gst.SECOND, sample.get_buffer().pts
        assert "bt709" in sample.get_caps().to_string() or "sRGB" in sample.get_caps().to_string()
    line.send_event(Gst.Event.new_step(Gst.Format.BUFFERS, 1, 1.0, True, False))
    assert line.get_bus().timed_pop_filtered(10 * Gst.SECOND, Gst.MessageType.STEP_DONE) is not None
    line.set_state(Gst.State.NULL)


def players():
    """playbin, playbin3 and autovideosink take it by its rank, and it takes another sink than itself."""
    clip = os.environ["CLIP"]
    for player in ("playbin", "playbin3"):
        with Screen(width=1280, height=720) as screen:
            os.environ["DISPLAY"] = screen.name
            play = make(player, uri=Gst.filename_to_uri(clip))
            play.set_property("audio-sink", make("fakesink"))
            play.set_state(Gst.State.PAUSED)
            assert play.get_state(30 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS, player
            sinks = [e for e in iterate(play) if e.get_factory().get_name() == "hdrvideosink"]
            assert len(sinks) == 1, player
            inner = sinks[0].get_property("actual-sink").get_factory().get_name()
            assert inner == "ximagesink", inner
            shot = play.emit("convert-sample", Gst.Caps.from_string("video/x-raw,format=RGB"))
            assert shot is not None
            play.set_state(Gst.State.NULL)
    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        line = Gst.parse_launch("videotestsrc num-buffers=3 ! autovideosink name=auto")
        line.set_state(Gst.State.PAUSED)
        assert line.get_state(20 * Gst.SECOND)[0] == Gst.StateChangeReturn.SUCCESS
        assert "hdrvideosink" in [e.get_factory().get_name() for e in iterate(line)]
        line.set_state(Gst.State.NULL)


def iterate(container):
    found = []
    container.iterate_recurse().foreach(found.append)
    return [element for element in found if element.get_factory()]


def errors():
    """Where nothing works the error names every sink, why it does not, and what to install."""
    with bench(caps(*SIZE, SRGB, format="RGBx")) as one:
        assert one.pipeline.set_state(Gst.State.PAUSED) == Gst.StateChangeReturn.FAILURE
        messages = []
        while (message := one.bus.pop_filtered(Gst.MessageType.ERROR)):
            messages.append(message)
        text = messages[0].parse_error()[0].message
        assert len(messages) == 1 and messages[0].src == one.sink, messages
        for word in ("edrsink: ", "ximagesink: ", "WAYLAND_DISPLAY", "gstreamer1.0-plugins-bad", "gstreamer1.0-x"):
            assert word in text, text
        one.pipeline.set_state(Gst.State.NULL)
        one.sink.set_property("sink", "nosuchsink")
        assert one.pipeline.set_state(Gst.State.PAUSED) == Gst.StateChangeReturn.FAILURE
        message = one.bus.timed_pop_filtered(Gst.SECOND, Gst.MessageType.ERROR)
        assert "nosuchsink: it is not installed: gst-inspect-1.0 lists" in message.parse_error()[0].message


def threads():
    """Properties and interfaces may be used from any thread while states change."""
    one = make("hdrvideosink")
    one.set_property("sink", "fakevideosink")
    ends = threading.Event()

    def ask():
        while not ends.is_set():
            one.get_property("stats"), one.get_property("actual-sink"), one.get_property("display-state")
            one.set_property("ts-offset", 5)
            GstVideo.VideoOverlay.expose(one)
            GstVideo.VideoOverlay.set_render_rectangle(one, 0, 0, 10, 10)
            GstVideo.ColorBalance.list_channels(one)

    asking = [threading.Thread(target=ask) for _ in range(3)]
    for thread in asking:
        thread.start()
    for _ in range(200):
        assert one.set_state(Gst.State.READY) == Gst.StateChangeReturn.SUCCESS
        assert one.set_state(Gst.State.NULL) == Gst.StateChangeReturn.SUCCESS
    ends.set()
    for thread in asking:
        thread.join()


if __name__ == "__main__":
    run({"sdr-display": sdr_display, "colors": colors, "midway": midway, "turned": turned,
         "turned-clip": turned_clip, "subtitles": subtitles,
         "extended": extended, "weston": weston, "interfaces": interfaces, "properties": properties,
         "flushes": flushes, "players": players, "errors": errors, "threads": threads})
