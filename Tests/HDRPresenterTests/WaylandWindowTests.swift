import CMockCompositor
import Foundation
import HDRConcurrency
import TestSupport
import Testing

@testable import HDRPresenter

/// Pictures, views, times and input of a window.
@Suite(.timeLimit(.minutes(2)))
struct WaylandWindowTests {
    private static func part(_ x: Double, _ y: Double, _ width: Double, _ height: Double) -> View.Rectangle {
        View.Rectangle(x: x, y: y, width: width, height: height)
    }

    @Test func windowOpensAtFirstPicture() throws {
        let session = try Session(Capabilities.kwin())
        #expect(!session.compositor.log.contains("xdg_wm_base.get_xdg_surface"))
        let picture = try session.configure()
        let (serial, _) = try session.show(picture)
        let feedback = try #require(session.recorder.feedback(serial))
        let time = try #require(feedback.time)
        let now = MonotonicClock.now()
        #expect(time <= now && now - time < 5 * MonotonicClock.second)
        #expect(feedback.sequence > 0)
        #expect(session.recorder.events.contains(.size(64, 32)))
        // There must be no buffer before the answer to the first configure event.
        let log = session.compositor.log
        let answer = try #require(log.firstIndex(of: "xdg_surface.ack_configure"))
        let attach = try #require(log.firstIndex(of: "wl_surface.attach"))
        #expect(answer < attach)
        #expect(log.contains("xdg_wm_base.pong"))
        #expect(log.contains("zxdg_toplevel_decoration_v1.set_mode"))
        let ground = session.compositor.surfaces[0]
        #expect(ground.format == 1 && ground.destination_width == 64 && ground.destination_height == 32)
    }

    @Test func viewsAreSynchronizedSubsurfaces() throws {
        let session = try Session(Capabilities.kwin())
        let picture = try session.configure(100, 80)
        var views = [
            View(source: Self.part(0, 0, 100, 80), destination: Self.part(0, 0, 64, 32)),
            View(source: Self.part(10.5, 20, 30, 40.25), destination: Self.part(40, 2, 20, 10)),
            // Half of it lies beyond the picture.
            View(source: Self.part(90, 70, 20, 20), destination: Self.part(0, 0, 10, 10)),
        ]
        let (serial, bytes) = try session.show(picture, views: views)
        #expect(session.recorder.feedback(serial)?.time != nil)
        var surfaces = session.compositor.surfaces
        #expect(surfaces.count == 4)
        #expect(Set(surfaces.map(\.frame)).count == 1)
        for index in 1...3 {
            #expect(surfaces[index].is_subsurface)
            #expect(session.compositor.pixels(index, bytesPerPixel: 8) == bytes)
            #expect(surfaces[index].description == 0)
        }
        #expect(surfaces[1].source_width == 100 * 256 && surfaces[1].destination_width == 64)
        #expect(surfaces[2].source_x == 2688 && surfaces[2].source_y == 20 * 256)
        #expect(surfaces[2].source_width == 30 * 256 && surfaces[2].source_height == 10304)
        #expect(surfaces[2].x == 40 && surfaces[2].y == 2)
        #expect(surfaces[2].destination_width == 20 && surfaces[2].destination_height == 10)
        #expect(surfaces[3].source_x == 90 * 256 && surfaces[3].source_width == 10 * 256)
        #expect(surfaces[3].destination_width == 5 && surfaces[3].destination_height == 5)

        // Other views of the same picture need no new one.
        views[1].destination = Self.part(1, 3, 8, 4)
        views[2].source = Self.part(.nan, 0, 1, 1)
        session.presenter.redraw(views: views)
        #expect(eventually { session.compositor.surfaces[2].x == 1 })
        surfaces = session.compositor.surfaces
        #expect(surfaces[2].destination_width == 8 && surfaces[2].attach_count == 1)
        #expect(!surfaces[3].has_buffer)
        // A view that comes back needs the pixels again.
        views[2].source = Self.part(0, 0, 10, 10)
        session.presenter.redraw(views: views)
        #expect(eventually { session.compositor.surfaces[3].has_buffer })
        #expect(session.compositor.pixels(3, bytesPerPixel: 8) == bytes)
        session.presenter.redraw(views: [views[0]])
        #expect(eventually { !session.compositor.surfaces[2].has_buffer && !session.compositor.surfaces[3].has_buffer })
        #expect(session.compositor.protocolError == "")
    }

