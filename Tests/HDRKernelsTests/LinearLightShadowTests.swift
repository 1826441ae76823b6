import HDRColor
import TestSupport
import Testing

@testable import HDRKernels

/// Deep shadows in linear light, where an error that is small beside white is large beside the light itself.
@Suite struct LinearLightShadowTests {
    static let cases = ["pq", "hlg", "sdr"].flatMap { transfer in
        ["P010_10LE", "I422_10LE", "Y444_10LE"].flatMap { format in
            InstructionSet.supported.map { LinearLightTests.Case(format: format, set: $0, transfer: transfer) }
        }
    }

    /// The lowest codes, and near greys of them: black, its foot room, and all up to a quarter of the range.
    private static func shadows(_ stream: StreamSignal, _ width: Int, _ height: Int) -> Picture {
        let picture = Picture(stream.layout, width, height)
        var random = SeededGenerator(seed: 3)
        for component in 0..<3 {
            let (columns, rows) = picture.extent(component)
            var codes: [Int] = []
            for y in 0..<rows {
                for x in 0..<columns {
                    let difference = Int.random(in: -6...6, using: &random) * (y % 4)
                    codes.append(component == 0 ? 60 + x * 230 / columns + y % 3 : 512 + difference)
                }
            }
            picture[component] = codes
        }
        return picture
    }

    /// What a number of binary16 may be off: a step of the pixel's largest component, as that of a matrix's result,
    /// and of the smallest numbers one step.
    @Test(arguments: cases) func halvesAreThoseOfTheDefinition(_ one: LinearLightTests.Case) throws {
        let (width, height) = (460, 16)
        for siting in LinearLightTests.sitings {
            let stream = one.stream(siting)
            let source = Self.shadows(stream, width, height)
            for primaries in [Primaries.displayP3, .bt2020, .bt709] {
                var options = LinearLightConverter.Options()
                (options.element, options.primaries) = (.half, primaries)
                let converter = try #require(
                    LinearLightConverter(source: stream, width: width, options: options, instructionSet: one.set))
                options.element = .single
                let definition = try #require(
                    LinearLightConverter.definition(source: stream, width: width, options: options))
                let (light, exact) = (LightMemory(width, height, .half), LightMemory(width, height, .single))
                converter.decode(source.view, rows: 0..<height, into: light.rows, thread: 0)
                definition.decode(source.view, rows: 0..<height, into: exact.rows, thread: 0)
                var worst = (error: 0.0, found: 0.0, exact: 0.0)
                for i in 0..<light.count {
                    let largest = (0..<3).map { abs(exact[i / 4 * 4 + $0]) }.max()!
                    // Half of a step is rounding's, and the other half is what the light before it may be off.
                    let step = max(largest * 0x1p-10, 0x1p-24)
                    let error = abs(light[i] - exact[i]) / step
                    if error > worst.error { worst = (error, light[i], exact[i]) }
                }
                #expect(worst.error <= 1, "\(one), \(siting), \(primaries): \(worst)")
                if Benchmark.isWanted { print("steps of binary16\t\(worst.error)\t\(one)\t\(worst)") }
            }
        }
    }
}
