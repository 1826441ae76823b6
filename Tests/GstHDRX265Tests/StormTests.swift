import CGStreamer
import CGstCheck
import CGstHDRX265
import CHDRTap
import Dispatch
import GstBridge
import TestSupport
import Testing

/// An encoder that is flushed, reconfigured, starved, fed with nonsense and killed neither hangs nor crashes, and gives
/// all back; sanitizers watch.
@Suite struct StormTests {
    static let formats = ["I420", "I420_10LE", "P010_10LE", "NV12", "Y444_10LE", "I422_12LE", "GBR"]

    /// One life of an encoder, made of random events.
    /// - Returns: how many pictures were coded.
    private func storm(_ seed: UInt64) throws -> Int {
        var generator = SeededGenerator(seed: seed)
        func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        let harness = try EncoderHarness([
            "speed-preset": "ultrafast", "tune": random(0...3) == 0 ? "zerolatency" : "none",
            "option-string": random(0...1) == 0
                ? "pools=1:rc-lookahead=5" : "pools=none:frame-threads=1:rc-lookahead=4",
            "qos": random(0...1) == 0 ? "true" : "false",
        ])
        harness.negotiate()
        harness.sendSegment()
        var coded = 0
        for _ in 0..<random(1...25) {
            switch random(0...12) {
            case 0: harness.flush()
            case 1: harness.set("bitrate", "\(random(1...5000))")
            case 2:
                harness.negotiate(
                    Self.formats[random(0...(Self.formats.count - 1))], width: 16 * random(1...6),
                    height: 16 * random(1...6))
            case 3: harness.send(gst_event_new_eos())
            case 4:
                let time = GstClockTime.max
                harness.send(gst_video_event_new_downstream_force_key_unit(time, time, time, 1, 1))
            case 5:
                gst_harness_push_upstream_event(
                    harness.harness, gst_video_event_new_upstream_force_key_unit(GstClockTime.max, 1, 1))
            case 6: harness.push(harness.picture(size: random(0...100)))
            case 7:
                let bytes = (0..<random(0...300)).map { _ in UInt8(random(0...255)) }
                let buffer = harness.picture()
                harness.attach([25] + bytes + [128], GST_HDR_DOLBY_VISION, to: buffer)
                harness.attach(random(0...1) == 0 ? bytes : [0xB5] + bytes, GST_HDR_HDR10_PLUS, to: buffer)
                harness.push(buffer)
            case 8: harness.send(gst_event_new_gap(0, 1000))
            case 9:
                let event = gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, gint64(1_000_000_000), 0)
                gst_harness_push_upstream_event(harness.harness, event)
            default:
                for _ in 0..<random(1...8) { harness.push(harness.picture(seed: UInt8(random(0...255)))) }
            }
            if random(0...3) == 0 { coded += harness.pulled() }
        }
        return coded + harness.pulled()
    }

    @Test func thousandStorms() throws {
        let storms = TestWork.scaled(800, least: 20)
        let coded = try (0..<storms).map { try storm(UInt64($0)) }.reduce(0, +)
        #expect(coded > 2 * storms, "\(coded) pictures in \(storms) storms")
    }

    /// Encoders of libx265 share tables of the process.
    @Test func stormsAtTheSameTime() {
        DispatchQueue.concurrentPerform(iterations: TestWork.scaled(200, least: 8)) { index in
            do { _ = try storm(UInt64(10_000 + index)) } catch { Issue.record(error) }
        }
    }

    /// The element is freed with its last reference, whatever it was doing.
    @Test(arguments: [0, 1, 5, 40]) func anElementThatIsKilledIsFreed(_ pictures: Int) throws {
        for _ in 0..<TestWork.scaled(20) {
            var harness: EncoderHarness? = try EncoderHarness(["speed-preset": "ultrafast"])
            let element = try #require(harness?.element)
            gst_object_ref(element)
            harness?.sendSegment()
            harness?.negotiate()
            for _ in 0..<pictures { harness?.push(harness?.picture()) }
            harness = nil
            #expect(element.asGObject.pointee.ref_count == 1)
            gst_object_unref(element)
        }
    }

    /// What went in comes out, at the end and where the format changes; a flush drops it, and encoding goes on.
    @Test func nothingIsLostButByAFlush() throws {
        let harness = try EncoderHarness(["speed-preset": "fast"])
        harness.negotiate()
        harness.sendSegment()
        for _ in 0..<30 { #expect(harness.push(harness.picture()) == GST_FLOW_OK) }
        harness.negotiate("I420", width: 96, height: 80)
        for _ in 0..<30 { #expect(harness.push(harness.picture()) == GST_FLOW_OK) }
        harness.send(gst_event_new_eos())
        #expect(harness.pulled() == 60)
        harness.flush()
        for _ in 0..<50 { #expect(harness.push(harness.picture()) == GST_FLOW_OK) }
        harness.flush()
        let before = harness.pulled()
        #expect((1..<50).contains(before))
        for _ in 0..<7 { #expect(harness.push(harness.picture()) == GST_FLOW_OK) }
        harness.send(gst_event_new_eos())
        #expect(harness.pulled() == 7)
    }

    /// The samples are given back at once, not when the coded picture comes out.
    @Test func inputMemoryIsGivenBack() throws {
        let harness = try EncoderHarness(["speed-preset": "slow"])
        harness.negotiate()
        harness.sendSegment()
        for _ in 0..<10 {
            let buffer = try #require(harness.picture())
            gst_mini_object_ref(buffer.asMiniObject)
            harness.push(buffer)
            #expect(buffer.asMiniObject.pointee.refcount == 1)
            gst_mini_object_unref(buffer.asMiniObject)
        }
    }

    /// Caps and a GstVideoMeta that lie about the buffer are an error, and nothing outside of it is read.
    @Test func layoutsThatLieAreErrors() throws {
        for lie in 0..<4 {
            let harness = try EncoderHarness(["speed-preset": "ultrafast"])
            harness.sendSegment()
            harness.negotiate()
            let buffer = try #require(harness.picture())
            var offsets: [gsize] = [0, 8192, 10240, 0]
            var strides: [gint] = [128, 64, 64, 0]
            switch lie {
            case 0: strides[0] = 4096
            case 1: offsets[2] = 12000
            case 2: strides[1] = -64
            default: strides[0] = 8
            }
            gst_buffer_add_video_meta_full(
                buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_I420_10LE, 64, 64, 3, &offsets, &strides)
            #expect(harness.push(buffer) == GST_FLOW_ERROR, "lie \(lie)")
        }
    }

    /// A mastering display that changes with nothing else changes the stream too.
    @Test func metadataOfTheCapsMayChange() throws {
        let harness = try EncoderHarness(["speed-preset": "ultrafast"])
        let display = "34000:16000:13250:34500:7500:3000:15635:16450"
        for peak in [10_000_000, 40_000_000] {
            harness.negotiate(
                fields: ",colorimetry=bt2100-pq,mastering-display-info=(string)\(display):\(peak):50")
            if peak == 10_000_000 { harness.sendSegment() }
            for _ in 0..<12 { harness.push(harness.picture()) }
        }
        harness.send(gst_event_new_eos())
        // The luminance as the SEI message has it, big-endian, with the byte that keeps start codes out.
        let streams = harness.pulledBytes()
        #expect(streams.contains { $0.contains([0x00, 0x98, 0x96, 0x80]) })
        #expect(streams.contains { $0.contains([0x02, 0x62, 0x5A, 0x00]) })
        #expect(streams.count == 24)
        #expect(harness.outputCaps?.contains("\(display):40000000:50") == true, "\(harness.outputCaps ?? "")")
    }

    /// Pictures that come too late are dropped before they cost anything, where QoS is on.
    @Test(arguments: [true, false]) func latePicturesAreDropped(_ isOn: Bool) throws {
        let harness = try EncoderHarness(["speed-preset": "ultrafast", "qos": "\(isOn)"])
        harness.negotiate()
        harness.sendSegment()
        harness.push(harness.picture())
        gst_harness_push_upstream_event(
            harness.harness, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, 200_000_000, 400_000_000))
        for _ in 0..<50 { #expect(harness.push(harness.picture()) == GST_FLOW_OK) }
        harness.send(gst_event_new_eos())
        let count = harness.pulled()
        #expect(isOn ? (20..<50).contains(count) : count == 51, "\(count)")
    }

    @Test func picturesWithoutTimesAreEncoded() throws {
        let harness = try EncoderHarness(["speed-preset": "ultrafast"])
        harness.negotiate()
        harness.sendSegment()
        for _ in 0..<30 {
            let buffer = try #require(harness.picture())
            buffer.stamp(from: nil, to: nil)
            #expect(harness.push(buffer) == GST_FLOW_OK)
        }
        harness.send(gst_event_new_eos())
        #expect(harness.pulled() == 30)
    }
}
