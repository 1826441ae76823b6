"""Prints structures of messages, properties and action signals: "STRUCTURE FIELD TYPE" for each field, as pages list them."""
import os
import sys
import tempfile

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

PQ = "video/x-raw,format=P010_10LE,width=320,height=180,framerate=60/1,colorimetry=bt2100-pq"


def show(name, structure):
    for index in range(structure.n_fields()):
        field = structure.nth_field_name(index)
        print(name, field, structure.get_field_type(field).name)


def play(line, ask):
    """Plays to the end, prints each element message's fields, and lets `ask` look at the pipeline."""
    pipeline = Gst.parse_launch(line)
    pipeline.set_state(Gst.State.PLAYING)
    bus = pipeline.get_bus()
    while message := bus.timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.ANY):
        if message.type == Gst.MessageType.ELEMENT and message.src.get_factory().get_name() in line:
            show(message.get_structure().get_name(), message.get_structure())
        if message.type == Gst.MessageType.ERROR:
            sys.exit(message.parse_error()[0].message)
        if message.type == Gst.MessageType.EOS:
            break
    ask(pipeline)
    pipeline.set_state(Gst.State.NULL)


def tap(pipeline):
    stats = pipeline.get_by_name("e").get_property("stats")
    show(stats.get_name(), stats)


def sink(pipeline):
    element = pipeline.get_by_name("e")
    show("display-state", element.get_property("display-state"))
    record = element.get_property("frame-record")
    for index in range(record.n_fields()):
        name = record.nth_field_name(index)
        if not name.isdigit():
            print("frame-record", name, record.get_field_type(name).name)
    show("frame", record.get_value("0"))
    taken = element.emit("create-video-output").get_property("consumption-record")
    show(taken.get_name(), taken)


def settings(pipeline):
    element = pipeline.get_by_name("e")
    show("measured-light-levels", element.get_property("measured-light-levels"))
    keys(element.emit("supported-settings"))


def file(pipeline):
    show("source-info", pipeline.get_by_name("e").get_property("source-info"))


def keys(dictionary):
    """What is said of each key; a structure within one is a key of its own."""
    for index in range(dictionary.n_fields()):
        key = dictionary.nth_field_name(index)
        if dictionary.get_field_type(key).name != "GstStructure":
            print("supported-settings", key, dictionary.get_field_type(key).name)
        else:
            keys(dictionary.get_value(key))


Gst.init(None)
play("audiotestsrc num-buffers=40 ! hdrtap name=e effect=meter effect::loudness=true ! fakesink", tap)
play(f"videotestsrc num-buffers=30 ! {PQ} ! edrsink name=e presenter=offscreen peak-detection=off", sink)
play(f"videotestsrc num-buffers=90 ! {PQ} ! e.video_0 hdrmux-settings name=e content-light-level-info=auto "
     "speed-preset=ultrafast ! fakesink", settings)
with tempfile.TemporaryDirectory() as folder:
    clip = os.path.join(folder, "clip.mov")
    turned = "taginject tags=image-orientation=rotate-90"
    play(f"videotestsrc num-buffers=5 ! {PQ} ! {turned} ! e.video_0 hdrmux-settings name=e speed-preset=ultrafast "
         f"ambient-viewing-environment=3140000:15635:16450 ! filesink location={clip}", lambda pipeline: None)
    play(f"hdrsrc name=e location={clip} ! fakesink", file)
