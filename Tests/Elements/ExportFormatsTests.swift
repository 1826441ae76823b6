import Foundation
import PluginSupport
import Testing
import TestSupport

/// Sources of every format, size, orientation, scan and rate: `hdrmux-settings` writes the picture, or says why not.
@Suite struct ExportFormatsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let format, orientation, preset, fileType: String

        init(_ format: String, _ orientation: String, _ preset: String, _ fileType: String) {
            (self.format, self.orientation, self.preset, self.fileType) = (format, orientation, preset, fileType)
        }

        var testDescription: String { "\(format) \(orientation) \(preset) \(fileType)" }
    }

    /// The bars of pattern smpte75.
    static let bars: [[Int]] = [
        [191, 191, 191], [191, 191, 0], [0, 191, 191], [0, 191, 0], [191, 0, 191], [191, 0, 0], [0, 0, 191],
    ]

    /// Runs a launch line whose bin is called m, and returns how it ended.
    private func export(_ line: String, _ properties: String, to path: String) throws -> Command.Result {
        try GstTool.launch(
            "\(line) ! m.video_0 hdrmux-settings name=m speed-preset=ultrafast \(properties) ! filesink "
                + "location=\(path)",
            timeout: 60)
    }

    private func decoded(_ path: String, _ format: String, _ scratch: TemporaryFolder) throws -> [UInt8] {
        expectClean(
            try GstTool.launch(
                "filesrc location=\(path) ! decodebin ! videoconvert ! video/x-raw,format=\(format) ! "
                    + "filesink location=\(scratch.path("raw"))"))
        return [UInt8](try scratch.data("raw"))
    }

    /// Odd sizes lose a column and a row; RGB is untagged, and small enough for players to take it for BT.601.
    @Test(arguments: [
        Case("P010_10LE", "rotate-0", "hevc-highest-quality", "mov"),
        Case("NV16", "flip-rotate-0", "h264-640x480", "mov"),
        Case("RGB10A2_LE", "rotate-90", "prores-422", "matroska"),
        Case("AYUV64", "flip-rotate-180", "prores-4444", "matroska"),
        Case("RGBA", "flip-rotate-270", "prores-4444", "matroska"),
        Case("v210", "rotate-180", "hevc-highest-quality", "matroska"),
        Case("BGRx", "rotate-0", "h264-highest-quality", "mp4"),
        Case("RGB", "rotate-0", "prores-422", "mov"),
    ]) func picturesAreWhatPlayersShowed(_ example: Case) throws {
        let scratch = try TemporaryFolder()
        let (width, height) = (131, 97)
        let isRGB = example.format.contains("RGB") || example.format.contains("BGR")
        let source =
            "videotestsrc num-buffers=3 pattern=smpte75 ! video/x-raw,format=RGB,width=\(width),height=\(height) ! "
            + "videoconvert ! video/x-raw,format=\(example.format)\(isRGB ? "" : ",colorimetry=bt709") ! "
            + "taginject tags=image-orientation=\(example.orientation)"
        let path = scratch.path("a")
        expectClean(try export(source, "preset=\(example.preset) file-type=\(example.fileType)", to: path))
        let turn = Int(example.orientation.split(separator: "-").last ?? "") ?? 0
        // QuickTime and MP4 say how to turn; Matroska's pictures are turned.
        let turned = example.fileType == "matroska" ? turn : 0
        let lies = turned == 0 || turned == 180
        let (columns, rows) = lies ? (130, 96) : (96, 130)
        let bytes = try decoded(path, "RGB", scratch)
        let stride = (columns * 3 + 3) & ~3
        try #require(bytes.count == 3 * rows * stride)
        for (index, bar) in Self.bars.enumerated() {
            // In the middle of the bar and in the bars' upper part; from 0 to 1.
            var (x, y) = ((Double(index) + 0.5) / 7, 0.3)
            if example.orientation.hasPrefix("flip") { x = 1 - x }
            switch turned {
            case 90: (x, y) = (1 - y, x)
            case 180: (x, y) = (1 - x, 1 - y)
            case 270: (x, y) = (y, 1 - x)
            default: break
            }
            for frame in 0..<3 {
                let at = (frame * rows + Int(y * Double(rows))) * stride + 3 * Int(x * Double(columns))
                let pixel = bytes[at..<(at + 3)].map { Int($0) }
                #expect(zip(pixel, bar).allSatisfy { abs($0 - $1) <= 16 }, "bar \(index) of frame \(frame): \(pixel)")
            }
        }
    }

    /// `deinterlace` passes on unchanged what has more than 8 bits.
    @Test(arguments: ["hevc-highest-quality", "prores-4444"]) func deepVideoIsDeinterlaced(_ preset: String) throws {
        let scratch = try TemporaryFolder()
        let (width, height) = (128, 96)
        var words: [UInt16] = (0..<height).flatMap { Array(repeating: $0 % 2 == 0 ? 700 : 100, count: width) }
        words += Array(repeating: 512, count: width * height)
        let frame = words.withUnsafeBytes { Data($0) }
        try (frame + frame).write(to: scratch.url("in"))
        let source =
            "filesrc location=\(scratch.path("in")) blocksize=\(frame.count) ! rawvideoparse format=i422-10le "
            + "width=\(width) height=\(height) interlaced=true top-field-first=true framerate=25/1 colorimetry=bt709"
        expectClean(try export(source, "preset=\(preset)", to: scratch.path("a.mov")))
        let bytes = try decoded(scratch.path("a.mov"), "GRAY8", scratch)
        #expect(bytes.count == 2 * width * height)
        // (700 - 64) / 876 of 255, without a trace of the bottom field.
        #expect(bytes.allSatisfy { abs(Int($0) - 185) <= 2 }, "\(Set(bytes))")
    }

    @Test(arguments: [(60, "60/1", "24/1", 24), (24, "24/1", "60/1", 60), (50, "25/1", "30000/1001", 60)])
    func framesAreDroppedAndRepeatedAtExactTimes(_ count: Int, _ from: String, _ to: String, _ wanted: Int) throws {
        let scratch = try TemporaryFolder()
        let source = "videotestsrc num-buffers=\(count) ! video/x-raw,width=64,height=64,framerate=\(from)"
        expectClean(
            try export(source, "settings=settings,frame-rate=(fraction)\(to)", to: scratch.path("a.mov")))
        let times = try #require(try MovieFile(contentsOf: scratch.url("a.mov")).track("vide")).times
        let parts = to.split(separator: "/").compactMap { Double($0) }
        let rate = parts[0] / parts[1]
        #expect(times.count == wanted, "\(times)")
        for (index, time) in times.enumerated() { #expect(abs(time - Double(index) / rate) < 0.00002) }
    }

    /// Colours that no standard names together, but Apple's headers take, alone and joined.
    @Test func unusualColorsAreKept() throws {
        let scratch = try TemporaryFolder()
        let caps = "video/x-raw,colorimetry=(string)2:3:14:11"
        let source =
            "videotestsrc num-buffers=3 ! video/x-raw,format=P010_10LE,width=64,height=64 ! capssetter caps=\(caps)"
        for properties in ["", "mixed-sources=\(caps);\(caps)"] {
            let outcome = try export(source, properties, to: scratch.path("a.mov"))
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try MovieFile(contentsOf: scratch.url("a.mov")).track("vide")?.color == [12, 16, 1])
        }
    }

    /// x265 writes beyond its memory of pictures as low as the first one becomes; the others cannot be made.
    @Test(arguments: [
        ("320x240", "50/1", "hevc-1920x1080", true), ("320x240", "50/1", "h264-640x480", false),
        ("14x14", "1/1", "h264-640x480", false), ("8192x24", "1/1", "hevc-highest-quality", false),
        ("640x360", "100/1", "prores-422", true), ("2000x1000", "100/1", "hevc-1920x1080", false),
    ]) func extremeShapesAreWrittenOrRefusedWithAReason(
        _ size: String, _ shape: String, _ preset: String, _ isWritten: Bool
    ) throws {
        let sides = size.split(separator: "x")
        let source =
            "videotestsrc num-buffers=20 ! video/x-raw,format=I420,width=\(sides[0]),height=\(sides[1]),"
            + "pixel-aspect-ratio=\(shape)"
        let outcome = try export(source, "preset=\(preset)", to: "/dev/null")
        #expect((outcome.status == 0) == isWritten, "\(outcome)")
        if !isWritten { #expect(outcome.errors.contains("(rule frame-size)"), "\(outcome)") }
    }
}
