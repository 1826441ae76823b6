import HDRColor
import Testing

@testable import HDRKernels

/// Subsampled chroma that follows luma: vector kernels of each instruction set against the definition, and what it is
/// for, edges.
@Suite struct ChromaGuideTests {
    static let formats = [
        "I420_10LE", "P010_10LE", "NV12", "NV21", "I420_12LE", "I422_10LE", "v210", "UYVY", "Y210", "I420_10BE",
        "A420_10LE",
    ].filter { PixelLayout.byName[$0] != nil }
    static let cases = formats.flatMap { format in
        InstructionSet.supported.map { LinearLightTests.Case(format: format, set: $0) }
    }

    private static var options: LinearLightConverter.Options {
        var options = LinearLightConverter.Options()
        (options.element, options.dither, options.guidesChroma) = (.single, .none, true)
        return options
    }

    /// Places where luma and chroma change together, with noise.
    private static func patches(_ stream: StreamSignal, _ width: Int, _ height: Int, _ seed: UInt64) -> Picture {
        let noise = Picture(stream.layout, width, height)
        noise.fill(seed)
        let picture = Picture(stream.layout, width, height)
        picture.clear()
        let unit = 1 << (stream.layout.bits - 8)
        for c in 0..<(stream.layout.hasAlpha ? 4 : 3) {
            let (columns, _) = picture.extent(c)
            let (sx, sy) = c == 0 || c == 3 ? (0, 0) : (stream.layout.horizontalShift, stream.layout.verticalShift)
            picture[c] = noise[c].enumerated().map { i, own in
                let (x, y) = ((i % columns) << sx, (i / columns) << sy)
                let isInside = (x / 5 + y / 3) % 2 == 0
                let level = c == 0 ? (isInside ? 90 : 150) : (isInside ? 110 + 10 * c : 136 - 4 * c)
                return level * unit + own % (4 * unit)
            }
        }
        return picture
    }

