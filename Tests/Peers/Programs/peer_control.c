/* Filters whose properties a GstController changes while samples pass.
 *
 *     peer_control sweep|leak SUBJECT|deadlock|step|ramp|tail */
#include <gst/controller/controller.h>
#include <gst/fft/gstfftf64.h>
#include <unistd.h>

#include "support.h"

typedef struct {
    GstClockTime time;
    double value;
} Point;

/* Has a control source set a property, in the property's own units, of an
 * element or of a tap's effect. */
static void control(GstHarness *harness, const char *property, GstInterpolationMode mode, const Point *points,
                    guint count) {
    GObject *object = NULL;
    if (GST_IS_CHILD_PROXY(harness->element))
        object = gst_child_proxy_get_child_by_name(GST_CHILD_PROXY(harness->element), "effect");
    if (!object)
        object = g_object_ref(G_OBJECT(harness->element));
    GstControlSource *source = gst_interpolation_control_source_new();
    g_object_set(source, "mode", mode, NULL);
    for (guint index = 0; index < count; index++)
        gst_timed_value_control_source_set(GST_TIMED_VALUE_CONTROL_SOURCE(source), points[index].time,
                                           points[index].value);
    GstControlBinding *binding = gst_direct_control_binding_new_absolute(GST_OBJECT(object), property, source);
    if (!gst_object_add_control_binding(GST_OBJECT(object), binding))
        g_error("%s cannot be controlled", property);
    gst_object_unref(source);
    g_object_unref(object);
}

/* ---- A band-pass whose centre goes from 500 to 5000 Hz within 2 s; a sine of
 * 1 kHz in buffers of 1024 frames. */

#define SWEEP (94 * 1024)

typedef struct {
    const char *name, *line;
    struct {
        const char *property;
        double factor; /* of the centre frequency */
    } controls[2];
} Sweep;

static const Sweep sweeps[] = {
    {"audiochebband",
     "audiochebband mode=band-pass poles=4 lower-frequency=840.9 "
     "upper-frequency=1189.2",
     {{"lower-frequency", 0.8409}, {"upper-frequency", 1.1892}}},
    {"audiochebband-static", "audiochebband mode=band-pass poles=4 "
                             "lower-frequency=840.9 upper-frequency=1189.2"},
    {"bandpass", "hdrtap effect=bandpass", {{"center-frequency", 1}}},
    {"bandpass-static", "hdrtap effect=bandpass effect::center-frequency=1000"},
};

static GstHarness *harness_for(const Sweep *sweep) {
    GstHarness *harness = harness_of(sweep->line, NULL);
    for (guint index = 0; index < 2 && sweep->controls[index].property; index++) {
        double factor = sweep->controls[index].factor;
        control(harness, sweep->controls[index].property, GST_INTERPOLATION_MODE_LINEAR,
                (Point[]){{0, 500 * factor}, {2 * GST_SECOND, 5000 * factor}}, 2);
    }
    gst_harness_set_src_caps_str(harness, CAPS);
    return harness;
}

static double bessel_i0(double x) {
    double sum = 1, term = 1;
    for (int k = 1; term > 1e-18 * sum; k++)
        sum += term *= (x / (2 * k)) * (x / (2 * k));
    return sum;
}

/* The strongest line outside of 500 to 2000 Hz, in dBFS. The window's side
 * lobes lie below -180 dB. */
static double spurious(const float *samples) {
    const int size = 65536;
    double *windowed = g_new(double, size), weight = 0, peak = 0;
    for (int frame = 0; frame < size; frame++) {
        double x = 2.0 * frame / (size - 1) - 1, window = bessel_i0(24 * sqrt(1 - x * x));
        windowed[frame] = window * samples[frame];
        weight += window;
    }
    GstFFTF64 *fft = gst_fft_f64_new(size, FALSE);
    GstFFTF64Complex *lines = g_new(GstFFTF64Complex, size / 2 + 1);
    gst_fft_f64_fft(fft, windowed, lines);
    for (int line = 0; line <= size / 2; line++) {
        double frequency = (double)line * RATE / size;
        if (frequency < 500 || frequency > 2000)
            peak = MAX(peak, 2 * hypot(lines[line].r, lines[line].i) / weight);
    }
    gst_fft_f64_free(fft);
    g_free(lines);
    g_free(windowed);
    return 20 * log10(peak + 1e-30);
}

/* Roughness is the largest second difference: at the joins of buffers, and
 * within them. */
