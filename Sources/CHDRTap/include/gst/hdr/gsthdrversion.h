/* The version of this project: of the plugin, the command hdr and the pkg-config file. */
#ifndef GST_HDR_VERSION_H
#define GST_HDR_VERSION_H

#define GST_HDR_VERSION "0.1.0"
/* The date of the newest entry of CHANGELOG.md. */
#define GST_HDR_RELEASE_DATE "2026-11-22"

#endif