    @Test(arguments: cases) func lightIsThatOfTheDefinition(_ one: LinearLightTests.Case) throws {
        for (index, (width, height)) in ([(800, 11)] + LinearLightTests.sizes).enumerated() {
            let stream = one.stream(LinearLightTests.sitings[index % 3])
            let source = Self.patches(stream, width, height, UInt64(index + 1))
            let converter = try #require(
                LinearLightConverter(source: stream, width: width, options: Self.options, instructionSet: one.set))
            let definition = try #require(
                LinearLightConverter.definition(source: stream, width: width, options: Self.options))
            let (light, exact) = (LightMemory(width, height, .single), LightMemory(width, height, .single))
            // A pixel's light does not depend on the rows that are asked for.
            let parts = [0..<height / 3, height / 3..<height / 2, height / 2..<height]
            for rows in parts.reversed() where !rows.isEmpty {
                converter.decode(source.view, rows: rows, into: light.rows, thread: 0)
            }
            definition.decode(source.view, rows: 0..<height, into: exact.rows, thread: 0)
            for i in 0..<light.count {
                let largest = (0..<3).map { abs(exact[i / 4 * 4 + $0]) }.max()!
                #expect(abs(light[i] - exact[i]) <= 0x1p-10 * largest + 1e-5, "\(width)x\(height) \(one), \(i)")
            }
            #expect(!light.guardIsBroken)
        }
    }

    @Test(arguments: cases.filter { $0.format == "I420_10LE" }, [ChromaSiting.left, .topLeft])
    func fieldsAreThoseOfTheDefinition(_ one: LinearLightTests.Case, _ siting: ChromaSiting) throws {
        let stream = one.stream(siting)
        let source = Self.patches(stream, 75, 37, 3)
        let converter = try #require(
            LinearLightConverter(source: stream, width: 75, options: Self.options, instructionSet: one.set))
        let definition = try #require(
            LinearLightConverter.definition(source: stream, width: 75, options: Self.options))
        for parity in 0...1 {
            let field = try #require(source.view.field(parity))
            let (light, exact) = (LightMemory(75, field.height, .single), LightMemory(75, field.height, .single))
            converter.decode(field, rows: 0..<field.height, into: light.rows, thread: 0)
            definition.decode(field, rows: 0..<field.height, into: exact.rows, thread: 0)
            for i in 0..<light.count {
                let largest = (0..<3).map { abs(exact[i / 4 * 4 + $0]) }.max()!
                #expect(abs(light[i] - exact[i]) <= 0x1p-10 * largest + 1e-5, "field \(parity), \(i)")
            }
        }
    }

    /// Pixels that an effect leaves alone keep the codes that they had, chroma too, and so do threads.
    @Test(arguments: cases) func unchangedPixelsKeepTheirCodes(_ one: LinearLightTests.Case) throws {
        for (index, (width, height)) in LinearLightTests.sizes.enumerated() {
            let stream = one.stream(LinearLightTests.sitings[index % 3])
            let converter = try #require(
                LinearLightConverter(
                    source: stream, width: width, options: Self.options, threads: 2, instructionSet: one.set))
            let source = Self.patches(stream, width, height, UInt64(index + 10))
            let target = Picture(stream.layout, width, height)
            for slice in 0..<3 {
                let rows = converter.rows(ofSlice: slice, of: 3, height: height)
                converter.process(source.view, into: target.view, rows: rows, thread: slice % 2, Effect { _ in })
            }
            for c in 0..<(stream.layout.hasAlpha ? 4 : 3) {
                #expect(target[c] == source[c], "\(width)x\(height), component \(c)")
            }
        }
    }

    /// Effects on all pixels, and slices, see the same light.
    @Test(arguments: cases) func slicesAreOfOnePicture(_ one: LinearLightTests.Case) throws {
        let (width, height) = (401, 22)
        let stream = one.stream()
        let source = Self.patches(stream, width, height, 4)
        let converter = try #require(
            LinearLightConverter(source: stream, width: width, options: Self.options, instructionSet: one.set))
        let effect = Effect(keepsPixels: false) { pixels in
            for i in 0..<pixels.count { pixels.green[i] *= 0.5 }
        }
        let (whole, parts) = (Picture(stream.layout, width, height), Picture(stream.layout, width, height))
        converter.process(source.view, into: whole.view, rows: 0..<height, thread: 0, effect)
        for slice in 0..<4 {
            let rows = converter.rows(ofSlice: slice, of: 4, height: height)
            converter.process(source.view, into: parts.view, rows: rows, thread: 0, effect)
        }
        for c in 0..<3 { #expect(whole[c] == parts[c], "component \(c)") }
        #expect(whole[0] != source[0])
    }

    /// A wall of one colour beside a wall of another, which differ in luma: chroma is as sharp as luma. Where luma does
    /// not differ, nothing is known, and chroma is interpolated.
    @Test(arguments: InstructionSet.supported, [600, 500])
    func edgesAreSharp(_ set: InstructionSet, _ otherLuma: Int) throws {
        let layout = layout("I420_10LE")
        let stream = StreamSignal(layout: layout, color: .pq(layout), siting: .left)
        let (width, height, edge) = (64, 12, 31)
        let source = Picture(layout, width, height)
        source.clear()
        let colors = [[500, 480, 540], [otherLuma, 420, 600]]
        source[0] = (0..<width * height).map { colors[$0 % width < edge ? 0 : 1][0] }
        for c in 1...2 {
            source[c] = (0..<width * height / 4).map { i in
                // The weights 1/4, 1/2 and 1/4 around the sample's column.
                let column = 2 * (i % (width / 2))
                let weights = [(column - 1, 1), (column, 2), (column + 1, 1)]
                return weights.map { $0.1 * colors[$0.0 < edge ? 0 : 1][c] }.reduce(0, +) / 4
            }
        }
        var linear = Self.options
        linear.guidesChroma = false
        func light(_ options: LinearLightConverter.Options) throws -> LightMemory {
            let converter = try #require(
                LinearLightConverter(source: stream, width: width, options: options, instructionSet: set))
            let light = LightMemory(width, height, .single)
            converter.decode(source.view, rows: 0..<height, into: light.rows, thread: 0)
            return light
        }
        let (guided, interpolated) = (try light(Self.options), try light(linear))
        func error(_ light: LightMemory) -> Double {
            var worst = 0.0
            for x in 0..<width {
                let flat = x < edge ? 0 : width - 1
                for c in 0..<3 {
                    let own = light[4 * (5 * width + x) + c]
                    worst = max(worst, abs(own / light[4 * (5 * width + flat) + c] - 1))
                }
            }
            return worst
        }
        if otherLuma == 500 {
            for i in 0..<guided.count { #expect(abs(guided[i] - interpolated[i]) < 1e-4 * abs(interpolated[i]) + 1e-6) }
        } else {
            #expect(error(guided) < 0.02 && error(interpolated) > 0.2, "\(error(guided)), \(error(interpolated))")
        }
    }
}
