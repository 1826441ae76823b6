import Glibc
import Testing

@testable import HDRAudio

@Suite struct LevelMeterTests {
    static func reports(
        _ signals: [[Double]], rate: Double = 48000, interval: Int, lengths: [Int] = [4800], truePeak: Bool = true
    ) -> [LevelReport] {
        var meter = LevelMeter(
            channels: signals.count, sampleRate: rate, maxFrames: 100_000, intervalFrames: interval, truePeak: truePeak)
        let planes = Planes(signals)
        var result: [LevelReport] = []
        planes.forEachBlock(lengths) { block, _ in
            meter.process(block)
            meter.takeReports { result.append($0) }
        }
        meter.flush()
        meter.takeReports { result.append($0) }
        return result
    }

    @Test func sineLevels() {
        let reports = Self.reports(
            [
                sine(1000, rate: 48000, frames: 48000, amplitude: 0.5),
                [Double](repeating: -0.25, count: 48000),
                [Double](repeating: 0, count: 48000),
            ], interval: 4800)
        #expect(reports.count == 10)
        for (index, report) in reports.enumerated() {
            #expect(report.first == index * 4800 && report.frames == 4800)
            #expect(abs(report.peak[0] - 0.5) < 1e-9 && report.peak[1] == 0.25 && report.peak[2] == 0)
            #expect(abs(report.rms[0] - 0.5 * 0.5.squareRoot()) < 1e-9 && abs(report.rms[1] - 0.25) < 1e-12)
            #expect(report.rms[2] == 0 && report.truePeak[2] == 0)
        }
    }

    @Test(arguments: divisions) func divisionsMakeNoDifference(_ lengths: [Int]) {
        let signals = [noise(20000), sine(997, rate: 48000, frames: 20000)]
        let expected = Self.reports(signals, interval: 333, lengths: [20000])
        let reports = Self.reports(signals, interval: 333, lengths: lengths)
        #expect(reports.count == 61 && reports.count == expected.count)
        #expect(reports.last?.frames == 20000 - 60 * 333)
        for (one, other) in zip(reports, expected) {
            #expect(one.first == other.first && one.frames == other.frames)
            #expect(one.peak == other.peak && one.rms == other.rms && one.truePeak == other.truePeak)
        }
    }

    /// A quarter of the sample rate at 45 degrees: the samples see 3.01 dB less than there is. BS.1770's filter is
    /// within 0.6 dB below and 0.3 dB above (EBU Tech 3341 allows +0.2, -0.4 dB; annex 2's own coefficients need the
    /// rest).
    @Test(arguments: [32000.0, 44100, 48000, 96000]) func quarterOfTheRate(_ rate: Double) {
        let signal = sine(rate / 4, rate: rate, frames: 48000, amplitude: 0.5, phase: Double.pi / 4)
        let report = Self.reports([signal], rate: rate, interval: 4800)[5]
        #expect(abs(decibels(report.peak[0]) - (-9.03)) < 0.01)
        let over = decibels(report.truePeak[0]) - decibels(0.5)
        #expect(over < 0.3 && over > -0.4, "\(over) dB")
    }

    /// EBU Tech 3341's other tones: fractions of the rate and phases.
    @Test(arguments: [(4.0, 0.0), (4, 45), (6, 60), (8, 67.5)]) func tones(_ divisor: Double, _ degrees: Double) {
        let signal = sine(
            48000 / divisor, rate: 48000, frames: 48000, amplitude: 0.5, phase: degrees * Double.pi / 180)
        let over = decibels(Self.reports([signal], interval: 4800)[5].truePeak[0]) - decibels(0.5)
        #expect(over < 0.3 && over > -0.4, "\(over) dB")
    }

    @Test(arguments: [192_000.0, 384_000]) func highRatesHaveTheSamples(_ rate: Double) {
        let signal = sine(rate / 4, rate: rate, frames: 9600, phase: Double.pi / 4)
        let report = Self.reports([signal], rate: rate, interval: 4800)[1]
        #expect(report.truePeak == report.peak)
    }

    @Test func withoutTruePeak() {
        let report = Self.reports(
            [sine(12000, rate: 48000, frames: 4800, phase: Double.pi / 4)], interval: 4800, truePeak: false)[0]
        #expect(report.truePeak == report.peak)
    }

    @Test func neverBelowThePeak() {
        for report in Self.reports([noise(48000), impulse(48000)], interval: 480) {
            #expect(zip(report.truePeak, report.peak).allSatisfy { $0 >= $1 })
        }
    }

    @Test func resetBeginsAnew() {
        var meter = LevelMeter(channels: 1, sampleRate: 48000, maxFrames: 1000, intervalFrames: 100)
        let loud = Planes([[Double](repeating: 1, count: 150)])
        let quiet = Planes([[Double](repeating: 0, count: 100)])
        withExtendedLifetime((loud, quiet)) {
            meter.process(loud.block())
            meter.takeReports { _ in }
            meter.reset()
            meter.process(quiet.block())
        }
        var reports: [LevelReport] = []
        meter.takeReports { reports.append($0) }
        #expect(reports.count == 1 && reports.first?.first == 0)
        #expect(reports.first?.peak == [0] && reports.first?.truePeak == [0])
    }
}
