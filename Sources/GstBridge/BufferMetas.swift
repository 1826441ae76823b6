import CGStreamer

extension UnsafeMutablePointer<GstBuffer> {
    /// Copies all metas except those about the memory, as a crop of it is, to a buffer with other memory.
    package func copyMetas(to target: UnsafeMutablePointer<GstBuffer>) {
        var state: gpointer?
        var copy = GstMetaTransformCopy(region: 0, offset: 0, size: gsize.max)
        while let meta = gst_buffer_iterate_meta(self, &state) {
            guard let info = meta.pointee.info, let transform = info.pointee.transform_func,
                gst_meta_api_type_has_tag(info.pointee.api, g_quark_from_static_string("memory")) == 0,
                info.pointee.api != gst_video_crop_meta_api_get_type()
            else { continue }
            _ = transform(target, meta, self, g_quark_from_static_string("gst-copy"), &copy)
        }
    }
}
