import HDRColor
import Testing

/// Local contrast above the knee of a tone curve: the gain of a pixel among others, and where there is one.
@Suite struct ContrastRecoveryTests {
    static func gain(_ own: Double, _ around: Double, _ strength: Double, light: Double = 300, peak: Double = 203)
        -> Double
    {
        ContrastRecovery.gain(own, lowPass: around, strength: strength, light: light, peak: peak)
    }

    /// Computed by hand from the formula.
    @Test func goldenNumbers() {
        #expect(abs(Self.gain(0.5, 0.1, 0.5) - 0.3) < 1e-15)
        #expect(abs(Self.gain(0.25, 0.5, 0.5) - 0.28125) < 1e-15)
        #expect(abs(Self.gain(0.25, 0.3, 0.5) - 0.275) < 1e-15)
        #expect(abs(Self.gain(0.5, 0.3, 0.3) - 0.44) < 1e-15)
        // The target's peak, and where the curve itself lies above it the curve.
        let room = 203.0 / 300 - 0.6
        #expect(abs(Self.gain(0.6, 1, 1) - (0.6 + room - room * room / 0.6)) < 1e-15)
        #expect(Self.gain(0.7, 1, 1) == 0.7)
    }

    @Test func equalGainsAreKeptExactly() {
        for strength in [0, 0.3, 1] as [Double] {
            for gain in [0.1, 0.5, 0.7, 1] as [Double] {
                #expect(Self.gain(gain, gain, strength) == gain)
            }
        }
    }

