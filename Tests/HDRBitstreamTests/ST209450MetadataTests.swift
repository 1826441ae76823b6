import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

@Suite struct ST209450MetadataTests {
    typealias Metadata = ST209450Metadata

    @Test func referenceWhites() throws {
        let plain = try Metadata(payload: ST209450Fixture.minimal)
        #expect(plain == Metadata() && plain.referenceWhiteLuminance == 203)
        let custom = try Metadata(payload: ST209450Fixture.white)
        #expect(custom.hdrReferenceWhite == 2000 && custom.referenceWhiteLuminance == 400)
        let mapped = try Metadata(payload: ST209450Fixture.referenceWhite)
        #expect(mapped == Metadata(baselineHDRHeadroom: 23004))
        #expect(mapped.adaptiveToneMap?.baselineHeadroom == 2.3004)
    }

    @Test func alternateImages() throws {
        let metadata = try Metadata(payload: ST209450Fixture.images)
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
        for message in ST209450Fixture.messages {
            let metadata = try Metadata(payload: message)
            #expect(try metadata.payload == message)
        }
        #expect(try Metadata(payload: ST209450Fixture.common).trailing == [0xAA, 0xBB])
    }

    @Test func commonPartsAreThoseOfTheFirstImage() throws {
        var metadata = try Metadata(payload: ST209450Fixture.common)
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
        for message in ST209450Fixture.messages {
            for count in 0..<message.count - 2 {
                _ = try? Metadata(payload: message.prefix(count))
            }
        }
        for count in 0..<ST209450Fixture.images.count {
            #expect(throws: BitstreamError.self) { try Metadata(payload: ST209450Fixture.images.prefix(count)) }
        }
        #expect(throws: BitstreamError.self) { try Metadata(payload: HDR10PlusFixture.measured) }
        #expect(
            throws: BitstreamError(
                "ST 2094-50 message needs application version 1 of the standard, and 0 is known", at: 5)
        ) { try Metadata(payload: MetadataFixture.bytes(ST209450Fixture.prefix + "24 00")) }
    }

    @Test func findingsNameWhatIsWrong() throws {
        #expect(try Metadata(payload: ST209450Fixture.images).findings.isEmpty)
        #expect(try Metadata(payload: ST209450Fixture.referenceWhite).findings.isEmpty)
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
