import Glibc

/// The rows of a spectrogram that are computed with one length of window.
struct Band {
    /// The distances between windows, as shares of a window: the finest one, and the coarsest ones for short and for
    /// long sounds.
    private static let finest = 1.0 / 16
    private static let coarsest = 1.0 / 4, coarsestOfLong = 1.0 / 2
    /// The duration in seconds from which a sound counts as long.
    private static let long = 600.0
    /// The number of steps that a picture has at least, where the shares permit it.
    private static let wantedSteps = 2048.0

    /// The part of a spectrum that a row shows.
    private struct Row {
        /// Whether the row lies above half the sample rate.
        let isBeyond: Bool
        /// The bin below the row's middle, and the distance of the middle from that bin.
        let below: Int
        let share: Float
        /// The bins inside the row, of which it shows the loudest; empty where the row lies between two bins.
        let bins: Range<Int>
    }

    let rows: Range<Int>
    /// The number of samples from one window to the next.
    let hop: Int
    private let spectrum: PowerSpectrum
    private let plan: [Row]
    private(set) var columns: Columns
    /// The samples of each channel that later windows need, and the position where they begin.
    private var pending: [[Float]]
    private var start = 0

    var size: Int { spectrum.size }

    /// - Parameters:
    ///   - window: the length of the window, in seconds.
    ///   - rows: the rows of the spectrogram.
    ///   - edges: the frequencies between all rows, in Hz, rising.
    ///   - duration: the duration of the sound, in seconds.
    init(rate: Int, channels: Int, window: Double, rows: Range<Int>, edges: [Double], duration: Double) {
        self.rows = rows
        let rate = Double(max(rate, 1))
        // A header may state any rate; windows have 16 to 2^18 samples.
        let size = 1 << Int(min(max(log2(window * rate).rounded(), 4), 18))
        let coarsest = duration > Self.long ? Self.coarsestOfLong : Self.coarsest
        let steps = rate * max(duration, 0) / Self.wantedSteps
        hop = Int(min(max(steps, Double(size) * Self.finest), Double(size) * coarsest))
        spectrum = PowerSpectrum(size: size, channels: channels)
        columns = Columns(rows: rows.count)
        // The first window is centred on the first sample.
        pending = [[Float]](repeating: [Float](repeating: 0, count: size / 2), count: channels)
        let last = size / 2
        plan = rows.map { row in
            let (low, high) = (edges[row] * Double(size) / rate, edges[row + 1] * Double(size) / rate)
            let middle = (low * high).squareRoot()
            let below = Int(min(middle, Double(last - 1)))
            let first = Int(min(low.rounded(.up), Double(last)))
            let next = Int(min(high.rounded(.up), Double(last)))
            return Row(
                isBeyond: middle > Double(last), below: below, share: Float(min(max(middle - Double(below), 0), 1)),
                bins: first..<max(next, first))
        }
    }

    /// Takes samples, one list for each channel.
    mutating func feed(_ samples: [[Float]]) {
        for channel in pending.indices { pending[channel] += samples[channel] }
        guard let first = pending.first else { return }
        while start + size <= first.count {
            spectrum.clear()
            for channel in pending { spectrum.add(channel, from: start) }
            columns.add(spectrum.power.withUnsafeBufferPointer { power in plan.map { Self.value($0, power) } })
            start += hop
        }
        if start >= size {
            for channel in pending.indices { pending[channel].removeFirst(start) }
            start = 0
        }
    }

    private static func value(_ row: Row, _ power: UnsafeBufferPointer<Float>) -> Float {
        guard !row.isBeyond else { return 0 }
        let between = power[row.below] * (1 - row.share) + power[row.below + 1] * row.share
        return row.bins.reduce(between) { max($0, power[$1]) }
    }
}
