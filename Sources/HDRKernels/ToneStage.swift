import CVector
import HDRColor

/// From light in the source's primaries to light in the target's: tone curve and matrix, from tables.
struct ToneStage: Sendable {
    private enum Measure: Sendable {
        case maximum
        case weighted(SIMD3<Float>)
    }
    private enum Curve: Sendable {
        case none
        /// One gain for all components from a measure of the light.
        case gain(Measure, OctaveTable)
        /// A gain for each component from itself.
        case perComponent(OctaveTable)
        case ictcp(ICtCpStage)
        case methodA(MethodAStage)
        case inverseMethodA(InverseMethodAStage)
    }
    private let curve: Curve
    private let matrix: VectorMatrix?
    /// What colours are multiplied by whose measure is not above 0.
    private let gainOfBlack: Float
    /// Where light in the target's primaries is cut, ahead of the gamut mapping, in cd/m².
    private let clipsAt: Float?

    init(_ plan: ConversionPlan, _ maker: TableMaker) {
        let source = plan.source.primaries
        let target = plan.target.primaries
        var toTarget: Matrix3<Double>? = source == target ? nil : source.matrix(to: target)
        func table(cellBits: Int = 6, step: Double? = nil, _ function: (Double) -> Double) -> OctaveTable {
            OctaveTable(maker, low: 0x1p-30, high: TableKernel.lightLimit, cellBits: cellBits, step: step, function)
        }
        func scalarCurve(_ light: LightCurve<Double>) -> Curve {
            // Components with gains of their own can cancel out in the matrix, which lays errors bare.
            let gain = table(cellBits: plan.domain == .rgb ? 9 : 6) { light.gain($0) }
            switch plan.domain {
            case .maxRGB: return .gain(.maximum, gain)
            case .luminance: return .gain(.weighted(source.luminance.converted(to: Float.self)), gain)
            case .rgb: return .perComponent(gain)
            case .ictcp:
                toTarget = nil
                return .ictcp(ICtCpStage(light, from: source, to: target, maker))
            }
        }
        /// Method C is one gain; its crosstalk lies in the weights, which here act on the source's own primaries.
        func methodC(step: Double, _ gain: (Double) -> Double) -> Curve {
            let weights = source.matrix(to: .bt2020).transposed * BT2446C<Double>().weights
            return .gain(.weighted(weights.converted(to: Float.self)), table(step: step, gain))
        }

        switch (plan.inverseToneCurve, plan.toneCurve) {
        case (.bt2446a, _):
            toTarget = nil
            curve = .inverseMethodA(InverseMethodAStage(plan, maker))
        case (.bt2446c, _):
            let toSystem = 100 / plan.referenceWhite
            curve = methodC(step: BT2446C<Double>.inflectionSDR / toSystem) {
                BT2446C.inverseCurve($0 * toSystem) / $0
            }
        case (.spline, _):
            curve =
                LightCurve(.spline, sourcePeak: plan.referenceWhite, targetPeak: plan.inversePeak)
                .map(scalarCurve) ?? .none
        case (.none, .bt2446a):
            toTarget = nil
            curve = .methodA(MethodAStage(plan, maker))
        case (.none, .bt2446c):
            curve = methodC(step: BT2446C<Double>.inflection) { BT2446C.curve($0) / $0 * (plan.targetPeak / 100) }
        case (.none, .clip):
            curve = .none
        case (.none, let tone):
            curve = LightCurve(tone, sourcePeak: plan.sourcePeak, targetPeak: plan.targetPeak).map(scalarCurve) ?? .none
        }
        matrix = toTarget.map { VectorMatrix($0) }
        gainOfBlack = plan.toneCurve == .bt2446c || plan.inverseToneCurve == .bt2446c ? 0 : 1
        clipsAt = plan.toneCurve == .clip ? Float(plan.targetPeak) : nil
    }

    @inline(__always) func apply(_ row: RowTriple<Float>, _ count: Int, linear: Bool) {
        switch curve {
        case .none: if let matrix { row.update(count) { matrix * $0 } }
        case .gain(.maximum, let table): gained(row, count) { $0 * gain(table, $0.maximum, linear) }
        case .gain(.weighted(let weights), let table): gained(row, count) { $0 * gain(table, $0.dot(weights), linear) }
        case .perComponent(let table):
            gained(row, count) { p in p.map { cv_max($0, Vector(repeating: 0)) * table[$0, linear: linear] } }
        case .ictcp(let stage): row.update(count) { stage($0, linear: linear) }
        case .methodA(let stage): row.update(count) { stage($0, linear: linear) }
        case .inverseMethodA(let stage): row.update(count) { stage($0, linear: linear) }
        }
        if let clipsAt { row.update(count) { p in p.map { cv_min($0, Vector(repeating: clipsAt)) } } }
    }

    @inline(__always) private func gain(_ table: OctaveTable, _ light: Vector, _ linear: Bool) -> Vector {
        cv_above(light, Vector(repeating: 1e-9), table[light, linear: linear], Vector(repeating: gainOfBlack))
    }

    /// A curve, and then the matrix where there is one.
    @inline(__always)
    private func gained(_ row: RowTriple<Float>, _ count: Int, _ curve: (Pixels) -> Pixels) {
        if let matrix { row.update(count) { matrix * curve($0) } } else { row.update(count, curve) }
    }
}

/// A curve on I of ICtCp.
struct ICtCpStage: Sendable {
    private let toBT2020: VectorMatrix?
    private let toLMS: VectorMatrix
    private let fromLMS: VectorMatrix
    private let inverseEOTF: OctaveTable
    private let eotf: UniformTable
    private let intensity: UniformTable
    private let toOpponent: VectorMatrix
    private let fromOpponent: VectorMatrix

    init(_ curve: LightCurve<Double>, from source: Primaries, to target: Primaries, _ maker: TableMaker) {
        toBT2020 = source == .bt2020 ? nil : VectorMatrix(source.matrix(to: .bt2020))
        toLMS = VectorMatrix(ICtCp.toLMS)
        fromLMS = VectorMatrix(Primaries.bt2020.matrix(to: target) * ICtCp.fromLMS)
        toOpponent = VectorMatrix(ICtCp.toOpponent)
        fromOpponent = VectorMatrix(ICtCp.fromOpponent)
        // The way back from LMS takes large differences of nearly equal numbers, which calls for finer tables.
        inverseEOTF = OctaveTable(maker, low: TableKernel.lightFloor, high: PQ.peak, cellBits: 9) { PQ.inverseEOTF($0) }
        eotf = UniformTable(maker, high: 1, cellsPerUnit: 32768) { PQ.eotf($0) }
        intensity = UniformTable(maker, high: 1, cellsPerUnit: 16384) { PQ.inverseEOTF(curve(PQ.eotf($0))) }
    }

    @inline(__always) func callAsFunction(_ light: Pixels, linear: Bool) -> Pixels {
        let zero = Vector(repeating: 0)
        let wide = (toBT2020.map { $0 * light } ?? light).map { cv_max($0, zero) }
        var p = toOpponent * (toLMS * wide).map { inverseEOTF[$0, linear: linear] }
        let before = p.a
        let after = intensity[before, linear: linear]
        let ratio = cv_min(before, after) / cv_max(cv_max(before, after), Vector(repeating: 1e-9))
        p = Pixels(after, p.b * ratio, p.c * ratio)
        return fromLMS * (fromOpponent * p).map { eotf[$0, linear: linear] }
    }
}
