/* The clock of an audio device, on a device of the program's own, which plays its samples a quarter faster than the
 * system's clock runs. Prints a line for each thing that it has found to be as it should. */
#include <gst/audio/gstaudiosink.h>
#include <gst/hdr/hdr.h>

#define SPEED 1.25

/* ---- A sink whose device is the program ---- */

typedef struct {
    GstAudioSink parent;
    gint64 start;
    guint64 written;
    gint rate, bytes;
} FastSink;
typedef GstAudioSinkClass FastSinkClass;

static GType fast_sink_get_type(void);
G_DEFINE_TYPE(FastSink, fast_sink, GST_TYPE_AUDIO_SINK)

static gboolean fast_open(GstAudioSink *sink) {
    (void)sink;
    return TRUE;
}

static gboolean fast_prepare(GstAudioSink *sink, GstAudioRingBufferSpec *spec) {
    FastSink *self = (FastSink *)sink;
    self->rate = GST_AUDIO_INFO_RATE(&spec->info);
    self->bytes = GST_AUDIO_INFO_BPF(&spec->info);
    self->start = g_get_monotonic_time();
    self->written = 0;
    return TRUE;
}

/* Whether the device has been pulled out. */
static gint is_unplugged;

static gint fast_write(GstAudioSink *sink, gpointer data, guint length) {
    (void)data;
    if (g_atomic_int_get(&is_unplugged)) {
        GST_ELEMENT_ERROR(sink, RESOURCE, WRITE, ("The device has been disconnected."), (NULL));
        return -1;
    }
    FastSink *self = (FastSink *)sink;
    self->written += length / (guint)self->bytes;
    gint64 end = self->start + (gint64)((gdouble)self->written * 1e6 / (self->rate * SPEED));
    gint64 now = g_get_monotonic_time();
    if (end > now)
        g_usleep((gulong)(end - now));
    return (gint)length;
}

/* Whether the server of the device is dead, which a clock that is asked for the time finds, and the state of the
 * pipeline, if any, in which the device fails while it provides its clock. */
static gint is_dead, fails_in;

/* As pulsesink, it posts the error anew whenever it is asked. */
static GstClockTime fast_time(GstClock *clock, gpointer sink) {
    (void)clock;
    if (g_atomic_int_get(&is_dead)) {
        GST_ELEMENT_ERROR(sink, RESOURCE, FAILED, ("The server is dead."), (NULL));
        return GST_CLOCK_TIME_NONE;
    }
    FastSink *self = sink;
    if (!self->start)
        return GST_CLOCK_TIME_NONE;
    return (GstClockTime)((gdouble)(g_get_monotonic_time() - self->start) * 1e3 * SPEED);
}

static GstClock *fast_provide_clock(GstElement *element) {
    if (g_atomic_int_get(&fails_in) == (gint)GST_STATE(GST_OBJECT_PARENT(element)))
        GST_ELEMENT_ERROR(element, RESOURCE, FAILED, ("The device fails early."), (NULL));
    return GST_ELEMENT_CLASS(fast_sink_parent_class)->provide_clock(element);
}

/* A pipeline that plays asks the sink for its clock again after this message. */
static GstStateChangeReturn fast_change_state(GstElement *element, GstStateChange change) {
    GstStateChangeReturn result = GST_ELEMENT_CLASS(fast_sink_parent_class)->change_state(element, change);
    GstClock *clock = GST_AUDIO_BASE_SINK(element)->provided_clock;
    if (change == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
        gst_element_post_message(element, gst_message_new_clock_provide(GST_OBJECT(element), clock, TRUE));
    return result;
}

static gint closed;

static gboolean fast_close(GstAudioSink *sink) {
    (void)sink;
    g_atomic_int_inc(&closed);
    return TRUE;
}

/* A sink may be closed on a thread of GStreamer's. */
static gboolean are_closed(gint count) {
    for (int i = 0; i < 1000 && g_atomic_int_get(&closed) < count; i++)
        g_usleep(10000);
    return g_atomic_int_get(&closed) == count;
}

static void fast_sink_class_init(FastSinkClass *klass) {
    GstElementClass *element = GST_ELEMENT_CLASS(klass);
    GstCaps *caps = gst_caps_from_string("audio/x-raw,format=S16LE,layout=interleaved,rate=48000,channels=2");
    gst_element_class_add_pad_template(element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps));
    gst_caps_unref(caps);
    gst_element_class_set_static_metadata(element, "Fast sink", "Sink/Audio", "A device", "-");
    element->provide_clock = fast_provide_clock;
    element->change_state = fast_change_state;
    klass->open = fast_open;
    klass->prepare = fast_prepare;
    klass->write = fast_write;
    klass->unprepare = fast_open;
    klass->close = fast_close;
}

