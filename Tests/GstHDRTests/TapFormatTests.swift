import CGStreamer
import TestSupport
import Testing

/// Formats, layouts, and how a stream is cut into buffers: none of them changes what comes out.
@Suite(.quiet) struct TapFormatTests {
    static let formats = [
        "S8", "U8", "S16LE", "S16BE", "U16LE", "U16BE", "S24_32LE", "S24_32BE", "U24_32LE", "U24_32BE", "S32LE",
        "S32BE",
        "U32LE", "U32BE", "S24LE", "S24BE", "U24LE", "U24BE", "S20LE", "S20BE", "U20LE", "U20BE", "S18LE", "S18BE",
        "U18LE", "U18BE", "F32LE", "F32BE", "F64LE", "F64BE",
    ]

    /// Processes frames given as interleaved bytes, in buffers of these sizes over and over.
    private func process(
        _ input: [UInt8], _ caps: String, effect: String, sizes: [Int],
        _ prepare: (TapHarness) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        let harness = try TapHarness(effect: effect)
        try prepare(harness)
        try harness.start(caps)
        var output: [UInt8] = []
        var done = 0
        var turn = 0
        let frames = input.count / harness.frameBytes
        while done < frames {
            let count = min(sizes[turn % sizes.count], frames - done)
            turn += 1
            let part = Array(input[(done * harness.frameBytes)..<((done + count) * harness.frameBytes)])
            #expect(harness.push(harness.isPlanar ? harness.planar(part) : part) == GST_FLOW_OK)
            output += harness.pullAll()
            done += count
        }
        harness.send(gst_event_new_eos())
        output += harness.pullAll()
        #expect(harness.messages() == [])
        return output
    }

    @Test(arguments: formats, [false, true])
    func unityGainIsTheIdentity(format: String, planar: Bool) throws {
        let caps = audioCaps(format, channels: 3, planar: planar)
        let input = noise(format, samples: 3 * 1000, seed: 1)
        // A volume that is no power of two, undone by the ramp, would not be exact; unity is.
        #expect(try process(input, caps, effect: "gain", sizes: [333]) == input)
    }

    @Test(arguments: formats)
    func planarEqualsInterleaved(format: String) throws {
        let input = noise(format, samples: 3 * 3000, seed: 2)
        let interleaved = try process(input, audioCaps(format, channels: 3), effect: "bandpass", sizes: [1024])
        let planar = try process(input, audioCaps(format, channels: 3, planar: true), effect: "bandpass", sizes: [1024])
        #expect(interleaved == planar)
        #expect(interleaved != input)
    }

    @Test(arguments: [1, 2, 3, 7, 8, 9, 32, 64])
    func channelsDoNotMix(channels: Int) throws {
        let frames = 700
        let input = noise("F32LE", samples: channels * frames, seed: 3)
        for planar in [false, true] {
            let together = try process(
                input, audioCaps("F32LE", channels: channels, planar: planar), effect: "bandpass", sizes: [256])
            let planes = TapHarness.transposed(together, channels, 4, toPlanar: true)
            let outputFrames = together.count / (4 * channels)
            let alone = try process(
                Array(TapHarness.transposed(input, channels, 4, toPlanar: true)[((channels - 1) * frames * 4)...]),
                audioCaps("F32LE", channels: 1), effect: "bandpass", sizes: [256])
            #expect(Array(planes[((channels - 1) * outputFrames * 4)...]) == alone)
        }
    }

    @Test(arguments: [8000, 11_025, 22_050, 44_100, 96_000, 192_000, 384_000, 1, 7])
    func anyRate(rate: Int) throws {
        let input = noise("F32LE", samples: 2 * 2000, seed: 4)
        let output = try process(
            input, audioCaps("F32LE", rate: rate), effect: "bandpass", sizes: [500]
        ) { $0.set("max-tail", "1000000000") }
        #expect(output.count >= input.count)
        let isFinite = output.withUnsafeBytes { $0.bindMemory(to: Float.self).allSatisfy(\.isFinite) }
        #expect(isFinite)
    }

    /// Sizes with nothing, one frame, primes and more than a call takes.
    static let cuts = [[100_000], [1024], [1, 0, 2, 3, 5, 7, 11, 13, 0, 997, 4099], [64], [2048], [997]]

    @Test(arguments: ["bandpass", "gain", "meter", "waveform"])
    func cutsDoNotMatter(effect: String) throws {
        let frames = TestWork.scaled(120_000, least: 6000)
        let input = noise("F32LE", samples: 2 * frames, seed: 5)
        let automate: (TapHarness) throws -> Void = { harness in
            if effect == "bandpass" {
                try harness.control(
                    "center-frequency", [(0, 100), (700_000_000, 9000), (900_000_001, 300), (900_000_002, 8000)])
                try harness.control("bandwidth", [(50_000_000, 200), (1_000_000_000, 2400)])
            }
            if effect == "gain" {
                try harness.control("volume", [(5_000_000, 1), (15_000_000, 0.5), (1_500_000_000, 2)])
                harness.set("max-frames", "1000")
                gst_util_set_object_arg(harness.effect, "volume-ramps", "<<0.1,0.5,0.5,0.2>,<1.0,0.0,3.0,0.7>>")
            }
        }
        let whole = try process(input, audioCaps("F32LE"), effect: effect, sizes: Self.cuts[0], automate)
        #expect(whole.count >= input.count)
        for sizes in Self.cuts.dropFirst() {
            let cut = try process(input, audioCaps("F32LE"), effect: effect, sizes: sizes, automate)
            #expect(cut == whole, "buffers of \(sizes)")
        }
    }

    @Test func moreChannelsThanAreSupportedAreRefused() throws {
        let harness = try TapHarness(effect: "gain", audioCaps("F32LE", channels: 65))
        #expect(harness.push(noise("F32LE", samples: 65 * 10, seed: 1)) == GST_FLOW_NOT_NEGOTIATED)
        #expect(harness.messages().contains { $0.contains("64 channels") })
    }
}
