import CGStreamer
import HDRColor
import HDRKernels

/// The samples and the colour of a picture with a GstVideoInfo, in this project's types.
package struct VideoSignal: Equatable, Sendable {
    package let formatName: String
    package let layout: PixelLayout
    package private(set) var color: ColorSignal
    package let siting: ChromaSiting
    package let width: Int
    package let height: Int

    /// Why a picture cannot be converted, as text for an error message.
    package struct Unsupported: Error, CustomStringConvertible {
        package let description: String

        init(color: String) {
            description =
                color
                + ", which is not converted. Supported are PQ, HLG, BT.709, BT.601, BT.2020, sRGB, linear and pure "
                + "gamma signals with BT.709, BT.601, P3-D65 or BT.2020 primaries. If the colorimetry is wrong, set "
                + "the right one with capssetter before this element."
        }

        init(_ description: String) { self.description = description }
    }

    /// This signal with the same samples but another colour.
    package func with(_ color: ColorSignal) -> VideoSignal {
        var result = self
        result.color = color
        return result
    }

    /// The maximum width in pixels: each thread holds some rows in memory.
    package static let maximumWidth = 1 << 17

    /// - Throws: ``Unsupported`` for formats, transfer functions, primaries or matrices that are not converted.
    package init(_ info: GstVideoInfo) throws(Unsupported) {
        let name = info.finfo?.pointee.name.map { String(cString: $0) } ?? "?"
        guard let format = info.finfo?.pointee, let layout = PixelLayout.byName[name] else {
            throw Unsupported(
                "\(name) is none of the raw formats that are converted. Put videoconvert before this element.")
        }
        formatName = name
        self.layout = layout
        width = Int(info.width)
        height = Int(info.height)
        guard width <= Self.maximumWidth else {
            throw Unsupported(
                "\(width) pixels are too wide; the maximum is \(Self.maximumWidth). Scale or crop before this element.")
        }
        let c = info.colorimetry
        guard let transfer = Transfer(c.transfer) else {
            throw Unsupported(color: "the transfer function is \(Self.name(c.transfer))")
        }
        guard let primaries = Primaries(c.primaries) else {
            throw Unsupported(color: "the primaries are \(Self.name(c.primaries))")
        }
        var matrix: YCbCrMatrix?
        if !layout.isRGB {
            matrix = YCbCrMatrix(c.matrix)
            // Grey needs no matrix.
            if matrix == nil && layout.isGray { matrix = .bt709 }
            if matrix == nil { throw Unsupported(color: "the matrix of \(name) is number \(c.matrix.rawValue)") }
        }
        let isUnspecified = c.range == GST_VIDEO_COLOR_RANGE_UNKNOWN
        let full = c.range == GST_VIDEO_COLOR_RANGE_0_255 || (layout.isUsuallyFull && isUnspecified)
        color = ColorSignal(
            transfer: transfer, primaries: primaries,
            quantization: Quantization(bits: layout.bits, fullRange: full, matrix: matrix))
        // Along an axis without subsampling chroma is cosited, whatever the caps say.
        let declared = ChromaSiting(info.chroma_site)
        siting = ChromaSiting(
            horizontallyCosited: declared.horizontallyCosited || layout.horizontalShift == 0,
            verticallyCosited: declared.verticallyCosited || layout.verticalShift == 0)
    }

    static func name(_ transfer: GstVideoTransferFunction) -> String {
        switch transfer {
        case GST_VIDEO_TRANSFER_LOG100: "log100"
        case GST_VIDEO_TRANSFER_LOG316: "log316"
        default: "number \(transfer.rawValue)"
        }
    }

    static func name(_ primaries: GstVideoColorPrimaries) -> String {
        switch primaries {
        case GST_VIDEO_COLOR_PRIMARIES_BT709: "bt709"
        case GST_VIDEO_COLOR_PRIMARIES_BT2020: "bt2020"
        case GST_VIDEO_COLOR_PRIMARIES_SMPTEEG432: "smpteeg432 (Display P3)"
        case GST_VIDEO_COLOR_PRIMARIES_BT470M: "bt470m"
        case GST_VIDEO_COLOR_PRIMARIES_FILM: "film"
        case GST_VIDEO_COLOR_PRIMARIES_ADOBERGB: "adobergb"
        case GST_VIDEO_COLOR_PRIMARIES_SMPTEST428: "smptest428 (XYZ)"
        case GST_VIDEO_COLOR_PRIMARIES_SMPTERP431: "smpterp431 (DCI P3)"
        case GST_VIDEO_COLOR_PRIMARIES_EBU3213: "ebu3213"
        default: "number \(primaries.rawValue)"
        }
    }
}

