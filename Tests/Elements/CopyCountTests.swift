import Foundation
import PluginSupport
import TestSupport
import Testing

/// Each packet that goes into a copy is in the file, or the bin reports the difference.
@Suite struct CopyCountTests {
    struct Stream: CustomTestStringConvertible, Sendable {
        let name: String
        /// An encoder of 24 pictures, or of half a second of sound, and what makes packets of the raw stream again.
        let encoder: String
        let reader: String
        var pad = "video_0"
        var handler: String { pad == "video_0" ? "vide" : "soun" }
        var testDescription: String { name }
    }

    private static let pictures =
        "videotestsrc pattern=ball num-buffers=24 ! video/x-raw,width=96,height=64,framerate=24/1"
    static let streams = [
        Stream(
            name: "HEVC raw stream", encoder: "\(pictures),format=I420 ! x265enc speed-preset=ultrafast",
            reader: "h265parse"),
        Stream(
            name: "H.264 raw stream", encoder: "\(pictures),format=I420 ! x264enc speed-preset=ultrafast",
            reader: "h264parse"),
        Stream(
            name: "ProRes", encoder: "\(pictures),format=I422_10LE ! avenc_prores_ks ! qtmux", reader: "qtdemux"),
        Stream(
            name: "AAC", encoder: "audiotestsrc num-buffers=24 ! avenc_aac ! aacparse ! qtmux",
            reader: "qtdemux ! aacparse", pad: "audio_0"),
    ]

    /// The report of a copy: the number of packets that went in, and the lines of the bus.
    private struct Copy {
        let packets: Int
        let messages: [Substring]

        init(_ stream: Stream, _ type: String, untimed: Int, in folder: TemporaryFolder, to name: String) throws {
            let source = try String(
                contentsOfFile: Repository.path("Tests/Elements/Programs/copy_count.c"), encoding: .utf8)
            let program =
                folder.names.contains("copy_count")
                ? folder.path("copy_count")
                : try folder.compile(source, as: "copy_count", packages: ["gstreamer-1.0"])
            let outcome = try GstTool.run(
                program,
                [
                    "filesrc location=\(folder.path("source")) ! \(stream.reader) ! m.\(stream.pad) "
                        + "hdrmux-settings name=m preset=passthrough file-type=\(type) ! "
                        + "filesink location=\(folder.path(name))", "\(untimed)",
                ], timeout: 90)
            expectClean(outcome)
            var lines = outcome.output.split(separator: "\n")
            let last = lines.popLast() ?? ""
            packets = try #require(Int(last.dropFirst("packets: ".count)), "\(outcome)")
            messages = lines
        }

        var isRefused: Bool { messages.contains { $0.hasPrefix("error: ") } }
    }

    /// The packets of a file's only track.
    private func packets(_ name: String, _ stream: Stream, in folder: TemporaryFolder) async throws -> Int {
        guard name.hasSuffix(".mkv") else {
            return try MovieFile(contentsOf: folder.url(name)).track(stream.handler)?.sizes.count ?? 0
        }
        let report = try await TestClip.packets(stream.pad, of: folder.path(name))
        return report.matches(of: /chain .*\(\d+ bytes/).count
    }

    @Test(arguments: streams, ["mov", "mp4", "matroska"])
    func allPacketsAreInTheFile(_ stream: Stream, _ type: String) async throws {
        let folder = try TemporaryFolder()
        let name = "copy.\(type == "matroska" ? "mkv" : type)"
        try await GstLaunch.make("\(stream.encoder) ! filesink location=\(folder.path("source"))")
        let whole = try Copy(stream, type, untimed: 0, in: folder, to: name)
        if whole.isRefused {
            // ProRes is no part of MP4.
            #expect(stream.name == "ProRes" && type == "mp4", "\(whole.messages)")
            return
        }
        #expect(whole.packets > 0 && whole.messages == ["eos"], "\(whole.messages)")
        #expect(try await packets(name, stream, in: folder) == whole.packets)

        // The last packet has no time: it is in the file all the same, or the bus reports it.
        let copy = try Copy(stream, type, untimed: whole.packets, in: folder, to: name)
        let kept = copy.isRefused ? 0 : try await packets(name, stream, in: folder)
        let isReported = copy.messages.contains { $0 != "eos" && $0.contains(/\d/) }
        #expect(copy.packets == whole.packets)
        #expect(
            kept == copy.packets || isReported, "\(kept) of \(copy.packets) packets, and the bus said \(copy.messages)")
    }
}
