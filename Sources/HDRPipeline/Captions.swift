import CGStreamer

/// The closed captions of a picture.
public enum CaptionData: Equatable, Sendable {
    /// Byte pairs of CEA-608's first field.
    case line21([UInt8])
    /// cc_data of CEA-708 in packets of three bytes.
    case packets([UInt8])
    /// A caption distribution packet (SMPTE ST 334-2).
    case distribution([UInt8])
}

extension Buffer {
    /// The captions that a parser or a decoder has found with the picture; `nil` where there are none.
    public var captions: CaptionData? {
        var state: gpointer?
        let api = gst_video_caption_meta_api_get_type()
        while let meta = gst_buffer_iterate_meta_filtered(pointer, &state, api) {
            let found = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoCaptionMeta.self)
            guard let data = found.pointee.data else { continue }
            let bytes = Array(UnsafeBufferPointer(start: data, count: Int(found.pointee.size)))
            switch found.pointee.caption_type {
            case GST_VIDEO_CAPTION_TYPE_CEA608_RAW: return .line21(bytes)
            case GST_VIDEO_CAPTION_TYPE_CEA608_S334_1A:
                // Each triplet has a byte with field and line, and two caption bytes; the first field has the highest
                // bit.
                let pairs = stride(from: 0, to: bytes.count - 2, by: 3).filter { bytes[$0] & 0x80 != 0 }
                return .line21(pairs.flatMap { [bytes[$0 + 1], bytes[$0 + 2]] })
            case GST_VIDEO_CAPTION_TYPE_CEA708_RAW: return .packets(bytes)
            case GST_VIDEO_CAPTION_TYPE_CEA708_CDP: return .distribution(bytes)
            default: continue
            }
        }
        return nil
    }
}
