import Foundation
import Testing

@testable import HDRSpectrogram

/// The picture of two spectrograms.
@Suite struct SpectrogramPictureTests {
    private func spectrogram(_ amplitude: Double) -> Spectrogram {
        let spectrogram = Spectrogram(
            rate: 48_000, channels: 1, edges: SpectrogramPicture.edges(low: 20, high: 20_000), duration: 2)
        let samples = (0..<96_000).map { Float(amplitude * sin(2 * .pi * 1000 * Double($0) / 48_000)) }
        samples.withUnsafeBufferPointer { spectrogram.feed($0) }
        spectrogram.finish()
        return spectrogram
    }

    private func picture(line: (start: Double, end: Double, name: String)? = nil) -> SpectrogramPicture {
        var picture = SpectrogramPicture(low: 20, high: 20_000, duration: 2)
        picture.draw(title: "A title", before: spectrogram(0.1), after: spectrogram(0.01), line: line)
        return picture
    }

    @Test func tonesAreWhereTheAxisSays() {
        let picture = picture()
        // 1 kHz is 1.699 of 3 decades above 20 Hz.
        for (top, level) in [(88, 0), (532, -20)] {
            let row = top + 390 - Int(1.699 / 3 * 390)
            let brightest = (top..<top + 390).max { sum(picture, $0) < sum(picture, $1) }
            #expect(abs((brightest ?? 0) - row) <= 2)
            // The colour of a level: the loudest is -20 dB, at the top of 80 dB.
            let color = picture.canvas[780, brightest ?? 0]
            let expected = ColorScale.color(Float(80 + level) / 80)
            #expect(abs(Int(color.red) - Int(expected.red)) < 12 && abs(Int(color.green) - Int(expected.green)) < 12)
            #expect(picture.canvas[780, top + 5] == ColorScale.color(0))
        }
        // Outside of the plots it is white, but for marks.
        #expect(picture.canvas[2, 2] == Canvas.Color(255, 255, 255))
        #expect(picture.canvas[92 - 3, 88 + 390] == SpectrogramPicture.ink, "the mark of 20 Hz")
    }

    private func sum(_ picture: SpectrogramPicture, _ row: Int) -> Int {
        let color = picture.canvas[780, row]
        return Int(color.red) + Int(color.green) + Int(color.blue)
    }

    @Test func labelsSayWhatIsShown() {
        let plain = picture().labels.map(\.text)
        for text in [
            "A title", "Before", "After", "20", "500", "20k", "0.0", "2.0", "Time in seconds", "dBFS", "\u{2212}20",
        ] {
            #expect(plain.contains(text), "\(text)")
        }
        #expect(plain.filter { $0 == "1k" }.count == 2 && plain.filter { $0 == "Frequency in Hz" }.count == 2)
        #expect(!plain.contains { $0.hasPrefix("dashed") })
        #expect(picture(line: (20, 20_000, "the centre")).labels.map(\.text).contains("dashed: the centre"))
    }

    /// White dashes with dark edges run from corner to corner.
    @Test func theLineIsDrawn() {
        let (without, with) = (picture(), picture(line: (20, 20_000, "the centre")))
        var dashes = 0
        for column in 0..<1378 {
            let changed = (88..<478).filter { with.canvas[92 + column, $0] != without.canvas[92 + column, $0] }
            if changed.isEmpty { continue }
            let center = 88 + 390 * (1 - (Double(column) + 0.5) / 1378)
            #expect(changed.allSatisfy { abs(Double($0) + 0.5 - center) < 3 }, "\(column): \(changed)")
            if changed.contains(where: { with.canvas[92 + column, $0].red > 130 }) { dashes += 1 }
        }
        // 8 of 14 pixels.
        #expect((600...1000).contains(dashes), "\(dashes)")
    }

    @Test func lettersAreLaidOver() throws {
        var picture = picture()
        let label = try #require(picture.labels.first { $0.text == "Time in seconds" })
        let upright = try #require(picture.labels.first { $0.text == "Frequency in Hz" })
        // One pixel, two to the right of the start and one above the base line, of text that is 10 long.
        let coverage: [UInt8] = [0, 0, 0, 255, 0, 0, 0, 0]
        picture.write(label, coverage: coverage, width: 4, baseLine: 1, start: 1, length: 10)
        #expect(picture.canvas[label.x - 5 + 2, label.y - 1] == SpectrogramPicture.faint)
        picture.write(upright, coverage: coverage, width: 4, baseLine: 1, start: 1, length: 10)
        #expect(picture.canvas[upright.x - 1, upright.y + 5 - 2] == SpectrogramPicture.faint)
        // Parts outside of the picture are left out.
        var far = label
        (far.x, far.y) = (-100, 2000)
        let before = picture.canvas.pixels
        picture.write(far, coverage: coverage, width: 4, baseLine: 1, start: 1, length: 10)
        #expect(picture.canvas.pixels == before)
    }

    @Test(arguments: [
        (0.001, "0.0001"), (0.5, "0.05"), (2, "0.2"), (12, "1"), (60, "5"), (3600, "500"), (1e9, "100000000"),
    ])
    func marksOfTime(_ duration: Double, step: String) {
        let (found, places) = SpectrogramPicture.timeStep(duration)
        #expect(SpectrogramPicture.decimal(found, places) == step)
    }

    @Test func decimals() {
        #expect(SpectrogramPicture.decimal(0, 0) == "0" && SpectrogramPicture.decimal(0, 2) == "0.00")
        #expect(SpectrogramPicture.decimal(1.25, 1) == "1.3" && SpectrogramPicture.decimal(12.5, 3) == "12.500")
        #expect(SpectrogramPicture.decimal(.infinity, 0) == "1000000000000000000")
    }

    /// Magma begins in black and ends in a pale yellow, and gets brighter at every step.
    @Test func coloursRise() {
        #expect(ColorScale.color(-1) == ColorScale.color(0) && ColorScale.color(.nan) == ColorScale.color(0))
        #expect(ColorScale.color(.infinity) == ColorScale.color(1))
        #expect(ColorScale.color(0) == Canvas.Color(0, 0, 0))
        let end = ColorScale.color(1)
        #expect(abs(Int(end.red) - 252) < 6 && abs(Int(end.green) - 253) < 6 && abs(Int(end.blue) - 191) < 6)
        let light = (0...50).map { step -> Double in
            let color = ColorScale.color(Float(step) / 50)
            return 0.2126 * Double(color.red) + 0.7152 * Double(color.green) + 0.0722 * Double(color.blue)
        }
        #expect(zip(light, light.dropFirst()).allSatisfy { $0 < $1 + 0.5 }, "\(light)")
    }
}
