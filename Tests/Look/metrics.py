"""What the look lab measures. Functions of arrays; light is in cd/m2, of BT.2020 where it is the source's.

Intensity, hue and chroma are those of ICtCp (BT.2100) as BT.2124 scales it, ITP: T is half of Ct. SDR light is that of
a display of BT.1886 with a black of 0 whose white is the reference white.
"""
import numpy as np

from clip import oracle

WHITE = oracle.REFERENCE_WHITE
# Pixels of less light have no hue that anyone sees, or that 10 bits hold.
DARKEST = 0.1
# In ITP: what a 10-bit code of the source changes is no detail, and no colour.
LEAST_GRADIENT = 1 / 1023
LEAST_CHROMA = 0.004
# Saturated colours that clipping makes flat are brighter than this.
FLAT_LIGHT = 100


def shown(signal, white=WHITE):
    """BT.709 light of SDR R'G'B'."""
    return white * np.clip(signal, 0, 1) ** 2.4


def itp(light, primaries):
    return oracle.ictcp(light, primaries) * (1, 0.5, 1)


def weighted_percentile(values, weights, percent):
    order = np.argsort(values)
    summed = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(summed, summed[-1] * percent / 100)])


def mean_light(light, primaries):
    return float(oracle.luminance(light, primaries).mean())


def white_level(source, signal):
    """The median luma, in percent, of what is neutral and within 5 % of 203 cd/m2 in the source; None where there is
    less than a thousandth of the picture."""
    level = oracle.luminance(source, "bt2020")
    chroma = np.hypot(*np.moveaxis(itp(source, "bt2020")[..., 1:], -1, 0))
    white = (np.abs(level / WHITE - 1) < 0.05) & (chroma < 0.012)
    if white.mean() < 1e-3:
        return None
    return float(100 * np.median(signal[white] @ oracle.luma_weights("bt709")))


def colour_change(source, made):
    """Of two pictures in ITP: hue shift in degrees, mean and 95th percentile, weighted by the geometric mean of both
    chromas; chroma loss in percent of the source's, of the sum and as 95th percentile weighted by the source's."""
    chroma_in, chroma_out = (np.hypot(picture[..., 1], picture[..., 2]) for picture in (source, made))
    seen = (source[..., 0] > oracle.pq_inverse_eotf(DARKEST)) & (chroma_in > LEAST_CHROMA)
    result = {"hue": 0.0, "hue95": 0.0, "chroma_loss": 0.0, "chroma_loss95": 0.0}
    if not seen.any():
        return result
    chroma_in, chroma_out = chroma_in[seen], chroma_out[seen]
    turned = np.arctan2(made[..., 1], made[..., 2])[seen] - np.arctan2(source[..., 1], source[..., 2])[seen]
    turned = np.degrees(np.abs((turned + np.pi) % (2 * np.pi) - np.pi))
    weights = np.sqrt(chroma_in * chroma_out)
    if weights.sum() > 0:
        result["hue"] = float((turned * weights).sum() / weights.sum())
        result["hue95"] = weighted_percentile(turned, weights, 95)
    result["chroma_loss"] = float(100 * (1 - chroma_out.sum() / chroma_in.sum()))
    result["chroma_loss95"] = 100 * weighted_percentile(1 - chroma_out / chroma_in, chroma_in, 95)
    return result


def gradients(picture):
    """Central differences along rows and columns, of a picture less its border: height, width, 6."""
    across = (picture[1:-1, 2:] - picture[1:-1, :-2]) / 2
    down = (picture[2:, 1:-1] - picture[:-2, 1:-1]) / 2
    return np.concatenate([across, down], -1)


def saturated(source):
    """Where light is over 10 cd/m2 and near the edge of BT.709 or beyond it: the least component under a tenth."""
    rgb = oracle.transform(oracle.primaries_matrix("bt2020", "bt709"), source)
    most = rgb.max(-1)
    return (most > 10) & (rgb.min(-1) < 0.1 * most)


def bright(source):
    """Where the largest component is above reference white."""
    return source.max(-1) > WHITE


