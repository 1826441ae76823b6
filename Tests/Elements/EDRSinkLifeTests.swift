import Foundation
import PluginSupport
import Testing
import TestSupport

/// States, seeks, new caps and memory of `edrsink`.
@Suite struct EDRSinkLifeTests {
    @Test(arguments: [
        "unopened", "again", "pauses", "seeks", "steps", "flushes", "formats", "refused", "several", "endings", "gaps",
        "memory",
        "clock",
    ]) func lives(_ check: String) throws {
        try EDRSinkProgram.check("life", check)
    }

    /// Launch lines and the status that the player gives each: 1 for an error in the stream.
    static let pipelines: [(line: String, status: Int32)] = [
        ("videotestsrc num-buffers=5 ! \(TestCaps.hdr),\(TestCaps.metadata) ! edrsink presenter=offscreen", 0),
        ("videotestsrc num-buffers=5 ! \(TestCaps.sdr) ! edrsink presenter=offscreen sync=false", 0),
        ("videotestsrc num-buffers=0 ! edrsink presenter=offscreen", 0),
        ("videotestsrc num-buffers=5 ! identity error-after=3 ! edrsink presenter=offscreen", 1),
        (
            "videotestsrc num-buffers=5 ! \(TestCaps.hdr) ! taginject tags=image-orientation=flip-rotate-90 ! "
                + "edrsink presenter=offscreen display-link-paused=false pixel-format=rgb10a2 max-lateness=1", 0
        ),
        (
            "concat name=c ! edrsink presenter=offscreen videotestsrc num-buffers=3 ! \(TestCaps.hdr) ! c. "
                + "videotestsrc num-buffers=3 ! \(TestCaps.sdr) ! c.", 0
        ),
        ("videotestsrc num-buffers=5 ! edrsink presenter=x11", 1),
        ("videotestsrc num-buffers=5 ! edrsink presenter=wayland", 1),
    ]

    private func expectNothingAlive(_ outcome: Command.Result, status: Int32) {
        let alive = outcome.errors.split(separator: "\n").filter {
            $0.contains("object-alive,") && $0.contains("address=(gpointer)0x")
        }
        #expect(outcome.status == status, "\(outcome)")
        #expect(alive.isEmpty, "\(alive.joined(separator: "\n"))")
    }

    @Test(arguments: pipelines.indices) func nothingOutlivesThePipeline(_ index: Int) throws {
        let (line, status) = Self.pipelines[index]
        let environment = Player.leakTracing.merging(EDRSinkProgram.noDisplay) { $1 }
        expectNothingAlive(try Player.play(line, environment: environment), status: status)
    }

    /// A C program that asks for all that the sink hands out, and frees it.
    @Test func whatIsHandedOutIsTheCallers() throws {
        let scratch = try TemporaryFolder()
        let program = try scratch.compile(Self.asking, as: "asking", packages: ["gstreamer-video-1.0"])
        let outcome = try GstTool.run(program, [scratch.path("frame")], environment: Player.leakTracing)
        expectNothingAlive(outcome, status: 0)
        #expect(outcome.output == "done\n")
    }

    static let asking = #"""
        #include <gst/video/video.h>
        #include <gst/video/videooverlay.h>
        #include <stdio.h>

        #define FAIL(...) do { fprintf(stderr, __VA_ARGS__); fputc('\n', stderr); return 1; } while (0)

        static void refresh(GstElement *sink, guint64 now, guint64 target, guint64 interval, int *count) {
            g_atomic_int_inc(count);
        }

        static GstBusSyncReply answer(GstBus *bus, GstMessage *message, gpointer asked) {
            if (gst_is_video_overlay_prepare_window_handle_message(message)) *(int *)asked += 1;
            return GST_BUS_PASS;
        }

        int main(int argc, char **argv) {
            gst_init(NULL, NULL);
            GstElement *pipeline = gst_parse_launch(
                "videotestsrc ! video/x-raw,format=P010_10LE,width=64,height=36,framerate=60/1,colorimetry=bt2100-pq ! "
                "edrsink name=sink presenter=offscreen display-link-paused=false", NULL);
            GstElement *sink = gst_bin_get_by_name(GST_BIN(pipeline), "sink");
            int refreshes = 0, asked = 0;
            g_signal_connect(sink, "display-link", G_CALLBACK(refresh), &refreshes);
            GstBus *bus = gst_element_get_bus(pipeline);
            gst_bus_set_sync_handler(bus, answer, &asked, NULL);
            gst_element_set_state(pipeline, GST_STATE_PLAYING);
            if (gst_element_get_state(pipeline, NULL, NULL, 5 * GST_SECOND) != GST_STATE_CHANGE_SUCCESS) FAIL("state");

            for (int turn = 0; turn < 40; turn++) {
                GstSample *shown = NULL, *copy = NULL;
                GstStructure *state = NULL, *record = NULL;
                GValue views = G_VALUE_INIT;
                guint64 item = 0;
                gboolean is_new = FALSE, is_saved = FALSE;
                gchar *name = g_strdup_printf("%s%d.%s", argv[1], turn, turn % 2 ? "png" : "exr");
                g_signal_emit_by_name(sink, "read-frame", &shown);
                g_signal_emit_by_name(sink, "item-time-for-host-time", (guint64)g_get_monotonic_time() * 1000, &item);
                g_signal_emit_by_name(sink, "has-new-frame", item, &is_new);
                g_signal_emit_by_name(sink, "copy-frame", item, &copy);
                if (turn < 4) g_signal_emit_by_name(sink, "save-frame", name, &is_saved);
                g_object_get(sink, "display-state", &state, "frame-record", &record, NULL);
                g_value_init(&views, GST_TYPE_ARRAY);
                gst_util_set_object_arg(
                    G_OBJECT(sink), "views", turn % 2 ? "<\"view,source-x=0.5;\",\"view,width=0.25;\">" : "<>");
                g_object_get_property(G_OBJECT(sink), "views", &views);
                if (gst_value_array_get_size(&views) != (turn % 2 ? 2 : 0)) FAIL("views");
                if (!shown || !copy || !state || !record || (turn < 4 && !is_saved)) FAIL("nothing in turn %d", turn);
                g_value_unset(&views);
                gst_structure_free(state);
                gst_structure_free(record);
                gst_sample_unref(shown);
                gst_sample_unref(copy);
                g_free(name);
            }
            for (int wait = 0; wait < 10000 && g_atomic_int_get(&refreshes) < 3; wait++) g_usleep(1000);
            gst_element_set_state(pipeline, GST_STATE_NULL);
            if (refreshes < 3 || asked != 1) FAIL("%d refreshes, %d windows asked for", refreshes, asked);
            gst_bus_set_sync_handler(bus, NULL, NULL, NULL);
            gst_object_unref(bus);
            gst_object_unref(sink);
            gst_object_unref(pipeline);
            gst_deinit();
            puts("done");
            return 0;
        }
        """#
}
