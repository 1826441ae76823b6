import CGStreamer
import GstBridge
import Glibc
import HDRBitstream
import HDRColor
import Testing

@testable import GstHDR

/// Pads of `hdrcompositor`: pictures that are not what their caps say, that are hidden, or that the pointer is over.
@Suite(
    .quiet, .serialized, .enabled(if: getenv("TSAN_OPTIONS") == nil, "ThreadSanitizer does not know GLib's locks"))
struct CompositorPadTests {
    private static let caps = "video/x-raw,format=GRAY8,width=8,height=6,framerate=25/1,colorimetry=bt709"

    /// The pad without a picture shows nothing; those above and below it do.
    @Test(arguments: [0, 1, 2]) func aShortPictureHidesNoOther(_ short: Int) throws {
        let harness = try CompositingHarness(Self.caps)
        let sources = try (0..<3).map { _ in try harness.source(Self.caps) }
        let values: [UInt16] = [60, 120, 200]
        for (index, source) in sources.enumerated() {
            if index == short { source.pushShort() } else { source.push(values[index]) }
        }
        for source in sources { source.end() }
        #expect(Set(harness.pull() ?? []) == [UInt8(short == 2 ? values[1] : values[2])])
    }
    /// A picture below one that hides the whole canvas has no part in it: that one's metadata stay as they are.
    @Test(arguments: ["", "xpos=64"]) func aHiddenPictureChangesNothing(_ place: String) throws {
        let caps = "video/x-raw,format=Y444_10LE,width=8,height=6,framerate=25/1,colorimetry=bt2100-pq"
        let harness = try CompositingHarness(caps)
        let hidden = try harness.source(caps)
        let shown = try harness.source(caps)
        // Outside of the canvas, or under the other one.
        if let value = place.split(separator: "=").last { hidden.set("xpos", String(value)) }
        func message(_ light: UInt32) throws -> DynamicMetadataPayload {
            var metadata = HDR10PlusMetadata()
            metadata.windows[0].maxSCL = SIMD3(repeating: light)
            return DynamicMetadataPayload(.hdr10Plus, try metadata.payload)
        }
        for (source, light) in [(hidden, UInt32(500)), (shown, 9000)] {
            let frame = try #require(source.frame(UInt16(light / 20)))
            frame.setMetadata(BufferMetadata(payload: try message(light)))
            gst_pad_push(source.pad, frame)
            source.end()
        }
        let picture = try #require(harness.pullBuffer())
        defer { gst_buffer_unref(picture) }
        let metadata = try #require(picture.metadata(.hdr10Plus))
        #expect(metadata.payload == (try message(9000)) && !metadata.isStale)
    }

    // MARK: Navigation

    private final class Places {
        var all: [SIMD2<Double>] = []
    }

    /// The places of mouse events that reach a pad.
    private func places(_ pad: UnsafeMutablePointer<GstPad>) -> Places {
        let places = Places()
        gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
            { _, info, data in
                guard let event = info?.pointee.data?.assumingMemoryBound(to: GstEvent.self),
                    event.pointee.type == GST_EVENT_NAVIGATION, let data
                else { return GST_PAD_PROBE_OK }
                var (x, y) = (0.0, 0.0)
                gst_navigation_event_get_coordinates(event, &x, &y)
                Unmanaged<Places>.fromOpaque(data).takeUnretainedValue().all.append(SIMD2(x, y))
                return GST_PAD_PROBE_OK
            }, Unmanaged.passRetained(places).toOpaque(), { Unmanaged<Places>.fromOpaque($0!).release() })
        return places
    }

    /// As with GStreamer's `compositor`, a mouse event reaches the pads whose pictures are under it, at the place in
    /// the picture: scaled and turned as that is.
    @Test(arguments: [
        ("identity", SIMD2(2.0, 0.5)), ("horiz", SIMD2(6, 0.5)), ("180", SIMD2(6, 5.5)), ("90r", SIMD2(2.0 / 3, 4.5)),
    ])
    func mouseEventsReachPictures(_ direction: String, _ expected: SIMD2<Double>) throws {
        let harness = try CompositingHarness(Self.caps.replacing("width=8,height=6", with: "width=80,height=60"))
        let whole = try harness.source(Self.caps)
        let small = try harness.source(Self.caps)
        for (source, settings) in [
            (whole, ["width": "80", "height": "60"]),
            (small, ["xpos": "40", "ypos": "10", "width": "16", "height": "12", "video-direction": direction]),
        ] {
            for (name, value) in settings { source.set(name, value) }
            source.push(100)
            source.end()
        }
        #expect(harness.pull() != nil)
        let (below, above) = (places(whole.pad), places(small.pad))
        for (x, y) in [(4.0, 20.0), (44.0, 11.0)] {
            #expect(harness.send(gst_navigation_event_new_mouse_move(x, y, GST_NAVIGATION_MODIFIER_NONE)))
        }
        #expect(below.all == [SIMD2(0.4, 2), SIMD2(4.4, 1.1)])
        #expect(above.all == [expected])
    }
}