    /// A view that is not opaque has pixels of its own with alpha: the picture's, times its coverage.
    @Test(arguments: ["kwin", "deep", "plain"])
    func masksArePaintedIntoAlpha(compositor: String) throws {
        let isHalf = compositor != "plain"
        let session = try Session(isHalf ? Capabilities.kwin() : Capabilities.plain())
        let picture = try session.configure(
            100, 80, format: compositor == "kwin" ? .rgba16f : compositor == "deep" ? .rgb10a2 : .bgra8,
            wantsExtendedRange: isHalf)
        let main = View(source: Self.part(0, 0, 100, 80), destination: Self.part(0, 0, 64, 32))
        var loupe = View(source: Self.part(10, 20, 20, 10), destination: Self.part(40, 2, 20, 10), mask: .ellipse)
        guard let buffer = try session.presenter.acquire() else { throw PresenterError("The presenter is flushing.") }
        for y in 0..<80 {
            for x in 0..<100 {
                picture.format.write(
                    SIMD4(Float(x) / 128, Float(y) / 128, 0.5, 1),
                    to: buffer.memory + y * buffer.stride + x * picture.format.bytesPerPixel)
            }
        }
        try session.presenter.present(buffer, serial: 1, views: [main, loupe], target: nil)
        #expect(eventually { session.compositor.surfaces.count == 3 && session.compositor.surfaces[2].has_buffer })

        func check() {
            let surface = session.compositor.surfaces[2]
            #expect(surface.format == (isHalf ? Capabilities.fourCC("AB4H") : 0))
            #expect(surface.width == 20 && surface.height == 10 && surface.source_x == 0)
            #expect(surface.source_width == 20 * 256 && surface.source_height == 10 * 256)
            #expect(surface.x == Int32(loupe.destination.x) && surface.destination_width == 20)
            #expect(surface.description == session.compositor.surfaces[1].description)
            let size = isHalf ? 8 : 4
            let bytes = session.compositor.pixels(2, bytesPerPixel: size)
            var worst: Float = 0
            for y in 0..<10 {
                for x in 0..<20 {
                    let share = Float(
                        loupe.coverage(
                            x: loupe.destination.x + Double(x) + 0.5, y: loupe.destination.y + Double(y) + 0.5))
                    let wanted = SIMD4(Float(x + 10) / 128, Float(y + 20) / 128, 0.5, 1) * share
                    let seen = bytes.withUnsafeBytes { Self.pixel($0, (y * 20 + x) * size, isHalf) }
                    let difference = wanted - seen
                    worst = max(worst, difference.max(), -difference.min())
                }
            }
            // Codes of 8 bits are rounded twice.
            #expect(worst < (isHalf ? 0.001 : 0.004), "\(worst)")
        }
        check()
        // The same picture is shown in other places and shapes, and in none.
        loupe.destination.x = 30
        loupe.opacity = 0.5
        session.presenter.redraw(views: [main, loupe])
        #expect(eventually { session.compositor.surfaces[2].x == 30 })
        check()
        loupe.mask = .none
        loupe.opacity = 1
        session.presenter.redraw(views: [main, loupe])
        #expect(eventually { session.compositor.surfaces[2].width == 100 })
        #expect(session.compositor.surfaces[2].source_x == 10 * 256)
        #expect(session.compositor.protocolError == "")
    }

