import Testing

@testable import HDRBitstream

/// Syntax that is rare in streams, and errors.
@Suite struct DolbyVisionRPUSyntaxTests {
    private typealias Fixture = DolbyVisionRPUFixture

    /// Reads the bytes, and checks that they are written as they were.
    private func read(
        _ bits: BitText, sequence: DolbyVisionRPU.SequenceInfo? = nil
    ) throws -> DolbyVisionRPU {
        let payload = Fixture.payload(bits)
        let rpu = try DolbyVisionRPU(payload: payload, sequence: sequence)
        #expect(try rpu.payload(sequence: sequence) == payload)
        return rpu
    }

    @Test func multipleRegression() throws {
        var bits = Fixture.header(denominator: 16)
        bits.u(2, 0b00)
        var number = -12
        Fixture.mapping(&bits) { bits in
            bits.ue(1)
            bits.u(2, 1)
            for _ in 0..<15 {
                bits.se(number)
                bits.u(16, 0x4000)
                number += 1
            }
        }
        let rpu = try read(bits)
        let format = try #require(rpu.header.sequence).coefficientFormat
        #expect(format == .fixedPoint(log2Denominator: 16))
        guard case .mmr(let constant, let coefficients)? = rpu.mapping?.curves[0].pieces[0] else {
            Issue.record("no regression")
            return
        }
        // An integer part of -12 and a fraction of 1/4.
        #expect(constant == -12 * 65536 + 0x4000 && format.value(of: constant) == -11.75)
        #expect(coefficients.map(\.count) == [7, 7] && format.value(of: coefficients[1][6]) == 2.25)
        #expect(rpu.displayManagement == nil)
    }