static void fast_sink_init(FastSink *self) {
    GstAudioBaseSink *base = GST_AUDIO_BASE_SINK(self);
    gst_clear_object(&base->provided_clock);
    base->provided_clock = gst_audio_clock_new("fastclock", fast_time, self, NULL);
}

/* ---- Its provider ---- */

typedef GstDevice FastDevice;
typedef GstDeviceClass FastDeviceClass;
static GType fast_device_get_type(void);
G_DEFINE_TYPE(FastDevice, fast_device, GST_TYPE_DEVICE)

static GstElement *create_element(GstDevice *device, const gchar *name) {
    (void)device;
    return g_object_new(fast_sink_get_type(), "name", name ? name : "fast", NULL);
}
static void fast_device_class_init(FastDeviceClass *klass) { klass->create_element = create_element; }
static void fast_device_init(FastDevice *self) { (void)self; }

/* The same device as another server knows it, whose sink has no clock. */
typedef GstDevice SilentDevice;
typedef GstDeviceClass SilentDeviceClass;
static GType silent_device_get_type(void);
G_DEFINE_TYPE(SilentDevice, silent_device, GST_TYPE_DEVICE)

static GstElement *create_silent(GstDevice *device, const gchar *name) {
    (void)device;
    return gst_element_factory_make("fakesink", name);
}
static void silent_device_class_init(SilentDeviceClass *klass) { klass->create_element = create_silent; }
static void silent_device_init(SilentDevice *self) { (void)self; }

typedef GstDeviceProvider FastProvider;
typedef GstDeviceProviderClass FastProviderClass;
static GType fast_provider_get_type(void);
G_DEFINE_TYPE(FastProvider, fast_provider, GST_TYPE_DEVICE_PROVIDER)

static GList *probe(GstDeviceProvider *provider) {
    (void)provider;
    GstCaps *caps = gst_caps_new_empty_simple("audio/x-raw");
    GstStructure *properties = gst_structure_new("properties", "node.name", G_TYPE_STRING, "fast-node", "device.class",
                                                 G_TYPE_STRING, "sound", NULL);
    GList *devices = NULL;
    for (int i = 0; i < 2; i++)
        devices = g_list_append(devices, g_object_new(i ? fast_device_get_type() : silent_device_get_type(),
                                                      "display-name", "Fast speakers", "device-class", "Audio/Sink",
                                                      "caps", caps, "properties", properties, NULL));
    gst_structure_free(properties);
    gst_caps_unref(caps);
    return devices;
}

static void fast_provider_class_init(FastProviderClass *klass) {
    klass->probe = probe;
    gst_device_provider_class_set_static_metadata(klass, "Fast", "Sink/Audio", "A device", "-");
}
static void fast_provider_init(FastProvider *self) { (void)self; }

/* ---- ---- */

static gboolean is_as_fast(const gchar *name) {
    GError *error = NULL;
    GstClock *clock = gst_hdr_audio_device_clock_new(name, &error);
    if (!clock)
        g_error("%s", error->message);
    GstClock *system = gst_system_clock_obtain();
    g_usleep(300000);
    GstClockTime device_start = gst_clock_get_time(clock), start = gst_clock_get_time(system);
    GstHdrTimebase *timebase = gst_hdr_timebase_new(clock);
    gst_hdr_timebase_set_rate(timebase, 1);
    g_usleep(2000000);
    gdouble taken = (gdouble)(gst_clock_get_time(system) - start) / GST_SECOND;
    gdouble passed = (gdouble)(gst_clock_get_time(clock) - device_start) / GST_SECOND;
    gdouble told = (gdouble)gst_hdr_timebase_get_time(timebase) / GST_SECOND;
    g_object_unref(timebase);
    gst_object_unref(clock);
    gst_object_unref(system);
    if (ABS(passed / taken - SPEED) < 0.1 && ABS(told - passed) < 0.1)
        return TRUE;
    g_printerr("%g s of the device and %g of its timebase took %g s\n", passed, told, taken);
    return FALSE;
}

