import Foundation
import HDRBitstream
import HDRColor
import PluginSupport
import Testing
import TestSupport

/// HDR10+ that `hdrmux-settings` measures: for a source without any, and anew.
@Suite struct HDR10PlusExportTests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    /// The metadata of each picture of a file, in the order in which pictures are shown.
    private func metadata(_ path: String) throws -> [HDR10PlusMetadata] {
        let lines = try HDRMetaParseTests.lines(
            "filesrc location=\(path) ! decodebin ! video/x-raw ! fakesink name=out"
        )
        .lines
        return try lines.sorted { $0.time < $1.time }.map { line in
            #expect(line.format == 2 && line.flags == 0)
            let text = Array(line.bytes.utf8)
            return try HDR10PlusMetadata(
                payload: stride(from: 0, to: text.count - 1, by: 2).compactMap {
                    UInt8(String(decoding: text[$0..<$0 + 2], as: UTF8.self), radix: 16)
                })
        }
    }

    /// Three equal pictures of 320x180, whose rows have the codes of Y, Cb and Cr that `row` gives.
    private func clip(_ row: (Int) -> SIMD3<UInt16>) throws -> String {
        let (width, height) = (320, 180)
        var picture: [UInt16] = []
        for y in 0..<height { picture += Array(repeating: row(y).x, count: width) }
        for y in 0..<height / 2 { picture += Array(repeating: row(2 * y).y, count: width / 2) }
        for y in 0..<height / 2 { picture += Array(repeating: row(2 * y).z, count: width / 2) }
        let data = (picture + picture + picture).withUnsafeBytes { Data($0) }
        try data.write(to: scratch.url("in.raw"))
        return "filesrc location=\(scratch.path("in.raw")) blocksize=\(2 * picture.count) ! rawvideoparse "
            + "format=i420-10le width=\(width) height=\(height) framerate=25/1 ! "
            + "capssetter caps=video/x-raw,colorimetry=bt2100-pq"
    }

    private func export(_ source: String, _ bin: String) throws -> [HDR10PlusMetadata] {
        let path = scratch.path("out.mp4")
        expectClean(
            try GstTool.launch(
                "\(source) ! m.video_0 hdrmux-settings name=m file-type=mp4 speed-preset=ultrafast \(bin) ! "
                    + "filesink location=\(path)", timeout: 60))
        return try metadata(path)
    }

    /// Whether both agree within a step of 0.1 cd/m² plus a step of 16-bit PQ, or plus the error of an upstream filter.
    private func isNear(_ steps: UInt32, _ light: Double, within share: Double = 1e-4) -> Bool {
        abs(Double(steps) / 10 - light) < 0.06 + light * share
    }

    /// Deinterlaced pictures keep what they have, as turned ones do.
    @Test func interlacedPicturesKeepTheirs() throws {
        let made = try export(
            try clip { SIMD3(UInt16(100 + 4 * $0), 512, 512) }, "dynamic-hdr-metadata=hdr10-plus")
        try FileManager.default.moveItem(atPath: scratch.path("out.mp4"), toPath: scratch.path("in.mp4"))
        let kept = try export(
            "filesrc location=\(scratch.path("in.mp4")) ! decodebin ! "
                + "capssetter caps=video/x-raw,interlace-mode=(string)interleaved", "")
        #expect(made.count == 3 && made.map { "\($0)" } == kept.map { "\($0)" })
    }

    /// Bands of grey: what each field has is known. The picture is measured before it is encoded, so that the encoder
    /// changes none of it. Borders that another shape needs do not count; `videoscale`, which adds them, changes codes
    /// by one or two of ten bits.
    @Test(arguments: ["", "settings=\"settings,codec=hvc1,width=320,height=240,scaling-mode=resize-aspect\""])
    func greysGiveTheirNumbers(_ scaling: String) throws {
        func code(_ light: Double) -> UInt16 { UInt16((64 + 876 * PQ.inverseEOTF(light)).rounded()) }
        let bands: [(rows: Int, light: Double)] = [(72, 20), (54, 150), (36, 500), (18, 1200)]
        let codes = bands.flatMap { Array(repeating: code($0.light), count: $0.rows) }
        let lights = codes.map { PQ.eotf((Double($0) - 64) / 876) }
        let share = scaling.isEmpty ? 1e-4 : 0.025
        let found = try export(
            try clip { SIMD3(codes[$0], 512, 512) }, "dynamic-hdr-metadata=hdr10-plus \(scaling)")
        #expect(found.count == 3 && Set(found.map { "\($0)" }).count == 1)
        let metadata = try #require(found.first)
        #expect(metadata.profile == .a && metadata.findings.isEmpty, "\(metadata.findings)")
        let window = metadata.windows[0]
        for component in 0..<3 {
            #expect(isNear(window.maxSCL[component], lights[179], within: share), "\(window.maxSCL)")
        }
        #expect(isNear(window.averageMaxRGB, lights.reduce(0, +) / 180, within: share), "\(window.averageMaxRGB)")
        let values = window.distributionMaxRGB.map(\.percentile)
        #expect(window.distributionMaxRGB.map(\.percentage) == [1, 5, 10, 25, 50, 75, 90, 95, 99])
        #expect(values[2] == 40 && window.fractionBrightPixels == 0)
        // 40 % have 20 cd/m², 70 % have 150 or less, 90 % have 500 or less.
        for (index, row) in [(0, 0), (1, 179), (3, 0), (4, 80), (5, 130), (6, 130), (7, 179), (8, 179)] {
            #expect(
                isNear(values[index], lights[row], within: share),
                "entry \(index): \(values[index]), not \(lights[row])")
        }
    }

    /// A colour has three maxima.
    @Test func componentsHaveTheirOwnMaximum() throws {
        let codes = SIMD3<UInt16>(500, 430, 640)
        let found = try export(try clip { _ in codes }, "dynamic-hdr-metadata=hdr10-plus")
        let window = try #require(found.first?.windows.first)
        let (y, b, r) = ((500.0 - 64) / 876, (430.0 - 512) / 896, (640.0 - 512) / 896)
        let red = y + 1.4746 * r
        let blue = y + 1.8814 * b
        let lights = [red, (y - 0.2627 * red - 0.0593 * blue) / 0.6780, blue].map { PQ.eotf($0) }
        for component in 0..<3 { #expect(isNear(window.maxSCL[component], lights[component]), "\(lights)") }
        #expect(isNear(window.averageMaxRGB, lights[0]))
    }

    /// A phone's own values, which it has measured of other pictures than the decoded ones: within a tenth, where it
    /// writes what the profile names, the percentiles from 25 to 95. The median, which this clip has at the steepest
    /// part of its distribution and the phone ahead of the pictures, is within 30 %.
    @Test(Samples.areThere) func sourcesAreMeasuredAnew() throws {
        let source = Samples.path("hdr10-plus-no-colr.mp4")
        let own = try metadata(source)
        let found = try export(
            "filesrc location=\(source) ! decodebin ! video/x-raw", "preserve-dynamic-hdr-metadata=false")
        #expect(found.count == own.count && found.count == 28)
        for (new, old) in zip(found, own) {
            #expect(new != old && new.profile == .a && new.findings.isEmpty, "\(new.findings)")
            for entry in 3...7 {
                let share =
                    Double(new.windows[0].distributionMaxRGB[entry].percentile)
                    / Double(old.windows[0].distributionMaxRGB[entry].percentile)
                #expect(abs(share - 1) < (entry == 4 ? 0.3 : 0.1), "entry \(entry): \(share) of the phone's")
            }
        }
    }

    /// Graded pictures have the light that they have then.
    @Test(Samples.areThere) func gradedPicturesAreMeasured() throws {
        let source = "filesrc location=\(Samples.path("hdr10-plus-no-colr.mp4")) ! decodebin ! video/x-raw"
        let plain = try export(source, "preserve-dynamic-hdr-metadata=false")
        let graded = try export("\(source) ! hdrtap effect=exposure effect::stops=-1", "")
        #expect(graded.count == plain.count)
        for (dark, bright) in zip(graded, plain) {
            let share = Double(dark.windows[0].averageMaxRGB) / Double(bright.windows[0].averageMaxRGB)
            #expect(abs(share - 0.5) < 0.01, "\(share)")
        }
    }
}
