import Foundation
import PluginSupport
import TestSupport
import Testing

/// Clips of one grey, two seconds, each with a tone.
final class GESClips: Sendable {
    static let shared = Result { try GESClips() }
    let folder: TemporaryFolder
    /// Codes of 8 bits in full range, and the corresponding lumas in 10 bits of narrow range.
    static let greys = (hlg: 115, pq: 138)
    static let lumas = (hlg: 64 + 876 * Double(greys.hlg) / 255, pq: 64 + 876 * Double(greys.pq) / 255)

    init() throws {
        folder = try TemporaryFolder()
        for (range, grey) in [("hlg", Self.greys.hlg), ("pq", Self.greys.pq)] {
            let color = 0xFF00_0000 | grey << 16 | grey << 8 | grey
            let line =
                "videotestsrc num-buffers=50 pattern=solid-color foreground-color=\(color) "
                + "! video/x-raw,format=I420_10LE,width=640,height=360,framerate=25/1,colorimetry=bt2100-\(range) "
                + "! m.video_0 hdrmux-settings name=m file-type=matroska "
                + "! filesink location=\(folder.path("\(range).mkv")) "
                + "audiotestsrc num-buffers=88 samplesperbuffer=1024 ! audio/x-raw,rate=44100 ! m.audio_0"
            expectClean(try GstTool.launch(line, timeout: 60))
        }
    }
}

/// BT.2100's lumas in 10 bits of narrow range, in cd/m² of a display for 1000.
enum GESLuma {
    static func hlgLight(_ luma: Double) -> Double {
        let (signal, a, b, c) = ((luma - 64) / 876, 0.17883277, 0.28466892, 0.55991073)
        let scene = signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
        return 1000 * pow(scene, 1.2)
    }

    static func hlg(_ light: Double) -> Double {
        let (scene, a, b, c) = (pow(light / 1000, 1 / 1.2), 0.17883277, 0.28466892, 0.55991073)
        return 64 + 876 * (scene <= 1.0 / 12 ? (3 * scene).squareRoot() : a * log(12 * scene - b) + c)
    }

    static func pqLight(_ luma: Double) -> Double {
        let power = pow((luma - 64) / 876, 1 / 78.84375)
        return 10000 * pow(max(power - 0.8359375, 0) / (18.8515625 - 18.6875 * power), 1 / 0.1593017578125)
    }
}
