import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRConcurrency
import HDRKernels
import HDRPresenter

extension EDRSink {
    /// The state with which pictures are made, protected by the painter's lock.
    struct Painter: @unchecked Sendable {
        var source: Source?
        var orientation = Orientation()
        var plan: Plan?
        /// Plans of the most recent scenes, reused when the light returns to one of them (after a flash, or between two
        /// camera angles).
        var recentPlans: [Plan] = []
        var pool: RowPool?
        /// Memory for contrast recovery, shared by the plans for pictures of its size.
        var recoveryMap: RecoveryMap?
        var scene = SceneState()
        var metadata = MetadataState()
        /// The buffer that was prepared and is shown next, the picture made from it, and the light of its scene.
        var pending: (buffer: UnsafeMutablePointer<GstBuffer>, made: PresenterBuffer, light: SceneTracker.Light?)?
        /// The buffer that is shown; a reference is owned.
        var last: UnsafeMutablePointer<GstBuffer>?
        /// Memory for pictures before they are rotated or mirrored.
        var scratch: [UInt8] = []
        let blender = OverlayBlender()

        mutating func dropPending(_ presenter: (any Presenter)?) {
            if let pending { presenter?.release(pending.made) }
            pending = nil
        }

        mutating func forget(_ presenter: (any Presenter)?) {
            dropPending(presenter)
            plan = nil
            recentPlans = []
        }

        mutating func keep(_ buffer: UnsafeMutablePointer<GstBuffer>?) {
            if let buffer { gst_buffer_ref(buffer) }
            if let last { gst_buffer_unref(last) }
            last = buffer
            scene.lastLight = buffer == nil ? nil : scene.light
        }
    }

    enum Painted {
        case picture(PresenterBuffer)
        case flushing
        case failed(String)
    }

    // MARK: The streaming thread

    // Errors are posted without the painter's lock: a handler of the application may save a frame then.

    func prepare(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        let before = screen.current.picture
        let turn = windowTurn.withLock { $0 }
        var problem: String?
        let (result, message): (GstFlowReturn, Structure.Pointer?) = painter.withLock { painter in
            painter.dropPending(screen.current.presenter)
            painter.scene.isNext = painter.last != buffer
            painter.scene.light = painter.scene.lastLight
            switch paint(buffer, &painter) {
            case .picture(let made):
                painter.pending = (buffer, made, painter.scene.light)
                return (GST_FLOW_OK, painter.scene.takeMessage())
            case .flushing where hasMoved(since: turn), .failed where hasMoved(since: turn):
                return (GST_FLOW_OK, painter.scene.takeMessage())
            case .flushing: return (GST_FLOW_FLUSHING, painter.scene.takeMessage())
            case .failed(let reason):
                problem = reason
                return (GST_FLOW_ERROR, painter.scene.takeMessage())
            }
        }
        if let problem { error(problem) }
        post(message)
        if result == GST_FLOW_OK { offer(buffer) }
        if screen.current.picture != before { displayHasChanged() }
        return result
    }

    func show(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        frames.advance()
        let turn = windowTurn.withLock { $0 }
        var problem: String?
        let result: GstFlowReturn = painter.withLock { painter in
            // The picture shown in PAUSED arrives again when the pipeline goes to PLAYING; changes in between have
            // already repainted it.
            if painter.pending == nil, painter.last == buffer { return GST_FLOW_OK }
            var made: PresenterBuffer
            // The display may have changed since the picture was prepared.
            if let pending = painter.pending, pending.buffer == buffer,
                pending.made.description == screen.current.picture
            {
                made = pending.made
                painter.scene.light = pending.light
                painter.pending = nil
            } else {
                painter.scene.light =
                    painter.pending?.buffer == buffer ? painter.pending?.light : painter.scene.detection?.light
                painter.dropPending(screen.current.presenter)
                switch paint(buffer, &painter) {
                case .picture(let new): made = new
                case .flushing where hasMoved(since: turn), .failed where hasMoved(since: turn):
                    // The picture is moving to another window, which shows this buffer once it is open.
                    painter.keep(buffer)
                    return GST_FLOW_OK
                case .flushing: return GST_FLOW_FLUSHING
                case .failed(let reason):
                    problem = reason
                    return GST_FLOW_ERROR
                }
            }
            painter.keep(buffer)
            problem = present(made, buffer)
            return problem == nil ? GST_FLOW_OK : GST_FLOW_ERROR
        }
        if let problem { error(problem) }
        return result
    }

