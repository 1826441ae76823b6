"""A clip of the look lab: pictures of raw video, what they are coded as, and their light.

Clips are I420_10LE in narrow range, chroma sited left, or GBR_10LE in full range. Light is display light in cd/m2.
"""
import os
import subprocess
import sys
from dataclasses import dataclass, field

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "Oracle"))
import hdr_oracle as oracle

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir))
PHOTOGRAPH = "/usr/share/libjxl-testdata/jxl/hdr_room.png"
BITS = 10


class Skipped(Exception):
    """Why a clip or a method cannot be shown on this machine."""


@dataclass
class Clip:
    """frames: the bytes of each picture. peak: MaxCLL in cd/m2 that the caps say, or 0. seam: in a sequence, the first
    picture of its second scene, or 0. patch: rows and columns of what does not change, as slices, or None."""

    name: str
    title: str
    width: int
    height: int
    transfer: str
    frames: list
    primaries: str = "bt2020"
    is_rgb: bool = False
    peak: int = 0
    is_ramp: bool = False
    seam: int = 0
    patch: tuple | None = None
    rate: int = 24
    _light: dict = field(default_factory=dict)

    @property
    def signal(self):
        return oracle.Signal(BITS, None if self.is_rgb else "bt2020", self.is_rgb, self.primaries, self.transfer)

    def light(self, index=-1):
        """Display light of a picture in BT.2020, Float32, kept for the next call."""
        if index not in self._light:
            codes = _unpack(self.frames[index], self.width, self.height, self.is_rgb)
            signal = np.maximum(oracle.decode(codes, self.signal), 0)
            light = oracle.light_from_signal(signal, self.transfer)
            light = oracle.transform(oracle.primaries_matrix(self.primaries, "bt2020"), light)
            self._light[index] = light.astype(np.float32)
        return self._light[index]


def _unpack(data, width, height, is_rgb):
    """Code values, an array of height, width and component: R, G, B, or Y', Cb, Cr with chroma at each pixel."""
    samples = np.frombuffer(data, "<u2").astype(np.float32)
    size = width * height
    if is_rgb:
        green, blue, red = samples.reshape(3, height, width)
        return np.stack([red, green, blue], -1)
    half_width, half_height = (width + 1) // 2, (height + 1) // 2
    chroma = samples[size:].reshape(2, half_height, half_width)
    planes = [samples[:size].reshape(height, width)]
    for plane in chroma:
        # Sited left: on even columns, and between two rows.
        up = _interpolated(plane, (np.arange(height) - 0.5) / 2, 0)
        planes.append(_interpolated(up, np.arange(width) / 2, 1))
    return np.stack(planes, -1)


def _interpolated(plane, positions, axis):
    """Linear interpolation between rows or columns, the outermost ones repeated."""
    low = np.floor(positions).astype(int)
    part = (positions - low).astype(np.float32)
    last = plane.shape[axis] - 1
    shape = (-1, 1) if axis == 0 else (1, -1)
    below = np.take(plane, np.clip(low, 0, last), axis)
    above = np.take(plane, np.clip(low + 1, 0, last), axis)
    return below + (above - below) * part.reshape(shape)


def packed_420(light, transfer="pq"):
    """The bytes of a picture of BT.2020 light as I420_10LE, of even size, not dithered."""
    rgb = oracle.signal_from_light(np.maximum(light, 0), transfer)
    codes = oracle.encode(rgb, oracle.Signal(BITS, "bt2020", False, "bt2020", transfer), rounded=False)
    chroma = codes[..., 1:]
    # Left siting: 1, 2, 1 along the row, and the mean of two rows.
    padded = np.pad(chroma, ((0, 0), (1, 1), (0, 0)), "edge")
    chroma = (padded[:, :-2] + 2 * padded[:, 1:-1] + padded[:, 2:])[:, ::2] / 4
    chroma = (chroma[::2] + chroma[1::2]) / 2
    planes = [codes[..., 0], chroma[..., 0], chroma[..., 1]]
    return b"".join(np.floor(plane + 0.5).astype("<u2").tobytes() for plane in planes)


def packed_rgb(signal):
    """The bytes of a picture of R'G'B' as GBR_10LE in full range."""
    codes = np.floor(np.clip(signal, 0, 1) * 1023 + 0.5).astype("<u2")
    return b"".join(codes[..., component].tobytes() for component in (1, 2, 0))


