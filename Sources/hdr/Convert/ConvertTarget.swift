/// The target of a conversion.
struct ConvertTarget {
    /// Endings of the files that it is written to, the default one first.
    let endings: [String]
    /// The preset of `hdrmux-settings`.
    let preset: String
    let title: String
    /// The caps of the converted pictures, and of those that are turned after that, whose chroma that lies beside luma
    /// would lie above it.
    let caps: (upright: String, turned: String)
    let isSDR: Bool

    /// - Parameter range: sdr, hlg or pq.
    init(_ range: String) {
        isSDR = range == "sdr"
        title = range.uppercased()
        endings = isSDR ? [".mp4", ".m4v"] : [".mov", ".mp4", ".mkv", ".m4v", ".ts"]
        preset = isSDR ? "h264-highest-quality" : "hevc-highest-quality"
        let color = isSDR ? "bt709" : "bt2100-\(range)"
        let start = "video/x-raw,colorimetry=\(color),format="
        caps =
            isSDR
            ? (start + "I420,chroma-site=mpeg2", start + "Y444")
            : (start + "I420_10LE,chroma-site=cosited", start + "Y444_12LE")
    }
}
