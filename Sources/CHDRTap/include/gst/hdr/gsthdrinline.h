/* How the functions of these headers are compiled: in C and C++ they are compiled into the program, so that it links
 * GStreamer alone. The library libgsthdr-1.0 also exports each of them as a symbol, for languages that do not read
 * C. */
#ifndef GST_HDR_INLINE_H
#define GST_HDR_INLINE_H

#if !defined(GST_HDR_INLINE)
#define GST_HDR_INLINE static inline
#endif

/* Marks a function that takes no lock, so that Swift functions marked @_noLocks may call it. */
#if !defined(GST_HDR_NO_LOCKS)
#if defined(__clang__)
#define GST_HDR_NO_LOCKS __attribute__((swift_attr("@_noLocks")))
#else
#define GST_HDR_NO_LOCKS
#endif
#endif

#endif
