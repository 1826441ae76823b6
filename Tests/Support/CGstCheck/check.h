#include <gst/check/gstharness.h>
#include <gst/check/gsttestclock.h>
