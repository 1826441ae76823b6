import Foundation
import TestSupport
import Testing

/// `gsthdrqueue.h`, from C: semantics of one thread, and the order between two.
@Suite struct CQueueTests {
    static let program = #"""
        #include <gst/hdr/gsthdrqueue.h>
        #include <pthread.h>
        #include <sched.h>
        #include <stddef.h>
        #include <stdio.h>

        #define CHECK(condition) \
            do { if (!(condition)) { printf("line %d: %s\n", __LINE__, #condition); return 1; } } while (0)
        #define TOTAL 300000

        static void *write_all(void *queue) {
            for (gsize next = 1; next <= TOTAL;)
                if (gst_hdr_queue_enqueue(queue, GSIZE_TO_POINTER(next)) == GST_HDR_QUEUE_OK) next++;
                else sched_yield();
            return NULL;
        }

        static int one_thread(gssize capacity) {
            GstHdrQueue *queue = gst_hdr_queue_new(capacity);
            CHECK(queue && gst_hdr_queue_get_capacity(queue) == (gsize)capacity);
            for (int round = 0; round < 4; round++) {
                CHECK(!gst_hdr_queue_get_head(queue) && !gst_hdr_queue_dequeue(queue));
                for (gssize i = 0; i < capacity; i++) {
                    CHECK(gst_hdr_queue_get_count(queue) == (gsize)i);
                    CHECK(gst_hdr_queue_get_fullness(queue) == (double)i / capacity);
                    CHECK(gst_hdr_queue_enqueue(queue, GSIZE_TO_POINTER(1 + i)) == GST_HDR_QUEUE_OK);
                }
                CHECK(gst_hdr_queue_enqueue(queue, queue) == GST_HDR_QUEUE_FULL);
                CHECK(gst_hdr_queue_enqueue(queue, NULL) == GST_HDR_QUEUE_INVALID_ARGUMENT);
                CHECK(gst_hdr_queue_get_fullness(queue) == 1 && gst_hdr_queue_get_count(queue) == (gsize)capacity);
                if (round == 2) {
                    gst_hdr_queue_reset(queue);
                    CHECK(gst_hdr_queue_get_count(queue) == 0);
                    continue;
                }
                for (gssize i = 0; i < capacity; i++) {
                    CHECK(gst_hdr_queue_get_head(queue) == GSIZE_TO_POINTER(1 + i));
                    CHECK(gst_hdr_queue_dequeue(queue) == GSIZE_TO_POINTER(1 + i));
                }
            }
            gst_hdr_queue_free(queue);
            return 0;
        }

        int main(void) {
            CHECK(offsetof(GstHdrQueue, tail) - offsetof(GstHdrQueue, head) >= 64);
            CHECK(offsetof(GstHdrQueue, head) >= 64 && sizeof(GstHdrQueue) - offsetof(GstHdrQueue, tail) >= 64);
            CHECK(!gst_hdr_queue_new(0) && !gst_hdr_queue_new(-7) && !gst_hdr_queue_new(G_MAXSSIZE));
            CHECK(gst_hdr_queue_enqueue(NULL, "") == GST_HDR_QUEUE_INVALID_ARGUMENT);
            CHECK(!gst_hdr_queue_dequeue(NULL) && !gst_hdr_queue_get_head(NULL));
            gst_hdr_queue_free(NULL);
            for (gssize capacity = 1; capacity < 9; capacity++)
                if (one_thread(capacity)) return 1;

            GstHdrQueue *queue = gst_hdr_queue_new(13);
            pthread_t writer;
            CHECK(pthread_create(&writer, NULL, write_all, queue) == 0);
            for (gsize next = 1; next <= TOTAL;) {
                gpointer head = gst_hdr_queue_get_head(queue);
                gpointer element = gst_hdr_queue_dequeue(queue);
                CHECK(gst_hdr_queue_get_count(queue) <= 13);
                if (!element) { sched_yield(); continue; }
                CHECK(GPOINTER_TO_SIZE(element) == next && (!head || head == element));
                next++;
            }
            pthread_join(writer, NULL);
            CHECK(gst_hdr_queue_get_count(queue) == 0);
            gst_hdr_queue_free(queue);
            puts("done");
            return 0;
        }
        """#

    /// The header needs GLib alone, and is clean for the compilers and their sanitizers.
    @Test(arguments: [
        ["-O2", "-fsanitize=thread"], ["-O1", "-fsanitize=address,undefined"], ["-O2", "-std=c99"],
    ])
    func conforms(_ options: [String]) throws {
        let compiler = try Compiler()
        let source = try compiler.write(Self.program, to: "queue.c")
        let program = compiler.folder.appendingPathComponent("queue").path
        // ThreadSanitizer of the Swift toolchain needs its dispatch library.
        let libraries = try Compiler.runtimeLibraries()
        let dispatch = ["-L" + libraries, "-Wl,-rpath," + libraries, "-ldispatch", "-lBlocksRuntime"]
        let glib = try Compiler.run("pkg-config", ["--cflags", "--libs", "glib-2.0"]).text
        let flags = glib.split(whereSeparator: \.isWhitespace).map(String.init)
        let include = "-I" + Repository.path("Sources/CHDRTap/include")
        let built = try Compiler.run(
            "clang",
            options + ["-Wall", "-Wextra", "-Werror", "-pthread", "-fuse-ld=lld", include, source, "-o", program]
                + flags
                + dispatch)
        #expect(built.status == 0 && built.text == "", "\(built.text)")
        let outcome = try Compiler.run(program, [])
        #expect(outcome.status == 0 && outcome.text == "done\n", "\(outcome.text)")
    }
}
