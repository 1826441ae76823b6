import CGStreamer
import GstBridge

/// The video sinks of this machine.
enum SinkFactories {
    /// The names of the video sinks that open windows, the highest rank first; those of the bare console come last.
    static var ranked: [String] {
        guard let list = gst_registry_get_feature_list(gst_registry_get(), gst_element_factory_get_type()) else {
            return []
        }
        defer { gst_plugin_feature_list_free(list) }
        var found: [(name: String, rank: guint)] = []
        var node: UnsafeMutablePointer<GList>? = list
        while let entry = node {
            node = entry.pointee.next
            guard let data = entry.pointee.data else { continue }
            let factory = OpaquePointer(data)
            let rank = gst_plugin_feature_get_rank(factory)
            guard rank >= guint(GST_RANK_MARGINAL.rawValue), opensWindows(factory) else { continue }
            let name = name(factory)
            if !choosers.contains(name) { found.append((name, rank)) }
        }
        let sorted = found.sorted { ($1.rank, $0.name) < ($0.rank, $1.name) }.map(\.name)
        return sorted.filter { $0 != console } + sorted.filter { $0 == console }
    }

    /// Sinks that choose among all sinks, which would include this bin.
    private static let choosers: Set<String> = ["hdrvideosink", "playsink"]

    /// The sink that takes the whole screen, and fails while another program has it.
    private static let console = "kmssink"

    /// Whether a sink opens a window of its own. Sinks that draw into a widget of GTK or Qt show nothing unless an
    /// application puts it into a window, and that of DirectFB ends the program where there is no framebuffer; none of
    /// them implements GstVideoOverlay.
    private static func opensWindows(_ factory: OpaquePointer) -> Bool {
        let kind = gst_element_factory_get_metadata(factory, "klass").map { String(cString: $0) } ?? ""
        return ["Sink", "Video"].allSatisfy { kind.split(separator: "/").contains(Substring($0)) }
            && gst_element_factory_has_interface(factory, "GstVideoOverlay") != 0
    }

    static func name(_ factory: OpaquePointer) -> String {
        let object = UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self)
        return object.pointee.name.map { String(cString: $0) } ?? ""
    }
}
