#include <gst/hdr/gsthdrversion.h>

/* GStreamer's headers take the release date from this macro. */
#define GST_PACKAGE_RELEASE_DATETIME GST_HDR_RELEASE_DATE

#include "CGstHDRX265.h"
#include <gst/hdr/gsthdrdynamicmetadata.h>

#define PACKAGE "gst-hdr"

static gboolean plugin_init(GstPlugin *plugin) {
    /* While plugins are loaded, before streams of several threads need it. */
    gst_hdr_dynamic_meta_get_info();
    return gst_element_register_hdrx265enc(plugin);
}

/* This project's source code is under MPL-2.0; together with libx265, which the plugin links, the whole is under the
 * GPL. */
GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, hdrx265, "HEVC encoding with HDR metadata by libx265",
                  plugin_init, GST_HDR_VERSION, "GPL", "gst-hdr", "Unknown package origin")
