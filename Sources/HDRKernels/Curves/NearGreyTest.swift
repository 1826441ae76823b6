import Glibc
import HDRColor

/// A test by sums of components that colours pass only if perceptual gamut mapping leaves them where they are.
///
/// In the plane of colours of one sum, the colours that stay form a star around grey, which grows as the light falls,
/// because PQ is less steep in dark colours. The test consists of four lines within the star for one level, scaled for
/// the others: `red` * (R - G) + `blue` * (B - G), times s + `dark.0`, is at most s * (s + `dark.1`) for a sum s, in
/// cd/m².
struct NearGreyTest {
    private(set) var sides: [(red: Double, blue: Double)]
    let dark: (Double, Double)

    private static let directions = 48
    private static let lines = 4

    /// - Parameter highest: the maximum light of a component, in cd/m².
    init(_ gamut: PerceptualGamut<Double>, highest: Double) {
        let first = Self.reach(gamut, sum: gamut.peak, highest)
        // The levels range from the brightest colours to those that are too dark to move.
        var levels: [(sum: Double, reach: [Double])] = []
        var sum = 2.8 * highest
        while sum > gamut.peak * 1e-4 {
            let reach = Self.reach(gamut, sum: sum, highest)
            if sum < gamut.peak, reach.allSatisfy({ $0 == .infinity }) { break }
            levels.append((sum, reach))
            sum /= 1.7
        }
        func growth(_ reach: [Double]) -> Double { zip(reach, first).map { $0 / $1 }.min() ?? 1 }
        dark = Self.dark(gamut.peak) { growth(Self.reach(gamut, sum: $0, highest)) }
        // The star is the intersection of all levels in each direction.
        var star = first
        for level in levels {
            let scale = (level.sum + dark.1) / (level.sum + dark.0)
            for index in star.indices { star[index] = min(star[index], level.reach[index] / scale) }
        }
        // The margin allows for a star that is slightly narrower between the directions.
        sides = Self.lines(in: star.map { $0 * 0.985 })
    }

    /// A direction in the plane of one sum: the components' distances from their mean, over that mean.
    private static func direction(_ index: Int) -> SIMD3<Double> {
        let angle = 2 * Double.pi * Double(index) / Double(directions)
        return SIMD3(cos(angle), cos(angle - 2 * .pi / 3), cos(angle + 2 * .pi / 3))
    }

    /// The distance up to which colours of a sum stay in place, in each direction; infinite where none moves.
    private static func reach(_ gamut: PerceptualGamut<Double>, sum: Double, _ highest: Double) -> [Double] {
        (0..<directions).map { index in
            let direction = direction(index)
            let mean = sum / 3
            func moves(_ distance: Double) -> Bool {
                gamut.strength((SIMD3(repeating: 1) + direction * distance) * mean) > 0
            }
            // The upper bound is the edge of the gamut, or the brightest component.
            var high = min(-1 / direction.minComponent, (highest / mean - 1) / direction.maxComponent)
            guard high > 0, moves(high) else { return .infinity }
            var low = 0.0
            for _ in 0..<14 {
                let middle = (low + high) / 2
                if moves(middle) { high = middle } else { low = middle }
            }
            return low
        }
    }

    /// The two numbers of the scale (s + second) / (s + first) that is nearest to the growth of the star.
    private static func dark(_ peak: Double, _ growth: (Double) -> Double) -> (Double, Double) {
        let rows = [1, 1.0 / 4, 1.0 / 20].map { share -> (SIMD3<Double>, Double) in
            let (sum, scale) = (peak * share, growth(peak * share))
            // c * s + e - scale * first = scale * s, with e = c * second.
            return (SIMD3(sum, 1, -scale), scale * sum)
        }
        let solution =
            Matrix3(rows[0].0, rows[1].0, rows[2].0).inverse * SIMD3(rows[0].1, rows[1].1, rows[2].1)
        let (first, second) = (solution.z, solution.y / solution.x)
        // Where the values do not grow, every scale is 1.
        guard first > 0, second > first, second < 100 * peak else { return (1, 1) }
        return (first, second)
    }

    /// The four lines within a star that leave the largest area.
    private static func lines(in star: [Double]) -> [(red: Double, blue: Double)] {
        let arcs = Arcs(star)
        var best = (area: -1.0, arcs: [(start: Int, length: Int)]())
        // Every arc of directions has its line, and the arcs go once around.
        for start in 0..<(directions / 2) {
            var areas = [Double](repeating: -1, count: directions + 1)
            areas[0] = 0
            var chosen: [[Int]] = []
            for _ in 0..<lines {
                var (next, lengths) = (areas.map { _ in -1.0 }, areas.map { _ in 0 })
                for place in 0..<directions where areas[place] >= 0 {
                    for length in 1...Arcs.longest where place + length <= directions {
                        let area = areas[place] + arcs.area(start + place, length)
                        guard area > next[place + length] else { continue }
                        (next[place + length], lengths[place + length]) = (area, length)
                    }
                }
                areas = next
                chosen.append(lengths)
            }
            guard areas[directions] > best.area else { continue }
            var (place, found) = (directions, [(start: Int, length: Int)]())
            for lengths in chosen.reversed() {
                let length = lengths[place]
                place -= length
                found.append((start + place, length))
            }
            best = (areas[directions], found)
        }
        return best.arcs.map { arcs.line($0.start, $0.length) }
    }

    /// Lines that keep to the inner side of a star in an arc of directions.
    private struct Arcs {
        static let longest = directions * 5 / 12
        private let best: [(area: Double, normal: Int, distance: Double)]

        init(_ star: [Double]) {
            let count = directions
            let cosines = (0..<count).map { cos(2 * .pi * Double($0) / Double(count)) }
            best = (0..<count * Self.longest).map { index in
                let (start, length) = (index / Self.longest, index % Self.longest + 1)
                var best = (area: 0.0, normal: start, distance: 0.0)
                for normal in start..<start + length {
                    let across = (start..<start + length).map { cosines[abs($0 - normal)] }
                    guard let least = across.min(), least > 0.1 else { continue }
                    var distance = Double.infinity
                    for (offset, cosine) in across.enumerated() {
                        distance = min(distance, star[(start + offset) % count] * cosine)
                    }
                    let area = across.reduce(0) { $0 + (distance / $1) * (distance / $1) }
                    if area > best.area { best = (area, normal, distance) }
                }
                return best
            }
        }

        func area(_ start: Int, _ length: Int) -> Double {
            best[start % directions * Self.longest + length - 1].area
        }

        /// The coefficients of a line for sums: the distance along the normal is (2 (R - G) - (B - G)) / s times its
        /// cosine, minus the square root of 3 (B - G) / s times its sine.
        func line(_ start: Int, _ length: Int) -> (red: Double, blue: Double) {
            let line = best[start % directions * Self.longest + length - 1]
            let angle = 2 * Double.pi * Double(line.normal) / Double(directions)
            return (2 * cos(angle) / line.distance, -(cos(angle) + 3.squareRoot() * sin(angle)) / line.distance)
        }
    }
}
