"""The conversion itself: one GStreamer pipeline from a file's tracks to an MP4 file."""

import time

from gi.repository import Gst, GstVideo

from media import ErrorContext, Failure, add_chain, caps_filter, damaged, make, run
from source import add_reader, decoder_for, is_raw

SDR = "video/x-raw,colorimetry=bt709,format="
SDR_420 = SDR + "I420,chroma-site=mpeg2"
# Compressed streams wait in memory for each other: video behind sound that comes late in the file, and the reverse.
DEEP_QUEUE = 256 << 20
# Frames per second of a still picture.
STILL_RATE = 25
# The longest that not one frame comes through before the conversion counts as stuck, in seconds.
PATIENCE = 300
# The share of a video that may be missing or damaged.
TOLERATED_LOSS = 0.1


class Samples:
    """Picks one frame for the picture: the source's, and what became of it."""

    def __init__(self, duration):
        # A third into a film there is something to see; a short clip may be over by then.
        self.target = None if duration is None else duration // (3 if duration > 6 * Gst.SECOND else 2)
        self.before = self.after = self.position = None
        self.settled = False

    def offer(self, pad, buffer, position):
        if self.settled:
            return
        # While the length is unknown, ever later frames are kept, each twice as far in as the last.
        if self.target is not None and position >= self.target:
            self.settled = True
        elif self.position is not None and position < max(2 * self.position, 1):
            return
        self.before, self.after, self.position = Gst.Sample.new(buffer, pad.get_current_caps()), None, position

    def answer(self, pad, buffer):
        if self.before and not self.after and buffer.pts == self.before.get_buffer().pts:
            self.after = Gst.Sample.new(buffer, pad.get_current_caps())


class Conversion:
    def __init__(self, source, target, settings, progress, name):
        self.source = source
        self.progress = progress
        self.context = ErrorContext(source.name, name)
        self.settings = settings
        self.samples = Samples(source.duration)
        self.packets = self.frames = self.corrupt = self.gaps = 0
        self.notes = []
        self.sound = []
        self.pipeline = Gst.Pipeline.new()
        self.inputs = {}
        self.mux = make("mp4mux", movie_timescale=90000)
        add_chain(self.pipeline, self.mux, make("filesink", location=target))

    def run(self):
        self._add_video()
        for track in self.source.audio:
            self._add_audio(track)
        others = [t for t in self.source.tracks if t.kind != "audio" and t is not self.source.video]
        if others:
            self.notes.append(f"tracks of subtitles, data or other videos were left out: {len(others)}")

        def on_track(pad, track):
            entry = self.inputs.pop(track.number, None)
            if entry:
                pad.link(entry)

        def no_more(_parser):
            # A track that does not turn up again must not keep the muxer waiting.
            while self.inputs:
                self.inputs.popitem()[1].send_event(Gst.Event.new_eos())

        if self.source.video:
            parser = add_reader(self.pipeline, self.source, on_track, self.context)
            parser.connect("no-more-pads", self.context.guarded(no_more))
        moved = [time.monotonic(), 0]

        def tick():
            self.progress.show()
            if self.progress.frames != moved[1]:
                moved[:] = time.monotonic(), self.progress.frames
            elif time.monotonic() - moved[0] > PATIENCE:
                raise Failure(f"{self.source.name} is stuck: no frame came for {PATIENCE // 60} minutes")

        try:
            run(self.pipeline, self.context, tick=tick)
        finally:
            self.progress.clear()
        self._judge()

    def _judge(self):
        """Compares what came out with what went in. A damaged frame or two are no reason to refuse a whole film."""
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
            self.notes.append(f"{lost} of {self.packets} frames of {name} are damaged or could not be decoded")
        elif self.gaps:
            self.notes.append(f"{name} has gaps of {self.gaps / Gst.SECOND:.1f} seconds, it may be damaged")

    # MARK: Video

    def _add_video(self):
        source = self.source
        chain = [self._still()] if source.still else self._decoded_video()
        decoded = chain[-1].get_static_pad("src")
        if source.colorimetry:
            chain.append(make(
                "capssetter", caps=Gst.Caps.from_string(f"video/x-raw,colorimetry={source.colorimetry}")))
        converter = make_converter(self.settings)
        if not converter.get_static_pad("sink").query_caps(None).can_intersect(only_format(source.caps)):
            chain.append(make("videoconvert"))
        chain += [make("queue", max_size_buffers=4, max_size_time=0, max_size_bytes=0), converter]
        chain += upright_420(source.orientation)
        chain += even(source.info, source.orientation)
        if source.still:
            # Converted once, shown for a while.
            chain += [make("imagefreeze", num_buffers=source.duration * STILL_RATE // Gst.SECOND),
                      caps_filter(f"video/x-raw,framerate={STILL_RATE}/1")]
        chain += [make("queue", max_size_buffers=4, max_size_time=0, max_size_bytes=0), make_encoder(),
                  caps_filter("video/x-h264,profile=high"),
                  make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=DEEP_QUEUE)]
        add_chain(self.pipeline, *chain)
        pad = self.mux.request_pad_simple("video_%u")
        pad.set_property("trak-timescale", source.timescale)
        chain[-1].get_static_pad("src").link(pad)
        self._watch(chain[-1].get_static_pad("src"), LastFrame().stretch)

        self._watch(decoded, self._decoded)
        self._watch(converter.get_static_pad("sink"), self._converting)
        self._watch(converter.get_static_pad("src"), lambda pad, buffer: self.samples.answer(pad, buffer))
        if source.still:
            self._watch(chain[-1].get_static_pad("sink"), self._encoded)

    def _decoded_video(self):
        entry = make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=DEEP_QUEUE // 4)
        self._watch(entry.get_static_pad("src"), self._packet)
        self.inputs[self.source.video.number] = entry.get_static_pad("sink")
        return [entry] if is_raw(self.source.video.caps) else [entry, decoder_for(self.source.video.caps)]

    def _still(self):
        source = make("appsrc", format="time", caps=self.source.still.get_caps())
        source.emit("push-buffer", self.source.still.get_buffer())
        source.emit("end-of-stream")
        return source

    def _watch(self, pad, function):
        def probe(pad, info):
            verdict = function(pad, info.get_buffer())
            return Gst.PadProbeReturn.OK if verdict is None else verdict

        pad.add_probe(Gst.PadProbeType.BUFFER, self.context.guarded(probe))

    def _packet(self, _pad, _buffer):
        self.packets += 1

    def _decoded(self, pad, buffer):
        end = self.source.video_end if self.source.video else None
        if end is not None and running_time(pad, buffer) >= end:
            # The decoder read past the edit list's end; see container.py.
            self.packets -= 1
            return Gst.PadProbeReturn.DROP
        self.frames += 1
        self.corrupt += buffer.has_flags(Gst.BufferFlags.CORRUPTED)
        return None

    def _converting(self, pad, buffer):
        position = running_time(pad, buffer)
        self.samples.offer(pad, buffer, position)
        if not self.source.still:
            self._encoded(pad, buffer)

    def _encoded(self, pad, buffer):
        length = buffer.duration if buffer.duration != Gst.CLOCK_TIME_NONE else 0
        position = running_time(pad, buffer)
        gap = position - self.progress.position
        # Where Matroska is damaged, GStreamer goes on at the next place that it understands. MP4 with its index has
        # only the gaps that are meant.
        if gap > Gst.SECOND and not self.source.layout.duration and self.source.info.fps_n > 0:
            self.gaps += gap
        self.progress.note(position + length)

    # MARK: Sound

    def _add_audio(self, track):
        structure = track.caps.get_structure(0)
        form = structure.get_string("stream-format")
        entry = make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=DEEP_QUEUE // 4)
        chain = [entry]
        keeps = structure.get_name() == "audio/mpeg" and structure.get_int("mpegversion") == (True, 4)
        if keeps and form in ("raw", "adts"):
            if form == "adts":
                chain += [make("aacparse"), caps_filter("audio/mpeg,stream-format=raw")]
            self._watch(entry.get_static_pad("sink"), clamp_to_segment)
            self.sound.append("AAC copied")
        else:
            if not is_raw(track.caps):
                decoder = decoder_for(track.caps)
                if decoder is None:
                    self.notes.append(f"left out a sound track that GStreamer cannot decode ({structure.get_name()})")
                    return
                chain.append(decoder)
            known, channels = structure.get_int("channels")
            encoder = make("avenc_aac", bitrate=96000 * min(max(channels, 1), 6) if known else 192000)
            chain += [make("audioconvert"), make("audioresample"), encoder, make("aacparse")]
            self.sound.append("converted to AAC")
        chain.append(make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=DEEP_QUEUE))
        add_chain(self.pipeline, *chain)
        chain[-1].get_static_pad("src").link(self.mux.request_pad_simple("audio_%u"))
        self.inputs[track.number] = entry.get_static_pad("sink")


