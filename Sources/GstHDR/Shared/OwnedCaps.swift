import CGStreamer

/// Caps whose reference is dropped with this object.
final class OwnedCaps {
    let pointer: UnsafeMutablePointer<GstCaps>

    /// - Parameter caps: ownership is taken.
    init(owning caps: UnsafeMutablePointer<GstCaps>) { pointer = caps }

    /// - Parameter caps: get another reference.
    init(_ caps: UnsafeMutablePointer<GstCaps>) { pointer = gst_caps_ref(caps) }

    init?(copyOf caps: UnsafeMutablePointer<GstCaps>) {
        guard let copy = gst_caps_copy(caps) else { return nil }
        pointer = copy
    }

    deinit { gst_caps_unref(pointer) }
}
