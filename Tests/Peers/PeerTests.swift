import Foundation
import Testing

/// What filters of GStreamer's own do wrong (1.22), and `hdrtap` in the same set-up does right.
///
/// Where a peer's figure is asserted, a test that fails after an update of GStreamer says that the peer has been mended.
@Suite struct PeerTests {
    static let stream = MeasuringProgram("peer_stream")

    // MARK: Flush, gaps, end

    @Test(arguments: ["audioecho", "audiochebband"])
    func peersKeepSoundThroughAFlush(peer: String) throws {
        #expect(try Self.stream.run()["flush/\(peer)"]?["leak"] ?? 0 > 0.01)
    }

    @Test func aPeerPushesABufferFromBeforeTheFlush() throws {
        #expect(try Self.stream.run()["flush/audiowsincband"]?["earliest"] ?? 1 < 0.1)
    }

    @Test(arguments: ["bandpass", "callbacks", "long-bandpass"])
    func nothingSoundsOnThroughAFlush(subject: String) throws {
        let flush = try #require(try Self.stream.run()["flush/\(subject)"])
        #expect(flush["leak"] == 0)
        #expect(flush["earliest"] == 1)
    }

    @Test(arguments: ["audioecho", "audiochebband"])
    func peersFlagSoundAsAGap(peer: String) throws {
        let gap = try #require(try Self.stream.run()["gap/\(peer)"])
        #expect(gap["first-flags"] == 1)
        #expect(gap["first-sound"] ?? 0 > 0.001)
    }

    @Test(arguments: ["bandpass", "callbacks"])
    func onlySilenceIsFlaggedAsAGap(subject: String) throws {
        let gap = try #require(try Self.stream.run()["gap/\(subject)"])
        #expect(gap["first-flags"] == 0)
        #expect(gap["first-sound"] ?? 0 > 0.001)
        #expect(gap["last-flags"] == 1)
        #expect(gap["last-sound"] == 0)
    }

    @Test(arguments: ["audioecho", "audiochebband"])
    func peersCutTheirTail(peer: String) throws {
        let end = try #require(try Self.stream.run()["end/\(peer)"])
        #expect(end["tail"] == 0)
        #expect(end["latency"] == 0)
    }

    /// The frames that a band-pass of 1 kHz and 600 cents takes to fall by 120 dB; a second, where max-tail says so; none.
    @Test(arguments: [("bandpass", 606.0), ("long-bandpass", 48000), ("no-tail-bandpass", 0), ("callbacks", 4800)])
    func theTailComesBeforeTheEnd(subject: String, frames: Double) throws {
        let end = try #require(try Self.stream.run()["end/\(subject)"])
        #expect(end["tail"] == frames)
        #expect(end["eos"] == 1)
        // The tail is what silence would have brought.
        #expect(end["differing"] == 0)
    }

    @Test(arguments: ["controlled", "set"])
    func theTailIsThatOfTheLastSetting(name: String) throws {
        let tail = try #require(try Self.control.run("tail")["tail/\(name)"])
        #expect(abs(try #require(tail["frames"]) - 6060) < 10)
        #expect(try #require(tail["level"]) < -100)
    }

    @Test func declaredLatencyIsAbsorbed() throws {
        let end = try #require(try Self.stream.run()["end/callbacks"])
        #expect(end["misaligned"] == 0)
        #expect(end["latency"] == 2_083_333)  // 100 frames
        #expect(end["latency-messages"] == 1)
        #expect(end["starts"] == 1)
        #expect(end["ends"] == 3)  // 4900 frames, 2048 a call
    }

    // MARK: Controllers

    @Test func aSweptPeerClicks() throws {
        let sweep = try #require(try Self.control.run("sweep")["sweep/audiochebband"])
        #expect(try #require(sweep["joins"]) > 5 * #require(sweep["interior"]))
        #expect(try #require(sweep["spurious"]) > -80)
        let still = try #require(try Self.control.run("sweep")["sweep/audiochebband-static"])
        #expect(try #require(still["spurious"]) < -140)
    }

    @Test func aSweptBandPassIsSmooth() throws {
        let sweep = try #require(try Self.control.run("sweep")["sweep/bandpass"])
        #expect(sweep["frames"] == 96256)
        #expect(try #require(sweep["joins"]) <= #require(sweep["interior"]))
        #expect(try #require(sweep["spurious"]) <= -110)
    }

    @Test(.enabled(if: GstTool.exists("valgrind"), "valgrind is not installed"))
    func sweepingLeaksInThePeerAlone() throws {
        #expect(try lost(by: "libgstaudiofx", sweeping: "audiochebband") > 10_000)
        #expect(try lost(by: "libgsthdr", sweeping: "bandpass") == 0)
    }

