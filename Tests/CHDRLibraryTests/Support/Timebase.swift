import CGStreamer
import CHDRLibrary
import Synchronization

let second: Int = 1_000_000_000
/// The value that stands for no time.
let noTime = Int.min

/// A timebase, and what its signals said.
final class Timebase {
    let pointer: OpaquePointer
    private let said = Notices()
    var notices: [Notice] { said.all.withLock { $0 } }

    enum Notice: Equatable { case jumped(Int), rate(Double), source }

    /// What was said, on any thread; those of a pipeline's timebase may still speak when the test is over.
    private final class Notices: Sendable {
        let all = Mutex<[Notice]>([])
        func append(_ notice: Notice) { all.withLock { $0.append(notice) } }
    }

    convenience init(_ clock: ManualClock) { self.init(taking: gst_hdr_timebase_new(clock.clock)) }

    convenience init(on source: Timebase) { self.init(taking: gst_hdr_timebase_new_with_timebase(source.pointer)) }

    convenience init(of pipeline: TestPipeline) { self.init(taking: gst_hdr_get_timebase(pipeline.element)) }

    private init(taking pointer: OpaquePointer) {
        self.pointer = pointer
        let jumped: @convention(c) (OpaquePointer, Int, UnsafeMutableRawPointer) -> Void = { _, time, own in
            Unmanaged<Notices>.fromOpaque(own).takeUnretainedValue().append(.jumped(time))
        }
        let rate: @convention(c) (OpaquePointer, Double, UnsafeMutableRawPointer) -> Void = { _, rate, own in
            Unmanaged<Notices>.fromOpaque(own).takeUnretainedValue().append(.rate(rate))
        }
        let source: @convention(c) (OpaquePointer, UnsafeMutableRawPointer) -> Void = { _, own in
            Unmanaged<Notices>.fromOpaque(own).takeUnretainedValue().append(.source)
        }
        connect("time-jumped", unsafeBitCast(jumped, to: GCallback.self))
        connect("effective-rate-changed", unsafeBitCast(rate, to: GCallback.self))
        connect("source-changed", unsafeBitCast(source, to: GCallback.self))
    }

    deinit { g_object_unref(raw) }

    private func connect(_ name: String, _ handler: GCallback) {
        let own = Unmanaged.passRetained(said).toOpaque()
        g_signal_connect_data(
            raw, name, handler, own, { own, _ in own.map { Unmanaged<Notices>.fromOpaque($0).release() } },
            GConnectFlags(rawValue: 0))
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
        said.all.withLock { notices in
            defer { notices = [] }; return notices
        }
    }
}
