"""What the display gets of PQ, HLG and SDR pictures at several headrooms, by the formulas of `light.py`."""
import os
import sys

import light
from bench import HLG, PQ, SRGB, Bench, bytes_of, caps, make, rgba64, run

CURVES = {"rolloff": light.rolloff, "clip": light.clip, "bt2390": light.bt2390,
          "reference-white": light.reference_white}
HEADROOMS = (1, 2, 4, 10)
RAMP = [round(column * 65535 / 1023) for column in range(1024)]
COLORS = [(65535, 0, 0), (0, 65535, 0), (0, 0, 65535), (40000, 20000, 10000), (30000, 45000, 20000),
          (65535, 65535, 0), (0, 48000, 48000), (52000, 1000, 30000), (38055, 38055, 38055)]


def shown(codes, colorimetry, **properties):
    """The caps and the pixels of a row of 16-bit codes."""
    more = {"content_light_level": properties.pop("level")} if "level" in properties else {}
    with Bench(caps(len(codes), 2, colorimetry, **more), [rgba64([codes] * 2)], **properties) as bench:
        structure, data = bench.read()
        read = {"RGBA_F16LE": light.halves, "RGB10A2_LE": light.tens, "RGBx": light.bytes3}
        pixels = read[structure.get_string("format")](data)
        assert pixels[:len(codes)] == pixels[len(codes):] or structure.get_string("format") != "RGBA_F16LE"
        return structure, pixels[:len(codes)]


def expect_half(wanted, pixel, about, codes=1):
    for want, value in zip(wanted, pixel):
        distance = abs(light.half_code(want) - light.half_code(value))
        # A matrix leaves less than a code of the largest part behind in a small one.
        assert distance <= codes or abs(want - value) <= 2e-4 * max(wanted), (about, wanted, pixel)


def expect_tens(wanted, pixel, about):
    """Ordered dither goes to either side of the exact value, by less than a code."""
    for want, value in zip(wanted, pixel):
        assert abs(1023 * light.pq_signal(want * light.WHITE) - value) < 1.01, (about, wanted, pixel)


def ramp(name, peaks=(1000, 4000)):
    """A grey ramp in both formats at all headrooms."""
    for peak in peaks:
        for headroom in HEADROOMS:
            setup = dict(level=f"{peak}:400", force_headroom=headroom, tone_mapping=name, peak_detection="off")
            grey = [(code, code, code) for code in RAMP]
            halves = shown(grey, PQ, pixel_format="rgba16f", **setup)
            tens = shown(grey, PQ, pixel_format="rgb10a2", **setup)
            assert halves[0].get_string("color-space") == "extended-linear-display-p3"
            assert tens[0].get_string("color-space") == "bt2100-pq"
            # Without headroom the reference white map leaves the upper half of PQ's codes unused.
            count = 300 if name == "reference-white" else 500
            assert len(set(halves[1])) > 500 and len(set(tens[1])) > count, (len(set(halves[1])), len(set(tens[1])))
            for code, half, ten in zip(RAMP, halves[1], tens[1]):
                nits = light.pq_light(code / 65535)
                want = min(CURVES[name](nits, headroom, peak), headroom)
                about = (name, peak, headroom, code, nits)
                expect_half([want] * 3, half, about)
                # Beyond the peak in the caps only a limit holds; see `beyond`.
                if nits <= peak:
                    expect_tens([want] * 3, ten, about)


def moving_headroom():
    """While a display's headroom moves no level jumps: with it each grey moves by no more than the headroom itself."""
    levels = [10, 50, 100, 203, 300, 450, 700, 1000]
    codes = [(round(65535 * light.pq_signal(nits)),) * 3 for nits in levels]
    last = None
    for step in range(0, 105):
        headroom = 1 + step / 20
        _, halves = shown(codes, PQ, level="1000:400", pixel_format="rgba16f", force_headroom=headroom,
                          tone_mapping="reference-white", peak_detection="off")
        for nits, half in zip(levels, halves):
            expect_half([light.reference_white(nits, headroom, 1000)] * 3, half, (nits, headroom))
        if last:
            for nits, half, before in zip(levels, halves, last):
                change = half[0] - before[0]
                assert -0.002 <= change <= 0.05 * max(1, nits / light.WHITE) + 0.002, (nits, headroom, change)
        last = halves
    # From the source's peak on the picture is the source's.
    for nits, half in zip(levels, last):
        expect_half([nits / light.WHITE] * 3, half, nits)


