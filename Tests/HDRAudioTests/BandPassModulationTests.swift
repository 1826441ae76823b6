import Glibc
import Testing

@testable import HDRAudio

/// The filter while its parameters change.
@Suite struct BandPassModulationTests {
    static let rate = 48000.0
    static let frames = 96000

    /// 500 to 5000 Hz in two seconds.
    static let sweep = (0..<frames).map { 500 * pow(10, Double($0) / Double(frames)) }
    static let tone = sine(1000, rate: rate, frames: frames, amplitude: 0.5)

    static func filter(_ channels: Int = 1, _ maxFrames: Int = frames) -> BandPass {
        BandPass(channels: channels, sampleRate: rate, maxFrames: maxFrames)
    }

    /// The reference: coefficients of each sample, in the textbook's order of operations.
    static func reference(_ signal: [Double], frequencies: [Double], bandwidth: Double) -> [Double] {
        var s1 = 0.0
        var s2 = 0.0
        return zip(signal, frequencies).map { x, frequency in
            let w0 = 2 * Double.pi * frequency / rate
            let g = tan(w0 / 2)
            let k = 2 * sinh(M_LN2 / 2 * bandwidth / 1200 * w0 / sin(w0))
            let v1 = (s1 + g * (x - s2)) / (1 + g * (g + k))
            let v2 = s2 + g * v1
            s1 = 2 * v1 - s1
            s2 = 2 * v2 - s2
            return k * v1
        }
    }

    @Test func sweepInSteps() {
        let planes = Planes([Self.tone])
        var filter = Self.filter()
        planes.forEachBlock([1024]) { block, first in
            filter.setParameters(centerFrequency: Self.sweep[first], bandwidth: 600)
            filter.process(block)
        }
        let peak = decibels(peakAbove(6000, of: planes[0], rate: Self.rate))
        #expect(peak <= -110, "\(peak) dBFS")
    }

    @Test func sweepBySample() {
        let planes = Planes([Self.tone])
        var filter = Self.filter()
        filter.setAutomation(frequencies: Self.sweep, bandwidths: nil, frames: Self.frames)
        filter.process(planes.block())
        let peak = decibels(peakAbove(6000, of: planes[0], rate: Self.rate))
        #expect(peak <= -110, "\(peak) dBFS")
        // There is no lag: the output is that of a filter in which each sample has its own coefficients.
        let expected = Self.reference(Self.tone, frequencies: Self.sweep, bandwidth: 600)
        #expect(zip(planes[0], expected).allSatisfy { abs($0 - $1) < 1e-12 })
    }

    /// Where one call's automation meets the next one's, the output is as smooth as anywhere else.
    @Test func joins() {
        let planes = Planes([Self.tone])
        var filter = Self.filter()
        planes.forEachBlock([480]) { block, first in
            let part = Array(Self.sweep[first..<(first + block.frames)])
            filter.setAutomation(frequencies: part, bandwidths: nil, frames: block.frames)
            filter.process(block)
        }
        let output = planes[0]
        func roughness(_ frame: Int) -> Double {
            abs(output[frame + 1] - 3 * output[frame] + 3 * output[frame - 1] - output[frame - 2])
        }
        let joins = stride(from: 4800, to: Self.frames - 2, by: 480).map(roughness).max()!
        let interior = (4800..<(Self.frames - 2)).filter { $0 % 480 > 3 }.map(roughness).max()!
        #expect(joins <= interior * 1.001, "\(joins) and \(interior)")
    }

    /// A jump begins at its sample, without a click, and then the filter is where it should be.
    @Test func jumps() {
        let at = 24000
        let silent = Planes([Self.tone])
        var still = Self.filter()
        still.setParameters(centerFrequency: 1000, bandwidth: 600)
        still.process(silent.block())

        let planes = Planes([Self.tone])
        var filter = Self.filter()
        filter.setParameters(centerFrequency: 1000, bandwidth: 600)
        filter.process(planes.block(from: 0, count: at))
        filter.setParameters(centerFrequency: 4000, bandwidth: 600)
        filter.process(planes.block(from: at))
        let output = planes[0]
        #expect(Array(output[..<at]) == Array(silent[0][..<at]))
        #expect(output[at] != silent[0][at])
        // There is no click at the sample, nor during the glide.
        func bend(_ frame: Int) -> Double { abs(output[frame] - 2 * output[frame - 1] + output[frame - 2]) }
        let usual = (4800..<at).map(bend).max()!
        #expect(bend(at) < usual * 1.05 && bend(at + 1) < usual * 1.05)
        let step = (at..<(at + 2400)).map { abs(output[$0] - output[$0 - 1]) }.max()!
        let usualStep = (4800..<at).map { abs(output[$0] - output[$0 - 1]) }.max()!
        #expect(step < usualStep * 1.25)
        // Half a second later it is the filter that it would have been from the start.
        let there = Planes([Self.tone])
        var settled = Self.filter()
        settled.setParameters(centerFrequency: 4000, bandwidth: 600)
        settled.process(there.block())
        #expect(zip(output[48000...], there[0][48000...]).allSatisfy { abs($0 - $1) < 1e-9 })

        // Automation has the same result.
        let automated = Planes([Self.tone])
        var other = Self.filter()
        let frequencies = (0..<Self.frames).map { $0 < at ? 1000.0 : 4000 }
        other.setAutomation(frequencies: frequencies, bandwidths: nil, frames: Self.frames)
        other.process(automated.block())
        #expect(automated[0] == output)
    }

