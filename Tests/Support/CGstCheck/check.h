#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
#include <sys/syscall.h>
#include <unistd.h>

// The kernel's number of the calling thread. The value of pthread_self() passes to the next thread once a thread has
// ended.
static inline long check_thread_number(void) { return syscall(SYS_gettid); }
