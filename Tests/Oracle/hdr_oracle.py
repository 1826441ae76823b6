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

# MARK: Colorimetry

# CIE 1931 x, y of red, green and blue: BT.709 item 1.3, BT.2020 table 3, SMPTE RP 431-2 (P3), BT.601 table 2 (525
# lines).
CHROMATICITIES = {
    "bt709": [(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)],
    "bt2020": [(0.708, 0.292), (0.170, 0.797), (0.131, 0.046)],
    "p3": [(0.680, 0.320), (0.265, 0.690), (0.150, 0.060)],
    "bt601": [(0.630, 0.340), (0.310, 0.595), (0.155, 0.070)],
}
WHITE_D65 = (0.3127, 0.3290)
# Kr and Kb of the luma equations: BT.709 item 3.2, BT.2020 table 4 (BT.2100 table 6), BT.601 clause 2.5.1.
LUMA_COEFFICIENTS = {"bt709": (0.2126, 0.0722), "bt2020": (0.2627, 0.0593), "bt601": (0.299, 0.114)}


def luma_weights(matrix):
    """The three weights of the luma equation of a Y'CbCr matrix, as the standards round them."""
    kr, kb = LUMA_COEFFICIENTS[matrix]
    return np.array([kr, 1 - kr - kb, kb])


def xyz_of_chromaticity(x, y):
    """XYZ with Y = 1."""
    return np.array([x / y, 1.0, (1 - x - y) / y])


def xyz_from_rgb(primaries):
    """The 3x3 matrix from linear RGB to XYZ in which RGB of (1, 1, 1) is D65 with Y = 1 (SMPTE RP 177)."""
    unscaled = np.column_stack([xyz_of_chromaticity(*point) for point in CHROMATICITIES[primaries]])
    scale = np.linalg.inv(unscaled) @ xyz_of_chromaticity(*WHITE_D65)
    return unscaled @ np.diag(scale)


def primaries_matrix(source, target):
    """Linear RGB of one set of primaries to another's; all have the same white.

    From bt709 to bt2020 it is M2 of BT.2087, which rounds it."""
    return np.linalg.inv(xyz_from_rgb(target)) @ xyz_from_rgb(source)


def transform(matrix, colors):
    """Multiplies each colour, as a column, by a 3x3 matrix."""
    return np.einsum("ij,...j->...i", matrix, np.asarray(colors, float))


def luminance(rgb, primaries):
    """Y of linear RGB, as an array without the component axis."""
    return np.asarray(rgb, float) @ xyz_from_rgb(primaries)[1]


# MARK: PQ, BT.2100 table 4 (ST 2084)

PQ_M1 = 2610 / 16384
PQ_M2 = 2523 / 4096 * 128
PQ_C1 = 3424 / 4096
PQ_C2 = 2413 / 4096 * 32
PQ_C3 = 2392 / 4096 * 32
PQ_PEAK = 10000.0


def pq_eotf(signal):
    """Signal to light, 0 to 10000 cd/m2, of single values. Signals outside [0, 1] are clamped."""
    root = np.clip(np.asarray(signal, float), 0, 1) ** (1 / PQ_M2)
    return PQ_PEAK * (np.maximum(root - PQ_C1, 0) / (PQ_C2 - PQ_C3 * root)) ** (1 / PQ_M1)


def pq_inverse_eotf(light):
    """Light to signal, of single values. Black is 7.3e-7, not 0: the formula says so."""
    power = np.clip(np.asarray(light, float) / PQ_PEAK, 0, 1) ** PQ_M1
    return ((PQ_C1 + PQ_C2 * power) / (1 + PQ_C3 * power)) ** PQ_M2


# MARK: HLG, BT.2100 table 5

HLG_A = 0.17883277
HLG_B = 1 - 4 * HLG_A
HLG_C = 0.5 - HLG_A * np.log(4 * HLG_A)
HLG_NOMINAL_PEAK = 1000.0


