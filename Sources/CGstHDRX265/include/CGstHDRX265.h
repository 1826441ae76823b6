/* The contract between the C shim and Swift of the plugin hdrx265. Its rules are those in CGstHDR.h of the plugin
 * hdr. */
#ifndef CGSTHDRX265_H
#define CGSTHDRX265_H

#include <gst/gst.h>

#include "hdrx265enc.h"

G_BEGIN_DECLS

/* The plugin, for programs that link it statically: registers every element. */
GST_PLUGIN_EXPORT void gst_plugin_hdrx265_register(void);

G_END_DECLS

#endif
