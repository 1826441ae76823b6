import Foundation
import HDRBitstream
import HDRColor
import PluginSupport
import Testing
import TestSupport

/// The tone curves that come with HDR10+ pictures, applied by `hdrconvert`.
@Suite(Samples.areThere) struct SceneCurveUseTests {
    /// A file in which every picture has a curve of its own, for a display of 400 cd/m².
    private static let source = Samples.path("hdr10-plus-no-colr.mp4")
    private static let count = 4

    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    /// The samples of the first pictures, 16 bits each, plane after plane.
    private func pictures(_ filters: String, _ caps: String) throws -> [[UInt16]] {
        let path = scratch.path("\(UInt32.random(in: 0...UInt32.max))")
        expectClean(
            try GstTool.launch(
                "filesrc location=\(Self.source) ! decodebin ! video/x-raw ! \(Self.form) ! \(filters) ! "
                    + "video/x-raw,\(caps) ! \(Self.cut) ! multifilesink location=\(path)-%d.raw", timeout: 60))
        return try (0..<Self.count).map { index in
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(path)-\(index).raw"))
            return data.withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
        }
    }

    /// Pictures without subsampling, whose light is the source's.
    private static let pq = "format=GBR_12LE,colorimetry=(string)1:1:14:7"
    private static let sdr = "format=GBR_12LE,colorimetry=(string)1:1:5:7"
    private static let cut = "identity eos-after=\(count + 1)"
    private static let (width, height) = (480, 270)
    private static let form =
        "videoscale ! video/x-raw,width=\(width),height=\(height) ! hdrconvert ! video/x-raw,\(pq)"

    private func metadata() throws -> [HDR10PlusMetadata] {
        let lines = try HDRMetaParseTests.lines(
            "filesrc location=\(Self.source) ! decodebin ! video/x-raw ! \(Self.cut) ! fakesink name=out"
        ).lines
        return try lines.prefix(Self.count).map { line in
            let text = Array(line.bytes.utf8)
            return try HDR10PlusMetadata(
                payload: stride(from: 0, to: text.count - 1, by: 2).compactMap {
                    UInt8(String(decoding: text[$0..<$0 + 2], as: UTF8.self), radix: 16)
                })
        }
    }

    /// Display light of scene light, in cd/m²: on the targeted display by the standard's construction alone.
    private static func curve(_ metadata: HDR10PlusMetadata, display: Double) throws -> (Double) -> Double {
        let peak = try #require(metadata.scenePeak)
        if display == Double(metadata.targetedSystemDisplayMaximumLuminance) {
            let basis = HDR10PlusToneCurve(try #require(metadata.windows.first?.toneMapping))
            return { display * basis.value(at: $0 / peak) }
        }
        let scene = try #require(metadata.sceneCurve)
        let fitted = try #require(ST209440(scene, scenePeak: peak, displayPeak: display))
        return { fitted($0) }
    }

    /// Each picture against the definition in double precision, one code of 12 bits at most from it: on the targeted
    /// display, a darker and a brighter one, and in SDR.
    @Test(arguments: [400.0, 250, 700, 203]) func picturesHaveTheirOwnCurve(_ display: Double) throws {
        let isSDR = display == 203
        let base = try pictures("identity", Self.pq)
        let shown = try pictures(
            "hdrconvert quality=reference gamut-mapping=clip" + (isSDR ? "" : " target-peak=\(display)"),
            isSDR ? Self.sdr : Self.pq)
        let metadata = try metadata()
        #expect(metadata.count == Self.count && Set(metadata.compactMap(\.scenePeak)).count > 1)
        let size = Self.width * Self.height
        for (picture, own) in metadata.enumerated() {
            let (base, shown) = (base[picture], shown[picture])
            try #require(base.count == 3 * size && shown.count == base.count)
            let curve = try Self.curve(own, display: display)
            var largest = 0.0
            for index in stride(from: 0, to: size, by: 61) {
                let places = [index, index + size, index + 2 * size]
                let light = places.map { PQ.eotf(Double(base[$0]) / 4095) }
                let most = light.max() ?? 0
                let gain = most > 0 ? curve(most) / most : 0
                for (place, light) in zip(places, light) {
                    let signal =
                        isSDR ? pow(light * gain / display, 1 / 2.4) : PQ.inverseEOTF(light * gain)
                    largest = max(largest, abs(min(max(signal, 0), 1) * 4095 - Double(shown[place])))
                }
            }
            #expect(largest <= 1.01, "picture \(picture): \(largest) codes of 12 bits from the definition")
        }
    }

    /// Properties go before the curve, and `ignore` knows none.
    @Test func propertiesGoBeforeIt() throws {
        let own = try pictures("hdrconvert", Self.sdr)
        for properties in ["tone-mapping=reference-white", "dynamic-metadata=ignore", "source-peak=1000"] {
            #expect(try pictures("hdrconvert \(properties)", Self.sdr) != own, "\(properties)")
        }
        #expect(
            try pictures("hdrconvert source-peak=1000", Self.sdr)
                == pictures("hdrconvert source-peak=1000 dynamic-metadata=ignore", Self.sdr))
    }
}
