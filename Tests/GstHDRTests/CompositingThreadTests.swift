import CGStreamer
import CGstHDR
import CHDRTap
import Glibc
import GstBridge
import Synchronization
import TestSupport
import Testing

@testable import GstHDR

/// Requests that many threads answer at a time.
@Suite(.quiet) struct CompositingThreadTests {
    /// Of many answers at a time one counts, and references hold what they should; without GStreamer's threads, so that
    /// ThreadSanitizer sees every order.
    @Test func oneAnswerCounts() throws {
        GStreamer.started
        var info = GstVideoInfo()
        gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, 16, 8)
        let caps = OwnedCaps(owning: try #require(gst_video_info_to_caps(&info)))
        let canvas = try HDRCompositor.Canvas(info, threads: 1, dithers: false)
        let context = try RenderContext(canvas, caps, nil)
        for round in 0..<TestWork.scaled(2000, least: 100) {
            let request = CompositionRequest(
                context, [], nil, streamTime: 0, runningTime: nil, duration: nil)
            let accepted = Atomic<Int>(0)
            nonisolated(unsafe) let interface = request.interface
            for _ in 0..<3 { _ = gst_hdr_composition_request_ref(interface) }
            request.hasStarted()
            @Sendable func answer(_ body: () -> Bool) {
                if body() { accepted.wrappingAdd(1, ordering: .relaxed) }
                gst_hdr_composition_request_unref(interface)
            }
            let waited = Atomic<Bool>(false)
            onThreads([
                { answer { CompositorWitness.fill(interface, 1) } },
                { answer { gst_hdr_composition_request_finish_with_error(interface, "no") != 0 } },
                { answer { gst_hdr_composition_request_finish_cancelled(interface) != 0 } },
                { if round % 2 == 0 { request.cancel() } },
                {
                    switch request.wait(timeout: 0) {
                    case .frame(let frame):
                        gst_buffer_unref(frame)
                        waited.store(true, ordering: .relaxed)
                    case .failed, .leftOut, .cancelled: waited.store(true, ordering: .relaxed)
                    default: break
                    }
                },
            ])
            let count = accepted.load(ordering: .relaxed)
            #expect(count == 1 || round % 2 == 0 && count == 0)
            let hasWaited = waited.load(ordering: .relaxed)
            #expect(hasWaited)
        }
    }
}
