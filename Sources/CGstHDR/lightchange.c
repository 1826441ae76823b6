#include "lightchange.h"

#define NAME "gst-hdr-light-change"

GstHdrLightChange gst_hdr_light_change_ask(GstPad *pad) {
    GstQuery *query = gst_query_new_custom(GST_QUERY_CUSTOM, gst_structure_new_empty(NAME));
    gint change = GST_HDR_LIGHT_UNCHANGED;
    if (gst_pad_peer_query(pad, query))
        gst_structure_get_int(gst_query_get_structure(query), "change", &change);
    gst_query_unref(query);
    return (GstHdrLightChange)change;
}

gboolean gst_hdr_light_change_is_asked(GstQuery *query) {
    const GstStructure *structure = GST_QUERY_TYPE(query) == GST_QUERY_CUSTOM ? gst_query_get_structure(query) : NULL;
    return structure && gst_structure_has_name(structure, NAME);
}

void gst_hdr_light_change_answer(GstQuery *query, GstHdrLightChange change) {
    gst_structure_set(gst_query_writable_structure(query), "change", G_TYPE_INT, (gint)change, NULL);
}
