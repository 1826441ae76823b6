import HDRColor
import Testing

@testable import HDRKernels

/// Layouts that are brought into others before they are converted: what comes of them is what comes of those.
@Suite struct PictureStageTests {
    static let names = PixelLayout.byName.keys.sorted().filter { layout($0).converted() != layout($0) }
    /// The other side: each way of reading and writing, and a layout that is brought into another one itself.
    static let partners = [
        "NV12", "P010_10LE", "Y42B", "v210", "AYUV64", "BGRA", "RGBA64_LE", "GRAY8", "YUY2", "Y412_BE",
    ]

    /// A picture with the samples of another one, in the layout that kernels take in its place.
    static func twin(_ picture: Picture, beside other: PixelLayout) -> Picture {
        let twin = Picture(picture.layout.converted(beside: other), picture.width, picture.height)
        for c in 0..<(twin.layout.hasAlpha ? 4 : 3) {
            let (width, height) = twin.extent(c)
            let isNeutral = picture.layout.isGray && c > 0
            let grey = 1 << (picture.layout.bits - 1)
            twin[c] = isNeutral ? Array(repeating: grey, count: width * height) : picture[c]
        }
        return twin
    }

    static func compare(_ picture: Picture, _ twin: Picture, _ name: String) {
        for c in 0..<(picture.layout.isGray ? 1 : picture.layout.alpha != nil ? 4 : 3) {
            let pairs = zip(picture[c], twin[c]).enumerated()
            guard let (index, (sample, expected)) = pairs.first(where: { $0.1.0 != $0.1.1 }) else { continue }
            Issue.record("\(name): component \(c), sample \(index): \(sample) in place of \(expected)")
        }
        #expect(!picture.guardIsBroken, "\(name)")
    }

    static func check(
        _ from: PixelLayout, _ to: PixelLayout, _ a: ColorSignal, _ b: ColorSignal, _ size: (Int, Int),
        _ kernel: Kernel,
        siting: (ChromaSiting, ChromaSiting) = (.left, .topLeft), dither: Dither = .ordered, _ name: String
    ) {
        let label = "\(name) \(size) \(kernel)"
        let source = Picture(from, size.0, size.1, padding: 6)
        source.fill(UInt64(size.0 + size.1))
        let target = Picture(to, size.0, size.1, padding: 10)
        let job = Job(name, a, b, (from, to), siting: siting, dither: dither)
        job.converter(kernel, width: size.0, threads: 2).run(source, target)
        let format = job.format.converted
        let plain = Job(
            name, from.isGray ? job.plan.ofGray.source : a, b, (format.source, format.target),
            siting: (format.sourceSiting, format.targetSiting), dither: dither)
        let expected = plain.picture(kernel, twin(source, beside: to))
        compare(target, expected, label)
        #expect(!source.guardIsBroken, "\(label)")
    }

    /// More rows than are brought there at a time, and an odd number of each.
    @Test(arguments: names, InstructionSet.supported) func samples(_ name: String, _ set: InstructionSet) {
        let l = layout(name)
        for (index, other) in Self.partners.enumerated() {
            let partner = layout(other)
            let quality = Quality.allCases[index % 3]
            let kernel = Kernel(set: set, quality: quality == .reference && partner.bits > 10 ? .balanced : quality)
            Self.check(l, partner, .pq(l), .pq(partner), (37, 71), kernel, "\(name) -> \(other)")
            Self.check(partner, l, .pq(partner), .pq(l), (37, 71), kernel, "\(other) -> \(name)")
            Self.check(l, partner, .sdr(l), .pq(partner), (21, 9), kernel, "\(name) -> \(other), PQ")
            Self.check(partner, l, .pq(partner), .sdr(l), (21, 9), kernel, "\(other) PQ -> \(name)")
        }
    }

    /// Between formats of the same colours and sampling, where kernels move each sample in the byte order that it has:
    /// depths that stay and that change, arrangements that stay and that change, either side or both big-endian.
    @Test(arguments: names.filter { layout($0).isBigEndian }, InstructionSet.supported)
    func moves(_ name: String, _ set: InstructionSet) {
        let l = layout(name)
        let partners = PixelLayout.byName.keys.sorted().filter {
            let other = layout($0)
            return other.isRGB == l.isRGB && other.horizontalShift == l.horizontalShift
                && other.verticalShift == l.verticalShift && other.isGray == l.isGray
        }
        #expect(partners.contains { layout($0).isBigEndian && $0 != name } || l.isGray || l.isPacked422, "\(name)")
        let kernel = Kernel(set: set, quality: .balanced)
        for other in partners {
            let partner = layout(other)
            for dither in [Dither.none, .ordered] {
                for size in [(150, 11), (37, 6)] {
                    Self.check(
                        l, partner, .pq(l), .pq(partner), size, kernel, siting: (.left, .left), dither: dither,
                        "\(name) -> \(other) \(dither)")
                    Self.check(
                        partner, l, .pq(partner), .pq(l), size, kernel, siting: (.left, .left), dither: dither,
                        "\(other) -> \(name) \(dither)")
                }
            }
        }
    }