# MARK: Real clips

# Name, file, title, the second where it starts, MaxCLL.
MOVIES = [
    ("chart", "hlg10.mp4", "colour chart, HLG", 0, 0),
    ("roof", "hdr10-plus-no-colr.mp4", "roof and sky, HDR10+", 0, 1000),
    ("lake", "iphone-dolby-vision-8.4-hlg.mov", "phone, Dolby Vision 8.4, HLG", 0, 0),
    ("pan", "hdr10-av1.mp4", "clouds over a roof, PQ", 2, 0),
    ("street", "tears-of-steel-street.h265", "faces in daylight, PQ", 0, 1000),
    ("neon-film", "tears-of-steel-neon.h265", "neon lines in the dark, PQ", 0, 1000),
]
COSMOS = "cosmos-laundromat-p3-pq.y4m"
WIDTH = 960
FRAMES = 6


def samples_folder(named=None):
    """As the other tests look for them: the folder of GST_HDR_SAMPLES, ../shared/samples, or build/samples."""
    named = named or os.environ.get("GST_HDR_SAMPLES")
    if named:
        return named
    shared = os.path.join(os.path.dirname(ROOT), "shared", "samples")
    return shared if os.path.isdir(shared) else os.path.join(ROOT, "build", "samples")


def _decoded(path, pixels, filters=None, start=0, count=1):
    # A raw stream cannot be sought, not even to its start.
    command = ["ffmpeg", "-v", "error", *(["-ss", str(start)] if start else []), "-i", path, "-map", "0:v:0"]
    command += ["-vf", filters] if filters else []
    command += ["-frames:v", str(count), "-pix_fmt", pixels, "-f", "rawvideo", "-"]
    ended = subprocess.run(command, capture_output=True, check=False)
    if ended.returncode or not ended.stdout:
        raise Skipped(f"{os.path.basename(path)}: {ended.stderr.decode().strip() or 'no pictures'}")
    return ended.stdout


def _size(path):
    command = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-of", "csv=p=0", "-show_entries"]
    command += ["stream=width,height,color_transfer", path]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    width, height, transfer = said.split("\n")[0].split(",")[:3]
    return int(width), int(height), "hlg" if "b67" in transfer else "pq"


def movie(name, file, title, start, peak, folder):
    path = os.path.join(folder, file)
    if not os.path.exists(path):
        raise Skipped(f"{file} is not in {folder}; Tests/samples says where it is from")
    width, height, transfer = _size(path)
    scale = min(WIDTH / width, 640 / height, 1)
    width, height = (int(length * scale) // 2 * 2 for length in (width, height))
    data = _decoded(path, "yuv420p10le", f"scale={width}:{height}:flags=area", start, FRAMES)
    size = width * height * 3
    frames = [data[at : at + size] for at in range(0, len(data), size)]
    return Clip(name, title, width, height, transfer, frames, peak=peak)


def cosmos(folder):
    path = os.path.join(folder, COSMOS)
    if not os.path.exists(path):
        raise Skipped(f"{COSMOS} is not in {folder}")
    codes = np.frombuffer(_decoded(path, "yuv444p10le"), "<u2").reshape(3, 428, 1024)
    # The matrix is the one that H.273 derives from P3's primaries (its value 12), in full range.
    luma = codes[0] / 1023
    cb, cr = ((codes[plane].astype(float) - 512) / 1023 for plane in (1, 2))
    kr, kg, kb = oracle.xyz_from_rgb("p3")[1]
    red, blue = luma + 2 * (1 - kr) * cr, luma + 2 * (1 - kb) * cb
    signal = np.stack([red, (luma - kr * red - kb * blue) / kg, blue], -1)
    return Clip("cosmos", "grass and low sun, P3 PQ", 1024, 428, "pq", [packed_rgb(signal)] * FRAMES, "p3", True)


def photograph():
    if not os.path.exists(PHOTOGRAPH):
        raise Skipped(f"{PHOTOGRAPH} is missing: apt-get install libjxl-testdata")
    codes = np.frombuffer(_decoded(PHOTOGRAPH, "rgb48le"), "<u2").reshape(449, 676, 3)[:448]
    light = oracle.light_from_signal(codes / 65535, "hlg")
    return Clip("room", "photograph, HLG", 676, 448, "hlg", [packed_420(light, "hlg")] * FRAMES)
