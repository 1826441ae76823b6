import Testing

@testable import HDRColor

/// Published tables that hold several functions of the module against each other.
struct BroadcastTablesTests {
    /// Report ITU-R BT.2408 table 1: reflectance, cd/m² at a nominal peak of 1000, % PQ, % HLG (2 decimals).
    @Test(arguments: [
        (0.18, 25.95, 37.99, 37.83), (0.83, 162.45, 55.75, 71.30), (0.90, 179.02, 56.76, 72.92),
        (1.00, 203.15, 58.08, 75.00),
    ])
    func referenceLevels(_ reflectance: Double, _ light: Double, _ pq: Double, _ hlg: Double) {
        let scene = reflectance * HLG<Double>.inverseOETF(0.75)
        let signal = HLG<Double>.oetf(scene)
        let display = HLG<Double>().toDisplay(RGB(repeating: signal)).y
        #expect(abs(display - light) <= 0.51e-2)
        #expect(abs(100 * signal - hlg) <= 0.51e-2)
        #expect(abs(100 * PQ.inverseEOTF(display) - pq) <= 0.51e-2)
    }

    /// The same table in integers, as it is printed.
    @Test(arguments: [(0.18, 26, 38, 38), (0.83, 162, 56, 71), (0.90, 179, 57, 73), (1.00, 203, 58, 75)])
    func printedLevels(_ reflectance: Double, _ light: Int, _ pq: Int, _ hlg: Int) {
        let scene = reflectance * HLG<Double>.inverseOETF(0.75)
        let display = 1000 * Double.pow(scene, 1.2)
        #expect(Int(display.rounded()) == light)
        #expect(Int((100 * PQ.inverseEOTF(display)).rounded()) == pq)
        #expect(Int((100 * HLG<Double>.oetf(scene)).rounded()) == hlg)
    }

    struct Mapping: Sendable {
        let hlg: [Int], scene: [Int], display: [Int]
        init(_ hlg: [Int], _ scene: [Int], _ display: [Int]) {
            (self.hlg, self.scene, self.display) = (hlg, scene, display)
        }
    }

    /// ARIB STD-B72 table G4-1: HLG to SDR BT.709, narrow range of 10 bits, scene-referred and display-referred.
    static let arib = [
        Mapping([721, 721, 721], [940, 940, 940], [940, 940, 940]),
        Mapping([721, 721, 64], [940, 940, 64], [940, 939, 64]),
        Mapping([64, 721, 721], [64, 940, 940], [64, 940, 924]),
        Mapping([64, 721, 64], [64, 940, 64], [64, 940, 64]),
        Mapping([721, 64, 721], [940, 64, 940], [940, 64, 894]),
        Mapping([721, 64, 64], [940, 64, 64], [940, 64, 64]),
        Mapping([64, 64, 721], [64, 64, 940], [64, 64, 789]),
        Mapping([713, 719, 316], [939, 940, 64], [933, 934, 64]),
        Mapping([538, 709, 718], [64, 940, 939], [64, 924, 922]),
        Mapping([512, 706, 296], [71, 939, 66], [124, 915, 99]),
        Mapping([651, 286, 705], [940, 65, 940], [854, 89, 853]),
        Mapping([639, 269, 164], [940, 64, 64], [835, 64, 64]),
        Mapping([227, 147, 702], [66, 64, 940], [93, 64, 768]),
    ]

    static func codes(_ table: [Int]) -> RGB { RGB(Double(table[0]), Double(table[1]), Double(table[2])) }

    /// Inverse HLG OETF over its 75 %, matrix, cut to [0, 1], BT.709 OETF. Tolerance: 2 codes, the table's own rounding
    /// of its intermediate levels.
    @Test(arguments: arib) func sceneReferred(_ row: Mapping) {
        let scene = Quantization.rgb10.decode(Self.codes(row.hlg)).map { HLG<Double>.inverseOETF($0) }
        let linear = (Primaries.bt2020.matrix(to: .bt709) * scene / 0.264963).limited(0, 1)
        let codes = Quantization.rgb10.encode(linear.map { SDR.oetf($0) })
        #expect((codes - Self.codes(row.scene)).magnitude <= 2)
    }

