"""libplacebo's perceptual gamut mapping: its formulas, with the largest chroma of each hue in place of a 3D table."""
import numpy as np

from colorimetry import primaries_matrix, transform, xyz_from_rgb
from tone_mapping import crosstalk_matrix
from transfer_functions import pq_inverse_eotf

# CIE XYZ to cone responses (Hunt, Pointer and Estevez, for D65), then 4 % of crosstalk; P and T of IPT (Ebner and
# Fairchild 1998).
_HPE = np.array([[0.40024, 0.70760, -0.08081], [-0.22630, 1.16532, 0.04570], [0, 0, 0.91822]])
CONE_FROM_XYZ = crosstalk_matrix(0.04) @ _HPE
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
