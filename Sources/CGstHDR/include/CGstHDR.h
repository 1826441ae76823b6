/* The contract between the C half and Swift.
 *
 * C registers types, properties and pad templates and forwards virtual functions, in one line where that is possible.
 * It also holds what needs GObject's macros and the structures of base classes: how pictures that wait in hdrconvert
 * come to its base class (gsthdrconvert.c), the pads of hdrcompositor with their settings and caps
 * (gsthdrcompositorpad.c, gsthdrcompositor.c), and changes of state around those of the parent class. Swift implements
 * every function of the sections "Swift" of these headers with `@c @implementation`, so that the compiler checks the
 * signatures. Functions of the sections "C" are implemented in C for Swift to call.
 *
 * Names follow the element's: hdrconvert is GstHdrConvert in gsthdrconvert.c and hdrconvert.h, with gst_hdr_convert_*
 * in C and hdr_convert_* in Swift; edrsink is GstEdrSink in gstedrsink.c and edrsink.h, with gst_edr_sink_* and
 * edr_sink_*. A default that C's GParamSpec and the settings in Swift both need is a constant of the header, except for
 * values that are empty at first.
 *
 * Ownership: `impl` is a Swift object that the GObject owns: it is made in instance_init and released in finalize. All
 * other arguments are borrowed for the call unless a comment says otherwise. */
#ifndef CGSTHDR_H
#define CGSTHDR_H

#include <gst/gst.h>

#include "lightchange.h"
#include "hdrconvert.h"
#include "hdrtap.h"
#include "effect.h"
#include "hdrmuxsettings.h"
#include "edrsink.h"
#include "hdrsrc.h"
#include "hdrvideosink.h"
#include "videooutput.h"
#include "binfilter.h"
#include "hdrmetaparse.h"
#include "hdrcompositor.h"
#include "hdrcompositing.h"
#include "realtime.h"
#include "settings.h"

G_BEGIN_DECLS

/* The plugin, for programs that link it statically: registers every element. */
GST_PLUGIN_EXPORT void gst_plugin_hdr_register(void);

G_END_DECLS

#endif
