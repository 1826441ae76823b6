/* What Swift needs of the XCB libraries, which are bound when a presenter opens. */
#ifndef CXCB_H
#define CXCB_H

#if !__has_include(<xcb/present.h>) || !__has_include(<xcb/randr.h>) || !__has_include(<xcb/render.h>) \
    || !__has_include(<xcb/shm.h>)
#error No XCB headers: apt-get install libxcb-{present,randr0,render0,shm0}-dev
#endif

#include <sys/eventfd.h>
#include <xcb/present.h>
#include <xcb/randr.h>
#include <xcb/render.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>

#include "CLateBinding.h"

#define CXCB_HIDDEN __attribute__((visibility("hidden")))

/* The libraries that all other functions here need, in the order in which they are to be bound. */
CXCB_HIDDEN const struct late_library *cxcb_libraries(size_t *count);

/* The extensions' names; NULL before their libraries are bound. */
CXCB_HIDDEN xcb_extension_t *cxcb_present(void);
CXCB_HIDDEN xcb_extension_t *cxcb_randr(void);
CXCB_HIDDEN xcb_extension_t *cxcb_render(void);
CXCB_HIDDEN xcb_extension_t *cxcb_shm(void);

/* An anonymous file. Returns -1 and sets errno where that fails. */
CXCB_HIDDEN int cxcb_memory_file(void);

/* Accessors of members that lie unaligned in a packed structure. */
static inline uint64_t cxcb_complete_ust(const xcb_present_complete_notify_event_t *event) { return event->ust; }
static inline uint64_t cxcb_complete_msc(const xcb_present_complete_notify_event_t *event) { return event->msc; }

#endif
