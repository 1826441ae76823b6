/* Windows, displays and input. */
#include <stdio.h>
#include <string.h>

#include "mock.h"

/* xdg-shell */

static void ignore(struct wl_client *c, struct wl_resource *r) {}
static void ignore_text(struct wl_client *c, struct wl_resource *r, const char *text) {}
static void ignore_number(struct wl_client *c, struct wl_resource *r, uint32_t n) {}
static void ignore_size(struct wl_client *c, struct wl_resource *r, int32_t w, int32_t h) {}
static void ignore_rectangle(struct wl_client *c, struct wl_resource *r, int32_t x, int32_t y, int32_t w, int32_t h) {}
static void ignore_resource(struct wl_client *c, struct wl_resource *r, struct wl_resource *other) {}
static void ignore_menu(struct wl_client *c, struct wl_resource *r, struct wl_resource *seat, uint32_t serial,
                        int32_t x, int32_t y) {}
static void ignore_move(struct wl_client *c, struct wl_resource *r, struct wl_resource *seat, uint32_t serial) {}
static void ignore_resize(struct wl_client *c, struct wl_resource *r, struct wl_resource *seat, uint32_t serial,
                          uint32_t edges) {}

static void set_title(struct wl_client *client, struct wl_resource *resource, const char *title) {
    struct wl_resource *shell = wl_resource_get_user_data(resource);
    struct mock *mock = wl_resource_get_user_data(shell);
    snprintf(mock->title, sizeof mock->title, "%s", title);
}
static const struct xdg_toplevel_interface toplevel_requests = {
    .destroy = mock_destroy_resource,
    .set_parent = ignore_resource,
    .set_title = set_title,
    .set_app_id = ignore_text,
    .show_window_menu = ignore_menu,
    .move = ignore_move,
    .resize = ignore_resize,
    .set_max_size = ignore_size,
    .set_min_size = ignore_size,
    .set_maximized = ignore,
    .unset_maximized = ignore,
    .set_fullscreen = ignore_resource,
    .unset_fullscreen = ignore,
    .set_minimized = ignore,
};
static void send_configure(struct mock *mock, struct wl_resource *toplevel, int32_t width, int32_t height) {
    struct wl_array states;
    wl_array_init(&states);
    xdg_toplevel_send_configure(toplevel, width, height, &states);
    xdg_surface_send_configure(wl_resource_get_user_data(toplevel), ++mock->serial);
    wl_array_release(&states);
}
static void get_toplevel(struct wl_client *client, struct wl_resource *shell, uint32_t id) {
    struct mock *mock = wl_resource_get_user_data(shell);
    struct wl_resource *toplevel =
        wl_resource_create(client, &xdg_toplevel_interface, wl_resource_get_version(shell), id);
    wl_resource_set_implementation(toplevel, &toplevel_requests, shell, mock_unlink);
    wl_list_insert(&mock->toplevels, wl_resource_get_link(toplevel));
    send_configure(mock, toplevel, 0, 0);
}
static void get_popup(struct wl_client *c, struct wl_resource *r, uint32_t id, struct wl_resource *parent,
                      struct wl_resource *p) {}
static const struct xdg_surface_interface shell_requests = {mock_destroy_resource, get_toplevel, get_popup,
                                                            ignore_rectangle, ignore_number};
static void get_shell(struct wl_client *client, struct wl_resource *manager, uint32_t id, struct wl_resource *surface) {
    struct wl_resource *shell =
        wl_resource_create(client, &xdg_surface_interface, wl_resource_get_version(manager), id);
    mock_surface_of(surface)->is_root = true;
    wl_resource_set_implementation(shell, &shell_requests, wl_resource_get_user_data(manager), NULL);
}
static void create_positioner(struct wl_client *c, struct wl_resource *r, uint32_t id) {}
static const struct xdg_wm_base_interface manager_requests = {mock_destroy_resource, create_positioner, get_shell,
                                                              ignore_number};
static void bind_manager(struct wl_client *client, void *mock, uint32_t version, uint32_t id) {
    struct wl_resource *resource = wl_resource_create(client, &xdg_wm_base_interface, (int)version, id);
    wl_resource_set_implementation(resource, &manager_requests, mock, NULL);
    xdg_wm_base_send_ping(resource, 1);
}

/* xdg-decoration */

static const struct zxdg_toplevel_decoration_v1_interface decoration_requests = {mock_destroy_resource, ignore_number,
                                                                                 ignore};
static void get_decoration(struct wl_client *client, struct wl_resource *manager, uint32_t id,
                           struct wl_resource *toplevel) {
    struct wl_resource *decoration = wl_resource_create(client, &zxdg_toplevel_decoration_v1_interface, 1, id);
    wl_resource_set_implementation(decoration, &decoration_requests, NULL, NULL);
}
static const struct zxdg_decoration_manager_v1_interface decorations_requests = {mock_destroy_resource, get_decoration};
static void bind_decorations(struct wl_client *client, void *mock, uint32_t version, uint32_t id) {
    struct wl_resource *resource = wl_resource_create(client, &zxdg_decoration_manager_v1_interface, 1, id);
    wl_resource_set_implementation(resource, &decorations_requests, mock, NULL);
}

/* wl_output */

