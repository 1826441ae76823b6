/* Surfaces, sub-surfaces, viewports and presentation times. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mock.h"

struct surface *mock_surface_of(struct wl_resource *resource) {
    return wl_resource_get_user_data(resource);
}

static const struct surface_state fresh = {
    .source = {-256, -256, -256, -256}, .destination = {-1, -1}, .description = -1};

/* Commits. */

static void take_pixels(struct surface *surface, struct wl_resource *buffer) {
    struct wl_shm_buffer *shm = wl_shm_buffer_get(buffer);
    free(surface->pixels);
    surface->pixels = NULL;
    if (shm == NULL)
        return;
    surface->width = wl_shm_buffer_get_width(shm);
    surface->height = wl_shm_buffer_get_height(shm);
    surface->stride = wl_shm_buffer_get_stride(shm);
    surface->format = wl_shm_buffer_get_format(shm);
    size_t size = (size_t)surface->stride * (size_t)surface->height;
    surface->pixels = malloc(size);
    wl_shm_buffer_begin_access(shm);
    memcpy(surface->pixels, wl_shm_buffer_get_data(shm), size);
    wl_shm_buffer_end_access(shm);
}

static void forget_buffer(struct wl_listener *listener, void *data) {
    struct surface *surface = wl_container_of(listener, surface, buffer_destroyed);
    if (surface->pending.buffer == data)
        surface->pending.buffer = NULL;
    if (surface->cached.buffer == data)
        surface->cached.buffer = NULL;
    if (surface->current.buffer == data)
        surface->current.buffer = NULL;
    wl_list_remove(&listener->link);
    wl_list_init(&listener->link);
}

static void apply(struct surface *surface, struct surface_state *state) {
    struct mock *mock = surface->mock;
    struct surface_state last = surface->current;
    surface->current = *state;
    if (!state->attached) {
        surface->current.buffer = last.buffer;
    } else {
        surface->attach_count++;
        wl_list_remove(&surface->buffer_destroyed.link);
        wl_list_init(&surface->buffer_destroyed.link);
        if (state->buffer != NULL) {
            take_pixels(surface, state->buffer);
            surface->buffer_destroyed.notify = forget_buffer;
            wl_resource_add_destroy_listener(state->buffer, &surface->buffer_destroyed);
        } else {
            free(surface->pixels);
            surface->pixels = NULL;
        }
        if (last.buffer != NULL && last.buffer != state->buffer && !mock->keeps_buffers)
            wl_buffer_send_release(last.buffer);
    }
    state->attached = false;
    surface->x = surface->pending_x;
    surface->y = surface->pending_y;
    surface->frame = mock->frames;

    /* A source outside of the buffer is an error. */
    if (surface->pixels != NULL && state->source[2] > 0) {
        int64_t right = (int64_t)state->source[0] + state->source[2],
                bottom = (int64_t)state->source[1] + state->source[3];
        if (state->source[0] < 0 || state->source[1] < 0 || right > (int64_t)surface->width * 256 ||
            bottom > (int64_t)surface->height * 256)
            mock_raise(mock, surface->resource, WP_VIEWPORT_ERROR_OUT_OF_BUFFER, "the source is outside of the buffer");
    }
}

static void commit(struct wl_client *client, struct wl_resource *resource) {
    struct surface *surface = mock_surface_of(resource);
    struct mock *mock = surface->mock;
    if (surface->parent != NULL) {
        struct wl_resource *buffer = surface->cached.buffer;
        bool attached = surface->cached.attached;
        surface->cached = surface->pending;
        if (!surface->pending.attached && surface->has_cached) {
            surface->cached.buffer = buffer;
            surface->cached.attached = attached;
        }
        surface->has_cached = true;
        surface->pending.attached = false;
        return;
    }
    mock->frames++;
    apply(surface, &surface->pending);
    wl_list_insert_list(&surface->frames, &surface->pending_frames);
    wl_list_init(&surface->pending_frames);
    struct surface *child;
    wl_list_for_each(child, &mock->surfaces, link) {
        if (child->parent != surface || !child->has_cached)
            continue;
        child->has_cached = false;
        apply(child, &child->cached);
        wl_list_insert_list(&child->frames, &child->pending_frames);
        wl_list_init(&child->pending_frames);
    }
    struct wl_resource *feedback;
    wl_resource_for_each(feedback, &mock->feedbacks) {
        struct surface *of = wl_resource_get_user_data(feedback);
        if (of == surface || (of != NULL && of->parent == surface))
            wl_resource_set_implementation(feedback, (void *)1, of, mock_unlink);
    }
}

