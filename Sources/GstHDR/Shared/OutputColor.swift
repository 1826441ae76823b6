import CGStreamer
import HDRKernels

/// The default matrix and chroma siting of a signal, where neither its source nor downstream states them.
enum OutputColor {
    /// The Y'CbCr matrix that goes with primaries.
    static func matrix(of primaries: GstVideoColorPrimaries) -> GstVideoColorMatrix {
        switch primaries {
        case GST_VIDEO_COLOR_PRIMARIES_BT2020: GST_VIDEO_COLOR_MATRIX_BT2020
        case GST_VIDEO_COLOR_PRIMARIES_SMPTE170M, GST_VIDEO_COLOR_PRIMARIES_BT470BG: GST_VIDEO_COLOR_MATRIX_BT601
        default: GST_VIDEO_COLOR_MATRIX_BT709
        }
    }

    /// Where chroma lies: BT.2100 has it in 4:2:0 at the top left sample, H.264 and H.265 by default at the left.
    static func siting(of layout: PixelLayout, isHDR: Bool) -> GstVideoChromaSite {
        isHDR && layout.verticalShift > 0 ? GST_VIDEO_CHROMA_SITE_COSITED : GST_VIDEO_CHROMA_SITE_H_COSITED
    }
}
