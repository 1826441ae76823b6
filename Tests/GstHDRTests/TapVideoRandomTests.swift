import CGStreamer
import CGstCheck
import CHDRTap
import GstBridge
import Synchronization
import TestSupport
import Testing

/// Taps on video that come, go and are late while the stream does what streams do; and the signals on video.
@Suite(.quiet, .serialized) struct TapVideoRandomTests {
    static let formats = ["I420", "P010_10LE", "Y444_10LE", "RGBA", "v210", "GRAY8"]

    /// Random frames, seeks, flushes, formats, gaps and states on one side; attaching, swapping and detaching on the
    /// other.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func anyOrderOfEventsKeepsTheContract(seed: UInt64) throws {
        // Ten thousand over all seeds where the tests are scaled down.
        let changes = TestWork.scaled(10_000, least: 2500)
        let witnesses = Mutex<[VideoWitness]>([])
        do {
            let harness = try VideoTapHarness(TapVideoTests.sdr)
            whileStreaming(seed: seed, changes: changes) { generator in
                self.disturb(harness, &generator)
            } change: { number, generator in
                switch Int.random(in: 0..<12, using: &generator) {
                case 0: gst_hdr_tap_remove_video_callbacks(harness.element)
                case 1: harness.set("emit-signals", number % 2 == 0 ? "true" : "false")
                case 2: harness.set("color-space", ["bt709", "bt2020"][number / 8 % 2])
                case 3: #expect(attachForAudio(to: harness.element))
                default:
                    let witness = self.witness(number)
                    witnesses.withLock { $0.append(witness) }
                    #expect(witness.attach(to: harness.element))
                }
            }
        }
        let all = witnesses.withLock { $0 }
        #expect(all.count > changes / 2)
        waitForAll { all.map(\.outcome) }
        expectTheContract(all.map(\.outcome))
    }

    private static let chains = [
        "exposure,sepia", "highlight", "chroma-key", "gaussian-blur,invert", "statistics",
        "vignette,zoom-blur,highlight",
        "bandpass", "none", "lut", "no-such-effect", "color-matrix,statistics",
        "exposure,statistics,sepia", "white-balance,saturation,chroma-key",
    ]
    private static let numbers = [
        "stops", "intensity", "headroom", "level", "sigma", "amount", "radius", "temperature", "saturation", "despill",
    ]

    /// The same on one side; chains of effects, and their properties, on the other.
    @Test(arguments: [5, 6] as [UInt64])
    func effectsInAnyOrder(seed: UInt64) throws {
        let changes = TestWork.scaled(4000, least: 1000)
        let harness = try VideoTapHarness(TapVideoTests.sdr)
        whileStreaming(seed: seed, changes: changes) { generator in
            self.disturb(harness, &generator)
        } change: { number, generator in
            if number % 4 == 0 {
                harness.set("effect", Self.chains.randomElement(using: &generator)!)
                // The pause lets frames come between changes of the chain.
                g_usleep(100)
            }
            let child = ["effect", "effect_0", "effect_1", "effect_2"].randomElement(using: &generator)!
            let name = "\(child)::\(Self.numbers.randomElement(using: &generator)!)"
            var object: UnsafeMutablePointer<GObject>?
            var specification: UnsafeMutablePointer<GParamSpec>?
            let proxy = OpaquePointer(harness.element)
            guard gst_child_proxy_lookup(proxy, name, &object, &specification) != 0 else { return }
            var value = GValue()
            g_value_init(&value, GTypes.double)
            g_value_set_double(&value, [0, 0.5, 1, -3, 4000, .infinity].randomElement(using: &generator)!)
            g_object_set_property(object, specification?.pointee.name, &value)
            g_object_unref(object)
        }
        // It still works.
        harness.set("effect", "exposure")
        try harness.start(TapVideoTests.sdr)
        harness.sendFlush()
        harness.beginSegment(at: 0)
        _ = harness.pullAll()
        #expect(harness.push(80) == GST_FLOW_OK && harness.pullAll().count == 1)
    }

    private func witness(_ number: Int) -> VideoWitness {
        switch number % 9 {
        case 0: VideoWitness.filling(UInt8(number % 256))
        case 1: VideoWitness(refusal: "")
        case 2:
            VideoWitness { _, text in
                text = "random"
                return GST_HDR_TAP_FRAME_FAILED
            }
        case 3: VideoWitness(GST_HDR_TAP_CHANGE) { _, _ in GST_HDR_TAP_FRAME_NOT_THIS_ONE }
        case 4: VideoWitness(view: GST_HDR_TAP_LIGHT_HALF)
        case 5: VideoWitness(GST_HDR_TAP_CHANGE, view: GST_HDR_TAP_LIGHT_FLOAT)
        case 6:
            VideoWitness(GST_HDR_TAP_CHANGE, view: GST_HDR_TAP_LIGHT_HALF, space: GST_HDR_TAP_COLOR_SPACE_BT2020) {
                frame, _ in
                memset(frame.pointee.light, 0x35, Int(frame.pointee.light_stride))
                return GST_HDR_TAP_FRAME_OK
            }
        default: VideoWitness()
        }
    }

    private func disturb(_ harness: VideoTapHarness, _ generator: inout SeededGenerator) {
        switch Int.random(in: 0..<24, using: &generator) {
        case 0:
            harness.sendFlush()
            harness.beginSegment(at: Int.random(in: 0..<100, using: &generator))
        case 1: harness.beginSegment(at: Int.random(in: 0..<100, using: &generator))
        case 2:
            try? harness.start(
                caps(
                    Self.formats.randomElement(using: &generator), nil, Int.random(in: 1...50, using: &generator) * 2,
                    Int.random(in: 1...20, using: &generator) * 2,
                    light: Bool.random(using: &generator) ? "1000:400" : nil))
        case 3: harness.push(1, flags: GST_BUFFER_FLAG_DISCONT.rawValue)
        case 4: harness.send(gst_event_new_gap(0, 10_000_000))
        case 5: harness.push(1, flags: GST_BUFFER_FLAG_GAP.rawValue)
        case 6:
            // A second owner.
            if let frame = harness.frame(3) {
                gst_buffer_ref(frame)
                gst_harness_push(harness.harness, frame)
                #expect(bytes(of: frame).allSatisfy { $0 == 3 })
                gst_buffer_unref(frame)
            }
        case 7:
            harness.send(gst_event_new_eos())
            harness.sendFlush()
            harness.beginSegment(at: 0)
        case 8:
            harness.restart()
            try? harness.start(TapVideoTests.hdr)
            harness.beginSegment(at: 0)
        default: harness.push(7)
        }
        _ = harness.pullAll()
        harness.dropEvents()
    }

    /// A callback that is late holds its frame up and nothing else: attaching and detaching do not wait for it.
    @Test func aSlowCallback() throws {
        let harness = try VideoTapHarness(TapVideoTests.sdr)
        let isInside = Atomic<Bool>(false)
        let slow = VideoWitness { _, _ in
            isInside.store(true, ordering: .relaxed)
            g_usleep(100_000)
            isInside.store(false, ordering: .relaxed)
            return GST_HDR_TAP_FRAME_OK
        }
        slow.attach(to: harness.element)
        let next = VideoWitness()
        onThreads([
            {
                for value in 1...3 { harness.push(UInt8(value)) }
            },
            {
                while !isInside.load(ordering: .relaxed) { g_usleep(100) }
                next.attach(to: harness.element)
                let isStillInside = isInside.load(ordering: .relaxed)
                #expect(isStillInside)
            },
        ])
        #expect(harness.pullAll() == [1, 2, 3])
        #expect(slow.processed == 1 && next.processed == 2)
        #expect(slow.violations == [] && next.violations == [])
    }

    /// Upstream gets what downstream says of lateness.
    @Test func qualityOfServiceGoesUpstream() throws {
        let harness = try VideoTapHarness(TapVideoTests.sdr)
        VideoWitness().attach(to: harness.element)
        harness.push(1)
        gst_harness_push_upstream_event(
            harness.harness, gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2, 40_000_000, 80_000_000))
        var types: [GstEventType] = []
        while let event = gst_harness_try_pull_upstream_event(harness.harness) {
            types.append(event.pointee.type)
            gst_event_unref(event)
        }
        #expect(types.contains(GST_EVENT_QOS))
        // Frames are not dropped: an observer sees each.
        #expect(harness.push(2) == GST_FLOW_OK && harness.pullAll() == [1, 2])
    }

    // MARK: Signals

    /// The observations of the signals' handlers.
    final class Handler: @unchecked Sendable {
        var prepared: [UInt32] = []
        var frames: [Int] = []
        var flags: [UInt32] = []
        var unprepared = 0
        /// Bytes beyond a frame's that process returns; `nil` for no answer.
        var extra: Int?

        func connect(to element: UnsafeMutablePointer<GstElement>) {
            let data = Unmanaged.passUnretained(self).toOpaque()
            let prepare: @convention(c) (gpointer?, guint, gpointer?, gpointer?) -> Void = { _, most, _, data in
                Unmanaged<Handler>.fromOpaque(data!).takeUnretainedValue().prepared.append(most)
            }
            let process:
                @convention(c) (gpointer?, OpaquePointer?, guint, guint, guint64, gpointer?) -> OpaquePointer? = {
                    _, bytes, _, flags, _, data in
                    let handler = Unmanaged<Handler>.fromOpaque(data!).takeUnretainedValue()
                    var size: gsize = 0
                    _ = g_bytes_get_data(bytes, &size)
                    handler.frames.append(Int(size))
                    handler.flags.append(flags)
                    guard let extra = handler.extra else { return nil }
                    let answer = [UInt8](repeating: 77, count: Int(size) + extra)
                    return g_bytes_new(answer, gsize(answer.count))
                }
            let unprepare: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
                Unmanaged<Handler>.fromOpaque(data!).takeUnretainedValue().unprepared += 1
            }
            for (name, callback) in [
                ("prepare", unsafeBitCast(prepare, to: GCallback.self)),
                ("process", unsafeBitCast(process, to: GCallback.self)),
                ("unprepare", unsafeBitCast(unprepare, to: GCallback.self)),
            ] {
                g_signal_connect_data(element, name, callback, data, nil, GConnectFlags(0))
            }
        }
    }

    @Test func signals() throws {
        let handler = Handler()
        let harness = try VideoTapHarness()
        handler.connect(to: harness.element)
        harness.set("emit-signals", "true")
        try harness.start(TapVideoTests.hdr)
        // Without an answer the same buffer passes, with its light levels.
        let buffer = try #require(harness.frame(7))
        gst_buffer_ref(buffer)
        gst_harness_push(harness.harness, buffer)
        var output = try #require(gst_harness_try_pull(harness.harness))
        #expect(output == buffer && harness.outputCaps.contains("content-light-level"))
        gst_buffer_unref(output)
        // An answer goes into a copy.
        handler.extra = 0
        gst_buffer_ref(buffer)
        gst_harness_push(harness.harness, buffer)
        output = try #require(gst_harness_try_pull(harness.harness))
        #expect(output != buffer && bytes(of: output).allSatisfy { $0 == 77 })
        #expect(bytes(of: buffer).allSatisfy { $0 == 7 })
        #expect(!harness.outputCaps.contains("content-light-level"))
        gst_buffer_unref(output)
        gst_buffer_unref(buffer)
        // One of another size is reported once.
        handler.extra = 1
        for _ in 0..<2 { harness.push(5) }
        #expect(harness.pullAll() == [5, 5])
        let messages = harness.messages()
        #expect(messages.count == 1 && messages[0].contains("has to return the frame's"), "\(messages)")
        #expect(handler.prepared == [1] && handler.unprepared == 0)
        #expect(handler.frames == [Int](repeating: Int(harness.info.size), count: 4))
        #expect(handler.flags == [1 << 8, 0, 0, 0])
        gst_element_set_state(harness.element, GST_STATE_NULL)
        #expect(handler.unprepared == 1)
    }
}
