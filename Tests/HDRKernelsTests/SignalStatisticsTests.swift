import HDRColor
import TestSupport
import Testing

@testable import HDRKernels

/// Statistics of all pixels of PQ pictures against a reference in double precision, within what users are told.
@Suite struct SignalStatisticsTests {
    /// Layouts of each packing, and of chroma that is whole, halved in rows and halved in both.
    static let names = [
        "P010_10LE", "I420_10LE", "NV12", "I422_10LE", "v210", "Y444_10LE", "Y444_16LE", "GBR_10LE", "RGBA64_LE",
    ]

    /// The kind of a picture's colours.
    enum Content: CaseIterable {
        /// Any codes, so that most colours lie outside of every gamut.
        case any
        /// Colours around the edges of BT.709 and Display P3.
        case edges
        /// Light of at most 1 cd/m².
        case dark
        case flat

        func picture(_ layout: PixelLayout, _ signal: ColorSignal, _ width: Int, _ height: Int) -> Picture {
            let picture = Picture(layout, width, height)
            picture.fill(7)
            if self == .any { return picture }
            var random = SeededGenerator(seed: 11)
            func number() -> Double { Double.random(in: 0..<1, using: &random) }
            let gamuts = [Primaries.bt709, .displayP3]
            let colors = (0..<width * height).map { _ in
                if self == .flat { return SIMD3(0.51, 0.47, 0.4) }
                let peak = self == .dark ? 1 : 4000 * number() * number()
                // On an edge one component is 0; some colours lie a little inside, others outside.
                var color = SIMD3(number(), number(), number()) * peak
                color[Int(number() * 2.999)] = (number() - 0.5) * 0.1 * peak
                let inside = gamuts[Int(number() * 1.999)].matrix(to: .bt2020) * color
                return inside.limited(0, PQ.peak).map { PQ.inverseEOTF($0) }
            }
            let codes = colors.map { signal.quantization.encode($0) }
            for component in 0..<3 {
                let (columns, rows) = picture.extent(component)
                let isChroma = component > 0
                let (h, v) = isChroma ? (layout.horizontalShift, layout.verticalShift) : (0, 0)
                picture[component] = (0..<rows * columns).map { index in
                    let (x, y) = (min(index % columns << h, width - 1), min(index / columns << v, height - 1))
                    return Int(codes[y * width + x][component])
                }
            }
            return picture
        }
    }

    private static func statistics(_ picture: Picture, _ definition: LightDefinition, _ set: InstructionSet)
        -> LightStatistics
    {
        var options = LightMeter.Options()
        (options.gamut, options.widerGamut, options.grid) = (.bt709, .displayP3, .every)
        let meter = LightMeter(
            layout: picture.layout, signal: definition.signal, siting: definition.siting, width: picture.width,
            height: picture.height, options: options, instructionSet: set)
        var found = LightStatistics()
        meter?.begin()
        meter?.measure(picture.view, rows: 0..<picture.height, thread: 0)
        meter?.read(into: &found)
        return found
    }

    @Test(arguments: InstructionSet.supported, names) func pictures(_ set: InstructionSet, _ name: String) {
        for (width, height) in [(203, 31), (64, 8), (1, 1), (2, 3), (801, 5)] {
            for siting in [ChromaSiting.left, .center, .topLeft] {
                for content in Content.allCases {
                    let layout = layout(name)
                    let signal = ColorSignal.pq(layout)
                    let picture = content.picture(layout, signal, width, height)
                    let definition = LightDefinition(signal: signal, siting: siting)
                    Self.check(
                        Self.statistics(picture, definition, set), definition.colors(picture),
                        "\(name), \(set), \(width)x\(height), \(siting), \(content)")
                }
            }
        }
    }

