import CGStreamer
import GstBridge

/// Chooses the element that decodes a track.
enum Decoders {
    /// The software decoder of the highest rank, floating; `nil` where there is none. Hardware decoders are left out:
    /// they differ in what they support and how they round.
    static func make(for caps: UnsafeMutablePointer<GstCaps>) -> UnsafeMutablePointer<GstElement>? {
        find(for: caps) { gst_element_factory_create($0, nil) }
    }

    static func isThere(for caps: UnsafeMutablePointer<GstCaps>) -> Bool { find(for: caps) { _ in true } ?? false }

    private static func find<Result>(
        for caps: UnsafeMutablePointer<GstCaps>, _ use: (OpaquePointer) -> Result?
    ) -> Result? {
        guard let all = gst_element_factory_list_get_elements(decoders, GST_RANK_MARGINAL) else { return nil }
        defer { gst_plugin_feature_list_free(all) }
        guard
            let fitting = gst_element_factory_list_filter(all, caps, GST_PAD_SINK, gst_caps_is_fixed(caps))
        else { return nil }
        defer { gst_plugin_feature_list_free(fitting) }
        var best: (factory: OpaquePointer, rank: guint)?
        var node: UnsafeMutablePointer<GList>? = fitting
        while let entry = node {
            node = entry.pointee.next
            guard let data = entry.pointee.data else { continue }
            let factory = OpaquePointer(data)
            let rank = gst_plugin_feature_get_rank(factory)
            guard isUsable(factory), rank > best?.rank ?? 0 else { continue }
            best = (factory, rank)
        }
        return best.flatMap { use($0.factory) }
    }

    /// GST_ELEMENT_FACTORY_TYPE_DECODER, a macro that Swift does not see.
    private static let decoders: GstElementFactoryListType = 1

    private static func isUsable(_ factory: OpaquePointer) -> Bool {
        let kind = gst_element_factory_get_metadata(factory, "klass").map { String(cString: $0) } ?? ""
        let text = gst_object_get_name(UnsafeMutableRawPointer(factory).assumingMemoryBound(to: GstObject.self))
        defer { g_free(text) }
        // Caps that are not fixed yet also fit the decoders of VP8 and VP9 with transparency, which want two streams.
        let name = text.map { String(cString: $0) } ?? ""
        return !kind.contains("Hardware") && !name.contains("alpha") && name != BrokenDecoder.name
    }

    /// The Debian package whose elements decode a codec or demux a container; `nil` for media types not listed here.
    static func package(_ mediaType: String) -> String? {
        switch mediaType {
        case "video/x-h265", "video/x-prores", "video/x-h264": "gstreamer1.0-libav"
        case "video/x-av1", "video/mpegts": "gstreamer1.0-plugins-bad"
        case "video/x-vp9", "video/quicktime", "video/x-matroska", "video/webm": "gstreamer1.0-plugins-good"
        default: nil
        }
    }

    /// A codec in words, such as "H.265 (Main 10 Profile)"; for unknown codecs the four-character code.
    static func codecName(_ mediaType: String) -> String {
        if mediaType.hasPrefix("video/x-gst-fourcc-") {
            return mediaType.split(separator: "-").last.map(String.init) ?? mediaType
        }
        guard let caps = gst_caps_new_empty_simple(mediaType) else { return mediaType }
        defer { gst_caps_unref(caps) }
        guard let text = gst_pb_utils_get_codec_description(caps) else { return mediaType }
        defer { g_free(text) }
        return String(cString: text)
    }
}
