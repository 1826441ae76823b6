import CKernels
import HDRColor

/// The Dolby Vision mappings of a stream's pictures, ready for kernels. A ``FrameView`` is reshaped by it while a
/// ``PictureConverter`` reads the picture, in the same pass.
///
/// It is made once for a stream. A picture's mapping is set before the picture's first slice is converted, which takes
/// less than a microsecond and allocates nothing; no slice may run meanwhile.
package final class Reshaper: @unchecked Sendable {
    /// Whether pictures of a layout can be reshaped.
    package static func takes(_ layout: PixelLayout) -> Bool { !layout.isRGB && !layout.isGray }

    package private(set) var reshaping: Reshaping
    let kernel: UnsafeMutablePointer<KernelReshaping>
    /// Whether light is accurate enough for SDR in 8 bits, and not for more.
    package let isCoarse: Bool
    private let top: Double
    private let store = TableStore()

    /// - Parameters:
    ///   - layout: the layout of the pictures.
    ///   - isCoarse: whether they become SDR in 8 bits, for which the light of profile 5 takes less time.
    ///   - instructionSet: the instruction set of the converter.
    package init(
        _ reshaping: Reshaping, layout: PixelLayout, isCoarse: Bool = false, instructionSet: InstructionSet = .best
    ) {
        self.reshaping = reshaping
        self.isCoarse = isCoarse
        top = Double((1 << layout.bits) - 1)
        var plan = KernelReshaping()
        plan.unit = Float(1 / top)
        plan.signal_top = Float(Self.signalTop)
        let maker = CurveMaker(
            cells: instructionSet.kernels.register_table_size, .balanced, target: .planarRGB(16), store: store)
        // The matrix that follows makes errors about five times as large.
        let wanted = isCoarse ? CurveError(smallest: 100, tolerance: 5e-6) : CurveError(smallest: 20, tolerance: 5e-7)
        plan.eotf = maker.signal(high: 1, steps: 8192, wanted) { PQ.eotf($0) }
        plan.oetf =
            maker.mantissas(high: PQ.peak, degree: 4, isExact: true) { PQ.inverseEOTF($0) }
            ?? maker.light(low: 0x1p-30, high: PQ.peak, smallest: 0.5, bits: 6, exact: PQ.peak, .coarse) {
                PQ.inverseEOTF($0)
            }
        kernel = .allocate(capacity: 1)
        kernel.initialize(to: plan)
        set(reshaping)
    }

    deinit { kernel.deallocate() }

    /// The highest code of the signal that reshaping produces.
    private static let signalTop = Double(Reshaping.signal().quantization.maxCode)

    /// Sets the mapping of the pictures that follow.
    package func set(_ reshaping: Reshaping) {
        self.reshaping = reshaping
        for component in 0..<3 {
            kernel_reshaping_curve(kernel, Int32(component)).pointee.set(reshaping.curves[component], top)
        }
        let chroma = (reshaping.curves[1].single, reshaping.curves[2].single)
        switch chroma {
        case (.regression?, .regression?): kernel.pointee.chroma = Int32(KernelReshapingRegressions)
        case (.polynomial?, .polynomial?): kernel.pointee.chroma = Int32(KernelReshapingPolynomials)
        default: kernel.pointee.chroma = Int32(KernelReshapingPiecewise)
        }
        let hasLight = reshaping.toBT2020 != nil
        kernel.pointee.has_light = hasLight ? 1 : 0
        if let matrix = reshaping.toBT2020 { kernel.pointee.to_bt2020 = KernelMatrix(matrix) }
        let scale = hasLight ? 1 : Self.signalTop
        let matrix = Matrix3.diagonal(SIMD3(repeating: scale)) * reshaping.toSignal
        kernel.pointee.to_signal = KernelMatrix(matrix, offset: matrix * (reshaping.offset * -1))
    }

    /// Maps the code values of `count` pixels in double precision, in place.
    func reshape(_ row: RowTriple, count: Int) {
        for i in 0..<count {
            let signal = reshaping(SIMD3(row.a[i], row.b[i], row.c[i]) / top) * Self.signalTop
            row.a[i] = signal.x
            row.b[i] = signal.y
            row.c[i] = signal.z
        }
    }
}

extension Reshaping.Curve {
    /// The piece, where there is only one.
    fileprivate var single: Reshaping.Piece? { pieces.count == 1 ? pieces.first : nil }
}

/// How many factors of each term of a regression are chroma: y, u, v, yu, yv, uv and yuv.
private let chromaFactors = [0, 1, 1, 1, 1, 2, 2]

extension KernelReshapingCurve {
    /// - Parameter top: the highest code value.
    fileprivate mutating func set(_ curve: Reshaping.Curve, _ top: Double) {
        pieces = Int32(curve.pieces.count)
        low = Float(curve.pivots.first ?? 0)
        high = Float(curve.pivots.last ?? 1)
        regressions = 0
        for piece in 0..<Reshaping.Curve.maximumOfPieces {
            let isLast = piece + 1 >= curve.pieces.count
            kernel_reshaping_starts(&self)[piece] = isLast ? .infinity : Float(curve.pivots[piece + 1] * top)
            guard piece < curve.pieces.count else { continue }
            switch curve.pieces[piece] {
            case .polynomial(let c):
                kernel_reshaping_polynomial(&self, 0)[piece] = Float(c.x)
                kernel_reshaping_polynomial(&self, 1)[piece] = Float(c.y / top)
                kernel_reshaping_polynomial(&self, 2)[piece] = Float(c.z / (top * top))
            case .regression(let constant, let orders):
                regressions |= 1 << Int32(piece)
                kernel_reshaping_constants(&self)[piece] = Float(constant)
                let numbers = kernel_reshaping_coefficients(&self, piece)
                for term in 0..<Int(KernelReshapingTerms) {
                    let unit = (0..<chromaFactors[term]).reduce(1.0) { unit, _ in unit / top }
                    var scale = 1.0
                    for order in 0..<Int(KernelReshapingOrders) {
                        scale *= unit
                        let number = order < orders.count ? orders[order][term] : 0
                        numbers?[term * Int(KernelReshapingOrders) + order] = Float(number * scale)
                    }
                }
            }
        }
    }
}
