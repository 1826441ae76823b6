import Glibc
import HDRPipeline

/// The progress of long work: a line that is redrawn on a terminal, and a plain line every five seconds elsewhere.
final class ProgressLine {
    /// Counts of what has passed, which streaming threads write.
    struct Count: Sendable {
        var frames = 0
        /// Buffers, which show that something moves.
        var steps = 0
        /// The end of what has passed, in ns.
        var position: UInt64 = 0

        /// Counts a buffer that ends at a time, in ns.
        mutating func note(_ end: UInt64, isFrame: Bool = true) {
            if isFrame { frames += 1 }
            steps += 1
            position = max(position, end)
        }
    }

    /// The duration of the whole, in ns; `nil` where it is unknown.
    var duration: UInt64?
    /// The number of frames, for work that takes single frames; `nil` for other work.
    private let frames: Int?
    private let label: String
    private var isQuiet: Bool
    private let isTerminal = isatty(Output.errors) != 0
    private let started = ContinuousClock.now
    private var shown = ContinuousClock.now
    private var moved: (steps: Int, time: ContinuousClock.Instant) = (0, .now)
    private var isDrawn = false

    /// - Parameter label: the text before each line, such as "pass 1 of 2: ".
    init(_ duration: UInt64? = nil, frames: Int? = nil, quiet: Bool, label: String = "") {
        self.duration = duration
        self.frames = frames
        self.label = label
        isQuiet = quiet
    }

    /// The time that the work has taken so far, in seconds.
    var elapsed: Double { max(Self.seconds(ContinuousClock.now - started), 0.001) }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    /// Shows the counts, now and then.
    /// - Parameter patience: the seconds in which something has to pass.
    /// - Throws: where nothing has passed for so long.
    func show(_ count: Count, of name: String, patience: Double = 300) throws(Failure) {
        let now = ContinuousClock.now
        if count.steps != moved.steps { moved = (count.steps, now) }
        guard Self.seconds(now - moved.time) < patience else {
            throw Failure("\(name) is stuck: nothing came for \(Int(patience) / 60) minutes")
        }
        // A log needs no line before anything has arrived.
        guard !isQuiet, isTerminal || count.steps > 0 else { return }
        guard Self.seconds(now - shown) >= (isTerminal ? 0.25 : 5) else { return }
        shown = now
        Output.writeError(isTerminal ? "\r\u{1B}[K" + label + text(count) : label + text(count) + "\n")
        isDrawn = isTerminal
    }

    private func text(_ count: Count) -> String {
        if let frames {
            let text = "frame \(min(count.frames + 1, frames)) of \(frames)"
            guard count.frames > 0 else { return text }
            let speed = Double(count.frames) / elapsed
            let left = Double(max(frames - count.frames, 0)) / speed * 1e9
            return text + ", \(speed.fixed(1)) fps, \(Time.clock(UInt64(min(left, 1e18)))) left"
        }
        let speed = Double(count.position) / 1e9 / elapsed
        var parts: [String] = []
        if let duration, duration > 0 {
            let share = Double(min(count.position, duration)) / Double(duration)
            parts.append(Table.padded("\(Int(100 * share)) %", 5, right: true))
        } else {
            parts.append("\(Time.clock(count.position)) done")
        }
        if count.frames > 0 { parts.append("\((Double(count.frames) / elapsed).fixed(1)) fps") }
        parts.append("\(speed.fixed(2))x real time")
        if let duration, speed > 0 {
            let left = Double(duration - min(count.position, duration)) / speed
            parts.append("\(Time.clock(UInt64(min(left, 1e18)))) left")
        }
        return parts.joined(separator: ", ")
    }

    /// Removes the line from a terminal.
    func clear() {
        if isDrawn { Output.writeError("\r\u{1B}[K") }
        isDrawn = false
    }
}
