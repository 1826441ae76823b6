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
}
