import TestSupport
import Testing

@testable import HDRColor

/// BT.2100 table 7, BT.2124.
struct ICtCpTests {
    struct Row: Sendable {
        let light: RGB
        let ictcp: RGB
        init(_ light: [Double], _ ictcp: [Double]) {
            self.light = RGB(light[0], light[1], light[2])
            self.ictcp = RGB(ictcp[0], ictcp[1], ictcp[2])
        }
    }

    /// BT.2020 light in cd/m², PQ form, 8 decimals.
    static let pq = [
        Row([100, 100, 100], [0.50807842, 0, 0]),
        Row([203, 203, 203], [0.58068888, 0, 0]),
        Row([1000, 1000, 1000], [0.75182710, 0, 0]),
        Row([100, 0, 0], [0.38176968, -0.11236063, 0.37163809]),
        Row([0, 100, 0], [0.46014333, -0.38760451, -0.10872982]),
        Row([0, 0, 100], [0.28744817, 0.25152004, -0.21607103]),
        Row([1000, 0, 0], [0.60800245, -0.16494832, 0.44309250]),
        Row([0, 1000, 0], [0.69888548, -0.45930352, -0.11979675]),
        Row([0, 0, 1000], [0.49207839, 0.28566060, -0.27551103]),
    ]

    @Test(arguments: pq) func perceptualQuantizer(_ row: Row) {
        #expect((ICtCp.encode(row.light) - row.ictcp).magnitude <= 0.51e-8)
        #expect((ICtCp.decode(ICtCp.encode(row.light)) - row.light).magnitude <= 1e-8 * row.light.maxComponent)
    }

    /// Scene light, HLG form: white at HLG's 75 % (its signal is 0.75 to 8 decimals) and primaries of the same scene
    /// light, 8 decimals.
    @Test(arguments: [
        Row([1, 1, 1], [0.75, 0, 0]),
        Row([1, 0, 0], [0.46425462, -0.03403753, 0.48058256]),
        Row([0, 1, 0], [0.65103622, -0.47113175, -0.12390470]),
        Row([0, 0, 1], [0.26245854, 0.33754640, -0.20171780]),
    ])
    func hybridLogGamma(_ row: Row) {
        let scene = row.light * HLG<Double>.inverseOETF(0.75)
        #expect((ICtCp.encodeHLG(scene) - row.ictcp).magnitude <= 0.51e-8)
    }

    /// Delta E ITP of two lights, 5 and 4 decimals.
    @Test(arguments: [
        ([100.0, 100, 100], [101.0, 101, 101], 0.71927, 0.51e-5),
        ([203, 203, 203], [205, 205, 205], 0.73798, 0.51e-5),
        ([100, 0, 0], [0, 100, 0], 364.1774, 0.51e-4),
        ([203, 203, 203], [203, 200, 203], 1.36789, 0.51e-5),
        ([1000, 0, 0], [990, 0, 0], 0.77819, 0.51e-5),
    ])
    func deltaE(_ a: [Double], _ b: [Double], _ expected: Double, _ tolerance: Double) {
        let (first, second) = (RGB(a[0], a[1], a[2]), RGB(b[0], b[1], b[2]))
        #expect(abs(ICtCp.deltaE(first, second) - expected) <= tolerance)
        #expect(ICtCp.deltaE(second, first) == ICtCp.deltaE(first, second))
        #expect(ICtCp.deltaE(first, first) == 0)
    }

    /// One 10-bit narrow-range PQ code of grey is 720 / 876.
    @Test func codeOfGrey() {
        let q = Quantization.rgb10
        for code in [100, 300, 573, 900] {
            let a = RGB(repeating: PQ.eotf(q.signal(code)))
            let b = RGB(repeating: PQ.eotf(q.signal(code + 1)))
            #expect(abs(ICtCp.deltaE(a, b) - 720.0 / 876) <= 1e-6)
        }
    }

