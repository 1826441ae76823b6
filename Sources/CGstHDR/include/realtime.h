/* Real-time sections. CGstHDR.h says whose the functions and the arguments are. */
#ifndef CGSTHDR_REALTIME_H
#define CGSTHDR_REALTIME_H

#include <gst/hdr/gsthdrtap.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

/* Marks the section in which nothing may allocate, lock or wait: tells RealtimeSanitizer where the program has it, and
 * sets the processor to take subnormal numbers for zero. Returns the processor's mode, for the end of the section. */
guint64 gst_hdr_realtime_enter(void);
void gst_hdr_realtime_exit(guint64 mode);

/* Calls an application's process, which answers for what it does. */
GST_HDR_NO_LOCKS void gst_hdr_call_process(const GstHdrTapAudioCallbacks *callbacks, GstHdrAudioTap *tap, guint frames,
                                           guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                                           guint *flags_out);
/* A number that is the calling thread's alone. */
GST_HDR_NO_LOCKS gsize gst_hdr_thread(void);

G_END_DECLS
#pragma GCC visibility pop

#endif
