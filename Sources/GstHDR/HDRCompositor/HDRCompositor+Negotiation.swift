import CGStreamer
import CGstHDR
import GstBridge
import HDRColor
import HDRComposition
import HDRExport
import HDRKernels
import HDRMetadata

/// Chooses the caps of the canvas.
extension HDRCompositor {
    typealias Layers = UnsafeBufferPointer<GstHdrCompositorLayer>

    /// The signal, geometry and metadata of a pad, as its caps and properties describe them.
    struct Pad {
        let signal: VideoSignal
        let colorimetry: GstVideoColorimetry
        let metadata: StaticMetadata
        let siting: GstVideoChromaSite
        /// The part of the pad's picture that is shown, in its pixels, and where it goes.
        let part: PixelRect
        let placement: LayerPlacement
        /// The shape of its pixels, after rotation.
        let pixels: PixelShape
        /// The frame rate in pictures per second.
        let rate: (numerator: Int32, denominator: Int32)
    }

    /// Picks one of the caps that downstream accepts, and takes them over: the canvas's size and rate, the dynamic
    /// range of the pads, and the format that loses least of their pictures.
    func fixate(_ caps: Caps.Pointer, _ layers: Layers) -> Caps.Pointer? {
        let settings = settings.current
        let present = layers.compactMap { pad($0, settings) }
        reachedRange = present.map { DynamicRange($0.signal.color.transfer) }.reduce(reachedRange, max)
        for range in DynamicRange.allCases {
            reachedColors[range] = mixing(present, range, reachedColors[range]).target
        }
        let preferred = settings.wantedRange == nil ? preferredColor(caps) : nil
        var range = settings.wantedRange ?? preferred?.range ?? reachedRange
        let pads = pastPads(of: range, present) + present
        func best() -> Choice? {
            bestStructure(caps, pads, range, isTransparent: settings.isTransparent, colorimetry: preferred?.text)
        }
        var choice = best()
        if settings.wantedRange == nil, preferred == nil, range != .sdr, let coarse = choice?.format,
            isTooCoarse(coarse, caps, pads)
        {
            range = .sdr
            choice = best()
        }
        guard let choice,
            let result = gst_caps_copy_nth(caps, choice.index), let structure = gst_caps_get_structure(result, 0)
        else { return gst_caps_fixate(caps) }
        gst_caps_unref(caps)
        Caps.set(structure, "format", to: choice.format)
        let isColorOpen = gst_structure_has_field(structure, "colorimetry") == 0
        if let offered = Caps.strings(structure, "colorimetry"), let color = choice.color, !offered.contains(color) {
            // Without an error the stream would wait for ever.
            error(UnknownColorName(result)?.description ?? Self.noCanvas(of: offered))
        }
        if let color = choice.color, isColorOpen || Caps.strings(structure, "colorimetry") != nil {
            Caps.set(structure, "colorimetry", to: color)
        }
        fixateGeometry(structure, present)
        guard let fixed = gst_caps_fixate(result) else { return nil }
        let announced = announcedCaps(fixed, choice.format)
        if continuesCanvas == nil { continuesCanvas = announced != nil }
        fixateSiting(fixed, choice.format, pads, announced)
        fixateMetadata(fixed, pads, settings.metadataPolicy, continuesCanvas == true ? announced : nil)
        return fixed
    }

    /// The caps of the nearest pad from the source pad downstream that has any, if their colorimetry and chroma
    /// subsampling are those of `caps`; `nil` otherwise. A timeline stops this element between clips: the caps
    /// downstream are then those from before the stop.
    private func announcedCaps(_ caps: Caps.Pointer, _ format: String) -> OwnedCaps? {
        guard let pad = UnsafeMutableRawPointer(element.pointee.parent.aggregator.srcpad),
            let found = Neighbours.firstPad(
                pad.assumingMemoryBound(to: GstPad.self), { gst_pad_get_current_caps($0).map { OwnedCaps(owning: $0) } }
            )
        else { return nil }
        var (info, old) = (GstVideoInfo(), GstVideoInfo())
        guard gst_video_info_from_caps(&info, caps) != 0, gst_video_info_from_caps(&old, found.pointer) != 0,
            gst_video_colorimetry_is_equal(&info.colorimetry, &old.colorimetry) != 0,
            let layout = PixelLayout.byName[format], let signal = try? VideoSignal(old),
            signal.layout.horizontalShift == layout.horizontalShift,
            signal.layout.verticalShift == layout.verticalShift
        else { return nil }
        return found
    }

