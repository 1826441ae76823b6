import HDRMetadata

/// Computes a ``FrameGeometry``.
///
/// Encoded sizes are even. An odd source loses its last column or row rather than being resampled. A source that need
/// not shrink keeps its pixels and their aspect ratio. One that shrinks gets square pixels, unless this would enlarge
/// one direction.
struct FrameFitting {
    /// The size of the source in pixels, after rotation.
    let source: FrameSize
    let pixelAspectRatio: Fraction
    let codec: VideoCodec

    /// The largest picture in pixels: that of HEVC's level 6.2 (ITU-T H.265 table A.8), 8192x4352, which is also used
    /// for H.264 and ProRes.
    static let maximumPicture = 35_651_584.0
    static let maximumSide = 16384

    private struct Result {
        var crop = FrameInsets.zero
        var scaled: FrameSize
        var borders = FrameInsets.zero
        var frame: FrameSize
        var pixelAspectRatio: Fraction
    }

    /// - Parameters:
    ///   - box: the largest size that a preset allows; it is transposed for portrait pictures.
    ///   - settings: width, height, scaling mode and pixel aspect ratio, which override the box.
    func geometry(
        within box: FrameSize?, settings: VideoSettings, turn: Int, displayRotation: Int
    ) throws(ExportError) -> FrameGeometry {
        let base = source.even
        let least = VideoCodec.minimumSide
        guard base.width >= least, base.height >= least else {
            throw .frameSize(
                width: source.width, height: source.height,
                reason: "\(codec.title) needs at least \(least)x\(least) pixels",
                remedy: "Scale the source up before the export, for instance with videoscale.")
        }
        let mode = settings.scalingMode ?? .fit
        var result: Result
        if settings.width == nil, settings.height == nil {
            result = try fit(base, into: oriented(box), ratio: settings.pixelAspectRatio)
        } else if mode == .fit {
            let asked = FrameSize(settings.width ?? Self.maximumSide, settings.height ?? Self.maximumSide)
            try check(asked, given: settings)
            result = try fit(base, into: asked, ratio: settings.pixelAspectRatio)
        } else {
            let ratio = settings.pixelAspectRatio ?? .one
            let asked = try completed(settings, base: base, ratio: ratio)
            try check(asked, given: settings)
            result = try exact(base, size: asked, mode: mode, ratio: ratio)
        }
        try checkNarrow(result.frame)
        result.crop.right += source.width - base.width
        result.crop.bottom += source.height - base.height
        let kept = FrameSize(
            source.width - result.crop.left - result.crop.right, source.height - result.crop.top - result.crop.bottom)
        return FrameGeometry(
            turn: turn, displayRotation: displayRotation, crop: result.crop, scaled: result.scaled,
            borders: result.borders, frame: result.frame, pixelAspectRatio: result.pixelAspectRatio,
            isScaled: result.scaled != kept)
    }

    /// The pixel aspect ratio of the source as a number.
    private var shape: Double { pixelAspectRatio.value ?? 1 }

    /// A box for landscape pictures, transposed for portrait ones.
    private func oriented(_ box: FrameSize?) -> FrameSize? {
        guard let box else { return nil }
        let isPortrait = Double(source.width) * shape < Double(source.height)
        return isPortrait == (box.width < box.height) ? box : box.transposed
    }

    private func check(_ size: FrameSize, given settings: VideoSettings) throws(ExportError) {
        let smallest = VideoCodec.minimumSide
        let (width, height) = (settings.width, settings.height)
        if (width ?? smallest) < smallest || (height ?? smallest) < smallest {
            throw .frameSize(
                width: width, height: height,
                reason: "\(codec.title) needs at least \(smallest)x\(smallest) pixels", remedy: "Use a larger size.")
        }
        guard width != nil, height != nil else { return }
        if Double(size.width) * Double(size.height) > Self.maximumPicture {
            throw .frameSize(
                width: width, height: height,
                reason: "it has more pixels than 8192x4352, the largest picture of level 6.2",
                remedy: "Use 7680x4320 or less.")
        }
    }

    /// Refuses narrow pictures: levels from 5 on, which long pictures need, have coding units of at least 32 samples
    /// (ITU-T H.265, A.4.1).
    private func checkNarrow(_ frame: FrameSize) throws(ExportError) {
        let longest = (8 * 2_228_224.0).squareRoot()
        let (short, long) = (min(frame.width, frame.height), max(frame.width, frame.height))
        guard codec == .hevc, short < 32, Double(long) > longest else { return }
        throw .frameSize(
            width: frame.width, height: frame.height,
            reason: "HEVC pictures with a side over \(Int(longest)) pixels need at least 32 pixels on the other",
            remedy: "Set a width and height with scaling-mode=resize-aspect, which adds borders.")
    }

    /// Refuses a side that the picture's aspect ratio makes too short, before it is rounded.
    /// - Parameter least: the minimum in pixels.
    private func checkShape(_ size: (width: Double, height: Double), least: Int) throws(ExportError) {
        // A side that rounds up to the minimum is long enough.
        if min(size.width, size.height) >= Double(least - 1) { return }
        func shown(_ side: Double) -> String { ((side * 10).rounded() / 10).shown }
        throw .frameSize(
            width: source.width, height: source.height,
            reason: "with pixels of \(pixelAspectRatio) it is so long that \(shown(size.width))x"
                + "\(shown(size.height)) pixels were left of it, and at least \(least) are needed on each side",
            remedy: "Set a width and height with scaling-mode=resize, or crop the source before the export.")
    }

