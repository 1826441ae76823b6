import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct VUIColorEditTests {
    private func edited(_ unit: [UInt8], _ edit: VUIColorEdit) throws -> [UInt8]? {
        try unit.withUnsafeBytes { try edit.applied(to: $0) }
    }

    static let vuis: [HEVCTestSPS.VUI?] = [
        nil, .init(), .init(aspect: 1, overscan: false), .init(signal: (5, false, nil)),
        .init(aspect: 255, sarWidth: 0, sarHeight: 1, signal: (5, true, (2, 2, 2)), timing: (1, 24)),
        .init(signal: (1, false, (9, 2, 9)), chroma: (0, 0)), .init(chroma: (2, 1), timing: (0, 3)),
        .init(overscan: true, signal: (5, false, (9, 16, 9)), chroma: (2, 2)),
    ]

    /// The SPS that has been edited is bit for bit the one that the syntax tables make of the new values.
    @Test(arguments: vuis.indices) func onlyTheColorChanges(index: Int) throws {
        for (extensionBits, progressive, interlaced) in [([0], 1, 0), ([1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1], 1, 1)] {
            var sps = HEVCTestSPS()
            sps.vui = Self.vuis[index]
            sps.extensionBits = extensionBits
            (sps.progressive, sps.interlaced) = (progressive, interlaced)
            let edit = VUIColorEdit(
                color: ColorDescription(primaries: 9, transfer: 18, matrix: 9, isFullRange: true), replaces: true,
                chromaLocation: 2)
            var wanted = sps
            var vui = sps.vui ?? .init()
            vui.signal = (vui.signal?.format ?? 5, true, (9, 18, 9))
            vui.chroma = (2, 2)
            wanted.vui = vui
            #expect(try edited(sps.unit, edit) == wanted.unit)
            #expect(try edited(wanted.unit, edit) == nil)
        }
    }

    @Test(arguments: vuis.indices) func onlyTheChromaLocationChanges(index: Int) throws {
        for location in 0...5 {
            var sps = HEVCTestSPS()
            sps.vui = Self.vuis[index]
            var wanted = sps
            var vui = sps.vui ?? .init()
            let isThere = vui.chroma.map { $0 == (location, location) } ?? false
            vui.chroma = (location, location)
            wanted.vui = vui
            let result = try edited(sps.unit, VUIColorEdit(chromaLocation: UInt8(location)))
            #expect(result == (isThere ? nil : wanted.unit))
        }
    }

    @Test func fillingKeepsWhatIsSaid() throws {
        let edit = VUIColorEdit(color: .bt2100PQ)
        func filled(_ signal: (format: Int, full: Bool, color: (Int, Int, Int)?)?) throws -> ColorDescription? {
            var sps = HEVCTestSPS()
            sps.vui = .init(signal: signal)
            return try edited(sps.unit, edit).map { try HEVCSequenceParameterSet($0).color }
        }
        #expect(try filled(nil) == .bt2100PQ)
        #expect(
            try filled((5, true, nil)) == ColorDescription(primaries: 9, transfer: 16, matrix: 9, isFullRange: true))
        #expect(
            try filled((5, false, (12, 2, 1)))
                == ColorDescription(primaries: 12, transfer: 16, matrix: 1, isFullRange: false))
        #expect(try filled((5, false, (1, 1, 1))) == nil)
    }

    @Test func nothingNewIsNoChange() throws {
        var sps = HEVCTestSPS()
        sps.vui = nil
        #expect(try edited(sps.unit, VUIColorEdit(color: .unspecified, replaces: true)) == nil)
        #expect(try edited(sps.unit, VUIColorEdit(color: ColorDescription(isFullRange: false))) == nil)
        let full = try #require(try edited(sps.unit, VUIColorEdit(color: ColorDescription(isFullRange: true))))
        #expect(try HEVCSequenceParameterSet(full).color == ColorDescription(isFullRange: true))
    }

    @Test func onlySubsampledPicturesHaveALocation() throws {
        for format in [0, 2, 3] {
            var sps = HEVCTestSPS()
            sps.chromaFormat = format
            #expect(try edited(sps.unit, VUIColorEdit(chromaLocation: 2)) == nil)
        }
    }

    @Test func identityNeedsFullChroma() {
        let rgb = ColorDescription(primaries: 1, transfer: 13, matrix: 0, isFullRange: true)
        #expect(throws: BitstreamError.self) {
            try edited(HEVCTestSPS().unit, VUIColorEdit(color: rgb, replaces: true))
        }
    }

    /// Values whose bits make start codes are escaped again.
    @Test func theResultIsEscaped() throws {
        var sps = HEVCTestSPS()
        sps.vui = .init(signal: (0, false, (1, 1, 1)), timing: (1, 0x0100_0001))
        for code in 0...3 as ClosedRange<UInt8> {
            let color = ColorDescription(primaries: code + 1, transfer: code, matrix: 4, isFullRange: false)
            let result = try #require(try edited(sps.unit, VUIColorEdit(color: color, replaces: true)))
            #expect(try HEVCSequenceParameterSet(result).color == color)
            for index in 0..<result.count - 2 where result[index] == 0 && result[index + 1] == 0 {
                #expect(result[index + 2] > 2)
            }
        }
    }
}
