"""Features of GStreamer Editing Services with hdrcompositor as their mixer, as an unchanged program uses them.

`ges_features.py CASE FOLDER` makes the timeline of a case from FOLDER's hlg.mkv and pq.mkv, 640x360 at 25 Hz, with flat
pictures and a tone each, and prints what a test compares."""

import sys
import time

import gi

for name, version in (("Gst", "1.0"), ("GES", "1.0"), ("GstController", "1.0"), ("GstPbutils", "1.0")):
    gi.require_version(name, version)
from gi.repository import GES, GLib, Gst, GstController

MS, SECOND = Gst.MSECOND, Gst.SECOND
CANVAS = "video/x-raw,format=I420_10LE,width=640,height=360,framerate=25/1,colorimetry=bt2100-hlg"
ENDS = Gst.MessageType.EOS | Gst.MessageType.ERROR


def timeline(folder, *clips, tracks=GES.TrackType.VIDEO):
    """A timeline with a layer of (file, start, duration) in milliseconds for each list of clips."""
    made = GES.Timeline.new()
    track = GES.VideoTrack.new()
    made.add_track(track)
    track.set_restriction_caps(Gst.Caps.from_string(CANVAS))
    if tracks & GES.TrackType.AUDIO:
        made.add_track(GES.AudioTrack.new())
    for each in clips:
        layer = made.append_layer()
        for clip, start, duration in each:
            if isinstance(clip, GES.Clip):
                clip.set_start(start * MS)
                clip.set_duration(duration * MS)
                layer.add_clip(clip)
            else:
                asset = GES.UriClipAsset.request_sync(Gst.filename_to_uri(f"{folder}/{clip}"))
                layer.add_asset(asset, start * MS, 0, duration * MS, tracks)
    made.commit()
    return made


