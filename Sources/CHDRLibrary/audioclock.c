#include <gst/hdr/gsthdraudioclock.h>
#include <gst/hdr/gsthdrplayback.h>

#define PATIENCE (5 * GST_SECOND)

/* The sink of a device holds its own clock. This clock holds the sink, so that it has to be a separate one. Its waits
 * are those of the system's clock, as the waits on a sink's clock are. */
typedef struct {
    GstSystemClock parent;
    /* An owned reference. */
    GstElement *pipeline;
    GstClock *device;
    GMutex lock;
    /* All below is guarded by the lock: a time of the device, the newest that was read, and that of the system's clock
     * at that moment, in us. */
    GstClockTime last;
    gint64 last_read;
    gboolean is_lost;
    /* The error of a device that is lost. */
    GError *failure;
} HdrAudioClock;

typedef GstSystemClockClass HdrAudioClockClass;

static GType hdr_audio_clock_get_type(void);
G_DEFINE_TYPE(HdrAudioClock, hdr_audio_clock, GST_TYPE_SYSTEM_CLOCK)

static guint device_lost;

/* The time of the device; where that is lost, the newest that was read, from which the clock runs on. A device that is
 * asked may find that it is lost, and post its error meanwhile, on this thread. */
static GstClockTime internal_time(GstClock *clock) {
    HdrAudioClock *self = (HdrAudioClock *)clock;
    /* GStreamer asks the clock for its time while it is being constructed. */
    if (!self->device)
        return 0;
    g_mutex_lock(&self->lock);
    gboolean is_lost = self->is_lost;
    g_mutex_unlock(&self->lock);
    GstClockTime time = is_lost ? 0 : gst_clock_get_time(self->device);
    g_mutex_lock(&self->lock);
    gint64 now = g_get_monotonic_time();
    if (!is_lost && !self->is_lost) {
        /* Another thread may have asked later and be here sooner. */
        self->last = MAX(self->last, time);
        self->last_read = now;
    }
    time = self->last + (GstClockTime)(now - self->last_read) * GST_USECOND;
    g_mutex_unlock(&self->lock);
    return time;
}

/* Notes that the device is lost. The clock then runs on as fast as the system's clock, since waits on it would never
 * end otherwise. The device is not asked for its time again, because it might post another error. Returns TRUE the
 * first time. */
static gboolean leave_device(HdrAudioClock *self, GstMessage *message) {
    g_mutex_lock(&self->lock);
    gboolean is_first = !self->is_lost;
    self->is_lost = TRUE;
    if (is_first)
        gst_message_parse_error(message, &self->failure, NULL);
    g_mutex_unlock(&self->lock);
    return is_first;
}

/* Called on another thread than the one that posted the error: that one may hold locks of the device, so that it can
 * neither run an application's handler nor stop the sink, which would otherwise retry for ever. References to the clock
 * are also dropped on such a thread, because the last one stops the pipeline, which its own threads cannot do. */
static void stop(GstElement *pipeline, gpointer clock) {
    g_signal_emit(clock, device_lost, 0);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(clock);
}

static void release(GstElement *pipeline, gpointer clock) {
    (void)pipeline;
    gst_object_unref(clock);
}

static GstBusSyncReply take_message(GstBus *bus, GstMessage *message, gpointer clock) {
    (void)bus;
    HdrAudioClock *self = GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR ? g_weak_ref_get(clock) : NULL;
    if (self && leave_device(self, message))
        gst_element_call_async(self->pipeline, stop, self, NULL);
    else if (self)
        gst_element_call_async(self->pipeline, release, self, NULL);
    gst_message_unref(message);
    return GST_BUS_DROP;
}

static void free_weak_ref(gpointer clock) {
    g_weak_ref_clear(clock);
    g_free(clock);
}

