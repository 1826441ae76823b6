import HDRMetadata
import TestSupport

@testable import HDRContainer

/// The frames of a Matroska file's first video track, in the order of presentation.
struct MatroskaFrames {
    private struct Bytes: ByteSource {
        let bytes: [UInt8]
        var size: UInt64 { UInt64(bytes.count) }

        func read(at offset: UInt64, count: Int) -> [UInt8] {
            guard count > 0, let start = Int(exactly: offset), start < bytes.count else { return [] }
            return Array(bytes[start..<start + min(count, bytes.count - start)])
        }
    }

    let configuration: [UInt8]
    let frames: [[UInt8]]

    init(_ name: String) throws {
        let source = Bytes(bytes: try Samples.bytes(name))
        let track = try ContainerInspection(source).tracks[0]
        configuration = track.configuration?.bytes ?? []
        var found: [(time: Int64, frame: [UInt8])] = []
        var cluster: Int64 = 0
        var walker = MatroskaWalker(source, from: 0)
        while let element = walker.next() {
            if element.header.id == MatroskaID.clusterTimestamp, let size = element.header.size {
                cluster =
                    BigEndian.number(element.bytes, at: element.header.count, count: Int(size)).map(Int64.init) ?? 0
            }
            guard let block = element.block, block.track == track.identifier, let size = element.header.size else {
                continue
            }
            let frame = source.read(at: element.data + UInt64(block.count), count: Int(size) - block.count)
            found.append((cluster + Int64(block.time), frame))
        }
        frames = found.sorted { $0.time < $1.time }.map(\.frame)
    }
}
