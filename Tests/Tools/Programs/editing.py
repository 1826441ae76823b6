"""Timelines of GStreamer Editing Services with hdrcompositor as their mixer, rendered to raw pictures.

`editing.py CASE FOLDER` makes the timeline of a case from FOLDER's hlg.mkv and pq.mkv, 640x360 at 25 Hz, with flat pictures
and a tone each. It prints what a test compares: a line for each picture with its time and the luma in its middle.
"""

import sys

import gi

for name, version in (("Gst", "1.0"), ("GES", "1.0"), ("GstController", "1.0"), ("GstHdr", "1.0")):
    gi.require_version(name, version)
from gi.repository import GES, GLib, GObject, Gst, GstController, GstHdr

MS = Gst.MSECOND
CANVAS = "video/x-raw,format=I420_10LE,width=640,height=360,framerate=25/1,colorimetry=bt2100-hlg"


def timeline(folder, clips, auto=True, tracks=GES.TrackType.VIDEO):
    """A timeline with one layer of (file, start, in-point, duration) in milliseconds."""
    made = GES.Timeline.new()
    if tracks & GES.TrackType.VIDEO:
        track = GES.VideoTrack.new()
        made.add_track(track)
        track.set_restriction_caps(Gst.Caps.from_string(CANVAS))
    if tracks & GES.TrackType.AUDIO:
        made.add_track(GES.AudioTrack.new())
    layer = made.append_layer()
    layer.set_auto_transition(auto)
    for file, start, inpoint, duration in clips:
        asset = GES.UriClipAsset.request_sync(Gst.filename_to_uri(f"{folder}/{file}"))
        layer.add_asset(asset, start * MS, inpoint * MS, duration * MS, tracks)
    return made, layer


def show(made):
    """Renders a timeline and prints its pictures."""
    made.commit()
    pipeline = GES.Pipeline.new()
    pipeline.set_timeline(made)
    lines, caps = [], set()

    def arrived(sink, buffer, pad):
        done, view = buffer.map(Gst.MapFlags.READ)
        place = 2 * (180 * 640 + 320)
        luma = int.from_bytes(view.data[place : place + 2], "little")
        lines.append(f"{buffer.pts // MS} {luma}")
        buffer.unmap(view)
        caps.add(pad.get_current_caps().to_string())

    sink = Gst.parse_bin_from_description(
        f"capsfilter caps={CANVAS} ! fakesink name=pictures sync=false signal-handoffs=true", True
    )
    sink.get_by_name("pictures").connect("handoff", arrived)
    pipeline.preview_set_video_sink(sink)
    pipeline.set_mode(GES.PipelineFlags.VIDEO_PREVIEW)
    if any(isinstance(track, GES.AudioTrack) for track in made.get_tracks()):
        pipeline.preview_set_audio_sink(Gst.parse_launch("fakesink sync=false"))
        pipeline.set_mode(GES.PipelineFlags.FULL_PREVIEW)
    pipeline.set_state(Gst.State.PLAYING)
    message = pipeline.get_bus().timed_pop_filtered(60 * Gst.SECOND, Gst.MessageType.EOS | Gst.MessageType.ERROR)
    pipeline.set_state(Gst.State.NULL)
    if message is None or message.type == Gst.MessageType.ERROR:
        sys.exit(f"not rendered: {message.parse_error() if message else 'no end'}")
    print("\n".join(lines))
    return caps


def sources(made, kind):
    """The track elements of a kind, with the values that control a property of theirs."""
    for layer in made.get_layers():
        for clip in layer.get_clips():
            for element in clip.get_children(True):
                if isinstance(element, kind):
                    yield clip, element


THREE = [("hlg.mkv", 0, 0, 1600), ("pq.mkv", 1200, 200, 1600), ("hlg.mkv", 2400, 0, 1600)]


def alone(folder):
    show(timeline(folder, [("pq.mkv", 0, 0, 400)])[0])


def canvas(folder):
    """Clips one behind another, between which GES stops the mixer."""
    caps = show(timeline(folder, [("hlg.mkv", 0, 0, 400), ("pq.mkv", 400, 0, 400), ("hlg.mkv", 800, 0, 400)])[0])
    print("caps", len(caps))


