import CGStreamer
import CGstHDR
import Glibc
import GstBridge
import HDRColor
import HDRConcurrency
import HDRKernels
import HDRMetadata
import HDRPresenter

extension EDRSink {
    /// Where pictures are made: what comes in, and how it becomes what the display gets.
    struct Painter: @unchecked Sendable {
        var source: Source?
        var orientation = Orientation()
        var run: Run?
        var pool: RowPool?
        /// The picture of a buffer that is to be shown.
        var pending: (buffer: UnsafeMutablePointer<GstBuffer>, made: PresenterBuffer)?
        /// The buffer that is shown; a reference is owned.
        var last: UnsafeMutablePointer<GstBuffer>?
        /// Pictures before they are turned.
        var scratch: [UInt8] = []
        let blender = OverlayBlender()

        mutating func dropPending(_ presenter: (any Presenter)?) {
            if let pending { presenter?.release(pending.made) }
            pending = nil
        }

        mutating func forget(_ presenter: (any Presenter)?) {
            dropPending(presenter)
            run = nil
        }

        mutating func keep(_ buffer: UnsafeMutablePointer<GstBuffer>?) {
            if let buffer { gst_buffer_ref(buffer) }
            if let last { gst_buffer_unref(last) }
            last = buffer
        }
    }

    /// What was negotiated.
    struct Source {
        let signal: VideoSignal
        let info: GstVideoInfo
        let metadata: StaticMetadata
        let layout: DefaultLayout
        let pixelAspect: Double
    }

    /// A conversion ready to run, and what it was made from.
    struct Run {
        let plan: ConversionPlan
        let format: FormatPlan
        let converter: PictureConverter
    }

    enum Painted {
        case picture(PresenterBuffer)
        case flushing
        case failed(String)
    }

    // MARK: The streaming thread

    func prepare(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        let before = screen.current.picture
        let result: GstFlowReturn = painter.withLock { painter in
            painter.dropPending(screen.current.presenter)
            switch paint(buffer, &painter) {
            case .picture(let made):
                painter.pending = (buffer, made)
                return GST_FLOW_OK
            case .flushing: return GST_FLOW_FLUSHING
            case .failed(let reason):
                error(reason)
                return GST_FLOW_ERROR
            }
        }
        if result == GST_FLOW_OK { offer(buffer) }
        if screen.current.picture != before { displayHasChanged() }
        return result
    }

    func show(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        frames.advance()
        return painter.withLock { painter in
            // The picture that a pause has shown comes again when the pipeline plays; what changed meanwhile has painted it
            // anew.
            if painter.pending == nil, painter.last == buffer { return GST_FLOW_OK }
            var made: PresenterBuffer
            // Between the two the display may have changed.
            if let pending = painter.pending, pending.buffer == buffer,
                pending.made.description == screen.current.picture
            {
                made = pending.made
                painter.pending = nil
            } else {
                painter.dropPending(screen.current.presenter)
                switch paint(buffer, &painter) {
                case .picture(let new): made = new
                case .flushing: return GST_FLOW_FLUSHING
                case .failed(let reason):
                    error(reason)
                    return GST_FLOW_ERROR
                }
            }
            painter.keep(buffer)
            return present(made, buffer) ? GST_FLOW_OK : GST_FLOW_ERROR
        }
    }

    private func present(_ made: PresenterBuffer, _ buffer: UnsafeMutablePointer<GstBuffer>) -> Bool {
        guard let presenter = screen.current.presenter else { return true }
        let serial = record.begin(buffer, target: MonotonicClock.now())
        do {
            try presenter.present(made, serial: serial, views: views(made.description), target: nil)
            return true
        } catch {
            presenter.release(made)
            self.error(error.description)
            return false
        }
    }

    // MARK: Other threads

    /// Makes the picture that is shown anew: the display or a setting has changed.
    func repaint() {
        worker.ask { [unowned self] in
            let before = screen.current.picture
            painter.withLock { painter in
                guard let last = painter.last, case .picture(let made) = paint(last, &painter) else { return }
                _ = present(made, last)
            }
            if screen.current.picture != before { displayHasChanged() }
        }
    }

    /// Shows the picture as it is in another place.
    func redraw() {
        let screen = screen.current
        guard let presenter = screen.presenter, let picture = screen.picture else { return }
        presenter.redraw(views: views(picture))
    }

    // MARK: Making a picture

