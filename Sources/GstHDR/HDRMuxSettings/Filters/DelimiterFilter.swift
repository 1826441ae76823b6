import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRMetadata

/// Begins each access unit of a byte stream with an access unit delimiter, as transport streams ask (ITU-T H.222.0
/// sections 2.14.1 and 2.17.1).
final class DelimiterFilter: BinFilter, @unchecked Sendable {
    private let delimiter: AccessUnitDelimiter

    init(_ codec: VideoCodec) { delimiter = codec == .hevc ? .hevc : .h264 }

    override func chain(_ given: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        let isMissing = given.withBytes { !delimiter.begins($0) } ?? false
        // The picture's own memory stays where it is.
        guard isMissing, let front = UnsafeMutablePointer<GstBuffer>(delimiter.bytes), let buffer = given.writable()
        else { return push(given) }
        gst_buffer_prepend_memory(buffer, gst_buffer_get_all_memory(front))
        gst_buffer_unref(front)
        return push(buffer)
    }
}
