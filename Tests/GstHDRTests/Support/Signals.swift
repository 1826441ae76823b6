import CGStreamer
import CGstFormat
import HDRColor
import Testing

/// A raw format and what GStreamer itself says of it.
struct Format: Sendable, CustomTestStringConvertible {
    let name: String
    let bits: Int
    let alphaBits: Int
    let isRGB: Bool
    let hasAlpha: Bool
    let halvesColumns: Bool
    let halvesRows: Bool

    init(_ name: String) {
        self.name = name
        let info = gst_video_format_get_info(hdr_video_format_from_string(name)).pointee
        bits = Int(info.depth.0)
        isRGB = info.flags.rawValue & GST_VIDEO_FORMAT_FLAG_RGB.rawValue != 0
        hasAlpha = info.flags.rawValue & GST_VIDEO_FORMAT_FLAG_ALPHA.rawValue != 0
        alphaBits = hasAlpha ? Int(info.depth.3) : bits
        halvesColumns = info.w_sub.1 > 0
        halvesRows = info.h_sub.1 > 0
    }

    var testDescription: String { name }
    var opaque: UInt16 { UInt16((1 << alphaBits) - 1) }

    /// Formats that the element takes and gives: each way of reading and writing them.
    static let all = [
        "I420", "YV12", "NV12", "NV21", "Y42B", "Y444", "I420_10LE", "I420_12LE", "I422_10LE", "I422_12LE", "Y444_10LE",
        "Y444_12LE", "Y444_16LE", "P010_10LE", "P012_LE", "P016_LE", "RGBA", "BGRA", "ARGB", "ABGR", "RGBx", "BGRx",
        "xRGB", "xBGR", "RGB", "BGR", "RGB10A2_LE", "BGR10A2_LE", "ARGB64_LE", "RGBA64_LE", "GBR_10LE", "GBR_12LE",
        "GBRA_12LE", "AYUV64", "v210",
    ].map { Format($0) }

    /// Those that differ from one of `all` in the order of their samples or bytes, or that have no chroma, and one that
    /// GStreamer's own packers give the same samples.
    static let likes = [
        "NV16": "Y42B", "NV61": "Y42B", "YUY2": "Y42B", "YVYU": "Y42B", "UYVY": "Y42B", "NV24": "Y444",
        "Y210": "I422_10LE", "Y212_LE": "I422_12LE", "v216": "AYUV64", "AYUV": "VUYA", "VUYA": "AYUV", "GBR": "RGB",
        "Y410": "Y444_10LE", "Y412_LE": "Y444_12LE", "GBRA_10LE": "GBR_10LE", "BGRA64_LE": "RGBA64_LE",
        "ABGR64_LE": "RGBA64_LE", "GRAY8": "Y444", "GRAY16_LE": "Y444_16LE", "A420": "I420", "A420_10LE": "I420_10LE",
        "A422_10LE": "I422_10LE", "A444_10LE": "Y444_10LE", "GBRA": "RGB",
    ].merging(
        [
            "I420_10", "I420_12", "I422_10", "I422_12", "Y444_10", "Y444_12", "Y444_16", "P010_10", "P012_", "P016_",
            "Y212_", "Y412_", "GBR_10", "GBR_12", "GBRA_10", "GBRA_12", "ARGB64_", "RGBA64_", "BGRA64_", "ABGR64_",
            "GRAY16_", "A420_10", "A422_10", "A444_10",
        ].map { ($0 + "BE", $0 + "LE") }
    ) { own, _ in own }

    /// Every format that the element takes and gives.
    static let every = all + likes.keys.sorted().map { Format($0) }
}

/// A colour that caps can name, as GStreamer writes it and as this project's definition sees it.
struct Color: Sendable, CustomTestStringConvertible {
    let name: String
    let ycbcr: String
    let rgb: String
    let transfer: Transfer
    let primaries: Primaries
    let matrix: YCbCrMatrix

    static let pq = Color(
        name: "PQ", ycbcr: "bt2100-pq", rgb: "1:1:14:7", transfer: .pq, primaries: .bt2020, matrix: .bt2020)
    static let hlg = Color(
        name: "HLG", ycbcr: "bt2100-hlg", rgb: "1:1:15:7", transfer: .hlg, primaries: .bt2020, matrix: .bt2020)
    static let pqOfP3 = Color(
        name: "PQ of P3", ycbcr: "2:6:14:11", rgb: "1:1:14:11", transfer: .pq, primaries: .displayP3, matrix: .bt2020)
    static let sdr = Color(
        name: "SDR", ycbcr: "bt709", rgb: "1:1:5:1", transfer: .bt1886, primaries: .bt709, matrix: .bt709)
    static let sRGB = Color(
        name: "sRGB", ycbcr: "1:3:7:1", rgb: "sRGB", transfer: .sRGB, primaries: .bt709, matrix: .bt709)
    static let displayP3 = Color(
        name: "P3", ycbcr: "2:3:7:11", rgb: "1:1:7:11", transfer: .sRGB, primaries: .displayP3, matrix: .bt709)
    static let linear = Color(
        name: "linear", ycbcr: "1:3:1:1", rgb: "1:1:1:1", transfer: .linear, primaries: .bt709, matrix: .bt709)

    var testDescription: String { name }

    func colorimetry(_ format: Format) -> String { format.isRGB ? rgb : ycbcr }

    func signal(_ format: Format) -> ColorSignal {
        let isFull = format.isRGB || ycbcr.hasPrefix("1:")
        return ColorSignal(
            transfer: transfer, primaries: primaries,
            quantization: Quantization(bits: format.bits, fullRange: isFull, matrix: format.isRGB ? nil : matrix))
    }
}

extension PictureCodes {
    /// A flat picture of an R'G'B' signal in a format's code values.
    init(_ width: Int, _ height: Int, signal: SIMD3<Double>, _ quantization: Quantization, alpha: UInt16 = .max) {
        let c = quantization.encode(signal)
        self.init(width, height, UInt16(c.x), UInt16(c.y), UInt16(c.z), alpha: alpha)
    }

    /// The largest difference of a code value to another picture of the same size, and the mean over all three
    /// components. Alpha is left out.
    func difference(to other: PictureCodes) -> (largest: Int, mean: Double) {
        guard width == other.width, height == other.height else { return (.max, .infinity) }
        var largest = 0
        var sum = 0
        for (a, b) in zip(pixels, other.pixels) {
            for index in 0..<3 {
                let difference = abs(Int(a[index]) - Int(b[index]))
                largest = max(largest, difference)
                sum += difference
            }
        }
        return (largest, Double(sum) / Double(3 * pixels.count))
    }
}
