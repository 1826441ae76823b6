#define _GNU_SOURCE
#include "CWayland.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int dispatch(const void *handler, void *target, uint32_t opcode, const struct wl_message *message,
                    union wl_argument *arguments) {
    ((cwayland_handler)(uintptr_t)handler)(wl_proxy_get_user_data(target), opcode, arguments);
    int index = 0;
    for (const char *c = message->signature; *c; c++) {
        if (strchr("iufsonah", *c) == NULL)
            continue;
        if (*c == 'h' && arguments[index].h >= 0)
            close(arguments[index].h);
        index++;
    }
    return 0;
}

int cwayland_listen(struct wl_proxy *proxy, cwayland_handler handler, void *context) {
    return wl_proxy_add_dispatcher(proxy, dispatch, (const void *)(uintptr_t)handler, context);
}

static const struct wl_interface *const interfaces[] = {
    &wl_compositor_interface,
    &wl_subcompositor_interface,
    &wl_shm_interface,
    &wl_output_interface,
    &wl_seat_interface,
    &xdg_wm_base_interface,
    &wp_viewporter_interface,
    &wp_presentation_interface,
    &wp_color_manager_v1_interface,
    &zxdg_decoration_manager_v1_interface,
};

void *cwayland_bind(struct wl_registry *registry, uint32_t name, const char *interface, uint32_t version) {
    for (size_t i = 0; i < sizeof interfaces / sizeof *interfaces; i++) {
        if (strcmp(interfaces[i]->name, interface) == 0)
            return wl_registry_bind(registry, name, interfaces[i], version);
    }
    return NULL;
}

int cwayland_memory(int64_t size) {
    int file = memfd_create("picture", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0)
        return -1;
    int error;
    do
        error = posix_fallocate(file, 0, size);
    while (error == EINTR);
    if (error != 0) {
        close(file);
        errno = error;
        return -1;
    }
    /* The seal assures the compositor that the file does not shrink under it. */
    fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK);
    return file;
}

void *cwayland_wrap(void *proxy, struct wl_event_queue *queue) {
    struct wl_proxy *wrapper = wl_proxy_create_wrapper(proxy);
    if (wrapper)
        wl_proxy_set_queue(wrapper, queue);
    return wrapper;
}
