/// A multivariant playlist of HTTP Live Streaming (RFC 8216 section 4.3.4, and VIDEO-RANGE of its second edition): the
/// same video in several qualities and dynamic ranges.
package struct MasterPlaylist: Equatable, Sendable {
    package enum Range: String, Sendable, CaseIterable {
        case sdr = "SDR"
        case hlg = "HLG"
        case pq = "PQ"
    }

    package struct Variant: Equatable, Sendable {
        /// The address as in the playlist, which may be relative.
        package var address: String
        package var range: Range
        /// The peak bit rate in bit/s; 0 where the playlist does not state it.
        package var bandwidth: UInt64
        /// The texts in the playlist, such as 1920x1080 and hvc1.2.4.L123; empty where it does not state them.
        package var resolution: String
        package var codecs: String
        /// The index of the tag's line.
        fileprivate var line: Int
    }

    /// The lines of the file, without empty ones.
    private let lines: [String]
    package let variants: [Variant]

    /// A larger file is not a playlist.
    package static let limit = 1 << 20

    /// - Parameter bytes: the content of the file.
    /// - Returns: `nil` where it is no multivariant playlist.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.limit, Self.begins(bytes) else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
        var variants: [Variant] = []
        var pending: (attributes: [String: String], line: Int)?
        for (number, line) in lines.enumerated() {
            if let rest = Self.rest(of: line, behind: "#EXT-X-STREAM-INF:") {
                pending = (Self.attributes(rest), number)
            } else if !line.hasPrefix("#"), let (attributes, start) = pending {
                pending = nil
                variants.append(
                    Variant(
                        address: line, range: attributes["VIDEO-RANGE"].flatMap(Range.init) ?? .sdr,
                        bandwidth: attributes["BANDWIDTH"].flatMap { UInt64($0) } ?? 0,
                        resolution: attributes["RESOLUTION"] ?? "", codecs: attributes["CODECS"] ?? "", line: start))
            }
        }
        guard !variants.isEmpty else { return nil }
        self.lines = lines
        self.variants = variants
    }

    /// Whether a file begins in the way of playlists.
    package static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.starts(with: Array("#EXTM3U".utf8)) || bytes.starts(with: Array("\u{FEFF}#EXTM3U".utf8))
    }

    /// The dynamic ranges of the variants.
    package var ranges: Set<Range> { Set(variants.map(\.range)) }

    /// The playlist with only the variants of one dynamic range, and their sound and subtitles.
    /// - Parameter resolve: resolves an address of the playlist to an absolute one.
    package func text(of range: Range, resolve: (String) -> String) -> String {
        var text = ""
        let kept = Dictionary(variants.filter { $0.range == range }.map { ($0.line, $0) }) { first, _ in first }
        for (number, line) in lines.enumerated() {
            if let variant = kept[number] {
                text += line + "\n" + resolve(variant.address) + "\n"
            } else if line.hasPrefix("#EXT-X-MEDIA:") || line.hasPrefix("#EXT-X-SESSION-KEY:") {
                text += Self.resolved(line, resolve) + "\n"
            } else if line.hasPrefix("#"), !Self.belongsToVariants(line) {
                text += line + "\n"
            }
        }
        return text
    }

    /// Whether a tag is removed together with its variants. The dynamic range of I-frame variants, which are for
    /// seeking, is not known.
    private static func belongsToVariants(_ line: String) -> Bool {
        ["#EXT-X-STREAM-INF:", "#EXT-X-I-FRAME-STREAM-INF:", "#EXT-X-IMAGE-STREAM-INF:"].contains { line.hasPrefix($0) }
    }

    /// A tag with its address resolved.
    private static func resolved(_ line: String, _ resolve: (String) -> String) -> String {
        guard let start = line.firstRange(of: "URI=\""),
            let end = line[start.upperBound...].firstIndex(of: "\"")
        else { return line }
        return line[..<start.upperBound] + resolve(String(line[start.upperBound..<end])) + line[end...]
    }

    private static func rest(of line: String, behind tag: String) -> String? {
        line.hasPrefix(tag) ? String(line.dropFirst(tag.count)) : nil
    }

    /// Attribute lists as in section 4.2: names and values, of which quoted ones may contain commas.
    private static func attributes(_ text: String) -> [String: String] {
        var found: [String: String] = [:]
        var rest = Substring(text)
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].drop { $0 == " " || $0 == "," }
            rest = rest[equals...].dropFirst()
            let value: Substring
            if rest.first == "\"" {
                value = rest.dropFirst().prefix { $0 != "\"" }
                rest = rest[value.endIndex...].dropFirst()
            } else {
                value = rest.prefix { $0 != "," }
                rest = rest[value.endIndex...]
            }
            rest = rest.drop { $0 != "," }.dropFirst()
            found[String(name)] = String(value)
        }
        return found
    }
}
