import Foundation

/// A WAV file of 16 or 24 bits, read and written without GStreamer.
package struct WAVFile {
    package struct Malformed: Error {}

    package var rate: Int
    package var channels: Int
    /// The samples from -1 to 1, interleaved.
    package var samples: [Double]

    package init(rate: Int, channels: Int, samples: [Double]) {
        (self.rate, self.channels, self.samples) = (rate, channels, samples)
    }

    package init(contentsOf url: URL) throws {
        let bytes = [UInt8](try Data(contentsOf: url))
        func number(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
        }
        guard bytes.count > 44, bytes[8..<12].elementsEqual("WAVE".utf8) else { throw Malformed() }
        (rate, channels, samples) = (0, 0, [])
        var depth = 0
        var offset = 12
        while offset + 8 <= bytes.count {
            let length = min(number(offset + 4, 4), bytes.count - offset - 8)
            let body = offset + 8
            if bytes[offset..<offset + 4].elementsEqual("fmt ".utf8), length >= 16 {
                (channels, rate, depth) = (number(body + 2, 2), number(body + 4, 4), number(body + 14, 2) / 8)
            } else if bytes[offset..<offset + 4].elementsEqual("data".utf8), depth > 0 {
                let full = Double(1 << (8 * depth - 1))
                samples = stride(from: body, through: body + length - depth, by: depth).map {
                    let value = Double(number($0, depth))
                    return (value >= full ? value - 2 * full : value) / full
                }
            }
            offset = body + length + length % 2
        }
        guard channels > 0, rate > 0 else { throw Malformed() }
    }

    package func write(to url: URL) throws {
        var data = Data()
        func append(_ value: Int, _ count: Int) {
            for index in 0..<count { data.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
        }
        data.append(contentsOf: "RIFF".utf8)
        append(36 + 2 * samples.count, 4)
        data.append(contentsOf: "WAVEfmt ".utf8)
        for (value, count) in [
            (16, 4), (1, 2), (channels, 2), (rate, 4), (2 * rate * channels, 4), (2 * channels, 2), (16, 2),
        ] { append(value, count) }
        data.append(contentsOf: "data".utf8)
        append(2 * samples.count, 4)
        for sample in samples { append(Int((sample * 32767).rounded()), 2) }
        try data.write(to: url)
    }

    package var seconds: Double { Double(samples.count / channels) / Double(rate) }
    package var rms: Double { (samples.reduce(0) { $0 + $1 * $1 } / Double(max(samples.count, 1))).squareRoot() }

    /// A tone's amplitude over 60 ms around a time.
    package func amplitude(of frequency: Double, at time: Double, channel: Int) -> Double {
        let count = rate * 60 / 1000
        let start = Int(time * Double(rate)) - count / 2
        var (real, imaginary, weights) = (0.0, 0.0, 0.0)
        for index in 0..<count {
            let weight = 1 - cos(2 * .pi * Double(index) / Double(count))
            let value = weight * samples[(start + index) * channels + channel]
            let angle = 2 * .pi * frequency * Double(index) / Double(rate)
            real += value * cos(angle)
            imaginary += value * sin(angle)
            weights += weight
        }
        return 2 * (real * real + imaginary * imaginary).squareRoot() / weights
    }
}
