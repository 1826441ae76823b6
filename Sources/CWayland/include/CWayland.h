/*
 * What Swift needs of libwayland-client, which is bound when a presenter opens, and the bindings of the protocols that
 * the presenter speaks.
 */
#ifndef CWAYLAND_H
#define CWAYLAND_H

#if !__has_include("../generated/color-management-v1-client.h")
#error The Wayland bindings are missing: run meson-wrap/wayland-bindings
#endif

#include <stdint.h>
#include <wayland-client.h>

#include "CLateBinding.h"

#include "../generated/color-management-v1-client.h"
#include "../generated/presentation-time-client.h"
#include "../generated/viewporter-client.h"
#include "../generated/xdg-decoration-unstable-v1-client.h"
#include "../generated/xdg-shell-client.h"

#define CWAYLAND_HIDDEN __attribute__((visibility("hidden")))

/* The library whose binding all other functions here need, except those about files and threads. */
CWAYLAND_HIDDEN const struct late_library *cwayland_library(void);

/* Handles the events of one protocol object. File descriptors among the arguments are closed afterwards. */
typedef void (*cwayland_handler)(void *context, uint32_t opcode, const union wl_argument *arguments);

/*
 * Sends the events of `proxy` to `handler`. One handler for all events instead of a listener structure, because
 * libwayland aborts the process at an event whose listener is NULL, as those are that a newer protocol file adds.
 */
CWAYLAND_HIDDEN int cwayland_listen(struct wl_proxy *proxy, cwayland_handler handler, void *context);

/* Binds the global with that name, as an object of the interface with that name; NULL where the interface is unknown
 * here. */
CWAYLAND_HIDDEN void *cwayland_bind(struct wl_registry *registry, uint32_t name, const char *interface,
                                    uint32_t version);

/* An anonymous file whose memory is allocated already, so that writing to it cannot fail. Returns -1 and sets errno
 * where that fails. */
CWAYLAND_HIDDEN int cwayland_memory(int64_t size);

/* A wl_proxy wrapper of `proxy` on `queue`, to be destroyed with wl_proxy_wrapper_destroy; NULL where there is no
 * memory. */
CWAYLAND_HIDDEN void *cwayland_wrap(void *proxy, struct wl_event_queue *queue);

#endif
