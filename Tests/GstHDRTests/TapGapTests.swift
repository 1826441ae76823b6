import CGStreamer
import CGstCheck
import CHDRTap
import Testing

/// GAP events, however long, and how the stream goes on after them.
@Suite(.quiet) struct TapGapTests {
    static let rate = 48_000
    static let century: UInt64 = 100 * 365 * 86_400 * 1_000_000_000

    /// The GAP events that have come out since the last call.
    private func gaps(_ harness: TapHarness) -> [(start: UInt64, end: UInt64)] {
        var result: [(start: UInt64, end: UInt64)] = []
        while let event = gst_harness_try_pull_event(harness.harness) {
            defer { gst_event_unref(event) }
            guard event.pointee.type == GST_EVENT_GAP else { continue }
            var start: GstClockTime = 0
            var duration: GstClockTime = 0
            gst_event_parse_gap(event, &start, &duration)
            result.append((UInt64(start), UInt64(start) + UInt64(duration)))
        }
        return result
    }

    private func push(_ harness: TapHarness, _ frames: Int, at time: UInt64) {
        let buffer = harness.buffer([UInt8](repeating: 0, count: frames * harness.frameBytes), at: nil)
        buffer?.pointee.pts = GstClockTime(time)
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
    }

    private func send(_ harness: TapHarness, _ start: UInt64, _ duration: UInt64) {
        harness.send(gst_event_new_gap(GstClockTime(start), GstClockTime(duration)))
    }

    private func pulled(_ harness: TapHarness) -> Int { harness.pullAll().count / harness.frameBytes }

    /// The rate of caps may be any number of 32 bits.
    @Test func ratesBeyondReason() throws {
        let witness = Witness()
        let harness = try TapHarness(audioCaps("F32LE", channels: 1, rate: Int(Int32.max)))
        #expect(witness.attach(to: harness.element))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.stop = GstClockTime(Int64.max)
        harness.send(gst_event_new_segment(&segment))
        send(harness, 0, 1_000)
        #expect(pulled(harness) > 2000)
    }

    static let processors: [(latency: UInt32, tail: UInt64)] = [(0, 0), (0, 4800), (300, 0), (300, 4800)]

    /// A second and the tail are processed, the rest is an event, and the frames after it start anew.
    @Test(arguments: processors.indices) func aCentury(_ index: Int) throws {
        let (latency, tail) = Self.processors[index]
        let witness = Witness(latency: latency, tail: tail)
        let harness = try TapHarness(audioCaps("F32LE"))
        #expect(witness.attach(to: harness.element))
        push(harness, 480, at: 0)
        send(harness, 10_000_000, Self.century)
        let fed = 480 + Self.rate + Int(tail)
        #expect(pulled(harness) == fed)
        let rest = gaps(harness)
        #expect(rest.count == 1)
        #expect(rest.first?.start == UInt64(fed) * 1_000_000_000 / UInt64(Self.rate))
        #expect(rest.first?.end == 10_000_000 + Self.century)

        push(harness, 480, at: 10_000_000 + Self.century)
        harness.send(gst_event_new_eos())
        #expect(pulled(harness) == 480 + Int(tail))
        witness.record.withLock { record in
            #expect(record.violations == [])
            #expect(record.starts == 2)
            #expect(record.prepared == 1)
            #expect(record.frames == fed + 480)
            #expect(record.next == Int64((10_000_000 + Self.century) / 1_000_000 * 48 + 480))
        }
        #expect(harness.messages() == [])
    }

    /// Shorter gaps become silence of their exact length, also where there are several.
    @Test func aFewSeconds() throws {
        let witness = Witness(tail: 96_000)
        let harness = try TapHarness(audioCaps("F32LE"))
        #expect(witness.attach(to: harness.element))
        push(harness, 480, at: 0)
        for turn in 0..<3 as Range<UInt64> { send(harness, 10_000_000 + turn * 1_000_000_000, 1_000_000_000) }
        push(harness, 480, at: 3_010_000_000)
        #expect(pulled(harness) == 960 + 3 * Self.rate)
        #expect(gaps(harness).isEmpty)
        witness.record.withLock { #expect($0.starts == 1 && $0.violations == []) }
    }

    /// A long gap in many events gives no more silence than one in a single event; sound in between ends a gap.
    @Test func manyInARow() throws {
        let harness = try TapHarness(effect: "gain", audioCaps("F32LE"))
        push(harness, 480, at: 0)
        for turn in 0..<50 as Range<UInt64> { send(harness, 10_000_000 + turn * 100_000_000, 100_000_000) }
        #expect(pulled(harness) == 480 + Self.rate)
        let rest = gaps(harness)
        #expect(rest.count == 40 && rest.first?.start == 1_010_000_000 && rest.last?.end == 5_010_000_000)
        push(harness, 480, at: 5_010_000_000)
        send(harness, 5_020_000_000, 500_000_000)
        #expect(pulled(harness) == 480 + Self.rate / 2)
        #expect(gaps(harness).isEmpty)
    }

    /// Gaps outside the segment are not reported downstream.
    @Test func segmentsEndGaps() throws {
        let harness = try TapHarness(effect: "gain", audioCaps("F32LE"))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.stop = 60_000_000_000
        harness.send(gst_event_new_segment(&segment))
        send(harness, 0, Self.century)
        #expect(pulled(harness) == Self.rate)
        #expect(gaps(harness).map(\.end) == [60_000_000_000])

        segment.rate = -1
        harness.send(gst_event_new_segment(&segment))
        send(harness, 1_000_000_000, 50_000_000_000)
        #expect(pulled(harness) == 0)
        #expect(gaps(harness).map(\.start) == [1_000_000_000])
    }
}
