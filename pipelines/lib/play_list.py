"""What pipelines/play plays: files and addresses, each checked before its turn comes."""

import os
from dataclasses import dataclass, field

from gi.repository import Gst

import dynamic_range
import source as sources
from command import shown
from media import Failure


@dataclass
class Item:
    name: str  # for messages
    uri: str
    # The file; None for what comes from elsewhere.
    path: str = None
    # Fields of caps that GStreamer 1.22 does not read from the file, or that the user knows better.
    fields: dict = field(default_factory=dict)
    # How the video is turned, as GStreamer's tags say it, where they do not.
    orientation: str = None
    # The end of the stream id of the video to be shown; None for whichever comes first.
    video: str = None

    def still_path(self, time):
        """A name for a still that is not taken: beside the file, or in the current folder."""
        seconds, milliseconds = divmod(time // Gst.MSECOND, 1000)
        stem = os.path.splitext(self.path)[0] if self.path else "still"
        stem += f"-{seconds // 3600}.{seconds // 60 % 60:02d}.{seconds % 60:02d}.{milliseconds:03d}"
        path, number = f"{stem}.png", 1
        while os.path.lexists(path):
            number += 1
            path = f"{stem}-{number}.png"
        return path


def make_item(text, assumed=None):
    """Looks at what the user named; raises a Failure that says what is wrong with it."""
    fields = {"colorimetry": f"bt2100-{assumed}"} if assumed else {}
    if Gst.uri_is_valid(text) and not os.path.exists(text):
        protocol = Gst.uri_get_protocol(text)
        if protocol == "file":
            return make_item(Gst.uri_get_location(text), assumed)
        if not Gst.uri_protocol_is_supported(Gst.URIType.SRC, protocol):
            raise Failure(f"GStreamer has no element for {protocol}: addresses; save {shown(text)} as a file first")
        return Item(shown(text), text, fields=fields)
    source = sources.open_file(text)
    sources.probe(source)
    if assumed:
        dynamic_range.assume(source, assumed)
    if source.colorimetry:
        fields["colorimetry"] = source.colorimetry
    return Item(
        source.name, Gst.filename_to_uri(os.path.abspath(text)), text, {**source.header_metadata, **fields},
        source.header_orientation, source.video.number)