def hlg_oetf(scene):
    """Scene light in [0, 1] to signal, of single values."""
    scene = np.maximum(np.asarray(scene, float), 0)
    # The logarithm's argument is clamped where the square root is taken anyway.
    logarithm = HLG_A * np.log(np.maximum(12 * scene, 1) - HLG_B) + HLG_C
    return np.where(scene > 1 / 12, logarithm, np.sqrt(3 * scene))


def hlg_inverse_oetf(signal):
    """Signal to scene light, of single values. Signals below 0 are clamped."""
    signal = np.maximum(np.asarray(signal, float), 0)
    return np.where(signal > 1 / 2, (np.exp((signal - HLG_C) / HLG_A) + HLG_B) / 12, signal**2 / 3)


def hlg_system_gamma(peak=HLG_NOMINAL_PEAK, surround=5.0):
    """The exponent of the OOTF for a display's nominal peak and its surround's luminance, both in cd/m2.

    BT.2100 note 5f between 400 and 2000 cd/m2 in the reference surround, otherwise BT.2390 clause 6.2."""
    if surround == 5.0 and 400 <= peak <= 2000:
        return 1.2 + 0.42 * np.log10(peak / 1000)
    return 1.2 * 1.111 ** np.log2(peak / 1000) * 0.98 ** np.log2(surround / 5)


def hlg_eotf(signal, peak=HLG_NOMINAL_PEAK, black=0.0, surround=5.0):
    """R'G'B' to display light, with the OOTF on luminance and, for a black above 0, the black level lift beta."""
    gamma = hlg_system_gamma(peak, surround)
    beta = np.sqrt(3 * (black / peak) ** (1 / gamma))
    scene = hlg_inverse_oetf(np.maximum(0, (1 - beta) * np.asarray(signal, float) + beta))
    scene_luminance = scene @ luma_weights("bt2020")
    # Black stays black, where the exponent of a small gamma would be negative.
    gain = np.where(scene_luminance > 0, np.where(scene_luminance > 0, scene_luminance, 1) ** (gamma - 1), 0)
    return peak * gain[..., None] * scene


def hlg_inverse_eotf(light, peak=HLG_NOMINAL_PEAK, surround=5.0):
    """Display light to R'G'B' for a black of 0: the inverse OOTF (BT.2100 note 5i), then the OETF."""
    gamma = hlg_system_gamma(peak, surround)
    light = np.maximum(np.asarray(light, float), 0)
    display_luminance = light @ luma_weights("bt2020") / peak
    lit = display_luminance > 0
    gain = np.where(lit, np.where(lit, display_luminance, 1) ** ((1 - gamma) / gamma), 0)
    return hlg_oetf(gain[..., None] * light / peak)


# MARK: SDR

REFERENCE_WHITE = 203.0  # cd/m2 of SDR white on an HDR display: BT.2408 clause 2.1


def bt1886_eotf(signal, white=100.0, black=0.0):
    """BT.1886 annex 1, of single values: signal to light between a black and a white in cd/m2."""
    root_white, root_black = white ** (1 / 2.4), black ** (1 / 2.4)
    user_gain = (root_white - root_black) ** 2.4
    black_lift = root_black / (root_white - root_black)
    return user_gain * np.maximum(np.asarray(signal, float) + black_lift, 0) ** 2.4


def bt1886_inverse_eotf(light, white=100.0):
    """The inverse for a black of 0."""
    return (np.maximum(np.asarray(light, float), 0) / white) ** (1 / 2.4)


def srgb_eotf(signal):
    """IEC 61966-2-1 clause 5.2, of single values: signal to light of which 1 is white."""
    signal = np.asarray(signal, float)
    return np.where(signal > 0.04045, (np.maximum(signal + 0.055, 0) / 1.055) ** 2.4, signal / 12.92)