    /// R, G, B and alpha of a surface's pixel.
    private static func pixel(_ bytes: UnsafeRawBufferPointer, _ offset: Int, _ isHalf: Bool) -> SIMD4<Float> {
        if isHalf { return SIMD4<Float>(bytes.loadUnaligned(fromByteOffset: offset, as: SIMD4<Float16>.self)) }
        let parts = (0..<4).map { Float(bytes[offset + $0]) / 255 }
        return SIMD4(parts[2], parts[1], parts[0], parts[3])
    }

    /// Pictures of many sizes in many places; no buffer stays behind, and no error comes.
    @Test func maskedViewsMoveAndGrow() throws {
        let session = try Session(Capabilities.kwin())
        let picture = try session.configure(100, 80)
        let main = View(source: Self.part(0, 0, 100, 80), destination: Self.part(0, 0, 64, 32))
        for step in 0..<40 {
            let side = Double(4 + step % 7)
            let loupe = View(
                source: Self.part(Double(step), 10, 20, 10),
                destination: Self.part(Double(step % 50) - 5, 2, side, side), mask: .ellipse, feather: 0.3)
            try session.show(picture, views: [main, loupe], seed: UInt64(step))
        }
        #expect(eventually { session.compositor.surfaces.count == 3 && session.compositor.surfaces[2].has_buffer })
        #expect(session.compositor.protocolError == "")
        #expect(session.recorder.failures == 0)
    }

    @Test func withoutViewporterThereIsOneUnscaledView() throws {
        var options = Capabilities.kwin()
        options.without_viewporter = true
        let session = try Session(options)
        let picture = try session.configure()
        let (serial, bytes) = try session.show(picture, views: [Session.whole(picture), Session.whole(picture)])
        #expect(session.recorder.feedback(serial)?.time != nil)
        #expect(session.compositor.surfaces.count == 2)
        #expect(session.compositor.pixels(1, bytesPerPixel: 8) == bytes)
        // The ground is as large as the window.
        #expect(session.compositor.surfaces[0].width == 64 && session.compositor.surfaces[0].height == 32)
        #expect(session.presenter.display.refusals.contains { $0.contains("wp_viewporter") })
    }

