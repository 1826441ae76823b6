"""What a video's packets say of dynamic metadata: HDR10+, and Dolby Vision with its profile."""

from dataclasses import dataclass

# ITU-T T.35: the United States, then the provider and what it makes of it.
HDR10_PLUS = b"\xb5\x00\x3c\x00\x01\x04"
DOLBY_AV1 = b"\xb5\x00\x3b\x00\x00\x08\x00"
HEVC_RPU, HEVC_SEI, AVC_SEI, REGISTERED = 62, 39, 6, 4
AV1_METADATA, AV1_T35 = 5, 4


@dataclass
class Dynamic:
    """What has been found so far."""

    has_hdr10_plus: bool = False
    has_dolby_vision: bool = False
    # Whether an RPU is one of profile 5, the only one whose base layer is no ordinary picture.
    is_profile_5: bool = False

    def read(self, media, stream_format, data):
        """`media` is the caps' name; a packet's bytes."""
        try:
            if media == "video/x-av1":
                self._read_av1(data)
            elif media in ("video/x-h265", "video/x-h264"):
                for unit in _units(data, stream_format == "byte-stream"):
                    self._read_unit(media == "video/x-h265", unit)
        except (IndexError, ValueError):
            # A damaged packet is judged by its decoder.
            pass

    def _read_unit(self, is_hevc, unit):
        kind = unit[0] >> 1 & 0x3F if is_hevc else unit[0] & 0x1F
        if is_hevc and kind == HEVC_RPU:
            self.has_dolby_vision = True
            self.is_profile_5 = self.is_profile_5 or is_profile_5(_unescaped(unit[2:130]))
        elif kind == (HEVC_SEI if is_hevc else AVC_SEI):
            self._read_sei(_unescaped(unit[2 if is_hevc else 1:]))

    def _read_sei(self, data):
        at = 0
        # The last byte is the stop bit.
        while at + 2 < len(data):
            fields = []
            for _ in range(2):
                value = 0
                while data[at] == 0xFF:
                    value, at = value + 255, at + 1
                fields.append(value + data[at])
                at += 1
            kind, size = fields
            if kind == REGISTERED and data[at:at + size].startswith(HDR10_PLUS):
                self.has_hdr10_plus = True
            at += size

    def _read_av1(self, data):
        at = 0
        while at < len(data):
            kind, has_extension, has_size = data[at] >> 3 & 15, data[at] & 4, data[at] & 2
            at += 2 if has_extension else 1
            size, at = _leb128(data, at) if has_size else (len(data) - at, at)
            if kind == AV1_METADATA:
                what, start = _leb128(data, at)
                content = data[start:at + size]
                self.has_hdr10_plus = self.has_hdr10_plus or (what == AV1_T35 and content.startswith(HDR10_PLUS))
                self.has_dolby_vision = self.has_dolby_vision or (what == AV1_T35 and content.startswith(DOLBY_AV1))
            at += size


def _units(data, has_start_codes):
    """The NAL units of a packet."""
    if not has_start_codes:
        at = 0
        while at + 4 < len(data):
            size = int.from_bytes(data[at:at + 4], "big")
            if size:
                yield data[at + 4:at + 4 + size]
            at += 4 + size
        return
    start = data.find(b"\0\0\1")
    while start >= 0:
        end = data.find(b"\0\0\1", start + 3)
        unit = data[start + 3:end if end >= 0 else len(data)]
        if unit:
            yield unit
        start = end


def _unescaped(data):
    return data.replace(b"\0\0\3", b"\0\0")


def _leb128(data, at):
    value = 0
    for index in range(8):
        value |= (data[at + index] & 0x7F) << 7 * index
        if not data[at + index] & 0x80:
            return value, at + index + 1
    raise ValueError


class _Bits:
    def __init__(self, data):
        self.bits = int.from_bytes(data, "big")
        self.left = 8 * len(data)

    def read(self, count):
        if count > self.left:
            raise ValueError
        self.left -= count
        return self.bits >> self.left & ((1 << count) - 1)

    def unsigned(self):
        """An Exp-Golomb number."""
        zeros = 0
        while not self.read(1):
            zeros += 1
        return (1 << zeros) - 1 + self.read(zeros)


def is_profile_5(rpu):
    """Whether an RPU's header (ETSI GS CCM 001, rpu_data_header) is that of profile 5: profile number 0, full range."""
    if not rpu or rpu[0] != 25:
        return False
    bits = _Bits(rpu[1:])
    if bits.read(6) != 2:
        return False
    bits.read(11)
    profile = bits.read(4)
    bits.read(4)
    if profile or not bits.read(1):
        return not profile
    bits.read(1)
    if bits.read(2) == 0:
        bits.unsigned()
    bits.read(2)
    return bool(bits.read(1))
