import CGStreamer
import GstBridge
import HDRContainer

/// Bytes that are substituted for a file's own when it is read.
enum FilePatches {
    /// GST_MAP_READWRITE, a macro that Swift does not see.
    private static let readWrite = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)

    /// - Parameter buffer: bytes of the file, with their offset. It is taken over where it is replaced.
    /// - Returns: the buffer with the patches applied; `nil` where no patch overlaps it.
    static func applied(
        _ patches: [MovieEdits.Patch], to buffer: UnsafeMutablePointer<GstBuffer>
    ) -> UnsafeMutablePointer<GstBuffer>? {
        let start = UInt64(buffer.pointee.offset)
        let (end, overflow) = start.addingReportingOverflow(UInt64(gst_buffer_get_size(buffer)))
        guard start != UInt64.max, !overflow else { return nil }
        let inside = patches.filter { patch in
            patch.offset < end && patch.offset &+ UInt64(patch.bytes.count) > start
        }
        guard !inside.isEmpty, let changed = buffer.writable() else { return nil }
        var map = GstMapInfo()
        guard gst_buffer_map(changed, &map, readWrite) != 0 else { return changed }
        defer { gst_buffer_unmap(changed, &map) }
        let bytes = UnsafeMutableRawBufferPointer(start: map.data, count: Int(map.size))
        for patch in inside {
            for (index, byte) in patch.bytes.enumerated() {
                let position = patch.offset &+ UInt64(index)
                guard position >= start, let place = Int(exactly: position - start), place < bytes.count else {
                    continue
                }
                bytes[place] = byte
            }
        }
        return changed
    }
}
