import CGStreamer
import HDRContainer
import HDRPipeline

extension Pad {
    /// Puts bytes in the place of a file's own, of which a demuxer would leave out a part: ``MovieEdits``.
    func patch(_ patches: [MovieEdits.Patch]) {
        watch { _, buffer in
            guard let start = buffer.offset else { return .pass }
            let (end, overflow) = start.addingReportingOverflow(UInt64(buffer.count))
            let near = patches.filter { $0.offset < end && $0.offset + UInt64($0.bytes.count) > start }
            guard !overflow, !near.isEmpty, var bytes = buffer.withBytes({ [UInt8]($0) }) else { return .pass }
            for patch in near {
                for (index, byte) in patch.bytes.enumerated() {
                    let position = patch.offset + UInt64(index)
                    if position >= start, position < end { bytes[Int(position - start)] = byte }
                }
            }
            guard let other = try? Buffer(count: bytes.count, { $0.copyBytes(from: bytes) }) else {
                return .pass
            }
            other.pointer.pointee.offset = buffer.pointer.pointee.offset
            return .replace(other)
        }
    }
}
