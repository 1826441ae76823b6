import CKernels
import HDRColor
import HDRKernels

/// A colour matrix with offsets, to which several effects reduce.
package struct ColorMatrix: Equatable, Sendable {
    package var matrix: Matrix3<Double>
    /// The offset, relative to reference white.
    package var offset: SIMD3<Double>

    package init(_ matrix: Matrix3<Double>, offset: SIMD3<Double> = SIMD3(0, 0, 0)) {
        self.matrix = matrix
        self.offset = offset
    }

    package static let identity = ColorMatrix(.identity)

    /// Transforms a colour that is not premultiplied.
    package func callAsFunction(_ color: SIMD3<Double>) -> SIMD3<Double> { matrix * color + offset }

    /// The matrix that applies this one first, then the other.
    package func followed(by next: ColorMatrix) -> ColorMatrix {
        ColorMatrix(next.matrix * matrix, offset: next.matrix * offset + next.offset)
    }
}

/// Multiplies pixels with a matrix.
package final class ColorMatrixEffect: LightEffect, @unchecked Sendable {
    package let keepsPixels = false
    package let takesPairs = true
    private let kernels: KernelEffects
    private let matrix: UnsafeMutablePointer<KernelMatrix>
    package let affine: (matrix: Matrix3<Double>, offset: SIMD3<Double>)?

    package init(_ matrix: ColorMatrix, _ instructionSet: InstructionSet = .best) {
        kernels = instructionSet.kernels.effects
        self.matrix = .allocate(capacity: 1)
        affine = (matrix.matrix, matrix.offset)
        self.matrix.initialize(to: KernelMatrix(matrix.matrix, offset: matrix.offset))
    }

    deinit { matrix.deallocate() }

    package func apply(to pixels: LightPixels) { kernels.color_matrix(matrix, pixels.kernelRows, pixels.count) }
}

extension ColorMatrix: VideoEffect {
    /// The largest allowed magnitude of a number.
    package static let largest = 1e6

    /// - Parameter numbers: the matrix by rows, 3 for each or 4 with the offset.
    /// - Returns: `nil` for another count of numbers, and for numbers that are not finite or above ``largest``.
    package init?(numbers n: [Double]) {
        guard n.allSatisfy({ abs($0) <= Self.largest }) else { return nil }
        switch n.count {
        case 9: self.init(Matrix3(SIMD3(n[0], n[1], n[2]), SIMD3(n[3], n[4], n[5]), SIMD3(n[6], n[7], n[8])))
        case 12:
            self.init(
                Matrix3(SIMD3(n[0], n[1], n[2]), SIMD3(n[4], n[5], n[6]), SIMD3(n[8], n[9], n[10])),
                offset: SIMD3(n[3], n[7], n[11]))
        default: return nil
        }
    }

    /// The numbers by rows, each with its offset.
    package var numbers: [Double] {
        let (a, b, c) = (matrix.row0, matrix.row1, matrix.row2)
        return [a.x, a.y, a.z, offset.x, b.x, b.y, b.z, offset.y, c.x, c.y, c.z, offset.z]
    }

    package func planned(for context: EffectContext) -> PlannedEffect { .matrix(self) }
}
