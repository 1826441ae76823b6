import CGStreamer
import CGstHDR
import GstBridge

extension HDRSrc {
    /// Replaces an error of an element inside by one that names the file and the remedy. Warnings from inside are
    /// dropped: this bin corrects their causes, or they mean nothing to a user.
    /// - Parameter message: ownership is taken.
    /// - Returns: the message to post; `nil` for none.
    func explain(_ message: UnsafeMutablePointer<GstMessage>) -> UnsafeMutablePointer<GstMessage>? {
        switch message.pointee.type {
        case GST_MESSAGE_ELEMENT:
            if gst_is_missing_plugin_message(message) != 0 { noteMissing(message) }
            return message
        case GST_MESSAGE_WARNING:
            log.info("left out: \(Self.text(message, gst_message_parse_warning).text)")
            gst_message_unref(message)
            return nil
        case GST_MESSAGE_ERROR:
            let report = Self.text(message, gst_message_parse_error)
            log.info("inside: \(report.text) \(report.debug)")
            fail(failure(report))
            gst_message_unref(message)
            return nil
        default: return message
        }
    }

    /// Remembers the media type for which a plugin is missing, from the end of "…|decoder-video/x-h265, …".
    private func noteMissing(_ message: UnsafeMutablePointer<GstMessage>) {
        guard let structure = gst_message_get_structure(message),
            let value = gst_structure_get_value(structure, "detail"), value.holds(gst_caps_get_type()),
            let caps = g_value_get_boxed(value)?.assumingMemoryBound(to: GstCaps.self),
            let media = Caps.mediaType(caps)
        else { return }
        missing.withLock { $0.append(media) }
    }

    private struct Report {
        var domain: GQuark = 0
        var code: UInt32 = 0
        var text = ""
        var debug = ""
    }

    private typealias Parse = (
        UnsafeMutablePointer<GstMessage>?, UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>?
    ) -> Void

    private static func text(_ message: UnsafeMutablePointer<GstMessage>, _ parse: Parse) -> Report {
        var error: UnsafeMutablePointer<GError>?
        var debug: UnsafeMutablePointer<gchar>?
        parse(message, &error, &debug)
        defer {
            g_clear_error(&error)
            g_free(debug)
        }
        guard let error else { return Report() }
        return Report(
            domain: error.pointee.domain, code: UInt32(bitPattern: error.pointee.code),
            text: String(cString: error.pointee.message), debug: debug.map { String(cString: $0) } ?? "")
    }

    private func failure(_ report: Report) -> SourceFailure {
        let name = file.current?.name ?? ShownName(settings.current.location)
        if progress.current.phase == .reading, let file = file.current {
            let tracks = inside.withLock { $0.tracks }
            // Where tracks that GStreamer cannot decode are the cause, this reason is better than its general one.
            if let reason = Plan.reason(tracks, file, missing: missing.current) { return reason }
        }
        let last = report.debug.split(separator: "\n").last.map(String.init) ?? ""
        let reason = last.range(ofLast: ": ").map { String(last[$0...]) }
        if report.domain == gst_resource_error_quark() {
            switch GstResourceError(report.code) {
            case GST_RESOURCE_ERROR_READ, GST_RESOURCE_ERROR_OPEN_READ, GST_RESOURCE_ERROR_NOT_FOUND:
                return .unreadable(name, reason ?? report.text)
            default: break
            }
        }
        if report.domain == gst_stream_error_quark() {
            switch GstStreamError(report.code) {
            case GST_STREAM_ERROR_DECRYPT, GST_STREAM_ERROR_DECRYPT_NOKEY: return .encrypted(name)
            case GST_STREAM_ERROR_CODEC_NOT_FOUND: return .cannotDecode(name, report.text)
            case GST_STREAM_ERROR_TYPE_NOT_FOUND, GST_STREAM_ERROR_WRONG_TYPE: return .notAVideo(name)
            case GST_STREAM_ERROR_DEMUX, GST_STREAM_ERROR_DECODE: return .damaged(name)
            // Before the pads are shown, no element downstream can have refused the data, so the file is at fault.
            case GST_STREAM_ERROR_FAILED where progress.current.phase != .playing: return .damaged(name)
            default: break
            }
        }
        // "Internal data stream error" is generic; its debug details name the reason.
        if last.contains("not-linked") {
            return .failed(name, "nothing is linked to a pad of hdrsrc: link video_0 or a pad of sound")
        }
        if last.contains("not-negotiated") {
            return .failed(
                name,
                "what is linked to a pad of hdrsrc does not take its format: convert it, as by videoconvert or "
                    + "audioconvert")
        }
        let details = report.text.hasPrefix("Internal data") ? " " + (reason ?? last) : ""
        return .failed(name, report.text + details)
    }
}

extension String {
    /// The start of the text behind the last occurrence of `mark`.
    fileprivate func range(ofLast mark: String) -> Index? {
        var found: Index?
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(mark) { found = self.index(index, offsetBy: mark.count) }
            index = self.index(after: index)
        }
        return found
    }
}
