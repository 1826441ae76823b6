import CGStreamer
import CHDRLibrary

let second: Int = 1_000_000_000
/// The value that stands for no time.
let noTime = Int.min

/// A timebase, and what its signals said.
final class Timebase {
    let pointer: OpaquePointer
    private(set) var notices: [Notice] = []

    enum Notice: Equatable { case jumped(Int), rate(Double), source }

    convenience init(_ clock: ManualClock) { self.init(taking: gst_hdr_timebase_new(clock.clock)) }

    convenience init(on source: Timebase) { self.init(taking: gst_hdr_timebase_new_with_timebase(source.pointer)) }

    convenience init(of pipeline: TestPipeline) { self.init(taking: gst_hdr_get_timebase(pipeline.element)) }

    private init(taking pointer: OpaquePointer) {
        self.pointer = pointer
        let own = Unmanaged.passUnretained(self).toOpaque()
        let jumped: @convention(c) (OpaquePointer, Int, UnsafeMutableRawPointer) -> Void = { _, time, own in
            Unmanaged<Timebase>.fromOpaque(own).takeUnretainedValue().notices.append(.jumped(time))
        }
        let rate: @convention(c) (OpaquePointer, Double, UnsafeMutableRawPointer) -> Void = { _, rate, own in
            Unmanaged<Timebase>.fromOpaque(own).takeUnretainedValue().notices.append(.rate(rate))
        }
        let source: @convention(c) (OpaquePointer, UnsafeMutableRawPointer) -> Void = { _, own in
            Unmanaged<Timebase>.fromOpaque(own).takeUnretainedValue().notices.append(.source)
        }
        connect("time-jumped", unsafeBitCast(jumped, to: GCallback.self), own)
        connect("effective-rate-changed", unsafeBitCast(rate, to: GCallback.self), own)
        connect("source-changed", unsafeBitCast(source, to: GCallback.self), own)
    }

    deinit { g_object_unref(raw) }

    private func connect(_ name: String, _ handler: GCallback, _ own: UnsafeMutableRawPointer) {
        g_signal_connect_data(raw, name, handler, own, nil, GConnectFlags(rawValue: 0))
    }

    var raw: UnsafeMutableRawPointer { UnsafeMutableRawPointer(pointer) }

    var time: Int {
        get { gst_hdr_timebase_get_time(pointer) }
        set { _ = gst_hdr_timebase_set_time(pointer, newValue) }
    }

    var rate: Double {
        get { gst_hdr_timebase_get_rate(pointer) }
        set { _ = gst_hdr_timebase_set_rate(pointer, newValue) }
    }

    var effectiveRate: Double { gst_hdr_timebase_get_effective_rate(pointer) }

    var fraction: [Int] {
        var (numerator, denominator): (Int, Int) = (0, 0)
        gst_hdr_timebase_get_rate_fraction(pointer, &numerator, &denominator)
        return [numerator, denominator]
    }

    func set(time: Int) -> Bool { gst_hdr_timebase_set_time(pointer, time) != 0 }

    func set(time: Int, at source: Int) -> Bool { gst_hdr_timebase_set_anchor_time(pointer, time, source) != 0 }

    func set(rate: Double) -> Bool { gst_hdr_timebase_set_rate(pointer, rate) != 0 }

    func set(rate: Int, over denominator: Int) -> Bool {
        gst_hdr_timebase_set_rate_fraction(pointer, rate, denominator) != 0
    }

    func set(rate: Double, time: Int, at source: Int) -> Bool {
        gst_hdr_timebase_set_rate_and_anchor_time(pointer, rate, time, source) != 0
    }

    func run(on source: Timebase) -> Bool {
        gst_hdr_timebase_set_source_timebase(pointer, source.pointer) != 0
    }

    func takeNotices() -> [Notice] {
        defer { notices = [] }
        return notices
    }
}
