"""Opens a file's sound: how it is decoded, and how long it is."""

import os
from dataclasses import dataclass

import source as sources
from gi.repository import Gst

from command import shown
from media import ErrorContext, Failure, add_chain, caps_filter, damaged, make, run

# What the whole command works on: hdrtap's own sample format is double, so float loses nothing that was in the file.
SAMPLES = "audio/x-raw,format=F32LE,layout=interleaved"
# Files whose header gives the length. That of others, such as MP3, is a guess, so they are decoded to learn it.
WITH_LENGTH = (
    "audio/x-wav", "audio/x-flac", "audio/x-aiff", "audio/x-caf", "audio/x-m4a", "audio/ogg", "application/ogg",
    "video/quicktime", "audio/webm", "video/webm", "audio/x-matroska", "video/x-matroska",
)


@dataclass
class Sound:
    path: str
    name: str  # for messages
    layout: object  # container.Layout
    rate: int = None
    channels: int = None
    duration: int = None  # nanoseconds


class SoundContext(ErrorContext):
    def explain(self, message):
        error, _ = message.parse_error()
        if error.domain == "gst-stream-error-quark" and error.code in (
                Gst.StreamError.TYPE_NOT_FOUND, Gst.StreamError.WRONG_TYPE):
            return not_a_sound(self.source)
        return super().explain(message)


def not_a_sound(name):
    return f"{name} is not a sound or video file that can be read: give a WAV, FLAC, Ogg, MP3, MP4 or Matroska file"


def no_sound(name):
    return f"{name} has no sound: give a file with a sound track"


def open_sound(path):
    """Checks that a file can be read and is whole, and returns a Sound of which nothing else is known."""
    if os.path.isdir(path):
        raise Failure(f"{shown(path)} is a folder: give the name of a sound or video file")
    source = sources.open_file(path)
    return Sound(path=path, name=source.name, layout=source.layout)


def add_decoder(pipeline, sound, context):
    """Adds what decodes the first sound track. Returns the decoder, and the element at whose end the sound comes out
    without gaps, as SAMPLES."""
    if sound.layout.patches:
        reader = sources.PatchedFile(sound.path, sound.layout.patches).element
    else:
        reader = make("filesrc", location=sound.path)
    decoder = make("decodebin", caps=Gst.Caps.from_string("audio/x-raw"), expose_all_streams=False)
    add_chain(pipeline, reader, decoder)
    chain = add_chain(pipeline, make("audioconvert"), make("audiorate"), caps_filter(SAMPLES))
    entry = chain[0].get_static_pad("sink")

    def complete(_decoder):
        # All pads are there and none has data yet. GStreamer offers them in any order.
        pads = [pad for pad in decoder.srcpads if pad.query_caps(None).to_string().startswith("audio/x-raw")]
        if not pads:
            raise Failure(no_sound(sound.name))
        first = min(pads, key=lambda pad: pad.get_stream_id() or "")
        first.link(entry)

    decoder.connect("no-more-pads", context.guarded(complete))
    return decoder, chain[-1]


def probe(sound):
    """Fills a Sound with what the file says, and with what its first decoded samples say."""
    pipeline = Gst.Pipeline.new()
    context = SoundContext(sound.name)
    decoder, last = add_decoder(pipeline, sound, context)
    sink = make("fakesink", sync=False)
    add_chain(pipeline, sink)
    last.link(sink)
    state = {"end": None, "kind": None, "missing": False}
    decoder.get_by_name("typefind").connect(
        "have-type", lambda _typefind, _probability, caps: state.update(kind=caps.get_structure(0).get_name()))

    def on_buffer(_pad, info):
        buffer = info.get_buffer()
        state["end"] = buffer.pts + buffer.duration
        return Gst.PadProbeReturn.OK

    def on_message(message):
        if message.get_structure().get_name() == "missing-plugin":
            state["missing"] = True

    def finished():
        if state["end"] is None:
            return False
        if sound.rate is None:
            caps = last.get_static_pad("src").get_current_caps().get_structure(0)
            sound.rate, sound.channels = caps.get_value("rate"), caps.get_value("channels")
            known, duration = pipeline.query_duration(Gst.Format.TIME)
            if state["kind"] in WITH_LENGTH:
                sound.duration = sound.layout.duration or (duration if known and duration > 0 else None)
        return sound.duration is not None

    last.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, context.guarded(on_buffer))
    try:
        run(pipeline, context, finished=finished, on_message=on_message)
    except Failure as failure:
        # A video's track is known to the header; with nothing to play in it, the decoder's error is a general one.
        if state["kind"] and state["kind"].startswith(("video/", "image/")) and not state["missing"]:
            raise Failure(no_sound(sound.name)) from failure
        raise
    if state["end"] is None:
        raise Failure(damaged(sound.name))
    sound.duration = sound.duration or state["end"]
