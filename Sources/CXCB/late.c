/* The functions of the XCB libraries that Swift calls. */
#include "CXCB.h"

#define CORE(S)                                \
    S(xcb_change_property)                     \
    S(xcb_change_window_attributes_checked)    \
    S(xcb_configure_window)                    \
    S(xcb_connect)                             \
    S(xcb_connection_has_error)                \
    S(xcb_copy_area)                           \
    S(xcb_create_colormap)                     \
    S(xcb_create_gc)                           \
    S(xcb_create_pixmap)                       \
    S(xcb_create_window_checked)               \
    S(xcb_depth_next)                          \
    S(xcb_depth_visuals_iterator)              \
    S(xcb_disconnect)                          \
    S(xcb_flush)                               \
    S(xcb_format_next)                         \
    S(xcb_free_gc)                             \
    S(xcb_free_pixmap)                         \
    S(xcb_generate_id)                         \
    S(xcb_get_extension_data)                  \
    S(xcb_get_file_descriptor)                 \
    S(xcb_get_geometry)                        \
    S(xcb_get_geometry_reply)                  \
    S(xcb_get_keyboard_mapping)                \
    S(xcb_get_keyboard_mapping_keysyms)        \
    S(xcb_get_keyboard_mapping_keysyms_length) \
    S(xcb_get_keyboard_mapping_reply)          \
    S(xcb_get_maximum_request_length)          \
    S(xcb_get_setup)                           \
    S(xcb_intern_atom)                         \
    S(xcb_intern_atom_reply)                   \
    S(xcb_map_window)                          \
    S(xcb_poll_for_event)                      \
    S(xcb_poll_for_queued_event)               \
    S(xcb_poly_fill_rectangle)                 \
    S(xcb_put_image)                           \
    S(xcb_request_check)                       \
    S(xcb_screen_allowed_depths_iterator)      \
    S(xcb_screen_next)                         \
    S(xcb_setup_pixmap_formats_iterator)       \
    S(xcb_setup_roots_iterator)                \
    S(xcb_translate_coordinates)               \
    S(xcb_translate_coordinates_reply)         \
    S(xcb_visualtype_next)

#define PRESENT(S)                     \
    S(xcb_present_notify_msc)          \
    S(xcb_present_pixmap)              \
    S(xcb_present_query_version)       \
    S(xcb_present_query_version_reply) \
    S(xcb_present_select_input)

#define RANDR(S)                                           \
    S(xcb_randr_get_crtc_info)                             \
    S(xcb_randr_get_crtc_info_outputs)                     \
    S(xcb_randr_get_crtc_info_outputs_length)              \
    S(xcb_randr_get_crtc_info_reply)                       \
    S(xcb_randr_get_output_info)                           \
    S(xcb_randr_get_output_info_name)                      \
    S(xcb_randr_get_output_info_name_length)               \
    S(xcb_randr_get_output_info_reply)                     \
    S(xcb_randr_get_screen_resources_current)              \
    S(xcb_randr_get_screen_resources_current_crtcs)        \
    S(xcb_randr_get_screen_resources_current_crtcs_length) \
    S(xcb_randr_get_screen_resources_current_modes)        \
    S(xcb_randr_get_screen_resources_current_modes_length) \
    S(xcb_randr_get_screen_resources_current_reply)        \
    S(xcb_randr_query_version)                             \
    S(xcb_randr_query_version_reply)                       \
    S(xcb_randr_select_input)

#define RENDER(S)                                     \
    S(xcb_render_composite)                           \
    S(xcb_render_create_picture)                      \
    S(xcb_render_free_picture)                        \
    S(xcb_render_pictdepth_next)                      \
    S(xcb_render_pictdepth_visuals_iterator)          \
    S(xcb_render_pictforminfo_next)                   \
    S(xcb_render_pictscreen_depths_iterator)          \
    S(xcb_render_pictscreen_next)                     \
    S(xcb_render_pictvisual_next)                     \
    S(xcb_render_query_pict_formats)                  \
    S(xcb_render_query_pict_formats_formats_iterator) \
    S(xcb_render_query_pict_formats_reply)            \
    S(xcb_render_query_pict_formats_screens_iterator) \
    S(xcb_render_query_version)                       \
    S(xcb_render_query_version_reply)                 \
    S(xcb_render_set_picture_filter)                  \
    S(xcb_render_set_picture_transform)

#define SHM(S)                   \
    S(xcb_shm_attach_fd)         \
    S(xcb_shm_attach_fd_checked) \
    S(xcb_shm_detach)            \
    S(xcb_shm_put_image)         \
    S(xcb_shm_query_version)     \
    S(xcb_shm_query_version_reply)

CORE(LATE_FUNCTION)
PRESENT(LATE_FUNCTION)
RANDR(LATE_FUNCTION)
RENDER(LATE_FUNCTION)
SHM(LATE_FUNCTION)

LATE_VARIABLE(xcb_present_id)
LATE_VARIABLE(xcb_randr_id)
LATE_VARIABLE(xcb_render_id)
LATE_VARIABLE(xcb_shm_id)

xcb_extension_t *cxcb_present(void) { return late_at_xcb_present_id; }
xcb_extension_t *cxcb_randr(void) { return late_at_xcb_randr_id; }
xcb_extension_t *cxcb_render(void) { return late_at_xcb_render_id; }
xcb_extension_t *cxcb_shm(void) { return late_at_xcb_shm_id; }

static const struct late_symbol core[] = {CORE(LATE_SYMBOL)};
static const struct late_symbol present[] = {PRESENT(LATE_SYMBOL) LATE_SYMBOL(xcb_present_id)};
static const struct late_symbol randr[] = {RANDR(LATE_SYMBOL) LATE_SYMBOL(xcb_randr_id)};
static const struct late_symbol render[] = {RENDER(LATE_SYMBOL) LATE_SYMBOL(xcb_render_id)};
static const struct late_symbol shm[] = {SHM(LATE_SYMBOL) LATE_SYMBOL(xcb_shm_id)};

#define LIBRARY(file, package, symbols) \
    { file, package, symbols, sizeof symbols / sizeof *symbols }

static const struct late_library libraries[] = {
    LIBRARY("libxcb.so.1", "libxcb1", core),
    LIBRARY("libxcb-present.so.0", "libxcb-present0", present),
    LIBRARY("libxcb-randr.so.0", "libxcb-randr0", randr),
    LIBRARY("libxcb-render.so.0", "libxcb-render0", render),
    LIBRARY("libxcb-shm.so.0", "libxcb-shm0", shm),
};

const struct late_library *cxcb_libraries(size_t *count) {
    *count = sizeof libraries / sizeof *libraries;
    return libraries;
}
