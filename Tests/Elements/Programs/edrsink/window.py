"""What an X screen shows, compared with what the offscreen display gets."""
import os

import light
from bench import PQ, SRGB, Bench, Gst, GstVideo, caps, rgba64, run, wait
from xserver import Screen

SIZE = (96, 64)
ROWS = [[(2600 * (x // 4), 4000 * (y // 4), (x * y * 9) % 65536) for x in range(SIZE[0])] for y in range(SIZE[1])]
PICTURE = bytes(v for y in range(SIZE[1]) for x in range(SIZE[0]) for v in (2 * x, 3 * y, (x * y) % 256, 255))


def offscreen(setup, data, read, **properties):
    with Bench(setup, [data], **properties) as bench:
        return read(bench.read()[1])


def place(pixels, rows, size=SIZE):
    """Where a picture's first pixels stand on the screen."""
    for y in range(len(rows) - size[1] + 1):
        for x in range(len(rows[0]) - size[0] + 1):
            if rows[y][x:x + 8] == pixels[:8] and rows[y + 20][x:x + 8] == pixels[20 * size[0]:20 * size[0] + 8]:
                return x, y
    return None


def part(rows, at, size=SIZE):
    return [pixel for row in rows[at[1]:at[1] + size[1]] for pixel in row[at[0]:at[0] + size[0]]]


def x11(depth):
    """SDR code for code, and HDR as the SDR that offscreen gets without extended range, in the window's own bits."""
    read, deep = (light.tens, dict(pixel_format="rgb10a2")) if depth == 30 else (light.bytes3, dict(pixel_format="rgba8"))
    for setup, data in ((caps(*SIZE, SRGB, format="RGBx"), PICTURE),
                        (caps(*SIZE, PQ, content_light_level="1000:400"), rgba64(ROWS))):
        wanted = offscreen(setup, data, read, wants_extended_dynamic_range=False, **deep)
        with Screen(depth) as screen:
            os.environ["DISPLAY"] = screen.name
            window = screen.window(*SIZE)
            bench = Bench(setup, paused=False, presenter="x11")
            with bench:
                GstVideo.VideoOverlay.set_window_handle(bench.sink, window)
                bench.push(data)
                bench.pause()
                assert bench.get("headroom") == 1 and not bench.get("eligible-for-hdr-playback")
                assert bench.get("display-state").get_string("presenter") == "x11"
                seen = []
                assert wait(lambda: seen.append(part(screen.grab(), (0, 0))) or seen[-1] == wanted), \
                    (seen[-1][100:104], wanted[100:104])
                # There is nothing to read back from a display.
                assert bench.sink.emit("read-frame") is None and len(bench.trouble()) == 1
            assert len(set(wanted)) > 200


def x11_window():
    """Without an application's window the sink opens one of the picture's size, and closes it."""
    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        before = screen.children()
        with Bench(caps(*SIZE, SRGB, format="RGBx"), [PICTURE], presenter="x11", pixel_format="rgba8") as bench:
            pixels = light.bytes3(PICTURE)
            assert wait(lambda: place(pixels, screen.grab()) is not None)
            assert part(screen.grab(), place(pixels, screen.grab())) == pixels
            assert len(screen.children()) == len(before) + 1
            bench.finish()
        assert wait(lambda: screen.children() == before)


def bounds(rows):
    """The rectangle that is not black, as left, top, right, bottom; the last two are beyond it."""
    columns = [x for x in range(len(rows[0])) if any(max(row[x]) > 20 for row in rows)]
    lines = [y for y, row in enumerate(rows) if any(max(pixel) > 20 for pixel in row)]
    return (columns[0], lines[0], columns[-1] + 1, lines[-1] + 1) if columns else (0, 0, 0, 0)


def resize():
    """A window of another shape keeps the picture's, with black beside it, and fills it where that is asked for."""
    white = bytes([250, 250, 250, 255]) * (SIZE[0] * SIZE[1])
    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        window = screen.window(*SIZE)
        bench = Bench(caps(*SIZE, SRGB, format="RGBx"), paused=False, presenter="x11")
        with bench:
            GstVideo.VideoOverlay.set_window_handle(bench.sink, window)
            bench.push(white)
            bench.pause()
            assert wait(lambda: bounds(screen.grab()) == (0, 0, *SIZE))

            def fits(width, height):
                left, top, right, bottom = bounds(screen.grab())
                scale = min(width / SIZE[0], height / SIZE[1])
                wanted = (round(SIZE[0] * scale), round(SIZE[1] * scale))
                middle = ((left + right) / 2, (top + bottom) / 2)
                return abs(right - left - wanted[0]) <= 1 and abs(bottom - top - wanted[1]) <= 1 and \
                    abs(middle[0] - width / 2) <= 1 and abs(middle[1] - height / 2) <= 1

            for width, height in ((192, 64), (96, 200), (48, 32), (288, 192), (97, 211)):
                screen.resize(window, width, height)
                assert wait(lambda: fits(width, height)), (width, height, bounds(screen.grab()))
            bench.set("force-aspect-ratio", False)
            assert wait(lambda: bounds(screen.grab()) == (0, 0, 97, 211)), bounds(screen.grab())
            bench.set("force-aspect-ratio", True)
            assert wait(lambda: fits(97, 211))
            GstVideo.VideoOverlay.set_render_rectangle(bench.sink, 10, 20, 60, 100)
            assert wait(lambda: bounds(screen.grab())[0] == 10 and bounds(screen.grab())[2] == 70), bounds(screen.grab())


def pixel_aspect():
    """Pixels that are not square are shown as wide as they are."""
    white = bytes([250, 250, 250, 255]) * (SIZE[0] * SIZE[1])
    setup = Gst.Caps.from_string(caps(*SIZE, SRGB, format="RGBx").to_string() + ",pixel-aspect-ratio=2/1")
    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        window = screen.window(192, 192)
        bench = Bench(setup, paused=False, presenter="x11")
        with bench:
            GstVideo.VideoOverlay.set_window_handle(bench.sink, window)
            bench.push(white)
            bench.pause()
            assert wait(lambda: bounds(screen.grab()) == (0, 64, 192, 128)), bounds(screen.grab())


def views():
    """Two views of one frame: the right half on the left, and all of it, smaller, on the right."""
    line = '<"view,source-x=0.5,source-width=0.5,width=0.5;","view,x=0.5,width=0.5,height=0.5;">'
    rows = [[(250, 0, 0, 255) if x < SIZE[0] // 2 else (0, 0, 250, 255) for x in range(SIZE[0])]] * SIZE[1]
    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        window = screen.window(*SIZE)
        bench = Bench(caps(*SIZE, SRGB, format="RGBx"), paused=False, presenter="x11", views=line, force_aspect_ratio=False)
        with bench:
            GstVideo.VideoOverlay.set_window_handle(bench.sink, window)
            bench.push(bytes(v for row in rows for pixel in row for v in pixel))
            bench.pause()
            quarter = SIZE[0] // 4

            def seen(points):
                grabbed = screen.grab()
                return [grabbed[y][x] for x, y in points]

            red, blue = (250, 0, 0), (0, 0, 250)
            points = [(quarter, 10), (quarter, 50), (2 * quarter + 6, 10), (3 * quarter + 12, 10)]
            assert wait(lambda: seen(points) == [blue, blue, red, blue]), seen(points)
            Gst.util_set_object_arg(bench.sink, "views", "<>")
            assert wait(lambda: seen([(quarter, 10), (3 * quarter, 10)]) == [red, blue]), seen(points)


def navigation():
    """The pointer's place over a scaled picture comes upstream in the picture's own pixels."""
    places = []

    def probe(pad, info):
        structure = info.get_event().get_structure()
        if structure and structure.get_name() == "application/x-gst-navigation":
            if structure.get_string("event") == "mouse-move":
                places.append((structure.get_double("pointer_x")[1], structure.get_double("pointer_y")[1]))
        return Gst.PadProbeReturn.OK

    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        window = screen.window(192, 192)
        bench = Bench(caps(*SIZE, SRGB, format="RGBx"), paused=False, presenter="x11")
        with bench:
            GstVideo.VideoOverlay.set_window_handle(bench.sink, window)
            bench.source.get_static_pad("src").add_probe(Gst.PadProbeType.EVENT_UPSTREAM, probe)
            bench.push(PICTURE)
            bench.pause()
            assert wait(lambda: bounds(screen.grab()) != (0, 0, 0, 0))
            # The picture is twice as large, below 32 black rows.
            for at, wanted in (((20, 52), (10, 10)), ((120, 132), (60, 50)), ((190, 33), (95, 0.5))):
                screen.point(window, *at)
                assert wait(lambda: places and max(abs(a - b) for a, b in zip(places[-1], wanted)) <= 0.6), (at, places)


def closed():
    """A window that its application destroys, and a server that dies, end the stream with an error, not the program."""
    with Screen() as screen:
        os.environ["DISPLAY"] = screen.name
        bench = Bench(caps(*SIZE, SRGB, format="RGBx"), [PICTURE], paused=True, presenter="x11")
        bench.play()
        screen.server.kill()
        screen.server.wait()
        wait(lambda: bench.source.emit("push-buffer", Gst.Buffer.new_wrapped(PICTURE)) != Gst.FlowReturn.OK, 20)
        message = bench.bus.timed_pop_filtered(5 * Gst.SECOND, Gst.MessageType.ERROR)
        bench.pipeline.set_state(Gst.State.NULL)
        assert message is not None, "no error"
        # XCloseDisplay of a dead server ends the program.
        print("closed ok", flush=True)
        os._exit(0)


if __name__ == "__main__":
    run({"x11-24": lambda: x11(24), "x11-30": lambda: x11(30), "x11-window": x11_window, "resize": resize,
         "pixel-aspect": pixel_aspect, "views": views, "navigation": navigation, "closed": closed})
