import CGStreamer
import CGstCheck
import Glibc
import GstBridge
import TestSupport
import Testing

@testable import GstHDR

/// The sink behind `hdrmux-settings` prerolls where the input stalls. Behind the first byte of the file that must not
/// happen: the segment that it takes would have a filesink write over the file's beginning.
@Suite(
    .quiet, .serialized, .enabled(if: getenv("TSAN_OPTIONS") == nil, "ThreadSanitizer does not know GLib's locks"))
struct PrerollWatchTests {
    /// Longer than two of the watch's periods, after which it takes the input for stalled, in microseconds.
    private static let stall: gulong = 1_200_000

    /// The muxer's thread is at work, which is what the stream lock says, when the watch would preroll.
    @Test(arguments: [true, false]) func aStall(_ hasBegun: Bool) throws {
        let harness = try Harness()
        _ = harness.eventTypes()
        let last = harness.harness.pointee.element!
        let entry = try #require(gst_element_get_static_pad(last, "sink"))
        defer { gst_object_unref(entry) }
        let watch = PrerollWatch()
        g_rec_mutex_lock(&entry.pointee.stream_rec_lock)
        watch.start(last, media: "video/x-raw, format=GRAY8, width=2, height=2, framerate=1/1")
        watch.enter()
        watch.leave()
        g_usleep(Self.stall)
        #expect(harness.eventTypes().isEmpty)
        if hasBegun { watch.stop() }
        g_rec_mutex_unlock(&entry.pointee.stream_rec_lock)
        g_usleep(Self.stall / 4)
        let events = harness.eventTypes()
        #expect(events.contains(GST_EVENT_GAP) == !hasBegun, "\(events)")
        if hasBegun { #expect(events.isEmpty) }
        watch.stop()
    }
}
