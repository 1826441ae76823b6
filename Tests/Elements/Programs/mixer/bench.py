"""The same pipeline with GStreamer's `compositor` and with `hdrcompositor`: what comes out, as a record to compare."""
import faulthandler
import os
import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from waiting import wait  # noqa: E402

faulthandler.enable()
faulthandler.dump_traceback_later(100, exit=True)
Gst.init(None)
MS, SECOND, NONE = Gst.MSECOND, Gst.SECOND, Gst.CLOCK_TIME_NONE
ENDS = Gst.MessageType.EOS | Gst.MessageType.ERROR | Gst.MessageType.SEGMENT_DONE
COMPARED = ("format", "width", "height", "framerate", "pixel-aspect-ratio", "interlace-mode", "colorimetry")
ELEMENTS = ("compositor", "hdrcompositor")


def caps(width=32, height=24, rate="25/1", more=""):
    return f"video/x-raw,format=I420,width={width},height={height},framerate={rate},colorimetry=bt709{more}"


def frame(luma, width=32, height=24):
    """A grey picture, whose width is a multiple of 8 and whose height is even."""
    return bytes([luma]) * (width * height) + bytes([128]) * (width * height // 2)


def milliseconds(value):
    """Times of rates that do not divide a second are compared to the nanosecond, others read better so."""
    return None if value == NONE else value // MS if value % MS == 0 else value / MS


class Line:
    """A mixer `c` on a black canvas, in front of a fakesink that records what arrives."""

    def __init__(self, element, rest, settings="", canvas="", sink="sync=false"):
        canvas = f"{canvas} ! " if canvas else ""
        self.pipeline = Gst.parse_launch(
            f"{element} name=c background=black {settings} ! {canvas} fakesink name=sink {sink} signal-handoffs=true "
            f"{rest}")
        self.mixer, self.sink = self.pipeline.get_by_name("c"), self.pipeline.get_by_name("sink")
        self.bus = self.pipeline.get_bus()
        self.frames, self.events, self.delay = [], [], 0
        self.sink.connect("handoff", self.arrived)
        self.sink.get_static_pad("sink").add_probe(
            Gst.PadProbeType.EVENT_DOWNSTREAM | Gst.PadProbeType.EVENT_FLUSH, self.event)

    def arrived(self, sink, buffer, pad):
        shape = pad.get_current_caps().get_structure(0)
        width, height = shape.get_value("width"), shape.get_value("height")
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        data = buffer.extract_dup(0, buffer.get_size())
        # Rows of luma are padded to four bytes.
        stride = -(-width // 4) * 4
        luma = sum(sum(data[row * stride:row * stride + width]) for row in range(height)) / (width * height)
        self.frames.append({
            "pts": milliseconds(buffer.pts), "duration": milliseconds(buffer.duration),
            "running": milliseconds(segment.to_running_time(Gst.Format.TIME, buffer.pts)),
            "stream": milliseconds(segment.to_stream_time(Gst.Format.TIME, buffer.pts)),
            "size": (width, height), "luma": luma, "data": data})
        time.sleep(self.delay)

    def event(self, pad, info):
        event = info.get_event()
        if event.type == Gst.EventType.SEGMENT:
            it = event.parse_segment()
            self.events.append(("segment", it.rate, it.applied_rate) + tuple(
                milliseconds(value) for value in (it.start, it.stop, it.time, it.base, it.position)))
        elif event.type == Gst.EventType.CAPS:
            it = event.parse_caps().get_structure(0).copy()
            for name in [it.nth_field_name(index) for index in range(it.n_fields())]:
                if name not in COMPARED:
                    it.remove_field(name)
            self.events.append(it.to_string())
        elif event.type in (Gst.EventType.EOS, Gst.EventType.FLUSH_START, Gst.EventType.FLUSH_STOP, Gst.EventType.GAP):
            self.events.append(event.type.value_nick)
        return Gst.PadProbeReturn.OK

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pipeline.set_state(Gst.State.NULL)

    def play(self):
        self.pipeline.set_state(Gst.State.PLAYING)

    def pause(self):
        self.pipeline.set_state(Gst.State.PAUSED)
        self.settle()

    def settle(self):
        assert self.pipeline.get_state(10 * SECOND)[0] == Gst.StateChangeReturn.SUCCESS

    def have(self, count):
        assert wait(lambda: len(self.frames) >= count), (count, self.frames)

    def ending(self, seconds=10):
        """How the pipeline ends; `none` where it goes on."""
        message = self.bus.timed_pop_filtered(int(seconds * SECOND), ENDS)
        if not message:
            return "none"
        if message.type == Gst.MessageType.ERROR:
            error = message.parse_error()[0]
            return f"error {error.domain} {error.code}"
        return "eos" if message.type == Gst.MessageType.EOS else "segment-done"

    def record(self, end="eos", seconds=10, codes=1, **more):
        """All that came out once the pipeline has ended in the expected way.

        A canvas with several pictures is coded anew by hdrcompositor, with dither, which may move a code by one; a
        picture that fills it keeps its codes, which cases demand with `codes=0`."""
        found = self.ending(seconds)
        assert found == end, (found, self.column("pts"), self.events)
        self.pipeline.set_state(Gst.State.NULL)
        return {"end": found, "frames": self.frames, "events": self.events, "codes": codes, **more}

    # What cases expect of both mixers.

    def column(self, name):
        return [frame[name] for frame in self.frames]

    def expect(self, name, values):
        values, found = list(values), self.column(name)
        if name == "luma":
            is_so = len(values) == len(found) and all(abs(one - other) < 0.1 for one, other in zip(values, found))
        else:
            is_so = values == found
        assert is_so, f"{name}: {found} in place of {values}"


class Fed(Line):
    """A line whose pads get pictures from the program, in the order in which it has them."""

    def __init__(self, element, pads=2, settings="", canvas="", sink="sync=false", properties=None, live=False,
                 shapes=None, source=""):
        given = " ".join(f"sink_{pad}::{name}={value}" for pad, each in (properties or {}).items()
                         for name, value in each.items())
        shapes = shapes or [caps()] * pads
        live = "is-live=true do-timestamp=false" if live else ""
        rest = " ".join(f"appsrc name=s{pad} format=time handle-segment-change=true {live} {source} "
                        f"{f'caps={shape}' if shape else ''} ! c.sink_{pad}" for pad, shape in enumerate(shapes))
        super().__init__(element, rest, f"{settings} {given}", canvas, sink)
        self.sources = [self.pipeline.get_by_name(f"s{pad}") for pad in range(len(shapes))]

    def push(self, pad, time, luma, duration=40, shape=None, size=(32, 24), flags=None, segment=None):
        """One picture, with the caps and the segment that come before it where they are given."""
        buffer = Gst.Buffer.new_wrapped(frame(luma, *size))
        buffer.pts = NONE if time is None else round(time * MS)
        buffer.duration = NONE if duration is None else round(duration * MS)
        if flags:
            buffer.set_flags(flags)
        if shape or segment:
            shape = Gst.Caps.from_string(shape) if shape else self.sources[pad].get_property("caps")
            self.sources[pad].emit("push-sample", Gst.Sample.new(buffer, shape, segment, None))
        else:
            self.sources[pad].emit("push-buffer", buffer)

    def fill(self, pad, indices, first=40, step=40, duration="step", **more):
        """Pictures of one grey more each, at the indices of a grid."""
        for index in indices:
            self.push(pad, index * step, first + index, step if duration == "step" else duration, **more)

    def end(self, *pads):
        for pad in pads or range(len(self.sources)):
            self.sources[pad].emit("end-of-stream")

    def add(self):
        """One more pad, linked while the mixer plays."""
        source = Gst.ElementFactory.make("appsrc")
        source.set_property("format", Gst.Format.TIME)
        source.set_property("caps", Gst.Caps.from_string(caps()))
        self.pipeline.add(source)
        pad = self.mixer.request_pad_simple("sink_%u")
        assert source.get_static_pad("src").link(pad) == Gst.PadLinkReturn.OK
        self.sources.append(source)
        source.sync_state_with_parent()
        return pad

    def remove(self, pad):
        source, entry = self.sources[pad], self.mixer.get_static_pad(f"sink_{pad}")
        source.set_state(Gst.State.NULL)
        source.get_static_pad("src").unlink(entry)
        self.mixer.release_request_pad(entry)
        self.pipeline.remove(source)


def difference(name, one, other, codes=0):
    """The first place in which two records differ."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        codes = one.get("codes", codes)
        each = (difference(f"{name} {key}", one[key], other[key], codes) for key in one)
    elif isinstance(one, bytes) and isinstance(other, bytes) and len(one) == len(other):
        most = max((abs(a - b) for a, b in zip(one, other)), default=0) if one != other else 0
        return f"{name}: codes differ by {most}" if most > codes else None
    elif isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)) and len(one) == len(other):
        each = (difference(f"{name} {index}", *pair, codes) for index, pair in enumerate(zip(one, other)))
    elif isinstance(one, float) and isinstance(other, float):
        return f"{name}: compositor has {one}, hdrcompositor {other}" if abs(one - other) > 0.1 * codes else None
    else:
        return None if one == other else f"{name}: compositor has {one}, hdrcompositor {other}"
    return next((found for found in each if found), None)


def run(cases):
    for name in sys.argv[1:] or cases:
        records = []
        for element in ELEMENTS:
            try:
                records.append(cases[name](element))
            except AssertionError as error:
                raise AssertionError(f"{name} of {element}") from error
        found = difference("", *records)
        assert found is None, f"{name}{found}"
        print(name, "ok")
