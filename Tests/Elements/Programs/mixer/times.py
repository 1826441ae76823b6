"""Times, rates, segments and caps of `hdrcompositor`'s pads and canvas, in the way of `compositor`."""
from bench import MS, NONE, Fed, Gst, caps, run

HALF = {1: {"xpos": 32}}


def rates(element):
    """The canvas has the highest rate; a slow pad's pictures are shown twice."""
    with Fed(element, shapes=[caps(), caps(rate="50/1")], properties=HALF) as line:
        line.fill(0, range(6))
        line.fill(1, range(12), 140, step=20)
        line.end()
        line.play()
        found = line.record()
        line.expect("pts", [20 * index for index in range(12)])
        line.expect("luma", [(40 + index // 2 + 140 + index) / 2 for index in range(12)])
        return found


def uneven_rates(element):
    with Fed(element, shapes=[caps(rate="30000/1001"), caps()], properties=HALF) as line:
        line.fill(0, range(15), step=1001 / 30)
        line.fill(1, range(12), 140)
        line.end()
        line.play()
        found = line.record()
        assert len(line.frames) == 15, line.column("pts")
        return found


def odd_durations(element):
    """Pictures that are shorter and longer than the canvas's, and beside its grid."""
    with Fed(element, properties=HALF) as line:
        line.fill(0, range(10))
        time = 15
        for index, duration in enumerate((33, 7, 1, 90, 40, 3, 61)):
            line.push(1, time, 140 + index, duration)
            time += duration
        line.end()
        line.play()
        found = line.record()
        line.expect("pts", [40 * index for index in range(10)])
        return found


def no_durations(element):
    """A picture without a duration lasts until the next one."""
    with Fed(element, properties=HALF) as line:
        line.fill(0, range(8), duration=None)
        line.fill(1, range(4), 140, step=80, duration=None)
        line.end()
        line.play()
        return line.record()


def no_rate(element):
    """Pads at 0/1, as of stills."""
    with Fed(element, shapes=[caps(rate="0/1"), caps(rate="0/1")], properties=HALF) as line:
        for pad in range(2):
            line.fill(pad, range(5), 40 + 100 * pad)
        line.end()
        line.play()
        return line.record()


def still_below(element):
    """A still of no rate below a clip that has one."""
    with Fed(element, shapes=[caps(rate="0/1"), caps()], properties={0: {"repeat-after-eos": "true"}, **HALF}) as line:
        line.push(0, 0, 40)
        line.fill(1, range(8), 140)
        line.end()
        line.play()
        found = line.record()
        line.expect("luma", [(40 + 140 + index) / 2 for index in range(8)])
        return found


def slower_canvas(element):
    with Fed(element, 1, canvas="video/x-raw,framerate=10/1") as line:
        line.fill(0, range(20))
        line.end()
        line.play()
        found = line.record(codes=0)
        line.expect("pts", [100 * index for index in range(8)])
        return found


def faster_canvas(element):
    with Fed(element, 1, canvas="video/x-raw,framerate=60/1") as line:
        line.fill(0, range(10))
        line.end()
        line.play()
        found = line.record(codes=0)
        assert len(line.frames) == 24, line.column("pts")
        return found


def unordered(element):
    with Fed(element, 1) as line:
        for index in (0, 1, 3, 2, 4, 5):
            line.fill(0, [index])
        line.end()
        line.play()
        return line.record(codes=0)


def no_times(element):
    """Pictures without a time stamp are not shown; whether this ends the stream or is an error is left to chance."""
    with Fed(element, 1) as line:
        line.push(0, None, 40)
        line.end()
        line.play()
        assert line.ending() != "none"
        line.expect("pts", [])
        return {"frames": line.frames}


def start(element, settings, first):
    with Fed(element, settings=settings, properties=HALF) as line:
        line.fill(0, range(5, 12))
        line.fill(1, range(7, 12), 140)
        line.end()
        line.play()
        found = line.record()
        line.expect("pts", [40 * index for index in range(first, 12)])
        return found


def start_at_zero(element):
    return start(element, "start-time-selection=zero", 0)


def start_at_first(element):
    return start(element, "start-time-selection=first", 5)


def start_when_set(element):
    return start(element, "start-time-selection=set start-time=120000000", 3)


def start_after_first(element):
    return start(element, "start-time-selection=set start-time=320000000", 8)


def segment(rate=1.0, base=0, offset=0, start=0, stop=None, time=None, position=None, applied=1.0):
    made = Gst.Segment()
    made.init(Gst.Format.TIME)
    made.rate, made.applied_rate, made.base, made.offset = rate, applied, base * MS, offset * MS
    made.start, made.stop = start * MS, NONE if stop is None else stop * MS
    made.time = (start if time is None else time) * MS
    made.position = (start if position is None else position) * MS
    return made


def in_segment(element, made, indices=range(10), both=False):
    """A pad, or both, whose pictures are in a segment of its own."""
    with Fed(element, properties=HALF) as line:
        for index in indices:
            if both:
                line.fill(0, [index], segment=made)
            line.fill(1, [index], 140, segment=made)
        if not both:
            line.fill(0, range(12))
        line.end()
        line.play()
        return line.record()


def segment_base(element):
    return in_segment(element, segment(base=200), range(5))


def segment_offset(element):
    return in_segment(element, segment(offset=120), range(3, 10))


def segment_start(element):
    """Pictures before and after a segment are not shown; those across its ends are cut."""
    found = in_segment(element, segment(start=100, stop=300))
    shown = [frame["luma"] > 60 for frame in found["frames"]]
    assert shown == [index < 5 for index in range(12)], shown
    return found


def segment_time(element):
    return in_segment(element, segment(start=80, time=4000))


def segment_applied(element):
    return in_segment(element, segment(applied=2.0))


def segment_fast(element):
    """At twice the rate, a pad's pictures last half as long on the canvas."""
    return in_segment(element, segment(rate=2.0), range(20))


def segment_slow(element):
    return in_segment(element, segment(rate=0.5), range(5))


def segment_reverse(element):
    return in_segment(element, segment(rate=-1.0, stop=400, position=400), range(9, -1, -1))


def segments_fast(element):
    return in_segment(element, segment(rate=2.0), range(20), both=True)


def segments_reverse(element):
    return in_segment(element, segment(rate=-1.0, stop=400, position=400), range(9, -1, -1), both=True)


def two_segments(element):
    """A second segment that follows without a flush."""
    with Fed(element, properties=HALF) as line:
        for index in range(5):
            line.fill(1, [index], 140, segment=segment())
        for index in range(5):
            line.push(1, 1000 + 40 * index, 160 + index, segment=segment(start=1000, base=200))
        line.fill(0, range(12))
        line.end()
        line.play()
        found = line.record()
        line.expect("luma", [(40 + index + (140 + index if index < 5 else 155 + index if index < 10 else 16)) / 2
                             for index in range(12)])
        return found


def larger(element, canvas="", codes=1):
    """A pad whose pictures become larger."""
    with Fed(element, 1, shapes=[None], canvas=canvas) as line:
        line.fill(0, range(5), shape=caps())
        line.fill(0, range(5, 10), shape=caps(64, 48), size=(64, 48))
        line.end()
        line.play()
        found = line.record(codes=codes)
        line.expect("pts", [40 * index for index in range(10)])
        line.expect("size", [(32, 24) if canvas or index < 5 else (64, 48) for index in range(10)])
        return found


def larger_pad(element):
    return larger(element, codes=0)


def larger_pad_on_a_fixed_canvas(element):
    return larger(element, caps())


def faster_pad(element):
    """A pad whose rate changes changes the canvas's."""
    with Fed(element, 1, shapes=[None]) as line:
        line.fill(0, range(5), shape=caps())
        line.fill(0, range(10, 20), step=20, shape=caps(rate="50/1"))
        line.end()
        line.play()
        found = line.record(codes=0)
        assert len(line.frames) == 15, line.column("pts")
        return found


def other_shape(element):
    """Pixels that are not square, in mid-stream."""
    with Fed(element, 1, shapes=[None]) as line:
        line.fill(0, range(4), shape=caps())
        line.fill(0, range(4, 8), shape=caps(more=",pixel-aspect-ratio=2/1"))
        line.end()
        line.play()
        return line.record()


def downstream(element):
    """Caps downstream that change while pictures pass."""
    with Fed(element, 1, canvas=f"capsfilter name=f caps={caps()}") as line:
        line.play()
        for turn, shape in enumerate((caps(), caps(64, 48), caps(64, 24), caps())):
            line.pipeline.get_by_name("f").set_property("caps", Gst.Caps.from_string(shape))
            line.fill(0, range(3 * turn, 3 * turn + 3))
            line.have(3 * turn + 3)
        line.end()
        found = line.record()
        line.expect("pts", [40 * index for index in range(12)])
        line.expect("size", [(32, 24)] * 3 + [(64, 48)] * 3 + [(64, 24)] * 3 + [(32, 24)] * 3)
        return found


if __name__ == "__main__":
    run({name.replace("_", "-"): case for name, case in list(globals().items())
         if getattr(case, "__module__", "") == "__main__"})
