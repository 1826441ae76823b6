"""`hdrcompositor` by the clock, as `compositor`: live sources, their latency, pads that stall, and slow sinks."""
import time

from bench import MS, SECOND, Fed, Gst, Line, caps, run, wait

HALF = {1: {"xpos": 32}}


def source(rate="25/1", more=""):
    return f"videotestsrc is-live=true pattern=black ! {caps(rate=rate)} ! {more} queue ! c."


def latency(element, settings, *sources):
    with Line(element, " ".join(sources), settings, sink="sync=true processing-deadline=0") as line:
        line.play()
        line.have(1)
        asked = Gst.Query.new_latency()
        assert line.pipeline.query(asked)
        return {"latency": tuple(value if isinstance(value, bool) else value // MS for value in asked.parse_latency())}


def latency_of_sources(element):
    """The longest latency of any source, and a picture's duration on the canvas."""
    found = latency(element, "", source(), source("10/1"))
    assert found["latency"][:2] == (True, 100 + 40), found
    return found


def latency_of_its_own(element):
    found = latency(element, "latency=60000000", source())
    assert found["latency"][:2] == (True, 40 + 40 + 60), found
    return found


def latency_for_later_sources(element):
    found = latency(element, "min-upstream-latency=200000000", source())
    assert found["latency"][:2] == (True, 200 + 40), found
    return found


def latency_of_no_live_source(element):
    with Fed(element, 1) as line:
        line.play()
        line.fill(0, range(3))
        line.have(2)
        asked = Gst.Query.new_latency()
        assert line.pipeline.query(asked)
        found = tuple(asked.parse_latency())
        assert found[0] is False, found
        return {"latency": found[:2]}


def in_a_row(line):
    """Expects pictures one after the other, all of the same duration: a live canvas has no holes. Its first picture
    may come before its sources', and the second one then has the same time, by chance."""
    times = line.column("pts")[2:]
    assert times == [80 + 40 * index for index in range(len(times))], times
    assert set(line.column("duration")[2:]) == {40}, line.column("duration")


def live(element):
    """Two live sources, of which a mixer may miss the first pictures."""
    with Line(element, source() + " " + source("50/1"), sink="sync=true") as line:
        line.play()
        line.have(20)
        times = line.column("pts")[2:]
        assert times == [times[0] + 20 * index for index in range(len(times))], times
        return {"durations": sorted(set(line.column("duration")[2:]))}


def all_stall(element):
    """A canvas whose only live pad stalls goes on by the clock, and takes that pad again."""
    with Fed(element, 1, settings="latency=200000000", live=True, sink="sync=true") as line:
        line.play()
        line.fill(0, range(3))
        line.have(10)
        in_a_row(line)
        assert set(line.column("luma")[2:]) == {42}, line.column("luma")
        line.fill(0, range(20, 26))
        assert wait(lambda: line.frames[-1]["luma"] == 65), line.column("luma")
        in_a_row(line)
        return {"end": True}


def nothing_comes(element):
    """A live pad that never has anything does not stop the others."""
    with Fed(element, settings="latency=40000000", live=True, sink="sync=true", canvas=caps(64)) as line:
        line.play()
        line.fill(0, range(12))
        line.have(10)
        in_a_row(line)
        return {"size": line.frames[-1]["size"]}


def quality(element):
    """A sink that is too slow: pictures are left out, and messages say how many."""
    rest = f"videotestsrc num-buffers=50 pattern=black ! {caps(rate='100/1')} ! c."
    with Line(element, rest, sink="sync=true qos=true max-lateness=-1") as line:
        line.delay = 0.03
        line.play()
        told = []
        while True:
            message = line.bus.timed_pop_filtered(
                10 * SECOND, Gst.MessageType.QOS | Gst.MessageType.EOS | Gst.MessageType.ERROR)
            assert message and message.type != Gst.MessageType.ERROR
            if message.type == Gst.MessageType.EOS:
                break
            if message.src == line.mixer:
                told.append((message.parse_qos(), message.parse_qos_stats()))
        assert told and 5 <= len(line.frames) < 45, (len(told), len(line.frames))
        format, processed, dropped = told[-1][1]
        # Pictures behind the last one that was left out have no message.
        times = line.column("pts")
        assert format == Gst.Format.BUFFERS and dropped == len(told) == 50 - len(times), (told[-1], len(times))
        assert processed == sum(time < told[-1][0].timestamp // MS for time in times), (told[-1], times)
        left = sorted(each.timestamp // MS for each, _ in told)
        assert sorted(left + times) == [10 * index for index in range(50)], (left, times)
        assert all(each.live is False and each.duration == 10 * MS for each, _ in told)
        return {"end": "eos"}


def no_quality(element):
    """A sink that asks for nothing gets every picture, however late."""
    rest = f"videotestsrc num-buffers=25 pattern=black ! {caps(rate='100/1')} ! c."
    with Line(element, rest, sink="sync=true qos=false max-lateness=-1") as line:
        line.delay = 0.02
        line.play()
        found = line.record(codes=0)
        line.expect("pts", [10 * index for index in range(25)])
        return found


if __name__ == "__main__":
    run({name.replace("_", "-"): case for name, case in list(globals().items())
         if getattr(case, "__module__", "") == "__main__"})
