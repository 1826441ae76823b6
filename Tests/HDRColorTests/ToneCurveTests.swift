import Foundation
import Testing

@testable import HDRColor

struct ToneCurveTests {
    static let scalar = ToneCurve.allCases.filter { $0.operation == .light }
    static let peaks: [(Double, Double)] = [
        (1000, 100), (1000, 203), (1000, 600), (4000, 100), (4000, 203), (4000, 1000), (10000, 203), (10000, 1000),
    ]

    @Test func curvesOfLight() {
        for curve in ToneCurve.allCases {
            let light = LightCurve(curve, sourcePeak: 1000.0, targetPeak: 203)
            #expect((light != nil) == (curve.operation == .light), "\(curve)")
        }
    }

    /// Black stays, the source's peak becomes the target's, light rises with light, and stands still above the peak
    /// (or goes on to rise, which the map of ST 2094-50 does above its alternates' headrooms).
    @Test(arguments: scalar, peaks) func ends(_ curve: ToneCurve, _ peaks: (Double, Double)) throws {
        let (source, target) = peaks
        let light = try #require(LightCurve(curve, sourcePeak: source, targetPeak: target))
        #expect(light(0) <= 1e-9)
        // The map of ST 2094-50 knows no target with less than reference white.
        let end = curve == .referenceWhite ? max(target, BT2408.referenceWhite) : target
        #expect(abs(light(source) - end) <= 1e-9 * end)
        let lights = steps(0...1, count: 10001).map { light(PQ.eotf($0)) }
        #expect(largestFall(lights) <= allowedFall(curve, sourcePeak: source, targetPeak: target) * target)
        for above in [source * 1.001, source * 3, 1e9, Double.infinity] {
            if curve == .referenceWhite {
                #expect(light(above) >= light(source) * (1 - 1e-9))
            } else {
                #expect(light(above) == light(source))
            }
        }
        for below in [-1e-9, -1, -Double.infinity, Double.nan] { #expect(light(below) == light(0)) }
    }

    /// Each case is its own curve, on light over the target's peak where the curve is relative.
    @Test func cases() throws {
        let x: Double = 400
        func value(_ curve: ToneCurve) throws -> Double {
            let light = try #require(LightCurve(curve, sourcePeak: 1000, targetPeak: 200))
            return light(x)
        }
        let bt2390 = BT2390<Double>(sourcePeak: 1000, targetPeak: 200)(x)
        let spline = SplineCurve<Double>(sourcePeak: 1000, targetPeak: 200)(x)
        let hable: Double = 200 * ClassicCurves.hable(2, peak: 5)
        let mobius: Double = 200 * ClassicCurves.mobius(2, peak: 5)
        #expect(try value(.bt2390) == bt2390)
        #expect(try value(.spline) == spline)
        // x = 2 with a peak of 5: 2 / 3 * 6 / 5 = 0.8.
        #expect(abs(try value(.reinhard) - 160) <= 1e-12)
        #expect(abs(try value(.hable) - hable) <= 1e-12)
        #expect(abs(try value(.mobius) - mobius) <= 1e-12)
    }

    /// The gain is target over source light, and finite at black.
    @Test(arguments: scalar) func gain(_ curve: ToneCurve) throws {
        let light = try #require(LightCurve(curve, sourcePeak: 1000.0, targetPeak: 203))
        for level in [0.001, 0.1, 1, 26, 203, 999, 1000, 5000] {
            #expect(abs(light.gain(level) * level - light(level)) <= 1e-12 * light(level))
        }
        #expect(light.gain(0) == 1 && light.gain(1e-10) == 1)
        #expect(light.gain(2e-9).isFinite && light.gain(2e-9) >= 0)
        #expect(light.gain(-5) == 1 && light.gain(.nan) == 1)
    }

    /// Names are typed on command lines and values are stored in presets: neither may change.
    @Test func registry() {
        #expect(
            ToneCurve.choices.map(\.name) == [
                "none", "clip", "bt2390", "bt2446a", "bt2446c", "spline", "reinhard", "hable", "mobius",
                "reference-white",
            ])
        #expect(ToneCurve.inverses.map(\.name) == ["none", "bt2446a", "bt2446c", "spline", "auto"])
        #expect(ToneCurve.displayChoices.map(\.name) == ["rolloff", "clip", "bt2390", "reference-white"])
        #expect(Set(ToneCurve.allCases).count == ToneCurve.allCases.count)
        for curve in ToneCurve.allCases + [.expansion] {
            #expect(!curve.summary.isEmpty && !curve.summary.hasSuffix("."), "\(curve)")
            #expect(curve.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(curve)")
        }
    }

    /// The page of `hdrconvert` lists the curves in the order of the property's values.
    @Test func page() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let page = try String(
            contentsOf: root.appendingPathComponent("Sources/GstHDR/GstHDR.docc/hdrconvert.md"), encoding: .utf8)
        let choices = (["**auto**"] + ToneCurve.choices.map(\.name)).joined(separator: ", ")
        #expect(page.contains("| `tone-mapping` | \(choices) |"))
        let display = try String(
            contentsOf: root.appendingPathComponent("Sources/GstHDR/GstHDR.docc/edrsink.md"), encoding: .utf8)
        let displayChoices = ToneCurve.displayChoices.enumerated().map { $0 == 0 ? "**\($1)**" : "\($1)" }
        #expect(display.contains("| `tone-mapping` | \(displayChoices.joined(separator: ", ")) |"))
        let inverses = ToneCurve.inverses.enumerated().map { $0 == 0 ? "**\($1)**" : "\($1)" }
        #expect(page.contains("| `inverse-tone-mapping` | \(inverses.joined(separator: ", ")) |"))
    }

    /// A curve that is not smooth says so where it bends: between corners its slope changes little.
    @Test(arguments: scalar) func corners(_ curve: ToneCurve) throws {
        let light = try #require(LightCurve(curve, sourcePeak: 1000, targetPeak: 203))
        #expect(light.corners.contains(1000))
        #expect(light.corners.allSatisfy { $0 > 0 && $0 <= 1000 })
    }
}
