import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRJSON

@Suite struct HDR10PlusDocumentTests {
    /// The output of a tool for two pictures of one scene and one of another, with curves.
    private static func text(version: String = "1.0", anchor: String = "1023", windows: String = "1") -> String {
        func entry(_ index: Int, scene: Int, frame: Int, average: Int) -> String {
            """
            {"BezierCurveData": {"Anchors": [100, 200, \(anchor)], "KneePointX": 17, "KneePointY": 64},
             "LuminanceParameters": {"AverageRGB": \(average), "LuminanceDistributions":
               {"DistributionIndex": [1, 99], "DistributionValues": [3, 14445]}, "MaxScl": [17830, 16895, 14252]},
             "NumberOfWindows": \(windows), "TargetedSystemDisplayMaximumLuminance": 400,
             "SceneFrameIndex": \(frame), "SceneId": \(scene), "SequenceFrameIndex": \(index)}
            """
        }
        return """
            {"JSONInfo": {"HDR10plusProfile": "B", "Version": "\(version)"},
             "SceneInfo": [\(entry(0, scene: 0, frame: 0, average: 1037)),
               \(entry(1, scene: 0, frame: 1, average: 1037)), \(entry(2, scene: 1, frame: 0, average: 8))],
             "SceneInfoSummary": {"SceneFirstFrameIndex": [0, 2], "SceneFrameNumbers": [2, 1]},
             "ToolInfo": {"Tool": "tool", "Version": "2.3"}}
            """
    }

    @Test func documentsAreReadAndWritten() throws {
        let text = Self.text()
        let document = try HDR10PlusDocument(text.utf8)
        #expect(document.frames.count == 3 && document.profile == "B" && document.scenes == [0..<2, 2..<3])
        #expect(document.tool == "tool" && document.toolVersion == "2.3" && document.losses.isEmpty)
        let window = try #require(document.frames.first?.windows.first)
        #expect(window.toneMapping == .init(kneePoint: SIMD2(17, 64), bezierCurveAnchors: [100, 200, 1023]))
        #expect(window.maxSCL == SIMD3(17830, 16895, 14252) && window.averageMaxRGB == 1037)
        #expect(
            window.distributionMaxRGB == [
                .init(percentage: 1, percentile: 3), .init(percentage: 99, percentile: 14445),
            ])
        #expect(document.frames[0].targetedSystemDisplayMaximumLuminance == 400)
        #expect(document.json == (try JSON(text.utf8)))
        #expect(try HDR10PlusDocument(document.text.utf8) == document)
        for frame in document.frames { #expect(try HDR10PlusMetadata(payload: frame.payload) == frame) }
        #expect(try HDR10PlusDocument(Self.text(version: "0.0").utf8).frames[0].applicationVersion == 0)
    }

    @Test func whatDoesNotFitIsNamed() throws {
        func refuses(_ text: String, _ message: String) {
            #expect(throws: JSONError(message)) { try HDR10PlusDocument(text.utf8) }
        }
        refuses(
            Self.text(anchor: "1024"),
            "SceneInfo[0].BezierCurveData.Anchors[2] in the JSON is 1024, and should be a whole number from 0 to 1023")
        refuses(
            Self.text(windows: "2"), "SceneInfo[0] has 2 windows, and the JSON does not say where they are: keep 1")
        refuses(
            Self.text(anchor: Array(repeating: "7", count: 14).joined(separator: ",")),
            "SceneInfo[0].BezierCurveData.Anchors has 16 numbers, and 15 is the maximum")
        refuses(
            "{}", "there is no SceneInfo in it, which has the metadata of the pictures: name another file")
        for other in ["[1, 2]", "\"SceneInfo\"", "3"] {
            refuses(other, "it is no object, and an object with SceneInfo is wanted: name another file")
        }
        refuses("{\"SceneInfo\": 1}", "SceneInfo in the JSON is no array")
        refuses("{\"SceneInfo\": [{}]}", "there is no SceneInfo[0].NumberOfWindows in the JSON")
        #expect(throws: JSONError.self) { try HDR10PlusDocument("{".utf8) }
    }

