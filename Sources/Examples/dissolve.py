#!/usr/bin/python3
"""Two clips, of any dynamic range each, with a dissolve between them: a timeline of GStreamer Editing Services.

    ./dissolve.py FIRST SECOND OUT.mov [SECONDS]

Needs python3-gi and gir1.2-ges-1.0. The pictures alone are rendered, at the first one's size and rate, as HEVC in HLG;
the dissolve takes SECONDS, by default 1 or, where a clip is shorter, all of it.

GES mixes with the compositor of the highest rank, and hdrcompositor mixes in light. The second clip lies on a layer
above the first one and becomes opaque by keyframes: a transition of GES would make 8 bits of both.
"""
import os
import sys

import gi
for name in ("Gst", "GstController", "GstPbutils", "GES"):
    gi.require_version(name, "1.0")
from gi.repository import GES, GLib, Gst, GstController


def asset(path):
    try:
        clip = GES.UriClipAsset.request_sync(Gst.filename_to_uri(os.path.abspath(path)))
    except GLib.Error as error:
        sys.exit(f"dissolve.py: {path}: {error.message}")
    if not clip.get_info().get_video_streams():
        sys.exit(f"dissolve.py: {path} has no video")
    return clip


def dissolve(first, second, overlap):
    """A timeline with a video track. The layer that is added first lies above the other one."""
    video = first.get_info().get_video_streams()[0]
    rate, scale = video.get_framerate_num(), video.get_framerate_denom()
    track = GES.VideoTrack.new()
    track.set_property("restriction-caps", Gst.Caps.from_string(
        f"video/x-raw,format=I420_10LE,colorimetry=bt2100-hlg,chroma-site=mpeg2,framerate={rate}/{scale},"
        f"width={video.get_width()},height={video.get_height()}"))
    timeline = GES.Timeline.new()
    timeline.add_track(track)
    above, below = timeline.append_layer(), timeline.append_layer()
    # On a frame of the timeline: else GES has a wrong picture where the first clip ends.
    begin = (first.get_duration() - overlap) * rate // (Gst.SECOND * scale) * Gst.SECOND * scale // rate
    overlap = first.get_duration() - begin
    below.add_asset(first, 0, 0, first.get_duration(), GES.TrackType.VIDEO)
    clip = above.add_asset(second, begin, 0, second.get_duration(), GES.TrackType.VIDEO)
    opacity = GstController.InterpolationControlSource(mode=GstController.InterpolationMode.LINEAR)
    opacity.set(0, 0)
    opacity.set(overlap, 1)
    source = clip.find_track_element(track, GES.VideoSource)
    # Else the last keyframe is moved to the end of the clip.
    source.set_auto_clamp_control_sources(False)
    source.set_control_source(opacity, "alpha", "direct")
    timeline.commit()
    return timeline, track


def render(timeline, track, path):
    # Each part of a timeline is a segment of its own; a file is one.
    pipeline = Gst.parse_launch(
        "identity name=pictures single-segment=true ! queue ! m.video_0 hdrmux-settings name=m ! filesink name=file")
    pipeline.get_by_name("file").set_property("location", path)
    pipeline.add(timeline)
    timeline.get_pad_for_track(track).link(pipeline.get_by_name("pictures").get_static_pad("sink"))
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(
        Gst.CLOCK_TIME_NONE, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message.type == Gst.MessageType.ERROR:
        sys.exit(f"dissolve.py: {message.parse_error()[0].message}")


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    Gst.init(None)
    mixer = Gst.ElementFactory.find("hdrcompositor")
    if not mixer:
        sys.exit('dissolve.py: no element "hdrcompositor": name the plugin\'s folder in GST_PLUGIN_PATH')
    # GES chooses its mixer once, at the first clip.
    mixer.set_rank(300)
    GES.init()
    first, second = asset(sys.argv[1]), asset(sys.argv[2])
    longest = min(first.get_duration(), second.get_duration()) / Gst.SECOND
    try:
        seconds = float(sys.argv[4]) if len(sys.argv) == 5 else min(1, longest)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= longest:
        sys.exit(f"dissolve.py: SECONDS is {sys.argv[4]}: give a number from 0 to {longest:g}, the shorter clip's length")
    overlap = int(seconds * Gst.SECOND)
    render(*dissolve(first, second, overlap), sys.argv[3])


if __name__ == "__main__":
    main()
