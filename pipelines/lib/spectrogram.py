"""A spectrogram on a logarithmic frequency axis, made while the sound runs past, in memory that does not grow."""

import numpy as np

# Windows in seconds, long ones for low frequencies, and the frequencies in Hz between them: an ear, too, tells low
# tones apart where it cannot tell when they began. An octave to both sides of each limit the two are mixed: otherwise
# noise, which a longer window spreads over more bins, would show an edge.
WINDOWS = (0.37, 0.093, 0.023)
LIMITS = (200, 1400)
OVERLAP = 2
# Columns that are kept. When they are full, every two become one.
CAPACITY = 4096
# Steps between windows, as shares of a window: the finest, and the coarsest of short and of long sounds.
FINEST, COARSEST, COARSEST_LONG = 1 / 16, 1 / 4, 1 / 2
LONG = 600
SILENCE = 1e-20


class Columns:
    """The power of every row, a column for each step of time, the loudest of several steps when there are many."""

    def __init__(self, rows):
        self.data = np.zeros((CAPACITY, rows), np.float32)
        self.steps = 0
        self.merged = 1

    def add(self, frames):
        index = self.steps + np.arange(len(frames))
        self.steps += len(frames)
        while index[-1] // self.merged >= CAPACITY:
            half = CAPACITY // 2
            self.data[:half] = np.maximum(self.data[0::2], self.data[1::2])
            self.data[half:] = 0
            self.merged *= 2
        index //= self.merged
        starts = np.flatnonzero(np.diff(index, prepend=-1))
        loudest = np.maximum.reduceat(frames, starts, axis=0)
        self.data[index[starts]] = np.maximum(self.data[index[starts]], loudest)

    def decibels(self, step, width, duration):
        """Rows times `width` columns over `duration` seconds, from steps of `step` seconds."""
        count = max(-(-self.steps // self.merged), 1)
        data = self.data[:count]
        spacing = step * self.merged
        edges = np.arange(width + 1) * duration / width
        if spacing < duration / width:
            # A step stands for the time around its window's centre.
            index = np.minimum(((edges / step + 0.5) / self.merged).astype(int), count - 1)
            picked = np.maximum.reduceat(data[:index[-1] + 1], index[:-1], axis=0)
            return 10 * np.log10(picked.T + SILENCE)
        middle = (edges[:-1] + edges[1:]) / 2
        position = np.clip(middle / spacing - (self.merged - 1) / (2 * self.merged), 0, count - 1)
        first = np.minimum(position.astype(int), max(count - 2, 0))
        share = (position - first)[:, None]
        levels = 10 * np.log10(data + SILENCE)
        return (levels[first] * (1 - share) + levels[np.minimum(first + 1, count - 1)] * share).T


class Band:
    """The rows that one length of window serves."""

    def __init__(self, rate, channels, window, limits, edges, duration):
        self.low, self.high = limits
        middle = np.sqrt(edges[:-1] * edges[1:])
        inside = np.flatnonzero((middle > self.low / OVERLAP) & (middle < self.high * OVERLAP))
        self.rows = rows = slice(inside[0], inside[-1] + 1) if len(inside) else slice(0, 0)
        self.size = 1 << round(np.log2(window * rate))
        coarsest = COARSEST_LONG if duration > LONG else COARSEST
        self.hop = int(np.clip(rate * duration / 2048, self.size * FINEST, self.size * coarsest))
        self.step = self.hop / rate
        self.window = np.hanning(self.size + 1)[:-1]
        # A sine of full scale has 0 dB.
        self.scale = 4 / self.window.sum() ** 2 / channels
        self.columns = Columns(rows.stop - rows.start)
        # The first window is centred on the first sample.
        self.pending = np.zeros((channels, self.size // 2), np.float32)
        bins = edges[rows.start:rows.stop + 1] * self.size / rate
        last = self.size // 2
        middle = np.sqrt(bins[:-1] * bins[1:])
        self.beyond = middle > last
        self.below = np.minimum(middle.astype(int), last - 1)
        self.share = np.clip(middle - self.below, 0, 1)
        # Rows that hold whole bins show the loudest, the others what lies between two bins.
        first = np.minimum(np.ceil(bins).astype(int), last)
        self.wide = first[1:] > first[:-1]
        self.pairs = np.column_stack((first[:-1], np.maximum(first[1:], first[:-1] + 1).clip(max=last))).ravel()

    def feed(self, samples):
        self.pending = np.concatenate((self.pending, samples), axis=1)
        count = (self.pending.shape[1] - self.size) // self.hop + 1
        if count <= 0:
            return
        windows = np.lib.stride_tricks.sliding_window_view(self.pending, self.size, axis=1)[:, ::self.hop][:, :count]
        power = 0
        for channel in windows:
            spectrum = np.fft.rfft(channel * self.window, axis=1)
            power = power + spectrum.real ** 2 + spectrum.imag ** 2
        power *= self.scale
        shown = power[:, self.below] * (1 - self.share) + power[:, self.below + 1] * self.share
        loudest = np.maximum.reduceat(power, self.pairs, axis=1)[:, ::2]
        shown = np.where(self.wide, np.maximum(shown, loudest), shown)
        shown[:, self.beyond] = 0
        self.columns.add(shown.astype(np.float32))
        self.pending = self.pending[:, count * self.hop:]


class Spectrogram:
    """`edges` are the frequencies in Hz between the rows, rising; `duration` is the sound's in seconds."""

    def __init__(self, rate, channels, edges, duration):
        self.middle = np.sqrt(edges[:-1] * edges[1:])
        bounds = (0, *LIMITS, np.inf)
        self.bands = [
            Band(rate, channels, window, limits, edges, duration)
            for window, limits in zip(WINDOWS, zip(bounds, bounds[1:]))
        ]
        self.block = max(band.size for band in self.bands)
        self.waiting, self.count = [], 0

    def feed(self, samples):
        """Takes samples in rows of one for each channel."""
        self.waiting.append(samples)
        self.count += len(samples)
        if self.count >= self.block:
            self._pass_on()

    def _pass_on(self):
        samples = np.concatenate(self.waiting).T
        self.waiting, self.count = [], 0
        for band in self.bands:
            band.feed(samples)

    def finish(self):
        """Takes the windows that reach over the end."""
        channels = self.bands[0].pending.shape[0]
        self.waiting.append(np.zeros((self.block, channels), np.float32))
        self._pass_on()

    def decibels(self, width, duration):
        """Levels in dB of full scale, a row for each frequency from low to high, a column for each step of time."""
        total = np.zeros((len(self.middle), width))
        for band in self.bands:
            middle = self.middle[band.rows]
            weight = _rise(middle, band.low) * (1 - _rise(middle, band.high))
            total[band.rows] += weight[:, None] * band.columns.decibels(band.step, width, duration)
        return total.astype(np.float32)


def _rise(frequencies, limit):
    """0 below the overlap around a limit, 1 above it."""
    if limit in (0, np.inf):
        return np.full(len(frequencies), 1.0 if limit == 0 else 0.0)
    return np.clip(np.log(frequencies * OVERLAP / limit) / (2 * np.log(OVERLAP)), 0, 1)
