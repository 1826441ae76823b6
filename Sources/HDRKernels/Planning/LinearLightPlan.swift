import HDRColor

/// The tasks of a kernel for linear light: streams in layouts that kernels support, and the colours of both directions.
struct LinearLightPlan: Sendable {
    let source: StreamSignal
    let target: StreamSignal
    let options: LinearLightConverter.Options
    /// The conversions from signal to light, and from light to signal.
    let decoding: ConversionPlan
    let encoding: ConversionPlan
    /// Whether the codes of a pixel of the source can be its codes in the target.
    let keepsCodes: Bool
    /// Whether chroma between its samples follows luma.
    let guidesChroma: Bool
    /// The number of rows around those that are encoded or decoded that a staging buffer also holds.
    var margin: Int { guidesChroma ? 8 : 2 }

    init(_ source: StreamSignal, _ target: StreamSignal, _ options: LinearLightConverter.Options) {
        self.options = options
        var (own, other) = (source, target)
        own.layout = source.layout.converted(beside: target.layout)
        other.layout = target.layout.converted(beside: source.layout)
        if source.layout.isGray {
            own.siting = target.siting
        } else if target.layout.isGray {
            other.siting = source.siting
        }
        self.source = own
        self.target = other
        guidesChroma = options.guidesChroma && own.layout.horizontalShift > 0 && !own.layout.isGray
        // If the target has no alpha, colour stays premultiplied.
        keepsCodes = source.color == target.color && (target.layout.hasAlpha || !source.layout.hasAlpha)

        let light = ColorSignal(
            transfer: .extendedLinear(white: 1), primaries: options.primaries, quantization: .binary16)
        var settings = ConversionSettings()
        settings.referenceWhite = options.referenceWhite
        settings.hlgPeak = options.hlgPeak
        settings.toneCurve = ToneCurve.none
        encoding = ConversionPlan(source: light, target: target.color, settings: settings)
        settings.targetPeak = PQ.peak
        decoding = ConversionPlan(source: source.color, target: light, settings: settings)
    }

    /// Whether the target's chroma is the mean of rows.
    var halvesRows: Bool { target.layout.verticalShift > 0 }

    /// The rows that the chroma of some rows depends on.
    func rowsAround(_ rows: Range<Int>, height: Int) -> Range<Int> {
        guard halvesRows, !rows.isEmpty else { return rows }
        let above = target.siting.verticallyCosited ? 2 : 1
        return max(rows.lowerBound - above, 0)..<max(min(rows.upperBound + 1, height), rows.upperBound)
    }
}

/// A call that converts rows in one go.
struct LinearLightCall {
    var rows: Range<Int>
    let thread: Int
    /// The picture that is decoded; light that equals that of its pixels bit by bit gets their codes.
    var source: FrameView?
    /// The picture that is written; `nil` where light is written.
    var target: FrameView?
    /// Light that is written, or read.
    var light: LightRows?
    /// The light in planes, which `effect` changes before they are written, or after they are read.
    var planes: LightPlanes?
    var effect: (any LightEffect)?
    /// The rows of the whole picture that are converted, where they are those of a field.
    var field = PictureField.whole

    init(rows: Range<Int>, thread: Int) {
        self.rows = rows
        self.thread = thread
    }
}

/// Converts rows of pictures between codes and light. Layouts must not need a ``PictureStage``.
protocol LinearLightKernel: AnyObject, Sendable {
    var plan: LinearLightPlan { get }
    func run(_ call: LinearLightCall)
    /// Whether parts of rows can be decoded, and not only whole rows.
    var decodesParts: Bool { get }
    /// The light of the pixels of a picture at the positions of given ones, in the thread's memory until its next call.
    func decode(_ frame: FrameView, at place: LightPixels) -> LightPixels?
}

extension LinearLightKernel {
    var decodesParts: Bool { false }
    func decode(_ frame: FrameView, at place: LightPixels) -> LightPixels? { nil }
}