    private static func noCanvas(of colors: [String]) -> String {
        "What follows takes \(colors.joined(separator: " or ")) as the colorimetry alone, and there is no such canvas. "
            + "A canvas is in PQ, HLG or SDR, such as bt2100-pq, bt2100-hlg or bt709."
    }

    private func pad(_ layer: GstHdrCompositorLayer, _ settings: Settings) -> Pad? {
        guard let caps = layer.caps, layer.info.finfo != nil, let signal = try? VideoSignal(layer.info) else {
            return nil
        }
        let placement = settings.placement(layer.settings)
        let orientation = Settings.orientation(layer.settings)
        let size = orientation.size(signal.width, signal.height)
        return Pad(
            signal: signal, colorimetry: layer.info.colorimetry, metadata: StaticMetadata(caps: caps),
            siting: layer.info.chroma_site, part: placement.visiblePart(ofWidth: size.width, height: size.height),
            placement: placement,
            pixels: Self.pixels(layer.info, isTransposed: orientation.isTransposed),
            rate: (layer.info.fps_n, layer.info.fps_d))
    }

    /// The pads that last determined the colour of an HDR canvas, used when no pad of that dynamic range is left:
    /// encoders cannot change the colour in mid-stream.
    private func pastPads(of range: DynamicRange, _ present: [Pad]) -> [Pad] {
        let own = present.filter { DynamicRange($0.signal.color.transfer) == range }
        if !own.isEmpty { colorPads = own }
        guard range != .sdr, own.isEmpty else { return [] }
        return colorPads.filter { DynamicRange($0.signal.color.transfer) == range }
    }

    // MARK: Format and colour

    private static let formatNames = PixelLayout.byName.keys.sorted()

    /// The only colorimetry that the first structure of downstream's caps allows, with its dynamic range. The canvas
    /// takes it, since a `videoconvert` downstream accepts any colorimetry but does not convert light. `nil` where an
    /// `hdrconvert` follows, which gets the colorimetry of the pads.
    private func preferredColor(_ caps: Caps.Pointer) -> (range: DynamicRange, text: String)? {
        guard gst_caps_get_size(caps) > 0, !isBeforeHDRConvert, let first = gst_caps_get_structure(caps, 0),
            let offered = Caps.strings(first, "colorimetry"), offered.count == 1,
            let transfer = GstVideoColorimetry(text: offered[0]).flatMap({ Transfer($0.transfer) })
        else { return nil }
        return (DynamicRange(transfer), offered[0])
    }

    /// Whether a format has too few codes for HDR, by the rule of `hdrconvert`: 8 bits where HDR pads have more, and
    /// downstream does not request HDR.
    private func isTooCoarse(_ format: String, _ caps: Caps.Pointer, _ pads: [Pad]) -> Bool {
        func isHDR(_ color: String) -> Bool {
            GstVideoColorimetry(text: color).flatMap { Transfer($0.transfer) }?.isHDR ?? false
        }
        guard let layout = PixelLayout.byName[format], layout.bits <= 8 else { return false }
        return !pads.contains { $0.signal.color.transfer.isHDR && $0.signal.layout.bits <= 8 }
            && !Caps.structures(caps).contains { (Caps.strings($0, "colorimetry") ?? []).contains(where: isHDR) }
    }

    private var isBeforeHDRConvert: Bool {
        guard let pad = UnsafeMutableRawPointer(element.pointee.parent.aggregator.srcpad) else { return false }
        let source = pad.assumingMemoryBound(to: GstPad.self)
        return Neighbours.first(source) { Neighbours.isConverter($0) ? Neighbours.isHDRConvert($0) : nil } ?? false
    }

    private typealias Choice = (index: UInt32, format: String, color: String?)

