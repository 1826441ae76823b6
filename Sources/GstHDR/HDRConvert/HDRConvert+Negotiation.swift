import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRKernels
import HDRMetadata

/// Negotiates the caps of the pads.
extension HDRConvert {
    /// The caps that the other pad can have for these: any format, colour and siting of the same picture. The same caps
    /// come first, so that passthrough is preferred.
    func transformCaps(_ caps: Caps.Pointer, filter: Caps.Pointer?) -> Caps.Pointer? {
        guard let any = gst_caps_copy(caps), let result = gst_caps_copy(caps) else { return gst_caps_ref(caps) }
        for structure in Caps.structures(any) {
            for field in Self.colorFields { gst_structure_remove_field(structure, field) }
            Caps.set(structure, "format", to: Self.formatNames)
        }
        gst_caps_append(result, any)
        guard let filter else { return result }
        defer { gst_caps_unref(result) }
        return gst_caps_intersect_full(filter, result, GST_CAPS_INTERSECT_FIRST)
    }

    /// The caps fields that a conversion may change.
    static let colorFields = [
        "format", "colorimetry", "chroma-site", "mastering-display-info", "content-light-level", "hdr-format",
    ]

    static let formatNames = PixelLayout.byName.keys.sorted()

    /// Picks one of `candidates`, which it takes over, to go with fixed caps: the format that loses least, and where
    /// downstream leaves them open, the source's colour, a suitable siting, and the static metadata that hold for the
    /// output.
    func fixateCaps(_ candidates: Caps.Pointer, from caps: Caps.Pointer, direction: GstPadDirection) -> Caps.Pointer? {
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0, let result = bestCandidate(candidates, for: info) else {
            return gst_caps_fixate(candidates)
        }
        gst_caps_unref(candidates)
        guard let structure = gst_caps_get_structure(result, 0) else { return result }
        fixateColorimetry(structure, like: info)
        let fixed = gst_caps_fixate(result)
        guard let fixed, direction == GST_PAD_SINK else { return fixed }
        fixateSiting(fixed, like: info)
        fixateMetadata(fixed, from: caps, info)
        return fixed
    }

    /// A one-structure copy of the candidate that loses least, with its format fixed.
    private func bestCandidate(_ candidates: Caps.Pointer, for info: GstVideoInfo) -> Caps.Pointer? {
        guard let name = info.finfo?.pointee.name.map({ String(cString: $0) }), let from = PixelLayout.byName[name]
        else { return nil }
        let isHDR = Transfer(info.colorimetry.transfer)?.isHDR ?? false
        func turnsSDR(_ format: String) -> Bool { isHDR && format != name && PixelLayout.byName[format]?.bits == 8 }
        var best: (loss: Int, index: UInt32, format: String)?
        for index in 0..<gst_caps_get_size(candidates) {
            guard let structure = gst_caps_get_structure(candidates, index) else { continue }
            for format in Caps.strings(structure, "format") ?? Self.formatNames {
                guard let to = PixelLayout.byName[format] else { continue }
                // Encoders offer the source's own colorimetry beside caps without one; caps that really ask for HDR in
                // 8 bits have no alternative.
                let echoes = turnsSDR(format) && Self.asksForHDR(structure)
                let loss = (format == name ? 0 : from.loss(to: to)) * 2 + (echoes ? 1 : 0)
                if loss < best?.loss ?? Int.max { best = (loss, index, format) }
            }
        }
        guard let best, let result = gst_caps_copy_nth(candidates, best.index),
            let structure = gst_caps_get_structure(result, 0)
        else { return nil }
        Caps.set(structure, "format", to: best.format)
        return result
    }

    /// Whether a candidate allows no colour but PQ or HLG.
    private static func asksForHDR(_ structure: Caps.Structure) -> Bool {
        guard let offered = Caps.strings(structure, "colorimetry") else { return false }
        return offered.allSatisfy { text in
            var colorimetry = GstVideoColorimetry()
            guard gst_video_colorimetry_from_string(&colorimetry, text) != 0 else { return false }
            return Transfer(colorimetry.transfer)?.isHDR ?? false
        }
    }

    /// Fixes the colorimetry: the candidate's, or else the source's in a form that suits the format.
    private func fixateColorimetry(_ structure: Caps.Structure, like info: GstVideoInfo) {
        let wanted = Self.colorimetry(for: Caps.string(structure, "format") ?? "", like: info)
        guard let offered = Caps.strings(structure, "colorimetry") else {
            if let wanted { Caps.set(structure, "colorimetry", to: wanted) }
            return
        }
        if offered.count > 1 {
            let choice = offered.first { $0 == wanted } ?? offered.first
            if let choice { Caps.set(structure, "colorimetry", to: choice) }
        }
    }

