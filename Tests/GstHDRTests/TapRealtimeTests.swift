import CGStreamer
import CGstHDR
import CHDRTap
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// The real-time section: nothing in it allocates, locks or waits.
///
/// RealtimeSanitizer watches it where the tests are linked with it, which `Tests/run` does in release; without it the
/// runs below show only that nothing traps.
@Suite(.quiet, .serialized) struct TapRealtimeTests {
    static let isSanitized = dlsym(nil, "__rtsan_realtime_enter") != nil

    static let frames = 1_000_000
    private static let address = Atomic<UInt>(0)

    /// Runs a million frames through each effect and through callbacks, in changing formats and sizes, with parameters
    /// that change and controllers that sweep.
    @Test(arguments: ["bandpass", "gain", "meter", "waveform", "callbacks"])
    func aMillionFrames(subject: String) throws {
        let harness = try TapHarness(effect: subject == "callbacks" ? nil : subject)
        let witness = Counter()
        if subject == "callbacks" { #expect(witness.attach(to: harness.element)) }
        var generator = SeededGenerator(seed: 7)
        var done = 0
        let total = TestWork.scaled(Self.frames, least: 20_000)
        for (format, planar) in [("F32LE", false), ("S16LE", true), ("S24BE", false), ("F64BE", true), ("U8", false)] {
            try harness.start(audioCaps(format, planar: planar))
            if subject == "bandpass" && planar {
                try harness.control("center-frequency", [(0, 100), (20_000_000_000, 12_000)])
            }
            let input = noise(format, samples: 2 * 4096, seed: 1)
            var left = total / 5
            while left > 0 {
                let count = min(left, Int.random(in: 1...4096, using: &generator))
                let interleaved = Array(input[0..<(count * harness.frameBytes)])
                harness.push(planar ? harness.planar(interleaved) : interleaved)
                _ = harness.pullAll()
                if subject == "bandpass" {
                    harness.setEffect("center-frequency", Double.random(in: 20...20_000, using: &generator))
                }
                if subject == "gain" { harness.setEffect("gain", Double.random(in: -60...10, using: &generator)) }
                left -= count
                done += count
            }
        }
        #expect(done >= total - 5)
        #expect(harness.messages() == [])
        if subject == "callbacks" { #expect(witness.frames.load(ordering: .relaxed) >= total - 5) }
    }

    /// Counts frames in a callback.
    final class Counter: Sendable {
        let frames = Atomic<Int>(0)

        func attach(to element: UnsafeMutablePointer<GstElement>) -> Bool {
            var callbacks = GstHdrTapAudioCallbacks()
            callbacks.size = gsize(MemoryLayout<GstHdrTapAudioCallbacks>.size)
            callbacks.process = { tap, frames, _, list, framesOut, _ in
                _ = gst_hdr_tap_get_source_audio(tap, frames, list, nil, nil, framesOut)
                Unmanaged<Counter>.fromOpaque(tap!.pointee.user_data)._withUnsafeGuaranteedRef {
                    _ = $0.frames.wrappingAdd(Int(frames), ordering: .relaxed)
                }
            }
            return gst_hdr_tap_set_audio_callbacks(
                element, &callbacks, Unmanaged.passUnretained(self).toOpaque(), nil, nil) != 0
        }
    }

    /// The sanitizer sees what a callback must not do.
    @Test(.enabled(if: isSanitized, "not built with RealtimeSanitizer"))
    func aPlantedMallocIsFound() async {
        let result = await #expect(processExitsWith: .exitCode(43), observing: [\.standardErrorContent]) {
            let harness = try TapHarness(audioCaps("F32LE"))
            var callbacks = GstHdrTapAudioCallbacks()
            callbacks.size = gsize(MemoryLayout<GstHdrTapAudioCallbacks>.size)
            callbacks.process = { tap, frames, _, list, framesOut, _ in
                _ = gst_hdr_tap_get_source_audio(tap, frames, list, nil, nil, framesOut)
                let memory = malloc(Int(frames))
                // The compiler leaves out memory that nothing is done with.
                TapRealtimeTests.address.store(UInt(bitPattern: memory), ordering: .relaxed)
                free(memory)
            }
            gst_hdr_tap_set_audio_callbacks(harness.element, &callbacks, nil, nil, nil)
            harness.push([UInt8](repeating: 0, count: 800))
        }
        let report = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(report.contains("RealtimeSanitizer") && report.contains("malloc"))
    }
}