static void measure_sweep(const Sweep *sweep) {
    GstHarness *harness = harness_for(sweep);
    float *source = sine(SWEEP, 1000, 0.5);
    push_all(harness, source, SWEEP, 1024);
    Output output = take_output(harness);
    double joins = 0, interior = 0;
    for (guint frame = 8192; frame + 2 < output.frames; frame++) {
        const float *at = output.samples + frame;
        double bend = fabs((double)at[0] - 2.0 * at[1] + at[2]);
        guint place = (frame + 2) % 1024;
        if (place < 3)
            joins = MAX(joins, bend);
        else
            interior = MAX(interior, bend);
    }
    printf("sweep/%s frames=%u joins=%g interior=%g spurious=%g\n", sweep->name, output.frames, joins, interior,
           spurious(output.samples + 8192));
    g_free(output.samples);
    g_free(source);
    discard(harness);
}

/* 200 buffers for valgrind to look at. */
static void leak(const char *name) {
    for (guint index = 0; index < G_N_ELEMENTS(sweeps); index++) {
        if (strcmp(name, sweeps[index].name) != 0)
            continue;
        GstHarness *harness = harness_for(&sweeps[index]);
        for (guint block = 0; block < 200; block++)
            push(harness, NULL, 480, block * 480, 0);
        Output output = take_output(harness);
        printf("leak/%s frames=%u\n", name, output.frames);
        g_free(output.samples);
        discard(harness);
    }
}

/* ---- Whether twenty buffers get through, within 3 s. */

static gpointer push_twenty(gpointer data) {
    GstHarness *harness = data;
    for (guint block = 0; block < 20; block++)
        push(harness, NULL, 1024, block * 1024, 0);
    gst_harness_push_event(harness, gst_event_new_eos());
    return NULL;
}

static void deadlock(void) {
    static const struct {
        const char *name, *line, *property;
    } subjects[] = {
        {"audiowsincband", "audiowsincband lower-frequency=500 upper-frequency=5000", "lower-frequency"},
        {"audiowsinclimit", "audiowsinclimit cutoff=500", "cutoff"},
        {"bandpass", "hdrtap effect=bandpass", "center-frequency"},
    };
    for (guint index = 0; index < G_N_ELEMENTS(subjects); index++) {
        GstHarness *harness = harness_of(subjects[index].line, CAPS);
        control(harness, subjects[index].property, GST_INTERPOLATION_MODE_LINEAR,
                (Point[]){{0, 500}, {GST_SECOND, 2000}}, 2);
        g_thread_unref(g_thread_new("push", push_twenty, harness));
        gboolean completes = FALSE;
        for (guint wait = 0; wait < 300 && !completes; wait++) {
            g_usleep(10000);
            completes = has_event(harness, GST_EVENT_EOS);
        }
        printf("deadlock/%s completes=%d\n", subjects[index].name, completes);
    }
    /* Threads that wait for each other cannot be ended. */
    fflush(stdout);
    _exit(0);
}

/* ---- A step at a time: the first frame that it changes, where the input never
 * is silent. */

typedef struct {
    const char *name, *line, *property;
    double from, to;
    guint size; /* of a buffer, in frames */
    guint frame;
} Step;

static Output run_step(const Step *step, gboolean has_step) {
    GstHarness *harness = harness_of(step->line, CAPS);
    float source[4800];
    for (guint frame = 0; frame < G_N_ELEMENTS(source); frame++)
        source[frame] = (float)(0.5 + 0.25 * sin(2 * G_PI * 1000 * frame / RATE));
    control(harness, step->property, GST_INTERPOLATION_MODE_NONE,
            (Point[]){{0, step->from}, {time_of(step->frame), has_step ? step->to : step->from}}, 2);
    push_all(harness, source, G_N_ELEMENTS(source), step->size);
    Output output = take_output(harness);
    discard(harness);
    return output;
}

static void step(void) {
    static const Step subjects[] = {
        {"equalizer-flat", "equalizer-3bands", "band1", 0, 12, 480, 1920},
        {"equalizer", "equalizer-3bands band0=3", "band1", -24, 12, 480, 1920},
        {"gain", "hdrtap effect=gain", "volume", 1, 0.25, 480, 1920},
        {"gain", "hdrtap effect=gain", "volume", 1, 0.25, 4800, 1951},
        {"gain", "hdrtap effect=gain", "gain", 0, -6, 7, 1983},
        {"bandpass", "hdrtap effect=bandpass", "center-frequency", 1000, 3000, 480, 1920},
        {"bandpass", "hdrtap effect=bandpass", "center-frequency", 1000, 3000, 4800, 1951},
        {"bandpass", "hdrtap effect=bandpass", "bandwidth", 600, 1200, 1, 1983},
    };
    for (guint index = 0; index < G_N_ELEMENTS(subjects); index++) {
        Output with = run_step(&subjects[index], TRUE), without = run_step(&subjects[index], FALSE);
        int first = -1;
        for (guint frame = 0; frame < with.frames && first < 0; frame++)
            if (with.samples[frame] != without.samples[frame])
                first = frame;
        printf("step/%s/%s-%u frames=%u wanted=%u first=%d\n", subjects[index].name, subjects[index].property,
               subjects[index].size, with.frames, subjects[index].frame, first);
        g_free(with.samples);
        g_free(without.samples);
    }
}

