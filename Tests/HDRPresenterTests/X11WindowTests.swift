import CXCB
import Foundation
import HDRConcurrency
import TestSupport
import Testing

@testable import HDRPresenter

extension X11Tests {
    /// Changes to windows and servers while pictures are shown.
    @Suite struct Windows {
        @Test(arguments: [[], ["present"]] as [Set<String>])
        func resizing(unused: Set<String>) throws {
            let server = try XServer()
            let stage = try X11Stage(server, unused: unused, size: (160, 120), width: 160, height: 120)
            defer { stage.presenter.close() }
            #expect(stage.recorder.waits(for: .resized(160, 120)))
            let pixels = stage.noise()
            #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(160, 120))))
            let client = try X11Client(server)
            let window = try client.window(titled: "stage")
            client.resize(window, width: 320, height: 240)
            #expect(stage.recorder.waits(for: .resized(320, 240)))
            let middle = View(source: stage.whole, destination: .init(x: 80, y: 60, width: 160, height: 120))
            stage.presenter.redraw(views: [middle])
            var wanted = [UInt32](repeating: 0, count: 320 * 240)
            for y in 0..<120 { for x in 0..<160 { wanted[(y + 60) * 320 + x + 80] = pixels[y * 160 + x] } }
            #expect(try client.image(of: window, width: 320, height: 240) { $0 == wanted })

            client.resize(window, width: 30, height: 20)
            #expect(stage.recorder.waits(for: .resized(30, 20)))
            // The old views at once, cut.
            stage.presenter.redraw(views: stage.filling(160, 120))
            let corner = (0..<20).flatMap { y in (0..<30).map { x in pixels[y * 160 + x] } }
            #expect(try client.image(of: window, width: 30, height: 20) { $0 == corner })
            #expect(stage.recorder.failures.isEmpty)
        }

        @Test(arguments: [[], ["present"]] as [Set<String>])
        func exposureWhilePaused(unused: Set<String>) throws {
            let server = try XServer()
            let stage = try X11Stage(server, unused: unused, size: (160, 120), width: 160, height: 120)
            defer { stage.presenter.close() }
            let pixels = stage.noise()
            #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(160, 120))))
            let client = try X11Client(server)
            let window = try client.window(titled: "stage")
            #expect(try client.image(of: window, width: 160, height: 120) { $0 == pixels })

            let cover = client.makeWindow(width: 400, height: 300)
            xcb_configure_window(client.connection, cover, UInt16(XCB_CONFIG_WINDOW_X.rawValue), [UInt32(0)])
            client.sync()
            xcb_destroy_window(client.connection, cover)
            #expect(try client.image(of: window, width: 160, height: 120) { $0 == pixels })

            xcb_unmap_window(client.connection, window)
            client.sync()
            xcb_map_window(client.connection, window)
            client.sync()
            #expect(try client.image(of: window, width: 160, height: 120) { $0 == pixels })
            // Each picture is reported once.
            #expect(stage.recorder.feedback.count == 1)
            #expect(stage.recorder.failures.isEmpty)
        }

        @Test func closeRequest() throws {
            let server = try XServer()
            let (stage, client, window) = try X11Stage.shown(on: server)
            defer { stage.presenter.close() }
            var message = xcb_client_message_event_t()
            message.response_type = UInt8(XCB_CLIENT_MESSAGE)
            message.format = 32
            message.window = window
            message.type = client.atom("WM_PROTOCOLS")
            message.data.data32.0 = client.atom("_NET_WM_PING")
            client.send(message, to: window)
            message.data.data32.0 = client.atom("WM_DELETE_WINDOW")
            client.send(message, to: window)
            #expect(stage.recorder.waits(for: .closed))
            #expect(stage.recorder.events.filter { $0 == .closed }.count == 1)
        }

