"""Where parts of the picture go: orientation tags, overlaid rectangles and views."""
import light
from bench import PQ, SRGB, Bench, GObject, Gst, GstVideo, bytes_of, caps, make, rgba64, run, wait

ORIENTATIONS = [flip + f"rotate-{angle}" for flip in ("", "flip-") for angle in (0, 90, 180, 270)]


def tagged(source, orientation):
    """Sends an orientation's tag before the next buffer of an appsrc."""
    tags = Gst.TagList.new_empty()
    tags.add_value(Gst.TagMergeMode.REPLACE, "image-orientation", orientation)

    def probe(pad, info):
        pad.push_event(Gst.Event.new_tag(tags))
        return Gst.PadProbeReturn.REMOVE

    source.get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, probe)


def picture(width, height):
    return b"".join(bytes([13 * x + 7 * y + 1, 251 - 11 * y - x, 3 * x * y % 256, 255])
                    for y in range(height) for x in range(width))


def flipped(width, height, orientation):
    """Size and pixels that videoflip makes by the same tag."""
    chain = [make("appsrc", format="time"), make("videoflip", method="automatic"), make("appsink", sync=False)]
    pipeline = Gst.Pipeline.new(None)
    for element in chain:
        pipeline.add(element)
    assert chain[0].link(chain[1]) and chain[1].link(chain[2])
    chain[0].set_property("caps", caps(width, height, SRGB, format="RGBx"))
    tagged(chain[0], orientation)
    pipeline.set_state(Gst.State.PLAYING)
    chain[0].emit("push-buffer", Gst.Buffer.new_wrapped(picture(width, height)))
    sample = chain[2].emit("pull-sample")
    size = [sample.get_caps().get_structure(0).get_int(name)[1] for name in ("width", "height")]
    pixels = light.bytes3(bytes_of(sample))
    pipeline.set_state(Gst.State.NULL)
    return size, pixels


def shape(structure):
    return [structure.get_int(name)[1] for name in ("width", "height")]


def orientations():
    """All eight, pixel for pixel as videoflip, of odd sizes too."""
    for width, height in ((8, 6), (7, 5)):
        seen = set()
        for orientation in ORIENTATIONS:
            with Bench(caps(width, height, SRGB, format="RGBx"), paused=False, pixel_format="rgba8") as bench:
                tagged(bench.source, orientation)
                bench.push(picture(width, height))
                bench.pause()
                structure, data = bench.read()
            size, pixels = flipped(width, height, orientation)
            assert shape(structure) == size, (orientation, structure.to_string())
            assert light.bytes3(data) == pixels, (orientation, light.bytes3(data)[:4], pixels[:4])
            seen.add((tuple(size), data))
        assert len(seen) == 8


def cropped():
    """What videocrop cuts off is not shown, whether it copies the rest or only attaches a crop meta."""
    width, height = 12, 8
    with Bench(caps(width, height, SRGB, format="RGBx"), [picture(width, height)], pixel_format="rgba8",
               between=[make("videocrop", left=3, right=1, top=2, bottom=1)]) as bench:
        structure, data = bench.read()
    pixels = light.bytes3(picture(width, height))
    assert shape(structure) == [8, 5], structure.to_string()
    assert light.bytes3(data) == [pixels[y * width + x] for y in range(2, 7) for x in range(3, 11)]


def turning():
    """A tag turns the frames after it, in deep pixels too, until another comes."""
    width, height = 6, 4
    rows = [[(5000 * x + 1000, 9000 * y + 2000, 30000)] * 1 for y in range(height) for x in range(width)]
    rows = [[rows[y * width + x][0] for x in range(width)] for y in range(height)]
    for pixel_format, read in (("rgba16f", light.halves), ("rgb10a2", light.tens)):
        with Bench(caps(width, height, PQ), [rgba64(rows)], pixel_format=pixel_format, sync=False) as bench:
            upright = read(bench.read()[1])
            turned = [[upright[y * width + x] for y in reversed(range(height))] for x in range(width)]
            for orientation, size, wanted in (
                    ("rotate-90", [height, width], [pixel for row in turned for pixel in row]),
                    ("rotate-180", [width, height], upright[::-1]), ("rotate-0", [width, height], upright)):
                tagged(bench.source, orientation)
                bench.push(rgba64(rows))
                bench.play()
                assert wait(lambda: shape(bench.read()[0]) == size and (
                    close(read(bench.read()[1]), wanted))), (pixel_format, orientation, read(bench.read()[1])[:6], wanted[:6])


