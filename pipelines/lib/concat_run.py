"""Joins clips: decodes them one after another, and feeds hdrmux-settings with one video and one sound."""

import math
import re
import threading

from gi.repository import Gst

from clip import Clip, described, running_time
from exporter import Report, keep_times, make_exporter
from export_run import lost_metadata
from media import ErrorContext, add_chain, make, run
from stream import Patience

SAMPLE_BYTES = 4
ALL_BYTES = (1 << 64) - 1
# GST_BUFFER_COPY_ALL, which the binding lacks.
WHOLE = (Gst.BufferCopyFlags.FLAGS | Gst.BufferCopyFlags.TIMESTAMPS | Gst.BufferCopyFlags.META
         | Gst.BufferCopyFlags.MEMORY)
# Sound that lies this close to where it should be is there already, in seconds.
TOLERANCE = 0.002


class Sound:
    """The format of the joined sound: interleaved floating point."""

    def __init__(self, sources):
        tracks = [source.audio[0].caps.get_structure(0) for source in sources if source.audio]
        rates = {rate for found, rate in (track.get_int("rate") for track in tracks) if found}
        channels = [number for found, number in (track.get_int("channels") for track in tracks) if found]
        self.exists = bool(tracks)
        self.rate = rates.pop() if len(rates) == 1 else 48000
        most = max(channels, default=2)
        self.channels, mask = (most, (0x4, 0x3)[most - 1]) if most <= 2 else (6, 0x3F)
        self.caps = (f"audio/x-raw,format=F32LE,layout=interleaved,rate={self.rate},channels={self.channels}"
                     + (f",channel-mask=(bitmask)0x{mask:x}" if self.channels > 1 else ""))
        self.frame = SAMPLE_BYTES * self.channels

    def samples(self, nanoseconds):
        return round(nanoseconds * self.rate / Gst.SECOND)


class Course:
    """How far the pictures of the current clip have come, for the sound to follow."""

    def __init__(self):
        self.changed = threading.Condition()
        self.first = None  # running time of the clip's first frame
        self.end = 0  # of what was shown so far, in the output, in nanoseconds
        self.is_over = False
        self.is_stopped = False

    def begin(self):
        with self.changed:
            self.first, self.is_over = None, False

    def note(self, first=None, end=None, is_over=False, is_stopped=False):
        with self.changed:
            self.first = first if self.first is None else self.first
            self.end = self.end if end is None else end
            self.is_over = self.is_over or is_over
            self.is_stopped = self.is_stopped or is_stopped
            self.changed.notify_all()

    def wait(self, position):
        """Waits until the pictures are behind a position in the output or over; returns their end and whether it is
        final."""
        with self.changed:
            self.changed.wait_for(
                lambda: self.is_stopped or self.is_over or (self.first is not None and self.end > position))
            return self.end, self.is_over or self.is_stopped


