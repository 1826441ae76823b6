import CGStreamer
import CGstHDR
import GstBridge

/// Answers queries from a source before and after there is a plan.
///
/// The chain inside is built while the source's first buffer waits. Meanwhile nothing may make the source choose
/// another format than the plan's, or send serialized queries through queues: behind a tee, such a query waits for the
/// other branch, which waits for its sink to preroll.
extension InputFilter {
    /// - Returns: whether the query is answered.
    func answer(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        switch query.pointee.type {
        case GST_QUERY_CAPS:
            answerCaps(query)
            return true
        case GST_QUERY_ACCEPT_CAPS:
            // Caps that do not fit are refused when they arrive, with an error that names the cause.
            gst_query_set_accept_caps_result(query, 1)
            return true
        case GST_QUERY_ALLOCATION:
            answerAllocation(query)
            return true
        default: return false
        }
    }

    /// The caps that the pad accepts: the plan's first, so that a source with a choice keeps them, then the template's.
    /// Caps that differ from the plan's are converted where the chain can, or refused with an error that names the
    /// cause; a source that found no caps at all would only post a generic error.
    private func answerCaps(_ query: UnsafeMutablePointer<GstQuery>) {
        var filter: UnsafeMutablePointer<GstCaps>?
        gst_query_parse_caps(query, &filter)
        var answer = accepted.map { gst_caps_ref($0) } ?? gst_caps_new_any()
        if let planned = plannedCaps { answer = gst_caps_merge(planned, answer) }
        if let filter, let all = answer {
            answer = gst_caps_intersect_full(all, filter, GST_CAPS_INTERSECT_FIRST)
            gst_caps_unref(all)
        }
        guard let answer else { return }
        gst_query_set_caps_result(query, answer)
        gst_caps_unref(answer)
    }

    /// Accepts pictures with GstVideoMeta: the chain reads strides and offsets from it.
    private func answerAllocation(_ query: UnsafeMutablePointer<GstQuery>) {
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_query_parse_allocation(query, &caps, nil)
        guard let caps, let structure = gst_caps_get_structure(caps, 0),
            gst_structure_has_name(structure, "video/x-raw") != 0
        else { return }
        gst_query_add_allocation_meta(query, gst_video_meta_api_get_type(), nil)
    }
}
