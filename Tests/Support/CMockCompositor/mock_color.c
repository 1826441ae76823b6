/* color-management-v1, with the errors of a strict compositor. */
#include <stdlib.h>
#include <string.h>

#include "mock.h"

struct creator {
    struct mock *mock;
    struct mock_description description;
    bool has_transfer;
};

/* A description that is not `ready` must not be used; one without `luminances`
 * cannot be asked. */
struct description {
    struct mock *mock;
    int32_t index;
    bool ready;
    const struct mock_luminances *luminances;
    struct mock_luminances kept;
};

static bool offers(struct mock *mock, uint32_t feature) { return mock->options.features >> feature & 1; }

static bool need(struct mock *mock, struct wl_resource *resource, uint32_t feature, uint32_t error) {
    if (!offers(mock, feature))
        mock_raise(mock, resource, error, "a feature that is not offered");
    return offers(mock, feature);
}

/* wp_image_description_v1 */

static void send_chromaticities(struct wl_resource *info, void (*send)(struct wl_resource *, int32_t, int32_t, int32_t,
                                                                       int32_t, int32_t, int32_t, int32_t, int32_t)) {
    send(info, 680000, 320000, 265000, 690000, 150000, 60000, 312700, 329000);
}
static void get_information(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct description *description = wl_resource_get_user_data(resource);
    if (!description->ready || description->luminances == NULL) {
        mock_raise(description->mock, resource, WP_IMAGE_DESCRIPTION_V1_ERROR_NO_INFORMATION,
                   "nothing can be told of the description");
        return;
    }
    const struct mock_luminances *l = description->luminances;
    struct wl_resource *info =
        wl_resource_create(client, &wp_image_description_info_v1_interface, wl_resource_get_version(resource), id);
    send_chromaticities(info, wp_image_description_info_v1_send_primaries);
    wp_image_description_info_v1_send_tf_named(info, WP_COLOR_MANAGER_V1_TRANSFER_FUNCTION_ST2084_PQ);
    wp_image_description_info_v1_send_luminances(info, l->min, l->max, l->reference);
    if (!description->mock->options.without_target) {
        send_chromaticities(info, wp_image_description_info_v1_send_target_primaries);
        wp_image_description_info_v1_send_target_luminance(info, l->target_min, l->target_max);
    }
    wp_image_description_info_v1_send_done(info);
    wl_resource_destroy(info);
}
static const struct wp_image_description_v1_interface description_requests = {mock_destroy_resource, get_information};
static void free_description(struct wl_resource *resource) { free(wl_resource_get_user_data(resource)); }

static struct description *make_description(struct mock *mock, struct wl_client *client, struct wl_resource *maker,
                                            uint32_t id, struct wl_resource **resource) {
    struct description *description = calloc(1, sizeof *description);
    description->mock = mock;
    description->index = -1;
    *resource = wl_resource_create(client, &wp_image_description_v1_interface, wl_resource_get_version(maker), id);
    wl_resource_set_implementation(*resource, &description_requests, description, free_description);
    return description;
}
static void finish(struct description *description, struct wl_resource *resource, bool fails) {
    if (description->mock->undecided)
        return;
    if (fails) {
        wp_image_description_v1_send_failed(resource, WP_IMAGE_DESCRIPTION_V1_CAUSE_UNSUPPORTED, "not with me");
        return;
    }
    description->ready = true;
    if (wl_resource_get_version(resource) >= 2)
        wp_image_description_v1_send_ready2(resource, 1, (uint32_t)description->index + 2);
    else
        wp_image_description_v1_send_ready(resource, (uint32_t)description->index + 2);
}
static void keep(struct mock *mock, struct description *description, const struct mock_description *content) {
    mock->descriptions = realloc(mock->descriptions, (mock->description_count + 1) * sizeof *content);
    mock->descriptions[mock->description_count] = *content;
    description->index = (int32_t)mock->description_count++;
}
static void tell(struct mock *mock, struct wl_client *client, struct wl_resource *maker, uint32_t id,
                 struct mock_luminances luminances) {
    struct wl_resource *resource;
    struct description *description = make_description(mock, client, maker, id, &resource);
    description->kept = luminances;
    description->luminances = &description->kept;
    bool undecided = mock->undecided;
    mock->undecided = false;
    finish(description, resource, false);
    mock->undecided = undecided;
}

/* wp_image_description_creator_params_v1 */

#define CREATOR struct creator *creator = wl_resource_get_user_data(resource)
#define BAD(code, text) mock_raise(creator->mock, resource, WP_IMAGE_DESCRIPTION_CREATOR_PARAMS_V1_ERROR_##code, text)
#define NEED(feature)                                                            \
    if (!need(creator->mock, resource, WP_COLOR_MANAGER_V1_FEATURE_##feature,    \
              WP_IMAGE_DESCRIPTION_CREATOR_PARAMS_V1_ERROR_UNSUPPORTED_FEATURE)) \
    return