    /// - Parameter error: the largest error of the average, relative and in cd/m².
    private static func check(
        _ found: LightStatistics, _ colors: [SIMD3<Double>], _ label: String,
        error: (relative: Double, absolute: Double) = (5e-5, 2e-5)
    ) {
        let light = colors.map { max($0.maxComponent, 0) }
        let signals = light.map { PQ.inverseEOTF($0) }.sorted()
        #expect(found.pixels == colors.count, "\(label)")

        let halfCode = 0.5 / 1023
        let top = signals[signals.count - 1]
        #expect(abs(PQ.inverseEOTF(found.maximum) - top) <= 1e-5, "\(label): maximum \(found.maximum)")
        for percent in [0, 0.01, 0.5, 0.9, 0.99, 0.999, 0.9999, 1] {
            let rank = max(Int((percent * Double(signals.count)).rounded(.up)), 1)
            // Between two pixels any value is right.
            let (low, high) = (signals[rank - 1], signals[min(rank, signals.count - 1)])
            let value = found.centredPercentile(percent)
            // What is measured is exact to 1e-5, by which a pixel may be in the bin beside its own.
            #expect(
                value >= low - halfCode - 2e-5 && value <= high + halfCode + 2e-5,
                "\(label): percentile \(percent) is \(value), not from \(low) to \(high)")
        }
        let average = light.reduce(0, +) / Double(light.count)
        #expect(
            abs(found.average - average) <= error.relative * average + error.absolute,
            "\(label): average \(found.average), not \(average)")

        for (matrix, count) in [
            (Primaries.bt2020.matrix(to: .bt709), found.outsideGamut),
            (Primaries.bt2020.matrix(to: .displayP3), found.outsideWiderGamut),
        ] {
            var (certain, possible) = (0, 0)
            for color in colors {
                let limit = LightPlanner.outsideRatio * color.maxComponent + LightPlanner.outsideFloor
                let error = 1e-4 * color.maxComponent + 4e-4
                let least = (matrix * color).minComponent
                if least < limit - error { certain += 1 }
                if least < limit + error { possible += 1 }
            }
            #expect((certain...possible).contains(count), "\(label): \(count) outside, not \(certain) to \(possible)")
        }

        // Up to the edge of each bin as many pixels as the definition has, but for those within 1e-4 of the edge.
        var below = 0
        var (low, high) = (0, 0)
        for bin in 0..<LightStatistics.bins - 1 {
            below += Int(found.histogram[bin])
            let edge = Double(bin + 1) / Double(LightStatistics.bins)
            while low < signals.count, signals[low] < edge - 1e-4 { low += 1 }
            while high < signals.count, signals[high] < edge + 1e-4 { high += 1 }
            guard below < low || below > high else { continue }
            Issue.record("\(label): \(below) pixels below bin \(bin + 1), not \(low) to \(high)")
            return
        }
    }

    /// A flat picture's average has the error of one place of the curve: no other pixel makes up for it.
    @Test(arguments: InstructionSet.supported) func curve(_ set: InstructionSet) {
        let layout = layout("GBR_10LE")
        let definition = LightDefinition(signal: .pq(layout), siting: .left)
        for code in stride(from: 64, through: 940, by: 3) {
            let picture = Picture(layout, 16, 2)
            for component in 0..<3 { picture[component] = Array(repeating: code, count: 32) }
            let light = definition.light(picture)[0]
            let found = Self.statistics(picture, definition, set)
            let error = abs(found.average - light)
            #expect(error <= 1e-5 * light + 1e-6, "\(set), \(code): \(found.average), not \(light)")
        }
    }

    /// Many pixels in one bin are all counted, and any number of threads finds the same.
    @Test(arguments: InstructionSet.supported) func manyPixels(_ set: InstructionSet) throws {
        let layout = layout("P010_10LE")
        let (width, height) = (2048, 1100)
        let picture = Picture(layout, width, height)
        picture[0] = Array(repeating: 939, count: width * height)
        for component in 1...2 { picture[component] = Array(repeating: 512, count: width * height / 4) }
        var options = LightMeter.Options()
        (options.gamut, options.widerGamut, options.grid) = (.bt709, .displayP3, .every)
        var results: [LightStatistics] = []
        for threads in [1, 3] {
            let meter = try #require(
                LightMeter(
                    layout: layout, signal: .pq(layout), siting: .left, width: width, height: height, options: options,
                    threads: threads, instructionSet: set))
            for _ in 0..<2 {
                meter.begin()
                for (part, first) in stride(from: 0, to: height, by: 100).enumerated() {
                    meter.measure(picture.view, rows: first..<first + 100, thread: part % threads)
                }
            }
            results.append(LightStatistics())
            meter.read(into: &results[results.count - 1])
        }
        #expect(results[0] == results[1])
        let signal = 875.0 / 876
        #expect(results[0].histogram[Int(signal * 1024)] == UInt32(width * height))
        #expect(abs(results[0].average / PQ.eotf(signal) - 1) < 1e-5)
    }

    // MARK: Light in rows

    /// Light between effects against the definition: of other primaries than the stream's, below 0 and above PQ's peak,
    /// and no numbers.
    @Test(arguments: InstructionSet.supported, [1, 7, 33, 384]) func rows(_ set: InstructionSet, _ count: Int) {
        let meter = LightRowsMeter(
            light: .displayP3, stream: .bt2020, white: 203, gamut: .bt709, widerGamut: .displayP3, threads: 2,
            instructionSet: set)
        var random = SeededGenerator(seed: UInt64(count))
        var colors: [SIMD3<Double>] = []
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: 4 * 512)
        defer { memory.deallocate() }
        for _ in 0..<2 {
            meter.begin()
            colors = []
            for row in 0..<40 {
                memory.initialize(repeating: 1, count: 4 * 512)
                for x in 0..<count {
                    let peak = Double.random(in: 0...1, using: &random) * (x % 5 == 0 ? 80 : 2)
                    for c in 0..<3 { memory[512 * c + x] = Float(Double.random(in: -0.2...1, using: &random) * peak) }
                    if x == 6 { memory[512 + x] = .nan }
                }
                for isCounted in [true, false] {
                    meter.apply(
                        to: LightPixels(
                            red: memory, green: memory + 512, blue: memory + 1024, alpha: memory + 1536, count: count,
                            column: 0, row: row, isCounted: isCounted, thread: row % 2))
                }
                for x in 0..<count {
                    let light = SIMD3((0..<3).map { Double(memory[512 * $0 + x]) }.map { $0.isNaN ? 0 : $0 })
                    colors.append(Primaries.displayP3.matrix(to: .bt2020) * light * 203)
                }
            }
        }
        var found = LightStatistics()
        meter.read(into: &found)
        Self.check(
            found, colors.map { $0.limited(-PQ.peak, PQ.peak) }, "\(set), \(count)", error: (1e-4, 2e-4))
    }
}
