/// A code of four characters: a box type, a codec, a brand.
package struct FourCC: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package var value: UInt32

    package init(_ value: UInt32) { self.value = value }

    package init(stringLiteral value: String) {
        self.value = value.utf8.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The characters, or a number where one cannot be printed.
    package var description: String {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }
        guard bytes.allSatisfy({ (0x20...0x7e).contains($0) || $0 == 0xa9 }) else {
            return "0x" + String(value, radix: 16)
        }
        return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }

    static let ftyp: FourCC = "ftyp"
    /// The brand of ISO files with Dolby Vision: "Dolby Vision Streams within the ISO Base Media File Format", 2.6.
    static let dby1: FourCC = "dby1"
    static let mp41: FourCC = "mp41"
    static let moov: FourCC = "moov"
    static let mvhd: FourCC = "mvhd"
    static let mvex: FourCC = "mvex"
    static let trak: FourCC = "trak"
    static let tkhd: FourCC = "tkhd"
    static let mdia: FourCC = "mdia"
    static let hdlr: FourCC = "hdlr"
    static let minf: FourCC = "minf"
    static let dinf: FourCC = "dinf"
    static let dref: FourCC = "dref"
    static let stbl: FourCC = "stbl"
    static let stsd: FourCC = "stsd"
    static let stco: FourCC = "stco"
    static let co64: FourCC = "co64"
    static let saio: FourCC = "saio"
    static let moof: FourCC = "moof"
    static let traf: FourCC = "traf"
    static let tfhd: FourCC = "tfhd"
    static let mfra: FourCC = "mfra"
    static let tfra: FourCC = "tfra"
    static let mdat: FourCC = "mdat"
    static let free: FourCC = "free"
    static let skip: FourCC = "skip"
    static let meta: FourCC = "meta"
    static let uuid: FourCC = "uuid"
    static let vide: FourCC = "vide"
    static let hvcC: FourCC = "hvcC"
    static let colr: FourCC = "colr"
    static let pasp: FourCC = "pasp"
    static let nclc: FourCC = "nclc"
    static let nclx: FourCC = "nclx"
}