static void create(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    CREATOR;
    struct mock_description *d = &creator->description;
    if (!creator->has_transfer || (d->primaries_named == 0 && !d->has_primaries)) {
        BAD(INCOMPLETE_SET, "a transfer function and primaries are needed");
        return;
    }
    if (d->has_max_cll && d->has_max_fall && d->max_fall > d->max_cll) {
        BAD(INVALID_LUMINANCE, "max_fall is above max_cll");
        return;
    }
    if (wl_resource_get_version(resource) < 2) {
        /* The mastering luminances are by default those of the primary color
         * volume. */
        bool pq = d->transfer == WP_COLOR_MANAGER_V1_TRANSFER_FUNCTION_ST2084_PQ;
        uint32_t low = d->has_mastering ? d->mastering_min : d->has_luminances ? d->min : pq ? 50 : 2000;
        uint32_t high = d->has_mastering ? d->mastering_max : pq ? 10000 : d->has_luminances ? d->max : 80;
        uint32_t levels[2] = {d->max_cll, d->max_fall};
        bool has[2] = {d->has_max_cll, d->has_max_fall};
        for (int i = 0; i < 2; i++) {
            if (has[i] && ((uint64_t)levels[i] * 10000 <= low || levels[i] > high)) {
                BAD(INVALID_LUMINANCE, "a light level is outside of the mastering range");
                return;
            }
        }
    }
    struct wl_resource *made;
    struct description *description = make_description(creator->mock, client, resource, id, &made);
    keep(creator->mock, description, d);
    finish(description, made, creator->mock->failing >> d->transfer & 1);
    wl_resource_destroy(resource);
}
static void set_tf_named(struct wl_client *client, struct wl_resource *resource, uint32_t transfer) {
    CREATOR;
    if (transfer > 31 || !(creator->mock->options.transfers >> transfer & 1))
        BAD(INVALID_TF, "a transfer function that is not offered");
    if (creator->has_transfer)
        BAD(ALREADY_SET, "two transfer functions");
    creator->has_transfer = true;
    creator->description.transfer = transfer;
}
static void set_tf_power(struct wl_client *client, struct wl_resource *resource, uint32_t exponent) {
    CREATOR;
    NEED(SET_TF_POWER);
}
static void set_primaries_named(struct wl_client *client, struct wl_resource *resource, uint32_t primaries) {
    CREATOR;
    if (primaries > 31 || !(creator->mock->options.primaries >> primaries & 1))
        BAD(INVALID_PRIMARIES_NAMED, "primaries that are not offered");
    creator->description.primaries_named = primaries;
}
static void set_primaries(struct wl_client *client, struct wl_resource *resource, int32_t a, int32_t b, int32_t c,
                          int32_t d, int32_t e, int32_t f, int32_t g, int32_t h) {
    CREATOR;
    NEED(SET_PRIMARIES);
    creator->description.has_primaries = true;
    int32_t all[8] = {a, b, c, d, e, f, g, h};
    memcpy(creator->description.primaries, all, sizeof all);
}
static void set_luminances(struct wl_client *client, struct wl_resource *resource, uint32_t min, uint32_t max,
                           uint32_t reference) {
    CREATOR;
    NEED(SET_LUMINANCES);
    if ((uint64_t)max * 10000 <= min || (uint64_t)reference * 10000 <= min)
        BAD(INVALID_LUMINANCE, "luminances out of order");
    struct mock_description *d = &creator->description;
    d->has_luminances = true;
    d->min = min;
    d->max = max;
    d->reference = reference;
}
static void set_mastering_primaries(struct wl_client *client, struct wl_resource *resource, int32_t a, int32_t b,
                                    int32_t c, int32_t d, int32_t e, int32_t f, int32_t g, int32_t h) {
    CREATOR;
    NEED(SET_MASTERING_DISPLAY_PRIMARIES);
    creator->description.has_mastering_primaries = true;
}
static void set_mastering_luminance(struct wl_client *client, struct wl_resource *resource, uint32_t min,
                                    uint32_t max) {
    CREATOR;
    NEED(SET_MASTERING_DISPLAY_PRIMARIES);
    if ((uint64_t)max * 10000 <= min)
        BAD(INVALID_LUMINANCE, "mastering luminances out of order");
    creator->description.has_mastering = true;
    creator->description.mastering_min = min;
    creator->description.mastering_max = max;
}
static void set_max_cll(struct wl_client *client, struct wl_resource *resource, uint32_t level) {
    CREATOR;
    creator->description.has_max_cll = true;
    creator->description.max_cll = level;
}
static void set_max_fall(struct wl_client *client, struct wl_resource *resource, uint32_t level) {
    CREATOR;
    creator->description.has_max_fall = true;
    creator->description.max_fall = level;
}
static const struct wp_image_description_creator_params_v1_interface creator_requests = {
    create,
    set_tf_named,
    set_tf_power,
    set_primaries_named,
    set_primaries,
    set_luminances,
    set_mastering_primaries,
    set_mastering_luminance,
    set_max_cll,
    set_max_fall,
};

