/// The ways to send pictures to a compositor, in descending order of quality, and the reasons why each is or is not
/// taken.
///
/// A rung requires exactly the features that it uses, because a request that was not offered ends the connection.
struct EncodingLadder: Equatable, Sendable {
    enum Rung: Int, CaseIterable, Sendable {
        /// Half floats in which 1.0 is the reference white, and values can be above it.
        case extendedLinear
        /// Half floats, scaled so that the peak is 1.0.
        case scaledLinear
        /// 10-bit PQ (SMPTE ST 2084) with BT.2020 primaries.
        case pq
        /// Half floats in which 1.0 is 80 cd/m², with sRGB primaries.
        case windowsScRGB
        /// SDR, without an image description.
        case untagged

        var name: String {
            switch self {
            case .extendedLinear: "Half float with 1.0 as reference white"
            case .scaledLinear: "Half float scaled to the peak"
            case .pq: "10-bit PQ"
            case .windowsScRGB: "Windows-scRGB"
            case .untagged: "Untagged SDR"
            }
        }
    }

    /// The choices that the sink requests; `nil` leaves one open.
    struct Request: Equatable, Sendable {
        var wantsExtendedRange = true
        var format: PictureFormat?
        var transfer: PictureEncoding.Transfer?
    }

    struct Choice: Equatable, Sendable {
        var rung: Rung
        var format: PictureFormat
        var encoding: PictureEncoding
        /// The reasons why better rungs were not taken, a sentence for each.
        var refusals: [String]
    }

    var features: ColorFeatures
    /// Rungs whose image description the compositor refused, with its reason.
    var failed: [Rung: String] = [:]

    /// The value of white in Windows-scRGB, where 1.0 is 80 cd/m²: BT.2408's 203 cd/m² divided by 80.
    static let windowsWhite = 2.5375

    /// - Parameters:
    ///   - referenceWhite: the reference white of the display, in cd/m².
    ///   - peak: the peak of the display, in cd/m².
    func choose(_ request: Request, referenceWhite: Double, peak: Double) -> Choice {
        var refusals: [String] = []
        for rung in Rung.allCases {
            if let reason = objection(to: rung, request) {
                refusals.append("\(rung.name) was not taken: \(reason).")
                continue
            }
            guard let format = self.format(for: rung, request.format) else { continue }
            let encoding = self.encoding(for: rung, referenceWhite: referenceWhite, peak: peak)
            return Choice(rung: rung, format: format, encoding: encoding, refusals: refusals)
        }
        return Choice(
            rung: .untagged, format: .bgra8, encoding: PictureEncoding(.sRGB, .sRGB),
            refusals: refusals)
    }

    /// The reason why a rung cannot be taken; `nil` where it can.
    func objection(to rung: Rung, _ request: Request) -> String? {
        if rung == .untagged { return nil }
        guard request.wantsExtendedRange else { return "SDR was asked for" }
        if let transfer = request.transfer, transfer != rung.transfer {
            return "the encoding asked for is another one"
        }
        if let format = request.format, !rung.formats.contains(format) {
            return "it does not fit the pixel format that was asked for"
        }
        if features.version == 0 { return "the compositor has no color management (color-management-v1)" }
        let missing = self.missing(for: rung)
        if !missing.isEmpty { return "the compositor does not offer \(missing.joined(separator: ", "))" }
        if format(for: rung, request.format) == nil {
            return "the compositor does not take \(request.format.map { "\($0)" } ?? rung.formatName) buffers"
        }
        return failed[rung].map { "the compositor refused it (\($0))" }
    }

    /// The reason why a picture cannot be shown as it is described; `nil` where it can.
    func objection(to picture: PictureDescription) -> String? {
        let encoding = picture.encoding
        let rung = rung(of: encoding)
        if rung == .untagged { return nil }
        if rung == .windowsScRGB ? encoding.primaries != .sRGB : !features.takes(encoding.primaries) {
            return "the compositor does not take the primaries \(encoding.primaries) with it"
        }
        guard encoding.whiteValue > 0, encoding.whiteValue.isFinite else { return "the value of white is not positive" }
        return objection(
            to: rung, Request(wantsExtendedRange: true, format: picture.format, transfer: encoding.transfer))
    }

