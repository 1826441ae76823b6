import CGStreamer

/// Casts between the C structures of a GObject type and its parents, each of which begins with its parent's.
///
/// Like GStreamer's cast macros they only change the pointer's type; the caller knows the object. They are public
/// so that they are inlined into other modules, where they cost nothing.
extension UnsafeMutablePointer {
    @inlinable public var asGObject: UnsafeMutablePointer<GObject> { cast() }
    @inlinable public var asGstObject: UnsafeMutablePointer<GstObject> { cast() }
    @inlinable public var asGstElement: UnsafeMutablePointer<GstElement> { cast() }
    @inlinable public var asGstBin: UnsafeMutablePointer<GstBin> { cast() }
    @inlinable public var asMiniObject: UnsafeMutablePointer<GstMiniObject> { cast() }

    /// A pointer with this address to a parent or a subclass.
    @inlinable public func cast<Other>(to type: Other.Type = Other.self) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
    }

    /// A mini object that may be changed: this one, or a copy that replaces it. Takes ownership of the reference.
    package func writable() -> UnsafeMutablePointer? {
        gst_mini_object_make_writable(asMiniObject)?.cast(to: Pointee.self)
    }
}
