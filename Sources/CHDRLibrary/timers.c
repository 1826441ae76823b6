#include "graph.h"

typedef struct {
    /* References to the memory: the clock has one too, and releases it while it holds a lock of its own. */
    gint references;
    /* Users of the callback's data: the timebase, and each call that is to come. */
    gint users;
    guint number;
    GWeakRef timebase;
    GMainContext *context;
    GstHdrTimebaseTimerFunc func;
    gpointer user_data;
    GDestroyNotify notify;
    /* Guarded by the lock: */
    GstClockTimeDiff fire_time;
    GstClockID wait;
    gboolean is_removed;
} HdrTimer;

struct HdrTimers {
    GPtrArray *list;
    guint last_number;
};

/* Held while a timer is armed, so that of two simultaneous changes the later one's moment stands. It is recursive,
 * since a clock may call back while it is asked to wait, and one for all timebases, since it may do so after the
 * timebase is gone. A thread that holds it may take the graph's lock, not the other way round. */
static GRecMutex timers_mutex;

static HdrTimer *timer_ref(HdrTimer *timer) {
    g_atomic_int_inc(&timer->references);
    return timer;
}

static void timer_unref(gpointer pointer) {
    HdrTimer *timer = pointer;
    if (!g_atomic_int_dec_and_test(&timer->references))
        return;
    g_weak_ref_clear(&timer->timebase);
    g_main_context_unref(timer->context);
    g_free(timer);
}

static HdrTimer *timer_use(HdrTimer *timer) {
    g_atomic_int_inc(&timer->users);
    return timer_ref(timer);
}

/* Called without any lock, since the application's function may do what it likes. */
static void timer_leave(gpointer pointer) {
    HdrTimer *timer = pointer;
    if (g_atomic_int_dec_and_test(&timer->users) && timer->notify)
        timer->notify(timer->user_data);
    timer_unref(timer);
}

typedef struct {
    HdrTimer *timer;
    GstClockTimeDiff fire_time;
} HdrFiring;

static void firing_free(gpointer pointer) {
    HdrFiring *firing = pointer;
    timer_leave(firing->timer);
    g_free(firing);
}

static gboolean dispatch(gpointer pointer) {
    HdrFiring *firing = pointer;
    g_rec_mutex_lock(&timers_mutex);
    gboolean is_removed = firing->timer->is_removed;
    g_rec_mutex_unlock(&timers_mutex);
    GstHdrTimebase *timebase = g_weak_ref_get(&firing->timer->timebase);
    if (timebase && !is_removed)
        firing->timer->func(timebase, firing->fire_time, firing->timer->user_data);
    g_clear_object(&timebase);
    return G_SOURCE_REMOVE;
}

static gboolean came(GstClock *clock, GstClockTime time, GstClockID wait, gpointer pointer) {
    (void)clock, (void)time;
    HdrTimer *timer = pointer;
    g_rec_mutex_lock(&timers_mutex);
    /* Where they differ, another wait has replaced this one. */
    gboolean is_due = timer->wait == wait;
    HdrFiring *firing = NULL;
    if (is_due) {
        firing = g_new(HdrFiring, 1);
        *firing = (HdrFiring){timer_use(timer), timer->fire_time};
        timer->fire_time = GST_CLOCK_STIME_NONE;
        g_clear_pointer(&timer->wait, gst_clock_id_unref);
    }
    g_rec_mutex_unlock(&timers_mutex);
    if (firing) {
        /* g_main_context_invoke() would call the function on the clock's thread where no other thread owns the
         * context. */
        GSource *source = g_idle_source_new();
        g_source_set_priority(source, G_PRIORITY_DEFAULT);
        g_source_set_callback(source, dispatch, firing, firing_free);
        g_source_attach(source, timer->context);
        g_source_unref(source);
    }
    return TRUE;
}

static void disarm(HdrTimer *timer) {
    if (timer->wait)
        gst_clock_id_unschedule(timer->wait);
    g_clear_pointer(&timer->wait, gst_clock_id_unref);
}