    /// The coefficients over 4096, BT.2100 table 7.
    @Test func matrices() {
        #expect(ICtCp.toLMS.row0 * 4096 == RGB(1688, 2146, 262))
        #expect(ICtCp.toLMS.row1 * 4096 == RGB(683, 2951, 462))
        #expect(ICtCp.toLMS.row2 * 4096 == RGB(99, 309, 3688))
        #expect(ICtCp.toOpponent.row0 * 4096 == RGB(2048, 2048, 0))
        #expect(ICtCp.toOpponent.row1 * 4096 == RGB(6610, -13613, 7003))
        #expect(ICtCp.toOpponent.row2 * 4096 == RGB(17933, -17390, -543))
        #expect((ICtCp.fromLMS * (ICtCp.toLMS * RGB(1, 2, 3)) - RGB(1, 2, 3)).magnitude <= 1e-14)
        #expect((ICtCp.fromOpponent * (ICtCp.toOpponent * RGB(1, 2, 3)) - RGB(1, 2, 3)).magnitude <= 1e-14)
    }

    @Test func roundTrip() {
        var random = SeededGenerator(seed: 9)
        let worst = (0..<5000).map { _ in
            let light = random.color(in: 0...10000)
            return (ICtCp.decode(ICtCp.encode(light)) - light).magnitude
        }.max()!
        #expect(worst <= 1e-7)
    }

    @Test func outsideValues() {
        #expect(ICtCp.encode(RGB(-5, .nan, -.infinity)) == ICtCp.encode(RGB(0, 0, 0)))
        #expect(ICtCp.encode(RGB(-5, 100, 50)) == ICtCp.encode(RGB(0, 100, 50)))
        #expect(ICtCp.encodeHLG(RGB(-0.1, 0.5, 0.2)) == ICtCp.encodeHLG(RGB(0, 0.5, 0.2)))
        #expect(ICtCp.decode(RGB(.nan, .nan, .nan)).isFinite)
        #expect(ICtCp.decode(RGB(5, -5, 5)).isFinite)
    }

    /// Single precision: PQ's 1e-5 of a signal, through opponent rows whose magnitudes sum to 8.8; 8e-5 is a third
    /// of a 12-bit code.
    @Test func singlePrecision() {
        var random = SeededGenerator(seed: 10)
        var worst = (signal: 0.0, light: 0.0)
        for _ in 0..<5000 {
            let light = random.color(in: 0...1000)
            let exact = ICtCp.encode(light)
            let single = ICtCp.encode(light.converted(to: Float.self))
            worst.signal = max(worst.signal, (single.converted(to: Double.self) - exact).magnitude)
            let back = ICtCp.decode(single).converted(to: Double.self)
            worst.light = max(worst.light, (back - light).magnitude / light.maxComponent)
        }
        #expect(worst.signal <= 8e-5)
        #expect(worst.light <= 8e-4)
    }
}

extension ICtCp {
    /// I, Ct, Cp of scene-linear BT.2020 light, [0, 1], in ICtCp's HLG form.
    fileprivate static func encodeHLG(_ scene: RGB) -> RGB {
        let m = Matrix3<Double>(SIMD3(2048, 2048, 0), SIMD3(3625, -7465, 3840), SIMD3(9500, -9212, -288))
        let scaled = Matrix3<Double>(m.row0 / 4096, m.row1 / 4096, m.row2 / 4096)
        return scaled * (toLMS * scene.nonNegative).map(HLG<Double>.oetf)
    }

    /// Colour difference delta E ITP, Rec. ITU-R BT.2124: about 1 is just noticeable.
    /// - Parameters: linear BT.2020 light in cd/m².
    fileprivate static func deltaE(_ a: RGB, _ b: RGB) -> Double {
        var d = encode(a) - encode(b)
        d.y *= 0.5
        return 720 * d.dot(d).squareRoot()
    }
}
