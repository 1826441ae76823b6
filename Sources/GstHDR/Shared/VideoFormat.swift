import CGStreamer

/// The format of a stream of raw video in system memory.
struct VideoFormat {
    let info: GstVideoInfo
    /// The stream's caps, which the element owns.
    let caps: UnsafeMutablePointer<GstCaps>

    /// The format in caps; `nil` where they do not describe such video.
    init?(_ caps: UnsafeMutablePointer<GstCaps>) {
        var info = GstVideoInfo()
        guard let features = gst_caps_get_features(caps, 0),
            gst_caps_features_contains(features, "memory:SystemMemory") != 0,
            gst_video_info_from_caps(&info, caps) != 0, info.size > 0,
            let details = info.finfo?.pointee, details.format != GST_VIDEO_FORMAT_ENCODED
        else { return nil }
        self.info = info
        self.caps = caps
    }
}
