import CGStreamer
import CGstHDR
import GstBridge
import HDRConcurrency
import HDRExport
import HDRKernels
import HDRMetadata

/// The last filter before the encoder: writes the planned metadata into the caps, and measures light levels.
final class EncoderInputFilter: BinFilter, @unchecked Sendable {
    private let plan: VideoPlan
    private let levels: Locked<ContentLightMeter>
    private unowned let owner: HDRMuxSettings
    private var info = GstVideoInfo()
    private var meter: LightMeter?
    private var signal: VideoSignal?
    private var layout: DefaultLayout?
    /// The PTS at the last `light-levels` message, in ns.
    private var reported: GstClockTime?

    init(_ plan: VideoPlan, _ levels: Locked<ContentLightMeter>, _ owner: HDRMuxSettings) {
        self.plan = plan
        self.levels = levels
        self.owner = owner
    }

    override func stop() {
        meter = nil
        reported = nil
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_EOS { report() }
        guard event.pointee.type == GST_EVENT_CAPS else { return push(event) }
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        guard let given, let copy = gst_caps_copy(given) else { return push(event) }
        defer { gst_caps_unref(copy) }
        if plan.metadata.contentLightLevel == .measured { prepare(given) }
        plan.metadata.known.write(to: copy)
        if plan.frameRate == nil { setNominalRate(copy) }
        // Sources of a playlist may name different chroma sites, and encoders restart at each change of caps.
        if plan.chromaLocation == nil { Caps.removeField(copy, "chroma-site") }
        gst_mini_object_unref(UnsafeMutableRawPointer(event).assumingMemoryBound(to: GstMiniObject.self))
        return gst_event_new_caps(copy).map { push($0) } ?? false
    }

    /// x265enc refuses caps without a plausible frame rate. Pictures keep their own timestamps.
    private func setNominalRate(_ caps: UnsafeMutablePointer<GstCaps>) {
        var rate = GValue()
        g_value_init(&rate, gst_fraction_get_type())
        defer { g_value_unset(&rate) }
        gst_value_set_fraction(&rate, 30, 1)
        for structure in Caps.structures(caps) { gst_structure_set_value(structure, "framerate", &rate) }
    }

    private func prepare(_ caps: UnsafeMutablePointer<GstCaps>) {
        meter = nil
        guard gst_video_info_from_caps(&info, caps) != 0, let signal = try? VideoSignal(info) else { return }
        var options = LightMeter.Options()
        options.percentile = true
        self.signal = signal
        layout = DefaultLayout(info)
        meter = LightMeter(
            layout: signal.layout, signal: signal.color, siting: signal.siting, width: signal.width,
            height: signal.height, options: options, instructionSet: CPUChoice.current.instructionSet)
    }

    /// The picture without the black borders that scaling adds, which light levels leave out.
    private var area: PictureArea {
        let (frame, borders) = (plan.geometry.frame, plan.geometry.borders)
        let right = max(borders.left, frame.width - borders.right)
        let bottom = max(borders.top, frame.height - borders.bottom)
        return PictureArea(columns: borders.left..<right, rows: borders.top..<bottom)
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        if let meter, let signal, let layout { measure(buffer, meter, signal, layout) }
        return push(buffer)
    }

    private func measure(
        _ buffer: UnsafeMutablePointer<GstBuffer>, _ meter: LightMeter, _ signal: VideoSignal, _ layout: DefaultLayout
    ) {
        var frame = GstVideoFrame()
        guard gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ) != 0 else { return }
        let view = FrameView(&frame, (signal.width, signal.height), signal.layout, layout)
        let light = view.flatMap { meter.measure($0, area: area) }
        gst_video_frame_unmap(&frame)
        guard let light else { return }
        levels.withLock { $0.add(maximum: light.maximum, average: light.average, percentile: light.percentile) }
        let time = buffer.pointee.pts
        guard time != GstClockTime.max else { return }
        if reported == nil { reported = time }
        if let last = reported, time >= last, time - last >= 1_000_000_000 {
            reported = time
            report()
        }
    }

    private func report() {
        guard meter != nil else { return }
        owner.post(levels.current.structure("light-levels"))
    }
}
