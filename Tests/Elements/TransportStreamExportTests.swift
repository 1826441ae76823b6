import Foundation
import PluginSupport
import Testing
import TestSupport

/// MPEG transport streams of `hdrmux-settings`: as others read them, and read back.
@Suite struct TransportStreamExportTests {
    private let scratch: TemporaryFolder
    private static let source =
        "videotestsrc pattern=ball num-buffers=48 ! video/x-raw,width=96,height=64,framerate=24/1,"
    private static let sound = "audiotestsrc num-buffers=94 ! audio/x-raw,rate=48000,channels=2 ! m.audio_0"

    init() throws { scratch = try TemporaryFolder() }

    private func export(
        _ line: String, _ bin: String, to name: String, sound: String = ""
    ) throws -> String {
        let path = scratch.path(name)
        let outcome = try GstTool.launch(
            "\(line) ! m.video_0 hdrmux-settings name=m file-type=mpegts speed-preset=ultrafast \(bin) ! filesink "
                + "location=\(path) \(sound)", timeout: 60)
        expectClean(outcome)
        return path
    }

    private func probe(_ path: String, _ arguments: String...) throws -> String {
        let outcome = try GstTool.run("ffprobe", ["-v", "error"] + arguments + [path])
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
        return outcome.output
    }

    /// Comma-separated rows without their section.
    private func rows(_ path: String, _ stream: String, _ entries: String) throws -> [[String]] {
        let text = try probe(path, "-select_streams", stream, "-show_entries", entries, "-of", "csv=p=0")
        return text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }.filter { !$0.isEmpty }
    }

    private static func packets(_ path: String) throws -> [[UInt8]] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        try #require(bytes.count.isMultiple(of: 188))
        return stride(from: 0, to: bytes.count, by: 188).map { Array(bytes[$0..<$0 + 188]) }
    }

    // MARK: The stream

    /// Each packet of each stream has the next number, and each picture a delimiter in front.
    @Test(
        arguments: [
            ("hevc-highest-quality", MuxSettingsTests.hdr10.caps, 0x46),
            ("h264-highest-quality", MuxSettingsTests.sdr.caps, 0x09),
        ] as [(String, String, UInt8)])
    func packetsAreInOrder(preset: String, caps: String, delimiter: UInt8) throws {
        let path = try export(Self.source + caps, "preset=\(preset)", to: "a.ts", sound: Self.sound)
        var counters: [Int: UInt8] = [:]
        var pictures = 0
        for packet in try Self.packets(path) {
            #expect(packet[0] == 0x47)
            let identifier = Int(packet[1] & 0x1f) << 8 | Int(packet[2])
            guard packet[3] & 0x10 != 0 else { continue }
            if let last = counters[identifier] { #expect(packet[3] & 15 == (last + 1) & 15, "PID \(identifier)") }
            counters[identifier] = packet[3] & 15
            let payload = packet[3] & 0x20 == 0 ? 4 : 5 + Int(packet[4])
            guard packet[1] & 0x40 != 0, packet[payload...].starts(with: [0, 0, 1]), packet[payload + 3] & 0xf0 == 0xe0
            else { continue }
            pictures += 1
            let start = payload + 9 + Int(packet[payload + 8])
            #expect(Array(packet[start..<start + 5]) == [0, 0, 0, 1, delimiter])
        }
        #expect(pictures == 48)
        // The counters are those of both tables and of the two streams.
        #expect(counters.count == 4)
        let decoded = try GstTool.run("ffmpeg", ["-v", "warning", "-xerror", "-i", path, "-f", "null", "-"])
        #expect(decoded.status == 0 && decoded.errors == "", "\(decoded)")
        #expect(try MuxSettingsTests().frames(path, hasSound: true).count == 48)
    }

    /// A decoder may begin at each key frame.
    @Test func parameterSetsAreRepeated() throws {
        let path = try export(
            Self.source + MuxSettingsTests.hlg.caps,
            "settings=\"settings, compression-properties=(structure)[c, max-key-frame-interval=12]\"", to: "a.ts")
        let keys = try rows(path, "v", "packet=flags").filter { $0[0].hasPrefix("K") }
        #expect(keys.count == 4)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        var sets = 0
        var place = bytes.startIndex
        while let found = bytes.range(of: Data([0, 0, 1, 0x42, 1]), in: place..<bytes.endIndex) {
            sets += 1
            place = found.upperBound
        }
        #expect(sets == 4)
    }

    // MARK: Times

    /// What an encoder puts in front of the sound is heard before the first picture, and the sound with it.
    @Test func soundAndPicturesMeet() throws {
        let path = try export(Self.source + MuxSettingsTests.hlg.caps, "", to: "a.ts", sound: Self.sound)
        let video = try rows(path, "v", "packet=pts_time").compactMap { Double($0[0]) }.sorted()
        let sound = try rows(path, "a", "packet=pts_time").compactMap { Double($0[0]) }
        #expect(video.count == 48)
        let first = try #require(video.first)
        #expect(abs(first - (try #require(sound.first)) - 1024.0 / 48000) < 0.0001)
        for (index, time) in video.enumerated() { #expect(abs(time - first - Double(index) / 24) < 0.00003) }
        // 94 buffers of 1024 samples, and the encoder's delay.
        #expect(sound.count == 95)
    }

    // MARK: Metadata

    @Test func othersReadHDR10() throws {
        let path = try export(Self.source + MuxSettingsTests.hdr10.caps, "", to: "a.ts")
        let text = try probe(path, "-show_frames", "-read_intervals", "%+#1")
        for field in [
            "color_transfer=smpte2084", "color_primaries=bt2020", "max_content=1000", "max_average=400",
            "max_luminance=10000000/10000",
        ] { #expect(text.contains(field), "\(field)") }
    }

    /// HEVC_video_descriptor: Main 10, and HDR_WCG_idc.
    @Test(arguments: [(MuxSettingsTests.hdr10, 2, 2), (MuxSettingsTests.hlg, 2, 2), (MuxSettingsTests.sdr, 1, 0)])
    func theProgramMapSaysHDR(_ source: MuxSettingsTests.Source, profile: UInt8, range: UInt8) throws {
        let path = try export(Self.source + source.caps, "", to: "a.ts")
        let packet = try #require(try Self.packets(path).first { $0[1] == 0x40 && $0[2] == 32 })
        let start = try #require(packet.indices.dropLast(15).first { packet[$0] == 56 && packet[$0 + 1] == 13 })
        #expect(packet[start + 2] & 0x1f == profile)
        #expect(packet[start + 14] & 3 == range)
    }

    // MARK: Copies

    /// There and back again: the pictures are the same, and so are their times.
    @Test(
        Samples.areThere,
        arguments: [
            "iphone-dolby-vision-8.4-hlg.mov", "hdr10-plus.mkv", "hlg10.mp4",
        ])
    func copiesKeepPictures(_ sample: String) throws {
        let source = Samples.path(sample)
        let line = "hdrsrc name=s decode=false location="
        let there = try export("\(line)\(source) s.video_0", "preset=passthrough", to: "a.ts")
        let back = scratch.path("b.mkv")
        expectClean(
            try GstTool.launch(
                "\(line)\(there) s.video_0 ! m.video_0 hdrmux-settings name=m preset=passthrough file-type=matroska "
                    + "! filesink location=\(back)", timeout: 60))
        let frames = try MuxSettingsTests().frames(source)
        #expect(try MuxSettingsTests().frames(there).count >= frames.count)
        let (_, video) = try HDRCommand.inspect(there)
        if let vision = video["dolby-vision"] as? [String: Any] {
            #expect(vision["announced-by-container"] as? Bool == true && vision["level"] as? Int == 2, "\(vision)")
        }
        #expect(try MuxSettingsTests().frames(back) == MuxSettingsTests().frames(there))
    }

    // MARK: Refusals

    @Test(arguments: [
        ("preset=prores-422", "ProRes 422 cannot be stored in an MPEG-TS file here"),
        ("preset=m4a", "makes no MPEG-TS files"),
    ])
    func whatItCannotHoldIsRefused(_ bin: String, _ text: String) throws {
        let outcome = try GstTool.launch(
            "\(Self.source)\(MuxSettingsTests.sdr.caps) ! m.video_0 hdrmux-settings name=m file-type=mpegts \(bin) "
                + "! fakesink", timeout: 30)
        #expect(outcome.status != 0 && outcome.errors.contains(text), "\(outcome)")
    }

    @Test func rawSoundIsRefused() throws {
        let outcome = try GstTool.launch(
            "audiotestsrc num-buffers=10 ! m.audio_0 hdrmux-settings name=m file-type=mpegts preset=passthrough "
                + "! fakesink", timeout: 30)
        #expect(outcome.status != 0, "\(outcome)")
        #expect(outcome.errors.contains("PCM audio cannot be stored in an MPEG-TS file here"), "\(outcome)")
    }
}