/* wp_color_management_surface_v1 */

static void set_description(struct wl_client *client, struct wl_resource *resource, struct wl_resource *image,
                            uint32_t intent) {
    struct surface *surface = wl_resource_get_user_data(resource);
    struct description *description = wl_resource_get_user_data(image);
    struct mock *mock = description->mock;
    if (!description->ready)
        mock_raise(mock, resource, WP_COLOR_MANAGEMENT_SURFACE_V1_ERROR_IMAGE_DESCRIPTION, "it is not ready");
    if (intent > 31 || !(mock->options.intents >> intent & 1))
        mock_raise(mock, resource, WP_COLOR_MANAGEMENT_SURFACE_V1_ERROR_RENDER_INTENT, "an intent that is not offered");
    if (surface != NULL)
        surface->pending.description = description->index;
}
static void unset_description(struct wl_client *client, struct wl_resource *resource) {
    struct surface *surface = wl_resource_get_user_data(resource);
    if (surface != NULL)
        surface->pending.description = -1;
}
static const struct wp_color_management_surface_v1_interface surface_requests = {mock_destroy_resource, set_description,
                                                                                 unset_description};
static void color_surface_destroyed(struct wl_resource *resource) {
    struct surface *surface = wl_resource_get_user_data(resource);
    if (surface == NULL)
        return;
    surface->color = NULL;
    surface->pending.description = -1;
}

/* wp_color_management_surface_feedback_v1 */

static void get_preferred(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct mock *mock = wl_resource_get_user_data(resource);
    tell(mock, client, resource, id, mock->options.preferred);
}
static void get_preferred_parametric(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct mock *mock = wl_resource_get_user_data(resource);
    if (need(mock, resource, WP_COLOR_MANAGER_V1_FEATURE_PARAMETRIC,
             WP_COLOR_MANAGEMENT_SURFACE_FEEDBACK_V1_ERROR_UNSUPPORTED_FEATURE))
        tell(mock, client, resource, id, mock->options.preferred);
}
static const struct wp_color_management_surface_feedback_v1_interface feedback_requests = {
    mock_destroy_resource, get_preferred, get_preferred_parametric};

/* wp_color_management_output_v1 */

static void get_output_description(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct mock *mock = wl_resource_get_user_data(resource);
    tell(mock, client, resource, id, mock->options.output);
}
static const struct wp_color_management_output_v1_interface output_requests = {mock_destroy_resource,
                                                                               get_output_description};

/* wp_color_manager_v1 */

