"""The sweep itself: a pipeline from a file's sound through hdrtap's band-pass to a file or the loudspeakers."""

import time
from dataclasses import dataclass

import gi
import numpy as np

gi.require_version("GstController", "1.0")
from gi.repository import Gst, GstController  # noqa: E402

from media import Failure, add_chain, caps_filter, clock, damaged, make, run  # noqa: E402
from progress import PLAIN_INTERVAL, TERMINAL_INTERVAL, Progress  # noqa: E402
from sound import SoundContext, add_decoder  # noqa: E402

# Between two points the centre moves in a straight line. With so many of them over ten octaves, that is less than a
# hundredth of a cent from the true curve, however long the sound is.
POINTS = 1024
# The element's filter follows its centre up to this share of the sample rate.
HIGHEST = 0.49
# Where the sweep ends if nothing else is said: 20 kHz, or as much lower as the rate is below 44.1 kHz. Further up a
# band-pass loses its shape, as its upper edge has no room.
DEFAULT_END, DEFAULT_SHARE = 20000, 20000 / 44100
ENDINGS = (".wav", ".flac", ".ogg", ".m4a")
# A WAV file's header counts bytes with 32 bits.
LARGEST_WAV = 2 ** 32 - 2 ** 20
# The longest that no sound comes through before the command counts as stuck, in seconds.
PATIENCE = 300


@dataclass
class Curve:
    """The centre over time: the same ratio in the same time."""

    start: float  # Hz
    end: float  # Hz
    seconds: float

    def at(self, seconds):
        share = min(max(seconds / self.seconds, 0), 1)
        return self.start * (self.end / self.start) ** share

    def binding(self, effect, origin):
        """Lets the effect's centre follow the curve, which begins at the stream time `origin`."""
        source = GstController.InterpolationControlSource()
        source.set_property("mode", GstController.InterpolationMode.LINEAR)
        for index in range(POINTS + 1):
            seconds = index * self.seconds / POINTS
            source.set(origin + round(seconds * Gst.SECOND), self.at(seconds))
        return GstController.DirectControlBinding.new_absolute(effect, "center-frequency", source)


class SoundProgress(Progress):
    def show(self):
        now = time.monotonic()
        if self.quiet or now - self.shown < (TERMINAL_INTERVAL if self.terminal else PLAIN_INTERVAL):
            return
        self.shown = now
        speed = self.position / Gst.SECOND / self.elapsed
        share = min(self.position / self.duration, 1)
        text = f"{100 * share:3.0f} %, {speed:.2f}x real time"
        if speed > 0:
            text += f", {clock((1 - share) * self.duration / speed)} left"
        self._write(text)


def make_tap():
    """The element and its effect."""
    tap = make("hdrtap")
    tap.set_property("effect", "bandpass")
    effect = Gst.ChildProxy.get_child_by_name(tap, "effect")
    if effect is None:
        raise Failure("hdrtap has no effect bandpass: remove build/plugins and run this command again")
    return tap, effect


def writers(target, ending, sound):
    """The elements that write a file of this kind."""
    end = make("filesink", location=target)
    queue = make("queue", max_size_buffers=0, max_size_bytes=0, max_size_time=Gst.SECOND)
    start = [queue, make("audioconvert"), make("audioresample")]
    if ending == ".wav":
        return [*start, caps_filter("audio/x-raw,format=S24LE"), make("wavenc"), end]
    if ending == ".flac":
        return [*start, caps_filter("audio/x-raw,format=S24LE"), make("flacenc"), end]
    if ending == ".ogg":
        return [*start, make("vorbisenc", quality=0.6), make("oggmux"), end]
    encoder = make("avenc_aac", bitrate=96000 * min(sound.channels, 8))
    return [*start, encoder, make("aacparse"), make("mp4mux"), end]


