"""Reads what a Matroska file's header says of its tracks and GStreamer 1.22 does not: which of them is meant to be
played, how it is turned, and whether it holds Dolby Vision."""

import struct
from dataclasses import dataclass

SEEK_HEAD, SEEK, SEEK_ID, SEEK_POSITION = 0x114D9B74, 0x4DBB, 0x53AB, 0x53AC
TRACKS, CLUSTER = 0x1654AE6B, 0x1F43B675
TRACK, NUMBER, KIND, ENABLED, DEFAULT = 0xAE, 0xD7, 0x83, 0xB9, 0x88
VIDEO, PROJECTION, PROJECTION_TYPE, YAW, PITCH, ROLL = 0xE0, 0x7670, 0x7671, 0x7673, 0x7674, 0x7675
ADDITION, ADDITION_TYPE, ADDITION_DATA = 0x41E4, 0x41E7, 0x41ED
DOLBY_VISION = (0x64766343, 0x64767643, 0x64767743)  # dvcC, dvvC, dvwC
HDR10_PLUS = 4
# Larger headers are not meant to be read by anybody.
LARGEST = 16 << 20


@dataclass
class Video:
    number: int = 0
    is_enabled: bool = True
    is_default: bool = True
    orientation: str = None  # in the words of GStreamer's tags
    dolby_vision: bytes = None  # its configuration record
    has_dynamic_metadata: bool = False


def _size(data, at):
    """An element's length, None where it is unknown, and where its content starts."""
    first = data[at]
    if not first:
        raise ValueError
    length = 9 - first.bit_length()
    value = int.from_bytes(data[at:at + length], "big") & ((1 << 7 * length) - 1)
    return (None if value == (1 << 7 * length) - 1 else value), at + length


def _elements(data):
    """The elements in a parent's content: numbers of their kinds, and their contents."""
    at = 0
    while at < len(data):
        if not data[at]:
            return
        length = 9 - data[at].bit_length()
        kind = int.from_bytes(data[at:at + length], "big")
        size, at = _size(data, at + length)
        if size is None or at + size > len(data):
            return
        yield kind, data[at:at + size]
        at += size


def _number(data):
    return int.from_bytes(data[:8], "big")


def _float(data):
    return struct.unpack(">f" if len(data) == 4 else ">d", data)[0] if len(data) in (4, 8) else 0.0


def read_videos(file, segment, size):
    """The video tracks of a file, in its order. `segment` is where the segment's content starts."""
    try:
        return _videos(_find_tracks(file, segment, size))
    except (IndexError, ValueError, struct.error):
        # What contradicts itself is judged by GStreamer.
        return []


def _head(file, at):
    """The kind of the element at an offset, its length, and where its content starts."""
    file.seek(at)
    data = file.read(12)
    if len(data) < 2 or not data[0]:
        raise ValueError
    length = 9 - data[0].bit_length()
    kind = int.from_bytes(data[:length], "big")
    size, start = _size(data, length)
    return kind, size, at + start


def _find_tracks(file, segment, size):
    at = segment
    elsewhere = None
    while at < size:
        kind, length, start = _head(file, at)
        if length is None or kind == CLUSTER:
            break
        if kind in (TRACKS, SEEK_HEAD):
            data = file.read(0) if length > LARGEST else (file.seek(start), file.read(length))[1]
            if kind == TRACKS:
                return data
            elsewhere = elsewhere or _position(data)
        at = start + length
    # A file that was recorded live has its tracks behind the pictures, at times.
    if elsewhere is not None and segment + elsewhere < size:
        kind, length, start = _head(file, segment + elsewhere)
        if kind == TRACKS and length is not None and length <= LARGEST:
            file.seek(start)
            return file.read(length)
    return b""


def _position(data):
    for kind, seek in _elements(data):
        entry = dict(_elements(seek)) if kind == SEEK else {}
        if _number(entry.get(SEEK_ID, b"")) == TRACKS and SEEK_POSITION in entry:
            return _number(entry[SEEK_POSITION])
    return None


def _videos(tracks):
    found = []
    for kind, data in _elements(tracks):
        fields = dict(_elements(data)) if kind == TRACK else {}
        if _number(fields.get(KIND, b"")) != 1:
            continue
        video = Video(
            number=_number(fields.get(NUMBER, b"")), is_enabled=_number(fields.get(ENABLED, b"\1")) != 0,
            is_default=_number(fields.get(DEFAULT, b"\1")) != 0)
        for name, part in _elements(fields.get(VIDEO, b"")):
            if name == PROJECTION:
                video.orientation = orientation(dict(_elements(part)))
        for name, part in _elements(data):
            if name == ADDITION:
                _read_addition(dict(_elements(part)), video)
        found.append(video)
    return found


def _read_addition(fields, video):
    kind = _number(fields.get(ADDITION_TYPE, b""))
    if kind in DOLBY_VISION:
        video.dolby_vision = fields.get(ADDITION_DATA)
    elif kind == HDR10_PLUS:
        video.has_dynamic_metadata = True


def orientation(fields):
    """How a projection turns a flat picture: mirrored where it is turned around an axis in its own plane, then turned
    by the roll, which is counter-clockwise. None where it is upright, or at an angle that no player shows."""
    yaw, pitch, roll = (_float(fields.get(name, b"")) % 360 for name in (YAW, PITCH, ROLL))
    if _number(fields.get(PROJECTION_TYPE, b"")) or yaw not in (0, 180) or pitch not in (0, 180) or roll % 90:
        return None
    # Upside down is mirrored, and turned by half.
    is_mirrored = (yaw == 180) != (pitch == 180)
    degrees = int(360 - roll + pitch) % 360
    if not is_mirrored and not degrees:
        return None
    return ("flip-" if is_mirrored else "") + f"rotate-{degrees}"
