"""Seeks and steps of pipelines with `hdrcompositor`, in the way of `compositor`."""
import os
import tempfile

from bench import ENDS, MS, SECOND, Gst, Line, caps, run, wait

FLUSH, ACCURATE, SEGMENT = Gst.SeekFlags.FLUSH, Gst.SeekFlags.ACCURATE, Gst.SeekFlags.SEGMENT


class Balls(Line):
    """Two sources side by side, with greys alone: colours outside R'G'B' are cut by hdrcompositor. Demuxers that are
    flushed one after the other lose pads of `compositor` by chance, so there are none here."""

    def __init__(self, element, sink="sync=false"):
        rest = " ".join(f"videotestsrc pattern=ball animation-mode=frames motion={motion} ! {caps(48, 48)} ! "
                        f"c.sink_{pad}" for pad, motion in enumerate(("wavy", "sweep")))
        super().__init__(element, rest, "sink_1::xpos=48", sink=sink)

    def seek(self, start, stop=2000, rate=1.0, flags=FLUSH | ACCURATE):
        kind = Gst.SeekType.NONE if stop is None else Gst.SeekType.SET
        assert self.pipeline.seek(rate, Gst.Format.TIME, flags, Gst.SeekType.SET, start * MS, kind, (stop or 0) * MS)

    def shown(self):
        sample = self.sink.get_property("last-sample")
        buffer = sample.get_buffer() if sample else None
        return (buffer.pts // MS, buffer.extract_dup(0, buffer.get_size())) if buffer else (None, b"")


class Clip(Balls):
    """A file of two seconds, which has an end of its own."""

    def __init__(self, element, sink="sync=false"):
        Line.__init__(self, element, f"filesrc location={PATH} ! matroskademux ! c.", sink=sink)


def written(folder):
    path = os.path.join(folder, "clip.mkv")
    writer = Gst.parse_launch(f"videotestsrc num-buffers=50 pattern=ball animation-mode=frames ! {caps(48, 48)} ! "
                              f"matroskamux ! filesink location={path}")
    writer.set_state(Gst.State.PLAYING)
    assert writer.get_bus().timed_pop_filtered(20 * SECOND, ENDS).type == Gst.MessageType.EOS
    writer.set_state(Gst.State.NULL)
    return path


def seek(element, start, stop=2000, rate=1.0, flags=FLUSH | ACCURATE, kind=Balls, count=None, first=None):
    """What is played after a seek in a pause."""
    with kind(element) as line:
        line.pause()
        line.frames.clear()
        line.events.clear()
        line.seek(start, stop, rate, flags)
        line.play()
        found = line.record()
        assert count is None or len(line.frames) == count, line.column("pts")
        assert not count or line.frames[0]["pts"] == (start if first is None else first), line.column("pts")
        return found


def to_the_middle(element):
    return seek(element, 1000, 2000, count=25)


def beside_the_grid(element):
    """A canvas starts where the seek leads."""
    return seek(element, 1013, 1517, count=13)


def not_accurate(element):
    return seek(element, 1013, 1517, flags=FLUSH, count=13)


def near_the_end(element):
    return seek(element, 1920, None, kind=Clip, count=2)


def behind_the_end(element):
    return seek(element, 6000, 7000, kind=Clip)


def fast(element):
    return seek(element, 200, 1800, 2.0, count=40)


def slow(element):
    return seek(element, 1000, 1400, 0.5, count=10)


def very_fast(element):
    return seek(element, 100, 1900, 3.3, count=45)


def reverse(element):
    return seek(element, 400, 1200, -1.0, count=20, first=1160)


def reverse_fast(element):
    return seek(element, 400, 1200, -2.0, count=20, first=1160)


def reverse_clip(element):
    return seek(element, 400, 1200, -1.0, kind=Clip, count=20, first=1160)


def segment_seek(element):
    """A segment ends with a message of its own, after which another one plays."""
    with Balls(element) as line:
        line.pause()
        line.frames.clear()
        line.events.clear()
        line.seek(400, 800, flags=FLUSH | SEGMENT)
        line.play()
        assert line.ending() == "segment-done"
        line.have(10)
        line.seek(1200, 1600)
        found = line.record()
        line.expect("pts", [40 * index for index in (*range(10, 20), *range(30, 40))])
        line.expect("running", [40 * index for index in range(10)] * 2)
        return found


def no_flush(element):
    """A seek without a flush ends; how far each pad has come until then is left to chance."""
    with Balls(element, "sync=true") as line:
        line.play()
        line.have(2)
        line.seek(800, 1200, flags=Gst.SeekFlags.NONE)
        return {"end": line.ending()}


def while_playing(element):
    """Seeks of a pipeline that plays by the clock, each of which shows its own picture first."""
    with Balls(element, "sync=true") as line:
        line.play()
        firsts = []
        for start in (1000, 200, 1500, 1013, 0):
            line.have(3)
            line.frames.clear()
            line.seek(start)
            assert wait(lambda: start in line.column("pts")), (start, line.column("pts"))
            firsts.append(line.frames[line.column("pts").index(start)]["data"])
        line.seek(1900, 2000)
        assert line.ending() == "eos"
        return {"firsts": firsts, "codes": 1}


def in_a_pause(element):
    """Each seek in a pause shows the picture to which it leads."""
    with Balls(element) as line:
        line.pause()
        shown = []
        for start in (1000, 0, 1900, 520, 1013, 1013, 1960, 40):
            line.seek(start)
            line.settle()
            shown.append(line.shown())
            assert shown[-1][0] == start, (start, shown[-1][0])
        return {"shown": shown, "codes": 1}


def quick(element):
    """Seeks that do not wait for each other."""
    with Clip(element) as line:
        line.pause()
        for start in range(0, 1900, 100):
            line.seek(start)
        line.settle()
        assert wait(lambda: line.shown()[0] == 1800), line.shown()[0]
        line.frames.clear()
        line.events.clear()
        line.play()
        line.record()
        line.expect("pts", [1800, 1840, 1880, 1920, 1960])
        return {"frames": line.frames, "codes": 1}


def steps(element):
    """Steps by pictures and by time."""
    with Clip(element) as line:
        line.pause()
        shown = []
        for format, amount in ((Gst.Format.BUFFERS, 1), (Gst.Format.BUFFERS, 5), (Gst.Format.TIME, 200 * MS),
                               (Gst.Format.BUFFERS, 2)):
            assert line.pipeline.send_event(Gst.Event.new_step(format, amount, 1.0, True, False))
            assert line.bus.timed_pop_filtered(10 * SECOND, Gst.MessageType.STEP_DONE)
            line.settle()
            shown.append(line.shown())
        assert [time for time, _ in shown] == [40, 240, 440, 520], [time for time, _ in shown]
        line.play()
        assert line.ending() == "eos"
        return {"shown": shown, "codes": 1}


def queries(element):
    """Position, duration and whether the pipeline seeks."""
    with Clip(element) as line:
        line.pause()
        line.seek(520)
        line.settle()
        asked = Gst.Query.new_seeking(Gst.Format.TIME)
        assert line.mixer.get_static_pad("src").query(asked)
        position, duration = (ask(Gst.Format.TIME) for ask in (line.pipeline.query_position,
                                                               line.pipeline.query_duration))
        assert position == (True, 520 * MS), position
        return {"seeking": str(asked.parse_seeking()), "duration": tuple(duration), "position": tuple(position)}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PATH = written(folder)
        run({name.replace("_", "-"): case for name, case in list(globals().items())
             if getattr(case, "__module__", "") == "__main__" and name.islower()})
