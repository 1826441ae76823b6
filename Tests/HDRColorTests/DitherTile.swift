import Foundation
import HDRColor

/// A dither's pattern as thresholds in (0, 1), of 64x64, and what error it leaves.
struct DitherTile {
    static let size = 64
    private let thresholds: [Double]

    init(_ dither: Dither) {
        thresholds = (0..<Self.size * Self.size).map {
            Double(dither.offset(x: $0 % Self.size, y: $0 / Self.size)) + 0.5
        }
    }

    private subscript(_ x: Int, _ y: Int) -> Double { thresholds[(y & 63) * 64 + (x & 63)] }

    private static func gaussian(_ reach: Int, variance: Double) -> [Double] {
        (-reach...reach).map { (x: Int) -> Double in exp(-Double(x * x) / (2 * variance)) }
    }

    /// RMS in codes of the error behind a Gaussian of 1.5 pixels, of ramps with so many codes a pixel along x and y and
    /// every phase: the sum over pairs of pixels that `Tests/Oracle/noise/anneal.c` gives.
    func filteredRMS(_ ramps: [(Double, Double)]) -> Double {
        let reach = 13
        // The Gaussian's autocorrelation.
        let weights = Self.gaussian(reach, variance: 2 * 1.5 * 1.5)
        let total = weights.reduce(0, +)
        var energy = 0.0
        for dy in -reach...reach {
            for dx in -reach...reach {
                var sum = 0.0
                for (sx, sy) in ramps {
                    let rise = sx * Double(dx) + sy * Double(dy)
                    for y in 0..<Self.size {
                        for x in 0..<Self.size {
                            let (a, b) = (self[x, y], self[x + dx, y + dy])
                            let step = b - a + rise
                            let part = step - step.rounded(.down)
                            let product: Double = (a - 0.5) * (b - 0.5)
                            let wrapped: Double = (part * part - part + 1.0 / 6) / 2
                            sum += product + wrapped
                        }
                    }
                }
                let weight: Double = weights[dx + reach] * weights[dy + reach]
                energy += weight / (total * total) * sum
            }
        }
        return (energy / Double(thresholds.count * ramps.count)).squareRoot()
    }

    /// The RMS error of a ramp along x, computed from its samples.
    func sampledRMS(step: Double) -> Double {
        let (size, reach, phases) = (Self.size, 6, 64)
        let weights = Self.gaussian(reach, variance: 1.5 * 1.5)
        let total = weights.reduce(0, +)
        var energy = 0.0
        for phase in 0..<phases {
            let start = (Double(phase) + 0.37) / Double(phases)
            // A ramp that is whole codes long over the tile repeats with it.
            let errors = (0..<size * size).map { i in
                let value = start + step * Double(i % size)
                return (value + thresholds[i]).rounded(.down) - value
            }
            func filtered(_ from: [Double], _ across: Int, _ down: Int) -> [Double] {
                from.indices.map { (i: Int) -> Double in
                    var sum = 0.0
                    for d in -reach...reach {
                        let x = (i % size + across * d) & 63
                        let y = (i / size + down * d) & 63
                        sum += weights[d + reach] / total * from[y * size + x]
                    }
                    return sum
                }
            }
            energy += filtered(filtered(errors, 1, 0), 0, 1).reduce(0) { $0 + $1 * $1 }
        }
        return (energy / Double(phases * size * size)).squareRoot()
    }

    /// The error's power on flat fields, averaged over 64 levels, where white noise of the same power has 1: by rings
    /// of whole cycles in 64 pixels, and how far a frequency of at least 4 cycles stands out of its ring.
    func spectrum() -> (rings: [Double], highestPeak: Double) {
        let size = Self.size
        var power = [Double](repeating: 0, count: size * size)
        let waves = (0..<size).map { (step: Int) -> (Double, Double) in
            let angle = 2 * Double.pi * Double(step) / 64
            return (cos(angle), sin(angle))
        }
        for level in 0..<64 {
            let value = (Double(level) + 0.5) / 64
            var real = thresholds.map { (threshold: Double) -> Double in (threshold + value).rounded(.down) - value }
            var imaginary = [Double](repeating: 0, count: size * size)
            for (across, down) in [(1, size), (size, 1)] {
                var (a, b) = (real, imaginary)
                for line in 0..<size {
                    for frequency in 0..<size {
                        var (re, im) = (0.0, 0.0)
                        for i in 0..<size {
                            let (c, s) = waves[i * frequency & 63]
                            let place = line * down + i * across
                            let (x, y): (Double, Double) = (real[place], imaginary[place])
                            re += x * c + y * s
                            im += y * c - x * s
                        }
                        a[line * down + frequency * across] = re
                        b[line * down + frequency * across] = im
                    }
                }
                (real, imaginary) = (a, b)
            }
            // A level's own mean may be off where there are fewer thresholds than levels.
            (real[0], imaginary[0]) = (0, 0)
            for i in power.indices { power[i] += real[i] * real[i] + imaginary[i] * imaginary[i] }
        }
        let mean = power.reduce(0, +) / Double(power.count)
        func ring(_ i: Int) -> Int {
            func cycles(_ k: Int) -> Double { Double(k < size / 2 ? k : k - size) }
            return Int(hypot(cycles(i % size), cycles(i / size)).rounded())
        }
        var rings = [Double](repeating: 0, count: 64)
        var counts = rings
        for i in power.indices {
            rings[ring(i)] += power[i] / mean
            counts[ring(i)] += 1
        }
        for i in rings.indices where counts[i] > 0 { rings[i] /= counts[i] }
        let peak = power.indices.filter { ring($0) >= 4 }.map { power[$0] / mean / max(rings[ring($0)], 1e-9) }.max()
        return (rings, peak ?? 0)
    }
}