static void get_output(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                       struct wl_resource *output) {
    struct mock *mock = wl_resource_get_user_data(resource);
    struct wl_resource *made =
        wl_resource_create(client, &wp_color_management_output_v1_interface, wl_resource_get_version(resource), id);
    wl_resource_set_implementation(made, &output_requests, mock, mock_unlink);
    wl_list_insert(&mock->color_outputs, wl_resource_get_link(made));
}
static void get_surface(struct wl_client *client, struct wl_resource *resource, uint32_t id, struct wl_resource *of) {
    struct mock *mock = wl_resource_get_user_data(resource);
    struct surface *surface = mock_surface_of(of);
    if (surface->color != NULL) {
        mock_raise(mock, resource, WP_COLOR_MANAGER_V1_ERROR_SURFACE_EXISTS, "a surface has one");
        return;
    }
    surface->color =
        wl_resource_create(client, &wp_color_management_surface_v1_interface, wl_resource_get_version(resource), id);
    wl_resource_set_implementation(surface->color, &surface_requests, surface, color_surface_destroyed);
}
static void get_surface_feedback(struct wl_client *client, struct wl_resource *resource, uint32_t id,
                                 struct wl_resource *surface) {
    struct wl_resource *made = wl_resource_create(client, &wp_color_management_surface_feedback_v1_interface,
                                                  wl_resource_get_version(resource), id);
    struct mock *mock = wl_resource_get_user_data(resource);
    wl_resource_set_implementation(made, &feedback_requests, mock, mock_unlink);
    wl_list_insert(&mock->color_outputs, wl_resource_get_link(made));
}
static void create_icc(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct mock *mock = wl_resource_get_user_data(resource);
    mock_raise(mock, resource, WP_COLOR_MANAGER_V1_ERROR_UNSUPPORTED_FEATURE, "no ICC profiles");
}
static void free_creator(struct wl_resource *resource) { free(wl_resource_get_user_data(resource)); }
static void create_parametric(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct mock *mock = wl_resource_get_user_data(resource);
    if (!need(mock, resource, WP_COLOR_MANAGER_V1_FEATURE_PARAMETRIC, WP_COLOR_MANAGER_V1_ERROR_UNSUPPORTED_FEATURE))
        return;
    struct creator *creator = calloc(1, sizeof *creator);
    creator->mock = mock;
    struct wl_resource *made = wl_resource_create(client, &wp_image_description_creator_params_v1_interface,
                                                  wl_resource_get_version(resource), id);
    wl_resource_set_implementation(made, &creator_requests, creator, free_creator);
}
static void create_windows_scrgb(struct wl_client *client, struct wl_resource *resource, uint32_t id) {
    struct mock *mock = wl_resource_get_user_data(resource);
    if (!need(mock, resource, WP_COLOR_MANAGER_V1_FEATURE_WINDOWS_SCRGB, WP_COLOR_MANAGER_V1_ERROR_UNSUPPORTED_FEATURE))
        return;
    struct wl_resource *made;
    struct description *description = make_description(mock, client, resource, id, &made);
    struct mock_description content = {.windows_scrgb = true};
    keep(mock, description, &content);
    finish(description, made, mock->failing & 1);
}
static void get_by_reference(struct wl_client *c, struct wl_resource *r, uint32_t id, struct wl_resource *reference) {}
static const struct wp_color_manager_v1_interface manager_requests = {
    mock_destroy_resource, get_output,           get_surface,      get_surface_feedback, create_icc,
    create_parametric,     create_windows_scrgb, get_by_reference,
};

static void bind_color(struct wl_client *client, void *data, uint32_t version, uint32_t id) {
    struct mock *mock = data;
    const struct mock_options *options = &mock->options;
    struct wl_resource *resource = wl_resource_create(client, &wp_color_manager_v1_interface, (int)version, id);
    wl_resource_set_implementation(resource, &manager_requests, mock, NULL);
    for (uint32_t i = 0; i < 32; i++) {
        if (options->intents >> i & 1)
            wp_color_manager_v1_send_supported_intent(resource, i);
        if (options->features >> i & 1)
            wp_color_manager_v1_send_supported_feature(resource, i);
        if (options->transfers >> i & 1)
            wp_color_manager_v1_send_supported_tf_named(resource, i);
        if (options->primaries >> i & 1)
            wp_color_manager_v1_send_supported_primaries_named(resource, i);
    }
    if (!options->half_features)
        wp_color_manager_v1_send_done(resource);
}

void mock_add_color(struct mock *mock) {
    wl_global_create(mock->display, &wp_color_manager_v1_interface, (int)mock->options.color_version, mock, bind_color);
}

/* What tests ask and do. */

size_t mock_description_count(mock *mock) {
    pthread_mutex_lock(&mock->lock);
    size_t count = mock->description_count;
    pthread_mutex_unlock(&mock->lock);
    return count;
}

bool mock_description_get(mock *mock, size_t index, struct mock_description *out) {
    pthread_mutex_lock(&mock->lock);
    bool exists = index < mock->description_count;
    if (exists)
        *out = mock->descriptions[index];
    pthread_mutex_unlock(&mock->lock);
    return exists;
}

void mock_set_preferred(mock *mock, struct mock_luminances luminances) {
    pthread_mutex_lock(&mock->lock);
    mock->options.preferred = luminances;
    struct wl_resource *resource;
    wl_resource_for_each(resource, &mock->color_outputs) {
        if (!wl_resource_instance_of(resource, &wp_color_management_surface_feedback_v1_interface, &feedback_requests))
            continue;
        if (wl_resource_get_version(resource) >= 2)
            wp_color_management_surface_feedback_v1_send_preferred_changed2(resource, 1, 1);
        else
            wp_color_management_surface_feedback_v1_send_preferred_changed(resource, 1);
    }
    pthread_mutex_unlock(&mock->lock);
}

void mock_set_output(mock *mock, struct mock_luminances luminances) {
    pthread_mutex_lock(&mock->lock);
    mock->options.output = luminances;
    struct wl_resource *resource;
    wl_resource_for_each(resource, &mock->color_outputs) {
        if (wl_resource_instance_of(resource, &wp_color_management_output_v1_interface, &output_requests))
            wp_color_management_output_v1_send_image_description_changed(resource);
    }
    pthread_mutex_unlock(&mock->lock);
}
