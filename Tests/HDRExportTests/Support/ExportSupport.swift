@testable import HDRExport
@testable import HDRMetadata

extension MasteringDisplay {
    static let p3Studio = MasteringDisplay(
        red: SIMD2(34000, 16000), green: SIMD2(13250, 34500), blue: SIMD2(7500, 3000), white: SIMD2(15635, 16450),
        maximum: 10_000_000, minimum: 50)
}

/// The kinds of sources that exports are made of.
enum SourceKind: String, CaseIterable, Sendable {
    case hdr10, hlg, bt709, displayP3, untagged

    var color: ColorDescription? {
        switch self {
        case .hdr10: ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: false, chromaLocation: 2)
        case .hlg: ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: false)
        case .bt709: ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: false, chromaLocation: 0)
        case .displayP3: ColorDescription(primaries: 12, transfer: 1, matrix: 1)
        case .untagged: nil
        }
    }

    var isHDR: Bool { self == .hdr10 || self == .hlg }

    func format(_ width: Int = 1920, _ height: Int = 1080, codec: VideoCodec? = nil) -> SourceFormat {
        let metadata = StaticMetadata(
            masteringDisplay: .p3Studio, contentLightLevel: ContentLightLevel(maximum: 900, frameAverage: 300))
        return SourceFormat(
            width: width, height: height, frameRate: Fraction(30, 1), bitDepth: isHDR ? 10 : 8, chroma: .yuv420,
            color: color, metadata: self == .hdr10 ? metadata : .none, codec: codec)
    }
}

extension VideoSettings {
    /// The settings with compression properties of these.
    static func compression(_ settings: Setting...) throws -> VideoSettings {
        try VideoSettings([Setting("compression-properties", .nested(settings))])
    }

    static func color(_ primaries: String, _ transfer: String, _ matrix: String) throws -> VideoSettings {
        try VideoSettings([
            Setting(
                "color-properties",
                .nested([
                    Setting("primaries", .string(primaries)), Setting("transfer", .string(transfer)),
                    Setting("matrix", .string(matrix)),
                ]))
        ])
    }
}

/// The error that a body throws.
func exportError(_ body: () throws -> Void) -> ExportError? {
    do {
        try body()
        return nil
    } catch {
        return error as? ExportError
    }
}
