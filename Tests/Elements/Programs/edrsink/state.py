"""What edrsink says of the display and of itself, and what a change of its settings does at once."""
import os

import light
from bench import PQ, SRGB, Bench, Gst, caps, fields, make, rgba64, run, wait

RAMP = rgba64([[(code * 256,) * 3 for code in range(256)]] * 2)
LEVEL = "1000:400"


def paused(**properties):
    return Bench(caps(256, 2, PQ, content_light_level=LEVEL), [RAMP], **properties)


def repainted(bench, change, seconds=3):
    """The caps and bytes of a picture that a change brings; fails where none comes."""
    before = bench.read()[1]
    change()
    assert wait(lambda: bench.read()[1] != before, seconds), "the picture stays"
    last = bench.read()
    wait(lambda: bench.read()[1] != last[1], 0.1)
    return bench.read()


def display_state():
    """Its fields, in both kinds of pixels, and the properties that repeat them."""
    for pixel_format, color_space in (("rgba16f", "extended-linear-display-p3"), ("rgb10a2", "bt2100-pq")):
        with paused(pixel_format=pixel_format, force_headroom=4) as bench:
            state = bench.get("display-state")
            assert state.get_name() == "display-state"
            got = fields(state)
            assert got["presenter"] == "offscreen" and got["pixel-format"] == pixel_format, got
            assert got["color-space"] == color_space and got["white-value"] == 1, got
            assert got["headroom"] == bench.get("headroom") == 4, got
            assert got["reference-white"] == bench.get("reference-white") == 203, got
            assert got["potential-headroom"] == bench.get("potential-headroom") >= 10, got
            assert abs(got["refresh-rate"] - 60) < 0.1, got
            text = state.to_string()
            assert "rgba16f" in text and "why-nothing-better" in text, text
            assert bench.get("eligible-for-hdr-playback") is True
            assert "light needs" not in text, text
    with paused(pixel_format="rgb10a2", color_space="extended-linear-display-p3") as bench:
        text = bench.get("display-state").to_string()
        assert "light needs" in text.replace("\\", ""), text


def natural():
    """The headroom that is left alone is the display's, and light reaches it."""
    with paused() as bench:
        headroom = bench.get("headroom")
        assert 1 < headroom <= bench.get("potential-headroom")
        assert abs(light.half_code(max(light.halves(bench.read()[1]))[0]) - light.half_code(headroom)) <= 1


def sdr_headroom():
    """Where the picture is SDR, the headroom that is tone-mapped to is 1, forced or not."""
    for more in (dict(pixel_format="rgba8"), dict(wants_extended_dynamic_range=False), dict(color_space="srgb")):
        with paused(**more) as bench:
            assert bench.get("headroom") == 1, more
        with paused(force_headroom=4, **more) as bench:
            assert bench.get("headroom") == 1, (more, bench.get("headroom"))


def force_headroom():
    """While PAUSED a change repaints, and is notified."""
    with paused(force_headroom=2, pixel_format="rgba16f") as bench:
        notified = []
        bench.sink.connect("notify::headroom", lambda sink, _: notified.append(sink.get_property("headroom")))
        while bench.bus.pop():
            pass
        for headroom in (3.0, 1.0, 4.0):
            notified.clear()
            _, data = repainted(bench, lambda: bench.set("force-headroom", headroom))
            assert abs(max(light.halves(data)[255]) - headroom) < 0.01, headroom
            assert bench.get("headroom") == headroom and headroom in notified, notified
            states = []
            while message := bench.bus.pop_filtered(Gst.MessageType.ELEMENT):
                states.append(message.get_structure())
            states = [state.get_value("headroom") for state in states if state.get_name() == "display-state"]
            # Once, and for what has changed alone.
            assert states == notified == [headroom], (states, notified)


def unforce():
    """0 gives the display's headroom back."""
    with paused() as bench:
        own = bench.get("headroom")
    with paused(force_headroom=2) as bench:
        assert bench.get("headroom") == 2
        bench.set("force-headroom", 0)
        assert wait(lambda: bench.get("headroom") == own, 1), (bench.get("headroom"), own)


