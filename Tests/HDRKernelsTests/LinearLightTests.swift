import HDRColor
import Testing

@testable import HDRKernels

/// Linear light and back: vector kernels of each instruction set against the definition.
@Suite struct LinearLightTests {
    static let formats = [
        "P010_10LE", "I420_10LE", "NV12", "I422_10LE", "v210", "UYVY", "Y444_10LE", "GBR_10LE", "GBRA_10LE", "RGBA",
        "BGRx", "RGB", "RGBA64_LE", "RGB10A2_LE", "A420_10LE", "AV12", "P012_LE", "Y444_16LE", "GRAY8", "GRAY10_LE16",
        "I420_10BE", "GRAY16_LE",
    ].filter { PixelLayout.byName[$0] != nil }

    /// Sizes beyond a chunk, odd ones, and ones that are shorter than a filter.
    static let sizes = [(800, 6), (385, 5), (47, 7), (3, 3), (2, 2), (1, 1)]

    struct Case: Sendable, CustomTestStringConvertible {
        let format: String
        let set: InstructionSet
        var transfer = "pq"
        var testDescription: String { "\(transfer) \(format) \(set)" }

        func stream(_ siting: ChromaSiting = .left) -> StreamSignal {
            let own = layout(format)
            let color: ColorSignal =
                switch transfer {
                case "pq": .pq(own)
                case "hlg": .hlg(own)
                case "sdr": .sdr(own)
                default: .make(.sRGB, .bt709, .bt709, own, nil)
                }
            return StreamSignal(layout: own, color: color, siting: siting)
        }
    }

    static let all = formats.flatMap { format in InstructionSet.supported.map { Case(format: format, set: $0) } }
    static let colors = ["pq", "hlg", "sdr", "srgb"].flatMap { transfer in
        ["P010_10LE", "I422_10LE", "Y444_10LE", "GBR_10LE"].flatMap { format in
            InstructionSet.supported.map { Case(format: format, set: $0, transfer: transfer) }
        }
    }
    static let sitings: [ChromaSiting] = [.left, .topLeft, .center]

    // MARK: Decoding

