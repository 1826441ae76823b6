"""Says what each display system offers to HDR video. Started by pipelines/edr-info, which describes it in edr-info.txt."""

import signal

# There is nothing to clean up: Ctrl-C simply ends the program, without a traceback.
signal.signal(signal.SIGINT, signal.SIG_DFL)

import json  # noqa: E402
import sys  # noqa: E402

from command import Console, Parser, run_command  # noqa: E402

# What the sink would have to show: HDR of a size that its window has anyway.
PICTURE = "video/x-raw,format=I420_10LE,width=1280,height=720,framerate=25/1,colorimetry=bt2100-pq"
SYSTEMS = ("wayland", "x11", "offscreen")
# Beside pixel formats, which the sink names so, a display system's features are those of its protocol.
PIXEL_FORMATS = ("rgba16f", "rgb10a2", "bgr10a2", "rgba8", "bgra8")

console = Console("edr-info")


class InfoParser(Parser):
    def error(self, message):
        try:
            super().error(message)
        except SystemExit:
            sys.exit(2)


def parse_arguments():
    parser = InfoParser(console)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def examine(system):
    """What a display system says, as a dictionary. No window opens: the picture is made, and not shown."""
    from edr import display_state, error_text, make_sink
    from media import Gst, add_chain, caps_filter, make

    pipeline = Gst.Pipeline.new()
    sink = make_sink(presenter=system, show_preroll_frame=False)
    add_chain(pipeline, make("videotestsrc", num_buffers=1, pattern="black"), caps_filter(PICTURE), sink)
    try:
        if sink.set_state(Gst.State.READY) == Gst.StateChangeReturn.FAILURE:
            return {"system": system, "available": False, "reasons": [reason(error_text(pipeline), system)]}
        # Only for a picture the sink decides how to show it.
        pipeline.set_state(Gst.State.PAUSED)
        if pipeline.get_state(10 * Gst.SECOND)[0] != Gst.StateChangeReturn.SUCCESS:
            return {"system": system, "available": False, "reasons": [reason(error_text(pipeline), system)]}
        state = display_state(sink)
        features = state.get("features", [])
        # Offscreen pictures are not seen.
        eligible = system != "offscreen" and sink.get_property("eligible-for-hdr-playback")
        return {
            "system": system, "available": True, "eligible-for-hdr-playback": eligible,
            "output": state.get("output", ""),
            "headroom": sink.get_property("headroom"),
            "potential-headroom": sink.get_property("potential-headroom"),
            "reference-white": sink.get_property("reference-white"),
            "peak": state.get("peak"), "black": state.get("black"), "refresh-rate": state.get("refresh-rate"),
            "pixel-format": state.get("pixel-format"), "color-space": state.get("color-space"),
            "pixel-formats": [name for name in features if name in PIXEL_FORMATS],
            "features": [name for name in features if name not in PIXEL_FORMATS],
            "reasons": state.get("why-nothing-better", []),
        }
    finally:
        pipeline.set_state(Gst.State.NULL)


def reason(text, system):
    """The sink's error without what is said of every display system."""
    for part in ("No picture can be shown.", f"{system}:", "With presenter=offscreen no display is needed."):
        text = text.replace(part, "")
    return text.strip()


def table(found):
    """Lines of a table, a display system each, and the reasons below."""
    rows = [("display", "HDR", "headroom", "at most", "white", "peak", "Hz", "shown as")]
    for one in found:
        if not one["available"]:
            rows.append((one["system"], "-", "-", "-", "-", "-", "-", "not available"))
            continue
        hdr = "unseen" if one["system"] == "offscreen" else "yes" if one["eligible-for-hdr-playback"] else "no"
        rate = f"{one['refresh-rate']:.2f}" if one["refresh-rate"] else "?"
        rows.append((
            one["system"], hdr, f"{one['headroom']:.2f}", f"{one['potential-headroom']:.2f}",
            f"{one['reference-white']:.0f}", f"{one['peak']:.0f}", rate, f"{one['pixel-format']} {one['color-space']}"))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) if column in (0, 1, 7) else cell.rjust(width)
                 for column, (cell, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    for one in found:
        lines += ["", one["system"] + (f", {one['output']}" if one.get("output", one["system"]) != one["system"] else "")]
        if one["available"]:
            lines.append(f"  pixels    {', '.join(one['pixel-formats']) or 'as the X screen has them'}")
            lines.append(f"  features  {', '.join(one['features']) or 'none'}")
        reasons = together(one["reasons"])
        lines += [f"  {'why not' if index == 0 else '       '}   {text}" for index, text in enumerate(reasons)]
    return lines


def together(reasons):
    """Sentences on ways of showing HDR, with those put together that were not taken for the same reason."""
    groups = {}
    for text in reasons:
        subject, separator, cause = text.partition(" was not taken: ")
        groups.setdefault(cause if separator else text, []).append(subject if separator else None)
    return [cause if None in subjects else f"{', '.join(subjects)}: {cause}" for cause, subjects in groups.items()]


def verdict(found):
    fit = [one["system"] for one in found if one.get("eligible-for-hdr-playback")]
    if fit:
        return f"HDR can be shown on {' and '.join(fit)}."
    if not any(one["available"] for one in found if one["system"] != "offscreen"):
        return "There is no display here; with presenter=offscreen edrsink needs none."
    return "No display here can show HDR as such; edrsink shows it tone-mapped to SDR."


def main(arguments):
    found = [examine(system) for system in SYSTEMS]
    main.status = 0 if any(one.get("eligible-for-hdr-playback") for one in found) else 1
    if arguments.json:
        console.say(json.dumps({"displays": found}, indent=2))
        return
    for line in table(found):
        console.say(line)
    console.say("")
    console.say(verdict(found))


if __name__ == "__main__":
    console.keep_stderr()
    failed = run_command(console, main, parse_arguments())
    sys.exit(2 if failed == 1 else failed or main.status)
