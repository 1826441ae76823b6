import HDRPipeline

/// What a timeline's pictures are made of, decided once for the whole: an encoder begins anew where it changes.
struct CanvasFormat: Sendable {
    /// `sdr`, `hlg` or `pq`.
    let range: String
    private let format: String
    private let colorimetry: String
    /// Where chroma lies; `nil` where it is everywhere.
    private let siting: String?

    /// Whether the clips decide the dynamic range.
    private let isNatural: Bool

    /// - Parameters:
    ///   - media: of all clips.
    ///   - range: as the user says; HLG wins over PQ, and both over SDR, where there is none.
    ///   - preset: of the exporter; `nil` for a display.
    init(_ media: [TimelineMedia], range: String?, preset: String?) {
        let ranges = media.map(Self.range)
        let chosen = range ?? ["hlg", "pq"].first { ranges.contains($0) } ?? "sdr"
        self.range = chosen
        isNatural = range == nil
        let preset = preset?.lowercased() ?? ""
        // No transition's steps are to be seen, so it has ten bits in SDR, too.
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
                guard case .movie = $0, Self.range(of: $0) == "sdr" else { return false }
                return $0.format?["colorimetry", as: String.self]?.hasPrefix("bt2020") ?? false
            }
            colorimetry = isWide ? "bt2020-10" : "bt709"
        }
    }

    private static func range(of media: TimelineMedia) -> String {
        switch media {
        case .movie(let movie): ["HLG": "hlg", "PQ": "pq"][movie.reader.probe.info.transfer] ?? "sdr"
        case .picture(let picture):
            switch picture.sample.format?["colorimetry", as: String.self] {
            case "1:1:14:7"?: "pq"
            case "1:1:15:7"?: "hlg"
            default: "sdr"
            }
        }
    }

    /// Properties of `hdrmux-settings` that follow from the clips: HDR metadata are decided once for the whole file,
    /// and it has Dolby Vision where one of the clips has it.
    func metadata(of clips: [FileProbe], _ settings: ExportOptions.Properties) -> ExportOptions.Properties {
        guard range != "sdr", isNatural else { return [] }
        let mixed = clips.compactMap { $0.video.map { "\($0)" } }.joined(separator: " ")
        return (mixed.isEmpty ? [] : [("mixed-sources", mixed)]) + ConcatRun.metadata(of: clips, settings)
    }

    func caps(_ plan: TimelinePlan) -> String {
        "video/x-raw,format=\(format),width=\(plan.width),height=\(plan.height),framerate=\(plan.grid.rate.numerator)/"
            + "\(plan.grid.rate.denominator),pixel-aspect-ratio=1/1,interlace-mode=progressive,"
            + "colorimetry=\(colorimetry)" + (siting.map { ",chroma-site=\($0)" } ?? "")
    }
}
