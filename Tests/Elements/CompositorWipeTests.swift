import Foundation
import PluginSupport
import Synchronization
import Testing
import TestSupport

/// Wipes of `hdrcompositor` in launch lines.
@Suite struct CompositorWipeTests {
    private let scratch: TemporaryFolder

    init() throws { scratch = try TemporaryFolder() }

    private static let (width, height) = (64, 48)

    /// A white picture over a black canvas in sRGB, 16 bits a component; the share of white at each place.
    private func shares(_ settings: String) throws -> [[Double]] {
        let path = scratch.path("\(UInt32.random(in: 0...UInt32.max)).raw")
        let line =
            "hdrcompositor name=c \(settings) ! video/x-raw,format=RGBA64_LE,colorimetry=sRGB "
            + "! filesink location=\(path) videotestsrc num-buffers=1 pattern=white "
            + "! video/x-raw,format=RGBA,width=\(Self.width),height=\(Self.height),colorimetry=sRGB ! c."
        expectClean(try GstTool.launch(line, timeout: 60))
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        try #require(data.count == Self.width * Self.height * 8)
        return data.withUnsafeBytes { bytes in
            let codes = bytes.bindMemory(to: UInt16.self)
            return (0..<Self.height).map { y in
                (0..<Self.width).map { light(Double(codes[4 * (y * Self.width + $0)]) / 65535) }
            }
        }
    }