class Preview:
    def __init__(self, made, sink):
        self.pipeline = GES.Pipeline.new()
        self.pipeline.set_timeline(made)
        self.sink = sink
        self.pipeline.preview_set_video_sink(sink)
        self.pipeline.set_mode(GES.PipelineFlags.VIDEO_PREVIEW)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pipeline.set_state(Gst.State.NULL)

    def pause(self):
        self.pipeline.set_state(Gst.State.PAUSED)
        self.settle()

    def settle(self):
        assert self.pipeline.get_state(20 * SECOND)[0] == Gst.StateChangeReturn.SUCCESS

    def play(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        message = self.pipeline.get_bus().timed_pop_filtered(30 * SECOND, ENDS)
        assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()


def pictures(show):
    """A sink for pictures of the timeline's caps, and its element that tells of them."""
    sink = Gst.parse_bin_from_description(
        f"capsfilter caps={CANVAS} ! fakesink name=pictures sync=false signal-handoffs=true", True)
    sink.get_by_name("pictures").connect("handoff", lambda sink, buffer, pad: show(buffer))
    return sink, sink.get_by_name("pictures")


def lumas(buffer):
    return memoryview(buffer.extract_dup(0, 2 * 640 * 360)).cast("H")


def seeks(folder):
    """Pictures to which seeks in a pause lead, and those that are played from the last one."""
    made = timeline(folder, [("hlg.mkv", 0, 1000), ("pq.mkv", 1000, 1000)])
    played = []
    bin, sink = pictures(lambda buffer: played.append(f"{buffer.pts // MS}:{lumas(buffer)[180 * 640 + 320]}"))
    with Preview(made, bin) as preview:
        preview.pause()
        for start in (1500, 400, 1960, 960, 1000, 0, 1800):
            assert preview.pipeline.seek_simple(
                Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.ACCURATE, start * MS)
            # GES seeks on a thread of its own.
            end = time.monotonic() + 20
            while not (sample := sink.get_property("last-sample")) or sample.get_buffer().pts != start * MS:
                assert time.monotonic() < end, (start, sample and sample.get_buffer().pts)
                time.sleep(0.005)
            print(start, lumas(sample.get_buffer())[180 * 640 + 320])
        played.clear()
        preview.play()
        print(*played)


def text_shown(folder, kind, **values):
    """A text above a clip: the luma of a corner, the highest one, and whether many pixels have that."""
    found = set()

    def show(buffer):
        each = lumas(buffer)
        # GES ends some timelines with a black picture.
        if buffer.pts < 200 * MS:
            most = max(each)
            found.add(f"{each[0]} {most} {each.tolist().count(most) > 100}")

    made = timeline(folder, [(kind, 0, 200)], [("hlg.mkv", 0, 200)])
    for element in kind.get_children(True):
        for name, value in values.items():
            assert element.set_child_property(name, value), name
    made.commit()
    with Preview(made, pictures(show)[0]) as preview:
        preview.play()
    print("\n".join(sorted(found)))


def overlay(folder):
    text = GES.TextOverlayClip.new()
    text.set_property("text", "HELLO")
    text_shown(folder, text)


def title(folder):
    """A title has a white background, unless it is told otherwise."""
    text_shown(folder, GES.TitleClip.new(), text="HELLO", background=0, color=-1)


def preview(folder):
    """A preview in edrsink: what it shows at the end of a clip in PQ on a canvas in HLG."""
    made = timeline(folder, [("hlg.mkv", 0, 400), ("pq.mkv", 400, 400)])
    sink = Gst.ElementFactory.make("edrsink")
    Gst.util_set_object_arg(sink, "presenter", "offscreen")
    with Preview(made, sink) as shown:
        shown.play()
        frame = sink.emit("read-frame")
        caps = sink.get_static_pad("sink").get_current_caps().get_structure(0)
        print(caps.get_string("colorimetry"), frame.get_caps().get_structure(0).get_value("width"))


def keyframes(folder):
    """Two exposures of a tap, of which keyframes control the first one, as played and as a project that was saved."""
    made = timeline(folder, [("hlg.mkv", 0, 400)])
    clip = made.get_layers()[0].get_clips()[0]
    effect = GES.Effect.new("hdrtap effect=exposure,exposure effect_1::stops=0.5 ! hdrconvert")
    clip.add(effect)
    source = GstController.InterpolationControlSource.new()
    source.set_property("mode", GstController.InterpolationMode.LINEAR)
    assert effect.set_control_source(source, "exposure-stops", "direct-absolute")
    assert source.set(0, -2) and source.set(400 * MS, 0)
    made.commit()
    assert made.save_to_uri(Gst.filename_to_uri(sys.argv[3]), None, True)
    asset = GES.Project.new(Gst.filename_to_uri(sys.argv[3]))
    asset.connect("loaded", lambda project, timeline: loop.quit())
    loop = GLib.MainLoop()
    GLib.timeout_add_seconds(20, loop.quit)
    again = asset.extract()
    loop.run()
    again.commit()
    for each in (made, again):
        found = []
        with Preview(each, pictures(lambda buffer: found.append(lumas(buffer)[180 * 640 + 320]))[0]) as shown:
            shown.play()
        print(*found[:10])


def profile(folder):
    """A movie by an encoding profile of hdrmux-settings."""
    tracks = GES.TrackType.VIDEO | GES.TrackType.AUDIO
    made = timeline(folder, [("hlg.mkv", 0, 400), ("pq.mkv", 400, 400)], tracks=tracks)
    settings = Gst.ElementFactory.make("hdrmux-settings")
    Gst.util_set_object_arg(settings, "preset", "hevc-highest-quality")
    pipeline = GES.Pipeline.new()
    pipeline.set_timeline(made)
    assert pipeline.set_render_settings(
        Gst.filename_to_uri(sys.argv[3]), settings.emit("create-encoding-profile"))
    assert pipeline.set_mode(GES.PipelineFlags.RENDER)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(60 * SECOND, ENDS)
    assert message and message.type == Gst.MessageType.EOS, message and message.parse_error()
    pipeline.set_state(Gst.State.NULL)


Gst.init(None)
GES.init()
globals()[sys.argv[1]](sys.argv[2])
