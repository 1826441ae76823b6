#include "CGstHDR.h"

GST_DEBUG_CATEGORY_STATIC(hdrmetaparse_debug);

GstDebugCategory *gst_hdr_meta_parse_debug_category(void) { return hdrmetaparse_debug; }

/* decodebin and parsebin try all parsers before decoders, whatever their ranks, so that this one comes after the real
 * parser of every stream in access units; it changes neither bytes nor caps. It has to rank below h265parse and
 * av1parse, because encodebin takes the parser of the highest rank to convert an encoder's byte-stream to what a muxer
 * accepts. */
#define RANK GST_RANK_MARGINAL

#define CAPS                                                                                        \
    "video/x-h265, stream-format = (string) { hvc1, hev1, byte-stream }, alignment = (string) au; " \
    "video/x-av1, stream-format = (string) obu-stream, alignment = (string) tu"

static GstStaticPadTemplate sink_template =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));
static GstStaticPadTemplate src_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS(CAPS));

G_DEFINE_TYPE(GstHdrMetaParse, gst_hdr_meta_parse, gst_hdr_bin_filter_get_type())
GST_ELEMENT_REGISTER_DEFINE(hdrmetaparse, "hdrmetaparse", RANK, gst_hdr_meta_parse_get_type())

static void gst_hdr_meta_parse_init(GstHdrMetaParse *self) {
    gst_hdr_bin_filter_set_impl(&self->parent, hdr_meta_parse_new());
}

static void gst_hdr_meta_parse_class_init(GstHdrMetaParseClass *klass) {
    GstElementClass *element_class = GST_ELEMENT_CLASS(klass);

    GST_DEBUG_CATEGORY_INIT(hdrmetaparse_debug, "hdrmetaparse", 0, "HDR metadata parser");

    gst_element_class_add_static_pad_template(element_class, &sink_template);
    gst_element_class_add_static_pad_template(element_class, &src_template);
    gst_element_class_set_static_metadata(element_class, "HDR metadata parser", "Codec/Parser/Video",
                                          "Reads Dolby Vision, HDR10+ and SMPTE ST 2094-50 metadata of coded pictures, "
                                          "and hands them on with the picture",
                                          "The gst-hdr team");
}
