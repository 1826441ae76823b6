import HDRPipeline

/// GStreamer's errors as a line that names the user's files.
struct Explanation {
    /// The input, as messages show it.
    let source: String
    /// The output; `nil` for none.
    var target: FileName?
    /// The verb for what cannot be done, where nothing more is known.
    var deed = "converted"
    /// Whether the user may choose a preset and settings.
    var hasPresets = true

    func failure(_ error: any Error) -> any Error {
        guard let error = error as? PipelineError else { return error }
        return Failure(text(error))
    }

    private func text(_ error: PipelineError) -> String {
        let isOwn = error.factory?.hasPrefix("hdr") == true || error.factory == "edrsink"
        // These name the file and the remedy themselves.
        if error.factory == "hdrsrc" { return error.message }
        if error.code?.domain == "gst-resource-error-quark" {
            // GstResourceError's NO_SPACE_LEFT.
            if error.code?.number == 14, let target {
                return "no space is left in \(target.folder.shown): free some, or name an output on another disk"
            }
            if error.factory == "filesink", let target {
                return "cannot write \(target.shown): \(systemReason(error) ?? error.message)"
            }
        }
        if error.factory == "hdrmux-settings" {
            return "\(source): \(ExporterWords.line(error.message, hasPresets: hasPresets))"
        }
        if isOwn { return "\(source): \(error.message)" }
        // "Internal data stream error" is generic; its debug details name the reason.
        let last = error.details?.split(separator: "\n").last.map(String.init) ?? ""
        let reason = error.message.contains("Internal data") ? last.drop { $0 != ":" }.dropFirst() : ""
        return "\(source) could not be \(deed): \(error.message)\(reason)"
    }

    /// The system's reason in words, which ends an error's details: "... file descriptor 5: File too large".
    private func systemReason(_ error: PipelineError) -> String? {
        guard let last = error.details?.split(separator: "\n").last, let colon = last.lastIndex(of: ":") else {
            return nil
        }
        return String(last[last.index(after: colon)...].drop { $0 == " " })
    }
}
