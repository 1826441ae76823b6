import Testing

@testable import HDRMetadata

@Suite struct ColorDescriptionTests {
    @Test func dynamicRangeIsTheTransfers() {
        #expect(ColorDescription.bt2100PQ.isPQ && !ColorDescription.bt2100PQ.isHLG)
        #expect(ColorDescription.bt2100HLG.isHLG && !ColorDescription.bt2100HLG.isPQ)
        #expect(ColorDescription.bt2100PQ.isHDR && ColorDescription.bt2100HLG.isHDR)
        #expect(!ColorDescription.bt709.isHDR && !ColorDescription.unspecified.isHDR)
        // BT.2020's own transfers are SDR.
        #expect(!ColorDescription(primaries: 9, transfer: 14, matrix: 9).isHDR)
    }

    @Test func unspecifiedIsCodePointTwo() {
        #expect(ColorDescription().isUnspecified && !ColorDescription().isComplete)
        #expect(ColorDescription.bt709.isComplete && !ColorDescription.bt709.isUnspecified)
        let half = ColorDescription(primaries: 9)
        #expect(!half.isComplete && !half.isUnspecified)
    }

    @Test func completionFillsOnlyWhatIsMissing() {
        let half = ColorDescription(primaries: 12, chromaLocation: 0)
        #expect(
            half.completed(by: .bt2100PQ)
                == ColorDescription(primaries: 12, transfer: 16, matrix: 9, isFullRange: false, chromaLocation: 0))
        #expect(ColorDescription.bt709.completed(by: .bt2100PQ) == .bt709)
    }

    @Test func codePointsHaveNames() {
        #expect(
            ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: true, chromaLocation: 2).description
                == "BT.2020, PQ, BT.2020 non-constant, full range, chroma top-left")
        let names = (0...255).map { ColorDescription(primaries: $0, transfer: $0, matrix: $0, chromaLocation: $0) }
        // Each name stands for one code point.
        #expect(Set(names.map(\.primariesName)).count == 256)
        #expect(Set(names.map(\.transferName)).count == 256)
        #expect(Set(names.map(\.matrixName)).count == 256)
        #expect(Set(names.compactMap(\.chromaLocationName)).count == 256)
    }
}
