import Testing

@testable import HDRColor

/// Rec. ITU-R BT.2111-3: R'G'B' of the bars, tables 2 to 4, and their Y'CbCr.
struct ColorBarsTests {
    typealias Codes = [Int]

    /// HLG 75 % at a nominal peak of 1000 cd/m²: the white of the BT.709 bars, 203.152 cd/m².
    static let white = 1000 * Double.pow(HLG<Double>.inverseOETF(0.75), 1.2)

    static let saturated = [
        RGB(1, 1, 0), RGB(0, 1, 1), RGB(0, 1, 0), RGB(1, 0, 1), RGB(1, 0, 0), RGB(0, 0, 1),
    ]

    struct Bar: Sendable {
        let color: RGB
        let hlg: Codes, pq: Codes, pqFull: Codes, pqFull12: Codes
        init(_ color: RGB, _ hlg: Codes, _ pq: Codes, _ pqFull: Codes, _ pqFull12: Codes) {
            self.color = color
            (self.hlg, self.pq, self.pqFull, self.pqFull12) = (hlg, pq, pqFull, pqFull12)
        }
    }

    /// The BT.709 bars: HLG narrow 10, PQ narrow 10, PQ full 10 and PQ full 12 bits.
    static let bars = [
        Bar(RGB(1, 1, 0), [713, 719, 316], [569, 572, 381], [589, 593, 370], [2359, 2373, 1483]),
        Bar(RGB(0, 1, 1), [538, 709, 718], [485, 566, 571], [491, 586, 592], [1967, 2348, 2371]),
        Bar(RGB(0, 1, 0), [512, 706, 296], [474, 565, 368], [479, 585, 355], [1918, 2342, 1423]),
        Bar(RGB(1, 0, 1), [651, 286, 705], [537, 362, 564], [552, 348, 584], [2209, 1391, 2339]),
        Bar(RGB(1, 0, 0), [639, 269, 164], [531, 351, 257], [545, 335, 225], [2181, 1339, 901]),
        Bar(RGB(0, 0, 1), [227, 147, 702], [318, 236, 563], [296, 201, 582], [1186, 806, 2331]),
    ]

    /// BT.709 light to BT.2020's at the level of HLG 75 %, then HLG's OETF on scene light.
    static func hlg(_ color: RGB) -> RGB {
        let scene = Primaries.bt709.matrix(to: .bt2020) * color * HLG<Double>.inverseOETF(0.75)
        return scene.map { HLG<Double>.oetf($0) }
    }
    /// The same colour at 203.152 cd/m² of display light, in PQ.
    static func pq(_ color: RGB, white: Double = white) -> RGB {
        (Primaries.bt709.matrix(to: .bt2020) * color * white).map { PQ.inverseEOTF($0) }
    }
    static func vector(_ codes: Codes) -> RGB { RGB(Double(codes[0]), Double(codes[1]), Double(codes[2])) }

    /// The bars before rounding are within half a code. HLG green's G' is 706.506 for the table's 706: with the 4
    /// digits of BT.2087's matrix it is 706.498.
    @Test(arguments: bars) func bt709Bars(_ bar: Bar) {
        #expect(abs(Self.white - 203.152) <= 0.51e-3)
        func distance(_ q: Quantization, _ signal: RGB, _ codes: Codes) -> Double {
            (q.codes(signal) - Self.vector(codes)).magnitude
        }
        let green = bar.color == RGB(0, 1, 0)
        #expect(distance(.rgb10, Self.hlg(bar.color), bar.hlg) <= (green ? 0.506 : 0.5))
        #expect(distance(.rgb10, Self.pq(bar.color), bar.pq) <= 0.5)
        #expect(distance(.rgb10Full, Self.pq(bar.color), bar.pqFull) <= 0.5)
        #expect(distance(.rgb12Full, Self.pq(bar.color), bar.pqFull12) <= 0.5)
    }

    /// Edition 2 put PQ's bars at a signal of 58 %, 201.67 cd/m².
    @Test func edition2() {
        let codes = Self.saturated.map { Quantization.rgb10.codes(of: Self.pq($0, white: PQ.eotf(0.58))) }
        let table = [
            [568, 571, 381], [484, 566, 571], [474, 564, 368], [536, 361, 564], [530, 350, 256], [317, 236, 562],
        ]
        #expect(codes == table)
    }

