import CWayland
import HDRConcurrency

/// The path of pictures from the sink to the surfaces.
extension WaylandSession {
    // MARK: Configuring

    func choose(_ request: EncodingLadder.Request) -> (format: PictureFormat, encoding: PictureEncoding) {
        let choice = ladder.choose(request, referenceWhite: state.referenceWhite, peak: state.peak)
        refusals = choice.refusals
        if globals?.viewporter == nil {
            refusals.append("Pictures are not scaled and have one view: the compositor has no wp_viewporter.")
        }
        state.refusals = allRefusals
        return (choice.format, choice.encoding)
    }

    /// The colors of a picture for which the compositor has to make a description.
    struct DescriptionOrder {
        let picture: PictureDescription
        let colors: ImageDescription
        let rung: EncodingLadder.Rung
        let maker: DescriptionMaker
    }

    /// Takes a description of the pictures to come.
    /// - Returns: the request that has to be made first, without the lock; `finish` then completes the configuration.
    func configure(_ picture: PictureDescription, patience: UInt64) throws(PresenterError) -> DescriptionOrder? {
        try checkOpen()
        guard globals?.formatCodes[picture.format] != nil else {
            throw PresenterError("The Wayland compositor takes no \(picture.format) buffers.")
        }
        guard PictureMemory.layout(picture) != nil else {
            throw PresenterError("Pictures of \(picture.width) by \(picture.height) do not fit into wl_shm.")
        }
        if let reason = ladder.objection(to: picture) {
            throw PresenterError("The picture cannot be shown: \(reason).")
        }
        let colors = ImageDescription(picture, ladder: ladder, referenceWhite: state.referenceWhite, black: state.black)
        if let configuration, configuration.colors == colors {
            adopt(PictureConfiguration(picture, like: configuration))
            return nil
        }
        guard let colors else {
            adopt(PictureConfiguration(picture, colors: nil, description: nil))
            return nil
        }
        guard let connection, let manager = globals?.colorManager?.pointer else {
            throw PresenterError("The Wayland compositor has no color management.")
        }
        return DescriptionOrder(
            picture: picture, colors: colors, rung: ladder.rung(of: picture.encoding),
            maker: DescriptionMaker(
                connection: connection, manager: manager, features: ladder.features, patience: patience))
    }

    /// Takes the compositor's answer to an order.
    func finish(
        _ order: DescriptionOrder, _ answer: Result<OpaquePointer, DescriptionMaker.Failure>
    ) throws(PresenterError) {
        switch answer {
        case .success(let pointer):
            let description = Proxy(pointer, destroyedBy: wp_image_description_v1_destroy)
            // Another thread may have closed the presenter in the meantime.
            try checkOpen()
            adopt(PictureConfiguration(order.picture, colors: order.colors, description: description))
        case .failure(.refused(let reason)):
            ladder.failed[order.rung] = reason
            throw PresenterError(
                "The Wayland compositor refused the picture's colors (\(reason)); another encoding may do.")
        case .failure(.broken(let error)):
            fail(error)
            throw error
        }
    }

    private func adopt(_ configuration: PictureConfiguration) {
        self.configuration = configuration
        for memory in memories where !memory.fits(configuration.picture) { memory.isRetired = true }
        sweep()
    }

    // MARK: Memory

    enum Acquisition {
        case flushing
        case buffer(PresenterBuffer)
    }

    /// The memory for a picture; `nil` while all of it is in use.
    func acquire() throws(PresenterError) -> Acquisition? {
        try checkOpen()
        if isFlushing { return .flushing }
        guard let configuration, let shm = globals?.shm?.pointer else {
            throw PresenterError("Pictures have to be configured before they are acquired.")
        }
        let picture = configuration.picture
        var memory = memories.first { !$0.isRetired && $0.isFree }
        if memory == nil, memories.count(where: { !$0.isRetired }) < Self.memoryLimit,
            let code = globals?.formatCodes[picture.format]
        {
            let new = try PictureMemory(picture, code: code, token: nextToken, shm: shm)
            nextToken += 1
            new.onRelease = { [weak self] in
                self?.sweep()
                self?.monitor?.wakeAll()
            }
            memories.append(new)
            memory = new
        }
        guard let memory else { return nil }
        memory.acquired = configuration
        return .buffer(
            PresenterBuffer(description: picture, memory: memory.base, stride: memory.stride, token: memory.token))
    }

    func release(_ buffer: PresenterBuffer) {
        memories.first { $0.token == buffer.token }?.acquired = nil
        sweep()
    }

    func setFlushing(_ isFlushing: Bool) {
        self.isFlushing = isFlushing
        // This wakes an `acquire` on the event thread.
        connection?.wake()
    }

    /// Frees retired memory that is no longer in use. Of retired memory that the compositor does not give back, only
    /// the newest four pictures are kept.
    func sweep() {
        for memory in memories where memory.isRetired && memory.isFree { drop(memory) }
        let held = memories.filter { $0.isRetired && $0.acquired == nil && !$0.isWaiting && !$0.isShown }
        for memory in held.dropLast(4) { drop(memory) }
    }

    private func drop(_ memory: PictureMemory) {
        memory.destroy()
        memories.removeAll { $0 === memory }
    }

    // MARK: Showing

    func present(_ buffer: PresenterBuffer, serial: UInt64, views: [View]) throws(PresenterError) {
        guard let memory = memories.first(where: { $0.token == buffer.token }), let configuration = memory.acquired
        else {
            throw failure ?? PresenterError("The picture was not acquired from this presenter, or given back before.")
        }
        memory.acquired = nil
        defer { sweep() }
        try checkOpen()
        if isFlushing {
            postLost(serial)
            return
        }
        self.views = Array(views.prefix(Self.viewLimit))
        if let waiting {
            waiting.memory.isWaiting = false
            postLost(waiting.serial)
        }
        memory.isWaiting = true
        waiting = WaitingPicture(memory: memory, configuration: configuration, serial: serial)
        window?.map()
        showNext()
        connection?.flush()
    }

    func redraw(views: [View]) {
        guard failure == nil, phase == .open else { return }
        self.views = Array(views.prefix(Self.viewLimit))
        needsRedraw = true
        showNext()
        connection?.flush()
    }

    func postLost(_ serial: UInt64) {
        post { $0.presented(PresentationFeedback(serial: serial, time: nil)) }
    }

    /// Shows the picture that waits, if the compositor wants one.
    func showNext() {
        guard failure == nil, let window, window.isReady, frame == nil else { return }
        if let next = waiting {
            waiting = nil
            next.memory.isWaiting = false
            next.memory.isShown = true
            let last = shown?.memory
            if let last, last !== next.memory { last.isShown = false }
            shown = (next.memory, next.configuration)
            commit(next.memory, next.configuration, serial: next.serial)
            sweep()
        } else if needsRedraw, let shown {
            commit(shown.memory, shown.configuration, serial: nil)
        }
    }

    /// - Parameter serial: the serial of a new picture; `nil` for the last one in other views.
    private func commit(_ memory: PictureMemory, _ configuration: PictureConfiguration, serial: UInt64?) {
        guard let window, let globals, let root = window.surface?.pointer else { return }
        needsRedraw = false
        var isFirst = true
        // Without a viewporter there is only one view, which shows the whole picture at its own size.
        let count = globals.viewporter == nil ? min(views.count, 1) : views.count
        for index in 0..<max(count, surfaces.count) {
            let placement =
                index < count
                ? Placement(views[index], width: memory.width, height: memory.height, scale: Double(window.scale)) : nil
            guard let placement else {
                if index < surfaces.count { surfaces[index].hide() }
                continue
            }
            // They are made in order, so that later ones lie above earlier ones.
            while surfaces.count <= index {
                guard let surface = ViewSurface(globals, parent: root) else { return }
                surfaces.append(surface)
            }
            let surface = surfaces[index]
            guard let pointer = surface.surface.pointer else { continue }
            let isNew = serial != nil || !surface.isVisible
            surface.setColors(configuration, manager: globals.colorManager?.pointer)
            if views[index].isOpaque {
                let needsBuffer = isNew || surface.maskedPlace != nil
                surface.show(needsBuffer ? memory.attach(view: index) : nil, of: memory, at: placement)
            } else {
                let scale = globals.viewporter == nil ? 1 : window.scale
                surface.show(
                    .init(view: views[index], placement: placement, scale: scale), of: memory, configuration,
                    isNew: isNew, globals)
            }
            if isFirst { follow(pointer, serial: serial) }
            isFirst = false
            wl_surface_commit(pointer)
        }
        window.prepareGround()
        if isFirst { follow(root, serial: serial) }
        window.commit()
    }
}
