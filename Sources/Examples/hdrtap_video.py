#!/usr/bin/python3
"""Video processing in Python, through the signals of hdrtap: draws a bar at the bottom that shows how far the second
has come, and prints the average luma of each second.

    ./hdrtap_video.py [--play] [FILE or URI]

Needs python3-gi alone. Without a file, two seconds of a test picture are processed, as fast as it goes; --play shows
them.

Each call copies the frame twice, and takes Python's lock.
"""
import sys

import gi
gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import GLib, Gst, GstVideo

# GstHdrTapFlags
START_OF_STREAM = 1 << 8


class Bar:
    """Its methods are called on the streaming thread."""

    def prepare(self, tap, max_frames, caps):
        self.info = GstVideo.VideoInfo.new_from_caps(caps)
        self.sums, self.frames = 0.0, 0
        print(f"prepared for {self.info.width}x{self.info.height} pixels of {self.info.finfo.name}")

    def process(self, tap, data, frames, flags, stream_time):
        """Takes GLib.Bytes with one frame, laid out as GstVideo.VideoInfo says, and gives GLib.Bytes of the same size,
        or None for no change."""
        if flags & START_OF_STREAM:
            print("start of stream")
        frame = bytearray(data.get_data())
        self.measure(frame)
        # The luma plane comes first. Limited range ends at 235.
        stride, width, height = self.info.stride[0], self.info.width, self.info.height
        length = width * (stream_time % Gst.SECOND) // Gst.SECOND
        for row in range(height - height // 20, height):
            frame[row * stride:row * stride + length] = bytes([235]) * length
        return GLib.Bytes.new(bytes(frame))

    def measure(self, frame):
        size = self.info.stride[0] * self.info.height
        # Every 64th sample tells enough.
        samples = frame[0:size:64]
        self.sums += sum(samples) / len(samples)
        self.frames += 1
        if self.frames * self.info.fps_d >= self.info.fps_n:
            print(f"average luma {self.sums / self.frames:.1f}")
            self.sums, self.frames = 0.0, 0

    def unprepare(self, tap):
        print("unprepared")


def main():
    Gst.init(None)
    arguments = [argument for argument in sys.argv[1:] if argument != "--play"]
    sink = "videoconvert ! autovideosink" if "--play" in sys.argv else "fakesink sync=false"
    if arguments:
        file = arguments[0]
        uri = file if Gst.uri_is_valid(file) else Gst.filename_to_uri(file)
        source = f'uridecodebin uri="{uri}"'
    else:
        source = "videotestsrc num-buffers=50 ! video/x-raw,width=320,height=240,framerate=25/1"
    pipeline = Gst.parse_launch(
        f"{source} ! videoconvert ! video/x-raw,format=I420 ! hdrtap name=tap emit-signals=true ! {sink}")
    tap = pipeline.get_by_name("tap")
    bar = Bar()
    for signal in ("prepare", "process", "unprepare"):
        tap.connect(signal, getattr(bar, signal))

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
