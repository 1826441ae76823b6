"""The element edrsink as the commands use it: made with their options, and its state in Python's own types."""

from gi.repository import Gst

from media import Failure, make

# The property force-headroom's own range; below 1 there is no headroom.
HEADROOM = (1.0, 50.0)


def make_sink(**properties):
    """An edrsink; see `media.make` for the properties."""
    return make("edrsink", **properties)


def to_python(value):
    """Lists and structures of GStreamer as lists and dictionaries."""
    if isinstance(value, Gst.Structure):
        return {name: field(value, name) for name in map(value.nth_field_name, range(value.n_fields()))}
    return value


def field(structure, name):
    # The binding cannot convert a GstValueList by itself, but lends its items.
    if structure.get_field_type(name).name == "GstValueList":
        known, items = structure.get_list(name)
        return [to_python(items.get_nth(index)) for index in range(items.n_values)] if known else []
    return to_python(structure.get_value(name))


def display_state(sink):
    """The property display-state as a dictionary; empty while the sink is closed."""
    state = sink.get_property("display-state")
    return to_python(state) if state else {}


def frame_counts(sink):
    """How many frames the display has presented, repeated, shown late and dropped, and how many came too late for it."""
    record = sink.get_property("frame-record")
    counts = {name: record.get_value(name) for name in ("presented", "repeated", "late", "dropped")}
    counts["skipped"] = sink.get_property("stats").get_value("dropped")
    return counts


def check_headroom(text):
    """A headroom from an option, in range."""
    try:
        headroom = float(text)
    except ValueError:
        headroom = 0
    if not HEADROOM[0] <= headroom <= HEADROOM[1]:
        raise Failure(f"--headroom must lie between {HEADROOM[0]:g}, which is SDR, and {HEADROOM[1]:g}")
    return headroom
