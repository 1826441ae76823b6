"""PQ and HLG of BT.2100, BT.1886 and sRGB: non-linear signals to display light in cd/m2, and back."""
import numpy as np

from colorimetry import luma_weights

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