def srgb_inverse_eotf(light):
    """IEC 61966-2-1 clause 5.3; light below 0 is clamped."""
    light = np.maximum(np.asarray(light, float), 0)
    return np.where(light > 0.0031308, 1.055 * light ** (1 / 2.4) - 0.055, 12.92 * light)


def light_from_signal(signal, transfer, hlg_peak=HLG_NOMINAL_PEAK, white=REFERENCE_WHITE):
    """R'G'B' to display light in cd/m2, in the signal's own primaries.

    transfer: "pq", "hlg", "sdr" (BT.1886 with a black of 0), "srgb", or "linear" (1 is white)."""
    if transfer == "pq":
        return pq_eotf(signal)
    if transfer == "hlg":
        return hlg_eotf(signal, hlg_peak)
    if transfer == "sdr":
        return bt1886_eotf(signal, white)
    if transfer == "srgb":
        return white * srgb_eotf(signal)
    if transfer == "linear":
        return white * np.asarray(signal, float)
    raise ValueError(f"no transfer is called {transfer}")


def signal_from_light(light, transfer, hlg_peak=HLG_NOMINAL_PEAK, white=REFERENCE_WHITE):
    """The inverse of light_from_signal."""
    if transfer == "pq":
        return pq_inverse_eotf(light)
    if transfer == "hlg":
        return hlg_inverse_eotf(light, hlg_peak)
    if transfer == "sdr":
        return bt1886_inverse_eotf(light, white)
    if transfer == "srgb":
        return srgb_inverse_eotf(np.asarray(light, float) / white)
    if transfer == "linear":
        return np.asarray(light, float) / white
    raise ValueError(f"no transfer is called {transfer}")


# MARK: Tone curves


def bt2390_eetf(light, source_peak, target_peak, source_black=0.0, target_black=0.0):
    """BT.2408 annex 5 (BT.2390 clause 5.4.1), light to light of single values.

    A black of 0 stands for the signal 0, so that black stays black."""

    def signal(level):
        return pq_inverse_eotf(level) if level > 0 else 0.0

    black, span = signal(source_black), signal(source_peak) - signal(source_black)
    # Step 1: the source's range becomes [0, 1], and the target's a part of it.
    e1 = (pq_inverse_eotf(light) - black) / span
    minimum = (signal(target_black) - black) / span
    maximum = (signal(target_peak) - black) / span
    # Step 2: identity below the knee, a Hermite spline from there to the target's peak.
    knee = 1.5 * maximum - 0.5
    if knee < 1:
        t = (e1 - knee) / (1 - knee)
        spline = (
            (2 * t**3 - 3 * t**2 + 1) * knee
            + (t**3 - 2 * t**2 + t) * (1 - knee)
            + (-2 * t**3 + 3 * t**2) * maximum
        )
        e2 = np.where(e1 < knee, e1, spline)
    else:
        e2 = e1
    # Step 3: the black level lift. Step 4: back to the source's range.
    e3 = e2 + minimum * (1 - e2) ** 4
    return pq_eotf(e3 * span + black)


def _scaled_differences(rgb, luma, factor):
    """Cb and Cr of BT.2020 R'G'B', each times a factor."""
    return factor * (rgb[..., 2] - luma) / 1.8814, factor * (rgb[..., 0] - luma) / 1.4746


def _bt2020_rgb(luma, cb, cr):
    """R'G'B' of BT.2020 Y'CbCr with its divisors 1.8814 and 1.4746."""
    kr, kg, kb = luma_weights("bt2020")
    red, blue = luma + 1.4746 * cr, luma + 1.8814 * cb
    green = luma - (kb * 1.8814 / kg) * cb - (kr * 1.4746 / kg) * cr
    return np.stack([red, green, blue], -1)


