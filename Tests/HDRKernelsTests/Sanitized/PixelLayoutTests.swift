import HDRColor
import Testing

@testable import HDRKernels

/// Samples of every format arrive where the format says, and come back.
@Suite struct PixelLayoutTests {
    static let names = PixelLayout.byName.keys.sorted()
    static let sizes = [(1, 1), (2, 2), (3, 5), (7, 3), (16, 4), (37, 6)]

    /// A partner of the same sampling and at least the same depth, whose samples need no arithmetic to check.
    static func partner(_ l: PixelLayout) -> String {
        if l.isRGB { return "RGBA64_LE" }
        if l.hasAlpha { return "AYUV64" }
        if l.verticalShift > 0 { return "P016_LE" }
        return l.horizontalShift == 0 || l.bits > 12 ? "AYUV64" : "I422_12LE"
    }

    @Test(arguments: names) func samplesSurviveAnotherLayout(_ name: String) {
        let l = layout(name)
        let other = layout(Self.partner(l))
        for (w, h) in Self.sizes {
            let source = Picture(l, w, h, padding: 10)
            source.fill(UInt64(w * 100 + h))
            let between = Picture(other, w, h, padding: 6)
            let back = Picture(l, w, h, padding: 2)
            back.clear()
            let there = ConversionPlan(source: .pq(l), target: .pq(other), settings: .clipped)
            let home = ConversionPlan(source: .pq(other), target: .pq(l), settings: .clipped)
            #expect(there.keepsLight && home.keepsLight)
            // A 12-bit partner of an 8-bit format in full range is no multiple of it; nearest chroma keeps samples
            // apart.
            convert(source, between, there, mode: .nearest)
            convert(between, back, home, mode: .nearest)
            for c in 0..<(l.hasAlpha ? 4 : 3) { #expect(source[c] == back[c], "\(name) \(w)x\(h) component \(c)") }
            #expect(!between.guardIsBroken && !back.guardIsBroken, "\(name) \(w)x\(h)")
        }
    }

    /// A plane that a layout does not have holds nothing: GStreamer's frames have one there that repeats a row.
    @Test(arguments: names) func missingPlanesAreEmpty(_ name: String) {
        let l = layout(name)
        guard l.packing == .words, !l.isPacked422 else { return }
        let own = Set((l.components + (l.alpha.map { [$0] } ?? [])).map(\.plane))
        for plane in 0..<4 {
            let (bytes, rows) = l.content(ofPlane: plane, width: 6, height: 4)
            #expect((bytes > 0 && rows > 0) == own.contains(plane), "\(plane): \(bytes) bytes, \(rows) rows")
        }
    }

    /// Narrow-range codes of n bits become those of m bits by a shift.
    @Test(arguments: [("I420", "P010_10LE", 2), ("NV12", "P016_LE", 8), ("Y42B", "v210", 2), ("Y444", "AYUV64", 8)])
    func depthIsAShift(_ from: String, _ to: String, _ shift: Int) {
        let source = Picture(layout(from), 13, 6)
        source.fill(5)
        let target = Picture(layout(to), 13, 6)
        let plan = ConversionPlan(
            source: .sdr(source.layout), target: .sdr(target.layout), settings: .clipped)
        convert(source, target, plan)
        for c in 0..<3 { #expect(target[c] == source[c].map { $0 << shift }) }
    }

    @Test func paddingAndMissingAlphaAreOpaque() {
        let source = Picture(layout("RGB"), 5, 2)
        source.fill(1)
        for name in ["RGBx", "ARGB", "xBGR", "RGBA64_LE", "RGB10A2_LE", "GBRA_12LE"] {
            let l = layout(name)
            let target = Picture(l, 5, 2)
            let plan = ConversionPlan(source: .sdr(source.layout), target: .sdr(l), settings: .clipped)
            convert(source, target, plan)
            let opaque = (1 << l.alphaBits) - 1
            #expect(target[3].allSatisfy { $0 == opaque }, "\(name)")
        }
    }

    @Test func alphaIsScaledBetweenDepths() {
        let source = Picture(layout("RGBA"), 256, 1)
        source.fill(2)
        source[3] = Array(0..<256)
        let wide = Picture(layout("RGBA64_LE"), 256, 1)
        let two = Picture(layout("RGB10A2_LE"), 256, 1)
        for target in [wide, two] {
            convert(
                source, target,
                ConversionPlan(
                    source: .sdr(source.layout), target: .sdr(target.layout), settings: .clipped))
        }
        #expect(wide[3] == (0..<256).map { $0 * 257 })
        #expect(two[3] == (0..<256).map { ($0 * 3 + 127) / 255 })
    }

    @Test func everyPairOfFormatsWritesItsPictureAndNothingElse() {
        for from in Self.names {
            let source = Picture(layout(from), 7, 3, padding: 3)
            source.fill(9)
            for to in Self.names {
                let target = Picture(layout(to), 7, 3, padding: 5)
                convert(
                    source, target,
                    ConversionPlan(
                        source: .pq(source.layout), target: .sdr(target.layout), settings: .clipped))
                #expect(!target.guardIsBroken, "\(from) -> \(to)")
            }
        }
    }
}
