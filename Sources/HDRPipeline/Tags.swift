import CGStreamer

/// A GStreamer tag list, which describes a stream or a file, for example its language.
public final class Tags: Value, @unchecked Sendable {
    /// GStreamer's tag list, which this object owns and never changes.
    private let pointer: UnsafeMutablePointer<GstTagList>

    init(retaining pointer: UnsafeMutablePointer<GstTagList>) {
        self.pointer =
            gst_mini_object_ref(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstMiniObject.self))
            .map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstTagList.self) } ?? pointer
    }

    deinit { gst_mini_object_unref(UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GstMiniObject.self)) }

    /// The first value of a tag, such as `language-code`, as text; `nil` where there is none.
    public subscript(name: String) -> String? {
        gst_tag_list_get_value_index(pointer, name, 0).flatMap { String.read($0) }
    }

    public static func read(_ value: UnsafePointer<GValue>) -> Tags? {
        guard value.holds(gst_tag_list_get_type()), let pointer = g_value_get_boxed(value) else { return nil }
        return Tags(retaining: pointer.assumingMemoryBound(to: GstTagList.self))
    }

    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        guard UnsafePointer(value).holds(gst_tag_list_get_type()) else { return false }
        g_value_set_boxed(value, pointer)
        return true
    }
}
