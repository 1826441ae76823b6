import HDRColor

/// Mappings of Dolby Vision's base layers, as RPUs have them.
enum ReshapingFixture {
    private static func number(_ coefficient: Int) -> Double { Double(coefficient) / Double(1 << 23) }

    private static func polynomial(_ c: [Int]) -> Reshaping.Piece {
        .polynomial(SIMD3(number(c[0]), number(c[1]), c.count > 2 ? number(c[2]) : 0))
    }

    private static func curve(_ pivots: [Int], _ pieces: [Reshaping.Piece]) -> Reshaping.Curve {
        Reshaping.Curve(pivots: pivots.map { Double($0) / 1023 }, pieces: pieces)!
    }

    private static func regression(_ constant: Int, _ orders: [[Int]]) -> Reshaping.Piece {
        .regression(constant: number(constant), orders: orders.map { SIMD8($0.map { number($0) } + [0]) })
    }

    private static func profile8(_ curves: [Reshaping.Curve]) -> Reshaping {
        let matrix = Matrix3(
            SIMD3(9574.0, 0, 13802) / 8192, SIMD3(9574.0, -1540, -5348) / 8192, SIMD3(9574.0, 17610, 0) / 8192)
        return Reshaping(curves: curves, toSignal: matrix, offset: SIMD3(0.0625, 0.5, 0.5))!
    }

    private static func profile5(_ curves: [Reshaping.Curve]) -> Reshaping {
        let matrix = Matrix3(
            SIMD3(8192.0, 799, 1681) / 8192, SIMD3(8192.0, -933, 1091) / 8192, SIMD3(8192.0, 267, -5545) / 8192)
        let lms = Matrix3(
            SIMD3(17081.0, -349, -349) / 16384, SIMD3(-349.0, 17081, -349) / 16384, SIMD3(-349.0, -349, 17081) / 16384)
        return Reshaping(curves: curves, toSignal: matrix, offset: SIMD3(0, 0.5, 0.5), toLMS: lms)!
    }

    private static let hlgLuma = curve(
        [63, 132, 362, 618, 874, 911, 927, 935, 942],
        [
            [-409680, 16_721_463, -20_276_640], [-119056, 13_575_212, -12_867_889], [1_317_527, 5_338_528, -948122],
            [2_119_979, 2_065_496, 2_288_524], [7_982_780, -11_367_226, 9_973_944],
            [53_792_084, -114_243_184, 67_724_328], [112_973_872, -244_837_568, 139_764_480],
            [236_828_416, -518_849_056, 291_306_944],
        ].map(polynomial))

    private static let hlgChroma = [
        regression(
            9_538_791,
            [
                [-8_301_253, -10_548_230, -41_300_540, 17_800_512, 48_512_552, 80_625_688, -96_346_000],
                [-88703, -2_568_677, 27_489_948, -1_115_062, -40_380_556, -96_983_816, 157_352_304],
                [-215627, 3_261_951, -10_807_161, 927142, 20_303_056, 63_830_604, -153_146_704],
            ]),
        regression(
            -10_511_104,
            [
                [33_747_536, 5_369_128, 44_496_156, -8_767_568, -64_336_844, -5_266_155, 11_350_189],
                [-26_784_644, -5_823_003, -42_467_152, 13_165_896, 101_312_912, 7_036_536, -31_888_026],
                [8_794_873, 2_901_521, 19_457_440, -8_242_268, -66_100_812, -4_021_798, 38_635_284],
            ]),
    ]

    /// Profile 8.4 as phones record it: eight polynomials, and regressions of order 3.
    static let profile84 = profile8([hlgLuma] + hlgChroma.map { curve([0, 1023], [$0]) })
    /// Profile 8.1.
    static let identity = profile8([.identity, .identity, .identity])
    /// Polynomials of three pieces and of one.
    static let polynomials = profile8([
        curve(
            [0, 300, 700, 1023],
            [[0, 7_500_000, 888_608], [-300000, 8_688_608], [400000, 7_700_000]].map(polynomial)),
        curve([0, 1023], [polynomial([400000, 7_588_608])]),
        curve([0, 512, 1023], [[419430, 7_549_747], [0, 8_388_608]].map(polynomial)),
    ])
    /// Regressions of lower orders in pieces, and polynomials between them.
    static let mixed = profile8([
        hlgLuma,
        curve(
            [0, 480, 560, 1023],
            [
                regression(400000, [[100000, 7_400_000, 0, 50000, 0, -40000, 0]]), polynomial([100000, 8_188_608]),
                regression(0, [[0, 8_388_608, 0, 0, 9000, 0, 0], [0, 0, 0, 0, 0, 0, 12000]]),
            ]),
        curve([0, 1023], [regression(200000, [[0, 0, 8_000_000, 0, 0, 0, 10000], [9000, 0, 0, 0, 0, 0, 0]])]),
    ])
    /// Profile 5.
    static let profile5 = profile5([
        curve(
            [0, 256, 512, 768, 1023],
            [
                [83886, 6_710_886, 2_516_582], [-83886, 8_304_722, 838861], [167772, 7_717_519, 1_006_633],
                [419430, 7_969_178],
            ].map(polynomial)),
        curve([0, 1023], [polynomial([419430, 7_549_747])]),
        curve([0, 500, 1023], [polynomial([503316, 7_381_975]), polynomial([503316, 7_381_975])]),
    ])

    static let all: [(String, Reshaping)] = [
        ("identity", identity), ("8.4", profile84), ("polynomials", polynomials), ("mixed", mixed), ("5", profile5),
    ]
}
