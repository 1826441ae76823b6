import MetadataTestSupport

@testable import HDRBitstream

/// RPUs of the tests' own making, written bit by bit from the syntax, so that they owe nothing to the code under test.
enum DolbyVisionRPUFixture {
    static func payload(_ bits: BitText) -> [UInt8] { signedRPU([25] + bits.bytes(stop: false)) }

    /// rpu_data_header() up to disable_residual_flag, of profile 8 unless changed.
    static func header(
        type: Int = 2, format: Int = 18, profile: Int = 1, coefficientType: Int = 0, denominator: Int = 23,
        fullRange: Int = 0, enhancement: Int = 2, compression: Int = 0, hasResidual: Bool = false
    ) -> BitText {
        var bits = BitText()
        bits.u(6, type)
        bits.u(11, format)
        bits.u(4, profile)
        bits.u(4, 0)
        bits.u(1, 1)
        bits.u(1, 0)
        bits.u(2, coefficientType)
        if coefficientType == 0 { bits.ue(denominator) }
        bits.u(2, 1)
        bits.u(1, fullRange)
        bits.ue(2)
        bits.ue(enhancement)
        bits.ue(4)
        bits.u(1, 0)
        bits.u(3, compression)
        bits.u(1, hasResidual ? 1 : 0)
        bits.u(1, hasResidual ? 0 : 1)
        return bits
    }

    /// The mapping's ids, and curves of one piece from 0 to 1023, which `pieces` writes.
    static func mapping(_ bits: inout BitText, residualPivots: [Int] = [], pieces: (inout BitText) -> Void) {
        for _ in 0..<3 { bits.ue(0) }
        for _ in 0..<3 {
            bits.ue(0)
            bits.u(10, 0)
            bits.u(10, 1023)
        }
        if !residualPivots.isEmpty { bits.u(3, 0) }
        for pivot in residualPivots { bits.u(10, pivot) }
        bits.ue(0)
        bits.ue(0)
        for _ in 0..<3 { pieces(&bits) }
    }

    /// A polynomial of order 1 that changes nothing.
    static func identity(_ bits: inout BitText) {
        bits.ue(0)
        bits.ue(0)
        bits.u(1, 0)
        bits.se(0)
        bits.u(23, 0)
        bits.se(1)
        bits.u(23, 0)
    }

    /// vdr_dm_data_payload() up to source_diagonal, of a profile with a YCbCr base layer.
    static func management(_ bits: inout BitText, scene: Int = 1, source: (Int, Int) = (62, 3079)) {
        for value in [0, 0, scene] { bits.ue(value) }
        for value in [9574, 0, 13802, 9574, -1540, -5348, 9574, 17610, 0] { bits.u(16, value & 0xFFFF) }
        for value in [16_777_216, 134_217_728, 134_217_728] { bits.u(32, value) }
        for value in [7222, 8771, 390, 2654, 12430, 1300, 0, 422, 15962] { bits.u(16, value) }
        for value in [65535, 0, 0] { bits.u(16, value) }
        bits.u(32, 0)
        bits.u(5, 12)
        for value in [0, 0, 1] { bits.u(2, value) }
        bits.u(12, source.0)
        bits.u(12, source.1)
        bits.u(10, 42)
    }

    /// num_ext_blocks with its alignment, and the blocks.
    static func blocks(_ bits: inout BitText, _ blocks: [(level: Int, bytes: [UInt8])]) {
        bits.ue(blocks.count)
        align(&bits)
        for block in blocks {
            bits.ue(block.bytes.count)
            bits.u(8, block.level)
            for byte in block.bytes { bits.u(8, Int(byte)) }
        }
    }

    static func align(_ bits: inout BitText) { while bits.text.utf8.count % 8 != 0 { bits.u(1, 0) } }

    /// Profile 8.1 with levels 1 and 6.
    static let profile81: [UInt8] = {
        var bits = header()
        bits.u(2, 0b10)
        mapping(&bits, pieces: identity)
        management(&bits, source: (7, 3696))
        blocks(&bits, [(1, [0x00, 0x1B, 0xB8, 0x4B, 0x00]), (6, [0x0F, 0xA0, 0, 1, 3, 0xE8, 1, 0x90])])
        return payload(bits)
    }()
}
