import TestSupport
import Testing

@testable import HDRColor

/// Synthetic clips for the scene tracker, and what its curves do with the light of a patch that does not change.
enum SceneClips {
    /// A picture as light in cd/m²: 64 x 36 pixels.
    typealias Frame = [Double]
    static let (width, height) = (64, 36)

    static func frame(_ light: (_ x: Int, _ y: Int) -> Double) -> Frame {
        (0..<width * height).map { light($0 % width, $0 / width) }
    }

    /// A scene with a gradient up to a light, moved to the left by some columns; it goes on beyond its edges.
    static func landscape(peak: Double, at offset: Int = 0) -> Frame {
        frame { x, y in
            let column = (x + offset) % (2 * width)
            if y < 4 && column % 16 < 3 { return peak }
            return peak * (0.02 + 0.1 * Double(column) / Double(2 * width) + 0.004 * Double(y))
        }
    }

    static func sample(_ frame: Frame) -> SceneSample { SceneSample(LightStatistics(light: frame)) }

    /// The light for each picture of a clip, in cd/m².
    static func track(
        _ frames: [Frame], lookAhead: Int, interval: Double = 0.04
    ) -> [(peak: Double, average: Double, startsScene: Bool)?] {
        let samples = frames.map { sample($0) }
        var tracker = SceneTracker(interval: interval)
        return samples.indices.map { index in
            let end = min(index + 1 + lookAhead, samples.count)
            return tracker.add(samples[index], next: samples[index + 1..<end]).map {
                (PQ.eotf($0.peak), PQ.eotf($0.average), $0.startsScene)
            }
        }
    }

    /// The variation of a patch's light among pictures, for curves to a display of 203 cd/m².
    static func variation(
        _ lights: [(peak: Double, average: Double, startsScene: Bool)?], of patch: Double
    ) -> Double {
        let shown = [ToneCurve.bt2390, .spline, .reinhard, .hable, .mobius].map { curve in
            let values = lights.map { light in
                LightCurve(curve, sourcePeak: max(light?.peak ?? 1000, 203.1), targetPeak: 203)?(patch) ?? 0
            }
            return (values.max() ?? 0) / (values.min() ?? 1) - 1
        }
        return shown.max() ?? 1
    }

    static let patches = [5.0, 30, 100, 180]
    static let lookAheads = [0, 1, 4, 12]

    static func checkSteady(
        _ lights: [(peak: Double, average: Double, startsScene: Bool)?], _ what: String, from: Int = 0,
        of patches: [Double] = patches, line: Int = #line
    ) {
        for patch in patches {
            let variation = variation(Array(lights[from...]), of: patch)
            #expect(variation < 0.02, "\(what), line \(line): light of \(patch) cd/m² varies by \(variation)")
        }
    }
}
