#!/usr/bin/env python3
"""The definition of the colour maths in Float64, written from the standards and independent of the Swift code.

Light is absolute, in cd/m2. Non-linear signals R'G'B' are nominally in [0, 1]. Arrays end in an axis of three
components unless a function says that it works on single values. Needs numpy; GStreamer is not used.

    hdr_oracle.py       checks every function against figures that the standards publish; prints "ok"

Sources, cited by clause below:
    BT.2100-2                       PQ, HLG, Y'CbCr and ICtCp of HDR television
    BT.709-6, BT.601-7, BT.2020-2   SDR television
    BT.1886-0                       the EOTF of SDR displays
    IEC 61966-2-1                   sRGB
    BT.2390-11                      the extended HLG gamma, and ways to apply a curve
    BT.2408-7                       203 cd/m2, and in annex 5 the EETF
    BT.2446-1                       tone mapping methods A and C
    BT.2124-0                       Delta E ITP
    ST 2094-50 PCD 2                the reference white tone map (draft of February 2026)
    libplacebo, API 365             its spline, by its documentation and constants
    BT.2087-0                       BT.709 in a BT.2020 container
    libplacebo                      perceptual gamut mapping: its formulas
    H.273                           code values
"""
from dataclasses import dataclass

import numpy as np

# Programs that use the definition find all of its functions here.
from color_difference import *
from colorimetry import *
from gamut_mapping import *
from tone_mapping import *
from transfer_functions import *

# MARK: Code values, BT.2100 table 9 and H.273 clause 8.3


@dataclass(frozen=True)
class Signal:
    """How colours are coded.

    bits: of a component. matrix: None for R'G'B', else of Y'CbCr: "bt709", "bt2020", "bt601". full_range: codes use all
    values. primaries: a key of CHROMATICITIES. transfer: as light_from_signal names them."""

    bits: int
    matrix: str | None
    full_range: bool
    primaries: str
    transfer: str

    @property
    def is_hdr(self):
        return self.transfer in ("pq", "hlg")

    @property
    def maximum(self):
        return 2**self.bits - 1

    @property
    def _ranges(self):
        """Scale and offset of R'G'B' or luma, and those of the colour differences."""
        unit = 2.0 ** (self.bits - 8)
        if self.full_range:
            return (self.maximum, 0), (self.maximum, 128 * unit)
        return (219 * unit, 16 * unit), (224 * unit, 128 * unit)


def decode(codes, signal):
    """Code values to R'G'B'."""
    codes = np.asarray(codes, float)
    (scale, offset), (difference_scale, difference_offset) = signal._ranges
    if signal.matrix is None:
        return (codes - offset) / scale
    luma = (codes[..., 0] - offset) / scale
    cb, cr = ((codes[..., i] - difference_offset) / difference_scale for i in (1, 2))
    kr, kg, kb = luma_weights(signal.matrix)
    red = luma + 2 * (1 - kr) * cr
    blue = luma + 2 * (1 - kb) * cb
    return np.stack([red, (luma - kr * red - kb * blue) / kg, blue], -1)


def encode(rgb, signal, rounded=True):
    """R'G'B' to code values, rounded half up unless told otherwise, and clamped to what the bits hold."""
    rgb = np.asarray(rgb, float)
    (scale, offset), (difference_scale, difference_offset) = signal._ranges
    if signal.matrix is None:
        codes = rgb * scale + offset
    else:
        kr, _, kb = luma_weights(signal.matrix)
        luma = rgb @ luma_weights(signal.matrix)
        cb = (rgb[..., 2] - luma) / (2 * (1 - kb))
        cr = (rgb[..., 0] - luma) / (2 * (1 - kr))
        differences = [difference * difference_scale + difference_offset for difference in (cb, cr)]
        codes = np.stack([luma * scale + offset, *differences], -1)
    return np.clip(np.floor(codes + 0.5) if rounded else codes, 0, signal.maximum)


# MARK: The whole conversion


