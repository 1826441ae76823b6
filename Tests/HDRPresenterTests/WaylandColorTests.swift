import CMockCompositor
import Foundation
import HDRConcurrency
import TestSupport
import Testing

@testable import HDRPresenter

/// The colors that the compositor gets, and what it reports of the display.
@Suite(.timeLimit(.minutes(2)))
struct WaylandColorTests {
    @Test(arguments: [UInt32(1), 2])
    func headroomIsTheTargetsMaximumOverTheReferenceWhite(version: UInt32) throws {
        let session = try Session(Capabilities.kwin(version: version))
        let display = session.presenter.display
        #expect(display.headroom == 4)
        #expect(display.referenceWhite == 203)
        #expect(display.peak == 812)
        #expect(display.black == 0.01)
        #expect(display.potentialHeadroom == 4)
        #expect(display.output == "MOCK-1, Mock Display")
        #expect(display.refreshInterval == 16_666_666)
        for feature in ["ext_linear", "st2084_pq", "set_luminances", "rgba16f", "rgb10a2", "viewporter"] {
            #expect(display.features.contains(feature), "\(feature)")
        }
    }

    @Test(arguments: [UInt32(1), 2])
    func kwinGetsHalfFloatWithReferenceWhiteAtOne(version: UInt32) throws {
        let session = try Session(Capabilities.kwin(version: version))
        let picture = try session.configure(maxCLL: 1000, maxFALL: 2000)
        #expect(picture.format == .rgba16f)
        #expect(picture.encoding == PictureEncoding(.extendedLinear, .displayP3))
        #expect(session.presenter.display.refusals == [])
        let (serial, bytes) = try session.show(picture)
        #expect(session.recorder.feedback(serial)?.time != nil)

        let description = try #require(session.compositor.descriptions.last)
        #expect(description.transfer == 5 && description.primaries_named == 9)
        #expect(description.min == 100 && description.max == 203 && description.reference == 203)
        #expect(description.mastering_min == 100 && description.mastering_max == 812)
        // Version 1 holds the light levels within the mastering range, and the average within the maximum.
        #expect(description.max_cll == (version == 1 ? 812 : 1000))
        #expect(description.max_fall == (version == 1 ? 812 : 1000))

        let surfaces = session.compositor.surfaces
        #expect(surfaces.count == 2)
        #expect(surfaces[0].description == -1)
        #expect(surfaces[1].description == 0)
        #expect(session.compositor.pixels(1, bytesPerPixel: 8) == bytes)
        #expect(session.compositor.protocolError == "")
        #expect(session.compositor.title == "Test")
    }

    @Test func mutterGetsHalfFloatScaledToItsPeak() throws {
        let session = try Session(Capabilities.mutter())
        let picture = try session.configure(maxCLL: 800, maxFALL: 200)
        #expect(picture.format == .rgba16f)
        #expect(picture.encoding == PictureEncoding(.extendedLinear, .displayP3, whiteValue: 0.25))
        #expect(session.presenter.display.refusals.count == 1)
        #expect(session.presenter.display.refusals[0].contains("extended_target_volume"))
        let (serial, bytes) = try session.show(picture)
        #expect(session.recorder.feedback(serial)?.time != nil)
        let description = try #require(session.compositor.descriptions.last)
        #expect(description.transfer == 5 && description.primaries_named == 9)
        #expect(description.max == 812 && description.reference == 203)
        #expect(!description.has_mastering && !description.has_max_cll && !description.has_max_fall)
        #expect(session.compositor.pixels(1, bytesPerPixel: 8) == bytes)
        #expect(session.compositor.protocolError == "")
    }

    @Test func noReportedHeadroomInHDRMeansNone() throws {
        var options = Capabilities.mutter()
        options.preferred = mock_luminances(min: 50, max: 10_000, reference: 203, target_min: 50, target_max: 203)
        options.output = options.preferred
        let session = try Session(options)
        #expect(session.presenter.display.headroom == 1)
        var picture = try session.configure()
        #expect(picture.encoding.whiteValue == 1)
        // The sink has set another white, which leaves room above it.
        picture.encoding.whiteValue = 0.5
        try session.presenter.configure(picture)
        #expect(session.compositor.descriptions.last?.max == 406)
        #expect(session.compositor.protocolError == "")
    }

    /// As Mutter 48 leaves it out: 10 000 cd/m² are PQ's, not the display's.
    @Test func aPeakThatIsNotToldIsMissed() throws {
        var options = Capabilities.mutter()
        options.without_target = true
        let session = try Session(options)
        _ = try session.configure()
        #expect(session.presenter.display.headroom == 1)
        #expect(session.presenter.display.refusals.last?.contains("target_luminance") == true)
        #expect(session.compositor.protocolError == "")
    }