def close(pixels, wanted):
    """Dither depends on the place, so that a turned pixel may differ by a code."""
    if isinstance(wanted[0][0], int):
        return all(abs(a - b) <= 1 for left, right in zip(pixels, wanted) for a, b in zip(left, right))
    return pixels == wanted


# ---- overlays

WIDTH, HEIGHT = 64, 32
INSIDE, OUTSIDE = 12 * WIDTH + 20, 30 * WIDTH + 60


def rectangle(color, size=(16, 8), place=(16, 8), shown=None, flags=0):
    """A rectangle of one colour, B, G, R and alpha of 0 to 255, not premultiplied unless flags say so."""
    pixels = Gst.Buffer.new_wrapped(bytes(color) * (size[0] * size[1]))
    GstVideo.buffer_add_video_meta(pixels, GstVideo.VideoFrameFlags.NONE, GstVideo.VideoFormat.BGRA, *size)
    return GstVideo.VideoOverlayRectangle.new_raw(pixels, *place, *(shown or size), GstVideo.VideoOverlayFormatFlags(flags))


def overlaid(parts, background, **properties):
    """The pixels of a grey with rectangles on it."""
    def meta(buffer):
        composition = GstVideo.VideoOverlayComposition.new(parts[0])
        for part in parts[1:]:
            composition.add_rectangle(part)
        GstVideo.buffer_add_video_overlay_composition_meta(buffer, composition)

    code = round(65535 * light.pq_signal(background * light.WHITE))
    with Bench(caps(WIDTH, HEIGHT, PQ, content_light_level="1000:400"), paused=False, **properties) as bench:
        bench.push(rgba64([[(code,) * 3] * WIDTH] * HEIGHT), meta=meta)
        bench.pause()
        structure, data = bench.read()
    return {"RGBA_F16LE": light.halves, "RGB10A2_LE": light.tens, "RGBx": light.bytes3}[structure.get_string("format")](data)


def levels(pixels):
    """Linear light of pixels in either deep format."""
    if isinstance(pixels[0][0], int):
        return [[light.pq_light(v / 1023) / light.WHITE for v in pixel] for pixel in pixels]
    return pixels


def subtitles():
    """White text is SDR white at every headroom, exactly, and the picture beside it is what it was."""
    for headroom in (1, 1.5, 4, 10):
        for background in (0, 0.25, 3):
            text = [rectangle((255, 255, 255, 255))]
            setup = dict(force_headroom=headroom, peak_detection="off")
            pixels = overlaid(text, background, pixel_format="rgba16f", **setup)
            assert pixels[INSIDE] == (1, 1, 1) == pixels[8 * WIDTH + 16] == pixels[15 * WIDTH + 31], (headroom, pixels[INSIDE])
            wanted = light.rolloff(background * light.WHITE, headroom, 1000)
            for outside in (OUTSIDE, 7 * WIDTH + 16, 8 * WIDTH + 15, 16 * WIDTH + 31, 15 * WIDTH + 32):
                assert abs(pixels[outside][0] - wanted) <= 1e-3 * max(wanted, 1e-3), (headroom, pixels[outside], wanted)
            pixels = overlaid(text, background, pixel_format="rgb10a2", **setup)
            assert all(abs(v - 1023 * light.pq_signal(203)) < 1 for v in pixels[INSIDE]), (headroom, pixels[INSIDE])
    pixels = overlaid([rectangle((255, 255, 255, 255))], 0.25, wants_extended_dynamic_range=False)
    assert pixels[INSIDE] == (255, 255, 255)


def blending():
    """Half a rectangle's light and half the picture's: alpha blends light, not codes, whatever form the overlay has."""
    half = 128 / 255
    kinds = {"alpha": rectangle((255, 255, 255, 128)),
             "premultiplied": rectangle((128, 128, 128, 128), flags=GstVideo.VideoOverlayFormatFlags.PREMULTIPLIED_ALPHA)}
    for kind, part in kinds.items():
        for background in (0, 0.25, 3):
            for pixel_format, tolerance in (("rgba16f", 0.002), ("rgb10a2", 0.012)):
                level = levels(overlaid([part], background, pixel_format=pixel_format, force_headroom=10))[INSIDE]
                wanted = half + (1 - half) * background
                assert all(abs(v / wanted - 1) < tolerance for v in level), (kind, background, pixel_format, level, wanted)
    # The classic measure: half of white over black is code 188 of sRGB.
    pixels = overlaid([rectangle((255, 255, 255, 128))], 0, pixel_format="rgba8")
    assert all(187 <= v <= 189 for v in pixels[INSIDE]), pixels[INSIDE]


