import HDRColor
import Testing

@testable import HDRKernels

/// The pictures for displays: half-float light whose white is 1, and PQ or sRGB in ten bits.
@Suite struct DisplayKernelTests {
    static let source = layout("Y444_10LE")
    static let headrooms = [1.0, 1.5, 2, 4, 10, 60]

    static func job(_ from: KernelAccuracyTests.Signal, _ headroom: Double, white: Double = 1) -> Job {
        var settings = ConversionSettings()
        settings.toneCurve = .rolloff
        settings.sourcePeak = from == .pq ? 4000 : nil
        settings.targetPeak = 203 * headroom
        let target = ColorSignal(
            transfer: .extendedLinear(white: white), primaries: .displayP3, quantization: .binary16)
        return Job(
            "\(from) at headroom \(headroom), white \(white)", from.signal(source), target, (source, .rgba16f), settings
        )
    }

    /// Bits of the numbers, in which neighbours differ by one.
    private func codes(_ picture: Picture) -> [[Int]] { (0..<4).map { picture[$0] } }

    @Test(arguments: Kernel.exact) func halfFloatsAreTheDefinitions(_ kernel: Kernel) {
        for from in [KernelAccuracyTests.Signal.pq, .hlg, .sdr] {
            for headroom in Self.headrooms {
                let job = Self.job(from, headroom, white: headroom == 4 ? 0.25 : 1)
                let colors = KernelColors.wide(from.signal(Self.source), Self.source, height: 64)
                let (ours, wanted) = (codes(job.picture(kernel, colors)), codes(job.definition(colors)))
                #expect(ours[3].allSatisfy { $0 == 0x3c00 } && wanted[3] == ours[3])
                var (largest, place) = (0, "")
                for c in 0..<3 {
                    for i in ours[c].indices where abs(ours[c][i] - wanted[c][i]) > largest {
                        // What is left where nearly all of a component cancels out has single precision's rounding in
                        // it.
                        let values = (0..<3).map { Double(Float16(bitPattern: UInt16(wanted[$0][i]))) }
                        let off = abs(Double(Float16(bitPattern: UInt16(ours[c][i]))) - values[c])
                        if off <= (values.max() ?? 0) * 1e-6 { continue }
                        largest = abs(ours[c][i] - wanted[c][i])
                        place = "at \(i): \((0..<3).map { wanted[$0][i] }) became \((0..<3).map { ours[$0][i] })"
                    }
                }
                #expect(largest <= 1, "\(job.name), \(kernel): \(largest) \(place)")
            }
        }
    }

    /// Every code of a PQ ramp follows the curve's own formula.
    @Test(arguments: headrooms) func rampsFollowTheCurve(_ headroom: Double) {
        let job = Self.job(.pq, headroom)
        let ramp = KernelColors.greys(Self.source)
        let values = job.picture(Kernel(set: .best, quality: .balanced), ramp)[1]
        for (code, bits) in values.enumerated() {
            let signal = min(max((Double(code) - 64) / 876, 0), 1)
            let light = PQ.eotf(signal) / 203
            let (peak, room) = (4000.0 / 203, headroom - 1)
            var wanted = light
            if light > 1 {
                let (t, p) = ((light - 1) / room, (peak - 1) / room)
                wanted = room == 0 ? 1 : light >= peak ? headroom : 1 + room * t * (1 + t / (p * p)) / (1 + t)
                if peak <= headroom { wanted = min(light, headroom) }
            }
            let value = Double(Float16(bitPattern: UInt16(bits)))
            #expect(abs(value - wanted) <= 0.0006 * wanted + 1e-7, "code \(code): \(value), not \(wanted)")
        }
    }

    /// Light that is no brighter than white does not change with the headroom, nor with the source's peak.
    @Test func whiteAndBelowStay() {
        let ramp = KernelColors.greys(Self.source)
        let white = 64 + Int(876 * PQ.inverseEOTF(203.0))
        let kernel = Kernel(set: .best, quality: .balanced)
        let first = Self.job(.pq, 60).picture(kernel, ramp)[0].prefix(white)
        for headroom in Self.headrooms {
            #expect(Self.job(.pq, headroom).picture(kernel, ramp)[0].prefix(white) == first)
        }
    }

    /// Widths that fill no vector, with guards around the rows.
    @Test(arguments: Kernel.all) func edges(_ kernel: Kernel) {
        for width in [1, 3, 7, 8, 15, 17, 33, 100] {
            let job = Self.job(.pq, 4)
            let colors = KernelColors.picture(Self.source, width, 3, job.plan.source.quantization) {
                SIMD3(Double($0 % 5) / 4, Double($0 % 3) / 2, Double($0 % 7) / 6)
            }
            let target = Picture(.rgba16f, width, 3, padding: 6)
            job.converter(kernel, width: width).run(colors, target)
            #expect(!target.guardIsBroken)
            let wanted = job.definition(colors)
            for c in 0..<4 {
                let most = zip(target[c], wanted[c]).map { abs($0 - $1) }.max() ?? 0
                #expect(most <= (kernel.quality == .fast ? 64 : 1), "\(kernel), width \(width)")
            }
        }
    }
}
