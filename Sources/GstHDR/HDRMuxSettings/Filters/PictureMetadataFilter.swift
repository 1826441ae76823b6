import CGStreamer
import CGstHDR
import GstBridge
import HDRBitstream
import HDRColor
import HDRExport
import HDRKernels
import HDRMetadata

/// Attaches the planned dynamic metadata to pictures in front of the encoder, which passes them on with the picture.
final class PictureMetadataFilter: BinFilter, @unchecked Sendable {
    private let plan: VideoPlan
    private let source: FrameSize
    private let turn: Orientation
    private let first: [BufferMetadata]
    private let history: () -> PictureHistory
    private var maker: PictureMetadataMaker?
    private var info = GstVideoInfo()
    private var signal: VideoSignal?
    private var layout: DefaultLayout?
    private var meter: LightMeter?
    private var plusMeter: HDR10PlusMeter?
    private var pool: RowPool?
    private var statistics = LightStatistics()
    private var structure: PictureStructure?
    /// Whether the next picture is the first one of another source.
    private var isJoint = false
    private var hasComplained = false

    /// - Parameters:
    ///   - source: the size in pixels of the pictures that the bin gets.
    ///   - turn: the rotation that was applied before the bin.
    ///   - first: the Dolby Vision metadata among the first pictures.
    ///   - history: returns what elements before the bin do to pictures at present.
    init(
        _ plan: VideoPlan, source: FrameSize, turn: Orientation, first: [BufferMetadata],
        history: @escaping () -> PictureHistory
    ) {
        self.first = first
        self.history = history
        self.plan = plan
        self.source = source
        self.turn = turn
    }

    override func stop() {
        maker = nil
        meter = nil
        plusMeter = nil
        pool = nil
        isJoint = false
        hasComplained = false
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if let told = SourceSize(told: event) {
            gst_mini_object_unref(event.asMiniObject)
            if told.size == source {
                maker?.take(plan.geometry, of: source)
            } else {
                maker?.take(told, plan.geometry)
            }
            return true
        }
        if [GST_EVENT_SEGMENT, GST_EVENT_STREAM_START].contains(event.pointee.type) { isJoint = true }
        if event.pointee.type == GST_EVENT_CAPS {
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            if let caps { prepare(caps) }
        }
        return push(event)
    }

    private func prepare(_ caps: UnsafeMutablePointer<GstCaps>) {
        meter = nil
        plusMeter = nil
        guard gst_video_info_from_caps(&info, caps) != 0, let signal = try? VideoSignal(info) else { return }
        self.signal = signal
        layout = DefaultLayout(info)
        if maker == nil {
            maker = PictureMetadataMaker(
                plan, source: source, turn: turn, interval: SceneDetection.interval(info))
            if !first.isEmpty { maker?.history = history() }
            maker?.begin(with: first)
        }
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        guard maker != nil else { return push(buffer) }
        if buffer.pointee.mini_object.flags & GST_BUFFER_FLAG_DISCONT.rawValue != 0 { isJoint = true }
        structure = nil
        let own = DynamicMetadataPayload.Format.allCases.compactMap { buffer.metadata($0) }
        // An application may move the edges of a crop at any time.
        if !own.isEmpty { maker?.history = history() }
        let light = maker?.measures(.dolbyVision, own) == true ? measure(buffer, own) : nil
        let distribution = maker?.measures(.hdr10Plus, own) == true ? measureForHDR10Plus(buffer) : nil
        let payloads = maker?.payloads(own, light, distribution, structure, isJoint: isJoint) ?? []
        isJoint = false
        if let problem = maker?.problem, !hasComplained {
            hasComplained = true
            warning("dynamic metadata of a picture are replaced by those of the one before: \(problem)")
        }
        guard !own.isEmpty || !payloads.isEmpty, let writable = buffer.writable() else { return push(buffer) }
        writable.removeMetadata()
        for payload in payloads {
            writable.setMetadata(BufferMetadata(payload: payload, width: Int(info.width), height: Int(info.height)))
        }
        return push(writable)
    }

    // MARK: Light

    private func rowPool(_ signal: VideoSignal) -> RowPool {
        if let pool { return pool }
        let made = RowPool(threads: max(1, min(Int(g_get_num_processors()), signal.height / 64)))
        pool = made
        return made
    }

    /// The black borders that scaling has added to the present picture.
    private var borders: FrameInsets { maker?.geometry.borders ?? plan.geometry.borders }

