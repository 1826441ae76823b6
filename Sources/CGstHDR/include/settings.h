/* Properties whose values the elements validate themselves. CGstHDR.h says who implements the functions
 * and who owns the arguments. */
#ifndef CGSTHDR_SETTINGS_H
#define CGSTHDR_SETTINGS_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

/* C. Like g_param_spec_double, but set_property also gets values outside the range, so that the element can warn of
 * them: GObject itself would clamp them silently. */
GParamSpec *gst_hdr_param_spec_double(const gchar *name, const gchar *nick, const gchar *blurb, gdouble minimum,
                                      gdouble maximum, gdouble value, GParamFlags flags);

G_END_DECLS
#pragma GCC visibility pop

#endif
