import CGStreamer
import CGstCheck
import CHDRTap
import Synchronization
import TestSupport
import Testing

/// A processor in C's terms that checks the order of its calls, and that the frames it sees follow each other.
final class Witness: @unchecked Sendable {
    enum State: Int { case fresh, initialized, prepared, finalized }
    struct Record {
        var state = State.fresh
        var violations: [String] = []
        var prepared = 0
        var processed = 0
        var frames = 0
        var starts = 0
        var next: Int64?
        var streamingThread: UInt = 0
        var notified = 0
        /// The behaviour of process, with the latency and the tail that prepare declares.
        var latency: UInt32 = 0
        var tail: UInt64 = 0
    }
    let record = Mutex(Record())

    init(latency: UInt32 = 0, tail: UInt64 = 0) {
        record.withLock { ($0.latency, $0.tail) = (latency, tail) }
    }

    static let alive = Atomic<Int>(0)

    var outcome: TapOutcome {
        record.withLock { record in
            TapOutcome(
                violations: record.violations, isFinalized: record.state == .finalized, notified: record.notified,
                processed: record.processed)
        }
    }

    private static func of(_ tap: UnsafeMutablePointer<GstHdrAudioTap>?) -> Witness {
        Unmanaged<Witness>.fromOpaque(tap!.pointee.user_data).takeUnretainedValue()
    }

    private func step(_ what: String, from allowed: [State], to state: State, _ body: (inout Record) -> Void = { _ in })
    {
        record.withLock { record in
            if !allowed.contains(record.state) { record.violations.append("\(what) while \(record.state)") }
            record.state = state
            body(&record)
        }
    }

    static let callbacks: GstHdrTapAudioCallbacks = {
        var callbacks = GstHdrTapAudioCallbacks()
        callbacks.size = gsize(MemoryLayout<GstHdrTapAudioCallbacks>.size)
        callbacks.`init` = { tap, _ in
            Witness.alive.wrappingAdd(1, ordering: .relaxed)
            of(tap).step("init", from: [.fresh], to: .initialized)
        }
        callbacks.finalize = { tap in
            of(tap).step("finalize", from: [.initialized], to: .finalized) { record in
                if record.streamingThread == UInt(pthread_self()) {
                    record.violations.append("finalize on the streaming thread")
                }
            }
        }
        callbacks.prepare = { tap, _, _ in
            of(tap).step("prepare", from: [.initialized], to: .prepared) { record in
                record.prepared += 1
                record.next = nil
                tap?.pointee.latency = record.latency
                tap?.pointee.tail = guint64(record.tail)
            }
            return 1
        }
        callbacks.unprepare = { tap in of(tap).step("unprepare", from: [.prepared], to: .initialized) }
        callbacks.process = { tap, frames, flags, list, framesOut, flagsOut in
            var sourceFlags: guint = 0
            var range = GstHdrTapTimeRange()
            var fetched: guint = 0
            let status = gst_hdr_tap_get_source_audio(tap, frames, list, &sourceFlags, &range, &fetched)
            of(tap).step("process", from: [.prepared], to: .prepared) { record in
                record.processed += 1
                record.frames += Int(fetched)
                record.streamingThread = UInt(pthread_self())
                if status != GST_HDR_TAP_OK { record.violations.append("get_source_audio: \(status)") }
                let isStart = sourceFlags & GST_HDR_TAP_START_OF_STREAM.rawValue != 0
                if isStart { record.starts += 1 }
                if fetched > 0 {
                    if let next = record.next, !isStart, next != Int64(range.start) {
                        record.violations.append("\(range.start) follows \(next)")
                    }
                    if record.next == nil && !isStart { record.violations.append("no start of stream") }
                    record.next = Int64(range.start) + Int64(range.duration)
                }
            }
            // While draining there is silence to give.
            framesOut?.pointee = flags & GST_HDR_TAP_END_OF_STREAM.rawValue != 0 ? frames : fetched
        }
        return callbacks
    }()

    /// Attaches; the element's reference to this object is given back by the destroy notify.
    func attach(to element: UnsafeMutablePointer<GstElement>) -> Bool {
        var callbacks = Self.callbacks
        let data = Unmanaged.passRetained(self).toOpaque()
        return gst_hdr_tap_set_audio_callbacks(
            element, &callbacks, data,
            { data in
                let witness = Unmanaged<Witness>.fromOpaque(data!).takeRetainedValue()
                witness.record.withLock { record in
                    record.notified += 1
                    if record.state != .finalized { record.violations.append("notified while \(record.state)") }
                }
                Witness.alive.wrappingSubtract(1, ordering: .relaxed)
            }, nil) != 0
    }
}

@Suite(.quiet, .serialized) struct TapLifecycleTests {
    static let frames = 480

    private func push(_ harness: TapHarness, _ count: Int = frames) {
        harness.push([UInt8](repeating: 0, count: count * harness.frameBytes))
        _ = harness.pullAll()
    }