static uint64_t now_on(int32_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void mock_repaint(struct mock *mock) {
    if (mock->hidden)
        return;
    mock->sequence++;
    uint64_t now = now_on(mock->options.presentation_clock);
    struct surface *surface;
    wl_list_for_each(surface, &mock->surfaces, link) {
        struct wl_resource *callback, *next;
        wl_resource_for_each_safe(callback, next, &surface->frames) {
            wl_callback_send_done(callback, (uint32_t)(now / 1000000));
            wl_resource_destroy(callback);
        }
    }
    struct wl_resource *feedback, *next;
    wl_resource_for_each_safe(feedback, next, &mock->feedbacks) {
        if (!wl_resource_instance_of(feedback, &wp_presentation_feedback_interface, (void *)1))
            continue;
        uint64_t seconds = now / 1000000000u;
        if (mock->discards)
            wp_presentation_feedback_send_discarded(feedback);
        else
            wp_presentation_feedback_send_presented(feedback, (uint32_t)(seconds >> 32), (uint32_t)seconds,
                                                    (uint32_t)(now % 1000000000u), mock->options.interval * 1000000u,
                                                    (uint32_t)(mock->sequence >> 32), (uint32_t)mock->sequence, 0);
        wl_resource_destroy(feedback);
    }
}

/* wl_surface */

static void attach(struct wl_client *client, struct wl_resource *resource, struct wl_resource *buffer, int32_t x,
                   int32_t y) {
    struct surface *surface = mock_surface_of(resource);
    surface->pending.buffer = buffer;
    surface->pending.attached = true;
}
static void ignore_rectangle(struct wl_client *c, struct wl_resource *r, int32_t x, int32_t y, int32_t w, int32_t h) {}
static void ignore_region(struct wl_client *c, struct wl_resource *r, struct wl_resource *region) {}
static void ignore_number(struct wl_client *c, struct wl_resource *r, int32_t n) {}
static void frame(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct surface *surface = mock_surface_of(resource);
    struct wl_resource *callback = wl_resource_create(client, &wl_callback_interface, 1, id);
    wl_resource_set_implementation(callback, NULL, NULL, mock_unlink);
    wl_list_insert(surface->pending_frames.prev, wl_resource_get_link(callback));
}
static const struct wl_surface_interface surface_requests = {
    .destroy = mock_destroy_resource,
    .attach = attach,
    .damage = ignore_rectangle,
    .frame = frame,
    .set_opaque_region = ignore_region,
    .set_input_region = ignore_region,
    .commit = commit,
    .set_buffer_transform = ignore_number,
    .set_buffer_scale = ignore_number,
    .damage_buffer = ignore_rectangle,
};
static void drop_list(struct wl_list *list) {
    struct wl_resource *resource, *next;
    wl_resource_for_each_safe(resource, next, list) wl_resource_destroy(resource);
}
static void surface_destroyed(struct wl_resource *resource) {
    struct surface *surface = mock_surface_of(resource), *other;
    wl_list_for_each(other, &surface->mock->surfaces, link) {
        if (other->parent == surface)
            other->parent = NULL;
    }
    struct wl_resource *feedback;
    wl_resource_for_each(feedback, &surface->mock->feedbacks) {
        if (wl_resource_get_user_data(feedback) == surface)
            wl_resource_set_user_data(feedback, NULL);
    }
    if (surface->color != NULL)
        wl_resource_set_user_data(surface->color, NULL);
    drop_list(&surface->pending_frames);
    drop_list(&surface->frames);
    wl_list_remove(&surface->buffer_destroyed.link);
    wl_list_remove(&surface->link);
    free(surface->pixels);
    free(surface);
}
static void create_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct surface *surface = calloc(1, sizeof *surface);
    surface->mock = wl_resource_get_user_data(resource);
    surface->pending = surface->cached = surface->current = fresh;
    wl_list_init(&surface->pending_frames);
    wl_list_init(&surface->frames);
    wl_list_init(&surface->buffer_destroyed.link);
    surface->resource = wl_resource_create(client, &wl_surface_interface, wl_resource_get_version(resource), id);
    wl_resource_set_implementation(surface->resource, &surface_requests, surface, surface_destroyed);
    wl_list_insert(surface->mock->surfaces.prev, &surface->link);
    /* Every window is on the one display. */
    struct wl_resource *output;
    wl_resource_for_each(output, &surface->mock->outputs) {
        if (wl_resource_get_client(output) == client)
            wl_surface_send_enter(surface->resource, output);
    }
}
static const struct wl_region_interface region_requests = {
    .destroy = mock_destroy_resource, .add = ignore_rectangle, .subtract = ignore_rectangle};
