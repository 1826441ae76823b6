"""Pads of `hdrcompositor` that come late, end early, have gaps or nothing, and are released, as those of `compositor`."""
import time

from bench import MS, Fed, Gst, caps, run, wait

GRID = [index * 40 for index in range(25)]
HALF = {1: {"xpos": 32}}


def averages(line, *lumas):
    """Expects pads of one size side by side with these greys; black is 16."""
    line.expect("luma", [sum(each) / len(each) for each in lumas])


def plain(element):
    with Fed(element, properties=HALF) as line:
        line.fill(0, range(10))
        line.fill(1, range(10), 140)
        line.end()
        line.play()
        found = line.record()
        line.expect("pts", GRID[:10])
        line.expect("duration", [40] * 10)
        averages(line, *((40 + index, 140 + index) for index in range(10)))
        return found


def late(element):
    """A pad whose first picture is late is not shown before."""
    with Fed(element, properties=HALF) as line:
        line.fill(0, range(10))
        line.fill(1, range(5, 8), 140)
        line.end()
        line.play()
        found = line.record()
        averages(line, *((40 + index, 140 + index if 5 <= index < 8 else 16) for index in range(10)))
        return found


def come(element, canvas=""):
    """A pad that is requested while others play."""
    with Fed(element, 1, canvas=canvas) as line:
        line.play()
        line.fill(0, range(3))
        line.have(3)
        line.add().set_property("xpos", 32)
        line.fill(0, range(3, 10))
        line.fill(1, range(3, 10), 140)
        line.end()
        found = line.record()
        line.expect("pts", GRID[:10])
        line.expect("size", [(64 if canvas or index >= 3 else 32, 24) for index in range(10)])
        return found


def come_to_a_fixed_canvas(element):
    return come(element, caps(64))


def go(element):
    """A pad that is released while others play, and all of them, after which another one comes."""
    with Fed(element, canvas=caps(64), properties=HALF) as line:
        line.play()
        for pad in range(2):
            line.fill(pad, range(3), 40 + 100 * pad)
        line.have(3)
        line.remove(1)
        line.fill(0, range(3, 6))
        line.have(6)
        line.add()
        line.remove(0)
        line.fill(2, range(6, 9), 140)
        line.end(2)
        found = line.record()
        line.expect("pts", GRID[:9])
        return found


def end_of_one(element, **properties):
    with Fed(element, properties={1: {"xpos": 32, **properties}}) as line:
        line.fill(0, range(10))
        line.fill(1, range(4), 140)
        line.end()
        line.play()
        found = line.record()
        shown = {True: 10, False: 4}[properties.get("repeat-after-eos") == "true"]
        averages(line, *((40 + index, 140 + min(index, 3) if index < shown else 16) for index in range(10)))
        return found


def repeat_after_eos(element):
    return end_of_one(element, **{"repeat-after-eos": "true"})


def max_repeat_after_eos(element):
    """A limit of repetitions does not hold for a pad that has ended."""
    return end_of_one(element, **{"repeat-after-eos": "true", "max-last-buffer-repeat": 60 * MS})


def hole(element):
    """Without a limit, the last picture is shown until the next one comes."""
    with Fed(element, properties=HALF) as line:
        line.fill(0, range(10))
        line.fill(1, (0, 1, 6, 7), 140)
        line.end()
        line.play()
        found = line.record()
        lumas = line.column("luma")
        assert lumas[5] == (45 + 141) / 2 and lumas[8] == (48 + 16) / 2, lumas
        return found


def gap_events(element):
    """A gap event stands for a picture that is not there."""
    with Fed(element, properties=HALF) as line:
        def probe(pad, info):
            buffer = info.get_buffer()
            if not 80 * MS <= buffer.pts < 200 * MS:
                return Gst.PadProbeReturn.OK
            pad.push_event(Gst.Event.new_gap(buffer.pts, buffer.duration))
            return Gst.PadProbeReturn.DROP

        line.sources[1].get_static_pad("src").add_probe(Gst.PadProbeType.BUFFER, probe)
        line.fill(0, range(8))
        line.fill(1, range(8), 140)
        line.end()
        line.play()
        found = line.record()
        line.expect("pts", GRID[:8])
        averages(line, *((40 + index, 16 if 2 <= index < 5 else 140 + index) for index in range(8)))
        return found


