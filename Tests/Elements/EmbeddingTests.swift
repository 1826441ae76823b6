import Foundation
import PluginSupport
import Testing
import TestSupport

/// Programs that embed GStreamer: they build a pipeline, change properties while it plays and read its frames.
@Suite struct EmbeddingTests {
    @Test func aCProgramRuns() throws {
        let scratch = try TemporaryFolder()
        let program = try scratch.compile(
            Self.cProgram, as: "embedding", packages: ["gstreamer-1.0", "gstreamer-app-1.0", "gstreamer-video-1.0"])
        let outcome = try GstTool.run(program)
        expectClean(outcome)
        #expect(outcome.output == "brighter\nall settings\ndone\n")
    }

    @Test func aPythonProgramRuns() throws {
        let scratch = try TemporaryFolder()
        let script = try scratch.write(Self.pythonProgram, to: "embedding.py")
        let outcome = try GstTool.run("/usr/bin/python3", ["-B", script])
        expectClean(outcome)
        #expect(outcome.output == "bt709 from PQ\nbrighter\ncontrolled\ndone\n")
    }

    /// Pulls frames while the main thread walks every value of every property through the element.
    static let cProgram = #"""
        #include <gst/app/gstappsink.h>
        #include <gst/gst.h>
        #include <gst/video/video.h>
        #include <stdio.h>
        #include <stdlib.h>

        #define FAIL(...) do { fprintf(stderr, __VA_ARGS__); fputc('\n', stderr); exit(1); } while (0)