    /// - Parameter colorimetry: the one that a structure must name; `nil` for any.
    private func bestStructure(
        _ caps: Caps.Pointer, _ pads: [Pad], _ range: DynamicRange, isTransparent: Bool, colorimetry: String?
    ) -> Choice? {
        // The largest pad decides the layout of samples, and the pad with most bits their depth.
        let largest = pads.max { $0.area < $1.area }
        guard let first = largest?.signal.layout ?? PixelLayout.byName["I420"] else { return nil }
        let bits = max(pads.map(\.signal.layout.bits).max() ?? 8, range == .sdr ? 8 : 10)
        var best: (loss: Int, index: UInt32, format: String, color: String?)?
        for index in 0..<gst_caps_get_size(caps) {
            guard let structure = gst_caps_get_structure(caps, index) else { continue }
            for format in Caps.strings(structure, "format") ?? Self.formatNames {
                guard let layout = PixelLayout.byName[format] else { continue }
                let offered = Caps.strings(structure, "colorimetry")
                if let colorimetry, offered?.contains(colorimetry) != true { continue }
                let color = color(for: layout, range, colorimetry.map { [$0] } ?? offered)
                // The factor 2 leaves room for a penalty of 1, by which the largest pad's own format wins among formats
                // with equal samples.
                var loss = 2 * first.loss(to: layout) + (format == largest?.signal.formatName ? 0 : 1)
                if layout.bits < bits { loss += 1024 * (bits - layout.bits) } else { loss += layout.bits - bits }
                if isTransparent && !layout.hasAlpha { loss += 1 << 15 }
                if !isTransparent && layout.hasAlpha { loss += 8 }
                if DynamicRange(color.transfer) != range {
                    loss += color.transfer.isHDR == range.isHDR ? 1 << 16 : 1 << 17
                }
                if loss < best?.loss ?? .max { best = (loss, index, format, color.text) }
            }
        }
        return best.map { ($0.index, $0.format, $0.color) }
    }

    /// The canvas's colorimetry in a format, chosen from those offered (`nil`: any): the pads', else one of their
    /// dynamic range, else HDR of the other kind in preference to SDR.
    private func color(
        for layout: PixelLayout, _ range: DynamicRange, _ offered: [String]?
    ) -> (transfer: Transfer, text: String?) {
        func parsed(_ text: String) -> (transfer: Transfer, text: String?)? {
            GstVideoColorimetry(text: text).flatMap { Transfer($0.transfer) }.map { ($0, text) }
        }
        let wanted = wantedColor(layout, range)
        guard let offered else { return (Transfer(wanted.transfer) ?? .bt1886, wanted.text) }
        let known = offered.compactMap(parsed)
        return known.first { $0.text == wanted.text } ?? known.first { DynamicRange($0.transfer) == range }
            ?? known.first { $0.transfer.isHDR == range.isHDR } ?? known.first
            ?? (Transfer(wanted.transfer) ?? .bt1886, wanted.text)
    }

    /// The colour that the pads of a dynamic range have in common.
    /// - Parameter reached: the common colour of earlier pads.
    private func mixing(
        _ pads: [Pad], _ range: DynamicRange, _ reached: ColorDescription? = nil
    ) -> DynamicRangeMixing {
        let past = reached.map { [DynamicRangeMixing.Source(color: $0)] } ?? []
        return DynamicRangeMixing(
            past
                + pads.filter { DynamicRange($0.signal.color.transfer) == range }.map {
                    DynamicRangeMixing.Source(color: ColorDescription($0.colorimetry), metadata: $0.metadata)
                })
    }

