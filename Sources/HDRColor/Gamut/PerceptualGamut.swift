/// Hue-preserving gamut mapping with soft compression of chroma, by the formulas of libplacebo's perceptual mapping.
///
/// Colours are represented in IPT: cone responses L, M, S with a little crosstalk, their PQ signals, and derived from
/// these an intensity I and two opponent values P and T, whose angle is the hue and whose distance from 0 is the
/// chroma. Where the chroma exceeds ``deadzone`` of the largest one that either gamut has at that hue, the colour is
/// moved towards the colour that the same R, G, B have in the target's primaries: that colour is inside the target's
/// gamut, and its hue is that of the target's nearest primary colour. A result that exceeds the target's peak is
/// compressed by a soft knee.
///
/// Two approximations, which change light by less than 0.0035 of the peak, save time: the mean of two cone responses'
/// PQ signals is a rational function of the responses, and the largest chroma comes from a table by direction,
/// ``reach``.
public struct PerceptualGamut<T: ColorScalar>: Sendable {
    /// The target's peak, in cd/m².
    public let peak: T
    /// The matrix from linear RGB of the source to linear RGB of the target.
    public let toTarget: Matrix3<T>
    /// The matrix from linear RGB of the source to cone responses, in cd/m².
    public let toCone: Matrix3<T>
    /// The matrix from linear RGB of the source to the cone responses that the same R, G, B have in the target's
    /// primaries, minus those that they have in the source's.
    public let difference: Matrix3<T>
    /// The matrix from cone responses to linear RGB of the target.
    public let fromCone: Matrix3<T>
    /// For each direction, the factor from |P| + |T| to the chroma as a share of the largest one. Empty where the
    /// target's gamut contains the source's, so that no colour has to move.
    public let reach: [T]

    /// - Parameter peak: the target's peak, in cd/m².
    public init(from source: Primaries, to target: Primaries, peak: T) {
        self.peak = peak
        let sourceCone = Perceptual.cone * source.toXYZ
        let targetCone = Perceptual.cone * target.toXYZ
        let matrix = source.matrix(to: target)
        toTarget = matrix.converted(to: T.self)
        toCone = sourceCone.converted(to: T.self)
        let rows = (
            targetCone.row0 - sourceCone.row0, targetCone.row1 - sourceCone.row1, targetCone.row2 - sourceCone.row2
        )
        difference = Matrix3(rows.0, rows.1, rows.2).converted(to: T.self)
        fromCone = targetCone.inverse.converted(to: T.self)
        let least = min(matrix.row0.minComponent, min(matrix.row1.minComponent, matrix.row2.minComponent))
        reach = least >= -1e-9 ? [] : Perceptual.reach([sourceCone, targetCone], peak: Double(peak)).map { T($0) }
    }

    /// Maps linear light in the source's primaries, in cd/m², to light in the target's, not yet limited to [0, peak].
    ///
    /// Light below 0, which no colour of the source has, is taken as 0.
    @inlinable public func callAsFunction(_ light: SIMD3<T>) -> SIMD3<T> {
        let light = light.nonNegative
        let strength = strength(light)
        return softened(strength > 0 ? moved(light, strength) : toTarget * light)
    }

    /// The strength with which a colour moves: 0 near grey, up to 0.8.
    @inlinable public func strength(_ light: SIMD3<T>) -> T {
        guard !reach.isEmpty else { return 0 }
        let signal = (toCone * light).map { PQ.inverseEOTF($0) }
        let p = Perceptual.p.converted(to: T.self).dot(signal)
        let t = Perceptual.t.converted(to: T.self).dot(signal)
        let (place, sum) = Perceptual.place(p, t)
        guard sum > 0 else { return 0 }
        let position = place * T(Perceptual.directions / 4)
        let index = Int(position.limited(0, T(Perceptual.directions - 1)))
        let share = sum * (reach[index] + (reach[index + 1] - reach[index]) * (position - T(index)))
        let deadzone = T(Perceptual.deadzone)
        let x = ((share - deadzone) / (1 - deadzone)).limited(0, 1)
        return T(Perceptual.strength) * x * x * (3 - 2 * x)
    }

    /// Mixes cone responses with those that the same R, G, B have in the target's primaries.
    @inlinable func moved(_ light: SIMD3<T>, _ strength: T) -> SIMD3<T> {
        let cone = toCone * light
        let distance = difference * light
        let bend = T(Perceptual.bend)
        let middle = T(Perceptual.middle)
        func mean(_ a: T, _ d: T) -> T {
            let middle = a + middle * d
            let whole = middle + bend * (1 - strength) * d
            return whole > 0 ? a + strength * d * middle / whole : a
        }
        return fromCone
            * SIMD3(mean(cone.x, distance.x), mean(cone.y, distance.y), mean(cone.z, distance.z))
    }

    /// Compresses all components above a knee where the largest one exceeds the peak, so that it becomes the peak.
    @inlinable func softened(_ light: SIMD3<T>) -> SIMD3<T> {
        let most = light.maxComponent / peak
        guard most > 1 else { return light }
        let j = T(Perceptual.knee)
        let above = most - 1
        let a = (1 - j) * (1 - j) + above
        let b = (1 - j) * (1 - j) + (1 - 2 * j) * above
        let scale = (b + j * above) * (b + j * above) / (a * b + j * j * above * above)
        return light.map { component in
            let x = component / peak
            guard x > j else { return component }
            return scale * (a * x - j * j * above) / (above * x + b) * peak
        }
    }
}

