import CGStreamer
import CGstCheck
import CHDRLibrary

/// A clock that shows what the test sets, and on which waits end when the test says so.
final class ManualClock {
    let clock: UnsafeMutablePointer<GstClock>
    private let test: UnsafeMutablePointer<GstTestClock>

    init(at time: Int = 0) {
        gst_init(nil, nil)
        clock = gst_test_clock_new_with_start_time(GstClockTime(time))
        gst_object_ref_sink(clock)
        test = UnsafeMutableRawPointer(clock).assumingMemoryBound(to: GstTestClock.self)
    }

    deinit { gst_object_unref(clock) }

    var time: Int {
        get { Int(gst_clock_get_time(clock)) }
        set { gst_test_clock_set_time(test, GstClockTime(newValue)) }
    }

    /// The earliest time at which a waiting thread wants to continue; nil where none waits.
    var nextWait: Int? {
        let time = gst_test_clock_get_next_entry_time(test)
        return time == GstClockTime.max ? nil : Int(time)
    }

    var waits: Int { Int(gst_test_clock_peek_id_count(test)) }

    /// Ends the first wait whose time has come.
    func release() {
        if let wait = gst_test_clock_process_next_clock_id(test) { gst_clock_id_unref(wait) }
    }

    /// Waits until somebody waits, and tells for when.
    func awaitWait() -> Int {
        var wait: GstClockID?
        gst_test_clock_wait_for_next_pending_id(test, &wait)
        defer { gst_clock_id_unref(wait) }
        return Int(gst_clock_id_get_time(wait))
    }

    /// Advances to the time of the next wait, and ends that wait.
    @discardableResult func step() -> Int {
        let next = awaitWait()
        if next > time { time = next }
        release()
        return next
    }
}
