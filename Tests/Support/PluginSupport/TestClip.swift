import Foundation
import TestSupport
import Testing

/// A short clip with sound, VP9 and AAC in Matroska.
package struct TestClip {
    package var color: String
    package var frames = 30
    package var width = 320
    package var height = 180
    package var rate = "30/1"
    /// Beside the video; 1600 samples a frame.
    package var hasSound = true

    package init(
        color: String, frames: Int = 30, width: Int = 320, height: Int = 180, rate: String = "30/1",
        hasSound: Bool = true
    ) {
        self.color = color
        self.frames = frames
        self.width = width
        self.height = height
        self.rate = rate
        self.hasSound = hasSound
    }

    package func make(_ name: String, in folder: TemporaryFolder) async throws {
        let format = color.hasPrefix("bt2100") ? "I420_10LE" : "I420"
        let sound =
            hasSound
            ? " audiotestsrc samplesperbuffer=1600 num-buffers=\(frames) ! audio/x-raw,rate=48000,channels=2 ! "
                + "avenc_aac ! aacparse ! queue ! mux." : ""
        try await GstLaunch.make(
            "videotestsrc num-buffers=\(frames) pattern=smpte75 ! "
                + "video/x-raw,format=\(format),width=\(width),height=\(height),framerate=\(rate),"
                + "colorimetry=\(color) ! "
                + "vp9enc deadline=1 cpu-used=8 threads=2 ! queue ! matroskamux name=mux ! "
                + "filesink location=\(folder.path(name))" + sound)
    }

    /// A track's caps and packets as gst-launch-1.0 prints them.
    package static func packets(_ pad: String, of path: String, parser: String = "identity") async throws -> String {
        let demuxer = path.hasSuffix(".mkv") ? "matroskademux" : "qtdemux"
        let line =
            "filesrc location=\(path) ! \(demuxer) name=d d.\(pad) ! \(parser) ! identity silent=false ! fakesink"
        return try await Command("gst-launch-1.0", ["-v"] + line.split(separator: " ").map(String.init)).run().output
    }

    /// The presentation times in seconds, in the order of the packets.
    package static func times(_ report: String) -> [Double] {
        report.matches(of: /chain .*pts: (\d+):(\d\d):(\d\d\.\d{3})/).compactMap { match in
            guard let hours = Double(match.1), let minutes = Double(match.2), let seconds = Double(match.3) else {
                return nil
            }
            return hours * 3600 + minutes * 60 + seconds
        }
    }
}

package enum GstLaunch {
    package static func make(_ pipeline: String) async throws {
        let result = try GstTool.launch(pipeline, timeout: 60)
        try #require(result.status == 0, "\(result)")
    }
}