    /// - Returns: why the picture cannot be shown; `nil` where it is.
    private func present(_ made: PresenterBuffer, _ buffer: UnsafeMutablePointer<GstBuffer>) -> String? {
        guard let presenter = screen.current.presenter else { return nil }
        let serial = record.begin(buffer, target: MonotonicClock.now())
        do {
            try presenter.present(made, serial: serial, views: views(made.description), target: nil)
            return nil
        } catch {
            presenter.release(made)
            return error.description
        }
    }

    // MARK: Other threads

    /// Makes the shown picture again, because the display or a setting has changed.
    func repaint() {
        worker.ask { [unowned self] in
            let before = screen.current.picture
            let problem = painter.withLock { painter -> String? in
                painter.scene.light = painter.scene.lastLight
                guard let last = painter.last, case .picture(let made) = paint(last, &painter) else { return nil }
                painter.scene.lastLight = painter.scene.light
                return present(made, last)
            }
            if let problem { error(problem) }
            if screen.current.picture != before { displayHasChanged() }
        }
    }

    /// Shows the present picture again with the present view rectangles, without converting it.
    func redraw() {
        let screen = screen.current
        guard let presenter = screen.presenter, let picture = screen.picture else { return }
        presenter.redraw(views: views(picture))
    }

    // MARK: Making a picture

    private func paint(_ buffer: UnsafeMutablePointer<GstBuffer>, _ painter: inout Painter) -> Painted {
        guard let given = painter.source, let presenter = screen.current.presenter else {
            return .failed("A picture came before the caps that tell what it is.")
        }
        let (source, light): (Source, PictureDynamics.Light?)
        switch applyMetadata(buffer, given, &painter) {
        case .success(let made): (source, light) = made
        case .failure(let problem): return .failed("\(problem)")
        }
        var made: PresenterBuffer?
        // A display that refuses one way of showing pictures is tried with the next.
        for attempt in 0..<6 {
            do {
                try configure(source, presenter, &painter, for: buffer, light: light)
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

    /// Converts a buffer's picture.
    /// - Returns: why that is impossible; `nil` when it is done.
    private func fill(
        _ made: PresenterBuffer, _ buffer: UnsafeMutablePointer<GstBuffer>, _ source: Source, _ painter: inout Painter
    ) -> String? {
        guard let plan = painter.plan, let pool = painter.pool else { return "Nothing was negotiated." }
        let size = (width: source.signal.width, height: source.signal.height)
        let problem = source.info.withMappedFrame(buffer) { frame -> String? in
            let view = FrameView(frame, size, plan.format.source, source.layout)
            guard let from = view?.reshaped(by: painter.metadata.reshaper) else {
                return WrongBuffer.message("A buffer's picture differs from its caps")
            }
            let isInterlaced = plan.format.source.verticalShift > 0 && frame.isInterlaced
            func convert(_ memory: UnsafeMutableRawPointer, _ stride: Int) {
                let plane = FrameView.Plane(data: memory, stride: stride)
                guard let to = FrameView(width: size.width, height: size.height, planes: [plane]) else { return }
                pool.convertFrame(from, to, plan.converter, isInterlaced: isInterlaced)
            }
            if painter.orientation == Orientation() {
                convert(made.memory, made.stride)
            } else {
                convertAndTurn(made, size, &painter, convert)
            }
            painter.blender.blend(buffer, into: made, plan.conversion, painter.orientation, size)
            return nil
        }
        guard let problem else { return WrongBuffer.noPicture(size: Int(clamping: gst_buffer_get_size(buffer))) }
        return problem
    }

    private func convertAndTurn(
        _ made: PresenterBuffer, _ size: (width: Int, height: Int), _ painter: inout Painter,
        _ convert: (UnsafeMutableRawPointer, Int) -> Void
    ) {
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
}
