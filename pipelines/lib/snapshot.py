"""Saves the frame of a video that is shown at a time. Started by pipelines/snapshot, which describes it in snapshot.txt."""

import signal

# Until there is something to clean up, Ctrl-C simply ends the program, without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import sys  # noqa: E402

from command import Console, Parser, check_output, run_command, shown  # noqa: E402

ENDINGS = (".png", ".sdr.png", ".exr")

console = Console("snapshot")


def parse_arguments():
    parser = Parser(console)
    parser.add_argument("words", nargs="*", metavar="INPUT TIME OUTPUT")
    parser.add_argument("--assume", choices=("pq", "hlg"))
    for name in ("force", "quiet"):
        parser.add_argument(f"--{name}", action="store_true")
    arguments = parser.parse_args()
    if len(arguments.words) > 3:
        parser.error(f"there is no use for {arguments.words[3]}")
    if len(arguments.words) < 3:
        missing = ("INPUT", "TIME", "OUTPUT")[len(arguments.words):]
        parser.error(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    return arguments


def describe(source, output):
    """What the file holds, in words."""
    name = output.lower()
    if name.endswith(".exr"):
        return "linear light, 1.0 is SDR white"
    if name.endswith(".sdr.png"):
        return f"{source.transfer} tone-mapped to sRGB, 8 bits" if source.transfer else "sRGB, 8 bits"
    return f"{source.transfer or 'SDR'}, 16 bits"


def perform(arguments):
    import dynamic_range
    import source as sources
    from media import Signals
    from still_run import StillRun
    from times import exact, parse_time

    Signals.watch()
    path, when, output = arguments.words
    # A wrong name is a better reason than anything about the output.
    source = sources.open_file(path)
    time = parse_time(when)
    check_output(output, ENDINGS, path, arguments.force)
    sources.probe(source)
    if arguments.assume:
        dynamic_range.assume(source, arguments.assume)
    StillRun(source, output).run(time)
    if not arguments.quiet:
        console.say(f"Wrote {shown(output)}: {source.name} at {exact(time)}, {describe(source, output)}")


if __name__ == "__main__":
    console.keep_stderr()
    sys.exit(run_command(console, perform, parse_arguments()))
