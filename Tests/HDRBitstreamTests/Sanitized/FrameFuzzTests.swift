import TestSupport
import Testing

@testable import HDRBitstream

/// Damaged frames of VP9, and damaged access units whose RPU is read and replaced, make errors, never a trap. How many
/// inputs there are follows from `BitstreamFuzzTests`.
@Suite struct FrameFuzzTests {
    typealias Fixture = BitstreamFixture

    private static let count = max(BitstreamFuzzTests.total / 10, 1000)

    /// Calls `body` with a block of just this size, so that a sanitizer sees the first byte that is read too far.
    private static func withBlock<Result>(
        of bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(BitstreamError) -> Result
    ) throws(BitstreamError) -> Result {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { block.deallocate() }
        block.copyBytes(from: bytes)
        return try body(UnsafeRawBufferPointer(block))
    }

    @Test func framesOfVP9() {
        var random = SeededGenerator(seed: 9)
        var (accepted, refused, wrong) = (0, 0, 0)
        for index in 0..<Self.count {
            var frame = VP9FrameFixture.frame(profile: index & 3, depth: 1, space: index >> 2 & 7)
            for _ in 0...random.below(3) { frame[random.below(16)] = UInt8(random.below(256)) }
            let input = Array(frame.prefix(random.below(24)))
            do {
                let header = try Self.withBlock(of: input) { (bytes) throws(BitstreamError) in
                    try VP9FrameHeader(bytes)
                }
                accepted += 1
                if let header, !Self.isInRange(header) { wrong += 1 }
            } catch {
                refused += 1
            }
        }
        #expect(wrong == 0)
        #expect(accepted > 0 && refused > 0, "\(accepted), \(refused)")
    }

    private static func isInRange(_ header: VP9FrameHeader) -> Bool {
        let depths: [UInt8] = header.profile < 2 ? [8] : [10, 12]
        let sides = 1...65536
        guard header.profile <= 3, depths.contains(header.bitDepth), sides.contains(header.width) else { return false }
        return sides.contains(header.height) && (1...3).contains(header.chromaFormat ?? 1)
    }

    /// An RPU with zeros, so that it needs emulation prevention.
    private static let rpu: [UInt8] = [25, 8, 9, 0, 0, 3, 1, 7, 128]

    /// What has been put in, or taken out, is found so.
    @Test(arguments: [.byteStream, .lengthPrefixed(.two), .lengthPrefixed(.four)] as [NALFraming])
    func rpusOfHEVC(framing: NALFraming) throws {
        var random = SeededGenerator(seed: 62)
        var (accepted, refused) = (0, 0)
        for _ in 0..<Self.count / 3 {
            let bytes = Self.accessUnit(framing, &random)
            let editor = DolbyVisionRPUEditor(.hevc(framing))
            let wanted = random.below(2) == 0 ? Self.rpu : nil
            _ = try? Self.withBlock(of: bytes) { (bytes) throws(BitstreamError) in try editor.rpu(in: bytes) }
            let result: [UInt8]?
            do {
                result = try Self.withBlock(of: bytes) { (bytes) throws(BitstreamError) in
                    try editor.setting(wanted, keepsLayer: false, in: bytes)
                }
                accepted += 1
            } catch {
                refused += 1
                continue
            }
            // In a byte stream, damaged units may run into each other.
            if result == nil || framing != .byteStream {
                try #require(try editor.rpu(in: result ?? bytes) == wanted, "\(bytes)")
            }
        }
        #expect(accepted > 0 && refused > 0, "\(accepted), \(refused)")
    }

    /// The same bytes are treated as temporal units of AV1, and as files of RPUs.
    @Test func rpusOfAV1AndOfFiles() throws {
        var random = SeededGenerator(seed: 63)
        let editor = DolbyVisionRPUEditor(.av1)
        var (accepted, refused) = (0, 0)
        for _ in 0..<Self.count / 3 {
            let bytes = Self.accessUnit(.byteStream, &random)
            _ = try? Self.withBlock(of: bytes) { (bytes) throws(BitstreamError) in try editor.rpu(in: bytes) }
            _ = try? Self.withBlock(of: bytes) { (bytes) throws(BitstreamError) in
                try editor.setting(Self.rpu, in: bytes)
            }
            do {
                let pieces = try Self.withBlock(of: bytes) { (bytes) throws(BitstreamError) in
                    try DolbyVisionRPUFile.pieces(of: bytes)
                }
                accepted += 1
                try #require(!pieces.isEmpty && pieces.map(\.count).reduce(0, +) < bytes.count, "\(bytes)")
            } catch is BitstreamError {
                refused += 1
            }
        }
        #expect(accepted > 0 && refused > 0, "\(accepted), \(refused)")
    }

    private static func accessUnit(_ framing: NALFraming, _ random: inout SeededGenerator) -> [UInt8] {
        let units: [[UInt8]] = [
            Fixture.aud, Fixture.slice(1), [0x7C, 1, 25, 8, 9, 66, 128], [63 << 1, 1, 2], [36 << 1, 1],
        ]
        var bytes = Fixture.framed(units, framing)
        for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
        bytes.removeLast(random.below(bytes.count))
        return bytes
    }
}
