"""Joins clips of any dynamic range. Started by pipelines/hdr-concat, which describes it in hdr-concat.txt."""

import signal

# Until there is something to clean up, Ctrl-C simply ends the program, without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import os  # noqa: E402
import re  # noqa: E402
import sys  # noqa: E402

from command import Console, HiddenFile, Parser, check_output, run_command  # noqa: E402

console = Console("hdr-concat")
DEFAULT_PRESET = "hevc-highest-quality"


def parse_arguments():
    parser = Parser(console)
    parser.add_argument("words", nargs="*", metavar="OUTPUT CLIP CLIP")
    parser.add_argument("--preset", default=DEFAULT_PRESET)
    parser.add_argument("--size", default="largest")
    parser.add_argument("--file-type", choices=("mov", "mp4", "matroska"))
    parser.add_argument("--settings")
    parser.add_argument("--speed")
    for name in ("no-hdr-metadata", "optimize-for-network", "force", "quiet"):
        parser.add_argument(f"--{name}", action="store_true")
    arguments = parser.parse_args()
    if len(arguments.words) < 2:
        parser.error("OUTPUT and at least one CLIP must be there")
    if arguments.size not in ("largest", "first") and not re.fullmatch(r"[1-9]\d{0,4}x[1-9]\d{0,4}", arguments.size):
        parser.error(f"--size cannot be {arguments.size}: choose largest, first or WIDTHxHEIGHT such as 1920x1080")
    return arguments


def frame_size(arguments, sources, file_type):
    """The joined picture's width and height."""
    from clip import upright_size
    from exporter import settings_for
    from gi.repository import Gst

    if "x" in arguments.size:
        return tuple(map(int, arguments.size.split("x")))
    sizes = [upright_size(source) for source in sources]
    width, height = sizes[0] if arguments.size == "first" else max(sizes, key=lambda size: size[0] * size[1])
    # What the preset makes of a source of that size.
    caps = Gst.Caps.from_string(
        f"video/x-raw, format=P010_10LE, width={width}, height={height}, framerate=30/1, colorimetry=bt2100-hlg")
    made = settings_for(arguments.preset, file_type, caps)
    return (made.get_value("width"), made.get_value("height")) if made else (width, height)


def add_size(settings, size):
    """All clips become as large as the picture, with borders where their shape differs."""
    from gi.repository import Gst

    structure = settings.get("settings") or Gst.Structure.new_empty("settings")
    if not structure.has_field("width") and not structure.has_field("height"):
        structure.set_value("width", size[0])
        structure.set_value("height", size[1])
    if not structure.has_field("scaling-mode"):
        structure.set_value("scaling-mode", "resize-aspect")
    settings["settings"] = structure


def perform(arguments):
    from concat_run import ConcatRun
    from export_options import element_settings, file_type_of, summarize
    from exporter import check
    from media import Failure, Signals
    from progress import Progress
    import source as sources

    Signals.watch()
    output, *paths = arguments.words
    file_type, endings = file_type_of(arguments, output)
    settings = element_settings(arguments, arguments.preset, file_type)
    if arguments.preset in ("passthrough", "m4a"):
        raise Failure(f"the preset {arguments.preset} joins no pictures: choose one that encodes them, "
                      f"such as {DEFAULT_PRESET}")
    for path in paths:
        # A wrong name is a better reason than anything about the output.
        sources.open_file(path)
    # That it is one of the clips is a better reason than that it exists.
    same = [path for path in paths if os.path.exists(output) and os.path.samefile(path, output)]
    check_output(output, endings, (same or paths)[0], arguments.force)
    clips = []
    for path in paths:
        clips.append(sources.open_file(path))
        sources.probe(clips[-1])
        Signals.check()
    add_size(settings, frame_size(arguments, clips, file_type))
    check(settings)
    durations = [source.duration for source in clips]
    with HiddenFile(output, console.name) as file:
        progress = Progress(sum(durations) if all(durations) else None, arguments.quiet)
        run = ConcatRun(clips, file.path, settings, progress, output)
        run.run()
        file.publish()
    if not arguments.quiet:
        what = f"{len(clips)} clips, {progress.frames} frames, "
        summarize(console, output, run.report, progress, what, "joined" if run.audio else "none")


if __name__ == "__main__":
    console.keep_stderr()
    sys.exit(run_command(console, perform, parse_arguments()))
