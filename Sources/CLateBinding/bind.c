#include "CLateBinding.h"

#include <dlfcn.h>

struct late_answer late_unbound(void) {
    return (struct late_answer){{0, 0}};
}

const char *late_bind(const struct late_library *library, void *handle) {
    for (size_t i = 0; i < library->count; i++) {
        if (!dlsym(handle, library->symbols[i].name))
            return library->symbols[i].name;
    }
    for (size_t i = 0; i < library->count; i++)
        *library->symbols[i].address = dlsym(handle, library->symbols[i].name);
    return NULL;
}
