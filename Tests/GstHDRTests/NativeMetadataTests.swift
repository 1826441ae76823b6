import CGStreamer
import CGstCheck
import CHDRTap
import HDRBitstream
import TestSupport
import Testing

@testable import GstHDR

/// GStreamer's own meta with HDR10+, `GstVideoHDRMeta` of version 1.30. Older versions have none, so that the test
/// registers one of the same name and form.
@Suite(.quiet) struct NativeMetadataTests {
    nonisolated(unsafe) private static let info: UnsafePointer<GstMetaInfo>? = {
        GStreamer.started
        if let known = gst_meta_get_info("GstVideoHDRMeta") { return known }
        // The list is copied.
        let api = "video".withCString { tag in
            var tags: [UnsafePointer<CChar>?] = [tag, nil]
            return tags.withUnsafeMutableBufferPointer {
                gst_meta_api_type_register("GstVideoHDRMetaAPI", $0.baseAddress)
            }
        }
        return gst_meta_register(
            api, "GstVideoHDRMeta", gsize(MemoryLayout<GstHdrNativeMeta_>.size),
            { meta, _, _ in
                meta?.withMemoryRebound(to: GstHdrNativeMeta_.self, capacity: 1) {
                    ($0.pointee.data, $0.pointee.size) = (nil, 0)
                }
                return 1
            },
            { meta, _ in
                meta?.withMemoryRebound(to: GstHdrNativeMeta_.self, capacity: 1) { g_free($0.pointee.data) }
            },
            { target, meta, _, _, _ in
                guard let target,
                    let message = meta?.withMemoryRebound(to: GstHdrNativeMeta_.self, capacity: 1, { message(of: $0) })
                else { return 0 }
                add(message, to: target)
                return 1
            })
    }()

