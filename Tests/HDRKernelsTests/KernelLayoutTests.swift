import HDRColor
import TestSupport
import Testing

@testable import HDRKernels

/// Every layout as source and as target of every kernel, in an odd size, against the definition.
@Suite struct KernelLayoutTests {
    /// The layouts that kernels support directly; some differ from others only in their order.
    static let names = PixelLayout.byName.keys.sorted().filter {
        layout($0).converted() == layout($0) && !["NV61", "VUYA", "ABGR64_LE", "GBRA_10LE"].contains($0)
    }
    static let size = (width: 37, height: 5)

    /// Random samples of every layout.
    static let sources: [String: Picture] = Dictionary(
        uniqueKeysWithValues: names.enumerated().map { index, name in
            let picture = Picture(layout(name), size.width, size.height, padding: 6)
            picture.fill(UInt64(index + 1))
            return (name, picture)
        })

    /// The siting, chroma mode and dither of a pair: each occurs with every layout.
    static func job(_ from: String, _ to: String, _ a: ColorSignal, _ b: ColorSignal) -> Job {
        let turn = names.firstIndex(of: from)! + 3 * names.firstIndex(of: to)!
        let sitings: [ChromaSiting] = [
            .left, .topLeft, .center, ChromaSiting(horizontallyCosited: false, verticallyCosited: true),
        ]
        return Job(
            "\(from) -> \(to)", a, b, (layout(from), layout(to)), siting: (sitings[turn % 4], sitings[turn / 2 % 4]),
            mode: turn % 5 == 4 ? .nearest : .linear,
            dither: [.none, .none, .ordered, .none, .none, .blueNoise][turn % 6])
    }

    /// A kernel's largest distance from the definition, in codes of `bits`, where the light changes: two 10-bit codes,
    /// which is one of 8 bits after rounding. `reference`: one code.
    static func limit(_ quality: Quality, _ bits: Int) -> Int {
        quality == .reference ? 1 : max(1, bits < 10 ? 1 : 2 << (bits - 10))
    }

