import CGStreamer
import CGstCheck
import Synchronization
import TestSupport
import Testing

/// Disturbs a stream on one thread, and changes a number of times what is attached to it on another one. The random
/// numbers of both follow from the seed.
func whileStreaming(
    seed: UInt64, changes: Int, disturb: @escaping @Sendable (inout SeededGenerator) -> Void,
    change: @escaping @Sendable (_ number: Int, _ generator: inout SeededGenerator) -> Void
) {
    let done = Atomic<Bool>(false)
    onThreads([
        {
            var generator = SeededGenerator(seed: seed)
            while !done.load(ordering: .relaxed) { disturb(&generator) }
        },
        {
            var generator = SeededGenerator(seed: seed &+ 99)
            for number in 0..<changes {
                change(number, &generator)
                // The pause lets buffers come between changes.
                if number % 16 == 0 { g_usleep(100) }
            }
            done.store(true, ordering: .relaxed)
        },
    ])
}

/// The observations of callbacks of either kind.
struct TapOutcome {
    var violations: [String]
    var isFinalized: Bool
    /// The number of calls of the destroy notify.
    var notified: Int
    var processed: Int
}

/// Waits until each is gone: a thread of GStreamer's pool may hold the element's last reference, and then finalizes
/// what is attached to it.
func waitForAll(_ outcomes: () -> [TapOutcome]) {
    #expect(eventually(within: .seconds(60)) { outcomes().allSatisfy { $0.notified > 0 } })
}

/// Whether each was called in order and is gone, and the stream has reached some of them.
func expectTheContract(_ outcomes: [TapOutcome]) {
    for outcome in outcomes {
        #expect(outcome.violations == [])
        #expect(outcome.isFinalized)
        #expect(outcome.notified == 1)
    }
    #expect(outcomes.map(\.processed).reduce(0, +) > 0)
}

extension ElementHarness {
    /// Sends a segment that begins at a time in ms.
    func beginSegment(at start: Int) {
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.start = GstClockTime(start * 1_000_000)
        segment.time = segment.start
        send(gst_event_new_segment(&segment))
    }

    /// A segment has to follow.
    func sendFlush() {
        send(gst_event_new_flush_start())
        send(gst_event_new_flush_stop(1))
    }

    /// Down and up again, by a thread that does not stream. Caps and a segment have to follow.
    func restart() {
        onThreads([
            {
                gst_element_set_state(self.element, GST_STATE_READY)
                gst_element_set_state(self.element, GST_STATE_PLAYING)
            }
        ])
        send(gst_event_new_stream_start("again"))
    }

    /// Drops events that have come out, and messages.
    func dropEvents() {
        while let event = gst_harness_try_pull_event(harness) { gst_event_unref(event) }
        _ = posted()
    }
}