def bt2446_a(rgb, source_peak=1000.0, target_peak=100.0):
    """BT.2446 clause 4.2, method A: BT.2020 display light of HDR to BT.2020 R'G'B' of SDR (gamma 2.4)."""
    # Step 1: the HDR signal with the power of 2.4, and its luma.
    root = np.maximum(np.asarray(rgb, float) / source_peak, 0) ** (1 / 2.4)
    luma = root @ luma_weights("bt2020")

    # Step 2: perceptually linear, curve in three parts, back with the target's coefficient.
    def coefficient(peak):
        return 1 + 32 * (peak / 10000) ** (1 / 2.4)

    perceptual = np.log(1 + (coefficient(source_peak) - 1) * luma) / np.log(coefficient(source_peak))
    curved = np.select(
        [perceptual <= 0.7399, perceptual < 0.9909],
        [1.0770 * perceptual, -1.1510 * perceptual**2 + 2.7811 * perceptual - 0.6302],
        0.5000 * perceptual + 0.5000,
    )
    mapped = (coefficient(target_peak) ** curved - 1) / (coefficient(target_peak) - 1)
    # Step 3: the colour differences follow the luma, and strong reds lower it.
    lit = luma > 0
    factor = np.where(lit, mapped / (1.1 * np.where(lit, luma, 1)), 0)
    cb, cr = _scaled_differences(root, luma, factor)
    return _bt2020_rgb(mapped - np.maximum(0.1 * cr, 0), cb, cr)


def bt2446_a_inverse(signal):
    """BT.2446 clause 4.3: BT.2020 R'G'B' of SDR (gamma 2.4) to BT.2020 display light with a peak of 1000 cd/m2."""
    signal = np.asarray(signal, float)
    luma = signal @ luma_weights("bt2020")
    code = 255 * luma
    exponent = np.where(
        code <= 70,
        1.8712e-5 * code**2 - 2.7334e-3 * code + 1.3141,
        2.8305e-6 * code**2 - 7.4622e-4 * code + 1.2528,
    )
    expanded = np.maximum(code, 0) ** exponent
    lit = luma > 0
    factor = np.where(lit, 1.075 * expanded / np.where(lit, luma, 1), 1)
    cb, cr = _scaled_differences(signal, luma, factor)
    return 1000 * (np.clip(_bt2020_rgb(expanded, cb, cr), 0, 1000) / 1000) ** 2.4


# BT.2446 clause 6.1.2, method C, for a knee at 80 % SDR (58.5 cd/m2).
METHOD_C_K1, METHOD_C_K2, METHOD_C_K3, METHOD_C_K4 = 0.83802, 15.09968, 0.74204, 78.99439
METHOD_C_KNEE = 58.5 / METHOD_C_K1


def bt2446_c_curve(light):
    """Luminance of a 1000 cd/m2 system to that of a 100 cd/m2 system, of single values. White lands at 118.39."""
    light = np.asarray(light, float)
    above = light >= METHOD_C_KNEE
    ratio = np.where(above, light, METHOD_C_KNEE) / METHOD_C_KNEE
    return np.where(above, METHOD_C_K2 * np.log(ratio - METHOD_C_K3) + METHOD_C_K4, METHOD_C_K1 * light)


def bt2446_c_inverse_curve(light):
    """The inverse of bt2446_c_curve, with the published step at the knee."""
    light = np.asarray(light, float)
    above = METHOD_C_KNEE * (np.exp((light - METHOD_C_K4) / METHOD_C_K2) + METHOD_C_K3)
    return np.where(light < 58.5, light / METHOD_C_K1, above)


def _crosstalk(fraction):
    """BT.2446 clause 6.1.1: each component becomes 1 - 2 a of itself and a of each of the others."""
    return (1 - 3 * fraction) * np.eye(3) + fraction * np.ones((3, 3))


def bt2446_c(rgb, crosstalk=0.04):
    """Method C: BT.2020 display light at 1000 cd/m2 to BT.2020 display light at 100 cd/m2; x and y are kept."""
    mixed = transform(_crosstalk(crosstalk), rgb)
    before = luminance(mixed, "bt2020")[..., None]
    lit = before > 0
    mixed = mixed * np.where(lit, bt2446_c_curve(before) / np.where(lit, before, 1), 0)
    return transform(np.linalg.inv(_crosstalk(crosstalk)), mixed)


