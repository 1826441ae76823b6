import CGStreamer
import CHDRLibrary
import Dispatch
import TestSupport
import Testing

/// Calls from several threads at once, in any order: none waits for ever, and the next one works.
@Suite(.timeLimit(.minutes(2))) struct PlaybackStormTests {
    /// Does one thing, of which any may fail for what others do.
    private static func disturb(_ pipeline: TestPipeline, _ clock: ManualClock, _ random: inout SeededGenerator) {
        let rates: [Double] = [1, 2, 0.5, -1, 0]
        let rate = rates.randomElement(using: &random) ?? 1
        let time = Bool.random(using: &random) ? Int.random(in: 0...10, using: &random) * second : nil
        let host = Bool.random(using: &random) ? clock.time + Int.random(in: -3...3, using: &random) * second : nil
        switch Int.random(in: 0...8, using: &random) {
        case 0...4: try? pipeline.set(rate: rate, time: time, at: host)
        case 5: gst_hdr_preroll_at_rate(pipeline.element, rate, nil, nil, nil)
        case 6: gst_hdr_cancel_pending_prerolls(pipeline.element)
        case 7: try? pipeline.use(Bool.random(using: &random) ? clock : nil as ManualClock?)
        default:
            let timebase = gst_hdr_get_timebase(pipeline.element)
            _ = gst_hdr_timebase_get_time(timebase)
            g_object_unref(UnsafeMutableRawPointer(timebase))
        }
    }

    @Test(arguments: 1...3) func nothingHangs(seed: Int) throws {
        nonisolated(unsafe) let clock = ManualClock(at: 100 * second)
        nonisolated(unsafe) let pipeline = TestPipeline()
        try pipeline.use(clock)
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            var random = SeededGenerator(seed: UInt64(seed * 10 + thread))
            for _ in 0..<40 { Self.disturb(pipeline, clock, &random) }
        }
        gst_hdr_cancel_pending_prerolls(pipeline.element)
        gst_element_set_state(pipeline.element, GST_STATE_PAUSED)
        #expect(pipeline.state == GST_STATE_PAUSED)
        try pipeline.set(rate: 0, time: second, at: nil)
        try pipeline.use(clock)
        try pipeline.set(rate: 2, time: 3 * second, at: clock.time + second)
        #expect(clock.awaitWait() == clock.time + second)
    }

    /// Started from a handler of another one's messages, on the thread that starts that one: the signals of both
    /// timebases come when neither is being moved any more, so that handlers may move either.
    @Test func aPipelineIsStartedWhileAnotherOneIs() throws {
        final class Second {
            let pipeline = TestPipeline()
            var (started, moved): (Bool, Bool) = (false, false)
        }
        let (first, other) = (TestPipeline(), Second())
        let bus = gst_element_get_bus(first.element)
        let timebase = gst_hdr_get_timebase(first.element)
        let own = Unmanaged.passUnretained(other).toOpaque()
        let onState: @convention(c) (OpaquePointer, OpaquePointer, UnsafeRawPointer) -> Void = { _, _, own in
            let other = Unmanaged<Second>.fromOpaque(own).takeUnretainedValue()
            guard !other.started else { return }
            other.started = (try? other.pipeline.set(rate: 1, time: 0, at: nil)) != nil
        }
        let onRate: @convention(c) (OpaquePointer, Double, UnsafeRawPointer) -> Void = { _, _, own in
            let other = Unmanaged<Second>.fromOpaque(own).takeUnretainedValue()
            other.moved = (try? other.pipeline.set(rate: 0, time: second, at: nil)) != nil
        }
        gst_bus_enable_sync_message_emission(bus)
        let state = g_signal_connect_data(
            bus, "sync-message::state-changed", unsafeBitCast(onState, to: GCallback.self), own, nil, .init(rawValue: 0)
        )
        let rate = g_signal_connect_data(
            UnsafeMutableRawPointer(timebase), "effective-rate-changed", unsafeBitCast(onRate, to: GCallback.self),
            own, nil, .init(rawValue: 0))
        try first.set(rate: 1, time: 0, at: nil)
        g_signal_handler_disconnect(bus, state)
        g_signal_handler_disconnect(UnsafeMutableRawPointer(timebase), rate)
        gst_object_unref(bus)
        g_object_unref(UnsafeMutableRawPointer(timebase))
        #expect(other.started && other.moved)
        #expect(other.pipeline.state == GST_STATE_PAUSED && other.pipeline.position == second)
        #expect(first.state == GST_STATE_PLAYING)
    }
}
