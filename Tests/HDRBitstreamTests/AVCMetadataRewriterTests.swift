import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct AVCMetadataRewriterTests {
    /// SPS of x264 for 322x182: with a colour, without one, and with more behind it.
    static let tenBitPQ = MetadataFixture.bytes("676e000da6cd941519e226c05a848804db800000030080000019078a14cb")
    static let noColor = MetadataFixture.bytes("6742c00dd901519e226c0440000003004000000c83c50a92")
    static let slice: [UInt8] = [0x65, 0x88, 0x84, 0x00, 0x10, 0xFF]

    /// An SPS by the syntax table of H.264 7.3.2.1.1, 1920x1080 High.
    private func sps(vui: ((inout BitText) -> Void)?) -> [UInt8] {
        var b = BitText()
        b.u(8, 100)
        b.u(8, 0)
        b.u(8, 40)
        b.ue(0)
        b.ue(1)
        b.ue(0)
        b.ue(0)
        b.u(2, 0)
        b.ue(0)
        b.ue(2)
        b.ue(4)
        b.u(1, 0)
        b.ue(119)
        b.ue(67)
        b.u(2, 0b11)
        b.u(1, 1)
        for crop in [0, 0, 0, 4] { b.ue(crop) }
        b.u(1, vui == nil ? 0 : 1)
        vui?(&b)
        return escaped([0x67] + b.bytes())
    }

    private func signal(_ codes: (Int, Int, Int)?, _ b: inout BitText) {
        b.u(1, 1)
        b.u(3, 5)
        b.u(1, 0)
        b.u(1, codes == nil ? 0 : 1)
        guard let codes else { return }
        for code in [codes.0, codes.1, codes.2] { b.u(8, code) }
    }

    /// A VUI that is new is the one that the syntax table gives, and says nothing else.
    @Test func vuiIsAdded() throws {
        let plain = sps(vui: nil)
        let wanted = sps { b in
            b.u(2, 0)
            signal((1, 1, 1), &b)
            b.u(1, 1)
            b.ue(0)
            b.ue(0)
            b.u(5, 0)
        }
        let rewriter = try AVCMetadataRewriter(color: .bt709, chromaLocation: 0, framing: .byteStream)
        let unit = BitstreamFixture.framed([[9, 0xF0], plain, [0x68, 0xCE], Self.slice], .byteStream)
        let changed = try #require(try rewriter.rewrite(unit))
        #expect(
            try BitstreamFixture.units(changed, .byteStream) == [[9, 0xF0], wanted, [0x68, 0xCE], Self.slice])
        #expect(try rewriter.rewrite(changed) == nil)
    }

    /// The stream has what VA-API's encoder writes: aspect ratio, timing and restrictions, but no colour.
    @Test func restOfVUIStays() throws {
        func vui(_ color: (inout BitText) -> Void, _ b: inout BitText) {
            b.u(1, 1)
            b.u(8, 255)
            b.u(32, 0x0001_0001)
            b.u(1, 0)
            color(&b)
            b.u(1, 0)
            b.u(1, 1)
            b.u(32, 1)
            b.u(32, 60)
            b.u(1, 1)
            b.u(3, 0)
            b.u(1, 1)
            b.u(1, 1)
            for limit in [0, 0, 15, 15, 2, 4] { b.ue(limit) }
        }
        let plain = sps { b in vui({ $0.u(1, 0) }, &b) }
        let wanted = sps { b in vui({ signal((9, 14, 9), &$0) }, &b) }
        let color = ColorDescription(primaries: 9, transfer: 14, matrix: 9, isFullRange: false)
        for framing in BitstreamFixture.framings {
            let rewriter = try AVCMetadataRewriter(color: color, framing: framing)
            let unit = BitstreamFixture.framed([plain, Self.slice], framing)
            let changed = try #require(try rewriter.rewrite(unit))
            #expect(try BitstreamFixture.units(changed, framing) == [wanted, Self.slice])
        }
    }

    /// A colour that an encoder has guessed is removed where the source has none.
    @Test func guessesAreTakenBack() throws {
        let unspecified = ColorDescription(primaries: 2, transfer: 2, matrix: 2, isFullRange: false)
        let rewriter = try AVCMetadataRewriter(color: unspecified, framing: .byteStream)
        let changed = try #require(try rewriter.rewrite(BitstreamFixture.framed([Self.tenBitPQ], .byteStream)))
        let units = try BitstreamFixture.units(changed, .byteStream)
        let sps = try AVCSequenceParameterSet(try #require(units.first))
        #expect(sps.color.primaries == 2 && sps.color.transfer == 2 && sps.color.matrix == 2)
        #expect(sps.color.chromaLocation == 2 && sps.width == 322 && sps.profileName == "High 10")
        #expect(try rewriter.rewrite(BitstreamFixture.framed([Self.noColor], .byteStream)) == nil)
        #expect(try rewriter.rewrite(BitstreamFixture.framed([Self.slice], .byteStream)) == nil)
    }

    @Test func whatCannotBeIsAnError() throws {
        #expect(throws: BitstreamError.self) {
            _ = try AVCMetadataRewriter(color: .bt709, chromaLocation: 6, framing: .byteStream)
        }
        let rewriter = try AVCMetadataRewriter(color: .bt709, framing: .byteStream)
        #expect(throws: BitstreamError.self) { try rewriter.rewrite([0, 0, 1, 0x67, 0x64, 0, 40]) }
        let identity = try AVCMetadataRewriter(
            color: ColorDescription(primaries: 1, transfer: 13, matrix: 0), framing: .byteStream)
        #expect(throws: BitstreamError.self) {
            try identity.rewrite(BitstreamFixture.framed([Self.noColor], .byteStream))
        }
    }
}
