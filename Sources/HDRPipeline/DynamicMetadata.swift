import CGStreamer
import CHDRTap

/// HDR metadata of one picture: Dolby Vision, HDR10+ or SMPTE ST 2094-50. `hdrmetaparse` attaches them to coded
/// pictures, decoders and encoders pass them on, and `hdrmux-settings` writes them to a file.
public struct DynamicMetadata: Equatable, Sendable {
    public enum Format: Sendable, CaseIterable {
        /// A Dolby Vision RPU (ETSI TS 103 572) from its prefix byte 25 to its last byte 128.
        case dolbyVision
        /// An ITU-T T.35 message with SMPTE ST 2094-40, starting with its country code.
        case hdr10Plus
        /// An ITU-T T.35 message with SMPTE ST 2094-50, starting with its country code.
        case st209450
    }

    public var format: Format
    /// The metadata's bytes, without emulation prevention.
    public var bytes: [UInt8]
    /// Whether the picture's light has changed since they were made. Such metadata are never applied.
    public var isStale: Bool

    public init(_ format: Format, _ bytes: [UInt8], isStale: Bool = false) {
        self.format = format
        self.bytes = bytes
        self.isStale = isStale
    }
}

extension DynamicMetadata.Format {
    fileprivate var value: GstHdrDynamicFormat {
        switch self {
        case .dolbyVision: GST_HDR_DOLBY_VISION
        case .hdr10Plus: GST_HDR_HDR10_PLUS
        case .st209450: GST_HDR_ST2094_50
        }
    }
}

extension Buffer {
    /// The picture's metadata, at most one of each format.
    public var dynamicMetadata: [DynamicMetadata] {
        DynamicMetadata.Format.allCases.compactMap { format in
            var flags: guint = 0
            var size: gsize = 0
            guard let data = gst_hdr_buffer_get_dynamic_metadata(pointer, format.value, &flags) else { return nil }
            let start = g_bytes_get_data(data, &size)
            let bytes = Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(size)))
            return DynamicMetadata(
                format, bytes, isStale: flags & GST_HDR_DYNAMIC_METADATA_STALE.rawValue != 0)
        }
    }

    /// A buffer with the same bytes and times, and with these metadata in place of all others. The bytes are not
    /// copied.
    public func with(_ metadata: [DynamicMetadata]) throws(PipelineError) -> Buffer {
        let flags =
            GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue | GST_BUFFER_COPY_META.rawValue
            | GST_BUFFER_COPY_MEMORY.rawValue
        guard let copy = gst_buffer_copy_region(pointer, GstBufferCopyFlags(flags), 0, gsize.max) else {
            throw PipelineError("Out of memory for a buffer")
        }
        defer { gst_buffer_unref(copy) }
        for format in DynamicMetadata.Format.allCases {
            guard let new = metadata.last(where: { $0.format == format }) else {
                _ = gst_hdr_buffer_remove_dynamic_metadata(copy, format.value)
                continue
            }
            let data = new.bytes.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
            defer { g_bytes_unref(data) }
            let stale = new.isStale ? GST_HDR_DYNAMIC_METADATA_STALE.rawValue : 0
            guard gst_hdr_buffer_set_dynamic_metadata(copy, format.value, data, stale) != nil else {
                throw PipelineError("Out of memory for a buffer's metadata")
            }
        }
        return Buffer(retaining: copy)
    }
}
