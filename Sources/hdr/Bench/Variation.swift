import CGStreamer
import CGstFormat

/// The differences of a measured conversion from the listed one.
struct Variation {
    /// Pixel formats in place of the conversion's; `nil`: its own.
    let source: String?
    let target: String?
    /// Properties of `hdrconvert`, as on a launch line, that override the conversion's own.
    let properties: String?

    init(_ options: Options) throws(UsageError) {
        source = try Self.format(options, "--from")
        target = try Self.format(options, "--to")
        properties = options.value("--set")
    }

    /// The variation as words of a command line.
    var words: [String] {
        [("--from", source), ("--to", target), ("--set", properties)].flatMap { name, value in
            value.map { [name, $0] } ?? []
        }
    }

    /// The name for the table's title; empty where nothing differs.
    var name: String {
        let parts = [
            source.map { "from \($0)" }, target.map { "to \($0)" }, properties.map { "hdrconvert with \($0)" },
        ]
        return parts.compactMap { $0 }.map { ", " + $0 }.joined()
    }

    private static func format(_ options: Options, _ option: String) throws(UsageError) -> String? {
        guard let name = options.value(option) else { return nil }
        guard hdr_video_format_from_string(name).rawValue > GST_VIDEO_FORMAT_ENCODED.rawValue else {
            throw UsageError("\(option): GStreamer has no pixel format \(name): see gst-inspect-1.0 hdrconvert")
        }
        return name
    }
}

extension Conversion {
    func varied(by variation: Variation) -> Conversion {
        var varied = self
        if let format = variation.source { varied.source = source.inFormat(format) }
        if let format = variation.target { varied.target = target.inFormat(format) }
        varied.properties = [properties, variation.properties ?? ""].filter { !$0.isEmpty }.joined(separator: " ")
        return varied
    }
}

extension Signal {
    /// This signal in another pixel format: R'G'B' has no matrix, and full range.
    func inFormat(_ name: String) -> Signal {
        var said = GstVideoColorimetry()
        guard gst_video_colorimetry_from_string(&said, colorimetry) != 0,
            let pixels = gst_video_format_get_info(hdr_video_format_from_string(name))
        else { return Signal(name, colorimetry) }
        let isRGB = pixels.pointee.flags.rawValue & GST_VIDEO_FORMAT_FLAG_RGB.rawValue != 0
        // Formats of the same kind keep their range.
        guard isRGB != (said.matrix == GST_VIDEO_COLOR_MATRIX_RGB) else { return Signal(name, colorimetry) }
        if isRGB {
            said.range = GST_VIDEO_COLOR_RANGE_0_255
            said.matrix = GST_VIDEO_COLOR_MATRIX_RGB
        } else {
            said.range = GST_VIDEO_COLOR_RANGE_16_235
            let isWide = said.primaries == GST_VIDEO_COLOR_PRIMARIES_BT2020
            said.matrix = isWide ? GST_VIDEO_COLOR_MATRIX_BT2020 : GST_VIDEO_COLOR_MATRIX_BT709
        }
        guard let text = gst_video_colorimetry_to_string(&said) else { return Signal(name, colorimetry) }
        defer { g_free(text) }
        return Signal(name, String(cString: text))
    }
}
