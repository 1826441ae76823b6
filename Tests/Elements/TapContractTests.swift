import PluginSupport
import TestSupport
import Testing

/// The promises to callbacks in C.
@Suite struct TapContractTests {
    static let contract = MeasuringProgram("tap_contract", in: "Elements/Programs")
    static let time = MeasuringProgram("tap_time", in: "Elements/Programs")
    static let life = MeasuringProgram("tap_life", in: "Elements/Programs")
    static let formats = MeasuringProgram("tap_formats", in: "Elements/Programs")

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
        #expect(effect.text.hasPrefix("No effect is called \"bandpas\": there are bandpass, gain, "), "\(effect.text)")
        #expect(effect.text.hasSuffix(". Did you mean bandpass?"), "\(effect.text)")
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