    /// Bytes that a library has allocated and lost within 200 buffers.
    private func lost(by library: String, sweeping subject: String) throws -> Int {
        let outcome = try GstTool.run(
            "valgrind", ["--leak-check=full", "--num-callers=40", try Self.control.path, "leak", subject], timeout: 120)
        #expect(outcome.output == "leak/\(subject) frames=96000\n", "\(outcome.testDescription)")
        let records = outcome.errors.split(separator: "\n").split { $0.hasSuffix("== ") }
        let lost = records.filter { record in
            record.contains { $0.contains("definitely lost in") } && record.contains { $0.contains(library) }
        }
        return lost.reduce(0) { sum, record in
            let words = record.lazy.compactMap { $0.split(separator: " ").dropFirst().first }
            return sum + (words.first.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
        }
    }

    @Test func aControlledPeerDeadlocks() throws {
        let measured = try Self.control.run("deadlock")
        #expect(measured["deadlock/audiowsincband"]?["completes"] == 0)
        #expect(measured["deadlock/audiowsinclimit"]?["completes"] == 0)
        #expect(measured["deadlock/bandpass"]?["completes"] == 1)
    }

    @Test func aControlledPeerIsIdleOrLate() throws {
        let measured = try Self.control.run("step")
        #expect(measured["step/equalizer-flat/band1-480"]?["first"] == -1)
        #expect(measured["step/equalizer/band1-480"]?["first"] == 2400)
    }

    @Test(arguments: [
        "gain/volume-480", "gain/volume-4800", "gain/gain-7", "bandpass/center-frequency-480",
        "bandpass/center-frequency-4800", "bandpass/bandwidth-1",
    ])
    func aControllerActsAtTheExactFrame(subject: String) throws {
        let step = try #require(try Self.control.run("step")["step/\(subject)"])
        #expect(step["frames"] == 4800)
        #expect(step["first"] == step["wanted"])
    }

    @Test func aPeerMutesOrSkipsARamp() throws {
        let measured = try Self.control.run("ramp")
        // Silence before the first point; or else the ramp's first half is a step.
        #expect(measured["ramp/volume-early-480"]?["first"] == 0)
        #expect(measured["ramp/volume-late-480"]?["error"] ?? 0 > 1e6)
    }

    @Test(arguments: [1, 7, 480, 1024, 1440])
    func rampsAreExact(size: Int) throws {
        let measured = try Self.control.run("ramp")
        for name in ["gain-early", "gain-late", "gain-ramps"] {
            let ramp = try #require(measured["ramp/\(name)-\(size)"])
            #expect(ramp["frames"] == 1440)
            #expect(ramp["before"] == 0)
            #expect(ramp["at-10-ms"] == 0.75)
            // Units of the last place: of the time itself, and of a controller's, which is in whole nanoseconds.
            #expect(ramp["exact-error"] ?? 9 <= 1)
            if name != "gain-ramps" { #expect(ramp["error"] ?? 9 <= 0.5) }
        }
    }

    // MARK: Seeks

    /// The caller of such a seek hangs with and without the tap; a flush frees it, and flushing seeks do the same work.
    @Test(arguments: ["videotestsrc", "audiotestsrc", "hdrtap"])
    func anInstantRateChangeHangsOnPlainSources(subject: String) throws {
        let instant = try #require(try Self.seek.run()["instant/\(subject)"])
        #expect(instant["answered"] == 0)
        #expect(instant["freed"] == 1)
        #expect(instant["flushing-seek"] == 1)
        #expect(instant["prerolled"] == 1)
    }

    @Test func flushingSeeksWork() throws {
        let measured = try Self.seek.run()
        let fast = try #require(measured["seek/2"])
        #expect(fast["sought"] == 1 && fast["errors"] == 0 && fast["overlaps"] == 0)
        #expect(fast["first-starts"] == 1 && fast["starts"] == 2)
        #expect(fast["position"] ?? 0 > 0.5)
        let reverse = try #require(measured["seek/-1"])
        #expect(reverse["sought"] == 1 && reverse["errors"] == 0)
        // In reverse every buffer is a start.
        #expect(reverse["starts"] == reverse["calls"])
        #expect(reverse["position"] ?? 1 < 0.5)
        #expect(measured["events/instant-rate-change"]?["passed"] == 1)
    }

    static let control = MeasuringProgram("peer_control")
    static let seek = MeasuringProgram("peer_seek")
}

/// What callbacks in C are promised.
@Suite struct TapContractTests {
    static let contract = MeasuringProgram("tap_contract")
    static let time = MeasuringProgram("tap_time")
    static let life = MeasuringProgram("tap_life")
    static let formats = MeasuringProgram("tap_formats")

    @Test(arguments: [
        ("half", 2500, 2500, 0), ("nothing", 0, 5000, 0), ("never-fetch", 5000, 0, 1), ("copy", 5000, 0, 0),
    ])
    func framesThatAreMissingAreSilent(name: String, same: Int, silent: Int, warnings: Int) throws {
        let made = try #require(try Self.contract.run()["process/\(name)"])
        #expect(made["frames"] == 5000)
        #expect(made["same"] == Double(same))
        #expect(made["silent"] == Double(silent))
        #expect(made["silenced"] == Double(silent))
        #expect(made["dropped"] == 0)
        #expect(made["warnings"] == Double(warnings))
        #expect(made.text.contains("does not fetch its source audio") == (warnings > 0))
    }

    @Test func whatIsFetchedTooLateIsCounted() throws {
        let made = try #require(try Self.contract.run()["process/fetch-half"])
        #expect(made["silenced"] == 2500)
        #expect(made["dropped"] == 452)  // what does not fit into 2048 frames
        #expect(made["warnings"] == 0)
    }

    @Test func sourceAudioComesOnceAndInOrder() throws {
        let measured = try Self.contract.run()
        #expect(measured["fetch/pieces"]?["wrong"] == 0)
        #expect(measured["fetch/pieces"]?["fetched"] == 100_000)
        let misuse = try #require(measured["fetch/misuse"])
        for name in ["no-buffers", "no-list", "too-small", "null"] { #expect(misuse[name] == -2, "\(name)") }
        #expect(misuse["elsewhere"] == -1)
    }

    @Test func tapsThatTakeTurnsLoseNothing() throws {
        let relay = try #require(try Self.time.run()["relay/delays"])
        #expect(relay["lost"] == 0 && relay["wrong"] == 0 && relay["breaks"] == 0)
    }

    @Test(arguments: [("size-0", "size is 0"), ("size-short", "size is 47"), ("no-process", "process is NULL")])
    func invalidCallbacksAreRefused(name: String, problem: String) throws {
        let attached = try #require(try Self.contract.run()["attach/\(name)"])
        #expect(attached["ok"] == 0)
        #expect(attached["calls"] == 0)
        #expect(attached["processed-by-effect"] == 1000)
        #expect(attached.text.contains(problem))
    }

    @Test(arguments: ["while-playing", "before-ready"])
    func anUnknownEffectIsAnError(name: String) throws {
        let measured = try Self.contract.run()
        let effect = try #require(measured["effect/\(name)"])
        #expect(effect["errors"] == 1)
        #expect(
            effect.text
                == "No effect is called \"bandpas\": there are bandpass, gain, meter, waveform. Did you mean bandpass?")
        #expect(measured["effect/corrected"]?["failed"] == 0)
        #expect(measured["effect/corrected"]?["errors"] == 0)
    }

    @Test(arguments: ["center-frequency", "bandwidth", "volume", "gain"])
    func notANumberIsAnError(property: String) throws {
        let nan = try #require(try Self.contract.run()["nan/\(property)"])
        #expect(nan["kept"] == 1)
        #expect(nan["frames"] == 1000 && nan["broken"] == 0)
        #expect(nan["errors"] == 1)
        #expect(nan.text.contains(property))
    }

    @Test(arguments: 1...8)
    func rangesFollowEachOther(seed: Int) throws {
        let ranges = try #require(try Self.time.run()["ranges/\(seed)"])
        #expect(ranges["starts"] == 1)
        #expect(ranges["breaks"] == 0)
        #expect(ranges["lost"] == 0)
        #expect(ranges["frames-differ"] == 0)
        #expect(ranges["first"] == 96000)
        #expect(ranges["end-differs"] == 0)
        #expect(ranges["timescale"] == 48000)
    }

    @Test(arguments: [
        ("nothing", false, 0), ("jitter", false, 0), ("same-segment", false, 0), ("continued-segment", false, 0),
        ("same-caps", false, 0), ("discont", true, 960), ("resync", true, 960), ("gap", true, 2928),
        ("other-segment", true, 480_000), ("flush", true, 0), ("caps-change", true, 960), ("attach", true, 960),
        ("rate-change", true, 960),
    ])
    func aStreamStartsAnew(after happening: String, starts: Bool, at frame: Int) throws {
        let seen = try #require(try Self.time.run()["starts/\(happening)"])
        #expect(seen["before"] == (happening == "attach" ? 0 : 1))
        #expect(seen["after"] == (starts ? 1 : 0))
        #expect(seen["first"] == Double(frame))
        #expect(seen["breaks"] == 0)
        #expect(seen["prepares"] == (happening == "caps-change" ? 2 : 1))
        #expect(seen["unprepares"] == (happening == "caps-change" ? 1 : 0))
    }

    @Test(arguments: (1...10).map { "fuzz-\($0)" } + ["swap", "idle", "detach", "refused"])
    func livesFollowTheirOrder(name: String) throws {
        let life = try #require(try Self.life.run()["life/\(name)"])
        #expect(try #require(life["lives"]) > 0)
        #expect(life["gone"] == life["lives"])
        #expect(life["violations"] == 0)
        if name.hasPrefix("fuzz") || name == "swap" { #expect(try #require(life["calls"]) > 20) }
    }

    @Test func swappingAndRefusingHaveTheirEffect() throws {
        let measured = try Self.life.run()
        #expect(measured["life/swap-errors"]?["count"] == 0)
        #expect(measured["life/detach-output"]?["frames"] == 960)
        let refused = try #require(measured["life/refused-flow"])
        #expect(refused["flow"] == -4)  // GST_FLOW_NOT_NEGOTIATED
        #expect(refused["errors"] == 1)
        #expect(refused.text.contains("F32LE"))
    }

    @Test func everyFormatIsProcessed() throws {
        let formats = try Self.formats.run().filter { $0.key.hasPrefix("format/") }
        #expect(formats.count == 30 * 2 * 6)
        for (name, format) in formats {
            #expect(format["wrong"] == 0, "\(name)")
            #expect(format["wrong-halves"] == 0, "\(name)")
            #expect(format["shape"] == 0 && format["format"] == 0, "\(name)")
            #expect(format["gain-error"] ?? 9 <= (name.contains("/F") ? 0 : 0.5), "\(name)")
        }
    }

    @Test func tooManyChannelsAreAnError() throws {
        let channels = try #require(try Self.formats.run()["channels/65"])
        #expect(channels["flow"] == -4)
        #expect(channels["errors"] == 1)
        #expect(channels.text.contains("channels=(int)65") && channels.text.contains("up to 64"))
    }

    @Test(arguments: ["video", "video-callbacks", "compressed", "compressed-callbacks", "raw-without-processor"])
    func otherStreamsPass(name: String) throws {
        let passed = try #require(try Self.formats.run()["pass/\(name)"])
        #expect(passed["flow"] == 0)
        #expect(passed["same"] == 1)
        // A processor that waits for samples in vain is worth a warning.
        #expect(passed["messages"] == (name == "raw-without-processor" ? 0 : 1))
    }
}

/// A C program from the folder Programs that prints lines `subject name=number … | text`. Compiled once, and run once for
/// each list of arguments.
final class MeasuringProgram: @unchecked Sendable {
    /// The numbers of a subject, and the text after them.
    struct Line {
        var numbers: [String: Double] = [:]
        var text = ""
        subscript(name: String) -> Double? { numbers[name] }
    }

    private let name: String
    private let lock = NSLock()
    private var program: Result<String, any Error>?
    private var results: [[String]: Result<[String: Line], any Error>] = [:]
    private var scratch: Scratch?

    init(_ name: String) { self.name = name }

    var path: String { get throws { try lock.withLock { try compiled() } } }

    func run(_ arguments: String...) throws -> [String: Line] {
        try lock.withLock {
            if results[arguments] == nil { results[arguments] = Result { try measure(arguments) } }
            return try results[arguments]?.get() ?? [:]
        }
    }

    private func measure(_ arguments: [String]) throws -> [String: Line] {
        let outcome = try GstTool.run(try compiled(), arguments, timeout: 60)
        guard outcome.status == 0 else { throw GstTool.Failure(outcome.testDescription) }
        var lines: [String: Line] = [:]
        for line in outcome.output.split(separator: "\n") {
            let parts = line.split(separator: "|", maxSplits: 1)
            let words = parts[0].split(separator: " ")
            guard let subject = words.first else { continue }
            var parsed = Line()
            for pair in words.dropFirst().map({ $0.split(separator: "=") }) where pair.count == 2 {
                parsed.numbers[String(pair[0])] = Double(pair[1])
            }
            if parts.count > 1 { parsed.text = parts[1].trimmingCharacters(in: .whitespaces) }
            lines[String(subject)] = parsed
        }
        return lines
    }

    private func compiled() throws -> String {
        if program == nil { program = Result { try compile() } }
        return try program?.get() ?? ""
    }

    private func compile() throws -> String {
        let folder = Repository.path(
            name.hasPrefix("peer") ? "Tests/Peers/Programs" : "Tests/Elements/Programs")
        let source = try String(contentsOfFile: "\(folder)/\(name).c", encoding: .utf8)
        let scratch = try Scratch()
        self.scratch = scratch
        return try scratch.compile(
            source, as: name,
            packages: ["gstreamer-check-1.0", "gstreamer-controller-1.0", "gstreamer-audio-1.0", "gstreamer-fft-1.0"],
            flags: ["-I", Repository.path("Tests/Support/Programs"), "-I", Repository.path("Sources/CHDRTap/include"), "-Werror", "-lm"])
    }
}
