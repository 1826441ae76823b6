import CGStreamer
import CGstCheck
import GstBridge
import HDRTap
import Synchronization
import TestSupport
import Testing

/// Frames by time behind `hdrtap`, by the contract of AVPlayerItemVideoOutput.
@Suite(.quiet, .serialized) struct VideoOutputTests {
    static let grey = "video/x-raw,format=GRAY8,width=16,height=16,framerate=25/1"

    /// Takes the frame for a time if that is new: its first byte and when it is seen.
    private func take(_ output: VideoOutput, _ time: UInt64) -> (value: Int, time: UInt64)? {
        guard output.hasNewFrame(at: time), let frame = output.copyFrame(at: time) else { return nil }
        return (Int(frame.withBytes { $0.first ?? 0 } ?? 0), frame.displayTime ?? .max)
    }

    /// An output that asks more often than there are frames, one that asks for each, and one that misses some. Frames
    /// come 200 ms ahead, as in front of a queue.
    @Test func threeOutputsSeeEachFrameOnce() throws {
        let harness = try VideoTapHarness.onTestClock(Self.grey)
        let outputs = try [7, 40, 90].map { (try VideoOutput(of: harness.element), every: UInt64($0)) }
        var seen: [[(value: Int, time: UInt64)]] = [[], [], []]
        var pushed = 0
        for now in UInt64(0)..<2000 {
            harness.setTime(now * millisecond)
            while pushed < 50, UInt64(pushed) * 40 <= now + 200 {
                #expect(harness.push(UInt8(pushed)) == GST_FLOW_OK)
                pushed += 1
            }
            for (index, (output, every)) in outputs.enumerated() where now % every == 0 {
                // The host's clock goes on while the pipeline's stands still.
                let item = output.itemTime(forHostTime: UInt64(g_get_monotonic_time()) * 1000) ?? 0
                #expect(item <= now * millisecond && item + 50 * millisecond > now * millisecond)
                guard let frame = take(output, now * millisecond) else { continue }
                #expect(frame.time <= now * millisecond && now * millisecond < frame.time + 40 * millisecond)
                #expect(frame.time == UInt64(frame.value) * 40 * millisecond)
                seen[index].append(frame)
            }
        }
        #expect(seen[0].map(\.value) == Array(0..<50))
        #expect(seen[1].map(\.value) == Array(0..<50))
        #expect(seen[2].map(\.value) == stride(from: 0, to: 2000, by: 90).map { $0 / 40 })
        let records = outputs.map { $0.0.consumptionRecord }
        #expect(records[0].copied == 50 && records[0].missed == 0 && records[0].repeated == 0)
        #expect(records[0].lastItemTime == 49 * 40 * millisecond && records[1] == records[0])
        let frames: UInt64 = 1980 / 40 + 1
        #expect(records[2].copied == 23 && records[2].missed == frames - 23)
        #expect(harness.messages() == [])
    }

    /// Frames that come after their time are dropped, except the first one, as in sinks.
    @Test func lateFramesNeverCome() throws {
        let harness = try VideoTapHarness.onTestClock(Self.grey)
        let output = try VideoOutput(of: harness.element)
        harness.setTime(1000 * millisecond)
        harness.push(1, at: 0)
        #expect(take(output, 1000 * millisecond)?.value == 1)
        for value in UInt8(2)..<25 {
            harness.push(value, at: UInt64(value - 1) * 40 * millisecond)
            #expect(!output.hasNewFrame(at: 1000 * millisecond), "\(value)")
        }
        harness.push(26, at: 1000 * millisecond)
        #expect(take(output, 1000 * millisecond)?.value == 26)
        // A frame without a duration may be up to 20 ms late.
        harness.setTime(1100 * millisecond)
        harness.push(27, at: 1079 * millisecond, duration: nil)
        #expect(take(output, 1100 * millisecond) == nil)
        harness.push(28, at: 1081 * millisecond, duration: nil)
        #expect(take(output, 1100 * millisecond)?.value == 28)
        #expect(output.consumptionRecord.missed == 24)
    }