def colored():
    """A rectangle's colours are sRGB's, put in the display's primaries."""
    for color in ((0, 0, 255, 255), (40, 200, 90, 255)):
        wanted = [light.srgb_light(v / 255) for v in (color[2], color[1], color[0])]
        level = overlaid([rectangle(color)], 0.5, pixel_format="rgba16f", force_headroom=4)[INSIDE]
        assert all(abs(a - b) < 2e-3 for a, b in zip(level, light.between("bt709", "p3", wanted))), level
        level = levels(overlaid([rectangle(color)], 0.5, pixel_format="rgb10a2", force_headroom=4))[INSIDE]
        assert all(abs(a - b) < 0.012 for a, b in zip(level, light.between("bt709", "bt2020", wanted))), level


def edges():
    """Rectangles that leave the picture are cut, scaled ones fill their place, and the last lies on top."""
    white, black = (255, 255, 255, 255), (0, 0, 0, 255)
    for place in ((-8, -4), (56, 28), (-100, 0), (0, 100), (-8, 28)):
        pixels = overlaid([rectangle(white, place=place)], 0, pixel_format="rgba16f")
        for y in range(HEIGHT):
            for x in range(WIDTH):
                inside = place[0] <= x < place[0] + 16 and place[1] <= y < place[1] + 8
                assert pixels[y * WIDTH + x] == ((1, 1, 1) if inside else (0, 0, 0)), (place, x, y)
    pixels = overlaid([rectangle(white, size=(4, 4), shown=(32, 16))], 0, pixel_format="rgba16f")
    assert pixels[INSIDE] == (1, 1, 1) == pixels[20 * WIDTH + 40] and pixels[26 * WIDTH + 40] == (0, 0, 0)
    pixels = overlaid([rectangle(white), rectangle(black)], 0.5, pixel_format="rgba16f")
    assert pixels[INSIDE] == (0, 0, 0)


def negotiated():
    """An element that overlays by metadata finds that the sink takes it, and leaves the picture alone."""
    overlay = make("overlaycomposition")
    overlay.connect("draw", lambda element, sample: GstVideo.VideoOverlayComposition.new(rectangle((255, 255, 255, 255))))
    metas = []
    code = round(65535 * light.pq_signal(50))
    with Bench(caps(WIDTH, HEIGHT, "bt2100-pq", format="P010_10LE"), paused=False, between=[overlay], pixel_format="rgba16f",
               force_headroom=4) as bench:
        def probe(pad, info):
            metas.append(info.get_buffer().get_meta(GObject.type_from_name("GstVideoOverlayCompositionMetaAPI")) is not None)
            return Gst.PadProbeReturn.OK

        bench.sink.get_static_pad("sink").add_probe(Gst.PadProbeType.BUFFER, probe)
        luma, chroma = (code * 219 // 65535 * 4 + 64) << 6, 512 << 6
        bench.push(luma.to_bytes(2, "little") * (WIDTH * HEIGHT) + chroma.to_bytes(2, "little") * (WIDTH * HEIGHT // 2))
        bench.pause()
        assert metas == [True], metas
        features = bench.sink.get_static_pad("sink").get_current_caps().get_features(0)
        assert features.contains("meta:GstVideoOverlayComposition"), features.to_string()
        pixels = light.halves(bench.read()[1])
        assert pixels[INSIDE] == (1, 1, 1) and pixels[OUTSIDE] != (1, 1, 1)


# ---- views

def offscreen_views():
    """Offscreen too the views are where they belong: the right half of the picture on the left."""
    rows = [[(65535, 65535, 65535) if x >= WIDTH // 2 else (0, 0, 0) for x in range(WIDTH)]] * HEIGHT
    with Bench(caps(WIDTH, HEIGHT, SRGB), [rgba64(rows)]) as bench:
        assert light.bytes3(bench.read()[1])[0] == (0, 0, 0)
        Gst.util_set_object_arg(bench.sink, "views", '<"view,source-x=0.5,source-width=0.5,width=0.5;">')
        assert wait(lambda: light.bytes3(bench.read()[1])[0] == (255, 255, 255), 1), bench.read()[1][:4]


if __name__ == "__main__":
    run({"orientations": orientations, "turning": turning, "cropped": cropped, "subtitles": subtitles, "blending": blending,
         "colored": colored, "edges": edges, "negotiated": negotiated, "offscreen-views": offscreen_views})
