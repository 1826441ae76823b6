import Foundation
import PluginSupport
import Testing
import TestSupport

/// Exports of every format that `hdrconvert` supports, with sizes, tags, orientations and ways to the pad, each with
/// every preset, have the right colours and lose no frame.
@Suite struct ExportMatrixTests {
    struct Export: CustomTestStringConvertible, Sendable {
        let format: String
        let preset: String
        let size: (width: Int, height: Int)
        let color: String?
        let orientation: String?
        let way: Way
        let fileType: String

        var testDescription: String {
            "\(format) \(size.width)x\(size.height) \(color ?? "untagged") \(orientation ?? "upright") \(way.rawValue) "
                + "\(preset) \(fileType)"
        }

        /// Caps of the source.
        var caps: String {
            let tag = color.map { ",colorimetry=\($0)" } ?? ""
            return "video/x-raw,format=\(format),width=\(size.width),height=\(size.height),framerate=24/1\(tag)"
        }
        var isHDR: Bool { color?.hasPrefix("bt2100") == true }
    }

    /// The ways in which pictures come to the pad.
    enum Way: String, CaseIterable {
        case straight, tee, live
    }

    static let presets = [
        "hevc-highest-quality", "hevc-1920x1080", "h264-highest-quality", "h264-1280x720", "prores-422", "prores-4444",
    ]
    static let frames = 6

    /// Names of the formats in hdrconvert's pad template that videotestsrc or videoconvert can make.
    private static let formats: [String] = {
        guard let outcome = try? GstTool.run("gst-inspect-1.0", ["hdrconvert"]) else { return [] }
        let list = outcome.output.firstMatch(of: /format: \{ (.*) \}/)
        return list.map { list in
            list.1.split(separator: ",").map { name in
                name.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "(string)", with: "")
            }
        } ?? []
    }()

    /// Each format is combined with three of the presets, and each preset with half of the formats; the other
    /// parameters cycle with different periods, so that pairs differ.
    static let exports: [Export] = {
        let sizes = [(96, 64), (97, 65), (128, 72), (81, 99)]
        let orientations = [nil, "rotate-90", "flip-rotate-0", nil, "rotate-180", "flip-rotate-90"]
        var result: [Export] = []
        for (index, format) in formats.enumerated() {
            for (turn, preset) in presets.enumerated() where (index + turn / 2 + turn) % 2 == 0 {
                let step = index + turn * 5
                // PQ and HLG have at least ten bits in HEVC.
                let isDeep =
                    !["YV12", "NV12", "NV16"].contains(format)
                    && ["10", "12", "16", "64"].contains { format.contains($0) }
                let colors = isDeep ? ["bt709", "bt2100-pq", nil, "bt2100-hlg"] : ["bt709", nil, "bt601"]
                result.append(
                    Export(
                        format: format, preset: preset, size: sizes[step % sizes.count],
                        color: Self.fit(colors[step % colors.count], format),
                        orientation: orientations[step % orientations.count],
                        way: Way.allCases[step % Way.allCases.count],
                        fileType: preset.hasPrefix("prores") ? "mov" : ["mov", "mp4", "matroska", "mpegts"][step % 4]))
            }
        }
        return result
    }()

    /// RGB has no matrix, and grey no colour of its own.
    private static func fit(_ color: String?, _ format: String) -> String? {
        guard let color else { return nil }
        let isRGB = format.contains("RGB") || format.contains("BGR") || format.hasPrefix("GBR")
        guard isRGB else { return color }
        switch color {
        case "bt2100-pq": return "1:1:14:7"
        case "bt2100-hlg": return "1:1:15:7"
        default: return "sRGB"
        }
    }

    /// The mean of each component in the middle of a picture that hdrconvert makes 8-bit SDR of. GStreamer's own
    /// converter leaves the chroma of a last odd column to chance.
    /// - Parameter settings: of hdrconvert.
    private func mean(_ line: String, _ settings: String, _ scratch: TemporaryFolder, _ name: String) throws -> (
        color: [Double], frames: Int
    ) {
        let path = scratch.path(name)
        let outcome = try GstTool.launch(
            "\(line) ! hdrconvert dither=none \(settings) ! video/x-raw,format=RGBx,colorimetry=sRGB ! "
                + "videoscale add-borders=false ! video/x-raw,width=16,height=16,pixel-aspect-ratio=1/1 ! filesink "
                + "location=\(path)",
            timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let frames = bytes.count / 1024
        guard frames > 0 else { return ([], 0) }
        var sums = [0.0, 0, 0]
        for frame in 0..<frames {
            for row in 4..<12 {
                for column in 4..<12 {
                    let pixel = frame * 1024 + (row * 16 + column) * 4
                    for component in 0..<3 { sums[component] += Double(bytes[pixel + component]) }
                }
            }
        }
        return (sums.map { $0 / Double(frames * 64) }, frames)
    }

    @Test(arguments: exports) func colorsAndFramesAreRight(_ export: Export) throws {
        let scratch = try TemporaryFolder()
        let path = scratch.path("out")
        // One colour, off the grey axis, so that a wrong matrix shows and the encoders' errors do not.
        let pattern = "videotestsrc num-buffers=\(Self.frames) pattern=solid-color foreground-color=0xffb06040"
        let source = "\(pattern) ! videoconvert dither=none ! \(export.caps)"
        let orient = export.orientation.map { " ! taginject tags=image-orientation=\($0)" } ?? ""
        let way =
            switch export.way {
            case .straight: " ! m.video_0"
            case .tee: " ! tee name=t t. ! queue ! m.video_0 t. ! queue ! fakesink"
            case .live: " ! identity sync=true ! m.video_0"
            }
        let outcome = try GstTool.launch(
            "\(source)\(orient)\(way) hdrmux-settings name=m preset=\(export.preset) file-type=\(export.fileType) "
                + "speed-preset=ultrafast ! filesink location=\(path)", timeout: 60)
        guard outcome.status == 0 else {
            // Eight bits cannot hold HDR; that is said.
            Issue.record("\(outcome)")
            return
        }
        // Untagged R'G'B' has BT.709's primaries, and keeps its codes.
        let tagged =
            export.color == nil && Self.fit("", export.format) == "sRGB" ? "\(source),colorimetry=1:1:5:1" : source
        // Pictures that stay HDR are compared by one curve, because an encoder's errors move the peak of a single
        // colour.
        let isHDR = export.preset.hasPrefix("hevc") || export.preset.hasPrefix("prores")
        let settings = isHDR ? "source-peak=1000" : "peak-detection=auto"
        let expected = try mean(tagged, settings, scratch, "expected")
        // ProRes 4444 comes with alpha in a format that videoconvert only rearranges.
        let rearranged = export.preset == "prores-4444" ? " ! videoconvert dither=none ! video/x-raw,format=AYUV64" : ""
        let found = try mean("filesrc location=\(path) ! decodebin\(rearranged)", settings, scratch, "found")
        #expect(found.frames == Self.frames)
        guard expected.color.count == 3, found.color.count == 3 else { return }
        for (expected, found) in zip(expected.color, found.color) {
            #expect(abs(expected - found) <= 6, "\(expected) \(found)")
        }
    }
}
