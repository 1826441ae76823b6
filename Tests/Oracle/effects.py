#!/usr/bin/env python3
"""What SciPy makes of effects: numbers that the tests of HDREffects hold the effects to.

    Tests/Oracle/effects.py         # writes Tests/HDREffectsTests/Reference; needs NumPy and SciPy

Look-up tables: SciPy interpolates single components (interp1d), and each of the six tetrahedra of a cube's cell by
itself (LinearNDInterpolator), so that no order of fractions can be wrong here and there alike. Blur: gaussian_filter
with mirrored edges and eight standard deviations on each side.
"""

import itertools
import pathlib

import numpy as np
from scipy.interpolate import LinearNDInterpolator, interp1d
from scipy.ndimage import gaussian_filter

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "HDREffectsTests" / "Reference"
WHITE = 203.0


def pq_signal(light):
    y = np.clip(light * WHITE / 10000, 0, 1) ** (2610 / 16384)
    return ((3424 / 4096 + 2413 / 128 * y) / (1 + 2392 / 128 * y)) ** (2523 / 32)


def pq_light(signal):
    p = np.clip(signal, 0, 1) ** (32 / 2523)
    y = (np.maximum(p - 3424 / 4096, 0) / (2413 / 128 - 2392 / 128 * p)) ** (16384 / 2610)
    return y * 10000 / WHITE


TOE, TOP = 2.0**-10, 2.0**6.5


def log_signal(light):
    return (np.log2(np.clip(light, 0, TOP) + TOE) + 10) / (np.log2(TOP + TOE) + 10)


def log_light(signal):
    return 2 ** (np.clip(signal, 0, 1) * (np.log2(TOP + TOE) + 10) - 10) - TOE


SHAPERS = {"none": (lambda x: x, lambda x: x), "pq": (pq_signal, pq_light), "log": (log_signal, log_light)}


def tetrahedral(cube, domain, color):
    """A cube's colour; its axes are blue, green and red."""
    size = len(cube)
    position = np.clip((color - domain[0]) / (domain[1] - domain[0]), 0, 1) * (size - 1)
    below = np.minimum(position.astype(int), size - 2)
    for order in itertools.permutations(range(3)):
        corners = [np.zeros(3, int)]
        for axis in order:
            corners.append(corners[-1] + np.eye(3, dtype=int)[axis])
        values = [cube[tuple((below + c)[::-1])] for c in corners]
        found = LinearNDInterpolator(np.array(corners, float), np.array(values))(position - below)[0]
        if not np.isnan(found).any():
            return found
    raise ValueError(color)


def write_cube(name, head, tables):
    rows = [" ".join(f"{x:.6f}" for x in row) for table in tables for row in table.reshape(-1, 3)]
    (FOLDER / name).write_text("\n".join(head + rows) + "\n")


def luts():
    random = np.random.default_rng(2084)
    size, steps = 5, 9
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, size)] * 3, indexing="ij")[::-1], -1)
    cube = np.round(np.clip(grid + random.uniform(-0.15, 0.15, grid.shape), 0, 1), 6)
    lines = np.round(np.linspace(0, 1, steps)[:, None] ** [0.8, 1, 1.3] + random.uniform(-0.03, 0.03, (steps, 3)), 6)
    write_cube("cube.cube", ['TITLE "a cube"', f"LUT_3D_SIZE {size}"], [cube])
    write_cube("lines.cube", [f"LUT_1D_SIZE {steps}", "DOMAIN_MIN -0.25 -0.25 0", "DOMAIN_MAX 2 1.5 1"], [lines])
    head = [f"LUT_1D_SIZE {steps}", "LUT_1D_INPUT_RANGE -0.1 1.1", f"LUT_3D_SIZE {size}", "LUT_3D_INPUT_RANGE 0.05 0.95"]
    write_cube("both.cube", head, [lines, cube])

    def by_lines(color, low, high):
        low, high = np.broadcast_to(low, 3), np.broadcast_to(high, 3)
        return np.array(
            [
                interp1d(np.linspace(low[k], high[k], steps), lines[:, k])(np.clip(color[k], low[k], high[k]))
                for k in range(3)
            ]
        )

    files = {
        "cube": lambda c: tetrahedral(cube, (0.0, 1.0), c),
        "lines": lambda c: by_lines(c, [-0.25, -0.25, 0], [2, 1.5, 1]),
        "both": lambda c: tetrahedral(cube, (0.05, 0.95), by_lines(c, -0.1, 1.1)),
    }
    colors = np.concatenate(
        [random.uniform(-0.2, 1.3, (40, 3)), 2 ** random.uniform(-8, 6, (40, 3)), [[0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.1]]]
    ).astype(np.float32)
    out = ["# file shaper, a colour, and what becomes of it; written by Tests/Oracle/effects.py"]
    for file, table in files.items():
        for shaper, (signal, light) in SHAPERS.items():
            for color in colors.astype(float):
                found = light(table(signal(color)))
                numbers = [f"{x:.9g}" for x in [*color, *found]]
                out.append(" ".join([file, shaper, *numbers]))
    (FOLDER / "lut.txt").write_text("\n".join(out) + "\n")


def picture(width, height):
    """The picture that the tests blur, of small whole numbers and some bright points."""
    y, x = np.mgrid[0:height, 0:width]
    light = ((7 * x + 13 * y + x * y) % 31) / 31 + (x > width // 2)
    light[height // 3, width // 4] += 100
    light[0, 0] += 50
    light[height - 1, width - 1] += 50
    return light


def blurs():
    out = ["# width height sigma, then x y and the light there; written by Tests/Oracle/effects.py"]
    for width, height, sigma in BLURS:
        light = gaussian_filter(picture(width, height), sigma, mode="reflect", truncate=8)
        out.append(f"blur {width} {height} {sigma}")
        random = np.random.default_rng(width)
        places = {(0, 0), (width - 1, height - 1), (width // 4, height // 3), (width - 1, 0), (width // 2, height // 2)}
        places |= {(int(random.integers(width)), int(random.integers(height))) for _ in range(120)}
        out += [f"{x} {y} {light[y, x]:.9g}" for x, y in sorted(places)]
    (FOLDER / "blur.txt").write_text("\n".join(out) + "\n")


BLURS = [
    (97, 61, 0.3), (97, 61, 0.8), (97, 61, 2), (97, 61, 4.4), (97, 61, 4.5), (130, 75, 5), (130, 75, 6.7),
    (131, 76, 9), (200, 103, 13.6), (199, 104, 27), (310, 181, 60), (33, 17, 25), (310, 181, 200), (5, 3, 4), (1, 9, 30),
]

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    luts()
    blurs()