        /* The first luma code of the next frame. */
        static int next_code(GstAppSink *sink) {
            GstSample *sample = gst_app_sink_try_pull_sample(sink, 5 * GST_SECOND);
            if (!sample) FAIL("no frame");
            GstVideoInfo info;
            GstVideoFrame frame;
            if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample))) FAIL("no caps");
            if (!gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample), GST_MAP_READ)) FAIL("no memory");
            int code = GST_READ_UINT16_LE(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0));
            gst_video_frame_unmap(&frame);
            gst_sample_unref(sample);
            return code;
        }

        int main(int argc, char **argv) {
            gst_init(&argc, &argv);
            GError *error = NULL;
            GstElement *pipeline = gst_parse_launch(
                "videotestsrc pattern=solid-color foreground-color=0xff808080 "
                "! video/x-raw,format=Y444_10LE,width=64,height=64,colorimetry=bt2100-pq "
                "! hdrconvert name=convert tone-mapping=none gamut-mapping=clip "
                "! video/x-raw,format=Y444_10LE,colorimetry=bt709 "
                "! appsink name=sink sync=false max-buffers=1", &error);
            if (!pipeline) FAIL("%s", error->message);
            GstElement *convert = gst_bin_get_by_name(GST_BIN(pipeline), "convert");
            GstAppSink *sink = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(pipeline), "sink"));
            gst_element_set_state(pipeline, GST_STATE_PLAYING);

            /* About 92 cd/m2: dimmer than a white of 203, brighter than one of 90. */
            int before = next_code(sink);
            g_object_set(convert, "reference-white", 90.0, NULL);
            int after = before;
            for (int frame = 0; frame < 5 && after == before; frame++) after = next_code(sink);
            if (before < 600 || before > 800 || after != 940) FAIL("codes %d and %d", before, after);
            puts("brighter");

            guint count = 0;
            GParamSpec **properties = g_object_class_list_properties(G_OBJECT_GET_CLASS(convert), &count);
            for (guint i = 0; i < count; i++) {
                GParamSpec *property = properties[i];
                if (property->owner_type != G_OBJECT_TYPE(convert)) continue;
                GValue value = G_VALUE_INIT;
                if (G_IS_PARAM_SPEC_ENUM(property)) {
                    GEnumClass *choices = G_PARAM_SPEC_ENUM(property)->enum_class;
                    for (guint choice = 0; choice < choices->n_values; choice++) {
                        int read = -1;
                        g_object_set(convert, property->name, choices->values[choice].value, NULL);
                        g_object_get(convert, property->name, &read, NULL);
                        if (read != choices->values[choice].value) FAIL("%s reads %d", property->name, read);
                        next_code(sink);
                    }
                } else if (G_IS_PARAM_SPEC_DOUBLE(property)) {
                    GParamSpecDouble *range = G_PARAM_SPEC_DOUBLE(property);
                    double values[] = {range->minimum, range->maximum, 0.5 * range->maximum};
                    for (int choice = 0; choice < 3; choice++) {
                        double read = -1;
                        g_object_set(convert, property->name, values[choice], NULL);
                        g_object_get(convert, property->name, &read, NULL);
                        if (read != values[choice]) FAIL("%s reads %f", property->name, read);
                        next_code(sink);
                    }
                } else if (G_IS_PARAM_SPEC_STRING(property)) {
                    const gchar *texts[] = {"0:1000:100", "none", NULL};
                    for (int choice = 0; choice < 3; choice++) {
                        g_object_set(convert, property->name, texts[choice], NULL);
                        next_code(sink);
                    }
                } else {
                    for (guint threads = 0; threads < 5; threads++) {
                        g_object_set(convert, property->name, threads, NULL);
                        next_code(sink);
                    }
                }
                g_value_init(&value, property->value_type);
                g_param_value_set_default(property, &value);
                g_object_set_property(G_OBJECT(convert), property->name, &value);
                g_value_unset(&value);
            }
            g_free(properties);
            puts("all settings");

            /* All is as at the start, but for the curve. */
            g_object_set(convert, "tone-mapping", 1, NULL);
            int again = 0;
            for (int frame = 0; frame < 5 && again != before; frame++) again = next_code(sink);
            if (again != before) FAIL("code %d in place of %d", again, before);
            gst_element_set_state(pipeline, GST_STATE_NULL);
            gst_object_unref(sink);
            gst_object_unref(convert);
            gst_object_unref(pipeline);
            puts("done");
            return 0;
        }
        """#

    /// Links elements by hand, and lets a controller change a property over time.
    static let pythonProgram = #"""
        import gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstController", "1.0")
        from gi.repository import Gst, GstController

        Gst.init(None)
        pipeline = Gst.Pipeline.new(None)


        def make(factory, **properties):
            element = Gst.ElementFactory.make(factory, None)
            assert element is not None, factory
            for name, value in properties.items():
                Gst.util_set_object_arg(element, name.replace("_", "-"), str(value))
            pipeline.add(element)
            return element


        grey = "video/x-raw,format=Y444_10LE,width=64,height=64,framerate=30/1,colorimetry=bt2100-pq"
        source = make("videotestsrc", pattern="solid-color", foreground_color=0xff808080)
        convert = make("hdrconvert", tone_mapping="none", gamut_mapping="clip")
        sink = make("appsink", sync=False, max_buffers=1)
        chain = [source, make("capsfilter", caps=grey), convert,
                 make("capsfilter", caps="video/x-raw,format=Y444_10LE,colorimetry=bt709"), sink]
        for left, right in zip(chain, chain[1:]):
            assert left.link(right)


        def pull():
            sample = sink.emit("try-pull-sample", 5 * Gst.SECOND)
            assert sample is not None, "no frame"
            code = int.from_bytes(sample.get_buffer().extract_dup(0, 2), "little")
            return sample.get_caps().get_structure(0), code


        pipeline.set_state(Gst.State.PLAYING)
        caps, before = pull()
        assert caps.get_string("colorimetry") == "bt709", caps.to_string()
        assert 600 < before < 800, before
        print("bt709 from PQ")

        convert.set_property("reference-white", 90)
        codes = [pull()[1] for _ in range(4)]
        assert codes[-1] == 940, codes
        print("brighter")

        # White sinks from 203 to 93 cd/m2 within half a second of the stream's time.
        pipeline.set_state(Gst.State.NULL)
        control = GstController.InterpolationControlSource()
        control.set_property("mode", GstController.InterpolationMode.LINEAR)
        binding = GstController.DirectControlBinding.new_absolute(convert, "reference-white", control)
        assert convert.add_control_binding(binding)
        assert control.set(0, 203) and control.set(Gst.SECOND // 2, 93)
        pipeline.set_state(Gst.State.PLAYING)
        codes = [pull()[1] for _ in range(17)]
        assert codes[0] == before, codes
        assert all(left < right for left, right in zip(codes[:15], codes[1:16])), codes
        # The ramp has ended.
        assert codes[15] == codes[16], codes
        print("controlled")

        pipeline.set_state(Gst.State.NULL)
        message = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR | Gst.MessageType.WARNING)
        assert message is None, message.parse_error()
        print("done")
        """#
}
