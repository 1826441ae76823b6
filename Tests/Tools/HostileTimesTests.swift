import Foundation
import PluginSupport
import Testing
import TestSupport

/// The commands on Matroska files whose times and numbers nobody would write: none ends by a signal.
@Suite struct HostileTimesTests {
    private static func element(_ id: UInt32, _ data: Data) -> Data {
        let name = withUnsafeBytes(of: id.bigEndian) { Data($0).drop { $0 == 0 } }
        return name + withUnsafeBytes(of: (UInt64(data.count) | 1 << 56).bigEndian) { Data($0) } + data
    }

    private static func element(_ id: UInt32, _ number: UInt64) -> Data {
        element(id, withUnsafeBytes(of: number.bigEndian) { Data($0) })
    }

    /// A file with a video track, the elements of which are given, and with clusters.
    private static func file(codec: String, video: Data, clusters: Data = Data()) -> Data {
        let head = element(
            0x1A45_DFA3, element(0x4282, Data("matroska".utf8)) + element(0x4287, 4) + element(0x4285, 2))
        // Ticks of one nanosecond.
        let info = element(0x1549_A966, element(0x2AD7B1, 1))
        let track =
            element(0xD7, 1) + element(0x73C5, 1) + element(0x83, 1) + element(0x86, Data(codec.utf8))
            + element(0xE0, video)
        return head + element(0x1853_8067, info + element(0x1654_AE6B, element(0xAE, track)) + clusters)
    }

    /// Four raw pictures, 25 of which make a second, with a duration in nanoseconds or none.
    private static func clip(duration: UInt64?) -> Data {
        var clusters = Data()
        for picture in 0..<4 {
            let samples =
                Data(repeating: UInt8(60 + 40 * picture), count: 64 * 48) + Data(repeating: 128, count: 32 * 48)
            let block = element(0xA1, Data([0x81, 0, 0, 0]) + samples) + (duration.map { element(0x9B, $0) } ?? Data())
            clusters += element(0x1F43_B675, element(0xE7, UInt64(picture) * 40_000_000) + element(0xA0, block))
        }
        let video = element(0xB0, 64) + element(0xBA, 48) + element(0x2EB524, Data("I420".utf8))
        return file(codec: "V_UNCOMPRESSED", video: video, clusters: clusters)
    }

    @Test(arguments: [nil, UInt64.max - 1, 1 << 63])
    func durationsOfPictures(_ duration: UInt64?) async throws {
        let folder = try TemporaryFolder()
        try Self.clip(duration: duration).write(to: folder.url.appendingPathComponent("clip.mkv"))
        for words in [
            ["light", "clip.mkv", "-o", "light.png"], ["export", "clip.mkv", "-o", "a.mov"],
            ["concat", "clip.mkv", "clip.mkv", "-o", "b.mov"], ["snapshot", "clip.mkv", "-o", "c.png"],
        ] {
            let outcome = try await HDRCommand.run(words, in: folder)
            #expect(outcome.status == 0, "\(outcome)")
        }
        // The pictures are there, but not as many as are asked for where the file says that each lasts for centuries.
        for words in [["timeline", "clip.mkv", "-o", "d.mov"], ["sheet", "clip.mkv", "-o", "e.png"]] {
            let outcome = try await HDRCommand.run(words, in: folder)
            #expect([0, 1].contains(outcome.status), "\(outcome)")
        }
    }

    @Test func sizes() async throws {
        let folder = try TemporaryFolder()
        let video = Self.element(0xB0, 1 << 63 - 2) + Self.element(0xBA, 3) + Self.element(0x54B0, 715_827_883)
        for codec in ["V_FOO", "V_VP8"] {
            let bytes = Self.file(codec: codec, video: video + Self.element(0x54BA, 1))
            try bytes.write(to: folder.url.appendingPathComponent("wide.mkv"))
            let outcome = try await HDRCommand.run(["inspect", "wide.mkv"], in: folder)
            #expect([0, 1].contains(outcome.status) && !outcome.output.contains("-2x3"), "\(outcome)")
        }
    }

    /// Each video track costs reads, so that a small file with thousands would take minutes: 64 are read.
    @Test func numbersOfTracks() async throws {
        let folder = try TemporaryFolder()
        let head = Self.element(0x1A45_DFA3, Self.element(0x4282, Data("matroska".utf8)))
        let entries = Data((0..<200).flatMap { _ in [0xAE, 0x83, 0x83, 0x81, 0x01] as [UInt8] })
        let bytes = head + Self.element(0x1853_8067, Self.element(0x1654_AE6B, entries))
        try bytes.write(to: folder.url.appendingPathComponent("many.mkv"))
        let found = try #require(try HDRCommand.inspect([folder.path("many.mkv")]).first)
        #expect((found["video"] as? [Any])?.count == 64, "\(found)")
    }
}
