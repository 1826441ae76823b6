import CGStreamer
import CHDRTap
import Glibc
import Synchronization
import Testing

/// The requests to an application's compositor, and the use of its frames.
@Suite(.quiet, .enabled(if: getenv("TSAN_OPTIONS") == nil, "ThreadSanitizer does not know GLib's locks"))
struct CompositingTests {
    static let gray = "video/x-raw,format=GRAY8,width=16,height=8,framerate=25/1,colorimetry=bt709"
    private static let pq = "video/x-raw,format=I420_10LE,width=16,height=8,framerate=25/1,colorimetry=bt2100-pq"
    /// In full range, in which reference white is 594 of ten bits.
    private static let rgb = "video/x-raw,format=GBR_10LE,width=16,height=8,framerate=25/1,colorimetry=1:1:14:7"
    static let pixels = 16 * 8

    /// The caps of a request's first source.
    private static func sourceCaps(_ request: Request) -> String {
        guard request.pointee.n_sources > 0, let caps = request.pointee.sources[0]?.pointee.caps,
            let text = gst_caps_to_string(caps)
        else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    @Test func framesTakeTheCanvasPlace() throws {
        let harness = try CompositingHarness()
        let seen = Mutex<[String]>([])
        let witness = CompositorWitness { request in
            let sources = (0..<Int(request.pointee.n_sources)).compactMap { request.pointee.sources[$0] }
            let texts = sources.map { source -> String in
                let luma = source.pointee.planes?.pointee.data.0?.assumingMemoryBound(to: UInt8.self).pointee ?? 0
                return "\(String(cString: source.pointee.name)) \(source.pointee.width) \(luma)"
            }
            seen.withLock { $0 = texts }
            CompositorWitness.fill(request, 77)
        }
        #expect(witness.attach(to: harness.element) == nil)
        let first = try harness.source(Self.gray)
        let second = try harness.source(Self.gray)
        second.set("zorder", "0")
        first.set("zorder", "1")
        for value in [40, 50] as [UInt16] {
            first.push(value)
            second.push(value + 100)
            let made = try #require(harness.pullBuffer())
            #expect(Set(bytes(of: made)) == [77])
            #expect(made.pointee.pts == GstClockTime(value - 40) / 10 * 40_000_000)
            #expect(made.pointee.duration == 40_000_000)
            gst_buffer_unref(made)
            #expect(seen.withLock { $0 } == ["sink_1 16 \(value + 100)", "sink_0 16 \(value)"])
        }
        harness.stop()
        let record = witness.record.withLock { $0 }
        #expect(record.violations.isEmpty && record.contexts.count == 1)
        #expect(record.streamTimes == [0, 40_000_000] && record.runningTimes == [0, 40_000_000])
        #expect(record.contexts == [harness.caps] && !harness.caps.isEmpty)
        gst_hdr_compositor_remove_callbacks(harness.element)
        #expect(witness.isOver)
    }

    /// Without a compositor, and after it is detached, the element composes.
    @Test func theElementComposesAgain() throws {
        let harness = try CompositingHarness()
        let source = try harness.source(Self.gray)
        source.push(40)
        #expect(Set(harness.pull() ?? []) == [40])
        let witness = CompositorWitness.filling(90)
        witness.attach(to: harness.element)
        source.push(41)
        #expect(Set(harness.pull() ?? []) == [90])
        // Other user data detach nothing.
        #expect(gst_hdr_compositor_set_callbacks(harness.element, nil, gpointer(bitPattern: 1), nil, nil) != 0)
        source.push(42)
        #expect(Set(harness.pull() ?? []) == [90])
        gst_hdr_compositor_remove_callbacks(harness.element)
        source.push(43)
        #expect(Set(harness.pull() ?? []) == [43])
        harness.stop()
        #expect(witness.isOver && witness.requests == 2)
    }

    @Test func anotherCanvasIsAnotherContext() throws {
        let harness = try CompositingHarness()
        let witness = CompositorWitness.filling(9)
        witness.attach(to: harness.element)
        let source = try harness.source(Self.gray)
        source.push(40)
        #expect(harness.pull()?.count == Self.pixels)
        try source.start(Self.gray.replacing("width=16", with: "width=32"))
        // The first picture of the segment that follows the caps has the time of the one that has been composed.
        source.push(40)
        source.push(41)
        #expect(harness.pull()?.count == 2 * Self.pixels)
        harness.stop()
        #expect(witness.record.withLock { $0.contexts.count } == 2)
    }

    // MARK: What is declared

    /// White of PQ's reference in the forms that a compositor may take.
    @Test(arguments: [false, true], [false, true]) func sourcesAreWhatIsDeclared(wide: Bool, hdr: Bool) throws {
        let harness = try CompositingHarness()
        let seen = Mutex<(String, UInt16)>(("", 0))
        let witness = CompositorWitness(
            {
                $0.supports_wide_color_source_frames = wide ? 1 : 0
                $0.supports_hdr_source_frames = hdr ? 1 : 0
            },
            { request in
                let code = request.pointee.sources[0]?.pointee.planes?.pointee.data.0?.load(as: UInt16.self) ?? 0
                seen.withLock { $0 = (Self.sourceCaps(request), code) }
                CompositorWitness.fill(request, 0)
            })
        witness.attach(to: harness.element)
        let source = try harness.source(Self.rgb)
        source.push(594)
        #expect(harness.pull() != nil)
        harness.stop()
        let (caps, code) = seen.withLock { $0 }
        let found = try #require(gst_caps_from_string(caps))
        defer { gst_caps_unref(found) }
        var info = GstVideoInfo()
        #expect(gst_video_info_from_caps(&info, found) != 0, "\(caps)")
        if hdr {
            #expect(info.colorimetry.transfer == GST_VIDEO_TRANSFER_SMPTE2084 && code == 594)
        } else {
            #expect(info.colorimetry.transfer == GST_VIDEO_TRANSFER_BT709, "\(caps)")
            // The reference-white map leaves a quarter of the signal for highlights above white.
            #expect((760...775).contains(code), "\(code)")
        }
        let primaries = wide || hdr ? GST_VIDEO_COLOR_PRIMARIES_BT2020 : GST_VIDEO_COLOR_PRIMARIES_BT709
        #expect(info.colorimetry.primaries == primaries, "\(caps)")
    }

    /// Light of a source: reference white is 1.0 of what is HDR, and no light of SDR is above it.
    @Test(arguments: [true, false], [GST_HDR_TAP_COLOR_SPACE_DEFAULT, GST_HDR_TAP_COLOR_SPACE_BT709])
    func sourcesAsLight(hdr: Bool, space: GstHdrTapColorSpace) throws {
        let harness = try CompositingHarness()
        let seen = Mutex<[Float]>([])
        let witness = CompositorWitness(
            {
                $0.supports_hdr_source_frames = hdr ? 1 : 0
                $0.source_view = GST_HDR_TAP_LIGHT_FLOAT
                $0.color_space = space
            },
            { request in
                guard let source = request.pointee.sources[0]?.pointee, let light = source.light else { return }
                #expect(source.planes == nil && source.light_stride == 256)
                let isDefault = space == GST_HDR_TAP_COLOR_SPACE_DEFAULT
                #expect(source.color_space == (isDefault ? GST_HDR_TAP_COLOR_SPACE_BT2020 : space))
                let last = light + Int(source.light_stride) * 7 + 15 * 16
                seen.withLock { $0 = (0..<4).map { last.load(fromByteOffset: 4 * $0, as: Float.self) } }
                CompositorWitness.fill(request, 0)
            })
        witness.attach(to: harness.element)
        let source = try harness.source(Self.rgb)
        source.push(594)
        #expect(harness.pull() != nil)
        harness.stop()
        let pixel = seen.withLock { $0 }
        #expect(pixel.count == 4 && pixel[3] == 1)
        for component in pixel.prefix(3) {
            #expect(hdr ? abs(component - 1) < 0.01 : component > 0.3 && component <= 1.001, "\(pixel)")
        }
    }

    /// Frames of light become the canvas's codes: reference white is 573 in PQ of ten bits.
    @Test(arguments: [GST_HDR_TAP_LIGHT_HALF, GST_HDR_TAP_LIGHT_FLOAT]) func framesOfLight(view: GstHdrTapView) throws {
        let harness = try CompositingHarness("video/x-raw,format=I420_10LE,colorimetry=bt2100-pq")
        let witness = CompositorWitness(
            { $0.frame_view = view },
            { request in
                guard let frame = gst_hdr_composition_request_new_frame(request) else { return }
                let isHalf = view == GST_HDR_TAP_LIGHT_HALF
                #expect(request.pointee.context.pointee.light_stride == (isHalf ? 128 : 256))
                var map = GstMapInfo()
                #expect(gst_buffer_map(frame, &map, GST_MAP_WRITE) != 0)
                let data = UnsafeMutableRawPointer(map.data!)
                for index in 0..<4 * Self.pixels {
                    if isHalf {
                        data.storeBytes(of: 0x3C00, toByteOffset: 2 * index, as: UInt16.self)
                    } else {
                        data.storeBytes(of: 1, toByteOffset: 4 * index, as: Float.self)
                    }
                }
                gst_buffer_unmap(frame, &map)
                #expect(gst_hdr_composition_request_finish(request, frame) != 0)
            })
        witness.attach(to: harness.element)
        let source = try harness.source(Self.pq)
        source.push(64)
        #expect(harness.pullWords(Self.pixels) == [573])
    }

    // MARK: One source

    /// A source that is finished with is the canvas's frame, memory and all; of another format it is converted.
    @Test(arguments: [true, false]) func aSourcePasses(isAlike: Bool) throws {
        let harness = try CompositingHarness(isAlike ? nil : "video/x-raw,format=I420")
        let witness = CompositorWitness { request in
            _ = gst_hdr_composition_request_finish_with_source(
                request, gst_hdr_composition_request_get_source(request, "sink_1"))
        }
        witness.attach(to: harness.element)
        let first = try harness.source(Self.gray)
        let second = try harness.source(Self.gray)
        first.push(30)
        let frame = try #require(second.frame(200))
        let memory = gst_buffer_peek_memory(frame, 0)
        gst_pad_push(second.pad, frame)
        let made = try #require(harness.pullBuffer())
        // Converted pictures are dithered.
        let found = Set(bytes(of: made).prefix(Self.pixels))
        #expect(isAlike ? found == [200] : found.isSubset(of: [199, 200, 201]), "\(found)")
        #expect((gst_buffer_peek_memory(made, 0) == memory) == isAlike)
        gst_buffer_unref(made)
    }

    @Test func aPictureIsLeftOut() throws {
        let harness = try CompositingHarness()
        let count = Atomic<Int>(0)
        let witness = CompositorWitness { request in
            if count.wrappingAdd(1, ordering: .relaxed).oldValue == 1 {
                #expect(gst_hdr_composition_request_finish_cancelled(request) != 0)
            } else {
                CompositorWitness.fill(request, 5)
            }
        }
        witness.attach(to: harness.element)
        let source = try harness.source(Self.gray)
        for _ in 0..<3 { source.push(1) }
        var times: [UInt64] = []
        for _ in 0..<2 {
            let made = try #require(harness.pullBuffer())
            times.append(UInt64(made.pointee.pts))
            gst_buffer_unref(made)
        }
        #expect(times == [0, 80_000_000])
    }

    // MARK: Instructions

    @Test func instructionsHaveTheirTimes() throws {
        let harness = try CompositingHarness()
        let seen = Mutex<[String]>([])
        let witness = CompositorWitness { request in
            var number: gint = 0
            if let instruction = request.pointee.instruction { gst_structure_get_int(instruction, "number", &number) }
            let names = (0..<Int(request.pointee.n_sources)).compactMap { request.pointee.sources[$0]?.pointee.name }
            seen.withLock { $0.append("\(number) \(names.map { String(cString: $0) })") }
            CompositorWitness.fill(request, 9)
        }
        witness.attach(to: harness.element)
        #expect(harness.instruct("i,end=(guint64)40000000,number=1") == nil)
        #expect(harness.instruct("i,start=(guint64)40000000,end=(guint64)80000000,passthrough=sink_0") == nil)
        let required = "required-sources=sink_1,number=2"
        #expect(harness.instruct("i,start=(guint64)120000000,end=(guint64)160000000,\(required)") == nil)
        let first = try harness.source(Self.gray)
        let second = try harness.source(Self.gray)
        var values: [UInt8] = []
        for _ in 0..<4 {
            first.push(30)
            second.push(200)
            values.append(harness.pull()?.first ?? 0)
        }
        // The third is left to the element, which has sink_1 on top.
        #expect(values == [9, 30, 200, 9])
        #expect(seen.withLock { $0 } == ["1 [\"sink_0\", \"sink_1\"]", "2 [\"sink_1\"]"])
        gst_hdr_compositor_clear_instructions(harness.element)
        first.push(30)
        second.push(200)
        #expect(harness.pull()?.first == 9)
    }

    @Test(arguments: [
        ("i,start=(guint64)10,end=(guint64)10", "ends at 10 ns"), ("i,start=soon", "is no time"),
        ("i,end=-3", "is no time"), ("i,start=(guint64)99,end=(guint64)101", "overlaps"),
        ("i,end=(guint64)5,passthrough=\"sink_0,sink_1\"", "more than one"),
        ("i,end=(guint64)5,required-sources=3", "is no text"),
        ("i,end=(guint64)5,passthrough=sinc_0", "sinc_0, which no pad can be called"),
        ("i,end=(guint64)5,required-sources=\"sink_0,sink_\"", "sink_, which no pad can be called"),
    ]) func badInstructionsAreRefused(_ text: String, _ says: String) throws {
        let harness = try CompositingHarness()
        #expect(harness.instruct("i,start=(guint64)100,end=(guint64)200") == nil)
        let refusal = try #require(harness.instruct(text))
        #expect(refusal.contains(says), "\(refusal)")
    }

    // MARK: Signals

    private final class Handler: Sendable {
        let seen = Mutex<[String]>([])
    }

    @Test func signalsCompose() throws {
        let harness = try CompositingHarness()
        let handler = Handler()
        typealias Compose =
            @convention(c) (gpointer?, UnsafeMutablePointer<GstStructure>?, gpointer?) ->
            UnsafeMutablePointer<GstBuffer>?
        let compose: Compose = { _, request, data in
            let handler = Unmanaged<Handler>.fromOpaque(data!).takeUnretainedValue()
            let text = gst_structure_to_string(request)
            defer { g_free(text) }
            let count = handler.seen.withLock { seen -> Int in
                seen.append(String(cString: text!))
                return seen.count
            }
            // No answer: the element composes the picture itself.
            if count == 2 { return nil }
            let frame = gst_buffer_new_allocate(nil, gsize(CompositingTests.pixels), nil)
            gst_buffer_memset(frame, 0, 123, gsize(CompositingTests.pixels))
            return frame
        }
        let data = Unmanaged.passUnretained(handler).toOpaque()
        g_signal_connect_data(
            harness.element, "compose", unsafeBitCast(compose, to: GCallback.self), data, nil, GConnectFlags(0))
        let source = try harness.source(Self.gray)
        source.push(40)
        // Without emit-signals handlers are not asked.
        #expect(Set(harness.pull() ?? []) == [40])
        harness.set("emit-signals", "true")
        source.push(41)
        #expect(Set(harness.pull() ?? []) == [123])
        source.push(42)
        #expect(Set(harness.pull() ?? []) == [42])
        let texts = handler.seen.withLock { $0 }
        #expect(texts.count == 2)
        for part in ["stream-time=(guint64)40000000", "sink_0=(sample)", "caps=(GstCaps)"] {
            #expect(texts.first?.contains(part) == true, "\(texts)")
        }
    }
}
