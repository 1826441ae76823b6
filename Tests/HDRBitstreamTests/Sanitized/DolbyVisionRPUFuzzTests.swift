import MetadataTestSupport
import TestSupport
import Testing

@testable import HDRBitstream

/// Damaged RPUs make errors, never a trap, and whatever is read is written as it was. The inputs are the same in every
/// run; how many there are is said by `BitstreamFuzzTests`, and a debug build takes a tenth of them.
@Suite struct DolbyVisionRPUFuzzTests {
    #if DEBUG
        private static let total = BitstreamFuzzTests.total / 10
    #else
        private static let total = BitstreamFuzzTests.total
    #endif

    @Test func wellFormedOnesAreWrittenAndReadAgain() throws {
        var generator = DolbyVisionRPUGenerator(seed: 1)
        for _ in 0..<max(Self.total / 100, 1) {
            let rpu = generator.rpu()
            let payload = try rpu.payload()
            try #require(try DolbyVisionRPU(payload: payload) == rpu)
            let unit = try rpu.nalUnit()
            let read = try DolbyVisionRPU(nalUnit: unit)
            try #require(try read == rpu && read.nalUnit() == unit)
            var message = try DolbyVisionRPU(t35: rpu.t35Message())
            message.trailingBytes = rpu.trailingBytes
            try #require(message == rpu)
            // A start code inside would end the unit.
            try #require(!unit.dropLast(rpu.trailingBytes.count).isEmpty)
            try #require(Self.hasNoStartCode(unit.dropLast(rpu.trailingBytes.count)))
        }
    }

    private static func hasNoStartCode(_ bytes: ArraySlice<UInt8>) -> Bool {
        var zeros = 0
        for byte in bytes {
            if zeros >= 2, byte < 3 { return false }
            zeros = byte == 0 ? zeros + 1 : 0
        }
        return true
    }

    enum Form: CaseIterable { case payload, nalUnit, message, file }

    @Test(arguments: Form.allCases) func damageIsAnError(form: Form) throws {
        var generator = DolbyVisionRPUGenerator(seed: 2)
        var seeds = try (0..<40).map { _ in try generator.rpu().payload() }
        if Samples.exist {
            for name in ["profile84", "fel_orig", "mel_orig", "profile5", "cmv40_full_rpu", "unordered_l8_blocks"] {
                let rpus = try DolbyVisionRPUFile.rpus(in: Samples.bytes("rpu/\(name).bin"))
                seeds += try rpus.map { try $0.payload() }
            }
        }
        let prepared = seeds.map { Self.wrapped($0, form) }
        var random = SeededGenerator(seed: 3)
        var (accepted, refused, changed) = (0, 0, 0)
        for _ in 0..<max(Self.total / Form.allCases.count, 1) {
            let index = random.below(seeds.count)
            // Damage in front of a CRC that is right again reaches what lies behind that check.
            var input: [UInt8]
            if random.below(4) > 0 {
                input = Self.wrapped(Self.signed(Self.damaged(seeds[index], &random)), form)
            } else {
                input = Self.damaged(prepared[index], &random)
            }
            if input.isEmpty { input = [0] }
            do {
                changed += try Self.isKept(input, form) ? 0 : 1
                accepted += 1
            } catch is BitstreamError {
                refused += 1
            }
        }
        #expect(changed == 0, "an RPU that was read is written otherwise")
        #expect(accepted > Self.total / 200)
        #expect(refused > Self.total / 200)
    }

    /// Whether what was read is written byte for byte.
    private static func isKept(_ input: [UInt8], _ form: Form) throws -> Bool {
        switch form {
        case .payload: return try DolbyVisionRPU(payload: input).payload() == input
        case .nalUnit:
            // A block of just this size, so that a sanitizer sees the first byte that is read too far.
            let block = UnsafeMutableRawBufferPointer.allocate(byteCount: input.count, alignment: 1)
            defer { block.deallocate() }
            block.copyBytes(from: input)
            let rpu = try DolbyVisionRPU(nalUnit: UnsafeRawBufferPointer(block))
            // Emulation prevention that should not be there or is missing is mended.
            let output = try rpu.escaped()
            return try DolbyVisionRPU(nalUnit: output) == rpu
        case .message:
            let rpu = try DolbyVisionRPU(t35: input)
            return try DolbyVisionRPU(t35: rpu.t35Message()) == rpu
        case .file:
            let rpus = try DolbyVisionRPUFile.rpus(in: input)
            return try DolbyVisionRPUFile.rpus(in: DolbyVisionRPUFile.bytes(of: rpus)) == rpus
        }
    }

    private static func wrapped(_ payload: [UInt8], _ form: Form) -> [UInt8] {
        switch form {
        case .payload: return payload
        case .nalUnit: return [0x7C, 1] + EmulationPrevention.inserted(into: payload)
        case .message: return DolbyVisionRPU.t35Message(core: payload)
        case .file:
            let unit = [0, 0, 0, 1] + EmulationPrevention.inserted(into: payload)
            return unit + unit
        }
    }

    /// The payload with the CRC that belongs to its bytes, where there are enough of them.
    private static func signed(_ payload: [UInt8]) -> [UInt8] {
        guard payload.count > 6 else { return payload }
        return signedRPU([25] + payload.dropFirst().dropLast(5))
    }

    private static func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0...random.below(4) where !bytes.isEmpty {
            let at = random.below(bytes.count)
            switch random.below(7) {
            case 0, 1: bytes[at] ^= 1 << UInt8(random.below(8))
            case 2: bytes[at] = UInt8(random.below(256))
            case 3: bytes[at] = [0, 1, 2, 3, 0x7F, 0x80, 0xFE, 0xFF][random.below(8)]
            case 4: bytes.removeSubrange(at..<min(at + 1 + random.below(6), bytes.count))
            case 5:
                bytes.insert(contentsOf: [[0, 0, 1], [0, 0, 3], [255, 255, 255, 255], [0]][random.below(4)], at: at)
            default: bytes.insert(contentsOf: bytes[at..<min(at + 1 + random.below(30), bytes.count)], at: at)
            }
        }
        return bytes
    }
}
