@testable import HDRContainer

/// Matroska files with metadata beside the frames.
enum MatroskaBlockFixture {
    typealias Movie = MovieBuilder
    typealias Matroska = MatroskaBuilder

    static let plus: [UInt8] = [0xb5, 0, 0x3c, 0, 1, 4, 1, 0x40, 0, 0]

    static func group(_ track: UInt8, addition identifier: UInt64?, _ payload: [UInt8] = plus) -> [UInt8] {
        let block = Matroska.element(0xa1, [0x80 | track, 0, 0, 0] + Movie.media(40))
        guard let identifier else { return Matroska.element(0xa0, block) }
        let more = Matroska.element(0xa6, Matroska.number(0xee, identifier), Matroska.element(0xa5, payload))
        return Matroska.element(0xa0, block, Matroska.element(0x75a1, more))
    }

    static func file(_ clusters: [UInt8]..., mapping: [UInt8] = []) -> [UInt8] {
        Matroska.header("webm") + Matroska.unknownSize(0x1853_8067)
            + Matroska.tracks(Matroska.videoTrack(1, colour: [], extra: mapping))
            + clusters.flatMap { Matroska.unknownSize(0x1f43_b675) + Matroska.number(0xe7, 0) + $0 }
    }
}
