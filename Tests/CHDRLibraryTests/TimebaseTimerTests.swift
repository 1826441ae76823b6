import CGStreamer
import CHDRLibrary
import Testing

/// Timers: their moment of the clock follows each change of time and rate.
@Suite struct TimebaseTimerTests {
    private final class Timer {
        let context: OpaquePointer = g_main_context_new()
        let timebase: Timebase
        private(set) var number: UInt32 = 0
        private(set) var fired: [Int] = []
        /// Whether the library has let go of it.
        private(set) var isReleased = false

        init(_ timebase: Timebase) {
            self.timebase = timebase
            number = gst_hdr_timebase_add_timer(
                timebase.pointer, context,
                { _, time, own in Unmanaged<Timer>.fromOpaque(own!).takeUnretainedValue().fired.append(time) },
                Unmanaged.passUnretained(self).toOpaque(),
                { own in Unmanaged<Timer>.fromOpaque(own!).takeUnretainedValue().isReleased = true })
        }

        deinit {
            remove()
            g_main_context_unref(context)
        }

        @discardableResult func fire(at time: Int) -> Bool {
            gst_hdr_timebase_set_timer_fire_time(timebase.pointer, number, time) != 0
        }

        @discardableResult func remove() -> Bool {
            gst_hdr_timebase_remove_timer(timebase.pointer, number) != 0
        }

        /// The fire times since the last call.
        func takeFired() -> [Int] {
            while g_main_context_iteration(context, 0) != 0 {}
            defer { fired = [] }
            return fired
        }
    }

    @Test func theMomentIsReckonedAnewAtEachChange() {
        let clock = ManualClock(at: 100 * second)
        let timebase = Timebase(clock)
        let timer = Timer(timebase)
        #expect(timer.fire(at: 12 * second))
        #expect(clock.nextWait == nil, "it stands still")
        timebase.rate = 2
        #expect(clock.nextWait == 106 * second)
        timebase.rate = 0.5
        #expect(clock.nextWait == 124 * second)
        timebase.time = 10 * second
        #expect(clock.nextWait == 104 * second)
        timebase.rate = 0
        #expect(clock.nextWait == nil)
        timebase.time = 20 * second
        timebase.rate = -1
        #expect(clock.nextWait == 108 * second)
        timer.fire(at: 19 * second)
        #expect(clock.nextWait == 101 * second && clock.waits == 1)
        timer.fire(at: noTime)
        #expect(clock.nextWait == nil)
        #expect(timer.takeFired().isEmpty)
    }

    @Test func itFiresOnceAtItsTime() {
        let clock = ManualClock()
        let timebase = Timebase(clock)
        let timer = Timer(timebase)
        timer.fire(at: 3 * second)
        timebase.rate = 1
        #expect(clock.step() == 3 * second)
        #expect(timer.takeFired() == [3 * second])
        #expect(clock.waits == 0)
        timebase.time = 0
        #expect(clock.waits == 0, "it fired")
        timer.fire(at: 4 * second)
        #expect(clock.step() == 7 * second && timer.takeFired() == [4 * second])
        // A timer whose time has passed in the direction of the rate fires at once.
        timer.fire(at: second)
        #expect(clock.step() <= clock.time && timer.takeFired() == [second])
        timebase.rate = -1
        timer.fire(at: 100 * second)
        #expect(clock.step() <= clock.time && timer.takeFired() == [100 * second])
    }

    /// The first ns at which the time has come, not the nearest.
    @Test func itDoesNotFireEarly() {
        let clock = ManualClock()
        let timebase = Timebase(clock)
        let child = Timebase(on: timebase)
        let timer = Timer(child)
        #expect(timebase.set(rate: 3, over: 7))
        #expect(child.set(rate: -11, over: 5))
        for time in stride(from: Int(-1), to: -400, by: -13) {
            timer.fire(at: time)
            clock.step()
            #expect(child.time <= time && timer.takeFired() == [time])
        }
    }

