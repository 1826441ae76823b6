#!/usr/bin/env python3
"""Dither in Float64, and what an element's dither leaves to be seen.

    dither.py hdrconvert        converts flat fields and ramps of 16 bits to 8 by each dither, and reports the error

The error is taken behind a Gaussian of 1.5 pixels, which is about what an eye does at a usual distance, and as the
spectrum of flat fields. The exit status is 1 where blue noise has the larger error in any line or a peak in its
spectrum. GStreamer finds the element by GST_PLUGIN_PATH. Needs numpy.
"""
import os
import re
import subprocess
import sys
import tempfile

import numpy as np

FOLDER = os.path.dirname(os.path.abspath(__file__))
TILE = os.path.join(FOLDER, "../../Sources/HDRColor/Signal/BlueNoise.swift")
SIGMA = 1.5
REACH = 6
# Two tiles, and what the Gaussian reaches beyond them.
SIZE = 128 + 2 * REACH
# Pixels for each code.
RAMPS = (256, 128, 64, 48, 32, 24, 16, 12, 8)
PHASES = 12
LEVELS = 256
# Multiples of it are spread evenly between two codes.
GOLDEN = 0.6180339887
# How far one frequency may stand out of those of its radius.
HIGHEST_PEAK = 8


def bayer(order=3):
    """Bayer's matrix of 2^order columns: each step puts four copies of the last one between each other."""
    index = np.zeros((1, 1))
    for _ in range(order):
        index = np.block([[4 * index, 4 * index + 2], [4 * index + 3, 4 * index + 1]])
    return index


def blue_noise():
    """The ranks that the tile has, which are data: there is no formula for them."""
    with open(TILE, encoding="utf-8") as file:
        table = re.search(r"blueNoiseTile: \[UInt16\] = \[(.*?)\]", file.read(), re.DOTALL)
    ranks = np.array([int(rank) for rank in re.findall(r"\d+", table[1])], float).reshape(64, 64)
    assert np.array_equal(np.sort(ranks.ravel()), np.arange(4096))
    return ranks


def offsets(name, height, width):
    """What is added to code values before they are rounded, with a mean of 0 and room for errors around a code."""
    if name == "none":
        return np.zeros((height, width))
    ranks = bayer() if name == "ordered" else blue_noise()
    centred = (ranks + 0.5) / ranks.size - 0.5
    # The Bayer matrix's outermost offsets hold for blue noise too.
    centred = np.clip(centred, -63 / 128, 63 / 128)
    rows, columns = centred.shape
    return np.tile(centred, (-(-height // rows), -(-width // columns)))[:height, :width]


def rounded(codes, name, maximum):
    """Whole code values of pictures: the last axes are rows, columns and components, which have one pattern."""
    height, width = codes.shape[-3:-1]
    return np.clip(np.floor(codes + 0.5 + offsets(name, height, width)[..., None]), 0, maximum)


def fields():
    """Pictures between 8-bit codes, and which are flat (0) or have so many pixels for each code."""
    y, x = np.mgrid[:SIZE, :SIZE]
    pictures = [np.full((SIZE, SIZE), 100 + level / LEVELS) for level in range(LEVELS)]
    kinds = [0] * LEVELS
    slant = np.sqrt(0.5)
    for pixels in RAMPS:
        for across, down in ((1, 0), (0, 1), (slant, slant), (slant, -slant)):
            for phase in range(PHASES):
                pictures.append(100 + (across * x + down * y) / pixels + phase * GOLDEN % 1)
                kinds.append(pixels)
    # As what 16 bits hold of them.
    return np.round(np.array(pictures) * 256).astype("<u2"), np.array(kinds)


def converted(element, pictures, name):
    """8-bit luma that the element makes of pictures of grey."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "source"), os.path.join(folder, "target")
        grey = np.full_like(pictures, 32768)
        np.stack([pictures, grey, grey], 1).tofile(source)
        line = (
            f"filesrc location={source} blocksize={6 * SIZE * SIZE} ! rawvideoparse width={SIZE} height={SIZE} "
            f"format=y444-16le framerate=25/1 colorimetry=bt709 ! {element} dither={name} ! "
            f"video/x-raw,format=Y444,colorimetry=bt709 ! filesink location={target}")
        ended = subprocess.run(
            ["gst-launch-1.0", "-q", *line.split()], capture_output=True, text=True, timeout=300, check=False)
        if ended.returncode != 0 or not os.path.exists(target):
            sys.exit(f"dither.py: {line}\n{ended.stderr or ended.stdout}")
        return np.fromfile(target, "u1").reshape(-1, 3, SIZE, SIZE)[:, 0].astype(float)


def filtered(errors):
    """Errors behind the Gaussian, without the edges."""
    weights = np.exp(-np.arange(-REACH, REACH + 1) ** 2 / (2 * SIGMA**2))
    weights /= weights.sum()
    for axis in (1, 2):
        length = errors.shape[axis] - 2 * REACH
        errors = sum(
            weight * np.take(errors, np.arange(length) + index, axis) for index, weight in enumerate(weights))
    return errors


def highest_peak(errors):
    """How far a frequency of a tile stands out of those of its radius, from 4 cycles a tile on, over all levels."""
    tiles = errors[:, :64, :64]
    power = (np.abs(np.fft.fft2(tiles - tiles.mean((1, 2), keepdims=True))) ** 2).mean(0)
    cycles = 64 * np.fft.fftfreq(64)
    ring = np.round(np.hypot(*np.meshgrid(cycles, cycles))).astype(int)
    mean = (np.bincount(ring.ravel(), power.ravel()) / np.bincount(ring.ravel()))[ring]
    return (power / np.maximum(mean, 1e-9))[ring >= 4].max()


def main():
    element = " ".join(sys.argv[1:]) or "hdrconvert"
    pictures, kinds = fields()
    figures, failed = {}, False
    for name in ("ordered", "blue-noise"):
        codes = converted(element, pictures, name)
        wanted = rounded(pictures[..., None] / 256, name, 255)[..., 0]
        errors = codes - pictures / 256
        seen = filtered(errors)
        figures[name] = [np.sqrt((seen[kinds == kind] ** 2).mean()) for kind in (0, *RAMPS)]
        off, peak = (codes != wanted).mean(), highest_peak(errors[kinds == 0])
        failed |= off > 1e-3 or (peak > HIGHEST_PEAK and name == "blue-noise")
        print(f"{name}: {100 * off:.3f} % of the samples differ from Float64, highest peak {peak:.1f} times its ring")
    for kind, ordered, blue in zip((0, *RAMPS), *figures.values()):
        failed |= blue >= ordered
        title = f"ramps of {kind} pixels a code" if kind else "flat fields"
        print(f"{title}: RMS {ordered:.5f} codes ordered, {blue:.5f} blue noise, {blue / ordered:.3f} of it")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
