"""A pipeline `appsrc ! edrsink` whose frames a program writes and reads, and a runner of checks."""
import faulthandler
import os
import sys
import time

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GObject, Gst, GstVideo  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from waiting import wait  # noqa: E402

faulthandler.enable()
Gst.init(None)

PQ = "1:1:14:7"  # R'G'B' of full range: PQ, BT.2020
HLG = "1:1:15:7"
SRGB = "sRGB"
TROUBLE = Gst.MessageType.ERROR | Gst.MessageType.WARNING


def run(checks):
    """Runs the checks that the command line names, and says "ok" after each. A failed one raises."""
    for name in sys.argv[1:]:
        checks[name]()
        print(name, "ok")


def caps(width, height, colorimetry, format="RGBA64_LE", rate="30/1", **more):
    text = f"video/x-raw,format={format},width={width},height={height},framerate={rate},colorimetry={colorimetry}"
    for name, value in more.items():
        text += f",{name.replace('_', '-')}=(string){value}"
    return Gst.Caps.from_string(text)


def make(factory, **properties):
    element = Gst.ElementFactory.make(factory, None)
    assert element is not None, factory
    for name, value in properties.items():
        Gst.util_set_object_arg(element, name.replace("_", "-"), str(value).lower() if isinstance(value, bool) else str(value))
    return element


def rgba64(rows):
    """The bytes of rows of R'G'B' triples of 0 to 65535."""
    return b"".join(
        code.to_bytes(2, "little") for row in rows for triple in row for code in (*triple, 65535))


class Bench:
    """Shows what is pushed. To be used in a `with`: its end is NULL, and a check that no error was left."""

    def __init__(self, caps=None, frames=(), paused=True, between=(), **properties):
        properties.setdefault("presenter", "offscreen")
        self.sink = make("edrsink", **properties)
        self.source = make("appsrc", format="time", is_live=False)
        self.pipeline = Gst.Pipeline.new(None)
        self.bus = self.pipeline.get_bus()
        chain = [self.source, *between, self.sink]
        for element in chain:
            self.pipeline.add(element)
        for left, right in zip(chain, chain[1:]):
            assert left.link(right)
        self.time = 0
        if caps:
            self.source.set_property("caps", caps)
        for frame in frames:
            self.push(frame)
        if paused:
            self.pause()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.pipeline.set_state(Gst.State.NULL)
        if kind is None:
            trouble = self.trouble()
            assert not trouble, trouble

    def push(self, data, rate=30, meta=None):
        buffer = Gst.Buffer.new_wrapped(data) if isinstance(data, bytes) else data
        buffer.pts = self.time
        buffer.duration = Gst.SECOND // rate
        self.time += buffer.duration
        if meta:
            meta(buffer)
        assert self.source.emit("push-buffer", buffer) == Gst.FlowReturn.OK

    def change(self, state, seconds=10):
        self.pipeline.set_state(state)
        result, now, _ = self.pipeline.get_state(seconds * Gst.SECOND)
        assert result == Gst.StateChangeReturn.SUCCESS and now == state, (result, now, self.trouble())

    def pause(self):
        self.change(Gst.State.PAUSED)

    def play(self):
        self.change(Gst.State.PLAYING)

    def finish(self, seconds=20):
        """Plays to the end of what was pushed."""
        self.source.emit("end-of-stream")
        self.play()
        message = self.bus.timed_pop_filtered(seconds * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
        assert message is not None, "no end of stream"
        assert message.type == Gst.MessageType.EOS, message.parse_error()

    def trouble(self):
        """The texts of the errors and warnings since the last call."""
        texts = []
        while message := self.bus.pop_filtered(TROUBLE):
            error = message.parse_error() if message.type == Gst.MessageType.ERROR else message.parse_warning()
            texts.append(error[0].message)
        return texts

    def read(self):
        """The caps' structure and the bytes that the display got."""
        sample = self.sink.emit("read-frame")
        assert sample is not None, "no frame"
        return sample.get_caps().get_structure(0), bytes_of(sample)

    def get(self, name):
        return self.sink.get_property(name)

    def set(self, name, value):
        self.sink.set_property(name, value)


def bytes_of(sample):
    buffer = sample.get_buffer()
    return buffer.extract_dup(0, buffer.get_size())


def fields(structure):
    """A structure's fields that Python can show, as a dictionary."""
    names = [structure.nth_field_name(index) for index in range(structure.n_fields())]
    return {name: structure.get_value(name) for name in names if structure.get_field_type(name).name != "GstValueList"}


def host_time():
    """CLOCK_MONOTONIC, which all times of the sink's are of, in ns."""
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