    /// Division into calls changes no bit, whether settled, gliding or automated.
    @Test(arguments: divisions) func divisionsMakeNoDifference(_ lengths: [Int]) {
        let frames = 20000
        let signals = [noise(frames), noise(frames, seed: 2), noise(frames, seed: 3)]
        let bandwidths = (0..<frames).map { (frame: Int) -> Double in 600 + 500 * sin(Double(frame) / 900) }
        let frequencies = (0..<frames).map { (frame: Int) -> Double in
            frame < 7777 ? Self.sweep[frame * 3] : 200 + Double(frame % 3000)
        }
        func run(_ lengths: [Int], _ automated: Bool) -> [[Double]] {
            let planes = Planes(signals)
            var filter = Self.filter(3, frames)
            filter.setParameters(centerFrequency: 3000, bandwidth: 700)
            planes.forEachBlock(lengths) { block, first in
                if automated {
                    let some = Array(frequencies[first..<(first + block.frames)])
                    let others = Array(bandwidths[first..<(first + block.frames)])
                    filter.setAutomation(frequencies: some, bandwidths: others, frames: block.frames)
                }
                filter.process(block)
            }
            return (0..<3).map { planes[$0] }
        }
        #expect(run(lengths, false) == run([frames], false))
        #expect(run(lengths, true) == run([frames], true))
    }

    @Test(arguments: divisions) func glidesAreNotDivided(_ lengths: [Int]) {
        func run(_ lengths: [Int]) -> [Double] {
            let planes = Planes([noise(20000)])
            var filter = Self.filter()
            filter.process(planes.block(from: 0, count: 1000))
            filter.setParameters(centerFrequency: 250, bandwidth: 3000)
            var first = 1000
            var turn = 0
            while first < 20000 {
                let count = min(lengths[turn % lengths.count], 20000 - first)
                filter.process(planes.block(from: first, count: count))
                first += count
                turn += 1
            }
            return planes[0]
        }
        #expect(run(lengths) == run([20000]))
    }

    /// No parameter can make a NaN.
    @Test(arguments: [1, 8000.0, 44100, 47952, 48000, 192_000, 768_000]) func noParameterMakesNaN(_ rate: Double) {
        let odd: [Double] = [
            20, 1000, 5000, rate * 0.4899, rate / 2, rate, 384_000, 0, -1, 1e-300, 1e300, .nan, .infinity, -.infinity,
        ]
        let widths: [Double] = [600, 100, 12000, 1, 0, -5, 1e9, .nan, .infinity, -.infinity]
        var filter = BandPass(channels: 2, sampleRate: rate, maxFrames: 512)
        let signals = [noise(512), sine(rate / 4, rate: rate, frames: 512)]
        for frequency in odd {
            for width in widths {
                filter.setParameters(centerFrequency: frequency, bandwidth: width)
                let planes = Planes(signals)
                filter.process(planes.block())
                let automated = Planes(signals)
                let frequencies = (0..<512).map { odd[($0 + Int(rate)) % odd.count] }
                let others = (0..<512).map { widths[($0 / 3) % widths.count] }
                filter.setAutomation(frequencies: frequencies, bandwidths: others, frames: 512)
                filter.process(automated.block())
                filter.setAutomation(frequencies: nil, bandwidths: nil, frames: 512)
                for output in [planes[0], planes[1], automated[0], automated[1]] {
                    #expect(output.allSatisfy { $0.isFinite && abs($0) < 1e6 }, "\(frequency) Hz, \(width) cents")
                }
                #expect(BandPass.decay(centerFrequency: frequency, bandwidth: width, sampleRate: rate) >= 0)
            }
        }
    }

    @Test func noNumberLeavesTheParameters() {
        let first = Planes([noise(5000)])
        var filter = Self.filter()
        filter.setParameters(centerFrequency: 800, bandwidth: 300)
        filter.process(first.block())
        let second = Planes([noise(5000)])
        var other = Self.filter()
        other.setParameters(centerFrequency: 800, bandwidth: 300)
        other.setParameters(centerFrequency: .nan, bandwidth: .nan)
        other.process(second.block())
        #expect(first[0] == second[0])
    }

    /// Each sample computes with its own parameters however steeply they fall: 1/Q too stays positive.
    @Test func steepAutomationIsStable() {
        let frames = 48000
        let bandwidths = (0..<frames).map { (frame: Int) -> Double in 100 + 11900 * pow(sin(Double(frame) / 300), 2) }
        let frequencies = (0..<frames).map { (frame: Int) -> Double in
            20 * pow(1200, 0.5 + 0.5 * cos(Double(frame) / 170))
        }
        let planes = Planes([noise(frames)])
        var filter = Self.filter()
        filter.setAutomation(frequencies: frequencies, bandwidths: bandwidths, frames: frames)
        filter.process(planes.block())
        #expect(planes[0].allSatisfy { abs($0) < 20 }, "\(planes[0].map(abs).max()!)")
    }
}
