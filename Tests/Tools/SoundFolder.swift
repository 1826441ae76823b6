import Foundation
import PluginSupport
import Testing
import TestSupport

/// A folder with sounds that `hdr tap` runs in.
struct SoundFolder {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// `hdr tap` in this folder.
    func command(_ arguments: [String]) -> Command {
        var command = Command(HDRCommand.program, ["tap"] + arguments, directory: folder.url)
        command.environment = ["GST_PLUGIN_PATH": Repository.path("build/plugins")]
        command.limit = .seconds(300)
        return command
    }

    func tap(_ arguments: String...) async throws -> Command.Result { try await command(arguments).run() }

    /// Makes a file in the folder with a GStreamer pipeline; `%` stands for its path.
    func make(_ name: String, _ pipeline: String) async throws {
        let words = pipeline.replacingOccurrences(of: "%", with: folder.path(name)).split(separator: " ")
        let result = try await Command("gst-launch-1.0", ["-q"] + words.map(String.init)).run()
        try #require(result.status == 0, "gst-launch-1.0 \(pipeline): \(result.errors)")
    }

    func makeNoise(_ name: String = "noise.wav", seconds: Int = 2) async throws {
        try await make(
            name,
            "audiotestsrc wave=pink-noise samplesperbuffer=4800 num-buffers=\(10 * seconds) ! "
                + "audio/x-raw,format=S16LE,rate=48000,channels=2 ! wavenc ! filesink location=%")
    }

    /// The two plots of a picture, in grey.
    func plots(_ name: String) async throws -> [SpectrogramPlot] {
        let png = try folder.data(name)
        #expect(png.prefix(8) == Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        // No other size can be linked.
        try await make(
            "pixels",
            "filesrc location=\(folder.path(name)) ! pngdec ! videoconvert ! "
                + "video/x-raw,format=GRAY8,width=1600,height=1000 ! filesink location=%")
        let pixels = try folder.data("pixels")
        try FileManager.default.removeItem(atPath: folder.path("pixels"))
        return [88, 532].map { SpectrogramPlot(picture: [UInt8](pixels), top: $0) }
    }

    /// Decodes any sound file in the folder.
    func decode(_ name: String) async throws -> WAVFile {
        try await make(
            "decoded",
            "filesrc location=\(folder.path(name)) ! decodebin ! audioconvert ! "
                + "audio/x-raw,format=S24LE ! wavenc ! filesink location=%")
        let file = try WAVFile(contentsOf: folder.url("decoded"))
        try FileManager.default.removeItem(atPath: folder.path("decoded"))
        return file
    }

    /// One line that says what is wrong, and nothing but the files of before.
    func expectRefusal(
        _ result: Command.Result, _ words: String, leaving names: [String], status: Int32 = 1,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.hasPrefix("hdr tap: "), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.errors.contains(words), "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, "\(result.output)", sourceLocation: sourceLocation)
        #expect(folder.names == names.sorted(), sourceLocation: sourceLocation)
    }
}