    init() throws { _ = try #require(Self.info) }

    private static func message(of meta: UnsafeMutablePointer<GstHdrNativeMeta_>) -> [UInt8] {
        Array(UnsafeBufferPointer(start: meta.pointee.data, count: Int(meta.pointee.size)))
    }

    /// As a parser does, without the codes of country and provider.
    private static func add(_ message: [UInt8], to buffer: UnsafeMutablePointer<GstBuffer>) {
        guard let info, let meta = gst_buffer_add_meta(buffer, info, nil) else { return }
        meta.withMemoryRebound(to: GstHdrNativeMeta_.self, capacity: 1) { native in
            native.pointee.format = GST_HDR_NATIVE_HDR10_PLUS_
            native.pointee.data = message.withUnsafeBytes {
                g_memdup2($0.baseAddress, gsize($0.count))?.assumingMemoryBound(to: UInt8.self)
            }
            native.pointee.size = gsize(message.count)
        }
    }

    private static func native(_ buffer: UnsafeMutablePointer<GstBuffer>) -> [UInt8]? {
        gst_hdr_buffer_get_native_meta_(buffer).map { message(of: $0) }
    }

    private static let prefix: [UInt8] = [0xB5, 0, 0x3C]

    /// A message from the country code on, for a scene of a peak in cd/m².
    private static func message(_ peak: UInt32 = 900) throws -> [UInt8] {
        var metadata = HDR10PlusMetadata()
        metadata.windows[0].maxSCL = SIMD3(repeating: peak * 10)
        metadata.windows[0].averageMaxRGB = peak
        return try metadata.payload
    }

    private static func behindPrefix(_ message: [UInt8]) -> [UInt8] { Array(message.dropFirst(prefix.count)) }

    @Test func elementsReadIt() throws {
        let message = try Self.message()
        #expect(message.starts(with: Self.prefix))
        let buffer = try #require(UnsafeMutablePointer<GstBuffer>([0]))
        defer { gst_buffer_unref(buffer) }
        Self.add(Self.behindPrefix(message), to: buffer)
        #expect(buffer.metadata(.hdr10Plus)?.payload.bytes == message)
        #expect(buffer.metadata(.hdr10Plus)?.isStale == false && buffer.metadata(.dolbyVision) == nil)
        var reader = PictureDynamicsReader()
        #expect(try #require(reader.read(buffer)?.light).peak == 900)
        // One of this set's counts before it.
        buffer.setMetadata(BufferMetadata(payload: DynamicMetadataPayload(.hdr10Plus, try Self.message(500))))
        #expect(try #require(reader.read(buffer)?.light).peak == 500)
    }

    @Test func itFollowsWhatIsSet() throws {
        let buffer = try #require(UnsafeMutablePointer<GstBuffer>([0]))
        defer { gst_buffer_unref(buffer) }
        for peak: UInt32 in [700, 800] {
            let message = try Self.message(peak)
            buffer.setMetadata(BufferMetadata(payload: DynamicMetadataPayload(.hdr10Plus, message)))
            #expect(Self.native(buffer) == Self.behindPrefix(message))
        }
        let stale = BufferMetadata(payload: DynamicMetadataPayload(.hdr10Plus, try Self.message()), isStale: true)
        buffer.setMetadata(stale)
        #expect(Self.native(buffer) == nil)
        // Of other formats and of what is no message there is no native form.
        let others: [(DynamicMetadataPayload.Format, [UInt8])] = [
            (.dolbyVision, [25, 1, 128]), (.st209450, try Self.message()), (.hdr10Plus, []), (.hdr10Plus, Self.prefix),
            (.hdr10Plus, [1, 2, 3, 4]),
        ]
        for (format, bytes) in others {
            buffer.setMetadata(BufferMetadata(payload: DynamicMetadataPayload(format, bytes)))
            #expect(Self.native(buffer) == nil)
        }
        Self.add(Self.behindPrefix(try Self.message()), to: buffer)
        buffer.removeMetadata()
        #expect(Self.native(buffer) == nil && buffer.metadata(.hdr10Plus) == nil)
    }

    /// The curve is the one that the same metadata give as this set's, and neither is on what comes out.
    @Test func itIsAppliedAndGone() throws {
        let picture = PictureCodes.ramp(64, 16, bits: 10)
        func convert(_ attach: (UnsafeMutablePointer<GstBuffer>) -> Void) throws -> [UInt8] {
            let source = caps("P010_10LE", "bt2100-pq", 64, 16, more: "hdr-format=hdr10+")
            let harness = try Harness(source, to: want("NV12"))
            let buffer = try Buffer(picture, try harness.inputInfo())
            attach(buffer.pointer)
            #expect(harness.push(buffer) == GST_FLOW_OK)
            harness.send(gst_event_new_eos())
            let made = try #require(harness.pull())
            #expect(Self.native(made.pointer) == nil && made.pointer.metadata(.hdr10Plus) == nil)
            return bytes(of: made.pointer)
        }
        let message = try Self.message(300)
        let payload = DynamicMetadataPayload(.hdr10Plus, message)
        let own = try convert { $0.setMetadata(BufferMetadata(payload: payload)) }
        let native = try convert { Self.add(Self.behindPrefix(message), to: $0) }
        let plain = try convert { _ in }
        #expect(native == own)
        #expect(native != plain)
    }

    /// It cannot say that the light has changed since, so that this set's takes its place.
    @Test func itIsStaleBehindAnEffect() throws {
        let tap = try VideoTapHarness()
        tap.set("effect", "invert")
        try tap.start(caps("P010_10LE", "bt2100-pq", 64, 16, more: "hdr-format=hdr10+"))
        let frame = try #require(tap.frame(40))
        let message = try Self.message()
        Self.add(Self.behindPrefix(message), to: frame)
        #expect(gst_harness_push(tap.harness, frame) == GST_FLOW_OK)
        let made = try #require(gst_harness_try_pull(tap.harness))
        defer { gst_buffer_unref(made) }
        #expect(Self.native(made) == nil)
        let metadata = try #require(made.metadata(.hdr10Plus))
        #expect(metadata.isStale && metadata.payload.bytes == message)
        #expect(!tap.outputCaps.contains("hdr-format"), "\(tap.outputCaps)")
    }
}
