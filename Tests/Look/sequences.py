"""Moving pictures with a patch that does not change: what a picture's neighbours do to it.

The patch is grey at 60 cd/m2 in the lower right corner; its light in the converted pictures is what is measured.
"""
import numpy as np

from clip import Clip, oracle, packed_420
from scenes import linear, noise, painted, smooth

WIDTH, HEIGHT, COUNT = 320, 180, 48
PATCH = (slice(140, 172), slice(270, 312))
X, Y = np.meshgrid(np.arange(WIDTH, dtype=np.float32), np.arange(HEIGHT, dtype=np.float32))
SCENE = 40 * (1 + 0.5 * noise(40, 71, HEIGHT, 3 * WIDTH) + 0.3 * noise(9, 72, HEIGHT, 3 * WIDTH))


def room(shift=0, exposure=1.0, lamp=1500.0):
    """A textured wall with a lamp that hangs at column 420 of a panorama of 960."""
    shift = int(shift)
    level = exposure * SCENE[:, shift : shift + WIDTH]
    distance = np.hypot(X + shift - 420, Y - 60)
    light = painted(level, linear([1, 0.9, 0.8])) + painted(lamp * smooth(22, 16, distance), linear([1, 0.85, 0.6]))
    return light


def pan(index):
    """The lamp comes into the picture, stays in it for six seconds and goes out of it: long enough for slow drift."""
    return room(shift=20 + 2 * index)


def fade(index):
    """All but the patch fades from full light to black."""
    return room(200, 1 - index / (COUNT - 1), 1500 * (1 - index / (COUNT - 1)))


def fade_of_signal(index):
    """The same as an editor fades PQ, code by code, with a lamp of 300 cd/m2."""
    signal = oracle.pq_inverse_eotf(np.maximum(room(200, 1, 300), 0))
    return oracle.pq_eotf(signal * (1 - index / (COUNT - 1))).astype(np.float32)


def flash(index):
    """Two pictures of a flash, 3000 cd/m2 all over."""
    return np.full((HEIGHT, WIDTH, 3), 3000, np.float32) if index in (20, 21) else room(200)


def cut(index):
    """From a dim room of 60 cd/m2 to sun of 3000, at picture 24."""
    return room(0, 1, 0) if index < COUNT // 2 else room(300, 20, 3000)


def flicker(index):
    """A lamp whose light jumps by 30 % each picture."""
    return room(200, 1, 1200 * (1 + 0.3 * (-1) ** index))


LENGTHS = {"pan": 240}
SEQUENCES = {"pan": pan, "fade": fade, "fade-of-signal": fade_of_signal, "flash": flash, "cut": cut, "flicker": flicker}


def sequence(name):
    frames = []
    for index in range(LENGTHS.get(name, COUNT)):
        light = np.clip(SEQUENCES[name](index), 0.005, 10000).astype(np.float32)
        light[PATCH] = 60
        frames.append(packed_420(light))
    # The mean leaves out the patch's edge, which chroma's subsampling blurs.
    inner = tuple(slice(part.start + 4, part.stop - 4) for part in PATCH)
    return Clip(name, name, WIDTH, HEIGHT, "pq", frames, seam=COUNT // 2 if name == "cut" else 0, patch=inner)