    @Test func noStrengthChangesNothing() {
        for around in [0.1, 0.5, 1] as [Double] { #expect(Self.gain(0.4, around, 0) == 0.4) }
    }

    /// Among the same neighbours more light stays more light, and none is above the peak.
    @Test(arguments: [ToneCurve.bt2390, .spline, .referenceWhite, .reinhard, .hable, .mobius], [0.3, 1])
    func lightKeepsItsOrder(_ curve: ToneCurve, _ strength: Double) throws {
        let map = try #require(LightCurve(curve, sourcePeak: 1000, targetPeak: 203))
        for around in [1, 100, 203, 500, 1000] as [Double] {
            var last = 0.0
            for step in 0...1000 {
                let light = Double(step)
                let own: Double = map.gain(light)
                let result =
                    light * Self.gain(own, map.gain(around), strength, light: light, peak: 203)
                #expect(result >= last - 1e-9, "\(light) among \(around)")
                #expect(result <= 203 + 1e-9)
                last = result
            }
        }
    }

    /// Its weights are doublings by 3/4 and 1/4: three of columns and two of rows.
    @Test func weightsAreDoublings() {
        let cells: [Double] = [0, 0, 1, 0, 0]
        func doubled(_ row: [Double]) -> [Double] {
            var result: [Double] = []
            for i in row.indices {
                result.append(0.75 * row[i] + 0.25 * row[max(i - 1, 0)])
                result.append(0.75 * row[i] + 0.25 * row[min(i + 1, row.count - 1)])
            }
            return result
        }
        let found = doubled(doubled(doubled(cells)))
        let weights = ContrastRecovery.weights
        for x in found.indices {
            let (w, i) = (weights[x % weights.count], x / weights.count)
            let own: Double = w.before * cells[max(i - 1, 0)] + w.own * cells[i] + w.behind * cells[min(i + 1, 4)]
            #expect(found[x] == own, "\(x)")
            #expect(w.before + w.own + w.behind == 1)
        }
    }

    /// An edge between a bright window and a dark wall: what the dark side loses, and the bright side wins.
    @Test func halosAreBounded() throws {
        let map = try #require(LightCurve(.bt2390, sourcePeak: 1000, targetPeak: 203))
        for (dark, bright) in [(1.0, 1000.0), (1, 600), (20, 1000)] {
            let ends = [PQ.inverseEOTF(dark), PQ.inverseEOTF(bright)]
            for offset in 0..<8 {
                // Eight cells, with the edge in the fourth.
                let pixels: [Double] = (0..<64).map { $0 < 24 + offset ? ends[0] : ends[1] }
                let signals: [Double] = (0..<8).map { cell in pixels[8 * cell..<8 * cell + 8].reduce(0, +) / 8 }
                let gains = (0..<8).map { i -> Double in
                    let outer = signals[max(i - 1, 0)] + signals[min(i + 1, 7)]
                    return map.gain(PQ.eotf(signals[i] / 2 + outer / 4))
                }
                for x in pixels.indices {
                    let (w, i) = (ContrastRecovery.weights[x % 8], x / 8)
                    let around: Double =
                        w.before * gains[max(i - 1, 0)] + w.own * gains[i] + w.behind * gains[min(i + 1, 7)]
                    let light = PQ.eotf(pixels[x])
                    let own: Double = map.gain(light)
                    let ratio = Self.gain(own, around, ContrastRecovery.usual, light: light) / own
                    if light < 100 { #expect(ratio >= 0.85 && ratio <= 1 + 1e-12, "\(dark) beside \(bright) at \(x)") }
                    #expect(ratio >= 0.75 && ratio <= 1.0875 + 1e-12)
                    // The effect extends no further than three cells from the edge.
                    if abs(x - 24 - offset) > 24 { #expect(abs(ratio - 1) < 1e-15) }
                }
            }
        }
    }

    // MARK: Plans

    static func plan(
        _ from: Transfer = .pq, _ to: Transfer = .bt1886, _ change: (inout ConversionSettings) -> Void = { _ in }
    ) -> ConversionPlan {
        var settings = ConversionSettings()
        (settings.toneCurve, settings.contrastRecovery) = (.bt2390, 0.3)
        change(&settings)
        func signal(_ transfer: Transfer) -> ColorSignal {
            ColorSignal(
                transfer: transfer, primaries: transfer.isHDR ? .bt2020 : .bt709,
                quantization: Quantization(bits: 10, fullRange: false, matrix: .bt2020))
        }
        return ConversionPlan(source: signal(from), target: signal(to), settings: settings)
    }

    @Test func onlyCurvesWithOneGainHaveIt() {
        #expect(Self.plan().contrastRecovery == 0.3)
        #expect(Self.plan(.hlg).contrastRecovery == 0.3)
        #expect(Self.plan { $0.domain = .luminance }.contrastRecovery == 0.3)
        #expect(Self.plan { $0.toneCurve = .referenceWhite }.contrastRecovery == 0.3)
        #expect(Self.plan { $0.contrastRecovery = 7 }.contrastRecovery == 1)
        for domain in [ToneDomain.rgb, .ictcp] { #expect(Self.plan { $0.domain = domain }.contrastRecovery == 0) }
        #expect(Self.plan { $0.toneCurve = nil }.contrastRecovery == 0.3)
        for curve in [ToneCurve.none, .clip, .bt2446a, .bt2446c] {
            #expect(Self.plan { $0.toneCurve = curve }.contrastRecovery == 0)
        }
        // Nothing is compressed, and light is expanded.
        #expect(Self.plan(.pq, .pq).contrastRecovery == 0)
        #expect(Self.plan { $0.sourcePeak = 150 }.contrastRecovery == 0)
        #expect(Self.plan(.bt1886, .pq).contrastRecovery == 0)
        #expect(Self.plan(.bt1886, .pq) { $0.inverseToneCurve = .spline }.contrastRecovery == 0)
        #expect(Self.plan().withoutContrastRecovery == Self.plan { $0.contrastRecovery = 0 })
    }

    @Test func withoutALowPassNothingChanges() {
        let (with, without) = (Conversion<Double>(Self.plan()), Conversion<Double>(Self.plan().withoutContrastRecovery))
        let signal = SIMD3(0.7, 0.6, 0.5)
        #expect(with(signal) == without(signal))
        #expect(with(signal, lowPass: 0.2) != without(signal))
        #expect(without(signal, lowPass: 0.2) == without(signal))
        #expect(with(SIMD3(0, 0, 0), lowPass: 0.2) == without(SIMD3(0, 0, 0)))
    }
}
