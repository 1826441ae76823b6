"""What the C library has beside timing, from Python through its typelib: queues, dynamic metadata, audio taps, video
outputs, video taps in light and in planes, display links.

Prints a line for each thing that it has found to be as it should; anything else ends it.
"""

import ctypes
import gc
import os
import struct
import sys
import threading
import weakref

import gi

for name, version in (("Gst", "1.0"), ("GstHdr", "1.0"), ("GstVideo", "1.0")):
    gi.require_version(name, version)
from gi.repository import GLib, Gst, GstHdr, GstVideo

VIDEO = "videotestsrc num-buffers=3 pattern=white ! video/x-raw,format=I420_10LE,width=64,height=36,framerate=25/1"


def check(condition, what):
    """From any thread: an exception would end only that one."""
    if not condition:
        print(f"not as it should be: {what}", file=sys.stderr, flush=True)
        os._exit(1)


def finish(pipeline):
    """Plays to the end; the error's words, or None."""
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(20 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    check(message, "a pipeline that ends")
    return message.parse_error()[0].message if message.type == Gst.MessageType.ERROR else None


def queues():
    queue = GstHdr.Queue.new(2)
    statuses = [queue.enqueue(element) for element in (1, 2, 3)]
    check(statuses == [GstHdr.QueueStatus.OK, GstHdr.QueueStatus.OK, GstHdr.QueueStatus.FULL], statuses)
    check((queue.get_count(), queue.get_capacity(), queue.get_fullness()) == (2, 2, 1), "a full queue")
    elements = [queue.get_head(), queue.dequeue(), queue.dequeue(), queue.dequeue()]
    check(elements == [1, 1, 2, 0], elements)
    print("queues")


def dynamic_metadata():
    buffer = Gst.Buffer.new()
    kind = GstHdr.DynamicFormat.HDR10_PLUS
    check(GstHdr.buffer_get_dynamic_metadata(buffer, kind) == (None, 0), "a buffer without")
    GstHdr.buffer_set_dynamic_metadata(buffer, kind, GLib.Bytes.new(b"\xb5\0\x3c"), GstHdr.DynamicFlags.DYNAMIC_METADATA_STALE)
    data, flags = GstHdr.buffer_get_dynamic_metadata(buffer, kind)
    check(data.get_data() == b"\xb5\0\x3c" and flags == GstHdr.DynamicFlags.DYNAMIC_METADATA_STALE, (data, flags))
    check(GstHdr.buffer_remove_dynamic_metadata(buffer, kind), "removal")
    check(not GstHdr.buffer_remove_dynamic_metadata(buffer, kind), "removal of what is gone")
    print("dynamic metadata")


def sound():
    """Halves samples where they are, by their address, and as copies."""
    for layout, buffers in (("interleaved", 1), ("non-interleaved", 2)):
        pipeline = Gst.parse_launch(
            "audiotestsrc wave=square volume=1 samplesperbuffer=480 num-buffers=4 "
            f"! audio/x-raw,format=F32LE,rate=48000,channels=2,layout={layout} ! hdrtap name=tap "
            "! appsink name=sink sync=false wait-on-eos=false")
        seen = []

        def halve(block):
            check((block.n_buffers, block.format.rate, block.format.channels) == (buffers, 48000, 2), block.n_buffers)
            seen.append((block.range.start, block.range.timescale, block.frames, block.flags))
            address, size = block.get_samples(0), block.buffer_size
            check(size == block.frames * 4 * 2 // buffers, size)
            samples = (ctypes.c_float * (size // 4)).from_address(address)
            for index, sample in enumerate(samples):
                samples[index] = sample / 2
            for buffer in range(1, buffers):
                check(not block.write_samples(buffer, GLib.Bytes.new(b"\0")), "too few bytes")
                values = struct.unpack(f"{size // 4}f", block.copy_samples(buffer).get_data())
                halves = struct.pack(f"{size // 4}f", *(value / 2 for value in values))
                check(block.write_samples(buffer, GLib.Bytes.new(halves)), "the samples")
            check(not block.get_samples(buffers) and block.copy_samples(buffers) is None, "no such buffer")

        tap, sink = pipeline.get_by_name("tap"), pipeline.get_by_name("sink")
        GstHdr.tap_set_audio_function(tap, halve)
        pipeline.set_state(Gst.State.PLAYING)
        for _ in range(4):
            buffer = sink.emit("pull-sample").get_buffer()
            samples = struct.unpack("960f", buffer.extract_dup(0, 960 * 4))
            check(all(abs(abs(sample) - 0.5) < 1e-6 for sample in samples), samples[:4])
        check(finish(pipeline) is None, "the end")
        flags = [GstHdr.TapFlags.START_OF_STREAM, 0, 0, 0]
        check(seen == [(480 * index, 48000, 480, flag) for index, flag in enumerate(flags)], seen)
        GstHdr.tap_remove_audio_callbacks(tap)
        check(finish(pipeline) is None and len(seen) == 4, "a tap that was removed")

    # What a refused function has captured is let go.
    class Captured:
        pass

    captured = Captured()
    watch = weakref.ref(captured)
    try:
        GstHdr.tap_set_audio_function(Gst.ElementFactory.make("fakesink"), lambda block, captured=captured: None)
        check(False, "a tap of what is none")
    except GLib.Error as error:
        check("is no hdrtap" in error.message, error.message)
    del captured
    gc.collect()
    check(watch() is None, "what a refused function holds")
    print("sound")


def light():
    """Halves the light; SDR white of 940 becomes 1.0 * 0.5, a code of BT.1886."""
    pipeline = Gst.parse_launch(f"{VIDEO},colorimetry=bt709 ! hdrtap name=tap ! appsink name=sink sync=false wait-on-eos=false")
    seen = []

    def halve(frame, times):
        seen.append((times.stream_time, frame.width, frame.height, frame.color_space))
        size = frame.light_stride * frame.height
        samples = (ctypes.c_float * (size // 4)).from_address(frame.light)
        copied = frame.copy_light().get_data()
        check(len(copied) == size and struct.unpack("4f", copied[:16]) == tuple(samples[:4]), "the copy")
        check(all(abs(sample - 1) < 0.03 for sample in samples[:4]), samples[:4])
        check(frame.copy_plane(0) is None, "planes of light")
        row = struct.pack("4f", *(0.5, 0.5, 0.5, 1)) * frame.width
        check(not frame.write_light(GLib.Bytes.new(row)), "too few bytes")
        rows = row.ljust(frame.light_stride, b"\0") * frame.height
        check(frame.write_light(GLib.Bytes.new(rows)), "the light")
        return GstHdr.TapFrameResult.OK

    tap, sink = pipeline.get_by_name("tap"), pipeline.get_by_name("sink")
    GstHdr.tap_set_video_function(
        tap, GstHdr.TapView.LIGHT_FLOAT, GstHdr.TapAccess.CHANGE, GstHdr.TapColorSpace.BT709, halve)
    pipeline.set_state(Gst.State.PLAYING)
    sample = sink.emit("pull-sample")
    luma = struct.unpack("<H", sample.get_buffer().extract_dup(0, 2))[0]
    # 64 + 876 * 0.5 ** (1 / 2.4), and dither.
    check(abs(luma - 720) <= 3, luma)
    check(finish(pipeline) is None and len(seen) == 3, seen)
    check(seen[1] == (40 * Gst.MSECOND, 64, 36, GstHdr.TapColorSpace.BT709), seen)
    GstHdr.tap_remove_video_callbacks(tap)
    check(finish(pipeline) is None and len(seen) == 3, "a tap that was removed")
    print("light")


def planes():
    pipeline = Gst.parse_launch(f"{VIDEO} ! hdrtap name=tap ! appsink name=sink sync=false wait-on-eos=false")

    def blacken(frame, times):
        luma = frame.copy_plane(0).get_data()
        check(len(luma) == 64 * 36 * 2 and len(frame.copy_plane(1).get_data()) == 32 * 18 * 2, len(luma))
        check(frame.copy_plane(3) is None and frame.copy_light() is None, "what there is not")
        check(frame.write_plane(0, GLib.Bytes.new(struct.pack("<H", 64) * (64 * 36))), "the plane")
        return GstHdr.TapFrameResult.OK if times.stream_time == 0 else frame.fail("the model is missing")

    GstHdr.tap_set_video_function(
        pipeline.get_by_name("tap"), GstHdr.TapView.PLANES, GstHdr.TapAccess.CHANGE, GstHdr.TapColorSpace.DEFAULT,
        blacken)
    pipeline.set_state(Gst.State.PLAYING)
    sample = pipeline.get_by_name("sink").emit("pull-sample")
    check(struct.unpack("<H", sample.get_buffer().extract_dup(0, 2)) == (64,), "black")
    said = finish(pipeline)
    check(said and "the model is missing" in said, said)
    try:
        GstHdr.tap_set_video_function(
            pipeline, GstHdr.TapView.PLANES, GstHdr.TapAccess.READ, GstHdr.TapColorSpace.DEFAULT, blacken)
        check(False, "a tap of what is none")
    except GLib.Error as error:
        check("is no hdrtap" in error.message, error.message)

    # Planes of tiles, whose strides are numbers of tiles, do not reach into the next plane.
    sizes = []

    def measure(frame, times):
        sizes.append([frame.copy_plane(plane).get_size() for plane in range(2)])
        return GstHdr.TapFrameResult.OK

    pipeline = Gst.parse_launch(
        "videotestsrc num-buffers=1 ! video/x-raw,format=NV12_4L4,width=64,height=64 ! hdrtap name=tap ! fakesink")
    GstHdr.tap_set_video_function(
        pipeline.get_by_name("tap"), GstHdr.TapView.PLANES, GstHdr.TapAccess.READ, GstHdr.TapColorSpace.DEFAULT,
        measure)
    check(finish(pipeline) is None and sizes == [[64 * 64, 64 * 32]], sizes)

    # So does a palette, which is larger than one byte for each row.
    palettes = []

    def copy(frame, times):
        found, memory = frame.buffer.map(Gst.MapFlags.READ)
        palettes.append((bytes(memory.data)[64 * 48:], frame.copy_plane(1).get_data()))
        frame.buffer.unmap(memory)
        return GstHdr.TapFrameResult.OK

    pipeline = Gst.parse_launch(
        "videotestsrc num-buffers=1 ! video/x-raw,format=BGRA,width=64,height=48 ! videoconvert "
        "! video/x-raw,format=RGB8P ! hdrtap name=tap ! fakesink")
    GstHdr.tap_set_video_function(
        pipeline.get_by_name("tap"), GstHdr.TapView.PLANES, GstHdr.TapAccess.READ, GstHdr.TapColorSpace.DEFAULT, copy)
    check(finish(pipeline) is None and len(palettes) == 1, palettes)
    check(len(palettes[0][1]) == 1024 and palettes[0][0] == palettes[0][1], palettes)

    # What a refused function has captured is let go.
    class Captured:
        pass

    captured = Captured()
    watch = weakref.ref(captured)

    def hold(frame, times, captured=captured):
        return GstHdr.TapFrameResult.OK

    try:
        GstHdr.tap_set_video_function(
            Gst.ElementFactory.make("fakesink"), GstHdr.TapView.PLANES, GstHdr.TapAccess.READ,
            GstHdr.TapColorSpace.DEFAULT, hold)
    except GLib.Error:
        pass
    del hold, captured
    gc.collect()
    check(watch() is None, "what a refused function holds")
    print("planes")


def reading():
    """A tap that only looks changes nothing, also where its frames are used elsewhere."""
    for view in (GstHdr.TapView.PLANES, GstHdr.TapView.LIGHT_FLOAT):
        pipeline = Gst.parse_launch(
            "videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=GRAY8,width=64,height=48 ! tee name=t "
            "t. ! queue ! hdrtap name=tap ! fakesink async=false t. ! queue ! appsink name=sink sync=false")
        written = []

        def write(frame, times, view=view):
            if view == GstHdr.TapView.PLANES:
                written.append(frame.write_plane(0, GLib.Bytes.new(bytes(64 * 48))))
            else:
                written.append(frame.write_light(frame.copy_light()))
            return GstHdr.TapFrameResult.OK

        GstHdr.tap_set_video_function(
            pipeline.get_by_name("tap"), view, GstHdr.TapAccess.READ, GstHdr.TapColorSpace.DEFAULT, write)
        pipeline.set_state(Gst.State.PLAYING)
        sample = pipeline.get_by_name("sink").emit("pull-sample")
        check(finish(pipeline) is None and written == [False], written)
        check(sample.get_buffer().extract_dup(0, 1) != b"\0", "the other branch")
    print("reading")


def video_outputs():
    pipeline = Gst.parse_launch(f"{VIDEO} ! hdrtap name=tap ! fakesink sync=true")
    output = GstHdr.video_output_new(pipeline.get_by_name("tap"))
    output.set_property("format", "rgba16f")
    check(GstHdr.video_output_new(pipeline) is None, "an output of what has none")
    check(GstHdr.video_output_item_time(output, 0) == Gst.CLOCK_TIME_NONE, "nothing plays")
    pipeline.set_state(Gst.State.PAUSED)
    pipeline.get_state(10 * Gst.SECOND)
    check(GstHdr.video_output_has_new_frame(output, 0), "the first frame")
    sample, time = GstHdr.video_output_copy_frame(output, 0)
    check(sample.get_buffer().get_size() == 64 * 36 * 8 and time == 0, time)
    check(not GstHdr.video_output_has_new_frame(output, 0), "a frame that was handed out")
    check(GstHdr.video_output_item_time(output, 0) == 0, "a first pause")
    pipeline.set_state(Gst.State.NULL)
    print("video outputs")


def display_links():
    pipeline = Gst.parse_launch(f"videotestsrc ! edrsink name=sink presenter=offscreen sync=true")
    sink = pipeline.get_by_name("sink")
    pipeline.set_state(Gst.State.PLAYING)
    pipeline.get_state(10 * Gst.SECOND)
    loop = GLib.MainLoop()
    links = [GstHdr.DisplayLink.new(element, None) for element in (sink, pipeline)]
    told = []

    def refresh(link, now, target, interval):
        told.append((link, now, target, interval))
        if len(told) == 20:
            loop.quit()

    for link in links:
        link.connect("refresh", refresh)
        check(link.get_paused(), "a new link")
    check(sink.get_property("display-link-paused"), "the sink of new links")
    for link in links:
        link.set_paused(False)
    GLib.timeout_add_seconds(20, check, False, "no refresh")
    loop.run()
    check({link for link, *_ in told} == set(links), "both links")
    one = [entry for entry in told if entry[0] is links[0]]
    check(all(a[1] < b[1] for a, b in zip(one, one[1:])), one)
    check(all(target > now and 0 < interval < Gst.SECOND for _, now, target, interval in told), told)
    links[0].set_paused(True)
    check(not sink.get_property("display-link-paused"), "the other one runs")
    links[1].set_paused(True)
    check(sink.get_property("display-link-paused"), "none runs")
    count = len(told)
    GLib.timeout_add(100, loop.quit)
    loop.run()
    check(len(told) == count, "a refresh of a paused link")
    # The application's own choice is asked anew whenever none runs.
    sink.set_property("display-link-paused", False)
    links[0].set_paused(False)
    links[0].set_paused(True)
    check(not sink.get_property("display-link-paused"), "the application's own choice")
    sink.set_property("display-link-paused", True)
    links[0].set_paused(False)
    check(not sink.get_property("display-link-paused"), "a link after the application's pause")
    links[0].set_paused(True)
    check(sink.get_property("display-link-paused"), "none runs again")
    pipeline.set_state(Gst.State.NULL)
    try:
        GstHdr.DisplayLink.new(Gst.ElementFactory.make("fakesink"), None)
        check(False, "a link to no display")
    except GLib.Error as error:
        check("no edrsink" in error.message, error.message)

    # Two threads that start and pause a link each leave a sink that nobody asks.
    sink = Gst.ElementFactory.make("edrsink")

    def flip(link):
        for _ in range(2000):
            link.set_paused(False)
            link.set_paused(True)

    threads = [threading.Thread(target=flip, args=(GstHdr.DisplayLink.new(sink, None),)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(sink.get_property("display-link-paused"), "no link runs after all")
    print("display links")


Gst.init(None)
queues()
dynamic_metadata()
sound()
light()
planes()
reading()
video_outputs()
display_links()
