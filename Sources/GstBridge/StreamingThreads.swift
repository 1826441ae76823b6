import CGStreamer

extension UnsafeMutablePointer<GstBin> {
    /// Whether elements inside have had streaming threads, and all of these are paused: they wait to be woken, and no
    /// thread inside will do so.
    package var hasStoppedStreaming: Bool {
        guard let elements = gst_bin_iterate_recurse(self) else { return false }
        defer { gst_iterator_free(elements) }
        var tasks = StreamingTasks()
        let result = gst_iterator_foreach(
            elements,
            { value, tasks in
                guard let value, let element = g_value_get_object(value) else { return }
                gst_element_foreach_pad(
                    element.assumingMemoryBound(to: GstElement.self),
                    { _, pad, tasks in
                        guard let pad, let tasks else { return 1 }
                        tasks.assumingMemoryBound(to: StreamingTasks.self).pointee.add(gst_pad_get_task_state(pad))
                        return 1
                    }, tasks)
            }, &tasks)
        // A bin that changes meanwhile is being used by another thread, so it has not stopped.
        return result == GST_ITERATOR_DONE && tasks.paused > 0 && tasks.started == 0
    }
}

/// The numbers of pad tasks by state.
private struct StreamingTasks {
    var started = 0
    var paused = 0

    mutating func add(_ state: GstTaskState) {
        switch state {
        case GST_TASK_STARTED: started += 1
        case GST_TASK_PAUSED: paused += 1
        default: break
        }
    }
}