def players():
    """The elements that play, after a look whether there is anything to play on."""
    queue = make("queue", max_size_buffers=0, max_size_bytes=0, max_size_time=Gst.SECOND // 5)
    sink = make("autoaudiosink")
    # It opens a device now, or settles for a sink that plays nothing.
    sink.set_state(Gst.State.READY)
    if not sink.children or sink.children[0].get_factory().get_name() == "fakesink":
        sink.set_state(Gst.State.NULL)
        raise Failure("there is no sound device to play on: leave out --play to write a file instead")
    return [queue, make("audioconvert"), make("audioresample"), sink]


def check_size(ending, sound, duration, name):
    if ending == ".wav" and duration / Gst.SECOND * sound.rate * sound.channels * 3 > LARGEST_WAV:
        raise Failure(f"{name} would be larger than the 4 GiB of a WAV file: name an output that ends in .flac")


class Sweep:
    """`curve` is a Curve, `bandwidth` is in cents, `limit` is where to end in nanoseconds, None for the sound's end.
    `spectrograms` are those before and after, or None."""

    def __init__(self, sound, curve, bandwidth, limit, spectrograms, progress, name):
        self.sound = sound
        self.curve = curve
        self.before, self.after = spectrograms or (None, None)
        self.progress = progress
        self.context = SoundContext(sound.name, name)
        self.limit = limit
        self.tap, self.effect = make_tap()
        self.effect.set_property("bandwidth", bandwidth)
        # The curve takes its place; what is left of it is how long the band-pass rings after the end.
        self.effect.set_property("center-frequency", curve.end)
        self.frames = 0
        self.pipeline = Gst.Pipeline.new()

    def run(self, last):
        """`last` are the elements from the tap to the end."""
        _, decoded = add_decoder(self.pipeline, self.sound, self.context)
        add_chain(self.pipeline, self.tap, *last)
        decoded.link(self.tap)
        if self.limit is not None:
            self._watch(decoded.get_static_pad("src"), self._cut)
        self._watch(self.tap.get_static_pad("sink"), self._entering)
        self._watch(self.tap.get_static_pad("src"), self._leaving)
        moved = [time.monotonic(), 0]

        def tick():
            self.progress.show()
            if self.frames != moved[1]:
                moved[:] = time.monotonic(), self.frames
            elif time.monotonic() - moved[0] > PATIENCE:
                raise Failure(f"{self.sound.name} is stuck: no sound came for {PATIENCE // 60} minutes")

        try:
            run(self.pipeline, self.context, tick=tick)
        finally:
            self.progress.clear()
        if not self.frames:
            raise Failure(damaged(self.sound.name))
        for spectrogram in (self.before, self.after):
            if spectrogram:
                spectrogram.finish()

    def _watch(self, pad, function):
        def on_buffer(pad, info):
            return function(pad, info.get_buffer()) or Gst.PadProbeReturn.OK

        pad.add_probe(Gst.PadProbeType.BUFFER, self.context.guarded(on_buffer))

    def _cut(self, pad, buffer):
        """Ends the sound at the limit, to the sample."""
        rate, size = self.sound.rate, 4 * self.sound.channels
        left = max(0, round((self.limit - self._stream_time(pad, buffer)) * rate / Gst.SECOND))
        if left * size >= buffer.get_size():
            return Gst.PadProbeReturn.OK
        if left:
            part = buffer.copy_region(Gst.BufferCopyFlags.MEMORY, 0, left * size)
            part.pts, part.duration = buffer.pts, left * Gst.SECOND // rate
            pad.push(part)
        # Whatever else the decoder sends is refused after this.
        pad.push_event(Gst.Event.new_eos())
        return Gst.PadProbeReturn.DROP

    def _stream_time(self, pad, buffer):
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        return segment.to_stream_time(Gst.Format.TIME, buffer.pts)

    def _entering(self, pad, buffer):
        if not self.frames:
            self.effect.add_control_binding(self.curve.binding(self.effect, self._stream_time(pad, buffer)))
        samples = self._samples(buffer)
        self.frames += len(samples)
        self.progress.note(self.frames * Gst.SECOND // self.sound.rate)
        if self.before:
            self.before.feed(samples)

    def _leaving(self, _pad, buffer):
        if self.after:
            self.after.feed(self._samples(buffer))

    def _samples(self, buffer):
        return np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.float32).reshape(-1, self.sound.channels)