def gap_buffers(element):
    """Pictures with the flag GAP are neutral: both mixers show them as the base class has it."""
    with Fed(element, properties=HALF) as line:
        line.fill(0, range(8))
        for index in range(8):
            line.fill(1, [index], 140, flags=Gst.BufferFlags.GAP if index % 2 else None)
        line.end()
        line.play()
        return line.record()


def gaps_on_all(element):
    """A hole in the pictures of the only pad."""
    with Fed(element, 1) as line:
        line.fill(0, (0, 1, 2, 6, 7))
        line.end()
        line.play()
        found = line.record(codes=0)
        line.expect("pts", GRID[:8])
        line.expect("luma", [40, 41, 42, 42, 42, 42, 46, 47])
        return found


def nothing_on_one(element):
    with Fed(element, properties=HALF) as line:
        line.fill(0, range(5))
        line.end()
        line.play()
        found = line.record()
        line.expect("pts", GRID[:5])
        return found


def nothing_on_all(element):
    with Fed(element) as line:
        line.end()
        line.play()
        found = line.record()
        line.expect("pts", [])
        return found


def inactive(element):
    """Pads that have had nothing are waited for, unless they are to be ignored."""
    with Fed(element, properties=HALF) as line:
        line.fill(0, range(5))
        line.play()
        assert not wait(lambda: line.frames, 0.3), line.frames
        line.end()
        return line.record()


def ignored(element):
    """A live mixer waits once for pads that have had nothing, and goes on without them."""
    settings = "ignore-inactive-pads=true latency=400000000"
    # A mixer that looks before any pad has had something ignores all of them for good, in some runs of many.
    for _ in range(5):
        with Fed(element, canvas=caps(64), properties=HALF, settings=settings, live=True) as line:
            line.play()
            line.fill(0, range(15))
            # Fifteen pictures that were waited for one by one would take 600 ms more.
            if not wait(lambda: len(line.frames) == 15, 0.8):
                continue
            line.fill(1, range(20, 25), 140)
            time.sleep(0.05)
            line.fill(0, range(15, 25))
            line.end()
            assert line.ending() == "eos"
            # The first picture may come before its source's. Both mixers then count anew, so that the second one may
            # have its time.
            shown = [(40 + index + (16 if index < 20 else 140 + index)) / 2 for index in range(2, 25)]
            assert all(abs(one - other) < 0.1 for one, other in zip(shown, line.column("luma")[2:], strict=True))
            assert line.column("pts")[2:] == list(GRID)[2:], line.column("pts")
            return {"end": "eos"}
    raise AssertionError("nothing came")


def started_again(element):
    """The same pipeline from its start, after its end."""
    with Fed(element, 1) as line:
        for _ in range(2):
            line.play()
            line.fill(0, range(5))
            line.end()
            found = line.record(codes=0)
        line.expect("pts", GRID[:5] * 2)
        return found


def zorder(element):
    """Orders that change while pictures pass."""
    with Fed(element) as line:
        line.play()
        for turn, order in enumerate((1, 0, 3)):
            line.mixer.get_static_pad("sink_0").set_property("zorder", 3 - order)
            line.mixer.get_static_pad("sink_1").set_property("zorder", order)
            for pad in range(2):
                line.fill(pad, range(3 * turn, 3 * turn + 3), 40 + 100 * pad)
            line.have(3 * turn + 3)
        line.end()
        found = line.record(codes=0)
        line.expect("luma", [40, 41, 42, 43, 44, 45, 146, 147, 148])
        return found


def opacity(element):
    """A pad that is hidden or moved out of the canvas between pictures keeps its time."""
    with Fed(element, canvas=caps(64), properties=HALF) as line:
        line.play()
        pad = line.mixer.get_static_pad("sink_1")
        for turn, (name, value) in enumerate((("alpha", 0), ("alpha", 1), ("xpos", 640), ("xpos", 0))):
            pad.set_property(name, value)
            for each in range(2):
                line.fill(each, range(2 * turn, 2 * turn + 2), 40 + 100 * each)
            line.have(2 * turn + 2)
        line.end()
        return line.record()


if __name__ == "__main__":
    run({name.replace("_", "-"): case for name, case in list(globals().items())
         if getattr(case, "__module__", "") == "__main__" and name not in ("averages",)})
