import HDRColor
import Testing

@testable import HDRKernels

/// What `balanced` costs in visible difference: delta E ITP of what its codes show from the unrounded light, beside
/// that of ideal rounding.
@Suite struct ColorDifferenceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let source: ColorSignal
        let target: ColorSignal
        var curve: ToneCurve?
        var testDescription: String { "\(name) \(curve.map { "\($0)" } ?? "auto")" }
    }

    static let format = layout("Y444_10LE")
    static let cases: [Case] = [
        Case(name: "pq -> sdr", source: .pq(format), target: .sdr(format)),
        Case(name: "pq -> sdr", source: .pq(format), target: .sdr(format), curve: .bt2390),
        Case(name: "pq -> sdr", source: .pq(format), target: .sdr(format), curve: .clip),
        Case(name: "hlg -> sdr", source: .hlg(format), target: .sdr(format)),
        Case(name: "hlg -> sdr", source: .hlg(format), target: .sdr(format), curve: .bt2446c),
        Case(name: "pq -> hlg", source: .pq(format), target: .hlg(format)),
        Case(name: "hlg -> pq", source: .hlg(format), target: .pq(format)),
        Case(name: "sdr -> pq", source: .sdr(format), target: .pq(format)),
        Case(name: "sdr -> hlg", source: .sdr(format), target: .hlg(format)),
    ]

    @Test(arguments: cases) func balancedIsAsGoodAsRounding(_ example: Case) {
        var settings = ConversionSettings()
        settings.toneCurve = example.curve
        let plan = ConversionPlan(source: example.source, target: example.target, settings: settings)
        let conversion = Conversion<Double>(plan)
        let screen = Conversion<Double>(
            ConversionPlan(source: example.target, target: example.target, settings: ConversionSettings()))
        let wide = example.target.primaries.matrix(to: .bt2020)

        let source = KernelColors.wide(example.source, Self.format)
        let balanced = Picture(Self.format, source.width, source.height)
        convert(source, balanced, plan)
        let input = (0..<3).map { source[$0] }
        let output = (0..<3).map { balanced[$0] }
        func codes(_ rows: [[Int]], _ i: Int) -> SIMD3<Double> {
            SIMD3(Double(rows[0][i]), Double(rows[1][i]), Double(rows[2][i]))
        }
        func difference(_ codes: SIMD3<Double>, _ light: SIMD3<Double>) -> Double {
            let shown = screen.decode(example.target.quantization.decode(codes).nonNegative)
            var d = ICtCp.encode(wide * shown) - ICtCp.encode(wide * light)
            d.y *= 0.5
            // BT.2124.
            return 720 * d.dot(d).squareRoot()
        }

        var (total, most) = (0.0, 0.0)
        var (idealTotal, idealMost) = (0.0, 0.0)
        let count = input[0].count
        for i in 0..<count {
            let light = conversion.mapped(conversion.decode(example.source.quantization.decode(codes(input, i))))
            let ours = difference(codes(output, i), light)
            let ideal = difference(example.target.quantization.encode(conversion.encode(light)), light)
            total += ours
            most = max(most, ours)
            idealTotal += ideal
            idealMost = max(idealMost, ideal)
        }
        #expect((total - idealTotal) / Double(count) <= 0.1)
        #expect(most - idealMost <= 1)
    }
}
