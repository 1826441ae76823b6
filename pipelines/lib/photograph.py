"""Loads the demonstration's photograph, a 16-bit RGB PNG file with BT.2100 HLG colours."""

import sys

from gi.repository import Gst, GstVideo

from media import ErrorContext, add_chain, make, run
from source import Source, open_file

SECONDS = 3
# Full range, RGB, HLG, BT.2020. The file says so in its cICP chunk, which GStreamer 1.22 does not read.
COLORIMETRY = "1:1:15:7"


def load(path):
    """A Source that shows the photograph for a few seconds."""
    source = open_file(path)
    pipeline = Gst.Pipeline.new()
    sink = make("appsink", sync=False)
    add_chain(pipeline, make("filesrc", location=path), make("pngdec"), sink)
    pulled = []

    def finished():
        sample = sink.emit("try-pull-sample", 0)
        if sample:
            pulled.append(sample)
        return bool(pulled)

    run(pipeline, ErrorContext(path), finished=finished)
    decoded = pulled[0].get_caps().get_structure(0)
    buffer = pulled[0].get_buffer()
    pixels = _in_place(buffer.extract_dup(0, buffer.get_size()))
    order = "LE" if sys.byteorder == "little" else "BE"
    width, height = decoded.get_value("width"), decoded.get_value("height")
    caps = Gst.Caps.from_string(
        f"video/x-raw,format=ARGB64_{order},width={width},height={height},framerate=0/1,"
        f"pixel-aspect-ratio=1/1,interlace-mode=progressive,colorimetry={COLORIMETRY}")
    still = Gst.Buffer.new_wrapped(pixels)
    still.pts = 0
    source.still = Gst.Sample.new(still, caps)
    source.caps, source.info = caps, GstVideo.VideoInfo.new_from_caps(caps)
    source.duration = SECONDS * Gst.SECOND
    return source


def _in_place(pixels):
    """Undoes a fault of GStreamer 1.22's pngdec, which writes 16-bit RGB one component too late: what should be opaque
    alpha is where red belongs, and the last blue is lost."""
    opaque = b"\xff\xff"
    if pixels[:2] == opaque or pixels[2:4] != opaque:
        return pixels
    return pixels[2:] + pixels[-8:-6]
