/* The functions of libwayland-client that Swift and the inline functions of the library's headers call. */
#include "CWayland.h"

#define CLIENT(S)                        \
    S(wl_display_cancel_read)            \
    S(wl_display_connect_to_fd)          \
    S(wl_display_create_queue)           \
    S(wl_display_disconnect)             \
    S(wl_display_dispatch_queue_pending) \
    S(wl_display_flush)                  \
    S(wl_display_get_error)              \
    S(wl_display_get_fd)                 \
    S(wl_display_get_protocol_error)     \
    S(wl_display_prepare_read_queue)     \
    S(wl_display_read_events)            \
    S(wl_event_queue_destroy)            \
    S(wl_proxy_add_dispatcher)           \
    S(wl_proxy_create_wrapper)           \
    S(wl_proxy_destroy)                  \
    S(wl_proxy_get_user_data)            \
    S(wl_proxy_get_version)              \
    S(wl_proxy_marshal_flags)            \
    S(wl_proxy_set_queue)                \
    S(wl_proxy_set_user_data)            \
    S(wl_proxy_wrapper_destroy)

CLIENT(LATE_FUNCTION)

static const struct late_symbol client[] = {CLIENT(LATE_SYMBOL)};

static const struct late_library library = {
    "libwayland-client.so.0",
    "libwayland-client0",
    client,
    sizeof client / sizeof *client,
};

const struct late_library *cwayland_library(void) { return &library; }
