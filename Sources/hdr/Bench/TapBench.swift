import CGStreamer
import GstBridge
import CHDRTap

/// Measures `hdrtap` beside GStreamer's own elements on the same buffers.
enum TapBench {
    struct Result {
        let name: String
        /// CPU time of a buffer in ns, and how much faster than real time that is.
        let nanoseconds: Double
        let realTime: Double
    }

    static let frames = 1024
    static let rate = 48_000

    /// Each subject once, in turns, so that other load on the machine affects all of them equally.
    static func measure(buffers: Int) throws(Failure) -> [Result] {
        let subjects: [(name: String, line: String)] = [
            ("identity", "identity silent=true"),
            ("hdrtap, nothing", "hdrtap"),
            ("hdrtap, empty callback", "hdrtap name=callback"),
            ("hdrtap, gain", "hdrtap effect=gain effect::volume=0.5"),
            ("hdrtap, meter", "hdrtap effect=meter effect::true-peak=false"),
            ("hdrtap, meter, true peak", "hdrtap effect=meter"),
            ("hdrtap, bandpass, settled", "hdrtap effect=bandpass"),
            ("hdrtap, bandpass, smoothing", "hdrtap name=smooth effect=bandpass"),
            ("hdrtap, bandpass, swept by a controller", "hdrtap name=swept effect=bandpass"),
            ("audiochebband", "audiochebband lower-frequency=4000 upper-frequency=6000"),
            ("equalizer-3bands", "equalizer-3bands band1=6"),
        ]
        var feeders: [AudioFeeder] = []
        var sweeps: [Sweep] = []
        for subject in subjects {
            let feeder = try AudioFeeder(subject.line, frames: frames, rate: rate)
            if subject.line.contains("name=callback") { attachEmptyCallback(feeder, "callback") }
            if subject.line.contains("name=swept"), let sweep = Sweep(feeder, "swept") { sweeps.append(sweep) }
            feeders.append(feeder)
        }
        let smooth = feeders[7].effect(of: "smooth")
        var spent = [Double](repeating: 0, count: subjects.count)
        let rounds = 8
        for round in 0...rounds {
            for (index, feeder) in feeders.enumerated() {
                let time = feeder.run(buffers: max(buffers / rounds, 64)) { number in
                    // A new target for each buffer: the filter never settles.
                    if index == 7, let smooth { set(smooth, "center-frequency", number % 2 == 0 ? 1000 : 4000) }
                }
                // The first round warms up.
                if round > 0 { spent[index] += time }
            }
        }
        withExtendedLifetime(sweeps) {}
        return zip(subjects, spent).map { subject, spent in
            let time = spent / Double(rounds)
            return Result(
                name: subject.name, nanoseconds: time,
                realTime: Double(frames) / Double(rate) * 1e9 / time)
        }
    }

    /// A callback that fetches its source audio and leaves it as it is.
    private static func attachEmptyCallback(_ feeder: AudioFeeder, _ name: String) {
        var callbacks = GstHdrTapAudioCallbacks()
        callbacks.size = gsize(MemoryLayout<GstHdrTapAudioCallbacks>.size)
        callbacks.process = { tap, frames, _, list, framesOut, _ in
            _ = gst_hdr_tap_get_source_audio(tap, frames, list, nil, nil, framesOut)
        }
        guard let tap = feeder.child(name) else { return }
        gst_hdr_tap_set_audio_callbacks(tap, &callbacks, nil, nil, nil)
        gst_object_unref(tap)
    }

    private static func set(_ object: UnsafeMutablePointer<GObject>, _ name: String, _ number: Double) {
        var value = GValue()
        g_value_init(&value, GTypes.double)
        g_value_set_double(&value, number)
        g_object_set_property(object, name, &value)
    }
}

extension AudioFeeder {
    /// An element within, whose reference the caller owns.
    func child(_ name: String) -> UnsafeMutablePointer<GstElement>? {
        gst_bin_get_by_name(feed.element.asGstBin, name)
    }

    /// The effect of an `hdrtap` within.
    func effect(of name: String) -> UnsafeMutablePointer<GObject>? {
        guard let tap = child(name) else { return nil }
        defer { gst_object_unref(tap) }
        return gst_child_proxy_get_child_by_name(OpaquePointer(tap), "effect")
    }
}
