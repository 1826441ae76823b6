import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRContainer
@testable import HDRInspection
@testable import HDRMetadata

/// The precedence of values, and the names of streams.
@Suite struct SignalReportTests {
    @Test func completeFilesLeaveNothingToFind() {
        let (container, bitstream) = SignalFixture.hdr10
        let hdr10 = SignalReport(container: container, bitstream: bitstream, frames: .init(read: 24))
        #expect(hdr10.findings.isEmpty, "\(hdr10.findings)")
        #expect(hdr10.dynamicRange.name == "HDR10" && hdr10.containsHDRVideo)

        let phone = SignalFixture.dolbyVision84
        let vision = SignalReport(
            container: phone.container, bitstream: phone.bitstream, frames: .init(read: 5, dolbyVision: 5))
        #expect(vision.findings.isEmpty, "\(vision.findings)")
        #expect(vision.dynamicRange.name == "Dolby Vision 8.4 (HLG base)")
        #expect(vision.dynamicRange.formats == ["HLG", "Dolby Vision 8.4"] && vision.containsHDRVideo)

        let sdr = SignalReport(
            container: SignalFixture.movie(.bt709), bitstream: SignalFixture.hevc(.bt709, depth: 8))
        #expect(sdr.findings.isEmpty && !sdr.containsHDRVideo && sdr.dynamicRange.name == "SDR")
    }

    @Test func theBitstreamFillsInForTheContainer() {
        let bare = SignalReport(container: SignalFixture.movie(nil), bitstream: SignalFixture.hevc(.bt2100PQ))
        #expect(bare.color == .bt2100PQ && bare.dynamicRange.base == .pq)
        #expect(bare.codes == ["container-color", "static-metadata"])

        let tagged = SignalReport(
            container: SignalFixture.movie(.bt2100HLG), bitstream: SignalFixture.hevc(.unspecified))
        #expect(tagged.color == .bt2100HLG && tagged.containsHDRVideo)
        #expect(tagged.codes == ["bitstream-color"])

        // A container may know the transfer only.
        let partly = SignalReport(
            container: SignalFixture.movie(ColorDescription(transfer: 16)), bitstream: SignalFixture.hevc(.bt2100PQ))
        #expect(partly.color == .bt2100PQ)
    }

    @Test func theContainerDecides() {
        let report = SignalReport(
            container: SignalFixture.movie(.bt709), bitstream: SignalFixture.hevc(.bt2100PQ))
        #expect(!report.containsHDRVideo && report.color == .bt709)
        #expect(report.codes == ["primaries-differs", "transfer-differs", "matrix-differs"])
        #expect(report.findings.allSatisfy { $0.kind == .disagreement })
    }

    /// SEI 147 turns BT.2020 video into HLG for displays that know it.
    @Test func alternativeTransfer() {
        var coded = ColorDescription.bt2100HLG
        coded.transfer = 14
        var bitstream = SignalFixture.hevc(coded)
        bitstream.alternativeTransfer = 18
        for container in [SignalFixture.movie(coded), SignalFixture.movie(.bt2100HLG), SignalFixture.movie(nil)] {
            let report = SignalReport(container: container, bitstream: bitstream)
            #expect(report.dynamicRange.base == .hlg)
            #expect(report.codes.contains("alternative-transfer") && !report.codes.contains("transfer-differs"))
        }
    }

