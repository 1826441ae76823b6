import CGStreamer
import Glibc

/// An element between two loose pads, fed with the same buffers over and over on the calling thread.
final class Feeder {
    let element: UnsafeMutablePointer<GstElement>
    private let source: UnsafeMutablePointer<GstPad>
    private let sink: UnsafeMutablePointer<GstPad>
    private let frames: Int
    private let rate: Int
    private let samples: [Float]
    private var position = 0

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - line: the element as on a launch line.
    ///   - frames: of a buffer, stereo F32 at `rate`.
    init(_ line: String, frames: Int, rate: Int = 48_000) throws(Failure) {
        var error: UnsafeMutablePointer<GError>?
        guard let made = gst_parse_bin_from_description(line, 1, &error) else {
            throw Failure(description: error.map { String(cString: $0.pointee.message) } ?? "cannot make \(line)")
        }
        element = UnsafeMutableRawPointer(made).assumingMemoryBound(to: GstElement.self)
        self.frames = frames
        self.rate = rate
        // A steady tone and some noise: no silence, no subnormal numbers.
        samples = (0..<(2 * frames)).map { Float(0.4 * sin(Double($0) * 0.05) + 0.1 * Double.random(in: -1...1)) }
        source = gst_pad_new("feed", GST_PAD_SRC)
        sink = gst_pad_new("drain", GST_PAD_SINK)
        gst_pad_set_chain_function_full(
            sink,
            { _, _, buffer in
                gst_mini_object_unref(UnsafeMutableRawPointer(buffer!).assumingMemoryBound(to: GstMiniObject.self))
                return GST_FLOW_OK
            }, nil, nil)
        gst_pad_set_active(source, 1)
        gst_pad_set_active(sink, 1)
        if let pad = gst_element_get_static_pad(element, "sink") { gst_pad_link(source, pad) }
        if let pad = gst_element_get_static_pad(element, "src") { gst_pad_link(pad, sink) }
        gst_element_set_state(element, GST_STATE_PLAYING)
        let caps = gst_caps_from_string("audio/x-raw,format=F32LE,layout=interleaved,channels=2,rate=\(rate)")
        gst_pad_push_event(source, gst_event_new_stream_start("bench"))
        gst_pad_push_event(source, gst_event_new_caps(caps))
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_pad_push_event(source, gst_event_new_segment(&segment))
        gst_caps_unref(caps)
    }

    deinit {
        gst_element_set_state(element, GST_STATE_NULL)
        gst_object_unref(element)
        gst_object_unref(source)
        gst_object_unref(sink)
    }

    /// Pushes buffers; returns the thread's CPU time for each, in ns, without that of making the buffers.
    func run(buffers: Int, between: (Int) -> Void = { _ in }) -> Double {
        var spent = 0.0
        let batch = 64
        var ready: [UnsafeMutablePointer<GstBuffer>] = []
        for start in stride(from: 0, to: buffers, by: batch) {
            let count = min(batch, buffers - start)
            ready.removeAll(keepingCapacity: true)
            for _ in 0..<count {
                guard let buffer = gst_buffer_new_allocate(nil, gsize(8 * frames), nil) else { continue }
                samples.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, gsize(8 * frames)) }
                buffer.pointee.pts = GstClockTime(position * 1_000_000_000 / rate)
                buffer.pointee.duration = GstClockTime(frames * 1_000_000_000 / rate)
                position += frames
                ready.append(buffer)
            }
            let before = Self.cpuTime
            for (index, buffer) in ready.enumerated() {
                between(start + index)
                gst_pad_push(source, buffer)
            }
            spent += Self.cpuTime - before
        }
        return spent / Double(max(buffers, 1))
    }

    /// CPU time of this thread in ns.
    private static var cpuTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
