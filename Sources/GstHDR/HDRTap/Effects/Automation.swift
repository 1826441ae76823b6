import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// A controllable number of an effect: what the application has set, or what a GstController says of each sample.
final class AutomatedProperty {
    private let name: String
    private let range: ClosedRange<Double>
    private var values: UnsafeMutablePointer<Double>?
    private var capacity = 0
    /// Samples that are asked for at a time, counted from the section's start, so that how the stream is cut into buffers
    /// plays no part.
    private static let step = 64
    private let grid = UnsafeMutablePointer<Double>.allocate(capacity: AutomatedProperty.step)

    init(_ name: String, _ range: ClosedRange<Double>) {
        self.name = name
        self.range = range
    }

    deinit {
        grid.deallocate()
        values?.deallocate()
    }

    func prepare(maxFrames: Int) {
        values?.deallocate()
        values = .allocate(capacity: maxFrames)
        capacity = maxFrames
    }

    /// The values of a call's samples, or `nil` where no controller is at work.
    /// - Parameters:
    ///   - base: stands where a controller has nothing to say, as before its first point.
    ///   - isExact: Whether every sample is asked for at its own time, to the nanosecond, rather than within 64 ns.
    func evaluate(
        _ object: UnsafeMutablePointer<GstHdrEffect>, _ call: TapCall, _ section: Section, base: Double,
        isExact: Bool
    ) -> UnsafeMutablePointer<Double>? {
        let child = object.asGstObject
        guard section.isTimed, let values, call.frames <= capacity,
            let binding = gst_object_get_control_binding(child, name)
        else { return nil }
        defer { gst_object_unref(binding) }
        guard gst_control_binding_is_disabled(binding) == 0 else { return nil }

        let step = Self.step
        var done = 0
        while done < call.frames {
            let frame = call.first + done
            let start = frame / step * step
            let offset = frame - start
            let count = min(step - offset, call.frames - done)
            read(binding, section.clock, from: start, count: step, into: grid)
            if isExact && (1..<step).contains(where: { grid[$0] != grid[0] }) {
                for index in offset..<(offset + count) {
                    read(binding, section.clock, from: start + index, count: 1, into: grid + index)
                }
            }
            for index in 0..<count {
                let value = grid[offset + index]
                values[done + index] = value.isNaN ? base : min(max(value, range.lowerBound), range.upperBound)
            }
            done += count
        }
        return values
    }

    /// Times are rounded up: a point at a sample's time acts on that sample, however the application has rounded it.
    private func read(
        _ binding: UnsafeMutablePointer<GstControlBinding>, _ clock: SampleClock, from frame: Int, count: Int,
        into target: UnsafeMutablePointer<Double>
    ) {
        // GStreamer leaves alone what it has no value for.
        target.update(repeating: .nan, count: count)
        let interval = (1_000_000_000 * clock.appliedRate / Double(clock.rate)).rounded(.up)
        _ = gst_control_binding_get_value_array(
            binding, GstClockTime(min(clock.nanoseconds(frame), UInt64.max - 1)),
            GstClockTime(min(max(interval, 1), 1e18)), guint(count),
            target)
    }
}