    /// Several frames ahead are there for who asks for their times; up to an interval, and up to a number of bytes.
    @Test func lookAheadIsBounded() throws {
        let harness = try VideoTapHarness.onTestClock(Self.grey)
        let output = try VideoOutput(of: harness.element, .init(lookAhead: 400 * millisecond))
        for value in UInt8(0)..<30 { harness.push(value) }
        #expect(output.copyFrame(at: 200 * millisecond)?.displayTime == 200 * millisecond)
        #expect(output.copyFrame(at: 10_000 * millisecond)?.displayTime == 440 * millisecond)
        // A frame of the past, as long as it has not gone by.
        #expect(output.copyFrame(at: 100 * millisecond)?.displayTime == 80 * millisecond)
        harness.setTime(300 * millisecond)
        #expect(output.copyFrame(at: 100 * millisecond) == nil)
        #expect(output.copyFrame(at: 300 * millisecond)?.displayTime == 280 * millisecond)

        let small = try VideoTapHarness.onTestClock(Self.grey)
        let bounded = try VideoOutput(of: small.element, .init(maxBytes: 4 * 256))
        for value in UInt8(0)..<20 { small.push(value) }
        #expect(bounded.copyFrame(at: 10_000 * millisecond)?.displayTime == 120 * millisecond)
        // What is shown and the next frame are held in any case, however far ahead that is.
        let least = try VideoTapHarness.onTestClock(Self.grey)
        let one = try VideoOutput(of: least.element, .init(lookAhead: 0, maxBytes: 0))
        for (value, time) in [(UInt8(9), UInt64(0)), (10, 5000), (11, 5040)] {
            least.push(value, at: time * millisecond)
        }
        #expect(take(one, 0)?.value == 9 && take(one, 10_000 * millisecond)?.value == 10)
    }

