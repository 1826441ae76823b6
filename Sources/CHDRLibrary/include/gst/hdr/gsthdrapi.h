/* The attribute of functions that the library libgsthdr-1.0 exports. Nothing else of it can be linked. */
#ifndef GST_HDR_API_H
#define GST_HDR_API_H

#if defined(__GNUC__)
#define GST_HDR_API __attribute__((visibility("default"))) extern
#else
#define GST_HDR_API extern
#endif

#endif