static void arm(HdrTimer *timer, GstHdrTimebase *timebase) {
    disarm(timer);
    if (!GST_CLOCK_STIME_IS_VALID(timer->fire_time))
        return;
    hdr_graph_lock();
    GstClockTimeDiff moment;
    GstClock *clock = NULL;
    if (hdr_graph_root_time(timebase, timer->fire_time, &moment) && moment < G_MAXINT64)
        clock = gst_object_ref(hdr_graph_root(timebase));
    hdr_graph_unlock();
    if (!clock)
        return;
    timer->wait = gst_clock_new_single_shot_id(clock, (GstClockTime)MAX(moment, 0));
    /* A clock that calls back at once clears the field. */
    GstClockID wait = gst_clock_id_ref(timer->wait);
    gst_clock_id_wait_async(wait, came, timer_ref(timer), timer_unref);
    gst_clock_id_unref(wait);
    gst_object_unref(clock);
}

static HdrTimer *find(GstHdrTimebase *timebase, guint number, guint *index) {
    for (guint place = 0; place < timebase->timers->list->len; place++) {
        HdrTimer *timer = g_ptr_array_index(timebase->timers->list, place);
        if (timer->number == number) {
            *index = place;
            return timer;
        }
    }
    return NULL;
}

HdrTimers *hdr_timers_new(void) {
    HdrTimers *timers = g_new0(HdrTimers, 1);
    timers->list = g_ptr_array_new_with_free_func(timer_leave);
    return timers;
}

void hdr_timers_free(HdrTimers *timers) {
    g_rec_mutex_lock(&timers_mutex);
    for (guint index = 0; index < timers->list->len; index++) {
        HdrTimer *timer = g_ptr_array_index(timers->list, index);
        timer->is_removed = TRUE;
        disarm(timer);
    }
    g_rec_mutex_unlock(&timers_mutex);
    g_ptr_array_unref(timers->list);
    g_free(timers);
}

void hdr_timers_rearm(GstHdrTimebase *timebase) {
    g_rec_mutex_lock(&timers_mutex);
    for (guint index = 0; index < timebase->timers->list->len; index++)
        arm(g_ptr_array_index(timebase->timers->list, index), timebase);
    g_rec_mutex_unlock(&timers_mutex);
}

guint gst_hdr_timebase_add_timer(GstHdrTimebase *timebase, GMainContext *context, GstHdrTimebaseTimerFunc func,
                                 gpointer user_data, GDestroyNotify notify) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase) && func, 0);
    HdrTimer *timer = g_new0(HdrTimer, 1);
    timer->references = timer->users = 1;
    g_weak_ref_init(&timer->timebase, timebase);
    timer->context = g_main_context_ref(context ? context : g_main_context_default());
    timer->func = func;
    timer->user_data = user_data;
    timer->notify = notify;
    timer->fire_time = GST_CLOCK_STIME_NONE;
    g_rec_mutex_lock(&timers_mutex);
    timer->number = ++timebase->timers->last_number;
    g_ptr_array_add(timebase->timers->list, timer);
    guint number = timer->number;
    g_rec_mutex_unlock(&timers_mutex);
    return number;
}

gboolean gst_hdr_timebase_set_timer_fire_time(GstHdrTimebase *timebase, guint number, GstClockTimeDiff time) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), FALSE);
    g_rec_mutex_lock(&timers_mutex);
    guint index;
    HdrTimer *timer = find(timebase, number, &index);
    if (timer) {
        timer->fire_time = time;
        arm(timer, timebase);
    }
    g_rec_mutex_unlock(&timers_mutex);
    return timer != NULL;
}

gboolean gst_hdr_timebase_remove_timer(GstHdrTimebase *timebase, guint number) {
    g_return_val_if_fail(GST_HDR_IS_TIMEBASE(timebase), FALSE);
    g_rec_mutex_lock(&timers_mutex);
    guint index;
    HdrTimer *timer = find(timebase, number, &index);
    if (timer) {
        timer->is_removed = TRUE;
        disarm(timer);
        timer = g_ptr_array_steal_index(timebase->timers->list, index);
    }
    g_rec_mutex_unlock(&timers_mutex);
    if (timer)
        timer_leave(timer);
    return timer != NULL;
}
