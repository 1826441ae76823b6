@testable import HDRContainer
@testable import HDRMetadata

/// YUV4MPEG2 files.
enum Y4MFixture {
    static func file(frames: Int, _ words: String = "W5 H3 F25:1 C420p10") -> [UInt8] {
        let frame = Array("FRAME\n".utf8) + [UInt8](repeating: 1, count: 54)
        return Array("YUV4MPEG2 \(words)\n".utf8) + (0..<frames).flatMap { _ in frame }
    }
}
