"""Exports a video by a preset. Started by pipelines/export, which describes it in export.txt."""

import signal

# Until there is something to clean up, Ctrl-C simply ends the program, without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import sys  # noqa: E402

from command import Console, HiddenFile, Parser, check_output, run_command  # noqa: E402

# What measures the light of a source that is only copied.
MEASURING_PRESET = "hevc-highest-quality"

console = Console("export")


def parse_arguments():
    parser = Parser(console)
    parser.add_argument("words", nargs="*", metavar="PRESET INPUT OUTPUT")
    parser.add_argument("--file-type", choices=("mov", "mp4", "matroska"))
    parser.add_argument("--mastering-display", metavar="MDCV")
    parser.add_argument("--light-levels", metavar="LEVELS")
    parser.add_argument("--settings")
    parser.add_argument("--speed")
    parser.add_argument("--assume", choices=("pq", "hlg"))
    for name in ("list", "two-pass", "two-pass-light-levels", "no-hdr-metadata", "software", "optimize-for-network",
                 "force", "quiet"):
        parser.add_argument(f"--{name}", action="store_true")
    arguments = parser.parse_args()
    most = 1 if arguments.list else 3
    if len(arguments.words) > most:
        parser.error(f"there is no use for {arguments.words[most]}")
    if not arguments.list and len(arguments.words) < 3:
        missing = ("PRESET", "INPUT", "OUTPUT")[len(arguments.words):]
        parser.error(f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing")
    if arguments.two_pass_light_levels and arguments.light_levels:
        parser.error("--two-pass-light-levels and --light-levels exclude each other")
    return arguments


def refuse_to_contradict(source, transfer):
    """What is copied keeps saying what it says, so that the file's header must not say anything else."""
    from media import Failure
    from source import HDR_TRANSFERS, parse_colorimetry

    said = parse_colorimetry(source.video.caps.get_structure(0).get_string("colorimetry") or "")
    if said and HDR_TRANSFERS.get(said.transfer, "") != transfer.upper():
        raise Failure(f"--assume {transfer}: the video of {source.name} says {said.to_string()}, and passthrough "
                      "copies it: choose a preset that encodes")


def open_source(arguments, path, needs_video=True, copies=False):
    import dynamic_range
    import source as sources

    source = sources.open_file(path)
    sources.probe(source, needs_video, copies or not needs_video)
    if arguments.assume and source.info:
        if copies:
            refuse_to_contradict(source, arguments.assume)
        dynamic_range.assume(source, arguments.assume)
        dynamic_range.correct_caps(source)
    return source


def list_presets(arguments):
    from export_list import preset_lines

    source = open_source(arguments, arguments.words[0]) if arguments.words else None
    for line in preset_lines(source, arguments.file_type or "mov"):
        console.say(line)


def measure(arguments, source, settings):
    """The first of two passes: encodes as fast as it can, and keeps the light alone.

    Returns the settings of the second: light levels where there is HDR to be written, and the scenes where pictures are
    tone-mapped.
    """
    from export_run import ExportRun
    from media import Failure, own_colors
    from progress import Progress

    if source.own_colors_profile:
        raise Failure(own_colors(source.name, source.own_colors_profile))
    fast = dict(settings, **{"content-light-level-info": "auto", "speed-preset": "ultrafast"})
    if fast["preset"] == "passthrough":
        kept = ("file-type", "content-light-level-info", "speed-preset", "enable-hardware-acceleration")
        fast = {name: fast[name] for name in kept if name in fast}
        fast["preset"] = MEASURING_PRESET
    progress = Progress(source.duration, arguments.quiet, "pass 1 of 2: ")
    run = ExportRun(source, None, fast, progress, source.name, sound=False)
    run.run()
    if run.report.levels is None and arguments.two_pass_light_levels:
        raise Failure(f"the light of {source.name} could not be measured: give --light-levels MaxCLL:MaxFALL instead")
    measured = {"scene-light": run.report.scene_light()}
    if run.report.levels is not None and not arguments.light_levels:
        measured["content-light-level-info"] = "%d:%d" % run.report.levels
    return {name: value for name, value in measured.items() if value is not None}


def perform(arguments):
    from media import Signals

    Signals.watch()
    if arguments.list:
        list_presets(arguments)
        return
    from export_options import element_settings, file_type_of, summarize
    from export_run import ExportRun
    from progress import Progress
    import source as sources

    preset, path, output = arguments.words
    # A wrong preset or name is a better reason than anything about the output.
    settings = element_settings(arguments, preset, file_type_of(arguments, output)[0])
    sources.open_file(path)
    check_output(output, file_type_of(arguments, output)[1], path, arguments.force)
    source = open_source(arguments, path, preset not in ("m4a", "passthrough"), preset == "passthrough")
    label = ""
    with HiddenFile(output, console.name) as file:
        if arguments.two_pass or arguments.two_pass_light_levels:
            settings.update(measure(arguments, source, settings))
            label = "pass 2 of 2: "
        progress = Progress(source.duration, arguments.quiet, label)
        run = ExportRun(source, file.path, settings, progress, output)
        run.run()
        file.publish()
    sound = ", ".join(dict.fromkeys(run.sound)) or "none"
    frames = f"{progress.frames} frames, " if progress.frames else ""
    if not arguments.quiet:
        summarize(console, output, run.report, progress, f"{preset}, {frames}", sound)


if __name__ == "__main__":
    console.keep_stderr()
    sys.exit(run_command(console, perform, parse_arguments()))
