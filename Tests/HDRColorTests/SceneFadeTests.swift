import Glibc
import TestSupport
import Testing

@testable import HDRColor

/// The scene tracker in fades to black, some of which leave a caption as it is.
@Suite struct SceneFadeTests {
    private typealias Frame = SceneClips.Frame

    /// How the light of a picture fades with a level from 1 to 0.
    enum Fade: CaseIterable, Sendable {
        /// Light falls linearly; code values of PQ do, as in an editor; light falls by the square; highlights fall
        /// faster, as by code values of HLG.
        case light, signal, square, uneven
        /// Those by one factor for all of a picture.
        static let even = [light, signal, square]

        func callAsFunction(_ light: Double, _ level: Double) -> Double {
            switch self {
            case .light: light * level
            case .signal: PQ.eotf(PQ.inverseEOTF(light) * level)
            case .square: light * level * level
            case .uneven: light * pow(level, 1 + light / 1500)
            }
        }
    }

    /// A landscape, a dim one, and a room with a lamp.
    private static let scenes = [
        SceneClips.landscape(peak: 900), SceneClips.landscape(peak: 300),
        SceneClips.frame { x, y in x > 50 && y < 6 ? 1500 : 2 + 0.5 * Double((x * 7 + y * 13) % 29) },
        SceneClips.frame { x, y in x > 50 && y < 6 ? 300 : 2 + 0.5 * Double((x * 7 + y * 13) % 29) },
    ]

    /// A still scene that fades to black within some pictures, and the number of the last one that has light.
    private static func clip(_ scene: Frame, _ fade: Fade, _ length: Int) -> [Frame] {
        (0..<50 + length).map { n in
            let level = max(0, min(1, 1 - Double(n - 49) / Double(length)))
            return scene.map { fade($0, level) }
        }
    }

    @Test(arguments: SceneClips.lookAheads, Fade.even) func captions(_ lookAhead: Int, _ fade: Fade) {
        for (index, scene) in Self.scenes.enumerated() {
            for length in [24, 41, 48, 72] {
                let frames = Self.clip(scene, fade, length).map { frame in
                    var frame = frame
                    for y in 28..<34 { for x in 4..<20 { frame[y * SceneClips.width + x] = 60 } }
                    return frame
                }
                let lights = SceneClips.track(frames, lookAhead: lookAhead)
                SceneClips.checkSteady(lights, "scene \(index), \(length) pictures", of: [60])
            }
        }
    }

    /// No step of a fade is a cut.
    @Test(arguments: SceneClips.lookAheads, Fade.even) func quickFades(_ lookAhead: Int, _ fade: Fade) {
        for (index, scene) in Self.scenes.enumerated() {
            for length in [6, 12, 15, 18] {
                for interval in [0.04, 1 / 60.0] {
                    let frames = Self.clip(scene, fade, length)
                    let lights = SceneClips.track(frames, lookAhead: lookAhead, interval: interval)
                    SceneClips.checkSteady(lights, "scene \(index), \(length) pictures at \(interval)")
                    #expect(
                        lights.filter { $0?.startsScene == true }.count == 1,
                        "scene \(index), \(length) pictures at \(interval)")
                }
            }
        }
    }

    /// In a fade from black no light is brighter than behind it, in still scenes and in those that move.
    @Test(arguments: SceneClips.lookAheads, Fade.allCases) func fadesFromBlack(_ lookAhead: Int, _ fade: Fade) {
        for (index, scene) in Self.scenes.enumerated() {
            for (length, interval) in [(6, 0.04), (12, 0.04), (25, 0.04), (50, 0.04), (30, 1 / 60.0), (60, 1 / 60.0)] {
                let frames: [Frame] = (0..<20 + length).map { n in
                    let level = min(1, max(0, Double(n - 9) / Double(length)))
                    return scene.map { fade($0, level) }
                }
                let lights = SceneClips.track(frames, lookAhead: lookAhead, interval: interval)
                #expect(lights.filter { $0?.startsScene == true }.count == 1)
                for patch in [5.0, 30, 100, 250] {
                    let shown = frames.indices.map { n -> Double in
                        let level = min(1, max(0, Double(n - 9) / Double(length)))
                        guard let peak = lights[n]?.peak else { return 0 }
                        return LightCurve(.referenceWhite, sourcePeak: max(peak, 203.1), targetPeak: 203)?(
                            fade(patch, level)) ?? 0
                    }
                    let overshoot = (shown.max() ?? 0) / (shown.last ?? 0) - 1
                    #expect(overshoot < 0.02, "scene \(index), \(length) at \(interval), \(patch) cd/m²: \(overshoot)")
                }
            }
        }
    }
}
