import CXCB
import HDRConcurrency

extension X11Session {
    /// The maximum number of painted surfaces: one that is seen, one that will be seen, and one to paint on.
    private static let backCount = 3

    func show(_ memory: X11Memory, serial: UInt64, views: [View]) {
        guard !isWindowGone else {
            link.state.change { $0.free(memory) }
            callSink { $0.presented(PresentationFeedback(serial: serial, time: nil)) }
            return
        }
        dropUnpainted()
        picture += 1
        unreported[picture] = serial
        self.views = views
        needsPaint = true
        if extensions.shm != nil {
            link.state.withLock { _ in memory.owner = .server }
            painter.upload(shared: memory)
        } else {
            painter.upload(copied: memory)
            link.state.change { $0.free(memory) }
        }
    }

    /// Reports a picture as never shown if the next one comes before it could be painted.
    private func dropUnpainted() {
        guard needsPaint, !underWay.values.contains(picture) else { return }
        tellPresented(picture, time: nil, sequence: 0)
    }

    /// Called when the server has read the shared memory.
    func isRead(segment: xcb_shm_seg_t) {
        link.state.change { state in
            let memory = state.memories.values.first { $0.segment == segment }
            if let memory, memory.owner == .server { state.free(memory) }
        }
    }

    // MARK: Painting

    /// Paints and shows the picture if that is due, unless the server holds all surfaces.
    func paint() {
        guard needsPaint, painter.hasPicture, !isWindowGone, let back = freeBack() else { return }
        needsPaint = false
        painter.paint(views, into: back)
        if !window.isMapped {
            xcb_map_window(connection, window.id)
            window.isMapped = true
        }
        lastSerial &+= 1
        underWay[lastSerial] = picture
        back.isBusy = true
        if extensions.present != nil {
            // The pixmap is shown at the next refresh, as a whole and without fences.
            xcb_present_pixmap(
                connection, window.id, back.pixmap, lastSerial, 0, 0, 0, 0, 0, 0, 0,
                XCB_PRESENT_OPTION_NONE.rawValue, 0, 0, 0, 0, nil)
        } else {
            xcb_copy_area(
                connection, back.pixmap, window.id, presentContext, 0, 0, 0, 0, UInt16(clamping: back.width),
                UInt16(clamping: back.height))
            copies.append((lastSerial, back))
        }
    }

    /// A surface of the window's size to paint on. Surfaces of earlier sizes are freed when the server has released
    /// them.
    private func freeBack() -> X11Surface? {
        backs.removeAll { back in
            guard !back.isBusy, !back.hasSize(window.width, window.height) else { return false }
            back.free()
            return true
        }
        if let back = backs.first(where: { !$0.isBusy }) { return back }
        guard backs.lazy.filter({ $0.hasSize(self.window.width, self.window.height) }).count < Self.backCount else {
            return nil
        }
        let back = X11Surface(connection, screen, width: window.width, height: window.height)
        backs.append(back)
        return back
    }

    // MARK: The server's reports

    func isIdle(pixmap: xcb_pixmap_t) {
        backs.first { $0.pixmap == pixmap }?.isBusy = false
    }

    func isComplete(serial: UInt32, isSkipped: Bool, time: UInt64, sequence: UInt64) {
        guard let picture = underWay.removeValue(forKey: serial) else { return }
        if !isSkipped {
            tellPresented(picture, time: time, sequence: sequence)
        } else if !underWay.values.contains(picture), picture != self.picture || !needsPaint {
            tellPresented(picture, time: nil, sequence: 0)
        }
    }

    /// Called when the oldest copy to the window is finished.
    func isCopied() {
        guard !copies.isEmpty else { return }
        let (serial, back) = copies.removeFirst()
        back.isBusy = false
        isComplete(serial: serial, isSkipped: false, time: MonotonicClock.now(), sequence: 0)
    }

    /// Reports a picture once: the first report counts.
    private func tellPresented(_ picture: UInt64, time: UInt64?, sequence: UInt64) {
        guard let serial = unreported.removeValue(forKey: picture) else { return }
        callSink { $0.presented(PresentationFeedback(serial: serial, time: time, sequence: sequence)) }
    }

    /// Drops the shown picture and those that wait, because the window is gone.
    func loseWindow() {
        guard !isWindowGone else { return }
        isWindowGone = true
        underWay = [:]
        copies = []
        for picture in unreported.keys.sorted() { tellPresented(picture, time: nil, sequence: 0) }
        callSink { $0.windowClosed() }
    }
}
