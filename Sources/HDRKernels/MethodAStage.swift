import CVector
import HDRColor

/// Luma and two colour differences to R'G'B', shared by both directions of BT.2446 method A.
private enum MethodA {
    @inline(__always) static var weights: SIMD3<Float> { SIMD3(0.2627, 0.6780, 0.0593) }

    @inline(__always) static func rgb(luma: Vector, cb: Vector, cr: Vector) -> Pixels {
        let gFromCb: Float = 0.0593 * 1.8814 / 0.6780
        let gFromCr: Float = 0.2627 * 1.4746 / 0.6780
        return Pixels(luma + cr * 1.4746, luma - cb * gFromCb - cr * gFromCr, luma + cb * 1.8814)
    }
}

/// BT.2446 method A from HDR to SDR.
struct MethodAStage: Sendable {
    private let toBT2020: VectorMatrix?
    /// (light / source peak)^(1/2.4); absent where the light comes so already.
    private let compand: OctaveTable?
    /// Y'sdr / (1.1 Y') from Y'
    private let factor: OctaveTable
    /// SDR signal to light in cd/m²
    private let expand: UniformTable
    private let fromBT2020: VectorMatrix?

    /// Whether the stage wants (light / source peak)^(1/2.4) in place of light: where nothing mixes the components before.
    static func takesCompanded(_ plan: ConversionPlan) -> Bool {
        plan.toneCurve == .bt2446a && plan.source.transfer != .hlg && plan.source.primaries == .bt2020
    }

    init(_ plan: ConversionPlan, _ maker: TableMaker) {
        let source = plan.source.primaries
        let target = plan.target.primaries
        let curve = BT2446A<Double>(sourcePeak: plan.sourcePeak)
        toBT2020 = source == .bt2020 ? nil : VectorMatrix(source.matrix(to: .bt2020))
        fromBT2020 = target == .bt2020 ? nil : VectorMatrix(Primaries.bt2020.matrix(to: target))
        let light = (low: TableKernel.lightFloor, high: TableKernel.lightLimit)
        compand =
            Self.takesCompanded(plan)
            ? nil
            : OctaveTable(maker, low: light.low, high: light.high, cellBits: 8) {
                SDR.inverseBT1886($0 / plan.sourcePeak)
            }
        factor = OctaveTable(maker, low: 0x1p-20, high: 0x1p10, step: curve.step) {
            curve.toneMappedLuma($0) / (1.1 * $0)
        }
        // HLG super-white in saturated colours is far above the peak and still mixes with the other components.
        expand = UniformTable(maker, high: 16, cellsPerUnit: 2048) {
            plan.targetPeak * SDR.bt1886($0)
        }
    }

    @inline(__always) func callAsFunction(_ light: Pixels, linear: Bool) -> Pixels {
        var p = toBT2020.map { $0 * light } ?? light
        if let compand { p = p.map { compand[$0, linear: linear] } }
        let y = p.dot(MethodA.weights)
        let f = factor[y, linear: linear]
        let cb = f * (p.c - y) * (1 / 1.8814)
        let cr = f * (p.a - y) * (1 / 1.4746)
        let luma = f * y * 1.1 - cv_max(cr * 0.1, Vector(repeating: 0))
        let sdr = MethodA.rgb(luma: luma, cb: cb, cr: cr).map { expand[$0, linear: linear] }
        return fromBT2020.map { $0 * sdr } ?? sdr
    }
}

/// BT.2446 method A from SDR to HDR.
struct InverseMethodAStage: Sendable {
    private let toBT2020: VectorMatrix?
    /// SDR light in cd/m² to signal
    private let compand: OctaveTable
    /// Y'hdr / 1000 / Y' from Y'
    private let factor: OctaveTable
    /// R'G'B'hdr / 1000 to light in cd/m²
    private let expand: UniformTable
    private let fromBT2020: VectorMatrix?

    init(_ plan: ConversionPlan, _ maker: TableMaker) {
        let source = plan.source.primaries
        let target = plan.target.primaries
        toBT2020 = source == .bt2020 ? nil : VectorMatrix(source.matrix(to: .bt2020))
        fromBT2020 = target == .bt2020 ? nil : VectorMatrix(Primaries.bt2020.matrix(to: target))
        compand = OctaveTable(maker, low: TableKernel.lightFloor, high: TableKernel.lightLimit) {
            SDR.inverseBT1886($0 / plan.referenceWhite)
        }
        factor = OctaveTable(maker, low: 0x1p-20, high: 4, cellBits: 8, step: BT2446A<Double>.inverseStep) {
            BT2446A.inverseLuma($0) / $0 / 1000
        }
        expand = UniformTable(maker, high: 1) { plan.inversePeak * SDR.bt1886($0) }
    }

    @inline(__always) func callAsFunction(_ light: Pixels, linear: Bool) -> Pixels {
        let p = (toBT2020.map { $0 * light } ?? light).map { compand[$0, linear: linear] }
        let y = p.dot(MethodA.weights)
        let f = factor[y, linear: linear]
        let cb = f * (p.c - y) * (1.075 / 1.8814)
        let cr = f * (p.a - y) * (1.075 / 1.4746)
        let hdr = MethodA.rgb(luma: f * y, cb: cb, cr: cr).map { expand[$0, linear: linear] }
        return fromBT2020.map { $0 * hdr } ?? hdr
    }
}
