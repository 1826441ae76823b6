"""Looks at a file's own structure before GStreamer does: whether it is whole, and what its edit lists cut.

GStreamer 1.22 plays the start of a truncated file as if nothing were wrong. It also compares decoding times with edit
lists and the movie's length, which are presentation times; so it drops the last sound of files whose sound starts with
encoder padding, and the last frames of trimmed recordings with B-frames, such as a phone's. `Layout.patches` are a few
changed bytes of the header that let it read on; the caller then cuts at `Layout.video_end` itself.
"""

import os
import struct
from dataclasses import dataclass, field

import matroska

# Boxes that may come first in a QuickTime or MP4 file.
FIRST_BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")
EBML = b"\x1a\x45\xdf\xa3"
SEGMENT = b"\x18\x53\x80\x67"


@dataclass
class DolbyVision:
    """A decoder configuration record ("Dolby Vision Streams Within the ISO Base Media File Format", section 3.2)."""

    profile: int
    has_base_layer: bool
    compatibility: int  # of the base layer with other displays; 0 stands for none

    @classmethod
    def read(cls, record):
        if not record or len(record) < 5:
            return None
        fields = int.from_bytes(record[2:4], "big")
        return cls(fields >> 9, bool(fields & 1), record[4] >> 4)

    @property
    def is_own_colors(self):
        """Whether the base layer's colours are those of Dolby Vision alone (IPT), as those of profile 5."""
        return self.profile == 5 or (self.profile >= 10 and self.compatibility == 0)


@dataclass
class Layout:
    # Why the file is not whole, or None.
    defect: str = None
    # Whether its packets have no decoding times.
    lacks_decoding_times: bool = False
    # Bytes to read instead of the file's, by offset.
    patches: dict = field(default_factory=dict)
    # Length of the movie in nanoseconds, None where the header does not say.
    duration: int = None
    # Where each video track ends in nanoseconds of playing time, by track number.
    video_end: dict = field(default_factory=dict)
    # Ticks per second of each video track's times, by track number.
    timescale: dict = field(default_factory=dict)
    # Mastering display and content light level of each video track that has them, in the words of GStreamer's caps, by
    # track number. GStreamer 1.22 does not read them.
    metadata: dict = field(default_factory=dict)
    # The numbers of the video tracks, the one to be played first.
    videos: list = field(default_factory=list)
    # Dolby Vision of each video track that has it, by track number.
    dolby_vision: dict = field(default_factory=dict)
    # How video tracks are turned where GStreamer 1.22 does not see it, in the words of its tags, by track number.
    orientation: dict = field(default_factory=dict)
    # Numbers of the video tracks whose header speaks of HDR10+.
    hdr10_plus: set = field(default_factory=set)

    def rank(self, number):
        """A video track's place among those to be played."""
        return self.videos.index(number) if number in self.videos else len(self.videos)

    def choose(self, tracks):
        """Orders tracks, each (number, whether it is enabled, whether it is to be chosen where the user does not). An
        enhancement layer is no picture by itself."""

        def key(index):
            number, is_enabled, is_default = tracks[index]
            dolby_vision = self.dolby_vision.get(number)
            return dolby_vision is not None and not dolby_vision.has_base_layer, not is_enabled, not is_default, index

        self.videos = [tracks[index][0] for index in sorted(range(len(tracks)), key=key)]


def inspect(path):
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        start = file.read(12)
        if start[4:8] in FIRST_BOXES:
            return _inspect_mp4(file, size)
        if start[:4] == EBML:
            return _inspect_matroska(file, size)
    return Layout()