# ST 2094-50's roundness of the Bezier curves, and the headroom of 1000 cd/m2, from which on they are drawn in full.
ROUNDNESS, FULL_HEADROOM = 0.65, np.log2(1000 / REFERENCE_WHITE)


def _gain_points(source_headroom, target_headroom, white):
    """Eight points of a gain function: light in reference whites, the gain's binary logarithm, and that one's slope."""
    x2, y2 = 2**source_headroom, 2**target_headroom
    x1 = (1 - ROUNDNESS) + ROUNDNESS * y2 / white
    y1 = (1 - ROUNDNESS) * white + ROUNDNESS * y2
    t = np.arange(8) / 7
    x = (1 - 2 * x1 + x2) * t**2 + 2 * (x1 - 1) * t + 1
    y = (white - 2 * y1 + y2) * t**2 + 2 * (y1 - white) * t + white
    rise = (2 * (white - 2 * y1 + y2) * t + 2 * (y1 - white)) / (2 * (1 - 2 * x1 + x2) * t + 2 * (x1 - 1))
    return x, np.log2(y / x), (x * rise - y) / (np.log(2) * x * y)


def _gain_function(light, x, y, m):
    """The binary logarithm of the gain of light in reference whites, by cubic Hermite segments between points."""
    place = np.clip(np.searchsorted(x, light) - 1, 0, len(x) - 2)
    width = x[place + 1] - x[place]
    t = (light - x[place]) / width
    a, b = width * m[place], width * m[place + 1]
    cubic = 2 * y[place] + a - 2 * y[place + 1] + b
    square = -3 * y[place] + 3 * y[place + 1] - 2 * a - b
    inside = y[place] + t * (a + t * (square + t * cubic))
    above = y[-1] + np.log2(x[-1] / np.maximum(light, x[-1]))
    return np.where(light <= x[0], y[0], np.where(light >= x[-1], above, inside))


def reference_white_map(light, source_peak, target_peak, white=REFERENCE_WHITE):
    """ST 2094-50's tone map for content without dynamic metadata, light to light of single values.

    A target peak below white counts as white: the standard knows no target with less than its white."""
    light = np.asarray(light, float)
    baseline, headroom = np.log2(source_peak / white), max(np.log2(target_peak / white), 0)
    if baseline <= 0 or target_peak >= source_peak:
        return light
    portion = min(baseline / FULL_HEADROOM, 1)
    # The gain functions of the alternate images, between which the target's headroom lies, and the baseline's, 0.
    headrooms = [0, np.log2(8 / 3) * portion, baseline]
    whites = [1 - 0.5 * portion, 1]
    gains = [_gain_function(light / white, *_gain_points(baseline, *each)) for each in zip(headrooms, whites)]
    gains.append(np.zeros_like(light))
    upper = 1 if headroom <= headrooms[1] else 2
    share = (headroom - headrooms[upper - 1]) / (headrooms[upper] - headrooms[upper - 1])
    return light * 2 ** ((1 - share) * gains[upper - 1] + share * gains[upper])


