import CGStreamer
import CGstHDRX265
import CX265
import GstBridge
import HDRMetadata

extension HDRX265Enc {
    /// The parameters of encoders, made from caps and settings. A plan never changes; a new one replaces it.
    struct Plan {
        let info: GstVideoInfo
        let format: InputFormat
        let parameters: X265Parameters
        let settings: Settings
        let metadata: StaticMetadata
        let ambientViewing: AmbientViewing?
        /// Whether a buffer (VBV) that limits the rate was set.
        let hasBuffer: Bool
        /// Whether the options state if the high tier is allowed.
        let choosesTier: Bool

        /// Whether the rate control has an average bit rate as its target, which may change.
        var followsBitrate: Bool {
            let rc = parameters.pointer.pointee.rc
            return rc.rateControlMode == Int32(X265_RC_ABR.rawValue) && rc.bStatRead == 0
        }

        var width: Int { Int(info.width) }
        var height: Int { Int(info.height) }
        var framesPerSecond: Double { Double(parameters.pointer.pointee.fpsNum) / framesDenominator }
        private var framesDenominator: Double { Double(max(parameters.pointer.pointee.fpsDenom, 1)) }
        /// The duration of a picture in ns.
        var frameDuration: UInt64 {
            let seconds = framesDenominator / Double(max(parameters.pointer.pointee.fpsNum, 1))
            return UInt64(min(seconds, 3600) * Double(ClockTime.second))
        }
    }
}

extension HDRX265Enc.Plan {
    /// The frame rate where the caps leave it open.
    private static let defaultRate = (numerator: UInt32(25), denominator: UInt32(1))

    /// - Parameter profile: libx265's name of the profile that downstream requests.
    init(
        info: GstVideoInfo, caps: Caps.Pointer, settings: HDRX265Enc.Settings, profile: String?
    ) throws(X265Parameters.Failure) {
        guard let name = info.finfo?.pointee.name, let format = InputFormat.named(String(cString: name)) else {
            throw X265Parameters.Failure("The raw format is not one of the pad's template.")
        }
        try Self.requireWholeChroma(info, format)
        self.info = info
        self.format = format
        self.settings = settings
        metadata = StaticMetadata(caps: caps)
        ambientViewing = try settings.parsedAmbientViewing()
        parameters = try X265Parameters(depth: format.depth, preset: settings.presetName, tune: settings.tuneName)
        Self.setPictures(parameters, info, format)
        Self.setColor(parameters, info, format, hasSite: Self.hasField(caps, "chroma-site"))
        Self.setStatic(parameters, metadata)
        try Self.setRate(parameters, settings)
        let options = X265Options.parse(settings.optionString)
        // Like the command line of x265, max-cll also enables the SEI message.
        if options.contains(where: { $0.name == "max-cll" }) { parameters.parse("cll", "1") }
        let asked = try X265Options.apply(settings.optionString, to: parameters)
        choosesTier = options.contains { X265Options.tierNames.contains($0.name) }
        Self.settleRate(parameters)
        try Self.keepSafe(parameters, info, format)
        if let profile = asked ?? profile, parameters.api.pointee.param_apply_profile(parameters.pointer, profile) < 0 {
            throw X265Parameters.Failure(
                "These pictures and options do not fit the profile \(profile): convert to another format before this "
                    + "element, or ask for another profile.")
        }
        hasBuffer = parameters.pointer.pointee.rc.vbvBufferSize > 0 || parameters.pointer.pointee.rc.vbvMaxBitrate > 0
    }

    /// Whether these caps result in the same stream.
    func encodes(_ other: GstVideoInfo, _ caps: Caps.Pointer) -> Bool {
        func isSame<Value: Equatable>(_ field: KeyPath<GstVideoInfo, Value>) -> Bool {
            info[keyPath: field] == other[keyPath: field]
        }
        let (color, otherColor) = (ColorDescription(info.colorimetry), ColorDescription(other.colorimetry))
        return isSame(\.finfo) && isSame(\.width) && isSame(\.height) && isSame(\.interlace_mode)
            && isSame(\.fps_n) && isSame(\.fps_d) && isSame(\.par_n) && isSame(\.par_d) && isSame(\.chroma_site)
            && color == otherColor && StaticMetadata(caps: caps) == metadata
    }

