"""Opens a file and learns what it holds: its tracks, and the colour of its decoded video."""

import os
import time
from dataclasses import dataclass, field

from gi.repository import Gst, GstVideo

import container
from coded import Dynamic
from command import shown
from decoders import decoder_for, is_raw, no_decoder
from media import (
    ErrorContext, Failure, add_chain, damaged, make, no_video, not_a_video, own_colors, protected, run,
)
from stream import PacketDurations

# So many of the first packets are searched for dynamic metadata.
SEARCHED_PACKETS = 24

HDR_TRANSFERS = {
    GstVideo.VideoTransferFunction.SMPTE2084: "PQ",
    GstVideo.VideoTransferFunction.ARIB_STD_B67: "HLG",
}


@dataclass
class Track:
    kind: str  # video, audio or other
    number: str  # the end of GStreamer's stream id
    caps: Gst.Caps
    settled: bool  # whether the caps are the stream's, or what is thought of it before its first data

    @property
    def container_number(self):
        # Matroska's are followed by the track's UID.
        number = self.number.split(":")[0]
        return int(number) if number.isdigit() else None

    @property
    def is_playable_video(self):
        return self.kind == "video" and not self.caps.get_structure(0).get_name().startswith("video/x-gst-fourcc")


@dataclass
class Source:
    path: str
    name: str  # for messages
    layout: container.Layout
    tracks: list = field(default_factory=list)
    video: Track = None
    caps: Gst.Caps = None  # of the decoded video
    info: GstVideo.VideoInfo = None
    duration: int = None
    orientation: GstVideo.VideoOrientationMethod = GstVideo.VideoOrientationMethod.IDENTITY
    # What the first packets say of Dolby Vision and HDR10+.
    dynamic: Dynamic = field(default_factory=Dynamic)
    # What to set over the decoder's caps, where those are wrong.
    colorimetry: str = None
    # A frame to be shown for `duration`, in place of a file's video.
    still: Gst.Sample = None

    @property
    def transfer(self):
        return HDR_TRANSFERS.get(self.color.transfer)

    @property
    def color(self):
        return parse_colorimetry(self.colorimetry) if self.colorimetry else self.info.colorimetry

    @property
    def audio(self):
        """In the file's order; GStreamer offers them in any."""
        return sorted((t for t in self.tracks if t.kind == "audio"), key=lambda track: track.number)

    @property
    def video_end(self):
        """Where the video's edit list ends it, for the decoded frames to be cut there."""
        return self.layout.video_end.get(self.video.container_number)

    @property
    def header_metadata(self):
        """Fields of caps that the file's header knows of the video."""
        return self.layout.metadata.get(self.video.container_number, {}) if self.video else {}

    @property
    def header_orientation(self):
        """How the video is turned, as GStreamer's tags say it, where only the file's header knows."""
        return self.layout.orientation.get(self.video.container_number) if self.video else None

    @property
    def own_colors_profile(self):
        """The Dolby Vision profile where the video's colours can only be shown with its metadata, else None."""
        found = self.layout.dolby_vision.get(self.video.container_number) if self.video else None
        if found:
            return found.profile if found.is_own_colors else None
        return 5 if self.dynamic.is_profile_5 else None

    @property
    def dynamic_metadata(self):
        """The names of what changes with the pictures and is lost where they are encoded again."""
        number = self.video.container_number if self.video else None
        found = {
            "Dolby Vision": self.dynamic.has_dolby_vision or number in self.layout.dolby_vision,
            "HDR10+": self.dynamic.has_hdr10_plus or number in self.layout.hdr10_plus,
        }
        return [name for name, is_there in found.items() if is_there]

    @property
    def left_out(self):
        """Notes on the tracks that are neither sound nor the video."""
        others = [track for track in self.tracks if track.kind != "audio" and track is not self.video]
        return [f"tracks of subtitles, data or other videos were left out: {len(others)}"] if others else []

    @property
    def timescale(self):
        """Ticks per second for the output's times that hold the source's exactly, or nearly so where they are those of
        a clock that has nothing to do with the frame rate."""
        ticks = self.layout.timescale.get(self.video.container_number, 0) if self.video else 0
        if not 0 < ticks <= 200000:
            ticks = self.info.fps_n if self.info and self.info.fps_n > 0 else 90000
        return ticks * -(-90000 // ticks)


def parse_colorimetry(text):
    color = GstVideo.VideoColorimetry()
    return color if color.from_string(text) else None


def open_file(path):
    """Checks that a file can be read and is whole, and returns a Source without tracks."""
    name = shown(path)
    try:
        path.encode()
    except UnicodeEncodeError:
        raise Failure(f"{name} is a name that is not UTF-8, which GStreamer's Python modules need: rename it") from None
    if not os.path.exists(path):
        raise Failure(f"there is no file {name}: check the spelling and the folder")
    if os.path.isdir(path):
        raise Failure(f"{name} is a folder: give the name of a video file")
    if not os.path.isfile(path):
        raise Failure(f"{name} is not a regular file: save it as a file first")
    try:
        if os.path.getsize(path) == 0:
            raise Failure(f"{name} is empty: copy it again from its origin")
        layout = container.inspect(path)
    except PermissionError:
        raise Failure(f"{name} may not be read by you: change its permissions (chmod +r)") from None
    except OSError as error:
        raise Failure(f"cannot read {name}: {error.strerror}") from None
    if layout.defect == "truncated":
        raise Failure(f"{name} is truncated, its end is missing: copy it again from its origin")
    if layout.defect == "headless":
        raise Failure(f"{name} has no index (moov), its recording or copy was cut short: copy it again from its origin")
    return Source(path=path, name=name, layout=layout)


class PatchedFile:
    """Feeds an appsrc from a file, with some bytes replaced."""

    def __init__(self, path, patches):
        self.file = open(path, "rb", buffering=0)
        self.patches = patches
        self.offset = 0
        self.element = make(
            "appsrc", stream_type="random-access", format="bytes", size=os.path.getsize(path),
            max_bytes=4 << 20)
        self.element.connect("seek-data", self._seek)
        self.element.connect("need-data", self._read)

    def _seek(self, _element, offset):
        self.offset = offset
        return True

    def _read(self, element, length):
        try:
            data = bytearray(os.pread(self.file.fileno(), length if length != 0xFFFFFFFF else 4096, self.offset))
        except OSError:
            data = bytearray()
        if not data:
            element.emit("end-of-stream")
            return
        for offset, patch in self.patches.items():
            for index, byte in enumerate(patch, offset - self.offset):
                if 0 <= index < len(data):
                    data[index] = byte
        buffer = Gst.Buffer.new_wrapped(bytes(data))
        buffer.offset = self.offset
        self.offset += len(data)
        element.emit("push-buffer", buffer)


def add_reader(pipeline, source, on_track, context, durations=None):
    """Adds what splits a file into parsed tracks; `on_track(pad, track)` is called for each, before data flows.
    `durations` are PacketDurations, for who wants to use them again."""
    if source.layout.patches:
        reader = PatchedFile(source.path, source.layout.patches).element
    else:
        reader = make("filesrc", location=source.path)
    parser = make("parsebin")
    add_chain(pipeline, reader, parser)
    durations = durations or PacketDurations(source)
    parser.connect("element-added", context.guarded(durations.watch_demuxer))

    def added(_parser, pad):
        stream = pad.get_stream()
        current = pad.get_current_caps()
        caps = current or (stream and stream.get_caps()) or pad.query_caps(None)
        media = caps.get_structure(0).get_name() if caps.get_size() else ""
        kind = media.split("/")[0]
        stream_id = stream.get_stream_id() if stream else ""
        track = Track(
            kind if kind in ("video", "audio") else "other", stream_id.rsplit("/", 1)[-1], caps, current is not None)
        durations.watch_parsed(pad, track.number)
        on_track(pad, track)

    parser.connect("pad-added", context.guarded(added))
    return parser


def link_tracks(pipeline, source, inputs, context, durations=None):
    """Reads a source's tracks into the sink pads in `inputs`, by track number, which are taken out of it."""

    def on_track(pad, track):
        entry = inputs.pop(track.number, None)
        if entry:
            pad.link(entry)

    def ended(_parser):
        # A track that does not turn up again must not keep the muxer waiting.
        while inputs:
            inputs.popitem()[1].send_event(Gst.Event.new_eos())

    parser = add_reader(pipeline, source, on_track, context, durations)
    parser.connect("drained", context.guarded(ended))


def upright_tags(source):
    """Elements that send the video's orientation downstream where only the file's header has it."""
    turned = source.header_orientation
    return [make("taginject", tags=f"image-orientation={turned}")] if turned else []


def probe(source, needs_video=True, copies=False):
    """Fills a Source with what the file says, and the first decoded frame. Without a need for video, sound will do.
    What can only be copied is refused, unless that is all that is done."""
    pipeline = Gst.Pipeline.new()
    context = ErrorContext(source.name)
    sink = make("fakesink", sync=False)
    sink_pad = sink.get_static_pad("sink")
    state = {"complete": False, "frame": None, "missing": [], "packets": 0}
    videos = []

    def on_track(pad, track):
        source.tracks.append(track)
        if track.is_playable_video:
            videos.append((pad, track))
            pad.add_probe(Gst.PadProbeType.BUFFER, context.guarded(lambda *_: on_packet(pad, track)))
        else:
            # Where nothing takes any data, reading stops, at times without a word.
            pad.add_probe(Gst.PadProbeType.BUFFER, lambda *_: Gst.PadProbeReturn.DROP)
        if track.settled:
            return

        def on_event(_pad, info):
            event = info.get_event()
            if event.type != Gst.EventType.CAPS:
                return Gst.PadProbeReturn.OK
            # The binding lends what belongs to an event or a message; a copy outlives it.
            track.caps, track.settled = event.parse_caps().copy(), True
            return Gst.PadProbeReturn.REMOVE

        # Some parsers learn only from the stream what it is; their caps come before the first data.
        pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, context.guarded(on_event))

    def on_packet(pad, track):
        # All tracks are known when the first of them has data, in whatever order they were found.
        if source.video is None:
            chosen_pad, source.video = min(videos, key=lambda found: rank(source, *found))
            decode(chosen_pad, source.video)
        return Gst.PadProbeReturn.REMOVE if track is source.video else Gst.PadProbeReturn.DROP

    def decode(pad, track):
        queue = make("queue", max_size_buffers=0, max_size_time=0, max_size_bytes=64 << 20)
        chain = [queue, sink]
        if not is_raw(track.caps):
            decoder = decoder_for(track.caps)
            if decoder is None:
                raise Failure(no_decoder(source.name, track.caps))
            chain.insert(1, decoder)
            queue.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, context.guarded(search))
        add_chain(pipeline, *chain)
        for element in chain:
            element.sync_state_with_parent()
        pad.link(queue.get_static_pad("sink"))

    def search(_pad, info):
        state["packets"] += 1
        if state["packets"] > SEARCHED_PACKETS:
            return Gst.PadProbeReturn.REMOVE
        structure, buffer = source.video.caps.get_structure(0), info.get_buffer()
        source.dynamic.read(
            structure.get_name(), structure.get_string("stream-format"), buffer.extract_dup(0, buffer.get_size()))
        return Gst.PadProbeReturn.OK

    def on_frame(_pad, _info):
        state["frame"] = time.monotonic()
        return Gst.PadProbeReturn.REMOVE

    def on_message(message):
        structure = message.get_structure()
        if structure.get_name() == "missing-plugin" and isinstance(structure.get_value("detail"), Gst.Caps):
            state["missing"].append(structure.get_value("detail").copy())

    def finished():
        if state["frame"]:
            if source.info is None:
                _read_sink(source, pipeline, sink_pad)
            # Sound may begin later than the video.
            known = all(track.settled for track in source.audio)
            return known or time.monotonic() - state["frame"] > 2
        if state["complete"] and not source.video:
            if source.audio and not needs_video:
                known, duration = pipeline.query_duration(Gst.Format.TIME)
                source.duration = source.layout.duration or (duration if known and duration > 0 else None)
            return True
        return False

    sink_pad.add_probe(Gst.PadProbeType.BUFFER, on_frame)
    parser = add_reader(pipeline, source, on_track, context)
    # GStreamer 1.22's parsebin sends no signal when it has made its pads.
    parser.connect("drained", lambda _: state.update(complete=True))
    try:
        run(pipeline, context, finished=finished, on_message=on_message)
    except Failure as failure:
        raise _why_nothing_plays(source, state["missing"]) or failure from None
    if source.video is None and videos:
        # Not a packet came.
        source.video = videos[0][1]
    if source.video is None and source.audio and not needs_video:
        return
    if source.video is None:
        raise _why_nothing_plays(source, state["missing"]) or Failure(not_a_video(source.name))
    if source.info is None:
        raise Failure(damaged(source.name))
    if source.own_colors_profile and not copies:
        raise Failure(own_colors(source.name, source.own_colors_profile))


