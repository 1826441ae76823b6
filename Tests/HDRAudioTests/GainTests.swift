import Glibc
import Testing

@testable import HDRAudio

@Suite struct GainTests {
    static func gain(_ channels: Int = 1, _ frames: Int = 20000) -> Gain {
        Gain(channels: channels, sampleRate: 48000, maxFrames: frames)
    }

    @Test func unityChangesNothing() {
        let signal: [Double] = noise(1000) + [-0.0, 0, 5e-324, .infinity, 1e300, -1e-310]
        let planes = Planes([signal])
        var gain = Self.gain()
        gain.process(planes.block())
        #expect(planes[0].map(\.bitPattern) == signal.map(\.bitPattern))
    }

    @Test func theFirstSampleHasTheVolume() {
        let planes = Planes([[Double](repeating: 1, count: 100)])
        var gain = Self.gain()
        gain.setVolume(0.25)
        gain.process(planes.block())
        #expect(planes[0].allSatisfy { $0 == 0.25 })
    }

    /// 1/e after 5 ms, and then exactly the volume.
    @Test func glides() {
        let planes = Planes([[Double](repeating: 1, count: 20000)])
        var gain = Self.gain()
        gain.process(planes.block(from: 0, count: 100))
        gain.setVolume(3)
        gain.process(planes.block(from: 100))
        let output = planes[0]
        #expect(output[99] == 1)
        #expect(output[100] > 1 && output[100] < 1.01)
        #expect(abs(output[100 + 239] - (3 - 2 * exp(-1))) < 1e-9)
        #expect(zip(output[100...], output[101...]).allSatisfy { $0 <= $1 })
        #expect(output.last == 3)
    }

    @Test func resetEndsAGlide() {
        let planes = Planes([[Double](repeating: 1, count: 200)])
        var gain = Self.gain()
        gain.process(planes.block(from: 0, count: 100))
        gain.setVolume(0)
        gain.process(planes.block(from: 100, count: 50))
        gain.reset()
        gain.process(planes.block(from: 150))
        #expect(planes[0][150...].allSatisfy { $0 == 0 })
    }

    @Test func automationIsExact() {
        let signal = noise(5000)
        let factors = noise(5000, seed: 9).map { $0 < 0 ? 0.5 : $0 }
        let planes = Planes([signal, signal])
        var gain = Self.gain(2)
        gain.setVolume(0.5)
        factors.withUnsafeBufferPointer {
            gain.setAutomation($0.baseAddress, frames: 5000)
            gain.process(planes.block())
        }
        for index in 0..<5000 { #expect(planes[1][index] == signal[index] * (factors[index] * 0.5)) }
        gain.setAutomation(nil, frames: 0)
        let more = Planes([signal, signal])
        gain.process(more.block())
        #expect(more[0] == signal.map { $0 * 0.5 })
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func noNumberIsIgnored(_ volume: Double) {
        let planes = Planes([noise(100)])
        var gain = Self.gain()
        gain.setVolume(0.5)
        gain.setVolume(volume)
        gain.process(planes.block())
        #expect(planes[0] == noise(100).map { $0 * 0.5 })
    }

    @Test(arguments: divisions) func divisionsMakeNoDifference(_ lengths: [Int]) {
        let factors = noise(20000, seed: 4)
        func run(_ lengths: [Int], _ automated: Bool) -> [Double] {
            let planes = Planes([noise(20000)])
            var gain = Self.gain()
            let before = Planes([[1, 1]])
            withExtendedLifetime(before) { gain.process(before.block()) }
            gain.setVolume(0.1)
            factors.withUnsafeBufferPointer { factors in
                planes.forEachBlock(lengths) { block, first in
                    if automated { gain.setAutomation(factors.baseAddress! + first, frames: block.frames) }
                    gain.process(block)
                }
            }
            return planes[0]
        }
        #expect(run(lengths, false) == run([20000], false))
        #expect(run(lengths, true) == run([20000], true))
    }
}
