import HDRColor
import Testing

@testable import HDRKernels

/// The light of pictures against its definition, for every way of reading them and every instruction set.
@Suite struct LightMeterTests {
    static let names = PixelLayout.byName.keys.sorted()
    static let sitings: [ChromaSiting] = [
        .left, .topLeft, .center, ChromaSiting(horizontallyCosited: false, verticallyCosited: true),
    ]
    /// One of each way of reading.
    static let formats = [
        "I420_10LE", "P010_10LE", "NV12", "NV21", "I422_10LE", "v210", "Y444_12LE", "AYUV64", "RGB", "BGRA", "GBR_10LE",
        "RGB10A2_LE",
    ]

    static func meter(
        _ picture: Picture, _ definition: LightDefinition, _ set: InstructionSet, threads: Int = 1
    ) -> LightMeter {
        var options = LightMeter.Options()
        options.percentile = true
        options.hlgPeak = definition.hlgPeak
        options.white = definition.white
        return LightMeter(
            layout: picture.layout, signal: definition.signal, siting: definition.siting, width: picture.width,
            height: picture.height, options: options, threads: threads, instructionSet: set)!
    }

    /// - Parameter limit: of the relative error; that of averages is absolute below 500 cd/m² times as much.
    static func check(
        _ picture: Picture, _ definition: LightDefinition, _ set: InstructionSet, limit: Double = 1e-6, _ name: String
    ) {
        guard let found = meter(picture, definition, set).measure(picture.view) else {
            Issue.record("\(name): nothing measured")
            return
        }
        let expected = definition.measure(picture)
        let error = abs(found.maximum - expected.maximum)
        #expect(error <= limit * expected.maximum, "\(name), maximum \(found.maximum), not \(expected.maximum)")
        let difference = abs(found.average - expected.average)
        #expect(
            difference <= limit * max(expected.average, 500),
            "\(name), average \(found.average), not \(expected.average)")
        let bin = definition.signal.transfer == .hlg ? definition.hlgPeak / 8000 : 0.005 * expected.percentile! + 1e-4
        let percentile = found.percentile ?? -1
        #expect(
            abs(percentile - expected.percentile!) <= bin && percentile <= found.maximum,
            "\(name), percentile \(percentile), not \(expected.percentile!)")
    }

    // MARK: Formats

    @Test(arguments: InstructionSet.supported, names) func layouts(_ set: InstructionSet, _ name: String) {
        let picture = Picture(layout(name), 37, 5, padding: 6)
        picture.fill(3)
        for siting in Self.sitings {
            for full in [false, true] {
                let definition = LightDefinition(signal: .pq(picture.layout, full: full), siting: siting)
                Self.check(picture, definition, set, "\(name), \(set), \(siting), full range: \(full)")
            }
        }
    }

    /// Every width up to a few vectors and around the lengths that rows are cut into, at any place in memory: the light
    /// is that of the definition, the same wherever the picture lies, and nothing around it or in it is touched.
    @Test(arguments: InstructionSet.supported, formats) func edges(_ set: InstructionSet, _ name: String) {
        for width in Array(1...40) + [383, 384, 385, 767, 768, 769, 770, 1537] {
            for height in width < 18 ? 1...5 : 3...3 {
                let picture = Picture(layout(name), width, height)
                picture.fill(UInt64(100 * width + height))
                let definition = LightDefinition(signal: .pq(picture.layout), siting: Self.sitings[width % 4])
                let label = "\(name), \(set), \(width)x\(height)"
                Self.check(picture, definition, set, label)
                let meter = Self.meter(picture, definition, set)
                let light = meter.measure(picture.view)
                #expect(!picture.guardIsBroken, "\(label)")
                for (placement, padding) in [
                    (Placement.misaligned, 3), (.afterForbiddenPage, 0), (.beforeForbiddenPage, 0), (.aligned, 34),
                ] {
                    let other = Picture(picture.layout, width, height, padding: padding, at: placement)
                    other.copy(picture)
                    other.forbidWriting()
                    #expect(meter.measure(other.view) == light, "\(label), \(placement)")
                    #expect(other.content == picture.content && !other.guardIsBroken, "\(label), \(placement)")
                }
            }
        }
    }

    /// A single white pixel among black ones counts once, wherever it is, and black is nothing.
    @Test(arguments: InstructionSet.supported) func eachPixelCountsOnce(_ set: InstructionSet) {
        for name in ["Y444_10LE", "RGB10A2_LE", "GBR_10LE"] {
            let signal = ColorSignal.pq(layout(name))
            let q = signal.quantization
            let picture = KernelColors.picture(layout(name), 523, 1, q) { _ in SIMD3(0, 0, 0) }
            let meter = Self.meter(picture, LightDefinition(signal: signal, siting: .left), set)
            #expect(meter.measure(picture.view) == FrameLight(maximum: 0, average: 0, percentile: 0))
            let white = q.encode(SIMD3(1.0, 1, 1))
            let black = (0..<3).map { picture[$0] }
            for x in 0..<523 {
                for c in 0..<3 {
                    var row = black[c]
                    row[x] = Int(white[c])
                    picture[c] = row
                }
                let light = meter.measure(picture.view)
                #expect(light?.maximum == 10000 && light?.percentile == 10000, "\(name), \(x)")
                #expect(abs((light?.average ?? 0) * 523 - 10000) < 0.005, "\(name), \(x): \(light?.average ?? 0)")
            }
        }
    }

    // MARK: Light

    /// Every grey of ten bits is measured, in pictures of that grey alone.
    @Test(arguments: InstructionSet.supported) func greys(_ set: InstructionSet) {
        let picture = Picture(layout("I420_10LE"), 70, 2)
        let signal = ColorSignal.pq(picture.layout)
        let definition = LightDefinition(signal: signal, siting: .left)
        let meter = Self.meter(picture, definition, set)
        picture[1] = Array(repeating: 512, count: 35)
        picture[2] = Array(repeating: 512, count: 35)
        for code in 0..<1024 {
            picture[0] = Array(repeating: code, count: 140)
            let expected = PQ.eotf(min(max((Double(code) - 64) / 876, 0), 1))
            guard let light = meter.measure(picture.view) else { return }
            #expect(light.maximum == expected && light.percentile == expected, "\(code): \(light)")
            let limit = max(1e-6 * expected, expected < 1 ? 5e-4 : 0)
            #expect(abs(light.average - expected) <= limit, "\(code): \(light.average), not \(expected)")
        }
    }

    @Test(arguments: InstructionSet.supported) func knownPictures(_ set: InstructionSet) {
        let layout = layout("ARGB64_LE")
        let signal = ColorSignal.make(.pq, .bt2020, .bt2020, layout, true)
        func light(_ rgb: @escaping (Int) -> SIMD3<Double>) -> FrameLight? {
            let picture = KernelColors.picture(layout, 200, 100, signal.quantization) { i in
                rgb(i).map { PQ.inverseEOTF($0) }
            }
            return Self.meter(picture, LightDefinition(signal: signal, siting: .left), set).measure(picture.view)
        }
        func near(_ found: Double?, _ expected: Double, _ what: String) {
            // A code of 16 bits is less than a 5000th of the light.
            #expect(abs((found ?? 0) / expected - 1) < 2e-4, "\(what): \(found ?? 0)")
        }
        let white = light { _ in SIMD3(repeating: 203) }
        near(white?.maximum, 203, "reference white")
        near(white?.average, 203, "reference white")

        let spark = light { $0 == 7777 ? SIMD3(repeating: 4000) : SIMD3(repeating: 100) }
        near(spark?.maximum, 4000, "one bright pixel")
        near(spark?.average, 100 + 3900.0 / 20000, "one bright pixel")
        // One of 20000 is less than one of 10000.
        near(spark?.percentile, 100, "one bright pixel")
        let sparks = light { $0 < 3 ? SIMD3(repeating: 4000) : SIMD3(repeating: 100) }
        #expect(abs((sparks?.percentile ?? 0) / 4000 - 1) < 0.005)

        // The luminance of these is 263, 678 and 59 cd/m².
        for c in 0..<3 {
            var color = SIMD3<Double>(0, 0, 0)
            color[c] = 1000
            let saturated = light { _ in color }
            near(saturated?.maximum, 1000, "component \(c)")
            near(saturated?.average, 1000, "component \(c)")
        }
        let half = light { $0 < 10000 ? SIMD3(1000, 0, 0) : SIMD3(0, 0, 500) }
        near(half?.average, 750, "red and blue")
    }

    /// Transfer functions other than PQ.
    @Test(arguments: InstructionSet.supported) func transfers(_ set: InstructionSet) {
        for name in ["P010_10LE", "Y444_16LE", "I420", "RGBA64_LE", "v210"] {
            let picture = Picture(layout(name), 131, 6)
            picture.fill(5)
            let transfers: [(Transfer, Double)] = [
                (.bt1886, 100), (.sRGB, 203), (.gamma(2.2), 80), (.linear, 203), (.pq, 203), (.hlg, 203),
            ]
            for (transfer, white) in transfers {
                for peak in transfer == .hlg ? [400, 1000, 4000] : [1000.0] {
                    let signal = ColorSignal.make(transfer, .bt2020, .bt2020, picture.layout, nil)
                    let definition = LightDefinition(signal: signal, siting: .topLeft, hlgPeak: peak, white: white)
                    // HLG's light is a sum's power times a curve, all in single precision.
                    let limit = transfer == .hlg ? 4e-6 : 1e-6
                    Self.check(picture, definition, set, limit: limit, "\(name), \(set), \(transfer), \(peak)")
                }
            }
        }
    }

    // MARK: Areas and bands

    @Test(arguments: InstructionSet.supported, formats) func areas(_ set: InstructionSet, _ name: String) {
        let picture = Picture(layout(name), 41, 9)
        picture.fill(8)
        let definition = LightDefinition(signal: .pq(picture.layout), siting: .left)
        let meter = Self.meter(picture, definition, set)
        for left in 0..<41 {
            for right in [left + 1, left + 2, left + 7, 41] {
                // An odd column at the start is left out.
                let start = left + left % 2
                guard start < right, right <= 41 else { continue }
                let area = PictureArea(columns: left..<right, rows: left % 5..<left % 5 + 3)
                let exact = PictureArea(columns: start..<right, rows: area.rows)
                let expected = definition.measure(picture, exact)
                guard let found = meter.measure(picture.view, area: area) else {
                    Issue.record("\(name), \(area)")
                    continue
                }
                #expect(abs(found.maximum / expected.maximum - 1) < 1e-6, "\(name), \(area)")
                #expect(abs(found.average - expected.average) < 1e-6 * max(expected.average, 500), "\(name), \(area)")
            }
        }
        for area in [
            PictureArea(columns: 5..<5, rows: 0..<9), PictureArea(columns: 40..<41, rows: 9..<20),
            PictureArea(columns: 5..<6, rows: 0..<9), PictureArea(columns: -9 ..< -3, rows: 0..<9),
        ] {
            #expect(meter.measure(picture.view, area: area) == nil, "\(area)")
        }
        let larger = PictureArea(columns: -5..<Int.max, rows: -7..<1000)
        #expect(meter.measure(picture.view, area: larger) == meter.measure(picture.view))
    }

    @Test(arguments: InstructionSet.supported) func bands(_ set: InstructionSet) {
        let picture = Picture(layout("P010_10LE"), 67, 35)
        picture.fill(2)
        let definition = LightDefinition(signal: .pq(picture.layout), siting: .left)
        let one = Self.meter(picture, definition, set).measure(picture.view)!
        for threads in [2, 3, 5, 50] {
            let meter = Self.meter(picture, definition, set, threads: threads)
            for slice in (0..<threads).reversed() { meter.measure(picture.view, slice: slice) }
            let many = meter.result()
            #expect(many?.maximum == one.maximum && many?.percentile == one.percentile)
            #expect(abs((many?.average ?? 0) / one.average - 1) < 1e-12)
        }
    }

    @Test func whatCannotBeMeasured() {
        let picture = Picture(layout("P010_10LE"), 16, 16)
        let signal = ColorSignal.pq(picture.layout)
        let meter = LightMeter(layout: picture.layout, signal: signal, siting: .left, width: 16, height: 16)
        #expect(meter?.measure(Picture(picture.layout, 16, 15).view) == nil)
        #expect(meter?.measure(Picture(picture.layout, 18, 16).view) == nil)
        picture.fill(1)
        let light = meter?.measure(picture.view)
        #expect(light != nil && light?.percentile == nil)
        meter?.measure(picture.view, slice: -1)
        meter?.measure(picture.view, slice: 1)
        #expect(meter?.result() == light)

        func make(
            _ layout: PixelLayout, _ width: Int, _ height: Int, _ options: LightMeter.Options = .init()
        ) -> LightMeter? {
            LightMeter(
                layout: layout, signal: signal, siting: .left, width: width, height: height, options: options)
        }
        #expect(make(picture.layout, 0, 16) == nil && make(picture.layout, 16, -1) == nil)
        #expect(make(layout("NV12"), 16, 16) == nil && make(layout("RGB10A2_LE"), 16, 16) == nil)
        var options = LightMeter.Options()
        options.hlgPeak = 0
        #expect(make(picture.layout, 16, 16, options) == nil)
        options.hlgPeak = 1000
        options.white = .nan
        #expect(make(picture.layout, 16, 16, options) == nil)
    }
}
