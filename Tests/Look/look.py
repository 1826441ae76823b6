#!/usr/bin/env python3
"""Makes a contact sheet of HDR clips by ways to SDR, with figures for each picture.

    Tests/Look/look                                        every clip by the usual methods
    Tests/Look/look --clips neon,lamp --methods libplacebo "tone-mapping=spline gamut-mapping=perceptual"
    Tests/Look/look --clips temporal "now:" "old:tone-mapping=bt2446a gamut-mapping=clip peak-detection=off"

A method is a string of hdrconvert's properties, after a name and a colon where it shall have a short one ("now:" is
hdrconvert as it is), in which {peak} is the picture's own peak; "libplacebo" or "libplacebo:OPTIONS" of ffmpeg's
filter; or "oracle:CURVE", the Float64 definition of bt2390, bt2446a or bt2446c. look.png, look.json and the table say the same; Sources/GstHDR/GstHDR.docc/look.md says
what the figures mean. Clips that are missing, and libplacebo where its tree cannot be made, are left out, and said so.
"""
import argparse
import json
import os
import sys
import time


def options():
    parser = argparse.ArgumentParser(
        prog="look", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("methods", nargs="*", metavar="METHOD", help="the sheet's columns")
    parser.add_argument("--methods", dest="more", nargs="+", default=[], metavar="METHOD", help="the same")
    parser.add_argument("--clips", default="all", help="names with commas, or real, rendered, temporal, all")
    parser.add_argument("--crop", help="LEFT,TOP,RIGHT,BOTTOM in parts of 1: what the sheet shows of each picture")
    parser.add_argument("--width", type=int, default=400, help="of a picture on the sheet (default: 400)")
    parser.add_argument("--output", default="build/look", metavar="FOLDER", help="default: build/look")
    parser.add_argument("--samples", metavar="FOLDER", help="real HDR files (default: as GST_HDR_SAMPLES says)")
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "gst-hdr")
    about = f"Debian 13's tree and pictures of libplacebo (default: {cache})"
    parser.add_argument("--cache", default=cache, metavar="FOLDER", help=about)
    parser.add_argument("--no-libplacebo", action="store_true", help="leave it out")
    parser.add_argument("--pages", action="store_true", help="make the pages' pictures; METHOD is then a picture's name")
    parser.add_argument("--speed", action="store_true", help="how long METHODs take, beside zimg and libplacebo")
    parser.add_argument("--list", action="store_true", help="name the clips")
    return parser.parse_args()


def say(text):
    print(f"look: {text}", file=sys.stderr, flush=True)


def clips_by_name(samples):
    """All clips, as functions that make them; real ones first."""
    import clip
    import scenes
    import sequences

    folder = clip.samples_folder(samples)
    real = {movie[0]: lambda movie=movie: clip.movie(*movie, folder) for movie in clip.MOVIES}
    real |= {"cosmos": lambda: clip.cosmos(folder), "room": clip.photograph}
    rendered = {"bars-pq": lambda: scenes.colour_bars("pq"), "bars-hlg": lambda: scenes.colour_bars("hlg")}
    rendered |= {name: lambda name=name: scenes.scene(name) for name in scenes.SCENES}
    temporal = {f"t-{name}": lambda name=name: sequences.sequence(name) for name in sequences.SEQUENCES}
    return {"real": real, "rendered": rendered, "temporal": temporal}


def chosen(groups, names):
    every = {name: make for group in groups.values() for name, make in group.items()}
    found = {}
    for name in names.split(","):
        if name == "all":
            found |= every
        elif name in groups:
            found |= groups[name]
        elif name in every:
            found[name] = every[name]
        else:
            sys.exit(f"look: no clip is called {name}: there are {', '.join(groups)}, {', '.join(every)}")
    return found