static GThread *lost_on;

static void count(GstClock *clock, gint *lost) {
    (void)clock;
    lost_on = g_thread_self();
    g_atomic_int_inc(lost);
}

/* A clock whose device goes away, by what is set, while something waits on it. */
static gboolean runs_on_without_its_device(gint *cause) {
    GstClock *clock = gst_hdr_audio_device_clock_new("Fast speakers", NULL), *system = gst_system_clock_obtain();
    gint lost = 0;
    g_signal_connect(clock, "device-lost", G_CALLBACK(count), &lost);
    g_usleep(300000);
    GstClockTime before = gst_clock_get_time(clock);
    g_atomic_int_set(cause, 1);
    for (int i = 0; i < 1000 && !g_atomic_int_get(&lost); i++) {
        gst_clock_get_time(clock);
        g_usleep(10000);
    }
    GstClockTime device_start = gst_clock_get_time(clock), start = gst_clock_get_time(system);
    GstClockID id = gst_clock_new_single_shot_id(clock, device_start + 300 * GST_MSECOND);
    GstClockReturn waited = gst_clock_id_wait(id, NULL);
    gst_clock_id_unref(id);
    gdouble taken = (gdouble)(gst_clock_get_time(system) - start) / GST_SECOND;
    gdouble passed = (gdouble)(gst_clock_get_time(clock) - device_start) / GST_SECOND;
    gst_object_unref(clock);
    gst_object_unref(system);
    g_atomic_int_set(cause, 0);
    if (lost == 1 && lost_on != g_thread_self() && waited == GST_CLOCK_OK && device_start >= before &&
        ABS(passed - taken) < 0.2)
        return TRUE;
    g_printerr("lost %d times, wait %d, %g s of the clock took %g s\n", lost, waited, passed, taken);
    return FALSE;
}

/* The last reference is given away by the handler of the signal. */
static void drop(GstClock *clock, GstClock **held) {
    (void)clock;
    gst_clear_object(held);
}

static gboolean ends_where_its_device_goes(void) {
    GstClock *clock = gst_hdr_audio_device_clock_new("Fast speakers", NULL);
    GWeakRef watch;
    g_weak_ref_init(&watch, clock);
    g_signal_connect(clock, "device-lost", G_CALLBACK(drop), &clock);
    g_atomic_int_set(&is_unplugged, 1);
    GstClock *left = clock;
    for (int i = 0; i < 1000 && left; i++) {
        g_usleep(10000);
        left = g_weak_ref_get(&watch);
        if (left)
            gst_object_unref(left);
    }
    g_weak_ref_clear(&watch);
    g_atomic_int_set(&is_unplugged, 0);
    return !left;
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    gst_device_provider_register(NULL, "fastprovider", GST_RANK_PRIMARY, fast_provider_get_type());
    if (!is_as_fast("Fast speakers") || !is_as_fast("fast-node"))
        return 1;
    if (!runs_on_without_its_device(&is_unplugged) || !runs_on_without_its_device(&is_dead) ||
        !ends_where_its_device_goes())
        return 1;
    GError *error = NULL;
    /* While it is started, and when it plays but has no clock yet. */
    const GstState states[] = {GST_STATE_PAUSED, GST_STATE_PLAYING};
    for (int i = 0; i < 2; i++) {
        g_atomic_int_set(&fails_in, (gint)states[i]);
        if (gst_hdr_audio_device_clock_new("Fast speakers", &error))
            return 1;
        g_print("%s\n", error->message);
        g_clear_error(&error);
    }
    g_atomic_int_set(&fails_in, 0);
    g_print("closed %s\n", are_closed(7) ? "all" : "not all");
    const gchar *others[] = {"Fast speaker", "sound"};
    for (int i = 0; i < 2; i++) {
        if (gst_hdr_audio_device_clock_new(others[i], &error))
            return 1;
        g_print("%s\n", error->message);
        g_clear_error(&error);
    }
    return 0;
}
