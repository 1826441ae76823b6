import CGStreamer
import CHDRTap
import HDRBitstream

/// The dynamic metadata that a buffer carries, as `gst/hdr/gsthdrdynamicmetadata.h` describes them.
struct BufferMetadata {
    var payload: DynamicMetadataPayload
    /// Whether the picture's light has changed since.
    var isStale = false
    /// Pixels of the picture that they describe; 0: unknown.
    var width = 0
    var height = 0
}

extension DynamicMetadataPayload.Format {
    var value: GstHdrDynamicFormat {
        switch self {
        case .dolbyVision: GST_HDR_DOLBY_VISION
        case .hdr10Plus: GST_HDR_HDR10_PLUS
        case .st209450: GST_HDR_ST2094_50
        }
    }
}

extension UnsafeMutablePointer<GstBuffer> {
    /// The picture's metadata of one format.
    func metadata(_ format: DynamicMetadataPayload.Format) -> BufferMetadata? {
        guard let meta = gst_hdr_buffer_get_dynamic_meta(self, format.value), let data = meta.pointee.data else {
            return nil
        }
        var size: gsize = 0
        let start = g_bytes_get_data(data, &size)
        let bytes = Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(size)))
        return BufferMetadata(
            payload: DynamicMetadataPayload(format, bytes),
            isStale: meta.pointee.flags & GST_HDR_DYNAMIC_METADATA_STALE.rawValue != 0,
            width: Int(meta.pointee.width), height: Int(meta.pointee.height))
    }

    /// Puts metadata on the picture, in place of those of the same format. The buffer must be writable.
    func setMetadata(_ metadata: BufferMetadata) {
        let data = metadata.payload.bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(data) }
        let flags = metadata.isStale ? GST_HDR_DYNAMIC_METADATA_STALE.rawValue : 0
        let meta = gst_hdr_buffer_set_dynamic_metadata(self, metadata.payload.format.value, data, flags)
        meta?.pointee.width = guint(clamping: metadata.width)
        meta?.pointee.height = guint(clamping: metadata.height)
    }

    /// Takes all metadata off. The buffer must be writable.
    func removeMetadata() {
        for format in DynamicMetadataPayload.Format.allCases {
            _ = gst_hdr_buffer_remove_dynamic_metadata(self, format.value)
        }
    }
}

/// The metadata that a picture had before somebody changed it.
final class HeldMetadata {
    private let data: [(format: GstHdrDynamicFormat, bytes: OpaquePointer)]

    init(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        data = DynamicMetadataPayload.Format.allCases.compactMap { format in
            gst_hdr_buffer_get_dynamic_metadata(buffer, format.value, nil).map { (format.value, g_bytes_ref($0)) }
        }
    }

    deinit { for item in data { g_bytes_unref(item.bytes) } }

    var isThere: Bool { !data.isEmpty }

    /// Marks those that are still on the picture as stale: its light is another now. The buffer must be writable.
    func outdate(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        for item in data {
            guard let meta = gst_hdr_buffer_get_dynamic_meta(buffer, item.format), meta.pointee.data == item.bytes
            else { continue }
            meta.pointee.flags |= GST_HDR_DYNAMIC_METADATA_STALE.rawValue
        }
    }
}
