"""The conversion itself: one GStreamer pipeline from a file's tracks to an MP4 file."""

import time

from gi.repository import Gst, GstVideo

from media import ErrorContext, Failure, add_chain, caps_filter, damaged, make, run
from source import add_reader, decoder_for, is_raw

SDR = "video/x-raw,colorimetry=bt709,format="
SDR_420 = SDR + "I420,chroma-site=mpeg2"
# Compressed streams wait in memory for each other: video behind sound that comes late in the file, and the reverse.
DEEP_QUEUE = 256 << 20
# The longest that not one frame comes through before the conversion counts as stuck, in seconds.
PATIENCE = 300


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
        self.packets = self.frames = self.corrupt = 0
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
            self.notes.append(f"left out {len(others)} track{'s'[:len(others) > 1]} that are not sound or the main video")

        def on_track(pad, track):
            entry = self.inputs.pop(track.number, None)
            if entry:
                pad.link(entry)

        add_reader(self.pipeline, self.source, on_track, self.context)
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
        """Compares what came out with what went in."""
        name, frames = self.source.name, self.frames
        if not frames:
            raise Failure(damaged(name))
        bad = self.corrupt
        if self.source.video.caps.get_structure(0).get_name() == "video/x-h265":
            bad += max(self.packets - frames, 0)
        if bad > (self.packets + 1) // 2:
            raise Failure(damaged(name))
        if bad:
            self.notes.append(f"{bad} of {self.packets} frames of {name} are damaged or could not be decoded")
        position, duration = self.progress.position, self.source.duration
        if duration and not self.source.audio and position < duration // 2:
            self.notes.append(f"the video of {name} is shorter than the file says")

    # MARK: Video

    def _add_video(self):
        source = self.source
        entry = make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=DEEP_QUEUE // 4)
        chain = [entry]
        if not is_raw(source.video.caps):
            chain.append(decoder_for(source.video.caps, "video"))
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
        encoder = make_encoder()
        chain += [make("queue", max_size_buffers=4, max_size_time=0, max_size_bytes=0), encoder,
                  caps_filter("video/x-h264,profile=high"),
                  make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=DEEP_QUEUE)]
        add_chain(self.pipeline, *chain)
        pad = self.mux.request_pad_simple("video_%u")
        pad.set_property("trak-timescale", timescale(source.info))
        chain[-1].get_static_pad("src").link(pad)
        self.inputs[source.video.number] = entry.get_static_pad("sink")

        self._watch(entry.get_static_pad("src"), self._packet)
        self._watch(decoded, self._decoded)
        self._watch(converter.get_static_pad("sink"), self._converting)
        self._watch(converter.get_static_pad("src"), lambda pad, buffer: self.samples.answer(pad, buffer))

    def _watch(self, pad, function):
        def probe(pad, info):
            return function(pad, info.get_buffer()) or Gst.PadProbeReturn.OK

        pad.add_probe(Gst.PadProbeType.BUFFER, self.context.guarded(probe))

    def _packet(self, _pad, _buffer):
        self.packets += 1

    def _decoded(self, pad, buffer):
        end = self.source.video_end
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
        length = buffer.duration if buffer.duration != Gst.CLOCK_TIME_NONE else 0
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
                decoder = decoder_for(track.caps, "audio")
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
    segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
    return segment.to_running_time(Gst.Format.TIME, buffer.pts)


def clamp_to_segment(pad, buffer):
    """Lets a packet that starts before its segment and ends in it start with the segment: the muxer would drop it, and
    with it the first sound of files that begin with encoder padding."""
    segment = pad.get_sticky_event(Gst.EventType.SEGMENT, 0).parse_segment()
    if buffer.pts < segment.start < buffer.pts + buffer.duration:
        buffer.duration -= segment.start - buffer.pts
        buffer.pts = buffer.dts = segment.start


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
    # GStreamer 1.22's MP4 muxer does not write the orientation, so the picture itself is turned. Chroma that lies beside
    # luma would lie above it after that, so it is reduced only then.
    return [caps_filter(SDR + "Y444"), make("videoflip", video_direction=orientation),
            make("videoconvert", n_threads=0), caps_filter(SDR_420)]


def even(info, orientation):
    """Elements that cut the last column or row where 4:2:0 H.264 cannot hold an odd size."""
    turned = orientation.value_nick in ("90r", "90l", "ul-lr", "ur-ll")
    width, height = (info.height, info.width) if turned else (info.width, info.height)
    if width % 2 == 0 and height % 2 == 0:
        return []
    return [make("videocrop", right=width % 2, bottom=height % 2)]


def timescale(info):
    """Ticks per second that hold the frame rate's times exactly, and those of 90 kHz and millisecond clocks nearly."""
    rate = info.fps_n if info.fps_n > 0 else 90000
    return rate * -(-90000 // rate)