def speed(folder):
    """A second clip that runs at twice its speed."""
    made, layer = timeline(folder, [("hlg.mkv", 0, 0, 1000), ("pq.mkv", 2000, 0, 1000)])
    fast = layer.get_clips()[1]
    assert fast.add(GES.Effect.new("videorate rate=2"))
    fast.set_start(600 * MS)
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    show(made)


def plain(folder):
    show(timeline(folder, THREE)[0])


def wiped(folder):
    """Each clip in a wipe to a later part of itself."""
    for file in ("hlg.mkv", "pq.mkv"):
        made, layer = timeline(folder, [(file, 0, 0, 400), (file, 200, 0, 400)])
        for clip in layer.get_clips():
            if isinstance(clip, GES.TransitionClip):
                clip.set_property("vtype", GES.VideoStandardTransitionType.BAR_WIPE_LR)
        show(made)


def dissolve(folder):
    made, _ = timeline(folder, THREE)
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    print("again", GstHdr.timeline_dissolve_in_light(made))
    show(made)


def explicit(folder):
    """A transition that the program has put there itself."""
    made, layer = timeline(folder, THREE[:2], auto=False)
    transition = GES.TransitionClip.new(GES.VideoStandardTransitionType.CROSSFADE)
    transition.set_start(1200 * MS)
    transition.set_duration(400 * MS)
    layer.add_clip(transition)
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    print("transitions", sum(isinstance(clip, GES.TransitionClip) for each in made.get_layers() for clip in each.get_clips()))
    show(made)


def kept(folder):
    """A wipe, and a clip whose opacity the program controls."""
    made, layer = timeline(folder, THREE)
    transitions = [clip for clip in layer.get_clips() if isinstance(clip, GES.TransitionClip)]
    transitions[0].set_property("vtype", GES.VideoStandardTransitionType.BAR_WIPE_LR)
    last = layer.get_clips()[-1]
    for clip, element in sources(made, GES.VideoSource):
        if clip == last:
            control = GstController.InterpolationControlSource.new()
            element.set_control_source(control, "alpha", "direct-absolute")
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    print("layers", len(made.get_layers()))


def pinned(folder):
    """A last clip whose opacity the program controls: its crossfade is GES's, and the clip before it stays there."""
    made, layer = timeline(folder, THREE)
    last = layer.get_clips()[-1]
    for clip, element in sources(made, GES.VideoSource):
        if clip == last:
            control = GstController.InterpolationControlSource.new()
            element.set_control_source(control, "alpha", "direct-absolute")
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    print("transitions", sum(isinstance(clip, GES.TransitionClip) for each in made.get_layers() for clip in each.get_clips()))


def shapes(folder):
    """A clip in the corner between two that fill the canvas."""
    made, layer = timeline(folder, THREE)
    for clip, element in sources(made, GES.VideoSource):
        if clip.get_start() == 1200 * MS:
            for name, value in (("posx", 0), ("posy", 0), ("width", 160), ("height", 90)):
                element.set_child_property(name, value)
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    show(made)


def over(folder):
    """The same above other pictures, which a sum would shine through."""
    made, layer = timeline(folder, THREE)
    below = made.append_layer()
    asset = GES.UriClipAsset.request_sync(Gst.filename_to_uri(f"{folder}/pq.mkv"))
    below.add_asset(asset, 0, 0, 2000 * MS, GES.TrackType.VIDEO)
    for clip, element in sources(made, GES.VideoSource):
        if clip.get_start() == 1200 * MS:
            element.set_child_property("width", 160)
    print("replaced", GstHdr.timeline_dissolve_in_light(made))


def values(element, name):
    points = element.get_control_binding(name).get_property("control-source").get_all()
    return " ".join(f"{point.timestamp // MS}:{point.value:g}" for point in points)


def own(folder):
    """Clips that are transparent and soft in themselves."""
    made, _ = timeline(folder, THREE, tracks=GES.TrackType.VIDEO | GES.TrackType.AUDIO)
    for kind, name, value in ((GES.VideoSource, "alpha", 0.5), (GES.AudioSource, "volume", 0.25)):
        for clip, element in sources(made, kind):
            if clip.get_start() == 1200 * MS:
                element.set_child_property(name, value)
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    for kind, name in ((GES.VideoSource, "alpha"), (GES.AudioSource, "volume")):
        for clip, element in sources(made, kind):
            if clip.get_start() == 1200 * MS:
                print(name, values(element, name))


