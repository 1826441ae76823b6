import Foundation
import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

/// Dynamic metadata with damage make errors, never a trap; what is accepted is written as it was read. The inputs are
/// the same in every run, and `HDR_FUZZ` sets how many there are.
@Suite struct DynamicMetadataFuzzTests {
    enum Target: CaseIterable {
        case hdr10Plus, st209450
    }

    @Test(arguments: Target.allCases) func acceptedMessagesAreWrittenAsTheyWereRead(target: Target) throws {
        let seeds = target == .hdr10Plus ? HDR10PlusFixture.messages : ST209450Fixture.messages
        var random = SeededGenerator(seed: target == .hdr10Plus ? 40 : 50)
        var (accepted, refused, changed) = (0, 0, 0)
        let total = target == .hdr10Plus ? BitstreamFuzzTests.total : BitstreamFuzzTests.total / 4
        for _ in 0..<total {
            let input = Self.damaged(seeds[random.below(seeds.count)], &random)
            do {
                changed += try Self.written(target, input) == input ? 0 : 1
                accepted += 1
            } catch {
                refused += 1
            }
        }
        #expect(changed == 0, "a message is written in another way than it was read")
        #expect(accepted > total / 20 && refused > total / 20)
    }

    private static func written(_ target: Target, _ input: [UInt8]) throws(BitstreamError) -> [UInt8] {
        switch target {
        case .hdr10Plus:
            let metadata = try HDR10PlusMetadata(payload: input)
            if let curve = metadata.windows.first?.toneMapping { _ = HDR10PlusToneCurve(curve).value(at: 0.7) }
            _ = (metadata.findings, metadata.profile)
            return try metadata.payload
        case .st209450:
            let metadata = try ST209450Metadata(payload: input)
            _ = (metadata.findings, metadata.referenceWhiteLuminance)
            return try metadata.payload
        }
    }

    /// Behind the identifiers, but for some.
    private static func damaged(_ seed: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = seed
        for _ in 0...random.below(4) where !bytes.isEmpty {
            let first = random.below(50) == 0 ? 0 : min(5, bytes.count - 1)
            let at = first + random.below(bytes.count - first)
            switch random.below(6) {
            case 0, 1: bytes[at] ^= 1 << UInt8(random.below(8))
            case 2: bytes[at] = UInt8(random.below(256))
            case 3: bytes.removeSubrange(at..<min(at + 1 + random.below(6), bytes.count))
            case 4: bytes.insert(contentsOf: (0...random.below(9)).map { _ in UInt8(random.below(256)) }, at: at)
            default: bytes.removeLast(random.below(min(bytes.count, 12)))
            }
        }
        return bytes
    }

    // MARK: Well-formed metadata

    @Test func anyHDR10PlusMetadataCanBeWrittenAndRead() throws {
        var random = SeededGenerator(seed: 2094)
        for _ in 0..<Self.wellFormed {
            let metadata = Self.hdr10Plus(&random)
            let payload = try metadata.payload
            let read = try HDR10PlusMetadata(payload: payload)
            guard try read == metadata && read.payload == payload else {
                Issue.record("\(metadata) is read as \(read)")
                return
            }
        }
    }

    @Test func anyST209450MetadataCanBeWrittenAndRead() throws {
        var random = SeededGenerator(seed: 50)
        for _ in 0..<Self.wellFormed {
            let metadata = Self.st209450(&random)
            let payload = try metadata.payload
            let read = try ST209450Metadata(payload: payload)
            guard try read == metadata && read.payload == payload else {
                Issue.record("\(metadata) is read as \(read)")
                return
            }
        }
    }

    /// Any payload goes into any access unit, and comes out.
    @Test func editsAreStable() throws {
        var random = SeededGenerator(seed: 35)
        for round in 0..<Self.wellFormed {
            let payload = try Self.hdr10Plus(&random).payload
            let isAV1 = round % 2 == 0
            let framing: NALFraming = round % 4 == 1 ? .byteStream : .lengthPrefixed(.four)
            let editor = UserDataEditor(.hdr10Plus, in: isAV1 ? .av1 : .hevc(framing))
            let slice = BitstreamFixture.slice(1, seed: UInt64(round))
            let unit = isAV1 ? [0x12, 0, 0x32, 2, 0x10, 3] : BitstreamFixture.framed([slice], framing)
            let edited = try #require(try editor.setting(payload, in: unit))
            #expect(try editor.payloads(in: edited) == [payload])
            #expect(try editor.setting(nil, in: edited) == unit)
            let broken = Self.damaged(edited, &random)
            guard let other = try? editor.setting(payload, in: broken) else { continue }
            #expect(try editor.setting(payload, in: other) == nil)
        }
    }

    private static let wellFormed = min(TestWork.inputs(release: 10_000, debug: 1000), 10_000)

