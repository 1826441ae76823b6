#!/usr/bin/python3
"""Audio processing in Python, through the signals of hdrtap: swaps left and right, and prints the levels.

    ./hdrtap.py [--play] [FILE or URI]

Needs python3-gi alone. Without a file, two seconds of a tone are processed, as fast as it goes; --play makes it
audible.

Signals are not for real time: each call copies, and takes Python's lock.
"""
import math
import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

# GstHdrTapFlags
START_OF_STREAM, END_OF_STREAM = 1 << 8, 1 << 9


class Swapper:
    """Its methods are called on the streaming thread."""

    def prepare(self, tap, max_frames, caps):
        structure = caps.get_structure(0)
        self.rate = structure.get_int("rate")[1]
        self.squares = [0.0, 0.0]
        self.frames = 0
        print(f"prepared for {max_frames} frames at {self.rate} Hz")

    def process(self, tap, data, frames, flags, stream_time):
        """Takes GLib.Bytes, and gives GLib.Bytes with as many frames, or None for no change."""
        if flags & START_OF_STREAM:
            print("start of stream")
        # A view of the samples as numbers: left, right, left, right...
        samples = memoryview(data.get_data()).cast("f")
        left, right = samples[0::2].tolist(), samples[1::2].tolist()
        self.measure(left, right, stream_time)
        swapped = bytearray(data.get_size())
        view = memoryview(swapped).cast("f")
        for frame in range(frames):
            view[2 * frame], view[2 * frame + 1] = right[frame], left[frame]
        return GLib.Bytes.new(bytes(swapped))

    def measure(self, left, right, stream_time):
        self.squares[0] += sum(sample * sample for sample in left)
        self.squares[1] += sum(sample * sample for sample in right)
        self.frames += len(left)
        if self.frames >= self.rate // 2:
            levels = [10 * math.log10(max(square / self.frames, 1e-12)) for square in self.squares]
            print(f"left {levels[0]:.1f} dB, right {levels[1]:.1f} dB")
            self.squares, self.frames = [0.0, 0.0], 0

    def unprepare(self, tap):
        print("unprepared")


def main():
    Gst.init(None)
    arguments = [argument for argument in sys.argv[1:] if argument != "--play"]
    sink = "autoaudiosink" if "--play" in sys.argv else "fakesink sync=false"
    if arguments:
        file = arguments[0]
        uri = file if Gst.uri_is_valid(file) else Gst.filename_to_uri(file)
        source = f'uridecodebin uri="{uri}"'
    else:
        # The left channel is half as loud as the right one.
        source = ("audiotestsrc volume=0.5 num-buffers=94 ! audio/x-raw,rate=48000,channels=2 ! "
                  "audioconvert mix-matrix=<<(float)0.5,(float)0.0>,<(float)0.0,(float)1.0>>")
    pipeline = Gst.parse_launch(
        f"{source} ! audioconvert ! audio/x-raw,format=F32LE,layout=interleaved,channels=2 ! "
        f"hdrtap name=tap emit-signals=true ! audioconvert ! audioresample ! {sink}")
    tap = pipeline.get_by_name("tap")
    swapper = Swapper()
    for signal in ("prepare", "process", "unprepare"):
        tap.connect(signal, getattr(swapper, signal))

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


if __name__ == "__main__":
    main()
