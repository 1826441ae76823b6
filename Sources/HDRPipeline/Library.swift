import CGStreamer
import HDRConcurrency

/// The initialization of GStreamer, which must precede any other use of it.
enum Library {
    /// Initializes GStreamer once.
    static let start: Void = { gst_init(nil, nil) }()
}

/// GStreamer in this process. The first pipeline, element or buffer initializes it.
public enum GStreamer {
    /// Initializes GStreamer now. Without this call, a program ends where GStreamer cannot be initialized.
    public static func start() throws(PipelineError) {
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard gst_init_check(nil, nil, &error) == 0 else { return Library.start }
        throw PipelineError(error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "unknown reason")
    }

    /// Suppresses warnings that GLib would print for its libraries, such as an element's about a damaged file.
    public static func dropWarnings() {
        // The handler may be called on any thread.
        g_log_set_default_handler({ _, _, _, _ in }, nil)
    }
}

/// Disables the type finders of a plugin, such as `libav`, in the whole process and for the lifetime of this object.
/// Data of uncertain type are shown to every type finder, and those of a plugin with large libraries take longer to
/// load than everything else that is done with a short file. May be used on any thread.
public final class HiddenTypeFinders: Sendable {
    /// The disabled features, with a reference each.
    private let features: UncheckedSendable<[OpaquePointer]>

    /// - Parameter plugin: the plugin's name, as `gst-inspect-1.0` lists it; a plugin that is not installed has no type
    ///   finders.
    public init(ofPlugin plugin: String) {
        Library.start
        let registry = gst_registry_get()
        let list = gst_registry_get_feature_list_by_plugin(registry, plugin)
        defer { gst_plugin_feature_list_free(list) }
        var found: [OpaquePointer] = []
        var item = list
        while let node = item {
            defer { item = node.pointee.next }
            guard let data = node.pointee.data,
                g_type_check_instance_is_a(
                    data.assumingMemoryBound(to: GTypeInstance.self), gst_type_find_factory_get_type()) != 0
            else { continue }
            gst_object_ref(data)
            let feature = OpaquePointer(data)
            gst_registry_remove_feature(registry, feature)
            found.append(feature)
        }
        features = UncheckedSendable(found)
    }

    deinit {
        for feature in features.value {
            gst_registry_add_feature(gst_registry_get(), feature)
            gst_object_unref(UnsafeMutableRawPointer(feature))
        }
    }
}
