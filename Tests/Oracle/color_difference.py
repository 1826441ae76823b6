"""ICtCp of BT.2100, and the colour difference of BT.2124."""
import numpy as np

from colorimetry import primaries_matrix, transform
from transfer_functions import pq_inverse_eotf

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