def convert(codes, source, target, tone_mapping="bt2390", domain="max-rgb", source_peak=1000.0, target_peak=None,
            reference_white=REFERENCE_WHITE, hlg_peak=HLG_NOMINAL_PEAK, rounded=True, average=None, contrast_recovery=0,
            gamut_mapping="clip"):
    """What `hdrconvert` computes: returns code values and the display light that they code.

    1. Code values to R'G'B', and to display light in the source's own primaries.
    2. The tone curve, still in those primaries; BT.2446's methods are defined in BT.2020.
    3. The matrix to the target's primaries.
    4. Light outside [0, target peak] is clipped; or 3 and 4 are perceptual_gamut, with gamut_mapping "perceptual".
    5. Light to R'G'B', and to code values.

    source_peak: of PQ, in cd/m2; HLG has hlg_peak, and SDR reference_white. target_peak: None for the target's own: SDR
    white, the HLG peak, or 10000 for PQ. average: of the scene, for the spline. contrast_recovery: with it codes are
    those of a picture's rows and columns, not subsampled."""
    own_peaks = {"pq": (source_peak, PQ_PEAK), "hlg": (hlg_peak, hlg_peak)}
    peak_in = own_peaks.get(source.transfer, (reference_white, None))[0]
    peak_out = target_peak or own_peaks.get(target.transfer, (None, reference_white))[1]

    def light_of(codes):
        return light_from_signal(decode(codes, source), source.transfer, hlg_peak, reference_white)

    light = light_of(codes)

    def around(norm, gain, curve, domain):
        measured = tone_measure(light_of(cell_means(np.asarray(codes, float))), domain, source.primaries)
        cells = curve_gain(curve, pq_eotf(binomial(np.clip(pq_inverse_eotf(np.maximum(measured, 0)), 0, 1))))
        low_pass = doubled(doubled(doubled(cells)))[: norm.shape[0], : norm.shape[1]]
        return recovered_gain(gain, low_pass, norm, contrast_recovery, peak_out)

    around = around if contrast_recovery else None
    primaries = source.primaries
    if tone_mapping in ("bt2446a", "bt2446c") and source.is_hdr and not target.is_hdr:
        light = transform(primaries_matrix(primaries, "bt2020"), light)
        primaries = "bt2020"
        if tone_mapping == "bt2446a":
            light = bt1886_eotf(bt2446_a(light, peak_in), white=peak_out)
        else:
            light = bt2446_c(light) / 100 * peak_out
    elif tone_mapping == "bt2390" and peak_out < peak_in:
        light = apply_curve(
            lambda level: bt2390_eetf(np.minimum(level, peak_in), peak_in, peak_out), light, domain, primaries, around)
    elif tone_mapping == "spline" and peak_out < peak_in:
        light = apply_curve(
            lambda level: spline_curve(level, peak_in, peak_out, average), light, domain, primaries, around)
    elif tone_mapping == "reference-white" and peak_out < peak_in:
        light = apply_curve(
            lambda level: reference_white_map(level, peak_in, peak_out, reference_white), light, "max-rgb-of-bt2020",
            primaries, around)
    elif tone_mapping == "clip" and gamut_mapping != "clip":
        # Clipping of the target's light makes it superfluous elsewhere.
        light = np.minimum(light, peak_out)
    elif tone_mapping == "expansion" and not source.is_hdr and target.is_hdr:
        # It aims at 1000 cd/m2 where no peak is asked for.
        aim = target_peak or (hlg_peak if target.transfer == "hlg" else 1000.0)
        light = apply_curve(
            lambda level: highlight_expansion(level, reference_white, aim), light, "max-rgb", primaries)

    if gamut_mapping == "perceptual":
        light = transform(primaries_matrix(primaries, source.primaries), light)
        light = perceptual_gamut(light, source.primaries, target.primaries, peak_out)
    else:
        light = np.clip(transform(primaries_matrix(primaries, target.primaries), light), 0, peak_out)

    white = reference_white if target.is_hdr else peak_out
    return encode(signal_from_light(light, target.transfer, hlg_peak, white), target, rounded), light


# MARK: Published figures


