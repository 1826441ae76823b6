import CVector
import HDRColor

/// Eight pixels' three components.
struct Pixels {
    var a: Vector, b: Vector, c: Vector

    @inline(__always) init(_ a: Vector, _ b: Vector, _ c: Vector) {
        self.a = a
        self.b = b
        self.c = c
    }

    @inline(__always) static func * (p: Pixels, gain: Vector) -> Pixels {
        Pixels(p.a * gain, p.b * gain, p.c * gain)
    }

    @inline(__always) func map(_ f: (Vector) -> Vector) -> Pixels { Pixels(f(a), f(b), f(c)) }

    @inline(__always) func dot(_ w: SIMD3<Float>) -> Vector { a * w.x + b * w.y + c * w.z }

    @inline(__always) var maximum: Vector { cv_max(a, cv_max(b, c)) }

    @inline(__always) func limited(_ low: Float, _ high: Float) -> Pixels {
        map { cv_limit($0, Vector(repeating: low), Vector(repeating: high)) }
    }
}

extension RowTriple<Float> {
    /// Replaces pixels, eight at a time, up to the next multiple of eight from `count`.
    @inline(__always) func update(_ count: Int, _ body: (Pixels) -> Pixels) {
        var i = 0
        while i < count {
            let p = body(Pixels(Self.load(a + i), Self.load(b + i), Self.load(c + i)))
            Self.store(p.a, a + i)
            Self.store(p.b, b + i)
            Self.store(p.c, c + i)
            i &+= 8
        }
    }

    @inline(__always) private static func load(_ row: Row<Float>) -> Vector {
        UnsafeRawPointer(row).loadUnaligned(as: Vector.self)
    }
    @inline(__always) private static func store(_ v: Vector, _ row: Row<Float>) {
        UnsafeMutableRawPointer(row).storeBytes(of: v, as: Vector.self)
    }
}

/// A 3x3 matrix on eight pixels at a time.
struct VectorMatrix: Sendable {
    let m: Matrix3<Float>
    let offset: SIMD3<Float>

    init(_ stage: AffineStage<Float>) {
        m = stage.matrix
        offset = stage.offset
    }
    init(_ matrix: Matrix3<Double>) { self.init(AffineStage(matrix)) }

    @inline(__always) static func * (t: VectorMatrix, p: Pixels) -> Pixels {
        Pixels(p.dot(t.m.row0), p.dot(t.m.row1), p.dot(t.m.row2))
    }
    /// With the offset.
    @inline(__always) func affine(_ p: Pixels) -> Pixels {
        let q = self * p
        return Pixels(q.a + offset.x, q.b + offset.y, q.c + offset.z)
    }
}
