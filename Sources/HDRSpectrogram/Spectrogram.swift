import Glibc

/// The levels of sound by time and by frequency on a logarithmic axis, computed while the sound passes, in memory that
/// does not grow.
///
/// Low frequencies are analysed in long windows and high ones in short ones: an ear, too, distinguishes low tones where
/// it cannot tell when they began. Within an octave on both sides of each limit the two are mixed: otherwise noise,
/// which a longer window spreads over more bins, would show an edge.
package final class Spectrogram {
    /// The lengths of the windows in seconds, and the frequencies in Hz that separate their ranges.
    private static let windows = [0.37, 0.093, 0.023]
    private static let limits = [200.0, 1400.0]
    private static let overlap = 2.0

    private let channels: Int
    /// The middle of each row, in Hz.
    private let middles: [Double]
    private let step: Double
    private var bands: [Band]

    /// - Parameters:
    ///   - rate: the sample rate.
    ///   - channels: the number of channels, 1 or more.
    ///   - edges: the frequencies between the rows, in Hz, above 0 and rising; two at least.
    ///   - duration: the duration of the sound, in seconds, as far as it is known.
    package init(rate: Int, channels: Int, edges: [Double], duration: Double) {
        self.channels = max(channels, 1)
        step = 1 / Double(max(rate, 1))
        let middles = zip(edges, edges.dropFirst()).map { ($0 * $1).squareRoot() }
        self.middles = middles
        let count = self.channels
        bands = Self.windows.indices.map { index in
            let (low, high) = Self.bounds(index)
            let inside = middles.indices.filter {
                middles[$0] > low / Self.overlap && middles[$0] < high * Self.overlap
            }
            let rows = inside.first.map { $0..<(inside.last ?? $0) + 1 } ?? 0..<0
            return Band(
                rate: rate, channels: count, window: Self.windows[index], rows: rows, edges: edges,
                duration: duration)
        }
    }

    private static func bounds(_ band: Int) -> (low: Double, high: Double) {
        (band == 0 ? 0 : limits[band - 1], band == limits.count ? .infinity : limits[band])
    }

    /// Takes samples of interleaved channels. Samples behind the last whole frame are ignored.
    package func feed(_ samples: UnsafeBufferPointer<Float>) {
        let frames = samples.count / channels
        guard frames > 0 else { return }
        let split = (0..<channels).map { channel in (0..<frames).map { samples[$0 * channels + channel] } }
        for index in bands.indices { bands[index].feed(split) }
    }

    /// Takes the windows that extend over the end.
    package func finish() {
        let longest = bands.map(\.size).max() ?? 0
        let silence = [[Float]](repeating: [Float](repeating: 0, count: longest), count: channels)
        for index in bands.indices { bands[index].feed(silence) }
    }

    /// The levels in dB, where a sine of full scale has 0: for each of `width` columns a value for each row, in
    /// ascending order of frequency.
    /// - Parameter duration: the duration that the columns show, in seconds.
    package func levels(width: Int, duration: Double) -> [[Float]] {
        var levels = [[Float]](repeating: [Float](repeating: 0, count: middles.count), count: max(width, 0))
        for (index, band) in bands.enumerated() where !band.rows.isEmpty {
            let (low, high) = Self.bounds(index)
            let weights = band.rows.map { Self.rise(middles[$0], low) * (1 - Self.rise(middles[$0], high)) }
            let own = band.columns.levels(step: step * Double(band.hop), width: width, duration: duration)
            for column in levels.indices {
                for (place, row) in band.rows.enumerated() {
                    levels[column][row] += Float(weights[place]) * own[column * band.rows.count + place]
                }
            }
        }
        return levels
    }

    /// The share of the range above a limit: 0 below the overlap around the limit, 1 above it.
    private static func rise(_ frequency: Double, _ limit: Double) -> Double {
        guard limit > 0 else { return 1 }
        guard limit.isFinite else { return 0 }
        return min(max(log(frequency * overlap / limit) / (2 * log(overlap)), 0), 1)
    }
}