    @Test func linearInterpolationOfTwoPieces() throws {
        var bits = Fixture.header()
        bits.u(2, 0b00)
        for _ in 0..<3 { bits.ue(0) }
        for _ in 0..<3 {
            bits.ue(1)
            for step in [64, 448, 428] { bits.u(10, step) }
        }
        bits.ue(0)
        bits.ue(0)
        for _ in 0..<3 {
            for values in [[0], [1, 2]] {
                bits.ue(0)
                bits.ue(0)
                bits.u(1, 1)
                for value in values {
                    bits.ue(value)
                    bits.u(23, 1 << 22)
                }
            }
        }
        let curve = try #require(try read(bits).mapping?.curves[2])
        #expect(curve.pivots == [64, 512, 940])
        let one: Int64 = 1 << 22
        #expect(
            curve.pieces == [
                .linearInterpolation(start: one, end: nil), .linearInterpolation(start: 3 * one, end: 5 * one),
            ])
    }

    @Test func floatingPoint() throws {
        var bits = Fixture.header(coefficientType: 1)
        bits.u(2, 0b00)
        Fixture.mapping(&bits) { bits in
            bits.ue(0)
            bits.ue(1)
            for value in [-0.5, 1.25, 0] as [Float] { bits.u(32, Int(value.bitPattern)) }
        }
        let rpu = try read(bits)
        let format = try #require(rpu.header.sequence).coefficientFormat
        guard case .polynomial(let coefficients)? = rpu.mapping?.curves[1].pieces[0] else {
            Issue.record("no polynomial")
            return
        }
        #expect(format == .floatingPoint && coefficients.map(format.value(of:)) == [-0.5, 1.25, 0])
        #expect(format.value(of: format.one) == 1)
    }

    /// Profile 7 with a minimal and with a full enhancement layer.
    @Test(arguments: [0, 300]) func residual(offset: Int) throws {
        var bits = Fixture.header(hasResidual: true)
        bits.u(2, 0b00)
        Fixture.mapping(&bits, residualPivots: [0, 1023], pieces: Fixture.identity)
        for _ in 0..<3 {
            bits.u(10, offset)
            bits.ue(1)
            bits.u(23, 0)
            bits.ue(0)
            bits.u(23, offset)
            bits.ue(0)
            bits.u(23, 0)
        }
        var rpu = try read(bits)
        #expect(rpu.signaledProfile == 7 && rpu.enhancementLayer == (offset == 0 ? .minimal : .full))
        #expect(rpu.profileName(transfer: 16) == (offset == 0 ? "7 MEL" : "7 FEL"))
        let residual = try #require(rpu.mapping?.residual)
        #expect(residual.pivots == [0, 1023] && residual.components[2].inputMaximum == 1 << 23)
        #expect(residual.components[1].offset == offset && residual.components[1].deadZoneSlope == offset)
        rpu.convertToProfile81()
        #expect(rpu.signaledProfile == 8 && rpu.mapping == .identity(DolbyVisionRPU.SequenceInfo()))
        #expect(try DolbyVisionRPU(payload: rpu.payload()) == rpu)
    }

    @Test func mappingOfAnEarlierRPU() throws {
        var bits = Fixture.header()
        bits.u(2, 0b11)
        bits.ue(3)
        Fixture.management(&bits)
        Fixture.blocks(&bits, [])
        let rpu = try read(bits)
        #expect(rpu.mapping == nil && rpu.previousMappingID == 3 && rpu.displayManagement?.blocks == [])
    }

    @Test func sequenceInfoOfAnEarlierRPU() throws {
        var bits = BitText()
        for (count, value) in [(6, 2), (11, 18), (4, 1), (4, 0), (1, 0), (2, 0b00)] { bits.u(count, value) }
        Fixture.mapping(&bits, pieces: Fixture.identity)
        let error = #expect(throws: BitstreamError.self) { try read(bits) }
        #expect(error?.message.contains("lacks vdr_seq_info, which an earlier RPU has") == true)
        let rpu = try read(bits, sequence: DolbyVisionRPU.SequenceInfo())
        #expect(rpu.header.sequence == nil && rpu.mapping == .identity(DolbyVisionRPU.SequenceInfo()))
        #expect(throws: BitstreamError.self) { try rpu.payload() }
        // In a file, and nowhere else, the earlier one is known.
        var first = rpu
        first.header.sequence = DolbyVisionRPU.SequenceInfo()
        let file = try DolbyVisionRPUFile.bytes(of: [first, rpu, rpu])
        #expect(try DolbyVisionRPUFile.rpus(in: file) == [first, rpu, rpu])
    }

    @Test func compressedManagementAndExtendedMapping() throws {
        var bits = Fixture.header(enhancement: 228 << 8 | 2, compression: 1)
        bits.u(2, 0b11)
        bits.ue(0)
        for value in [0, 0, 1] { bits.ue(value) }
        Fixture.blocks(&bits, [(1, [0, 0, 1, 0, 0])])
        let rpu = try read(bits)
        #expect(rpu.header.sequence?.extendedMappingIDC == 228)
        #expect(rpu.header.sequence?.enhancementLayerBitDepth == 10)
        #expect(rpu.displayManagement?.signal == nil)
        #expect(rpu.displayManagement?.level1 == .init(minimumPQ: 0, maximumPQ: 1, averagePQ: 0))
    }

    /// Unknown levels, sizes that a level never has and padding that is not zero are kept as bytes.
    @Test func unknownBlocksAndBytes() throws {
        var bits = Fixture.header()
        bits.u(2, 0b11)
        bits.ue(0)
        Fixture.management(&bits)
        let odd: [(level: Int, bytes: [UInt8])] = [
            (1, [0, 0, 0, 0, 1]), (5, [1, 2, 3]), (77, []), (255, [1, 2, 3, 4, 5, 6]),
        ]
        Fixture.blocks(&bits, odd)
        Fixture.blocks(&bits, [(254, [0, 2]), (11, [1, 0x20, 0, 0]), (9, [0])])
        Fixture.align(&bits)
        for byte in [0xAB, 0xCD, 0] { bits.u(8, byte) }
        let rpu = try read(bits)
        #expect(rpu.unknownBytes == [0xAB, 0xCD, 0])
        let management = try #require(rpu.displayManagement)
        #expect(
            management.blocks.prefix(3) == [
                .other(level: 1, bytes: [0, 0, 0, 0, 1]), .other(level: 5, bytes: [1, 2, 3]),
                .other(level: 77, bytes: []),
            ])
        #expect(management.blocks.map(\.level) == [1, 5, 77, 255])
        #expect(
            management.extendedBlocks == [
                .level254(.init()), .other(level: 11, bytes: [1, 0x20, 0, 0]), .level9(.init()),
            ])
        #expect(management.level1 == nil && management.level254?.versionIndex == 2)
    }

    @Test func levelsOfContentMapping40() throws {
        var bits = Fixture.header()
        bits.u(2, 0b11)
        bits.ue(0)
        Fixture.management(&bits)
        // ms_weight is the last field of level 2: 13 bits, here -1.
        Fixture.blocks(
            &bits, [(2, [0x82, 0x18, 0x00, 0x80, 0x08, 0x00, 0x80, 0x08, 0x00, 0xFF, 0xF8]), (4, [0x81, 0xD0, 0x07])])
        let trims: [UInt8] = [1, 0x80, 0x08, 0x01, 0x80, 0x28, 0x03, 0x80, 0x48, 0x05]
        Fixture.blocks(
            &bits,
            [
                (3, [0x80, 0x18, 0x02, 0x80, 0x30]), (8, trims), (8, trims + [0x80, 0x60]),
                (8, trims + [0x80, 0x68, 0x07]), (8, trims + [0x80, 0x68, 0x07, 1, 2, 3, 4, 5, 6]),
                (8, trims + [0x80, 0x68, 0x07, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
                (10, [20, 0x82, 0x10, 0x3E, 2]), (9, [255] + (1...16)), (11, [4, 0x1F, 1, 2]), (254, [0, 2]),
            ])
        let management = try #require(try read(bits).displayManagement)
        #expect(management.level2.map(\.msWeight) == [-1] && management.level2[0].targetMaximumPQ == 2081)
        #expect(management.level4?.anchorPQ == 2077 && management.level4?.anchorPower == 7)
        #expect(management.level3?.minimumPQOffset == 2049 && management.level3?.averagePQOffset == 2051)
        let level8 = management.level8
        #expect(level8.map(\.size) == [10, 12, 13, 19, 25] && level8.allSatisfy { $0.msWeight == 2053 })
        #expect(level8.map(\.targetMidContrast) == [nil, 2054, 2054, 2054, 2054])
        #expect(level8.map(\.clipTrim) == [nil, nil, 2055, 2055, 2055])
        #expect(level8[4].saturationVector == [1, 2, 3, 4, 5, 6] && level8[4].hueVector == [7, 8, 9, 10, 11, 12])
        #expect(level8[3].hueVector == nil && level8[0].trimSlope == 2048 && level8[0].trimOffset == 2049)
        #expect(management.level10[0].targetMaximumPQ == 2081 && management.level10[0].targetMinimumPQ == 62)
        #expect(
            management.level9?.primaries?.white == [0x0D0E, 0x0F10] && management.level9?.sourcePrimaryIndex == 255)
        #expect(management.level11?.contentType == 4 && management.level11?.whitePoint == 15)
        #expect(management.level11?.referenceModeFlag == true && management.level11?.reserved3 == 2)
    }

    @Test(
        arguments: [
            (DolbyVisionRPUFixture.header(type: 3), "rpu_type 3"),
            (DolbyVisionRPUFixture.header(format: 0x712), "rpu_format 1810"),
            (DolbyVisionRPUFixture.header(coefficientType: 2), "coefficient_data_type 2"),
            (DolbyVisionRPUFixture.header(denominator: 33), "coefficient_log2_denom 33"),
            (DolbyVisionRPUFixture.header(enhancement: 9), "el_bit_depth_minus8 9"),
            (DolbyVisionRPUFixture.header(), "ends too early"),
        ]) func errorsNameTheField(bits: BitText, field: String)
    {
        var bits = bits
        bits.u(1, 0)
        let error = #expect(throws: BitstreamError.self) { try read(bits) }
        #expect(error?.message.contains(field) == true, "\(error?.message ?? "")")
    }

    @Test func damageIsNamed() throws {
        var bytes = Fixture.profile81
        #expect(throws: BitstreamError.self) { try DolbyVisionRPU(payload: [26] + bytes.dropFirst()) }
        let cut = #expect(throws: BitstreamError.self) { try DolbyVisionRPU(payload: Array(bytes.dropLast())) }
        #expect(cut?.message.contains("cut off") == true)
        bytes[40] ^= 4
        let damage = #expect(throws: BitstreamError.self) { try DolbyVisionRPU(payload: bytes) }
        #expect(damage?.message.hasPrefix("Dolby Vision RPU is damaged: its CRC is 0x") == true)
        #expect(damage?.offset == bytes.count - 5)
    }
}
