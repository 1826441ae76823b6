import CGStreamer
import CGstHDR
import GstBridge

/// What a source is told of the bin before and after there is a plan.
///
/// The chain inside is put together while the source's first buffer waits. What the source hears meanwhile must not make it
/// choose another format, which the plan does not know, nor ask questions that travel through queues: behind a tee, a
/// serialized query waits for the other branch, and that one for a sink that prerolls.
extension InputFilter {
    /// - Returns: whether the query is answered.
    func answer(_ query: UnsafeMutablePointer<GstQuery>) -> Bool {
        switch query.pointee.type {
        case GST_QUERY_CAPS:
            answerCaps(query)
            return true
        case GST_QUERY_ACCEPT_CAPS:
            // Caps that do not fit are refused when they come, with an error that says why.
            gst_query_set_accept_caps_result(query, 1)
            return true
        case GST_QUERY_ALLOCATION:
            answerAllocation(query)
            return true
        default: return false
        }
    }

    /// What the pad takes; where there is a plan, behind its caps, so that a source with a choice stays with them. What comes
    /// in spite of the plan is converted where the chain can, or refused with a reason, which a source that finds no caps at
    /// all does not give.
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

    /// Pictures may have strides and offsets of their own: all that follows reads them from GstVideoMeta.
    private func answerAllocation(_ query: UnsafeMutablePointer<GstQuery>) {
        var caps: UnsafeMutablePointer<GstCaps>?
        gst_query_parse_allocation(query, &caps, nil)
        guard let caps, let structure = gst_caps_get_structure(caps, 0),
            gst_structure_has_name(structure, "video/x-raw") != 0
        else { return }
        gst_query_add_allocation_meta(query, gst_video_meta_api_get_type(), nil)
    }
}
