import CGStreamer
import HDRPipeline

/// A file or an address that is played.
struct PlayItem {
    /// The name for messages.
    let name: String
    let address: String
    /// The file; `nil` for other sources.
    var file: FileName?
    /// Fields of caps that GStreamer does not read from the file, or that the user knows better.
    var fields: [(name: String, value: String)] = []
    /// The rotation of the video, as a value of GStreamer's orientation tag, where the stream has no such tag.
    var orientation: String?
    /// The number of the track to be shown; `nil` for whichever comes first.
    var video: UInt64?

    /// Looks at what the user named.
    /// - Parameter assumed: pq or hlg, in place of the video's tags.
    /// - Throws: what is wrong with it.
    init(_ named: FileName, assumed: String?) throws(Failure) {
        let text = named.description
        guard named.kind == nil, gst_uri_is_valid(text) != 0, let scheme = Self.scheme(text) else {
            try self.init(file: named, assumed: assumed)
            return
        }
        if scheme == "file", let location = Self.location(text) {
            try self.init(file: location, assumed: assumed)
            return
        }
        guard gst_uri_protocol_is_supported(GST_URI_SRC, scheme) != 0 else {
            throw Failure(
                "GStreamer has no element for \(scheme): addresses; save \(named.shown) as a file first")
        }
        self.init(name: named.shown, address: text)
        if let assumed { fields = [("colorimetry", "bt2100-\(assumed)")] }
    }

    private init(file: FileName, assumed: String?) throws(Failure) {
        let header = try PlayHeader(file)
        let name = file.shown
        guard let address = Self.address(of: file) else {
            throw Failure("\(name) cannot be written as an address: rename it")
        }
        self.init(name: name, address: address)
        self.file = file
        fields = header.fields(assumed: assumed)
        orientation = header.orientation
        video = header.track?.identifier
    }

    private init(name: String, address: String) {
        self.name = name
        self.address = address
    }

    // MARK: Addresses

    private static func scheme(_ text: String) -> String? { owned(gst_uri_get_protocol(text)) }

    private static func location(_ text: String) -> FileName? {
        guard let path = g_filename_from_uri(text, nil, nil) else { return nil }
        defer { g_free(path) }
        return FileName(path)
    }

    /// The address of a file, whatever the bytes of its name.
    static func address(of file: FileName) -> String? {
        file.withPointer { owned(gst_filename_to_uri($0, nil)) }
    }

    /// Text that GLib hands over.
    private static func owned(_ text: UnsafeMutablePointer<gchar>?) -> String? {
        guard let text else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    // MARK: Stills

    /// A name for a still that is not taken: beside the file, or in the current folder.
    /// - Parameter time: of the picture, in ns.
    func still(at time: UInt64) -> FileName {
        let seconds = time / Time.second
        func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let thousandths = "\(1000 + time / 1_000_000 % 1000)".dropFirst()
        let stem =
            (file?.stem ?? FileName("still"))
            + "-\(seconds / 3600).\(two(seconds / 60 % 60)).\(two(seconds % 60)).\(thousandths)"
        var name = stem + ".png"
        var number = 1
        while name.kind != nil || name.isLink {
            number += 1
            name = stem + "-\(number).png"
        }
        return name
    }
}
