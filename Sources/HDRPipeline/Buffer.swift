import CGStreamer

/// Bytes with times, which go into a pipeline.
public final class Buffer: Value, Equatable, @unchecked Sendable {
    /// Owned by this object.
    public let pointer: UnsafeMutablePointer<GstBuffer>

    init(retaining pointer: UnsafeMutablePointer<GstBuffer>) { self.pointer = gst_buffer_ref(pointer) }

    /// A new buffer of `count` bytes, which `fill` writes.
    /// - Parameter time: of presentation, in ns.
    public init(
        count: Int, time: UInt64? = nil, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void
    ) throws {
        Library.start
        guard count >= 0, let pointer = gst_buffer_new_allocate(nil, gsize(count), nil) else {
            throw PipelineError("There is no memory for a buffer of \(count) bytes")
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

    /// Of presentation, in ns.
    public var time: UInt64? { pointer.pointee.pts == GstClockTime.max ? nil : UInt64(pointer.pointee.pts) }

    /// Lends the bytes; `nil` where they cannot be read.
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

/// A buffer with the format of its bytes, which comes out of a pipeline.
public final class Sample: Value, @unchecked Sendable {
    /// Owned by this object.
    public let pointer: OpaquePointer

    init(retaining pointer: OpaquePointer) { self.pointer = gst_sample_ref(pointer) }

    deinit { gst_sample_unref(pointer) }

    public var buffer: Buffer? { gst_sample_get_buffer(pointer).map { Buffer(retaining: $0) } }

    /// The caps: what the bytes are.
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
