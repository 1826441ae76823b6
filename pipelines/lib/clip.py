"""One clip of several: decodes it, and hands out its pictures and its sound with their times in the clip."""

import gi

gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp, GstVideo  # noqa: E402,F401

from decoders import decoder_for, is_raw  # noqa: E402
from export_run import known_better, usable_format  # noqa: E402
from media import ErrorContext, Failure, add_chain, caps_filter, make  # noqa: E402
from source import link_tracks  # noqa: E402
from stream import DEEP_QUEUE, Tally, watch  # noqa: E402

UPRIGHT = GstVideo.VideoOrientationMethod.IDENTITY
TURNED = ("90r", "90l", "ul-lr", "ur-ll")


def described(source):
    """The decoded video's caps, with what the file's header alone knows."""
    caps = source.caps.copy()
    fields = known_better(source, caps)
    if fields:
        extra = Gst.Caps.from_string(f"video/x-raw, {fields}").get_structure(0)
        for index in range(extra.n_fields()):
            name = extra.nth_field_name(index)
            caps.set_value(name, extra.get_value(name))
    return caps


def upright_size(source):
    """Width and height as shown, in square pixels."""
    info = source.info
    width = round(info.width * info.par_n / info.par_d) if info.par_d > 0 and info.par_n > 0 else info.width
    size = width, info.height
    return size[::-1] if source.orientation.value_nick in TURNED else size


class Clip:
    def __init__(self, source, sound_caps, progress):
        """`sound_caps` is what the sound shall be, None where nothing is wanted."""
        self.source = source
        self.context = ErrorContext(source.name)
        self.tally = Tally(source, progress)
        self.pipeline = Gst.Pipeline.new()
        self.inputs = {}
        self.video = self._add(source.video, self._pictures(), buffers=2)
        self.audio = None
        track = next((t for t in source.audio if is_raw(t.caps) or decoder_for(t.caps)), None)
        if track and sound_caps:
            chain = [] if is_raw(track.caps) else [decoder_for(track.caps)]
            chain += [make("audioconvert"), make("audioresample"), caps_filter(sound_caps)]
            self.audio = self._add(track, chain, buffers=64)

        link_tracks(self.pipeline, source, self.inputs, self.context)

    def _add(self, track, chain, buffers):
        entry = make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=DEEP_QUEUE // 4)
        if track is self.source.video:
            watch(entry.get_static_pad("src"), self.context, self.tally.packet)
        self.inputs[track.number] = entry.get_static_pad("sink")
        sink = make("appsink", sync=False, max_buffers=buffers)
        add_chain(self.pipeline, entry, *chain, sink)
        return sink

    def _pictures(self):
        source = self.source
        decoder = make("identity") if is_raw(source.video.caps) else decoder_for(source.video.caps)
        watch(decoder.get_static_pad("src"), self.context, self.tally.decoded)
        chain = [decoder]
        fields = known_better(source, source.caps)
        if fields:
            chain.append(make("capssetter", caps=Gst.Caps.from_string(f"video/x-raw, {fields}")))
        chain += usable_format(source.caps)
        if source.info.interlace_mode != GstVideo.VideoInterlaceMode.PROGRESSIVE:
            # As many pictures as there were frames.
            chain.append(make("deinterlace", fields="top"))
        if source.orientation != UPRIGHT:
            # Chroma that lies beside luma would lie above it after the turn, so it gets a sample for each pixel first.
            deep = source.info.finfo.depth[0] > 8
            chain += [make("videoconvert", n_threads=0),
                      caps_filter("video/x-raw,format=Y444" + ("_12LE" if deep else "")),
                      make("videoflip", video_direction=source.orientation)]
        return chain

    def start(self):
        self.pipeline.set_state(Gst.State.PLAYING)

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)

    def pull(self, sink, is_stopped):
        """The next sample, None at the end."""
        while not is_stopped():
            sample = sink.try_pull_sample(100 * Gst.MSECOND)
            if sample:
                return sample
            if self.context.callback_error:
                raise self.context.callback_error
            message = self.pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
            if message:
                raise Failure(self.context.explain(message))
            if sink.is_eos():
                break
        return None


def running_time(sample):
    """Of a sample in its clip, in nanoseconds."""
    time = sample.get_segment().to_running_time(Gst.Format.TIME, sample.get_buffer().pts)
    return 0 if time == Gst.CLOCK_TIME_NONE else time