    @Test func swayGetsTenBitPQWithWhiteAt203() throws {
        var options = Capabilities.sway()
        options.preferred = mock_luminances(min: 0, max: 1000, reference: 100, target_min: 0, target_max: 500)
        let session = try Session(options)
        // The compositor offers no way to set the reference white, so that all levels are those of PQ.
        #expect(abs(session.presenter.display.headroom - 5) < 1e-9)
        #expect(session.presenter.display.referenceWhite == 203)
        let picture = try session.configure(maxCLL: 900, maxFALL: 300)
        #expect(picture.format == .rgb10a2)
        #expect(picture.encoding == PictureEncoding(.pq, .bt2020))
        #expect(session.presenter.display.refusals.count == 2)
        let (serial, bytes) = try session.show(picture)
        #expect(session.recorder.feedback(serial)?.time != nil)
        let description = try #require(session.compositor.descriptions.last)
        #expect(description.transfer == 11 && description.primaries_named == 6)
        #expect(!description.has_luminances)
        #expect(description.has_mastering && description.mastering_max == 1015)
        #expect(description.max_cll == 900 && description.max_fall == 300)
        #expect(session.compositor.surfaces[1].format == 0x3033_4258)
        #expect(session.compositor.pixels(1, bytesPerPixel: 4) == bytes)
        #expect(session.compositor.protocolError == "")
    }

    @Test(arguments: [PictureFormat.rgb10a2, .bgr10a2])
    func requestForTenBitsGivesPQ(format: PictureFormat) throws {
        let session = try Session(Capabilities.kwin())
        let picture = try session.configure(format: format)
        #expect(picture.format == format)
        #expect(picture.encoding.transfer == .pq)
        let (serial, bytes) = try session.show(picture)
        #expect(session.recorder.feedback(serial)?.time != nil)
        let description = try #require(session.compositor.descriptions.last)
        #expect(description.min == 50 && description.max == 10_000 && description.reference == 203)
        #expect(session.compositor.pixels(1, bytesPerPixel: 4) == bytes)
    }

    @Test func windowsScRGBIsTheLastWayToHDR() throws {
        let session = try Session(Capabilities.windows())
        let picture = try session.configure()
        #expect(picture.encoding == PictureEncoding(.extendedLinear, .sRGB, whiteValue: 2.5375))
        #expect(session.presenter.display.refusals.count == 3)
        let (serial, _) = try session.show(picture)
        #expect(session.recorder.feedback(serial)?.time != nil)
        #expect(session.compositor.descriptions.last?.windows_scrgb == true)
        #expect(session.compositor.surfaces[1].description == 0)
        #expect(session.compositor.protocolError == "")
        // Parametric descriptions are not offered, so none was requested.
        #expect(!session.compositor.log.contains("wp_color_management_surface_feedback_v1.get_preferred_parametric"))
    }

    @Test func withoutColorManagementSDRIsUntagged() throws {
        let session = try Session(Capabilities.plain())
        #expect(session.presenter.display.headroom == 1)
        let picture = try session.configure()
        #expect(picture.format == .bgra8)
        #expect(picture.encoding == PictureEncoding(.sRGB, .sRGB))
        #expect(session.presenter.display.refusals.count == 4)
        #expect(session.presenter.display.refusals.allSatisfy { $0.contains("color-management-v1") })
        let (serial, bytes) = try session.show(picture)
        #expect(session.recorder.feedback(serial)?.time != nil)
        #expect(session.compositor.pixels(1, bytesPerPixel: 4) == bytes)
        #expect(!session.compositor.log.contains { $0.hasPrefix("wp_") && $0.contains("color") })
    }

    @Test func requestedSDRIsUntaggedOnEveryCompositor() throws {
        let session = try Session(Capabilities.kwin())
        var picture = try session.configure()
        try session.show(picture)
        #expect(eventually { session.compositor.surfaces.last?.description == 0 })
        picture = try session.configure(wantsExtendedRange: false)
        #expect(picture.encoding.transfer == .sRGB && picture.format == .bgra8)
        try session.show(picture)
        #expect(eventually { session.compositor.surfaces.last?.description == -1 })
        #expect(session.compositor.protocolError == "")
    }

    @Test func endlessCapabilityListIsIgnored() throws {
        var options = Capabilities.kwin()
        options.half_features = true
        let session = try Session(options)
        #expect(try session.configure().encoding.transfer == .sRGB)
    }

    @Test(arguments: [UInt32(1), 2])
    func changedDisplayIsReported(version: UInt32) throws {
        let session = try Session(Capabilities.kwin(version: version))
        mock_set_preferred(
            session.compositor.mock,
            mock_luminances(min: 50, max: 10_000, reference: 100, target_min: 10, target_max: 250))
        let state = session.recorder.wait { if case .display(let state) = $0 { state } else { nil } }
        #expect(state?.headroom == 2.5)
        #expect(state?.referenceWhite == 100)
        // The most that was seen stays possible.
        #expect(state?.potentialHeadroom == 4)
        #expect(session.presenter.display == state)
        #expect(session.recorder.events.count { if case .display = $0 { true } else { false } } == 1)
    }

