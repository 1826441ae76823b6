import CHDRTap
import HDRConcurrency

/// An application's access to frames by time, as AVPlayerItemVideoOutput gives it, of an element `hdrtap` or `edrsink`.
///
///     let output = try VideoOutput(of: element, VideoOutput.Settings(format: "rgba16f", primaries: "display-p3"))
///     if let time = output.itemTime(forHostTime: target), output.hasNewFrame(at: time),
///         let frame = output.copyFrame(at: time)
///     {
///         frame.withBytes { draw($0) }
///     }
///
/// All functions may be called on any thread. Item times are running times of the pipeline, host times are those of
/// CLOCK_MONOTONIC, all in ns. An output may outlive its element, and has no frames then.
public final class VideoOutput: @unchecked Sendable {
    /// The form of frames; a `nil` field keeps the stream's own. Without any settings, frames are the stream's own
    /// buffers by reference.
    public struct Settings: Equatable, Sendable {
        /// `rgba16f` or `rgba32f` for linear light, where 1.0 is reference white, or a raw video format of GStreamer's.
        public var format: String?
        /// The primaries: `bt709`, `display-p3`, `bt2020`, `smpte170m` or `bt470bg`.
        public var primaries: String?
        /// The transfer function: `bt709`, `srgb`, `pq`, `hlg` or `linear`.
        public var transfer: String?
        /// The Y'CbCr matrix: `bt709`, `bt2020` or `bt601`.
        public var matrix: String?
        /// Whether frames may be HDR or have wide colour where no colour is set; with `false` they are converted to
        /// BT.709.
        public var allowsWideColor: Bool
        /// How far ahead an `hdrtap` holds frames, in ns.
        public var lookAhead: UInt64
        /// The maximum memory of held frames, in bytes.
        public var maxBytes: UInt64

        public init(
            format: String? = nil, primaries: String? = nil, transfer: String? = nil, matrix: String? = nil,
            allowsWideColor: Bool = true, lookAhead: UInt64 = 2_000_000_000, maxBytes: UInt64 = 512 << 20
        ) {
            self.format = format
            self.primaries = primaries
            self.transfer = transfer
            self.matrix = matrix
            self.allowsWideColor = allowsWideColor
            self.lookAhead = lookAhead
            self.maxBytes = maxBytes
        }
    }

    /// The record of the frames that an output has taken.
    public struct ConsumptionRecord: Equatable, Sendable {
        /// The number of different frames that were copied.
        public var copied: UInt64 = 0
        /// The number of frames that were shown between two copied ones without being copied.
        public var missed: UInt64 = 0
        /// The number of times that a frame was copied again.
        public var repeated: UInt64 = 0
        /// The item time of the frame that was copied last, in ns.
        public var lastItemTime: UInt64?
    }

    /// A frame. It stays unchanged for as long as this object, or a reference to its sample, is held, and must not be
    /// written to.
    public final class Frame: @unchecked Sendable {
        /// The sample, which this object owns.
        public let sample: OpaquePointer
        /// The running time in ns from which it is shown; `nil` for a frame without a time.
        public let displayTime: UInt64?

        fileprivate init(_ sample: OpaquePointer, _ time: UInt64) {
            self.sample = sample
            displayTime = time == UInt64(GstClockTime.max) ? nil : time
        }

        deinit { gst_sample_unref(sample) }

        /// A numeric field of its caps, such as `width`.
        public func number(_ field: String) -> Int? {
            var number: gint = 0
            guard let structure, gst_structure_get_int(structure, field, &number) != 0 else { return nil }
            return Int(number)
        }

        public func text(_ field: String) -> String? {
            structure.flatMap { gst_structure_get_string($0, field) }.map { String(cString: $0) }
        }

        private var structure: UnsafeMutablePointer<GstStructure>? {
            gst_sample_get_caps(sample).flatMap { gst_caps_get_structure($0, 0) }
        }

