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
        guard isMissing, let buffer = given.writable(),
            let memory = gst_allocator_alloc(nil, gsize(delimiter.bytes.count), nil)
        else { return push(given) }
        var map = GstMapInfo()
        if gst_memory_map(memory, &map, GST_MAP_WRITE) != 0 {
            for (index, byte) in delimiter.bytes.enumerated() { map.data[index] = byte }
            gst_memory_unmap(memory, &map)
        }
        gst_buffer_prepend_memory(buffer, memory)
        return push(buffer)
    }
}
