"""Plays hdrsrc, and prints as JSON what comes of it.

    source.py FILE [--seek SECONDS] [--link PAD,PAD] [PROPERTY=VALUE...]

pads: of each in their order its caps when it was shown, its caps at the end, the times of its buffers in ns of stream
time, the orientation in its tags, and whether source-info was there; `signals`, `state`, `info`, `duration`,
`position`, `errors` (domain and code, text), `warnings`, and `ended`: whether the end of the stream came.
"""
import json
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

Gst.init(None)


def options(words):
    seek, link, settings = None, None, {}
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "--seek":
            seek = int(float(words.pop(0)) * Gst.SECOND)
        elif word == "--link":
            link = words.pop(0).split(",")
        else:
            name, value = word.split("=", 1)
            settings[name] = value
    return seek, link, settings


def value(structure, field):
    """A field as JSON has it. The binding reads no GstValueArray, whose text has to do."""
    kind = structure.get_field_type(field).name
    if kind != "GstValueArray":
        return structure.get_value(field)
    found, array = structure.get_array(field)
    return [array.get_nth(index) for index in range(array.n_values)] if found else None


class Run:
    def __init__(self, path, link, settings):
        self.pipeline = Gst.Pipeline.new()
        self.source = Gst.ElementFactory.make("hdrsrc")
        self.source.set_property("location", path)
        for name, text in settings.items():
            Gst.util_set_object_arg(self.source, name, text)
        self.pipeline.add(self.source)
        self.link = link
        self.result = {"pads": {}, "signals": [], "errors": [], "warnings": [], "ended": False}
        self.source.connect("pad-added", self.added)
        self.source.connect("no-more-pads", lambda _: self.result["signals"].append("no-more-pads"))

    def added(self, _source, pad):
        name = pad.get_name()
        caps = pad.get_current_caps()
        record = {"first": caps and caps.to_string(), "caps": None, "times": [], "durations": [], "orientation": None,
                  "info": self.source.get_property("source-info") is not None}
        self.result["signals"].append(name)
        self.result["pads"][name] = record
        if self.link is not None and name not in self.link:
            return
        sink = Gst.ElementFactory.make("fakesink")
        sink.set_property("sync", False)
        self.pipeline.add(sink)
        sink.sync_state_with_parent()
        entry = sink.get_static_pad("sink")
        pad.link(entry)
        entry.add_probe(Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_DOWNSTREAM, self.passes, record)

    def passes(self, pad, info, record):
        buffer = info.get_buffer() if info.type & Gst.PadProbeType.BUFFER else None
        if buffer is not None:
            segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
            time = segment.to_stream_time(Gst.Format.TIME, buffer.pts)
            record["times"].append(time if time != Gst.CLOCK_TIME_NONE else None)
            record["durations"].append(buffer.duration)
            return Gst.PadProbeReturn.OK
        event = info.get_event()
        if event.type == Gst.EventType.CAPS:
            record["caps"] = event.parse_caps().to_string()
        elif event.type == Gst.EventType.TAG:
            found, text = event.parse_tag().get_string("image-orientation")
            record["orientation"] = text if found else record["orientation"]
        return Gst.PadProbeReturn.OK

    def run(self, seek):
        bus = self.pipeline.get_bus()
        self.pipeline.set_state(Gst.State.PAUSED)
        self.result["state"] = self.pipeline.get_state(20 * Gst.SECOND)[0].value_nick
        info = self.source.get_property("source-info")
        self.result["info"] = info and {
            info.nth_field_name(index): value(info, info.nth_field_name(index)) for index in range(info.n_fields())}
        known, duration = self.pipeline.query_duration(Gst.Format.TIME)
        self.result["duration"] = duration if known else None
        if seek is not None and self.result["state"] == "success":
            for record in self.result["pads"].values():
                record["times"], record["durations"] = [], []
            flags = Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE
            self.result["sought"] = self.pipeline.seek_simple(Gst.Format.TIME, flags, seek)
            self.pipeline.get_state(20 * Gst.SECOND)
            known, position = self.pipeline.query_position(Gst.Format.TIME)
            self.result["position"] = position if known else None
        self.pipeline.set_state(Gst.State.PLAYING)
        while message := bus.timed_pop(20 * Gst.SECOND):
            if message.type == Gst.MessageType.ERROR:
                error = message.parse_error()[0]
                self.result["errors"].append([error.domain, error.code, error.message, message.src.get_name()])
                break
            if message.type == Gst.MessageType.WARNING:
                self.result["warnings"].append(message.parse_warning()[0].message)
            if message.type == Gst.MessageType.EOS:
                self.result["ended"] = True
                break
        self.pipeline.set_state(Gst.State.NULL)
        self.result["left"] = self.source.get_property("source-info") is not None
        self.result["children"] = len(self.source.children)
        self.result["padsLeft"] = self.source.numsrcpads
        return self.result


seek, link, settings = options(sys.argv[2:])
print(json.dumps(Run(sys.argv[1], link, settings).run(seek)))
