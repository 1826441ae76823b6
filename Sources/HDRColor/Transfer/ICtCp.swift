/// ICtCp, Rec. ITU-R BT.2100 table 7, in its PQ form.
public enum ICtCp {
    /// The matrix from linear BT.2020 RGB to LMS.
    @inlinable static func lms<T: ColorScalar>() -> Matrix3<T> {
        let m = Matrix3<T>(SIMD3(1688, 2146, 262), SIMD3(683, 2951, 462), SIMD3(99, 309, 3688))
        return Matrix3(m.row0 / 4096, m.row1 / 4096, m.row2 / 4096)
    }

    /// The matrix from non-linear L'M'S' to I, Ct, Cp.
    @inlinable static func opponent<T: ColorScalar>() -> Matrix3<T> {
        let m = Matrix3<T>(SIMD3(2048, 2048, 0), SIMD3(6610, -13613, 7003), SIMD3(17933, -17390, -543))
        return Matrix3(m.row0 / 4096, m.row1 / 4096, m.row2 / 4096)
    }

    public static let toLMS: Matrix3<Double> = lms()
    public static let fromLMS: Matrix3<Double> = toLMS.inverse
    public static let toOpponent: Matrix3<Double> = opponent()
    public static let fromOpponent: Matrix3<Double> = toOpponent.inverse

    /// Converts linear BT.2020 light in cd/m² to I, Ct, Cp. Negative light is taken as 0.
    @inlinable public static func encode<T: ColorScalar>(_ light: SIMD3<T>) -> SIMD3<T> {
        let cone = toLMS.converted(to: T.self) * light.nonNegative
        return toOpponent.converted(to: T.self) * cone.map(PQ.inverseEOTF)
    }

    /// Converts I, Ct, Cp to linear BT.2020 light in cd/m².
    @inlinable public static func decode<T: ColorScalar>(_ ictcp: SIMD3<T>) -> SIMD3<T> {
        let cone = (fromOpponent.converted(to: T.self) * ictcp).map(PQ.eotf)
        return fromLMS.converted(to: T.self) * cone
    }
}
