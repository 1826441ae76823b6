import CGStreamer
import Glibc

/// An element that is fed with the same stereo sound over and over.
final class AudioFeeder {
    let feed: ElementFeed
    private let frames: Int
    private let rate: Int
    private let samples: [Float]
    private var position = 0

    /// - Parameters:
    ///   - line: the element as on a launch line.
    ///   - frames: of a buffer, stereo F32 at `rate`.
    init(_ line: String, frames: Int, rate: Int = 48_000) throws(Failure) {
        self.frames = frames
        self.rate = rate
        // A steady tone and some noise: no silence, no subnormal numbers.
        samples = (0..<(2 * frames)).map { Float(0.4 * sin(Double($0) * 0.05) + 0.1 * Double.random(in: -1...1)) }
        feed = try ElementFeed(line, caps: "audio/x-raw,format=F32LE,layout=interleaved,channels=2,rate=\(rate)")
    }

    /// Pushes buffers; returns the thread's CPU time for each, in ns, without that of making the buffers.
    func run(buffers: Int, between: (Int) -> Void = { _ in }) -> Double {
        var spent = 0.0
        let batch = 64
        var ready: [UnsafeMutablePointer<GstBuffer>] = []
        for start in stride(from: 0, to: buffers, by: batch) {
            let count = min(batch, buffers - start)
            ready.removeAll(keepingCapacity: true)
            for _ in 0..<count {
                guard let buffer = gst_buffer_new_allocate(nil, gsize(8 * frames), nil) else { continue }
                samples.withUnsafeBytes { _ = gst_buffer_fill(buffer, 0, $0.baseAddress, gsize(8 * frames)) }
                buffer.pointee.pts = GstClockTime(position * 1_000_000_000 / rate)
                buffer.pointee.duration = GstClockTime(frames * 1_000_000_000 / rate)
                position += frames
                ready.append(buffer)
            }
            let before = Clock.nanoseconds(CLOCK_THREAD_CPUTIME_ID)
            for (index, buffer) in ready.enumerated() {
                between(start + index)
                _ = feed.push(buffer)
            }
            spent += Clock.nanoseconds(CLOCK_THREAD_CPUTIME_ID) - before
        }
        return spent / Double(max(buffers, 1))
    }
}