def sound(folder):
    made, _ = timeline(folder, THREE, tracks=GES.TrackType.VIDEO | GES.TrackType.AUDIO)
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    for clip, element in sorted(sources(made, GES.AudioSource), key=lambda each: each[0].get_start()):
        print(values(element, "volume"))


def named(clip):
    """Where a clip starts, whether it is a transition, and of what media it is."""
    media = ((GES.TrackType.VIDEO, "v"), (GES.TrackType.AUDIO, "a"))
    letters = "".join(letter for kind, letter in media if clip.get_supported_formats() & kind)
    return f"{clip.get_start() // MS}{'x' if isinstance(clip, GES.TransitionClip) else ''}{letters}"


def arrangement(made):
    """A line for each layer, with its clips."""
    for layer in made.get_layers():
        clips = sorted(layer.get_clips(), key=lambda each: (each.get_start(), each.get_supported_formats()))
        print("layer", *map(named, clips))


def members(group):
    """What is in a group, with what is in inner groups in brackets."""
    children = sorted(group.get_children(False), key=lambda each: each.get_start())
    return " ".join(f"({members(child)})" if isinstance(child, GES.Group) else named(child) for child in children)


def grouped(folder):
    """All clips in one group, together with the transitions; the second one is alone in a group of its own."""
    made, layer = timeline(folder, THREE)
    second = next(clip for clip in layer.get_clips() if clip.get_start() == 1200 * MS and isinstance(clip, GES.UriClip))
    inner, outer = GES.Group.new(), GES.Group.new()
    inner.add(second)
    for part in [inner] + [clip for clip in layer.get_clips() if clip != second]:
        outer.add(part)
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    print("again", GstHdr.timeline_dissolve_in_light(made))
    print("members", members(outer))
    arrangement(made)
    show(made)


def neighbours(folder):
    """A clip of a crossfade that is grouped with a clip of the layer above, and of the one below."""
    for is_below in (False, True):
        made, layer = timeline(folder, THREE[:2])
        other = made.append_layer()
        if not is_below:
            made.move_layer(other, 0)
        asset = GES.UriClipAsset.request_sync(Gst.filename_to_uri(f"{folder}/hlg.mkv"))
        clip = other.add_asset(asset, 1400 * MS, 0, 1000 * MS, GES.TrackType.VIDEO)
        second = [each for each in layer.get_clips() if isinstance(each, GES.UriClip)][-1]
        group = GES.Container.group([second, clip])
        print("replaced", GstHdr.timeline_dissolve_in_light(made))
        print("members", members(group))
        arrangement(made)


class Closed(GES.Group):
    """A group that no clip can leave until it is opened."""

    is_open = False

    def do_remove_child(self, child):
        return self.is_open


def closed(folder):
    """A clip that cannot be moved, below a crossfade that could be replaced."""
    made, layer = timeline(folder, THREE)
    below = made.append_layer()
    below.set_auto_transition(True)
    asset = GES.UriClipAsset.request_sync(Gst.filename_to_uri(f"{folder}/hlg.mkv"))
    group = Closed()
    for start in (0, 1200):
        group.add(below.add_asset(asset, start * MS, 0, 1600 * MS, GES.TrackType.VIDEO))
    try:
        print("replaced", GstHdr.timeline_dissolve_in_light(made))
    except GLib.Error as error:
        print(error.message.replace(group.get_children(False)[-1].get_name(), "CLIP"))
    print("numbers", *(each.get_priority() for each in made.get_layers()))
    print("members", members(group))
    arrangement(made)
    for clip, element in sources(made, GES.VideoSource):
        assert element.get_control_binding("alpha") is None
    # GES takes the timeline apart at the end.
    group.is_open = True


BOTH = GES.TrackType.VIDEO | GES.TrackType.AUDIO


def add(layer, folder, file, start, duration, tracks):
    asset = GES.UriClipAsset.request_sync(Gst.filename_to_uri(f"{folder}/{file}"))
    return layer.add_asset(asset, start * MS, 0, duration * MS, tracks)


def volumes(made):
    """The ramps of sound, a line for each clip that has any sound."""
    found = sorted(sources(made, GES.AudioSource), key=lambda each: each[0].get_start())
    for clip, element in found:
        is_ramped = element.get_control_binding("volume") is not None
        print(f"sound {clip.get_start() // MS}:", values(element, "volume") if is_ramped else "as it is")


