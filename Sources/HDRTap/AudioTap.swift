import CHDRTap

/// A processor's place in an element `hdrtap`.
///
/// The element owns the processor, and releases it after its last call: when it is detached, replaced, or the
/// element goes. This object keeps the element; letting go of it does not detach.
public final class AudioTap<Processor: AudioProcessor & ~Copyable>: Sendable {
    private let attachment: Attachment

    /// Attaches a processor, in place of the element's effect or of what was attached before. On any thread, in any
    /// state; while playing it takes over at the next buffer.
    /// - Parameter element: An element `hdrtap`.
    public init(
        _ processor: consuming sending Processor, on element: UnsafeMutablePointer<GstElement>
    ) throws(AudioTapError) {
        attachment = try Attachment(ProcessorBox(element, processor), element)
    }

    /// Detaches the processor, if no other `AudioTap` has taken its place. Buffers pass, or reach the element's effect,
    /// from the next one on. On any thread; the processor may be in its last call when this returns.
    public func detach() { attachment.detach() }
}

/// Why a processor was not attached.
public struct AudioTapError: Error, CustomStringConvertible, Sendable {
    public let description: String
}

/// An attached box, whatever the type of its processor.
private final class Attachment: @unchecked Sendable {
    private let element: UnsafeMutablePointer<GstElement>
    private let number: UInt
    /// The box, by which the element knows the callbacks.
    private let storage: gpointer

    /// Held while an element's processor and what is noted of it change. A processor that is released then may attach
    /// or detach others.
    nonisolated(unsafe) private static let lock = {
        let lock = UnsafeMutablePointer<GRecMutex>.allocate(capacity: 1)
        g_rec_mutex_init(lock)
        return lock
    }()
    /// The number of the last attachment.
    nonisolated(unsafe) private static var last: UInt = 0
    /// The element's data that holds the number of the last attachment by this module.
    private static let key = "gst-hdr-tap-attachment"

    init(_ box: consuming TapBox, _ element: UnsafeMutablePointer<GstElement>) throws(AudioTapError) {
        guard let objectClass = element.pointee.object.object.g_type_instance.g_class,
            g_signal_lookup("set-audio-callbacks", objectClass.pointee.g_type) != 0
        else { throw AudioTapError(description: "The element is no hdrtap of the plugin hdr") }
        let storage = Unmanaged.passRetained(box)
        g_rec_mutex_lock(Self.lock)
        defer { g_rec_mutex_unlock(Self.lock) }
        var callbacks = TapCallbacks.all
        var problem: UnsafeMutablePointer<GError>?
        guard gst_hdr_tap_set_audio_callbacks(element, &callbacks, storage.toOpaque(), nil, &problem) != 0 else {
            storage.release()
            defer { g_clear_error(&problem) }
            let text = problem.map { String(cString: $0.pointee.message) }
            throw AudioTapError(description: text ?? "hdrtap takes no callbacks")
        }
        Self.last += 1
        number = Self.last
        self.storage = storage.toOpaque()
        self.element = element
        gst_object_ref(element)
        g_object_set_data(Self.object(element), Self.key, gpointer(bitPattern: number))
    }

    deinit { gst_object_unref(element) }

    func detach() {
        g_rec_mutex_lock(Self.lock)
        defer { g_rec_mutex_unlock(Self.lock) }
        guard g_object_get_data(Self.object(element), Self.key) == gpointer(bitPattern: number) else { return }
        g_object_set_data(Self.object(element), Self.key, nil)
        // Callbacks that something else has attached since then stay.
        gst_hdr_tap_set_audio_callbacks(element, nil, storage, nil, nil)
    }

    private static func object(_ element: UnsafeMutablePointer<GstElement>) -> UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
    }
}
