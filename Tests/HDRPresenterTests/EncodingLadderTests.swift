import Testing

@testable import HDRPresenter

@Suite struct EncodingLadderTests {
    private static func features(
        _ features: [ColorFeatures.Feature] = [], _ transfers: [ColorFeatures.Transfer] = [],
        _ primaries: [ColorFeatures.Primaries] = [], formats: Set<PictureFormat> = Set(PictureFormat.allCases),
        version: UInt32 = 2
    ) -> ColorFeatures {
        ColorFeatures(
            version: version, features: Set(features.map(\.rawValue)), transfers: Set(transfers.map(\.rawValue)),
            primaries: Set(primaries.map(\.rawValue)), intents: [0], formats: formats)
    }

    static let everything = features(
        ColorFeatures.Feature.allCases, ColorFeatures.Transfer.allCases, ColorFeatures.Primaries.allCases)

    private func choose(
        _ features: ColorFeatures, _ request: EncodingLadder.Request = .init(),
        failed: [EncodingLadder.Rung: String] = [:]
    ) -> EncodingLadder.Choice {
        EncodingLadder(features: features, failed: failed).choose(request, referenceWhite: 203, peak: 812)
    }

    @Test func everyRungIsReachedWhenThoseAboveItFail() {
        var failed: [EncodingLadder.Rung: String] = [:]
        for rung in EncodingLadder.Rung.allCases {
            let choice = choose(Self.everything, failed: failed)
            #expect(choice.rung == rung)
            #expect(choice.refusals.count == rung.rawValue)
            #expect(choice.refusals.allSatisfy { $0.contains("no good") && $0.hasSuffix(".") })
            failed[rung] = "no good"
        }
    }

    /// Every set of features: a rung is taken only if all that it sends is offered, and no better one could be.
    @Test func onlyOfferedEncodingsAreSent() {
        let all = ColorFeatures.Feature.allCases
        for bits in 0..<(1 << all.count) {
            let chosen = all.filter { bits >> Int($0.rawValue) & 1 != 0 }
            for transfers in [[], [.extendedLinear], [.pq], [.extendedLinear, .pq]] as [[ColorFeatures.Transfer]] {
                for primaries in [[], [.bt2020], [.displayP3]] as [[ColorFeatures.Primaries]] {
                    let features = Self.features(chosen, transfers, primaries)
                    let ladder = EncodingLadder(features: features)
                    let choice = ladder.choose(.init(), referenceWhite: 203, peak: 812)
                    let picture = PictureDescription(
                        width: 8, height: 8, format: choice.format, encoding: choice.encoding, contentPeak: 812,
                        maxCLL: 700, maxFALL: 100)
                    #expect(ladder.objection(to: picture) == nil)
                    #expect(ladder.rung(of: choice.encoding) == choice.rung)
                    guard let sent = ImageDescription(picture, ladder: ladder, referenceWhite: 203, black: 0.05) else {
                        #expect(choice.rung == .untagged)
                        continue
                    }
                    if sent.isWindowsScRGB {
                        #expect(features.has(.windowsScRGB))
                        continue
                    }
                    #expect(features.has(.parametric) && features.has(sent.transfer))
                    #expect(features.takes(sent.primaries))
                    #expect(sent.luminances == nil || features.has(.setLuminances))
                    #expect(sent.mastering == nil || features.has(.setMasteringDisplayPrimaries))
                    #expect(sent.maxCLL == nil || sent.mastering != nil)
                    if choice.rung == .extendedLinear { #expect(features.has(.extendedTargetVolume)) }
                    if choice.rung == .scaledLinear { #expect(choice.encoding.whiteValue == 0.25) }
                }
            }
        }
    }

    @Test func requestedFormatOrColorSpaceLimitsTheChoice() {
        typealias Request = EncodingLadder.Request
        #expect(choose(Self.everything, Request(format: .rgb10a2)).rung == .pq)
        #expect(choose(Self.everything, Request(format: .bgr10a2)).format == .bgr10a2)
        #expect(choose(Self.everything, Request(format: .rgba16f)).rung == .extendedLinear)
        #expect(choose(Self.everything, Request(format: .rgba8)).encoding.transfer == .sRGB)
        #expect(choose(Self.everything, Request(format: .rgba8)).format == .rgba8)
        #expect(choose(Self.everything, Request(transfer: .pq)).rung == .pq)
        #expect(choose(Self.everything, Request(transfer: .sRGB)).rung == .untagged)
        #expect(choose(Self.everything, Request(transfer: .extendedLinear)).rung == .extendedLinear)
        #expect(choose(Self.everything, Request(wantsExtendedRange: false)).format == .bgra8)
        let deep = choose(Self.everything, Request(wantsExtendedRange: false, format: .rgb10a2))
        #expect(deep.format == .rgb10a2 && deep.encoding.transfer == .sRGB)
    }

    @Test func missingFormatIsNamed() {
        var features = Self.everything
        features.formats = [.bgra8, .bgr10a2]
        let choice = choose(features)
        #expect(choice.rung == .pq && choice.format == .bgr10a2)
        #expect(choice.refusals.first?.contains("does not take rgba16f buffers") == true)
        let request = choose(features, .init(format: .rgb10a2))
        #expect(request.format == .bgra8 && request.refusals.contains { $0.contains("rgb10a2 buffers") })
        features.formats = []
        #expect(choose(features).format == .bgra8)
    }

    @Test func primariesAreSentByNameOrByChromaticities() {
        let named = Self.features([.parametric, .setLuminances], [.extendedLinear], [.bt2020])
        #expect(choose(named).encoding.primaries == .bt2020)
        let free = Self.features([.parametric, .setLuminances, .setPrimaries], [.extendedLinear], [.bt2020])
        #expect(choose(free).encoding.primaries == .displayP3)
    }
}
