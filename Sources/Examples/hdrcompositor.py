#!/usr/bin/python3
"""A compositor in Python, through the signals of hdrcompositor: in the first half of each second the brighter sample of
two pictures, in the second half one of the two, untouched; from 1.6 s on what the element itself makes of them.

    ./hdrcompositor.py

Needs python3-gi alone. Pictures are two seconds of test patterns, composed as fast as it goes.

Each call copies the frames that it reads, and takes Python's lock.
"""
import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst


class Compositor:
    """Its methods are called on the streaming thread."""

    def __init__(self):
        self.composed, self.passed = 0, 0

    def render_context_changed(self, element, caps):
        canvas = caps.get_structure(0)
        width, height, name = (canvas.get_value(field) for field in ("width", "height", "format"))
        print(f"the canvas is {width}x{height} pixels of {name}")

    def compose(self, element, request):
        """Takes a Gst.Structure with the sources, each a Gst.Sample, and gives a Gst.Buffer, or None for what the
        element itself would make."""
        samples = [request.get_value(name) for name in request.get_value("sources")]
        if len(samples) < 2:
            return None
        time = request.get_value("stream-time")
        buffers = [sample.get_buffer() for sample in samples]
        if time % Gst.SECOND >= Gst.SECOND // 2:
            self.passed += 1
            # A source's own buffer passes without a copy.
            return buffers[time // Gst.SECOND % 2]
        self.composed += 1
        first, second = (buffer.extract_dup(0, buffer.get_size()) for buffer in buffers)
        return Gst.Buffer.new_wrapped(bytes(map(max, first, second)))


def main():
    Gst.init(None)
    source = "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1,colorimetry=bt709"
    pipeline = Gst.parse_launch(
        f"hdrcompositor name=compositor emit-signals=true ! {source} ! fakesink "
        f"videotestsrc num-buffers=50 pattern=smpte ! {source} ! compositor.sink_0 "
        f"videotestsrc num-buffers=50 pattern=ball ! {source} ! compositor.sink_1")
    element = pipeline.get_by_name("compositor")
    compositor = Compositor()
    element.connect("render-context-changed", compositor.render_context_changed)
    element.connect("compose", compositor.compose)
    instruction, _ = Gst.Structure.from_string("instruction,end=(guint64)1600000000")
    problem = element.emit("add-instruction", instruction)
    if problem:
        sys.exit(problem.message)

    loop = GLib.MainLoop()
    failures = []

    def on_message(bus, message):
        if message.type == Gst.MessageType.ERROR:
            failures.append(message.parse_error()[0].message)
        if message.type in (Gst.MessageType.ERROR, Gst.MessageType.EOS):
            loop.quit()

    bus = pipeline.get_bus()
    bus.add_signal_watch()
    bus.connect("message", on_message)
    pipeline.set_state(Gst.State.PLAYING)
    loop.run()
    pipeline.set_state(Gst.State.NULL)
    bus.remove_signal_watch()
    if failures:
        sys.exit(failures[0])
    print(f"{compositor.composed} composed, {compositor.passed} passed")


if __name__ == "__main__":
    main()
