import HDRColor
import Testing

@testable import HDRKernels

/// Statistics of pictures against their definition in double precision, for every format and every instruction set.
@Suite struct LightStatisticsTests {
    static let names = PixelLayout.byName.keys.sorted()

    /// The statistics of some pixels by the definition.
    private struct Expected {
        var light: [Double] = []
        /// The number of pixels that certainly lie outside the gamut, and of those that rounding may put there.
        var outside = 0, near = 0
    }

    private static func meter(
        _ layout: PixelLayout, _ signal: ColorSignal, _ width: Int, _ height: Int, _ set: InstructionSet,
        _ grid: SamplingGrid = .sparse, threads: Int = 1, hlgPeak: Double = 1000
    ) -> LightMeter? {
        var options = LightMeter.Options()
        options.gamut = .bt709
        options.grid = grid
        options.hlgPeak = hlgPeak
        return LightMeter(
            layout: layout, signal: signal, siting: .left, width: width, height: height, options: options,
            threads: threads, instructionSet: set)
    }

    private static func statistics(_ meter: LightMeter?, _ picture: Picture) -> LightStatistics {
        var result = LightStatistics()
        meter?.begin()
        meter?.measure(picture.view, rows: 0..<picture.height, thread: 0)
        meter?.read(into: &result)
        return result
    }

    /// The light of the pixels of the grid, with chroma as it is. The positions follow from what ``GridSampler``
    /// promises.
    private static func expected(_ picture: Picture, _ definition: LightDefinition) -> Expected {
        let (width, height) = (picture.width, picture.height)
        let layout = picture.layout
        let isSparse = width >= 128 && height >= 128
        let (columnStep, rowStep) = isSparse ? (min(8, width / 64), min(8, height / 64)) : (1, 1)
        let unit = layout.packing == .v210 ? 6 : 2
        var places: [(x: Int, y: Int)] = []
        for (index, y) in stride(from: 0, to: height, by: 2 * rowStep).enumerated() {
            var columns: [Int] = isSparse ? [] : Array(0..<width)
            var first = index % 2 == 0 ? 0 : columnStep / 2
            while isSparse, (first + 1) * unit <= width {
                columns += Array(first * unit..<(first + 1) * unit)
                first += columnStep
            }
            for row in y..<min(y + 2, height) { places += columns.map { ($0, row) } }
        }
        let planes = (0..<3).map { picture[$0] }
        let linear = isSparse ? [] : definition.light(picture)
        let matrix = definition.signal.primaries.matrix(to: .bt709)
        var result = Expected()
        for (x, y) in places {
            func code(_ component: Int) -> Double {
                let (columns, rows) = picture.extent(component)
                let isChroma = component > 0
                let (h, v) = isChroma ? (layout.horizontalShift, layout.verticalShift) : (0, 0)
                return Double(planes[component][min(y >> v, rows - 1) * columns + min(x >> h, columns - 1)])
            }
            let codes = SIMD3(code(0), code(1), code(2))
            let rgb = definition.components(definition.signal.quantization.decode(codes).limited(0, 1))
            result.light.append(isSparse ? rgb.maxComponent : linear[y * width + x])
            guard isSparse else { continue }
            let limit = LightPlanner.outsideRatio * rgb.maxComponent + LightPlanner.outsideFloor
            let least = (matrix * rgb).minComponent
            let error = 2e-4 * rgb.maxComponent + 1e-3
            if least < limit - error { result.outside += 1 } else if least < limit + error { result.near += 1 }
        }
        return result
    }