def rank(source, pad, track):
    """A video track's place among those to be played: what the file's header says, else the order of the stream's own
    table."""
    event = pad.get_sticky_event(Gst.EventType.STREAM_COLLECTION, 0)
    collection = event.parse_stream_collection() if event else None
    streams = range(collection.get_size()) if collection else []
    listed = [collection.get_stream(index).get_stream_id() for index in streams]
    name = pad.get_stream_id() or ""
    place = listed.index(name) if name in listed else len(listed)
    return source.layout.rank(track.container_number), place, track.number


def _read_sink(source, pipeline, pad):
    source.caps = pad.get_current_caps()
    source.info = GstVideo.VideoInfo.new_from_caps(source.caps)
    known, duration = pipeline.query_duration(Gst.Format.TIME)
    source.duration = source.layout.duration or (duration if known and duration > 0 else None)
    index = 0
    while event := pad.get_sticky_event(Gst.EventType.TAG, index):
        said, orientation = GstVideo.video_orientation_from_tag(event.parse_tag())
        if said:
            source.orientation = orientation
        index += 1
    if source.header_orientation:
        tags = Gst.TagList.new_empty()
        tags.add_value(Gst.TagMergeMode.REPLACE, "image-orientation", source.header_orientation)
        said, orientation = GstVideo.video_orientation_from_tag(tags)
        if said:
            source.orientation = orientation
    # VP9 streams do not say their transfer function, so there the container's word counts.
    structure = source.video.caps.get_structure(0)
    said = structure.get_string("colorimetry")
    if source.transfer is None and said and structure.get_name() == "video/x-vp9":
        color = parse_colorimetry(said)
        if color and color.transfer in HDR_TRANSFERS:
            source.colorimetry = said


def _why_nothing_plays(source, missing):
    """A better reason than GStreamer's general one, when tracks that it cannot handle are the cause."""
    all_caps = [track.caps for track in source.tracks] + missing
    names = [caps.get_structure(0).get_name() for caps in all_caps if caps.get_size()]
    if any(name.startswith("application/x-cenc") or name.startswith("application/x-cbcs") for name in names):
        return Failure(protected(source.name))
    for caps, name in zip(all_caps, names):
        if name.startswith("video/") and source.info is None and source.video is None:
            return Failure(no_decoder(source.name, caps))
    if any(name.startswith("image/") for name in names):
        return Failure(f"{source.name} is a still picture: give a MOV, MP4 or Matroska video")
    if any(name.startswith("text/") for name in names):
        return Failure(not_a_video(source.name))
    if names and source.video is None:
        # The header may speak of video that is too damaged to play.
        described = bool(source.layout.timescale)
        return Failure(
            damaged(source.name) if described else no_video(source.name))
    return None
