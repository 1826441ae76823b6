import CMockCompositor
import Foundation
import HDRConcurrency
import TestSupport
import Testing

@testable import HDRPresenter

/// Compositors that die, lie or say nothing. Serialized, because some count the process's files and threads.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct WaylandFailureTests {
    private func entries(_ folder: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    /// The duration of `close`, in seconds.
    private func closing(_ presenter: WaylandPresenter) -> Double {
        let start = MonotonicClock.now()
        presenter.close()
        return Double(MonotonicClock.now() - start) / 1e9
    }

    @Test func missingCompositorIsReportedInASentence() {
        let presenter = WaylandPresenter(displayName: "/nowhere/wayland-9")
        let error = #expect(throws: PresenterError.self) {
            try presenter.open(window: 0, size: (64, 32), title: "", events: Recorder())
        }
        #expect(error?.description.contains("/nowhere/wayland-9") == true)
        presenter.close()
        // It is opened once, also where that failed.
        #expect(throws: PresenterError.self) {
            try presenter.open(window: 0, size: (64, 32), title: "", events: Recorder())
        }
    }

    @Test func surfaceWithoutItsDisplayIsRefused() {
        let presenter = WaylandPresenter()
        #expect(throws: PresenterError.self) {
            try presenter.open(window: 0x1000, size: (64, 32), title: "", events: Recorder())
        }
    }

    @Test func compositorIsFoundByItsSocketsPath() throws {
        let compositor = MockCompositor(Capabilities.kwin())
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("presenter-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("wl").path
        try #require(mock_listen(compositor.mock, path))
        let presenter = WaylandPresenter(displayName: path)
        try presenter.open(window: 0, size: (64, 32), title: "", events: Recorder())
        #expect(presenter.display.headroom == 4)
        presenter.close()
    }

    @Test(arguments: ["subcompositor", "shell"])
    func compositorWithoutWindowsIsRefused(missing: String) {
        var options = Capabilities.kwin()
        options.without_subcompositor = missing == "subcompositor"
        options.without_shell = missing == "shell"
        let error = #expect(throws: PresenterError.self) { try Session(options) }
        #expect(error?.description.contains(missing == "shell" ? "xdg_wm_base" : "wl_subcompositor") == true)
    }

    @Test func silentCompositorIsGivenUpAfterTwoSeconds() throws {
        let compositor = MockCompositor(Capabilities.kwin())
        let presenter = compositor.presenter()
        mock_freeze(compositor.mock, true)
        let start = MonotonicClock.now()
        #expect(throws: PresenterError.self) {
            try presenter.open(window: 0, size: (64, 32), title: "", events: Recorder())
        }
        #expect((1.5...20).contains(Double(MonotonicClock.now() - start) / 1e9))
        mock_freeze(compositor.mock, false)
    }

    @Test func deathOfTheCompositorIsReportedOnce() throws {
        let session = try Session(Capabilities.kwin())
        let picture = try session.configure()
        try session.show(picture)
        #expect(session.recorder.feedback(1)?.time != nil)
        let held = try #require(try session.presenter.acquire())
        mock_disconnect(session.compositor.mock)
        #expect(session.recorder.failure?.description.contains("closed the connection") == true)
        #expect(throws: PresenterError.self) {
            try session.presenter.present(held, serial: 2, views: [Session.whole(picture)], target: nil)
        }
        #expect(throws: PresenterError.self) { try session.presenter.acquire() }
        #expect(throws: PresenterError.self) { try session.configure() }
        session.presenter.redraw(views: [Session.whole(picture)])
        session.presenter.setRefreshEvents(true)
        session.presenter.setFlushing(true)
        // Closing ends the thread that reports.
        #expect(closing(session.presenter) < 5)
        #expect(session.recorder.failures == 1)
    }

    @Test func waitingAcquireEndsWhenTheCompositorDies() throws {
        let session = try Session(Capabilities.kwin())
        mock_set_releasing(session.compositor.mock, false)
        let picture = try session.configure()
        for _ in 0..<4 {
            let (serial, _) = try session.show(picture)
            #expect(session.recorder.feedback(serial)?.time != nil)
        }
        let mock = session.compositor.mock
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { [address = UInt(bitPattern: mock)] in
            if let mock = OpaquePointer(bitPattern: address) { mock_disconnect(mock) }
        }
        let start = MonotonicClock.now()
        #expect(throws: PresenterError.self) { try session.presenter.acquire() }
        #expect(Double(MonotonicClock.now() - start) / 1e9 < 9, "it did not wait for its own patience")
    }

    @Test func buffersThatAreNeverReleasedAreAnErrorAndAFlushEndsTheWait() throws {
        let session = try Session(Capabilities.kwin())
        mock_set_releasing(session.compositor.mock, false)
        session.presenter.patience = MonotonicClock.second / 2
        let picture = try session.configure()
        for _ in 0..<4 {
            let (serial, _) = try session.show(picture)
            #expect(session.recorder.feedback(serial)?.time != nil)
        }
        let error = #expect(throws: PresenterError.self) { try session.presenter.acquire() }
        #expect(error?.description.contains("released no picture") == true)
        session.presenter.patience = 60 * MonotonicClock.second
        let presenter = session.presenter
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { presenter.setFlushing(true) }
        #expect(try session.presenter.acquire() == nil)
        session.presenter.setFlushing(false)
        // Other sizes need other memory; what the compositor keeps does not grow without end.
        for width in 1...40 {
            let (serial, _) = try session.show(try session.configure(width * 8))
            #expect(session.recorder.feedback(serial)?.time != nil)
        }
        #expect(session.presenter.monitor.withLock { $0.memories.count } <= 8)
        #expect(session.compositor.protocolError == "")
    }

    @Test func frozenCompositorBlocksNoCall() throws {
        let session = try Session(Capabilities.kwin())
        let picture = try session.configure()
        try session.show(picture)
        #expect(session.recorder.feedback(1)?.time != nil)
        mock_freeze(session.compositor.mock, true)
        defer { mock_freeze(session.compositor.mock, false) }
        for seed in 2...40 { try session.show(picture, seed: UInt64(seed)) }
        for _ in 0..<20_000 { session.presenter.redraw(views: [Session.whole(picture)]) }
        #expect(closing(session.presenter) < 5)
    }

    @Test(arguments: 0..<60)
    func randomBytesAreAnErrorOrIgnored(seed: UInt64) throws {
        let session = try Session(Capabilities.kwin())
        let picture = try session.configure()
        try session.show(picture)
        #expect(session.recorder.feedback(1)?.time != nil)
        var generator = SeededGenerator(seed: seed)
        func random(_ limit: Int) -> UInt32 { UInt32(generator.below(limit)) }
        var bytes: [UInt8] = []
        for _ in 0..<20 {
            // Events for objects that may exist, with random arguments; or random bytes altogether.
            let count = seed % 3 == 0 ? Int(random(12)) : 2 + Int(random(8))
            var message = (0..<max(count, 2)).map { _ in random(1 << 31) >> random(31) }
            if seed % 3 != 0 {
                message[0] = 1 + random(60)
                message[1] = UInt32(message.count * 4) << 16 | random(12)
            }
            for word in message { withUnsafeBytes(of: word) { bytes += $0 } }
        }
        mock_write(session.compositor.mock, bytes, bytes.count)
        // Whatever the bytes led to, nothing hangs, and a failure is reported once.
        let next = (try? session.configure(32)) ?? picture
        session.presenter.patience = MonotonicClock.second / 5
        for seed in 2...6 { _ = try? session.show(next, seed: UInt64(seed)) }
        #expect(closing(session.presenter) < 5)
        #expect(session.recorder.failures <= 1)
    }

    @Test func protocolErrorNamesTheInterface() throws {
        let session = try Session(Capabilities.kwin())
        let picture = try session.configure()
        // wl_display.error about object 1, number 3.
        let text = Array("nonsense\0\0\0\0".utf8)
        var bytes: [UInt8] = []
        for word in [1, UInt32(20 + text.count) << 16, 1, 3, 9] as [UInt32] {
            withUnsafeBytes(of: word) { bytes += $0 }
        }
        mock_write(session.compositor.mock, bytes + text, bytes.count + text.count)
        #expect(session.recorder.failure?.description.contains("wl_display: number 3") == true)
        #expect(throws: PresenterError.self) { try session.show(picture) }
    }

    @Test func misuseIsAnError() throws {
        let session = try Session(Capabilities.kwin())
        #expect(throws: PresenterError.self) { try session.presenter.acquire() }
        for (width, height) in [(0, 8), (8, -1), (Int.max, Int.max), (65_535, 65_535)] {
            let picture = PictureDescription(
                width: width, height: height, format: .rgba16f, encoding: .init(.extendedLinear, .displayP3),
                contentPeak: 400)
            #expect(throws: PresenterError.self) { try session.presenter.configure(picture) }
        }
        let picture = try session.configure()
        let buffer = try #require(try session.presenter.acquire())
        session.presenter.release(buffer)
        #expect(throws: PresenterError.self) {
            try session.presenter.present(buffer, serial: 1, views: [], target: nil)
        }
        // There are many views, and then none at all.
        let (first, _) = try session.show(picture, views: Array(repeating: Session.whole(picture), count: 1000))
        #expect(session.recorder.feedback(first)?.time != nil)
        #expect(session.compositor.surfaces.count == 1 + WaylandSession.viewLimit)
        let (empty, _) = try session.show(picture, views: [])
        #expect(session.recorder.feedback(empty) != nil)
        #expect(session.compositor.surfaces.count { $0.has_buffer } == 1)
        let (serial, _) = try session.show(picture, views: [Session.whole(picture)])
        #expect(session.recorder.feedback(serial)?.time != nil)
        session.presenter.close()
        session.presenter.close()
        #expect(throws: PresenterError.self) { try session.presenter.acquire() }
        #expect(session.compositor.protocolError == "")
    }

    @Test func callbackThatDoesNotReturnDoesNotBlockClose() throws {
        let session = try Session(Capabilities.kwin())
        let gate = DispatchSemaphore(value: 0)
        session.recorder.callback = { _ in gate.wait() }
        mock_set_preferred(session.compositor.mock, Capabilities.sdr)
        #expect(session.recorder.wait { if case .display = $0 { true } else { nil } } == true)
        #expect((0.5...20).contains(closing(session.presenter)))
        session.recorder.callback = nil
        for _ in 0..<100 { gate.signal() }
        #expect(eventually { mock_client_count(session.compositor.mock) == 0 })
    }

    @Test func fiftySessionsLeaveNoFilesAndNoThreads() throws {
        let compositor = MockCompositor(Capabilities.kwin())
        func session(_ size: Int) throws {
            let presenter = compositor.presenter()
            let recorder = Recorder()
            try presenter.open(window: 0, size: (64, 32), title: "Test", events: recorder)
            let choice = presenter.choose(wantsExtendedRange: true, format: nil, encoding: nil)
            let picture = PictureDescription(
                width: size, height: 16, format: choice.format, encoding: choice.encoding, contentPeak: 400)
            try presenter.configure(picture)
            let buffer = try #require(try presenter.acquire())
            try presenter.present(buffer, serial: 1, views: [Session.whole(picture)], target: nil)
            if size % 2 == 0 { #expect(recorder.feedback(1)?.time != nil) }
            presenter.close()
        }
        try session(16)
        #expect(eventually { mock_client_count(compositor.mock) == 0 })
        let files = entries("/proc/self/fd")
        let threads = entries("/proc/self/task")
        for size in 1...50 { try session(size) }
        #expect(eventually { mock_client_count(compositor.mock) == 0 })
        // Other tests' files and threads come and go; ours would be fifty.
        #expect(eventually { entries("/proc/self/fd") < files + 25 })
        #expect(eventually { entries("/proc/self/task") < threads + 25 })
    }
}