    private static func check(_ found: LightStatistics, _ expected: Expected, gamut: Bool = true, _ label: String) {
        let light = expected.light
        #expect(found.pixels == light.count && found.histogram.reduce(0, { $0 + Int($1) }) == light.count, "\(label)")
        let maximum = light.max() ?? 0
        #expect(abs(found.maximum - maximum) <= 1e-4 * maximum + 1e-3, "\(label): \(found.maximum), not \(maximum)")
        let average = light.reduce(0, +) / Double(light.count)
        #expect(abs(found.average - average) <= 1e-4 * average + 1e-3, "\(label): \(found.average), not \(average)")
        if gamut {
            let range = expected.outside...expected.outside + expected.near
            #expect(range.contains(found.outsideGamut), "\(label): \(found.outsideGamut), not \(range)")
        }
        // Up to the edge of each bin as many pixels as the definition has, but for those within an error of the edge.
        let signals = light.map { PQ.inverseEOTF(max($0, 0)) * Double(LightStatistics.bins) }.sorted()
        var below = 0
        var (low, high) = (0, 0)
        for bin in 0..<LightStatistics.bins - 1 {
            below += Int(found.histogram[bin])
            let edge = Double(bin + 1)
            // A PQ value of 1e-4 is a tenth of a bin; near black light itself is only known to 0.001 cd/m².
            let error = bin < 80 ? 8.0 : 0.1
            while low < signals.count, signals[low] < edge - error { low += 1 }
            while high < signals.count, signals[high] < edge + error { high += 1 }
            guard below < low || below > high else { continue }
            Issue.record("\(label): \(below) pixels below bin \(bin + 1), not \(low) to \(high)")
            return
        }
    }

    // MARK: Formats

    @Test(arguments: InstructionSet.supported, names) func layouts(_ set: InstructionSet, _ name: String) {
        for (width, height) in [(37, 5), (131, 129), (200, 150), (577, 261), (530, 519)] {
            let picture = Picture(layout(name), width, height, padding: 6)
            picture.fill(UInt64(width))
            let definition = LightDefinition(signal: .pq(picture.layout), siting: .left)
            let meter = Self.meter(picture.layout, definition.signal, width, height, set)
            Self.check(
                Self.statistics(meter, picture), Self.expected(picture, definition), gamut: width > 128,
                "\(name), \(set), \(width)x\(height)")
        }
    }

    /// The transfer functions, HLG with the OOTF of several displays.
    @Test(arguments: InstructionSet.supported) func transfers(_ set: InstructionSet) {
        for name in ["P010_10LE", "I420", "RGBA64_LE", "v210"] {
            let picture = Picture(layout(name), 160, 140)
            picture.fill(5)
            for transfer in [Transfer.bt1886, .sRGB, .gamma(2.2), .linear, .pq, .hlg] {
                for peak in transfer == .hlg ? [400, 1000, 4000] : [1000.0] {
                    let signal = ColorSignal.make(transfer, .bt2020, .bt2020, picture.layout, nil)
                    let definition = LightDefinition(signal: signal, siting: .left, hlgPeak: peak)
                    let meter = Self.meter(picture.layout, signal, 160, 140, set, hlgPeak: peak)
                    Self.check(
                        Self.statistics(meter, picture), Self.expected(picture, definition),
                        "\(name), \(set), \(transfer), \(peak)")
                }
            }
        }
    }

    /// Every pixel of a large picture is counted, where that is requested.
    @Test(arguments: InstructionSet.supported) func everyPixel(_ set: InstructionSet) {
        let picture = Picture(layout("P010_10LE"), 301, 203)
        picture.fill(9)
        let definition = LightDefinition(signal: .pq(picture.layout), siting: .left)
        let meter = Self.meter(picture.layout, definition.signal, 301, 203, set, .every)
        let expected = Expected(light: definition.light(picture))
        Self.check(Self.statistics(meter, picture), expected, gamut: false, "\(set)")
    }

    // MARK: Threads and fields

    /// The result is the same to the bit, however the rows are divided among threads, and for one picture after
    /// another.
    @Test(arguments: InstructionSet.supported) func threads(_ set: InstructionSet) {
        let pictures = (0..<2).map { seed in
            let picture = Picture(layout("P010_10LE"), 333, 271)
            picture.fill(UInt64(seed + 4))
            return picture
        }
        let signal = ColorSignal.pq(pictures[0].layout)
        let one = Self.meter(pictures[0].layout, signal, 333, 271, set)
        for count in [2, 3, 7] {
            let many = Self.meter(pictures[0].layout, signal, 333, 271, set, threads: count)
            for picture in pictures {
                let expected = Self.statistics(one, picture)
                many?.begin()
                for (slice, first) in stride(from: 0, to: 272, by: 34).enumerated().reversed() {
                    many?.measure(picture.view, rows: first..<min(first + 34, 271), thread: slice % count)
                }
                var found = LightStatistics()
                many?.read(into: &found)
                #expect(found == expected, "\(count) threads")
            }
        }
    }

