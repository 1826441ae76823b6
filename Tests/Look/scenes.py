"""Scenes that the look lab renders itself: the same in every run, in Float32, coded as BT.2020 PQ.

Each function returns light in BT.2020, cd/m2. Surfaces and lamps have colours of P3, as graded films have; neon tubes
and the hues of the ramps reach BT.2020's edge.
"""
import numpy as np

from clip import FRAMES, Clip, oracle, packed_420

WIDTH, HEIGHT = 960, 540
X, Y = np.meshgrid(np.arange(WIDTH, dtype=np.float32), np.arange(HEIGHT, dtype=np.float32))
WHITE = 203.0
# The chart's patches as linear BT.709: the published sRGB values of the ColorChecker, 24 patches of four rows.
CHART_SRGB = """735244 c29682 627a9d 576c43 8580b1 67bdaa d67e2c 505ba6 c15a63 5e3c6c 9dbc40 e0a32e
383d96 469449 af363c e7c71f bb5695 0885a1 f3f3f2 c8c8c8 a0a0a0 7a7a79 555555 343434""".split()


def colour(hexadecimal, primaries="bt709"):
    """Linear BT.2020 of an sRGB-coded colour."""
    signal = np.array([int(hexadecimal[at : at + 2], 16) / 255 for at in (0, 2, 4)])
    return linear(oracle.srgb_eotf(signal), primaries)


def linear(rgb, primaries="p3"):
    return oracle.transform(oracle.primaries_matrix(primaries, "bt2020"), np.asarray(rgb, float)).astype(np.float32)


def noise(scale, seed, height=HEIGHT, width=WIDTH):
    """Smooth random values in [-1, 1]: a grid of random numbers, a cell being `scale` pixels, joined by cubic steps."""
    random = np.random.default_rng(seed).uniform(-1, 1, (int(height / scale) + 3, int(width / scale) + 3))
    rows, columns = np.arange(height) / scale, np.arange(width) / scale
    top, left = rows.astype(int), columns.astype(int)
    down, right = ((part * part * (3 - 2 * part)) for part in (rows - top, columns - left))
    down, right = down[:, None], right[None]
    corners = [random[np.ix_(top + a, left + b)] for a in (0, 1) for b in (0, 1)]
    above = corners[0] + (corners[1] - corners[0]) * right
    below = corners[2] + (corners[3] - corners[2]) * right
    return (above + (below - above) * down).astype(np.float32)


def texture(seed, *scales):
    return sum(noise(scale, seed + index) / 2**index for index, scale in enumerate(scales)) / len(scales) * 1.5


