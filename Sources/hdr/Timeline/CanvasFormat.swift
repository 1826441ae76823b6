import HDRExport
import HDRPipeline

/// The format of a timeline's pictures, decided once for the whole: an encoder restarts where it changes.
struct CanvasFormat: Sendable {
    /// `sdr`, `hlg` or `pq`.
    let range: String
    private let format: String
    private let colorimetry: String
    /// The chroma siting; `nil` where chroma is not subsampled.
    private let siting: String?

    /// Whether the clips decide the dynamic range.
    private let isNatural: Bool

    /// - Parameters:
    ///   - media: the media of all clips.
    ///   - range: the range that the user has set; `nil` for that of the clips, where HLG wins over PQ, and both over
    ///     SDR.
    ///   - preset: the exporter's preset; `nil` for a display.
    init(_ media: [TimelineMedia], range: String?, preset: String?) {
        let chosen = range ?? (media.map(Self.range).max() ?? .sdr).rawValue
        self.range = chosen
        isNatural = range == nil
        let preset = preset?.lowercased() ?? ""
        // SDR has 10 bits, too, so that no steps are visible in transitions.
        format = preset.contains("4444") ? "Y444_12LE" : preset.contains("422") ? "I422_10LE" : "I420_10LE"
        let usual = chosen == "sdr" ? "mpeg2" : "cosited"
        let like = media.lazy.compactMap(\.format).first { found in
            let name: String = found["format"] ?? ""
            return found["chroma-site", as: String.self] != nil
                && (name.contains("420") || ["NV12", "P010_10LE"].contains(name))
        }
        switch format {
        case "I420_10LE": siting = like?["chroma-site"] ?? usual
        case "I422_10LE": siting = "mpeg2"
        default: siting = nil
        }
        switch chosen {
        case "hlg": colorimetry = "bt2100-hlg"
        case "pq": colorimetry = "bt2100-pq"
        default:
            let isWide = media.contains {
                guard case .movie = $0, Self.range(of: $0) == .sdr else { return false }
                return $0.format?["colorimetry", as: String.self]?.hasPrefix("bt2020") ?? false
            }
            colorimetry = isWide ? "bt2020-10" : "bt709"
        }
    }

    private static func range(of media: TimelineMedia) -> DynamicRange {
        switch media {
        case .movie(let movie): ["HLG": .hlg, "PQ": .pq][movie.reader.probe.info.transfer] ?? .sdr
        case .picture(let picture):
            switch picture.sample.format?["colorimetry", as: String.self] {
            case "1:1:14:7"?: .pq
            case "1:1:15:7"?: .hlg
            default: .sdr
            }
        }
    }

    /// The properties of `hdrmux-settings` that follow from the clips: HDR metadata are decided once for the whole
    /// file.
    func metadata(of clips: [FileProbe], _ settings: ExportOptions.Properties) -> ExportOptions.Properties {
        guard range != "sdr", isNatural else { return [] }
        let mixed = ConcatRun.mixedSources(clips)
        return (mixed.isEmpty ? [] : [("mixed-sources", mixed)]) + ConcatRun.metadata(of: clips, settings)
    }

    func caps(_ plan: TimelinePlan) -> String {
        "video/x-raw,format=\(format),width=\(plan.width),height=\(plan.height),framerate=\(plan.grid.rate.numerator)/"
            + "\(plan.grid.rate.denominator),pixel-aspect-ratio=1/1,interlace-mode=progressive,"
            + "colorimetry=\(colorimetry)" + (siting.map { ",chroma-site=\($0)" } ?? "")
    }
}
