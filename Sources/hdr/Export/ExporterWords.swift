/// Translates messages about properties of `hdrmux-settings` to options of the command line.
enum ExporterWords {
    /// Names of the element, each with what the user has written in its place.
    private static let options = [
        ("content-light-level-info", "--light-levels"), ("mastering-display-color-volume", "--mastering-display"),
        (", or set hdr-metadata-insertion-mode to auto", ", or leave --no-hdr-metadata out"),
        ("hdr-metadata-insertion-mode is none", "--no-hdr-metadata is there too"),
        ("Set file-type to", "Set --file-type to"),
    ]

    /// - Parameter hasPresets: whether the user may choose a preset and settings; where not, the command copies.
    static func line(_ message: String, hasPresets: Bool) -> String {
        if message.contains("(rule passthrough-source)") {
            return "its pictures are not compressed, so that there is nothing to copy: "
                + (hasPresets ? "choose another preset than passthrough" : "hdr export encodes them")
        }
        if !hasPresets, let text = colors(message) { return text }
        var text = options.reduce(message) { $0.replacing($1.0, with: $1.1) }
        // The only settings of a command that copies are those of --color.
        if !hasPresets { text = text.replacing("color-properties", with: "--color") }
        return text
    }

    /// The codec whose colours are in its bitstream, where a copy cannot change them.
    private static func colors(_ message: String) -> String? {
        guard message.contains("(rule passthrough-settings)"),
            let codec = message.firstMatch(of: /cannot change color-properties of (.*?) without/)?.1
        else { return nil }
        return "the colours of \(codec) stand in its stream, and --color cannot change them there: leave it out, or "
            + "encode the video again as what it is: hdr export --assume pq or --assume hlg"
    }
}
