import CGStreamer
import HDRColor

extension GstVideoColorimetry {
    /// These colours as a sink shows them. A sink shows every picture, so that primaries and transfer functions that
    /// are not converted are taken for others: the P3 primaries of cinemas for those of displays, whose white is D65;
    /// other primaries for those of BT.709, or of BT.2020 in HDR; and logarithmic curves for that of BT.709.
    package var shown: GstVideoColorimetry {
        var result = self
        let curve = Transfer(transfer)
        if curve == nil { result.transfer = GST_VIDEO_TRANSFER_BT709 }
        guard Primaries(primaries) == nil else { return result }
        switch primaries {
        case GST_VIDEO_COLOR_PRIMARIES_SMPTERP431: result.primaries = GST_VIDEO_COLOR_PRIMARIES_SMPTEEG432
        default:
            result.primaries =
                curve?.isHDR == true ? GST_VIDEO_COLOR_PRIMARIES_BT2020 : GST_VIDEO_COLOR_PRIMARIES_BT709
        }
        return result
    }

    /// What ``shown`` replaces, as a note for the user; `nil` where it replaces nothing.
    package var shownNote: String? {
        let shown = shown
        var parts: [String] = []
        if shown.primaries != primaries {
            parts.append("primaries \(VideoSignal.name(primaries)) as \(VideoSignal.name(shown.primaries))")
        }
        if shown.transfer != transfer {
            parts.append("transfer function \(VideoSignal.name(transfer)) as bt709")
        }
        return parts.isEmpty ? nil : "Colours are approximate: " + parts.joined(separator: ", ")
    }
}

extension VideoSignal {
    /// The signal of a picture as a sink shows it, with its colorimetry replaced by ``GstVideoColorimetry/shown``.
    package init(shown info: GstVideoInfo) throws(Unsupported) {
        var info = info
        info.colorimetry = info.colorimetry.shown
        try self.init(info)
    }
}
