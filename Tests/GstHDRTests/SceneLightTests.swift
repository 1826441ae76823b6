import CGStreamer
import CGstCheck
import HDRColor
import Testing

/// `scene-light` and the message `hdr-scene`: scenes that a first pass measures and a second one applies.
@Suite(.quiet)
struct SceneLightTests {
    private static let size = (width: 160, height: 144)
    private static let source = caps("P010_10LE", "bt2100-pq", size.width, size.height)
    private static let sdr = want("NV12", "bt709")
    private static let frame: GstClockTime = 40_000_000

    /// A grey scene with a patch of its peak, and one that never changes.
    private static func scene(_ peak: Double, ground: Double) -> PictureCodes {
        func code(_ light: Double) -> UInt16 { UInt16((64 + 876 * PQ.inverseEOTF(light)).rounded()) }
        return PictureCodes(size.width, size.height) { x, y in
            let light = x < 48 && y < 48 ? peak : x >= 128 ? 200 : ground + Double(x) / 8
            return SIMD4(code(light), 512, 512, .max)
        }
    }

    /// A scene that becomes brighter, and one that does not.
    private static let clip =
        (0..<20).map { scene(300 + 60 * Double($0), ground: 20) }
        + Array(repeating: scene(3000, ground: 300), count: 20)

    private static func harness(_ properties: [String: String]) throws -> Harness {
        let harness = try Harness(
            ["tone-mapping": "bt2390", "peak-detection": "auto", "dither": "none"].merging(properties) { $1 })
        gst_harness_set_live(harness.harness, 0)
        try #require(harness.negotiate(source, to: sdr))
        return harness
    }

    private static func push(_ harness: Harness, _ pictures: [PictureCodes]) throws -> [[UInt8]] {
        for (index, picture) in pictures.enumerated() {
            let buffer = try Buffer(picture, try harness.inputInfo())
            buffer.pointer.pointee.pts = GstClockTime(index) * frame
            buffer.pointer.pointee.duration = frame
            try #require(harness.push(buffer) == GST_FLOW_OK)
        }
        var outputs: [[UInt8]] = []
        while let output = harness.pull() { outputs.append(output.bytes) }
        return outputs
    }

    /// The scenes that a pass over pictures measures.
    private static func measure(_ pictures: [PictureCodes], _ properties: [String: String] = [:]) throws
        -> [[String: Double]]
    {
        let harness = try harness(properties)
        _ = try push(harness, pictures)
        harness.send(gst_event_new_eos())
        return harness.structures("hdr-scene")
    }

    private static func text(_ scenes: [[String: Double]]) -> String {
        scenes.map { "\(UInt64($0["start"] ?? 0)):\($0["peak"] ?? 0):\($0["average"] ?? 0)" }.joined(separator: ",")
    }

    /// Code of the patch that never changes.
    private static func patch(_ output: [UInt8]) -> UInt8 { output[70 * size.width + 144] }

    @Test func scenesOfAPass() throws {
        let scenes = try Self.measure(Self.clip)
        try #require(scenes.count == 2)
        #expect(scenes.map { $0["start"] } == [0, 800_000_000])
        #expect(scenes.map { $0["end"] } == [800_000_000, 1_600_000_000])
        for (scene, peak) in zip(scenes, [300 + 60.0 * 19, 3000]) {
            #expect(abs((scene["peak"] ?? 0) / peak - 1) < 0.02, "\(scene)")
            #expect((scene["average"] ?? 0) > 10 && (scene["average"] ?? 0) < peak)
        }
        #expect(try Self.measure(Self.clip, ["source-peak": "1000"]).isEmpty)
        // Without look-ahead a cut takes effect a picture later, but the pictures are counted in their scenes.
        #expect(try Self.measure(Self.clip, ["look-ahead": "0"]) == scenes)
    }

    /// From its first picture to its last one a scene has one curve, that of its peak, and no picture waits.
    @Test func eachSceneHasOneCurve() throws {
        let harness = try Self.harness(["scene-light": Self.text(try Self.measure(Self.clip))])
        let outputs = try Self.push(harness, Self.clip)
        try #require(outputs.count == 40)
        #expect(harness.structures("hdr-light").isEmpty)
        let scenes = [Array(outputs.prefix(20)), Array(outputs.suffix(20))]
        for (outputs, (pictures, peak)) in zip(
            scenes, [(Array(Self.clip.prefix(20)), 300 + 60.0 * 19), (Array(Self.clip.suffix(20)), 3000)])
        {
            #expect(Set(outputs.map(Self.patch)).count == 1)
            let fixed = try Self.push(try Self.harness(["source-peak": "\(peak)"]), pictures)
            for (a, b) in zip(outputs, fixed) {
                let most = zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 255
                #expect(most <= 2, "\(peak): \(most)")
            }
        }
        #expect(Self.patch(scenes[0][0]) != Self.patch(scenes[1][0]))
        // Followed as it is measured, a scene keeps the peak of its beginning, and its patch is another one.
        let followed = try Self.harness([:])
        let first = try Self.push(followed, Self.clip)
        #expect(Set(first.prefix(16).map(Self.patch)).count == 1)
        #expect(first.first.map(Self.patch) != Self.patch(scenes[0][0]))
    }

    @Test func anyNumberOfThreads() throws {
        let text = Self.text(try Self.measure(Self.clip, ["n-threads": "1"]))
        let one = try Self.push(try Self.harness(["scene-light": text, "n-threads": "1"]), Self.clip)
        for threads in ["2", "5", "0"] {
            #expect(try Self.text(Self.measure(Self.clip, ["n-threads": threads])) == text)
            let again = try Self.push(try Self.harness(["scene-light": text, "n-threads": threads]), Self.clip)
            #expect(again == one, "\(threads)")
        }
    }

    /// `source-peak` goes first; then scenes, whatever `peak-detection` is; and none where nothing follows a peak.
    @Test func whichPeakWins() throws {
        let pictures = Array(Self.clip.prefix(3))
        func outputs(_ properties: [String: String]) throws -> [[UInt8]] {
            try Self.push(try Self.harness(properties), pictures)
        }
        let scenes = ["scene-light": "0:700:30"]
        let off = ["peak-detection": "off"]
        #expect(try outputs(scenes) == outputs(scenes.merging(off) { $1 }))
        #expect(try outputs(scenes) != outputs(off))
        let fixed = ["source-peak": "2000"]
        #expect(try outputs(scenes.merging(fixed) { $1 }) == outputs(fixed))
        let clip = ["tone-mapping": "clip"]
        #expect(try outputs(scenes.merging(clip) { $1 }) == outputs(clip))
        // Taken away again, the static peak holds.
        let harness = try Self.harness(scenes.merging(off) { $1 })
        _ = try Self.push(harness, pictures)
        harness.set("scene-light", "")
        #expect(try Self.push(harness, pictures) == outputs(off))
    }

    @Test func wrongTextIsReported() throws {
        let harness = try Self.harness([:])
        harness.set("scene-light", "0:700:30,later:1:1")
        let posted = harness.posted()
        #expect(posted.count == 1 && posted.first?.text.contains("\"later:1:1\"") == true)
        #expect(try Self.push(harness, Array(Self.clip.prefix(2))).count == 2)
    }
}
