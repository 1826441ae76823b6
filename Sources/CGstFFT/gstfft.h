#include <gst/fft/gstfftf32.h>
