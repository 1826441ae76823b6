import CGStreamer
import CGstHDR
import GstBridge

/// Answers to queries of neighbouring elements.
extension HDRTap {
    /// Answers queries about formats where effects act on video, which take and give some formats only.
    /// - Returns: whether the answer succeeded; `nil` for queries that are passed on.
    func sinkQuery(_ query: UnsafeMutablePointer<GstQuery>) -> Bool? {
        guard let formats = activeFormats else { return nil }
        switch query.pointee.type {
        case GST_QUERY_ALLOCATION: return formats == .withAlpha ? false : nil
        case GST_QUERY_ACCEPT_CAPS:
            guard formats == .withAlpha else { return nil }
            gst_query_set_accept_caps_result(query, 1)
            return true
        case GST_QUERY_CAPS:
            return answer(query, by: element.pointee.srcpad, formats) { formats.inputs($0) }
        default: return nil
        }
    }

    /// Answers queries for formats as the sink pad does, and the latency query with the sum of upstream's latency and
    /// the processor's.
    /// - Returns: `false` for all other queries.
    func sourceQuery(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        switch query.pointee.type {
        case GST_QUERY_LATENCY: return addLatency(query)
        case GST_QUERY_CAPS:
            guard let formats = activeFormats, formats == .withAlpha else { return false }
            // Elements that take no alpha link too, so that an error can say what to do.
            return answer(query, by: element.pointee.sinkpad, formats) { names in
                formats.outputs(names) + EffectFormats.kept.outputs(names)
            } ?? false
        default: return false
        }
    }

    /// The formats of the effects that act; `nil` where all streams pass.
    private var activeFormats: EffectFormats? {
        let settings = self.settings.current
        guard settings.formats != .all, settings.callbacks == nil, !settings.isEmitting else { return nil }
        return settings.formats
    }

    /// Answers a query for caps by those of the other pad's peer, with the formats that correspond to its formats.
    private func answer(
        _ query: UnsafeMutablePointer<GstQuery>, by pad: UnsafeMutablePointer<GstPad>, _ formats: EffectFormats,
        _ corresponding: ([String]?) -> [String]
    ) -> Bool? {
        var filter: UnsafeMutablePointer<GstCaps>?
        gst_query_parse_caps(query, &filter)
        guard let peer = gst_pad_peer_query_caps(pad, nil) else { return nil }
        defer { gst_caps_unref(peer) }
        // A peer that accepts any caps also accepts streams that effects do not act on. So the answer is the query's
        // filter, with the formats of its raw video restricted.
        if gst_caps_is_any(peer) != 0 {
            let possible = corresponding(nil)
            let among = { (names: [String]?) in names?.filter { possible.contains($0) } ?? possible }
            guard let filter, let result = Self.mapped(filter, .kept, among) else { return nil }
            defer { gst_caps_unref(result) }
            gst_query_set_caps_result(query, result)
            return true
        }
        guard let result = Self.mapped(peer, formats, corresponding) else { return nil }
        defer { gst_caps_unref(result) }
        guard let filter else {
            gst_query_set_caps_result(query, result)
            return true
        }
        guard let shared = gst_caps_intersect_full(filter, result, GST_CAPS_INTERSECT_FIRST) else { return nil }
        gst_query_set_caps_result(query, shared)
        gst_caps_unref(shared)
        return true
    }

    /// A copy of caps with the corresponding formats of raw video; the caller owns it. Where no structure has one, the
    /// formats are not restricted, so that the stream ends with an error that names its format instead of a failed
    /// negotiation.
    private static func mapped(
        _ caps: Caps.Pointer, _ formats: EffectFormats, _ corresponding: ([String]?) -> [String]
    ) -> Caps.Pointer? {
        guard let result = gst_caps_copy(caps) else { return nil }
        var others: [guint] = []
        for index in 0..<gst_caps_get_size(result) {
            guard let structure = gst_caps_get_structure(result, index),
                gst_structure_has_name(structure, "video/x-raw") != 0,
                let features = gst_caps_get_features(result, index), gst_caps_features_is_any(features) == 0,
                gst_caps_features_contains(features, "memory:SystemMemory") != 0
            else { continue }
            let names = corresponding(Caps.strings(structure, "format"))
            if names.isEmpty {
                others.append(index)
            } else {
                Caps.set(structure, "format", to: names)
            }
            if formats == .withAlpha { gst_structure_remove_field(structure, "chroma-site") }
        }
        guard others.count < gst_caps_get_size(result) else {
            // With any format allowed, upstream can choose one for which the error names the format that it becomes.
            if formats == .withAlpha, let any = gst_caps_copy(result) {
                for index in others {
                    gst_caps_get_structure(any, index).map { gst_structure_remove_field($0, "format") }
                }
                gst_caps_append(result, any)
            }
            return result
        }
        for index in others.reversed() { gst_caps_remove_structure(result, index) }
        return result
    }

    /// Whether effects do not take the stream's present format, but upstream can give one that they take.
    func canGetOtherFormat(than caps: Caps.Pointer) -> Bool {
        guard activeFormats != nil, let pad = element.pointee.sinkpad, let taken = gst_pad_query_caps(pad, nil) else {
            return false
        }
        defer { gst_caps_unref(taken) }
        guard gst_caps_can_intersect(taken, caps) == 0, let possible = gst_pad_peer_query_caps(pad, taken) else {
            return false
        }
        defer { gst_caps_unref(possible) }
        return gst_caps_is_empty(possible) == 0
    }

    private func addLatency(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        let own = latency.load(ordering: .relaxed)
        guard own > 0, gst_pad_peer_query(element.pointee.sinkpad, query) != 0 else { return false }
        var isLive: gboolean = 0
        var minimum: GstClockTime = 0
        var maximum: GstClockTime = 0
        gst_query_parse_latency(query, &isLive, &minimum, &maximum)
        func later(_ time: GstClockTime) -> GstClockTime {
            let (sum, overflow) = UInt64(time).addingReportingOverflow(own)
            return overflow ? GstClockTime.max : GstClockTime(sum)
        }
        minimum = later(minimum)
        if maximum != GstClockTime.max { maximum = later(maximum) }
        gst_query_set_latency(query, isLive, minimum, maximum)
        return true
    }
}
