"""The conversion itself: one GStreamer pipeline from a file's tracks to an MP4 file."""

from gi.repository import Gst, GstVideo

from decoders import decoder_for, is_raw
from media import ErrorContext, add_chain, caps_filter, make, run
from source import link_tracks
from stream import DEEP_QUEUE, LastFrame, Patience, Tally, clamp_to_segment, running_time, watch

SDR = "video/x-raw,colorimetry=bt709,format="
SDR_420 = SDR + "I420,chroma-site=mpeg2"
# Frames per second of a still picture.
STILL_RATE = 25


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
        self.tally = Tally(source, progress)
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
        self.notes += self.source.left_out
        if self.source.video:
            link_tracks(self.pipeline, self.source, self.inputs, self.context)
        try:
            run(self.pipeline, self.context, tick=Patience(self.source.name, self.progress).tick)
        finally:
            self.progress.clear()
        self.notes += self.tally.judge()
        names = " and ".join(self.source.dynamic_metadata) if self.source.video else ""
        if names:
            self.notes.append(f"the {names} metadata of {self.source.name} did not take part: the base layer was converted")

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

        self._watch(decoded, self.tally.decoded)
        self._watch(converter.get_static_pad("sink"), self._converting)
        self._watch(converter.get_static_pad("src"), lambda pad, buffer: self.samples.answer(pad, buffer))
        if source.still:
            self._watch(chain[-1].get_static_pad("sink"), self.tally.passed)

    def _decoded_video(self):
        entry = make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=DEEP_QUEUE // 4)
        self._watch(entry.get_static_pad("src"), self.tally.packet)
        self.inputs[self.source.video.number] = entry.get_static_pad("sink")
        return [entry] if is_raw(self.source.video.caps) else [entry, decoder_for(self.source.video.caps)]

    def _still(self):
        source = make("appsrc", format="time", caps=self.source.still.get_caps())
        source.emit("push-buffer", self.source.still.get_buffer())
        source.emit("end-of-stream")
        return source

    def _watch(self, pad, function):
        watch(pad, self.context, function)

    def _converting(self, pad, buffer):
        position = running_time(pad, buffer)
        self.samples.offer(pad, buffer, position)
        if not self.source.still:
            self.tally.passed(pad, buffer)

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
