import HDRContainer
import HDRInspection
import HDRMetadata

/// Everything that is reported about a file.
struct MediaReport {
    var name: String
    var container: String
    var size: UInt64
    /// The duration in ns.
    var duration: UInt64?
    var videos: [VideoReport] = []
    var audios: [AudioReport] = []
    var findings: [SignalFinding] = []
    /// The dynamic metadata of the main video, where all of it was read.
    var dynamicMetadata: DynamicMetadataReport?

    var containsHDRVideo: Bool { pictures.contains { $0.signal.containsHDRVideo } }

    /// The streams that are pictures by themselves.
    var pictures: [VideoReport] { videos.filter { !$0.isEnhancementLayer } }
}

struct VideoReport {
    var index: Int
    var codec: String
    /// Sample entry or CodecID.
    var tag: String?
    var profile: String?
    var level: String?
    var width: Int?
    var height: Int?
    /// The orientation; `nil` for an angle between quarter turns.
    var orientation: PictureOrientation?
    var pixelAspect: (horizontal: Int, vertical: Int)
    var frameRate: Fraction?
    /// Whether the rate is constant; `nil` where no table of the container states it.
    var hasConstantRate: Bool?
    /// The stream's own duration in nanoseconds; `nil` where only that of the file is known.
    var duration: UInt64?
    var bitDepth: Int?
    /// The chroma format, such as "4:2:0".
    var chromaFormat: String?
    var signal: SignalReport
    /// Whether the track is enabled; `nil` where the container has no such flag.
    var isEnabled: Bool?
    /// The file's picture: the one that is exported and played.
    var isMain = false
    var isEnhancementLayer = false

    /// Missing metadata of an enhancement layer are no finding.
    var findings: [SignalFinding] {
        isEnhancementLayer ? signal.findings.filter { $0.kind == .disagreement } : signal.findings
    }

    /// The size on a display of square pixels, upright.
    var displaySize: (width: Int, height: Int)? {
        guard var width, var height, pixelAspect.horizontal > 0, pixelAspect.vertical > 0 else { return nil }
        let product = width.multipliedReportingOverflow(by: pixelAspect.horizontal)
        let rounded = product.partialValue.addingReportingOverflow(pixelAspect.vertical / 2)
        guard !product.overflow, !rounded.overflow else { return nil }
        width = rounded.partialValue / pixelAspect.vertical
        if let rotation = orientation?.rotation, rotation % 180 == 90 { (width, height) = (height, width) }
        return (width, height)
    }
}

struct AudioReport {
    var index: Int
    var codec: String
    var channels: Int?
    var sampleRate: Int?
    var bitRate: UInt32?
    var language: String?
}

extension Fraction {
    /// - Returns: `nil` where a number is too large for any rate.
    init?(_ rate: FrameRate) {
        guard let numerator = Int(exactly: rate.numerator), let denominator = Int(exactly: rate.denominator) else {
            return nil
        }
        self.init(numerator, denominator)
    }

    /// The rate with up to three decimals, such as "29.97" and "23.976".
    var text: String {
        guard denominator > 0 else { return "0" }
        let thousandths = Double(numerator) / Double(denominator) * 1000
        return DecimalText(Int64(exactly: thousandths.rounded()) ?? 0, decimals: 3).description
    }
}

/// The result for a file.
struct FileOutcome {
    let name: String
    let result: Result<MediaReport, Failure>

    /// The exit status that it asks for.
    var status: CInt {
        switch result {
        case .success(let report): report.containsHDRVideo ? 0 : 1
        case .failure: 2
        }
    }
}
