import MetadataTestSupport
import Testing

@testable import HDRBitstream
@testable import HDRContainer
@testable import HDRInspection
@testable import HDRMetadata

/// Each finding is caused by a single change.
@Suite struct SignalFindingTests {
    typealias Change = @Sendable (inout ContainerSignal, inout BitstreamInspection) -> Void

    private func codes(_ change: Change) -> [String] {
        var (container, bitstream) = SignalFixture.hdr10
        change(&container, &bitstream)
        return SignalReport(container: container, bitstream: bitstream, frames: .init(read: 24)).codes
    }

    static let changes: [(code: String, change: Change)] = [
        ("range-differs", { container, _ in container.color?.isFullRange = true }),
        (
            "chroma-location-differs",
            {
                $0.color?.chromaLocation = 2
                $1.color.chromaLocation = 0
            }
        ),
        ("size-differs", { container, _ in container.width = 1280 }),
        ("mastering-primaries-differ", { container, _ in container.masteringDisplay?.white.x = 15000 }),
        ("mastering-luminance-differs", { container, _ in container.masteringDisplay?.maximum = 40_000_000 }),
        ("light-level-differs", { container, _ in container.contentLightLevel?.maximum = 999 }),
        (
            "ambient-viewing-differs",
            {
                $0.ambientViewing = MetadataFixture.ambient
                $1.ambientViewing = AmbientViewing(illuminance: 1, light: .zero)
            }
        ),
        (
            "hdr-in-8-bit", { _, bitstream in bitstream.lumaDepth = 8 }
        ),
        (
            "hdr-primaries",
            {
                $0.color?.primaries = 12
                $1.color.primaries = 12
            }
        ),
        (
            "hdr-matrix",
            {
                $0.color?.matrix = 1
                $1.color.matrix = 1
            }
        ),
        (
            "container-mastering",
            { container, _ in (container.masteringDisplay, container.hasMasteringMetadata) = (nil, false) }
        ),
        ("container-light-level", { container, _ in container.contentLightLevel = nil }),
        ("container-ambient-viewing", { _, bitstream in bitstream.ambientViewing = MetadataFixture.ambient }),
        ("container-color", { container, _ in container.color = nil }),
        ("sample-entry", { container, _ in container.codec = "hev1" }),
        ("container-only", { _, bitstream in bitstream.masteringDisplay = nil }),
        ("container-only", { _, bitstream in bitstream.contentLightLevel = nil }),
        (
            "container-only",
            { container, bitstream in
                container.kind = .matroska
                (bitstream.masteringDisplay, bitstream.contentLightLevel) = (nil, nil)
            }
        ),
        ("mastering-incomplete", { container, _ in container.masteringDisplay = nil }),
        (
            "light-level",
            {
                $0.contentLightLevel = ContentLightLevel(maximum: 400, frameAverage: 1000)
                $1.contentLightLevel = nil
            }
        ),
        (
            "ambient-viewing",
            { container, _ in container.ambientViewing = AmbientViewing(illuminance: 0, light: .zero) }
        ),
        (
            "mastering-luminance",
            {
                $0.masteringDisplay?.maximum = 1000
                $1.masteringDisplay = nil
            }
        ),
        (
            "mastering-display",
            {
                ($0.masteringDisplay, $0.hasMasteringMetadata) = (nil, false)
                $1.masteringDisplay = nil
            }
        ),
        (
            "light-level",
            {
                $0.contentLightLevel = nil
                $1.contentLightLevel = nil
            }
        ),
    ]

    /// Readers of the stream, and qtdemux, lose data that are only in the container.
    @Test func containerOnlyNamesWhatIsLost() {
        var (container, bitstream) = SignalFixture.hdr10
        (bitstream.masteringDisplay, bitstream.contentLightLevel) = (nil, nil)
        let lost = SignalReport(container: container, bitstream: bitstream).findings
        #expect(lost.map(\.kind) == [.missing])
        let text = lost.first?.text ?? ""
        #expect(text.hasPrefix("the mastering display and the light level stand in the container only"))
        #expect(text.contains("qtdemux 1.22 does not hand that on"))
        // ProRes cannot carry them, which is worth knowing and no defect of the file.
        let proRes = SignalReport(container: container, bitstream: nil).findings
        #expect(proRes.map(\.kind) == [.note] && proRes.map(\.code) == ["container-only"])
        // matroskademux hands them on.
        container.kind = .matroska
        #expect(SignalReport(container: container, bitstream: nil).codes.isEmpty)
    }

