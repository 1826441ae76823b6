/* Real-time sections. CGstHDR.h says who implements the functions and who owns the arguments. */
#ifndef CGSTHDR_REALTIME_H
#define CGSTHDR_REALTIME_H

#include <gst/hdr/gsthdrtap.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

/* Begins a section in which nothing may allocate, lock or wait. RealtimeSanitizer checks the section in programs that
 * are linked with it. Until the end of the section the processor treats subnormal numbers as zero. Returns the
 * processor's previous mode, which gst_hdr_realtime_exit restores. */
guint64 gst_hdr_realtime_enter(void);
void gst_hdr_realtime_exit(guint64 mode);

/* Calls an application's process. The compiler assumes that it neither locks nor allocates: that is the application's
 * promise, which nothing here can check. */
GST_HDR_NO_LOCKS void gst_hdr_call_process(const GstHdrTapAudioCallbacks *callbacks, GstHdrAudioTap *tap, guint frames,
                                           guint flags, GstHdrTapAudioBufferList *list, guint *frames_out,
                                           guint *flags_out);
/* A number that no other living thread has: the address of a thread-local variable. */
GST_HDR_NO_LOCKS gsize gst_hdr_thread(void);

G_END_DECLS
#pragma GCC visibility pop

#endif