def _inspect_matroska(file, size):
    def number(offset):
        file.seek(offset)
        first = file.read(1)
        if not first or not first[0]:
            return None, offset
        length = 9 - first[0].bit_length()
        value = first[0] & (0xFF >> length)
        for byte in file.read(length - 1):
            value = value << 8 | byte
        # All ones stand for "not known yet", as in a live recording.
        return (None if value == (1 << 7 * length) - 1 else value), offset + length

    header, offset = number(4)
    if header is None:
        return Layout()
    offset += header
    file.seek(offset)
    if file.read(4) != SEGMENT:
        return Layout()
    length, offset = number(offset + 4)
    layout = Layout(
        defect="truncated" if length is not None and offset + length > size else None, lacks_decoding_times=True)
    videos = matroska.read_videos(file, offset, size)
    for video in videos:
        dolby_vision = DolbyVision.read(video.dolby_vision)
        if dolby_vision:
            layout.dolby_vision[video.number] = dolby_vision
        if video.orientation:
            layout.orientation[video.number] = video.orientation
        if video.has_dynamic_metadata:
            layout.hdr10_plus.add(video.number)
    layout.choose([(video.number, video.is_enabled, video.is_default) for video in videos])
    return layout


def _boxes(file, start, end):
    """Yields (type, start of the body, end) of each box in a range; the end may lie behind the range."""
    while start + 8 <= end:
        file.seek(start)
        size, kind = struct.unpack(">I4s", file.read(8))
        body = start + 8
        if size == 1:
            size = struct.unpack(">Q", file.read(8))[0]
            body += 8
        elif size == 0:
            size = end - start
        if size < body - start:
            return
        yield kind, body, start + size
        start += size


def _inspect_mp4(file, size):
    layout = Layout()
    moov = None
    fragmented = False
    try:
        for kind, body, end in _boxes(file, 0, size):
            if end > size:
                layout.defect = "truncated"
            if kind == b"moov":
                moov = (body, end)
            fragmented = fragmented or kind == b"moof"
        if moov is None:
            layout.defect = layout.defect or "headless"
        elif layout.defect is None:
            _inspect_videos(file, moov, layout)
            if not fragmented:
                _inspect_movie(file, moov, layout)
    except (struct.error, ZeroDivisionError, IndexError):
        # A header that contradicts itself: GStreamer judges it.
        layout.patches.clear()
        layout.video_end.clear()
    return layout


def _inspect_videos(file, moov, layout):
    """Notes which video tracks there are."""
    tracks = []
    for kind, body, end in _boxes(file, *moov):
        if kind != b"trak":
            continue
        boxes = _track_boxes(file, (body, end))
        if not all(name in boxes for name in (b"tkhd", b"hdlr")):
            continue
        file.seek(boxes[b"hdlr"][0] + 8)
        if file.read(4) != b"vide":
            continue
        number, is_enabled = _track_header(file, boxes[b"tkhd"])
        tracks.append((number, is_enabled, True))
        dolby_vision = _dolby_vision(file, boxes[b"stsd"]) if b"stsd" in boxes else None
        if dolby_vision:
            layout.dolby_vision[number] = dolby_vision
    layout.choose(tracks)


def _track_boxes(file, track):
    boxes = {}

    def collect(start, end):
        for kind, body, stop in _boxes(file, start, end):
            boxes.setdefault(kind, (body, stop))
            if kind in (b"mdia", b"edts", b"minf", b"stbl"):
                collect(body, stop)

    collect(*track)
    return boxes


def _track_header(file, box):
    """A track's number, and whether it is enabled."""
    file.seek(box[0])
    start = file.read(4)
    version, flags = start[0], start[3]
    file.seek(box[0] + (20 if version else 12))
    return struct.unpack(">I", file.read(4))[0], bool(flags & 1)


def _header(file, box):
    """Version-dependent header of mvhd and mdhd: (offset and struct format of the duration, timescale, duration)."""
    file.seek(box[0])
    if file.read(1) == b"\x01":
        offset, format_ = box[0] + 24, ">Q"
        file.seek(box[0] + 20)
    else:
        offset, format_ = box[0] + 16, ">I"
        file.seek(box[0] + 12)
    timescale = struct.unpack(">I", file.read(4))[0]
    duration = struct.unpack(format_, file.read(struct.calcsize(format_)))[0]
    return offset, format_, timescale, duration


