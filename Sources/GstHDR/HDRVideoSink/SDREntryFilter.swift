import CGStreamer
import CGstHDR
import GstBridge
import HDRColor

/// Filter before `hdrconvert`: decides which streams are converted to SDR, and accepts pictures with overlays, which
/// `hdrconvert` passes on unchanged.
final class SDREntryFilter: BinFilter, @unchecked Sendable {
    private static let overlays = "meta:GstVideoOverlayComposition"

    /// The capsfilter behind `hdrconvert`.
    private let filter: OwnedElement
    /// The element that turns pictures by their tags; `nil` where the sink does.
    private let turner: OwnedElement?
    private let formats: HDRVideoSink.SDRFormats

    /// - Parameter formats: the SDR formats that the sink accepts.
    init(filter: OwnedElement, turner: OwnedElement?, formats: HDRVideoSink.SDRFormats) {
        self.filter = filter
        self.turner = turner
        self.formats = formats
    }

    override func event(_ event: UnsafeMutablePointer<GstEvent>) -> Bool {
        guard event.pointee.type == GST_EVENT_CAPS else { return push(event) }
        var given: UnsafeMutablePointer<GstCaps>?
        gst_event_parse_caps(event, &given)
        guard let given, let caps = Self.withoutOverlays(given) else { return push(event) }
        defer { gst_caps_unref(caps) }
        Self.replaceUnknownColors(caps)
        gst_util_set_object_arg(filter.pointer.asGObject, "caps", wanted(caps))
        guard let changed = gst_event_new_caps(caps) else { return push(event) }
        gst_event_set_seqnum(changed, gst_event_get_seqnum(event))
        gst_mini_object_unref(event.asMiniObject)
        tellOrientation()
        return push(changed)
    }

    /// Tells the orientation to the element that turns pictures before it gets their caps: some sinks open their window
    /// when they get caps, and keep its shape. The elements between would keep a tag until the caps have passed.
    private func tellOrientation() {
        guard let turner, let pad = turner.use({ gst_element_get_static_pad($0, "sink") }) else { return }
        defer { gst_object_unref(pad) }
        guard let orientation = Upstream.orientationEvent(element.pointee.sinkpad) else { return }
        gst_pad_send_event(pad, orientation)
    }

    /// The caps of what sinks get of such pictures: SDR of BT.709 as it is. Sinks do not convert primaries, so that SDR
    /// of BT.2020 and P3 is converted too, with its transfer function, for which sinks do nothing.
    private func wanted(_ caps: UnsafeMutablePointer<GstCaps>) -> String {
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0 else { return "ANY" }
        let color = info.colorimetry
        let isHDR = Transfer(color.transfer)?.isHDR ?? false
        if isHDR || color.transfer == GST_VIDEO_TRANSFER_GAMMA10 { return formats.caps() }
        let isWide = [GST_VIDEO_COLOR_PRIMARIES_BT2020, GST_VIDEO_COLOR_PRIMARIES_SMPTEEG432].contains(color.primaries)
        guard isWide else { return "ANY" }
        return formats.caps(color.transfer == GST_VIDEO_TRANSFER_UNKNOWN ? GST_VIDEO_TRANSFER_BT709 : color.transfer)
    }

    /// Describes colours that `hdrconvert` does not convert as the nearest that it does, as `edrsink` shows them.
    private static func replaceUnknownColors(_ caps: UnsafeMutablePointer<GstCaps>) {
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0, let structure = gst_caps_get_structure(caps, 0),
            info.colorimetry.shownNote != nil, let text = info.colorimetry.shown.text
        else { return }
        Caps.set(structure, "colorimetry", to: text)
    }

    override func query(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        switch query.pointee.type {
        case GST_QUERY_CAPS: return answerCaps(query)
        case GST_QUERY_ACCEPT_CAPS:
            var given: UnsafeMutablePointer<GstCaps>?
            gst_query_parse_accept_caps(query, &given)
            guard let given, let caps = Self.withoutOverlays(given) else { return false }
            defer { gst_caps_unref(caps) }
            gst_query_set_accept_caps_result(query, gst_pad_peer_query_accept_caps(element.pointee.srcpad, caps))
            return true
        case GST_QUERY_ALLOCATION: return answerAllocation(query)
        default: return false
        }
    }

    /// Offers the caps that `hdrconvert` accepts, with and without overlays, and any pixel aspect ratio, since
    /// `videoscale` follows. Some elements refuse caps without a pixel aspect ratio where one is requested.
    private func answerCaps(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        var filter: UnsafeMutablePointer<GstCaps>?
        gst_query_parse_caps(query, &filter)
        let plain = filter.flatMap { Self.withoutOverlays($0) }
        defer { if let plain { gst_caps_unref(plain) } }
        guard let offered = gst_pad_peer_query_caps(element.pointee.srcpad, plain) else { return false }
        guard let both = gst_caps_copy(offered) else {
            gst_caps_unref(offered)
            return false
        }
        for index in 0..<gst_caps_get_size(offered) {
            if let structure = gst_caps_get_structure(both, index) {
                gst_structure_remove_field(structure, "pixel-aspect-ratio")
            }
            guard let more = gst_caps_copy_nth(both, index) else { continue }
            gst_caps_set_features(more, 0, gst_caps_features_from_string("memory:SystemMemory," + Self.overlays))
            gst_caps_append(both, more)
        }
        gst_caps_unref(offered)
        let answer = filter.map { gst_caps_intersect_full($0, both, GST_CAPS_INTERSECT_FIRST) } ?? gst_caps_ref(both)
        gst_caps_unref(both)
        guard let answer else { return false }
        gst_query_set_caps_result(query, answer)
        gst_caps_unref(answer)
        return true
    }

    /// Accepts overlays beside pictures where the caps announce them; buffer pools are negotiated by the converter,
    /// with plain caps.
    private func answerAllocation(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_query_parse_allocation(query, &caps, nil)
        guard let caps, Self.hasOverlays(caps) else { return false }
        gst_query_add_allocation_meta(query, gst_video_meta_api_get_type(), nil)
        gst_query_add_allocation_meta(query, gst_video_overlay_composition_meta_api_get_type(), nil)
        return true
    }

    private static func hasOverlays(_ caps: UnsafeMutablePointer<GstCaps>) -> Bool {
        (0..<gst_caps_get_size(caps)).contains { index in
            gst_caps_get_features(caps, index).map { gst_caps_features_contains($0, overlays) != 0 } ?? false
        }
    }

    /// A copy of caps without the overlay feature.
    private static func withoutOverlays(_ caps: UnsafeMutablePointer<GstCaps>) -> UnsafeMutablePointer<GstCaps>? {
        guard let copy = gst_caps_copy(caps) else { return nil }
        for index in 0..<gst_caps_get_size(copy) {
            guard let features = gst_caps_get_features(copy, index), gst_caps_features_contains(features, overlays) != 0
            else { continue }
            gst_caps_features_remove(features, overlays)
        }
        return copy
    }
}
