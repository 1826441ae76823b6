#define _GNU_SOURCE
#include "CXCB.h"

#include <pthread.h>
#include <sys/mman.h>

int cxcb_memory_file(void) {
    return memfd_create("x11-picture", MFD_CLOEXEC);
}

void cxcb_name_thread(const char *name) {
    pthread_setname_np(pthread_self(), name);
}