def beyond():
    """Light over the peak in the caps, and over the headroom: no display gets more than its headroom."""
    for tone_mapping in CURVES:
        for detection in ("auto", "off"):
            setup = dict(level="1000:400", force_headroom=10, tone_mapping=tone_mapping, peak_detection=detection)
            for pixel_format in ("rgba16f", "rgb10a2"):
                _, pixels = shown([(65535, 65535, 65535)], PQ, pixel_format=pixel_format, **setup)
                expect = expect_half if pixel_format == "rgba16f" else expect_tens
                expect([10.0] * 3, pixels[0], (tone_mapping, detection, pixel_format))


def colors():
    """The curve acts on the largest of R, G, B in the source's primaries; then P3, up to the headroom."""
    for headroom in HEADROOMS:
        for name, curve in CURVES.items():
            setup = dict(level="4000:400", force_headroom=headroom, tone_mapping=name, peak_detection="off")
            _, halves = shown(COLORS, PQ, pixel_format="rgba16f", **setup)
            _, tens = shown(COLORS, PQ, pixel_format="rgb10a2", **setup)
            for color, half, ten in zip(COLORS, halves, tens):
                nits = [light.pq_light(code / 65535) for code in color]
                # A cut is made in each of the display's own colours.
                want = [v / light.WHITE for v in nits]
                if name != "clip":
                    want = light.mapped(curve, nits, headroom, 4000)
                p3 = [min(max(v, 0), headroom) for v in light.between("bt2020", "p3", want)]
                want = [min(v, headroom) for v in want]
                expect_tens(want, ten, (name, headroom, color))
                expect_half(p3, half, (name, headroom, color))


def white():
    """203 cd/m2 is 1.0 and PQ's 593.6 at every headroom, whatever the curve; 100 cd/m2 keeps its level too."""
    codes = [(round(65535 * light.pq_signal(nits)),) * 3 for nits in (100, 203)]
    for headroom in (1.5, *HEADROOMS[1:], 30):
        setup = dict(level="10000:400", force_headroom=headroom)
        _, halves = shown(codes, PQ, pixel_format="rgba16f", **setup)
        expect_half([100 / 203] * 3, halves[0], headroom)
        expect_half([1.0] * 3, halves[1], headroom)
        _, tens = shown(codes, PQ, pixel_format="rgb10a2", **setup)
        expect_tens([1.0] * 3, tens[1], headroom)


def hlg():
    """HLG goes through its OOTF for 1000 cd/m2, and then the same curve; PQ leaves the sink, never HLG."""
    for headroom in HEADROOMS:
        row = [(code, code, code) for code in RAMP[::4]] + COLORS
        setup = dict(force_headroom=headroom, peak_detection="off")
        _, halves = shown(row, HLG, pixel_format="rgba16f", **setup)
        structure, tens = shown(row, HLG, pixel_format="rgb10a2", **setup)
        assert structure.get_string("color-space") == "bt2100-pq"
        for code, half, ten in zip(row, halves, tens):
            want = light.mapped(light.rolloff, light.hlg_light([v / 65535 for v in code]), headroom, 1000)
            expect_tens(want, ten, (headroom, code))
            p3 = [min(max(v, 0), headroom) for v in light.between("bt2020", "p3", want)]
            expect_half(p3, half, (headroom, code))