    @Test(arguments: colors, LightElement.allCases)
    func lightIsThatOfTheDefinition(_ one: Case, _ element: LightElement) throws {
        var options = LinearLightConverter.Options()
        options.element = element
        let stream = one.stream()
        let source = Self.natural(stream, 500, 18)
        let converter = try #require(
            LinearLightConverter(source: stream, width: 500, options: options, instructionSet: one.set))
        let definition = try #require(LinearLightConverter.definition(source: stream, width: 500, options: options))
        let (light, exact) = (LightMemory(500, 18, element), LightMemory(500, 18, element))
        converter.decode(source.view, rows: 0..<18, into: light.rows, thread: 0)
        definition.decode(source.view, rows: 0..<18, into: exact.rows, thread: 0)
        expectNear(light, exact, element, one)
    }

    /// All packings and sitings are read, and rows by themselves.
    @Test(arguments: all) func everyFormatIsRead(_ one: Case) throws {
        for (index, (width, height)) in Self.sizes.enumerated() {
            let stream = one.stream(Self.sitings[index % 3])
            let source = Picture(stream.layout, width, height)
            source.fill(UInt64(index + 1))
            let converter = try #require(LinearLightConverter(source: stream, width: width, instructionSet: one.set))
            let definition = try #require(LinearLightConverter.definition(source: stream, width: width))
            let (light, exact) = (LightMemory(width, height, .half), LightMemory(width, height, .half))
            for y in (0..<height).reversed() {
                converter.decode(source.view, rows: y..<y + 1, into: light.rows, thread: 0)
            }
            definition.decode(source.view, rows: 0..<height, into: exact.rows, thread: 0)
            expectNear(light, exact, .half, one)
            #expect(!light.guardIsBroken)
        }
    }

    private func expectNear(_ light: LightMemory, _ exact: LightMemory, _ element: LightElement, _ one: Case) {
        // Where a number lies between two of binary16, it may become either: a step of up to 2^-10. Before that, errors
        // are less than half of what binary16 rounds off.
        let most = element == .half ? 0x1p-10 : 0x1p-12
        var worst = 0.0
        for i in 0..<light.count {
            // The components of a pixel cancel out in the matrix, and errors of the largest one are left.
            let largest = (0..<3).map { abs(exact[i / 4 * 4 + $0]) }.max()!
            worst = max(worst, abs(light[i] - exact[i]) / (most * max(largest, exact[i]) + 2e-6))
        }
        #expect(worst <= 1, "\(one): \(worst) of the limit")
    }

    // MARK: Unchanged pixels

    /// Random codes, many of which no colour in [0, 1] has.
    @Test(arguments: all) func unchangedPixelsKeepTheirCodes(_ one: Case) throws {
        for (index, (width, height)) in Self.sizes.enumerated() {
            let stream = one.stream(Self.sitings[(index + 1) % 3])
            for (element, dither) in zip(LightElement.allCases, [Dither.ordered, .blueNoise]) {
                var options = LinearLightConverter.Options()
                (options.element, options.dither) = (element, dither)
                let converter = try #require(
                    LinearLightConverter(
                        source: stream, width: width, options: options, threads: 2, instructionSet: one.set))
                let source = Picture(stream.layout, width, height)
                source.fill(UInt64(index + 10))
                let light = LightMemory(width, height, element)
                let encoded = Picture(stream.layout, width, height, padding: 3)
                let processed = Picture(stream.layout, width, height)
                let nothing = Effect { _ in }
                converter.decode(source.view, rows: 0..<height, into: light.rows, thread: 0)
                for slice in 0..<3 {
                    let rows = converter.rows(ofSlice: slice, of: 3, height: height)
                    converter.encode(light.rows, from: source.view, into: encoded.view, rows: rows, thread: slice % 2)
                    converter.process(source.view, into: processed.view, rows: rows, thread: slice % 2, nothing)
                }
                for c in 0..<(stream.layout.hasAlpha ? 4 : 3) {
                    #expect(encoded[c] == source[c], "\(width)x\(height) \(element), component \(c)")
                    #expect(processed[c] == source[c], "\(width)x\(height), component \(c), processed")
                }
                #expect(!encoded.guardIsBroken && !processed.guardIsBroken)
            }
        }
    }

    @Test(arguments: colors, LightElement.allCases)
    func lightBecomesTheCodesThatItCameFrom(_ one: Case, _ element: LightElement) throws {
        var options = LinearLightConverter.Options()
        (options.element, options.dither) = (element, .none)
        let stream = one.stream()
        let source = Self.natural(stream, 500, 18)
        let converter = try #require(
            LinearLightConverter(source: stream, width: 500, options: options, instructionSet: one.set))
        let light = LightMemory(500, 18, element)
        let target = Picture(stream.layout, 500, 18)
        converter.decode(source.view, rows: 0..<18, into: light.rows, thread: 0)
        converter.encode(light.rows, into: target.view, rows: 0..<18, thread: 0)
        for c in 0..<3 {
            let largest = zip(target[c], source[c]).map { abs($0 - $1) }.max()!
            #expect(largest <= 1, "component \(c)")
        }
    }

    // MARK: Changed pixels

    /// A converter without dither, and its definition.
    private static func pair(
        _ stream: StreamSignal, _ width: Int, _ set: InstructionSet, _ element: LightElement = .half
    ) throws -> (LinearLightConverter, LinearLightConverter) {
        var options = LinearLightConverter.Options()
        (options.element, options.dither) = (element, .none)
        return (
            try #require(
                LinearLightConverter(source: stream, width: width, options: options, instructionSet: set)),
            try #require(LinearLightConverter.definition(source: stream, width: width, options: options))
        )
    }

    /// Some pixels are changed, others are not, and alpha too.
    @Test(arguments: all) func changesAreThoseOfTheDefinition(_ one: Case) throws {
        for (index, (width, height)) in Self.sizes.enumerated() {
            let stream = one.stream(Self.sitings[index % 3])
            let (converter, definition) = try Self.pair(stream, width, one.set)
            let source = Self.natural(stream, width, height)
            let (ours, theirs) = (Picture(stream.layout, width, height), Picture(stream.layout, width, height))
            let effect = Effect { pixels in
                for i in 0..<pixels.count where (pixels.column + i + pixels.row) % 5 < 3 {
                    let red = pixels.red[i]
                    pixels.red[i] = 0.5 * pixels.green[i] + 0.3
                    pixels.blue[i] = 0.7 * red
                    pixels.alpha[i] *= 0.75
                }
            }
            converter.process(source.view, into: ours.view, rows: 0..<height, thread: 0, effect)
            definition.process(source.view, into: theirs.view, rows: 0..<height, thread: 0, effect)
            // A code of twelve bits; a value on the edge of two codes may become either.
            let most = max(1, 1 << (stream.layout.bits - 12))
            for c in 0..<(stream.layout.hasAlpha ? 4 : 3) {
                let largest = zip(ours[c], theirs[c]).map { abs($0 - $1) }.max()!
                #expect(largest <= most, "\(width)x\(height), component \(c)")
            }
            #expect(ours[0] != source[0] || width * height == 1)
            #expect(!ours.guardIsBroken)
        }
    }

    /// Effects that change all pixels, which a kernel need not compare, and matrices, which it folds into its own.
    @Test(arguments: colors, [true, false])
    func wholePicturesAreChanged(_ one: Case, _ isAffine: Bool) throws {
        let (width, height) = (410, 8)
        let stream = one.stream()
        let (converter, definition) = try Self.pair(stream, width, one.set)
        let source = Self.natural(stream, width, height)
        let (ours, theirs) = (Picture(stream.layout, width, height), Picture(stream.layout, width, height))
        let matrix = Matrix3(SIMD3(0.5, 0.2, 0.1), SIMD3(0.1, 0.6, 0.05), SIMD3(0, 0.25, 0.5))
        let offset = SIMD3(0.02, 0.01, 0.03)
        let effect = Effect(keepsPixels: false, affine: isAffine ? (matrix, offset) : nil) { pixels in
            for i in 0..<pixels.count {
                let color = SIMD3(Double(pixels.red[i]), Double(pixels.green[i]), Double(pixels.blue[i]))
                let new = matrix * color + offset
                (pixels.red[i], pixels.green[i], pixels.blue[i]) = (Float(new.x), Float(new.y), Float(new.z))
            }
        }
        converter.process(source.view, into: ours.view, rows: 0..<height, thread: 0, effect)
        definition.process(source.view, into: theirs.view, rows: 0..<height, thread: 0, effect)
        for c in 0..<3 {
            let largest = zip(ours[c], theirs[c]).map { abs($0 - $1) }.max()!
            #expect(largest <= 1, "component \(c)")
        }
        #expect(ours[0] != source[0])
    }

    /// Light in planes, changed by an effect on the way there and back.
    @Test(arguments: all) func planesHoldTheSameLight(_ one: Case) throws {
        let (width, height) = (401, 7)
        let stream = one.stream()
        var options = LinearLightConverter.Options()
        (options.element, options.dither) = (.single, .none)
        let converter = try #require(
            LinearLightConverter(source: stream, width: width, options: options, instructionSet: one.set))
        let source = Self.natural(stream, width, height)
        let light = LightMemory(width, height, .single)
        converter.decode(source.view, rows: 0..<height, into: light.rows, thread: 0)
        let length = 416
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 16 * length * (height + 1), alignment: 64)
        defer { memory.deallocate() }
        let base = memory.bindMemory(to: Float.self, capacity: 4 * length * (height + 1))
        func plane(_ k: Int) -> UnsafeMutablePointer<Float> { base + k * length * (height + 1) }
        let planes = LightPlanes(
            red: plane(0), green: plane(1), blue: plane(2), alpha: plane(3), stride: length, width: width,
            height: height)
        let double = Effect { pixels in for i in 0..<pixels.count { pixels.green[i] *= 2 } }
        let halve = Effect { pixels in for i in 0..<pixels.count { pixels.green[i] /= 2 } }
        converter.decode(source.view, rows: 0..<height, into: planes, thread: 0, double)
        for y in 0..<height {
            for x in 0..<width {
                let row = light.rows.row(y).assumingMemoryBound(to: Float.self) + 4 * x
                #expect(plane(0)[y * length + x] == row[0] && plane(1)[y * length + x] == 2 * row[1])
                #expect(plane(2)[y * length + x] == row[2] && plane(3)[y * length + x] == row[3])
            }
        }
        let (own, other) = (Picture(stream.layout, width, height), Picture(stream.layout, width, height))
        for first in stride(from: 0, to: height, by: 4) {
            let rows = first..<min(first + 4, height)
            converter.encode(planes, into: own.view, rows: rows, thread: 0, halve)
        }
        converter.encode(light.rows, into: other.view, rows: 0..<height, thread: 0)
        for c in 0..<(stream.layout.hasAlpha ? 4 : 3) { #expect(own[c] == other[c], "component \(c)") }
        #expect(!own.guardIsBroken)
    }

    @Test(arguments: ["pq", "hlg", "sdr"], InstructionSet.supported)
    func lightThatNoSignalHoldsIsLimited(_ transfer: String, _ set: InstructionSet) throws {
        let one = Case(format: "RGBA", set: set, transfer: transfer)
        let (converter, definition) = try Self.pair(one.stream(), 40, set, .single)
        let hard: [Float] = [.nan, .infinity, -.infinity, 0, -0.0, -1, 1e30, 1e-40, 1, 60]
        let light = LightMemory(40, 10, .single)
        for i in 0..<light.count { light.set(i, hard[(i * 7 + i / 40 + i / 4 % 3) % hard.count]) }
        let (ours, theirs) = (Picture(layout("RGBA"), 40, 10), Picture(layout("RGBA"), 40, 10))
        converter.encode(light.rows, into: ours.view, rows: 0..<10, thread: 0)
        definition.encode(light.rows, into: theirs.view, rows: 0..<10, thread: 0)
        for c in 0..<4 {
            let largest = zip(ours[c], theirs[c]).map { abs($0 - $1) }.max()!
            #expect(largest <= 1, "component \(c)")
        }
    }

    @Test(arguments: InstructionSet.supported) func effectsSeeEachPixelOnce(_ set: InstructionSet) throws {
        let stream = Case(format: "P010_10LE", set: set).stream(.topLeft)
        let converter = try #require(LinearLightConverter(source: stream, width: 801, instructionSet: set))
        let source = Self.natural(stream, 801, 9)
        let target = Picture(stream.layout, 801, 9)
        var seen = [Int](repeating: 0, count: 801 * 9)
        let effect = Effect { pixels in
            #expect(pixels.count >= 1 && pixels.count <= 768 && Int(bitPattern: pixels.red) % 64 == 0)
            guard pixels.isCounted else { return }
            for i in 0..<pixels.count { seen[pixels.row * 801 + pixels.column + i] += 1 }
        }
        for slice in 0..<3 {
            let rows = converter.rows(ofSlice: slice, of: 3, height: 9)
            converter.process(source.view, into: target.view, rows: rows, thread: 0, effect)
        }
        #expect(seen.allSatisfy { $0 == 1 })
    }

    // MARK: Support

    /// Colours inside the cube, which change from pixel to pixel.
    static func natural(_ stream: StreamSignal, _ width: Int, _ height: Int) -> Picture {
        let q = stream.color.quantization
        let isHalved = stream.layout.horizontalShift > 0
        let picture = KernelColors.picture(.planar(stream.layout.bits, 0, 0), width, height, q) { i in
            // Where chroma is halved, colours that luma's change does not take out of the cube.
            let (x, y) = (Double(i % width), Double(i / width))
            let level = 0.1 + 0.8 * (x + y) / Double(width + height)
            let spread = isHalved ? 0.03 : 0.1
            return SIMD3(level + spread * (y / Double(height)), level, level - spread * (x / Double(width)))
        }
        let result = Picture(stream.layout, width, height)
        result.clear()
        for c in 0..<3 where !(stream.layout.isGray && c > 0) {
            let (w, h) = result.extent(c)
            let from = picture[c]
            result[c] = (0..<w * h).map { i in
                let (sx, sy) = c == 0 ? (0, 0) : (stream.layout.horizontalShift, stream.layout.verticalShift)
                return from[min((i / w) << sy, height - 1) * width + min((i % w) << sx, width - 1)]
            }
        }
        if stream.layout.hasAlpha {
            let top = (1 << stream.layout.alphaBits) - 1
            result[3] = (0..<width * height).map { top - $0 % (top / 2 + 1) }
        }
        return result
    }
}
