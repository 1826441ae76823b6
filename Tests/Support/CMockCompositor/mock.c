#define _GNU_SOURCE
#include "mock.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void mock_destroy_resource(struct wl_client *client, struct wl_resource *resource) { wl_resource_destroy(resource); }

void mock_unlink(struct wl_resource *resource) { wl_list_remove(wl_resource_get_link(resource)); }

void mock_raise(struct mock *mock, struct wl_resource *resource, uint32_t code, const char *text) {
    snprintf(mock->error, sizeof mock->error, "%s: %s", wl_resource_get_class(resource), text);
    wl_resource_post_error(resource, code, "%s", text);
}

static void log_request(void *data, enum wl_protocol_logger_type type,
                        const struct wl_protocol_logger_message *message) {
    struct mock *mock = data;
    if (type != WL_PROTOCOL_LOGGER_REQUEST)
        return;
    char line[160];
    int length =
        snprintf(line, sizeof line, "%s.%s\n", wl_resource_get_class(message->resource), message->message->name);
    if (mock->log_size + (size_t)length + 1 > mock->log_capacity) {
        mock->log_capacity = mock->log_capacity * 2 + 4096;
        mock->log = realloc(mock->log, mock->log_capacity);
    }
    memcpy(mock->log + mock->log_size, line, (size_t)length);
    mock->log_size += (size_t)length;
}

static int on_timer(void *data) {
    struct mock *mock = data;
    mock_repaint(mock);
    wl_event_source_timer_update(mock->timer, (int)mock->options.interval);
    return 0;
}

static void *run(void *data) {
    struct mock *mock = data;
    struct wl_event_loop *loop = wl_display_get_event_loop(mock->display);
    for (;;) {
        pthread_mutex_lock(&mock->lock);
        bool stopping = mock->stopping;
        if (!stopping && !mock->frozen) {
            wl_event_loop_dispatch(loop, 0);
            wl_display_flush_clients(mock->display);
        }
        bool frozen = mock->frozen;
        pthread_mutex_unlock(&mock->lock);
        if (stopping)
            return NULL;
        struct pollfd file = {wl_event_loop_get_fd(loop), POLLIN, 0};
        if (frozen)
            usleep(1000);
        else
            poll(&file, 1, 2);
    }
}

mock *mock_create(const struct mock_options *options) {
    struct mock *mock = calloc(1, sizeof *mock);
    mock->options = *options;
    if (mock->options.interval == 0)
        mock->options.interval = 5;
    pthread_mutex_init(&mock->lock, NULL);
    mock->display = wl_display_create();
    wl_list_init(&mock->surfaces);
    wl_list_init(&mock->feedbacks);
    wl_list_init(&mock->color_outputs);
    wl_list_init(&mock->toplevels);
    wl_list_init(&mock->pointers);
    wl_list_init(&mock->keyboards);
    wl_list_init(&mock->outputs);
    wl_display_init_shm(mock->display);
    for (size_t i = 0; i < options->format_count; i++)
        wl_display_add_shm_format(mock->display, options->formats[i]);
    mock_add_surfaces(mock);
    mock_add_shell(mock);
    if (options->color_version > 0)
        mock_add_color(mock);
    mock->logger = wl_display_add_protocol_logger(mock->display, log_request, mock);
    mock->timer = wl_event_loop_add_timer(wl_display_get_event_loop(mock->display), on_timer, mock);
    wl_event_source_timer_update(mock->timer, (int)mock->options.interval);
    pthread_create(&mock->thread, NULL, run, mock);
    return mock;
}

void mock_destroy(mock *mock) {
    pthread_mutex_lock(&mock->lock);
    mock->stopping = true;
    pthread_mutex_unlock(&mock->lock);
    pthread_join(mock->thread, NULL);
    wl_display_destroy_clients(mock->display);
    wl_event_source_remove(mock->timer);
    wl_protocol_logger_destroy(mock->logger);
    wl_display_destroy(mock->display);
    pthread_mutex_destroy(&mock->lock);
    free(mock->descriptions);
    free(mock->log);
    free(mock);
}

int mock_connect(mock *mock) {
    int files[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, files) < 0)
        return -1;
    pthread_mutex_lock(&mock->lock);
    if (wl_client_create(mock->display, files[0]) == NULL) {
        close(files[0]);
        close(files[1]);
        files[1] = -1;
    }
    pthread_mutex_unlock(&mock->lock);
    return files[1];
}

bool mock_listen(mock *mock, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return false;
    strcpy(address.sun_path, path);
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0 || bind(file, (struct sockaddr *)&address, sizeof address) < 0 || listen(file, 8) < 0)
        return false;
    pthread_mutex_lock(&mock->lock);
    bool added = wl_display_add_socket_fd(mock->display, file) == 0;
    pthread_mutex_unlock(&mock->lock);
    return added;
}

static size_t copy_text(mock *mock, const char *from, size_t length, char *text, size_t capacity) {
    size_t count = length < capacity ? length : capacity;
    if (count > 0)
        memcpy(text, from, count);
    return count;
}

size_t mock_log(mock *mock, char *text, size_t capacity) {
    pthread_mutex_lock(&mock->lock);
    size_t count = copy_text(mock, mock->log, mock->log_size, text, capacity);
    pthread_mutex_unlock(&mock->lock);
    return count;
}

size_t mock_error(mock *mock, char *text, size_t capacity) {
    pthread_mutex_lock(&mock->lock);
    size_t count = copy_text(mock, mock->error, strlen(mock->error), text, capacity);
    pthread_mutex_unlock(&mock->lock);
    return count;
}

size_t mock_title(mock *mock, char *text, size_t capacity) {
    pthread_mutex_lock(&mock->lock);
    size_t count = copy_text(mock, mock->title, strlen(mock->title), text, capacity);
    pthread_mutex_unlock(&mock->lock);
    return count;
}

size_t mock_client_count(mock *mock) {
    pthread_mutex_lock(&mock->lock);
    size_t count = (size_t)wl_list_length(wl_display_get_client_list(mock->display));
    pthread_mutex_unlock(&mock->lock);
    return count;
}

void mock_disconnect(mock *mock) {
    pthread_mutex_lock(&mock->lock);
    wl_display_destroy_clients(mock->display);
    pthread_mutex_unlock(&mock->lock);
}

void mock_write(mock *mock, const uint8_t *bytes, size_t count) {
    pthread_mutex_lock(&mock->lock);
    wl_display_flush_clients(mock->display);
    struct wl_client *client;
    wl_client_for_each(client, wl_display_get_client_list(mock->display)) {
        send(wl_client_get_fd(client), bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    pthread_mutex_unlock(&mock->lock);
}

void mock_freeze(mock *mock, bool frozen) {
    pthread_mutex_lock(&mock->lock);
    mock->frozen = frozen;
    pthread_mutex_unlock(&mock->lock);
}

#define SETTER(name, field, type)          \
    void name(mock *mock, type value) {    \
        pthread_mutex_lock(&mock->lock);   \
        mock->field = value;               \
        pthread_mutex_unlock(&mock->lock); \
    }
SETTER(mock_set_failing, failing, uint32_t)
SETTER(mock_set_undecided, undecided, bool)
SETTER(mock_set_hidden, hidden, bool)
SETTER(mock_discard, discards, bool)

void mock_set_releasing(mock *mock, bool releases) {
    pthread_mutex_lock(&mock->lock);
    mock->keeps_buffers = !releases;
    pthread_mutex_unlock(&mock->lock);
}