    private static func hasField(_ caps: Caps.Pointer, _ field: String) -> Bool {
        gst_caps_get_structure(caps, 0).map { gst_structure_has_field($0, field) != 0 } ?? false
    }

    private static func setPictures(_ parameters: X265Parameters, _ info: GstVideoInfo, _ format: InputFormat) {
        let p = parameters.pointer
        p.pointee.sourceWidth = info.width
        p.pointee.sourceHeight = info.height
        p.pointee.internalCsp = format.chroma.rawValue
        p.pointee.internalBitDepth = format.depth
        p.pointee.sourceBitDepth = format.storedDepth
        let isKnown = info.fps_n > 0 && info.fps_d > 0
        p.pointee.fpsNum = isKnown ? UInt32(clamping: info.fps_n) : defaultRate.numerator
        p.pointee.fpsDenom = isKnown ? UInt32(clamping: info.fps_d) : defaultRate.denominator
        if info.par_n > 0, info.par_d > 0 { parameters.parse("sar", "\(info.par_n):\(info.par_d)") }
        // Pictures must be at least as large as a coding tree unit; the smallest has 16 samples a side.
        while min(info.width, info.height) < p.pointee.maxCUSize, p.pointee.maxCUSize > 16 {
            p.pointee.maxCUSize /= 2
        }
        // With cutree, libx265 3.5 writes beyond its memory for small pictures.
        if min(info.width, info.height) < smallest { p.pointee.rc.cuTree = 0 }
    }

    private static let smallest: Int32 = 64

    /// Refuses sizes for which chroma would end within a sample: HEVC cannot represent them, not even by its
    /// conformance window (H.265 7.4.3.2.1).
    private static func requireWholeChroma(_ info: GstVideoInfo, _ format: InputFormat) throws(X265Parameters.Failure) {
        let isWide = info.width & ((1 << Int32(format.chroma.widthShift)) - 1) != 0
        let isHigh = info.height & ((1 << Int32(format.chroma.heightShift)) - 1) != 0
        guard isWide || isHigh else { return }
        let (name, what) = format.chroma == .quarter ? ("4:2:0", "width and height") : ("4:2:2", "width")
        let edges = (isWide ? " right=1" : "") + (isHigh ? " bottom=1" : "")
        throw X265Parameters.Failure(
            "The pictures are \(info.width)x\(info.height), and HEVC in \(name) needs an even \(what). Crop them "
                + "before this element, as videocrop\(edges) does, scale them, or convert them to 4:4:4.")
    }

    /// Sets the colour in the stream's VUI (H.265 E.3.1).
    private static func setColor(
        _ parameters: X265Parameters, _ info: GstVideoInfo, _ format: InputFormat, hasSite: Bool
    ) {
        let color = ColorDescription(info.colorimetry)
        let p = parameters.pointer
        p.pointee.vui.bEnableVideoSignalTypePresentFlag = 1
        p.pointee.vui.bEnableVideoFullRangeFlag = color.isFullRange == true ? 1 : 0
        p.pointee.vui.bEnableColorDescriptionPresentFlag = 1
        p.pointee.vui.colorPrimaries = Int32(color.primaries)
        p.pointee.vui.transferCharacteristics = Int32(color.transfer)
        p.pointee.vui.matrixCoeffs = Int32(color.matrix)
        if hasSite, format.chroma == .quarter, let location = location(info.chroma_site) {
            p.pointee.vui.bEnableChromaLocInfoPresentFlag = 1
            p.pointee.vui.chromaSampleLocTypeTopField = location
            p.pointee.vui.chromaSampleLocTypeBottomField = location
        }
    }

