#define _GNU_SOURCE
#include "CXCB.h"

#include <sys/mman.h>

int cxcb_memory_file(void) { return memfd_create("x11-picture", MFD_CLOEXEC); }