static const struct wl_output_interface output_requests = {mock_destroy_resource};
static void bind_output(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
    struct mock *mock = data;
    struct wl_resource *output = wl_resource_create(client, &wl_output_interface, (int)version, id);
    wl_resource_set_implementation(output, &output_requests, mock, mock_unlink);
    wl_list_insert(&mock->outputs, wl_resource_get_link(output));
    wl_output_send_geometry(output, 0, 0, 600, 340, 0, "Mock", "Display", 0);
    wl_output_send_mode(output, 0, 640, 480, 30000);
    wl_output_send_mode(output, WL_OUTPUT_MODE_CURRENT, 1920, 1080, 60000);
    wl_output_send_scale(output, mock->options.output_scale > 0 ? mock->options.output_scale : 1);
    wl_output_send_name(output, "MOCK-1");
    wl_output_send_done(output);
}

/* wl_seat */

static void set_cursor(struct wl_client *c, struct wl_resource *r, uint32_t serial, struct wl_resource *s, int32_t x,
                       int32_t y) {}
static const struct wl_pointer_interface pointer_requests = {set_cursor, mock_destroy_resource};
static const struct wl_keyboard_interface keyboard_requests = {mock_destroy_resource};
static void get_pointer(struct wl_client *client, struct wl_resource *seat, uint32_t id) {
    struct mock *mock = wl_resource_get_user_data(seat);
    struct wl_resource *pointer = wl_resource_create(client, &wl_pointer_interface, wl_resource_get_version(seat), id);
    wl_resource_set_implementation(pointer, &pointer_requests, NULL, mock_unlink);
    wl_list_insert(&mock->pointers, wl_resource_get_link(pointer));
}
static void get_keyboard(struct wl_client *client, struct wl_resource *seat, uint32_t id) {
    struct mock *mock = wl_resource_get_user_data(seat);
    struct wl_resource *keyboard =
        wl_resource_create(client, &wl_keyboard_interface, wl_resource_get_version(seat), id);
    wl_resource_set_implementation(keyboard, &keyboard_requests, NULL, mock_unlink);
    wl_list_insert(&mock->keyboards, wl_resource_get_link(keyboard));
}
static void get_touch(struct wl_client *c, struct wl_resource *r, uint32_t id) {}
static const struct wl_seat_interface seat_requests = {get_pointer, get_keyboard, get_touch, mock_destroy_resource};
static void bind_seat(struct wl_client *client, void *mock, uint32_t version, uint32_t id) {
    struct wl_resource *seat = wl_resource_create(client, &wl_seat_interface, (int)version, id);
    wl_resource_set_implementation(seat, &seat_requests, mock, NULL);
    wl_seat_send_capabilities(seat, WL_SEAT_CAPABILITY_POINTER | WL_SEAT_CAPABILITY_KEYBOARD);
}

void mock_add_shell(struct mock *mock) {
    if (!mock->options.without_shell)
        wl_global_create(mock->display, &xdg_wm_base_interface, 2, mock, bind_manager);
    wl_global_create(mock->display, &zxdg_decoration_manager_v1_interface, 1, mock, bind_decorations);
    wl_global_create(mock->display, &wl_output_interface, 4, mock, bind_output);
    wl_global_create(mock->display, &wl_seat_interface, 5, mock, bind_seat);
}

/* What tests do. */

void mock_configure(mock *mock, int32_t width, int32_t height) {
    pthread_mutex_lock(&mock->lock);
    struct wl_resource *toplevel;
    wl_resource_for_each(toplevel, &mock->toplevels) send_configure(mock, toplevel, width, height);
    pthread_mutex_unlock(&mock->lock);
}

void mock_close_window(mock *mock) {
    pthread_mutex_lock(&mock->lock);
    struct wl_resource *toplevel;
    wl_resource_for_each(toplevel, &mock->toplevels) xdg_toplevel_send_close(toplevel);
    pthread_mutex_unlock(&mock->lock);
}

static struct wl_resource *root_of(struct mock *mock, struct wl_client *client) {
    struct surface *surface;
    wl_list_for_each(surface, &mock->surfaces, link) {
        if (surface->is_root && wl_resource_get_client(surface->resource) == client)
            return surface->resource;
    }
    return NULL;
}

void mock_key(mock *mock, uint32_t key, bool pressed) {
    pthread_mutex_lock(&mock->lock);
    struct wl_resource *keyboard;
    wl_resource_for_each(keyboard, &mock->keyboards) wl_keyboard_send_key(keyboard, ++mock->serial, 1, key, pressed);
    pthread_mutex_unlock(&mock->lock);
}

void mock_pointer(mock *mock, double x, double y) {
    pthread_mutex_lock(&mock->lock);
    struct wl_resource *pointer;
    wl_resource_for_each(pointer, &mock->pointers) {
        struct wl_resource *surface = root_of(mock, wl_resource_get_client(pointer));
        if (surface == NULL)
            continue;
        wl_pointer_send_enter(pointer, ++mock->serial, surface, wl_fixed_from_double(x), wl_fixed_from_double(y));
        wl_pointer_send_motion(pointer, 1, wl_fixed_from_double(x + 1), wl_fixed_from_double(y + 1));
    }
    pthread_mutex_unlock(&mock->lock);
}

void mock_button(mock *mock, uint32_t button, bool pressed) {
    pthread_mutex_lock(&mock->lock);
    struct wl_resource *pointer;
    wl_resource_for_each(pointer, &mock->pointers) wl_pointer_send_button(pointer, ++mock->serial, 1, button, pressed);
    pthread_mutex_unlock(&mock->lock);
}

void mock_axis(mock *mock, uint32_t axis, double value) {
    pthread_mutex_lock(&mock->lock);
    struct wl_resource *pointer;
    wl_resource_for_each(pointer, &mock->pointers) wl_pointer_send_axis(pointer, 1, axis, wl_fixed_from_double(value));
    pthread_mutex_unlock(&mock->lock);
}
