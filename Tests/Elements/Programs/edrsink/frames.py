"""Frames by time, the record of what became of them, and the display's refreshes."""
import threading

import light
from bench import PQ, SRGB, Bench, Gst, bytes_of, caps, fields, host_time, make, rgba64, run, wait

SIZE = (16, 8)


def grey(code):
    return rgba64([[(code,) * 3] * SIZE[0]] * SIZE[1])


def clip(count, rate=30, **properties):
    """Frames whose grey shows which one they are."""
    bench = Bench(caps(*SIZE, SRGB, rate=f"{rate}/1"), paused=False, **properties)
    for index in range(count):
        bench.push(grey(700 * (index + 1) % 65536), rate)
    return bench


def frames_of(record):
    return [fields(record.get_value(str(index))) for index in range(record.get_int("frames")[1])]


def counts(record):
    return {name: record.get_uint64(name)[1] for name in ("presented", "repeated", "late", "dropped", "pending")}


def record():
    """At 30 frames a second on a display of 60 every frame is seen, in order, a thirtieth apart."""
    with clip(45) as bench:
        bench.finish()
        assert wait(lambda: counts(bench.get("frame-record"))["pending"] == 0), counts(bench.get("frame-record"))
        counted = counts(bench.get("frame-record"))
        frames = frames_of(bench.get("frame-record"))
        assert sum(counted[name] for name in ("presented", "late", "dropped")) == 45 == len(frames), counted
        # A busy machine may be late with some.
        assert counted["presented"] >= 30, counted
        assert [frame["pts"] for frame in frames] == [index * (Gst.SECOND // 30) for index in range(45)]
        seen = [frame for frame in frames if frame["presented-time"]]
        assert len(seen) >= 35, frames
        for left, right in zip(seen, seen[1:]):
            assert left["presented-time"] < right["presented-time"], (left, right)
            assert left["target-time"] < right["target-time"], (left, right)
        seconds = (seen[-1]["presented-time"] - seen[0]["presented-time"]) / 1e9
        frames_between = (seen[-1]["pts"] - seen[0]["pts"]) / 1e9
        assert abs(seconds - frames_between) < 0.1, (seconds, frames_between)
        waits = sorted(frame["presented-time"] - frame["target-time"] for frame in seen)
        # Two refreshes, and no time before its own but for rounding to a refresh.
        assert -17e6 < waits[len(waits) // 2] < 34e6, waits


def bounded():
    """The record keeps the last 240 frames and counts them all, those too that no refresh was long enough for."""
    with clip(0, sync=False) as bench:
        for index in range(300):
            bench.push(grey(200 * index))
        bench.finish()
        record = bench.get("frame-record")
        frames = frames_of(record)
        assert len(frames) == 240, len(frames)
        assert frames[-1]["pts"] == 299 * (Gst.SECOND // 30), frames[-1]

        def counted():
            record = counts(bench.get("frame-record"))
            return record["presented"] + record["late"] + record["dropped"]

        assert wait(lambda: counted() == 300), counts(bench.get("frame-record"))


def untimed():
    """Frames without times are counted one by one."""
    with clip(0, sync=False) as bench:
        for index in range(30):
            assert bench.source.emit("push-buffer", Gst.Buffer.new_wrapped(grey(2000 * index))) == Gst.FlowReturn.OK
        bench.finish()
        assert bench.get("frame-record").get_int("frames")[1] == 30, bench.get("frame-record").to_string()
        assert bytes_of(bench.sink.emit("copy-frame", 0)) == grey(2000 * 29)


def late():
    """Frames that come too late are dropped, counted, and reported upstream."""
    events = []
    with clip(30, between=[make("identity", sleep_time=50000)], max_lateness=1000000) as bench:
        bench.source.get_static_pad("src").add_probe(
            Gst.PadProbeType.EVENT_UPSTREAM,
            lambda pad, info: (events.append(info.get_event().type), Gst.PadProbeReturn.OK)[1])
        bench.finish()
        stats = bench.get("stats")
        assert stats.get_uint64("dropped")[1] > 5, stats.to_string()
        assert stats.get_uint64("dropped")[1] + stats.get_uint64("rendered")[1] == 30, stats.to_string()
        assert Gst.EventType.QOS in events


def item_time():
    """A host time's item time is the running time on the screen then: 0 in a first pause, none before it."""
    with clip(60) as bench:
        none = Gst.CLOCK_TIME_NONE
        assert bench.sink.emit("item-time-for-host-time", host_time()) == none
        bench.pause()
        assert bench.sink.emit("item-time-for-host-time", host_time()) == 0
        bench.play()
        assert wait(lambda: bench.sink.emit("item-time-for-host-time", host_time()) not in (none, 0))

        def running_time():
            return bench.pipeline.get_clock().get_time() - bench.pipeline.get_base_time()

        for step in range(5):
            # Another frame is on the screen each time.
            assert wait(lambda: running_time() > (200 + 33 * step) * Gst.MSECOND)
            before = running_time()
            now = host_time()
            item = bench.sink.emit("item-time-for-host-time", now)
            after = running_time()
            assert before - 30 * Gst.MSECOND < item < after + 30 * Gst.MSECOND, (before, item, after)
            later = bench.sink.emit("item-time-for-host-time", now + Gst.SECOND)
            assert abs(later - item - Gst.SECOND) < Gst.MSECOND, (item, later)


def copies():
    """A program that asks at each refresh gets each frame once, as it came, caps and all."""
    codes = []
    with clip(40) as bench:
        bench.source.emit("end-of-stream")
        bench.play()
        eos = False
        while not eos:
            eos = bench.bus.timed_pop_filtered(4 * Gst.MSECOND, Gst.MessageType.EOS) is not None
            item = bench.sink.emit("item-time-for-host-time", host_time())
            if not bench.sink.emit("has-new-frame", item):
                continue
            sample = bench.sink.emit("copy-frame", item)
            assert sample is not None
            buffer, structure = sample.get_buffer(), sample.get_caps().get_structure(0)
            assert structure.get_string("format") == "RGBA64_LE" and structure.get_string("colorimetry") == SRGB
            assert buffer.pts <= item + 40 * Gst.MSECOND, (buffer.pts, item)
            code = int.from_bytes(bytes_of(sample)[:2], "little")
            assert code == 700 * (1 + round(buffer.pts * 30 / Gst.SECOND)), (code, buffer.pts)
            codes.append(code)
            assert not bench.sink.emit("has-new-frame", item)
        assert codes == sorted(set(codes)) and len(codes) >= 30, codes


def paused_copy():
    """While PAUSED the frame of the preroll is there to be had."""
    with Bench(caps(*SIZE, PQ), [grey(30000)]) as bench:
        assert bench.sink.emit("has-new-frame", 0) is True
        sample = bench.sink.emit("copy-frame", 0)
        assert bytes_of(sample) == grey(30000) and sample.get_buffer().pts == 0
        assert bench.sink.emit("read-frame").get_buffer().pts == 0
        assert bench.sink.emit("has-new-frame", 0) is False
        # A frame that was handed out does not change.
        bench.push(grey(40000))
        bench.finish()
        assert bytes_of(sample) == grey(30000)
        assert bench.sink.emit("read-frame").get_buffer().pts == Gst.SECOND // 30


def outputs():
    """Each video output has a record of its own, and the frame of a time to come is there before its time."""
    with clip(3, rate=1) as bench:
        first, second = (bench.sink.emit("create-video-output") for _ in range(2))
        none = Gst.CLOCK_TIME_NONE
        assert first.emit("item-time-for-host-time", host_time()) == none
        assert not first.emit("has-new-frame", 0) and first.emit("copy-frame", 0) is None
        bench.play()
        assert wait(lambda: first.emit("has-new-frame", 0))
        assert first.emit("copy-frame", 0).get_buffer().pts == 0
        # Taken by one output, and new to the other.
        assert not first.emit("has-new-frame", 0)
        assert second.emit("has-new-frame", 0) and bench.sink.emit("has-new-frame", 0)
        # The second frame is due in a second, and is there for who asks for that time.
        assert wait(lambda: first.emit("has-new-frame", Gst.SECOND), 0.7)
        assert bench.sink.emit("item-time-for-host-time", host_time()) < 0.9 * Gst.SECOND
        coming = first.emit("copy-frame", Gst.SECOND)
        assert coming.get_buffer().pts == Gst.SECOND and bytes_of(coming) == grey(1400)
        assert second.emit("copy-frame", Gst.SECOND // 2).get_buffer().pts == 0
        assert bench.sink.emit("copy-frame", Gst.SECOND // 2).get_buffer().pts == 0
        bench.finish()
        assert second.emit("copy-frame", 2 * Gst.SECOND).get_buffer().pts == 2 * Gst.SECOND
        records = [fields(output.get_property("consumption-record")) for output in (first, second)]
        assert records[0] == {"copied": 2, "missed": 0, "repeated": 0, "last-item-time": Gst.SECOND}, records
        assert records[1] == {"copied": 2, "missed": 1, "repeated": 0, "last-item-time": 2 * Gst.SECOND}, records
        second.emit("copy-frame", 2 * Gst.SECOND)
        assert fields(second.get_property("consumption-record"))["repeated"] == 1
    assert first.emit("copy-frame", none - 1) is None, "a stopped sink has frames"
    # An output may outlive its sink.
    del bench
    assert first.emit("item-time-for-host-time", host_time()) == none
    assert first.emit("copy-frame", none - 1) is None


def flushed():
    """After a seek there is nothing until the first new frame, which is new although it was had before."""
    with clip(20) as bench:
        output = bench.sink.emit("create-video-output")
        bench.pause()
        sample = output.emit("copy-frame", 0)
        assert sample.get_buffer().pts == 0
        pad = bench.sink.get_static_pad("sink")
        assert pad.send_event(Gst.Event.new_flush_start())
        assert pad.send_event(Gst.Event.new_flush_stop(True))
        assert output.emit("copy-frame", 0) is None and not output.emit("has-new-frame", 0)
        pad.send_event(Gst.Event.new_segment(sample.get_segment()))
        threading.Thread(target=pad.chain, args=(sample.get_buffer(),)).start()
        assert wait(lambda: output.emit("has-new-frame", 0))
        assert output.emit("copy-frame", 0).get_buffer().pts == 0


def display_link():
    """Sixty times a second by its own times, on a thread of its own, and only while it is wanted."""
    ticks, streaming = [], set()
    with clip(900) as bench:

        def shown():
            return sum(counts(bench.get("frame-record"))[name] for name in ("presented", "late"))

        def frames_go_by(count):
            end = shown() + count
            assert wait(lambda: shown() >= end, 20)

        bench.sink.connect("display-link", lambda sink, *times: ticks.append((threading.get_native_id(), host_time(), *times)))
        bench.sink.get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, lambda *_: (streaming.add(threading.get_native_id()), Gst.PadProbeReturn.OK)[1])
        bench.play()
        frames_go_by(10)
        assert not ticks, "emitted while paused"
        bench.set("display-link-paused", False)
        # A busy machine may miss some, and takes longer then.
        assert wait(lambda: len(ticks) >= 60, 20), len(ticks)
        threads = {tick[0] for tick in ticks}
        assert len(threads) == 1 and len(streaming) >= 1
        assert not threads & (streaming | {threading.get_native_id()}), (threads, streaming)
        for (_, host, now, target, interval), after in zip(ticks, ticks[1:]):
            assert abs(interval - 1e9 / 60) < 1e5, interval
            # None comes twice.
            assert now <= host and target - now <= 2 * interval, (host, now, target)
            assert after[3] - target >= 0.9 * interval, (target, after[3])
            assert target > now, (target, now)
        bench.set("display-link-paused", True)
        # One may be on its way.
        frames_go_by(2)
        ticks.clear()
        frames_go_by(10)
        assert not ticks, len(ticks)
        bench.set("display-link-paused", False)
        assert wait(lambda: ticks)


def slow_handler():
    """A handler that does not return for the whole of a clip misses all other refreshes, and holds up no frame."""
    calls, is_over = [], threading.Event()
    with clip(45) as bench:
        bench.sink.connect("display-link", lambda *_: (calls.append(0), is_over.wait(60)))
        bench.set("display-link-paused", False)
        bench.finish()
        assert len(calls) == 1, len(calls)
        counted = counts(bench.get("frame-record"))
        is_over.set()
        assert sum(counted.values()) - counted["repeated"] == 45 and counted["presented"] + counted["late"] >= 20, counted
        assert wait(lambda: len(calls) > 1), "no refresh after the long one"


if __name__ == "__main__":
    run({"record": record, "bounded": bounded, "untimed": untimed, "late": late, "item-time": item_time, "copies": copies,
         "paused-copy": paused_copy, "outputs": outputs, "flushed": flushed,
         "display-link": display_link, "slow-handler": slow_handler})
