import HDRKernels

/// Planes of light that an effect keeps between its passes.
final class LightMemory: @unchecked Sendable {
    let planes: LightPlanes
    private let memory: UnsafeMutableRawPointer

    init(width: Int, height: Int) {
        let stride = (max(width, 1) + 15) / 16 * 16
        let plane = stride * max(height, 1)
        memory = .allocate(byteCount: 4 * plane * MemoryLayout<Float>.stride, alignment: 64)
        let numbers = memory.bindMemory(to: Float.self, capacity: 4 * plane)
        numbers.initialize(repeating: 0, count: 4 * plane)
        planes = LightPlanes(
            red: numbers, green: numbers + plane, blue: numbers + 2 * plane, alpha: numbers + 3 * plane, stride: stride,
            width: width, height: height)
    }

    deinit { memory.deallocate() }
}

extension LightPlanes {
    /// The address of a component's plane: red, green, blue, alpha.
    @inline(__always) func plane(_ component: Int) -> UnsafeMutablePointer<Float> {
        switch component {
        case 0: red
        case 1: green
        case 2: blue
        default: alpha
        }
    }

    @inline(__always) func row(_ component: Int, _ y: Int) -> UnsafeMutablePointer<Float> {
        plane(component) + y * stride
    }
}

/// Work rows of a thread, aligned to 64 bytes.
final class WorkRows: @unchecked Sendable {
    let numbers: UnsafeMutablePointer<Float>
    /// The rows to sum, and their weights.
    let rows: UnsafeMutablePointer<UnsafePointer<Float>>
    private let memory: UnsafeMutableRawPointer

    init(numbers count: Int, rows rowCount: Int) {
        memory = .allocate(byteCount: max(count, 1) * MemoryLayout<Float>.stride, alignment: 64)
        numbers = memory.bindMemory(to: Float.self, capacity: max(count, 1))
        numbers.initialize(repeating: 0, count: max(count, 1))
        rows = .allocate(capacity: max(rowCount, 1))
        rows.initialize(repeating: UnsafePointer(numbers), count: max(rowCount, 1))
    }

    deinit {
        memory.deallocate()
        rows.deallocate()
    }
}

/// Numbers that kernels read, kept for the lifetime of an effect.
final class Constants: @unchecked Sendable {
    let numbers: UnsafeMutablePointer<Float>

    init(_ values: [Float]) {
        numbers = .allocate(capacity: max(values.count, 1))
        numbers.initialize(from: values, count: values.count)
    }

    deinit { numbers.deallocate() }
}
