import Foundation
import PluginSupport
import Testing
import TestSupport

/// The plugin carries its own Swift runtime and must run in a process that has another one.
@Suite struct CoexistenceTests {
    /// That other runtime is the toolchain's libraries, or part of the library that uses it.
    @Test(arguments: ["library first", "plugin first"], [[], ["-static-stdlib"]])
    func aSwiftLibraryInTheSameProcessWorks(order: String, linking: [String]) throws {
        let scratch = try TemporaryFolder()
        let source = try scratch.write(Self.library, to: "other.swift")
        let library = scratch.path("libother.so")
        _ = try GstTool.build("swiftc", ["-emit-library", "-module-name", "Other", source, "-o", library] + linking)
        let program = try scratch.compile(Self.host, as: "host", packages: ["gstreamer-1.0"], flags: ["-ldl"])
        let outcome = try GstTool.run(program, [library, order == "plugin first" ? "plugin" : "library"])
        expectClean(outcome)
        #expect(outcome.output == "before 3\nframe 3\nafter 3\n")
    }

    /// The plugin's file, loaded by a program before GStreamer finds it, in eight threads that begin at once.
    @Test func eightThreadsBeginAtOnce() throws {
        let scratch = try TemporaryFolder()
        let program = try scratch.compile(Self.threads, as: "threads", packages: ["gstreamer-1.0"], flags: ["-ldl"])
        let outcome = try GstTool.run(program, [try GstTool.plugin], timeout: 60)
        expectClean(outcome)
        #expect(outcome.output == "24 pipelines\n")
    }

    static let threads = #"""
        #include <dlfcn.h>
        #include <gst/gst.h>
        #include <stdio.h>

        #define VIDEO "video/x-raw,format=I420_10LE,width=320,height=180,colorimetry="
        static const char *lines[] = {
            "videotestsrc num-buffers=6 ! " VIDEO
            "bt2100-pq ! hdrconvert ! video/x-raw,format=NV12,colorimetry=bt709 ! fakesink",
            "audiotestsrc num-buffers=20 ! hdrtap effect=bandpass ! fakesink",
            "videotestsrc num-buffers=4 ! " VIDEO "bt2100-hlg ! hdrtap effect=sepia ! fakesink",
            "videotestsrc num-buffers=4 ! " VIDEO "bt2100-pq ! edrsink presenter=offscreen sync=false",
        };
        static gint good;

        static gpointer run(gpointer data) {
            for (int i = 0; i < 3; i++) {
                GstElement *pipeline = gst_parse_launch(lines[(GPOINTER_TO_INT(data) + i) % 4], NULL);
                gst_element_set_state(pipeline, GST_STATE_PLAYING);
                GstBus *bus = gst_element_get_bus(pipeline);
                GstMessage *message =
                    gst_bus_timed_pop_filtered(bus, 40 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
                if (message && GST_MESSAGE_TYPE(message) == GST_MESSAGE_EOS) g_atomic_int_inc(&good);
                if (message) gst_message_unref(message);
                gst_object_unref(bus);
                gst_element_set_state(pipeline, GST_STATE_NULL);
                gst_object_unref(pipeline);
            }
            return NULL;
        }

        int main(int argc, char **argv) {
            if (argc < 2 || !dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) return 1;
            gst_init(NULL, NULL);
            GThread *threads[8];
            for (int i = 0; i < 8; i++) threads[i] = g_thread_new("", run, GINT_TO_POINTER(i));
            for (int i = 0; i < 8; i++) g_thread_join(threads[i]);
            gst_deinit();
            printf("%d pipelines\n", good);
            return 0;
        }
        """#

    /// Metadata, a protocol cast and the reference counts of a runtime of its own.
    static let library = #"""
        protocol Counting { var count: Int { get } }
        final class Words: Counting {
            let words: [String: Int]
            init(_ text: String) { words = [text: 1, text + "2": 2, text + "3": 3] }
            var count: Int { words.count }
        }
        @_cdecl("other_count") public func otherCount() -> Int32 {
            let any: Any = Words("a")
            return Int32((any as? any Counting)?.count ?? 0)
        }
        """#

    /// Calls the library before, while and after the plugin converts three frames.
    static let host = #"""
        #include <dlfcn.h>
        #include <gst/gst.h>
        #include <stdio.h>
        #include <string.h>

        static int (*count)(void);

        static void load_library(const char *path) {
            void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
            if (!library) fprintf(stderr, "%s\n", dlerror());
            else count = (int (*)(void))dlsym(library, "other_count");
        }

        int main(int argc, char **argv) {
            gst_init(NULL, NULL);
            GstElement *first = NULL;
            if (!strcmp(argv[2], "plugin")) first = gst_element_factory_make("hdrconvert", NULL);
            load_library(argv[1]);
            if (!count) return 1;
            printf("before %d\n", count());
            GError *error = NULL;
            GstElement *pipeline = gst_parse_launch(
                "videotestsrc num-buffers=3 ! video/x-raw,format=I420_10LE,width=64,height=64,colorimetry=bt2100-pq "
                "! hdrconvert ! video/x-raw,format=NV12,colorimetry=bt709 ! fakesink name=sink", &error);
            if (!pipeline) {
                fprintf(stderr, "%s\n", error->message);
                return 1;
            }
            gst_element_set_state(pipeline, GST_STATE_PLAYING);
            GstBus *bus = gst_element_get_bus(pipeline);
            GstMessage *message =
                gst_bus_timed_pop_filtered(bus, 10 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
            if (!message || GST_MESSAGE_TYPE(message) != GST_MESSAGE_EOS) return 2;
            printf("frame %d\n", count());
            gst_message_unref(message);
            gst_object_unref(bus);
            gst_element_set_state(pipeline, GST_STATE_NULL);
            gst_object_unref(pipeline);
            if (first) gst_object_unref(gst_object_ref_sink(first));
            printf("after %d\n", count());
            return 0;
        }
        """#
}