def spline_curve(light, source_peak, target_peak, average=None):
    """libplacebo's spline with its defaults and black at 0, light to light of single values.

    average: of the scene, in cd/m2: where the knee lies; None for 0.4 of the source's range in PQ."""

    def mix(a, b, share):
        return a + (b - a) * share

    def smoothstep(a, b, x):
        t = np.clip((x - a) / (b - a), 0, 1)
        return t * t * (3 - 2 * t)

    black, source, target = (pq_inverse_eotf(level) for level in (0, source_peak, target_peak))
    # The knee, in the source and in the target, which it is nearer to the more it is to one side.
    wanted = mix(black, source, 0.4) if average is None else pq_inverse_eotf(average)
    knee = np.clip(wanted, mix(black, source, 0.1), mix(black, source, 0.8))
    place = (knee - black) / (source - black)
    tuning = 1 - smoothstep(0.8, 0.4, place) * smoothstep(0.1, 0.4, place)
    target_knee = mix(knee, mix(black, target, place), mix(0.4, 1, tuning))
    target_knee = np.clip(target_knee, mix(black, target, 0.1), mix(black, target, 0.8))
    # The slope there, for a contrast of 0.5.
    ratio = np.clip(1.5 * (source / target - 1), 0.2, 1.2)
    slope = ((target_knee - black) / (knee - black)) ** (0.5 * ratio)
    # A parabola below through black, and a cubic above that ends straight at the peak.
    x = np.clip(pq_inverse_eotf(light), black, source) - knee
    parabola = (black - target_knee - slope * (black - knee)) / (black - knee) ** 2
    excess = slope * (source - knee) - (target - target_knee)
    cubic = excess / (2 * (source - knee) ** 3)
    square = -3 * excess / (2 * (source - knee) ** 2)
    below = (parabola * x + slope) * x + target_knee
    above = ((cubic * x + square) * x + slope) * x + target_knee
    return pq_eotf(np.where(x > 0, np.minimum(above, target), below))


def highlight_expansion(light, white, peak, highlight_share=0.1):
    """`inverse-tone-mapping=auto`, SDR light to HDR light of single values: this project's own.

    The identity up to 70 % of the BT.1886 signal; above it a gain whose logarithm grows with the square of the way to
    white, where it is that of the peak over white, over 1 plus ten times the share of the picture in highlights."""
    light = np.clip(np.asarray(light, float), 0, white)
    way = np.maximum((light / white) ** (1 / 2.4) - 0.7, 0) / 0.3
    return light * max(peak / white, 1) ** (way**2 / (1 + highlight_share / 0.1))


def tone_measure(rgb, domain, primaries):
    """What a curve with one gain for all components acts on."""
    if domain == "luminance":
        return luminance(rgb, primaries)
    if domain == "max-rgb-of-bt2020":
        return transform(primaries_matrix(primaries, "bt2020"), rgb).max(-1)
    return rgb.max(-1)


def curve_gain(curve, light):
    # Below a billionth of a cd/m2 there is nothing to map.
    mapped = light > 1e-9
    safe = np.where(mapped, light, 1)
    return np.where(mapped, curve(safe) / safe, 1)


def apply_curve(curve, rgb, domain, primaries, around=None):
    """Applies a curve of single values to RGB light.

    domain: "rgb" curves each component; "max-rgb" and "luminance" scale the three by one factor, that of their maximum
    or of their luminance (BT.2390 clause 5.4); "max-rgb-of-bt2020" by that of their maximum in BT.2020.
    around: makes the gain that contrast recovery gives, of the curve's measure, its gain, the curve and the domain."""
    rgb = np.asarray(rgb, float)
    if domain == "rgb":
        return curve(np.maximum(rgb, 0))
    norm = tone_measure(rgb, domain, primaries)
    gain = curve_gain(curve, norm)
    if around is not None:
        gain = around(norm, gain, curve, domain)
    return rgb * gain[..., None]


# Contrast recovery: gains of a low-pass, a part of which takes the place of each pixel's own.