    private static func hdr10Plus(_ random: inout SeededGenerator) -> HDR10PlusMetadata {
        func number<Number: FixedWidthInteger>(_ bits: Int) -> Number {
            Number(truncatingIfNeeded: random.below(8) == 0 ? (1 << bits) - 1 : random.below(1 << bits))
        }
        func pair(_ bits: Int) -> SIMD2<UInt16> { SIMD2(number(bits), number(bits)) }
        func matrix() -> HDR10PlusMetadata.ActualPeakLuminance? {
            guard random.below(4) == 0 else { return nil }
            let columns = random.below(32)
            let rows = (0..<random.below(32)).map { _ in (0..<columns).map { _ in number(4) as UInt8 } }
            return .init(rows: rows, columns: columns)
        }
        var metadata = HDR10PlusMetadata()
        metadata.applicationVersion = number(1)
        metadata.windows = (0..<1 + random.below(3)).map { index in
            var window = HDR10PlusMetadata.Window()
            if index > 0 {
                var region = HDR10PlusMetadata.Region()
                region.upperLeftCorner = pair(16)
                region.lowerRightCorner = pair(16)
                region.centerOfEllipse = pair(16)
                region.rotationAngle = number(8)
                region.semimajorAxisInternalEllipse = number(16)
                region.semimajorAxisExternalEllipse = number(16)
                region.semiminorAxisExternalEllipse = number(16)
                region.isLayered = random.below(2) == 0
                window.region = region
            }
            window.maxSCL = SIMD3(number(17), number(17), number(17))
            window.averageMaxRGB = number(17)
            window.distributionMaxRGB = (0..<random.below(16)).map { _ in
                .init(percentage: number(7), percentile: number(17))
            }
            window.fractionBrightPixels = number(10)
            if random.below(2) == 0 {
                window.toneMapping = .init(
                    kneePoint: pair(12), bezierCurveAnchors: (0..<random.below(16)).map { _ in number(10) })
            }
            if random.below(2) == 0 { window.colorSaturationWeight = number(6) }
            return window
        }
        metadata.targetedSystemDisplayMaximumLuminance = number(27)
        metadata.targetedSystemDisplayActualPeakLuminance = matrix()
        metadata.masteringDisplayActualPeakLuminance = matrix()
        metadata.trailing = (0..<random.below(3)).map { _ in 1 + number(7) }
        return metadata
    }

    private static func st209450(_ random: inout SeededGenerator) -> ST209450Metadata {
        func word() -> UInt16 { UInt16(random.below(65536)) }
        func flag() -> Bool { random.below(2) == 0 }
        func mix() -> ST209450Metadata.ComponentMix {
            let reserved = UInt8(random.below(64))
            switch random.below(4) {
            case 0: return .maximum(reserved: reserved)
            case 1: return .component(reserved: reserved)
            case 2: return .balanced(reserved: reserved)
            default: return .custom((0..<6).map { _ in flag() ? word() : nil })
            }
        }
        var metadata = ST209450Metadata()
        metadata.applicationVersion = UInt8(random.below(8))
        metadata.reserved = SIMD2(UInt8(random.below(4)), UInt8(random.below(64)))
        if flag() { metadata.hdrReferenceWhite = word() }
        metadata.trailing = (0..<random.below(3)).map { UInt8($0) }
        guard random.below(8) > 0 else { return metadata }
        var map = ST209450Metadata.AdaptiveToneMap(baselineHDRHeadroom: word())
        map.mapping = .referenceWhite(reserved: UInt8(random.below(128)))
        if random.below(4) > 0 {
            var alternate = ST209450Metadata.AlternateImages()
            alternate.chromaticities = [.bt709, .p3D65, .bt2020, .custom((0..<8).map { _ in word() })][random.below(4)]
            alternate.hasCommonComponentMix = flag()
            alternate.hasCommonCurve = flag()
            for index in 0..<random.below(5) {
                let first = index > 0 ? alternate.images.first : nil
                let usesSlopes = flag()
                var curve = ST209450Metadata.GainCurve(
                    controlPoints: (0...random.below(32)).map { _ in .init(x: word(), y: 0) },
                    usesPCHIPSlopes: usesSlopes)
                curve.reserved = UInt8(random.below(4))
                if alternate.hasCommonCurve, let first { curve = first.gainCurve }
                for point in curve.controlPoints.indices {
                    curve.controlPoints[point].y = word()
                    if !curve.usesPCHIPSlopes { curve.controlPoints[point].theta = word() }
                }
                let own = mix()
                let shared = alternate.hasCommonComponentMix ? first?.componentMix : nil
                alternate.images.append(.init(hdrHeadroom: word(), componentMix: shared ?? own, gainCurve: curve))
            }
            if alternate.images.count == 4 { alternate.uncoded = UInt8(random.below(4)) }
            map.mapping = .alternateImages(alternate)
        }
        metadata.adaptiveToneMap = map
        return metadata
    }
}
