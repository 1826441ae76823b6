"""Primaries, luma weights and matrices between linear RGB of different primaries, by BT.709, BT.2020, BT.601 and RP 177.
"""
import numpy as np

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
