import HDRKernels
import TestSupport

/// Pixels in linear light for tests of effects.
final class LightChunk {
    let count: Int
    private let stride: Int
    private let memory: UnsafeMutablePointer<Float>

    init(count: Int) {
        self.count = count
        stride = (count + 15) / 16 * 16 + 16
        memory = UnsafeMutableRawPointer.allocate(byteCount: 16 * stride, alignment: 64).assumingMemoryBound(
            to: Float.self)
        memory.initialize(repeating: 0, count: 4 * stride)
    }

    /// Colours from below 0 to far above 1, premultiplied with alphas of 0 to 1.
    convenience init(count: Int, seed: UInt64) {
        self.init(count: count)
        var random = SeededGenerator(seed: seed)
        func unit() -> Double { Double.random(in: 0...1, using: &random) }
        for i in 0..<count {
            let alpha = i % 3 == 0 ? 1.0 : unit()
            let scale = i % 5 == 0 ? 20.0 : 1.2
            let color = SIMD3(unit(), unit(), unit()) * scale - SIMD3(repeating: 0.1)
            self[i] = (color * alpha, alpha)
        }
    }

    deinit { memory.deallocate() }

    func copy() -> LightChunk {
        let other = LightChunk(count: count)
        other.set(to: self)
        return other
    }

    /// Copies the pixels of another chunk of the same length.
    func set(to other: LightChunk) { memory.update(from: other.memory, count: 4 * stride) }

    /// The pixels at a place of a picture.
    func pixels(column: Int = 0, row: Int = 0) -> LightPixels {
        LightPixels(
            red: memory, green: memory + stride, blue: memory + 2 * stride, alpha: memory + 3 * stride, count: count,
            column: column, row: row)
    }

    /// Premultiplied colour, and alpha.
    subscript(index: Int) -> (color: SIMD3<Double>, alpha: Double) {
        get {
            func number(_ k: Int) -> Double { Double(memory[k * stride + index]) }
            return (SIMD3(number(0), number(1), number(2)), number(3))
        }
        set {
            for k in 0..<3 { memory[k * stride + index] = Float(newValue.color[k]) }
            memory[3 * stride + index] = Float(newValue.alpha)
        }
    }
}
