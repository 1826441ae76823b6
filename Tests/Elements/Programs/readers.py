"""What programs of others read from an export, in container and bitstream: ffprobe, MediaInfo and mkvmerge.

    readers.py KIND FOLDER    hdr10, hlg or sdr; the folder takes the files

Each file type's readers must say what the source said. Prints "KIND ok".
"""
import fractions
import json
import subprocess
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

MASTERING = "35400:14600:8500:39850:6550:2300:15635:16450:10000000:1"
# Red, green, blue and white, the highest and the lowest luminance.
VOLUME = [0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.329, 1000, 0.0001]
WIDE = dict(primaries="bt2020", matrix="bt2020nc", range="limited", site="topleft")
KINDS = {
    "hdr10": (
        f'P010_10LE,colorimetry=bt2100-pq,mastering-display-info=(string)"{MASTERING}",content-light-level=(string)"1000:400"',
        dict(WIDE, transfer="pq", volume=VOLUME, levels=[1000, 400])),
    "hlg": ("P010_10LE,colorimetry=bt2100-hlg", dict(WIDE, transfer="hlg", volume=None, levels=None)),
    "sdr": ("NV12,colorimetry=bt709",
            dict(primaries="bt709", transfer="bt709", matrix="bt709", range="limited", site="topleft", volume=None, levels=None)),
}


def tool(*command):
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def number(text):
    return float(fractions.Fraction(text))


def ffprobe_part(part):
    sides = {side["side_data_type"]: side for side in part.get("side_data_list", [])}
    volume = sides.get("Mastering display metadata")
    levels = sides.get("Content light level metadata")
    names = [f"{color}_{axis}" for color in ("red", "green", "blue", "white_point") for axis in "xy"]
    return dict(
        primaries=part["color_primaries"], matrix=part["color_space"],
        transfer={"smpte2084": "pq", "arib-std-b67": "hlg"}.get(part["color_transfer"], part["color_transfer"]),
        range={"tv": "limited"}.get(part["color_range"]), site=part["chroma_location"],
        volume=volume and [number(volume[name]) for name in (*names, "max_luminance", "min_luminance")],
        levels=levels and [levels["max_content"], levels["max_average"]])


def ffprobe(path):
    """What stands in the container, with what its parser adds, and what stands in the bitstream."""
    got = tool("ffprobe", "-v", "error", "-select_streams", "v", "-show_streams", "-show_frames", "-read_intervals", "%+#1",
               "-of", "json", path)
    return {"ffprobe, stream": ffprobe_part(got["streams"][0]), "ffprobe, frame": ffprobe_part(got["frames"][0])}


def mediainfo(path):
    """Container and stream; where they differ MediaInfo has a value more, which is compared too."""
    video = next(track for track in tool("mediainfo", "--Output=JSON", path)["media"]["track"] if track["@type"] == "Video")
    names = {"BT.2020": "bt2020", "BT.709": "bt709", "PQ": "pq", "HLG": "hlg", "BT.2020 non-constant": "bt2020nc"}
    site = {"Type 2": "topleft"}.get(video.get("ChromaSubsampling_Position"))

    def level(name):
        values = {video[key].split()[0] for key in (name, f"{name}_Original") if key in video}
        assert len(values) <= 1, (path, name, values)
        return int(values.pop()) if values else None

    light = video.get("MasteringDisplay_Luminance")
    levels = [level("MaxCLL"), level("MaxFALL")]
    volume = None
    if light:
        assert video["MasteringDisplay_ColorPrimaries"] == "BT.2020", video
        lowest, highest = (float(part.split()[1]) for part in light.split(","))
        volume = VOLUME[:8] + [highest, lowest]
    different = [key for key in video if key.endswith("_Original") and key.startswith(("colour", "transfer", "matrix", "Mastering"))]
    assert not different, (path, different)
    return {"MediaInfo": dict(
        primaries=names[video["colour_primaries"]], transfer=names[video["transfer_characteristics"]],
        matrix=names[video["matrix_coefficients"]], range=video["colour_range"].lower(), site=site, volume=volume,
        levels=None if levels == [None, None] else levels)}


def mkvmerge(path):
    video = tool("mkvmerge", "-J", path)["tracks"][0]["properties"]
    volume = None
    if "chromaticity_coordinates" in video:
        places = [float(text) for key in ("chromaticity_coordinates", "white_color_coordinates") for text in video[key].split(",")]
        volume = places + [video["max_luminance"], video["min_luminance"]]
    levels = [video[key] for key in ("max_content_light", "max_frame_light") if key in video] or None
    return {"mkvmerge": dict(
        primaries={9: "bt2020", 1: "bt709"}[video["color_primaries"]],
        transfer={16: "pq", 18: "hlg", 1: "bt709"}[video["color_transfer_characteristics"]],
        matrix={9: "bt2020nc", 1: "bt709"}[video["color_matrix_coefficients"]],
        range={1: "limited"}[video["color_range"]], site={"1,1": "topleft"}[video["chroma_siting"]], volume=volume,
        levels=levels)}


def export(kind, file_type, path):
    pipeline = Gst.parse_launch(
        f"videotestsrc num-buffers=4 ! video/x-raw,width=320,height=180,framerate=25/1,chroma-site=dv,format={KINDS[kind][0]} ! "
        f"hdrmux-settings speed-preset=ultrafast file-type={file_type} ! filesink location={path}")
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()
    pipeline.set_state(Gst.State.NULL)


def same(got, wanted):
    if isinstance(wanted, list):
        return got is not None and len(got) == len(wanted) and all(abs(a - b) <= 1e-5 + 1e-6 * b for a, b in zip(got, wanted))
    return got == wanted


Gst.init(None)
kind, folder = sys.argv[1:]
for file_type, ending in (("mov", "mov"), ("mp4", "mp4"), ("matroska", "mkv")):
    path = f"{folder}/{kind}.{ending}"
    export(kind, file_type, path)
    answers = {**ffprobe(path), **mediainfo(path)}
    if file_type == "matroska":
        answers |= mkvmerge(path)
    for reader, got in answers.items():
        for name, wanted in KINDS[kind][1].items():
            assert same(got[name], wanted), f"{ending}, {reader}: {name} is {got[name]} and not {wanted}"
print(kind, "ok")