    /// Memory is given back when the clock has left a frame behind, though nobody asks.
    @Test func nothingBehindThePlayheadIsHeld() throws {
        let harness = try VideoTapHarness.onTestClock(Self.grey)
        let output = try VideoOutput(of: harness.element)
        let buffers = (0..<10).compactMap { _ in harness.frame(3) }
        for buffer in buffers {
            gst_buffer_ref(buffer)
            #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        }
        func held() -> [Bool] { buffers.map { $0.pointee.mini_object.refcount > 1 } }
        #expect(held() == Array(repeating: true, count: 10))
        harness.setTime(370 * millisecond)
        #expect(holds { held() == Array(repeating: false, count: 9) + [true] }, "\(held())")
        // By reference: the very buffer.
        var frame = output.copyFrame(at: 370 * millisecond)
        #expect(frame.flatMap { gst_sample_get_buffer($0.sample) } == buffers[9])
        frame = nil
        gst_element_set_state(harness.element, GST_STATE_READY)
        #expect(holds { !held().contains(true) })
        for buffer in buffers { gst_buffer_unref(buffer) }
    }

    /// Without an output nothing is held, nor after the last one has gone.
    @Test func withoutOutputsNothingIsHeld() throws {
        let harness = try VideoTapHarness.onTestClock(Self.grey)
        let buffer = try #require(harness.frame(3))
        defer { gst_buffer_unref(buffer) }
        func push() { #expect(gst_harness_push(harness.harness, gst_buffer_ref(buffer)) == GST_FLOW_OK) }
        push()
        #expect(buffer.pointee.mini_object.refcount == 1)
        var output: VideoOutput? = try VideoOutput(of: harness.element)
        #expect(output?.hasNewFrame(at: 0) == false)
        push()
        #expect(buffer.pointee.mini_object.refcount == 2 && output?.hasNewFrame(at: 0) == true)
        output = nil
        #expect(buffer.pointee.mini_object.refcount == 1)
    }

    /// From the start of a flush on there is nothing, until the first frame after it, which is new; and each output is
    /// told once.
    @Test func nothingIsStaleAfterAFlush() throws {
        let harness = try VideoTapHarness.onTestClock(Self.grey)
        let outputs = try (0..<3).map { _ in try VideoOutput(of: harness.element) }
        let flushes = outputs.map { output -> Count in
            let count = Count()
            output.onFlush { count.add() }
            return count
        }
        gst_element_set_base_time(harness.element, 0)
        harness.setTime(100 * millisecond)
        for value in UInt8(0)..<5 { harness.push(value) }
        #expect(take(outputs[0], 100 * millisecond)?.value == 2)
        harness.send(gst_event_new_flush_start())
        for output in outputs {
            #expect(!output.hasNewFrame(at: 10_000 * millisecond) && output.copyFrame(at: 10_000 * millisecond) == nil)
        }
        harness.send(gst_event_new_flush_stop(1))
        #expect(outputs.allSatisfy { $0.copyFrame(at: 10_000 * millisecond) == nil })
        #expect(holds { flushes.allSatisfy { $0.value == 1 } })
        harness.flush()
        // Running time begins anew, though the pipeline has not set its base time yet.
        for (index, value) in [UInt8(50), 51, 52].enumerated() {
            harness.push(value, at: UInt64(index) * 40 * millisecond)
        }
        for output in outputs {
            #expect(output.itemTime(forHostTime: UInt64(g_get_monotonic_time()) * 1000) == 0)
            #expect(take(output, 0)?.value == 50)
        }
        gst_element_set_base_time(harness.element, GstClockTime(60 * millisecond))
        #expect(outputs.compactMap { take($0, 40 * millisecond)?.value } == [51, 51, 51])
        #expect(holds { flushes.allSatisfy { $0.value == 2 } }, "\(flushes.map(\.value))")
        #expect(!holds(within: 0.2) { flushes.contains { $0.value > 2 } })
        withExtendedLifetime(outputs) {}
    }

    // MARK: Notifications

    /// Once, and an interval ahead of the frame that has not been taken.
    @Test func aNotificationComesOnceAndInTime() throws {
        let harness = try VideoTapHarness.onTestClock(Self.grey)
        let output = try VideoOutput(of: harness.element)
        let count = Count()
        output.onMediaDataWillChange { count.add() }
        harness.push(1, at: 0)
        harness.push(2, at: 400 * millisecond)
        #expect(take(output, 0)?.value == 1)
        output.requestNotification(advanceInterval: 100 * millisecond)
        harness.setTime(299 * millisecond)
        #expect(!holds(within: 0.4) { count.value > 0 })
        harness.setTime(300 * millisecond)
        #expect(holds { count.value == 1 })
        harness.setTime(400 * millisecond)
        harness.push(3, at: 440 * millisecond)
        #expect(!holds(within: 0.3) { count.value > 1 })
        // A frame that is there already is reported at once.
        output.requestNotification(advanceInterval: 0)
        #expect(holds { count.value == 2 })
        // A frame that comes later is reported too.
        #expect(take(output, 440 * millisecond)?.value == 3)
        output.requestNotification(advanceInterval: 1000 * millisecond)
        #expect(!holds(within: 0.2) { count.value > 2 })
        harness.push(4, at: 480 * millisecond)
        #expect(holds { count.value == 3 })
    }

    /// A request may never be answered, and what is left of it goes with the output or with the element.
    @Test func aRequestWithoutDataHangsNothing() throws {
        for outlives in [false, true] {
            let count = Count()
            var output: VideoOutput?
            do {
                let harness = try VideoTapHarness.onTestClock(Self.grey)
                output = try VideoOutput(of: harness.element)
                output?.onMediaDataWillChange { count.add() }
                harness.push(1, at: 0)
                #expect(take(try #require(output), 0)?.value == 1)
                output?.requestNotification(advanceInterval: 100 * millisecond)
                harness.send(gst_event_new_eos())
                #expect(!holds(within: 0.2) { count.value > 0 })
                if !outlives { output = nil }
            }
            #expect(output?.hasNewFrame(at: 0) != true && output?.copyFrame(at: 0) == nil)
            #expect(output?.itemTime(forHostTime: 0) == nil)
            output?.requestNotification(advanceInterval: 0)
            output = nil
            #expect(count.value == 0)
        }
    }

    // MARK: Threads

    /// Outputs come and go, and are asked from threads of their own, while frames pass and flushes go by.
    @Test func manyThreads() throws {
        let harness = try VideoTapHarness.onTestClock(Self.grey)
        let isOver = Atomic<Bool>(false)
        let copied = Atomic<Int>(0)
        let asking: [@Sendable () -> Void] = (0..<3).map { index in
            { @Sendable in
                while !isOver.load(ordering: .relaxed) {
                    guard let output = try? VideoOutput(of: harness.element) else { return }
                    output.onMediaDataWillChange { [weak output] in _ = output?.hasNewFrame(at: 0) }
                    output.onFlush { copied.add(0, ordering: .relaxed) }
                    var last: UInt64 = 0
                    if index == 1 { output.settings.format = "RGBA" }
                    for step in UInt64(0)..<200 {
                        output.requestNotification(advanceInterval: step * millisecond)
                        if output.hasNewFrame(at: .max - 1), let frame = output.copyFrame(at: step * 10 * millisecond) {
                            last = max(last, frame.displayTime ?? 0)
                            copied.add(1, ordering: .relaxed)
                        }
                    }
                }
            }
        }
        let streaming: @Sendable () -> Void = {
            for round in 0..<30 {
                for step in UInt64(0)..<20 {
                    harness.setTime(UInt64(round) * 1000 * millisecond + step * 40 * millisecond)
                    harness.push(UInt8(step), at: step * 40 * millisecond)
                    g_usleep(500)
                }
                harness.flush()
                gst_element_set_base_time(harness.element, GstClockTime(UInt64(round + 1) * 1000 * millisecond))
            }
            isOver.store(true, ordering: .relaxed)
        }
        onThreads(asking + [streaming])
        #expect(copied.load(ordering: .relaxed) > 0 && harness.messages() == [])
    }
}
