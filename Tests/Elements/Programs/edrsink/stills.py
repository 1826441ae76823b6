"""Frames that are saved: what stands in the files, and that another decoder reads the source's values."""
import os
import shutil
import struct
import subprocess
import tempfile
import zlib

import light
from bench import HLG, PQ, SRGB, Bench, Gst, caps, make, rgba64, run

WIDTH, HEIGHT = 64, 32
# G, B, R and white in units of 0.00002, as SEI and PNG write them; caps begin with red.
DISPLAY = "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"
LEVEL = "1000:400"
ROWS = [[(257 * (4 * x + y) % 65536, 65535 - 1021 * x, (x * y * 37) % 65536) for x in range(WIDTH)] for y in range(HEIGHT)]


def saved(name, colorimetry=PQ, rows=ROWS, sink={}, **more):
    """The bytes of a frame's file; `sink` has properties of the sink."""
    folder = tempfile.mkdtemp()
    try:
        path = os.path.join(folder, name)
        with Bench(caps(WIDTH, HEIGHT, colorimetry, **more), [rgba64(rows)], **sink) as bench:
            assert bench.sink.emit("save-frame", path) is True, bench.trouble()
        assert os.listdir(folder) == [name], os.listdir(folder)
        with open(path, "rb") as file:
            return file.read()
    finally:
        shutil.rmtree(folder)


def chunks(data):
    """A PNG's chunks in order, their checksums verified."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    found, at = [], 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body), kind
        found.append((kind.decode(), body))
        at += 12 + length
    assert found[0][0] == "IHDR" and found[-1][0] == "IEND"
    return found


def decoded(data, layout, scale, ending="png"):
    """Samples as ffmpeg reads them: an independent decoder. Without a layout they are bytes as the decoder gives them."""
    with tempfile.NamedTemporaryFile(suffix="." + ending) as file:
        file.write(data)
        file.flush()
        outcome = subprocess.run(
            ["ffmpeg", "-v", "error", "-i", file.name, "-f", "rawvideo", *(["-pix_fmt", layout] if layout else []), "-"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert outcome.returncode == 0, outcome.stderr.decode()
    return struct.unpack(scale.format(len(outcome.stdout) // struct.calcsize(scale.format(1))), outcome.stdout)


def png():
    """16 bits a sample, PQ and BT.2020 by cICP, and the metadata in the units of PNG's third edition."""
    data = saved("frame.png", mastering_display_info=DISPLAY, content_light_level=LEVEL)
    found = chunks(data)
    kinds = [kind for kind, _ in found]
    named = dict(found)
    assert named["IHDR"] == struct.pack(">IIBBBBB", WIDTH, HEIGHT, 16, 2, 0, 0, 0), named["IHDR"]
    assert named["cICP"] == bytes([9, 16, 0, 1]), named["cICP"]
    # Red, green, blue, white; the most and the least light in units of 0.0001 cd/m2.
    numbers = [34000, 16000, 13250, 34500, 7500, 3000, 15635, 16450]
    wanted = struct.pack(">8H2I", *numbers, 10000000, 50)
    name = "mDCV" if "mDCV" in named else "mDCv"
    assert named[name] == wanted, (kinds, struct.unpack(">8H2I", named[name]))
    name = "cLLI" if "cLLI" in named else "cLLi"
    assert named[name] == struct.pack(">2I", 10000000, 4000000), (kinds, named[name].hex())
    # The edition spells them with a last capital: not safe to copy where the picture is changed.
    assert "mDCV" in named and "cLLI" in named, kinds
    assert kinds.index("cICP") < kinds.index("IDAT") and kinds.index("mDCV") < kinds.index("IDAT"), kinds


def signals():
    """HLG and SDR say what they are, and have no metadata that is not theirs."""
    for colorimetry, wanted in ((HLG, [9, 18, 0, 1]), (SRGB, [1, 13, 0, 1]), ("1:1:5:1", [1, 1, 0, 1])):
        named = dict(chunks(saved("frame.png", colorimetry)))
        assert named["cICP"] == bytes(wanted), (colorimetry, named["cICP"])
        assert "mDCV" not in named and "cLLI" not in named


def values():
    """The saved signal is the source's to the last of 16 bits, not what the headroom made of it."""
    for colorimetry in (PQ, HLG, SRGB):
        data = saved("frame.png", colorimetry)
        samples = decoded(data, "rgb48be", ">{}H")
        assert list(samples) == [code for row in ROWS for triple in row for code in triple], colorimetry


