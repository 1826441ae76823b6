/* The version of this project: of the plugin, the command hdr and the pkg-config file. */
#ifndef GST_HDR_VERSION_H
#define GST_HDR_VERSION_H

#define GST_HDR_VERSION "0.1.0"
#define GST_HDR_VERSION_MAJOR 0
#define GST_HDR_VERSION_MINOR 1
#define GST_HDR_VERSION_MICRO 0
/* Whether these headers are of a version, or of a later one. */
#define GST_HDR_CHECK_VERSION(major, minor, micro) \
    (GST_HDR_VERSION_MAJOR > (major) ||            \
     (GST_HDR_VERSION_MAJOR == (major) &&          \
      (GST_HDR_VERSION_MINOR > (minor) || (GST_HDR_VERSION_MINOR == (minor) && GST_HDR_VERSION_MICRO >= (micro)))))
/* The date of the newest entry of CHANGELOG.md. */
#define GST_HDR_RELEASE_DATE "2026-11-22"

#endif
