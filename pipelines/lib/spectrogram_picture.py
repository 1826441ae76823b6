"""Draws two spectrograms, one above the other, as a PNG file."""

import math

import cairo
import numpy as np

from media import Failure

WIDTH, HEIGHT = 1600, 1000
LEFT, PLOT_WIDTH = 92, 1378
TOPS, PLOT_HEIGHT = (88, 532), 390
BAR_LEFT, BAR_WIDTH = 1490, 22
# What is more decibels below the loudest is black.
RANGE = 80
INK, FAINT = (0.13, 0.13, 0.16), (0.42, 0.42, 0.46)
TICKS = [digit * 10 ** power for power in range(1, 6) for digit in (1, 2, 5)]
# Matplotlib's colour map magma, as polynomials for red, green and blue: equal steps look equal, also in grey.
MAGMA = np.array((
    (-0.002136485, -0.000749655, -0.005386128), (0.251660541, 0.677523244, 2.494026599),
    (8.353717279, -3.577719515, 0.314467903), (-27.668733086, 14.264730781, -13.649213188),
    (52.176139812, -27.943606072, 12.944169442), (-50.768525365, 29.046582821, 4.234152994),
    (18.655705066, -11.489773520, -5.601961509),
))


def colours(shares):
    """Pixels for shares of 0 to 1, as cairo keeps them."""
    steps = np.linspace(0, 1, 1024)
    table = sum(factors * (steps ** power)[:, None] for power, factors in enumerate(MAGMA))
    red, green, blue = np.clip(np.round(table * 255), 0, 255).astype(np.uint32).T
    palette = red << 16 | green << 8 | blue
    return palette[np.round(np.clip(np.nan_to_num(shares), 0, 1) * 1023).astype(int)]


def frequency_edges(low, high):
    """The frequencies between the picture's rows, rising."""
    return low * (high / low) ** (np.arange(PLOT_HEIGHT + 1) / PLOT_HEIGHT)


