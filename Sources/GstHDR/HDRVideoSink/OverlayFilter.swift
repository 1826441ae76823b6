import CGStreamer
import CGstHDR
import GstBridge

/// Blends subtitles and other overlays into SDR pictures.
final class OverlayFilter: BinFilter, @unchecked Sendable {
    private var info: GstVideoInfo?

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        if event.pointee.type == GST_EVENT_CAPS {
            var caps: UnsafeMutablePointer<GstCaps>?
            gst_event_parse_caps(event, &caps)
            var info = GstVideoInfo()
            self.info = caps.map { gst_video_info_from_caps(&info, $0) != 0 } == true ? info : nil
        }
        return push(event)
    }

    override func chain(_ buffer: UnsafeMutablePointer<GstBuffer>) -> GstFlowReturn {
        let compositions = Self.compositions(buffer)
        guard !compositions.isEmpty else { return push(buffer) }
        defer { for composition in compositions { gst_mini_object_unref(composition.asMiniObject) } }
        guard let picture = buffer.writable() else { return GST_FLOW_ERROR }
        Self.removeCompositions(picture)
        blend(compositions, into: picture)
        return push(picture)
    }

    private func blend(
        _ compositions: [UnsafeMutablePointer<GstMiniObject>], into picture: UnsafeMutablePointer<GstBuffer>
    ) {
        guard var info else { return }
        var frame = GstVideoFrame()
        let access = GstMapFlags(GST_MAP_READ.rawValue | GST_MAP_WRITE.rawValue)
        guard gst_video_frame_map(&frame, &info, picture, access) != 0 else { return }
        for composition in compositions { gst_video_overlay_composition_blend(OpaquePointer(composition), &frame) }
        gst_video_frame_unmap(&frame)
    }

    /// The overlays of a picture; the caller owns the references.
    private static func compositions(
        _ buffer: UnsafeMutablePointer<GstBuffer>
    ) -> [UnsafeMutablePointer<GstMiniObject>] {
        var found: [UnsafeMutablePointer<GstMiniObject>] = []
        var state: gpointer?
        let api = gst_video_overlay_composition_meta_api_get_type()
        while let meta = gst_buffer_iterate_meta_filtered(buffer, &state, api) {
            let overlay = UnsafeMutableRawPointer(meta).assumingMemoryBound(to: GstVideoOverlayCompositionMeta.self)
            guard let composition = overlay.pointee.overlay else { continue }
            let object = UnsafeMutableRawPointer(composition).assumingMemoryBound(to: GstMiniObject.self)
            if let held = gst_mini_object_ref(object) { found.append(held) }
        }
        return found
    }

    private static func removeCompositions(_ picture: UnsafeMutablePointer<GstBuffer>) {
        while let meta = gst_buffer_get_meta(picture, gst_video_overlay_composition_meta_api_get_type()),
            gst_buffer_remove_meta(picture, meta) != 0
        {}
    }
}
