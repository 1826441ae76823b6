import Testing

@testable import HDRColor

struct PrimariesTests {
    struct Pair: Sendable {
        let source: Primaries
        let target: Primaries
        let rows: [[Double]]
    }

    /// BT.2087 section 2 (M2), BT.2407 section 2 and SMPTE EG 432-1 with exact normalisation: 10 decimals.
    static let pairs = [
        Pair(
            source: .bt709, target: .bt2020,
            rows: [
                [0.6274038959, 0.3292830384, 0.0433130657], [0.0690972894, 0.9195403951, 0.0113623156],
                [0.0163914389, 0.0880133079, 0.8955952532],
            ]),
        Pair(
            source: .bt2020, target: .bt709,
            rows: [
                [1.6604910021, -0.5876411388, -0.0728498633], [-0.1245504745, 1.1328998971, -0.0083494226],
                [-0.0181507634, -0.1005788980, 1.1187296614],
            ]),
        Pair(
            source: .displayP3, target: .bt2020,
            rows: [
                [0.7538330344, 0.1985973691, 0.0475695966], [0.0457438490, 0.9417772198, 0.0124789312],
                [-0.0012103404, 0.0176017173, 0.9836086231],
            ]),
        Pair(
            source: .bt2020, target: .displayP3,
            rows: [
                [1.3435782526, -0.2821796705, -0.0613985821], [-0.0652974528, 1.0757879158, -0.0104904631],
                [0.0028217873, -0.0195984945, 1.0167767073],
            ]),
        Pair(
            source: .bt709, target: .displayP3,
            rows: [
                [0.8224619687, 0.1775380313, 0], [0.0331941989, 0.9668058011, 0],
                [0.0170826307, 0.0723974407, 0.9105199286],
            ]),
        Pair(
            source: .displayP3, target: .bt709,
            rows: [
                [1.2249401763, -0.2249401763, 0], [-0.0420569547, 1.0420569547, 0],
                [-0.0196375546, -0.0786360456, 1.0982736001],
            ]),
    ]

    /// Tolerance: half of the last printed digit.
    @Test(arguments: pairs) func matrix(_ pair: Pair) {
        let m = pair.source.matrix(to: pair.target)
        for (row, expected) in zip([m.row0, m.row1, m.row2], pair.rows) {
            #expect((row - RGB(expected[0], expected[1], expected[2])).magnitude <= 0.51e-10)
        }
    }

    /// BT.2087 prints its M2 with 4 decimals.
    @Test func publishedMatrix() {
        let m = Primaries.bt709.matrix(to: .bt2020)
        #expect((m.row0 - RGB(0.6274, 0.3293, 0.0433)).magnitude <= 0.51e-4)
        #expect((m.row1 - RGB(0.0691, 0.9195, 0.0114)).magnitude <= 0.51e-4)
        #expect((m.row2 - RGB(0.0164, 0.0880, 0.8956)).magnitude <= 0.51e-4)
    }

    /// The middle row of RGB to XYZ, 10 decimals.
    @Test func luminance() {
        let wide = Primaries.bt2020.luminance
        #expect((wide - RGB(0.2627002120, 0.6779980715, 0.0593017165)).magnitude <= 0.51e-10)
        let narrow = Primaries.bt709.luminance
        #expect((narrow - RGB(0.2126390059, 0.7151686788, 0.0721923154)).magnitude <= 0.51e-10)
    }

    /// Each primary's XYZ has the x, y that the standard gives, and white is D65.
    @Test(arguments: Primaries.allCases) func chromaticities(_ primaries: Primaries) {
        let m = primaries.toXYZ
        let colors = [RGB(1, 0, 0), RGB(0, 1, 0), RGB(0, 0, 1), RGB(1, 1, 1)]
        for (color, xy) in zip(colors, primaries.chromaticities + [SIMD2(0.3127, 0.3290)]) {
            let xyz = m * color
            let sum = xyz.x + xyz.y + xyz.z
            #expect(abs(xyz.x / sum - xy.x) <= 1e-14 && abs(xyz.y / sum - xy.y) <= 1e-14)
        }
        #expect(abs((m * RGB(1, 1, 1)).y - 1) <= 1e-14)
    }

    /// BT.709 item 1.3, SMPTE EG 432-1, BT.2020 table 3, BT.601 item 1.4 (525 and 625 lines).
    @Test func standardChromaticities() {
        #expect(Primaries.bt709.chromaticities == [SIMD2(0.64, 0.33), SIMD2(0.30, 0.60), SIMD2(0.15, 0.06)])
        #expect(Primaries.displayP3.chromaticities == [SIMD2(0.68, 0.32), SIMD2(0.265, 0.69), SIMD2(0.15, 0.06)])
        #expect(Primaries.bt2020.chromaticities == [SIMD2(0.708, 0.292), SIMD2(0.170, 0.797), SIMD2(0.131, 0.046)])
        #expect(Primaries.bt601.chromaticities == [SIMD2(0.63, 0.34), SIMD2(0.31, 0.595), SIMD2(0.155, 0.07)])
        #expect(Primaries.bt601x625.chromaticities == [SIMD2(0.64, 0.33), SIMD2(0.29, 0.60), SIMD2(0.15, 0.06)])
    }

    @Test(arguments: Primaries.allCases, Primaries.allCases)
    func thereAndBack(_ source: Primaries, _ target: Primaries) {
        let there = source.matrix(to: target)
        let back = target.matrix(to: source)
        let product = back * there
        #expect((product.row0 - RGB(1, 0, 0)).magnitude <= 1e-14)
        #expect((product.row1 - RGB(0, 1, 0)).magnitude <= 1e-14)
        #expect((product.row2 - RGB(0, 0, 1)).magnitude <= 1e-14)
        // One white for all: grey stays, and luminance is the same in either.
        #expect((there * RGB(1, 1, 1) - 1).magnitude <= 1e-14)
        let color = RGB(0.7, 0.2, 0.4)
        #expect(abs((there * color).dot(target.luminance) - color.dot(source.luminance)) <= 1e-14)
        #expect((there == .identity) == (source == target))
    }

    /// P3-D65's blue edge lies a little outside BT.2020; BT.709 lies inside both.
    @Test func gamutsInsideOthers() {
        func smallest(_ source: Primaries, _ target: Primaries) -> Double {
            let m = source.matrix(to: target)
            return min(m.row0.minComponent, min(m.row1.minComponent, m.row2.minComponent))
        }
        #expect(abs(smallest(.displayP3, .bt2020) + 0.0012103404) <= 0.51e-10)
        #expect(smallest(.bt709, .bt2020) > 0)
        #expect(abs(smallest(.bt709, .displayP3)) <= 1e-15)
    }
}
