"""What makes SDR of a clip: hdrconvert, libplacebo in a Debian tree, and the standards as the oracle computes them."""
import hashlib
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass

import numpy as np

from clip import BITS, Clip, Skipped, oracle

SUITE, MIRROR = "trixie", "http://deb.debian.org/debian"
# Of GStreamer's colorimetry: range, matrix, transfer, primaries.
RGB_COLORIMETRY = {("pq", "p3"): "1:1:14:11", ("pq", "bt2020"): "1:1:14:7", ("hlg", "bt2020"): "1:1:15:7"}
# On lavapipe libplacebo draws a grid over the picture where it measures peaks and scales in linear light, as it does
# for chroma; these options keep that away and leave tone and gamut mapping as they are.
WITHOUT_GRID = "disable_linear=1:sigmoid=0:skip_aa=1"
FFMPEG_TRANSFER = {"pq": "smpte2084", "hlg": "arib-std-b67"}
FFMPEG_PRIMARIES = {"bt2020": "bt2020", "p3": "smpte432"}


@dataclass
class Method:
    """kind: hdrconvert, libplacebo or oracle. setting: properties, options of the filter, or the name of a curve."""

    name: str
    kind: str
    setting: str = ""

    @staticmethod
    def parsed(text):
        """`name=kind:setting`, or a setting of hdrconvert alone, which is its own name then."""
        for kind in ("libplacebo", "oracle"):
            head, found, setting = text.partition(kind)
            if found and (not head or head.endswith("=")):
                return Method(head.rstrip("=") or text, kind, setting.lstrip(":"))
        head, _, setting = text.partition(":")
        return Method(head, "hdrconvert", setting) if ":" in text else Method(text, "hdrconvert", text)


# The sheet's columns where none are named.
METHODS = [
    Method("libplacebo", "libplacebo"),
    Method("hdrconvert", "hdrconvert"),
    Method("bt2446a clip", "hdrconvert", "tone-mapping=bt2446a gamut-mapping=clip peak-detection=off"),
    Method("bt2390 clip", "hdrconvert", "tone-mapping=bt2390 gamut-mapping=clip peak-detection=off"),
    Method("spline clip", "hdrconvert", "tone-mapping=spline gamut-mapping=clip peak-detection=off"),
    Method("per channel", "hdrconvert",
           "tone-mapping=bt2390 tone-mapping-domain=rgb gamut-mapping=clip peak-detection=off"),
    Method("bt2390 of the standard", "oracle", "bt2390"),
    Method("bt2446c of the standard", "oracle", "bt2446c"),
]


