import HDRColor

/// The perceived difference of two pictures: ΔE ITP (ITU-R BT.2124), where 1 is just noticeable under the most critical
/// conditions.
struct Difference {
    let width: Int
    let height: Int
    /// The difference of each pixel, in rows from the top.
    let values: [Float]

    /// The meaning of the pictures' 16-bit signals: PQ of BT.2020, full range.
    private struct Opponents {
        /// Light as a share of 10 000 cd/m² for each code.
        private let light: [Double] = (0..<65536).map { PQ.eotf(Double($0) / 65535) / 10000 }
        /// Signals of light at equal steps of its fourth root, between which they are nearly straight: within 2e-7.
        private let signal: [Double] = (0...Self.steps).map { step in
            let root = Double(step) / Double(Self.steps)
            return PQ.inverseEOTF(root * root * root * root * 10000)
        }
        private static let steps = 8192

        private func encode(_ light: Double) -> Double {
            let place = min(max(light, 0), 1).squareRoot().squareRoot() * Double(Self.steps)
            let index = min(Int(place), Self.steps - 1)
            return signal[index] + (signal[index + 1] - signal[index]) * (place - Double(index))
        }

        func of(_ red: UInt16, _ green: UInt16, _ blue: UInt16) -> SIMD3<Double> {
            let lms = ICtCp.toLMS * SIMD3(light[Int(red)], light[Int(green)], light[Int(blue)])
            let ictcp = ICtCp.toOpponent * SIMD3(encode(lms.x), encode(lms.y), encode(lms.z))
            // T is half of Ct: BT.2124, annex 1.
            return ictcp * SIMD3(1, 0.5, 1)
        }
    }

    /// - Parameters:
    ///   - first: R, G, B and alpha of each pixel, 16 bits each, in PQ of BT.2020.
    ///   - second: likewise, of the same size.
    init(_ first: [UInt16], _ second: [UInt16], width: Int, height: Int) {
        self.width = width
        self.height = height
        let opponents = Opponents()
        let count = min(first.count, second.count) / 4
        values = (0..<count).map { index in
            let place = 4 * index
            if first[place..<place + 3] == second[place..<place + 3] { return 0 }
            let a = opponents.of(first[place], first[place + 1], first[place + 2])
            let b = opponents.of(second[place], second[place + 1], second[place + 2])
            let d = a - b
            return Float(720 * (d.x * d.x + d.y * d.y + d.z * d.z).squareRoot())
        }
    }

    struct Figures {
        let mean: Double
        /// The 95th percentile of the pixels.
        let high: Double
        let maximum: Double
        /// The share of pixels that differ noticeably, by more than 1.
        let visible: Double
    }

    var figures: Figures {
        guard !values.isEmpty else { return Figures(mean: 0, high: 0, maximum: 0, visible: 0) }
        let sorted = values.sorted()
        let count = Double(values.count)
        return Figures(
            mean: values.reduce(0) { $0 + Double($1) } / count, high: Double(sorted[(sorted.count - 1) * 95 / 100]),
            maximum: Double(sorted[sorted.count - 1]), visible: Double(values.count { $0 > 1 }) / count)
    }

    /// A heat map: 0 is black; 1, just noticeable, blue; 3 green; 10 yellow; 30 red; 100 and more white.
    /// - Returns: R, G, B and alpha of each pixel.
    var heatMap: [UInt8] {
        let stops: [(value: Float, color: SIMD3<Float>)] = [
            (0, SIMD3(0, 0, 0)), (1, SIMD3(0, 0, 255)), (3, SIMD3(0, 200, 0)), (10, SIMD3(255, 255, 0)),
            (30, SIMD3(255, 0, 0)), (100, SIMD3(255, 255, 255)),
        ]
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 * values.count)
        for value in values {
            let upper = stops.firstIndex { $0.value >= value } ?? stops.count - 1
            let (low, high) = (stops[max(upper - 1, 0)], stops[upper])
            let span = high.value - low.value
            let share = span > 0 ? min((value - low.value) / span, 1) : 0
            let color = low.color + (high.color - low.color) * share
            bytes += [UInt8(color.x), UInt8(color.y), UInt8(color.z), 255]
        }
        return bytes
    }
}
