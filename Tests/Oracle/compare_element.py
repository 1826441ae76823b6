#!/usr/bin/env python3
"""Holds an element to the oracle: converts random and extreme colours with it, and reports how far its codes are off.

    compare_element.py hdrconvert quality=reference --seed 7
    compare_element.py hdrconvert quality=fast --limit 3 --format y444-16le
    compare_element.py hdrconvert quality=reference --dither blue-noise --share 0.005

The words before the options are the element and its properties, as on a launch line. Tone curves and peaks are set
where the element is hdrconvert. With dither the target has 8 bits, and the pattern has to be the oracle's: the exit
status is 1 where a component is further from the oracle than the limit, or where a larger share of them is off.
GStreamer finds the element by GST_PLUGIN_PATH.
"""
import argparse
import itertools
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np

import dither
import hdr_oracle as oracle

# rawvideoparse's names. GStreamer stores the planes of GBR in that order.
FORMATS = {"y444-10le": 10, "y444-12le": 12, "y444-16le": 16, "gbr-10le": 10, "gbr-12le": 12}
PRIMARIES = {"pq": "bt2020", "hlg": "bt2020", "sdr": "bt709"}
COLORIMETRY = {"pq": "bt2100-pq", "hlg": "bt2100-hlg", "sdr": "bt709"}
# Range, matrix, transfer and primaries of GstVideoColorimetry: full range, RGB.
RGB_COLORIMETRY = {"pq": "1:1:14:7", "hlg": "1:1:15:7", "sdr": "1:1:5:1"}


@dataclass(frozen=True)
class Conversion:
    source: str
    target: str
    tone_mapping: str
    domain: str = "max-rgb"
    contrast_recovery: float = 0
    gamut_mapping: str = "clip"


CONVERSIONS = [
    *(Conversion("pq", "sdr", "bt2390", domain) for domain in ("max-rgb", "luminance", "rgb")),
    *(Conversion("hlg", "sdr", "bt2390", domain) for domain in ("max-rgb", "luminance", "rgb")),
    *(Conversion(source, "sdr", curve) for source in ("pq", "hlg")
      for curve in ("bt2446a", "bt2446c", "clip", "spline", "reference-white")),
    *(Conversion(source, "sdr", curve, domain, recovery)
      for source, curve, domain, recovery in (
          ("pq", "bt2390", "max-rgb", 0.3), ("pq", "reference-white", "max-rgb", 1), ("hlg", "bt2390", "max-rgb", 0.3),
          ("hlg", "spline", "luminance", 0.5))),
    *(Conversion(source, "sdr", curve, gamut_mapping="perceptual") for source in ("pq", "hlg")
      for curve in ("bt2390", "bt2446a", "bt2446c", "clip", "spline", "reference-white")),
    Conversion("pq", "sdr", "bt2390", "rgb", gamut_mapping="perceptual"),
    Conversion("pq", "hlg", "bt2390"),
    Conversion("hlg", "pq", "none"),
    Conversion("sdr", "pq", "none"),
    Conversion("sdr", "hlg", "none"),
    Conversion("sdr", "pq", "expansion"),
    Conversion("sdr", "hlg", "expansion"),
]
# BT.2446's method C is defined for a 1000 cd/m2 source, which both are here.
SOURCE_PEAK = 1000.0


def signal(transfer, video_format, bits):
    is_rgb = video_format.startswith("gbr")
    return oracle.Signal(
        bits=bits, matrix=None if is_rgb else PRIMARIES[transfer], full_range=is_rgb,
        primaries=PRIMARIES[transfer], transfer=transfer)


def picture(source, seed, size):
    """Codes of random colours: of any kind, greys, of the middle range, and dark ones; in the last row the extremes."""
    width, height = size
    random = np.random.default_rng(seed)
    rgb = random.random((height, width, 3))
    band = height // 5
    rgb[:band] = rgb[:band, :, :1]
    rgb[band : 2 * band] = 0.35 + 0.3 * rgb[band : 2 * band]
    rgb[2 * band : 3 * band] *= 0.15
    extremes = list(itertools.product((0, 0.25, 0.5, 0.58, 0.75, 1), repeat=3))
    rgb[-1, : len(extremes)] = extremes
    return oracle.encode(rgb, source)