    /// The fields of an interlaced picture are measured one after the other, each with chroma of its own.
    @Test(arguments: InstructionSet.supported) func fields(_ set: InstructionSet) {
        let picture = Picture(layout("NV12"), 320, 288)
        picture.fill(6)
        let signal = ColorSignal.pq(picture.layout)
        let meter = Self.meter(picture.layout, signal, 320, 288, set)
        meter?.begin()
        for parity in 0...1 {
            guard let field = picture.view.field(parity) else { continue }
            meter?.measure(field, rows: 0..<field.height, field: parity, thread: 0)
        }
        var found = LightStatistics()
        meter?.read(into: &found)
        // 18 pairs of rows in each field; 32 pairs of columns in each pair of rows.
        #expect(found.pixels == 2 * 18 * 2 * 2 * 32)
        #expect(found.histogram.reduce(0, { $0 + Int($1) }) == found.pixels)
    }

    // MARK: What it is for

    /// A patch of 16x16 pixels is found wherever it is.
    @Test func smallLights() {
        let picture = Picture(layout("Y444_10LE"), 1024, 540)
        let signal = ColorSignal.pq(picture.layout)
        let meter = Self.meter(picture.layout, signal, 1024, 540, .best)
        let grey = Array(repeating: 512, count: 1024 * 540)
        picture[1] = grey
        picture[2] = grey
        for (x, y) in [(0, 0), (3, 5), (101, 77), (333, 201), (624, 344), (617, 339)] {
            var luma = Array(repeating: 400, count: 1024 * 540)
            for row in y..<y + 16 { for column in x..<x + 16 { luma[row * 1024 + column] = 800 } }
            picture[0] = luma
            let light = PQ.eotf(Double(800 - 64) / 876)
            let found = Self.statistics(meter, picture)
            #expect(abs(found.maximum / light - 1) < 1e-4, "\(x), \(y)")
            #expect(abs(PQ.eotf(found.percentile(0.99995)) / light - 1) < 0.01, "\(x), \(y)")
        }
    }

    /// No picture is brighter on average than at its brightest, white least of all.
    @Test(arguments: InstructionSet.supported) func whiteIsItsOwnAverage(_ set: InstructionSet) {
        let picture = Picture(layout("Y444_10LE"), 160, 140)
        for component in 0..<3 {
            picture[component] = Array(repeating: component == 0 ? 940 : 512, count: 160 * 140)
        }
        for (signal, peak) in [(ColorSignal.pq(picture.layout), 10_000.0), (.hlg(picture.layout), 1000)] {
            let found = Self.statistics(Self.meter(picture.layout, signal, 160, 140, set), picture)
            #expect(abs(found.maximum / peak - 1) < 1e-4 && abs(found.average / peak - 1) < 1e-4)
            #expect(found.average <= found.maximum)
        }
    }

    /// Nothing is measured for views of another size, and for a thread beyond the meter's.
    @Test func whatCannotBeMeasured() {
        let picture = Picture(layout("P010_10LE"), 160, 140)
        picture.fill(1)
        let meter = Self.meter(picture.layout, .pq(picture.layout), 160, 140, .best)
        let other = Picture(layout("P010_10LE"), 162, 140)
        let taller = Picture(layout("P010_10LE"), 160, 142)
        var found = LightStatistics()
        meter?.begin()
        meter?.measure(other.view, rows: 0..<140, thread: 0)
        meter?.measure(taller.view, rows: 0..<140, thread: 0)
        meter?.measure(picture.view, rows: 0..<140, thread: 1)
        meter?.measure(picture.view, rows: -2..<140, thread: 0)
        meter?.measure(picture.view, rows: 200..<240, thread: 0)
        meter?.read(into: &found)
        #expect(found == LightStatistics())
        #expect(found.percentile(0.5) == 0 && found.centredPercentile(0.5) == 0)
        #expect(found.mean(above: 0) == 0 && found.gamutExcess == 0)
    }
}