def cell_means(codes):
    """Means of each component in the middle two rows of 4x4 pixels; the picture's edges repeat."""
    height, width = codes.shape[:2]
    padded = np.pad(codes, ((0, -height % 4), (0, -width % 4), (0, 0)), "edge")
    return padded.reshape(padded.shape[0] // 4, 4, padded.shape[1] // 4, 4, -1)[:, 1:3].mean((1, 3))


def binomial(values):
    """1/4, 1/2, 1/4 in both directions."""
    for axis in (0, 1):
        padded = np.pad(values, [(1, 1) if axis == i else (0, 0) for i in (0, 1)], "edge")
        before, own, behind = (np.take(padded, np.arange(values.shape[axis]) + i, axis) for i in (0, 1, 2))
        values = (before + 2 * own + behind) / 4
    return values


def doubled(values):
    """Twice the columns and rows, with the weights 3/4 and 1/4."""
    for axis in (0, 1):
        padded = np.pad(values, [(1, 1) if axis == i else (0, 0) for i in (0, 1)], "edge")
        before, own, behind = (np.take(padded, np.arange(values.shape[axis]) + i, axis) for i in (0, 1, 2))
        pairs = np.stack([(before + 3 * own) / 4, (3 * own + behind) / 4], axis + 1)
        shape = list(values.shape)
        shape[axis] *= 2
        values = pairs.reshape(shape)
    return values


def recovered_gain(gain, low_pass, light, strength, peak):
    """The gain of pixels whose surroundings have another."""
    difference = np.clip(low_pass - gain, -gain / 2, gain / 2)
    difference = difference - np.clip(difference, -(2.0**-9), 2.0**-9)
    mixed = gain + strength * difference
    most = np.maximum(gain, peak / np.maximum(light, 1e-30))
    return np.where(difference > 0, np.minimum(mixed, most), mixed)


# MARK: ICtCp and colour difference

LMS_FROM_BT2020 = np.array([[1688, 2146, 262], [683, 2951, 462], [99, 309, 3688]]) / 4096  # BT.2100 table 7
ICTCP_FROM_PQ_LMS = np.array([[2048, 2048, 0], [6610, -13613, 7003], [17933, -17390, -543]]) / 4096


def ictcp(light, primaries="bt2020"):
    """ICtCp in its PQ form, of display light."""
    lms = transform(LMS_FROM_BT2020, np.maximum(transform(primaries_matrix(primaries, "bt2020"), light), 0))
    return transform(ICTCP_FROM_PQ_LMS, pq_inverse_eotf(lms))


def delta_e_itp(light, other, primaries="bt2020"):
    """BT.2124: the difference of two colours in display light; 1 is just visible. T is half of Ct."""
    difference = (ictcp(light, primaries) - ictcp(other, primaries)) * (1, 0.5, 1)
    return 720 * np.linalg.norm(difference, axis=-1)


# MARK: Perceptual gamut mapping

# CIE XYZ to cone responses (Hunt, Pointer and Estevez, for D65), then 4 % of crosstalk; P and T of IPT (Ebner and
# Fairchild 1998).
_HPE = np.array([[0.40024, 0.70760, -0.08081], [-0.22630, 1.16532, 0.04570], [0, 0, 0.91822]])
CONE_FROM_XYZ = _crosstalk(0.04) @ _HPE
PT_FROM_PQ_CONE = np.array([[4.455, -4.851, 0.396], [0.8056, 0.3572, -1.1628]])
# A colour moves where its chroma exceeds this share of the largest, by at most that strength; compression of light
# begins at the knee. The bend and the middle make a rational mean of cone responses that of their PQ signals.
DEADZONE, STRENGTH, KNEE, BEND, MIDDLE = 0.3, 0.8, 0.7, 0.46, 0.33
DIRECTIONS = 512
# Points of an edge of the RGB cube, between which the largest chroma is interpolated.
EDGE_STEPS = 160


def _direction(pt):
    """The way around the square |P| + |T| = 1 from (0, -1) over (1, 0), 0 to 4, and |P| + |T|."""
    total = np.abs(pt).sum(-1)
    slope = pt[..., 1] / np.where(total > 0, total, 1)
    return np.where(pt[..., 0] < 0, 3 - slope, 1 + slope), total


def largest_chroma(primaries, peak):
    """For each of DIRECTIONS in the plane of P and T, the |P| + |T| of the gamut's most saturated colour.

    These lie on the edges of the RGB cube from red over yellow, green, cyan, blue and magenta back to red."""
    corners = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]], float)
    steps = np.arange(EDGE_STEPS)[:, None] / EDGE_STEPS
    edges = []
    for start, end in zip(corners, np.roll(corners, -1, 0)):
        # Denser where the second component is dark.
        steep = steps**3 if end.sum() > start.sum() else 1 - (1 - steps) ** 3
        edges.append(start + (end - start) * steep)
    cone = transform(CONE_FROM_XYZ @ xyz_from_rgb(primaries), np.concatenate(edges) * peak)
    places, sums = _direction(transform_pt(pq_inverse_eotf(cone)))
    order = np.argsort(places)
    return np.interp(np.arange(DIRECTIONS) * 4 / DIRECTIONS, places[order], sums[order], period=4)


