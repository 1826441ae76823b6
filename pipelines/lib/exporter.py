"""The element hdrmux-settings as the commands use it: made and checked before any work, asked what it can make, and
heard while it works."""

import re

from gi.repository import Gst

from media import Failure, add_chain, make
from stream import LastFrame, watch

# File types of the element by a file name's ending.
FILE_TYPES = {".mov": "mov", ".mp4": "mp4", ".m4v": "mp4", ".m4a": "mp4", ".mkv": "matroska"}
# Ticks per second of a movie's own times.
MOVIE_TIMESCALE = 90000


def make_exporter(settings):
    """The element with properties; `settings` is a dictionary of their names."""
    exporter = make("hdrmux-settings")
    for name, value in settings.items():
        if isinstance(value, str):
            spec = exporter.find_property(name)
            if "enum" in spec.value_type.name.lower() or hasattr(spec, "enum_class"):
                choices = [choice.value_nick for choice in spec.enum_class.__enum_values__.values()]
                if value not in choices:
                    raise Failure(f"{name} cannot be {value}: choose one of {', '.join(choices)}")
                Gst.util_set_object_arg(exporter, name, value)
                continue
        exporter.set_property(name, value)
    return exporter


def check(settings):
    """Has the element judge its settings, and passes on what it says."""
    exporter = make_exporter(settings)
    pipeline = Gst.Pipeline.new()
    add_chain(pipeline, exporter)
    try:
        if pipeline.set_state(Gst.State.READY) == Gst.StateChangeReturn.FAILURE:
            message = pipeline.get_bus().timed_pop_filtered(0, Gst.MessageType.ERROR)
            raise Failure(message.parse_error()[0].message if message else "hdrmux-settings refuses its settings")
    finally:
        pipeline.set_state(Gst.State.NULL)


def compatible_presets(caps, file_type):
    return make_exporter({"file-type": file_type}).emit("compatible-presets", caps)


def settings_for(preset, file_type, caps):
    """What a preset makes of a source, a structure, or None where it fits not."""
    return make_exporter({"preset": preset, "file-type": file_type}).emit("settings-for", caps)


def parse_settings(text):
    """A structure from a launch line's text, with or without its name in front."""
    if re.match(r"\s*[a-z-]+\s*=", text):
        text = "settings, " + text
    try:
        parsed = Gst.Structure.from_string(text)
    except TypeError:
        parsed = None
    structure = parsed[0] if isinstance(parsed, tuple) else parsed
    if structure is None:
        raise Failure(
            f'--settings cannot be read: "{text}" is no GStreamer structure; write it like "width=1280, height=720"')
    return structure


class Report:
    """What the element reports while it works."""

    def __init__(self):
        self.plan = []  # lines
        self.notes = []
        self.levels = None  # MaxCLL and MaxFALL in cd/m²
        self.scenes = []  # start in ns, peak and average in cd/m², of each scene that was tone-mapped

    def on_message(self, message):
        structure = message.get_structure()
        name = structure.get_name()
        if name == "export-plan":
            lines = (structure.get_string("summary") or "").split("\n")
            self.plan += [line for line in lines if line and not line.startswith("note: ")]
            for line in lines:
                if line.startswith("note: "):
                    self.note(line[len("note: "):])
        elif name == "light-levels":
            self._read(structure)
        elif name == "hdr-scene":
            self.scenes.append((structure.get_uint64("start")[1], structure.get_double("peak")[1],
                                structure.get_double("average")[1]))

    def on_warning(self, message):
        # The other elements' warnings are about what this command corrects, or say nothing to a user.
        factory = message.src.get_factory() if isinstance(message.src, Gst.Element) else None
        if factory is None or factory.get_name() in ("hdrmux-settings", "hdrstage"):
            self.note(message.parse_warning()[0].message)

    def note(self, text):
        if text not in self.notes:
            self.notes.append(text)

    def scene_light(self):
        """The scenes as the element takes them; None where nothing was tone-mapped."""
        return ",".join(f"{start}:{peak!r}:{average!r}" for start, peak, average in self.scenes) or None

    def read_levels(self, exporter):
        """Call it when the stream has ended."""
        structure = exporter.get_property("measured-light-levels")
        if structure is not None:
            self._read(structure)

    def _read(self, structure):
        known = [structure.get_int(name) for name in ("max-cll", "max-fall")]
        if all(found for found, _ in known):
            self.levels = tuple(value for _, value in known)


def keep_times(exporter, timescale, context, durations=None):
    """Has the element's muxer keep the source's times: clocks that hold them exactly, and no last frame cut off.

    `timescale` is the ticks per second of the video's times, `durations` those of packets that are copied.
    """

    def added(_exporter, _bin, element):
        factory = element.get_factory()
        if factory is None or factory.get_name() not in ("qtmux", "mp4mux"):
            return
        element.set_property("movie-timescale", MOVIE_TIMESCALE)
        element.connect("pad-added", context.guarded(pad_added))

    def pad_added(_muxer, pad):
        if pad.get_direction() == Gst.PadDirection.SINK and pad.get_name().startswith("video_"):
            # The element sets one of its own, which goes by the frame rate; what is there when the caps come counts.
            pad.add_probe(Gst.PadProbeType.EVENT_DOWNSTREAM, context.guarded(set_timescale))
            if durations:
                # The element parses what it copies once more.
                watch(pad, context, durations.correct)
            watch(pad, context, LastFrame().stretch)

    def set_timescale(pad, info):
        if info.get_event().type == Gst.EventType.CAPS:
            pad.set_property("trak-timescale", timescale)
        return Gst.PadProbeReturn.OK

    exporter.connect("deep-element-added", context.guarded(added))
