import HDRColor

@testable import HDRKernels

/// A function of pixels.
final class Effect: LightEffect {
    private let body: (LightPixels) -> Void
    let keepsPixels: Bool
    let affine: (matrix: Matrix3<Double>, offset: SIMD3<Double>)?

    init(
        keepsPixels: Bool = true, affine: (matrix: Matrix3<Double>, offset: SIMD3<Double>)? = nil,
        _ body: @escaping (LightPixels) -> Void
    ) {
        self.keepsPixels = keepsPixels
        self.affine = affine
        self.body = body
    }

    func apply(to pixels: LightPixels) { body(pixels) }
}

/// The light of a picture, between guard bytes.
final class LightMemory {
    let rows: LightRows
    let count: Int
    private let memory: PlaneMemory
    private let element: LightElement

    init(_ width: Int, _ height: Int, _ element: LightElement) {
        self.element = element
        count = 4 * width * height
        let stride = width * element.bytesPerPixel
        memory = PlaneMemory(size: stride * height, .aligned)
        rows = LightRows(data: memory.start, stride: stride, rows: 0..<height)
    }

    subscript(index: Int) -> Double {
        element == .single
            ? Double(memory.start.load(fromByteOffset: 4 * index, as: Float.self))
            : Double(Float(half: memory.start.load(fromByteOffset: 2 * index, as: UInt16.self)))
    }

    func set(_ index: Int, _ value: Float) {
        memory.start.storeBytes(of: value, toByteOffset: 4 * index, as: Float.self)
    }

    func set(half index: Int, _ bits: UInt16) {
        memory.start.storeBytes(of: bits, toByteOffset: 2 * index, as: UInt16.self)
    }

    var guardIsBroken: Bool {
        let bytes = memory.touchable
        let start = memory.start - bytes.baseAddress!
        let end = start + count * element.bytesPerPixel / 4
        return bytes[..<start].contains { $0 != PlaneMemory.guardByte }
            || bytes[end...].contains { $0 != PlaneMemory.guardByte }
    }
}

extension Float {
    /// A number of binary16 in single precision.
    init(half bits: UInt16) {
        let size = Int(bits & 0x3ff)
        let exponent = Int(bits >> 10) & 31
        let step = Float(sign: .plus, exponent: max(exponent, 1) - 25, significand: 1)
        let value = Float(exponent == 0 ? size : 1024 + size) * step
        self = bits & 0x8000 == 0 ? value : -value
    }
}
