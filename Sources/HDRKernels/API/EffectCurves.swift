import CKernels

/// Makes functions of single numbers as the kernels of one instruction set evaluate them, and owns their tables.
package final class EffectCurves: @unchecked Sendable {
    private let store = TableStore()
    private let maker: CurveMaker

    package init(_ instructionSet: InstructionSet) {
        maker = CurveMaker(
            cells: instructionSet.kernels.register_table_size, .balanced, target: .planar(16, 0, 0), store: store)
    }

    /// The curve of a rising function of light, in units of the reference white, with values in [0, 1]. Arguments
    /// outside of [`low`, `high`] get the values of its ends.
    /// - Parameter low: above 0.
    package func signal(low: Double, high: Double, _ function: (Double) -> Double) -> KernelCurve {
        maker.light(low: low, high: high, smallest: 0.5, bits: 6, exact: high, .fine, function)
    }

    /// The curve of a rising function of a signal in [0, 1], with values of light in units of the reference white:
    /// exact to 1e-6 of light, and to 1e-7 below a tenth of white.
    package func light(_ function: (Double) -> Double) -> KernelCurve {
        maker.signal(high: 1, smallest: 0.1, steps: 8192, .fine, function)
    }
}
