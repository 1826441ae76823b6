import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct ST209450MetadataTests {
    typealias Metadata = ST209450Metadata

    static let prefix = "b500900001"
    /// The syntax of annex C by hand.
    static let minimal = MetadataFixture.bytes(prefix + "00 00")
    static let white = MetadataFixture.bytes(prefix + "00 80 07d0")
    /// A headroom of 2.3004 and the tone map of its reference white.
    static let referenceWhite = MetadataFixture.bytes(prefix + "00 40 59dc 80")
    /// Two images, in custom primaries; the first mixes by weights, with two points and slopes, the second by the
    /// largest component, with one point and without slopes.
    static let images = MetadataFixture.bytes(
        prefix
            + """
             00 c0 03f7 4e20 2c
            80e8 4074 3a98 7530 1d4c 0ea6 3d0e 4042
            0000 e4 1388 2710 08 03e8 07d0 0000 2710 4650 3a98
            3a98 00 04 0bb8 1388
            """.split(separator: "\n").joined())
    /// The same with what images have in common coded once, and data of a later version behind it.
    static let common = MetadataFixture.bytes(
        prefix
            + """
             20 40 4e20 27
            0000 40 0c 03e8 07d0 0000 2710
            3a98 1388 1389 aabb
            """.split(separator: "\n").joined())

    static let messages = [minimal, white, referenceWhite, images, common]

    @Test func referenceWhites() throws {
        let plain = try Metadata(payload: Self.minimal)
        #expect(plain == Metadata() && plain.referenceWhiteLuminance == 203)
        let custom = try Metadata(payload: Self.white)
        #expect(custom.hdrReferenceWhite == 2000 && custom.referenceWhiteLuminance == 400)
        let mapped = try Metadata(payload: Self.referenceWhite)
        #expect(mapped == Metadata(baselineHDRHeadroom: 23004))
        #expect(mapped.adaptiveToneMap?.baselineHeadroom == 2.3004)
    }

    @Test func alternateImages() throws {
        let metadata = try Metadata(payload: Self.images)
        #expect(metadata.hdrReferenceWhite == 1015 && metadata.adaptiveToneMap?.baselineHDRHeadroom == 20000)
        guard case .alternateImages(let alternate)? = metadata.adaptiveToneMap?.mapping else {
            Issue.record("there are no alternate images")
            return
        }
        #expect(
            alternate.chromaticities
                == .custom([0x80E8, 0x4074, 0x3A98, 0x7530, 0x1D4C, 0x0EA6, 0x3D0E, 0x4042]))
        #expect(!alternate.hasCommonComponentMix && !alternate.hasCommonCurve)
        let images = alternate.images
        #expect(images.map(\.hdrHeadroom) == [0, 15000])
        #expect(images[0].componentMix == .custom([5000, nil, nil, 10000, nil, nil]))
        #expect(
            images[0].gainCurve
                == .init(
                    controlPoints: [.init(x: 1000, y: 0, theta: 18000), .init(x: 2000, y: 10000, theta: 15000)],
                    usesPCHIPSlopes: false))
        #expect(images[1].componentMix == .maximum(reserved: 0))
        #expect(images[1].gainCurve == .init(controlPoints: [.init(x: 3000, y: 5000)], usesPCHIPSlopes: true))
    }

    @Test func messagesAreWrittenAsTheyWereRead() throws {
        for message in Self.messages {
            let metadata = try Metadata(payload: message)
            #expect(try metadata.payload == message)
        }
        #expect(try Metadata(payload: Self.common).trailing == [0xAA, 0xBB])
    }

    @Test func commonPartsAreThoseOfTheFirstImage() throws {
        var metadata = try Metadata(payload: Self.common)
        guard case .alternateImages(var alternate)? = metadata.adaptiveToneMap?.mapping else {
            Issue.record("there are no alternate images")
            return
        }
        #expect(alternate.images.map(\.componentMix) == [.component(reserved: 0), .component(reserved: 0)])
        #expect(alternate.images[1].gainCurve.controlPoints.map(\.x) == [1000, 2000])
        #expect(alternate.images[1].gainCurve.controlPoints.map(\.y) == [5000, 5001])
        #expect(metadata.applicationVersion == 1 && metadata.findings.isEmpty)
        alternate.images[1].componentMix = .maximum(reserved: 0)
        metadata.adaptiveToneMap?.mapping = .alternateImages(alternate)
        #expect(
            throws: BitstreamError(
                "alternate image 1 of ST 2094-50 metadata has another component mix than the first one, which has "
                    + "it in common: make them equal, or do not set the flag")
        ) { try metadata.payload }
        alternate.hasCommonComponentMix = false
        metadata.adaptiveToneMap?.mapping = .alternateImages(alternate)
        #expect(try Metadata(payload: metadata.payload) == metadata)
    }

    @Test func whatIsNoMessageIsRefused() throws {
        for message in Self.messages {
            for count in 0..<message.count - 2 {
                _ = try? Metadata(payload: message.prefix(count))
            }
        }
        for count in 0..<Self.images.count {
            #expect(throws: BitstreamError.self) { try Metadata(payload: Self.images.prefix(count)) }
        }
        #expect(throws: BitstreamError.self) { try Metadata(payload: HDR10PlusMetadataTests.measured) }
        #expect(
            throws: BitstreamError(
                "ST 2094-50 message needs application version 1 of the standard, and 0 is known", at: 5)
        ) { try Metadata(payload: MetadataFixture.bytes(Self.prefix + "24 00")) }
    }

    @Test func findingsNameWhatIsWrong() throws {
        #expect(try Metadata(payload: Self.images).findings.isEmpty)
        #expect(try Metadata(payload: Self.referenceWhite).findings.isEmpty)
        var metadata = Metadata(baselineHDRHeadroom: 60001)
        metadata.hdrReferenceWhite = 0
        #expect(
            metadata.findings == [
                "hdr_reference_white is 0, and 1 to 50000, which is 10000 cd/m², are allowed",
                "baseline_hdr_headroom is 60001, and 60000 is the maximum",
            ])
        var alternate = Metadata.AlternateImages()
        let curve = Metadata.GainCurve(
            controlPoints: [.init(x: 2000, y: 0, theta: 0), .init(x: 1000, y: 60001)], usesPCHIPSlopes: false)
        alternate.images = [
            .init(hdrHeadroom: 5, componentMix: .custom([nil, 0, nil, nil, nil, nil]), gainCurve: curve),
            .init(hdrHeadroom: 5, componentMix: .maximum(reserved: 1), gainCurve: curve),
        ]
        metadata = Metadata(baselineHDRHeadroom: 5)
        metadata.adaptiveToneMap?.mapping = .alternateImages(alternate)
        #expect(metadata.findings.count == 10)
        #expect(try Metadata(payload: metadata.payload) == metadata)
    }
}