    private func paint(_ buffer: UnsafeMutablePointer<GstBuffer>, _ painter: inout Painter) -> Painted {
        guard let source = painter.source, let presenter = screen.current.presenter else {
            return .failed("A picture came before the caps that tell what it is.")
        }
        var made: PresenterBuffer?
        // A display that refuses a way of showing pictures is asked for the next.
        for attempt in 0..<6 {
            do {
                try configure(source, presenter, &painter)
                made = try presenter.acquire()
                break
            } catch {
                if attempt == 5 { return .failed(error.description) }
            }
        }
        guard let made else { return .flushing }
        if let problem = fill(made, buffer, source, &painter) {
            presenter.release(made)
            return .failed(problem)
        }
        return .picture(made)
    }

    /// Chooses what the display gets, and plans the conversion where it has changed.
    private func configure(
        _ source: Source, _ presenter: any Presenter, _ painter: inout Painter
    ) throws(PresenterError) {
        let settings = settings.current
        let choice = choose(source, presenter, settings)
        let plan = settings.plan(source, choice, headroom: settings.headroom(of: presenter.display))
        let target = choice.format.layout
        let isCoarser = target.bits < source.signal.layout.bits || (target.bits == 8 && !plan.keepsLight)
        let format = FormatPlan(
            source: source.signal.layout.opaque, target: target, sourceSiting: source.signal.siting,
            targetSiting: .left, chromaMode: .linear, dither: isCoarser ? .ordered : .none)
        let threads = max(1, min(Int(g_get_num_processors()), source.signal.height / 16))
        if painter.pool?.threads != threads { painter.pool = RowPool(threads: threads) }
        if painter.run?.plan != plan || painter.run?.format != format
            || painter.run?.converter.width != source.signal.width
        {
            painter.run = Run(
                plan: plan, format: format,
                converter: PictureConverter(
                    plan: plan, format: format, quality: .balanced, width: source.signal.width, threads: threads,
                    instructionSet: CPUChoice.current.instructionSet, replacing: painter.run?.converter))
        }
        let picture = describe(source, choice, plan, presenter.display, painter.orientation)
        guard picture != screen.current.picture else { return }
        try presenter.configure(picture)
        screen.withLock { $0.picture = picture }
    }

    private func choose(
        _ source: Source, _ presenter: any Presenter, _ settings: Settings
    ) -> (format: PictureFormat, encoding: PictureEncoding) {
        let isHDR = source.signal.color.transfer.isHDR
        let wants = settings.wantsExtendedRange && (isHDR || settings.asksForEncoding)
        // Half floats are twice the memory of ten bits.
        if wants, settings.format == nil, settings.transfer == nil,
            source.signal.width * source.signal.height > 1920 * 1088
        {
            let choice = presenter.choose(wantsExtendedRange: true, format: .rgb10a2, encoding: .pq)
            if choice.encoding.transfer != .sRGB { return choice }
        }
        return presenter.choose(wantsExtendedRange: wants, format: settings.format, encoding: settings.transfer)
    }

    private func describe(
        _ source: Source, _ choice: (format: PictureFormat, encoding: PictureEncoding), _ plan: ConversionPlan,
        _ display: DisplayState, _ orientation: Orientation
    ) -> PictureDescription {
        let turned = orientation.isTransposed
        let scale = display.referenceWhite / plan.referenceWhite
        let told = source.signal.color.transfer == .pq ? source.metadata.peak ?? ConversionPlan.nominalHDRPeak : nil
        let peak = min(told ?? plan.sourcePeak, plan.targetPeak)
        let level = source.signal.color.transfer == .pq ? source.metadata.contentLightLevel : nil
        func limited(_ value: UInt16) -> Double? { value == 0 ? nil : min(Double(value), peak) * scale }
        return PictureDescription(
            width: turned ? source.signal.height : source.signal.width,
            height: turned ? source.signal.width : source.signal.height, format: choice.format,
            encoding: choice.encoding, contentPeak: peak * scale, maxCLL: level.flatMap { limited($0.maximum) },
            maxFALL: level.flatMap { limited($0.frameAverage) })
    }

