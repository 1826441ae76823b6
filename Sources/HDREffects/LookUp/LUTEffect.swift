import CKernels
import HDRColor
import HDRKernels

/// Replaces colours by the results of a look-up table, such as a grade or a look.
package final class LUTEffect: LightEffect, @unchecked Sendable {
    /// Light that goes through a shaper and back differs by rounding.
    package let keepsPixels: Bool
    package let takesPairs = true
    private let kernels: KernelEffects
    private let curves: EffectCurves
    private let plan: UnsafeMutablePointer<KernelLut>
    private var tables: [UnsafeMutablePointer<Float>] = []

    package init(_ lut: ColorLUT, _ shaper: LUTShaper, _ instructionSet: InstructionSet = .best) {
        keepsPixels = shaper == .none
        kernels = instructionSet.kernels.effects
        curves = EffectCurves(instructionSet)
        plan = .allocate(capacity: 1)
        plan.initialize(to: KernelLut())
        if shaper != .none {
            plan.pointee.to_signal = curves.signal(low: shaper.lowestLight, high: shaper.highestLight) {
                shaper.signal($0)
            }
            plan.pointee.to_light = curves.light { shaper.light($0) }
        }
        if let lines = lut.lines { add(lines) }
        if let cube = lut.cube { add(cube: cube) }
    }

    deinit {
        for table in tables { table.deallocate() }
        plan.deallocate()
    }

    package func apply(to pixels: LightPixels) { kernels.lut(plan, pixels.kernelRows, pixels.count) }

    private func add(_ lines: ColorLUT.Table) {
        let (scale, offset) = Self.positions(lines)
        plan.pointee.line_scale = scale
        plan.pointee.line_offset = offset
        plan.pointee.last_line = Float(lines.size - 1)
        func line(_ component: Int) -> UnsafePointer<Float> {
            let numbers = table(of: 2 * lines.size)
            for i in 0..<lines.size {
                let value = lines.values[i][component]
                numbers[2 * i] = value
                numbers[2 * i + 1] = i + 1 < lines.size ? lines.values[i + 1][component] - value : 0
            }
            return UnsafePointer(numbers)
        }
        plan.pointee.lines = (line(0), line(1), line(2))
    }

    private func add(cube: ColorLUT.Table) {
        let (scale, offset) = Self.positions(cube)
        plan.pointee.node_scale = scale
        plan.pointee.node_offset = offset
        plan.pointee.last_node = Float(cube.size - 1)
        let numbers = table(of: 4 * cube.values.count)
        for (i, value) in cube.values.enumerated() {
            for k in 0..<4 { numbers[4 * i + k] = value[k] }
        }
        plan.pointee.nodes = UnsafePointer(numbers)
    }

    private func table(of count: Int) -> UnsafeMutablePointer<Float> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
        let numbers = memory.bindMemory(to: Float.self, capacity: count)
        numbers.initialize(repeating: 0, count: count)
        tables.append(numbers)
        return numbers
    }

    private typealias Triple = (Float, Float, Float)

    /// The conversion from signals to positions among a table's values.
    private static func positions(_ table: ColorLUT.Table) -> (scale: Triple, offset: Triple) {
        let domain = table.domain
        let scale = SIMD3(repeating: Double(table.size - 1)) / (domain.high - domain.low)
        let offset = -domain.low * scale
        return (
            (Float(scale.x), Float(scale.y), Float(scale.z)), (Float(offset.x), Float(offset.y), Float(offset.z))
        )
    }
}