    @Test func dynamicMetadata() {
        var (container, bitstream) = SignalFixture.hdr10
        bitstream.hasHDR10Plus = true
        let plus = SignalReport(container: container, bitstream: bitstream, frames: .init(read: 24, hdr10Plus: 24))
        #expect(plus.dynamicRange.name == "HDR10+ (HDR10 base)" && plus.findings.isEmpty)

        // Dolby Vision that only the frames show.
        (bitstream.hasDolbyVisionRPU, bitstream.dolbyVisionProfile) = (true, 8)
        let hidden = SignalReport(
            container: container, bitstream: bitstream, frames: .init(read: 24, hdr10Plus: 23, dolbyVision: 24))
        #expect(hidden.dynamicRange.formats == ["HDR10", "HDR10+", "Dolby Vision 8.1"])
        #expect(hidden.codes == ["dolby-vision-record", "hdr10-plus-partial"])

        container.dolbyVision = DolbyVisionRecord(profile: 8, level: 4, compatibility: 4)
        let wrong = SignalReport(
            container: container, bitstream: bitstream, frames: .init(read: 24, hdr10Plus: 24, dolbyVision: 24))
        #expect(wrong.codes == ["dolby-vision-base-differs"])

        container.dolbyVision = DolbyVisionRecord(profile: 5, level: 4, compatibility: 0)
        let other = SignalReport(
            container: container, bitstream: bitstream, frames: .init(read: 24, hdr10Plus: 24, dolbyVision: 24))
        #expect(other.codes.contains("dolby-vision-profile-differs"))
        #expect(other.dynamicRange.base == .none && other.containsHDRVideo)

        bitstream.hasDolbyVisionRPU = false
        bitstream.dolbyVisionProfile = nil
        let absent = SignalReport(container: container, bitstream: bitstream, frames: .init(read: 24, hdr10Plus: 24))
        #expect(absent.codes.first == "dolby-vision-rpu-absent")
    }

    @Test func adaptiveToneMaps() {
        let container = SignalFixture.hdr10.0
        var bitstream = SignalFixture.hdr10.1
        bitstream.hasST209450 = true
        let whole = SignalReport(container: container, bitstream: bitstream, frames: .init(read: 24, st209450: 24))
        #expect(whole.dynamicRange.formats == ["HDR10", "SMPTE ST 2094-50"] && whole.findings.isEmpty)
        #expect(whole.dynamicRange.name == "SMPTE ST 2094-50 (HDR10 base)")
        let part = SignalReport(container: container, bitstream: bitstream, frames: .init(read: 24, st209450: 2))
        #expect(part.codes == ["st2094-50-partial"])
    }

    @Test(arguments: [(16, 1, "8.1"), (18, 4, "8.4"), (1, 2, "8.2")])
    func theBaseNamesTheKindOfProfile8(transfer: Int, compatibility: Int, name: String) {
        var bitstream = SignalFixture.hevc(ColorDescription(primaries: 9, transfer: UInt8(transfer), matrix: 9))
        (bitstream.hasDolbyVisionRPU, bitstream.dolbyVisionProfile) = (true, 8)
        let vision = SignalReport(container: nil, bitstream: bitstream).dolbyVision
        #expect(vision?.name == name && vision?.compatibility == UInt8(compatibility) && vision?.level == nil)
    }

    /// HDR10+ is for PQ, so that a stream with it is no SDR even where nothing says so.
    @Test func hdr10PlusBesideTheFramesIsNoSDR() throws {
        var bitstream = BitstreamInspection(codec: .vp9)
        (bitstream.color.matrix, bitstream.lumaDepth, bitstream.chromaDepth) = (9, 10, 10)
        let report = SignalReport(container: nil, bitstream: bitstream, frames: .init(read: 5, hdr10Plus: 5))
        #expect(report.containsHDRVideo && report.dynamicRange.formats == ["PQ", "HDR10+"])
        #expect(report.codes == ["hdr10-plus-without-transfer"])
        var container = ContainerSignal(kind: .matroska)
        container.color = .bt2100PQ
        let known = SignalReport(container: container, bitstream: bitstream, frames: .init(read: 5, hdr10Plus: 5))
        #expect(known.codes == ["static-metadata"])
    }

    /// The colour of an MXF descriptor; an incomplete mastering display counts as missing.
    @Test func metadataOfADescriptor() {
        var track = VideoTrack(index: 0, identifier: 7, codec: "", width: 1280, height: 720)
        track.color = .bt2100PQ
        track.hasMasteringItems = true
        #expect(ContainerSignal(track, in: .mxf).hasMasteringMetadata)
        track.masteringDisplay = MetadataFixture.display
        track.contentLightLevel = MetadataFixture.level
        let report = SignalReport(container: ContainerSignal(track, in: .mxf), bitstream: nil)
        #expect(report.dynamicRange.base == .hdr10 && report.codes == ["container-only"])
    }
}
