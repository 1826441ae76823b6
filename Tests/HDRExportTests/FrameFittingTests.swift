import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct FrameFittingTests {
    static func fit(
        _ width: Int, _ height: Int, par: Fraction = .one, into box: FrameSize? = nil, codec: VideoCodec = .hevc,
        _ settings: [Setting] = []
    ) throws -> FrameGeometry {
        try FrameFitting(source: FrameSize(width, height), pixelAspectRatio: par, codec: codec).geometry(
            within: box, settings: try VideoSettings(settings), turn: 0, displayRotation: 0)
    }

    static let fullHD = FrameSize(1920, 1080)

    @Test(arguments: [
        (1920, 1080, 1920, 1080), (3840, 2160, 1920, 1080), (1280, 720, 1280, 720), (640, 360, 640, 360),
        // Portrait pictures have the box upright.
        (2160, 3840, 1080, 1920), (1080, 1920, 1080, 1920), (3000, 4000, 1080, 1440),
        // Cinema, square and panorama.
        (4096, 2160, 1920, 1012), (4000, 4000, 1080, 1080), (8000, 1000, 1920, 240), (7680, 4320, 1920, 1080),
        // Odd ones lose a column or row.
        (1919, 1079, 1918, 1078), (1921, 1081, 1920, 1080), (3841, 2161, 1920, 1080), (17, 17, 16, 16),
    ]) func boxesAreKept(_ width: Int, _ height: Int, _ outWidth: Int, _ outHeight: Int) throws {
        let geometry = try Self.fit(width, height, into: Self.fullHD)
        #expect(geometry.frame == FrameSize(outWidth, outHeight))
        #expect(geometry.pixelAspectRatio == .one && geometry.borders == .zero)
    }

    @Test func oddSourcesAreCroppedNotResampled() throws {
        let geometry = try Self.fit(1921, 1081, into: Self.fullHD)
        #expect(geometry.crop == FrameInsets(right: 1, bottom: 1) && !geometry.isScaled)
    }

    @Test func pixelShapeIsKeptUntilThePictureShrinks() throws {
        let kept = try Self.fit(1440, 1080, par: Fraction(4, 3), into: Self.fullHD)
        #expect(kept.frame == FrameSize(1440, 1080) && kept.pixelAspectRatio == Fraction(4, 3) && !kept.isScaled)
        let squared = try Self.fit(1440, 1080, par: Fraction(4, 3), into: FrameSize(1280, 720))
        #expect(squared.frame == FrameSize(1280, 720) && squared.pixelAspectRatio == .one)
        // Square pixels would need more columns than there are.
        let wide = try Self.fit(1440, 1080, par: Fraction(4, 3), into: FrameSize(1900, 1070))
        #expect(wide.frame.width <= 1440 && wide.pixelAspectRatio == Fraction(4, 3))
        let demanded = try Self.fit(
            1440, 1080, par: Fraction(4, 3), into: Self.fullHD, [Setting("pixel-aspect-ratio", .fraction(.one))])
        #expect(demanded.frame == FrameSize(1440, 810) && demanded.pixelAspectRatio == .one)
    }

    @Test func explicitModes() throws {
        func size(_ width: Int, _ height: Int, _ mode: String) -> [Setting] {
            [Setting("width", .int(width)), Setting("height", .int(height)), Setting("scaling-mode", .string(mode))]
        }
        let stretched = try Self.fit(1280, 720, size(640, 640, "resize"))
        #expect(stretched.frame == FrameSize(640, 640) && stretched.crop == .zero && stretched.borders == .zero)

        let boxed = try Self.fit(1280, 720, size(640, 640, "resize-aspect"))
        #expect(boxed.frame == FrameSize(640, 640) && boxed.scaled == FrameSize(640, 360))
        #expect(boxed.borders == FrameInsets(top: 140, bottom: 140))

        let filled = try Self.fit(1280, 720, size(640, 640, "resize-aspect-fill"))
        #expect(filled.scaled == FrameSize(640, 640) && filled.crop == FrameInsets(left: 280, right: 280))

        #expect(try Self.fit(1280, 720, size(1920, 1920, "fit")).frame == FrameSize(1280, 720))
        #expect(try Self.fit(1280, 720, size(640, 640, "fit")).frame == FrameSize(640, 360))
        // Asked for exactly, the picture is enlarged.
        #expect(try Self.fit(1280, 720, size(1920, 1080, "resize-aspect")).scaled == FrameSize(1920, 1080))
        let one = try Self.fit(
            1280, 720, [Setting("width", .int(320)), Setting("scaling-mode", .string("resize-aspect"))])
        #expect(one.frame == FrameSize(320, 180))
        #expect(try Self.fit(1280, 720, [Setting("height", .int(360))]).frame == FrameSize(640, 360))
    }

    @Test func sourcesWithoutEnoughPixelsAreErrors() {
        #expect(exportError { _ = try Self.fit(8, 8) }?.rule == "frame-size")
        #expect(exportError { _ = try Self.fit(1, 1, codec: .h264) }?.rule == "frame-size")
        #expect(exportError { _ = try Self.fit(14, 640, codec: .h264) }?.rule == "frame-size")
        #expect(exportError { _ = try Self.fit(17, 16, codec: .h264) } == nil)
    }

    /// Whatever comes in: even, within the box, never enlarged, never below the codec's least, nearly the same aspect,
    /// and all parts add up.
    @Test func propertiesOfAnyFit() throws {
        var random = SeededGenerator(seed: 1)
        let shapes = [Fraction(1, 1), Fraction(4, 3), Fraction(8, 9), Fraction(32, 27), Fraction(2, 1), Fraction(1, 2)]
        // Of some long pictures in small boxes too little is left.
        var refused = 0
        for _ in 0..<20_000 {
            let width = Int.random(in: 600...9000, using: &random)
            let height = Int.random(in: 600...9000, using: &random)
            let shape = shapes.randomElement(using: &random) ?? .one
            let box =
                Bool.random(using: &random)
                ? FrameSize(
                    Int.random(in: 50...4000, using: &random) * 2, Int.random(in: 50...2000, using: &random) * 2) : nil
            guard let geometry = try? Self.fit(width, height, par: shape, into: box) else {
                refused += 1
                continue
            }
            let frame = geometry.frame
            let context: Comment = "\(width)x\(height) \(shape) into \(String(describing: box)): \(geometry)"
            #expect(frame.width % 2 == 0 && frame.height % 2 == 0, context)
            #expect(frame.width <= width && frame.height <= height, context)
            #expect(frame.width >= 16 && frame.height >= 16, context)
            #expect(Double(frame.width) * Double(frame.height) <= FrameFitting.maximumPicture, context)
            if let box {
                let (long, short) = (max(box.width, box.height), min(box.width, box.height))
                #expect(max(frame.width, frame.height) <= max(long, 16), context)
                #expect(min(frame.width, frame.height) <= max(short, 16), context)
            }
            let before = Double(width) * (shape.value ?? 1) / Double(height)
            let after = Double(frame.width) * (geometry.pixelAspectRatio.value ?? 1) / Double(frame.height)
            // A pixel cut off an odd source and one of rounding, on each side, and the largest area; the least
            // size may bend more.
            let tolerance = 6.0 / Double(min(frame.width, frame.height))
            if min(frame.width, frame.height) > 16 { #expect(abs(after / before - 1) <= tolerance, context) }
        }
        #expect(refused < 400, "\(refused)")
    }

    @Test func partsAddUpInEveryMode() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let source = FrameSize(Int.random(in: 16...5000, using: &random), Int.random(in: 16...5000, using: &random))
            let mode = ScalingMode.allCases.randomElement(using: &random) ?? .fit
            let fitted = try? Self.fit(
                source.width, source.height,
                [
                    Setting("width", .int(Int.random(in: 8...2000, using: &random) * 2)),
                    Setting("height", .int(Int.random(in: 8...2000, using: &random) * 2)),
                    Setting("scaling-mode", .string(mode.rawValue)),
                ])
            // Pictures of which little is left are refused.
            guard let geometry = fitted else { continue }
            let (crop, borders) = (geometry.crop, geometry.borders)
            #expect(crop.left + crop.right < source.width && crop.top + crop.bottom < source.height)
            #expect([crop.left, crop.top, borders.left, borders.top].allSatisfy { $0 >= 0 && $0 % 2 == 0 })
            #expect(geometry.scaled.width + borders.left + borders.right == geometry.frame.width)
            #expect(geometry.scaled.height + borders.top + borders.bottom == geometry.frame.height)
            #expect(geometry.scaled.width > 0 && geometry.scaled.height > 0)
        }
    }
}
