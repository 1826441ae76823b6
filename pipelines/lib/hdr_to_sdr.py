"""Converts an HDR video file to SDR. Started by pipelines/hdr-to-sdr, which describes it in hdr-to-sdr.txt."""

import signal

# Until there is something to clean up, Ctrl-C simply ends the program, without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import os  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402

from command import Console, HiddenFile, Parser, check_output, run_command, shown  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
PHOTOGRAPH = "/usr/share/libjxl-testdata/jxl/hdr_room.png"


console = Console("hdr-to-sdr")
say, complain = console.say, console.complain


def parse_arguments():
    parser = Parser(console)
    parser.add_argument("input", nargs="?")
    parser.add_argument("output", nargs="?")
    for name in ("tone-mapping", "domain", "gamut-mapping", "peak-detection", "quality"):
        parser.add_argument(f"--{name}")
    for name in ("reference-white", "source-peak"):
        parser.add_argument(f"--{name}", type=float, metavar="NITS")
    parser.add_argument("--assume", choices=("pq", "hlg"))
    for name in ("no-picture", "force", "quiet"):
        parser.add_argument(f"--{name}", action="store_true")
    return parser.parse_args()


def converter_settings(arguments):
    """The options that are hdrconvert's properties, checked against what the element says of itself."""
    from media import Failure, make

    element = make("hdrconvert")
    settings = {}
    for option, name in (
        ("tone_mapping", "tone-mapping"), ("domain", "tone-mapping-domain"), ("gamut_mapping", "gamut-mapping"),
        ("peak_detection", "peak-detection"), ("quality", "quality"),
        ("reference_white", "reference-white"), ("source_peak", "source-peak"),
    ):
        value = getattr(arguments, option)
        if value is None:
            continue
        flag = "--" + option.replace("_", "-")
        spec = element.find_property(name)
        if isinstance(value, str):
            choices = [choice.value_nick for choice in spec.enum_class.__enum_values__.values()]
            if value not in choices:
                raise Failure(f"{flag} cannot be {value}: choose one of {', '.join(choices)}")
            value = next(c for c in spec.enum_class.__enum_values__.values() if c.value_nick == value)
        elif not spec.minimum <= value <= spec.maximum:
            raise Failure(f"{flag} must lie between {spec.minimum:g} and {spec.maximum:g}")
        settings[name] = value
    return settings


def choose_output(arguments, source_path):
    """The output's path, after checking everything about it that can be checked beforehand."""
    from media import Failure

    output = arguments.output
    if output is None:
        output = os.path.splitext(os.path.basename(source_path))[0] + "-sdr.mp4"
    check_output(output, (".mp4", ".m4v"), source_path, arguments.force)
    picture = None if arguments.no_picture else os.path.splitext(output)[0] + ".png"
    if picture:
        if os.path.exists(picture) and os.path.samefile(source_path, picture):
            raise Failure(f"the picture would replace the input {shown(picture)}: name another output")
        check_output(picture, (".png",), source_path, arguments.force)
    return output, picture


def open_source(arguments):
    import dynamic_range
    import photograph
    import source as sources
    from media import Failure

    if arguments.input is None:
        if not os.path.exists(PHOTOGRAPH):
            done = subprocess.run(
                ["bash", "-c", 'setup_name=hdr-to-sdr; . "$1" && setup_packages demo', "bash", f"{HERE}/setup.sh"],
                stderr=sys.stderr, check=False)
            if done.returncode or not os.path.exists(PHOTOGRAPH):
                if done.returncode == 0:
                    raise Failure(f"{PHOTOGRAPH} is missing: apt-get install --reinstall libjxl-testdata")
                sys.exit(1)
        return photograph.load(PHOTOGRAPH)
    source = sources.open_file(arguments.input)
    sources.probe(source)
    dynamic_range.require_hdr(source, arguments.assume)
    return source


def convert(arguments):
    from convert import Conversion
    from media import Failure, Signals, clock
    from picture import write_picture
    from progress import Progress

    Signals.watch()
    settings = converter_settings(arguments)
    if arguments.input is not None:
        import source as sources

        # A wrong name is a better reason than anything about the output.
        sources.open_file(arguments.input)
    output, picture = choose_output(arguments, arguments.input or PHOTOGRAPH)
    source = open_source(arguments)
    with HiddenFile(output, console.name) as video:
        progress = Progress(source.duration, arguments.quiet)
        conversion = Conversion(source, video.path, settings, progress, output)
        conversion.run()
        video.publish()
    if not arguments.quiet:
        for note in conversion.notes:
            complain(f"note: {note}")
        sound = ", ".join(dict.fromkeys(conversion.sound)) or "none"
        position, speed = progress.position, progress.position / 1e9 / progress.elapsed
        say(f"Wrote {shown(output)}: {source.transfer} to SDR, {progress.frames} frames, {clock(position)}, sound: {sound}; "
            f"took {progress.elapsed:.1f} s ({speed:.2f}x real time)")
    if picture and conversion.samples.after:
        samples = conversion.samples
        conversion.context.target = picture
        try:
            with HiddenFile(picture, console.name) as file:
                write_picture(
                    samples.before, samples.after, source.info, source.orientation, file.path, conversion.context)
                file.publish()
        except Failure as failure:
            raise Failure(f"{shown(output)} is complete, its picture is not: {failure}") from None
        if not arguments.quiet:
            say(f"Wrote {shown(picture)}: at {clock(conversion.samples.position)}, left without tone mapping, right converted")


if __name__ == "__main__":
    console.keep_stderr()
    sys.exit(run_command(console, convert, parse_arguments()))
