import Testing

@testable import HDRBitstream

@Suite struct NALReaderTests {
    static let contents: [[UInt8]] = [[0x40, 1, 7], [0x42, 1, 0, 0, 3, 1, 9], [0x26, 1], [0x4E]]

    @Test(arguments: BitstreamFixture.framings) func unitsComeBack(framing: NALFraming) throws {
        #expect(try BitstreamFixture.units(BitstreamFixture.framed(Self.contents, framing), framing) == Self.contents)
    }

    /// The units cover the whole buffer, each byte once.
    @Test(arguments: BitstreamFixture.framings) func nothingIsLost(framing: NALFraming) throws {
        let bytes = BitstreamFixture.framed(Self.contents, framing) + (framing == .byteStream ? [0, 0, 0] : [])
        try bytes.withUnsafeBytes { raw in
            var reader = NALReader(raw, framing: framing)
            var position = 0
            while let unit = try reader.next() {
                #expect(unit.framed.lowerBound == position)
                #expect(unit.content.lowerBound >= position && unit.content.upperBound <= unit.framed.upperBound)
                position = unit.framed.upperBound
            }
            #expect(position == bytes.count)
        }
    }

    @Test func startCodesOfThreeAndFourBytes() throws {
        let bytes: [UInt8] = [0, 0, 1, 0x40, 1, 5, 0, 0, 0, 0, 1, 0x26, 1, 6, 0, 0, 0, 1, 0x4E, 1, 0, 0, 0]
        try bytes.withUnsafeBytes { raw in
            var reader = NALReader(raw, framing: .byteStream)
            let units = [try reader.next(), try reader.next(), try reader.next()].compactMap { $0 }
            #expect(units.map(\.content) == [3..<6, 11..<14, 18..<20])
            // One zero belongs to the start code; the one before it trails the first unit.
            #expect(units.map(\.framed) == [0..<7, 7..<14, 14..<23])
            #expect(units.map(\.hevcType) == [32, 19, 39])
            #expect(try reader.next() == nil)
        }
    }

    @Test func zerosBeforeTheFirstStartCodeBelongToNoUnit() throws {
        let bytes: [UInt8] = [0, 0, 0, 0, 0, 1, 0x40, 1, 5]
        try bytes.withUnsafeBytes { raw in
            var reader = NALReader(raw, framing: .byteStream)
            let unit = try reader.next()
            #expect(unit?.framed == 2..<9)
        }
    }

    @Test func headersAreRead() throws {
        let bytes = BitstreamFixture.framed([[0x4F, 0x0A, 1]], .byteStream)
        try bytes.withUnsafeBytes { raw in
            var reader = NALReader(raw, framing: .byteStream)
            let unit = try reader.next()
            #expect(unit?.hevcType == 39 && unit?.hevcLayer == 33 && unit?.avcType == 15)
        }
    }

    @Test func emptyBuffersHaveNoUnits() throws {
        for framing in BitstreamFixture.framings { #expect(try BitstreamFixture.units([], framing) == []) }
    }

    @Test(arguments: [[0, 0, 0, 5, 1, 2, 3, 4, 5], [1, 0, 0, 1, 5], [7], [0, 0], [0, 0, 2, 0, 0, 1]] as [[UInt8]])
    func otherBytesAreNoByteStream(bytes: [UInt8]) {
        let error = #expect(throws: BitstreamError.self) { try BitstreamFixture.units(bytes, .byteStream) }
        #expect(error?.description.contains("start code") == true)
    }

    @Test func lengthsThatLieAreErrors() {
        let four = NALFraming.lengthPrefixed(.four)
        #expect(throws: BitstreamError.self) { try BitstreamFixture.units([0, 0, 0, 3, 1, 2], four) }
        #expect(throws: BitstreamError.self) { try BitstreamFixture.units([255, 255, 255, 255, 1, 2], four) }
        #expect(throws: BitstreamError.self) { try BitstreamFixture.units([0, 0, 0], four) }
        #expect(throws: BitstreamError.self) { try BitstreamFixture.units([0, 1, 9, 0], .lengthPrefixed(.two)) }
    }
}