/* Takes the messages of the pipeline from now on, and those that are there already. */
static void watch_pipeline(HdrAudioClock *self) {
    GWeakRef *clock = g_new0(GWeakRef, 1);
    g_weak_ref_init(clock, self);
    GstBus *bus = gst_element_get_bus(self->pipeline);
    gst_bus_set_sync_handler(bus, take_message, clock, free_weak_ref);
    for (GstMessage *message; (message = gst_bus_pop(bus));) {
        if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR)
            leave_device(self, message);
        gst_message_unref(message);
    }
    gst_object_unref(bus);
}

static void dispose(GObject *object) {
    HdrAudioClock *self = (HdrAudioClock *)object;
    if (self->pipeline)
        gst_element_set_state(self->pipeline, GST_STATE_NULL);
    gst_clear_object(&self->pipeline);
    G_OBJECT_CLASS(hdr_audio_clock_parent_class)->dispose(object);
}

static void finalize(GObject *object) {
    HdrAudioClock *self = (HdrAudioClock *)object;
    gst_clear_object(&self->device);
    g_clear_error(&self->failure);
    g_mutex_clear(&self->lock);
    G_OBJECT_CLASS(hdr_audio_clock_parent_class)->finalize(object);
}

static void hdr_audio_clock_class_init(HdrAudioClockClass *klass) {
    G_OBJECT_CLASS(klass)->dispose = dispose;
    G_OBJECT_CLASS(klass)->finalize = finalize;
    GST_CLOCK_CLASS(klass)->get_internal_time = internal_time;
    device_lost =
        g_signal_new("device-lost", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void hdr_audio_clock_init(HdrAudioClock *self) { g_mutex_init(&self->lock); }

/* The properties that name a device; other texts of its properties say what kind of device it is. */
static const gchar *const names[] = {"node.name", "node.nick",   "node.description", "device.name", "device.nick",
                                     "alsa.name", "device.path", "device.string",    "object.path", "device.strid"};

static gboolean is_called(GstDevice *device, const gchar *name) {
    gchar *shown = gst_device_get_display_name(device), *internal = NULL;
    /* The name of PulseAudio's sink, which its devices have as a property of the object. */
    if (g_object_class_find_property(G_OBJECT_GET_CLASS(device), "internal-name"))
        g_object_get(device, "internal-name", &internal, NULL);
    gboolean is_called = g_strcmp0(shown, name) == 0 || g_strcmp0(internal, name) == 0;
    g_free(internal);
    g_free(shown);
    GstStructure *properties = is_called ? NULL : gst_device_get_properties(device);
    if (properties) {
        for (gsize i = 0; i < G_N_ELEMENTS(names) && !is_called; i++)
            is_called = g_strcmp0(gst_structure_get_string(properties, names[i]), name) == 0;
        gst_structure_free(properties);
    }
    return is_called;
}

static void set_failure(GError **error, const GError *reason) {
    g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED, "The audio device does not play: %s",
                reason ? reason->message : "it does not answer");
}

/* A pipeline that plays silence on a sink, whose ownership is taken. */
static GstElement *pipeline_of(GstElement *sink, GError **error) {
    GstElement *pipeline = gst_parse_launch_full("audiotestsrc wave=silence ! audioconvert ! audioresample name=last",
                                                 NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
    if (!pipeline) {
        gst_object_unref(gst_object_ref_sink(sink));
        return NULL;
    }
    gst_object_ref_sink(pipeline);
    gst_bin_add(GST_BIN(pipeline), sink);
    GstElement *last = gst_bin_get_by_name(GST_BIN(pipeline), "last");
    gboolean is_linked = gst_element_link(last, sink);
    gst_object_unref(last);
    if (is_linked && gst_element_set_state(pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE &&
        gst_element_get_state(pipeline, NULL, NULL, PATIENCE) == GST_STATE_CHANGE_SUCCESS)
        return pipeline;
    GstBus *bus = gst_element_get_bus(pipeline);
    /* The state fails a moment before the error message comes. */
    GstMessage *message = gst_bus_timed_pop_filtered(bus, 100 * GST_MSECOND, GST_MESSAGE_ERROR);
    GError *reason = NULL;
    if (message)
        gst_message_parse_error(message, &reason, NULL);
    set_failure(error, reason);
    g_clear_error(&reason);
    g_clear_pointer(&message, gst_message_unref);
    gst_object_unref(bus);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(pipeline);
    return NULL;
}

/* The clock of a sink, whose ownership is taken. */
static GstClock *clock_of(GstElement *sink, const gchar *without_clock, GError **error) {
    GstElement *pipeline = pipeline_of(sink, error);
    if (!pipeline)
        return NULL;
    /* A pipeline without a device's clock provides the system's. */
    GstClock *clock = gst_element_provide_clock(pipeline);
    GstClock *system = gst_system_clock_obtain();
    if (clock == system)
        gst_clear_object(&clock);
    gst_object_unref(system);
    if (!clock) {
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED, "%s", without_clock);
        gst_element_set_state(pipeline, GST_STATE_NULL);
        gst_object_unref(pipeline);
        return NULL;
    }
    HdrAudioClock *self = g_object_new(hdr_audio_clock_get_type(), "name", "hdraudioclock", NULL);
    gst_object_ref_sink(self);
    self->pipeline = pipeline;
    self->device = clock;
    watch_pipeline(self);
    /* What the clock runs on from where the device is lost before anyone has asked. */
    gst_clock_get_time(GST_CLOCK(self));
    g_mutex_lock(&self->lock);
    gboolean is_lost = self->is_lost;
    if (is_lost)
        set_failure(error, self->failure);
    g_mutex_unlock(&self->lock);
    /* Nobody could have heard the signal. */
    if (is_lost)
        gst_clear_object(&self);
    return GST_CLOCK_CAST(self);
}

/* The clock of the first device of that name that has one. PipeWire and PulseAudio each list the same devices. */
static GstClock *clock_called(const gchar *name, GError **error) {
    GstDeviceMonitor *monitor = gst_device_monitor_new();
    gst_device_monitor_add_filter(monitor, "Audio/Sink", NULL);
    GList *devices = gst_device_monitor_get_devices(monitor);
    GString *others = g_string_new(NULL);
    GHashTable *listed = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    GstClock *clock = NULL;
    GError *reason = NULL;
    for (GList *item = devices; item && !clock; item = item->next) {
        if (is_called(item->data, name)) {
            g_clear_error(&reason);
            GstElement *sink = gst_device_create_element(item->data, NULL);
            if (sink)
                clock = clock_of(sink, "The audio device has no clock of its own", &reason);
            else
                g_set_error(&reason, GST_HDR_ERROR, GST_HDR_ERROR_FAILED, "The audio device %s has no element", name);
        }
        gchar *shown = gst_device_get_display_name(item->data);
        if (shown && g_hash_table_add(listed, shown))
            g_string_append_printf(others, "%s%s", others->len ? ", " : "", shown);
    }
    if (clock)
        g_clear_error(&reason);
    else if (reason)
        g_propagate_error(error, reason);
    else
        g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_INVALID_ARGUMENT,
                    others->len ? "No audio device is called '%s': there are %s"
                                : "No audio device is called '%s': there are none%s",
                    name, others->str);
    g_string_free(others, TRUE);
    g_hash_table_unref(listed);
    g_list_free_full(devices, gst_object_unref);
    gst_object_unref(monitor);
    return clock;
}

GstClock *gst_hdr_audio_device_clock_new(const gchar *device, GError **error) {
    if (device)
        return clock_called(device, error);
    GstElement *sink = gst_element_factory_make("autoaudiosink", NULL);
    if (sink)
        return clock_of(sink, "There is no audio device that plays, or it has no clock of its own", error);
    g_set_error(error, GST_HDR_ERROR, GST_HDR_ERROR_FAILED,
                "The element autoaudiosink is missing: install gstreamer1.0-plugins-good");
    return NULL;
}
