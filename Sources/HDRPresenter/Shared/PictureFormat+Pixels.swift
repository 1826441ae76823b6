/// Pixels as numbers, where this module itself blends or scales in place of the display.
extension PictureFormat {
    /// Reads the R, G, B and alpha of a pixel: codes as numbers from 0 to 1, half floats unchanged. Formats without
    /// alpha have alpha 1.
    @inline(__always) func read(_ pixel: UnsafeRawPointer) -> SIMD4<Float> {
        switch self {
        case .rgba16f:
            let halves = pixel.loadUnaligned(as: SIMD4<Float16>.self)
            var color = SIMD4<Float>(halves)
            color.w = 1
            return color
        case .rgb10a2, .bgr10a2:
            let code = pixel.loadUnaligned(as: UInt32.self)
            let parts = SIMD4<UInt32>(code, code >> 10, code >> 20, 1023) & 1023
            return ordered(SIMD4<Float>(parts) / 1023)
        case .rgba8, .bgra8:
            let code = pixel.loadUnaligned(as: UInt32.self)
            let parts = SIMD4<UInt32>(code, code >> 8, code >> 16, 255) & 255
            return ordered(SIMD4<Float>(parts) / 255)
        }
    }

    /// Stores R, G, B and alpha, rounded to the nearest code. Alpha of 10-bit formats has two bits.
    @inline(__always) func write(_ color: SIMD4<Float>, to pixel: UnsafeMutableRawPointer) {
        switch self {
        case .rgba16f:
            pixel.storeBytes(of: SIMD4<Float16>(color), as: SIMD4<Float16>.self)
        case .rgb10a2, .bgr10a2:
            let codes = Self.codes(ordered(color), SIMD4(1023, 1023, 1023, 3))
            pixel.storeBytes(of: codes.x | codes.y << 10 | codes.z << 20 | codes.w << 30, as: UInt32.self)
        case .rgba8, .bgra8:
            let codes = Self.codes(ordered(color), SIMD4(repeating: 255))
            pixel.storeBytes(of: codes.x | codes.y << 8 | codes.z << 16 | codes.w << 24, as: UInt32.self)
        }
    }

    /// The components in the order of memory, lowest first.
    @inline(__always) private func ordered(_ color: SIMD4<Float>) -> SIMD4<Float> {
        self == .bgr10a2 || self == .bgra8 ? SIMD4(color.z, color.y, color.x, color.w) : color
    }

    /// Codes of numbers from 0 to 1; a NaN becomes 0.
    @inline(__always) private static func codes(_ color: SIMD4<Float>, _ top: SIMD4<Float>) -> SIMD4<UInt32> {
        let known = color.replacing(with: 0, where: color .!= color)
        let bounded = pointwiseMin(pointwiseMax(known, SIMD4()), SIMD4(repeating: 1))
        return SIMD4<UInt32>(truncatingIfNeeded: SIMD4<Int32>(bounded * top + 0.5))
    }
}