    /// Rates of a timebase and of one on it, whose times round in either direction: its time has come, at the moment of
    /// exact arithmetic but for what the first one rounds.
    @Test(arguments: [
        ((-1, 1), (3, 1)), ((-1, 1), (7, 2)), ((-1, 1000), (1000, 1)), ((1, 1000), (1000, 1)), ((-1, 3), (5, 1)),
        ((1, 3), (-5, 1)), ((-2, 1), (-7, 3)), ((1, 1), (1, 1)),
    ]) func itFiresWhenATimebaseOnAnotherComesThere(_ parent: (Int, Int), _ child: (Int, Int)) {
        let clock = ManualClock(at: 1000)
        let timebase = Timebase(clock)
        let user = Timebase(on: timebase)
        let timer = Timer(user)
        #expect(timebase.set(rate: parent.0, over: parent.1) && user.set(rate: child.0, over: child.1))
        #expect(timebase.set(time: 0, at: 21000) && user.set(time: 0, at: 0))
        let isForwards = user.effectiveRate > 0
        for time in 1...5 {
            let fireTime = isForwards ? time : -time
            timer.fire(at: fireTime)
            let exact = 21000 + Double(time) / abs(user.effectiveRate)
            let moment = clock.step()
            let late = Double(moment) - exact
            #expect(abs(late) <= 1 + 1 / abs(timebase.rate), "\(fireTime): \(late)")
            #expect(isForwards ? user.time >= fireTime : user.time <= fireTime, "\(fireTime)")
            #expect(timer.takeFired() == [fireTime])
        }
    }

    @Test func itFollowsTheWholeChain() {
        let (clock, other) = (ManualClock(), ManualClock(at: 40 * second))
        let parent = Timebase(clock)
        let child = Timebase(on: parent)
        let timer = Timer(child)
        child.rate = 2
        timer.fire(at: 8 * second)
        #expect(clock.waits == 0)
        parent.rate = 4
        #expect(clock.nextWait == second)
        parent.time = 2 * second
        #expect(clock.nextWait == second / 2)
        gst_hdr_timebase_set_source_clock(parent.pointer, other.clock)
        #expect(clock.waits == 0 && other.nextWait == 40 * second + second / 2)
    }

    @Test func aTimerThatIsRemovedStaysSilent() {
        let clock = ManualClock()
        let timebase = Timebase(clock)
        timebase.rate = 1
        let timer = Timer(timebase)
        timer.fire(at: second)
        clock.step()
        // The timer is due, while its context has not run yet.
        #expect(timer.remove() && !timer.remove() && !timer.fire(at: 3))
        #expect(timer.takeFired().isEmpty && timer.isReleased && clock.waits == 0)
    }

    /// A clock that calls back while nobody has the context does not call the function itself.
    @Test func itIsCalledInItsContextAlone() {
        let clock = ManualClock()
        let timebase = Timebase(clock)
        timebase.rate = 1
        let timer = Timer(timebase)
        timer.fire(at: second)
        clock.step()
        #expect(timer.fired.isEmpty)
        #expect(timer.takeFired() == [second])
    }

    /// The data of an armed timer are let go of by the thread that removes it, and not by the clock's, which has a lock
    /// then: here they are the last reference to a timebase with a timer on the same clock.
    @Test func itsDataGoWithoutTheClocksLock() {
        let clock = gst_system_clock_obtain()
        defer { gst_object_unref(clock) }
        for _ in 0..<200 {
            let (outer, inner) = (gst_hdr_timebase_new(clock), gst_hdr_timebase_new(clock))
            for timebase in [outer, inner] { _ = gst_hdr_timebase_set_rate(timebase, 1) }
            let armed = gst_hdr_timebase_add_timer(inner, nil, { _, _, _ in }, nil, nil)
            _ = gst_hdr_timebase_set_timer_fire_time(inner, armed, 3600 * second)
            var isGone: gpointer? = UnsafeMutableRawPointer(inner)
            withUnsafeMutablePointer(to: &isGone) { place in
                let object = UnsafeMutableRawPointer(inner)?.assumingMemoryBound(to: GObject.self)
                g_object_add_weak_pointer(object, place)
                let number = gst_hdr_timebase_add_timer(
                    outer, nil, { _, _, _ in }, UnsafeMutableRawPointer(inner), { g_object_unref($0) })
                _ = gst_hdr_timebase_set_timer_fire_time(outer, number, 3600 * second)
                #expect(gst_hdr_timebase_remove_timer(outer, number) != 0)
                #expect(place.pointee == nil)
            }
            g_object_unref(UnsafeMutableRawPointer(outer))
        }
    }

    @Test func itEndsWithItsTimebase() {
        let clock = ManualClock()
        let timebase = gst_hdr_timebase_new(clock.clock)
        _ = gst_hdr_timebase_set_rate(timebase, 1)
        let number = gst_hdr_timebase_add_timer(timebase, nil, { _, _, _ in }, nil, nil)
        _ = gst_hdr_timebase_set_timer_fire_time(timebase, number, 5)
        #expect(clock.waits == 1)
        g_object_unref(UnsafeMutableRawPointer(timebase))
        #expect(clock.waits == 0)
    }
}
