import Foundation
import PluginSupport
import Testing
import TestSupport

/// GStreamer's own filters. What they do wrong is known of one series; another's may have been mended.
enum Peers {
    static let knownSeries = "1.22."

    /// The version of the plugins that are installed, such as 1.22.0.
    static let version: String = {
        let text = (try? Command("gst-inspect-1.0", ["--version"]).runToEnd().output) ?? ""
        return text.firstMatch(of: /version (\d+\.\d+\.\d+)/).map { String($0.1) } ?? "unknown"
    }()

    static let areKnown: ConditionTrait = .enabled(
        if: version.hasPrefix(knownSeries),
        "the figures are those of GStreamer \(knownSeries)x, and \(version) is installed")
}

/// What filters of GStreamer's own do wrong in a known version, and `hdrtap` does right in the same set-up.
@Suite struct PeerTests {
    static let stream = MeasuringProgram("peer_stream", in: "Peers/Programs")

    // MARK: Flush, gaps, end

    @Test(Peers.areKnown, arguments: ["audioecho", "audiochebband"])
    func peersKeepSoundThroughAFlush(peer: String) throws {
        #expect(try Self.stream.run()["flush/\(peer)"]?["leak"] ?? 0 > 0.01)
    }

    @Test(Peers.areKnown) func aPeerPushesABufferFromBeforeTheFlush() throws {
        #expect(try Self.stream.run()["flush/audiowsincband"]?["earliest"] ?? 1 < 0.1)
    }

    @Test(arguments: ["bandpass", "callbacks", "long-bandpass"])
    func nothingSoundsOnThroughAFlush(subject: String) throws {
        let flush = try #require(try Self.stream.run()["flush/\(subject)"])
        #expect(flush["leak"] == 0)
        #expect(flush["earliest"] == 1)
    }

    @Test(Peers.areKnown, arguments: ["audioecho", "audiochebband"])
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

    @Test(Peers.areKnown, arguments: ["audioecho", "audiochebband"])
    func peersCutTheirTail(peer: String) throws {
        let end = try #require(try Self.stream.run()["end/\(peer)"])
        #expect(end["tail"] == 0)
        #expect(end["latency"] == 0)
    }

    /// The frames that a band-pass of 1 kHz and 600 cents takes to fall by 120 dB; a second, where max-tail says so;
    /// none.
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

    @Test(Peers.areKnown) func aSweptPeerClicks() throws {
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

    private static let hasValgrind: ConditionTrait = .enabled(
        if: Command.exists("valgrind"), "valgrind is not installed")

    @Test(hasValgrind, Peers.areKnown) func sweepingLeaksInThePeer() throws {
        #expect(try lost(by: "libgstaudiofx", sweeping: "audiochebband") > 10_000)
    }

    @Test(hasValgrind) func sweepingLeaksNothing() throws {
        #expect(try lost(by: "libgsthdr", sweeping: "bandpass") == 0)
    }

    /// The number of bytes that a library has allocated and lost within 200 buffers.
    private func lost(by library: String, sweeping subject: String) throws -> Int {
        let outcome = try GstTool.run(
            "valgrind", ["--leak-check=full", "--num-callers=40", try Self.control.path, "leak", subject], timeout: 120)
        #expect(outcome.output == "leak/\(subject) frames=96000\n", "\(outcome)")
        let records = outcome.errors.split(separator: "\n").split { $0.hasSuffix("== ") }
        let lost = records.filter { record in
            record.contains { $0.contains("definitely lost in") } && record.contains { $0.contains(library) }
        }
        return lost.reduce(0) { sum, record in
            let words = record.lazy.compactMap { $0.split(separator: " ").dropFirst().first }
            return sum + (words.first.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
        }
    }

    @Test(Peers.areKnown, arguments: ["audiowsincband", "audiowsinclimit"])
    func aControlledPeerDeadlocks(peer: String) throws {
        #expect(try Self.control.run("deadlock")["deadlock/\(peer)"]?["completes"] == 0)
    }

    @Test func aControlledBandPassDoesNotDeadlock() throws {
        #expect(try Self.control.run("deadlock")["deadlock/bandpass"]?["completes"] == 1)
    }

    @Test(Peers.areKnown) func aControlledPeerIsIdleOrLate() throws {
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

    @Test(Peers.areKnown) func aPeerMutesOrSkipsARamp() throws {
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
    @Test(Peers.areKnown, arguments: ["videotestsrc", "audiotestsrc", "hdrtap"])
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

    static let control = MeasuringProgram("peer_control", in: "Peers/Programs")
    static let seek = MeasuringProgram("peer_seek", in: "Peers/Programs")
}
