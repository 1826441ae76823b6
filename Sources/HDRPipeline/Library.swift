import CGStreamer

/// GStreamer itself, which has to be started before anything of it is used.
enum Library {
    /// Starts GStreamer, once.
    static let start: Void = { gst_init(nil, nil) }()
}