def settings():
    """While PAUSED every setting of the picture repaints, and ends where a sink that has it from the start is."""
    steps = [("tone-mapping", "clip"), ("tone-mapping", "bt2390"), ("pixel-format", "rgb10a2"), ("color-space", "srgb"),
             ("color-space", "auto"), ("wants-extended-dynamic-range", "false"), ("pixel-format", "rgba16f"),
             ("wants-extended-dynamic-range", "true")]
    settled = dict(force_headroom=2)
    with paused(**settled) as bench:
        for name, value in steps:
            settled[name.replace("-", "_")] = value
            with paused(**settled) as fresh:
                wanted = fresh.read()
            Gst.util_set_object_arg(bench.sink, name, value)
            assert wait(lambda: bench.read()[1] == wanted[1]), (name, value)
            assert bench.read()[0].to_string() == wanted[0].to_string(), (name, value)


def always():
    """While its pixels change, the display goes on showing the picture that it has."""
    with paused() as bench:
        missing = 0
        for step in range(60):
            bench.set("pixel-format", ("rgb10a2", "rgba16f")[step % 2])
            wanted = ("RGB10A2_LE", "RGBA_F16LE")[step % 2]

            def arrived():
                nonlocal missing
                sample = bench.sink.emit("read-frame")
                missing += sample is None
                return sample is not None and sample.get_caps().get_structure(0).get_string("format") == wanted

            while not arrived():
                pass
        assert missing == 0, missing


def playing():
    """Changes while frames flow, from another thread, take effect and break nothing."""
    source = make("videotestsrc", num_buffers=120)
    text = "video/x-raw,format=P010_10LE,width=320,height=180,framerate=60/1,colorimetry=bt2100-pq"
    only = make("capsfilter", caps=text)
    bench = Bench.__new__(Bench)
    bench.sink = make("edrsink", presenter="offscreen")
    bench.pipeline = Gst.Pipeline.new(None)
    bench.bus = bench.pipeline.get_bus()
    for element in (source, only, bench.sink):
        bench.pipeline.add(element)
    assert source.link(only) and only.link(bench.sink)
    with bench:
        bench.play()
        step = 0
        while not (message := bench.bus.timed_pop_filtered(3 * Gst.MSECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)):
            step += 1
            bench.set("force-headroom", 1 + step % 7)
            bench.set("tone-mapping", step % 3)
            bench.set("pixel-format", step // 5 % 4)
            bench.set("color-space", step // 7 % 4)
            bench.set("wants-extended-dynamic-range", step % 11 > 3)
            bench.get("display-state"), bench.get("frame-record"), bench.sink.emit("read-frame")
            assert step < 5000
        assert message.type == Gst.MessageType.EOS, message.parse_error()
        assert step > 50
        bench.set("pixel-format", "rgba16f"), bench.set("color-space", 0), bench.set("force-headroom", 2.0)
        bench.set("wants-extended-dynamic-range", True)
        assert wait(lambda: bench.read()[0].get_string("format") == "RGBA_F16LE")


def failure(presenter):
    """The error of a presenter that has no display."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"):
        os.environ.pop(name, None)
    bench = Bench(paused=False, presenter=presenter)
    assert bench.pipeline.set_state(Gst.State.PAUSED) == Gst.StateChangeReturn.FAILURE
    message = bench.bus.timed_pop_filtered(2 * Gst.SECOND, Gst.MessageType.ERROR)
    error, _ = message.parse_error()
    bench.pipeline.set_state(Gst.State.NULL)
    assert error.domain == "gst-resource-error-quark", error
    return error.message


def missing():
    """What is missing is named, and so is the way without a display."""
    for presenter, names in (("wayland", ("XDG_RUNTIME_DIR", "WAYLAND_DISPLAY")), ("x11", ("DISPLAY",))):
        text = failure(presenter)
        assert any(name in text for name in names) and "presenter=offscreen" in text, text
    # A display that does not answer is named too.
    bench = Bench(paused=False, presenter="x11")
    os.environ["DISPLAY"] = ":987"
    assert bench.pipeline.set_state(Gst.State.PAUSED) == Gst.StateChangeReturn.FAILURE
    text = bench.trouble()
    bench.pipeline.set_state(Gst.State.NULL)
    assert any(":987" in line for line in text), text


def automatic():
    """Without a display there is an error, which names what was tried, and the way without a display."""
    text = failure("auto")
    assert "wayland: XDG_RUNTIME_DIR" in text and "x11: DISPLAY" in text and "presenter=offscreen" in text, text


if __name__ == "__main__":
    run({"display-state": display_state, "natural": natural, "sdr-headroom": sdr_headroom, "force-headroom": force_headroom,
         "unforce": unforce, "settings": settings, "playing": playing, "always": always, "missing": missing, "automatic": automatic})
