"""Sweeps a band-pass over a file's sound. Started by pipelines/bandpass-sweep, which describes it in
bandpass-sweep.txt."""

import signal

# Until there is something to clean up, Ctrl-C simply ends the program, without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import os  # noqa: E402
import sys  # noqa: E402
from contextlib import ExitStack  # noqa: E402

from command import Console, HiddenFile, Parser, check_output, run_command, shown  # noqa: E402

NAME = "bandpass-sweep"
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The picture's axis shows at least what people hear.
AXIS = (20, 20000)

console = Console(NAME)


def parse_arguments():
    parser = Parser(console)
    parser.add_argument("input", nargs="?")
    parser.add_argument("-o", "--output", metavar="FILE")
    parser.add_argument("--picture", metavar="FILE")
    parser.add_argument("--from", dest="start", type=float, default=20, metavar="HZ")
    parser.add_argument("--to", dest="end", type=float, metavar="HZ")
    parser.add_argument("--bandwidth", type=float, default=600, metavar="CENTS")
    parser.add_argument("--duration", type=float, metavar="SECONDS")
    for name in ("play", "no-picture", "force", "quiet"):
        parser.add_argument(f"--{name}", action="store_true")
    arguments = parser.parse_args()
    if arguments.play and arguments.output:
        parser.error("--play and --output exclude each other")
    if arguments.picture and arguments.no_picture:
        parser.error("--picture and --no-picture exclude each other")
    return arguments


def check_settings(arguments):
    """Compares the options with what the element says of itself."""
    from media import Failure
    from sweep import make_tap

    _, effect = make_tap()
    for option, value, name in (
        ("--from", arguments.start, "center-frequency"), ("--to", arguments.end, "center-frequency"),
        ("--bandwidth", arguments.bandwidth, "bandwidth"),
    ):
        spec = effect.find_property(name)
        if value is not None and not spec.minimum <= value <= spec.maximum:
            raise Failure(f"{option} must lie between {spec.minimum:g} and {spec.maximum:g}")
    if arguments.duration is not None and not 0.1 <= arguments.duration <= 1e6:
        raise Failure("--duration must lie between 0.1 and 1000000 seconds")


def choose_outputs(arguments, source):
    """The paths of the sound and the picture, either may be None."""
    from media import Failure
    from sweep import ENDINGS

    stem = os.path.splitext(os.path.basename(source))[0] + "-sweep"
    output = None if arguments.play else arguments.output or stem + ".wav"
    picture = arguments.picture
    if output and not picture and not arguments.no_picture:
        picture = os.path.splitext(output)[0] + ".png"
    if output:
        check_output(output, ENDINGS, source, arguments.force)
    if picture:
        check_output(picture, (".png",), source, arguments.force)
    if output and picture and os.path.realpath(output) == os.path.realpath(picture):
        raise Failure(f"{shown(picture)} cannot be both the sound and the picture")
    return output, picture


def make_curve(arguments, sound):
    """The sweep's course, and where to cut the sound in nanoseconds, None for nowhere."""
    from media import Failure
    from sweep import DEFAULT_END, DEFAULT_SHARE, HIGHEST, Curve

    highest = HIGHEST * sound.rate
    end = min(DEFAULT_END, round(DEFAULT_SHARE * sound.rate)) if arguments.end is None else arguments.end
    for option, value in (("--from", arguments.start), ("--to", end)):
        if value > highest:
            raise Failure(f"{option} must lie below {highest:g} Hz: {sound.name} has {sound.rate} samples a second")
    seconds = sound.duration / 1e9
    if arguments.duration is None or arguments.duration >= seconds:
        return Curve(arguments.start, end, seconds), None
    return Curve(arguments.start, end, arguments.duration), round(arguments.duration * 1e9)


def perform(arguments):
    import sound as sounds
    from media import Failure, Signals, clock
    from sweep import SoundProgress, Sweep, check_size, players, writers

    Signals.watch()
    check_settings(arguments)
    # A wrong name is a better reason than anything about the output.
    if arguments.input is not None:
        path, origin = arguments.input, None
        sounds.open_sound(path)
        output, picture = choose_outputs(arguments, path)
    else:
        import demo_music

        path, origin = demo_music.find(os.path.join(ROOT, "build", "demo"))
        output, picture = choose_outputs(arguments, path)
        if not arguments.quiet:
            console.complain(f"note: {origin}")
    sound = sounds.open_sound(path)
    sounds.probe(sound)
    curve, limit = make_curve(arguments, sound)
    with ExitStack() as files:
        progress = SoundProgress(limit or sound.duration, arguments.quiet)
        target = None
        if output:
            ending = os.path.splitext(output)[1].lower()
            check_size(ending, sound, limit or sound.duration, shown(output))
            target = files.enter_context(HiddenFile(output, NAME))
            last = writers(target.path, ending, sound)
        else:
            last = players()
        drawing = files.enter_context(HiddenFile(picture, NAME)) if picture else None
        spectrograms = make_spectrograms(curve, sound) if picture else None
        run = Sweep(sound, curve, arguments.bandwidth, limit, spectrograms, progress, output)
        run.run(last)
        failed = draw(arguments, sound, curve, run, drawing) if picture else None
        Signals.check()
        if target:
            target.publish()
        if failed:
            raise Failure(f"{shown(output)} is complete, its picture is not: {failed}" if output else failed)
        if drawing:
            drawing.publish()
    if arguments.quiet:
        return
    done = f"centre {curve.start:g} to {curve.end:g} Hz, {arguments.bandwidth:g} cents wide, {clock(progress.position)}"
    speed = progress.position / 1e9 / progress.elapsed
    if output:
        console.say(f"Wrote {shown(output)}: {done}; took {progress.elapsed:.1f} s ({speed:.1f}x real time)")
    else:
        console.say(f"Played {sound.name}: {done}")
    if picture:
        console.say(f"Wrote {shown(picture)}: the spectrogram before, and below it after")


def make_spectrograms(curve, sound):
    from spectrogram import Spectrogram
    from spectrogram_picture import frequency_edges

    edges = frequency_edges(*axis(curve))
    return [Spectrogram(sound.rate, sound.channels, edges, curve.seconds) for _ in range(2)]


def axis(curve):
    return min(AXIS[0], curve.start, curve.end), max(AXIS[1], curve.start, curve.end)


def draw(arguments, sound, curve, run, file):
    """Draws the picture, and returns why that failed."""
    from media import Failure
    from spectrogram_picture import Picture

    name = shown(os.path.basename(sound.path))
    title = f"{name}: band-pass of {arguments.bandwidth:g} cents, {curve.start:g} Hz to {curve.end:g} Hz"
    try:
        drawn = Picture(*axis(curve), min(curve.seconds, run.frames / sound.rate))
        drawn.draw(title, (("Before", run.before), ("After", run.after)), curve.at)
        drawn.write(file.path, file.final)
    except Failure as failure:
        return failure
    return None


def main():
    console.keep_stderr()
    return run_command(console, perform, parse_arguments(), "sweep", "python3-numpy python3-cairo")


if __name__ == "__main__":
    sys.exit(main())
