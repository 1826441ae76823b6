import CGStreamer
import CGstHDR
import GstBridge
import HDRAudio

/// A controllable number of an effect: the value that the application has set, or the values that a GstController gives
/// for each sample.
final class AutomatedProperty {
    private let name: (effect: String, element: String)
    private let range: ClosedRange<Double>
    private var values: UnsafeMutablePointer<Double>?
    private var capacity = 0
    /// The number of samples per query of the controller. The steps are counted from the run's start, so that the
    /// result does not depend on how the stream is divided into buffers.
    private static let step = 64
    private let grid = UnsafeMutablePointer<Double>.allocate(capacity: AutomatedProperty.step)

    init(_ name: String, of kind: EffectKind, _ range: ClosedRange<Double>) {
        self.name = (name, TapParameter.name(kind.name, name))
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

    /// The values for a call's samples, or `nil` without an active controller.
    /// - Parameters:
    ///   - base: the value where the controller gives none, as before its first point.
    ///   - isExact: whether every sample gets the value of its own time, to the nanosecond, rather than within 64 ns.
    func evaluate(
        _ effect: EffectObject, _ call: ProcessCall, _ run: ContinuousRun, base: Double, isExact: Bool
    ) -> UnsafeMutablePointer<Double>? {
        guard run.isTimed, let values, call.frames <= capacity, let binding = effect.binding(name) else { return nil }
        defer { gst_object_unref(binding) }
        guard gst_control_binding_is_disabled(binding) == 0 else { return nil }

        let step = Self.step
        var done = 0
        while done < call.frames {
            let frame = call.first + done
            let start = frame / step * step
            let offset = frame - start
            let count = min(step - offset, call.frames - done)
            read(binding, run.clock, from: start, count: step, into: grid)
            if isExact && (1..<step).contains(where: { grid[$0] != grid[0] }) {
                for index in offset..<(offset + count) {
                    read(binding, run.clock, from: start + index, count: 1, into: grid + index)
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

    /// Times are rounded up, so that a control point at a sample's time acts on that sample, however the application
    /// rounded it.
    private func read(
        _ binding: UnsafeMutablePointer<GstControlBinding>, _ clock: SampleClock, from frame: Int, count: Int,
        into target: UnsafeMutablePointer<Double>
    ) {
        // GStreamer does not write samples for which it has no value.
        target.update(repeating: .nan, count: count)
        let interval = (1_000_000_000 * clock.appliedRate / Double(clock.rate)).rounded(.up)
        _ = gst_control_binding_get_value_array(
            binding, GstClockTime(min(clock.nanoseconds(frame), UInt64.max - 1)),
            GstClockTime(min(max(interval, 1), 1e18)), guint(count),
            target)
    }
}
