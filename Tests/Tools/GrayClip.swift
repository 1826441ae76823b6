import Foundation
import PluginSupport
import TestSupport
import Testing

/// Gray frames in PQ or HLG, 25 a second, each of a level of its own and coded without loss.
struct GrayClip {
    static let side = 64
    /// The 10-bit luma of each frame, of narrow range.
    let levels: [Int]
    var color = "bt2100-pq"
    var width = side

    /// The signal of a frame, 0 to 1.
    func signal(_ frame: Int) -> Double { Double(levels[frame] - 64) / 876 }

    func make(_ name: String, in folder: TemporaryFolder) async throws {
        var bytes: [UInt8] = []
        func append(_ code: Int, _ count: Int) {
            for _ in 0..<count { bytes += [UInt8(code & 255), UInt8(code >> 8)] }
        }
        for level in levels {
            append(level, width * Self.side)
            append(512, width * Self.side / 2)
        }
        try Data(bytes).write(to: folder.url.appendingPathComponent("raw"))
        try await GstLaunch.make(
            "filesrc location=\(folder.path("raw")) ! "
                + "rawvideoparse format=i420-10le width=\(width) height=\(Self.side) framerate=25/1 ! "
                + "capssetter caps=video/x-raw,colorimetry=\(color),chroma-site=cosited ! "
                + "x265enc speed-preset=ultrafast key-int-max=10 option-string=lossless=1 ! h265parse ! "
                + "\(name.hasSuffix(".mkv") ? "matroskamux" : "mp4mux") ! filesink location=\(folder.path(name))")
        try FileManager.default.removeItem(atPath: folder.path("raw"))
    }
}
