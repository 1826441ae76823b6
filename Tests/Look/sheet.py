"""The contact sheet, the table on the terminal and the figures as JSON."""
import numpy as np
from PIL import Image, ImageDraw, ImageFont

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
GROUND, INK, FAINT = (24, 24, 24), (235, 235, 235), (150, 150, 150)
LABEL = 120
# Heading, key, decimals.
COLUMNS = [
    ("mean", "mean", 1), ("% src", "of_source", 0), ("% libpl", "of_libplacebo", 0), ("white", "white", 1),
    ("hue", "hue", 2), ("hue95", "hue95", 1), ("chroma-", "chroma_loss", 1), ("chr95-", "chroma_loss95", 0),
    ("det sat", "detail_saturated", 0), ("flat", "flat", 0), ("det brt", "detail_bright", 0), ("band", "banding", 2)]
TEMPORAL = [("variation", "variation", 2), ("step", "step", 2), ("first", "first", 2), ("settled", "settled", 0)]


def font(size):
    try:
        return ImageFont.truetype(FONT, size)
    except OSError:
        return ImageFont.load_default()


def text_of(value, decimals):
    return "-" if value is None else f"{value:.{decimals}f}"


def table(rows, columns):
    """rows: pairs of names and figures, or a string alone for a line of its own."""
    names = [name for name, _ in (row for row in rows if not isinstance(row, str))]
    wide = max([len(name) for name in names], default=0)
    lines = [" " * wide + "".join(f"{heading:>10}" for heading, _, _ in columns)]
    for row in rows:
        if isinstance(row, str):
            lines.append(row)
            continue
        name, figures = row
        cells = (text_of(figures.get(key), places) for _, key, places in columns)
        lines.append(f"{name:<{wide}}" + "".join(f"{cell:>10}" for cell in cells))
    return "\n".join(lines)


def picture(signal, width, crop=None):
    """An 8-bit picture of R'G'B', or a part of it as (left, top, right, bottom) in parts of 1."""
    image = Image.fromarray(np.floor(np.clip(signal, 0, 1) * 255 + 0.5).astype(np.uint8))
    if crop:
        image = image.crop(tuple(int(part * length) for part, length in zip(crop, image.size * 2)))
    height = max(1, round(image.height * width / image.width))
    return image.resize((width, height), Image.LANCZOS)


def draw(path, clips, methods, cells, width):
    """cells: by clip and method the picture, or the reason why there is none, and its figures."""
    small, large = font(11), font(14)
    heights = []
    for clip in clips:
        images = [image for (name, _), (image, _) in cells.items() if name == clip.name]
        heights.append(max((image.height for image in images if not isinstance(image, str)), default=60) + 46)
    sheet = Image.new("RGB", (LABEL + len(methods) * (width + 6), 30 + sum(heights)), GROUND)
    draws = ImageDraw.Draw(sheet)
    for column, method in enumerate(methods):
        draws.text((LABEL + column * (width + 6), 7), method.name, INK, large)
    top = 30
    for clip, height in zip(clips, heights):
        draws.text((6, top), clip.name, INK, large)
        draws.text((6, top + 18), "\n".join(_folded(clip.title, 17)), FAINT, small)
        for column, method in enumerate(methods):
            image, figures = cells.get((clip.name, method.name), ("not made", {}))
            left = LABEL + column * (width + 6)
            if isinstance(image, str):
                draws.text((left, top), "\n".join(_folded(image, width // 7)), FAINT, small)
                continue
            sheet.paste(image, (left, top))
            draws.text((left, top + image.height + 2), _caption(figures), INK, small)
        top += height
    sheet.save(path)


def _caption(figures):
    def of(key, places):
        return text_of(figures.get(key), places)

    chroma = figures.get("chroma_loss")
    return (
        f"mean {of('mean', 1)} ({of('of_libplacebo', 0)} % of libplacebo)  white {of('white', 0)} %\n"
        f"hue {of('hue', 1)}° / {of('hue95', 0)}°  chroma {'-' if chroma is None else f'{-chroma:+.0f}'} %  "
        f"detail {of('detail_saturated', 0)} / {of('detail_bright', 0)} %")


def _folded(text, length):
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) >= length and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines
