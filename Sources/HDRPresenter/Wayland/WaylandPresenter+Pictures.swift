import CWayland
import Glibc

/// Pictures from the sink to the surfaces.
extension WaylandPresenter {
    public func acquire() throws(PresenterError) -> PresenterBuffer? {
        mutex.lock()
        defer { mutex.unlock() }
        let deadline = Clock.now() + patience
        while true {
            try checkOpen()
            if isFlushing { return nil }
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
                    self?.mutex.signal()
                }
                memories.append(new)
                memory = new
            }
            if let memory {
                memory.acquired = configuration
                return PresenterBuffer(
                    description: picture, memory: memory.base, stride: memory.stride, token: memory.token)
            }
            guard Clock.now() < deadline else {
                throw PresenterError(
                    "The Wayland compositor has released no picture for \(patience / Clock.second) seconds.")
            }
            waitForRelease(deadline: deadline)
        }
    }

    /// On the event thread nobody else would hear of the release.
    private func waitForRelease(deadline: UInt64) {
        guard let thread, pthread_equal(thread, pthread_self()) != 0, let connection else {
            mutex.wait(until: deadline)
            return
        }
        mutex.unlock()
        let pumped = connection.pump(connection.queue, deadline: deadline, isWoken: true)
        mutex.lock()
        if pumped == .broken || !connection.dispatch(connection.queue) {
            fail(PresenterError(connection.errorSentence))
        }
    }

    public func release(_ buffer: PresenterBuffer) {
        mutex.withLock {
            memories.first { $0.token == buffer.token }?.acquired = nil
            sweep()
            mutex.signal()
        }
    }

    public func present(_ buffer: PresenterBuffer, serial: UInt64, views: [View], target: UInt64?)
        throws(PresenterError)
    {
        mutex.lock()
        defer { mutex.unlock() }
        guard let memory = memories.first(where: { $0.token == buffer.token }), let configuration = memory.acquired
        else {
            throw failure ?? PresenterError("The picture was not acquired from this presenter, or given back before.")
        }
        memory.acquired = nil
        defer {
            sweep()
            mutex.signal()
        }
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

    public func redraw(views: [View]) {
        mutex.withLock {
            guard failure == nil, phase == .open else { return }
            self.views = Array(views.prefix(Self.viewLimit))
            needsRedraw = true
            showNext()
            connection?.flush()
        }
    }

    public func setFlushing(_ isFlushing: Bool) {
        mutex.withLock {
            self.isFlushing = isFlushing
            mutex.signal()
            // For an `acquire` on the event thread.
            connection?.wake()
        }
    }

    /// Memory that nobody needs any more, and what a compositor does not give back over many changes.
    func sweep() {
        let retired = memories.filter(\.isRetired)
        for memory in retired where memory.isFree { drop(memory) }
        for memory in memories.filter({ $0.isRetired && $0.acquired == nil && !$0.isWaiting && !$0.isShown }).dropLast(
            4)
        {
            drop(memory)
        }
    }

    private func drop(_ memory: PictureMemory) {
        memory.destroy()
        memories.removeAll { $0 === memory }
    }

    func postLost(_ serial: UInt64) {
        post { $0.presented(PresentationFeedback(serial: serial, time: nil)) }
    }

    /// Shows what waits, if the compositor wants a picture.
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

    /// - Parameter serial: Of a new picture; `nil` for the last one in other views.
    private func commit(_ memory: PictureMemory, _ configuration: PictureConfiguration, serial: UInt64?) {
        guard let window, let globals, let root = window.surface?.pointer else { return }
        needsRedraw = false
        var isFirst = true
        // Without a viewporter a view is the whole picture at its own size, and there is one.
        let count = globals.viewporter == nil ? min(views.count, 1) : views.count
        for index in 0..<max(count, surfaces.count) {
            let placement =
                index < count
                ? Placement(views[index], width: memory.width, height: memory.height, scale: Double(window.scale)) : nil
            guard let placement else {
                if index < surfaces.count { surfaces[index].hide() }
                continue
            }
            // They are made in order, which puts the later ones above.
            while surfaces.count <= index {
                guard let surface = ViewSurface(globals, parent: root) else { return }
                surfaces.append(surface)
            }
            let surface = surfaces[index]
            guard let pointer = surface.surface.pointer else { continue }
            let isNew = serial != nil || !surface.isVisible
            surface.setColors(configuration, manager: globals.colorManager?.pointer)
            surface.show(isNew ? memory.attach(view: index) : nil, of: memory, at: placement)
            if isFirst { follow(pointer, serial: serial) }
            isFirst = false
            wl_surface_commit(pointer)
        }
        window.prepareGround()
        if isFirst { follow(root, serial: serial) }
        window.commit()
    }
}
