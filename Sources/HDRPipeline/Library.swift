import CGStreamer
import HDRConcurrency

/// GStreamer itself, which has to be started before anything of it is used.
enum Library {
    /// Starts GStreamer, once.
    static let start: Void = { gst_init(nil, nil) }()
}

/// GStreamer in this process. The first pipeline, element or buffer starts it.
public enum GStreamer {
    /// Starts GStreamer now. Without this call a program ends where GStreamer cannot be started.
    public static func start() throws(PipelineError) {
        var error: UnsafeMutablePointer<GError>?
        defer { g_clear_error(&error) }
        guard gst_init_check(nil, nil, &error) == 0 else { return Library.start }
        throw PipelineError(error.flatMap { $0.pointee.message }.map { String(cString: $0) } ?? "unknown reason")
    }

    /// Drops what GLib would print of its libraries' own warnings, such as an element's about a damaged file.
    public static func dropWarnings() {
        // Called on any thread.
        g_log_set_default_handler({ _, _, _, _ in }, nil)
    }
}

/// Keeps the type finders of a plugin, such as `libav`, from looking at files, in the whole process and for as long as
/// this object lives. A type that is not certain is shown to every type finder, and those of a plugin with large
/// libraries take longer to load than all else that is done with a short file. Any thread.
public final class HiddenTypeFinders: Sendable {
    /// With a reference each.
    private let features: UncheckedSendable<[OpaquePointer]>

    /// - Parameter plugin: its name, as `gst-inspect-1.0` lists it; one that is not there has no type finders.
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
