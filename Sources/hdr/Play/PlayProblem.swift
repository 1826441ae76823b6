import HDRExport
import HDRPipeline

/// GStreamer's errors of playing as a line that names the user's file and what helps.
enum PlayProblem {
    static func notAVideo(_ name: String) -> Failure {
        Failure("\(name) is not a video that can be read: give a MOV, MP4 or Matroska file")
    }

    static func noVideo(_ name: String) -> Failure {
        Failure("\(name) has no video track: give a file with HDR video")
    }

    static func damaged(_ name: String) -> Failure {
        Failure(
            "\(name) is damaged: copy it again from its origin, or repair it (for example by remuxing it)")
    }

    static func protected(_ name: String) -> Failure {
        Failure("\(name) is encrypted (DRM): play a copy without protection")
    }

    /// - Parameter missing: the plugins that GStreamer did not find.
    static func failure(_ error: PipelineError, of name: String, missing: [MissingPlugin]) -> Failure {
        // This is all that libsoup's element reports about a server that does not answer.
        if error.factory == "souphttpsrc", error.message.contains("Internal data") {
            return Failure("\(name) cannot be reached: check the address and the network")
        }
        // GstResourceError and GstStreamError, which Swift sees as numbers.
        switch (error.code?.domain, error.code?.number) {
        case ("gst-resource-error-quark", 3), ("gst-resource-error-quark", 5), ("gst-resource-error-quark", 9):
            if error.factory != "edrsink" { return Failure("cannot read \(name): \(error.message)") }
        case ("gst-stream-error-quark", 12), ("gst-stream-error-quark", 13): return protected(name)
        case ("gst-stream-error-quark", 4), ("gst-stream-error-quark", 5):
            if error.factory != "edrsink" { return missing.first?.failure(of: name) ?? notAVideo(name) }
        case ("gst-stream-error-quark", 6):
            return missing.first?.failure(of: name)
                ?? Failure("\(name) holds a format that GStreamer cannot decode: \(error.message)")
        case ("gst-stream-error-quark", 7), ("gst-stream-error-quark", 9):
            let isOwn = error.factory?.hasPrefix("hdr") == true || error.factory == "edrsink"
            if !isOwn { return damaged(name) }
        case ("gst-core-error-quark", 12):
            // GstCoreError's MISSING_PLUGIN.
            if let found = missing.first { return found.failure(of: name) }
        default: break
        }
        let explained = Explanation(source: name, deed: "played").failure(error)
        return explained as? Failure ?? Failure("\(name) could not be played: \(error.message)")
    }
}

extension MissingPlugin {
    func failure(of file: String) -> Failure {
        if type.hasPrefix("application/x-cenc") || type.hasPrefix("application/x-cbcs") {
            return PlayProblem.protected(file)
        }
        return Failure("\(file): \(remedy)")
    }
}