    /// Inverse HLG EOTF for 1000 cd/m², SDR white at 203.152 cd/m², matrix, cut, BT.1886: a conversion that clips.
    @Test(arguments: arib) func displayReferred(_ row: Mapping) {
        let convert = Conversion<Double>(.hlg, .sdr, settings(.clip, white: 203.152))
        let signal = convert(Quantization.rgb10.decode(Self.codes(row.hlg)))
        #expect((Quantization.rgb10.encode(signal) - Self.codes(row.display)).magnitude <= 2)
    }

    struct Level: Sendable {
        let percent: Int, code: Int
        let light: Double
        let pq: Int, hlg: Int
        init(_ percent: Int, _ code: Int, _ light: Double, _ pq: Int, _ hlg: Int) {
            (self.percent, self.code, self.light, self.pq, self.hlg) = (percent, code, light, pq, hlg)
        }
    }

    /// Report ITU-R BT.2408 section 5.1.3: SDR in HDR, display-referred, SDR white at 203.152 cd/m²; cd/m² and the
    /// codes of 10-bit narrow-range SDR, PQ and HLG.
    static let sdrInHDR = [
        Level(5, 108, 0.1532, 129, 103), Level(10, 152, 0.8088, 186, 142), Level(20, 239, 4.2687, 271, 220),
        Level(30, 327, 11.2957, 335, 298), Level(40, 414, 22.5302, 386, 376), Level(50, 502, 38.4901, 428, 455),
        Level(60, 590, 59.6189, 464, 531), Level(70, 677, 86.3091, 496, 592), Level(75, 721, 101.8517, 511, 618),
        Level(80, 765, 118.9151, 524, 642), Level(90, 852, 157.7623, 550, 684), Level(100, 940, 203.1520, 573, 721),
        Level(109, 1019, 249.8301, 592, 750),
    ]

    @Test(arguments: sdrInHDR) func sdrToHDR(_ row: Level) {
        let signal = RGB(repeating: Double(row.percent) / 100)
        #expect(Quantization.rgb10.code(signal.x) == row.code)
        let toPQ = Conversion<Double>(.sdr, .pq, settings(white: 203.152))
        let toHLG = Conversion<Double>(.sdr, .hlg, settings(white: 203.152))
        #expect((toPQ.decode(signal) - row.light).magnitude <= 0.51e-4)
        #expect(Quantization.rgb10.codes(of: toPQ(signal)) == [row.pq, row.pq, row.pq])
        #expect(Quantization.rgb10.codes(of: toHLG(signal)) == [row.hlg, row.hlg, row.hlg])
    }

    /// "As on a 100 cd/m² display".
    @Test(arguments: [(0.5, 373), (0.75, 450), (1, 509)]) func sdrToHDRUnity(_ signal: Double, _ code: Int) {
        let convert = Conversion<Double>(.sdr, .pq, settings(white: 100))
        #expect(Quantization.rgb10.codes(of: convert(RGB(repeating: signal))) == [code, code, code])
    }

    struct Grey: Sendable {
        let light: Double
        let pq: Int, hlg: Int
        init(_ light: Double, _ pq: Int, _ hlg: Int) { (self.light, self.pq, self.hlg) = (light, pq, hlg) }
    }

    /// Grey at a nominal HLG peak of 1000 cd/m².
    @Test(arguments: [
        Grey(1, 195, 149), Grey(5, 281, 231), Grey(10, 327, 287), Grey(26, 397, 396), Grey(50, 450, 499),
        Grey(100, 509, 616), Grey(203, 573, 721), Grey(400, 636, 816), Grey(600, 674, 871), Grey(1000, 723, 940),
    ])
    func pqAndHLG(_ row: Grey) {
        let toHLG = Conversion<Double>(.pq, .hlg)
        let toPQ = Conversion<Double>(.hlg, .pq)
        let light = RGB(repeating: row.light)
        let pq = toPQ.encode(light)
        let hlg = toHLG.encode(light)
        #expect(Quantization.rgb10.codes(of: pq) == [row.pq, row.pq, row.pq])
        #expect(Quantization.rgb10.codes(of: hlg) == [row.hlg, row.hlg, row.hlg])
        #expect((toHLG(pq) - hlg).magnitude <= 1e-9)
        #expect((toPQ(hlg) - pq).magnitude <= 1e-9)
    }
}