        /// The monitor is switched off, and the presenter reports that it has no output any more.
        @Test func outputChange() throws {
            let server = try XServer()
            let stage = try X11Stage(server, size: (64, 64), width: 64, height: 64)
            defer { stage.presenter.close() }
            #expect(stage.presenter.display.output == "screen")
            let client = try X11Client(server)
            let resources = try #require(
                xcb_randr_get_screen_resources_current_reply(
                    client.connection, xcb_randr_get_screen_resources_current(client.connection, client.root), nil))
            defer { free(resources) }
            let crtc = try #require(xcb_randr_get_screen_resources_current_crtcs(resources)).pointee
            let cookie = xcb_randr_set_crtc_config(
                client.connection, crtc, resources.pointee.timestamp, resources.pointee.config_timestamp, 0, 0, 0, 1, 0,
                nil)
            let reply = xcb_randr_set_crtc_config_reply(client.connection, cookie, nil)
            #expect(reply?.pointee.status == 0)
            free(reply)
            #expect(
                stage.recorder.waits { events in
                    events.contains { if case .display(let state) = $0 { state.output.isEmpty } else { false } }
                })
            #expect(stage.presenter.display.output.isEmpty)
        }

        /// The calls that any thread may make, all at once, and from the presenter's own.
        @Test func manyThreads() throws {
            let server = try XServer()
            let box = Monitor<X11Presenter?>(nil)
            let picture = View.Rectangle(x: 0, y: 0, width: 64, height: 64)
            let recorder = X11Recorder { event in
                guard let presenter = box.withLock({ $0 }) else { return }
                switch event {
                case .resized(let width, let height):
                    presenter.redraw(
                        views: [
                            View(
                                source: picture,
                                destination: .init(x: 0, y: 0, width: Double(width), height: Double(height)))
                        ])
                case .presented: _ = presenter.display
                case .refreshed: presenter.setRefreshEvents(true)
                default: break
                }
            }
            let stage = try X11Stage(server, size: (64, 64), width: 64, height: 64, recorder: recorder)
            let presenter = stage.presenter
            box.withLock { $0 = presenter }
            presenter.setRefreshEvents(true)
            let pixels = stage.noise()
            let serial = try stage.present(pixels, stage.filling(64, 64))
            #expect(recorder.waitsUntilSeen(serial))
            let client = try X11Client(server)
            let window = try client.window(titled: "stage")
            let isOver = Monitor(false)
            let running = Monitor(3)
            for number in 0..<3 {
                Thread {
                    while !isOver.withLock({ $0 }) {
                        presenter.redraw(views: [View(source: picture, destination: picture)])
                        presenter.setFlushing(false)
                        if number == 0 { presenter.setRefreshEvents(Bool.random()) }
                        _ = presenter.display
                        // Without a pause these threads would hold the lock all the time.
                        usleep(500)
                    }
                    running.change { $0 -= 1 }
                }.start()
            }
            for round in 0..<200 {
                try stage.present(pixels, stage.filling(64, 64))
                if round % 10 == 0 { client.resize(window, width: 64 + round, height: 80) }
            }
            client.resize(window, width: 128, height: 128)
            #expect(recorder.waits(for: .resized(128, 128)))
            isOver.change { $0 = true }
            _ = running.wait { $0 == 0 ? true : nil }
            presenter.redraw(views: [View(source: picture, destination: .init(x: 0, y: 64, width: 64, height: 64))])
            var wanted = [UInt32](repeating: 0, count: 128 * 128)
            for y in 0..<64 { for x in 0..<64 { wanted[(y + 64) * 128 + x] = pixels[y * 64 + x] } }
            #expect(try client.image(of: window, width: 128, height: 128) { $0 == wanted })
            #expect(recorder.failures.isEmpty)
            presenter.close()
            let count = recorder.events.count
            // That no event follows cannot be waited for: three refreshes would have brought one.
            usleep(50000)
            #expect(recorder.events.count == count)
            box.withLock { $0 = nil }
        }

        @Test func twoAtOnce() throws {
            let server = try XServer(depth: 30)
            let first = try X11Stage(server, size: (100, 80), width: 100, height: 80, title: "first")
            defer { first.presenter.close() }
            let second = try X11Stage(server, size: (90, 70), width: 90, height: 70, title: "second")
            defer { second.presenter.close() }
            let client = try X11Client(server)
            // The one that opens a window last covers the other, whose pixels would not be there to read.
            for (stage, x) in [(first, 0), (second, 300)] {
                #expect(
                    stage.recorder.waitsUntilSeen(
                        try stage.present(stage.noise(), stage.filling(stage.width, stage.height))))
                let window = try client.window(titled: stage === first ? "first" : "second")
                xcb_configure_window(client.connection, window, UInt16(XCB_CONFIG_WINDOW_X.rawValue), [UInt32(x)])
                client.sync()
            }
            for round in 2...20 as ClosedRange<UInt64> {
                for stage in [first, second] {
                    try stage.present(
                        stage.noise(seed: round * (stage === first ? 1 : 77)), stage.filling(stage.width, stage.height))
                }
            }
            for (stage, title, factor) in [(first, "first", 1), (second, "second", 77)] as [(X11Stage, String, UInt64)]
            {
                let wanted = stage.noise(seed: 20 * factor)
                let window = try client.window(titled: title)
                #expect(try client.image(of: window, width: stage.width, height: stage.height) { $0 == wanted })
                #expect(stage.recorder.failures.isEmpty)
            }
        }

        @Test(arguments: [[], ["shm"], ["present"]] as [Set<String>])
        func killedServer(unused: Set<String>) throws {
            let server = try XServer()
            let stage = try X11Stage(server, unused: unused, size: (320, 240), width: 320, height: 240)
            let pixels = stage.noise()
            stage.presenter.setRefreshEvents(true)
            for _ in 0..<20 { try stage.present(pixels, stage.filling(320, 240)) }
            server.kill()
            #expect(throws: PresenterError.self) {
                for _ in 0..<1000 { try stage.present(pixels, stage.filling(320, 240)) }
            }
            #expect(stage.recorder.waits { $0.contains { if case .failed = $0 { true } else { false } } })
            #expect(throws: PresenterError.self) { _ = try stage.presenter.acquire() }
            stage.presenter.redraw(views: stage.filling(100, 100))
            stage.presenter.close()
            #expect(stage.recorder.failures.count == 1)
            #expect(stage.recorder.failures.first?.description.contains(server.display) == true)
        }

        /// Seconds in which nothing may hang, however busy the machine is; what waits for the server would never end.
        private static let patience = 20.0

        /// A server that hangs does not block the presenter.
        @Test func stoppedServer() throws {
            let server = try XServer()
            let stage = try X11Stage(server, unused: ["shm"], size: (1280, 720), width: 1280, height: 720)
            let pixels = stage.noise()
            #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(1280, 720))))
            server.process.send(SIGSTOP)
            defer { server.process.send(SIGCONT) }
            // These are more pictures than the socket holds.
            for _ in 0..<3 { try stage.present(pixels, stage.filling(1280, 720)) }
            let presenter = stage.presenter
            let flusher = Thread {
                // The pause makes sure that the call below waits already.
                usleep(300_000)
                presenter.setFlushing(true)
            }
            flusher.start()
            var isFlushed = false
            for _ in 0..<10 where !isFlushed { isFlushed = try stage.presenter.acquire() == nil }
            #expect(isFlushed)
            let start = Date()
            stage.presenter.close()
            #expect(Date().timeIntervalSince(start) < Self.patience)

            let late = X11Presenter(display: server.display)
            let second = Date()
            #expect(throws: PresenterError.self) {
                try late.open(window: 0, size: (10, 10), title: "late", events: X11Recorder())
            }
            #expect(Date().timeIntervalSince(second) < Self.patience)
            late.close()
            #expect(Date().timeIntervalSince(second) < Self.patience)
        }

        @Test(arguments: [24, 30])
        func applicationsWindow(depth: Int) throws {
            let server = try XServer(depth: depth)
            let client = try X11Client(server)
            let parent = client.makeWindow(width: 200, height: 100)
            let stage = try X11Stage(server, window: UInt(parent), size: (1, 1), width: 200, height: 100)
            defer { stage.presenter.close() }
            #expect(stage.recorder.waits(for: .resized(200, 100)))
            let pixels = stage.noise()
            #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(200, 100))))
            let child = try #require(try client.children(of: parent).first)
            #expect(try client.image(of: child, width: 200, height: 100) { $0 == pixels })

            client.resize(parent, width: 240, height: 130)
            #expect(stage.recorder.waits(for: .resized(240, 130)))
            #expect(stage.recorder.waitsUntilSeen(try stage.present(pixels, stage.filling(200, 100))))

            xcb_destroy_window(client.connection, parent)
            client.sync()
            #expect(stage.recorder.waits(for: .closed))
            let serial = try stage.present(pixels, stage.filling(240, 130))
            #expect(stage.recorder.waits(for: .presented(PresentationFeedback(serial: serial, time: nil))))
            for _ in 0..<10 { try stage.present(pixels, stage.filling(240, 130)) }
            stage.presenter.close()
            #expect(stage.recorder.failures.isEmpty)
        }

        /// The server ends while pictures are in flight.
        @Test func applicationsWindowGoesMidStream() throws {
            let server = try XServer()
            let client = try X11Client(server)
            for round in 0..<10 {
                let parent = client.makeWindow(width: 200, height: 100)
                let stage = try X11Stage(server, window: UInt(parent), size: (1, 1), width: 200, height: 100)
                defer { stage.presenter.close() }
                stage.presenter.setRefreshEvents(true)
                let pixels = stage.noise()
                for number in 0..<20 {
                    if number == round {
                        xcb_destroy_window(client.connection, parent)
                        xcb_flush(client.connection)
                    }
                    try stage.present(pixels, stage.filling(400, 200))
                }
                #expect(stage.recorder.waits { $0.contains(.closed) })
                #expect(
                    stage.recorder.waits { events in
                        events.filter { if case .presented = $0 { true } else { false } }.count == 20
                    })
                #expect(stage.recorder.events.filter { $0 == .closed }.count == 1)
                #expect(stage.recorder.failures.isEmpty)
            }
        }

        @Test func refusals() throws {
            let server = try XServer()
            func error(_ display: String, window: UInt) -> String {
                let presenter = X11Presenter(display: display)
                defer { presenter.close() }
                do {
                    try presenter.open(window: window, size: (10, 10), title: "", events: X11Recorder())
                    return "none"
                } catch { return error.description }
            }
            #expect(error(server.display, window: 0x1234567).contains("0x1234567 is not there"))
            #expect(error(server.display, window: 1 << 40).contains("32 bits"))
            #expect(error(":nonsense", window: 0).contains(":nonsense"))
            #expect(error("127.0.0.1:59", window: 0).contains("cannot be reached"))
            let shallow = try XServer(depth: 16)
            #expect(error(shallow.display, window: 0).contains("depth 16 with masks 0xf800/0x7e0/0x1f"))
            let bare = try XServer(["-extension", "RENDER"])
            #expect(error(bare.display, window: 0).contains("RENDER"))

            let presenter = X11Presenter(display: server.display)
            #expect(throws: PresenterError.self) { _ = try presenter.acquire() }
            try presenter.open(window: 0, size: (10, 10), title: "", events: X11Recorder())
            defer { presenter.close() }
            #expect(throws: PresenterError.self) {
                try presenter.open(window: 0, size: (10, 10), title: "", events: X11Recorder())
            }
            let choice = presenter.choose(wantsExtendedRange: true, format: .rgba16f, encoding: .pq)
            #expect(choice.format == .bgra8 && choice.encoding == PictureEncoding(.sRGB, .sRGB))
            #expect(presenter.display.refusals.count == 3)
            #expect(presenter.display.headroom == 1)
            _ = presenter.choose(wantsExtendedRange: false, format: nil, encoding: nil)
            #expect(presenter.display.refusals.isEmpty)
            var picture = PictureDescription(
                width: 16, height: 16, format: .bgra8, encoding: choice.encoding, contentPeak: 203)
            picture.format = .rgba8
            #expect(throws: PresenterError.self) { try presenter.configure(picture) }
            picture.format = .bgra8
            for size in [0, -5, 32768, Int.max] {
                picture.width = size
                #expect(throws: PresenterError.self) { try presenter.configure(picture) }
            }
            picture.width = 16
            picture.encoding.transfer = .pq
            #expect(throws: PresenterError.self) { try presenter.configure(picture) }
            #expect(throws: PresenterError.self) { _ = try presenter.acquire() }
        }
    }
}
