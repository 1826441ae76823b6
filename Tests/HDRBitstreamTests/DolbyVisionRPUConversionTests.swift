import TestSupport
import Testing

@testable import HDRBitstream

/// Conversions of real RPUs, against the checksums of those that dovi_tool makes of the same ones.
@Suite(Samples.areThere) struct DolbyVisionRPUConversionTests {
    private func read(_ name: String) throws -> DolbyVisionRPU {
        try DolbyVisionRPUFile.rpus(in: try Samples.bytes("rpu/\(name).bin"))[0]
    }

    /// Size as a file with one RPU, and its checksum.
    private func expect(_ rpu: DolbyVisionRPU, size: Int, checksum: UInt32) throws {
        let file = try DolbyVisionRPUFile.bytes(of: [rpu])
        let stored = file.dropLast().suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        #expect(file.count == size && stored == checksum, "\(file.count), \(String(stored, radix: 16))")
    }

    @Test func profile7BecomesProfile81() throws {
        var full = try read("fel_orig")
        full.convertToProfile81(keepsMapping: true)
        try expect(full, size: 348, checksum: 0x6210_C68D)
        var minimal = try read("mel_orig")
        minimal.convertToProfile81()
        try expect(minimal, size: 142, checksum: 0x8CF4_20D5)
        #expect(minimal.signaledProfile == 8 && minimal.enhancementLayer == nil)
    }

    @Test func enhancementLayersBecomeMinimal() throws {
        var full = try read("fel_orig")
        full.convertToMinimalLayer()
        try expect(full, size: 386, checksum: 0x6281_60A3)
        var minimal = try read("mel_orig")
        minimal.convertToMinimalLayer()
        try expect(minimal, size: 183, checksum: 0xF91F_77EE)
        var single = try read("profile8")
        single.convertToMinimalLayer()
        #expect(single.signaledProfile == 7 && single.enhancementLayer == .minimal)
        single.convertToProfile81()
        #expect(try DolbyVisionRPUFile.bytes(of: [single]) == Samples.bytes("rpu/profile8.bin"))
    }

    @Test func reshapingIsRemoved() throws {
        var rpu = try read("fel_orig")
        let residual = rpu.mapping?.residual
        rpu.removeMapping()
        let sequence = try #require(rpu.header.sequence)
        #expect(rpu.mapping?.curves == DolbyVisionRPU.Mapping.identity(sequence).curves)
        #expect(rpu.mapping?.residual == residual && residual != nil)
        #expect(try DolbyVisionRPU(nalUnit: rpu.nalUnit()) == rpu)
    }

    @Test(arguments: DolbyVisionRPU.AuthoredProfile.allCases)
    func blankRPUs(_ profile: DolbyVisionRPU.AuthoredProfile) throws {
        let rpu = DolbyVisionRPU.blank(profile)
        #expect(rpu.signaledProfile == (profile == .profile5 ? 5 : 8))
        #expect(try DolbyVisionRPU(payload: rpu.payload()) == rpu)
        #expect(rpu.displayManagement?.allBlocks.isEmpty == true)
        // A real RPU of profile 5 has the same matrices.
        let signal = try #require(try read("profile5").displayManagement?.signal)
        if profile == .profile5 {
            #expect(rpu.displayManagement?.signal?.yccToRGB == signal.yccToRGB)
            #expect(rpu.displayManagement?.signal?.rgbToLMS == signal.rgbToLMS)
        }
    }

    @Test func blocksTakeTheirPlaces() {
        var management = DolbyVisionRPU.DisplayManagement()
        func trim(_ target: UInt16, _ slope: UInt16) -> DolbyVisionRPU.Block {
            var trim = DolbyVisionRPU.Level2()
            (trim.targetMaximumPQ, trim.trimSlope) = (target, slope)
            return .level2(trim)
        }
        for block in [trim(3079, 1), .level1(.init()), trim(2081, 2), trim(3079, 3), .level11(.init())] {
            management.put(block)
        }
        #expect(management.blocks == [.level1(.init()), trim(2081, 2), trim(3079, 3)])
        #expect(management.extendedBlocks == nil)
        management.addExtendedMetadata()
        management.put(.level11(.init()))
        #expect(management.extendedBlocks == [.level11(.init()), .level254(.init())])
    }
}
