import HDRMetadata
import Testing

@testable import HDRExport

/// The reports of elements before an export about their changes to pictures.
@Suite struct PictureHistoryTests {
    typealias Raster = PictureHistory.Raster
    typealias Step = PictureHistory.Step

    private static let full = FrameSize(320, 180)
    private static let area = ActiveArea(left: 16, right: 8, top: 20, bottom: 30)

    private static func raster(_ width: Int, _ height: Int, _ aspect: Fraction = .one) -> Raster {
        Raster(FrameSize(width, height), pixelAspect: aspect)
    }

    /// A crop that keeps the shape, and lies off the centre.
    @Test func cropsAreSeenWhateverTheShape() {
        let cut = Step(
            Self.raster(320, 180), .cut(FrameInsets(left: 0, top: 0, right: 160, bottom: 90)), Self.raster(160, 90))
        let crop = PictureHistory([cut])
        #expect(crop.isCropped(Self.full, to: FrameSize(160, 90)))
        #expect(crop.area(Self.area, of: Self.full) == ActiveArea(left: 16, top: 20))
        let back = PictureHistory([cut, Step(Self.raster(160, 90), .scale(fillsFrame: false), Self.raster(320, 180))])
        #expect(back.isCropped(Self.full, to: Self.full))
        #expect(back.area(Self.area, of: Self.full) == ActiveArea(left: 32, top: 40))
    }

    @Test func addedBordersAreNoCrop() {
        let padded = PictureHistory([
            Step(
                Self.raster(320, 180), .cut(FrameInsets(left: -4, top: -30, right: 0, bottom: -10)),
                Self.raster(324, 220))
        ])
        #expect(!padded.isCropped(Self.full, to: FrameSize(324, 220)))
        #expect(padded.area(Self.area, of: Self.full) == ActiveArea(left: 20, right: 8, top: 50, bottom: 40))
    }

    /// The whole picture in pixels of another shape, or with borders around it.
    @Test func scalingKeepsTheWholePicture() {
        func scaled(_ fills: Bool, _ after: Raster) -> PictureHistory {
            PictureHistory([Step(Self.raster(320, 180), .scale(fillsFrame: fills), after)])
        }
        let stretched = scaled(false, Self.raster(320, 240, Fraction(4, 3)))
        #expect(!stretched.isCropped(Self.full, to: FrameSize(320, 240)))
        #expect(
            stretched.area(ActiveArea(top: 18, bottom: 9), of: Self.full) == ActiveArea(top: 24, bottom: 12))
        #expect(stretched.area(ActiveArea(), of: Self.full) == ActiveArea())
        let boxed = scaled(false, Self.raster(240, 180))
        #expect(!boxed.isCropped(Self.full, to: FrameSize(240, 180)))
        #expect(boxed.area(ActiveArea(), of: Self.full) == ActiveArea(top: 22, bottom: 23))
        #expect(boxed.area(ActiveArea(left: 16), of: Self.full) == ActiveArea(left: 12, top: 22, bottom: 23))
        #expect(scaled(true, Self.raster(240, 180)).area(ActiveArea(), of: Self.full) == ActiveArea())
    }

    @Test func turnsAreFollowed() {
        let turned = PictureHistory([
            Step(Self.raster(320, 180), .turn(by: 90, isMirrored: false), Self.raster(180, 320))
        ])
        #expect(!turned.isCropped(Self.full, to: FrameSize(180, 320)))
        #expect(turned.area(Self.area, of: Self.full) == ActiveArea(left: 30, right: 20, top: 16, bottom: 8))
    }

    /// Where nothing tells how a picture got another size, it may have been cropped.
    @Test func doubtIsACrop() {
        let doubtful = PictureHistory([Step(Self.raster(320, 180), .unknown, Self.raster(160, 90))])
        #expect(doubtful.isCropped(Self.full, to: FrameSize(160, 90)))
        let transposed = PictureHistory([Step(Self.raster(320, 180), .unknown, Self.raster(180, 320))])
        #expect(!transposed.isCropped(Self.full, to: FrameSize(180, 320)))
    }

    /// Metadata of an application, which do not state their size, describe the first picture that is known.
    @Test func unstatedSizesAreThoseOfTheFirstStep() {
        let cut = Step(Self.raster(320, 180), .cut(FrameInsets(right: 160, bottom: 90)), Self.raster(160, 90))
        let history = PictureHistory([cut, Step(cut.after, .scale(fillsFrame: false), Self.raster(320, 180))])
        #expect(history.described(FrameSize(0, 0)) == Self.full)
        #expect(history.described(FrameSize(160, 90)) == FrameSize(160, 90))
        #expect(history.isCropped(history.described(FrameSize(0, 0)), to: Self.full))
        #expect(PictureHistory().described(FrameSize(0, 0)) == FrameSize(0, 0))
    }

    /// Only what was done since a picture had the described size counts; without that, the sizes alone do.
    @Test func stepsBeginWhereMetadataDo() {
        let history = PictureHistory([
            Step(Self.raster(640, 360), .cut(FrameInsets(left: 320, bottom: 180)), Self.raster(320, 180)),
            Step(Self.raster(320, 180), .scale(fillsFrame: false), Self.raster(160, 90)),
        ])
        #expect(history.isCropped(FrameSize(640, 360), to: FrameSize(160, 90)))
        #expect(!history.isCropped(Self.full, to: FrameSize(160, 90)))
        #expect(history.area(ActiveArea(left: 16), of: Self.full) == ActiveArea(left: 8))
        #expect(history.area(ActiveArea(left: 16), of: FrameSize(160, 90)) == ActiveArea(left: 16))
        #expect(history.area(ActiveArea(left: 16), of: FrameSize(1920, 800)) == nil)
        #expect(history.isCropped(FrameSize(1920, 1080), to: FrameSize(1920, 800)))
        #expect(!history.isCropped(FrameSize(0, 0), to: FrameSize(160, 90)))
    }
}
