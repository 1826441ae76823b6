/* Declarations that the files of the compositor share. All state is guarded by `lock`. */
#ifndef MOCK_H
#define MOCK_H

#include <pthread.h>
#include <wayland-server.h>

#include "../../../Sources/CWayland/generated/color-management-v1-server.h"
#include "../../../Sources/CWayland/generated/presentation-time-server.h"
#include "../../../Sources/CWayland/generated/viewporter-server.h"
#include "../../../Sources/CWayland/generated/xdg-decoration-unstable-v1-server.h"
#include "../../../Sources/CWayland/generated/xdg-shell-server.h"
#include "CMockCompositor.h"

struct surface_state {
    struct wl_resource *buffer;
    bool attached;
    int32_t source[4], destination[2];
    int32_t description;
};

struct surface {
    struct wl_list link;
    struct mock *mock;
    struct wl_resource *resource, *color;
    /* A sub-surface keeps its commits in `cached` until the parent's commit. */
    struct surface *parent;
    struct surface_state pending, cached, current;
    bool has_cached, is_root;
    int32_t x, y, pending_x, pending_y;
    struct wl_list pending_frames, frames;
    struct wl_list pending_feedback, feedback;
    struct wl_listener buffer_destroyed;
    uint8_t *pixels;
    int32_t width, height, stride;
    uint32_t format, frame, attach_count;
};

struct mock {
    struct mock_options options;
    pthread_mutex_t lock;
    pthread_t thread;
    bool stopping, frozen;
    struct wl_display *display;
    struct wl_event_source *timer;
    struct wl_protocol_logger *logger;
    struct wl_list surfaces, feedbacks, color_outputs, toplevels, pointers, keyboards, outputs;
    uint32_t frames, serial;
    uint64_t sequence;
    uint32_t failing;
    bool undecided, hidden, keeps_buffers, discards;
    struct mock_description *descriptions;
    size_t description_count;
    char *log;
    size_t log_size, log_capacity;
    char error[256], title[256];
};

void mock_add_surfaces(struct mock *);
void mock_add_shell(struct mock *);
void mock_add_color(struct mock *);
void mock_repaint(struct mock *);
struct surface *mock_surface_of(struct wl_resource *);
/* Raises a protocol error and writes it down. */
void mock_raise(struct mock *, struct wl_resource *, uint32_t code, const char *text);
void mock_destroy_resource(struct wl_client *, struct wl_resource *);
void mock_unlink(struct wl_resource *);

#endif
