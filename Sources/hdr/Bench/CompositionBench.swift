import CGStreamer
import GstBridge

/// Measures composing: `hdrcompositor` beside GStreamer's `compositor` on the same pictures.
struct CompositionBench {
    let options: CompositionOptions

    /// What becomes of the picture of the second pad; that of the first one is as large as the canvas.
    private enum Work: String, CaseIterable {
        case overlay = "a quarter over it"
        case dissolve
        case scaling = "a quarter scaled to it"

        var isSmall: Bool { self != .dissolve }

        func pad(_ width: Int, _ height: Int) -> String {
            switch self {
            case .overlay: "sink_1::xpos=\(width / 4) sink_1::ypos=\(height / 4)"
            case .dissolve: "sink_1::alpha=0.5"
            case .scaling: "sink_1::width=\(width) sink_1::height=\(height)"
            }
        }
    }

    private struct Subject {
        let name: String
        let element: String
        let signal: Signal
        let work: Work
    }

    private var subjects: [Subject] {
        Work.allCases.flatMap { work in
            let own = "hdrcompositor n-threads=\(options.threads)"
            let other = "compositor background=black"
            var mixers = [("hdrcompositor, I420_10LE", own, "I420_10LE", "bt2100-pq")]
            // Opaque pictures are copied, or scaled as light, in either blend space.
            if work == .dissolve {
                mixers.append(
                    ("hdrcompositor, I420_10LE signals", "\(own) blend-space=signal", "I420_10LE", "bt2100-pq"))
            }
            // `compositor` mixes planes as they are, and converts P010, the format of decoders, to mix it.
            mixers += [
                ("compositor, I420_10LE", other, "I420_10LE", "bt709"),
                ("hdrcompositor, P010_10LE", own, "P010_10LE", "bt2100-pq"),
                ("compositor, P010_10LE", other, "P010_10LE", "bt709"),
                ("compositor, I420", other, "I420", "bt709"),
            ]
            return mixers.map { name, element, format, color in
                Subject(
                    name: "\(name), \(work.rawValue)", element: element, signal: Signal(format, color), work: work)
            }
        }
    }

    func measure() throws(Failure) -> [MeasuredSubject] {
        var works: [(name: String, work: any FrameWork)] = []
        let (width, height) = (options.width, options.height)
        for subject in subjects {
            let lower = try SourceFrames(subject.signal, width: width, height: height, content: .natural, count: 2)
            let upper =
                subject.work.isSmall
                ? try SourceFrames(subject.signal, width: width / 2, height: height / 2, content: .natural, count: 2)
                : lower
            let pad = subject.work.pad(width, height)
            let line = "\(subject.element) name=mixer \(pad) ! capsfilter caps=\"\(lower.caps)\""
            works.append((subject.name, try CompositionFeeder(line, [lower, upper])))
        }
        return try MeasuredSubject.inTurns(works, frames: options.frames)
    }
}

/// A mixer with loose pads: pictures are pushed to each, and what comes out is counted and dropped.
final class CompositionFeeder: FrameWork {
    private static let frame: GstClockTime = 16_666_667
    private let line: String
    private let bin: UnsafeMutablePointer<GstElement>
    private let sources: [SourceFrames]
    private var pads: [UnsafeMutablePointer<GstPad>] = []
    private let drain: UnsafeMutablePointer<GstPad>
    private let count: UnsafeMutablePointer<gint>
    private var next = 0
    /// The number of pictures that the mixer holds until the next ones come: first an assumption, then as measured.
    private var waiting = 1

    /// - Parameters:
    ///   - line: elements as on a launch line, the first of which is called `mixer`.
    ///   - sources: of its pads, from the lowest up.
    init(_ line: String, _ sources: [SourceFrames]) throws(Failure) {
        self.line = line
        self.sources = sources
        var error: UnsafeMutablePointer<GError>?
        guard let made = gst_parse_bin_from_description(line, 1, &error),
            let mixer = gst_bin_get_by_name(UnsafeMutableRawPointer(made).assumingMemoryBound(to: GstBin.self), "mixer")
        else {
            defer { g_clear_error(&error) }
            throw Failure(error.map { String(cString: $0.pointee.message) } ?? "cannot make \(line)")
        }
        defer { gst_object_unref(mixer) }
        bin = made.asGstElement
        count = .allocate(capacity: 1)
        count.initialize(to: 0)
        drain = gst_pad_new("drain", GST_PAD_SINK)
        gst_pad_set_chain_function_full(
            drain,
            { pad, _, buffer in
                if let count = pad?.pointee.chaindata { g_atomic_int_inc(count.assumingMemoryBound(to: gint.self)) }
                gst_buffer_unref(buffer!)
                return GST_FLOW_OK
            }, count, nil)
        gst_pad_set_active(drain, 1)
        if let exit = gst_element_get_static_pad(bin, "src") {
            gst_pad_link(exit, drain)
            gst_object_unref(exit)
        }
        for index in sources.indices {
            guard
                let entry = gst_element_get_static_pad(mixer, "sink_\(index)")
                    ?? gst_element_request_pad_simple(mixer, "sink_\(index)"), let pad = gst_pad_new(nil, GST_PAD_SRC)
            else { throw Failure("\(line) has no pad for a picture") }
            gst_pad_set_active(pad, 1)
            gst_pad_link_full(pad, entry, GST_PAD_LINK_CHECK_NOTHING)
            gst_object_unref(entry)
            pads.append(pad)
        }
        gst_element_set_state(bin, GST_STATE_PLAYING)
        for (index, pad) in pads.enumerated() {
            gst_pad_push_event(pad, gst_event_new_stream_start("bench"))
            let caps = gst_caps_from_string(sources[index].caps)
            gst_pad_push_event(pad, gst_event_new_caps(caps))
            gst_caps_unref(caps)
            var segment = GstSegment()
            gst_segment_init(&segment, GST_FORMAT_TIME)
            gst_pad_push_event(pad, gst_event_new_segment(&segment))
        }
        _ = try run(frames: 2)
        for _ in 0..<500 where Int(g_atomic_int_get(count)) < next { g_usleep(1000) }
        waiting = next - Int(g_atomic_int_get(count))
    }

    deinit {
        gst_element_set_state(bin, GST_STATE_NULL)
        gst_object_unref(bin)
        for pad in pads { gst_object_unref(pad) }
        gst_object_unref(drain)
        count.deallocate()
    }

    func run(frames: Int) throws(Failure) -> Clock {
        let start = Clock.now
        for _ in 0..<frames {
            for (source, pad) in zip(sources, pads) {
                // The memory is used again; times are those of this frame.
                guard let buffer = gst_buffer_copy(source.buffers[next % source.buffers.count]) else { continue }
                buffer.pointee.pts = GstClockTime(next) * Self.frame
                buffer.pointee.duration = Self.frame
                let flow = gst_pad_push(pad, buffer)
                guard flow == GST_FLOW_OK else {
                    throw Failure("\(line): \(String(cString: gst_flow_get_name(flow))) from \(source.caps)")
                }
            }
            next += 1
            try wait()
        }
        return Clock.now - start
    }

    /// Until all pictures have come out but those that wait for the next ones.
    private func wait() throws(Failure) {
        for _ in 0..<200_000 {
            if Int(g_atomic_int_get(count)) >= next - waiting { return }
            g_usleep(50)
        }
        throw Failure("\(line) gives no pictures")
    }
}