    /// Samples of a component, and of the definition, that are further apart than `limit`.
    static func check(_ picture: Picture, _ expected: Picture, _ limit: Int, _ name: String) {
        for c in 0..<3 {
            let pairs = zip(picture[c], expected[c])
            let worst = pairs.enumerated().max { abs($0.1.0 - $0.1.1) < abs($1.1.0 - $1.1.1) }!
            #expect(
                abs(worst.1.0 - worst.1.1) <= limit,
                "\(name): component \(c), sample \(worst.0): \(worst.1.0) in place of \(worst.1.1)")
        }
    }

    /// Alpha by its definition: copied, scaled, or opaque where the source has none.
    static func checkAlpha(_ picture: Picture, from source: Picture, _ name: String) {
        guard picture.layout.alpha != nil || picture.layout.hasAlpha else { return }
        let top = (1 << picture.layout.alphaBits) - 1
        let from = (1 << source.layout.alphaBits) - 1
        let copies = picture.layout.hasAlpha && source.layout.hasAlpha
        let expected =
            copies
            ? source[3].map { ($0 * top + from / 2) / from }
            : Array(repeating: top, count: picture.width * picture.height)
        #expect(picture[3] == expected, "\(name): alpha")
    }

    private static func check(_ job: Job, _ kernels: [Kernel], _ limit: (Quality) -> Int?) {
        defer { Benchmark.report(job, kernels) }
        let name = job.name
        let source = sources[String(name.prefix { $0 != " " })]!
        let expected = job.definition(source)
        for kernel in kernels {
            let target = Picture(job.format.target, size.width, size.height, padding: 10)
            job.converter(kernel, width: size.width).run(source, target)
            let text = "\(name), \(kernel)"
            if let limit = limit(kernel.quality) { check(target, expected, limit, text) }
            checkAlpha(target, from: source, text)
            #expect(!target.guardIsBroken, "\(text)")
        }
    }

    /// Signals of one kind of light, so that only the samples' form changes.
    @Test(arguments: names) func formatsOnly(_ from: String) {
        for to in Self.names {
            let job = Self.job(from, to, .pq(layout(from)), .pq(layout(to)))
            #expect(job.plan.keepsLight)
            // Codes that are only copied stay the same.
            let isMove =
                layout(from).bits == layout(to).bits && job.format.isDirect(job.plan) && job.format.dither == .none
            Self.check(job, Kernel.all) { _ in isMove ? 0 : 1 }
        }
    }

    /// Words with room for larger numbers than there are codes: what is no code becomes the highest one, or its bits
    /// outside the sample are left out.
    @Test(arguments: names.filter { layout($0).bits > 8 && layout($0).bits < 16 })
    func pixelWordsWithUnusedBits(_ from: String) {
        let source = Picture(layout(from), Self.size.width, Self.size.height)
        var random = SeededGenerator(seed: 5)
        source.fill(content: source.content.map { _ in UInt8(truncatingIfNeeded: random.next()) }[...])
        for to in Self.names {
            let job = Job("\(from) -> \(to)", .pq(layout(from)), .pq(layout(to)), (layout(from), layout(to)))
            let expected = job.definition(source)
            for kernel in Kernel.all where kernel.quality == .balanced {
                let target = job.picture(kernel, source)
                Self.check(target, expected, 1, "\(job.name), \(kernel)")
            }
        }
    }

    /// Chroma that both formats halve horizontally stays as sharp as it is: to 4:2:2 and back nothing is lost of
    /// columns.
    @Test(arguments: InstructionSet.supported) func columnsOfChroma(_ set: InstructionSet) {
        for (from, to) in [("I420", "Y42B"), ("NV12", "Y42B"), ("P010_10LE", "I422_10LE"), ("P010_10LE", "v210")] {
            let source = Picture(layout(from), 64, 6)
            source.fill(9)
            let (width, height) = source.extent(1)
            let top = 1 << source.layout.bits
            // Columns that differ by as much as they can, and rows that are all the same.
            for c in 1...2 { source[c] = (0..<width * height).map { $0 % 2 == c % 2 ? top / 8 : top * 7 / 8 } }
            for siting in [ChromaSiting.left, .topLeft, .center] {
                let kernel = Kernel(set: set, quality: .balanced)
                let there = Job(
                    from, .sdr(layout(from)), .sdr(layout(to)), (layout(from), layout(to)), siting: (siting, siting))
                let between = there.picture(kernel, source)
                let back = Job(
                    to, .sdr(layout(to)), .sdr(layout(from)), (layout(to), layout(from)), siting: (siting, siting))
                let result = back.picture(kernel, between)
                for c in 0...2 { #expect(result[c] == source[c], "\(from) -> \(to), \(siting), component \(c)") }
            }
        }
    }

    /// YCbCr of full range, and other matrices, in formats only.
    @Test(arguments: names.filter { !layout($0).isRGB }) func rangesAndMatrices(_ from: String) {
        let signals: [@Sendable (PixelLayout) -> ColorSignal] = [
            { .make(.bt1886, .bt709, .bt709, $0, true) }, { .make(.bt1886, .bt709, .bt601, $0, false) },
        ]
        for to in ["I420", "NV12", "P010_10LE", "I422_10LE", "v210", "Y444_16LE", "RGBA", "GBR_10LE", "RGB10A2_LE"] {
            for (a, b) in [(0, 0), (0, 1), (1, 0)] {
                let job = Self.job(from, to, signals[a](layout(from)), signals[b](layout(to)))
                Self.check(job, Kernel.all) { _ in 1 }
            }
        }
    }

    @Test(arguments: names) func colors(_ from: String) {
        for to in Self.names {
            let job = Self.job(from, to, .pq(layout(from)), .sdr(layout(to)))
            let bits = job.format.target.bits
            Self.check(job, Kernel.all.filter { $0.quality == .balanced }) { Self.limit($0, bits) }
        }
    }

    /// The other qualities and directions, on one layout of each kind.
    @Test(arguments: [
        "I420", "NV12", "P010_10LE", "v210", "Y42B", "AYUV64", "RGB", "BGRA", "xRGB", "GBR_10LE", "RGBA64_LE",
        "RGB10A2_LE", "GBRA_12LE",
    ]) func qualities(_ from: String) {
        for to in ["NV12", "I420_10LE", "P010_10LE", "v210", "AYUV64", "BGRA", "BGR", "RGB10A2_LE", "GBRA_12LE"] {
            let bits = layout(to).bits
            for (a, b) in [
                (ColorSignal.hlg(layout(from)), ColorSignal.sdr(layout(to))), (.sdr(layout(from)), .pq(layout(to))),
            ] {
                // Noise is not what `fast` has a limit for; its alpha and its padding are right all the same.
                Self.check(Self.job(from, to, a, b), Kernel.all) { $0 == .fast ? nil : Self.limit($0, bits) }
            }
        }
    }

    /// `fast` puts every layout's samples where they belong: on colours that it is made for, it is near the definition.
    @Test(arguments: names) func fastIsNear(_ name: String) {
        let l = layout(name)
        let wide = layout("Y444_16LE")
        for (from, to) in [(l, wide), (wide, l)] {
            let source = Picture(from, Self.size.width, Self.size.height)
            source.fill(77)
            let top = 1 << from.bits
            for c in 0..<3 {
                // Greys and little colour, so that no component is near black; each component's own.
                let isLuma = c == 0 || from.isRGB
                source[c] = source[c].map { (isLuma ? top / 4 : top * 15 / 32) + $0 / (isLuma ? 4 : 16) }
            }
            let job = Job(name, .pq(from), .sdr(to), (from, to))
            let expected = job.definition(source)
            for kernel in Kernel.all where kernel.quality == .fast {
                let limit = to.bits == 8 ? 2 : 8 << (to.bits - 10)
                Self.check(job.picture(kernel, source), expected, limit, "\(name), \(kernel)")
            }
        }
    }
}
