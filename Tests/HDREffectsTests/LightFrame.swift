import HDRKernels
import TestSupport

/// A picture in linear light for tests of effects, and its blur by several threads in turn.
final class LightFrame {
    let planes: LightPlanes
    private let memory: UnsafeMutableRawPointer
    private let count: Int
    /// The value of guard numbers behind the planes.
    private static let mark = Float(-12345)

    init(_ width: Int, _ height: Int) {
        let stride = (width + 15) / 16 * 16 + 16
        count = 4 * stride * height
        memory = .allocate(byteCount: (count + 16) * 4, alignment: 64)
        let numbers = memory.bindMemory(to: Float.self, capacity: count + 16)
        // Numbers that nothing may read are NaN.
        numbers.initialize(repeating: .nan, count: count)
        (numbers + count).initialize(repeating: Self.mark, count: 16)
        let plane = stride * height
        planes = LightPlanes(
            red: numbers, green: numbers + plane, blue: numbers + 2 * plane, alpha: numbers + 3 * plane, stride: stride,
            width: width, height: height)
    }

    /// A picture whose components are computed from their positions.
    convenience init(_ width: Int, _ height: Int, _ light: (_ component: Int, _ x: Int, _ y: Int) -> Double) {
        self.init(width, height)
        for c in 0..<4 { for y in 0..<height { for x in 0..<width { self[c, x, y] = light(c, x, y) } } }
    }

    deinit { memory.deallocate() }

    var guardIsBroken: Bool {
        let numbers = memory.assumingMemoryBound(to: Float.self)
        return (count..<count + 16).contains { numbers[$0] != Self.mark }
    }

    private func row(_ component: Int, _ y: Int) -> UnsafeMutablePointer<Float> {
        [planes.red, planes.green, planes.blue, planes.alpha][component] + y * planes.stride
    }

    subscript(component: Int, x: Int, y: Int) -> Double {
        get { Double(row(component, y)[x]) }
        set { row(component, y)[x] = Float(newValue) }
    }

    func sum(_ component: Int) -> Double {
        (0..<planes.height).reduce(0) { sum, y in
            sum + (0..<planes.width).reduce(0) { $0 + self[component, $1, y] }
        }
    }

    /// The result of an effect that is applied in parts of some rows, the last rows first.
    func through(_ effect: any FrameEffect, parts: Int = 3, threads: Int = 2) -> LightFrame {
        let target = LightFrame(planes.width, planes.height)
        for pass in 0..<effect.passes {
            for part in (0..<parts).reversed() {
                let rows = planes.height * part / parts..<planes.height * (part + 1) / parts
                effect.apply(pass: pass, planes, into: target.planes, rows: rows, thread: part % threads)
            }
        }
        return target
    }
}