static void create_region(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct wl_resource *region = wl_resource_create(client, &wl_region_interface, 1, id);
    wl_resource_set_implementation(region, &region_requests, NULL, NULL);
}
static const struct wl_compositor_interface compositor_requests = {create_surface, create_region};
static void bind_compositor(struct wl_client *client, void *mock, uint32_t version, uint32_t id) {
    struct wl_resource *resource = wl_resource_create(client, &wl_compositor_interface, (int)version, id);
    wl_resource_set_implementation(resource, &compositor_requests, mock, NULL);
}

/* wl_subsurface */

static void set_position(struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y) {
    struct surface *surface = mock_surface_of(resource);
    surface->pending_x = x;
    surface->pending_y = y;
}
static void ignore_surface(struct wl_client *c, struct wl_resource *r, struct wl_resource *sibling) {}
static void ignore(struct wl_client *c, struct wl_resource *r) {}
static void set_desync(struct wl_client *client, struct wl_resource *resource) {
    mock_surface_of(resource)->parent = NULL;
}
static const struct wl_subsurface_interface subsurface_requests = {mock_destroy_resource, set_position, ignore_surface,
                                                                   ignore_surface,        ignore,       set_desync};
static void get_subsurface(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                           struct wl_resource *surface, struct wl_resource *parent) {
    struct wl_resource *subsurface = wl_resource_create(client, &wl_subsurface_interface, 1, id);
    mock_surface_of(surface)->parent = mock_surface_of(parent);
    wl_resource_set_implementation(subsurface, &subsurface_requests, mock_surface_of(surface), NULL);
}
static const struct wl_subcompositor_interface subcompositor_requests = {mock_destroy_resource, get_subsurface};
static void bind_subcompositor(struct wl_client *client, void *mock, uint32_t version, uint32_t id) {
    struct wl_resource *resource = wl_resource_create(client, &wl_subcompositor_interface, 1, id);
    wl_resource_set_implementation(resource, &subcompositor_requests, mock, NULL);
}

/* wp_viewport */

static void set_source(struct wl_client *client, struct wl_resource *resource, wl_fixed_t x, wl_fixed_t y, wl_fixed_t w,
                       wl_fixed_t h) {
    struct surface *surface = mock_surface_of(resource);
    if (w <= 0 || h <= 0 || x < 0 || y < 0)
        mock_raise(surface->mock, resource, WP_VIEWPORT_ERROR_BAD_VALUE, "bad source");
    int32_t source[4] = {x, y, w, h};
    memcpy(surface->pending.source, source, sizeof source);
}
static void set_destination(struct wl_client *client, struct wl_resource *resource, int32_t w, int32_t h) {
    struct surface *surface = mock_surface_of(resource);
    if (w <= 0 || h <= 0)
        mock_raise(surface->mock, resource, WP_VIEWPORT_ERROR_BAD_VALUE, "bad destination");
    surface->pending.destination[0] = w;
    surface->pending.destination[1] = h;
}
static const struct wp_viewport_interface viewport_requests = {mock_destroy_resource, set_source, set_destination};
static void get_viewport(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                         struct wl_resource *surface) {
    struct wl_resource *viewport = wl_resource_create(client, &wp_viewport_interface, 1, id);
    wl_resource_set_implementation(viewport, &viewport_requests, mock_surface_of(surface), NULL);
}
static const struct wp_viewporter_interface viewporter_requests = {mock_destroy_resource, get_viewport};
static void bind_viewporter(struct wl_client *client, void *mock, uint32_t version, uint32_t id) {
    struct wl_resource *resource = wl_resource_create(client, &wp_viewporter_interface, 1, id);
    wl_resource_set_implementation(resource, &viewporter_requests, mock, NULL);
}

