"""Looks at a file's own structure before GStreamer does: whether it is whole, and what its edit lists cut.

GStreamer 1.22 plays the start of a truncated file as if nothing were wrong. It also compares decoding times with edit
lists and the movie's length, which are presentation times; so it drops the last sound of files whose sound starts with
encoder padding, and the last frames of trimmed recordings with B-frames, such as a phone's. `Layout.patches` are a few
changed bytes of the header that let it read on; the caller then cuts at `Layout.video_end` itself.
"""

import os
import struct
from dataclasses import dataclass, field

# Boxes that may come first in a QuickTime or MP4 file.
FIRST_BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot")
EBML = b"\x1a\x45\xdf\xa3"
SEGMENT = b"\x18\x53\x80\x67"


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
    return Layout(
        defect="truncated" if length is not None and offset + length > size else None, lacks_decoding_times=True)


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
        elif layout.defect is None and not fragmented:
            _inspect_movie(file, moov, layout)
    except (struct.error, ZeroDivisionError):
        # A header that contradicts itself: GStreamer judges it.
        layout.patches.clear()
        layout.video_end.clear()
    return layout


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
    boxes = {}

    def collect(start, end):
        for kind, body, stop in _boxes(file, start, end):
            boxes.setdefault(kind, (body, stop))
            if kind in (b"mdia", b"edts", b"minf", b"stbl"):
                collect(body, stop)

    collect(*track)
    if not all(kind in boxes for kind in (b"tkhd", b"mdhd", b"hdlr")):
        return 0
    file.seek(boxes[b"hdlr"][0] + 8)
    handler = file.read(4)
    if handler not in (b"vide", b"soun"):
        return 0
    _, _, media_scale, media_duration = _header(file, boxes[b"mdhd"])
    file.seek(boxes[b"tkhd"][0])
    version = file.read(1)[0]
    file.seek(boxes[b"tkhd"][0] + (20 if version else 12))
    number = struct.unpack(">I", file.read(4))[0]
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


def _metadata(file, box):
    """Fields of caps from the boxes mdcv and clli of the first sample description."""
    found = {}
    # Version and count; then the fields of a visual sample entry.
    for _, entry, end in _boxes(file, box[0] + 8, box[1]):
        for kind, body, stop in _boxes(file, entry + 78, end):
            file.seek(body)
            if kind == b"mdcv" and stop - body >= 24:
                green, blue, red, white, light = struct.unpack(">4s4s4s4s8s", file.read(24))
                numbers = struct.unpack(">8H2I", red + green + blue + white + light)
                found["mastering-display-info"] = ":".join(map(str, numbers))
            elif kind == b"clli" and stop - body >= 4:
                found["content-light-level"] = "%d:%d" % struct.unpack(">2H", file.read(4))
        break
    return found
