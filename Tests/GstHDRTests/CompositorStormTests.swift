import CGStreamer
import CGstCheck
import Glibc
import GstBridge
import HDRConcurrency
import Synchronization
import TestSupport
import Testing

/// Pads of `hdrcompositor` that come, go, end and change on threads of their own, while the canvas is composed.
///
/// GStreamer hands the element to a thread of its own by locks of GLib's, which ThreadSanitizer does not know: it would
/// call everything that this thread reads a race.
@Suite(
    .quiet, .serialized, .enabled(if: getenv("TSAN_OPTIONS") == nil, "ThreadSanitizer does not know GLib's locks"))
struct CompositorStormTests {
    /// A source with a pad of the element, on the thread that uses it.
    private struct Source {
        let element: UnsafeMutablePointer<GstElement>
        let entry: UnsafeMutablePointer<GstPad>
        let pad: UnsafeMutablePointer<GstPad>

        /// `nil` where the element gives no pad.
        init?(_ element: UnsafeMutablePointer<GstElement>) {
            guard let entry = gst_element_request_pad_simple(element, "sink_%u") else { return nil }
            guard let pad = gst_pad_new(nil, GST_PAD_SRC) else { return nil }
            self.element = element
            self.entry = entry
            self.pad = pad
            gst_pad_set_active(pad, 1)
            gst_pad_link(pad, entry)
            gst_pad_push_event(pad, gst_event_new_stream_start("storm"))
        }

        func release() {
            gst_pad_set_active(pad, 0)
            gst_pad_unlink(pad, entry)
            gst_element_release_request_pad(element, entry)
            gst_object_unref(entry)
            gst_object_unref(pad)
        }

        func set(_ property: String, _ value: String) {
            gst_util_set_object_arg(
                UnsafeMutableRawPointer(entry).assumingMemoryBound(to: GObject.self), property, value)
        }

        /// Caps, and the segment that has to follow them.
        func start(_ format: String, _ color: String, _ width: Int, _ height: Int) -> Int {
            let text =
                "video/x-raw,format=\(format),width=\(width),height=\(height),framerate=25/1,colorimetry=\(color)"
            let caps = CompositorStormTests.caps(text)
            var info = GstVideoInfo()
            gst_video_info_from_caps(&info, caps)
            gst_pad_push_event(pad, gst_event_new_caps(caps))
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            gst_pad_push_event(pad, gst_event_new_segment(&segment))
            return Int(info.size)
        }

        func push(_ size: Int, at time: UInt64) {
            guard let buffer = gst_buffer_new_allocate(nil, gsize(size), nil) else { return }
            gst_buffer_memset(buffer, 0, 120, gsize(size))
            buffer.pointee.pts = GstClockTime(time)
            buffer.pointee.duration = 40_000_000
            gst_pad_push(pad, buffer)
        }

        func flush() {
            gst_pad_push_event(pad, gst_event_new_flush_start())
            gst_pad_push_event(pad, gst_event_new_flush_stop(1))
        }
    }

    /// GStreamer's video aggregator never gives back caps that come to a pad while that is released, `compositor`'s
    /// neither. These are held for good, so that they are no leak of a test.
    private static func caps(_ text: String) -> UnsafeMutablePointer<GstCaps>? {
        held.withLock { held in
            if let caps = held[text] { return UnsafeMutablePointer(bitPattern: caps) }
            let caps = gst_caps_from_string(text)
            held[text] = UInt(bitPattern: caps)
            return caps
        }
    }

    private static let held = Locked<[String: UInt]>([:])