    /// The definition goes the same way.
    @Test(arguments: names) func definition(_ name: String) {
        let l = layout(name)
        for other in ["I420", "RGBA64_LE"] {
            let job = Job(name, .sdr(l), .pq(layout(other)), (l, layout(other)))
            let source = Picture(l, 13, 5)
            source.fill(3)
            let expected = job.definition(source)
            KernelLayoutTests.check(
                job.picture(Kernel(set: .best, quality: .balanced), source), expected,
                KernelLayoutTests.limit(.balanced, layout(other).bits), name)
        }
    }

    /// Every width around those that vectors have, between forbidden pages.
    @Test(arguments: names, InstructionSet.supported) func edges(_ name: String, _ set: InstructionSet) {
        let l = layout(name)
        let partner = layout(l.isRGB ? "RGBA64_LE" : l.verticalShift > 0 && !l.hasAlpha ? "P016_LE" : "AYUV64")
        let kernel = Kernel(set: set, quality: .balanced)
        for width in Array(1...34) + [63, 64, 65, 127, 129, 769] {
            for placement in [Placement.afterForbiddenPage, .beforeForbiddenPage] {
                let source = Picture(l, width, 3, at: placement)
                source.fill(UInt64(width))
                source.forbidWriting()
                let between = Picture(partner, width, 3)
                let back = Picture(l, width, 3, at: placement)
                let there = Job(name, .pq(l), .pq(partner), (l, partner), mode: .nearest)
                let home = Job(name, .pq(partner), .pq(l), (partner, l), mode: .nearest)
                there.converter(kernel, width: width).run(source, between)
                home.converter(kernel, width: width).run(between, back)
                Self.compare(back, source, "\(name) \(width) \(set)")
            }
        }
    }

    /// Both fields of an interlaced picture are converted; its chroma has an odd number of rows.
    @Test(arguments: ["I420_10BE", "P010_10BE", "YUY2", "GRAY16_BE"]) func fields(_ name: String) {
        let l = layout(name)
        let other = layout("I420_10LE")
        for height in [2, 6, 74] {
            let source = Picture(l, 18, height)
            source.fill(4)
            let job = Job(name, .pq(l), .pq(other), (l, other))
            let converter = job.converter(Kernel(set: .best, quality: .balanced), width: 18)
            let plain = job.format.converted
            let twin = Self.twin(source, beside: other)
            let plainConverter = Kernel(set: .best, quality: .balanced).converter(
                l.isGray ? job.plan.ofGray : job.plan, plain, width: 18)
            let (target, expected) = (Picture(other, 18, height), Picture(other, 18, height))
            for parity in 0...1 {
                converter.convert(source.view.field(parity)!, target.view.field(parity)!, slice: 0)
                plainConverter.convert(twin.view.field(parity)!, expected.view.field(parity)!, slice: 0)
            }
            Self.compare(target, expected, "\(name) \(height)")
        }
    }

    /// Grey of colour is luma of the target's signal; grey as a source has no colour.
    @Test(arguments: [("GRAY8", "GBR"), ("GRAY16_LE", "GBR_12LE")]) func grey(_ name: String, _ colored: String) {
        let (grey, rgb) = (layout(name), layout(colored))
        for full in [false, true] {
            let signal = ColorSignal.sdr(grey, full: full)
            let source = Picture(rgb, 40, 6)
            source.fill(8)
            let job = Job(name, .sdr(rgb), signal, (rgb, grey))
            let luma = job.picture(Kernel(set: .best, quality: .balanced), source)[0]
            let planes = (0..<3).map { source[$0] }
            for i in luma.indices {
                let codes = SIMD3(Double(planes[0][i]), Double(planes[1][i]), Double(planes[2][i]))
                let expected = signal.quantization.encode(job.plan.source.quantization.decode(codes)).x
                #expect(abs(Double(luma[i]) - expected) <= 1, "\(name), pixel \(i)")
            }
            let picture = Picture(grey, 40, 6)
            picture.fill(9)
            let back = Job(name, signal, .sdr(rgb), (grey, rgb))
            let colors = back.picture(Kernel(set: .best, quality: .balanced), picture)
            #expect(colors[0] == colors[1] && colors[1] == colors[2])
            let expected = picture[0].map {
                Int(
                    back.plan.target.quantization.encode(
                        signal.quantization.decode(
                            SIMD3(Double($0), signal.quantization.offset.y, signal.quantization.offset.z))
                    ).x)
            }
            #expect(zip(colors[0], expected).allSatisfy { abs($0 - $1) <= 1 })
        }
    }
}
