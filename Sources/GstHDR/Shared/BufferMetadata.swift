import CGStreamer
import CHDRTap
import HDRBitstream

/// The dynamic metadata that a buffer carries, as `gst/hdr/gsthdrdynamicmetadata.h` describes them.
struct BufferMetadata {
    var payload: DynamicMetadataPayload
    /// Whether the picture's light has changed since the metadata were made.
    var isStale = false
    /// The size in pixels of the picture that they describe; 0 where it is unknown.
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
    /// The picture's metadata of one format: those of this plugin's meta, or else those of GStreamer's own.
    func metadata(_ format: DynamicMetadataPayload.Format) -> BufferMetadata? {
        guard let data = HeldBytes(self, format.value) else { return nil }
        let meta = gst_hdr_buffer_get_dynamic_meta(self, format.value)
        return BufferMetadata(
            payload: DynamicMetadataPayload(format, data.array), isStale: data.isStale,
            width: Int(meta?.pointee.width ?? 0), height: Int(meta?.pointee.height ?? 0))
    }

    /// Attaches metadata to the picture, replacing those of the same format. The buffer must be writable.
    func setMetadata(_ metadata: BufferMetadata) {
        let data = metadata.payload.bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(data) }
        let flags = metadata.isStale ? GST_HDR_DYNAMIC_METADATA_STALE.rawValue : 0
        let meta = gst_hdr_buffer_set_dynamic_metadata(self, metadata.payload.format.value, data, flags)
        meta?.pointee.width = guint(clamping: metadata.width)
        meta?.pointee.height = guint(clamping: metadata.height)
    }

    /// Removes all dynamic metadata. The buffer must be writable.
    func removeMetadata() {
        for format in DynamicMetadataPayload.Format.allCases {
            _ = gst_hdr_buffer_remove_dynamic_metadata(self, format.value)
        }
    }
}

/// A reference to the bytes of a picture's metadata.
final class HeldBytes {
    let format: GstHdrDynamicFormat
    let isStale: Bool
    private let bytes: OpaquePointer

    /// - Returns: `nil` where the picture has no metadata of this format.
    init?(_ buffer: UnsafeMutablePointer<GstBuffer>, _ format: GstHdrDynamicFormat) {
        var flags: guint = 0
        guard let bytes = gst_hdr_buffer_ref_dynamic_metadata_(buffer, format, &flags) else { return nil }
        self.format = format
        self.bytes = bytes
        isStale = flags & GST_HDR_DYNAMIC_METADATA_STALE.rawValue != 0
    }

    deinit { g_bytes_unref(bytes) }

    func isEqual(_ other: HeldBytes) -> Bool {
        bytes == other.bytes || g_bytes_equal(UnsafeRawPointer(bytes), UnsafeRawPointer(other.bytes)) != 0
    }

    var array: [UInt8] {
        var size: gsize = 0
        let start = g_bytes_get_data(bytes, &size)
        return Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(size)))
    }

    /// Attaches these metadata to a picture, marked as stale.
    fileprivate func outdate(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        gst_hdr_buffer_set_dynamic_metadata(buffer, format, bytes, GST_HDR_DYNAMIC_METADATA_STALE.rawValue)
    }

    /// Whether a picture still has these very metadata, rather than equal ones that were attached later.
    fileprivate func isStill(on buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        guard let meta = gst_hdr_buffer_get_dynamic_meta(buffer, format) else {
            return HeldBytes(buffer, format)?.isEqual(self) == true
        }
        return meta.pointee.data == bytes
    }
}

/// The metadata that a picture had before it was changed.
final class HeldMetadata {
    private let data: [HeldBytes]

    init(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        data = DynamicMetadataPayload.Format.allCases.compactMap { HeldBytes(buffer, $0.value) }
    }

    var isThere: Bool { !data.isEmpty }

    /// Marks those that are still attached as stale, because the picture's light has changed. The buffer must be
    /// writable.
    func outdate(_ buffer: UnsafeMutablePointer<GstBuffer>) {
        for item in data where item.isStill(on: buffer) { item.outdate(buffer) }
    }
}