def detail_kept(source, made, where):
    """How much of the source's local detail is left, in percent, of two pictures in ITP: the part of each gradient of
    the result that points along the source's, so that new edges do not count, weighted by the source's gradient. None
    where less than a thousandth of the picture has any."""
    before, after = gradients(source), gradients(made)
    size = np.linalg.norm(before, axis=-1)
    counted = where[1:-1, 1:-1] & (size > LEAST_GRADIENT)
    if counted.mean() < 1e-3:
        return None
    along = (before * after).sum(-1)[counted] / size[counted]
    return float(100 * along.sum() / size[counted].sum())


def flattened(source, made, where):
    """The share, in percent, of the places with local detail where less than a tenth of it is left: a blob where there
    were lines. None where less than a thousandth of the picture has any detail."""
    before, after = gradients(source), gradients(made)
    size = np.linalg.norm(before, axis=-1)
    counted = where[1:-1, 1:-1] & (size > LEAST_GRADIENT)
    if counted.mean() < 1e-3:
        return None
    return float(100 * ((before * after).sum(-1)[counted] < 0.1 * size[counted] ** 2).mean())


def blurred(picture, sigma):
    """A Gaussian along rows; the picture's ends repeated."""
    reach = int(4 * sigma + 0.5)
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    kernel /= kernel.sum()
    padded = np.pad(picture, ((0, 0), (reach, reach)), "edge")
    out = np.zeros_like(picture)
    for index, weight in enumerate(kernel):
        out += weight * padded[:, index : index + picture.shape[1]]
    return out


def banding(signal):
    """How uneven rows of smooth ramps are, in 8-bit codes, RMS: luma's distance from what a Gaussian of 12 pixels makes
    of it, after one of 1.5 pixels, the eye's. Ends and the steepest tenth, where ramps meet or bend, are left out."""
    luma = 255 * (np.asarray(signal, float) @ oracle.luma_weights("bt709"))
    # Dither is in two dimensions: neighbouring rows of a ramp are the same picture.
    luma = luma[: luma.shape[0] // 4 * 4].reshape(-1, 4, luma.shape[1]).mean(1)
    fine = blurred(luma, 1.5)
    uneven = (fine - blurred(fine, 12))[:, 64:-64]
    steep = np.abs(np.gradient(blurred(fine, 12), axis=1))[:, 64:-64]
    kept = uneven[steep <= np.quantile(steep, 0.9)]
    return float(np.sqrt((kept**2).mean()))


def pumping(levels, seam=0):
    """Of an unchanged patch's light over time: its range within each scene in percent of the mean, the largest step
    between pictures, and with a seam, how far the first picture after it is from the last, and from which picture after
    it on all are within 2 % of the last. `settled` counts from 0."""
    levels = np.asarray(levels, float)
    scenes = [levels] if not seam else [levels[:seam], levels[seam:]]
    ranges = [100 * (part.max() - part.min()) / part.mean() for part in scenes]
    steps = [100 * np.abs(np.diff(part)).max() / part.mean() for part in scenes]
    result = {"variation": float(max(ranges)), "step": float(max(steps))}
    if seam:
        off = np.abs(scenes[1] / scenes[1][-1] - 1)
        result["first"] = float(100 * off[0])
        wrong = np.flatnonzero(off > 0.02)
        result["settled"] = int(wrong[-1] + 1) if len(wrong) else 0
    return result


def measured(source, signal):
    """All numbers of a picture: source light in BT.2020, and SDR R'G'B'."""
    light = shown(signal)
    before, after = itp(source, "bt2020"), itp(light, "bt709")
    mean, source_mean = mean_light(light, "bt709"), mean_light(source, "bt2020")
    return {
        "mean": mean,
        "source_mean": source_mean,
        "of_source": 100 * mean / source_mean,
        "white": white_level(source, signal),
        **colour_change(before, after),
        "detail_saturated": detail_kept(before, after, saturated(source)),
        "flat": flattened(before, after, saturated(source) & (source.max(-1) > FLAT_LIGHT)),
        "detail_bright": detail_kept(before, after, bright(source)),
    }