    /// 12-bit narrow codes of the bars are four times the 10-bit ones, for each percentage of table 1.
    @Test(arguments: [
        (0.0, 64), (0.1, 152), (0.2, 239), (0.3, 327), (0.4, 414), (0.5, 502), (0.6, 590), (0.7, 677), (0.75, 721),
        (0.8, 765), (0.9, 852), (1, 940), (1.09, 1019), (-0.02, 46), (0.02, 82), (0.04, 99),
    ])
    func percentages(_ signal: Double, _ code: Int) {
        #expect(Quantization.rgb10.code(signal) == code)
        // 12 bits resolve a quarter of a 10-bit code.
        #expect(abs(Double(Quantization.rgb12.code(signal)) / 4 - Double(code)) <= 0.5)
    }

    /// Full range: 0 to 100 % in tenths, and 58 % (PQ's reference white).
    @Test func fullRangePercentages() {
        let codes = (0...10).map { Quantization.rgb10Full.code(Double($0) / 10) }
        #expect(codes == [0, 102, 205, 307, 409, 512, 614, 716, 818, 921, 1023])
        #expect(Quantization.rgb10Full.code(PQ.inverseEOTF(Self.white)) == 594)
        #expect(Quantization.rgb10.code(PQ.inverseEOTF(Self.white)) == 573)
        #expect(Quantization.rgb10.code(0.58) == 572)
    }

    struct YCbCr: Sendable {
        let name: String
        let q: Quantization
        /// R'G'B' of white, yellow, cyan, green, magenta, red, blue.
        let signals: [RGB]
        let codes: [Codes]
        init(_ name: String, _ matrix: YCbCrMatrix, _ bits: Int, _ signals: [RGB], _ codes: [Codes]) {
            self.name = name
            q = Quantization(bits: bits, fullRange: false, matrix: matrix)
            (self.signals, self.codes) = (signals, codes)
        }
    }

    static func colors(_ level: Double) -> [RGB] { ([RGB(1, 1, 1)] + saturated).map { $0 * level } }
    static func decoded(_ codes: [Codes]) -> [RGB] { codes.map { Quantization.rgb10.decode(vector($0)) } }

    static let ycbcr = [
        YCbCr(
            "BT.2020 100 %", .bt2020, 10, colors(1),
            [
                [940, 512, 512], [888, 64, 548], [710, 637, 64], [658, 189, 100], [346, 835, 924], [294, 387, 960],
                [116, 960, 476],
            ]),
        YCbCr(
            "HLG 75 %", .bt2020, 10, colors(0.75),
            [
                [721, 512, 512], [682, 176, 539], [548, 606, 176], [509, 270, 203], [276, 754, 821], [237, 418, 848],
                [103, 848, 485],
            ]),
        YCbCr(
            "HLG, BT.709 bars", .bt2020, 10, decoded([[721, 721, 721]] + bars.map(\.hlg)),
            [
                [721, 512, 512], [694, 307, 526], [665, 541, 424], [631, 330, 430], [407, 674, 681], [360, 405, 706],
                [201, 784, 530],
            ]),
        YCbCr(
            "PQ, BT.709 bars", .bt2020, 10, decoded([[573, 573, 573]] + bars.map(\.pq)),
            [
                [573, 512, 512], [560, 415, 518], [545, 526, 470], [529, 424, 474], [420, 590, 593], [393, 438, 608],
                [277, 668, 540],
            ]),
        YCbCr(
            "BT.709 75 %", .bt709, 10, colors(0.75),
            [
                [721, 512, 512], [674, 176, 543], [581, 589, 176], [534, 253, 207], [251, 771, 817], [204, 435, 848],
                [111, 848, 481],
            ]),
        YCbCr(
            "BT.709 75 %, 8 bits", .bt709, 8, colors(0.75),
            [
                [180, 128, 128], [168, 44, 136], [145, 147, 44], [133, 63, 52], [63, 193, 204], [51, 109, 212],
                [28, 212, 120],
            ]),
    ]

    /// Y'CbCr, non-constant luminance, narrow range. The BT.709 bars' are made from their rounded R'G'B' codes.
    @Test(arguments: ycbcr) func yCbCr(_ table: YCbCr) {
        #expect(table.signals.map { table.q.codes(of: $0) } == table.codes)
    }
}
