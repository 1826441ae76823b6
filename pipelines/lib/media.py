"""What every part of the commands needs of GStreamer: starting it, running a pipeline, and errors as one line."""

import os
import signal

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstPbutils", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstPbutils, GstVideo  # noqa: E402,F401

from command import shown  # noqa: E402


def start_gstreamer():
    """Initializes GStreamer, and what its streaming threads hand to Python."""
    Gst.init(None)
    # PyGObject makes a class when it is first asked for; where two threads ask at once, one gets a class without members.
    for name in ("Buffer", "BufferList", "Caps", "CapsFeatures", "Context", "Event", "GhostPad", "Memory", "Message",
                 "Pad", "PadProbeInfo", "Query", "Sample", "Segment", "Structure", "TagList", "Toc"):
        getattr(Gst, name)


class Failure(Exception):
    """Something the user should know of, in one line: what is wrong, and what to do about it."""

    def __init__(self, text):
        super().__init__(" ".join(str(text).split()))


class Interrupted(Exception):
    """The user or the system asked for an end."""

    def __init__(self, number):
        super().__init__(f"signal {number}")
        self.number = number


class Signals:
    """Notes SIGINT, SIGTERM and SIGHUP. The run loop asks for them, so that no callback is ever cut in two."""

    caught = None

    @classmethod
    def watch(cls):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, cls._note)

    @classmethod
    def _note(cls, number, _frame):
        cls.caught = cls.caught or number

    @classmethod
    def check(cls):
        if cls.caught:
            raise Interrupted(cls.caught)


def make(factory, **properties):
    """An element with properties; underscores in their names stand for dashes, strings for enumerations and flags."""
    element = Gst.ElementFactory.make(factory)
    if element is None:
        raise Failure(f"GStreamer's element {factory} is missing: {package_hint(factory)}")
    for name, value in properties.items():
        name = name.replace("_", "-")
        if isinstance(value, str) and element.find_property(name).value_type.name != "gchararray":
            Gst.util_set_object_arg(element, name, value)
        else:
            element.set_property(name, value)
    return element


def caps_filter(text):
    return make("capsfilter", caps=Gst.Caps.from_string(text))


def add_chain(pipeline, *elements):
    """Adds elements and links each to the next."""
    for element in elements:
        pipeline.add(element)
    for first, second in zip(elements, elements[1:]):
        if not first.link(second):
            raise Failure(f"{first.get_name()} cannot be linked to {second.get_name()}")
    return elements


def package_hint(factory):
    if factory.startswith(("hdr", "edr")):
        return "remove build/plugins and run this command again to build the plugin"
    return "run this command as root once so that it can install Debian's GStreamer packages"


def run(pipeline, context, finished=None, tick=None, on_message=None, on_warning=None):
    """Plays a pipeline to its end, or until `finished()` says so, and stops it whatever happens.

    `context` is an ErrorContext. `tick()` is called several times a second.
    """
    bus = pipeline.get_bus()
    wanted = Gst.MessageType.ERROR | Gst.MessageType.EOS | Gst.MessageType.ELEMENT | Gst.MessageType.WARNING
    try:
        pipeline.set_state(Gst.State.PLAYING)
        while True:
            Signals.check()
            if context.callback_error:
                raise context.callback_error
            if finished and finished():
                return
            if tick:
                tick()
            message = bus.timed_pop_filtered(20 * Gst.MSECOND if finished else 100 * Gst.MSECOND, wanted)
            if message is None:
                continue
            if message.type == Gst.MessageType.ERROR:
                # A callback's failure is the cause where both are there.
                if context.callback_error:
                    raise context.callback_error
                raise Failure(context.explain(message))
            if on_message and message.type == Gst.MessageType.ELEMENT:
                on_message(message)
            if on_warning and message.type == Gst.MessageType.WARNING:
                on_warning(message)
            if message.type == Gst.MessageType.EOS:
                if context.callback_error:
                    raise context.callback_error
                if finished:
                    finished()
                return
    finally:
        pipeline.set_state(Gst.State.NULL)


