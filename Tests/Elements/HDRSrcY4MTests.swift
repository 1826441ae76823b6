import Foundation
import PluginSupport
import Testing
import TestSupport

/// `hdrsrc` of YUV4MPEG2 files, against the bytes that were put into them.
@Suite(.timeLimit(.minutes(10))) struct HDRSrcY4MTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A file of frames of noise.
    /// - Returns: each frame's bytes.
    private func write(
        _ name: String, _ words: String, sizes: [(stride: Int, rows: Int)], frames: Int, line: String = ""
    ) throws -> [[UInt8]] {
        var random = SeededGenerator(seed: 7)
        let pictures = (0..<frames).map { _ in
            (0..<sizes.reduce(0) { $0 + $1.stride * $1.rows }).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        var file = Data("YUV4MPEG2 \(words)\n".utf8)
        for picture in pictures { file += Data("FRAME\(line)\n".utf8) + Data(picture) }
        try file.write(to: folder.url(name))
        return pictures
    }

    /// The planes without the padding of rows, which is not written.
    private static func packed(_ bytes: Data, _ sizes: [(stride: Int, rows: Int)]) -> [UInt8] {
        var result: [UInt8] = []
        var place = 0
        while place < bytes.count {
            for (stride, rows) in sizes {
                let step = (stride + 3) & ~3
                for _ in 0..<rows where place + stride <= bytes.count {
                    result += bytes[place..<place + stride]
                    place += step
                }
            }
        }
        return result
    }

    private func played(_ name: String, _ more: String = "") throws -> Data {
        let source = "hdrsrc location=\(folder.path(name)) \(more)"
        let outcome = try GstTool.launch("\(source) ! filesink location=\(folder.path("out.raw"))")
        try #require(outcome.status == 0, "\(outcome)")
        return try Data(contentsOf: folder.url("out.raw"))
    }

    static let formats: [(String, String, [(Int, Int)])] = [
        ("420p10", "I420_10LE", [(20, 6), (10, 3), (10, 3)]), ("422p12", "I422_12LE", [(20, 6), (10, 6), (10, 6)]),
        ("444p10", "Y444_10LE", [(20, 6), (20, 6), (20, 6)]), ("444p16", "Y444_16LE", [(20, 6), (20, 6), (20, 6)]),
        ("420mpeg2", "I420", [(10, 6), (5, 3), (5, 3)]), ("422", "Y42B", [(10, 6), (5, 6), (5, 6)]),
        ("444", "Y444", [(10, 6), (10, 6), (10, 6)]), ("mono", "GRAY8", [(10, 6)]), ("mono16", "GRAY16_LE", [(20, 6)]),
    ]

    @Test(arguments: formats) func everyByteArrives(name: String, format: String, planes: [(Int, Int)]) throws {
        let sizes = planes.map { (stride: $0.0, rows: $0.1) }
        let pictures = try write("clip.y4m", "W10 H6 F25:1 Ip C\(name)", sizes: sizes, frames: 5)
        #expect(Self.packed(try played("clip.y4m"), sizes) == pictures.flatMap { $0 })
        let report = try SourceReport.of(folder.path("clip.y4m"))
        report.expectWhole()
        #expect(report.video?.caps?.contains("format=(string)\(format),") == true, "\(report.video?.caps ?? "")")
        #expect(report.video?.times == (0..<5).map { UInt64($0) * 40_000_000 } && report.duration == 200_000_000)
    }

    @Test func whatTheHeaderSaysIsInTheCaps() throws {
        _ = try write(
            "clip.y4m", "W10 H6 F30000:1001 It A4:3 C420p10 XCOLORRANGE=FULL",
            sizes: [(20, 6), (10, 3), (10, 3)], frames: 3)
        let caps = try #require(try SourceReport.of(folder.path("clip.y4m")).video?.caps)
        for field in [
            "framerate=(fraction)30000/1001", "interlace-mode=(string)interleaved",
            "field-order=(string)top-field-first",
            "pixel-aspect-ratio=(fraction)4/3", "colorimetry=(string)1:", "chroma-site=(string)mpeg2",
        ] { #expect(caps.contains(field), "\(field) in \(caps)") }
        let assumed = try SourceReport.of(folder.path("clip.y4m"), "assume=pq")
        #expect(assumed.info?.transfer == "PQ", "\(String(describing: assumed.info))")
        #expect(assumed.video?.caps?.contains("colorimetry=(string)1:6:14:7") == true, "\(assumed.video?.caps ?? "")")
    }

    /// Parameters of frames are allowed, if seldom written.
    @Test func linesWithParameters() throws {
        let sizes = [(stride: 20, rows: 6), (stride: 10, rows: 3), (stride: 10, rows: 3)]
        let pictures = try write("clip.y4m", "W10 H6 F25:1 C420p10", sizes: sizes, frames: 4, line: " Ip XA=1")
        #expect(Self.packed(try played("clip.y4m"), sizes) == pictures.flatMap { $0 })
        let part = try played("clip.y4m", "start=80000000")
        #expect(Self.packed(part, sizes) == pictures[2...].flatMap { $0 })
    }

    @Test(arguments: [(0, 200), (40, 80), (50, 130), (160, 200), (199, 0)])
    func partsAreCut(from: Int, to: Int) throws {
        let sizes = [(stride: 20, rows: 6), (stride: 10, rows: 3), (stride: 10, rows: 3)]
        let pictures = try write("clip.y4m", "W10 H6 F25:1 C420p10", sizes: sizes, frames: 5)
        let data = try played("clip.y4m", "start=\(from)000000 stop=\(to)000000")
        let last = to == 0 ? 5 : (to + 39) / 40
        #expect(Self.packed(data, sizes) == pictures[(from / 40)..<last].flatMap { $0 })
    }

    @Test func seeks() throws {
        let sizes = [(stride: 20, rows: 6), (stride: 10, rows: 3), (stride: 10, rows: 3)]
        _ = try write("clip.y4m", "W10 H6 F25:1 C420p10", sizes: sizes, frames: 50)
        for (time, first) in [("0", 0), ("1.001", 25), ("1.96", 49)] {
            let report = try SourceReport.of(folder.path("clip.y4m"), "--seek", time)
            #expect(report.ended && report.errors.isEmpty, "\(report.errors)")
            let times = report.video?.times.compactMap { $0 } ?? []
            #expect(times.last == 49 * 40_000_000 && times.suffix(50 - first).count == 50 - first, "\(time): \(times)")
        }
    }

    @Test(arguments: [
        ("W10 H6 F25:1 C420p9", "C420p9"), ("W10 H6 F25:1 C444alpha", "C444alpha"), ("W10 H6 C420p10", "frame rate"),
        ("W10 H6 F25:1 C420p99", "C420p99"),
        ("W65535 H65535 F25:1 C444p16", "65535x65535"), ("W10 H6 F25:1 C420p10", "damaged"),
    ]) func refusals(words: String, mention: String) throws {
        _ = try write("clip.y4m", words, sizes: [], frames: 0)
        let report = try SourceReport.of(folder.path("clip.y4m"))
        #expect(report.errors.count == 1 && report.errors.first?.text.contains(mention) == true, "\(report.errors)")
        #expect(report.errors.first?.text.contains("clip.y4m") == true)
    }

    @Test func damage() throws {
        let sizes = [(stride: 20, rows: 6), (stride: 10, rows: 3), (stride: 10, rows: 3)]
        _ = try write("clip.y4m", "W10 H6 F25:1 C420p10", sizes: sizes, frames: 5)
        var bytes = try Data(contentsOf: folder.url("clip.y4m"))
        try bytes.dropLast(3).write(to: folder.url("short.y4m"))
        let short = try SourceReport.of(folder.path("short.y4m"))
        #expect(short.errors.first?.text.contains("truncated") == true && short.pads.isEmpty, "\(short.errors)")
        let place = bytes.count - 186
        #expect(bytes[place..<place + 5] == Data("FRAME".utf8))
        bytes[place] = 0
        try bytes.write(to: folder.url("bad.y4m"))
        let bad = try SourceReport.of(folder.path("bad.y4m"))
        #expect(bad.errors.count == 1 && bad.errors.first?.text.contains("damaged") == true, "\(bad.errors)")
    }
}
