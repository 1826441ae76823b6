#!/usr/bin/python3
"""How bright each frame of a clip is: a table as CSV, and a plot as SVG.

    ./light_levels.py CLIP TABLE.csv [PLOT.svg]

Needs python3-gi and gir1.2-gst-plugins-base-1.0. The frames are measured by hdrtap effect=statistics, in its own
threads; Python gets figures alone, so that it goes as fast as the clip is decoded. All are in cd/m2: the brightest
pixel of a frame and the average, each of the largest of a pixel's R, G and B (CTA-861.3), and percentiles of pixels.
MaxCLL and MaxFALL of the clip, as HDR10 has them, are printed.
"""
import csv
import math
import re
import sys

import gi
gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst

PERCENTILES = (50, 99, 99.99)
COLUMNS = ["time", "maximum", "average", *(f"percentile {p}" for p in PERCENTILES)]
# Which columns are drawn, and how.
CURVES = {"maximum": "#c0392b", "percentile 99": "#e67e22", "average": "#2471a3", "percentile 50": "#7f8c8d"}


def measure(path):
    """Yields a row of COLUMNS for each frame: the time in seconds, then light in cd/m2. RuntimeError says what is
    wrong with the clip."""
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    wanted = ",".join(map(str, PERCENTILES))
    pipeline = Gst.parse_launch(
        f'hdrsrc location="{quoted}" name=source source.video_0 ! queue ! '
        f'hdrtap effect=statistics effect::histogram=false effect::percentiles="<{wanted}>" ! fakesink sync=false')
    bus = pipeline.get_bus()
    pipeline.set_state(Gst.State.PLAYING)
    try:
        while True:
            message = bus.timed_pop_filtered(
                Gst.CLOCK_TIME_NONE, Gst.MessageType.ELEMENT | Gst.MessageType.ERROR | Gst.MessageType.EOS)
            if message.type == Gst.MessageType.EOS:
                return
            if message.type == Gst.MessageType.ERROR:
                raise RuntimeError(message.parse_error()[0].message)
            frame = message.get_structure()
            if frame.get_name() != "statistics":
                continue
            time = frame.get_uint64("stream-time").value / Gst.SECOND
            light = [frame.get_double(name).value for name in ("maximum", "average")]
            # A GstValueArray is a list only where python3-gst-1.0 is installed; its text needs no package.
            array = re.search(r"percentile-light=[^<]*<([^>]*)>", frame.to_string()).group(1)
            yield [time, *light, *(float(number.replace("(double)", "")) for number in array.split(","))]
    finally:
        pipeline.set_state(Gst.State.NULL)


def plot(rows, width=960, height=480, margin=60):
    """An SVG of light over time, from 0.1 to 10000 cd/m2 by logarithms."""
    begin, end = rows[0][0], rows[-1][0]

    def x(time):
        return margin + (width - 2 * margin) * (time - begin) / ((end - begin) or 1)

    def y(light):
        decades = math.log10(min(max(light, 0.1), 10000)) + 1
        return height - margin - (height - 2 * margin) * decades / 5

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
             'font-size="12">', f'<rect width="{width}" height="{height}" fill="white"/>']
    for light in (0.1, 1, 10, 100, 203, 1000, 10000):
        dashes = ' stroke-dasharray="4"' if light == 203 else ""
        parts.append(f'<line x1="{margin}" x2="{width - margin}" y1="{y(light):.1f}" y2="{y(light):.1f}" '
                     f'stroke="#ccc"{dashes}/>')
        parts.append(f'<text x="{margin - 6}" y="{y(light) + 4:.1f}" text-anchor="end">{light:g}</text>')
    for time, anchor in ((begin, "start"), (end, "end")):
        parts.append(f'<text x="{x(time):.1f}" y="{height - margin + 18}" text-anchor="{anchor}">{time:.2f} s</text>')
    for index, (name, color) in enumerate(CURVES.items()):
        column = COLUMNS.index(name)
        points = " ".join(f"{x(row[0]):.1f},{y(row[column]):.1f}" for row in rows)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        parts.append(f'<text x="{margin + 150 * index}" y="{margin - 20}" fill="{color}">{name} (cd/m²)</text>')
    return "\n".join(parts + ["</svg>", ""])


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    Gst.init(None)
    clip, table = sys.argv[1:3]
    try:
        rows = list(measure(clip))
    except GLib.Error as error:
        sys.exit(f"light_levels.py: {error.message}")
    except RuntimeError as error:
        sys.exit(f"light_levels.py: {error}")
    if not rows:
        sys.exit(f"light_levels.py: {clip} has no frames")
    with open(table, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([f"{row[0]:.6f}", *(f"{light:.4f}" for light in row[1:])] for row in rows)
    if len(sys.argv) == 4:
        with open(sys.argv[3], "w", encoding="utf-8") as file:
            file.write(plot(rows))
    print(f"{len(rows)} frames, MaxCLL {max(row[1] for row in rows):.0f}, MaxFALL {max(row[2] for row in rows):.0f}")


if __name__ == "__main__":
    main()