def transform_pt(signals):
    """P and T of cone responses' PQ signals."""
    return np.einsum("ij,...j->...i", PT_FROM_PQ_CONE, signals)


def perceptual_gamut(light, source, target, peak):
    """Linear light in the source's primaries to light in [0, peak] in the target's, in cd/m2."""
    light = np.maximum(np.asarray(light, float), 0)
    matrix = primaries_matrix(source, target)
    cone_matrix = CONE_FROM_XYZ @ xyz_from_rgb(source)
    target_cone_matrix = CONE_FROM_XYZ @ xyz_from_rgb(target)
    cone, other = transform(cone_matrix, light), transform(target_cone_matrix, light)
    mapped = transform(matrix, light)
    if matrix.min() < -1e-9:
        reach = 1 / np.maximum(largest_chroma(source, peak), largest_chroma(target, peak))
        place, total = _direction(transform_pt(pq_inverse_eotf(cone)))
        share = total * np.interp(place * DIRECTIONS / 4, np.arange(DIRECTIONS + 1), np.append(reach, reach[0]))
        beyond = np.clip((share - DEADZONE) / (1 - DEADZONE), 0, 1)
        strength = (STRENGTH * beyond**2 * (3 - 2 * beyond))[..., None]
        # Towards the colour that the same R, G, B mean in the target's primaries.
        distance = other - cone
        middle = cone + MIDDLE * distance
        whole = middle + BEND * (1 - strength) * distance
        mean = cone + strength * distance * middle / np.where(whole > 0, whole, 1)
        mapped = np.where(strength > 0, transform(np.linalg.inv(target_cone_matrix), mean), mapped)
    # A soft knee brings the largest component to the peak.
    above = np.maximum(mapped.max(-1, keepdims=True) / peak - 1, 0)
    a = (1 - KNEE) ** 2 + above
    b = (1 - KNEE) ** 2 + (1 - 2 * KNEE) * above
    x = mapped / peak
    scale = (b + KNEE * above) ** 2 / (a * b + KNEE**2 * above**2)
    safe = np.where(x > KNEE, x, 1)
    compressed = peak * scale * (a * safe - KNEE**2 * above) / (above * safe + b)
    return np.clip(np.where((above > 0) & (x > KNEE), compressed, mapped), 0, peak)


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
        low_pass = doubled(doubled(cells))[: norm.shape[0], : norm.shape[1]]
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
    # Contrast recovery: one gain around and at a pixel is kept exactly, half of a difference is taken less a half of
    # the slack, no difference counts for more than half of the gain, and light is never lifted beyond the peak; a flat
    # field stays flat through the low-pass.
    near(recovered_gain(
        np.array([0.5, 0.5, 0.5, 0.66]), np.array([0.501, 0.25, 1, 1]), np.array([100, 100, 100, 300.0]), 0.5, 203),
         [0.5, 0.375 + 2.0**-10, 0.625 - 2.0**-10, 203 / 300], 1e-12)
    near(doubled(doubled(binomial(cell_means(np.full((5, 3, 1), 7.0))[..., 0]))), np.full((8, 4), 7), 1e-12)
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