/* wp_presentation */

static void get_feedback(struct wl_client *client, struct wl_resource *resource, struct wl_resource *surface,
                         uint32_t id) {
    struct mock *mock = wl_resource_get_user_data(resource);
    struct wl_resource *feedback = wl_resource_create(client, &wp_presentation_feedback_interface, 1, id);
    wl_resource_set_implementation(feedback, NULL, mock_surface_of(surface), mock_unlink);
    wl_list_insert(mock->feedbacks.prev, wl_resource_get_link(feedback));
}
static const struct wp_presentation_interface presentation_requests = {mock_destroy_resource, get_feedback};
static void bind_presentation(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
    struct mock *mock = data;
    struct wl_resource *resource = wl_resource_create(client, &wp_presentation_interface, 1, id);
    wl_resource_set_implementation(resource, &presentation_requests, mock, NULL);
    wp_presentation_send_clock_id(resource, (uint32_t)mock->options.presentation_clock);
}

void mock_add_surfaces(struct mock *mock) {
    wl_global_create(mock->display, &wl_compositor_interface, 4, mock, bind_compositor);
    if (!mock->options.without_subcompositor)
        wl_global_create(mock->display, &wl_subcompositor_interface, 1, mock, bind_subcompositor);
    if (!mock->options.without_viewporter)
        wl_global_create(mock->display, &wp_viewporter_interface, 1, mock, bind_viewporter);
    if (!mock->options.without_presentation)
        wl_global_create(mock->display, &wp_presentation_interface, 1, mock, bind_presentation);
}

/* What tests ask. */

static struct surface *surface_at(mock *mock, size_t index) {
    struct surface *surface;
    wl_list_for_each(surface, &mock->surfaces, link) {
        if (index-- == 0)
            return surface;
    }
    return NULL;
}

size_t mock_surface_count(mock *mock) {
    pthread_mutex_lock(&mock->lock);
    size_t count = (size_t)wl_list_length(&mock->surfaces);
    pthread_mutex_unlock(&mock->lock);
    return count;
}

uint32_t mock_frame_count(mock *mock) {
    pthread_mutex_lock(&mock->lock);
    uint32_t count = mock->frames;
    pthread_mutex_unlock(&mock->lock);
    return count;
}

bool mock_surface_get(mock *mock, size_t index, struct mock_surface *out) {
    pthread_mutex_lock(&mock->lock);
    struct surface *surface = surface_at(mock, index);
    if (surface != NULL) {
        const struct surface_state *state = &surface->current;
        *out = (struct mock_surface){
            .has_buffer = surface->pixels != NULL,
            .is_subsurface = surface->parent != NULL,
            .format = surface->format,
            .width = surface->width,
            .height = surface->height,
            .stride = surface->stride,
            .x = surface->x,
            .y = surface->y,
            .source_x = state->source[0],
            .source_y = state->source[1],
            .source_width = state->source[2],
            .source_height = state->source[3],
            .destination_width = state->destination[0],
            .destination_height = state->destination[1],
            .description = state->description,
            .frame = surface->frame,
            .attach_count = surface->attach_count,
        };
    }
    pthread_mutex_unlock(&mock->lock);
    return surface != NULL;
}

size_t mock_surface_pixels(mock *mock, size_t index, uint8_t *bytes, size_t capacity, size_t bytes_per_pixel) {
    size_t count = 0;
    pthread_mutex_lock(&mock->lock);
    struct surface *surface = surface_at(mock, index);
    if (surface != NULL && surface->pixels != NULL) {
        size_t line = (size_t)surface->width * bytes_per_pixel;
        for (int32_t y = 0; y < surface->height && count + line <= capacity; y++, count += line)
            memcpy(bytes + count, surface->pixels + (size_t)y * (size_t)surface->stride, line);
    }
    pthread_mutex_unlock(&mock->lock);
    return count;
}
