@testable import HDRExport
import HDRMetadata
import Testing

@Suite struct ActiveAreaTests {
    private static let letterbox = ActiveArea(top: 140, bottom: 120)
    private static let full = FrameSize(1920, 1080)

    private static func geometry(_ change: (inout FrameGeometry) -> Void) -> FrameGeometry {
        var geometry = FrameGeometry(
            turn: 0, displayRotation: 0, crop: .zero, scaled: full, borders: .zero, frame: full,
            pixelAspectRatio: .one, isScaled: false)
        change(&geometry)
        return geometry
    }

    @Test func turnsAndMirrors() {
        let area = ActiveArea(left: 1, right: 2, top: 3, bottom: 4)
        func turned(_ degrees: Int, mirrored: Bool = false) -> ActiveArea {
            area.following(
                Self.geometry {
                    $0.turn = degrees
                    $0.isMirrored = mirrored
                    if degrees % 180 != 0 { $0.scaled = FrameSize(1080, 1920) }
                }, from: Self.full)
        }
        #expect(turned(0) == area)
        #expect(turned(90) == ActiveArea(left: 4, right: 3, top: 1, bottom: 2))
        #expect(turned(180) == ActiveArea(left: 2, right: 1, top: 4, bottom: 3))
        #expect(turned(270) == ActiveArea(left: 3, right: 4, top: 2, bottom: 1))
        #expect(turned(0, mirrored: true) == ActiveArea(left: 2, right: 1, top: 3, bottom: 4))
    }

    @Test func cropsScalesAndPads() {
        let geometry = Self.geometry {
            $0.crop = FrameInsets(top: 40, bottom: 140)
            $0.scaled = FrameSize(960, 450)
            $0.borders = FrameInsets(left: 8, top: 6)
        }
        #expect(
            Self.letterbox.following(geometry, from: Self.full)
                == ActiveArea(left: 8, right: 0, top: 50 + 6, bottom: 0))
    }

    /// Changes between decoder and export can only be told from the size.
    @Test func sizesTellWhatWasDone() {
        let half = Self.letterbox.following(from: Self.full, to: FrameSize(960, 540))
        #expect(half == ActiveArea(top: 70, bottom: 60))
        let cropped = Self.letterbox.following(from: Self.full, to: FrameSize(1920, 800))
        #expect(cropped == ActiveArea())
        let padded = ActiveArea().following(from: FrameSize(1920, 800), to: Self.full)
        #expect(padded == ActiveArea(top: 140, bottom: 140))
        #expect(Self.letterbox.following(from: FrameSize(0, 0), to: Self.full) == Self.letterbox)
        // Turned, to which side nobody says: bars count as far as they are on both sides.
        let turned = ActiveArea(left: 10, right: 20, top: 140, bottom: 120).following(
            from: Self.full, to: FrameSize(540, 960))
        #expect(turned == ActiveArea(left: 60, right: 60, top: 5, bottom: 5))
        // 1080 / 1.5 is rounded to an even number.
        let odd = Self.letterbox.following(from: Self.full, to: FrameSize(1366, 768))
        #expect(abs(odd.top - 140 * 768 / 1080) < 0.01 && odd.left == 0)
    }

    @Test func onlyLostSidesAreCropped() {
        let others = [(1920, 1080), (960, 540), (1366, 768), (1080, 1920), (540, 960), (2000, 1200), (0, 0)]
        for (width, height) in others { #expect(!Self.full.isCropped(to: FrameSize(width, height)), "\(width)") }
        for (width, height) in [(1920, 800), (1912, 1056), (1440, 1080), (800, 2000)] {
            #expect(Self.full.isCropped(to: FrameSize(width, height)), "\(width)")
        }
        #expect(!FrameSize(0, 0).isCropped(to: Self.full))
    }

    /// Clips of other sizes that follow in the same frame, as videoscale fits them in.
    @Test func laterSourcesAreFittedIn() {
        let geometry = Self.geometry { _ in }
        func fitted(_ width: Int, _ height: Int, _ aspect: Fraction = .one) -> FrameInsets {
            geometry.fitting(FrameSize(width, height), pixelAspect: aspect).borders
        }
        #expect(fitted(1280, 720) == .zero && fitted(1920, 1080) == .zero)
        #expect(fitted(720, 1280) == FrameInsets(left: 656, right: 657))
        #expect(fitted(640, 480) == FrameInsets(left: 240, right: 240))
        #expect(fitted(640, 272) == FrameInsets(top: 132, bottom: 132))
        #expect(fitted(720, 576, Fraction(16, 15)) == FrameInsets(left: 240, right: 240))
        let turned = Self.geometry { $0.turn = 90 }
        #expect(turned.fitting(FrameSize(720, 1280), pixelAspect: .one).borders == .zero)
        #expect(
            turned.fitting(FrameSize(576, 720), pixelAspect: Fraction(15, 16)).borders
                == FrameInsets(left: 240, right: 240))
    }
}
