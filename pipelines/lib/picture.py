"""The picture that shows what the conversion is for: before on the left, after on the right."""

from gi.repository import Gst

from media import add_chain, caps_filter, make, run

# Neither half is larger than this.
LARGEST_SIDE = 1280

# The letters of the labels, five by seven dots.
LETTERS = {
    "A": "01110 10001 10001 11111 10001 10001 10001",
    "B": "11110 10001 10001 11110 10001 10001 11110",
    "E": "11111 10000 10000 11110 10000 10000 11111",
    "F": "11111 10000 10000 11110 10000 10000 10000",
    "O": "01110 10001 10001 10001 10001 10001 01110",
    "R": "11110 10001 10001 11110 10100 10010 10001",
    "T": "11111 00100 00100 00100 00100 00100 00100",
}


def write_picture(before, after, info, orientation, path, context):
    """Writes a PNG file from two samples of the same frame, turned upright and with square pixels."""
    width, height = _half_size(info, orientation)
    # Without gamma or primaries conversion, GStreamer's own converter does what a player does that does not know HDR:
    # it decodes the matrix and shows the rest as it is.
    halves = [_rgb(sample, orientation, width, height, context) for sample in (before, after)]
    for half, text in zip(halves, ("BEFORE", "AFTER")):
        _label(half, width, height, text)
    row = 3 * width
    joined = bytearray()
    for start in range(0, row * height, row):
        for half in halves:
            joined += half[start:start + row]

    pipeline = Gst.Pipeline.new()
    source = make("appsrc", format="time", caps=Gst.Caps.from_string(
        f"video/x-raw,format=RGB,width={2 * width},height={height},framerate=1/1,colorimetry=sRGB"))
    add_chain(pipeline, source, make("pngenc", snapshot=True), make("filesink", location=path))
    _feed(source, Gst.Buffer.new_wrapped(bytes(joined)))
    run(pipeline, context)


def _half_size(info, orientation):
    width, height = info.width * info.par_n / max(info.par_d, 1), info.height
    if orientation.value_nick in ("90r", "90l", "ul-lr", "ur-ll"):
        width, height = height, width
    scale = min(1, LARGEST_SIDE / max(width, height))
    # Rows of RGB are padded to four bytes; with widths that are multiples of four there is no padding.
    return max(4, int(width * scale) // 4 * 4), max(2, round(height * scale))


def _rgb(sample, orientation, width, height, context):
    pipeline = Gst.Pipeline.new()
    source = make("appsrc", format="time", caps=sample.get_caps())
    sink = make("appsink", sync=False)
    add_chain(
        pipeline, source, make("videoconvert"), make("videoflip", video_direction=orientation), make("videoscale"),
        make("videoconvert"),
        caps_filter(f"video/x-raw,format=RGB,colorimetry=sRGB,width={width},height={height},pixel-aspect-ratio=1/1"),
        sink)
    _feed(source, sample.get_buffer())
    result = []

    def finished():
        pulled = sink.emit("try-pull-sample", 0)
        if pulled:
            buffer = pulled.get_buffer()
            result.append(bytearray(buffer.extract_dup(0, buffer.get_size())))
        return bool(result)

    run(pipeline, context, finished=finished)
    return result[0]


def _feed(source, buffer):
    source.emit("push-buffer", buffer)
    source.emit("end-of-stream")


def _label(rgb, width, height, text):
    """Writes white letters on a dark ground into the top left corner."""
    dot = max(1, min(width, height) // 160)
    columns, rows = 6 * len(text) + 1, 9
    if columns * dot > width or rows * dot > height:
        return
    lit = {
        (6 * index + 1 + x, 1 + y)
        for index, letter in enumerate(text)
        for y, line in enumerate(LETTERS[letter].split())
        for x, bit in enumerate(line) if bit == "1"
    }
    for y in range(rows):
        line = b"".join((b"\xff" if (x, y) in lit else b"\x20") * 3 * dot for x in range(columns))
        for repeat in range(dot):
            start = 3 * width * (y * dot + repeat)
            rgb[start:start + len(line)] = line
