import CMockCompositor
import CWayland
import Foundation
import TestSupport
import Testing

@testable import HDRPresenter

/// An application that shares its connection and surface, and dispatches its own events meanwhile.
private final class Application: @unchecked Sendable {
    let display: OpaquePointer
    let surface: OpaquePointer
    private let registry: OpaquePointer
    private let compositor: OpaquePointer
    private let condition = NSCondition()
    private var isStopping = false
    private var hasStopped = false
    private(set) var roundTrips = 0

    init?(_ socket: Int32) throws {
        try LateLibrary.wayland.load()
        guard let display = wl_display_connect_to_fd(socket), let registry = wl_display_get_registry(display),
            // The mock's first global.
            let compositor = cwayland_bind(registry, 2, "wl_compositor", 4).map(OpaquePointer.init),
            let surface = wl_compositor_create_surface(compositor)
        else { return nil }
        self.display = display
        self.registry = registry
        self.compositor = compositor
        self.surface = surface
        guard wl_display_roundtrip(display) >= 0 else { return nil }
    }

    func start() {
        Thread.detachNewThread { [self] in
            while condition.withLock({ !isStopping }), wl_display_roundtrip(display) >= 0 {
                condition.withLock { roundTrips += 1 }
            }
            condition.withLock {
                hasStopped = true
                condition.broadcast()
            }
        }
    }

    var count: Int { condition.withLock { roundTrips } }

    func stop() {
        condition.lock()
        isStopping = true
        while !hasStopped { condition.wait() }
        condition.unlock()
        wl_surface_destroy(surface)
        wl_compositor_destroy(compositor)
        wl_registry_destroy(registry)
        wl_display_disconnect(display)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct WaylandApplicationTests {
    @Test func applicationsSurfaceKeepsItsOwnEvents() throws {
        let compositor = MockCompositor(Capabilities.kwin())
        let application = try #require(try Application(mock_connect(compositor.mock)))
        #expect(compositor.protocolError == "")
        application.start()
        for _ in 0..<5 {
            let presenter = WaylandPresenter(display: UInt(bitPattern: application.display))
            let recorder = Recorder()
            try presenter.open(
                window: UInt(bitPattern: application.surface), size: (64, 32), title: "", events: recorder)
            let choice = presenter.choose(wantsExtendedRange: true, format: nil, encoding: nil)
            let picture = PictureDescription(
                width: 64, height: 32, format: choice.format, encoding: choice.encoding, contentPeak: 400)
            try presenter.configure(picture)
            let before = application.count
            for serial in UInt64(1)...10 {
                let buffer = try #require(try presenter.acquire())
                try presenter.present(buffer, serial: serial, views: [Session.whole(picture)], target: nil)
                #expect(recorder.feedback(serial)?.time != nil)
            }
            #expect(application.count > before)
            // The application's surface, a dot that takes no input, and the view.
            let surfaces = compositor.surfaces
            #expect(surfaces.count == 3)
            #expect(!surfaces[0].has_buffer && surfaces[0].frame == 0)
            #expect(surfaces[1].width == 1 && surfaces[1].format == 0 && surfaces[1].destination_width == -1)
            #expect(surfaces[2].description >= 0 && surfaces[2].width == 64)
            presenter.close()
            #expect(eventually { compositor.surfaces.count == 1 })
        }
        let log = compositor.log
        #expect(!log.contains("wl_seat.get_pointer") && !log.contains("xdg_wm_base.get_xdg_surface"))
        let before = application.count
        #expect(eventually { application.count > before + 5 })
        #expect(compositor.protocolError == "")
        application.stop()
    }

    @Test func applicationsBrokenConnectionIsReported() throws {
        let compositor = MockCompositor(Capabilities.kwin())
        let application = try #require(try Application(mock_connect(compositor.mock)))
        application.start()
        let presenter = WaylandPresenter(display: UInt(bitPattern: application.display))
        let recorder = Recorder()
        try presenter.open(window: UInt(bitPattern: application.surface), size: (64, 32), title: "", events: recorder)
        mock_disconnect(compositor.mock)
        #expect(recorder.failure != nil)
        presenter.close()
        application.stop()
    }
}