    /// Measures the light of all pixels except those of the borders that scaling adds; `nil` where it cannot be
    /// measured.
    private func measureForHDR10Plus(_ buffer: UnsafeMutablePointer<GstBuffer>) -> PQDistribution? {
        guard let signal, let layout else { return nil }
        if plusMeter == nil { plusMeter = HDR10PlusMeter(signal, pool: rowPool(signal)) }
        guard let plusMeter else { return nil }
        let borders = borders
        let (left, top) = (min(max(borders.left, 0), signal.width), min(max(borders.top, 0), signal.height))
        let area = PictureArea(
            columns: left..<max(left, signal.width - max(borders.right, 0)),
            rows: top..<max(top, signal.height - max(borders.bottom, 0)))
        let found = info.withMappedFrame(buffer) { frame in
            FrameView(frame, (signal.width, signal.height), signal.layout, layout).flatMap {
                plusMeter.measure(
                    $0, area: area, isInterlaced: signal.layout.verticalShift > 0 && frame.isInterlaced)
            }
        }
        return found ?? nil
    }

    /// Measures a picture's light without its black bars and the borders that scaling adds; `nil` where it cannot be
    /// measured.
    private func measure(_ buffer: UnsafeMutablePointer<GstBuffer>, _ own: [BufferMetadata]) -> LightStatistics? {
        guard let signal, let layout else { return nil }
        let pool = rowPool(signal)
        let bars = maker?.bars(of: own.first { $0.payload.format == .dolbyVision }) ?? .zero
        let isMeasured = info.withMappedFrame(buffer) { frame in
            var inner = frame.pointee
            let size = inner.isCut(to: bars) ? bars.size(within: signal) : (signal.width, signal.height)
            guard let meter = meter(signal, size, pool.threads),
                let view = FrameView(&inner, size, signal.layout, layout)
            else { return false }
            meter.begin()
            pool.measureFrame(view, meter, isInterlaced: signal.layout.verticalShift > 0 && frame.isInterlaced)
            meter.read(into: &statistics)
            structure = PictureStructure(&inner, (size.0, size.1))
            return true
        }
        return isMeasured == true ? statistics : nil
    }

    /// The meter for pictures of a size; made anew where the shape changes from one joined clip to the next.
    private func meter(_ signal: VideoSignal, _ size: (width: Int, height: Int), _ threads: Int) -> LightMeter? {
        if let meter, meter.width == size.width, meter.height == size.height { return meter }
        var options = LightMeter.Options()
        options.gamut = signal.color.primaries
        meter = LightMeter(
            layout: signal.layout, signal: signal.color, siting: signal.siting, width: size.width, height: size.height,
            options: options, threads: threads, instructionSet: CPUChoice.current.instructionSet)
        return meter
    }
}

extension FrameInsets {
    /// These insets with left and top rounded up to even numbers, so that subsampled chroma keeps its place.
    fileprivate var even: FrameInsets {
        FrameInsets(left: left + left % 2, top: top + top % 2, right: right, bottom: bottom)
    }

    fileprivate func size(within signal: VideoSignal) -> (width: Int, height: Int) {
        let even = even
        return (signal.width - even.left - even.right, signal.height - even.top - even.bottom)
    }
}

extension GstVideoFrame {
    /// Moves the start of each plane behind the black bars.
    /// - Returns: `false` where the whole picture stays: without bars, for formats whose samples do not occupy whole
    ///   bytes or words, and where fewer than a few pixels would be left.
    fileprivate mutating func isCut(to bars: FrameInsets) -> Bool {
        let bars = bars.even
        guard let format = info.finfo?.pointee, bars != .zero,
            format.flags.rawValue & (GST_VIDEO_FORMAT_FLAG_COMPLEX.rawValue | GST_VIDEO_FORMAT_FLAG_TILED.rawValue)
                == 0,
            min(bars.left, bars.top, bars.right, bars.bottom) >= 0,
            Int(info.width) - bars.left - bars.right >= 16, Int(info.height) - bars.top - bars.bottom >= 16
        else { return false }
        func value<Values, Value>(_ values: Values, _ index: Int, _ type: Value.Type) -> Value {
            withUnsafeBytes(of: values) { $0.bindMemory(to: type)[index] }
        }
        var isMoved = [false, false, false, false]
        for component in 0..<Int(format.n_components) {
            let plane = Int(value(format.plane, component, guint.self))
            guard !isMoved[plane] else { continue }
            isMoved[plane] = true
            let row = bars.top >> Int(value(format.h_sub, component, guint.self))
            let column = bars.left >> Int(value(format.w_sub, component, guint.self))
            let offset =
                row * Int(value(info.stride, plane, gint.self))
                + column * Int(value(format.pixel_stride, component, gint.self))
            withUnsafeMutableBytes(of: &data) { data in
                let planes = data.bindMemory(to: gpointer?.self)
                planes[plane] = planes[plane].map { $0 + offset }
            }
        }
        return true
    }
}