    @Test func lossesAreNamed() throws {
        var document = try HDR10PlusDocument(Self.text().utf8)
        document.frames[1].windows[0].fractionBrightPixels = 7
        document.frames[2].windows[0].colorSaturationWeight = 8
        document.frames[2].windows.append(.init())
        document.frames[2].applicationVersion = 0
        #expect(
            document.losses == [
                "all windows but the first, in 1 of 3 pictures", "fraction_bright_pixels, in 1 of 3 pictures",
                "color_saturation_weight, in 1 of 3 pictures",
                "another application_version than the first picture's, in 1 of 3 pictures",
            ])
        #expect(document.scenes == [0..<2, 2..<3])
    }

    @Test func aDocumentWithoutPictures() throws {
        let empty = HDR10PlusDocument(frames: [], tool: "tool", toolVersion: "1")
        #expect(empty.profile == "A" && empty.scenes.isEmpty && empty.losses.isEmpty)
        #expect(try HDR10PlusDocument(empty.text.utf8) == empty)
        var mixed = HDR10PlusDocument(frames: [.init(), .init()], tool: "", toolVersion: "")
        mixed.frames[1].targetedSystemDisplayMaximumLuminance = 400
        #expect(mixed.profile == "N/A")
    }

    /// Damaged text is an error, never a trap.
    @Test func damageIsAnError() throws {
        let seed = Array(Self.text().utf8)
        let signs = Array("\"\\{}[],:-0123456789.eEutrfalsn \u{1}é".utf8)
        var random = SeededGenerator(seed: 8259)
        var (accepted, refused) = (0, 0)
        for _ in 0..<3000 {
            var text = seed
            for _ in 0...random.below(3) where !text.isEmpty {
                let at = random.below(text.count)
                switch random.below(4) {
                case 0: text.remove(at: at)
                case 1: text.insert(signs[random.below(signs.count)], at: at)
                case 2: text[at] = UInt8(random.below(256))
                default: text[at] = signs[random.below(signs.count)]
                }
            }
            do {
                let document = try HDR10PlusDocument(text)
                for frame in document.frames { _ = try frame.payload }
                accepted += 1
            } catch is JSONError {
                refused += 1
            }
        }
        #expect(accepted > 100 && refused > 100)
    }

    // MARK: A real film

    @Test(Samples.areThere) func aFilmHasTheMetadataOfTheTool() throws {
        let film = try MatroskaFrames("hdr10-plus.mkv")
        var stream = BitstreamInspection(codec: .hevc)
        try stream.read(configuration: film.configuration)
        let editor = UserDataEditor(.hdr10Plus, in: .hevc(stream.framing))
        let truth = try JSON(try Samples.bytes("hdr10-plus.json"))
        var frames: [HDR10PlusMetadata] = []
        for frame in film.frames {
            let payloads = try editor.payloads(in: frame)
            let payload = try #require(payloads.first)
            let metadata = try HDR10PlusMetadata(payload: payload)
            #expect(try payloads.count == 1 && metadata.payload == payload)
            frames.append(metadata)
        }
        let document = HDR10PlusDocument(
            frames: frames, tool: truth["ToolInfo"]?["Tool"]?.string ?? "",
            toolVersion: truth["ToolInfo"]?["Version"]?.string ?? "")
        #expect(frames.count == 259)
        #expect(document.json == truth)
        #expect(document.scenes == [0..<3, 3..<6, 6..<259])

        // The other way: what the tool has written makes the film's messages, but for what the JSON leaves out.
        let read = try HDR10PlusDocument(truth)
        for (index, frame) in read.frames.enumerated() {
            var expected = frames[index]
            expected.windows[0].fractionBrightPixels = 0
            #expect(try frame.payload == expected.payload)
        }
    }
}
