import CVector
import HDRColor

/// Single precision, eight pixels at a time, with every transfer function and curve in a table made from the definition.
struct TableKernel: ColorKernel {
    private let interpolates: Bool
    /// Keeps the tables alive.
    private let store: TableStore
    private let decode: VectorMatrix
    private let eotf: UniformTable
    /// HLG's OOTF: the common factor in cd/m² from scene luminance.
    private let ootf: OctaveTable?
    private let tone: ToneStage
    private let gamut: GamutMapper<Float>?
    /// HLG's inverse OOTF: the common factor from display luminance.
    private let inverseOOTF: OctaveTable?
    private let oetf: OctaveTable
    private let encode: VectorMatrix
    private let hlgLuma = HLG<Float>.luma
    private let peak: Float

    /// The signals that make a difference: code values express up to 2.2, narrow-range super-white in the most saturated
    /// colour, and some transfer functions have light for negative ones.
    private static func signalRange(of transfer: Transfer) -> (low: Double, high: Double) {
        switch transfer {
        case .pq: (0, 1)
        case .hlg, .bt1886, .gamma: (0, 2.25)
        case .sRGB, .linear: (-1.25, 2.25)
        }
    }
    /// The most light that those signals stand for, in cd/m², with room to spare.
    static let lightLimit = 0x1p27
    /// Light below this is black to every signal, in cd/m².
    static let lightFloor = 0x1p-30

    /// - Parameter interpolates: between the tables' values, or take the nearest.
    init(_ plan: ConversionPlan, interpolates: Bool) {
        let maker = TableMaker(interpolates: interpolates)
        store = maker.store
        self.interpolates = interpolates
        let source = plan.source.transfer
        let target = plan.target.transfer
        let hlg = HLG<Double>(peak: plan.hlgPeak)
        decode = VectorMatrix(AffineStage(decoding: plan.source.quantization))
        encode = VectorMatrix(AffineStage(encoding: plan.target.quantization))
        // Method A starts with a power of each component, which one table holds together with the EOTF where both act on
        // the same primaries.
        let compands = MethodAStage.takesCompanded(plan)
        let signals = Self.signalRange(of: source)
        // The power bends the EOTF straight enough for a table that leaves the cache to the others.
        let cells = compands ? 2048 : 8192
        eotf = UniformTable(maker, low: signals.low, high: signals.high, cellsPerUnit: cells) {
            let light = source.eotf($0, white: plan.referenceWhite)
            return compands ? SDR.inverseBT1886(light / plan.sourcePeak) : light
        }
        ootf =
            source == .hlg
            ? OctaveTable(maker, low: 0x1p-34, high: 0x1p14) {
                plan.hlgPeak * hlg.ootfGain(sceneLuminance: $0)
            } : nil
        tone = ToneStage(plan, maker)
        gamut =
            plan.gamutMapping == .clip
            ? nil
            : GamutMapper(
                plan.gamutMapping, from: plan.source.primaries, to: plan.target.primaries, peak: Float(plan.targetPeak))
        peak = Float(plan.targetPeak)
        if target == .hlg {
            inverseOOTF = OctaveTable(maker, low: Self.lightFloor, high: Self.lightLimit) {
                hlg.inverseOOTFGain(displayLuminance: $0) / plan.hlgPeak
            }
            oetf = OctaveTable(maker, low: 0x1p-40, high: 0x1p10) { HLG<Double>.oetf($0) }
        } else {
            inverseOOTF = nil
            oetf = OctaveTable(maker, low: Self.lightFloor, high: plan.targetPeak) {
                target.inverseEOTF($0, white: plan.targetWhite)
            }
        }
    }

    func convert(_ row: RowTriple<Float>, count: Int) {
        // Short enough for every step to find its samples in the first-level cache.
        let chunk = 512
        var start = 0
        while start < count {
            let part = row.advanced(by: start)
            let length = min(chunk, count &- start)
            if interpolates { convert(part, length, linear: true) } else { convert(part, length, linear: false) }
            start &+= chunk
        }
    }

    @inline(__always) private func convert(_ row: RowTriple<Float>, _ count: Int, linear: Bool) {
        row.update(count) { p in decode.affine(p).map { eotf[$0, linear: linear] } }
        if let ootf { row.update(count) { p in p * ootf[p.dot(hlgLuma), linear: linear] } }
        tone.apply(row, count, linear: linear)
        if let gamut {
            for i in 0..<count {
                let light = gamut(SIMD3(row.a[i], row.b[i], row.c[i]))
                (row.a[i], row.b[i], row.c[i]) = (light.x, light.y, light.z)
            }
        }
        if let inverseOOTF {
            row.update(count) { p in
                let inside = p.limited(0, peak)
                return inside * inverseOOTF[inside.dot(hlgLuma), linear: linear]
            }
        }
        row.update(count) { p in encode.affine(p.map { oetf[$0, linear: linear] }) }
    }
}