class ConcatRun:
    def __init__(self, sources, target, settings, progress, name):
        self.sources = sources
        self.progress = progress
        self.context = ErrorContext("the clips", name)
        self.report = Report()
        self.sound = Sound(sources)
        self.course = Course()
        self.written = 0  # samples of sound
        self.base = 0  # where the current clip begins, in nanoseconds
        # One rate for all, or the encoder would begin anew with each clip; frames keep their times.
        self.rate = max(((s.info.fps_n, s.info.fps_d) for s in sources if s.info.fps_n > 0 and s.info.fps_d > 0),
                        key=lambda rate: rate[0] / rate[1], default=(30, 1))
        mixed = Gst.Caps.new_empty()
        for source in sources:
            mixed.append(described(source))
        self.exporter = make_exporter(dict(settings, **{"mixed-sources": mixed}))
        timescale = math.lcm(*(source.timescale for source in sources))
        keep_times(self.exporter, timescale if timescale <= 200000 else 90000, self.context)
        self.pipeline = Gst.Pipeline.new()
        add_chain(self.pipeline, self.exporter, make("filesink", location=target))
        self.video = self._feed("video_0", max_buffers=4)
        self.audio = self._feed("audio_0", max_buffers=256) if self.sound.exists else None

    def _feed(self, pad, max_buffers):
        source = make("appsrc", format="time", block=True, max_buffers=max_buffers, max_bytes=0, max_time=0)
        self.pipeline.add(source)
        source.get_static_pad("src").link(self.exporter.request_pad_simple(pad))
        return source

    def run(self):
        worker = threading.Thread(target=self.context.guarded(self._join), daemon=True)
        patience = Patience("the file", self.progress)
        try:
            worker.start()
            run(self.pipeline, self.context, tick=patience.tick,
                on_message=self.report.on_message, on_warning=self.report.on_warning)
        finally:
            self.course.note(is_stopped=True)
            worker.join(timeout=5)
            self.progress.clear()

    def _join(self):
        for source in self.sources:
            self.course.begin()
            clip = Clip(source, self.sound.caps if self.audio else None, self.progress)
            follower = None
            if self.audio:
                follower = threading.Thread(target=self.context.guarded(self._follow), args=(clip,), daemon=True)
            try:
                clip.start()
                if follower:
                    follower.start()
                self._show(clip)
            finally:
                self.course.note(is_over=True)
                if follower:
                    follower.join()
                clip.stop()
            if self.course.is_stopped or self.context.callback_error:
                return
            for note in clip.tally.judge():
                self.report.note(note)
            self.base = self.course.end
        for note in lost_metadata(self.sources):
            self.report.note(note)
        for feed in filter(None, (self.video, self.audio)):
            feed.end_of_stream()

    # MARK: Pictures

    def _show(self, clip):
        """Passes a clip's frames on, later by where the clip begins."""
        first = seen = caps = None
        limit = clip.source.video_end
        while sample := clip.pull(clip.video, lambda: self.course.is_stopped):
            time, length = running_time(sample), self._length(sample)
            first = time if first is None else first
            end = time + length
            if limit is not None and end > limit > time:
                end = limit
            caps = caps if seen and seen.is_equal(sample.get_caps()) else with_rate(sample.get_caps(), self.rate)
            seen = sample.get_caps()
            buffer = sample.get_buffer().copy_region(WHOLE, 0, ALL_BYTES)
            buffer.pts, buffer.dts, buffer.duration = self.base + time - first, Gst.CLOCK_TIME_NONE, end - time
            if self.video.push_sample(Gst.Sample.new(buffer, caps, None, None)) != Gst.FlowReturn.OK:
                return
            self.course.note(first, self.base + end - first)
            self.progress.note(self.base + end - first)

    def _length(self, sample):
        length = sample.get_buffer().duration
        if length != Gst.CLOCK_TIME_NONE:
            return length
        found, numerator, denominator = sample.get_caps().get_structure(0).get_fraction("framerate")
        if not found or numerator <= 0:
            numerator, denominator = self.rate
        return Gst.SECOND * denominator // numerator

    # MARK: Sound

    def _follow(self, clip):
        """Passes a clip's sound on as far as its pictures have come, and fills what is missing with silence."""
        while clip.audio and (sample := clip.pull(clip.audio, lambda: self.course.is_stopped)):
            self.course.wait(-1)
            if self.course.first is None:
                continue
            buffer = sample.get_buffer()
            start = self.sound.samples(self.base + running_time(sample) - self.course.first)
            count = buffer.get_size() // self.sound.frame
            if abs(start - self.written) <= TOLERANCE * self.sound.rate:
                start = self.written
            self._silence(start)
            skip = max(self.written - start, 0)
            while skip < count:
                room, is_final = self._room()
                take = min(count - skip, room)
                if take > 0:
                    self._push(buffer.copy_region(
                        Gst.BufferCopyFlags.MEMORY, skip * self.sound.frame, take * self.sound.frame), take)
                    skip += take
                elif is_final:
                    return
        self._silence(None)

    def _room(self):
        """How many samples may follow now, and whether that is all for this clip."""
        end, is_final = self.course.wait((self.written + 1) * Gst.SECOND // self.sound.rate)
        return self.sound.samples(end) - self.written, is_final

    def _silence(self, until):
        """Silence up to a sample, or to the end of the clip."""
        while not self.course.is_stopped and (until is None or self.written < until):
            room, is_final = self._room()
            take = min(room, self.sound.rate, room if until is None else until - self.written)
            if take > 0:
                self._push(Gst.Buffer.new_wrapped(bytes(take * self.sound.frame)), take)
            elif is_final:
                return

    def _push(self, buffer, samples):
        rate = self.sound.rate
        buffer.pts = self.written * Gst.SECOND // rate
        buffer.duration = (self.written + samples) * Gst.SECOND // rate - buffer.pts
        self.written += samples
        self.audio.push_sample(Gst.Sample.new(buffer, Gst.Caps.from_string(self.sound.caps), None, None))


def with_rate(caps, rate):
    """Caps with another frame rate. Without GStreamer's own additions the binding sets no fractions."""
    text = re.sub(r", framerate=\(fraction\)[^,;]*", "", caps.to_string())
    return Gst.Caps.from_string(f"{text}, framerate=(fraction){rate[0]}/{rate[1]}")
