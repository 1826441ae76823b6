"""The element edrsink as the commands use it: made with their options."""

from media import make


def make_sink(**properties):
    """An edrsink; see `media.make` for the properties."""
    return make("edrsink", **properties)
