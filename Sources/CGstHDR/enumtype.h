/* Macros that define the types of enumeration properties. */
#ifndef ENUMTYPE_H
#define ENUMTYPE_H

#include <gst/gst.h>

/* Defines a function that returns the type of an enumeration, whose values stand in an array that ends with zeros. */
#define ENUM_TYPE_OF(function, name, values)                   \
    static GType function(void) {                              \
        static gsize type = 0;                                 \
        if (g_once_init_enter(&type)) {                        \
            GType made = g_enum_register_static(name, values); \
            gst_type_mark_as_plugin_api(made, 0);              \
            g_once_init_leave(&type, made);                    \
        }                                                      \
        return type;                                           \
    }

/* Defines such a function for values that are given as arguments: each {value, description, nick}. */
#define ENUM_TYPE(function, name, ...)                                            \
    static const GEnumValue function##_values[] = {__VA_ARGS__, {0, NULL, NULL}}; \
    ENUM_TYPE_OF(function, name, function##_values)

#endif