        /// Calls `body` with the frame's memory; `nil` where it cannot be read.
        public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
            var map = GstMapInfo()
            guard let buffer = gst_sample_get_buffer(sample), gst_buffer_map(buffer, &map, GST_MAP_READ) != 0 else {
                return nil
            }
            defer { gst_buffer_unmap(buffer, &map) }
            return try body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
        }
    }

    private let object: UnsafeMutablePointer<GObject>

    /// - Parameter element: An element `hdrtap` or `edrsink`. Frames that a tap has passed before this call are not
    ///   available.
    public init(
        of element: UnsafeMutablePointer<GstElement>, _ settings: Settings = Settings()
    ) throws(TapError) {
        guard let object = gst_hdr_video_output_new(element) else {
            throw TapError(description: "The element is no hdrtap and no edrsink of the plugin hdr")
        }
        self.object = object
        self.settings = settings
        apply(Settings(), settings)
    }

    deinit { g_object_unref(object) }

    /// The form of frames. May be changed at any time, by one thread at a time. A name that is not known is reported by
    /// the element, and changes nothing.
    public var settings: Settings { didSet { apply(oldValue, settings) } }

    private func apply(_ old: Settings, _ new: Settings) {
        func set<Value: Equatable>(_ name: String, _ part: KeyPath<Settings, Value>, _ text: (Value) -> String) {
            if old[keyPath: part] != new[keyPath: part] {
                gst_util_set_object_arg(object, name, text(new[keyPath: part]))
            }
        }
        set("format", \.format) { $0 ?? "" }
        set("primaries", \.primaries) { $0 ?? "" }
        set("transfer", \.transfer) { $0 ?? "" }
        set("matrix", \.matrix) { $0 ?? "" }
        set("allow-wide-color", \.allowsWideColor) { $0 ? "true" : "false" }
        set("look-ahead", \.lookAhead) { "\(min($0, UInt64(Int64.max)))" }
        set("max-bytes", \.maxBytes) { "\(min($0, UInt64(Int64.max)))" }
    }

    /// The running time in ns of what is shown at a time of CLOCK_MONOTONIC in ns, 0 before anything has played; `nil`
    /// while the element is stopped.
    public func itemTime(forHostTime hostTime: UInt64) -> UInt64? {
        let time = UInt64(gst_hdr_video_output_item_time(object, guint64(hostTime)))
        return time == UInt64(GstClockTime.max) ? nil : time
    }

    /// Whether the output has not handed out the frame for a time yet.
    public func hasNewFrame(at itemTime: UInt64) -> Bool {
        gst_hdr_video_output_has_new_frame(object, guint64(itemTime)) != 0
    }

    /// The frame for a time: the newest one whose time has come by then. `nil` where nothing is shown, and where the
    /// frame cannot be converted to the form in the settings, which is reported by a warning on the bus.
    public func copyFrame(at itemTime: UInt64) -> Frame? {
        var time: guint64 = 0
        guard let sample = gst_hdr_video_output_copy_frame(object, guint64(itemTime), &time) else { return nil }
        return Frame(sample, UInt64(time))
    }

    /// Requests one call of the closure given to ``onMediaDataWillChange(_:)``, `advanceInterval` ns before the next
    /// frame that this output has not handed out, or at once where that time has passed.
    public func requestNotification(advanceInterval: UInt64) {
        gst_hdr_video_output_request_notification(object, guint64(advanceInterval))
    }

    /// Calls `body` once after each request, on a thread of the output.
    public func onMediaDataWillChange(_ body: @escaping @Sendable () -> Void) {
        connect("media-data-will-change", body)
    }

    /// Calls `body` after each flush, such as that of a seek, on a thread of the output.
    public func onFlush(_ body: @escaping @Sendable () -> Void) { connect("flushed", body) }

    /// Orders the creation of a handler before its first call, for ThreadSanitizer.
    private static let handover = Handover()

    private final class Handler {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
            VideoOutput.handover.give()
        }
    }

    private func connect(_ signal: String, _ body: @escaping @Sendable () -> Void) {
        let handler: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
            guard let data else { return }
            VideoOutput.handover.take()
            Unmanaged<Handler>.fromOpaque(data).takeUnretainedValue().body()
        }
        g_signal_connect_data(
            object, signal, unsafeBitCast(handler, to: GCallback.self),
            Unmanaged.passRetained(Handler(body)).toOpaque(),
            { data, _ in if let data { Unmanaged<Handler>.fromOpaque(data).release() } }, GConnectFlags(rawValue: 0))
    }

    /// Which frames this output has taken and missed so far.
    public var consumptionRecord: ConsumptionRecord {
        var value = GValue()
        g_value_init(&value, gst_structure_get_type())
        defer { g_value_unset(&value) }
        g_object_get_property(object, "consumption-record", &value)
        guard let boxed = g_value_get_boxed(&value) else { return ConsumptionRecord() }
        let structure = boxed.assumingMemoryBound(to: GstStructure.self)
        func field(_ name: String) -> UInt64 {
            var number: guint64 = 0
            gst_structure_get_uint64(structure, name, &number)
            return UInt64(number)
        }
        let last = field("last-item-time")
        return ConsumptionRecord(
            copied: field("copied"), missed: field("missed"), repeated: field("repeated"),
            lastItemTime: last == UInt64(GstClockTime.max) ? nil : last)
    }
}
