import Foundation
import TestSupport
import Testing

@testable import HDRSpectrogram

/// Levels by time and frequency.
@Suite struct SpectrogramTests {
    private let edges = SpectrogramPicture.edges(low: 20, high: 20_000)

    private func middle(_ row: Int) -> Double { (edges[row] * edges[row + 1]).squareRoot() }

    private func row(of frequency: Double) -> Int {
        (edges.firstIndex { $0 > frequency } ?? edges.count) - 1
    }

    private func spectrogram(
        rate: Int = 48_000, channels: Int = 1, seconds: Double, _ sound: (Double, Int) -> Double
    ) -> Spectrogram {
        let spectrogram = Spectrogram(rate: rate, channels: channels, edges: edges, duration: seconds)
        let samples = (0..<Int(seconds * Double(rate))).flatMap { index in
            (0..<channels).map { Float(sound(Double(index) / Double(rate), $0)) }
        }
        // In pieces of a size that no window is a multiple of.
        for start in stride(from: 0, to: samples.count, by: 1000 * channels) {
            samples[start..<min(start + 1000 * channels, samples.count)].withUnsafeBufferPointer {
                spectrogram.feed($0)
            }
        }
        spectrogram.finish()
        return spectrogram
    }

    /// A sine has its level at its frequency and nothing far from that, in each of the windows and between them.
    @Test(arguments: [31.5, 100, 200, 440, 1000, 1400, 5000, 12_000], [0.0, -20])
    func aToneHasItsLevel(_ frequency: Double, _ level: Double) throws {
        let amplitude = pow(10, level / 20)
        let levels = spectrogram(seconds: 3) { time, _ in amplitude * sin(2 * .pi * frequency * time) }
            .levels(width: 60, duration: 3)
        let column = levels[30]
        let loudest = try #require(column.indices.max { column[$0] < column[$1] })
        #expect(abs(loudest - row(of: frequency)) <= 3, "\(middle(loudest)) Hz")
        // Between two frequencies of a window Hann's loses up to 1.5 dB.
        #expect((-1.6...0.1).contains(Double(column[loudest]) - level), "\(column[loudest]) dB")
        for (row, value) in column.enumerated() where abs(log2(middle(row) / frequency)) > 1.5 {
            #expect(Double(value) < level - 60, "\(middle(row)) Hz: \(value) dB")
        }
    }

    /// The level is the mean power of the channels.
    @Test func channelsAreAveraged() {
        let both = spectrogram(channels: 2, seconds: 2) { time, _ in sin(2 * .pi * 3000 * time) }
        let one = spectrogram(channels: 2, seconds: 2) { time, channel in
            channel == 0 ? sin(2 * .pi * 3000 * time) : 0
        }
        let at = row(of: 3000)
        let loss = both.levels(width: 10, duration: 2)[5][at] - one.levels(width: 10, duration: 2)[5][at]
        #expect(abs(loss - 3.01) < 0.02, "\(loss) dB")
    }

    /// A click is where it sounds, also where columns are far wider, or far narrower, than the steps.
    @Test(arguments: [2000, 1378, 50])
    func timesAreRight(_ width: Int) {
        let levels = spectrogram(seconds: 4) { time, _ in abs(time - 1) < 0.5 / 48_000 ? 1 : 0 }
            .levels(width: width, duration: 4)
        let row = row(of: 10_000)
        let values = levels.map { $0[row] }
        let loudest = values.indices.filter { values[$0] > (values.max() ?? 0) - 0.5 }
        let middle = (Double(loudest.reduce(0, +)) / Double(loudest.count) + 0.5) / Double(width) * 4
        // A window of 23 ms, or a column.
        #expect(abs(middle - 1) < max(0.012, 4 / Double(width)), "\(middle) s")
    }

    @Test func silenceAndNonsense() {
        let silent = spectrogram(seconds: 1) { _, _ in 0 }.levels(width: 8, duration: 1)
        #expect(silent.allSatisfy { $0.allSatisfy { abs($0 + 200) < 0.1 } })
        // A NaN shows nothing, and an infinite value the largest power.
        let broken = spectrogram(seconds: 1) { time, _ in time < 0.3 ? .nan : time < 0.6 ? .infinity : 1e30 }
        #expect(broken.levels(width: 8, duration: 1).allSatisfy { $0.allSatisfy(\.isFinite) })
    }

    /// Rates that a header may claim, and frequencies that the sound cannot have.
    @Test(arguments: [1, 8, 1000, 8000, 768_000, Int(Int32.max)])
    func everyRate(_ rate: Int) {
        let spectrogram = Spectrogram(rate: rate, channels: 3, edges: edges, duration: 5000 / Double(rate))
        let samples = (0..<15_001).map { Float(sin(Double($0))) }
        samples.withUnsafeBufferPointer { spectrogram.feed($0) }
        spectrogram.finish()
        let levels = spectrogram.levels(width: 20, duration: 5000 / Double(rate))
        #expect(levels.count == 20 && levels.allSatisfy { $0.count == 390 && $0.allSatisfy(\.isFinite) })
        // A row that lies above half the rate is as silent as can be, but in the windows' overlap.
        let beyond = levels[10].indices.filter { middle($0) > Double(rate) }
        #expect(beyond.allSatisfy { levels[10][$0] < -190 })
    }
}

/// The memory of a spectrogram.
@Suite struct ColumnsTests {
    /// Pairs are merged as often as is needed, and the loudest stay.
    @Test(arguments: [10, 4096, 4097, 8192, 20_000])
    func theLoudestStay(_ steps: Int) {
        var columns = Columns(rows: 2)
        for index in 0..<steps { columns.add([index == steps / 3 ? 1 : 1e-6, 1e-4]) }
        #expect(columns.steps == steps && (steps + columns.merged - 1) / columns.merged <= Columns.capacity)
        let width = 10
        let levels = columns.levels(step: 0.01, width: width, duration: Double(steps) * 0.01)
        let row = (0..<width).map { levels[2 * $0] }
        #expect(abs((row.firstIndex { $0 == row.max() } ?? 0) - width / 3) <= 1, "\(row)")
        #expect((0..<width).allSatisfy { abs(levels[2 * $0 + 1] + 40) < 0.01 })
        if steps >= 20 { #expect(abs((row.max() ?? 0) - 0) < 0.01) }
    }

    @Test func nothingAtAll() {
        let empty = Columns(rows: 0)
        #expect(empty.levels(step: 1, width: 4, duration: 4).isEmpty)
        let silent = Columns(rows: 1)
        #expect(silent.levels(step: 1, width: 4, duration: 4).allSatisfy { abs($0 + 200) < 0.1 })
        #expect(silent.levels(step: 0, width: 4, duration: 4) == [0, 0, 0, 0])
    }
}
