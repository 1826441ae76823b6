import HDRColor

/// A planned conversion of pictures into linear light and back: immutable, made once at negotiation, run by any number
/// of threads. No call allocates.
///
/// **Light.** Numbers are display light in extended range: 1.0 is the reference white, and values below 0 (colours
/// outside the primaries) and above 1 are kept. The signal is converted to display light as in `PictureConverter`: PQ
/// by its EOTF, HLG with the OOTF of a display of `hlgPeak`, SDR with its white at the reference white. Colour is
/// premultiplied with alpha; alpha is in [0, 1], and 1 where the stream has none.
///
/// **Back.** Light is limited to the range of the signal, [0, 10000 cd/m²] for PQ, [0, `hlgPeak`] for HLG and [0,
/// white] for SDR, in the stream's primaries; no tone mapping takes place. A NaN becomes 0. Where alpha is 0, so is
/// colour.
///
/// **Unchanged pixels keep their codes**, all of them: the picture that the light comes from may be passed to the
/// encoding. Pixels whose light equals, bit by bit, the result of decoding that picture then get its signal, before
/// anything is rounded or limited. This includes colours that no R'G'B' in [0, 1] expresses, and colour under an alpha
/// of 0.
///
/// **Chroma.** Subsampled chroma is upsampled by linear interpolation U and downsampled by a filter D with D U = 1, so
/// that it returns to its original values wherever the pixels around it are unchanged. Along one axis, with chroma c at
/// its own positions and x at luma's:
/// - cosited: x[2k] = c[k], x[2k+1] = (c[k] + c[k+1]) / 2, and down
///   c[k] = x[2k] + (d[k-1] + d[k]) / 4 with d[k] = x[2k+1] - (x[2k] + x[2k+2]) / 2, which is 0 for interpolated x:
///   the low-pass filter (-1, 2, 6, 2, -1) / 8 of the 5/3 wavelet of ISO/IEC 15444-1, limited to the range of x[2k-1],
///   x[2k] and x[2k+1].
/// - between, at a part p of the way from x[2k] to x[2k+1], which is 1/2, but for rows of fields
///   (``FrameView/chromaPlace``): x[2k] = p/2 c[k-1] + (1 - p/2) c[k], x[2k+1] = (1 + p)/2 c[k] + (1 - p)/2 c[k+1], and
///   down (1 - p) x[2k] + p x[2k+1], limited to the range of the values that each side gives,
///   x[2k] + p (x[2k] - x[2k-1]) and x[2k+1] + (1 - p) (x[2k+1] - x[2k+2]), which are both c[k] for interpolated x.
///
/// Without the limits, chroma beside an edge between two colours would lie beyond both of them.
///
/// At the edges of the picture chroma is repeated. An odd last row or column of luma stands alone with the chroma that
/// lies between it and its missing neighbour, which is then
/// x[last] + p (x[last] - x[last-1]).
///
/// **Guided chroma.** With ``Options/guidesChroma`` decoded chroma is c_U + s_U (Y' - y_U): U interpolates the
/// samples c, y and s, y is luma filtered to chroma's positions, with weights 1/4, 1/2, 1/4 where cosited and 1 - p,
/// p where between, and s = cov(c, y) / (var(y) + v) over 3x3 samples, v being 16 squared codes of 10 bits; s is 0
/// where neither Cb nor Cr differs by more than 8 such codes there. This is the linear model of the guided filter
/// (He, Sun, Tang, "Guided Image Filtering", IEEE TPAMI 35, 2013): between two colours of different luma, chroma has
/// an edge as sharp as luma's. It is limited to the range of the 3x3 samples around the nearest one, extended by half
/// of it on either side. Codes that are kept, and light that is encoded, are as without it.
///
/// **Rows.** The chroma of rows that are written depends on the rows around them, ``rowsToEncode(_:height:)``.
/// Interlaced pictures are converted by fields, ``FrameView/field(_:)``, as elsewhere.
package final class LinearLightConverter: Sendable {
    package struct Options: Equatable, Sendable {
        /// The number format that ``LinearLightConverter/decode(_:rows:into:thread:)`` outputs.
        package var element = LightElement.half
        /// The primaries of the light.
        package var primaries = Primaries.displayP3
        /// The luminance of 1.0, in cd/m², above 0.
        package var referenceWhite = BT2408.referenceWhite
        /// The nominal peak L_W of the display that HLG signals are for, in cd/m², above 0.
        package var hlgPeak = HLG<Double>.nominalPeak
        package var dither = Dither.ordered
        /// Whether light is computed to the accuracy of single precision, as pictures of more than 12 bits need it.
        /// Otherwise errors are up to half a code of 12 bits.
        package var isExact = false
        /// Whether decoded chroma follows luma between its samples (**Guided chroma**).
        package var guidesChroma = false

        package init() {}
    }

    package let source: StreamSignal
    package let target: StreamSignal
    package let options: Options
    package let width: Int
    package let threads: Int
    private let kernel: any LinearLightKernel
    private let sourceStage: PictureStage?
    private let targetStage: PictureStage?

    /// - Parameters:
    ///   - source: the signal of the pictures that are decoded.
    ///   - target: the signal of those that are encoded; `nil` where both are the same.
    ///   - width: the width of the pictures, in pixels.
    ///   - threads: how many calls may run at a time, 1 or more.
    ///   - instructionSet: a set that the machine supports.
    /// - Returns: `nil` for a picture without pixels, a peak or a white that is not above 0, and a signal of another
    ///   bit depth than its layout's.
    package convenience init?(
        source: StreamSignal, target: StreamSignal? = nil, width: Int, options: Options = Options(), threads: Int = 1,
        instructionSet: InstructionSet = .best
    ) {
        let threads = max(threads, 1)
        self.init(source, target ?? source, width, options, threads, instructionSet) {
            #if arch(x86_64)
                VectorLightKernel($0, width: width, threads: threads, instructionSet.kernels)
            #else
                LinearLightDefinition($0, width: width, threads: threads)
            #endif
        }
    }

    /// The definition in double precision, which every kernel is compared with.
    static func definition(
        source: StreamSignal, target: StreamSignal? = nil, width: Int, options: Options = Options(), threads: Int = 1
    ) -> LinearLightConverter? {
        LinearLightConverter(source, target ?? source, width, options, threads, .baseline) {
            LinearLightDefinition($0, width: width, threads: threads)
        }
    }

    private init?(
        _ source: StreamSignal, _ target: StreamSignal, _ width: Int, _ options: Options, _ threads: Int,
        _ instructionSet: InstructionSet, _ makeKernel: (LinearLightPlan) -> any LinearLightKernel
    ) {
        func isPositive(_ number: Double) -> Bool { number > 0 && number.isFinite }
        guard width > 0, isPositive(options.referenceWhite), isPositive(options.hlgPeak), source.isConsistent,
            target.isConsistent, source.layout.packing != .binary16, target.layout.packing != .binary16
        else { return nil }
        self.source = source
        self.target = target
        self.options = options
        self.width = width
        self.threads = threads
        let plan = LinearLightPlan(source, target, options)
        let kernels = instructionSet.kernels
        sourceStage = PictureStage(
            source.layout, plan.source.layout, margin: plan.margin, width: width, threads: threads, kernels)
        targetStage = PictureStage(
            target.layout, plan.target.layout, margin: 0, width: width, threads: threads, kernels)
        kernel = makeKernel(plan)
    }

    /// The rows of light that the encoding of some rows depends on: these rows, and where chroma is halved vertically
    /// up to two rows above and one below them.
    package func rowsToEncode(_ rows: Range<Int>, height: Int) -> Range<Int> {
        kernel.plan.rowsAround(rows, height: height)
    }

    /// The rows of slice `index` of `slices` in a picture of `height` rows, for slices that can be processed at the
    /// same time. They start at an even row, so that no pair of rows is split.
    package func rows(ofSlice index: Int, of slices: Int, height: Int) -> Range<Int> {
        let pairs = (height + 1) / 2
        let first = min(pairs * index / max(slices, 1) * 2, height)
        let end = min(pairs * (index + 1) / max(slices, 1) * 2, height)
        return first..<max(first, end)
    }

    /// Decodes rows of a picture to light.
    ///
    /// Pictures of another width than planned are ignored, and so are rows that the picture or `light` does not have.
    /// - Parameters:
    ///   - rows: any rows.
    ///   - light: the memory for the result, which has to contain these rows.
    ///   - thread: 0 to `threads` - 1; each runs one call after the other.
    package func decode(_ frame: FrameView, rows: Range<Int>, into light: LightRows, thread: Int) {
        let rows = rows.clamped(to: 0..<frame.height).clamped(to: light.rows)
        guard frame.width == width, !rows.isEmpty, isThread(thread) else { return }
        var call = LinearLightCall(rows: rows, thread: thread)
        call.light = light
        inParts(rows, isEven: false) { part in
            call.rows = part
            call.source = sourceStage?.load(frame, part, thread: thread) ?? frame
            kernel.run(call)
        }
    }

    /// Encodes light to rows of a picture.
    /// - Parameters:
    ///   - light: the light, with all rows of ``rowsToEncode(_:height:)``. The nearest rows replace missing ones, and
    ///     chroma at the edge is then no longer exact.
    ///   - source: the picture that the light comes from, decoded by this converter, where unchanged pixels are to keep
    ///     its codes; without effect where the signals of both streams differ.
    ///   - frame: the picture to write, in other memory than `source`.
    ///   - rows: the rows. Where chroma is halved vertically, they start at an even row, and end at one or at the
    ///     picture's end.
    ///   - thread: 0 to `threads` - 1; each runs one call after the other.
    package func encode(
        _ light: LightRows, from source: FrameView? = nil, into frame: FrameView, rows: Range<Int>, thread: Int
    ) {
        let rows = rows.clamped(to: 0..<frame.height)
        guard frame.width == width, !rows.isEmpty, !light.rows.isEmpty, isThread(thread) else { return }
        var call = LinearLightCall(rows: rows, thread: thread)
        call.light = light
        let source = kernel.plan.keepsCodes && source?.width == width && source?.height == frame.height ? source : nil
        run(&call, source, frame)
    }

    /// Encodes rows of a picture from pixels that an effect generates, some at a time.
    /// - Parameters:
    ///   - effect: fills in the pixels that it is passed, whose content is undefined before.
    ///   - rows: as in ``encode(_:from:into:rows:thread:)``.
    ///   - thread: 0 to `threads` - 1; each runs one call after the other.
    package func encode(_ effect: any LightEffect, into frame: FrameView, rows: Range<Int>, thread: Int) {
        let rows = rows.clamped(to: 0..<frame.height)
        guard frame.width == width, !rows.isEmpty, isThread(thread) else { return }
        var call = LinearLightCall(rows: rows, thread: thread)
        call.effect = effect
        run(&call, nil, frame)
    }

    /// Whether parts of rows can be decoded.
    package var decodesParts: Bool { sourceStage == nil && kernel.decodesParts }

    /// Whether such parts may be in the order of `KernelLightInPairs`.
    package var decodesPairs: Bool { decodesParts && kernel.plan.source.layout.hasPairs }

    /// Decodes the pixels of a picture at the positions of others, which are being passed to an effect of *another*
    /// converter. The result lies in this converter's memory, which the thread's next call overwrites.
    /// - Returns: `nil` for pictures of other sizes than planned, and for layouts of which only whole rows are decoded.
    package func decode(_ frame: FrameView, at place: LightPixels) -> LightPixels? {
        guard decodesParts, frame.width == width, place.row < frame.height, isThread(place.thread) else { return nil }
        return kernel.decode(frame, at: place)
    }

    /// Decodes rows of a picture to light, applies an effect, and encodes the result to rows of another picture, some
    /// pixels at a time: the light is never written to memory outside the first-level cache. Pixels that the effect
    /// leaves unchanged keep their codes, where the signals of both streams are the same.
    ///
    /// Pictures of another width than planned, or of different sizes, are ignored.
    /// - Parameters:
    ///   - source, target: the pictures, in different memory.
    ///   - rows: the rows, which are those of ``rows(ofSlice:of:height:)``. Where chroma is halved vertically, they
    ///     start at an even row, and end at one or at the picture's end.
    ///   - field: which of the picture's rows these are.
    ///   - thread: 0 to `threads` - 1; each runs one call after the other.
    package func process(
        _ source: FrameView, into target: FrameView, rows: Range<Int>, field: PictureField = .whole, thread: Int,
        _ effect: any LightEffect
    ) {
        let rows = rows.clamped(to: 0..<target.height)
        guard source.width == width, target.width == width, source.height == target.height, !rows.isEmpty,
            isThread(thread)
        else { return }
        var call = LinearLightCall(rows: rows, thread: thread)
        call.effect = effect
        call.field = field
        run(&call, source, target)
    }

    /// Decodes rows of a picture to light, applies an effect, and writes the result to planes.
    ///
    /// Pictures of another width than planned, or of another size than the planes, are ignored.
    /// - Parameters:
    ///   - field: which of the picture's rows these are.
    ///   - thread: 0 to `threads` - 1; each runs one call after the other.
    package func decode(
        _ frame: FrameView, rows: Range<Int>, into planes: LightPlanes, field: PictureField = .whole, thread: Int,
        _ effect: (any LightEffect)? = nil
    ) {
        let rows = rows.clamped(to: 0..<frame.height)
        guard frame.width == width, fits(planes, frame), !rows.isEmpty, isThread(thread) else { return }
        var call = LinearLightCall(rows: rows, thread: thread)
        call.planes = planes
        call.effect = effect
        call.field = field
        inParts(rows, isEven: false) { part in
            call.rows = part
            call.source = sourceStage?.load(frame, part, thread: thread) ?? frame
            kernel.run(call)
        }
    }

    /// Applies an effect to light in planes, and encodes the result to rows of a picture.
    ///
    /// Pictures of another width than planned, or of another size than the planes, are ignored.
    /// - Parameters:
    ///   - rows: as in ``encode(_:from:into:rows:thread:)``.
    ///   - field: which of the picture's rows these are.
    ///   - thread: 0 to `threads` - 1; each runs one call after the other.
    package func encode(
        _ planes: LightPlanes, into frame: FrameView, rows: Range<Int>, field: PictureField = .whole, thread: Int,
        _ effect: (any LightEffect)? = nil
    ) {
        let rows = rows.clamped(to: 0..<frame.height)
        guard frame.width == width, fits(planes, frame), !rows.isEmpty, isThread(thread) else { return }
        var call = LinearLightCall(rows: rows, thread: thread)
        call.planes = planes
        call.effect = effect
        call.field = field
        run(&call, nil, frame)
    }

    private func fits(_ planes: LightPlanes, _ frame: FrameView) -> Bool {
        planes.width == width && planes.height == frame.height
    }

    /// Encodes rows, in parts where a layout is rearranged.
    private func run(_ call: inout LinearLightCall, _ source: FrameView?, _ target: FrameView) {
        let (rows, thread) = (call.rows, call.thread)
        inParts(rows, isEven: true) { part in
            call.rows = part
            call.source = source.map { sourceStage?.load($0, part, thread: thread) ?? $0 }
            let view = targetStage?.place(target, part, thread: thread) ?? target
            call.target = view
            kernel.run(call)
            targetStage?.store(view, target, part)
        }
    }

    /// Divides rows into parts that the staging buffers can hold.
    private func inParts(_ rows: Range<Int>, isEven: Bool, _ body: (Range<Int>) -> Void) {
        let step = min(sourceStage?.rows ?? .max, targetStage?.rows ?? .max)
        var first = rows.lowerBound
        while first < rows.upperBound {
            let end = step < rows.upperBound - first ? first + step : rows.upperBound
            body(first..<end)
            first = end
        }
    }

    private func isThread(_ thread: Int) -> Bool { thread >= 0 && thread < threads }
}

extension StreamSignal {
    /// Whether layout and signal have the same bit depth and the same kind of components.
    fileprivate var isConsistent: Bool {
        layout.bits == color.quantization.bits && layout.isRGB == (color.quantization.matrix == nil)
    }
}
