import CGStreamer
import CGstHDR
import CGstCheck
import Dispatch
import GstBridge
import TestSupport
import Testing

@testable import GstHDR

/// Pads of `hdrmux-settings` that threads of demuxers request at the same time.
@Suite(.quiet) struct RequestPadTests {
    static let pads = 8

    /// Each pad has a name of its own, and the header's values are kept in the order of the muxer's tracks. A second
    /// bin, which numbers its pads in the order of the requests as muxers do, takes the place of the muxer.
    @Test func atOnce() throws {
        GStreamer.started
        for _ in 0..<TestWork.scaled(200) {
            let elements = try (0..<2).map { _ in try #require(gst_element_factory_make("hdrmux-settings", nil)) }
            for element in elements { gst_object_ref_sink(element) }
            defer { for element in elements { gst_object_unref(element) } }
            let impl = try #require(
                UnsafeMutableRawPointer(elements[0]).assumingMemoryBound(to: GstHdrMuxSettings.self).pointee.impl)
            let bin = Unmanaged<HDRMuxSettings>.fromOpaque(impl).takeUnretainedValue()
            bin.building.withLock { $0.muxer = elements[1] }
            nonisolated(unsafe) let requested = elements[0]
            DispatchQueue.concurrentPerform(iterations: Self.pads) { _ in
                guard let pad = gst_element_request_pad_simple(requested, "video_%u") else { return }
                gst_object_unref(pad)
            }
            let names = (0..<Self.pads).map { "video_\($0)" }
            #expect(Set(bin.branches.current.map(\.name)) == Set(names))
            let muxerPads = try bin.tracks.map { branch in
                let pad = try #require(branch.muxerPad)
                let name = try #require(gst_object_get_name(pad.asGstObject))
                defer { g_free(name) }
                return String(cString: name)
            }
            #expect(muxerPads == names)
        }
    }
}