def converted(element, codes, conversion, video_format, bits):
    """What the element makes of the codes, in the same format or in 8 bits."""
    height, width = codes.shape[:2]
    is_rgb = video_format.startswith("gbr")
    names = RGB_COLORIMETRY if is_rgb else COLORIMETRY
    order = [1, 2, 0] if is_rgb else [0, 1, 2]
    made_format = video_format.split("-")[0] if bits == 8 else video_format
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
        np.moveaxis(codes, -1, 0)[order].astype("<u2").tofile(source)
        line = (
            f"filesrc location={source} ! rawvideoparse width={width} height={height} format={video_format} "
            f"framerate=25/1 colorimetry={names[conversion.source]} ! {element} ! "
            f"video/x-raw,format={made_format.upper().replace('-', '_')},colorimetry={names[conversion.target]} ! "
            f"filesink location={target}")
        ended = subprocess.run(
            ["gst-launch-1.0", "-q", *line.split()], capture_output=True, text=True, timeout=300, check=False)
        if ended.returncode != 0 or not os.path.exists(target):
            sys.exit(f"compare_element.py: {line}\n{ended.stderr or ended.stdout}")
        planes = np.fromfile(target, "u1" if bits == 8 else "<u2").reshape(3, height, width)
    made = np.empty((height, width, 3))
    for plane, component in zip(planes, order):
        made[..., component] = plane
    return made


def compare(arguments):
    """Prints a line for each conversion, and returns how many go beyond the limit."""
    element = " ".join(arguments.element)
    beyond = 0
    for conversion in CONVERSIONS:
        deep = FORMATS[arguments.format]
        source = signal(conversion.source, arguments.format, deep)
        target = signal(conversion.target, arguments.format, deep if arguments.dither == "none" else 8)
        codes = picture(source, arguments.seed, arguments.size)
        wanted, light = oracle.convert(
            codes, source, target, conversion.tone_mapping, conversion.domain, source_peak=SOURCE_PEAK,
            contrast_recovery=conversion.contrast_recovery, gamut_mapping=conversion.gamut_mapping,
            rounded=False)
        wanted = dither.rounded(wanted, arguments.dither, target.maximum)
        settings = ""
        if arguments.element[0] == "hdrconvert":
            mapping = f"tone-mapping={conversion.tone_mapping}"
            if conversion.tone_mapping == "expansion":
                mapping = "inverse-tone-mapping=auto"
            settings = (
                f" {mapping} tone-mapping-domain={conversion.domain} "
                f"contrast-recovery={conversion.contrast_recovery} source-peak={SOURCE_PEAK} "
                f"gamut-mapping={conversion.gamut_mapping} dither={arguments.dither}")
        made = converted(element + settings, codes, conversion, arguments.format, target.bits)
        off = np.abs(made - wanted)
        shown = oracle.light_from_signal(np.maximum(oracle.decode(made, target), 0), target.transfer)
        visible = oracle.delta_e_itp(shown, light, target.primaries)
        failed = off.max() > arguments.limit or (off > 0).mean() > arguments.share
        beyond += failed
        print(
            f"{conversion.source} to {conversion.target}, {conversion.tone_mapping}, {conversion.domain}, "
            f"recovery {conversion.contrast_recovery}, {conversion.gamut_mapping}: codes off by at most {off.max():.0f}, "
            f"mean {off.mean():.3f}; Delta E ITP at most {visible.max():.2f}, mean "
            f"{visible.mean():.3f}{' <- beyond the limit' if failed else ''}")
    print(
        f"{beyond} of {len(CONVERSIONS)} conversions beyond {arguments.limit:g} codes "
        f"({arguments.format}, seed {arguments.seed})")
    return beyond


def size(text):
    width, height = (int(part) for part in text.split("x"))
    # The extremes are as many, and the rows have five bands.
    if width < 216 or height < 5:
        raise ValueError
    return width, height


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("element", nargs="+", help="an element and its properties")
    parser.add_argument("--seed", type=int, default=1, help="of the random colours")
    parser.add_argument(
        "--size", type=size, default=(480, 270), metavar="WIDTHxHEIGHT",
        help="of the picture, at least 216x5 (default: 480x270)")
    parser.add_argument("--limit", type=float, default=1, help="codes that a component may be off (default: 1)")
    parser.add_argument("--share", type=float, default=1, help="of components that may be off at all (default: 1)")
    parser.add_argument("--format", choices=FORMATS, default="y444-10le")
    parser.add_argument("--dither", choices=("none", "ordered", "blue-noise"), default="none")
    sys.exit(1 if compare(parser.parse_args()) else 0)


if __name__ == "__main__":
    main()
