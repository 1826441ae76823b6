"""Tone curves by BT.2390, BT.2446, ST 2094-50 and libplacebo, how they are applied to colours, and contrast recovery."""
import numpy as np

from colorimetry import luma_weights, luminance, primaries_matrix, transform
from transfer_functions import REFERENCE_WHITE, pq_eotf, pq_inverse_eotf

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


def crosstalk_matrix(fraction):
    """BT.2446 clause 6.1.1: each component becomes 1 - 2 a of itself and a of each of the others."""
    return (1 - 3 * fraction) * np.eye(3) + fraction * np.ones((3, 3))


def bt2446_c(rgb, crosstalk=0.04):
    """Method C: BT.2020 display light at 1000 cd/m2 to BT.2020 display light at 100 cd/m2; x and y are kept."""
    mixed = transform(crosstalk_matrix(crosstalk), rgb)
    before = luminance(mixed, "bt2020")[..., None]
    lit = before > 0
    mixed = mixed * np.where(lit, bt2446_c_curve(before) / np.where(lit, before, 1), 0)
    return transform(np.linalg.inv(crosstalk_matrix(crosstalk)), mixed)


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
    """Means of each component in cells of 8x8 pixels; the picture's edges repeat."""
    height, width = codes.shape[:2]
    padded = np.pad(codes, ((0, -height % 8), (0, -width % 8), (0, 0)), "edge")
    return padded.reshape(padded.shape[0] // 8, 8, padded.shape[1] // 8, 8, -1).mean((1, 3))


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
    rise = strength * np.minimum(low_pass - gain, gain / 4)
    # Close to the peak, what exceeds half of the room is compressed.
    room = np.maximum(peak / np.maximum(light, 1e-30) - gain, 0)
    near = room - room**2 / (4 * np.maximum(rise, 1e-30))
    return gain + np.where(2 * rise > room, near, rise)