    @Test func everyPictureIsReportedShownOrLostInOrder() throws {
        let session = try Session(Capabilities.kwin())
        let picture = try session.configure()
        var shown: [UInt64: [UInt8]] = [:]
        for seed in 1...60 {
            let (serial, bytes) = try session.show(picture, seed: UInt64(seed))
            shown[serial] = bytes
            // Some are seen before the next one comes, and some are replaced.
            if seed % 3 == 0 { #expect(session.recorder.feedback(serial) != nil) }
        }
        for serial in UInt64(1)...60 { #expect(session.recorder.feedback(serial) != nil, "\(serial)") }
        let seen = session.recorder.events.compactMap { event -> PresentationFeedback? in
            if case .presented(let feedback) = event, feedback.time != nil { feedback } else { nil }
        }
        #expect(seen.count > 5)
        #expect(seen.map(\.serial) == seen.map(\.serial).sorted())
        // The last one is never lost.
        #expect(seen.last?.serial == 60)
        #expect(session.compositor.pixels(1, bytesPerPixel: 8) == shown[60])
        #expect(session.compositor.protocolError == "")
    }

    @Test func hiddenWindowDoesNotBlockTheSink() throws {
        let session = try Session(Capabilities.kwin())
        let picture = try session.configure()
        try session.show(picture)
        #expect(session.recorder.feedback(1)?.time != nil)
        mock_set_hidden(session.compositor.mock, true)
        for seed in 2...40 { try session.show(picture, seed: UInt64(seed)) }
        #expect(session.recorder.feedback(20) == PresentationFeedback(serial: 20, time: nil))
        mock_set_hidden(session.compositor.mock, false)
        #expect(session.recorder.feedback(40)?.time != nil)
    }

    @Test(arguments: [("", 1), ("a\0b", 1), ("é👩‍👧", 50_000), ("x", 100_000)])
    func anyTitleIsAccepted(text: String, count: Int) throws {
        let title = String(repeating: text, count: count)
        #expect(Window.short(title).utf8.count <= 2048)
        let compositor = MockCompositor(Capabilities.plain())
        let presenter = compositor.presenter()
        let recorder = Recorder()
        try presenter.open(window: 0, size: (64, 32), title: title, events: recorder)
        defer { presenter.close() }
        let picture = PictureDescription(
            width: 8, height: 8, format: .bgra8, encoding: .init(.sRGB, .sRGB), contentPeak: 80)
        try presenter.configure(picture)
        let buffer = try #require(try presenter.acquire())
        try presenter.present(buffer, serial: 1, views: [Session.whole(picture)], target: nil)
        #expect(recorder.feedback(1)?.time != nil)
        #expect(compositor.title.prefix(20) == title.prefix { $0 != "\0" }.prefix(20))
    }

    @Test func discardedPicturesAreReportedAsNotShown() throws {
        let session = try Session(Capabilities.kwin())
        mock_discard(session.compositor.mock, true)
        try session.show(try session.configure())
        #expect(session.recorder.feedback(1) == PresentationFeedback(serial: 1, time: nil))
    }

    @Test func withoutPresentationTimeTheFrameCallbackGivesTheTime() throws {
        var options = Capabilities.kwin()
        options.without_presentation = true
        let session = try Session(options)
        let before = MonotonicClock.now()
        try session.show(try session.configure())
        let time = try #require(session.recorder.feedback(1)?.time)
        #expect(time >= before && time <= MonotonicClock.now())
    }

    @Test func timesOfAnotherClockAreConvertedToTheMonotonicOne() throws {
        var options = Capabilities.kwin()
        options.presentation_clock = CLOCK_REALTIME
        let session = try Session(options)
        let before = MonotonicClock.now()
        try session.show(try session.configure())
        let time = try #require(session.recorder.feedback(1)?.time)
        #expect(time + 5_000_000 >= before && time <= MonotonicClock.now() + 5_000_000)
    }

    @Test func resizedWindowIsReportedAndAcknowledgedAtOnce() throws {
        let session = try Session(Capabilities.kwin())
        let picture = try session.configure()
        try session.show(picture)
        #expect(session.recorder.feedback(1)?.time != nil)
        mock_configure(session.compositor.mock, 300, 200)
        #expect(session.recorder.wait { $0 == .size(300, 200) ? true : nil } == true)
        #expect(eventually { session.compositor.surfaces[0].destination_width == 300 })
        session.presenter.redraw(views: [Session.whole(picture, 300, 200)])
        #expect(eventually { session.compositor.surfaces[1].destination_width == 300 })
        // 0 leaves the size as it is; nonsense does no harm.
        for (width, height) in [(0, 0), (-5, .max), (Int32.max, 1)] as [(Int32, Int32)] {
            mock_configure(session.compositor.mock, width, height)
        }
        #expect(session.recorder.wait { $0 == .size(32_767, 1) ? true : nil } == true)
        #expect(session.compositor.protocolError == "")
    }

    @Test func scaleTwoDoublesTheWindowsPixels() throws {
        var options = Capabilities.kwin()
        options.output_scale = 2
        let session = try Session(options)
        let picture = try session.configure()
        try session.show(picture, views: [Session.whole(picture, 128, 64)])
        #expect(session.recorder.wait { $0 == .size(128, 64) ? true : nil } == true)
        #expect(eventually { session.compositor.surfaces.last?.destination_width == 64 })
        mock_pointer(session.compositor.mock, 10, 5)
        #expect(session.recorder.wait { $0 == .input(.pointerMoved(x: 20, y: 10)) ? true : nil } == true)
    }

    @Test func inputIsReportedInTheWindowsPixels() throws {
        let session = try Session(Capabilities.kwin())
        try session.show(try session.configure())
        #expect(session.recorder.feedback(1)?.time != nil)
        let mock = session.compositor.mock
        mock_pointer(mock, 10.5, 20.25)
        mock_button(mock, 0x110, true)
        mock_button(mock, 0x110, false)
        mock_button(mock, 0x112, true)
        mock_button(mock, 0xFFFF, true)
        mock_axis(mock, 0, -10)
        mock_axis(mock, 1, 5)
        mock_key(mock, 57, true)
        mock_key(mock, 57, false)
        mock_key(mock, 105, true)
        mock_key(mock, 0xFFFF_FFFF, true)
        mock_close_window(mock)
        #expect(session.recorder.wait { $0 == .closed ? true : nil } == true)
        let inputs = session.recorder.events.compactMap { event -> PresenterInput? in
            if case .input(let input) = event { input } else { nil }
        }
        #expect(
            inputs == [
                .pointerMoved(x: 10.5, y: 20.25), .pointerMoved(x: 11.5, y: 21.25),
                .buttonPressed(1, x: 11.5, y: 21.25), .buttonReleased(1, x: 11.5, y: 21.25),
                .buttonPressed(2, x: 11.5, y: 21.25), .scrolled(dx: 0, dy: 1, x: 11.5, y: 21.25),
                .scrolled(dx: 0.5, dy: 0, x: 11.5, y: 21.25), .keyPressed("space"), .keyReleased("space"),
                .keyPressed("Left"),
            ])
    }

    @Test func refreshesAreReportedOnlyOnRequest() throws {
        var options = Capabilities.kwin()
        options.interval = 10
        let session = try Session(options)
        let picture = try session.configure()
        try session.show(picture)
        #expect(session.recorder.feedback(1)?.time != nil)
        func ticks() -> [RefreshTick] {
            session.recorder.events.compactMap { if case .tick(let tick) = $0 { tick } else { nil } }
        }
        #expect(ticks().isEmpty)
        session.presenter.setRefreshEvents(true)
        #expect(eventually { ticks().count >= 10 })
        for tick in ticks() {
            #expect(tick.target > tick.now && tick.target <= tick.now + 2 * tick.interval)
        }
        #expect(ticks().last?.interval == 10_000_000)
        // A hidden window's come from the clock.
        mock_set_hidden(session.compositor.mock, true)
        let before = ticks().count
        #expect(eventually { ticks().count >= before + 10 })
        mock_set_hidden(session.compositor.mock, false)
        session.presenter.setRefreshEvents(false)
        // One may be on its way; then pictures are shown and no tick comes with them.
        func showPictures(_ count: Int) throws {
            for _ in 0..<count {
                let (serial, _) = try session.show(picture)
                #expect(session.recorder.feedback(serial) != nil)
            }
        }
        try showPictures(3)
        let after = ticks().count
        try showPictures(10)
        #expect(ticks().count == after)
        #expect(zip(ticks(), ticks().dropFirst()).allSatisfy { $0.now < $1.now })
    }

    @Test func refreshesAreReportedWithoutAPictureToo() throws {
        let session = try Session(Capabilities.kwin())
        session.presenter.setRefreshEvents(true)
        #expect(
            eventually { session.recorder.events.count { if case .tick = $0 { true } else { false } } >= 5 })
    }

    @Test func sinkMayCallThePresenterFromAnEvent() throws {
        let session = try Session(Capabilities.kwin())
        let presenter = session.presenter
        session.recorder.callback = { event in
            guard case .display = event else { return }
            let choice = presenter.choose(wantsExtendedRange: true, format: nil, encoding: nil)
            let picture = PictureDescription(
                width: 16, height: 16, format: choice.format, encoding: choice.encoding,
                contentPeak: presenter.display.peak)
            do {
                try presenter.configure(picture)
                for serial in UInt64(1)...20 {
                    guard let buffer = try presenter.acquire() else { return }
                    try presenter.present(
                        buffer, serial: serial, views: [Session.whole(picture)], target: nil)
                }
            } catch {
                Issue.record("\(error)")
            }
        }
        mock_set_preferred(
            session.compositor.mock,
            mock_luminances(min: 50, max: 10_000, reference: 203, target_min: 10, target_max: 406))
        #expect(session.recorder.feedback(20)?.time != nil)
    }
}
