"""Times as a user writes and reads them."""

import re

from media import Failure, Gst

SHAPE = re.compile(r"(?:(?:(\d+):)?(\d+):)?(\d+(?:\.\d*)?|\.\d+)", re.ASCII)


def parse_time(text):
    """Nanoseconds of seconds (12.5), minutes:seconds (1:02.5) or hours:minutes:seconds (1:02:03.5)."""
    match = SHAPE.fullmatch(text.strip())
    if match:
        hours, minutes, seconds = match.groups()
        whole, _, fraction = seconds.partition(".")
        # Digit by digit: a binary number would miss the very frame that starts at a decimal one.
        nanoseconds = int(whole or 0) * Gst.SECOND + int(fraction[:9].ljust(9, "0"))
        nanoseconds += (int(hours or 0) * 60 + int(minutes or 0)) * 60 * Gst.SECOND
        if nanoseconds < 2**63 and (minutes is None or int(whole or 0) < 60) and (hours is None or int(minutes) < 60):
            return nanoseconds
    raise Failure(f"{text} is no time: give seconds (12.5) or hours:minutes:seconds (1:02:03.5)")


def exact(nanoseconds):
    """A time as 1:02:03.456 or 2:03.456, cut to milliseconds."""
    milliseconds = nanoseconds // Gst.MSECOND
    seconds, rest = divmod(milliseconds, 1000)
    hours, minutes = divmod(seconds // 60, 60)
    text = f"{minutes:02d}" if hours else f"{minutes}"
    return f"{hours}:{text}:{seconds % 60:02d}.{rest:03d}" if hours else f"{text}:{seconds % 60:02d}.{rest:03d}"
