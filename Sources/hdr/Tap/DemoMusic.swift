import Glibc
import HDRPipeline

/// Four chords with bass and drums, for use without a music file: a file without a name in the file system, which is
/// removed with this object. The samples are always the same.
final class DemoMusic {
    /// Samples a second, of two channels.
    private static let rate = 44_100
    /// Samples, at 120 beats a minute.
    private static let beat = rate / 2
    private static let bars = 16
    /// A minor, F, C, G as MIDI notes: the bass, then the chord.
    private static let chords = [(33, [57, 60, 64]), (29, [57, 60, 65]), (36, [55, 60, 64]), (31, [55, 59, 62])]

    let sound: SoundFile
    private let file: HiddenFile

    init() throws(Failure) {
        file = try HiddenFile(Self.file(Self.compose()), purpose: "the music", remedy: "give an INPUT")
        sound = SoundFile(FileName(file.path), name: "generated.wav", stem: FileName("generated"), isMade: true)
    }

    /// A WAV file of 16 bits.
    private static func file(_ samples: [Double]) -> [UInt8] {
        var bytes: [UInt8] = []
        func append(_ number: Int, _ count: Int) {
            for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
        }
        bytes += Array("RIFF".utf8)
        append(36 + 2 * samples.count, 4)
        bytes += Array("WAVEfmt ".utf8)
        for (value, count) in [(16, 4), (1, 2), (2, 2), (rate, 4), (4 * rate, 4), (4, 2), (16, 2)] {
            append(value, count)
        }
        bytes += Array("data".utf8)
        append(2 * samples.count, 4)
        for sample in samples { append(Int((sample * 32767).rounded()), 2) }
        return bytes
    }

    // MARK: The music

    /// Composes 32 seconds, interleaved stereo, up to 1/1.1 of full scale.
    private static func compose() -> [Double] {
        var music = Mix(frames: bars * 4 * beat)
        let noise = (noise(beat, seed: 1), noise(beat, seed: 2))
        let kick = drum(beat / 2)
        for bar in 0..<bars {
            let (bass, chord) = chords[bar % chords.count]
            let start = bar * 4 * beat
            for (voice, note) in chord.enumerated() {
                let pan = Double(voice) / Double(chord.count - 1)
                let part = tone(note, 4 * beat, harmonics: 24, decay: 1.5, attack: 0.2)
                music.add(part, at: start, left: 0.1 * (0.8 - 0.6 * pan), right: 0.1 * (0.2 + 0.6 * pan))
            }
            for eighth in 0..<8 {
                let at = start + eighth * beat / 2
                let low = tone(bass + 12 * (eighth % 2), beat / 2, harmonics: 10, decay: 6)
                music.add(low, at: at, left: 0.22, right: 0.22)
                let high = tone(chord[eighth % chord.count] + 24, beat / 2, harmonics: 6, decay: 9)
                let side = 0.4 * Double(eighth % 2)
                music.add(high, at: at, left: 0.08 * (0.3 + side), right: 0.08 * (0.7 - side))
                // The hi-hat is noise without its lows.
                let hat = (faded(rising(noise.0), beat / 4, 60), faded(rising(noise.1), beat / 4, 60))
                music.add(hat.0, at: at, left: 0.05, right: 0)
                music.add(hat.1, at: at, left: 0, right: 0.05)
            }
            for quarter in 0..<4 {
                let at = start + quarter * beat
                if quarter % 2 == 1 {
                    music.add(faded(noise.0, beat / 2, 22), at: at, left: 0.12, right: 0)
                    music.add(faded(noise.1, beat / 2, 22), at: at, left: 0, right: 0.12)
                } else {
                    music.add(kick, at: at, left: 0.5, right: 0.5)
                }
            }
        }
        let peak = music.samples.reduce(0) { max($0, abs($1)) }
        return music.samples.map { $0 / (peak * 1.1) }
    }

    private struct Mix {
        var samples: [Double]

        init(frames: Int) { samples = [Double](repeating: 0, count: 2 * frames) }

        mutating func add(_ part: [Double], at frame: Int, left: Double, right: Double) {
            for index in 0..<min(part.count, samples.count / 2 - frame) {
                samples[2 * (frame + index)] += left * part[index]
                samples[2 * (frame + index) + 1] += right * part[index]
            }
        }
    }

    private static func decay(_ index: Int, _ speed: Double) -> Double {
        exp(-speed * Double(index) / Double(rate))
    }

    private static func tone(
        _ note: Int, _ length: Int, harmonics: Int, decay speed: Double, attack: Double = 0.005
    ) -> [Double] {
        let frequency = 440 * pow(2, Double(note - 69) / 12)
        var tone = [Double](repeating: 0, count: length)
        for number in 1...harmonics where frequency * Double(number) < Double(rate) * 0.45 {
            let (step, fall) = (
                2 * .pi * frequency * Double(number) / Double(rate), speed * Double(number).squareRoot()
            )
            for index in 0..<length { tone[index] += sin(step * Double(index)) * decay(index, fall) / Double(number) }
        }
        return tone.enumerated().map { index, value in
            let rise = Double(index) / Double(rate) / attack
            let end = Double(length - index) / Double(rate) / 0.01
            return value * min(1, rise) * min(1, end)
        }
    }

    private static func drum(_ length: Int) -> [Double] {
        (0..<length).map { index in
            let time = Double(index) / Double(rate)
            return sin(2 * .pi * (50 * time - 4 * exp(-30 * time))) * decay(index, 12)
        }
    }

    private static func rising(_ noise: [Double]) -> [Double] { zip(noise, noise.dropFirst()).map { $1 - $0 } }

    private static func faded(_ noise: [Double], _ length: Int, _ speed: Double) -> [Double] {
        noise.prefix(length).enumerated().map { $1 * decay($0, speed) }
    }

    /// White noise of a normal distribution (Box and Muller), by a linear congruential generator (Knuth's MMIX).
    private static func noise(_ length: Int, seed: UInt64) -> [Double] {
        var state = seed
        func next() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (Double(state >> 11) + 0.5) / Double(1 << 53)
        }
        return (0..<length).map { _ in (-2 * log(next())).squareRoot() * cos(2 * .pi * next()) }
    }
}
