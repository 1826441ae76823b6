/*
 * A Wayland compositor for tests: it shows nothing, keeps to the protocols'
 * rules, records the requests it gets, and fails on demand. It runs on a thread
 * of its own; every function here may be called from any thread.
 */
#ifndef CMOCKCOMPOSITOR_H
#define CMOCKCOMPOSITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mock_luminances {
    /* In 0.0001 cd/m² the minima, in cd/m² the others. */
    uint32_t min, max, reference, target_min, target_max;
};

struct mock_options {
    /* The version of wp_color_manager_v1; 0 for none. */
    uint32_t color_version;
    /* Bit n stands for the protocol's number n. */
    uint32_t features, transfers, primaries, intents;
    /* wl_shm formats besides ARGB8888 and XRGB8888. */
    uint32_t formats[16];
    size_t format_count;
    struct mock_luminances preferred, output;
    bool without_viewporter, without_presentation, without_subcompositor, without_shell, without_target;
    /* The compositor never says `done` of its color features. */
    bool half_features;
    int32_t presentation_clock;
    int32_t output_scale;
    /* Milliseconds from one repaint to the next. */
    uint32_t interval;
};

struct mock_description {
    bool windows_scrgb;
    uint32_t transfer, primaries_named;
    bool has_primaries, has_luminances, has_mastering_primaries, has_mastering, has_max_cll, has_max_fall;
    int32_t primaries[8];
    uint32_t min, max, reference, mastering_min, mastering_max, max_cll, max_fall;
};

struct mock_surface {
    bool has_buffer, is_subsurface;
    uint32_t format;
    int32_t width, height, stride;
    int32_t x, y;
    /* 24.8 fixed point; -256 where it was not set. */
    int32_t source_x, source_y, source_width, source_height;
    int32_t destination_width, destination_height;
    /* An index of mock_description; -1 for an untagged surface. */
    int32_t description;
    /* The number of the window's commit that made this state. */
    uint32_t frame;
    /* The place of the pixels in the client's memory distinguishes buffers. */
    uint32_t attach_count;
};

typedef struct mock mock;

mock *mock_create(const struct mock_options *options);
void mock_destroy(mock *);

/* A new connection; the socket is the caller's. */
int mock_connect(mock *);
/* Accepts connections at a path. */
bool mock_listen(mock *, const char *path);

/* Queries of the clients' requests. */
size_t mock_surface_count(mock *);
bool mock_surface_get(mock *, size_t index, struct mock_surface *);
/* Copies the pixels of the current buffer, lines without gaps; the count of
 * bytes. */
size_t mock_surface_pixels(mock *, size_t index, uint8_t *bytes, size_t capacity, size_t bytes_per_pixel);
size_t mock_description_count(mock *);
bool mock_description_get(mock *, size_t index, struct mock_description *);
uint32_t mock_frame_count(mock *);
size_t mock_client_count(mock *);
/* The requests so far, one "interface.request" a line; the length. */
size_t mock_log(mock *, char *text, size_t capacity);
/* The last protocol error that was raised, empty for none. */
size_t mock_error(mock *, char *text, size_t capacity);
/* The title of the newest window; the length. */
size_t mock_title(mock *, char *text, size_t capacity);

/* Events that are sent to the clients. */
void mock_set_preferred(mock *, struct mock_luminances);
void mock_set_output(mock *, struct mock_luminances);
/* Descriptions with these transfer functions fail; bit 0 stands for
 * Windows-scRGB. */
void mock_set_failing(mock *, uint32_t transfers);
/* Descriptions are neither ready nor failed. */
void mock_set_undecided(mock *, bool);
void mock_set_hidden(mock *, bool);
void mock_set_releasing(mock *, bool);
void mock_configure(mock *, int32_t width, int32_t height);
void mock_close_window(mock *);
void mock_key(mock *, uint32_t key, bool pressed);
void mock_pointer(mock *, double x, double y);
void mock_button(mock *, uint32_t button, bool pressed);
void mock_axis(mock *, uint32_t axis, double value);
void mock_discard(mock *, bool);
/* Ends all connections. */
void mock_disconnect(mock *);
/* Writes bytes that are no events, or that are meant to look like some. */
void mock_write(mock *, const uint8_t *bytes, size_t count);
/* Does nothing any more, but keeps the connections. */
void mock_freeze(mock *, bool);

#endif
