"""Whether a source is HDR, by its tags or by the user's word."""

from gi.repository import GstVideo

from media import Failure
from source import parse_colorimetry


def assume(source, transfer):
    """Takes the user's word, pq or hlg, for what the file's tags say."""
    color = parse_colorimetry(f"bt2100-{transfer}")
    color.range = source.info.colorimetry.range
    if source.info.colorimetry.matrix == GstVideo.VideoColorMatrix.RGB:
        color.matrix = GstVideo.VideoColorMatrix.RGB
    source.colorimetry = color.to_string()


def correct_caps(source):
    """Writes a colorimetry that overrides the decoder's into what is known of the video."""
    for holder in (source, source.video):
        caps = holder.caps.copy()
        caps.set_value("colorimetry", source.colorimetry)
        holder.caps = caps


def require_hdr(source, assumed=None):
    """Refuses what is not HDR, unless the user knows better than the file's tags."""
    if assumed:
        assume(source, assumed)
    if source.transfer:
        return
    transfer = source.color.transfer
    # Decoders make up a colorimetry where the stream has none; parsers do not.
    if transfer == GstVideo.VideoTransferFunction.UNKNOWN or not source.video.caps.get_structure(0).has_field(
            "colorimetry"):
        raise Failure(
            f"{source.name} does not say that it is HDR, its video has no transfer function: if you know that it is "
            "PQ or HLG, add --assume pq or --assume hlg (Dolby Vision profile 5 is neither, and is not supported)")
    raise Failure(
        f"{source.name} is SDR already (its transfer function is {transfer.value_nick}), there is nothing to convert: "
        "if its tags are wrong, add --assume pq or --assume hlg")
