import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream

/// Writes the dynamic metadata that buffers carry into the bitstream of encoded HEVC pictures. Works behind any encoder
/// that passes metas on; an encoder that writes them itself removes them from the buffer.
final class DynamicMetadataFilter: BinFilter, @unchecked Sendable {
    private var writer = DynamicMetadataWriter(.byteStream)
    private var hasComplained = false

    override func stop() {
        writer = DynamicMetadataWriter(.byteStream)
        hasComplained = false
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_CAPS {
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            let structure = caps.flatMap { gst_caps_get_structure($0, 0) }
            writer = DynamicMetadataWriter(structure.flatMap { NALFraming(hevc: $0) } ?? .byteStream)
        }
        return push(event)
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        let payloads = DynamicMetadataPayload.Format.allCases.compactMap { format -> DynamicMetadataPayload? in
            buffer.metadata(format).flatMap { $0.isStale ? nil : $0.payload }
        }
        guard !payloads.isEmpty else { return push(buffer) }
        do {
            let written = try buffer.withBytes { bytes in try writer.writing(payloads, into: bytes) }
            guard let bytes = written ?? nil, let changed = buffer.replaced(by: bytes) else { return push(buffer) }
            gst_buffer_unref(buffer)
            return push(changed)
        } catch {
            if !hasComplained {
                hasComplained = true
                warning("pictures go without their dynamic HDR metadata: \(error)")
            }
            return push(buffer)
        }
    }
}