extension PixelLayout {
    /// Whether such pictures have full range if the range is unspecified.
    package var isUsuallyFull: Bool { isRGB || isGray }
}

extension Transfer {
    /// The transfer function; `nil` for those that are not converted: the logarithmic ones and those of film.
    package init?(_ function: GstVideoTransferFunction) {
        switch function {
        case GST_VIDEO_TRANSFER_SMPTE2084: self = .pq
        case GST_VIDEO_TRANSFER_ARIB_STD_B67: self = .hlg
        // Untagged video counts as BT.709.
        case GST_VIDEO_TRANSFER_UNKNOWN, GST_VIDEO_TRANSFER_BT709, GST_VIDEO_TRANSFER_BT601,
            GST_VIDEO_TRANSFER_BT2020_10, GST_VIDEO_TRANSFER_BT2020_12, GST_VIDEO_TRANSFER_SMPTE240M:
            self = .bt1886
        case GST_VIDEO_TRANSFER_SRGB: self = .sRGB
        case GST_VIDEO_TRANSFER_GAMMA10: self = .linear
        case GST_VIDEO_TRANSFER_GAMMA18: self = .gamma(1.8)
        case GST_VIDEO_TRANSFER_GAMMA20: self = .gamma(2.0)
        case GST_VIDEO_TRANSFER_GAMMA22: self = .gamma(2.2)
        case GST_VIDEO_TRANSFER_GAMMA28: self = .gamma(2.8)
        case GST_VIDEO_TRANSFER_ADOBERGB: self = .gamma(563.0 / 256)
        default: return nil
        }
    }
}

extension Primaries {
    /// The primaries; `nil` for those that are not converted: those of film or with another white point than D65.
    package init?(_ primaries: GstVideoColorPrimaries) {
        switch primaries {
        case GST_VIDEO_COLOR_PRIMARIES_UNKNOWN, GST_VIDEO_COLOR_PRIMARIES_BT709: self = .bt709
        case GST_VIDEO_COLOR_PRIMARIES_BT470BG: self = .bt601x625
        case GST_VIDEO_COLOR_PRIMARIES_SMPTE170M, GST_VIDEO_COLOR_PRIMARIES_SMPTE240M: self = .bt601
        case GST_VIDEO_COLOR_PRIMARIES_BT2020: self = .bt2020
        case GST_VIDEO_COLOR_PRIMARIES_SMPTEEG432: self = .displayP3
        default: return nil
        }
    }
}

extension YCbCrMatrix {
    package init?(_ matrix: GstVideoColorMatrix) {
        switch matrix {
        case GST_VIDEO_COLOR_MATRIX_UNKNOWN, GST_VIDEO_COLOR_MATRIX_BT709: self = .bt709
        case GST_VIDEO_COLOR_MATRIX_BT601: self = .bt601
        case GST_VIDEO_COLOR_MATRIX_BT2020: self = .bt2020
        case GST_VIDEO_COLOR_MATRIX_SMPTE240M: self = .smpte240m
        case GST_VIDEO_COLOR_MATRIX_FCC: self = .fcc
        default: return nil
        }
    }
}

extension ChromaSiting {
    /// An unspecified site is that of MPEG-2: cosited with the left luma sample.
    package init(_ site: GstVideoChromaSite) {
        if site == GST_VIDEO_CHROMA_SITE_UNKNOWN {
            self = .left
            return
        }
        self.init(
            horizontallyCosited: site.rawValue & GST_VIDEO_CHROMA_SITE_H_COSITED.rawValue != 0,
            verticallyCosited: site.rawValue & GST_VIDEO_CHROMA_SITE_V_COSITED.rawValue != 0)
    }
}
