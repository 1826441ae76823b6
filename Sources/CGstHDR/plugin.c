#include <gst/hdr/gsthdrversion.h>

/* GStreamer's headers take the release date from this macro. */
#define GST_PACKAGE_RELEASE_DATETIME GST_HDR_RELEASE_DATE

#include "CGstHDR.h"
#include <gst/hdr/gsthdrdynamicmetadata.h>

#define PACKAGE "gst-hdr"

static gboolean plugin_init(GstPlugin *plugin) {
    /* While plugins are loaded, before streams of several threads need it. */
    gst_hdr_dynamic_meta_get_info();
    return gst_element_register_hdrconvert(plugin) && gst_element_register_hdrtap(plugin) &&
           gst_element_register_hdrmuxsettings(plugin) && gst_element_register_edrsink(plugin) &&
           gst_element_register_hdrsrc(plugin) && gst_element_register_hdrmetaparse(plugin) &&
           gst_element_register_hdrstreamparse(plugin) && gst_element_register_hdrcompositor(plugin) &&
           gst_element_register_hdrvideosink(plugin);
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, hdr,
                  "HDR video conversion, processing taps, export and display", plugin_init, GST_HDR_VERSION, "MPL-2.0",
                  "gst-hdr", "Unknown package origin")
