import CGStreamer
import GstBridge
import HDRExport

/// Encoding profiles for encodebin, GES and gst-transcoder. They hold formats and limits, but not the HDR metadata and
/// most other settings of this bin.
struct EncodingProfile {
    private let target: EncodingTarget
    private let fileType: FileType
    private let settings: VideoSettings

    /// - Throws: where the settings are invalid.
    init(_ settings: HDRMuxSettings.Settings) throws(ExportError) {
        let planner = try settings.planner()
        try planner.check()
        guard let preset = planner.preset, let target = EncodingTarget(preset) else { throw .nothingAsked }
        self.target = target
        fileType = planner.fileType
        self.settings = planner.settings
    }

    /// A new GstEncodingContainerProfile, which the caller owns.
    func make() -> gpointer? {
        guard let format = gst_caps_from_string(fileType.caps) else { return nil }
        defer { gst_caps_unref(format) }
        guard
            let container = gst_encoding_container_profile_new(
                target.preset.rawValue, "hdrmux-settings preset \(target.preset.rawValue)", format, nil)
        else { return nil }
        if let video = target.videoCaps, let format = gst_caps_from_string(video.format),
            let restriction = gst_caps_from_string(video.restriction)
        {
            fix(restriction, "width", settings.width)
            fix(restriction, "height", settings.height)
            let profile = gst_encoding_video_profile_new(format, nil, restriction, 0)
            gst_encoding_video_profile_set_variableframerate(profile, 1)
            add(profile, to: container)
            gst_caps_unref(format)
            gst_caps_unref(restriction)
        }
        if let format = gst_caps_from_string(target.audioFormat) {
            add(gst_encoding_audio_profile_new(format, nil, nil, 0), to: container)
            gst_caps_unref(format)
        }
        return gpointer(container)
    }

    private func fix(_ caps: UnsafeMutablePointer<GstCaps>, _ field: String, _ size: Int?) {
        guard let size, let structure = gst_caps_get_structure(caps, 0) else { return }
        Structure.set(structure, field, .int(size))
    }

    /// Adds a stream's profile to a container, which takes ownership of it.
    private func add(_ profile: OpaquePointer?, to container: OpaquePointer) {
        guard let profile else { return }
        gst_encoding_container_profile_add_profile(container, profile)
    }
}