def music(folder):
    """Sound of its own between two clips, which ends with the first."""
    made, layer = timeline(folder, [], tracks=BOTH)
    for file, start, inpoint, duration in THREE:
        add(layer, folder, file, start, duration, GES.TrackType.VIDEO).set_inpoint(inpoint * MS)
    add(layer, folder, "hlg.mkv", 600, 1000, GES.TrackType.AUDIO)
    add(layer, folder, "hlg.mkv", 2000, 400, GES.TrackType.AUDIO)
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    print("again", GstHdr.timeline_dissolve_in_light(made))
    arrangement(made)
    volumes(made)
    show(made)


def apart(folder):
    """The sound and the pictures of each clip as clips of their own, with transitions of GES, and with one that the
    program has added for both."""
    for auto in (True, False):
        made, layer = timeline(folder, [], auto=auto, tracks=BOTH)
        for file, start in (("hlg.mkv", 0), ("pq.mkv", 1200)):
            for kind in (GES.TrackType.VIDEO, GES.TrackType.AUDIO):
                add(layer, folder, file, start, 1600, kind)
        if not auto:
            transition(layer, 1200, 400)
        print("replaced", GstHdr.timeline_dissolve_in_light(made))
        arrangement(made)
        volumes(made)


def transition(layer, start, duration):
    made = GES.TransitionClip.new(GES.VideoStandardTransitionType.CROSSFADE)
    made.set_start(start * MS)
    made.set_duration(duration * MS)
    layer.add_clip(made)


def passed(folder):
    """The sound of the second clip goes on in a crossfade to sound alone."""
    made, layer = timeline(folder, THREE[:2], tracks=BOTH)
    add(layer, folder, "hlg.mkv", 2400, 1000, GES.TrackType.AUDIO)
    print("replaced", GstHdr.timeline_dissolve_in_light(made))
    arrangement(made)
    volumes(made)


def silent(folder):
    """A second clip without sound, with a transition of GES and with one that the program has added for both."""
    for auto in (True, False):
        made, layer = timeline(folder, [], auto=auto, tracks=BOTH)
        add(layer, folder, "hlg.mkv", 0, 1600, BOTH)
        add(layer, folder, "pq.mkv", 1200, 1600, GES.TrackType.VIDEO)
        if not auto:
            transition(layer, 1200, 400)
        print("replaced", GstHdr.timeline_dissolve_in_light(made))
        volumes(made)


def below(folder):
    """Clips below an effect of their layer, or of the one above: before the crossfade, in it, and behind it."""
    for is_own, start in ((True, 400), (True, 1000), (True, 2000), (False, 1000), (False, 2000)):
        made, layer = timeline(folder, [])
        first = made.append_layer() if not is_own else layer
        if not is_own:
            made.move_layer(first, 0)
        for file, at in (("hlg.mkv", 0), ("pq.mkv", 1200)):
            add(layer, folder, file, at, 1600, GES.TrackType.VIDEO)
        effect = GES.Asset.request(GES.EffectClip, "videoflip || volume")
        assert first.add_asset(effect, start * MS, 0, 400 * MS, GES.TrackType.VIDEO)
        print("replaced", GstHdr.timeline_dissolve_in_light(made))


def effect(folder):
    """An effect of hdrtap, whose parameter is controlled."""
    made, layer = timeline(folder, [("pq.mkv", 0, 0, 1000)])
    effect = GES.Effect.new("video hdrtap effect=exposure name=tap")
    assert layer.get_clips()[0].add(effect)
    exposure = effect.get_element().get_by_name("tap").get_child_by_name("effect_0")
    control = GstController.InterpolationControlSource(mode=GstController.InterpolationMode.LINEAR)
    control.set(0, 0)
    control.set(Gst.SECOND, -4)
    exposure.add_control_binding(GstController.DirectControlBinding.new_absolute(exposure, "stops", control))
    show(made)


def refused(folder):
    try:
        GstHdr.timeline_dissolve_in_light(Gst.Pipeline.new())
    except GLib.Error as error:
        print(error.message)


Gst.init(None)
GES.init()
case, folder = sys.argv[1:]
globals()[case](folder)
