"""What flows through a conversion: where a buffer lies in time, corrections of times, and whether all came through."""

import time

from gi.repository import Gst

from media import Failure, damaged

# Compressed streams wait in memory for each other: video behind sound that comes late in the file, and the reverse.
DEEP_QUEUE = 256 << 20
# The longest that not one frame comes through before the conversion counts as stuck, in seconds.
PATIENCE = 300
# The share of a video that may be missing or damaged.
TOLERATED_LOSS = 0.1


def watch(pad, context, function):
    """Calls `function(pad, buffer)` for each buffer; what it returns, if anything, is the probe's verdict."""

    def probe(pad, info):
        verdict = function(pad, info.get_buffer())
        return Gst.PadProbeReturn.OK if verdict is None else verdict

    pad.add_probe(Gst.PadProbeType.BUFFER, context.guarded(probe))


def running_time(pad, buffer):
    if buffer.pts == Gst.CLOCK_TIME_NONE:
        return 0
    event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
    # A pad that is being deactivated has no segment any more.
    if event is None:
        return 0
    time = event.parse_segment().to_running_time(Gst.Format.TIME, buffer.pts)
    return 0 if time == Gst.CLOCK_TIME_NONE else time


def clamp_to_segment(pad, buffer):
    """Lets a packet that starts before its segment and ends in it start with the segment: the muxer would drop it, and
    with it the first sound of files that begin with encoder padding."""
    event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
    if event is None:
        return
    start = event.parse_segment().start
    if buffer.pts < start < buffer.pts + buffer.duration:
        buffer.duration -= start - buffer.pts
        buffer.pts = buffer.dts = start


class LastFrame:
    """Gives each encoded frame the duration it needs if it is the last one.

    The muxer takes durations from decoding times, and only the last frame's from the frame. With B-frames and a varying
    frame rate, decoding times end earlier before the last frame is shown than they start before the first, so the
    track's edit list would cut the last frames off.
    """

    def __init__(self):
        self.first = None
        self.end = 0

    def stretch(self, _pad, buffer):
        if Gst.CLOCK_TIME_NONE in (buffer.pts, buffer.dts, buffer.duration):
            return
        self.first = self.first or (buffer.pts, buffer.dts)
        self.end = max(self.end, buffer.pts + buffer.duration)
        buffer.duration = max(self.end - self.first[0] - (buffer.dts - self.first[1]), 1)


class PacketDurations:
    """Gives packets of the video the durations that the container has for them.

    Parsers put those of the stream's own frame rate in their place; in a file that is played at another rate, the last
    frame would then be too short or too long.
    """

    # Packets between the demuxer and the last who asks, at most.
    WAITING = 4096

    def __init__(self, source):
        self.source = source
        self.known = {}

    def _is_video(self, number):
        return self.source.video is not None and number == self.source.video.number

    def watch_demuxer(self, _parser, element):
        if "Demux" in (element.get_factory().get_metadata("klass") or ""):
            element.connect("pad-added", self._added)

    def _added(self, _demuxer, pad):
        if self._is_video((pad.get_stream_id() or "").rsplit("/", 1)[-1]):
            pad.add_probe(Gst.PadProbeType.BUFFER, self._note)

    def _note(self, pad, info):
        buffer = info.get_buffer()
        if Gst.CLOCK_TIME_NONE not in (buffer.pts, buffer.duration):
            # Elements on the way may count from another start.
            self.known[running_time(pad, buffer)] = buffer.duration
            if len(self.known) > self.WAITING:
                del self.known[next(iter(self.known))]
        return Gst.PadProbeReturn.OK

    def watch_parsed(self, pad, number):
        if self._is_video(number):
            pad.add_probe(Gst.PadProbeType.BUFFER, lambda pad, info: self.correct(pad, info.get_buffer()))

    def correct(self, pad, buffer):
        duration = self.known.get(running_time(pad, buffer)) if buffer.pts != Gst.CLOCK_TIME_NONE else None
        if duration and duration != buffer.duration:
            buffer.duration = duration
        return Gst.PadProbeReturn.OK


class Patience:
    """Ends a conversion through which nothing comes any more."""

    def __init__(self, name, progress):
        self.name = name
        self.progress = progress
        self.moved = time.monotonic(), 0

    def tick(self):
        self.progress.show()
        if self.progress.steps != self.moved[1]:
            self.moved = time.monotonic(), self.progress.steps
        elif time.monotonic() - self.moved[0] > PATIENCE:
            raise Failure(f"{self.name} is stuck: no frame came for {PATIENCE // 60} minutes")


class Tally:
    """Counts a video's packets and decoded frames."""

    def __init__(self, source, progress):
        self.source = source
        self.progress = progress
        self.packets = self.frames = self.corrupt = self.gaps = 0

    def packet(self, _pad, _buffer):
        self.packets += 1

    def decoded(self, pad, buffer):
        end = self.source.video_end if self.source.video else None
        if end is not None and running_time(pad, buffer) >= end:
            # The decoder read past the edit list's end; see container.py.
            self.packets -= 1
            return Gst.PadProbeReturn.DROP
        self.frames += 1
        self.corrupt += buffer.has_flags(Gst.BufferFlags.CORRUPTED)
        return None

    def passed(self, pad, buffer):
        """Notes a frame that goes into the encoder."""
        length = buffer.duration if buffer.duration != Gst.CLOCK_TIME_NONE else 0
        position = running_time(pad, buffer)
        gap = position - self.progress.position
        # Where Matroska is damaged, GStreamer goes on at the next place that it understands. MP4 with its index has
        # only the gaps that are meant.
        if gap > Gst.SECOND and not self.source.layout.duration and self.source.info.fps_n > 0:
            self.gaps += gap
        self.progress.note(position + length)

    def judge(self):
        """Compares what came out with what went in, and returns what there is to say about it. A damaged frame or two
        are no reason to refuse a whole film."""
        name, video = self.source.name, self.source.video
        if not self.frames:
            raise Failure(damaged(name))
        media = video.caps.get_structure(0).get_name() if video else ""
        lost = self.corrupt
        if media == "video/x-h265":
            lost += max(self.packets - self.frames, 0)
        share = max(lost / max(self.packets, 1), self.gaps / max(self.progress.position, 1))
        if share > TOLERATED_LOSS:
            raise Failure(f"{100 * share:.0f} % of the video cannot be decoded: {damaged(name)}")
        if lost:
            return [f"{lost} of {self.packets} frames of {name} are damaged or could not be decoded"]
        if self.gaps:
            return [f"{name} has gaps of {self.gaps / Gst.SECOND:.1f} seconds, it may be damaged"]
        return []