    /// IEC 61966-2-1.
    private func light(_ code: Double) -> Double { code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4) }

    private func write(_ name: String, _ text: String) throws -> String {
        let path = scratch.path(name)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Half of the way shows half of the picture; a hard edge is a pixel wide.
    @Test(arguments: [
        ("bar-right", 5, 24, 1.0), ("bar-right", 60, 24, 0), ("bar-left", 5, 24, 0), ("bar-left", 60, 24, 1),
        ("bar-down", 30, 3, 1), ("bar-up", 30, 3, 0), ("diagonal", 2, 2, 1), ("diagonal", 60, 45, 0),
        ("iris", 32, 24, 1), ("iris", 1, 1, 0), ("diamond", 32, 24, 1), ("diamond", 1, 1, 0), ("clock", 50, 24, 1),
        ("clock", 10, 24, 0), ("barn-door", 32, 24, 1), ("barn-door", 2, 24, 0),
    ])
    func halfOfTheWayShowsHalf(_ wipe: String, _ x: Int, _ y: Int, _ share: Double) throws {
        for isReversed in [false, true] {
            let found = try shares("sink_0::wipe=\(wipe) sink_0::wipe-progress=0.5 sink_0::wipe-reverse=\(isReversed)")
            #expect(abs(found[y][x] - (isReversed ? 1 - share : share)) < 0.001)
            let mean = found.joined().reduce(0, +) / Double(Self.width * Self.height)
            // For the circle, whose radius is 20, the share is its area; for the others it is a half.
            let expected = wipe == "iris" ? Double.pi * 400 / Double(Self.width * Self.height) : 0.5
            #expect(abs(mean - (isReversed ? 1 - expected : expected)) < 0.02, "\(mean)")
        }
    }

    /// A soft edge is straight in light: the share falls evenly over it.
    @Test func softEdgesAreEvenInLight() throws {
        let row = try shares("sink_0::wipe=bar-right sink_0::wipe-progress=0.5 sink_0::wipe-softness=0.5")[20]
        for (x, share) in row.enumerated() {
            let order = (Double(x) + 0.5) / Double(Self.width)
            #expect(abs(share - min(max((0.5 * 1.5 - order) / 0.5, 0), 1)) < 0.001, "\(x)")
        }
    }

    @Test(arguments: [0.0, 1.0]) func endsShowNothingAndAll(_ progress: Double) throws {
        for wipe in ["bar-left", "clock", "iris"] {
            let found = try shares(
                "sink_0::wipe=\(wipe) sink_0::wipe-progress=\(progress) sink_0::wipe-softness=0.3")
            #expect(found.joined().allSatisfy { $0 == progress })
        }
    }

    /// Dark places of a file's picture appear first.
    @Test func filesOfMapsAreRead() throws {
        let path = scratch.path("map 'ä'.png")
        let drawn = try GstTool.launch(
            "videotestsrc num-buffers=1 pattern=black ! video/x-raw,format=GRAY8,width=32,height=48 ! m. "
                + "videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=GRAY8,width=32,height=48 ! m. "
                + "compositor name=m sink_1::xpos=32 ! video/x-raw,format=GRAY8,width=64,height=48 ! pngenc "
                + "! filesink location=\"\(path)\"", timeout: 60)
        try #require(drawn.status == 0, "\(drawn)")
        let row = try shares("sink_0::wipe=map sink_0::wipe-map=\"\(path)\" sink_0::wipe-progress=0.5")[20]
        #expect(row.prefix(30).allSatisfy { $0 == 1 } && row.suffix(30).allSatisfy { $0 == 0 })
    }

    /// A map is read before its wipe begins. Of a pipe, the end for writing can be opened once it is read.
    @Test func mapsAreReadBeforehand() throws {
        let path = scratch.path("pipe")
        try #require(mkfifo(path, 0o600) == 0)
        let isRead = Mutex(false)
        let reading = Thread {
            for _ in 0..<10_000 where !isRead.withLock({ $0 }) {
                let end = open(path, O_WRONLY | O_NONBLOCK)
                if end >= 0 {
                    isRead.withLock { $0 = true }
                    close(end)
                }
                usleep(1000)
            }
        }
        reading.start()
        expectClean(
            try GstTool.launch(
                "hdrcompositor name=c sink_0::wipe-map=\(path) ! fakesink sync=true "
                    + "videotestsrc num-buffers=50 ! video/x-raw,width=64,height=48,framerate=25/1 ! c.", timeout: 60))
        #expect(isRead.withLock { $0 })
    }

    /// The picture is shown whole, and a warning says why.
    @Test(arguments: ["none", "missing", "text", "sound"]) func otherFilesAreRefused(_ kind: String) throws {
        var path = ""
        switch kind {
        case "missing": path = "/nowhere/map.png"
        case "text": path = try write("map.txt", "no picture\n")
        case "sound":
            path = scratch.path("map.wav")
            let line = "audiotestsrc num-buffers=2 ! wavenc ! filesink location=\(path)"
            let made = try GstTool.launch(line, timeout: 60)
            try #require(made.status == 0)
        default: break
        }
        let file = path.isEmpty ? "" : "sink_0::wipe-map=\(path)"
        let outcome = try GstTool.launch(
            "hdrcompositor name=c sink_0::wipe=map \(file) sink_0::wipe-progress=0.5 ! fakesink "
                + "videotestsrc num-buffers=3 ! video/x-raw,width=64,height=48 ! c.", options: [],
            timeout: 60)
        #expect(outcome.status == 0, "\(outcome)")
        let said = (outcome.output + outcome.errors).split(separator: "\n").filter { $0.contains("wipe-map") }
        #expect(said.count == 1 && said[0].lowercased().contains("set wipe-map to the file of a grey picture"))
    }

    /// A wipe over a picture of the canvas's own signal leaves the codes of the rows that it does not reach.
    @Test func rowsBeforeTheEdgeKeepTheirCodes() throws {
        let path = scratch.path("out.raw")
        let plain = scratch.path("plain.raw")
        let below =
            "videotestsrc num-buffers=1 pattern=smpte75 ! video/x-raw,format=RGBA64_LE,width=64,height=48,"
            + "colorimetry=sRGB"
        expectClean(try GstTool.launch("\(below) ! filesink location=\(plain)", timeout: 60))
        expectClean(
            try GstTool.launch(
                "hdrcompositor name=c sink_1::wipe=bar-down sink_1::wipe-progress=0.5 "
                    + "! video/x-raw,format=RGBA64_LE,colorimetry=sRGB ! filesink location=\(path) \(below) ! c. "
                    + "videotestsrc num-buffers=1 pattern=white ! video/x-raw,format=RGBA,width=64,height=48,"
                    + "colorimetry=sRGB ! c.", timeout: 60))
        let found = try Data(contentsOf: URL(fileURLWithPath: path))
        let codes = try Data(contentsOf: URL(fileURLWithPath: plain))
        let start = 64 * 8 * 32
        #expect(found.count == codes.count && found.dropFirst(start) == codes.dropFirst(start))
        #expect(found.prefix(64 * 8 * 20).allSatisfy { $0 == 255 })
    }
}