    @Test(arguments: changes.indices) func oneChangeMakesOneFinding(index: Int) {
        let (code, change) = Self.changes[index]
        #expect(codes(change) == [code])
    }

    @Test func shiftedPrimariesAreReportedAndTheBitstreamIsBelieved() {
        var (container, bitstream) = SignalFixture.hdr10
        let good = SignalFixture.bt2020Display
        var bad = good
        (bad.red, bad.green, bad.blue) = (good.blue, good.red, good.green)
        container.masteringDisplay = bad
        let report = SignalReport(container: container, bitstream: bitstream)
        #expect(report.codes == ["mastering-primaries-differ", "mastering-primaries"])
        #expect(report.findings.first?.text.hasSuffix("the container has them in another order") == true)
        #expect(report.masteringDisplay == good)

        (container.masteringDisplay, bitstream.masteringDisplay) = (good, bad)
        let other = SignalReport(container: container, bitstream: bitstream)
        #expect(other.findings.first?.text.hasSuffix("the bitstream has them in another order") == true)
        #expect(other.masteringDisplay == good)
    }

    /// matroskamux divides by 50000 what is to be divided by 10000.
    @Test func theMatroskaBugIsNamed() {
        var (container, bitstream) = SignalFixture.hdr10
        container.kind = .matroska
        container.masteringDisplay?.maximum = 2_000_000
        container.masteringDisplay?.minimum = 10
        let report = SignalReport(container: container, bitstream: bitstream)
        #expect(report.codes == ["matroska-luminance-5x"] && report.findings.first?.kind == .disagreement)
        #expect(report.masteringDisplay == SignalFixture.bt2020Display)

        // A lower peak that is no fifth is another thing.
        container.masteringDisplay?.maximum = 2_500_000
        #expect(SignalReport(container: container, bitstream: bitstream).codes == ["mastering-luminance-differs"])

        // Where the bitstream does not say, only MaxCLL shows it.
        container.masteringDisplay?.maximum = 2_000_000
        bitstream.masteringDisplay = nil
        let suspicion = SignalReport(container: container, bitstream: bitstream)
        #expect(suspicion.codes == ["matroska-luminance-5x"] && suspicion.findings.first?.kind == .defect)
        container.contentLightLevel?.maximum = 150
        container.contentLightLevel?.frameAverage = 50
        bitstream.contentLightLevel = container.contentLightLevel
        #expect(SignalReport(container: container, bitstream: bitstream).codes == ["container-only"])
    }

    /// The rounding of Matroska's floating point numbers is no disagreement.
    @Test func roundingIsNoDisagreement() {
        let found = codes { container, _ in
            container.masteringDisplay?.white.x -= 1
            container.masteringDisplay?.maximum += 500
            container.masteringDisplay?.minimum -= 1
        }
        #expect(found == [])
    }

    @Test func metadataOnSDR() {
        var (container, bitstream) = SignalFixture.hdr10
        container.color = .bt709
        bitstream.color = .bt709
        bitstream.hasHDR10Plus = true
        #expect(
            SignalReport(container: container, bitstream: bitstream).codes == [
                "hdr-metadata-on-sdr", "hdr10-plus-on-sdr",
            ])
    }

    @Test func nothingIsKnown() {
        let report = SignalReport(container: nil, bitstream: nil)
        #expect(report.codes == ["color-unknown"] && !report.containsHDRVideo)
        let vision = SignalReport(
            container: {
                var signal = SignalFixture.movie(nil, codec: "dvh1")
                signal.dolbyVision = DolbyVisionRecord(profile: 5, level: 3, compatibility: 0)
                return signal
            }(), bitstream: nil)
        #expect(vision.containsHDRVideo && vision.codes == ["dolby-vision-only"])
        #expect(vision.dynamicRange.name == "Dolby Vision 5 (no base for other displays)")
    }

    @Test func everyFindingIsOneLineWithAStableName() {
        for (_, change) in Self.changes {
            var (container, bitstream) = SignalFixture.hdr10
            change(&container, &bitstream)
            for finding in SignalReport(container: container, bitstream: bitstream, frames: .init(read: 24)).findings {
                #expect(!finding.text.contains("\n"))
                #expect(finding.code.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" })
            }
        }
    }
}
