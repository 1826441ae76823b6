/* Properties whose values the elements judge by themselves. CGstHDR.h says whose the functions and the arguments are.
 * */
#ifndef CGSTHDR_SETTINGS_H
#define CGSTHDR_SETTINGS_H

#include <gst/gst.h>

#pragma GCC visibility push(hidden)
G_BEGIN_DECLS

/* C. As g_param_spec_double, but values outside of the range come to set_property as they are, where GObject would cut
 * them without a word. */
GParamSpec *gst_hdr_param_spec_double(const gchar *name, const gchar *nick, const gchar *blurb, gdouble minimum,
                                      gdouble maximum, gdouble value, GParamFlags flags);

G_END_DECLS
#pragma GCC visibility pop

#endif
