/// A 3x3 matrix, by rows, that multiplies a column of three components.
public struct Matrix3<T: ColorScalar>: Equatable, Sendable {
    public var row0: SIMD3<T>
    public var row1: SIMD3<T>
    public var row2: SIMD3<T>

    @inlinable public init(_ row0: SIMD3<T>, _ row1: SIMD3<T>, _ row2: SIMD3<T>) {
        self.row0 = row0
        self.row1 = row1
        self.row2 = row2
    }

    @inlinable public static var identity: Matrix3 {
        Matrix3(SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))
    }

    @inlinable public static func diagonal(_ d: SIMD3<T>) -> Matrix3 {
        Matrix3(SIMD3(d.x, 0, 0), SIMD3(0, d.y, 0), SIMD3(0, 0, d.z))
    }

    @inlinable public static func * (m: Matrix3, v: SIMD3<T>) -> SIMD3<T> {
        SIMD3(m.row0.dot(v), m.row1.dot(v), m.row2.dot(v))
    }

    @inlinable public static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
        let t = b.transposed
        func row(_ r: SIMD3<T>) -> SIMD3<T> { SIMD3(r.dot(t.row0), r.dot(t.row1), r.dot(t.row2)) }
        return Matrix3(row(a.row0), row(a.row1), row(a.row2))
    }

    @inlinable public var transposed: Matrix3 {
        Matrix3(SIMD3(row0.x, row1.x, row2.x), SIMD3(row0.y, row1.y, row2.y), SIMD3(row0.z, row1.z, row2.z))
    }

    /// The inverse by cofactors. The matrices of this module are well conditioned; a singular one gives non-finite
    /// rows.
    @inlinable public var inverse: Matrix3 {
        let c0 = Matrix3.cross(row1, row2)
        let c1 = Matrix3.cross(row2, row0)
        let c2 = Matrix3.cross(row0, row1)
        let d = row0.dot(c0)
        return Matrix3(SIMD3(c0.x, c1.x, c2.x) / d, SIMD3(c0.y, c1.y, c2.y) / d, SIMD3(c0.z, c1.z, c2.z) / d)
    }

    @inlinable static func cross(_ a: SIMD3<T>, _ b: SIMD3<T>) -> SIMD3<T> {
        SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
    }

    /// This matrix in another precision.
    @inlinable public func converted<U: ColorScalar>(to: U.Type) -> Matrix3<U> {
        Matrix3<U>(row0.converted(to: U.self), row1.converted(to: U.self), row2.converted(to: U.self))
    }
}
