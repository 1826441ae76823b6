/// ICtCp, Rec. ITU-R BT.2100 table 7, in its PQ form.
public enum ICtCp {
    /// Linear BT.2020 RGB to LMS.
    @inlinable static func lms<T: ColorScalar>() -> Matrix3<T> {
        let m = Matrix3<T>(SIMD3(1688, 2146, 262), SIMD3(683, 2951, 462), SIMD3(99, 309, 3688))
        return Matrix3(m.row0 / 4096, m.row1 / 4096, m.row2 / 4096)
    }

    /// Non-linear L'M'S' to I, Ct, Cp.
    @inlinable static func opponent<T: ColorScalar>() -> Matrix3<T> {
        let m = Matrix3<T>(SIMD3(2048, 2048, 0), SIMD3(6610, -13613, 7003), SIMD3(17933, -17390, -543))
        return Matrix3(m.row0 / 4096, m.row1 / 4096, m.row2 / 4096)
    }

    public static let toLMS: Matrix3<Double> = lms()
    public static let fromLMS: Matrix3<Double> = toLMS.inverse
    public static let toOpponent: Matrix3<Double> = opponent()
    public static let fromOpponent: Matrix3<Double> = toOpponent.inverse

    /// I, Ct, Cp of linear BT.2020 light in cd/m². Negative light is taken as 0.
    @inlinable public static func encode<T: ColorScalar>(_ light: SIMD3<T>) -> SIMD3<T> {
        let cone = toLMS.converted(to: T.self) * light.nonNegative
        return toOpponent.converted(to: T.self) * cone.map(PQ.inverseEOTF)
    }

    /// Linear BT.2020 light in cd/m² of I, Ct, Cp.
    @inlinable public static func decode<T: ColorScalar>(_ ictcp: SIMD3<T>) -> SIMD3<T> {
        let cone = (fromOpponent.converted(to: T.self) * ictcp).map(PQ.eotf)
        return fromLMS.converted(to: T.self) * cone
    }

    /// I, Ct, Cp of scene-linear BT.2020 light, [0, 1], in ICtCp's HLG form.
    @inlinable public static func encodeHLG<T: ColorScalar>(_ scene: SIMD3<T>) -> SIMD3<T> {
        let m = Matrix3<T>(SIMD3(2048, 2048, 0), SIMD3(3625, -7465, 3840), SIMD3(9500, -9212, -288))
        let scaled = Matrix3<T>(m.row0 / 4096, m.row1 / 4096, m.row2 / 4096)
        let cone = toLMS.converted(to: T.self) * scene.nonNegative
        return scaled * cone.map(HLG<T>.oetf)
    }

    /// Colour difference delta E ITP, Rec. ITU-R BT.2124: about 1 is just noticeable.
    /// - Parameters: linear BT.2020 light in cd/m².
    @inlinable public static func deltaE<T: ColorScalar>(_ a: SIMD3<T>, _ b: SIMD3<T>) -> T {
        var d = encode(a) - encode(b)
        d.y *= 0.5
        return 720 * d.dot(d).squareRoot()
    }
}