def check():
    """Holds the functions to figures that the standards and reports print."""

    def near(found, published, tolerance):
        np.testing.assert_allclose(found, published, rtol=0, atol=tolerance)

    hdr = Signal(10, "bt2020", False, "bt2020", "pq")
    # BT.2408 table 1: 203 cd/m2 is 58 % PQ and 75 % HLG; 26 cd/m2 (18 % grey) 38 % and 38 %.
    near(pq_inverse_eotf([26, 203, 1000]), [0.38, 0.58, 0.75], 0.005)
    near(hlg_eotf([0.75] * 3), [203] * 3, 0.5)
    near(pq_inverse_eotf(pq_eotf(np.linspace(0, 1, 101)[1:])), np.linspace(0, 1, 101)[1:], 1e-12)
    # BT.2100: the range of HLG's scene light, the point where its two parts meet, and gamma at the reference peak.
    near(hlg_inverse_oetf([0, 0.5, 1]), [0, 1 / 12, 1], 1e-7)
    near(hlg_oetf([0, 1 / 12, 1]), [0, 0.5, 1], 1e-7)
    near([hlg_system_gamma(1000), hlg_system_gamma(2000)], [1.2, 1.326], 5e-4)
    near(hlg_inverse_eotf(hlg_eotf([[0.2, 0.5, 0.9]])), [[0.2, 0.5, 0.9]], 1e-12)
    near(hlg_eotf([0.0, 0, 0], black=0.05), [0.05] * 3, 1e-6)
    # BT.1886: white and black are the display's.
    near(bt1886_eotf([0, 1], 100, 0.1), [0.1, 100], 1e-9)
    near(srgb_inverse_eotf(srgb_eotf([0, 0.02, 0.5, 1])), [0, 0.02, 0.5, 1], 1e-7)
    # BT.2087 clause 2.3: M2 to four digits. BT.709 and BT.2020: luma weights are luminance's, rounded.
    near(primaries_matrix("bt709", "bt2020"),
         [[0.6274, 0.3293, 0.0433], [0.0691, 0.9195, 0.0114], [0.0164, 0.0880, 0.8956]], 5e-5)
    near(xyz_from_rgb("bt709")[1], luma_weights("bt709"), 1e-4)
    near(xyz_from_rgb("bt2020")[1], luma_weights("bt2020"), 1e-4)
    # BT.2111 colour bars: 75 % HLG white, yellow and red, and 100 % red in 10-bit narrow range.
    bars = np.array([[0.75, 0.75, 0.75], [0.75, 0.75, 0], [0.75, 0, 0], [1, 0, 0]])
    near(encode(bars, hdr), [[721, 512, 512], [682, 176, 539], [237, 418, 848], [294, 387, 960]], 0)
    near(encode(decode([[721, 512, 512], [103, 848, 485]], hdr), hdr), [[721, 512, 512], [103, 848, 485]], 0)
    # BT.2408 annex 5: identity below the knee, the target's peak at the source's, and black lift.
    near(bt2390_eetf([0, 26, 1000], 1000, 100), [0, 26, 100], 1e-6)
    near(bt2390_eetf(0.005, 1000, 100, 0.005, 0.1), 0.1, 1e-6)
    assert bt2390_eetf(50, 1000, 100, 0.005, 0.1) > bt2390_eetf(50, 1000, 100)
    # BT.2446: method A takes 1000 cd/m2 to white and its inverse takes white back; method C is known for its 80 % knee,
    # 96 % at HLG's 75 %, and the peak of 118 cd/m2, 109 % of the signal.
    near(bt2446_a([[1000.0] * 3, [0] * 3]), [[1] * 3, [0] * 3], 1e-9)
    near(bt2446_a_inverse([[1.0] * 3]), [[1000] * 3], 0.5)
    near(bt1886_inverse_eotf(bt2446_c_curve([69.8, 203, 1000])), [0.8, 0.96, 1.073], 2e-3)
    near(bt2446_c_inverse_curve(bt2446_c_curve([10, 203, 1000])), [10, 203, 1000], 1e-9)
    near(bt2446_c([[203.0] * 3]), np.full((1, 3), bt2446_c_curve(203.0)), 1e-6)
    # ST 2094-50 prints no figures. By its text: at no headroom white is halved, from 8/3 of white on it is kept, the
    # source's peak becomes the target's, and a target as bright as the source takes it as it is.
    near(reference_white_map([203, 1000], 1000, 203), [101.5, 203], 1e-9)
    near(reference_white_map([26, 203, 4000], 4000, 812), [26, 203, 812], 1e-9)
    near(reference_white_map([26, 400, 1000], 1000, 1000), [26, 400, 1000], 0)
    # By an implementation of its own, in whites and headrooms: 1000 and 4000 cd/m2 on displays of 1, 2 and 4 whites.
    near(reference_white_map([400, 600], 1000, 203), [150.359, 174.423], 5e-4)
    near(reference_white_map([100, 400, 600], 1000, 406), [81.603, 269.941, 331.103], 5e-4)
    near(reference_white_map([400, 600, 1000], 4000, 812), [301.930, 363.438, 454.566], 5e-4)
    # libplacebo's spline keeps its ends, and its knee moves with the scene's average.
    near(spline_curve([0, 1000], 1000, 203), [0, 203], 1e-6)
    near(spline_curve([0, 1000], 1000, 203, 5), [0, 203], 1e-6)
    near(spline_curve([1, 26, 203, 1000], 1000, 1000), [1, 26, 203, 1000], 1e-6)
    assert spline_curve(100, 1000, 203, 300) < spline_curve(100, 1000, 203) < spline_curve(100, 1000, 203, 30)
    # The expansion of highlights: nothing below 70 % of the signal, the geometric mean of white and peak at white.
    near(highlight_expansion([0, 26, 86, 203], 203, 1000), [0, 26, 86, np.sqrt(203 * 1000)], 1e-9)
    near(highlight_expansion(203 * 0.85**2.4, 203, 812, 0), 203 * 0.85**2.4 * np.sqrt(2), 1e-9)
    # Contrast recovery: one gain around and at a pixel is kept, half of a difference is taken, at most a quarter of the
    # gain counts above it, and light stays below the peak; a flat field stays flat through the low-pass.
    near(recovered_gain(
        np.array([0.5, 0.5, 0.5, 0.66]), np.array([0.5, 0.25, 1, 1]), np.array([100, 100, 100, 300.0]), 0.5, 203),
         [0.5, 0.375, 0.5625, 203 / 300 - (203 / 300 - 0.66)**2 / 0.33], 1e-12)
    near(doubled(doubled(binomial(cell_means(np.full((5, 13, 1), 7.0))[..., 0]))), np.full((4, 8), 7), 1e-12)
    # libplacebo's perceptual mapping from BT.2020 to BT.709, in light of which 1 is the peak of 203 cd/m2.
    colors = np.array([[1, 0, 0], [0, 1, 1], [0.5, 0, 0], [0.8, 0.6, 0.1], [0.5, 0.2, 0.15], [0.2, 0.5, 0.3]])
    near(perceptual_gamut(colors * 203, "bt2020", "bt709", 203) / 203,
         [[1, 0, 0], [0, 1, 0.9803], [0.5636, 0, 0], [0.9048, 0.5875, 0.0586], [0.7018, 0.1631, 0.1386],
          [0.0383, 0.5344, 0.2839]], 0.002)
    near(perceptual_gamut([[100.0] * 3, [300] * 3], "bt2020", "bt709", 203), [[100] * 3, [203] * 3], 1e-9)
    # BT.2100: greys have no colour difference. BT.2124: one code of 10-bit luma in the upper range is about a unit.
    near(ictcp([[100.0] * 3]), [[pq_inverse_eotf(100), 0, 0]], 1e-6)
    near(delta_e_itp([203.0] * 3, pq_eotf(pq_inverse_eotf([203.0] * 3) + 1 / 876)), 0.822, 1e-3)
    # BT.2408 clause 5.1: SDR white at 203 cd/m2 is PQ code 573 and HLG code 721.
    white = np.array([[940, 512, 512]])
    sdr = Signal(10, "bt709", False, "bt709", "sdr")
    near(convert(white, sdr, hdr, "none")[0], [[573, 512, 512]], 0)
    near(convert(white, sdr, Signal(10, "bt2020", False, "bt2020", "hlg"), "none")[0], [[721, 512, 512]], 0)


if __name__ == "__main__":
    check()
    print("ok")
