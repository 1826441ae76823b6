"""Brings one frame of a file to an offscreen edrsink, and has it saved."""

from gi.repository import Gst

from decoders import decoder_for, is_raw
from edr import make_sink
from media import ErrorContext, Failure, Signals, add_chain, damaged, make
from source import add_reader, upright_tags
from times import exact

# Seconds in which a frame has to come; the way from a key frame may be long.
PATIENCE = 120


class StillRun:
    def __init__(self, source, target):
        self.source = source
        self.target = target
        self.context = ErrorContext(source.name, target, deed="read")
        self.pipeline = Gst.Pipeline.new()
        self.sink = make_sink(presenter="offscreen", sync=False)
        # The last frame that came since the last seek: its start and end in stream time.
        self.frame = None

    def run(self, time):
        """Saves the frame that is shown at `time`, in nanoseconds."""
        self._build()
        try:
            self._change(Gst.State.PAUSED)
            if time > 0:
                self._seek(time)
            self._check(time)
            self._save()
        finally:
            self.pipeline.set_state(Gst.State.NULL)

    def _build(self):
        source = self.source
        entry = make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=16 << 20)
        chain = [entry] if is_raw(source.video.caps) else [entry, decoder_for(source.video.caps)]
        fields = dict(source.header_metadata)
        if source.colorimetry:
            fields["colorimetry"] = source.colorimetry
        if fields:
            chain.append(make("capssetter", caps=Gst.Caps.from_string(
                "video/x-raw," + ",".join(f"{name}=(string){value}" for name, value in fields.items()))))
        chain += upright_tags(source)
        # Does nothing to the formats that the sink takes, which are all but a few.
        chain += [make("videoconvert"), self.sink]
        add_chain(self.pipeline, *chain)
        pad = self.sink.get_static_pad("sink")
        kinds = Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_FLUSH
        pad.add_probe(kinds, self.context.guarded(self._note))

        def on_track(track_pad, track):
            if track.number == source.video.number and not entry.get_static_pad("sink").is_linked():
                track_pad.link(entry.get_static_pad("sink"))

        add_reader(self.pipeline, source, on_track, self.context)

    def _note(self, pad, info):
        # An event has no buffer, and asking it for one is an error.
        buffer = info.get_buffer() if info.type & Gst.PadProbeType.BUFFER else None
        if buffer is None:
            self.frame = None
            return Gst.PadProbeReturn.OK
        segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
        start = segment.to_stream_time(Gst.Format.TIME, buffer.pts)
        length = buffer.duration if buffer.duration != Gst.CLOCK_TIME_NONE else None
        self.frame = start, length
        return Gst.PadProbeReturn.OK

    def _change(self, state):
        self.pipeline.set_state(state)
        self._wait()

    def _wait(self):
        """Waits for a frame, or the end."""
        bus = self.pipeline.get_bus()
        wanted = Gst.MessageType.ERROR | Gst.MessageType.ASYNC_DONE
        for _ in range(PATIENCE * 20):
            Signals.check()
            if self.context.callback_error:
                raise self.context.callback_error
            message = bus.timed_pop_filtered(50 * Gst.MSECOND, wanted)
            if message is None:
                continue
            if message.type == Gst.MessageType.ERROR:
                raise Failure(self.context.explain(message))
            return
        raise Failure(f"{self.source.name} is stuck: no frame came for {PATIENCE // 60} minutes")

    def _seek(self, time):
        query = Gst.Query.new_seeking(Gst.Format.TIME)
        if not self.pipeline.query(query) or not query.parse_seeking()[1]:
            raise Failure(f"{self.source.name} has no times to look for, it is a bare stream: give 0 as the time, or put "
                          "it into a MOV, MP4 or Matroska file")
        if not self.pipeline.seek_simple(Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, time):
            raise Failure(damaged(self.source.name))
        self._wait()

    def _check(self, time):
        end = self.source.video_end if self.source.video else None
        is_over = end is not None and time >= end
        if self.frame is None:
            if time == 0:
                raise Failure(damaged(self.source.name))
            is_over = True
        elif self.frame[1] is not None and sum(self.frame) <= time:
            is_over = True
        if is_over:
            length = end or self.source.duration
            said = f", which is {exact(length)} long: give a time below that" if length else ": give a smaller time"
            raise Failure(f"{exact(time)} is beyond the end of {self.source.name}{said}")

    def _save(self):
        bus = self.pipeline.get_bus()
        while bus.pop_filtered(Gst.MessageType.WARNING):
            pass
        if self.sink.emit("save-frame", self.target):
            return
        message = bus.pop_filtered(Gst.MessageType.WARNING)
        text = message.parse_warning()[0].message if message else "edrsink says no reason"
        raise Failure(text.removeprefix("The frame is not saved: "))
