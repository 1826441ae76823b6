import CGStreamer

extension UnsafeMutablePointer<GstBuffer> {
    /// Whether the buffer belongs to a pool that may run out of buffers, so that holding it could stall the stream.
    var isOfLimitedPool: Bool {
        guard let pool = pointee.pool, let config = gst_buffer_pool_get_config(pool) else { return false }
        defer { gst_structure_free(config) }
        var most: guint = 0
        return gst_buffer_pool_config_get_params(config, nil, nil, nil, &most) == 0 || most > 0
    }
}
