import CGStreamer

/// The version of the GStreamer that runs, which may be newer than the one that this was built for.
package enum GStreamerVersion {
    package static let numbers: (major: Int, minor: Int, micro: Int) = {
        var (major, minor, micro, nano): (guint, guint, guint, guint) = (0, 0, 0, 0)
        gst_version(&major, &minor, &micro, &nano)
        return (Int(major), Int(minor), Int(micro))
    }()

    /// Whether it is this version or a later one.
    package static func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
        (numbers.major, numbers.minor) >= (major, minor)
    }
}
