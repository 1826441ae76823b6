import CGStreamer
import GstBridge
import HDRColor
import HDRKernels
import HDRPresenter

/// The names that caps have for the presenters' formats and encodings, and the kernels' layouts and signals for them.

extension PictureFormat {
    /// The name of the format in caps; GStreamer knows half floats from 1.30 on.
    var capsName: String {
        switch self {
        case .rgba16f: "RGBA_F16LE"
        case .rgb10a2: "RGB10A2_LE"
        case .bgr10a2: "BGR10A2_LE"
        case .rgba8: "RGBx"
        case .bgra8: "BGRx"
        }
    }
}

extension PictureEncoding {
    /// The colorimetry in caps: range, matrix, transfer and primaries.
    var colorimetry: String {
        let primaries =
            switch self.primaries {
            case .sRGB: GST_VIDEO_COLOR_PRIMARIES_BT709
            case .displayP3: GST_VIDEO_COLOR_PRIMARIES_SMPTEEG432
            case .bt2020: GST_VIDEO_COLOR_PRIMARIES_BT2020
            }
        let transfer =
            switch self.transfer {
            case .extendedLinear: GST_VIDEO_TRANSFER_GAMMA10
            case .pq: GST_VIDEO_TRANSFER_SMPTE2084
            case .sRGB: GST_VIDEO_TRANSFER_SRGB
            }
        let colorimetry = GstVideoColorimetry(
            range: GST_VIDEO_COLOR_RANGE_0_255, matrix: GST_VIDEO_COLOR_MATRIX_RGB, transfer: transfer,
            primaries: primaries)
        return colorimetry.text ?? "sRGB"
    }
}

extension PictureFormat {
    /// The layout in which the kernels write the format.
    var layout: PixelLayout {
        let name: String
        switch self {
        case .rgba16f: return .rgba16f
        case .rgb10a2: name = "RGB10A2_LE"
        case .bgr10a2: name = "BGR10A2_LE"
        case .rgba8: name = "RGBx"
        case .bgra8: name = "BGRx"
        }
        return PixelLayout.byName[name]?.opaque ?? .rgba16f
    }
}

extension PictureEncoding {
    /// The signal that the code values of a format represent in this encoding.
    func signal(_ format: PictureFormat) -> ColorSignal {
        let transfer: HDRColor.Transfer =
            switch self.transfer {
            case .extendedLinear: .extendedLinear(white: whiteValue)
            case .pq: .pq
            case .sRGB: .sRGB
            }
        let primaries: HDRColor.Primaries =
            switch self.primaries {
            case .sRGB: .bt709
            case .displayP3: .displayP3
            case .bt2020: .bt2020
            }
        let bits = format.layout.bits
        return ColorSignal(
            transfer: transfer, primaries: primaries,
            quantization: format == .rgba16f ? .binary16 : Quantization(bits: bits, fullRange: true, matrix: nil))
    }
}

extension PictureEncoding {
    /// A name in the style of CoreGraphics' colour spaces.
    var name: String {
        let primaries =
            switch self.primaries {
            case .sRGB: "srgb"
            case .displayP3: "display-p3"
            case .bt2020: "bt2020"
            }
        switch transfer {
        case .extendedLinear: return "extended-linear-\(primaries)"
        case .pq: return "bt2100-pq"
        case .sRGB: return "srgb"
        }
    }
}
