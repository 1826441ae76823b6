"""Makes the pictures of the pages about hdrconvert's properties, from scenes that are rendered and a free photograph.

    Tests/Look/look --pages                 all of them, into Sources/GstHDR/GstHDR.docc/Resources
    Tests/Look/look --pages tone-mapping     one
"""
import os
import subprocess

import numpy as np
from PIL import Image, ImageDraw

import clip
import methods
import scenes
import sheet

FOLDER = os.path.join(clip.ROOT, "Sources", "GstHDR", "GstHDR.docc", "Resources")
GAP = 6
HEAD = 24
# By the picture's name: rows as a clip and the part of it that is shown, and columns as a name and properties.
GRIDS = {
    "tone-mapping": (
        [("room", None), ("snow", None), ("office", None)],
        [(name, f"tone-mapping={name} gamut-mapping=perceptual")
         for name in ("clip", "bt2390", "bt2446a", "spline", "reference-white")]),
    "gamut-mapping": (
        [("neon", (0.0, 0.0, 0.5, 0.5)), ("fire", (0.3, 0.2, 0.7, 0.8))],
        [(name, f"tone-mapping=reference-white gamut-mapping={name}")
         for name in ("clip", "softclip", "desaturate", "perceptual")]),
    "peak-detection-office": (
        [("office-4000", None)],
        [(name, f"tone-mapping=reference-white peak-detection={name}") for name in ("off", "auto")]),
    "contrast-recovery": (
        [("snow", (0.25, 0.35, 0.6, 0.8)), ("fire", (0.3, 0.2, 0.7, 0.8))],
        [(value, f"tone-mapping=reference-white gamut-mapping=perceptual contrast-recovery={value}")
         for value in ("0", "0.35", "1")]),
}
WIDTHS = {"tone-mapping": 300, "gamut-mapping": 360, "peak-detection-office": 480, "contrast-recovery": 400}


def _found(name):
    return clip.photograph() if name == "room" else scenes.scene(name)


def grid(converter, rows, columns, width):
    """Each row's clip by each column's properties, with the columns' names above."""
    lines = []
    for name, crop in rows:
        shown = _found(name)
        lines.append([
            sheet.picture(converter.signals(methods.Method(title, "hdrconvert", setting), shown)[-1], width, crop)
            for title, setting in columns])
    return framed(lines, [title for title, _ in columns])


def framed(lines, titles):
    width = lines[0][0].width
    height = HEAD + sum(line[0].height + GAP for line in lines)
    made = Image.new("RGB", (len(titles) * (width + GAP) - GAP, height - GAP), sheet.GROUND)
    draws = ImageDraw.Draw(made)
    for column, title in enumerate(titles):
        draws.text((column * (width + GAP) + 4, 4), title, sheet.INK, sheet.font(14))
    top = HEAD
    for line in lines:
        for column, image in enumerate(line):
            made.paste(image, (column * (width + GAP), top))
        top += line[0].height + GAP
    return made


def dither(_converter):
    """A slow ramp of 10 bits as 8, what lies between two codes drawn four times as large, and its contrast 40 times."""
    width, height, large = 120, 48, 4
    ramp = np.repeat(np.linspace(400, 416, width)[None], height, 0).astype("<u2").tobytes()
    cells = []
    for name in ("none", "ordered", "blue-noise"):
        line = (
            f"fdsrc fd=0 ! rawvideoparse width={width} height={height} format=gbr-10le framerate=1/1 "
            f"colorimetry=1:1:5:1 ! hdrconvert dither={name} ! video/x-raw,format=GBR,colorimetry=1:1:5:1 ! fdsink fd=1")
        ended = subprocess.run(["gst-launch-1.0", "-q", *line.split()], input=3 * ramp, capture_output=True, check=False)
        if len(ended.stdout) != 3 * width * height:
            raise clip.Skipped(f"dither={name}: {ended.stderr.decode().strip()}")
        codes = np.frombuffer(ended.stdout, "u1")[: width * height].reshape(height, width).astype(int)
        grey = np.clip(128 + 40 * (codes - 102), 0, 255).astype("u1")
        image = Image.fromarray(grey).convert("RGB")
        cells.append(image.resize((width * large, height * large), Image.NEAREST))
    return framed([cells], ["none", "ordered", "blue-noise"])


def expansion(_converter):
    """What inverse-tone-mapping makes of SDR's signal: lines of light over signal, both axes by their meaning."""
    width, height, left, bottom = 560, 360, 60, 330
    curves = (("none", (170, 170, 170)), ("bt2446a", (230, 120, 90)), ("spline", (110, 170, 240)),
              ("auto", (120, 220, 120)))
    made = Image.new("RGB", (width, height), sheet.GROUND)
    draws = ImageDraw.Draw(made)
    codes = np.arange(0, 1024).astype("<u2")

    def place(signal, light):
        top = clip.oracle.pq_inverse_eotf(1000.0)
        return left + signal * (width - left - 30), bottom - clip.oracle.pq_inverse_eotf(light) / top * (bottom - 40)

    for light in (1, 10, 50, 100, 203, 400, 1000):
        y = place(0, float(light))[1]
        draws.line((left, y, width - 30, y), (60, 60, 60))
        draws.text((8, y - 8), f"{light}", sheet.FAINT, sheet.font(12))
    draws.text((8, 8), "cd/m²", sheet.FAINT, sheet.font(12))
    for percent in (0, 25, 50, 75, 100):
        draws.text((place(percent / 100, 1.0)[0] - 14, bottom + 8), f"{percent} %", sheet.FAINT, sheet.font(12))
    for index, (name, colour) in enumerate(curves):
        line = (
            "fdsrc fd=0 ! rawvideoparse width=1024 height=1 format=gbr-10le framerate=1/1 colorimetry=1:1:5:1 ! "
            f"hdrconvert inverse-tone-mapping={name} dither=none ! "
            "video/x-raw,format=GBR_10LE,colorimetry=1:1:14:7 ! fdsink fd=1")
        ended = subprocess.run(
            ["gst-launch-1.0", "-q", *line.split()], input=3 * codes.tobytes(), capture_output=True, check=False)
        if len(ended.stdout) != 6 * 1024:
            raise clip.Skipped(f"inverse-tone-mapping={name}: {ended.stderr.decode().strip()}")
        light = clip.oracle.pq_eotf(np.frombuffer(ended.stdout, "<u2")[:1024] / 1023)
        points = [place(code / 1023, max(float(light[code]), 1e-3)) for code in range(0, 1024, 4)]
        draws.line(points, colour, 2)
        draws.text((left + 12, 24 + 18 * index), name, colour, sheet.font(14))
    return made


def make(converter, names, say):
    """Makes the pictures that are named, or all."""
    drawn = {"dither": dither, "inverse-tone-mapping": expansion}
    every = [*GRIDS, *drawn]
    for name in names or every:
        if name not in every:
            raise clip.Skipped(f"no picture is called {name}: there are {', '.join(every)}")
        made = drawn[name](converter) if name in drawn else grid(converter, *GRIDS[name], WIDTHS[name])
        path = os.path.join(FOLDER, name + (".png" if name in drawn else ".jpg"))
        made.save(path, quality=82, optimize=True)
        say(f"{os.path.relpath(path, clip.ROOT)}, {os.path.getsize(path) // 1000} kB")
