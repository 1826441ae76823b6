import CGStreamer

/// Bytes with times that go into a pipeline.
public final class Buffer: Value, Equatable, @unchecked Sendable {
    /// GStreamer's buffer, which this object owns.
    public let pointer: UnsafeMutablePointer<GstBuffer>

    init(retaining pointer: UnsafeMutablePointer<GstBuffer>) { self.pointer = gst_buffer_ref(pointer) }

    /// Makes a new buffer of `count` bytes, which `fill` writes.
    /// - Parameter time: the presentation timestamp in ns.
    public init(
        count: Int, time: UInt64? = nil, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        Library.start
        guard count >= 0, let pointer = gst_buffer_new_allocate(nil, gsize(count), nil) else {
            throw PipelineError("Out of memory for a buffer of \(count) bytes")
        }
        self.pointer = pointer
        pointer.pointee.pts = time.map { GstClockTime($0) } ?? GstClockTime.max
        var map = GstMapInfo()
        guard gst_buffer_map(pointer, &map, GST_MAP_WRITE) != 0 else {
            throw PipelineError("A buffer of \(count) bytes cannot be written to")
        }
        defer { gst_buffer_unmap(pointer, &map) }
        try fill(UnsafeMutableRawBufferPointer(start: map.data, count: count))
    }

    deinit { gst_buffer_unref(pointer) }

    /// Whether both are the same buffer of GStreamer's.
    public static func == (first: Buffer, second: Buffer) -> Bool { first.pointer == second.pointer }

    /// The presentation timestamp in ns; `nil` where it has none.
    public var time: UInt64? { pointer.pointee.pts == GstClockTime.max ? nil : UInt64(pointer.pointee.pts) }

    /// The duration in ns; `nil` where it is not known.
    public var duration: UInt64? {
        pointer.pointee.duration == GstClockTime.max ? nil : UInt64(pointer.pointee.duration)
    }

    /// The file offset of the first byte; `nil` where the buffer does not come from a source of bytes.
    public var offset: UInt64? {
        pointer.pointee.offset == guint64.max ? nil : UInt64(pointer.pointee.offset)
    }

    /// The number of bytes.
    public var count: Int { Int(gst_buffer_get_size(pointer)) }

    /// A buffer with the same bytes, or a part of them, at another time. The bytes are not copied.
    /// - Parameters:
    ///   - part: the range of the bytes; `nil` for all. A part has no metadata.
    ///   - time: the presentation timestamp in ns.
    ///   - duration: the duration in ns.
    public func retimed(
        _ part: Range<Int>? = nil, time: UInt64?, duration: UInt64?
    ) throws(PipelineError) -> Buffer {
        let range = (part ?? 0..<count).clamped(to: 0..<count)
        let whole =
            GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue | GST_BUFFER_COPY_META.rawValue
            | GST_BUFFER_COPY_MEMORY.rawValue
        let flags = GstBufferCopyFlags(part == nil ? whole : GST_BUFFER_COPY_MEMORY.rawValue)
        guard let copy = gst_buffer_copy_region(pointer, flags, gsize(range.lowerBound), gsize(range.count)) else {
            throw PipelineError("Out of memory for a buffer")
        }
        defer { gst_buffer_unref(copy) }
        copy.pointee.pts = time.map { GstClockTime($0) } ?? GstClockTime.max
        copy.pointee.dts = GstClockTime.max
        copy.pointee.duration = duration.map { GstClockTime($0) } ?? GstClockTime.max
        return Buffer(retaining: copy)
    }

    /// Marks that the buffer does not continue the previous one. Only for a buffer that is not used elsewhere yet.
    public func markDiscontinuity() { pointer.pointee.mini_object.flags |= GST_BUFFER_FLAG_DISCONT.rawValue }

    /// A buffer of other bytes with this one's times, flags and metadata.
    public func replaced(by bytes: [UInt8]) throws(PipelineError) -> Buffer {
        guard let copy = gst_buffer_new_allocate(nil, gsize(bytes.count), nil) else {
            throw PipelineError("Out of memory for a buffer of \(bytes.count) bytes")
        }
        defer { gst_buffer_unref(copy) }
        let parts =
            GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue | GST_BUFFER_COPY_META.rawValue
        guard gst_buffer_copy_into(copy, pointer, GstBufferCopyFlags(parts), 0, gsize.max) != 0,
            bytes.withUnsafeBytes({ gst_buffer_fill(copy, 0, $0.baseAddress, gsize($0.count)) }) == gsize(bytes.count)
        else { throw PipelineError("A buffer of \(bytes.count) bytes cannot be written to") }
        return Buffer(retaining: copy)
    }

    /// Calls `body` with the bytes; `nil` where they cannot be read.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result? {
        var map = GstMapInfo()
        guard gst_buffer_map(pointer, &map, GST_MAP_READ) != 0 else { return nil }
        defer { gst_buffer_unmap(pointer, &map) }
        return try body(UnsafeRawBufferPointer(start: map.data, count: Int(map.size)))
    }

    public static func read(_ value: UnsafePointer<GValue>) -> Self? {
        guard value.holds(gst_buffer_get_type()), let pointer = g_value_get_boxed(value) else { return nil }
        return Self(retaining: pointer.assumingMemoryBound(to: GstBuffer.self))
    }

    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        guard UnsafePointer(value).holds(gst_buffer_get_type()) else { return false }
        g_value_set_boxed(value, pointer)
        return true
    }
}

/// A buffer with the format of its bytes, as output by a pipeline.
public final class Sample: Value, @unchecked Sendable {
    /// GStreamer's sample, which this object owns.
    public let pointer: OpaquePointer

    /// Wraps a sample of GStreamer's, such as that of a frame of `VideoOutput`.
    public init(retaining pointer: OpaquePointer) { self.pointer = gst_sample_ref(pointer) }

    /// Makes a sample of a buffer and a format, which is given as text.
    public init(_ buffer: Buffer, format: String) throws(PipelineError) {
        Library.start
        guard let caps = gst_caps_from_string(format) else {
            throw PipelineError("\"\(format)\" describes no format")
        }
        defer { gst_caps_unref(caps) }
        guard let made = gst_sample_new(buffer.pointer, caps, nil, nil) else {
            throw PipelineError("Out of memory for a sample")
        }
        pointer = made
    }

    deinit { gst_sample_unref(pointer) }

    /// The buffer's running time in ns; `nil` where it has none.
    public var runningTime: UInt64? {
        guard let time = buffer?.time, let segment = gst_sample_get_segment(pointer) else { return nil }
        let result = gst_segment_to_running_time(segment, GST_FORMAT_TIME, guint64(time))
        return result == guint64.max ? nil : UInt64(result)
    }

    /// The buffer with the bytes; `nil` where the sample has none.
    public var buffer: Buffer? { gst_sample_get_buffer(pointer).map { Buffer(retaining: $0) } }

    /// The caps, which describe the bytes.
    public var format: Structure? {
        gst_sample_get_caps(pointer).flatMap { Structure(copying: gst_caps_get_structure($0, 0)) }
    }

    public static func read(_ value: UnsafePointer<GValue>) -> Self? {
        guard value.holds(gst_sample_get_type()), let pointer = g_value_get_boxed(value) else { return nil }
        return Self(retaining: OpaquePointer(pointer))
    }

    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        guard UnsafePointer(value).holds(gst_sample_get_type()) else { return false }
        g_value_set_boxed(value, UnsafeRawPointer(pointer))
        return true
    }
}
