"""One pass of an export: a pipeline from a file's tracks through hdrmux-settings to a file, or to nowhere."""

from gi.repository import Gst

from decoders import decoder_for, is_raw
from exporter import Report, keep_times, make_exporter
from media import ErrorContext, Failure, add_chain, caps_filter, make, no_video, run
from source import link_tracks, upright_tags
from stream import DEEP_QUEUE, PacketDurations, Patience, Tally, clamp_to_segment, running_time, watch

# GStreamer 1.22 gives its packets no times in Matroska. Decoders go by the frame rate.
PRORES = "video/x-prores"


class ExportRun:
    def __init__(self, source, target, settings, progress, name, sound=True):
        """`target` is the path to write to, None to only measure; `name` what to call it in messages."""
        self.audio = source.audio if sound else []
        self.source = source
        self.progress = progress
        self.context = ErrorContext(source.name, name)
        self.file_type = settings["file-type"]
        self.copies = settings["preset"] == "passthrough"
        self.sound_only = settings["preset"] == "m4a"
        self.tally = Tally(source, progress)
        self.report = Report()
        self.sound = []
        self.pipeline = Gst.Pipeline.new()
        self.inputs = {}
        self.exporter = make_exporter(settings)
        self.durations = PacketDurations(source)
        keep_times(self.exporter, source.timescale, self.context, self.durations if self.copies else None)
        sink = make("filesink", location=target) if target else make("fakesink", sync=False)
        add_chain(self.pipeline, self.exporter, sink)

    @property
    def video(self):
        return None if self.sound_only else self.source.video

    def run(self):
        source = self.source
        if self.video:
            self._add_video()
        for track in self.audio:
            self._add_audio(track)
        if not self.inputs:
            raise Failure(f"{source.name} has nothing that this preset exports" if self.sound_only
                          else no_video(source.name))
        for note in source.left_out:
            self.report.note(note)
        link_tracks(self.pipeline, source, self.inputs, self.context, self.durations)
        try:
            run(self.pipeline, self.context, tick=Patience(source.name, self.progress).tick,
                on_message=self.report.on_message, on_warning=self.report.on_warning)
        finally:
            self.progress.clear()
        self.report.read_levels(self.exporter)
        if self.video and not self.copies:
            for note in self.tally.judge() + lost_metadata([source]):
                self.report.note(note)

    def _enter(self, track):
        """The queue that a track comes in by."""
        entry = make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=DEEP_QUEUE // 4)
        self.inputs[track.number] = entry.get_static_pad("sink")
        return entry

    def _leave(self, chain, pad_name, function):
        """Leads a chain into the element; `function` sees what goes in."""
        add_chain(self.pipeline, *chain)
        last = chain[-1].get_static_pad("src")
        watch(last, self.context, function)
        last.link(self.exporter.request_pad_simple(pad_name))

    def _add_video(self):
        source, track = self.source, self.source.video
        if self.copies and source.layout.lacks_decoding_times and track.caps.get_structure(0).get_name() == PRORES:
            raise Failure(f"{source.name}: the times of ProRes in Matroska are not read, so that it cannot be copied: "
                          "choose prores-422 or another preset that encodes")
        chain = [self._enter(track)]
        watch(chain[0].get_static_pad("src"), self.context, self.tally.packet)
        if self.copies:
            if source.video_end is not None:
                # What is held back comes by the second queue's pads, where it is counted.
                watch(chain[0].get_static_pad("src"), self.context, TrailingPackets(source.video_end).judge)
                chain.append(make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=DEEP_QUEUE // 4))
        elif not is_raw(track.caps):
            chain.append(decoder_for(track.caps))
            watch(chain[-1].get_static_pad("src"), self.context, self.tally.decoded)
        else:
            watch(chain[-1].get_static_pad("src"), self.context, self.tally.decoded)
        if self.copies and self.file_type != "matroska":
            chain += decoding_times(source)
        fields = known_better(source, track.caps if self.copies else source.caps)
        if fields:
            media = track.caps.get_structure(0).get_name() if self.copies else "video/x-raw"
            chain.append(make("capssetter", caps=Gst.Caps.from_string(f"{media}, {fields}")))
        if not self.copies:
            chain += usable_format(source.caps)
            chain.append(make("queue", max_size_buffers=4, max_size_time=0, max_size_bytes=0))
        chain += upright_tags(source)
        self._leave(chain, "video_0", self._video_passes)

    def _video_passes(self, pad, buffer):
        if self.copies:
            length = buffer.duration if buffer.duration != Gst.CLOCK_TIME_NONE else 0
            self.progress.note(running_time(pad, buffer) + length)
        else:
            self.tally.passed(pad, buffer)

    def _add_audio(self, track):
        structure = track.caps.get_structure(0)
        number = len(self.sound)
        if self.copies and not is_raw(track.caps):
            entry = self._enter(track)
            watch(entry.get_static_pad("sink"), self.context, clamp_to_segment)
            self.sound.append("copied")
            self._leave([entry], f"audio_{number}", self._audio_passes)
            return
        decoder = None if is_raw(track.caps) else decoder_for(track.caps)
        if decoder is None and not is_raw(track.caps):
            self.report.note(f"left out a sound track that GStreamer cannot decode ({structure.get_name()})")
            return
        self.sound.append("copied" if self.copies else "encoded")
        entry = self._enter(track)
        self._leave([entry, decoder] if decoder else [entry], f"audio_{number}", self._audio_passes)

    def _audio_passes(self, pad, buffer):
        # Where there are pictures, they say how far it has come.
        self.progress.note_sound(0 if self.video else running_time(pad, buffer))


class TrailingPackets:
    """Drops packets behind the end of a track's edit list, as long as no packet before that end comes after them, which
    might refer to them."""

    def __init__(self, end):
        self.end = end
        self.held = []

    def judge(self, pad, buffer):
        if buffer.pts != Gst.CLOCK_TIME_NONE and running_time(pad, buffer) >= self.end:
            self.held.append(buffer)
            return Gst.PadProbeReturn.DROP
        # Chained behind this pad, so that they do not come by here again.
        held, self.held = self.held, []
        for late in held:
            pad.get_peer().chain(late)
        return None


def lost_metadata(sources):
    """What there is to say of metadata that changes with the pictures, which encoding them again leaves out."""
    names = [name for name in ("Dolby Vision", "HDR10+") if any(name in source.dynamic_metadata for source in sources)]
    if not names:
        return []
    whose = sources[0].name if len(sources) == 1 else "the clips"
    return [f"the {' and '.join(names)} metadata of {whose} {'is' if len(names) == 1 else 'are'} lost, because the "
            "pictures are encoded again"]


def decoding_times(source):
    """Elements that give copied packets of a Matroska file the decoding times that QuickTime and MP4 files have."""
    factory = {"video/x-h264": "h264timestamper", "video/x-h265": "h265timestamper"}.get(
        source.video.caps.get_structure(0).get_name())
    return [make(factory)] if factory and source.layout.lacks_decoding_times else []


def known_better(source, caps):
    """Caps fields that the file's header knows, or the user, and the stream does not say."""
    structure = caps.get_structure(0)
    fields = {name: f'"{value}"' for name, value in source.header_metadata.items() if not structure.has_field(name)}
    if source.colorimetry:
        fields["colorimetry"] = source.colorimetry
    return ", ".join(f"{name}=(string){value}" for name, value in fields.items())


def usable_format(caps):
    """Elements that turn a format which hdrconvert does not know into one that it does, with all its bits."""
    structure = caps.get_structure(0)
    form = structure.get_string("format")
    accepted = make("hdrconvert").get_static_pad("sink").query_caps(None)
    if accepted.can_intersect(Gst.Caps.from_string(f"video/x-raw,format={form}")):
        return []
    wide = "AYUV64" if form.startswith(("A", "GBRA", "Y41", "VUYA", "RGBA", "BGRA")) else "Y444_16LE"
    return [make("videoconvert", n_threads=0), caps_filter(f"video/x-raw,format={wide}")]