def main():
    arguments = options()
    import clip
    import methods
    import metrics
    import sheet

    groups = clips_by_name(arguments.samples)
    if arguments.list:
        for group, names in groups.items():
            print(f"{group}: {', '.join(names)}")
        return 0
    if arguments.pages or arguments.speed:
        import pictures
        import speed

        converter = methods.Converter(os.path.join(arguments.cache, methods.SUITE), arguments.cache, say)
        try:
            (pictures.make if arguments.pages else speed.report)(converter, arguments.methods, say)
        except clip.Skipped as reason:
            sys.exit(f"look: {reason}")
        return 0
    wanted = chosen(groups, arguments.clips)
    named = arguments.methods + arguments.more
    columns = [methods.Method.parsed(text) for text in named] if named else methods.METHODS
    if arguments.no_libplacebo:
        columns = [column for column in columns if column.kind != "libplacebo"]
    crop = tuple(float(part) for part in arguments.crop.split(",")) if arguments.crop else None
    if crop and (len(crop) != 4 or not (0 <= crop[0] < crop[2] <= 1 and 0 <= crop[1] < crop[3] <= 1)):
        sys.exit("look: --crop takes LEFT,TOP,RIGHT,BOTTOM between 0 and 1")
    os.makedirs(arguments.output, exist_ok=True)
    os.makedirs(arguments.cache, exist_ok=True)
    converter = methods.Converter(os.path.join(arguments.cache, methods.SUITE), arguments.cache, say)

    stills, moving, cells, figures, skipped, said = [], [], {}, {}, [], {}
    for count, (name, make) in enumerate(wanted.items(), 1):
        began = time.monotonic()
        try:
            made = make()
        except clip.Skipped as reason:
            skipped.append(f"{name}: {reason}")
            said.setdefault(str(reason), []).append(name)
            say(f"{count} of {len(wanted)}: {name} is left out: {reason}")
            continue
        made.name = name
        (moving if made.patch else stills).append(made)
        for method in columns:
            if made.patch and method.kind == "oracle":
                continue
            try:
                signals = converter.signals(method, made)
                if made.patch:
                    levels = [metrics.mean_light(metrics.shown(signal[made.patch]), "bt709") for signal in signals]
                    figures[name, method.name] = metrics.pumping(levels, made.seam) | {"levels": levels}
                    continue
                numbers = metrics.measured(made.light(), signals[-1])
                if made.is_ramp and method.kind != "oracle":
                    numbers["banding"] = metrics.banding(converter.signals(method, made, 8)[-1])
                figures[name, method.name] = numbers
                cells[name, method.name] = (sheet.picture(signals[-1], arguments.width, crop), numbers)
            except clip.Skipped as reason:
                cells[name, method.name] = (str(reason), {})
                skipped.append(f"{name} by {method.name}: {reason}")
                said.setdefault(f"{method.name}: {reason}", []).append(name)
        peer = next((column.name for column in columns if column.kind == "libplacebo"), None)
        for method in columns:
            if (name, peer) in figures and (name, method.name) in figures and not made.patch:
                numbers = figures[name, method.name]
                numbers["of_libplacebo"] = 100 * numbers["mean"] / figures[name, peer]["mean"]
        made._light.clear()
        say(f"{count} of {len(wanted)}: {name}, {time.monotonic() - began:.1f} s")

    report(arguments, sheet, stills, moving, columns, cells, figures, skipped, said)
    return 0 if figures else 1


def report(arguments, sheet, stills, moving, columns, cells, figures, skipped, said):
    for group, heads in ((stills, sheet.COLUMNS), (moving, sheet.TEMPORAL)):
        rows = []
        for made in group:
            rows.append(f"{made.name}: {made.title}")
            rows += [("  " + method.name, figures[made.name, method.name]) for method in columns
                     if (made.name, method.name) in figures]
        if rows:
            print(sheet.table(rows, heads))
    for reason, names in said.items():
        print(f"left out: {', '.join(names)}: {reason}")
    if stills:
        path = os.path.join(arguments.output, "look.png")
        sheet.draw(path, stills, columns, cells, arguments.width)
        print(path)
    path = os.path.join(arguments.output, "look.json")
    by_clip = {}
    for (name, method), numbers in figures.items():
        by_clip.setdefault(name, {})[method] = numbers
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"methods": {column.name: [column.kind, column.setting] for column in columns}, "clips": by_clip,
                   "left_out": skipped}, file, indent=1)
    print(path)


if __name__ == "__main__":
    sys.exit(main())
