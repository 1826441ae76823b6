/* A lock-free queue between two threads: one that enqueues, one that dequeues. Neither ever waits, allocates or calls
 * the system, so that either may be a real-time thread. The semantics are those of Apple's CMSimpleQueue.
 *
 * gst_hdr_queue_free, gst_hdr_queue_enqueue, gst_hdr_queue_get_head and gst_hdr_queue_dequeue accept a queue of NULL,
 * the other functions do not. */
#ifndef GST_HDR_QUEUE_H
#define GST_HDR_QUEUE_H

#include <glib.h>
#include <gst/hdr/gsthdrinline.h>

G_BEGIN_DECLS

typedef enum {
    GST_HDR_QUEUE_OK = 0,
    GST_HDR_QUEUE_FULL = -1,            /* the element was not taken */
    GST_HDR_QUEUE_INVALID_ARGUMENT = -2 /* a NULL element or queue, or a capacity below 1 */
} GstHdrQueueStatus;

/* The fields are private. Each index has a cache line of its own, and both only grow. */
typedef struct {
    /*< private >*/
    gsize capacity;
    gpointer *slots;
    gint other_owners;
    guint8 padding_1[64 - 2 * sizeof(gpointer) - sizeof(gint)];
    gsize head; /* elements dequeued so far */
    guint8 padding_2[64 - sizeof(gsize)];
    gsize tail; /* elements enqueued so far */
    guint8 padding_3[64 - sizeof(gsize)];
} GstHdrQueue;

/* A queue for at most `capacity` elements, or NULL for a capacity below 1. */
GST_HDR_INLINE GstHdrQueue *gst_hdr_queue_new(gssize capacity) {
    if (capacity < 1 || (gsize)capacity > G_MAXSIZE / sizeof(gpointer))
        return NULL;
    GstHdrQueue *queue = g_new0(GstHdrQueue, 1);
    queue->capacity = (gsize)capacity;
    queue->slots = g_new0(gpointer, (gsize)capacity);
    return queue;
}

/* Adds an owner of the queue, who calls gst_hdr_queue_free as well. */
GST_HDR_INLINE GstHdrQueue *gst_hdr_queue_ref(GstHdrQueue *queue) {
    __atomic_fetch_add(&queue->other_owners, 1, __ATOMIC_RELAXED);
    return queue;
}

/* Gives up ownership; to be called when both threads are done with the queue. The last owner frees it. The elements
 * left in it are the caller's. */
GST_HDR_INLINE void gst_hdr_queue_free(GstHdrQueue *queue) {
    if (!queue || __atomic_fetch_sub(&queue->other_owners, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    g_free(queue->slots);
    g_free(queue);
}

/* For the enqueueing thread: appends `element`, which is any pointer but NULL. */
GST_HDR_NO_LOCKS GST_HDR_INLINE GstHdrQueueStatus gst_hdr_queue_enqueue(GstHdrQueue *queue, gpointer element) {
    if (!queue || !element)
        return GST_HDR_QUEUE_INVALID_ARGUMENT;
    gsize tail = __atomic_load_n(&queue->tail, __ATOMIC_RELAXED);
    if (tail - __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE) >= queue->capacity)
        return GST_HDR_QUEUE_FULL;
    queue->slots[tail % queue->capacity] = element;
    __atomic_store_n(&queue->tail, tail + 1, __ATOMIC_RELEASE);
    return GST_HDR_QUEUE_OK;
}

/* For the dequeueing thread: the oldest element, which stays in the queue; NULL where the queue is empty. */
GST_HDR_NO_LOCKS GST_HDR_INLINE gpointer gst_hdr_queue_get_head(GstHdrQueue *queue) {
    if (!queue)
        return NULL;
    gsize head = __atomic_load_n(&queue->head, __ATOMIC_RELAXED);
    if (head == __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE))
        return NULL;
    return queue->slots[head % queue->capacity];
}

/* For the dequeueing thread: removes the oldest element and returns it; NULL where the queue is empty. */
GST_HDR_NO_LOCKS GST_HDR_INLINE gpointer gst_hdr_queue_dequeue(GstHdrQueue *queue) {
    gpointer element = gst_hdr_queue_get_head(queue);
    if (element)
        __atomic_store_n(&queue->head, queue->head + 1, __ATOMIC_RELEASE);
    return element;
}

/* For any thread: the number of elements at some moment during the call. */
GST_HDR_NO_LOCKS GST_HDR_INLINE gsize gst_hdr_queue_get_count(GstHdrQueue *queue) {
    /* The head is read first: it never passes the tail that is read after it. */
    gsize head = __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE);
    gsize count = __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE) - head;
    return MIN(count, queue->capacity);
}

GST_HDR_NO_LOCKS GST_HDR_INLINE gsize gst_hdr_queue_get_capacity(const GstHdrQueue *queue) { return queue->capacity; }

/* The count divided by the capacity, from 0 to 1. */
GST_HDR_NO_LOCKS GST_HDR_INLINE gdouble gst_hdr_queue_get_fullness(GstHdrQueue *queue) {
    return (gdouble)gst_hdr_queue_get_count(queue) / (gdouble)queue->capacity;
}

/* Empties the queue. Neither thread may use it meanwhile. */
GST_HDR_NO_LOCKS GST_HDR_INLINE void gst_hdr_queue_reset(GstHdrQueue *queue) {
    __atomic_store_n(&queue->head, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&queue->tail, 0, __ATOMIC_RELAXED);
}

G_END_DECLS

#endif