/// The constants of ``PerceptualGamut``.
public enum Perceptual {
    /// The share of the largest chroma below which colours stay.
    public static let deadzone = 0.3
    /// The strength with which the most saturated colours move.
    public static let strength = 0.8
    /// The knee where compression begins, relative to the peak.
    public static let knee = 0.7
    /// Constants of the rational function for the mean of two PQ signals. `bend` is half of the amount by which that
    /// mean lies below the mean of light, which is about 1 minus PQ's slope in logarithms at 100 cd/m². `middle` is the
    /// place between the two values where that slope is taken. Both were fitted to the PQ curve for peaks of 100 to
    /// 1000 cd/m².
    public static let bend = 0.46
    public static let middle = 0.33
    /// The number of entries in the table of directions; one more entry repeats the first.
    public static let directions = 512

    /// The matrix from CIE XYZ to cone responses: that of Hunt, Pointer and Estevez for D65, then 4 % of crosstalk.
    static let cone: Matrix3<Double> = {
        let hpe = Matrix3<Double>(
            SIMD3(0.40024, 0.70760, -0.08081), SIMD3(-0.22630, 1.16532, 0.04570), SIMD3(0, 0, 0.91822))
        let crosstalk = Matrix3<Double>(SIMD3(0.92, 0.04, 0.04), SIMD3(0.04, 0.92, 0.04), SIMD3(0.04, 0.04, 0.92))
        return crosstalk * hpe
    }()

    /// The weights of cone responses' signals in P and T of IPT (Ebner and Fairchild 1998). The sum of each is 0.
    public static let p = SIMD3(4.455, -4.851, 0.396)
    public static let t = SIMD3(0.8056, 0.3572, -1.1628)

    /// The position, 0 to 4, on the square |P| + |T| = 1 in the direction of P and T, counted from (0, -1) over (1, 0);
    /// and |P| + |T|.
    @inlinable public static func place<T: ColorScalar>(_ p: T, _ t: T) -> (place: T, sum: T) {
        let sum = abs(p) + abs(t)
        return (p < 0 ? 3 - t / sum : 1 + t / sum, sum)
    }

    /// The table of directions in the plane of P and T.
    ///
    /// The largest chroma of a gamut at a hue is found on the edges of the RGB cube from one saturated colour to the
    /// next, at the peak. Directions are at equal steps along the square |P| + |T| = 1, from (0, -1) over (1, 0): that
    /// takes no arc tangent, and the corners of the square are entries.
    /// - Parameter cones: the matrix from linear RGB to cone responses, for each gamut.
    static func reach(_ cones: [Matrix3<Double>], peak: Double) -> [Double] {
        var largest = [Double](repeating: 0, count: directions)
        for cone in cones {
            let points = edges.map { edge -> (place: Double, sum: Double) in
                let signal = (cone * (edge * peak)).map { PQ.inverseEOTF($0) }
                let (place, sum) = place(Perceptual.p.dot(signal), Perceptual.t.dot(signal))
                return (place * Double(directions / 4), sum)
            }
            for (index, from) in points.enumerated() {
                mark(from, points[(index + 1) % points.count], &largest)
            }
        }
        let reach = largest.map { $0 > 0 ? 1 / $0 : 0 }
        return reach + [reach[0]]
    }

    /// Enters the points on the line from one point of an edge to the next: |P| + |T| of each direction that the line
    /// passes.
    private static func mark(
        _ from: (place: Double, sum: Double), _ to: (place: Double, sum: Double), _ largest: inout [Double]
    ) {
        // The shorter of the two directions around the square is taken.
        let around = Double(directions)
        var way = to.place - from.place
        if way > around / 2 { way -= around } else if way < -around / 2 { way += around }
        guard way != 0 else { return }
        let (low, high) = (min(from.place, from.place + way), max(from.place, from.place + way))
        var place = low.rounded(.up)
        while place <= high {
            let index = ((Int(place) % directions) + directions) % directions
            largest[index] = max(largest[index], from.sum + (to.sum - from.sum) * (place - from.place) / way)
            place += 1
        }
    }

    /// Red, yellow, green, cyan, blue and magenta.
    public static let corners = [
        SIMD3(1.0, 0, 0), SIMD3(1, 1, 0), SIMD3(0, 1, 0), SIMD3(0, 1, 1), SIMD3(0, 0, 1), SIMD3(1.0, 0, 1),
    ]

    /// Saturated colours: points on the edges of the RGB cube that lead from red over yellow, green, cyan, blue and
    /// magenta back to red. They are denser where the second component is dark.
    private static let edges: [SIMD3<Double>] = {
        let steps = 160
        return corners.indices.flatMap { index -> [SIMD3<Double>] in
            let (from, to) = (corners[index], corners[(index + 1) % corners.count])
            let rises = to.sum() > from.sum()
            return (0..<steps).map { step in
                let x = Double(step) / Double(steps)
                return from + (to - from) * (rises ? x * x * x : 1 - (1 - x) * (1 - x) * (1 - x))
            }
        }
    }()
}