class Picture:
    def __init__(self, low, high, duration):
        self.low, self.high, self.duration = low, high, duration
        self.surface = cairo.ImageSurface(cairo.FORMAT_RGB24, WIDTH, HEIGHT)
        self.context = cairo.Context(self.surface)
        self.context.set_source_rgb(1, 1, 1)
        self.context.paint()
        options = cairo.FontOptions()
        options.set_antialias(cairo.ANTIALIAS_GRAY)
        self.context.set_font_options(options)

    def draw(self, title, parts, centre):
        """`parts` are a title and a Spectrogram each; `centre(seconds)` is the band's centre in Hz."""
        levels = [spectrogram.decibels(PLOT_WIDTH, self.duration) for _, spectrogram in parts]
        # Both have the colours of the first, so that they compare.
        top = max(-40, 10 * math.ceil(float(levels[0].max()) / 10))
        self._text(title, LEFT, 38, 24, bold=True, room=WIDTH - LEFT - 30)
        for (name, _), part, y in zip(parts, levels, TOPS):
            self._image(colours((part[::-1] - top + RANGE) / RANGE), LEFT, y)
            self._line(centre, y)
            self._text(name, LEFT, y - 11, 18, bold=True)
            self._frequencies(y)
            self._times(y, labels=y == TOPS[-1])
        self._text("dashed: the band's centre", LEFT + PLOT_WIDTH, TOPS[-1] - 11, 15, align=1, colour=FAINT)
        self._legend(top)

    def write(self, path, name):
        try:
            self.surface.write_to_png(path)
        except (OSError, cairo.Error) as error:
            raise Failure(f"cannot write {name}: {getattr(error, 'strerror', None) or error}") from None

    def _image(self, pixels, x, y):
        pixels = np.ascontiguousarray(pixels, np.uint32)
        height, width = pixels.shape
        image = cairo.ImageSurface.create_for_data(pixels, cairo.FORMAT_RGB24, width, height, width * 4)
        self.context.set_source_surface(image, x, y)
        self.context.rectangle(x, y, width, height)
        self.context.fill()
        # The pixels go with this call, and the surface must not outlive them.
        self.context.set_source_rgb(0, 0, 0)
        image.finish()

    def _line(self, centre, y):
        context = self.context
        context.save()
        context.rectangle(LEFT, y, PLOT_WIDTH, PLOT_HEIGHT)
        context.clip()
        for x in range(PLOT_WIDTH + 1):
            frequency = centre(x * self.duration / PLOT_WIDTH)
            context.line_to(LEFT + x, self._height(frequency, y))
        # A dark edge makes the line visible on bright sound, too.
        context.set_dash((8, 6))
        for shade, opacity, thickness in ((0, 0.55, 3), (1, 0.9, 1.4)):
            context.set_source_rgba(shade, shade, shade, opacity)
            context.set_line_width(thickness)
            context.stroke_preserve()
        context.new_path()
        context.restore()

    def _height(self, frequency, y):
        return y + PLOT_HEIGHT * (1 - math.log(frequency / self.low) / math.log(self.high / self.low))

    def _frequencies(self, y):
        for frequency in TICKS:
            if not self.low * 0.999 <= frequency <= self.high * 1.001:
                continue
            at = self._height(frequency, y)
            self._tick(LEFT, at, -6, 0)
            text = f"{frequency / 1000:g}k" if frequency >= 1000 else f"{frequency:g}"
            self._text(text, LEFT - 11, at + 5, 15, align=1)
        self._text("Frequency in Hz", 26, y + PLOT_HEIGHT / 2, 15, align=0.5, colour=FAINT, upwards=True)

    def _times(self, y, labels):
        step = next(
            (digit * 10.0 ** power for power in range(-4, 7) for digit in (1, 2, 5)
             if self.duration / (digit * 10.0 ** power) <= 12), self.duration)
        places = max(0, -math.floor(math.log10(step) + 1e-9))
        for index in range(int(self.duration / step + 1e-6) + 1):
            x = LEFT + index * step / self.duration * PLOT_WIDTH
            self._tick(x, y + PLOT_HEIGHT, 0, 6)
            if labels:
                self._text(f"{index * step:.{places}f}", x, y + PLOT_HEIGHT + 24, 15, align=0.5)
        if labels:
            self._text("Time in seconds", LEFT + PLOT_WIDTH / 2, y + PLOT_HEIGHT + 52, 15, align=0.5, colour=FAINT)

    def _legend(self, top):
        y, height = TOPS[0], TOPS[-1] + PLOT_HEIGHT - TOPS[0]
        ramp = np.repeat((1 - (np.arange(height) + 0.5) / height)[:, None], BAR_WIDTH, axis=1)
        self._image(colours(ramp), BAR_LEFT, y)
        for level in range(0, RANGE + 1, 10):
            at = y + height * level / RANGE
            self._tick(BAR_LEFT + BAR_WIDTH, at, 6, 0)
            # A minus sign is as wide as a plus; a hyphen is hard to see.
            text = str(top - level).replace("-", "\N{MINUS SIGN}")
            self._text(text, BAR_LEFT + BAR_WIDTH + 54, at + 5, 15, align=1)
        self._text("dBFS", BAR_LEFT, y - 11, 15, colour=FAINT)

    def _tick(self, x, y, right, down):
        # Lines of one pixel are sharp when they run through its middle.
        x, y = (round(x) + (0 if right else 0.5)), (round(y) + (0 if down else 0.5))
        self.context.move_to(x, y)
        self.context.line_to(x + right, y + down)
        self.context.set_source_rgb(*INK)
        self.context.set_line_width(1)
        self.context.stroke()

    def _text(self, text, x, y, size, align=0.0, bold=False, colour=INK, upwards=False, room=None):
        """Writes text whose start (0), middle (0.5) or end (1) is at x, on the line y."""
        context = self.context
        weight = cairo.FONT_WEIGHT_BOLD if bold else cairo.FONT_WEIGHT_NORMAL
        context.select_font_face("DejaVu Sans", cairo.FONT_SLANT_NORMAL, weight)
        context.set_font_size(size)
        while room and context.text_extents(text).x_advance > room and len(text) > 8:
            # What comes last says more than a long name's middle.
            middle = len(text) // 3
            text = text[:middle].rstrip("\N{HORIZONTAL ELLIPSIS}") + "\N{HORIZONTAL ELLIPSIS}" + text[middle + 2:]
        context.save()
        context.translate(x, y)
        if upwards:
            context.rotate(-math.pi / 2)
        context.move_to(round(-align * context.text_extents(text).x_advance), 0)
        context.set_source_rgb(*colour)
        context.show_text(text)
        context.restore()
