"""The formulas that the display's light follows, in Float64: BT.2100, BT.1886, IEC 61966-2-1, BT.2390, ST 2094-50 and
the roll-off."""
import math
import struct

WHITE = 203.0  # cd/m2, BT.2408
M1, M2 = 2610 / 16384, 2523 / 4096 * 128
C1, C2, C3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
HLG_A = 0.17883277
HLG_B, HLG_C = 1 - 4 * HLG_A, 0.5 - HLG_A * math.log(4 * HLG_A)
PRIMARIES = {
    "bt709": ((0.640, 0.330), (0.300, 0.600), (0.150, 0.060)),
    "p3": ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060)),
    "bt2020": ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046)),
}
LUMA_2020 = (0.2627, 0.6780, 0.0593)


def pq_light(signal):
    """cd/m2 of a PQ signal of 0 to 1."""
    power = max(signal, 0) ** (1 / M2)
    return 10000 * (max(power - C1, 0) / (C2 - C3 * power)) ** (1 / M1)


def pq_signal(light):
    power = min(max(light / 10000, 0), 1) ** M1
    return ((C1 + C2 * power) / (1 + C3 * power)) ** M2


def hlg_light(triple, peak=1000.0):
    """cd/m2 of an HLG signal; the gamma is that of BT.2100 for 400 to 2000 cd/m2."""
    scene = [v * v / 3 if v <= 0.5 else (math.exp((v - HLG_C) / HLG_A) + HLG_B) / 12 for v in triple]
    luminance = sum(k * v for k, v in zip(LUMA_2020, scene))
    gamma = 1.2 + 0.42 * math.log10(peak / 1000)
    return [peak * luminance ** (gamma - 1) * v if luminance > 0 else 0.0 for v in scene]


def srgb_light(signal):
    """Light of an sRGB signal; 1 is white."""
    return signal / 12.92 if signal <= 0.04045 else ((signal + 0.055) / 1.055) ** 2.4


def srgb_signal(light):
    return 12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055


def matrix_to_xyz(name):
    columns = [(x / y, 1.0, (1 - x - y) / y) for x, y in PRIMARIES[name]]
    white = (0.3127 / 0.3290, 1.0, (1 - 0.3127 - 0.3290) / 0.3290)
    matrix = [[columns[c][r] for c in range(3)] for r in range(3)]
    weights = apply(inverse(matrix), white)
    return [[matrix[r][c] * weights[c] for c in range(3)] for r in range(3)]


def apply(matrix, triple):
    return [sum(m * v for m, v in zip(row, triple)) for row in matrix]


def inverse(m):
    def cofactor(r, c):
        a, b = [i for i in range(3) if i != r]
        d, e = [i for i in range(3) if i != c]
        return (-1) ** (r + c) * (m[a][d] * m[b][e] - m[a][e] * m[b][d])

    determinant = sum(m[0][c] * cofactor(0, c) for c in range(3))
    return [[cofactor(c, r) / determinant for c in range(3)] for r in range(3)]


def between(source, target, triple):
    """Light of other primaries, D65 both."""
    return apply(inverse(matrix_to_xyz(target)), apply(matrix_to_xyz(source), triple))


def rolloff(light, headroom, source_peak):
    """The level of light in cd/m2 on a display of a headroom; 1 is SDR white."""
    level, peak = light / WHITE, source_peak / WHITE
    if level <= 1 or peak <= headroom:
        return min(level, headroom)
    room = headroom - 1
    if room <= 0:
        return 1.0
    t, p = (level - 1) / room, (peak - 1) / room
    return min(1 + room * t * (1 + t / p**2) / (1 + t), headroom)


def clip(light, headroom, source_peak):
    return min(light / WHITE, headroom)


def _gain(x, source, target, white):
    """ST 2094-50: the binary logarithm of the gain of light in whites, from a source's headroom to a target's."""
    end, top = 2**source, 2**target
    middle, rise = 0.35 + 0.65 * top / white, 0.35 * white + 0.65 * top
    points = []
    for t in (index / 7 for index in range(8)):
        at = (1 - t)**2 + 2 * t * (1 - t) * middle + t * t * end
        to = (1 - t)**2 * white + 2 * t * (1 - t) * rise + t * t * top
        slope = ((1 - t) * (rise - white) + t * (top - rise)) / ((1 - t) * (middle - 1) + t * (end - middle))
        points.append((at, math.log2(to / at), (at * slope - to) / (math.log(2) * at * to)))
    if x <= 1:
        return points[0][1]
    if x >= points[-1][0]:
        return points[-1][1] + math.log2(points[-1][0] / x)
    (a, y, m), (b, z, n) = next((p, q) for p, q in zip(points, points[1:]) if x < q[0])
    t = (x - a) / (b - a)
    hermite = (2 * t**3 - 3 * t**2 + 1) * y + (3 * t**2 - 2 * t**3) * z
    return hermite + (b - a) * ((t**3 - 2 * t**2 + t) * m + (t**3 - t**2) * n)


def reference_white(light, headroom, source_peak):
    """The map of SMPTE ST 2094-50 for content without dynamic metadata; light over the source's peak may leave the
    headroom."""
    source, target = math.log2(source_peak / WHITE), math.log2(headroom)
    level = light / WHITE
    if source <= 0 or target >= source:
        return min(level, headroom)
    part = min(source / math.log2(1000 / WHITE), 1)
    steps = [(0, 1 - part / 2), (math.log2(8 / 3) * part, 1), (source, 1)]
    for (low, white), (high, next_white) in zip(steps, steps[1:]):
        if low <= target <= high:
            share = (target - low) / (high - low)
            higher = 0 if high == source else _gain(level, source, high, next_white)
            return level * 2 ** ((1 - share) * _gain(level, source, low, white) + share * higher)


def bt2390(light, headroom, source_peak):
    """Report ITU-R BT.2390-10, section 5.4.1, without a black level."""
    if source_peak <= headroom * WHITE:
        return min(light / WHITE, headroom)
    top = pq_signal(source_peak)
    signal, most = pq_signal(min(light, source_peak)) / top, pq_signal(headroom * WHITE) / top
    knee = 1.5 * most - 0.5
    if signal >= knee:
        t = (signal - knee) / (1 - knee)
        signal = (2 * t**3 - 3 * t**2 + 1) * knee + (t**3 - 2 * t**2 + t) * (1 - knee) + (3 * t**2 - 2 * t**3) * most
    return pq_light(signal * top) / WHITE


def mapped(curve, triple, headroom, source_peak):
    """A curve on the largest of R, G, B, whose gain all three take. cd/m2 in, multiples of SDR white out."""
    largest = max(triple)
    if largest <= 0:
        return [0.0, 0.0, 0.0]
    gain = curve(largest, headroom, source_peak) / largest
    return [v * gain for v in triple]


def half_code(value):
    """A half float's place in the order of all of them."""
    bits = struct.unpack("<h", struct.pack("<e", value))[0]
    return bits if bits >= 0 else -(bits & 0x7FFF)


def halves(data):
    """R, G, B of half-float pixels, as lists."""
    values = struct.unpack(f"<{len(data) // 2}e", data)
    return [values[at:at + 3] for at in range(0, len(values), 4)]


def tens(data):
    """R, G, B of 10-bit pixels, red in the lowest bits."""
    words = struct.unpack(f"<{len(data) // 4}I", data)
    return [(word & 1023, word >> 10 & 1023, word >> 20 & 1023) for word in words]


def bytes3(data):
    """R, G, B of pixels of four bytes."""
    return [tuple(data[at:at + 3]) for at in range(0, len(data), 4)]