    @Test func callsComeInOrder() throws {
        let witness = Witness()
        do {
            let harness = try TapHarness(audioCaps("S16LE"))
            #expect(witness.attach(to: harness.element))
            // The thread that streams is not the one that stops.
            onThreads([
                {
                    for _ in 0..<5 { self.push(harness) }
                    try? harness.start(audioCaps("F32LE"))
                    self.push(harness)
                    harness.send(gst_event_new_eos())
                }
            ])
        }
        witness.record.withLock { record in
            #expect(record.violations == [])
            #expect(record.prepared == 2)
            #expect(record.frames == 6 * Self.frames)
            #expect(record.state == .finalized)
            #expect(record.notified == 1)
        }
    }

    /// Random buffers, seeks, flushes, formats, gaps and states on one side; attaching, swapping and detaching on the
    /// other.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func anyOrderOfEventsKeepsTheContract(seed: UInt64) throws {
        // Ten thousand over all seeds where the tests are scaled down.
        let changes = TestWork.scaled(10_000, least: 2500)
        let witnesses = Mutex<[Witness]>([])
        do {
            let harness = try TapHarness(audioCaps("S16LE"))
            whileStreaming(seed: seed, changes: changes) { generator in
                self.disturb(harness, &generator)
            } change: { number, generator in
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: gst_hdr_tap_remove_audio_callbacks(harness.element)
                case 1:
                    harness.set(
                        "effect", ["bandpass", "gain", "meter", "waveform", ""].randomElement(using: &generator)!)
                default:
                    let witness = Witness(latency: number % 3 == 0 ? 100 : 0, tail: number % 5 == 0 ? 1000 : 0)
                    witnesses.withLock { $0.append(witness) }
                    #expect(witness.attach(to: harness.element))
                }
            }
        }
        let all = witnesses.withLock { $0 }
        #expect(all.count > changes / 2)
        waitForAll { all.map(\.outcome) }
        expectTheContract(all.map(\.outcome))
        #expect(eventually { Witness.alive.load(ordering: .relaxed) == 0 })
    }

    private func disturb(_ harness: TapHarness, _ generator: inout SeededGenerator) {
        switch Int.random(in: 0..<24, using: &generator) {
        case 0:
            harness.sendFlush()
            segment(harness, start: Int.random(in: 0..<100, using: &generator))
        case 1: segment(harness, start: Int.random(in: 0..<100, using: &generator))
        case 2:
            try? harness.start(
                audioCaps(
                    ["S16LE", "F32LE", "U8"].randomElement(using: &generator)!,
                    channels: Int.random(in: 1...3, using: &generator),
                    rate: [44_100, 48_000].randomElement(using: &generator)!, planar: Bool.random(using: &generator)))
        case 3: harness.seek(to: Int.random(in: 0..<1_000_000, using: &generator))
        case 4:
            harness.push([UInt8](repeating: 1, count: 10 * harness.frameBytes), flags: GST_BUFFER_FLAG_DISCONT.rawValue)
        case 5: harness.send(gst_event_new_gap(0, 10_000_000))
        case 6: harness.push([UInt8](repeating: 1, count: 10 * harness.frameBytes), flags: GST_BUFFER_FLAG_GAP.rawValue)
        case 7:
            harness.send(gst_event_new_eos())
            harness.sendFlush()
            segment(harness, start: 0)
        case 8:
            harness.restart()
            try? harness.start(audioCaps("S16LE"))
            segment(harness, start: 0)
        default: push(harness, Int.random(in: 0..<3000, using: &generator))
        }
        _ = harness.pullAll()
        harness.dropEvents()
    }

    private func segment(_ harness: TapHarness, start: Int) {
        harness.beginSegment(at: start)
        harness.seek(to: start * 48)
    }

    @Test func whileNothingStreamsTheOldTapIsFinalizedAtOnce() throws {
        let harness = try TapHarness()
        gst_element_set_state(harness.element, GST_STATE_NULL)
        let first = Witness()
        let second = Witness()
        #expect(first.attach(to: harness.element))
        #expect(second.attach(to: harness.element))
        #expect(first.record.withLock { $0.state } == .finalized)
        gst_hdr_tap_remove_audio_callbacks(harness.element)
        #expect(second.record.withLock { $0.notified } == 1)
        gst_element_set_state(harness.element, GST_STATE_PLAYING)
    }

    @Test func latencyAndTailComeOut() throws {
        let witness = Witness(latency: 100, tail: 1000)
        let harness = try TapHarness(audioCaps("F32LE"))
        #expect(witness.attach(to: harness.element))
        var bytes = 0
        for size in [1, 50, 500, 3000, 7] {
            harness.push(noise("F32LE", samples: 2 * size, seed: 1))
            bytes += harness.pullAll().count
        }
        #expect(bytes == (3558 - 100) * harness.frameBytes)
        #expect(gst_harness_query_latency(harness.harness) == 2_083_333)
        harness.send(gst_event_new_eos())
        bytes += harness.pullAll().count
        #expect(bytes == (3558 + 1000) * harness.frameBytes)
    }
}
