"""Which element decodes a track, and what to say where there is none."""

from gi.repository import Gst

from media import codec_name


def decoder_for(caps):
    """The best software decoder. Hardware ones are left out: they differ in what they support and how they round."""
    factories = Gst.ElementFactory.list_get_elements(Gst.ELEMENT_FACTORY_TYPE_DECODER, Gst.Rank.MARGINAL)
    factories = Gst.ElementFactory.list_filter(factories, caps, Gst.PadDirection.SINK, caps.is_fixed())
    # Caps that are not fixed yet also fit the decoders of VP8 and VP9 with transparency, which want two streams.
    factories = [
        factory for factory in factories
        if "Hardware" not in (factory.get_metadata("klass") or "") and "alpha" not in factory.get_name()
    ]
    return max(factories, key=lambda factory: factory.get_rank()).create(None) if factories else None


def is_raw(caps):
    return caps.get_structure(0).get_name() in ("video/x-raw", "audio/x-raw")


# Which of Debian's packages decodes what the plug-in sets are known for.
DECODER_PACKAGES = {
    "video/x-h265": "gstreamer1.0-libav",
    "video/x-prores": "gstreamer1.0-libav",
    "video/x-h264": "gstreamer1.0-libav",
    "video/x-av1": "gstreamer1.0-plugins-bad",
    "video/x-vp9": "gstreamer1.0-plugins-good",
}


def no_decoder(name, caps):
    package = DECODER_PACKAGES.get(caps.get_structure(0).get_name())
    if package:
        return f"{name} holds {codec_name(caps)} video and its decoder is missing: apt-get install {package}"
    return (f"{name} holds {codec_name(caps)} video, which no GStreamer package of Debian 12 decodes: "
            "convert it to HEVC or ProRes first")