    private func wantedColor(_ layout: PixelLayout, _ range: DynamicRange) -> GstVideoColorimetry {
        let mixed = reachedColors[range]?.colorimetry.flatMap(GstVideoColorimetry.init(text:))
        var color =
            mixed
            ?? GstVideoColorimetry(
                range: GST_VIDEO_COLOR_RANGE_16_235, matrix: GST_VIDEO_COLOR_MATRIX_BT709,
                transfer: GST_VIDEO_TRANSFER_BT709, primaries: GST_VIDEO_COLOR_PRIMARIES_BT709)
        // RGB in SDR is meant for still pictures and screens, which use sRGB.
        if range == .sdr && mixed == nil && layout.isRGB { color.transfer = GST_VIDEO_TRANSFER_SRGB }
        if range != .sdr && mixed == nil {
            color.primaries = GST_VIDEO_COLOR_PRIMARIES_BT2020
            color.matrix = GST_VIDEO_COLOR_MATRIX_BT2020
            color.transfer = range == .pq ? GST_VIDEO_TRANSFER_SMPTE2084 : GST_VIDEO_TRANSFER_ARIB_STD_B67
        }
        let isRGB = color.matrix == GST_VIDEO_COLOR_MATRIX_RGB
        if layout.isRGB {
            color.matrix = GST_VIDEO_COLOR_MATRIX_RGB
        } else if isRGB || YCbCrMatrix(color.matrix) == nil {
            color.matrix = OutputColor.matrix(of: color.primaries)
        }
        if layout.isRGB != isRGB || color.range == GST_VIDEO_COLOR_RANGE_UNKNOWN {
            color.range = layout.isUsuallyFull ? GST_VIDEO_COLOR_RANGE_0_255 : GST_VIDEO_COLOR_RANGE_16_235
        }
        return color
    }

    /// The siting of chroma, unless downstream says one: that of the canvas so far; else that of the largest pad of the
    /// same dynamic range and sampling, whose pictures then keep their codes; else the usual one of the signal.
    private func fixateSiting(_ caps: Caps.Pointer, _ format: String, _ pads: [Pad], _ announced: OwnedCaps?) {
        guard let structure = gst_caps_get_structure(caps, 0), let layout = PixelLayout.byName[format] else { return }
        if layout.horizontalShift == 0 { return gst_structure_remove_field(structure, "chroma-site") }
        if gst_structure_has_field(structure, "chroma-site") != 0 { return }
        if let announced, let old = gst_caps_get_structure(announced.pointer, 0) {
            // The siting stays unspecified where it was.
            if let site = Caps.strings(old, "chroma-site")?.first { Caps.set(structure, "chroma-site", to: site) }
            return
        }
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0 else { return }
        let range = Transfer(info.colorimetry.transfer).map { DynamicRange($0) } ?? .sdr
        let like = pads.filter {
            DynamicRange($0.signal.color.transfer) == range
                && $0.signal.layout.horizontalShift == layout.horizontalShift
                && $0.signal.layout.verticalShift == layout.verticalShift
        }.max { $0.area < $1.area }
        let site = like?.siting ?? OutputColor.siting(of: layout, isHDR: range.isHDR)
        // The siting stays unspecified where it is unspecified at the pad.
        guard site != GST_VIDEO_CHROMA_SITE_UNKNOWN, let text = gst_video_chroma_site_to_string(site) else { return }
        defer { g_free(text) }
        Caps.set(structure, "chroma-site", to: String(cString: text))
    }

    /// Sets the mastering display: that of the pads whose light stays unchanged, or the canvas's own. MaxCLL and
    /// MaxFALL of the pads are dropped, since they describe their pictures and not the canvas.
    /// - Parameter announced: the caps of a canvas that continues after a stop, whose metadata stay: an encoder cannot
    ///   change them in mid-stream.
    private func fixateMetadata(
        _ caps: Caps.Pointer, _ pads: [Pad], _ policy: GstHdrCompositorMetadataPolicy, _ announced: OwnedCaps?
    ) {
        var info = GstVideoInfo()
        guard gst_video_info_from_caps(&info, caps) != 0, let transfer = Transfer(info.colorimetry.transfer) else {
            return
        }
        let range = DynamicRange(transfer)
        let requested = StaticMetadata(caps: caps)
        if let announced {
            return StaticMetadata(caps: announced.pointer).replaced(by: requested).write(to: caps)
        }
        var metadata = StaticMetadata.none
        if range != .sdr {
            metadata.masteringDisplay = mixing(pads, range).metadata.masteringDisplay
        }
        // HLG is not bound to the peak of one display, so it does not state the one that it was graded on.
        if policy == GST_HDR_COMPOSITOR_METADATA_POLICY_GENERATE {
            metadata.masteringDisplay = range == .pq ? masteringDisplay(info.colorimetry, pads) : nil
        }
        metadata.replaced(by: requested).write(to: caps)
    }

