import CGStreamer
import CGstCheck
import CHDRTap
import GstBridge
import Synchronization
import TestSupport
import Testing

/// Callbacks for video: what they are promised, and what becomes of frames.
@Suite(.quiet, .serialized) struct TapVideoTests {
    static let hdr = caps(
        "P010_10LE", "bt2100-pq", 64, 16,
        mastering: "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50", light: "1000:400")
    static let sdr = caps("I420", "bt709", 64, 16)

    @Test func callsComeInOrder() throws {
        let witness = VideoWitness()
        do {
            let harness = try VideoTapHarness()
            #expect(witness.attach(to: harness.element))
            #expect(witness.calls == ["init"])
            // The thread that streams is not the one that stops.
            onThreads([
                {
                    try? harness.start(Self.hdr)
                    for value in 0..<5 { harness.push(UInt8(value)) }
                    try? harness.start(Self.sdr)
                    // Caps that are the same again change nothing.
                    try? harness.start(Self.sdr)
                    harness.push(9)
                    harness.send(gst_event_new_eos())
                }
            ])
            #expect(harness.pullAll() == [0, 1, 2, 3, 4, 9])
            #expect(harness.messages() == [])
        }
        witness.record.withLock { record in
            #expect(record.violations == [])
            #expect(
                record.calls == [
                    "init", "prepare", "process", "unprepare", "prepare", "process", "unprepare", "finalize",
                ])
            #expect(record.processed == 6 && record.starts == 2)
            #expect(record.streamTimes == (0..<6).map { UInt64($0) * 40_000_000 })
            #expect(record.notified == 1)
        }
    }

    @Test func prepareGetsTheMasteringMetadata() throws {
        let harness = try VideoTapHarness()
        let witness = VideoWitness()
        witness.attach(to: harness.element)
        try harness.start(Self.hdr)
        harness.push(1)
        witness.record.withLock { #expect($0.peak == 10_000_000 && $0.light == 1000) }
        try harness.start(Self.sdr)
        harness.push(1)
        witness.record.withLock { #expect($0.peak == nil && $0.light == nil) }
    }

    @Test(arguments: ["size-0", "size-short", "no-process"])
    func invalidCallbacksAreRefused(name: String) throws {
        let harness = try VideoTapHarness(Self.sdr)
        var callbacks = VideoWitness.callbacks
        switch name {
        case "size-0": callbacks.size = 0
        case "size-short": callbacks.size -= 1
        default: callbacks.process = nil
        }
        var problem: UnsafeMutablePointer<GError>?
        #expect(gst_hdr_tap_set_video_callbacks(harness.element, &callbacks, nil, nil, &problem) == 0)
        let text = problem.map { String(cString: $0.pointee.message) } ?? ""
        #expect(text.contains(name == "no-process" ? "process is NULL" : "sizeof (GstHdrTapVideoCallbacks)"))
        g_clear_error(&problem)
    }

    // MARK: Buffers

    /// An observer sees the very memory, and the very buffer goes on.
    @Test func observingCopiesNothing() throws {
        let harness = try VideoTapHarness(Self.hdr)
        let witness = VideoWitness()
        witness.attach(to: harness.element)
        let buffer = try #require(harness.frame(7))
        // A second owner, as a tee has.
        gst_buffer_ref(buffer)
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        let output = try #require(gst_harness_try_pull(harness.harness))
        #expect(output == buffer)
        #expect(buffer.pointee.mini_object.refcount == 2)
        var map = GstMapInfo()
        #expect(gst_buffer_map(output, &map, GST_MAP_READ) != 0)
        witness.record.withLock { #expect($0.seen == [UInt(bitPattern: map.data)]) }
        gst_buffer_unmap(output, &map)
        gst_buffer_unref(output)
        gst_buffer_unref(buffer)
        #expect(harness.outputCaps.contains("content-light-level"))
    }

    /// A frame that nobody else has is changed where it is.
    @Test func changingAnOwnFrameCopiesNothing() throws {
        let harness = try VideoTapHarness(Self.sdr)
        let witness = VideoWitness.filling(200)
        witness.attach(to: harness.element)
        let buffer = try #require(harness.frame(7))
        var map = GstMapInfo()
        #expect(gst_buffer_map(buffer, &map, GST_MAP_READ) != 0)
        let address = UInt(bitPattern: map.data)
        gst_buffer_unmap(buffer, &map)
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        witness.record.withLock { #expect($0.seen == [address]) }
        #expect(harness.pullAll() == [200])
    }

    /// Data that another branch has stay as they are: a second reference to the buffer, and a second buffer on its
    /// memory.
    @Test(arguments: [true, false]) func aSharedFrameIsCopied(sharesBuffer: Bool) throws {
        let harness = try VideoTapHarness(Self.sdr)
        VideoWitness.filling(200).attach(to: harness.element)
        let buffer = try #require(harness.frame(7))
        let copy = sharesBuffer ? nil : gst_mini_object_copy(buffer.asMiniObject)
        let other: UnsafeMutablePointer<GstBuffer> = try #require(sharesBuffer ? buffer : copy?.cast())
        if sharesBuffer { gst_buffer_ref(buffer) }
        #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        #expect(harness.pullAll() == [200])
        #expect(bytes(of: other).allSatisfy { $0 == 7 })
        gst_buffer_unref(other)
    }

    // MARK: Light levels

    @Test func changedLightHasNoLightLevels() throws {
        let harness = try VideoTapHarness(Self.hdr)
        harness.push(1)
        #expect(harness.outputCaps.contains("content-light-level"))
        // Attached while it plays: from the next frame on.
        let witness = VideoWitness.filling(3)
        witness.attach(to: harness.element)
        #expect(harness.outputCaps.contains("content-light-level"))
        harness.push(1)
        #expect(!harness.outputCaps.contains("content-light-level"))
        #expect(harness.outputCaps.contains("mastering-display-info"))
        // The caps change while it is attached.
        try harness.start(caps("P010_10LE", "bt2100-pq", 32, 16, light: "1000:400"))
        #expect(harness.outputCaps.contains("width=(int)32") && !harness.outputCaps.contains("content-light-level"))
        harness.push(1)
        gst_hdr_tap_remove_video_callbacks(harness.element)
        harness.push(1)
        #expect(harness.outputCaps.contains("content-light-level"))
        #expect(harness.messages() == [])
    }

    // MARK: Outcomes

    @Test func notThisOnePassesTheFrame() throws {
        let harness = try VideoTapHarness(Self.sdr)
        let count = Atomic<Int>(0)
        VideoWitness(GST_HDR_TAP_CHANGE) { frame, _ in
            if count.wrappingAdd(1, ordering: .relaxed).newValue % 2 == 0 { return GST_HDR_TAP_FRAME_NOT_THIS_ONE }
            if let data = frame.pointee.planes?.pointee.data.0 { memset(data, 99, 64) }
            return GST_HDR_TAP_FRAME_OK
        }.attach(to: harness.element)
        let buffers = [1, 2, 3, 4].compactMap { harness.frame($0) }
        for buffer in buffers {
            gst_buffer_ref(buffer)
            #expect(gst_harness_push(harness.harness, buffer) == GST_FLOW_OK)
        }
        // The second and the fourth are the very buffers.
        for (index, buffer) in buffers.enumerated() {
            let output = try #require(gst_harness_try_pull(harness.harness))
            #expect((output == buffer) == (index % 2 == 1))
            #expect(bytes(of: output)[0] == (index % 2 == 1 ? UInt8(index + 1) : 99))
            gst_buffer_unref(output)
            gst_buffer_unref(buffer)
        }
    }

    @Test func anErrorInWordsEndsTheStream() throws {
        let harness = try VideoTapHarness(Self.sdr)
        let witness = VideoWitness { _, text in
            text = "The key has expired"
            return GST_HDR_TAP_FRAME_FAILED
        }
        witness.attach(to: harness.element)
        #expect(harness.push(1) == GST_FLOW_ERROR)
        #expect(harness.messages() == ["The key has expired"])
        #expect(harness.push(1) == GST_FLOW_ERROR)
        #expect(witness.processed == 1 && harness.messages() == [] && harness.pullAll() == [])
        // A flush starts anew.
        harness.send(gst_event_new_flush_start())
        harness.send(gst_event_new_flush_stop(1))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        harness.send(gst_event_new_segment(&segment))
        #expect(harness.push(1) == GST_FLOW_ERROR)
        #expect(witness.processed == 2 && harness.messages() == ["The key has expired"])
        // Another attachment counts as a restart too.
        VideoWitness().attach(to: harness.element)
        #expect(harness.push(5) == GST_FLOW_OK)
        #expect(harness.pullAll() == [5])
    }

    @Test(arguments: [(-1, "does not say why"), (7, "returned 7")])
    func resultsWithoutWords(result: Int, text: String) throws {
        let harness = try VideoTapHarness(Self.sdr)
        VideoWitness { _, _ in GstHdrTapFrameResult(rawValue: Int32(result)) }.attach(to: harness.element)
        #expect(harness.push(1) == GST_FLOW_ERROR)
        let messages = harness.messages()
        #expect(messages.count == 1 && messages[0].contains(text), "\(messages)")
    }

    @Test(arguments: [("", "refused the format video/x-raw"), ("No 4:2:0, please", "No 4:2:0, please")])
    func aRefusedFormatIsAnError(refusal: String, text: String) throws {
        let harness = try VideoTapHarness()
        let witness = VideoWitness(refusal: refusal)
        witness.attach(to: harness.element)
        try harness.start(Self.sdr)
        #expect(harness.push(1) == GST_FLOW_NOT_NEGOTIATED)
        let messages = harness.messages()
        #expect(messages.count == 1 && messages[0].contains(text), "\(messages)")
        #expect(witness.violations == [] && witness.processed == 0)
        // Another tap gets the stream intact.
        VideoWitness().attach(to: harness.element)
        #expect(harness.push(4) == GST_FLOW_OK && harness.pullAll() == [4])
        #expect(harness.outputCaps.contains("I420"))
    }

    @Test func anAccessThatThereIsNotIsAnError() throws {
        let harness = try VideoTapHarness(Self.sdr)
        let witness = VideoWitness(GstHdrTapAccess(rawValue: 9))
        witness.attach(to: harness.element)
        #expect(harness.push(1) == GST_FLOW_NOT_NEGOTIATED)
        #expect(harness.messages().contains { $0.contains("access to 9") })
        #expect(witness.violations == [] && witness.calls == ["init", "prepare", "unprepare"])
    }

    @Test func aBrokenBufferIsAnError() throws {
        for witness in [VideoWitness(), VideoWitness.filling(1)] {
            let harness = try VideoTapHarness(Self.sdr)
            witness.attach(to: harness.element)
            #expect(gst_harness_push(harness.harness, gst_buffer_new_allocate(nil, 5, nil)) == GST_FLOW_ERROR)
            #expect(harness.messages().contains { $0.contains("5 bytes") })
            #expect(witness.processed == 0)
        }
    }

    // MARK: Streams

    /// Callbacks for the other kind of stream: one warning, and the media pass.
    @Test func otherStreamsPass() throws {
        let video = try VideoTapHarness()
        #expect(attachForAudio(to: video.element))
        try video.start(Self.sdr)
        for value in 1...3 { video.push(UInt8(value)) }
        #expect(video.pullAll() == [1, 2, 3])
        var messages = video.messages()
        #expect(messages.count == 1 && messages[0].contains("for raw audio, and this stream is video/x-raw"))

        let audio = try TapHarness(audioCaps("S16LE"))
        VideoWitness().attach(to: audio.element)
        for _ in 1...3 { audio.push([1, 2, 3, 4]) }
        #expect(audio.pullAll() == [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4])
        messages = audio.messages()
        #expect(messages.count == 1 && messages[0].contains("for raw video, and this stream is audio/x-raw"))

        let device = try VideoTapHarness()
        VideoWitness().attach(to: device.element)
        gst_harness_set_src_caps_str(
            device.harness, "video/x-raw(memory:DMABuf),format=I420,width=64,height=16,framerate=25/1")
        #expect(gst_harness_push(device.harness, gst_buffer_new_allocate(nil, 5, nil)) == GST_FLOW_OK)
        #expect(device.messages().contains { $0.contains("Download the frames") })
    }

    /// Each kind of callbacks is detached by its own function, and by its own user data.
    @Test func detachingTheOtherKindDoesNothing() throws {
        let harness = try VideoTapHarness(Self.sdr)
        let witness = VideoWitness()
        witness.attach(to: harness.element)
        gst_hdr_tap_remove_audio_callbacks(harness.element)
        var other = 0
        gst_hdr_tap_set_video_callbacks(harness.element, nil, &other, nil, nil)
        harness.push(1)
        #expect(witness.processed == 1)
        gst_hdr_tap_remove_video_callbacks(harness.element)
        harness.push(1)
        #expect(witness.processed == 1)
    }

    @Test func aCallbackThatDetachesItself() throws {
        let harness = try VideoTapHarness(Self.sdr)
        let element = UInt(bitPattern: harness.element)
        let witness = VideoWitness { _, _ in
            gst_hdr_tap_remove_video_callbacks(UnsafeMutablePointer(bitPattern: element))
            return GST_HDR_TAP_FRAME_OK
        }
        witness.attach(to: harness.element)
        for value in 1...3 { harness.push(UInt8(value)) }
        #expect(harness.pullAll() == [1, 2, 3])
        #expect(witness.processed == 1 && witness.violations == [])
    }

    @Test func whatStartsAnew() throws {
        let harness = try VideoTapHarness(Self.sdr)
        let witness = VideoWitness()
        witness.attach(to: harness.element)
        var expected = 1
        func check(_ what: String, starts: Bool, flags: UInt32 = 0) {
            harness.push(1, flags: flags)
            if starts { expected += 1 }
            let count = witness.record.withLock { $0.starts }
            #expect(count == expected, "\(what)")
        }
        harness.push(1)
        check("nothing", starts: false)
        check("discont", starts: true, flags: GST_BUFFER_FLAG_DISCONT.rawValue)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        harness.send(gst_event_new_segment(&segment))
        check("same segment", starts: false)
        segment.start = 1000
        harness.send(gst_event_new_segment(&segment))
        check("other segment", starts: true)
        harness.send(gst_event_new_gap(0, 1000))
        check("gap", starts: false)
        harness.send(gst_event_new_flush_start())
        harness.send(gst_event_new_flush_stop(1))
        harness.send(gst_event_new_segment(&segment))
        check("flush", starts: true)
        // A gap without a picture passes; a GAP flag is cleared where the frame was made.
        gst_harness_push(harness.harness, gst_buffer_new())
        check("empty buffer", starts: false)
        #expect(harness.messages() == [])
    }

    @Test func aFrameThatWasMadeIsNoGap() throws {
        let harness = try VideoTapHarness(Self.sdr)
        VideoWitness.filling(9).attach(to: harness.element)
        harness.push(1, flags: GST_BUFFER_FLAG_GAP.rawValue)
        let output = try #require(gst_harness_try_pull(harness.harness))
        #expect(output.pointee.mini_object.flags & GST_BUFFER_FLAG_GAP.rawValue == 0)
        gst_buffer_unref(output)
    }

    @Test func reuseAfterNull() throws {
        let harness = try VideoTapHarness(Self.sdr)
        let witness = VideoWitness()
        witness.attach(to: harness.element)
        harness.push(1)
        gst_element_set_state(harness.element, GST_STATE_NULL)
        #expect(witness.calls == ["init", "prepare", "process", "unprepare"])
        gst_element_set_state(harness.element, GST_STATE_PLAYING)
        harness.send(gst_event_new_stream_start("again"))
        try harness.start(Self.hdr)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        harness.send(gst_event_new_segment(&segment))
        #expect(harness.push(1) == GST_FLOW_OK)
        #expect(witness.processed == 2 && witness.violations == [])
    }
}
