"""Plays videos on the element edrsink. Started by pipelines/play, which describes it in play.txt."""

import signal

# Until there is something to clean up, Ctrl-C simply ends the program, without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import sys  # noqa: E402

from command import Console, Parser, run_command  # noqa: E402

console = Console("play")


def parse_arguments():
    parser = Parser(console)
    parser.add_argument("inputs", nargs="*", metavar="INPUT")
    parser.add_argument("--presenter", choices=("auto", "wayland", "x11", "offscreen"), default="auto")
    parser.add_argument("--tone-mapping", choices=("rolloff", "clip", "bt2390", "reference-white"), default="rolloff")
    parser.add_argument("--headroom")
    parser.add_argument("--duration", type=float, metavar="SECONDS")
    parser.add_argument("--assume", choices=("pq", "hlg"))
    for name in ("sdr", "no-audio", "loop", "quiet"):
        parser.add_argument(f"--{name}", action="store_true")
    arguments = parser.parse_args()
    if not arguments.inputs:
        parser.error("INPUT is missing")
    if arguments.duration is not None and not arguments.duration > 0:
        parser.error("--duration must be above 0")
    return arguments


def perform(arguments):
    from edr import check_headroom
    from media import Signals
    from play_run import PlayRun
    from play_status import Status
    from player import Player
    from player_keys import TerminalKeys

    Signals.watch()
    headroom = None if arguments.headroom is None else check_headroom(arguments.headroom)
    player = Player(
        arguments.presenter, not arguments.sdr, headroom, arguments.tone_mapping, not arguments.no_audio)
    with TerminalKeys() as keys:
        PlayRun(
            player, Status(console, arguments.quiet), keys, arguments.inputs, arguments.loop, arguments.duration,
            arguments.assume).run()


if __name__ == "__main__":
    console.keep_stderr()
    sys.exit(run_command(console, perform, parse_arguments()))