    @Test func potentialHeadroomIsTheOutputs() throws {
        var options = Capabilities.kwin()
        options.preferred = Capabilities.sdr
        options.output = mock_luminances(min: 0, max: 10_000, reference: 200, target_min: 0, target_max: 1600)
        let session = try Session(options)
        #expect(session.presenter.display.headroom == 1)
        #expect(eventually { session.presenter.display.potentialHeadroom == 8 })
        mock_set_output(
            session.compositor.mock,
            mock_luminances(min: 0, max: 10_000, reference: 200, target_min: 0, target_max: 2000))
        #expect(eventually { session.presenter.display.potentialHeadroom == 10 })
    }

    @Test(arguments: [
        mock_luminances(min: 0, max: 0, reference: 0, target_min: 0, target_max: 0),
        mock_luminances(min: .max, max: .max, reference: .max, target_min: .max, target_max: .max),
        mock_luminances(min: 0, max: 100, reference: 100, target_min: 5_000_000, target_max: 0),
        mock_luminances(min: 0, max: 100, reference: 1, target_min: 0, target_max: .max),
    ])
    func absurdLuminancesDoNoHarm(luminances: mock_luminances) throws {
        var options = Capabilities.mutter(version: 2)
        options.preferred = luminances
        let session = try Session(options)
        #expect(session.presenter.display.headroom >= 1)
        #expect(session.presenter.display.referenceWhite > 0)
        let picture = try session.configure(maxCLL: .infinity, maxFALL: .nan)
        let (serial, _) = try session.show(picture)
        #expect(session.recorder.feedback(serial)?.time != nil)
        #expect(session.compositor.protocolError == "")
    }

    @Test func refusedDescriptionLeadsToTheNextRung() throws {
        let session = try Session(Capabilities.kwin())
        mock_set_failing(session.compositor.mock, 1 << 5)
        for refused in [
            PictureEncoding(.extendedLinear, .displayP3), .init(.extendedLinear, .displayP3, whiteValue: 0.25),
        ] {
            let choice = session.presenter.choose(wantsExtendedRange: true, format: nil, encoding: nil)
            #expect(choice.encoding == refused)
            #expect(throws: PresenterError.self) { try session.configure() }
        }
        let picture = try session.configure()
        #expect(picture.encoding.transfer == .pq)
        #expect(session.presenter.display.refusals.first?.contains("not with me") == true)
        let (serial, _) = try session.show(picture)
        #expect(session.recorder.feedback(serial)?.time != nil)
    }

    @Test func undecidedCompositorIsWaitedForOnlySoLong() throws {
        let session = try Session(Capabilities.kwin())
        #expect(session.presenter.descriptionPatience == 2 * MonotonicClock.second)
        session.presenter.descriptionPatience = MonotonicClock.second / 5
        mock_set_undecided(session.compositor.mock, true)
        let clock = ContinuousClock()
        let time = clock.measure {
            #expect(throws: PresenterError.self) { try session.configure() }
        }
        #expect(time > .seconds(0.2))
        mock_set_undecided(session.compositor.mock, false)
        #expect(try session.configure().encoding.whiteValue == 0.25)
    }

    @Test func whatWasNotOfferedIsRefusedWithoutARequest() throws {
        let session = try Session(Capabilities.sway())
        for (format, encoding) in [
            (PictureFormat.rgba16f, PictureEncoding(.extendedLinear, .bt2020)),
            (.rgb10a2, PictureEncoding(.pq, .displayP3)),
            (.rgb10a2, PictureEncoding(.extendedLinear, .bt2020, whiteValue: .nan)),
            (.rgb10a2, PictureEncoding(.extendedLinear, .sRGB, whiteValue: 2.5375)),
        ] {
            let picture = PictureDescription(width: 8, height: 8, format: format, encoding: encoding, contentPeak: 500)
            #expect(throws: PresenterError.self) { try session.presenter.configure(picture) }
        }
        #expect(session.compositor.descriptions.isEmpty)
        #expect(session.compositor.protocolError == "")
    }

    @Test func descriptionIsMadeOnceForPicturesOfTheSameColors() throws {
        let session = try Session(Capabilities.kwin())
        for width in [64, 128, 64] {
            let picture = try session.configure(width)
            let (serial, _) = try session.show(picture)
            #expect(session.recorder.feedback(serial)?.time != nil)
        }
        #expect(session.compositor.descriptions.count == 1)
        #expect(session.compositor.log.count { $0 == "wp_color_management_surface_v1.set_image_description" } == 1)
    }
}
