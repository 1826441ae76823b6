"""The list of presets: which fit a source and a file type, and what they make of it."""

from gi.repository import Gst

from exporter import compatible_presets, settings_for

# Stands for a source where none is named: as large as any preset makes.
LARGE = "video/x-raw, format=P010_10LE, width=7680, height=4320, framerate=30/1, colorimetry=bt2100-hlg"
CODECS = {"hvc1": "HEVC", "avc1": "H.264", "prores-422": "ProRes 422", "prores-4444": "ProRes 4444"}


def describe(preset, file_type, caps):
    """What a preset makes, in words."""
    if preset == "passthrough":
        return "video and sound as they are"
    made = settings_for(preset, file_type, caps)
    if made is None:
        return ""
    codec = made.get_string("codec")
    parts = [CODECS.get(codec, codec), "{}x{}".format(made.get_value("width"), made.get_value("height"))]
    if made.has_field("color-properties"):
        transfer = made.get_value("color-properties").get_string("transfer")
        parts.append("converted to SDR" if transfer == "ITU_R_709_2" else f"converted to {transfer}")
    if made.has_field("compression-properties"):
        properties = made.get_value("compression-properties")
        if properties.has_field("profile-level"):
            parts[0] += " " + properties.get_string("profile-level")
        if properties.has_field("average-bit-rate"):
            parts.append(f"{properties.get_value('average-bit-rate') / 1e6:.1f} Mbit/s")
        elif properties.has_field("quality"):
            parts.append(f"constant quality {properties.get_value('quality'):g}")
    return ", ".join(parts)


def preset_lines(source, file_type):
    """Names and descriptions. Without a source, of a large HLG video."""
    raw = source.caps if source else Gst.Caps.from_string(LARGE)
    compressed = source.video.caps if source else Gst.Caps.from_string("video/x-h265, width=7680, height=4320")
    names = compatible_presets(raw, file_type)
    names += [name for name in compatible_presets(compressed, file_type) if name not in names]
    rows = [(name, describe(name, file_type, raw)) for name in names]
    if file_type != "matroska" and (source is None or source.audio):
        rows.append(("m4a", "the sound alone"))
    width = max((len(name) for name, _ in rows), default=0)
    return [f"{name.ljust(width)}  {text}" for name, text in rows]
