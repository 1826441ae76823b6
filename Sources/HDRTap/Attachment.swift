import CHDRTap

/// The reason why a processor was not attached.
public struct TapError: Error, CustomStringConvertible, Sendable {
    /// The reason, and how to fix it where that is known.
    public let description: String
}

/// An attached box, independent of the type of its processor.
final class Attachment: @unchecked Sendable {
    /// The set of callbacks with which a box is attached.
    enum Kind {
        case audio, video, compositor

        fileprivate var signal: String {
            switch self {
            case .audio: "set-audio-callbacks"
            case .video: "set-video-callbacks"
            case .compositor: "set-compositor-callbacks"
            }
        }

        fileprivate var elementName: String { self == .compositor ? "hdrcompositor" : "hdrtap" }

        /// Attaches a box; `nil` callbacks detach it.
        fileprivate func set(
            _ element: UnsafeMutablePointer<GstElement>, _ storage: gpointer, attaches: Bool,
            _ problem: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
        ) -> Bool {
            switch self {
            case .audio:
                guard attaches else { return gst_hdr_tap_set_audio_callbacks(element, nil, storage, nil, problem) != 0 }
                var callbacks = TapCallbacks.all
                return gst_hdr_tap_set_audio_callbacks(element, &callbacks, storage, nil, problem) != 0
            case .video:
                guard attaches else { return gst_hdr_tap_set_video_callbacks(element, nil, storage, nil, problem) != 0 }
                var callbacks = VideoTapCallbacks.all
                return gst_hdr_tap_set_video_callbacks(element, &callbacks, storage, nil, problem) != 0
            case .compositor:
                guard attaches else {
                    return gst_hdr_compositor_set_callbacks(element, nil, storage, nil, problem) != 0
                }
                let box = Unmanaged<CompositorBox>.fromOpaque(storage).takeUnretainedValue()
                var callbacks = CompositorCallbacks.all(box.compositor.abilities)
                return gst_hdr_compositor_set_callbacks(element, &callbacks, storage, nil, problem) != 0
            }
        }
    }

    private let kind: Kind
    private let element: UnsafeMutablePointer<GstElement>
    private let number: UInt
    /// The box's address, by which the element identifies the callbacks.
    private let storage: gpointer

    /// Held while an element's processor and the record of it change. A processor that is released meanwhile may attach
    /// or detach others.
    nonisolated(unsafe) private static let lock = {
        let lock = UnsafeMutablePointer<GRecMutex>.allocate(capacity: 1)
        g_rec_mutex_init(lock)
        return lock
    }()
    /// The number of the last attachment.
    nonisolated(unsafe) private static var last: UInt = 0
    /// The key of the element's data with the number of the last attachment by this module.
    private static let key = "gst-hdr-tap-attachment"

    init<Box: AnyObject>(
        _ box: consuming Box, _ element: UnsafeMutablePointer<GstElement>, _ kind: Kind
    ) throws(TapError) {
        guard let objectClass = element.pointee.object.object.g_type_instance.g_class,
            g_signal_lookup(kind.signal, objectClass.pointee.g_type) != 0
        else { throw TapError(description: "The element is no \(kind.elementName) of the plugin hdr") }
        let storage = Unmanaged.passRetained(box)
        g_rec_mutex_lock(Self.lock)
        defer { g_rec_mutex_unlock(Self.lock) }
        var problem: UnsafeMutablePointer<GError>?
        guard kind.set(element, storage.toOpaque(), attaches: true, &problem) else {
            storage.release()
            defer { g_clear_error(&problem) }
            let text = problem.map { String(cString: $0.pointee.message) }
            throw TapError(description: text ?? "\(kind.elementName) takes no callbacks")
        }
        Self.last += 1
        number = Self.last
        self.kind = kind
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
        // Callbacks that were attached by other means since then stay.
        _ = kind.set(element, storage, attaches: false, nil)
    }

    private static func object(_ element: UnsafeMutablePointer<GstElement>) -> UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
    }
}
