import CGStreamer

/// The Swift half of an object of the C shim, which owns it through its field `impl`.
///
/// Public, as ``with(_:_:)`` stands between C and Swift at every buffer: the compiler specialises and inlines public
/// functions across modules, and not those with `package` access.
public protocol ShimObject: AnyObject {}

extension ShimObject {
    /// A new reference for the field `impl`, which ``free(_:)`` drops.
    package var impl: gpointer { Unmanaged.passRetained(self).toOpaque() }

    /// Calls `body` with the object behind `impl`, without touching its reference count.
    @inlinable public static func with<Result>(_ impl: gpointer, _ body: (Self) -> Result) -> Result {
        Unmanaged<Self>.fromOpaque(impl)._withUnsafeGuaranteedRef(body)
    }

    package static func free(_ impl: gpointer) { Unmanaged<Self>.fromOpaque(impl).release() }
}

/// The Swift half of an element.
package protocol ElementObject: ShimObject {
    associatedtype Element
    /// The GObject that owns this object; never retained.
    var element: UnsafeMutablePointer<Element> { get }
    /// The codes of errors and warnings for which no other is given.
    static var errorCode: MessageCode { get }
    static var warningCode: MessageCode { get }
}

extension ElementObject {
    package static var warningCode: MessageCode { errorCode }

    package var gstObject: UnsafeMutablePointer<GstObject> { element.asGstObject }
    package var gstElement: UnsafeMutablePointer<GstElement> { element.asGstElement }

    /// Posts an error, which ends the stream, as GST_ELEMENT_ERROR does.
    package func error(
        _ text: String, _ code: MessageCode = errorCode, file: StaticString = #fileID,
        function: StaticString = #function, line: Int32 = #line
    ) {
        ElementMessage.error(element.asGstElement, code, text, file: file, function: function, line: line)
    }

    /// Posts a warning; the stream goes on.
    package func warning(
        _ text: String, _ code: MessageCode = warningCode, file: StaticString = #fileID,
        function: StaticString = #function, line: Int32 = #line
    ) {
        ElementMessage.warning(element.asGstElement, code, text, file: file, function: function, line: line)
    }

    /// Posts an element message. Takes ownership of the structure.
    package func post(_ structure: Structure.Pointer?) {
        guard let structure, let message = gst_message_new_element(gstObject, structure) else { return }
        gst_element_post_message(gstElement, message)
    }

    /// Emits `notify` for properties that have changed.
    package func notify(_ names: String...) {
        for name in names { g_object_notify(element.asGObject, name) }
    }
}