    /// D65, x 0.3127 and y 0.3290: the white of all primaries that a canvas can have.
    private static let whitePoint = SIMD2<UInt16>(15635, 16450)

    /// A mastering display with the canvas's primaries that covers all pads: the highest peak that a pad states or may
    /// have, and the lowest black.
    private func masteringDisplay(_ colorimetry: GstVideoColorimetry, _ pads: [Pad]) -> MasteringDisplay? {
        guard let primaries = gst_video_color_primaries_get_info(colorimetry.primaries)?.pointee else { return nil }
        func chromaticity(_ x: Double, _ y: Double) -> SIMD2<UInt16> {
            SIMD2(UInt16((x * 50000).rounded()), UInt16((y * 50000).rounded()))
        }
        let peaks = pads.map { pad in
            switch pad.signal.color.transfer {
            case .pq: pad.metadata.peak ?? ConversionPlan.nominalHDRPeak
            case .hlg: HLG<Double>.nominalPeak
            default: BT2408.referenceWhite
            }
        }
        // A pad may state a peak below reference white, or none; the canvas is composed for at least that white.
        let peak = min(max(peaks.max() ?? ConversionPlan.nominalHDRPeak, BT2408.referenceWhite), PQ.peak)
        // 0.005 cd/m² is the black of most grading displays.
        let black = pads.compactMap(\.metadata.masteringDisplay?.minimum).min() ?? 50
        let steps = UInt32((peak / MasteringDisplay.luminanceStep).rounded())
        return MasteringDisplay(
            red: chromaticity(primaries.Rx, primaries.Ry), green: chromaticity(primaries.Gx, primaries.Gy),
            blue: chromaticity(primaries.Bx, primaries.By), white: Self.whitePoint, maximum: steps,
            minimum: min(black, steps - 1))
    }

    // MARK: Size and rate

    /// The geometry by the rules of GStreamer's `compositor`: the extent of all pads to the right of and below the
    /// origin, at the highest frame rate of any pad.
    private func fixateGeometry(_ structure: Caps.Structure, _ pads: [Pad]) {
        if gst_structure_has_field(structure, "pixel-aspect-ratio") != 0 {
            gst_structure_fixate_field_nearest_fraction(structure, "pixel-aspect-ratio", 1, 1)
        }
        var (numerator, denominator): (gint, gint) = (1, 1)
        gst_structure_get_fraction(structure, "pixel-aspect-ratio", &numerator, &denominator)
        let pixels = PixelShape(numerator, denominator)
        // A pad that begins outside counts with its whole size: it may be moving in.
        func reach(_ range: Range<Int>) -> Int {
            min(range.count + min(max(range.lowerBound, 0), VideoSignal.maximumWidth), VideoSignal.maximumWidth)
        }
        // The canvas contains the whole width and height of a pad, even where the picture leaves bars in it.
        let boxes = pads.map { $0.box(on: pixels) }
        let width = max(boxes.map { reach($0.columns) }.max() ?? 0, 1)
        let height = max(boxes.map { reach($0.rows) }.max() ?? 0, 1)
        gst_structure_fixate_field_nearest_int(structure, "width", Int32(pads.isEmpty ? 320 : width))
        gst_structure_fixate_field_nearest_int(structure, "height", Int32(pads.isEmpty ? 240 : height))
        let rates = pads.map(\.rate).filter { $0.numerator > 0 && $0.denominator > 0 }
        let rate = rates.max {
            Int64($0.numerator) * Int64($1.denominator) < Int64($1.numerator) * Int64($0.denominator)
        }
        gst_structure_fixate_field_nearest_fraction(
            structure, "framerate", rate?.numerator ?? 25, rate?.denominator ?? 1)
    }
}

extension HDRCompositor.Pad {
    /// The pad's rectangle on a canvas of such pixels.
    fileprivate func box(on canvas: PixelShape) -> PixelRect { placement.box(part, pixels: pixels.beside(canvas)) }

    fileprivate var area: Int {
        let box = box(on: .square)
        return box.width * box.height
    }
}
