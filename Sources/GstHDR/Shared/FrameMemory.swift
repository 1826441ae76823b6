import CGStreamer
import GstBridge

/// A pool of memory for frames that are handed out. A buffer returns to it when its last reference is dropped.
final class FrameMemory {
    private let pool: UnsafeMutablePointer<GstBufferPool>

    init?(_ caps: Caps.Pointer, bytes: Int) {
        guard bytes > 0, bytes <= Int(UInt32.max), let pool = gst_buffer_pool_new() else { return nil }
        self.pool = pool
        let configuration = gst_buffer_pool_get_config(pool)
        gst_buffer_pool_config_set_params(configuration, caps, guint(bytes), 0, 0)
        gst_buffer_pool_set_config(pool, configuration)
        gst_buffer_pool_set_active(pool, 1)
    }

    deinit {
        gst_buffer_pool_set_active(pool, 0)
        gst_object_unref(pool)
    }

    /// A buffer with undefined content; the caller owns it.
    func make() -> UnsafeMutablePointer<GstBuffer>? {
        var buffer: UnsafeMutablePointer<GstBuffer>?
        return gst_buffer_pool_acquire_buffer(pool, &buffer, nil) == GST_FLOW_OK ? buffer : nil
    }

    /// A buffer with the flags, times and metas of another one; the caller owns it.
    func make(like source: UnsafeMutablePointer<GstBuffer>) -> UnsafeMutablePointer<GstBuffer>? {
        guard let buffer = make() else { return nil }
        let flags = GST_BUFFER_COPY_FLAGS.rawValue | GST_BUFFER_COPY_TIMESTAMPS.rawValue
        gst_buffer_copy_into(buffer, source, GstBufferCopyFlags(flags), 0, gsize.max)
        source.copyMetas(to: buffer)
        return buffer
    }
}