    /// The value of chroma_sample_loc_type (H.265 figure E.1); `nil` for others.
    private static func location(_ site: GstVideoChromaSite) -> Int32? {
        switch site {
        case GST_VIDEO_CHROMA_SITE_H_COSITED: 0
        case GST_VIDEO_CHROMA_SITE_NONE: 1
        case GST_VIDEO_CHROMA_SITE_COSITED: 2
        case GST_VIDEO_CHROMA_SITE_V_COSITED: 3
        default: nil
        }
    }

    /// Sets SEI messages 137 and 144 (H.265 D.2.28 and D.2.35), which libx265 repeats at each key frame.
    private static func setStatic(_ parameters: X265Parameters, _ metadata: StaticMetadata) {
        if let m = metadata.masteringDisplay {
            func point(_ xy: SIMD2<UInt16>) -> String { "(\(xy.x),\(xy.y))" }
            parameters.parse(
                "master-display",
                "G\(point(m.green))B\(point(m.blue))R\(point(m.red))WP\(point(m.white))L(\(m.maximum),\(m.minimum))")
        }
        if let light = metadata.contentLightLevel {
            parameters.parse("max-cll", "\(light.maximum),\(light.frameAverage)")
            parameters.parse("cll", "1")
        } else {
            // Otherwise a mastering display alone would also declare light levels of 0.
            parameters.parse("cll", "0")
        }
    }

    private static func setRate(
        _ parameters: X265Parameters, _ settings: HDRX265Enc.Settings
    ) throws(X265Parameters.Failure) {
        let p = parameters.pointer
        p.pointee.logLevel = settings.logLevel
        if settings.qp >= 0 {
            parameters.parse("qp", "\(settings.qp)")
        } else {
            parameters.parse("bitrate", "\(settings.bitrate)")
        }
        if settings.keyIntMax > 0 { parameters.parse("keyint", "\(settings.keyIntMax)") }
        if settings.preferredTransfer >= 0 { p.pointee.preferredTransferCharacteristics = settings.preferredTransfer }
        if settings.pass > 0 {
            parameters.parse("pass", "\(settings.pass)")
            parameters.parse("stats", settings.multipassCacheFile)
        }
    }

    /// Clears the property's bit rate where the options choose another kind of rate control: it would still raise the
    /// level.
    private static func settleRate(_ parameters: X265Parameters) {
        let p = parameters.pointer
        if p.pointee.bLossless != 0 { p.pointee.rc.rateControlMode = Int32(X265_RC_CRF.rawValue) }
        if p.pointee.rc.rateControlMode != Int32(X265_RC_ABR.rawValue) { p.pointee.rc.bitrate = 0 }
    }

    /// The default threshold of frame duplication; any other value turns duplication on.
    private static let defaultThreshold: Int32 = 70

    /// Sets parameters, whatever the options are, so that libx265 reads no memory other than the pictures', and only
    /// while that is allowed.
    private static func keepSafe(
        _ parameters: X265Parameters, _ info: GstVideoInfo, _ format: InputFormat
    ) throws(X265Parameters.Failure) {
        let p = parameters.pointer
        guard p.pointee.sourceWidth == info.width, p.pointee.sourceHeight == info.height,
            p.pointee.internalCsp == format.chroma.rawValue, p.pointee.internalBitDepth == format.depth
        else {
            throw X265Parameters.Failure("option-string: size and format of the pictures are those of the caps.")
        }
        p.pointee.bAnnexB = 1
        p.pointee.bCopyPicToFrame = 1
        p.pointee.bCTUInfo = 0
        // With frame duplication, libx265 3.5 counts pictures of all encoders of the process together, and ends the
        // process.
        guard p.pointee.bEnableFrameDuplication == 0, [0, defaultThreshold].contains(p.pointee.dupThreshold) else {
            throw X265Parameters.Failure(
                "option-string: libx265 has frame-dup for one encoder in a process, and other programs than its own "
                    + "crash with it. Leave frame-dup and dup-threshold out.")
        }
    }
}