def sdr():
    """`.sdr.png` has 8 bits of sRGB: of HDR what hdrconvert makes of it."""
    data = saved("frame.sdr.png", content_light_level=LEVEL)
    named = dict(chunks(data))
    assert named["IHDR"] == struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 2, 0, 0, 0)
    assert named["cICP"] == bytes([1, 13, 0, 1]) and "mDCV" not in named and "cLLI" not in named
    # A dim scene of a bright file: with its own peak, also where the display needs no curve for it.
    rows = [[tuple(v // 2 for v in color) for color in row] for row in ROWS]
    pictures = []
    for detection in ("auto", "off"):
        with Bench(caps(WIDTH, HEIGHT, PQ, content_light_level="4000:400"), [rgba64(rows)],
                   wants_extended_dynamic_range=False, peak_detection=detection) as bench:
            shown = [v for pixel in light.bytes3(bench.read()[1]) for v in pixel]
        for headroom in (1, 3, 40):
            sink = dict(peak_detection=detection, force_headroom=headroom)
            data = saved("frame.sdr.png", rows=rows, sink=sink, content_light_level="4000:400")
            samples = decoded(data, "rgb24", "{}B")
            worst = max(abs(a - b) for a, b in zip(samples, shown))
            assert len(samples) == len(shown) and worst <= 1, (sink, worst)
        pictures.append(sum(samples))
    assert pictures[0] > 1.1 * pictures[1], pictures
    # SDR itself is left alone.
    samples = decoded(saved("frame.sdr.png", SRGB), "rgb24", "{}B")
    assert all(abs(code / 257 - got) < 1 for code, got in zip((c for r in ROWS for t in r for c in t), samples))


def attributes(data):
    """An OpenEXR file's header: name to type and bytes."""
    assert data[:4] == b"\x76\x2f\x31\x01", data[:4]
    version, at, found = struct.unpack("<I", data[4:8])[0], 8, {}
    assert version & 0xFF == 2 and version >> 9 & 1 == 0
    while data[at]:
        name, kind = data[at:].split(b"\0", 2)[:2]
        at += len(name) + len(kind) + 2
        size = struct.unpack("<I", data[at:at + 4])[0]
        found[name.decode()] = (kind.decode(), data[at + 4:at + 4 + size])
        at += 4 + size
    return found


def exr():
    """Half floats of linear light, 1.0 being white, in the primaries that the header names."""
    for colorimetry, decode, primaries in (
            (PQ, lambda v: light.pq_light(v) / light.WHITE, "bt2020"), (SRGB, light.srgb_light, "bt709")):
        data = saved("frame.exr", colorimetry)
        header = attributes(data)
        kind, numbers = header["chromaticities"]
        found = struct.unpack("<8f", numbers)
        wanted = [v for pair in light.PRIMARIES[primaries] for v in pair] + [0.3127, 0.3290]
        assert kind == "chromaticities" and all(abs(a - b) < 1e-6 for a, b in zip(found, wanted)), found
        assert header["dataWindow"][1] == struct.pack("<4i", 0, 0, WIDTH - 1, HEIGHT - 1)
        if "whiteLuminance" in header:
            assert struct.unpack("<f", header["whiteLuminance"][1])[0] == 203
        # Newer versions of FFmpeg give half floats, and cut what is brighter than white where they are asked for others.
        size = WIDTH * HEIGHT
        planes = bytes(decoded(data, None, "{}B", "exr"))
        assert len(planes) in (6 * size, 12 * size), len(planes)
        planes = struct.unpack(f"<{3 * size}{'e' if len(planes) == 6 * size else 'f'}", planes)
        for index, triple in enumerate(triple for row in ROWS for triple in row):
            got = [planes[2 * size + index], planes[index], planes[size + index]]
            want = [decode(code / 65535) for code in triple]
            assert all(abs(light.half_code(a) - light.half_code(b)) <= 1 for a, b in zip(got, want)), (index, got, want)


def refusals():
    """A name or folder that cannot be is refused with a warning that names it, and leaves no file."""
    folder = tempfile.mkdtemp()
    with Bench(caps(WIDTH, HEIGHT, PQ), [rgba64(ROWS)]) as bench:
        for name in ("frame.jpg", "frame", "", "png", "missing/frame.png", "."):
            assert bench.sink.emit("save-frame", os.path.join(folder, name) if name else "") is False, name
            texts = bench.trouble()
            assert len(texts) == 1 and (".png" in texts[0] or "folder" in texts[0]), (name, texts)
        assert bench.sink.emit("save-frame", None) is False and len(bench.trouble()) == 1
        # The stream goes on.
        bench.finish()
    assert os.listdir(folder) == []
    os.rmdir(folder)
    # Before the first frame.
    sink = make("edrsink", presenter="offscreen")
    pipeline = Gst.Pipeline.new(None)
    pipeline.add(sink)
    pipeline.set_state(Gst.State.READY)
    assert sink.emit("read-frame") is None
    assert sink.emit("save-frame", "/tmp/never.png") is False and not os.path.exists("/tmp/never.png")
    warning = pipeline.get_bus().pop_filtered(Gst.MessageType.WARNING)
    pipeline.set_state(Gst.State.NULL)
    assert warning is not None


if __name__ == "__main__":
    run({"png": png, "signals": signals, "values": values, "sdr": sdr, "exr": exr, "refusals": refusals})