def sdr():
    """SDR gets the same pixels whatever the headroom and the settings for HDR; sRGB keeps its codes."""
    codes = bytes(value for code in range(256) for value in (code, 255 - code, code // 2, 255))
    others = [dict(), dict(force_headroom=1), dict(force_headroom=4), dict(force_headroom=10),
              dict(force_headroom=2, tone_mapping="clip"), dict(force_headroom=2, tone_mapping="bt2390"),
              dict(wants_extended_dynamic_range=False)]
    for colorimetry in (SRGB, "1:1:5:1", "1:1:11:7"):
        for pixel_format in ("auto", "rgba8", "rgb10a2", "rgba16f"):
            seen = set()
            for other in others:
                if pixel_format != "auto" and "wants_extended_dynamic_range" in other:
                    continue
                # BT.2020's green is more than P3's, which a headroom of 1 cuts.
                if colorimetry == "1:1:11:7" and other.get("force_headroom") == 1:
                    continue
                setup = caps(256, 1, colorimetry, format="RGBx")
                with Bench(setup, [codes], pixel_format=pixel_format, **other) as bench:
                    seen.add(bench.read()[1])
            assert len(seen) == 1, (colorimetry, pixel_format, len(seen))
            if colorimetry == SRGB and pixel_format in ("auto", "rgba8"):
                got = light.bytes3(seen.pop())
                assert got == light.bytes3(codes), [pair for pair in zip(light.bytes3(codes), got) if pair[0] != pair[1]][:5]


def extended_sdr():
    """SDR in extended formats: white is 1.0 in half floats and 203 cd/m2 in PQ, by sRGB's or BT.1886's curve."""
    codes = [(v * 257,) * 3 for v in (0, 10, 64, 128, 200, 255)]
    for colorimetry, decode in ((SRGB, light.srgb_light), ("1:1:5:1", lambda v: v**2.4)):
        _, halves = shown(codes, colorimetry, pixel_format="rgba16f", force_headroom=4)
        structure, tens = shown(codes, colorimetry, pixel_format="rgb10a2", color_space="bt2100-pq", force_headroom=4)
        assert structure.get_string("color-space") == "bt2100-pq", structure.to_string()
        for code, half, ten in zip(codes, halves, tens):
            want = [decode(v / 65535) for v in code]
            expect_half(want, half, (colorimetry, code))
            expect_tens(want, ten, (colorimetry, code))
    # BT.709's red in Display P3.
    _, pixels = shown([(65535, 0, 0)], SRGB, pixel_format="rgba16f")
    expect_half(light.between("bt709", "p3", [1, 0, 0]), pixels[0], "red")


def converted(codes, colorimetry, level, detection):
    """What hdrconvert makes of a row as sRGB of 8 bits."""
    from gi.repository import Gst
    chain = [make("appsrc", format="time"), make("hdrconvert", dither="none", peak_detection=detection),
             make("capsfilter", caps="video/x-raw,format=RGBx,colorimetry=sRGB"), make("appsink", sync=False)]
    pipeline = Gst.Pipeline.new(None)
    for element in chain:
        pipeline.add(element)
    for left, right in zip(chain, chain[1:]):
        assert left.link(right)
    chain[0].set_property("caps", caps(len(codes), 1, colorimetry, content_light_level=level))
    pipeline.set_state(Gst.State.PLAYING)
    chain[0].emit("push-buffer", Gst.Buffer.new_wrapped(rgba64([codes])))
    pixels = light.bytes3(bytes_of(chain[3].emit("pull-sample")))
    pipeline.set_state(Gst.State.NULL)
    return pixels


def as_sdr():
    """Without extended range HDR is what hdrconvert makes of it, sRGB, within a code of dither."""
    row = [(code, code, code) for code in RAMP[::4]] + COLORS
    for colorimetry, detection in ((PQ, "auto"), (PQ, "off"), (HLG, "auto"), (HLG, "off")):
        wanted = converted(row, colorimetry, "1000:400", detection)
        for setup in (dict(wants_extended_dynamic_range=False), dict(pixel_format="rgba8")):
            structure, pixels = shown(row, colorimetry, level="1000:400", peak_detection=detection, **setup)
            assert structure.get_string("color-space") == "srgb", structure.to_string()
            for code, want, pixel in zip(row, wanted, pixels):
                assert all(abs(a - b) <= 1 for a, b in zip(want, pixel)), (colorimetry, setup, code, want, pixel)
            assert max(pixel[0] for pixel in pixels) == 255


def oracle():
    """reference-white and perceptual by the Float64 definition of the colour maths, in the folder that the environment names."""
    sys.path.insert(0, os.environ["ORACLE"])
    import hdr_oracle
    import numpy

    row = [(code, code, code) for code in RAMP[::4]] + COLORS
    # Light over the source's peak is clipped before the curve.
    row = [code for code in row if max(code) <= 65535 * light.pq_signal(1000)]
    source = hdr_oracle.Signal(bits=16, matrix=None, full_range=True, primaries="bt2020", transfer="pq")
    target = hdr_oracle.Signal(bits=8, matrix=None, full_range=True, primaries="bt709", transfer="srgb")
    wanted, _ = hdr_oracle.convert(numpy.array(row), source, target, tone_mapping="reference-white", gamut_mapping="perceptual",
                                   rounded=False)
    _, pixels = shown(row, PQ, level="1000:400", wants_extended_dynamic_range=False, peak_detection="off")
    worst = float(numpy.abs(wanted - numpy.array(pixels)).max())
    assert worst < 1.1, worst
    assert len(row) > 150


def peaks():
    """The peak without detection: content light level, else the mastering display, else 1000 cd/m2."""
    display = "34000:16000:13250:34500:7500:3000:15635:16450:{}:50"
    code = (round(65535 * light.pq_signal(600)),) * 3
    cases = [(dict(), 1000), (dict(mastering_display_info=display.format(40000000)), 4000),
             (dict(mastering_display_info=display.format(40000000), content_light_level="800:400"), 800),
             (dict(content_light_level="2500:400"), 2500)]
    seen = set()
    for more, peak in cases:
        with Bench(caps(2, 2, PQ, **more), [rgba64([[code] * 2] * 2)], pixel_format="rgba16f", force_headroom=2,
                   peak_detection="off") as bench:
            pixel = light.halves(bench.read()[1])[0]
        expect_half([light.rolloff(600, 2, peak)] * 3, pixel, peak)
        seen.add(pixel)
    assert len(seen) == 4, seen


def approximate():
    """Colours that are not converted are shown as others, and a warning names both: P3 of cinemas as that of displays."""
    codes = [(52000, 12000, 30000), (9000, 60000, 20000)]
    for color, other, words in (
            ("1:1:5:10", "1:1:5:11", ["smpterp431 (DCI P3)", "smpteeg432 (Display P3)"]),
            ("1:1:5:6", "1:1:5:1", ["film", "bt709"]), ("1:1:9:1", "1:1:5:1", ["log100", "bt709"]),
            ("1:1:14:10", "1:1:14:11", ["smpterp431", "Display P3"]), ("1:1:14:2", "1:1:14:7", ["bt470m", "bt2020"])):
        seen = []
        for name in (color, other):
            with Bench(caps(2, 2, name), [rgba64([codes] * 2)], pixel_format="rgba16f", force_headroom=4,
                       peak_detection="off") as bench:
                seen.append((light.halves(bench.read()[1]), bench.trouble()))
        assert seen[0][0] == seen[1][0], (color, seen)
        assert len(seen[0][1]) == 1 and all(word in seen[0][1][0] for word in words) and not seen[1][1], seen


CHECKS = {"beyond": beyond, "approximate": approximate, "colors": colors, "white": white, "hlg": hlg, "sdr": sdr, "extended-sdr": extended_sdr,
          "as-sdr": as_sdr, "oracle": oracle, "peaks": peaks,
          "moving-headroom": moving_headroom}
for curve_name in CURVES:
    CHECKS[f"ramp-{curve_name}"] = lambda name=curve_name: ramp(name)

if __name__ == "__main__":
    run(CHECKS)