def _edits(file, box):
    """The entries of an edit list: (offset, struct format, duration, media time)."""
    file.seek(box[0])
    version = file.read(4)[0]
    format_ = ">Qq" if version else ">Ii"
    count = struct.unpack(">I", file.read(4))[0]
    step = struct.calcsize(format_) + 4
    entries = []
    for index in range(min(count, 1000)):
        offset = box[0] + 8 + index * step
        file.seek(offset)
        entries.append((offset, format_, *struct.unpack(format_, file.read(step - 4))))
    return entries


def _inspect_movie(file, moov, layout):
    boxes = {}
    tracks = []
    for kind, body, end in _boxes(file, *moov):
        boxes[kind] = (body, end)
        if kind == b"trak":
            tracks.append((body, end))
    if b"mvhd" not in boxes or b"mvex" in boxes:
        return
    duration_at, duration_format, movie_scale, movie_duration = _header(file, boxes[b"mvhd"])
    unknown = (1 << 8 * struct.calcsize(duration_format)) - 1
    if not movie_duration or movie_duration == unknown:
        return
    layout.duration = movie_duration * 10**9 // movie_scale

    longest = max((_inspect_track(file, track, movie_scale, layout) for track in tracks), default=0)
    if longest:
        # Only as much as is needed: tracks far shorter than the movie count as preview images.
        longer = movie_duration + int(longest * movie_scale) + 1
        layout.patches[duration_at] = struct.pack(duration_format, min(longer, unknown - 1))


def _inspect_track(file, track, movie_scale, layout):
    """Notes a video track's end, lengthens an edit that stops before its samples do, and returns the seconds that the
    movie must be longer for that: those of the longer edit and of the media before the first edit."""
    boxes = _track_boxes(file, track)
    if not all(kind in boxes for kind in (b"tkhd", b"mdhd", b"hdlr")):
        return 0
    file.seek(boxes[b"hdlr"][0] + 8)
    handler = file.read(4)
    if handler not in (b"vide", b"soun"):
        return 0
    _, _, media_scale, media_duration = _header(file, boxes[b"mdhd"])
    number, _ = _track_header(file, boxes[b"tkhd"])
    if handler == b"vide":
        layout.timescale[number] = media_scale
        if b"stsd" in boxes:
            layout.metadata[number] = _metadata(file, boxes[b"stsd"])
    if b"elst" not in boxes:
        return 0
    edits = _edits(file, boxes[b"elst"])
    if not edits or not edits[-1][2] or edits[-1][3] < 0:
        return 0
    offset, format_, length, media_start = edits[-1]
    more = next(edit for edit in edits if edit[3] >= 0)[3] / media_scale
    if handler == b"vide" and media_start / media_scale + length / movie_scale < media_duration / media_scale:
        layout.video_end[number] = sum(edit[2] for edit in edits) * 10**9 // movie_scale
        whole = -(-(media_duration - media_start) * movie_scale // media_scale)
        layout.patches[offset] = struct.pack(format_[:2], min(whole, 2**31 - 1))
        more += (whole - length) / movie_scale
    return more


def _description_boxes(file, box):
    """The boxes of the first sample description."""
    # Version and count; then the fields of a visual sample entry.
    for _, entry, end in _boxes(file, box[0] + 8, box[1]):
        yield from _boxes(file, entry + 78, end)
        break


def _metadata(file, box):
    """Fields of caps from the boxes mdcv and clli of the first sample description."""
    found = {}
    for kind, body, stop in _description_boxes(file, box):
        file.seek(body)
        if kind == b"mdcv" and stop - body >= 24:
            green, blue, red, white, light = struct.unpack(">4s4s4s4s8s", file.read(24))
            numbers = struct.unpack(">8H2I", red + green + blue + white + light)
            found["mastering-display-info"] = ":".join(map(str, numbers))
        elif kind == b"clli" and stop - body >= 4:
            found["content-light-level"] = "%d:%d" % struct.unpack(">2H", file.read(4))
    return found


def _dolby_vision(file, box):
    for kind, body, stop in _description_boxes(file, box):
        if kind in (b"dvcC", b"dvvC", b"dvwC"):
            file.seek(body)
            return DolbyVision.read(file.read(min(stop - body, 24)))
    return None