    private static let formats = [
        ("I420", "bt709"), ("I420_10LE", "bt2100-pq"), ("P010_10LE", "bt2100-hlg"), ("RGBA", "sRGB"),
        ("A420_10LE", "bt2100-pq"),
    ]
    private static let values = [
        ("xpos", ["-8", "0", "13"]), ("ypos", ["-5", "0", "9"]), ("width", ["-1", "0", "17", "40"]),
        ("height", ["-1", "24"]), ("alpha", ["0", "0.5", "1"]), ("operator", ["source", "over", "add"]),
        ("zorder", ["0", "3"]), ("crop-left", ["0", "7", "90"]), ("video-direction", ["identity", "90r", "auto"]),
        ("sizing-policy", ["none", "keep-aspect-ratio"]),
        ("wipe", ["none", "bar-left", "diagonal", "iris", "clock", "barn-door", "map"]),
        ("wipe-progress", ["0", "0.3", "1"]), ("wipe-softness", ["0", "0.2", "1"]),
        ("wipe-reverse", ["false", "true"]),
    ]

    /// One pad's life: formats, places, flushes and ends in any order.
    /// - Parameter clock: frames that have been pushed by all.
    private static func live(
        _ element: UnsafeMutablePointer<GstElement>, _ random: inout SeededGenerator, _ clock: borrowing Atomic<UInt64>
    ) {
        guard let source = Source(element) else { return }
        defer { source.release() }
        var size: Int?
        for _ in 0..<Int.random(in: 0..<10, using: &random) {
            switch Int.random(in: 0..<12, using: &random) {
            case 0, 1:
                let (format, color) = formats.randomElement(using: &random)!
                size = source.start(
                    format, color, Int.random(in: 1...40, using: &random), Int.random(in: 1...30, using: &random))
            case 2, 3:
                let (property, choices) = values.randomElement(using: &random)!
                source.set(property, choices.randomElement(using: &random)!)
            case 4:
                source.flush()
                size = nil
            case 5:
                gst_pad_push_event(source.pad, gst_event_new_eos())
                return
            case 6:
                let tags = gst_tag_list_new_from_string("taglist,image-orientation=(string)rotate-90")
                gst_pad_push_event(source.pad, gst_event_new_tag(tags))
            default:
                if size == nil { size = source.start("I420", "bt709", 32, 24) }
                let (frame, _) = clock.add(1, ordering: .relaxed)
                source.push(size ?? 0, at: frame * 10_000_000)
            }
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func padsComeAndGo(_ seed: UInt64) throws {
        let element = try #require(gst_element_factory_make("hdrcompositor", nil))
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), "blend-space",
            seed == 2 ? "signal" : "linear")
        let harness = try #require(gst_harness_new_with_element(element, nil, "src"))
        gst_harness_set_drop_buffers(harness, 1)
        gst_harness_play(harness)
        // A canvas all of whose pads have ended has ended itself, as every GstAggregator; this pad never ends.
        let base = try #require(Source(element))
        let size = base.start("I420", "bt709", 32, 24)
        let clock = Atomic<UInt64>(0)
        let others = Atomic<Int>(4)
        let lives = TestWork.scaled(300, least: 40)
        nonisolated(unsafe) let (shared, steady) = (element, base)
        @Sendable func push() {
            let (frame, _) = clock.add(1, ordering: .relaxed)
            steady.push(size, at: frame * 10_000_000)
        }
        @Sendable func storm(_ thread: UInt64) {
            var random = SeededGenerator(seed: seed &* 10 &+ thread)
            for _ in 0..<lives { Self.live(shared, &random, clock) }
            others.subtract(1, ordering: .relaxed)
        }
        onThreads([
            { storm(0) }, { storm(1) }, { storm(2) }, { storm(3) },
            { while others.load(ordering: .relaxed) > 0 { push() } },
        ])
        // It still composes when all others have gone.
        let before = gst_harness_buffers_received(harness)
        for _ in 0..<20 { push() }
        gst_pad_push_event(base.pad, gst_event_new_eos())
        for _ in 0..<500 where gst_harness_buffers_received(harness) < before + 3 { g_usleep(10_000) }
        #expect(gst_harness_buffers_received(harness) >= before + 3)
        base.release()
        gst_harness_teardown(harness)
        gst_object_unref(element)
    }
}