class ErrorContext:
    """Turns GStreamer's errors into a line that names the user's files."""

    def __init__(self, source, target=None, deed="converted"):
        self.source = source
        self.target = target
        self.deed = deed
        # Set by `guarded` when a callback on a streaming thread fails.
        self.callback_error = None

    def guarded(self, function):
        """A callback whose exceptions end the run instead of being printed by the binding."""

        def call(*arguments):
            try:
                return function(*arguments)
            except Exception as error:  # noqa: BLE001
                self.callback_error = self.callback_error or error
                return Gst.PadProbeReturn.OK

        return call

    def explain(self, message):
        error, debug = message.parse_error()
        domain = error.domain
        factory = message.src.get_factory() if isinstance(message.src, Gst.Element) else None
        factory = factory.get_name() if factory else ""
        is_sink = factory == "filesink"
        if factory in ("hdrmux-settings", "edrsink"):
            return f"{self.source}: {error.message}"
        if domain == "gst-resource-error-quark":
            if error.code == Gst.ResourceError.NO_SPACE_LEFT:
                return self.no_space()
            if is_sink:
                return self.write_failed(errno_text(debug) or error.message)
            if error.code in (Gst.ResourceError.READ, Gst.ResourceError.OPEN_READ, Gst.ResourceError.NOT_FOUND):
                return f"cannot read {self.source}: {errno_text(debug) or error.message}"
        if domain == "gst-stream-error-quark":
            if error.code in (Gst.StreamError.DECRYPT, Gst.StreamError.DECRYPT_NOKEY):
                return protected(self.source)
            if error.code == Gst.StreamError.CODEC_NOT_FOUND:
                return f"{self.source} holds a format that GStreamer cannot decode: {error.message}"
            if error.code in (Gst.StreamError.TYPE_NOT_FOUND, Gst.StreamError.WRONG_TYPE):
                return not_a_video(self.source)
            if factory.startswith("hdr"):
                return f"{self.source}: {error.message}"
            if error.code in (Gst.StreamError.DEMUX, Gst.StreamError.DECODE):
                return damaged(self.source)
        # "Internal data stream error" says nothing; its details name the reason.
        reason = debug.splitlines()[-1].split(":", 1)[-1] if debug and "Internal data" in error.message else ""
        return f"{self.source} could not be {self.deed}: {error.message} {reason.strip()}"

    def no_space(self):
        folder = os.path.dirname(os.path.abspath(self.target or "."))
        return f"no space is left in {shown(folder)}: free some, or name an output on another disk"

    def write_failed(self, reason):
        return f"cannot write {shown(self.target)}: {reason}"


def errno_text(debug):
    """The system's reason in words, which ends an error's details: "... file descriptor 5: File too large"."""
    last = (debug or "").splitlines()[-1:]
    return last[0].rsplit(": ", 1)[1] if last and ": " in last[0] else None


def protected(source):
    return f"{source} is encrypted (DRM): convert a copy without protection"


def own_colors(source, profile):
    return (f"{source} is Dolby Vision of profile {profile}, whose base layer has colours of its own that cannot be "
            "shown or converted yet, they would come out green and purple: ask for a version in profile 8.1 or HDR10, "
            "or copy it as it is with pipelines/export passthrough")


def not_a_video(source):
    return f"{source} is not a video that can be read: give a MOV, MP4 or Matroska file"


def no_video(source):
    return f"{source} has no video track: give a file with HDR video"


def damaged(source):
    return f"{source} is damaged: copy it again from its origin, or repair it (for example by remuxing it)"


def codec_name(caps):
    """A codec in words: "H.265 (Main 10 Profile)"."""
    structure = caps.get_structure(0)
    if structure.get_name().startswith("video/x-gst-fourcc-"):
        return structure.get_name().rsplit("-", 1)[1]
    return GstPbutils.pb_utils_get_codec_description(Gst.Caps.from_string(structure.get_name())) or structure.get_name()


def clock(nanoseconds):
    """A time as 1:02:03 or 2:03."""
    seconds = int(nanoseconds // Gst.SECOND)
    hours, rest = divmod(seconds, 3600)
    text = f"{rest // 60:02d}:{rest % 60:02d}" if hours else f"{rest // 60}:{rest % 60:02d}"
    return f"{hours}:{text}" if hours else text
