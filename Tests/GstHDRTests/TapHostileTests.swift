import CGStreamer
import CGstCheck
import CHDRTap
import TestSupport
import Testing

/// Streams that break the rules: none of them ends the program, and an error is posted where no result is possible.
@Suite(.quiet) struct TapHostileTests {
    static let effects = ["bandpass", "gain", "meter", "waveform"]

    @Test(arguments: effects)
    func absurdRatesAndTimes(effect: String) throws {
        for rate in [1, 2, 999, 2_147_483_647] {
            let harness = try TapHarness(effect: effect)
            harness.set("max-tail", "1000")
            try harness.start(audioCaps("S8", channels: 1, rate: rate))
            var bytes = 0
            for time in [0, 1, UInt64.max - 1, UInt64.max / 2, 1_000_000_000] {
                let buffer = harness.buffer([1, 2, 3, 4, 5], at: nil)
                buffer?.pointee.pts = GstClockTime(time)
                #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK, "\(rate) Hz at \(time)")
                bytes += harness.pullAll().count
            }
            harness.send(gst_event_new_eos())
            bytes += harness.pullAll().count
            // At the largest rate, the frames at the end of time are outside of the segment.
            #expect(bytes >= (rate == 2_147_483_647 ? 20 : 25), "\(rate) Hz: \(bytes) bytes")
            #expect(harness.messages() == [])
        }
    }

    @Test(arguments: effects)
    func absurdGaps(effect: String) throws {
        let harness = try TapHarness(effect: effect, audioCaps("F32LE"))
        harness.push(noise("F32LE", samples: 2000, seed: 1))
        for (start, duration) in [
            (0, 0), (20_833_333, 1), (UInt64.max - 1, 5), (1_000, UInt64.max), (5, 20_000_000),
        ] {
            harness.send(gst_event_new_gap(GstClockTime(start), GstClockTime(duration)))
            _ = harness.pullAll()
        }
        harness.push(noise("F32LE", samples: 2000, seed: 1))
        #expect(!harness.pullAll().isEmpty)
    }

    @Test(arguments: [GST_FORMAT_BYTES, GST_FORMAT_DEFAULT, GST_FORMAT_TIME])
    func segmentsOfAnyFormat(format: GstFormat) throws {
        let harness = try TapHarness(effect: "bandpass", audioCaps("F32LE"))
        var segment = GstSegment()
        gst_segment_init(&segment, format)
        for rate in [1, -1, 2, 0.5] {
            segment.rate = rate
            segment.applied_rate = 1 / rate
            harness.send(gst_event_new_segment(&segment))
            harness.push(noise("F32LE", samples: 200, seed: 1))
        }
        #expect(harness.pullAll().count == 4 * 800)
        harness.send(gst_event_new_eos())
        #expect(harness.messages() == [])
    }

    /// An absurdly high playback rate, with a controller.
    @Test func absurdSpeeds() throws {
        let harness = try TapHarness(effect: "bandpass", audioCaps("F32LE"))
        try harness.control("center-frequency", [(0, 100), (1_000_000_000, 1000)])
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.applied_rate = 1e300
        harness.send(gst_event_new_segment(&segment))
        for _ in 0..<3 { harness.push(noise("F32LE", samples: 2000, seed: 1)) }
        #expect(harness.pullAll().count == 3 * 8000)
    }

    /// Two threads replace each other's effects.
    @Test func effectsFromTwoThreads() throws {
        let harness = try TapHarness(audioCaps("F32LE"))
        onThreads(
            (0..<2).map { thread in
                {
                    for number in 0..<TestWork.scaled(2000, least: 200) {
                        harness.set("effect", Self.effects[(number + thread) % 4])
                    }
                }
            })
        harness.push(noise("F32LE", samples: 2000, seed: 1))
        #expect(!harness.pullAll().isEmpty)
    }

    /// A processor that makes more frames than it fetches loses none of its source.
    @Test func halfSpeed() throws {
        let harness = try TapHarness(audioCaps("F32LE", channels: 1))
        var callbacks = GstHdrTapAudioCallbacks()
        callbacks.size = gsize(MemoryLayout<GstHdrTapAudioCallbacks>.size)
        callbacks.process = { tap, frames, _, list, framesOut, _ in
            guard gst_hdr_tap_get_source_audio(tap, frames / 2, list, nil, nil, nil) == GST_HDR_TAP_OK,
                let samples = list?.pointee.buffers[0].data?.assumingMemoryBound(to: Float.self)
            else { return }
            for index in stride(from: Int(frames) - 1, through: 0, by: -1) { samples[index] = samples[index / 2] }
            framesOut?.pointee = frames
        }
        #expect(gst_hdr_tap_set_audio_callbacks(harness.element, &callbacks, nil, nil, nil) != 0)
        var output: [Float] = []
        for start in [0, 8] {
            harness.push((start..<(start + 8)).flatMap { withUnsafeBytes(of: Float($0)) { Array($0) } })
            output += harness.pullAll().withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
        }
        let halved: [Float] = (0..<16).map { (index: Int) -> Float in Float(index / 2) }
        #expect(output == halved)
    }

    /// Buffers that do not hold what their caps say are errors that say so.
    @Test func brokenBuffers() throws {
        let odd = try TapHarness(effect: "gain", audioCaps("F32LE"))
        #expect(odd.push([1, 2, 3, 4, 5]) == GST_FLOW_ERROR)
        #expect(odd.messages().contains { $0.contains("5 bytes") })

        let planar = try TapHarness(effect: "gain", audioCaps("F32LE", planar: true))
        let bare = gst_buffer_new_allocate(nil, 800, nil)
        #expect(gst_harness_push(planar.harness, bare) == GST_FLOW_ERROR)
        #expect(planar.messages().contains { $0.contains("no audio meta") })
    }

    /// A value that an effect cannot use is reported with the property's name, and the old one stays.
    @Test(arguments: [
        ("bandpass", "center-frequency", 5000.0), ("bandpass", "bandwidth", 600), ("gain", "volume", 1),
        ("gain", "gain", 0),
    ])
    func noNumber(effect: String, property: String, standard: Double) throws {
        let harness = try TapHarness(effect: effect, audioCaps("F32LE"))
        for bad in [Double.nan, -Double.nan] {
            harness.setEffect(property, bad)
            #expect(harness.messages().contains { $0.contains(property) && $0.contains("nan") })
            #expect(harness.effect?.number(property) == standard)
        }
        harness.setEffect(property, .infinity)
        _ = harness.messages()
        harness.push(noise("F32LE", samples: 2000, seed: 1))
        let isFinite = harness.pullAll().withUnsafeBytes { $0.bindMemory(to: Float.self).allSatisfy(\.isFinite) }
        #expect(isFinite)
    }

    /// Samples that are not a number leave nothing in the filter once they have passed.
    @Test func noNumbersInTheSamples() throws {
        let harness = try TapHarness(effect: "bandpass", audioCaps("F32LE", channels: 1))
        harness.push([Float.nan, .infinity, 1].flatMap { withUnsafeBytes(of: $0) { Array($0) } })
        harness.push([UInt8](repeating: 0, count: 4 * 48_000))
        let end = harness.pullAll().suffix(400)
        #expect(end.allSatisfy { $0 == 0 })
    }
}
