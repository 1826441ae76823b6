"""What the commands that export have in common: options, the element's settings from them, and the summary."""

import os
import subprocess
import sys

from command import shown
from exporter import FILE_TYPES, check, parse_settings
from media import Failure, clock, make

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HDR = os.path.join(ROOT, "build", "bin", "hdr")


def file_type_of(arguments, output):
    if arguments.file_type:
        return arguments.file_type, ("",)
    ending = os.path.splitext(output)[1].lower()
    if ending not in FILE_TYPES and not os.path.isdir(output):
        raise Failure(f"{shown(output)} should end in .mov, .mp4, .m4v, .m4a or .mkv; or add --file-type")
    return FILE_TYPES.get(ending, "mov"), tuple(FILE_TYPES)


def element_settings(arguments, preset, file_type):
    """The properties of hdrmux-settings, checked by the element itself."""
    settings = {"preset": preset, "file-type": file_type}
    for option, name in (
        ("mastering_display", "mastering-display-color-volume"), ("light_levels", "content-light-level-info"),
        ("speed", "speed-preset"),
    ):
        if getattr(arguments, option, None) is not None:
            settings[name] = getattr(arguments, option)
    if arguments.settings:
        settings["settings"] = parse_settings(arguments.settings)
    if arguments.no_hdr_metadata:
        settings["hdr-metadata-insertion-mode"] = "none"
    if getattr(arguments, "software", False):
        settings["enable-hardware-acceleration"] = False
    if arguments.optimize_for_network:
        settings["optimize-for-network-use"] = True
    check_speed(arguments.speed)
    check(settings)
    return settings


def check_speed(speed):
    """The element passes the speed on to whichever encoder it finds."""
    if speed is None:
        return
    choices = [c.value_nick for c in make("x264enc").find_property("speed-preset").enum_class.__enum_values__.values()
               if c.value_nick != "None"]
    if speed not in choices:
        raise Failure(f"--speed cannot be {speed}: choose one of {', '.join(choices)}")


def summarize(console, output, report, progress, what, sound):
    """Says what was written, and what the file itself says, or what was planned where the command hdr is not there."""
    for note in report.notes:
        console.complain(f"note: {note}")
    speed = progress.position / 1e9 / progress.elapsed
    console.say(f"Wrote {shown(output)}: {what}{clock(progress.position)}, sound: {sound}; "
                f"took {progress.elapsed:.1f} s ({speed:.2f}x real time)")
    if os.access(HDR, os.X_OK):
        sys.stdout.flush()
        if subprocess.run([HDR, "inspect", output], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return
    for line in report.plan:
        console.say("  " + line)
