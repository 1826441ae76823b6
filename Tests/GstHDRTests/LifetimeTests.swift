import CGStreamer
import CGstCheck
import TestSupport
import Testing

@Suite(.quiet)
struct LifetimeTests {
    @Test func manyElements() throws {
        GStreamer.started
        for _ in 0..<TestWork.scaled(1000) {
            let element = try #require(gst_element_factory_make("hdrconvert", nil))
            gst_object_ref_sink(element)
            #expect(references(element) == 1)
            gst_object_unref(element)
        }
    }

    /// An element that has worked is freed with its last reference.
    @Test func elementIsFreedAfterWork() throws {
        for index in 0..<TestWork.scaled(200) {
            var harness: Harness? = try Harness(
                caps("P010_10LE", "bt2100-pq"), to: want("NV12"), ["n-threads": "\(index % 3)"])
            let element = try #require(harness?.element)
            gst_object_ref(element)
            for _ in 0..<2 { _ = try harness?.convert(PictureCodes.ramp(32, 8, bits: 10)) }
            harness = nil
            #expect(references(element) == 1)
            gst_object_unref(element)
        }
    }

    /// The element keeps no reference to a buffer: only its owner's is left.
    @Test(arguments: [want("NV12"), want()]) func buffersAreGivenBack(_ target: String) throws {
        let harness = try Harness(caps("P010_10LE", "bt2100-pq", site: "mpeg2"), to: target)
        let input = try Buffer(PictureCodes.ramp(32, 8, bits: 10), try harness.inputInfo())
        let before = input.bytes
        for _ in 0..<20 {
            let output = try harness.convert(input)
            let isPassthrough = output.pointer == input.pointer
            #expect(input.references == (isPassthrough ? 2 : 1))
            #expect(isPassthrough || output.references == 1)
        }
        #expect(input.references == 1)
        #expect(input.bytes == before)
    }

    /// A buffer that the stream still holds outlives the element.
    @Test func outputOutlivesElement() throws {
        let (output, info, picture) = try {
            let harness = try Harness(caps("P010_10LE", "bt2100-pq"), to: want("NV12"))
            let info = try harness.outputInfo()
            let output = try harness.convert(try Buffer(PictureCodes.ramp(32, 8, bits: 10), try harness.inputInfo()))
            return (output, info, try output.picture(info))
        }()
        #expect(try output.picture(info) == picture)
        #expect(output.references == 1)
    }

    /// Caps that negotiation has seen are not kept.
    @Test func capsAreGivenBack() throws {
        let source = try #require(gst_caps_from_string(caps("P010_10LE", "bt2100-pq")))
        do {
            let harness = try Harness()
            for want in [want("NV12"), want("RGBA"), want("I420_10LE", "bt2100-hlg")] {
                gst_harness_set_sink_caps_str(harness.harness, want)
                harness.send(gst_event_new_caps(source))
                _ = harness.sendSegment()
                _ = try harness.convert(PictureCodes.ramp(32, 8, bits: 10))
            }
            // Caps that are refused come next.
            gst_harness_set_sink_caps_str(harness.harness, want("RGB16"))
            harness.send(gst_event_new_caps(source))
        }
        #expect(source.pointee.mini_object.refcount == 1)
        gst_caps_unref(source)
    }

    private func references(_ element: UnsafeMutablePointer<GstElement>) -> Int {
        Int(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self).pointee.ref_count)
    }
}