def smooth(low, high, value):
    t = np.clip((value - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def painted(field, paint):
    return field[..., None] * np.asarray(paint, np.float32)


def over(below, above, cover):
    return below + (above - below) * cover[..., None]


def box(left, top, right, bottom, edge=1.0):
    across = smooth(left - edge, left + edge, X) * smooth(right + edge, right - edge, X)
    return across * smooth(top - edge, top + edge, Y) * smooth(bottom + edge, bottom - edge, Y)


def disc(x, y, radius, edge=1.0, squash=1.0):
    return smooth(radius + edge, radius - edge, np.hypot(X - x, (Y - y) * squash))


def strokes(left, top, right, bottom, pitch=12):
    """Lines of something like print, 0 or 1."""
    letters = (np.sin(X * 0.9) + np.sin(X * 0.37 + np.floor(Y / pitch) * 2.1)) > 0.1
    return box(left, top, right, bottom) * ((Y % pitch < pitch * 0.45) & letters)


def face(light, x, y, radius, paint, level):
    """A ball of skin, lit from the upper left, on top of `light`."""
    u, v = (X - x) / radius, (Y - y) / radius / 1.25
    depth = np.sqrt(np.maximum(1 - u * u - v * v, 0))
    shade = np.clip(-0.45 * u - 0.5 * v + 0.74 * depth, 0, 1) * 0.92 + 0.08
    return over(light, painted(level * shade * (1 + 0.05 * texture(7, 9, 4)), paint), disc(x, y, radius, 1.5, 1 / 1.25))


SKIN = {"light": colour("c29682"), "dark": colour("735244")}


def lamp():
    """A lamp at night: 0.05 to 4000 cd/m2, the table at 20 to 80."""
    distance = np.hypot(X - 620, (Y - 190) * 1.1)
    fall = 1 / (1 + (distance / 150) ** 2)
    warm, wall = linear([1.0, 0.62, 0.28]), 1 + 0.18 * texture(1, 40, 12, 4)
    light = painted((0.05 + 28 * fall) * wall, warm)
    table = smooth(398, 402, Y)
    grain = 1 + 0.25 * np.sin(Y * 0.55 + 3 * noise(60, 3))
    light = over(light, painted((0.3 + 75 * fall) * grain, linear([0.9, 0.5, 0.25])), table)
    page = box(330, 420, 560, 500)
    light = over(light, painted(110 * fall * (1 - 0.85 * strokes(345, 430, 545, 490)), linear([1, 0.86, 0.66])), page)
    shade = smooth(0, 1, box(540, 120, 700, 260, 2)) * (np.abs(X - 620) < 40 + (Y - 120) * 0.3)
    weave = 1 + 0.15 * np.sin(X * 0.8) * np.sin(Y * 0.8)
    light = over(light, painted((500 + 900 * disc(620, 205, 70, 60)) * weave, linear([1.0, 0.6, 0.24])), shade)
    light = over(light, painted(np.full_like(X, 4000), linear([1, 0.8, 0.55])), disc(620, 268, 13, 3))
    light = over(light, painted(2 + 6 * np.maximum(0, np.sin(X / 30)), linear([0.2, 0.35, 1.0])), box(60, 60, 260, 300))
    return face(light, 210, 380, 75, SKIN["light"], 45)


def snow():
    """Snow in the sun: 60 cd/m2 in blue shadow to 1000, glints to 4000, sky and a skier."""
    ground = smooth(205, 215, Y + 25 * noise(160, 11))
    relief = texture(12, 70, 20, 6) + 0.5 * noise(3, 15)
    shadow = smooth(-0.15, 0.25, noise(190, 16) + 0.3 * noise(50, 17))
    lit = painted(620 + 330 * relief, linear([1, 0.97, 0.93]))
    dark = painted(105 + 35 * relief, linear([0.72, 0.86, 1.12]))
    light = painted(330 - 0.9 * Y + 40 * smooth(0.1, 0.6, texture(18, 120, 40)), linear([0.42, 0.66, 1.0]))
    light = over(light, over(dark, lit, shadow), ground)
    glints = np.random.default_rng(19).random(X.shape) > 0.9994
    light = over(light, painted(np.full_like(X, 4000), linear([1, 1, 1])), glints * ground * shadow)
    cloth = 14 * (1 + 0.3 * texture(20, 12, 4))
    light = over(light, painted(cloth, colour("c02030", "p3")), disc(700, 400, 55, 1, 0.6))
    light = over(light, painted(np.full_like(X, WHITE), linear([1, 1, 1])), box(60, 440, 140, 500))
    return face(light, 700, 275, 36, SKIN["light"], 320)


def candle():
    """A candle: flame to 3000 cd/m2, wax that glows, a face at 12, darkness at 0.02."""
    rise = (400 - Y) / 150
    sway = X - 480 - 10 * np.sin(rise * 2.2)
    body = np.exp(-((sway / (26 * np.sqrt(np.clip(rise, 0, 1) * np.clip(1.15 - rise, 0, 1)) + 1e-3)) ** 2))
    body = body * (rise > 0) * (rise < 1.15)
    glow = 1 / (1 + (np.hypot(X - 480, Y - 320) / 90) ** 2.4)
    light = painted(0.02 + 14 * glow * (1 + 0.2 * texture(21, 30, 9)), linear([1, 0.5, 0.16]))
    wax = box(445, 415, 515, 540, 2) * 1.0
    inside = (60 + 260 * np.exp(-(Y - 415) / 45)) * (1 + 0.06 * texture(23, 14, 5))
    light = over(light, painted(inside, linear([1, 0.66, 0.33])), wax)
    light = face(light, 250, 330, 85, SKIN["light"], 22)
    light = face(light, 720, 330, 85, SKIN["dark"], 22)
    core = smooth(0.3, 0.95, body) * smooth(-0.1, 0.35, rise)
    streaks = 1 + 0.12 * np.sin(sway * 0.7) * np.sin(rise * 20)
    light = light + painted(1400 * body * streaks, linear([1, 0.42, 0.08]))
    light = light + painted(1600 * core, linear([1, 0.8, 0.45]))
    return light + painted(60 * disc(480, 405, 16, 12), linear([0.1, 0.25, 1]))


def fire():
    """A fire: turbulent flames from 5 to 3000 cd/m2, deep red to yellow, sparks and embers."""
    warp = X + 45 * noise(70, 31) + 18 * noise(25, 32)
    tongues = noise(42, 33, HEIGHT, WIDTH + 200)[Y.astype(int), np.clip(warp + 70, 0, WIDTH + 199).astype(int)]
    flames = 0.55 + 0.6 * tongues
    heat = np.clip(flames * 0.8 + 0.35 * noise(14, 34) - 0.9 + Y / 420 - ((X - 480) / 560) ** 2, 0, 1.25)
    level = 3 + 3000 * np.clip(heat / 1.2, 0, 1) ** 2.6
    hue = np.clip(heat, 0, 1)
    rgb = np.stack([np.ones_like(hue), 0.04 + 0.62 * hue**1.3, 0.005 + 0.3 * hue**4], -1)
    light = painted(0.05 + 2 * smooth(560, 100, Y), linear([0.5, 0.2, 0.1]))
    light = light + (level * smooth(0.02, 0.2, heat))[..., None] * linear(rgb)
    sparks = np.random.default_rng(35).random(X.shape) > 0.9996
    return over(light, painted(np.full_like(X, 1500), linear([1, 0.45, 0.1])), sparks * (Y < 330))


def hue_colour(angle, primaries="bt2020"):
    """The fully saturated colour of a hue in degrees: the hexagon of R, Y, G, C, B, M."""
    rgb = [np.clip(abs((angle / 60 - shift) % 6 - 3) - 1, 0, 1) for shift in (0, 2, 4)]
    return linear(rgb, primaries) if primaries != "bt2020" else np.array(rgb, np.float32)


def neon():
    """Neon tubes in 12 hues of BT.2020 on dark brick, at 150, 600 and 2500 cd/m2, with stripes of 25 % along them."""
    brick = 1 + 0.3 * texture(41, 18, 6) - 0.4 * ((Y % 30 < 3) | ((X + 40 * (Y // 30 % 2)) % 80 < 3))
    light = painted(0.6 * brick, linear([0.9, 0.8, 0.75]))
    for row, level in enumerate((150, 600, 2500)):
        for column in range(12):
            x, top = 40 + column * 80, 25 + row * 178
            down = np.clip(Y, top + 20, top + 120)
            bend = x + 14 * np.sin((Y - top) / 22)
            away = np.hypot(X - bend, Y - down)
            stripes = 1 + 0.25 * np.sin((Y - top) * 0.75) * np.cos((X - x) * 0.5)
            tube = smooth(12, 3, away) * stripes
            glow = 0.02 / (1 + (away / 14) ** 2)
            paint = hue_colour(column * 30)
            light = light + painted(level * tube, paint) + painted(level * glow * brick, paint)
    return light


def skin():
    """Six skins at 2, 6, 20, 60, 200, 600 and 2000 cd/m2 of white: each column is ten thirds brighter than the last."""
    light = painted(np.full_like(X, 1.0) + 0.2 * texture(51, 30, 9), linear([1, 1, 1]))
    tones = ("f1c9a5", "dfae88", "c68b63", "a26a44", "75482e", "452b1f")
    for row, tone in enumerate(tones):
        for column, level in enumerate((2, 6, 20, 60, 200, 600, 2000)):
            light = face(light, 70 + column * 136, 46 + row * 89, 33, colour(tone), level)
    return light


def office():
    """An ordinary room whose white paper is at 203 cd/m2 and whose highlights peak at 400: a chart, print, a face."""
    light = painted(38 * (1 + 0.15 * texture(61, 50, 15, 5)) + 0.03 * X, linear([0.95, 1, 0.97]))
    grain = 1 + 0.3 * np.sin(Y * 0.4 + 4 * noise(80, 62))
    light = over(light, painted(50 * grain, linear([0.8, 0.5, 0.3])), smooth(428, 432, Y))
    paper = WHITE * (1 - 0.93 * strokes(70, 70, 330, 250))
    light = over(light, painted(paper, linear([1, 1, 1])), box(50, 50, 350, 400))
    for index, patch in enumerate(CHART_SRGB):
        left, top = 420 + index % 6 * 62, 60 + index // 6 * 62
        light = over(light, painted(np.full_like(X, WHITE), colour(patch)), box(left, top, left + 54, top + 54))
    light = face(light, 860, 330, 72, SKIN["dark"], 190)
    light = face(light, 700, 400, 72, SKIN["light"], 190)
    cup = disc(480, 420, 48, 1.5)
    light = over(light, painted(150 - 0.9 * np.hypot(X - 465, Y - 400), colour("c02030", "p3")), cup)
    return over(light, painted(np.full_like(X, 400), linear([1, 1, 1])), disc(462, 398, 9, 5) + box(880, 40, 940, 44))


def ramps():
    """Smooth ramps: grey and six colours from 0.01 to 4000 cd/m2, saturation at three levels, and every hue."""
    light = np.zeros((HEIGHT, WIDTH, 3), np.float32)
    level = oracle.pq_eotf(np.linspace(0.02, oracle.pq_inverse_eotf(4000), WIDTH)).astype(np.float32)
    paints = [np.ones(3, np.float32)] + [hue_colour(60 * index) for index in range(6)]
    rows = [level[:, None] * paint for paint in paints]
    part = np.linspace(0, 1, WIDTH, dtype=np.float32)[:, None]
    for height in (100, 203, 800):
        rows += [height * (1 + (hue_colour(angle) - 1) * part) for angle in (0, 120, 240)]
    sweep = np.array([hue_colour(angle) for angle in np.linspace(0, 360, WIDTH)])
    rows += [100 * sweep, 600 * sweep]
    for index, row in enumerate(rows):
        light[HEIGHT * index // len(rows) : HEIGHT * (index + 1) // len(rows)] = row
    return light


def bars(transfer):
    """BT.2111-3's bars: 100 %, then PQ's and HLG's reference white (HLG: 75 %), steps and a ramp, and BT.709's bars."""
    white = 0.75 if transfer == "hlg" else oracle.pq_inverse_eotf(203.152)
    order = [(1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 1, 0), (1, 0, 1), (1, 0, 0), (0, 0, 1)]
    signal = np.full((HEIGHT, WIDTH, 3), 0.4)
    columns = [WIDTH // 8 + (WIDTH * 6 // 8) * index // 7 for index in range(8)]
    for index, bar in enumerate(order):
        at = slice(columns[index], columns[index + 1])
        signal[: HEIGHT // 12, at] = bar
        signal[HEIGHT // 12 : HEIGHT * 8 // 12, at] = white * np.array(bar)
        light = oracle.light_from_signal(np.full((1, 3), white), transfer)[0] * linear(bar, "bt709")
        signal[HEIGHT * 10 // 12 :, at] = oracle.signal_from_light(light[None], transfer)[0]
    steps = np.linspace(0, 1, 11)[np.minimum(np.arange(WIDTH) * 11 // WIDTH, 10)]
    signal[HEIGHT * 8 // 12 : HEIGHT * 9 // 12] = steps[:, None]
    signal[HEIGHT * 9 // 12 : HEIGHT * 10 // 12] = np.linspace(0, 1, WIDTH)[:, None]
    return oracle.light_from_signal(signal, transfer)


# Name: what renders it, title, MaxCLL, whether it is for banding.
SCENES = {
    "lamp": (lamp, "lamp at night", 0, False),
    "snow": (snow, "snow in the sun", 0, False),
    "candle": (candle, "candle", 0, False),
    "fire": (fire, "fire", 0, False),
    "neon": (neon, "neon tubes, BT.2020", 0, False),
    "skin": (skin, "skin at 2 to 2000 cd/m²", 0, False),
    "office": (office, "peak 400, white 203", 0, False),
    "office-4000": (office, "the same in a clip of 4000", 4000, False),
    "ramps": (ramps, "ramps", 4000, True),
}


def scene(name):
    render, title, peak, is_ramp = SCENES[name]
    light = np.clip(render(), 0, 10000).astype(np.float32)
    return Clip(name, title, WIDTH, HEIGHT, "pq", [packed_420(light)] * FRAMES, peak=peak, is_ramp=is_ramp)


def colour_bars(transfer):
    frames = [packed_420(bars(transfer), transfer)] * FRAMES
    return Clip(f"bars-{transfer}", f"BT.2111 bars, {transfer.upper()}", WIDTH, HEIGHT, transfer, frames)
