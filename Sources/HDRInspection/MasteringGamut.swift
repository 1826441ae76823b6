import HDRMetadata

/// Identifies a mastering display colour volume by its primaries.
extension MasteringDisplay {
    /// "BT.2020", "Display P3", "DCI-P3" or "BT.709" where all four points are those of the standard; `nil` otherwise.
    ///
    /// Files that store the points as floating point numbers may be a step or two off.
    package var gamutName: String? {
        let points = [red, green, blue, white]
        return Self.knownGamuts.first { _, known in
            zip(points, known).allSatisfy { Self.isNear($0, $1, steps: 12) }
        }?.name
    }

    /// The defects of the chromaticities, one sentence each: impossible points, a wrong order of the primaries, white
    /// outside of the triangle. Empty where they are credible.
    package var chromaticityDefects: [String] {
        if [red, green, blue, white].allSatisfy({ $0 == .zero }) { return ["mastering primaries are 0"] }
        var defects: [String] = []
        for (name, point) in [("red", red), ("green", green), ("blue", blue), ("white", white)] {
            if UInt32(point.x) + UInt32(point.y) > 50000 { defects.append("mastering \(name) has x + y over 1") }
            if point.y == 0 { defects.append("mastering \(name) has y = 0") }
        }
        guard defects.isEmpty else { return defects }
        if let orderDefect { return [orderDefect] }
        let sides = [(red, green), (green, blue), (blue, red)]
        let turns = sides.map { Self.turn($0.0, $0.1, white) }
        if Self.turn(red, green, blue) == 0 {
            defects.append("mastering primaries lie on a line")
        } else if !turns.allSatisfy({ $0 > 0 }), !turns.allSatisfy({ $0 < 0 }) {
            defects.append("mastering white lies outside of its primaries")
        }
        return defects
    }

    /// The same volume with its primaries in a plausible order; `nil` where they already are, or where no order is
    /// plausible.
    package var reordered: MasteringDisplay? {
        guard let roles = Self.roles(of: [red, green, blue]), roles != [0, 1, 2] else { return nil }
        let points = [red, green, blue]
        var result = self
        (result.red, result.green, result.blue) = (points[roles[0]], points[roles[1]], points[roles[2]])
        return result
    }

    /// A wrong order of the primaries. SEI 137 and box `mdcv` have the order green, blue, red; a payload written in the
    /// order red, green, blue is read shifted.
    private var orderDefect: String? {
        guard let roles = Self.roles(of: [red, green, blue]) else { return nil }
        let slip: String
        switch roles {
        case [0, 1, 2]: return nil
        case [1, 2, 0]: slip = "shifted: red, green, blue was written for green, blue, red"
        case [2, 0, 1]: slip = "shifted: blue, red, green was written for green, blue, red"
        case [1, 0, 2]: slip = "in a wrong order: red and green are swapped"
        case [0, 2, 1]: slip = "in a wrong order: green and blue are swapped"
        default: slip = "in a wrong order: red and blue are swapped"
        }
        return "mastering primaries are \(slip)" + (reordered?.gamutName.map { "; they are those of \($0)" } ?? "")
    }

    /// The indices of red, green and blue in three points, where they can be distinguished: red has the largest x,
    /// green the largest y, blue the smallest y.
    private static func roles(of points: [SIMD2<UInt16>]) -> [Int]? {
        let places = points.indices
        guard let red = places.max(by: { points[$0].x < points[$1].x }),
            let green = places.max(by: { points[$0].y < points[$1].y }),
            let blue = places.min(by: { points[$0].y < points[$1].y }),
            Set([red, green, blue]).count == 3
        else { return nil }
        return [red, green, blue]
    }

    /// The sign of the turn from a over b to c: positive for a counter-clockwise one.
    private static func turn(_ a: SIMD2<UInt16>, _ b: SIMD2<UInt16>, _ c: SIMD2<UInt16>) -> Int64 {
        func difference(_ p: SIMD2<UInt16>) -> SIMD2<Int64> {
            SIMD2(Int64(p.x) - Int64(a.x), Int64(p.y) - Int64(a.y))
        }
        let (u, v) = (difference(b), difference(c))
        return u.x * v.y - u.y * v.x
    }

    static func isNear(_ a: SIMD2<UInt16>, _ b: SIMD2<UInt16>, steps: Int) -> Bool {
        abs(Int(a.x) - Int(b.x)) <= steps && abs(Int(a.y) - Int(b.y)) <= steps
    }

    /// The gamuts that are recognised, by ColourPrimaries.
    private static let knownGamuts: [(name: String, points: [SIMD2<UInt16>])] =
        CodePoint.primaries.filter { [1, 9, 11, 12].contains($0.code) }.compactMap { primaries in
            Chromaticities(primaries: primaries.code).map { (primaries.name, $0.masteringPoints) }
        }
}
