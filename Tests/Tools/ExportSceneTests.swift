import Foundation
import PluginSupport
import Testing
import TestSupport

/// Scenes in exports to SDR: their light from picture to picture, and the same coded pictures each time.
@Suite(.serialized, .timeLimit(.minutes(20)))
struct ExportSceneTests {
    static let size = (width: 256, height: 144)
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A signal of PQ, SMPTE ST 2084, as a 10-bit code of narrow range.
    static func code(_ light: Double) -> UInt16 {
        let y = pow(light / 10000, 0.1593017578125)
        return UInt16((64 + 876 * pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375)).rounded())
    }

    /// 30 pictures of a scene whose lamp goes up from 300 to 1460 cd/m², and 30 of a bright one, as ProRes in PQ. On
    /// the right both have a wall of 250 cd/m², above reference white, where the curve follows the peak.
    func makeClip() async throws {
        let wall = Self.code(250)
        var data = Data()
        for index in 0..<60 {
            let (peak, ground) = index < 30 ? (300 + 40 * Double(index), 20.0) : (3000, 300)
            let lamp = Self.code(peak)
            let shades = (0..<97).map { Self.code(ground * (0.5 + Double($0) / 97)) }
            var samples: [UInt16] = []
            for y in 0..<Self.size.height {
                for x in 0..<Self.size.width {
                    samples.append(x < 64 && y < 64 ? lamp : x >= 192 ? wall : shades[(x * 7 + y * 13) % 97])
                }
            }
            samples += Array(repeating: 512, count: Self.size.width * Self.size.height)
            samples.withUnsafeBytes { data.append(contentsOf: $0) }
        }
        try data.write(to: folder.url.appendingPathComponent("clip.raw"))
        try await GstLaunch.make(
            "filesrc location=\(folder.path("clip.raw")) blocksize=147456 ! rawvideoparse format=i422-10le "
                + "width=\(Self.size.width) height=\(Self.size.height) framerate=25/1 colorimetry=bt2100-pq ! "
                + "capssetter caps=video/x-raw,content-light-level=(string)4000:400 ! avenc_prores_ks profile=3 ! "
                + "qtmux ! filesink location=\(folder.path("clip.mov"))")
    }

    /// A processor that this program may use.
    static var processor: String {
        get throws {
            let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
            let list = try #require(status.firstMatch(of: /Cpus_allowed_list:\s*(\d+)/))
            return String(list.1)
        }
    }

    /// Exports the clip; on one processor the conversion has one thread.
    func export(_ arguments: [String], onOneProcessor: Bool = false) async throws {
        let line = [HDRCommand.program, "export"] + arguments + ["--software", "--force", "--quiet"]
        var command = try Command(
            onOneProcessor ? "taskset" : line[0],
            onOneProcessor ? ["-c", Self.processor] + line : Array(line.dropFirst()), directory: folder.url)
        command.limit = .seconds(900)
        let result = try await command.run()
        #expect(result.status == 0, "\(result.errors)")
    }

    /// The output of `elements` for the video track.
    func read(_ name: String, _ elements: String) async throws -> Data {
        try await GstLaunch.make(
            "filesrc location=\(folder.path(name)) ! qtdemux ! \(elements) ! filesink location=\(folder.path("read"))")
        return try Data(contentsOf: folder.url.appendingPathComponent("read"))
    }

    /// The codes of the wall, picture by picture.
    func wall(_ name: String) async throws -> [UInt8] {
        let data = try await read(name, "h264parse ! avdec_h264 ! video/x-raw,format=I420")
        let size = Self.size.width * Self.size.height * 3 / 2
        #expect(data.count == 60 * size)
        return (0..<data.count / size).map { data[$0 * size + 70 * Self.size.width + 224] }
    }

    /// With two passes a scene has one curve, for all of its pictures; with one it keeps that of its beginning.
    @Test func eachSceneHasOneCurve() async throws {
        try await makeClip()
        var walls: [[UInt8]] = []
        for (name, option) in [("one.mov", []), ("two.mov", ["--two-pass"])] as [(String, [String])] {
            try await export(
                ["--preset", "h264-highest-quality", "clip.mov", "-o", name, "--speed", "ultrafast"] + option)
            walls.append(try await wall(name))
        }
        func spread(_ codes: ArraySlice<UInt8>) -> UInt8 { (codes.max() ?? 255) - (codes.min() ?? 0) }
        #expect(spread(walls[1][..<30]) <= 1 && spread(walls[1][30...]) <= 1, "\(walls[1])")
        #expect(walls[1][0] > walls[1][30], "the first scene has a curve of its own: \(walls[1])")
        #expect(spread(walls[0][..<30]) <= 1 && walls[0][0] > walls[1][0], "\(walls[0]) \(walls[1])")
        // The cut is right from its first picture on without a first pass too.
        #expect(spread(walls[0][30...]) <= 1 && walls[0][30].distance(to: walls[1][30]).magnitude <= 2, "\(walls[0])")
    }

    /// Once more, and with another number of threads, the coded pictures are the same.
    @Test(arguments: [[], ["--two-pass"]] as [[String]]) func theSameEachTime(_ option: [String]) async throws {
        try await makeClip()
        let sdr = "color-properties=(structure)\"c,primaries=bt709,transfer=bt709,matrix=bt709\""
        var coded: [Data] = []
        for onOneProcessor in [false, false, true] {
            try await export(
                ["--preset", "prores-422", "clip.mov", "-o", "out.mov", "--settings", sdr] + option,
                onOneProcessor: onOneProcessor)
            coded.append(try await read("out.mov", "video/x-prores"))
        }
        #expect(coded[0].count > 100_000 && coded[1] == coded[0] && coded[2] == coded[0])
        // The encoder's own threads change what it makes; a second run does not.
        var streams: [Data] = []
        for _ in 0..<2 {
            try await export(
                ["--preset", "h264-highest-quality", "clip.mov", "-o", "out.mov", "--speed", "ultrafast"] + option)
            streams.append(try await read("out.mov", "h264parse ! video/x-h264,stream-format=byte-stream"))
        }
        #expect(streams[0].count > 10_000 && streams[1] == streams[0])
    }
}