    /// The colorimetry that shows a source in a format where downstream requests none. An HDR signal is too coarse in 8
    /// bits, so there it becomes SDR.
    static func colorimetry(for format: String, like info: GstVideoInfo) -> String? {
        guard let layout = PixelLayout.byName[format], let finfo = info.finfo?.pointee else { return nil }
        let isRGB = finfo.flags.rawValue & GST_VIDEO_FORMAT_FLAG_RGB.rawValue != 0
        let isGray = finfo.flags.rawValue & GST_VIDEO_FORMAT_FLAG_GRAY.rawValue != 0
        let isHDR = Transfer(info.colorimetry.transfer)?.isHDR ?? false
        let sameFormat = finfo.name.map { String(cString: $0) } == format
        // Grey has full range unless the caps say otherwise: PNG and JPEG know no other.
        if isHDR && layout.bits == 8 && !sameFormat {
            return layout.isRGB ? "sRGB" : layout.isGray ? "1:3:5:1" : "bt709"
        }
        var colorimetry = info.colorimetry
        if layout.isUsuallyFull != (isRGB || isGray) {
            colorimetry.range = layout.isUsuallyFull ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235
        }
        if layout.isRGB != isRGB || (isGray && !layout.isGray) {
            colorimetry.matrix =
                layout.isRGB ? GST_VIDEO_COLOR_MATRIX_RGB : OutputColor.matrix(of: colorimetry.primaries)
        }
        return colorimetry.text
    }

    /// Sets a chroma siting where downstream leaves it open: the source's if sampling and dynamic range stay, else the
    /// usual one of the new signal. If the source's siting is unspecified and stays, so is the output's.
    private func fixateSiting(_ caps: Caps.Pointer, like info: GstVideoInfo) {
        guard let structure = gst_caps_get_structure(caps, 0), let name = Caps.string(structure, "format"),
            let layout = PixelLayout.byName[name]
        else { return }
        if layout.isRGB || layout.horizontalShift == 0 {
            return gst_structure_remove_field(structure, "chroma-site")
        }
        if gst_structure_has_field(structure, "chroma-site") != 0 { return }
        var target = GstVideoInfo()
        guard gst_video_info_from_caps(&target, caps) != 0 else { return }
        let from = info.finfo.flatMap { $0.pointee.name }.flatMap { PixelLayout.byName[String(cString: $0)] }
        let isHDR = Transfer(target.colorimetry.transfer)?.isHDR ?? false
        let sameSampling =
            from?.isRGB == false && from?.horizontalShift == layout.horizontalShift
            && from?.verticalShift == layout.verticalShift
        let sameKind = isHDR == (Transfer(info.colorimetry.transfer)?.isHDR ?? false)
        var site = OutputColor.siting(of: layout, isHDR: isHDR)
        if sameSampling && sameKind {
            site = info.chroma_site
            if site == GST_VIDEO_CHROMA_SITE_UNKNOWN { return }
        }
        guard let text = gst_video_chroma_site_to_string(site) else { return }
        defer { g_free(text) }
        Caps.set(structure, "chroma-site", to: String(cString: text))
    }

    /// Writes the static metadata that is true of the output, unless downstream requests its own.
    private func fixateMetadata(_ caps: Caps.Pointer, from sourceCaps: Caps.Pointer, _ info: GstVideoInfo) {
        var targetInfo = GstVideoInfo()
        guard gst_video_info_from_caps(&targetInfo, caps) != 0, let source = try? VideoSignal(info),
            let target = try? VideoSignal(targetInfo)
        else { return }
        let metadata = StaticMetadata(caps: sourceCaps)
        let requested = StaticMetadata(caps: caps).differing(from: metadata)
        let plan = settings.current.plan(
            from: source, to: target, metadata: metadata, requestedPeak: Self.requestedPeak(requested))
        let result = Self.outputMetadata(plan, metadata).replaced(by: requested)
        result.write(to: caps)
        fixated = (result, requested)
    }

}

extension PixelLayout {
    /// How much of a picture is lost in another layout, as a cost: high for lost bits, chroma or alpha, low for a mere
    /// change of form.
    func loss(to other: PixelLayout) -> Int {
        var loss = 1
        if other.bits < bits { loss += 256 * (bits - other.bits) }
        if other.bits > bits { loss += other.bits - bits }
        if isGray != other.isGray {
            loss += isGray ? 8 : 16384
        } else {
            if other.horizontalShift > horizontalShift { loss += 1024 }
            if other.verticalShift > verticalShift { loss += 1024 }
            if other.horizontalShift < horizontalShift { loss += 4 }
            if other.verticalShift < verticalShift { loss += 4 }
        }
        if hasAlpha && !other.hasAlpha { loss += 8192 }
        if !hasAlpha && other.hasAlpha { loss += 2 }
        if isRGB != other.isRGB { loss += 64 }
        if packing != other.packing || isPacked422 != other.isPacked422 { loss += 1 }
        if isBigEndian != other.isBigEndian { loss += 1 }
        return loss
    }
}
