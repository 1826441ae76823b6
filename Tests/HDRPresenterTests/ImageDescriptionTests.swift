import Testing

@testable import HDRPresenter

@Suite struct ImageDescriptionTests {
    private func describe(
        version: UInt32, peak: Double, black: Double = 0, cll: Double?, fall: Double?,
        _ transfer: PictureEncoding.Transfer = .pq
    ) -> ImageDescription? {
        var features = EncodingLadderTests.everything
        features.version = version
        let picture = PictureDescription(
            width: 8, height: 8, format: transfer == .pq ? .rgb10a2 : .rgba16f,
            encoding: PictureEncoding(transfer, transfer == .pq ? .bt2020 : .displayP3), contentPeak: peak,
            maxCLL: cll, maxFALL: fall)
        return ImageDescription(
            picture, ladder: EncodingLadder(features: features), referenceWhite: 203, black: black)
    }

    private static let numbers: [Double] = [
        -1, 0, 0.00001, 0.4, 1, 203, 999.5, 10_000, 1e9, .infinity, -.infinity, .nan, .leastNonzeroMagnitude,
    ]

    @Test(arguments: [UInt32(1), 2])
    func luminancesKeepTheProtocolsOrderForAnyInput(version: UInt32) throws {
        for peak in Self.numbers {
            for black in Self.numbers {
                for cll in Self.numbers {
                    for fall in Self.numbers {
                        let sent = try #require(
                            describe(version: version, peak: peak, black: black, cll: cll, fall: fall))
                        let range = try #require(sent.mastering)
                        #expect(range.minimum < range.maximum * 10_000)
                        if let fall = sent.maxFALL { #expect(fall <= sent.maxCLL ?? 0) }
                        guard version == 1 else { continue }
                        for level in [sent.maxCLL, sent.maxFALL].compactMap({ $0 }) {
                            #expect(level * 10_000 > range.minimum && level <= range.maximum)
                        }
                    }
                }
            }
        }
    }

    @Test func targetOfLinearLightIsTheContentsPeak() {
        let sent = describe(version: 2, peak: 812, black: 0.02, cll: nil, fall: nil, .extendedLinear)
        #expect(sent?.luminances == .init(minimum: 200, maximum: 203))
        #expect(sent?.reference == 203)
        #expect(sent?.mastering == .init(minimum: 200, maximum: 812))
        #expect(sent?.maxCLL == nil)
    }
}
