import CGStreamer
import CGstCheck
import TestSupport
import Testing

@Suite(.quiet)
struct StreamTests {
    private static let source = caps("P010_10LE", "bt2100-pq", 48, 32)
    private static let picture = PictureCodes.ramp(48, 32, bits: 10)

    // MARK: Caps that change

    /// Size, format, transfer and what downstream requests change in mid-stream; each frame is as in a stream of its
    /// own.
    @Test func renegotiation() throws {
        let harness = try Harness()
        let sources = [
            (Format("P010_10LE"), Color.pq, 48, 32), (Format("P010_10LE"), .hlg, 48, 32),
            (Format("NV12"), .sdr, 48, 32),
            (Format("I420_12LE"), .pq, 31, 17), (Format("RGBA"), .sRGB, 200, 100), (Format("v210"), .hlg, 7, 3),
        ]
        for want in [want("NV12", "bt709"), want("Y444_10LE", "bt2100-pq"), want("RGBA")] {
            for (format, color, width, height) in sources + sources.reversed() {
                let text = caps(format.name, color.colorimetry(format), width, height)
                let picture = PictureCodes.ramp(width, height, bits: format.bits)
                #expect(harness.negotiate(text, to: want))
                let alone = try Harness(text, to: want).convert(picture)
                for _ in 0..<2 { #expect(try harness.convert(picture) == alone, "\(text) to \(want)") }
            }
        }
        #expect(harness.messages().isEmpty)
    }

    /// Downstream requests other caps between two buffers.
    @Test func reconfigureFromDownstream() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        for (want, format) in [(want("RGBA"), "RGBA"), (want("NV12"), "NV12"), (want("Y444_10LE"), "Y444_10LE")] {
            gst_harness_set_sink_caps_str(harness.harness, want)
            _ = try harness.convert(Self.picture)
            #expect(harness.output("format") == format)
        }
    }

    /// A stream that cannot be converted ends one that can; another one works.
    @Test func recoversFromCapsThatAreRefused() throws {
        let harness = try Harness(Self.source, to: want("NV12", "bt709"))
        let first = try harness.convert(Self.picture)
        #expect(!harness.sendCaps(caps("P010_10LE", "2:6:9:7", 48, 32)))
        #expect(harness.errors.count == 1)
        for text in [caps("P010_10LE", "bt2100-hlg", 48, 32), Self.source] {
            #expect(harness.negotiate(text, to: want("NV12", "bt709")))
            #expect((try harness.convert(Self.picture) == first) == (text == Self.source))
        }
    }

    // MARK: Events

