import Foundation
import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRMetadata

/// Damaged bytes make errors, never a trap and never a read outside of them: run it under AddressSanitizer too. The
/// inputs are the same in every run. `HDR_FUZZ` sets how many there are.
@Suite struct BitstreamFuzzTests {
    static let total = TestWork.inputs(release: 200_000, debug: 40_000)

    enum Target: CaseIterable {
        case byteStream, oneByteLengths, twoByteLengths, fourByteLengths, hevcRecord, hevcSPS, avcSPS, avcRecord, sei,
            avcUnits, proRes, av1, rpu

        var framing: NALFraming {
            switch self {
            case .oneByteLengths: .lengthPrefixed(.one)
            case .twoByteLengths: .lengthPrefixed(.two)
            case .fourByteLengths: .lengthPrefixed(.four)
            default: .byteStream
            }
        }
    }

    @Test(arguments: Target.allCases) func damageIsAnError(target: Target) throws {
        let seeds = Self.seeds(for: target)
        var random = SeededGenerator(seed: UInt64(Target.allCases.firstIndex(of: target) ?? 0))
        var (accepted, refused, unstable) = (0, 0, 0)
        let rewriters = try Self.rewriters(target.framing)
        for round in 0..<max(Self.total / Target.allCases.count, 1) + 1 {
            let input = Self.input(from: seeds, &random)
            do {
                unstable += try Self.run(target, input, rewriters[round % rewriters.count]) ? 0 : 1
                accepted += 1
            } catch is BitstreamError {
                refused += 1
            }
        }
        #expect(unstable == 0, "a second rewrite changes what the first has made, or a picture has changed")
        // The damage reaches behind the first checks, and is noticed.
        #expect(accepted > Self.total / 2000)
        #expect(refused > 0 || target == .sei || target == .rpu)
    }

    /// Runs everything that reads such bytes. False where rewriting is not stable.
    private static func run(_ target: Target, _ input: [UInt8], _ rewriter: HEVCMetadataRewriter) throws -> Bool {
        // A block of just this size, so that a sanitizer sees the first byte that is read too far.
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 1)
        defer { block.deallocate() }
        block.copyBytes(from: input)
        let bytes = UnsafeRawBufferPointer(block)
        switch target {
        case .byteStream, .oneByteLengths, .twoByteLengths, .fourByteLengths:
            var found = BitstreamInspection(codec: .hevc, framing: target.framing)
            _ = try? found.read(accessUnit: bytes)
            guard let output = try rewriter.rewrite(bytes) else { return true }
            return try rewriter.rewrite(output) == nil
                && keepsPictures(
                    pictures(input, target.framing), pictures(output, target.framing), input, target.framing)
        case .hevcRecord:
            var found = BitstreamInspection(codec: .hevc)
            _ = try? found.read(configuration: bytes)
            guard let output = try rewriter.rewriteConfiguration(bytes) else { return true }
            return try rewriter.rewriteConfiguration(output) == nil
        case .hevcSPS:
            let edit = VUIColorEdit(color: .bt2100HLG, replaces: input.count % 2 == 0, chromaLocation: 2)
            guard let output = try edit.applied(to: bytes) else { return true }
            return try output.withUnsafeBytes { try edit.applied(to: $0) } == nil
        case .avcSPS:
            _ = try AVCSequenceParameterSet(unit: bytes).profileName
            let edit = VUIColorEdit(color: .bt709, replaces: input.count % 2 == 0, chromaLocation: 2)
            guard let output = try edit.applied(toAVC: bytes) else { return true }
            return try output.withUnsafeBytes { try edit.applied(toAVC: $0) } == nil
        case .avcRecord:
            var found = BitstreamInspection(codec: .avc)
            try found.read(configuration: bytes)
        case .sei:
            for size in 1...2 {
                let sei = SEIMessages(bytes, headerSize: size)
                for message in sei.messages {
                    let payload = sei.payload(of: message)
                    _ = (RegisteredUserData(payload), MasteringDisplay(payload: payload), sei.typeOfTail)
                }
            }
        case .avcUnits:
            var found = BitstreamInspection(codec: .avc)
            try found.read(accessUnit: bytes)
            let rewriter = try AVCMetadataRewriter(color: .bt709, framing: .byteStream)
            guard let output = try rewriter.rewrite(bytes) else { return true }
            return try rewriter.rewrite(output) == nil
        case .proRes:
            _ = try ProResFrameHeader(bytes)
            return try ProResFrameHeader.setColor(.bt2100PQ, in: block) == (input[22...24] != [9, 16, 9])
        case .av1:
            var found = BitstreamInspection(codec: .av1)
            if input.first == 0x81 { try found.read(configuration: bytes) } else { try found.read(accessUnit: bytes) }
        case .rpu: _ = DolbyVisionRPU.Header(nalUnit: bytes)
        }
        return true
    }

    /// None is lost but what lies in front of headers that come twice.
    private static func keepsPictures(
        _ before: [[UInt8]], _ after: [[UInt8]], _ input: [UInt8], _ framing: NALFraming
    ) throws -> Bool {
        if before == after { return true }
        let headers = try BitstreamFixture.units(input, framing).filter { $0.count >= 2 && $0[0] >> 1 & 0x3F == 32 }
        return headers.count > 1 && Array(before.suffix(after.count)) == after
    }

    private static func pictures(_ bytes: [UInt8], _ framing: NALFraming) throws -> [[UInt8]] {
        try BitstreamFixture.units(bytes, framing).filter { $0.count >= 2 && $0[0] >> 1 & 0x3F < 32 }
    }

    private static func rewriters(_ framing: NALFraming) throws -> [HEVCMetadataRewriter] {
        var colored = RewriterFixture.all
        colored.color = .bt2100HLG
        colored.colorPolicy = .replace
        colored.hdr10Plus = .strip
        colored.dolbyVision = .strip
        var messages = RewriterFixture.all
        messages.chromaLocation = nil
        var bare = messages
        bare.insertion = .none
        return try [colored, messages, bare].map { try HEVCMetadataRewriter($0, framing: framing) }
    }
}