    /// Shrinks a picture into a box; it is never enlarged.
    private func fit(_ base: FrameSize, into box: FrameSize?, ratio: Fraction?) throws(ExportError) -> Result {
        let (width, height) = (Double(base.width), Double(base.height))
        // The limit of the picture's area, as a factor for both sides.
        let area = min(1, (Self.maximumPicture / (width * height)).squareRoot())
        let largest = box ?? FrameSize(Self.maximumSide, Self.maximumSide)
        let (boxWidth, boxHeight) = (
            min(Double(largest.width), Double(Self.maximumSide)), min(Double(largest.height), Double(Self.maximumSide))
        )
        let keepsShape = ratio.map { $0.equals(pixelAspectRatio) } ?? true
        if keepsShape, area == 1, width <= boxWidth, height <= boxHeight, width * shape <= boxWidth {
            return Result(scaled: base, frame: base, pixelAspectRatio: pixelAspectRatio.reduced)
        }
        /// The picture with pixels of an aspect ratio, shrunk until it fits; and whether the aspect ratio alone
        /// enlarges it.
        func shrunk(to outputShape: Double) -> (width: Double, height: Double, enlarges: Bool) {
            let fullWidth = width * shape / outputShape
            let displayed = width * shape
            let inBox = min(boxWidth / fullWidth, boxHeight / height, boxWidth / displayed)
            let inArea = (Self.maximumPicture / (fullWidth * height)).squareRoot()
            let scale = min(1, inBox, inArea)
            return (fullWidth * scale, height * scale, fullWidth * scale > width)
        }
        var outputRatio = ratio ?? .one
        var size = shrunk(to: outputRatio.value ?? 1)
        if size.enlarges {
            if ratio == nil {
                outputRatio = pixelAspectRatio
                size = shrunk(to: shape)
            } else {
                // The pixel aspect ratio is given, so the height is reduced.
                let scale = width / size.width
                size = (width, size.height * scale, false)
            }
        }
        try checkShape((size.width, size.height), least: VideoCodec.minimumSide)
        var frame = FrameSize(
            rounded(size.width, atMost: min(base.width, Int(boxWidth))),
            rounded(size.height, atMost: min(base.height, Int(boxHeight))))
        // Rounding up both sides may exceed the largest picture.
        frame.width = min(frame.width, Int(Self.maximumPicture / Double(frame.height)) & ~1)
        return Result(scaled: frame, frame: frame, pixelAspectRatio: outputRatio.reduced)
    }

    /// The nearest even size that the codec supports.
    private func rounded(_ side: Double, atMost limit: Int) -> Int {
        let even = Int((max(0, min(side, Double(Self.maximumSide))) / 2).rounded()) * 2
        return max(VideoCodec.minimumSide, min(even, limit & ~1))
    }

    /// Computes the side that was not given from the aspect ratio.
    private func completed(
        _ settings: VideoSettings, base: FrameSize, ratio: Fraction
    ) throws(ExportError) -> FrameSize {
        let aspect = Double(base.width) * shape / Double(base.height) / (ratio.value ?? 1)
        let (given, other) = (Double(settings.width ?? 0), Double(settings.height ?? 0))
        try checkShape(
            (settings.width == nil ? other * aspect : given, settings.height == nil ? given / aspect : other),
            least: VideoCodec.minimumSide)
        let width = settings.width ?? rounded(Double(settings.height ?? 0) * aspect, atMost: Self.maximumSide)
        let height = settings.height ?? rounded(Double(width) / aspect, atMost: Self.maximumSide)
        return FrameSize(width, height)
    }

    private func exact(
        _ base: FrameSize, size: FrameSize, mode: ScalingMode, ratio: Fraction
    ) throws(ExportError) -> Result {
        var result = Result(scaled: size, frame: size, pixelAspectRatio: ratio)
        // Both sides are in display pixels.
        let aspect = Double(base.width) * shape / Double(base.height)
        let wanted = Double(size.width) * (ratio.value ?? 1) / Double(size.height)
        switch mode {
        case .fit, .resize: break
        case .resizeAspect:
            let (width, height) = (Double(size.width), Double(size.height))
            try checkShape((width * min(1, aspect / wanted), height * min(1, wanted / aspect)), least: 2)
            if aspect > wanted {
                result.scaled.height = inner(Double(size.height) * wanted / aspect, of: size.height)
            } else {
                result.scaled.width = inner(Double(size.width) * aspect / wanted, of: size.width)
            }
            (result.borders.left, result.borders.right) = split(size.width - result.scaled.width)
            (result.borders.top, result.borders.bottom) = split(size.height - result.scaled.height)
        case .resizeAspectFill:
            let (width, height) = (Double(base.width), Double(base.height))
            try checkShape((width * min(1, wanted / aspect), height * min(1, aspect / wanted)), least: 2)
            if aspect > wanted {
                let width = inner(Double(base.width) * wanted / aspect, of: base.width)
                (result.crop.left, result.crop.right) = split(base.width - width)
            } else {
                let height = inner(Double(base.height) * aspect / wanted, of: base.height)
                (result.crop.top, result.crop.bottom) = split(base.height - height)
            }
        }
        return result
    }

    /// A side rounded to an even number, at least 2 and at most `limit`.
    private func inner(_ side: Double, of limit: Int) -> Int {
        max(2, min(Int((max(0, min(side, Double(limit))) / 2).rounded()) * 2, limit & ~1))
    }

    /// Splits a number in two, the first part even so that chroma samples keep their place.
    private func split(_ pixels: Int) -> (Int, Int) {
        let first = (pixels / 2) & ~1
        return (first, pixels - first)
    }
}
