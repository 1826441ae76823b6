/* The attribute of functions that the library libgsthdr-1.0 exports. Apart from these, only the functions that are
 * inline in C can be linked (gst/hdr/gsthdrinline.h). */
#ifndef GST_HDR_API_H
#define GST_HDR_API_H

#if defined(__GNUC__)
#define GST_HDR_API __attribute__((visibility("default"))) extern
#else
#define GST_HDR_API extern
#endif

#endif
