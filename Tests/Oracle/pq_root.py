#!/usr/bin/env python3
"""The polynomial that statistics have for the square root of PQ's light: its coefficients, and how exact it is.

Writes what `rootOfLight` in Sources/HDRKernels/Planning/LightPlanner+Statistics.swift has. The argument t is twice the
signal less 1; the polynomial's square is as near to the EOTF (SMPTE ST 2084), in cd/m2, as can be where an error of 1e-4
of the light and 2e-4 cd/m2 count as much. What it is at t = -1 is subtracted, so that black is 0. Needs SciPy.
"""
import numpy as np
from scipy.optimize import linprog

DEGREE = 9


def eotf(signal):
    m1, m2 = 2610 / 16384, 2523 / 4096 * 128
    c1, c2, c3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
    power = signal ** (1 / m2)
    return 10000 * (np.maximum(power - c1, 0) / (c2 - c3 * power)) ** (1 / m1)


def fit(points=1500):
    t = np.cos(np.linspace(0, np.pi, points))
    light = eotf((t + 1) / 2)
    root = np.sqrt(light)
    allowed = np.minimum((1e-4 * light + 2e-4) / (2 * np.maximum(root, 1e-3)), 0.05)
    basis = np.polynomial.chebyshev.chebvander(t, DEGREE)
    rows = np.vstack([np.column_stack([basis, -allowed]), np.column_stack([-basis, -allowed])])
    found = linprog(np.append(np.zeros(DEGREE + 1), 1), A_ub=rows, b_ub=np.concatenate([root, -root]),
                    bounds=[(None, None)] * (DEGREE + 1) + [(0, None)], method="highs")
    return np.polynomial.chebyshev.cheb2poly(found.x[:-1])


if __name__ == "__main__":
    numbers = fit()
    print(",\n".join(f"{number:.9g}" for number in numbers))
    signal = np.linspace(0, 1, 200001)
    light = eotf(signal)
    squares = np.polynomial.polynomial.polyval(2 * signal - 1, numbers.astype(np.float32)) ** 2
    error = np.abs(np.maximum(squares - squares[0], 0) - light)
    print(f"at most {error[light < 1].max():.1e} cd/m2 below 1 cd/m2, {(error / np.maximum(light, 1))[light >= 1].max():.1e}"
          f" of the light from there on, {(error / np.maximum(light, 1))[light >= 10].max():.1e} from 10 cd/m2 on")