    /// Converts a buffer's picture.
    /// - Returns: what is wrong with the buffer.
    private func fill(
        _ made: PresenterBuffer, _ buffer: UnsafeMutablePointer<GstBuffer>, _ source: Source, _ painter: inout Painter
    ) -> String? {
        guard let run = painter.run, let pool = painter.pool else { return "Nothing was negotiated." }
        var info = source.info
        var frame = GstVideoFrame()
        let flags = GstMapFlags(GST_MAP_READ.rawValue | GST_VIDEO_FRAME_MAP_FLAG_NO_REF.rawValue)
        guard gst_video_frame_map(&frame, &info, buffer, flags) != 0 else {
            return
                "A buffer of \(gst_buffer_get_size(buffer)) bytes is no picture of its caps. The element before this "
                + "one is at fault."
        }
        defer { gst_video_frame_unmap(&frame) }
        let size = (width: source.signal.width, height: source.signal.height)
        guard let from = FrameView(&frame, size, run.format.source, source.layout) else {
            return "A buffer's picture differs from its caps. The element before this one is at fault."
        }
        let isInterlaced =
            run.format.source.verticalShift > 0 && withUnsafeMutablePointer(to: &frame) { $0.isInterlaced }
        func convert(_ memory: UnsafeMutableRawPointer, _ stride: Int) {
            let plane = FrameView.Plane(data: memory, stride: stride)
            guard let to = FrameView(width: size.width, height: size.height, planes: [plane]) else { return }
            pool.convertFrame(from, to, run.converter, isInterlaced: isInterlaced)
        }
        if painter.orientation == Orientation() {
            convert(made.memory, made.stride)
        } else {
            let pixel = made.description.format.bytesPerPixel
            let stride = (size.width * pixel + 63) & ~63
            if painter.scratch.count != stride * size.height {
                painter.scratch = [UInt8](repeating: 0, count: stride * size.height)
            }
            let orientation = painter.orientation
            painter.scratch.withUnsafeMutableBytes { bytes in
                guard let memory = bytes.baseAddress else { return }
                convert(memory, stride)
                orientation.turn(
                    memory, stride: stride, width: size.width, height: size.height, to: made.memory,
                    stride: made.stride, bytesPerPixel: pixel)
            }
        }
        painter.blender.blend(buffer, into: made, run.plan, painter.orientation, size)
        return nil
    }
}

extension EDRSink.Settings {
    func headroom(of display: DisplayState) -> Double {
        let headroom = forcedHeadroom > 0 ? forcedHeadroom : display.headroom
        return headroom.isFinite ? min(max(headroom, 1), 10000 / 203) : 1
    }

    /// The conversion to what a display gets. SDR white is 203 cd/m² in it, whatever the display makes of that.
    func plan(
        _ source: EDRSink.Source, _ choice: (format: PictureFormat, encoding: PictureEncoding), headroom: Double
    ) -> ConversionPlan {
        var settings = ConversionSettings()
        let isSDR = choice.encoding.transfer == .sRGB
        settings.toneCurve =
            switch toneMapping {
            case GST_EDR_TONE_MAPPING_CLIP: .clip
            case GST_EDR_TONE_MAPPING_BT2390: .bt2390
            default: isSDR ? nil : .rolloff
            }
        if source.signal.color.transfer == .pq, let peak = source.metadata.peak, peak >= 1 {
            settings.sourcePeak = peak
        }
        if !isSDR { settings.targetPeak = settings.referenceWhite * headroom }
        let target = choice.encoding.signal(choice.format)
        let plan = ConversionPlan(source: source.signal.color, target: target, settings: settings)
        guard plan.keepsLight, plan.target.transfer == .pq, plan.targetPeak < PQ.peak else { return plan }
        // The source says that all of it fits; what does not is cut all the same.
        settings.sourcePeak = PQ.peak
        settings.toneCurve = .clip
        return ConversionPlan(source: source.signal.color, target: target, settings: settings)
    }
}

extension PictureFormat {
    /// How the kernels write it.
    var layout: PixelLayout {
        let name: String
        switch self {
        case .rgba16f: return .rgba16f
        case .rgb10a2: name = "RGB10A2_LE"
        case .bgr10a2: name = "BGR10A2_LE"
        case .rgba8: name = "RGBx"
        case .bgra8: name = "BGRx"
        }
        return PixelLayout.byName[name]?.opaque ?? .rgba16f
    }
}

extension PictureEncoding {
    /// What its code values mean.
    func signal(_ format: PictureFormat) -> ColorSignal {
        let transfer: HDRColor.Transfer =
            switch self.transfer {
            case .extendedLinear: .extendedLinear(white: whiteValue)
            case .pq: .pq
            case .sRGB: .sRGB
            }
        let primaries: HDRColor.Primaries =
            switch self.primaries {
            case .sRGB: .bt709
            case .displayP3: .displayP3
            case .bt2020: .bt2020
            }
        let bits = format.layout.bits
        return ColorSignal(
            transfer: transfer, primaries: primaries,
            quantization: format == .rgba16f ? .binary16 : Quantization(bits: bits, fullRange: true, matrix: nil))
    }
}
