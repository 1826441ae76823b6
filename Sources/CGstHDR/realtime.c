#include "CGstHDR.h"

/* Functions of RealtimeSanitizer's runtime. The symbols are weak, because only programs that are tested with it have
 * them. */
extern void __rtsan_realtime_enter(void) __attribute__((weak));
extern void __rtsan_realtime_exit(void) __attribute__((weak));

/* The flags flush-to-zero and denormals-are-zero, because arithmetic on subnormal numbers is many times slower. */
#if defined(__x86_64__)
#include <xmmintrin.h>
#define SUBNORMALS_ARE_ZERO 0x8040
static guint64 get_mode(void) { return _mm_getcsr(); }
static void set_mode(guint64 mode) { _mm_setcsr((guint)mode); }
#elif defined(__aarch64__)
#define SUBNORMALS_ARE_ZERO (1 << 24)
static guint64 get_mode(void) {
    guint64 mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode;
}
static void set_mode(guint64 mode) { __asm__ volatile("msr fpcr, %0" : : "r"(mode)); }
#else
#define SUBNORMALS_ARE_ZERO 0
static guint64 get_mode(void) { return 0; }
static void set_mode(guint64 mode) {}
#endif

guint64 gst_hdr_realtime_enter(void) {
    guint64 mode = get_mode();
    set_mode(mode | SUBNORMALS_ARE_ZERO);
    if (__rtsan_realtime_enter)
        __rtsan_realtime_enter();
    return mode;
}

void gst_hdr_realtime_exit(guint64 mode) {
    if (__rtsan_realtime_exit)
        __rtsan_realtime_exit();
    set_mode(mode);
}

void gst_hdr_call_process(const GstHdrTapAudioCallbacks *callbacks, GstHdrAudioTap *tap, guint frames, guint flags,
                          GstHdrTapAudioBufferList *list, guint *frames_out, guint *flags_out) {
    callbacks->process(tap, frames, flags, list, frames_out, flags_out);
}

gsize gst_hdr_thread(void) {
    static __thread char here;
    return (gsize)&here;
}