/* ---- A fade from 1 at 5 ms to 0.5 at 15 ms of a constant 1. */

/* The fade at a time in ns. */
static double fade(double time) { return time < 5e6 ? 1 : time > 15e6 ? 0.5 : 1 - 0.5 * (time - 5e6) / 10e6; }

static void measure_ramp(const char *name, const char *line, gboolean early, gboolean is_controlled, guint size) {
    GstHarness *harness = harness_of(line, early ? NULL : CAPS);
    if (is_controlled)
        control(harness, "volume", GST_INTERPOLATION_MODE_LINEAR,
                (Point[]){{5 * GST_MSECOND, 1}, {15 * GST_MSECOND, 0.5}}, 2);
    if (early)
        gst_harness_set_src_caps_str(harness, CAPS);
    float source[1440];
    for (guint frame = 0; frame < G_N_ELEMENTS(source); frame++)
        source[frame] = 1;
    push_all(harness, source, G_N_ELEMENTS(source), size);
    Output output = take_output(harness);
    /* In units of the last place of a float. A controller is asked for whole
     * nanoseconds; up is not off by a frame. */
    double before = 0, error = 0, exact_error = 0;
    for (guint frame = 0; frame < output.frames; frame++) {
        double time = frame * 1e9 / RATE, made = output.samples[frame];
        double ulp = ldexp(1, -24);
        if (frame < 240)
            before = MAX(before, fabs(made - 1));
        error = MAX(error, fabs(made - fade(ceil(time))) / ulp);
        exact_error = MAX(exact_error, fabs(made - fade(time)) / ulp);
    }
    printf("ramp/%s-%u frames=%u before=%g error=%g exact-error=%g first=%g "
           "at-10-ms=%g\n",
           name, size, output.frames, before, error, exact_error, output.samples[0], output.samples[480]);
    g_free(output.samples);
    discard(harness);
}

static void ramp(void) {
    measure_ramp("volume-early", "volume", TRUE, TRUE, 480);
    measure_ramp("volume-late", "volume", FALSE, TRUE, 480);
    static const guint sizes[] = {1, 7, 480, 1024, 1440};
    for (guint index = 0; index < G_N_ELEMENTS(sizes); index++) {
        measure_ramp("gain-early", "hdrtap effect=gain", TRUE, TRUE, sizes[index]);
        measure_ramp("gain-late", "hdrtap effect=gain", FALSE, TRUE, sizes[index]);
        measure_ramp("gain-ramps", "hdrtap effect=gain effect::volume-ramps=<<0.005,0.010,1.0,0.5>>", FALSE, FALSE,
                     sizes[index]);
    }
}

/* ---- The tail of a band-pass that a controller, or a late setting, has moved
 * to 100 Hz. */

static void measure_tail(const char *name, gboolean is_controlled) {
    GstHarness *harness = harness_of("hdrtap effect=bandpass", CAPS);
    float *source = sine(RATE, 100, 0.9);
    if (is_controlled)
        control(harness, "center-frequency", GST_INTERPOLATION_MODE_NONE, (Point[]){{0, 100}}, 1);
    push(harness, source, RATE - 480, 0, 0);
    if (!is_controlled)
        gst_child_proxy_set(GST_CHILD_PROXY(harness->element), "effect::center-frequency", 100.0, NULL);
    push(harness, source, 480, RATE - 480, 0);
    gst_harness_push_event(harness, gst_event_new_eos());
    Output output = take_output(harness);
    double level = 0;
    for (guint frame = output.frames - 480; frame < output.frames; frame++)
        level = MAX(level, fabs(output.samples[frame]));
    printf("tail/%s frames=%d level=%g\n", name, (int)output.frames - RATE, 20 * log10(level + 1e-30));
    g_free(output.samples);
    g_free(source);
    discard(harness);
}

int main(int argc, char **argv) {
    gst_init(&argc, &argv);
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "sweep"))
        for (guint index = 0; index < G_N_ELEMENTS(sweeps); index++)
            measure_sweep(&sweeps[index]);
    else if (!strcmp(mode, "leak") && argc > 2)
        leak(argv[2]);
    else if (!strcmp(mode, "deadlock"))
        deadlock();
    else if (!strcmp(mode, "step"))
        step();
    else if (!strcmp(mode, "ramp"))
        ramp();
    else if (!strcmp(mode, "tail")) {
        measure_tail("controlled", TRUE);
        measure_tail("set", FALSE);
    } else
        return 2;
    return 0;
}