    /// The protocol's names of the features that a rung uses and the compositor does not offer.
    private func missing(for rung: Rung) -> [String] {
        var missing: [String] = []
        func needs(_ isThere: Bool, _ name: String) {
            if !isThere { missing.append(name) }
        }
        needs(features.intents.contains(0), "the perceptual intent")
        if rung == .windowsScRGB {
            needs(features.has(.windowsScRGB), "windows_scrgb")
            return missing
        }
        needs(features.has(.parametric), "parametric")
        switch rung {
        case .extendedLinear, .scaledLinear:
            needs(features.has(.extendedLinear), "ext_linear")
            needs(features.has(.setLuminances), "set_luminances")
            needs(linearPrimaries != nil, "primaries that are known here")
            if rung == .extendedLinear {
                // The protocol allows an extended target volume only together with the request that declares it.
                needs(features.has(.extendedTargetVolume), "extended_target_volume")
                needs(features.has(.setMasteringDisplayPrimaries), "set_mastering_display_primaries")
            }
        case .pq:
            needs(features.has(.pq), "st2084_pq")
            needs(features.takes(.bt2020), "bt2020")
        case .windowsScRGB, .untagged: break
        }
        return missing
    }

    /// Whether the compositor offers everything that a rung uses and has not refused it.
    private func isOpen(_ rung: Rung) -> Bool { missing(for: rung).isEmpty && failed[rung] == nil }

    /// Display P3 if the compositor supports it, otherwise the largest gamut that it supports.
    private var linearPrimaries: PictureEncoding.Primaries? {
        [.displayP3, .bt2020, .sRGB].first(where: features.takes)
    }

    private func format(for rung: Rung, _ wanted: PictureFormat?) -> PictureFormat? {
        let formats = rung.formats
        if let wanted, formats.contains(wanted), features.formats.contains(wanted) { return wanted }
        // SDR ends the ladder, even without the requested format.
        if wanted != nil, rung != .untagged { return nil }
        return formats.first(where: features.formats.contains)
    }

    private func encoding(for rung: Rung, referenceWhite: Double, peak: Double) -> PictureEncoding {
        switch rung {
        case .extendedLinear: PictureEncoding(.extendedLinear, linearPrimaries ?? .sRGB)
        case .scaledLinear:
            // The protocol carries whole cd/m², to which the value of white has to correspond.
            PictureEncoding(
                .extendedLinear, linearPrimaries ?? .sRGB,
                whiteValue: min(1, Luminance.whole(referenceWhite) / Luminance.whole(max(peak, referenceWhite))))
        case .pq: PictureEncoding(.pq, .bt2020)
        case .windowsScRGB: PictureEncoding(.extendedLinear, .sRGB, whiteValue: Self.windowsWhite)
        case .untagged: PictureEncoding(.sRGB, .sRGB)
        }
    }

    /// The rung of a picture's encoding.
    func rung(of encoding: PictureEncoding) -> Rung {
        switch encoding.transfer {
        case .sRGB: .untagged
        case .pq: .pq
        case .extendedLinear where encoding.whiteValue > 1: .windowsScRGB
        case .extendedLinear where encoding.whiteValue == 1 && isOpen(.extendedLinear): .extendedLinear
        case .extendedLinear: .scaledLinear
        }
    }
}

extension EncodingLadder.Rung {
    fileprivate var transfer: PictureEncoding.Transfer {
        switch self {
        case .extendedLinear, .scaledLinear, .windowsScRGB: .extendedLinear
        case .pq: .pq
        case .untagged: .sRGB
        }
    }

    /// The formats that fit, in descending order of preference.
    fileprivate var formats: [PictureFormat] {
        switch self {
        case .extendedLinear, .scaledLinear, .windowsScRGB: [.rgba16f]
        case .pq: [.rgb10a2, .bgr10a2]
        case .untagged: [.bgra8, .rgba8, .rgb10a2, .bgr10a2]
        }
    }

    fileprivate var formatName: String { formats.map { "\($0)" }.joined(separator: " or ") }
}