extension BitstreamFuzzTests {
    /// A whole input with damage, or sometimes bytes that never were one.
    private static func input(from seeds: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
        if random.below(16) == 0 {
            let small: [UInt8] = [0, 0, 0, 1, 2, 3, 0x40, 0x42, 0x4E, 0x80, 0xFF]
            return (0..<random.below(80)).map { _ in
                random.below(3) == 0 ? UInt8(random.below(256)) : small[random.below(small.count)]
            }
        }
        var bytes = seeds[random.below(seeds.count)]
        for _ in 0..<random.below(5) where !bytes.isEmpty {
            let at = random.below(bytes.count)
            switch random.below(8) {
            case 0: bytes[at] ^= 1 << UInt8(random.below(8))
            case 1: bytes[at] = UInt8(random.below(256))
            case 2: bytes[at] = [0, 1, 2, 3, 0x7F, 0x80, 0xFE, 0xFF][random.below(8)]
            case 3: bytes.removeSubrange(at..<min(at + 1 + random.below(6), bytes.count))
            case 4:
                bytes.insert(contentsOf: [[0, 0, 1], [0, 0, 3], [255, 255, 255, 255], [0]][random.below(4)], at: at)
            case 5: bytes.removeLast(random.below(min(bytes.count, 12)))
            case 6:
                let other = seeds[random.below(seeds.count)]
                bytes = Array(bytes.prefix(at)) + other.dropFirst(random.below(other.count))
            default: bytes.insert(contentsOf: bytes[at..<min(at + 1 + random.below(30), bytes.count)], at: at)
            }
        }
        return bytes
    }

    private static func seeds(for target: Target) -> [[UInt8]] {
        switch target {
        case .byteStream, .oneByteLengths, .twoByteLengths, .fourByteLengths:
            accessUnits.map { BitstreamFixture.framed($0, target.framing) }
        case .hevcRecord:
            [
                ConfigurationRecordFixture.plain,
                ConfigurationRecordFixture.hevc([
                    (39, true, RewriterFixture.wanted + [RewriterFixture.info]), (33, false, sets),
                ]),
            ]
        case .hevcSPS: sets
        case .avcSPS: avcSets
        case .avcRecord:
            avcSets.map { [1, 100, 0, 40, 0xFF, 0xE1, 0, UInt8($0.count)] + $0 + [1, 0, 4, 0x68, 0xEB, 0xE3, 0xCB] }
        case .sei:
            RewriterFixture.wanted + [
                RewriterFixture.faulty,
                BitstreamFixture.sei([(4, MetadataFixture.hdr10Plus), (300, [1, 2]), (5, [0, 0, 1])]),
            ]
        case .avcUnits:
            avcSets.map {
                BitstreamFixture.framed([$0, [6, 144, 4, 3, 232, 1, 144, 0x80], [0x65, 1, 2]], .byteStream)
            }
        case .proRes:
            // Frames with the shortest header, small enough to be damaged where it matters.
            [ProResFixture.plain, ProResFixture.interlaced].map {
                [0, 0, 0, 44] + $0[4..<8] + [0, 20] + $0[10..<44]
            }
        case .av1:
            [
                MetadataFixture.bytes("12000a0e000000043d06d4daf95091009040 2a06 01 03e80190 80"),
                MetadataFixture.bytes("81050c000a0a200000043d06d4daf912 2a0a 04 b5003c00010401 0080"),
            ]
        case .rpu: [MetadataFixture.bytes("7c0119080908406136506e203f114e6401000941002007801ffc00ff")]
        }
    }

    private static let avcSets = [
        "676e000da6cd941519e226c05a848804db800000030080000019078a14cb",
        "677a0015bcd941533c44d8088000000300800000190f8a14cb", "67f4000d90d9b282a33c7c5e0220000003002000000641e28532c0",
    ].map { MetadataFixture.bytes($0) }

    private static let sets: [[UInt8]] = {
        var rich = HEVCTestSPS()
        rich.subLayers = 2
        rich.subLayerFlags = [(true, true), (false, true)]
        rich.scalingLists = true
        rich.pcm = true
        rich.longTerm = [3, 200]
        rich.referenceSets = ReferenceSetFixture.predictedSets
        rich.vui = .init(
            aspect: 255, sarWidth: 4, sarHeight: 3, overscan: true, signal: (2, true, (12, 1, 5)), chroma: (3, 4),
            timing: (1, 60))
        var bare = HEVCTestSPS()
        bare.vui = nil
        return [BitstreamFixture.x265SPS, rich.unit, bare.unit]
    }()

    private static let accessUnits: [[[UInt8]]] = [
        [
            BitstreamFixture.aud, BitstreamFixture.vps, BitstreamFixture.x265SPS, BitstreamFixture.pps,
            RewriterFixture.buffering,
        ]
            + RewriterFixture.wanted + [
                RewriterFixture.faulty, BitstreamFixture.slice(19), BitstreamFixture.slice(62),
            ],
        [
            BitstreamFixture.sei([(4, MetadataFixture.hdr10Plus), (137, MetadataFixture.displayPayload)]),
            BitstreamFixture.slice(1), BitstreamFixture.slice(1),
        ],
        [
            sets[2], BitstreamFixture.slice(21), RewriterFixture.hash,
            BitstreamFixture.sei([(147, [1])], type: 40),
        ],
    ]
}