    @Test func eventsPassInOrder() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        _ = harness.eventTypes()
        _ = try harness.convert(Self.picture)
        let second: GstClockTime = 1_000_000_000
        #expect(harness.send(gst_event_new_gap(second, second)))
        #expect(harness.send(gst_event_new_tag(gst_tag_list_new_empty())))
        #expect(harness.sendSegment(start: 7 * UInt(second)))
        _ = try harness.convert(Self.picture)
        #expect(harness.send(gst_event_new_eos()))
        #expect(harness.eventTypes() == [GST_EVENT_GAP, GST_EVENT_TAG, GST_EVENT_SEGMENT, GST_EVENT_EOS])
        #expect(harness.push(try Buffer(Self.picture, try harness.inputInfo())) == GST_FLOW_EOS)
    }

    @Test func endBeforeData() throws {
        let bare = try Harness()
        #expect(bare.send(gst_event_new_eos()))
        let negotiated = try Harness(Self.source, to: want("NV12"))
        #expect(negotiated.send(gst_event_new_eos()))
        #expect(negotiated.eventTypes().last == GST_EVENT_EOS)
        #expect(bare.messages().isEmpty && negotiated.messages().isEmpty)
    }

    /// Flushing, as a seek does, and then a segment from elsewhere.
    @Test func flush() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        let first = try harness.convert(Self.picture)
        for round in 0..<5 {
            #expect(harness.send(gst_event_new_flush_start()))
            #expect(harness.push(try Buffer(Self.picture, try harness.inputInfo())) == GST_FLOW_FLUSHING)
            #expect(harness.send(gst_event_new_flush_stop(1)))
            #expect(harness.sendSegment(start: UInt(round) * 1_000_000_000))
            #expect(try harness.convert(Self.picture) == first)
        }
        #expect(harness.messages().isEmpty)
    }

    /// Seek, QoS, navigation and latency events are passed upstream.
    @Test func upstreamEvents() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        while let event = gst_harness_try_pull_upstream_event(harness.harness) { gst_event_unref(event) }
        for event in [flushingSeek(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1, 0, 0), gst_event_new_latency(0)] {
            let type = try #require(event).pointee.type
            #expect(gst_harness_push_upstream_event(harness.harness, event) != 0)
            let arrived = try #require(gst_harness_try_pull_upstream_event(harness.harness))
            #expect(arrived.pointee.type == type)
            gst_event_unref(arrived)
        }
    }

    /// Late buffers are dropped, and later ones are whole.
    @Test func qualityOfService() throws {
        let harness = try Harness(Self.source, to: want("NV12"))
        let info = try harness.inputInfo()
        let second: GstClockTime = 1_000_000_000
        let event = gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 1.5, GstClockTimeDiff(second), second)
        #expect(gst_harness_push_upstream_event(harness.harness, event) != 0)
        var arrived: [GstClockTime] = []
        for index in 0..<8 as Range<UInt> {
            let buffer = try Buffer(Self.picture, info)
            buffer.pointer.pointee.pts = index * second
            #expect(harness.push(buffer) == GST_FLOW_OK)
            if let output = harness.pull() { arrived.append(output.pointer.pointee.pts) }
        }
        #expect(arrived == (3..<8).map { $0 * second })
    }

    /// A segment in bytes has no stream time, whatever stamps the buffers carry.
    @Test func segmentInBytes() throws {
        let harness = try Harness()
        gst_harness_set_sink_caps_str(harness.harness, want("NV12"))
        #expect(harness.sendCaps(Self.source))
        #expect(harness.sendSegment(GST_FORMAT_BYTES))
        let buffer = try Buffer(Self.picture, try harness.inputInfo())
        buffer.pointer.pointee.pts = 40_000_000
        _ = try harness.convert(buffer)
    }

    // MARK: States

    private enum Sequences {
        static let (null, ready, paused, playing) = (
            GST_STATE_NULL, GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_PLAYING
        )
        static let all = [
            [ready, paused, playing, paused, ready, null, paused, ready, playing, paused, null],
            [ready, null, ready, paused, ready, null, ready, paused, playing, paused, ready, null],
            [playing, null, playing, ready, playing, paused, null, paused, ready, null],
        ]
    }

    /// An unlinked element changes its state up to PLAYING and back.
    @Test(arguments: 0..<3) func states(_ sequence: Int) throws {
        GStreamer.started
        let element = try #require(gst_element_factory_make("hdrconvert", nil))
        gst_object_ref_sink(element)
        for state in Sequences.all[sequence] {
            #expect(gst_element_set_state(element, state) == GST_STATE_CHANGE_SUCCESS)
            var current = GST_STATE_VOID_PENDING
            #expect(gst_element_get_state(element, &current, nil, 0) == GST_STATE_CHANGE_SUCCESS)
            #expect(current == state)
        }
        gst_object_unref(element)
    }

    @Test func reuseAfterNull() throws {
        let harness = try Harness(Self.source, to: want("NV12"), ["reference-white": "150"])
        let first = try harness.convert(Self.picture)
        for state in [GST_STATE_NULL, GST_STATE_READY, GST_STATE_NULL] {
            gst_element_set_state(harness.element, state)
            #expect(harness.push(try Buffer(Self.picture, try harness.inputInfo())) == GST_FLOW_FLUSHING)
            gst_harness_play(harness.harness)
            harness.send(gst_event_new_stream_start("again"))
            #expect(harness.negotiate(Self.source, to: want("NV12")))
            #expect(try harness.convert(Self.picture) == first)
            #expect(harness.number("reference-white") == 150)
        }
        #expect(harness.messages().isEmpty)
    }

    // MARK: Threads

    @Test(arguments: [("P010_10LE", "NV12"), ("I420_10LE", "Y444_10LE"), ("NV12", "P010_10LE"), ("v210", "I420")])
    func threadsGiveTheSame(_ from: String, _ to: String) throws {
        let format = Format(from)
        let site = Format(to).halvesRows ? "chroma-site=cosited" : ""
        let target = want(to, Color.hlg.colorimetry(Format(to)), site)
        for (width, height) in [(63, 131), (48, 97)] {
            let text = caps(from, Color.pq.colorimetry(format), site: "cosited", width, height)
            let picture = PictureCodes.ramp(width, height, bits: format.bits)
            let one = try Harness(text, to: target, ["n-threads": "1"])
            let expected = try one.convert(picture)
            for threads in ["2", "3", "5", "0", "256"] {
                #expect(
                    try Harness(text, to: target, ["n-threads": threads]).convert(picture) == expected, "\(threads)")
            }
        }
    }

    /// Elements in different threads do not disturb each other.
    @Test func elementsAtTheSameTime() throws {
        let source = Self.source
        let picture = Self.picture
        let expected = try Harness(source, to: want("NV12")).convert(picture)
        let bodies = (0..<4).map { _ -> @Sendable () -> Void in
            {
                for _ in 0..<TestWork.scaled(20) {
                    let result = try? Harness(source, to: want("NV12"), ["n-threads": "2"]).convert(picture)
                    #expect(result == expected)
                }
            }
        }
        onThreads(bodies)
    }
}