class Converter:
    """Runs methods. `tree` is the folder of the Debian tree, `cache` one for libplacebo's pictures, which are slow."""

    def __init__(self, tree, cache, say=print):
        self.tree, self.cache, self.say = tree, cache, say
        self.no_libplacebo = None
        self._checked = False

    def signals(self, method, clip, bits=BITS):
        """SDR R'G'B' in BT.709 of each picture, height, width, component; the sum of codes is exact in Float32."""
        if method.kind == "oracle":
            return [_standard(method.setting, clip)]
        make = self._libplacebo if method.kind == "libplacebo" else self._hdrconvert
        data = make(method.setting, clip, bits)
        word, size = ("<u2", 2) if bits > 8 else ("u1", 1)
        planes = np.frombuffer(data, word).reshape(-1, 3, clip.height, clip.width)
        if len(planes) != len(clip.frames):
            raise Skipped(f"{method.name}: {len(planes)} pictures came of {len(clip.frames)}")
        return [np.stack([red, green, blue], -1).astype(np.float32) / (2**bits - 1) for green, blue, red in planes]

    # MARK: hdrconvert

    @staticmethod
    def _hdrconvert(setting, clip, bits):
        layout = "gbr-10le" if clip.is_rgb else "i420-10le"
        colours = RGB_COLORIMETRY[clip.transfer, clip.primaries] if clip.is_rgb else f"bt2100-{clip.transfer}"
        settings = _supported(setting)
        if "{peak}" in settings:
            settings = settings.replace("{peak}", f"{max(clip.light().max(), 1):.1f}")
        level = f" ! capssetter caps=video/x-raw,content-light-level=(string){clip.peak}:0" if clip.peak else ""
        with tempfile.TemporaryDirectory() as folder:
            source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
            with open(source, "wb") as file:
                file.writelines(clip.frames)
            line = (
                f"filesrc location={source} ! rawvideoparse width={clip.width} height={clip.height} format={layout} "
                f"framerate={clip.rate}/1 colorimetry={colours}{level} ! hdrconvert {settings} ! "
                f"video/x-raw,format={'GBR' if bits == 8 else 'GBR_10LE'},colorimetry=1:1:5:1 ! "
                f"filesink location={target}")
            ended = subprocess.run(
                ["gst-launch-1.0", "-q", *line.split()], capture_output=True, text=True, timeout=600, check=False)
            if ended.returncode or not os.path.exists(target):
                said = (ended.stderr or ended.stdout).strip().split("\n")
                raise Skipped(f"hdrconvert {setting}: {said[0]}")
            with open(target, "rb") as file:
                return file.read()

    # MARK: libplacebo

    def _libplacebo(self, setting, clip, bits):
        self.make_tree()
        options = "colorspace=gbr:color_primaries=bt709:color_trc=bt709:range=pc"
        options += f":format=gbrp{'' if bits == 8 else '10le'}:{WITHOUT_GRID}" + (f":{setting}" if setting else "")
        layout, matrix = ("gbrp10le", "rgb") if clip.is_rgb else ("yuv420p10le", "bt2020nc")
        command = [
            "ffmpeg", "-v", "error", "-init_hw_device", "vulkan", "-f", "rawvideo", "-pix_fmt", layout,
            "-s", f"{clip.width}x{clip.height}", "-r", str(clip.rate), "-color_primaries",
            FFMPEG_PRIMARIES[clip.primaries], "-color_trc", FFMPEG_TRANSFER[clip.transfer], "-colorspace", matrix,
            "-color_range", "pc" if clip.is_rgb else "tv", "-i", "pipe:0", "-vf", f"libplacebo={options}",
            "-fps_mode", "passthrough", "-f", "rawvideo", "pipe:1"]
        data = b"".join(clip.frames)
        key = hashlib.sha256(" ".join(command).encode() + data).hexdigest()[:24]
        kept = os.path.join(self.cache, f"libplacebo-{key}")
        if not os.path.exists(kept):
            enter = [] if os.geteuid() == 0 else ["sudo"]
            ended = subprocess.run(
                [*enter, "chroot", self.tree, *command], input=data, capture_output=True, timeout=1200, check=False)
            if ended.returncode or not ended.stdout:
                raise Skipped(f"libplacebo: {ended.stderr.decode().strip().split(chr(10))[0] or 'no pictures'}")
            with open(kept + ".part", "wb") as file:
                file.write(ended.stdout)
            os.replace(kept + ".part", kept)
        with open(kept, "rb") as file:
            return file.read()

    def make_tree(self):
        """Debian 13 with ffmpeg and a Vulkan device in software, made once."""
        if self.no_libplacebo:
            raise Skipped(self.no_libplacebo)
        if self._checked or os.path.exists(os.path.join(self.tree, "made")):
            self._checked = True
            return
        try:
            if not shutil.which("debootstrap"):
                raise Skipped("libplacebo: debootstrap is missing")
            self.say(f"making a tree of Debian 13 in {self.tree}: some minutes, 900 MB")
            shutil.rmtree(self.tree, ignore_errors=True)
            os.makedirs(os.path.dirname(self.tree), exist_ok=True)
            enter = [] if os.geteuid() == 0 else ["sudo"]
            ended = subprocess.run(
                [*enter, "debootstrap", "--variant=minbase", "--include=ffmpeg,mesa-vulkan-drivers", SUITE, self.tree,
                 MIRROR], capture_output=True, text=True, check=False)
            if ended.returncode:
                raise Skipped(f"libplacebo: debootstrap: {(ended.stdout or ended.stderr).strip().split(chr(10))[-1]}")
            subprocess.run([*enter, "touch", os.path.join(self.tree, "made")], check=True)
        except (Skipped, OSError, subprocess.CalledProcessError) as error:
            self.no_libplacebo = str(error)
            raise Skipped(self.no_libplacebo) from error
        self._checked = True


def _supported(setting):
    """`peak-detection=off` and the like say nothing to a plugin that never had the property."""
    named = _properties()
    return " ".join(
        part for part in setting.split() if part.partition("=")[0] in named or not part.endswith(("=off", "=0")))


def _properties(kept=[]):
    if not kept:
        said = subprocess.run(["gst-inspect-1.0", "hdrconvert"], capture_output=True, text=True, check=False)
        if said.returncode:
            raise Skipped("hdrconvert: GStreamer does not find it; meson-wrap/build-plugin builds it")
        kept.extend(line.split(":")[0].strip() for line in said.stdout.split("\n") if " : " in line)
    return kept


def _standard(curve, clip: Clip):
    """A standard's curve in double precision, its colours clipped, of the last picture."""
    peak = clip.peak or 1000
    rgb = np.clip(clip.light(), 0, 10000).astype(float)
    if curve == "bt2390":
        def curve(level):
            return oracle.bt2390_eetf(np.minimum(level, peak), peak, oracle.REFERENCE_WHITE)

        rgb = oracle.apply_curve(curve, rgb, "max-rgb", "bt2020")
    elif curve == "bt2446a":
        rgb = oracle.bt1886_eotf(oracle.bt2446_a(rgb, peak), oracle.REFERENCE_WHITE)
    elif curve == "bt2446c":
        rgb = oracle.bt2446_c(rgb) / 100 * oracle.REFERENCE_WHITE
    else:
        raise Skipped(f"the oracle has no curve {curve}; it has bt2390, bt2446a and bt2446c")
    rgb = np.clip(oracle.transform(oracle.primaries_matrix("bt2020", "bt709"), rgb), 0, oracle.REFERENCE_WHITE)
    return oracle.bt1886_inverse_eotf(rgb, oracle.REFERENCE_WHITE).astype(np.float32)