def running_time(pad, buffer):
    if buffer.pts == Gst.CLOCK_TIME_NONE:
        return 0
    event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
    time = event.parse_segment().to_running_time(Gst.Format.TIME, buffer.pts)
    return 0 if time == Gst.CLOCK_TIME_NONE else time


def clamp_to_segment(pad, buffer):
    """Lets a packet that starts before its segment and ends in it start with the segment: the muxer would drop it, and
    with it the first sound of files that begin with encoder padding."""
    event = pad.get_sticky_event(Gst.EventType.SEGMENT, 0)
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


def make_converter(settings):
    """The element of this project, with the user's settings."""
    converter = make("hdrconvert")
    for name, value in settings.items():
        converter.set_property(name, value)
    return converter


def make_encoder():
    # Constant quality: the bit rate follows the picture, so the decoder buffer's limit, which GStreamer derives from a
    # bit rate that does not apply here, is turned off.
    return make("x264enc", **{"pass": "qual", "quantizer": 18, "vbv_buf_capacity": 0})


def only_format(caps):
    return Gst.Caps.from_string("video/x-raw,format=" + caps.get_structure(0).get_string("format"))


def upright_420(orientation):
    """Elements that make 4:2:0 of the converter's output, turned upright."""
    if orientation == GstVideo.VideoOrientationMethod.IDENTITY:
        return [caps_filter(SDR_420)]
    # GStreamer 1.22's MP4 muxer does not write the orientation, so the picture itself is turned. Chroma that lies
    # beside luma would lie above it after that, so it is reduced only then.
    return [caps_filter(SDR + "Y444"), make("videoflip", video_direction=orientation),
            make("videoconvert", n_threads=0), caps_filter(SDR_420)]


def even(info, orientation):
    """Elements that cut the last column or row where 4:2:0 H.264 cannot hold an odd size."""
    turned = orientation.value_nick in ("90r", "90l", "ul-lr", "ur-ll")
    width, height = (info.height, info.width) if turned else (info.width, info.height)
    if width % 2 == 0 and height % 2 == 0:
        return []
    return [make("videocrop", right=width % 2, bottom=height % 2)]

