import Foundation
import TestSupport
import Testing

@testable import HDRBitstream

/// Real RPUs. The numbers are those that FFmpeg's reader prints for them.
@Suite(Samples.areThere) struct DolbyVisionRPUSampleTests {
    /// Each file is written byte for byte as it is read, in each form.
    @Test func everyFileStays() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Samples.path("rpu"))
        #expect(names.count >= 10)
        for name in names.sorted() where name.hasSuffix(".bin") {
            let file = try Samples.bytes("rpu/\(name)")
            let rpus = try DolbyVisionRPUFile.rpus(in: file)
            #expect(try DolbyVisionRPUFile.bytes(of: rpus) == file, "\(name)")
            for rpu in rpus {
                let unit = try rpu.nalUnit()
                #expect(try DolbyVisionRPU(nalUnit: unit) == rpu && DolbyVisionRPU(nalUnit: unit).nalUnit() == unit)
                #expect(try DolbyVisionRPU(payload: rpu.payload()) == rpu)
                var message = try DolbyVisionRPU(t35: rpu.t35Message())
                message.trailingBytes = rpu.trailingBytes
                #expect(message == rpu)
                #expect(rpu.unknownBytes.isEmpty)
            }
        }
    }

    @Test(
        arguments: [
            ("profile5", "5", [1, 2, 4, 5, 6], []), ("profile8", "8.1", [1, 2, 4, 5, 6], []),
            ("profile84", "8.1", [1, 2, 4, 5, 6], []), ("mel_orig", "7 MEL", [1, 4, 6], []),
            ("fel_orig", "7 FEL", [1, 2, 4, 5, 6], []), ("eof_rpu", "7 FEL", [1, 2, 4, 5, 6], []),
            ("trailing_bytes_rpu", "7 FEL", [1, 2, 4, 5, 6], []),
            ("data_before_crc32", "7 FEL", [1, 2, 2, 2, 4, 5, 6], [3, 9, 254]),
            ("cmv40_full_rpu", "8.1", [1, 2, 4, 5, 6], [3, 8, 9, 10, 11, 254]),
            ("unordered_l8_blocks", "8.1", [1, 4], [3, 8, 8, 9, 10, 10, 11, 254]),
        ] as [(String, String, [UInt8], [UInt8])])
    func profilesAndLevels(name: String, profile: String, levels: [UInt8], extended: [UInt8]) throws {
        let rpu = try Self.rpu(name)
        #expect(rpu.profileName(transfer: 16) == profile)
        #expect(rpu.displayManagement?.blocks.map(\.level) == levels)
        #expect((rpu.displayManagement?.extendedBlocks ?? []).map(\.level) == extended)
        let blocks = (rpu.displayManagement?.blocks ?? []) + (rpu.displayManagement?.extendedBlocks ?? [])
        #expect(blocks.allSatisfy { if case .other = $0 { false } else { true } })
    }

    @Test func fullEnhancementLayer() throws {
        let rpu = try Self.rpu("fel_orig")
        let mapping = try #require(rpu.mapping)
        #expect(mapping.curves[0].pivots == [0, 128, 256, 384, 512, 640, 768, 896, 1023])
        #expect(mapping.curves[0].pieces == Array(repeating: .polynomial([0, 8_388_608]), count: 8))
        guard case .mmr(let constant, let coefficients) = mapping.curves[1].pieces[0] else {
            Issue.record("no regression")
            return
        }
        #expect(constant == 448_998)
        #expect(coefficients[0] == [-1_262_056, 8_122_466, -1_703_266, 1_622_123, 808_554, -829_469, -13_459])
        #expect(coefficients[2][6] == 2_545_494)
        let component = try #require(mapping.residual?.components[2])
        #expect(component.offset == 512 && component.inputMaximum == 1_048_576)
        #expect(component.deadZoneSlope == 2048 && component.deadZoneThreshold == 0)
        #expect(mapping.residual?.pivots == [0, 1023])
        #expect(rpu.displayManagement?.sceneRefreshFlag == 0 && rpu.displayManagement?.signal?.sourceMinimumPQ == 7)
    }

    /// Profile 7 without its enhancement layer; the curves that were fitted with a full one go.
    @Test(arguments: [("mel_orig", true), ("fel_orig", false)]) func toProfile81(name: String, keeps: Bool) throws {
        let source = try Self.rpu(name)
        var rpu = source
        rpu.convertToProfile81()
        #expect(rpu.profileName(transfer: 16) == "8.1" && rpu.mapping?.residual == nil)
        #expect((rpu.mapping?.curves == source.mapping?.curves) == keeps)
        #expect(rpu.displayManagement == source.displayManagement)
        #expect(try DolbyVisionRPU(nalUnit: rpu.nalUnit()) == rpu)
        rpu = source
        rpu.convertToProfile81(keepsMapping: true)
        #expect(rpu.mapping?.curves == source.mapping?.curves && rpu.signaledProfile == 8)
    }

    /// A phone's RPUs: one in each access unit, and reshaped as RPUs are that this module authors.
    @Test func aPhonesRecording() throws {
        let movie = try BitstreamMovie("iphone-dolby-vision-8.4-hlg.mov", record: "hvcC")
        let framing = try HEVCConfigurationRecord(movie.configuration).framing
        let units = try movie.accessUnits.map { unit in
            try #require(try BitstreamFixture.units(unit, framing).first { $0[0] >> 1 == 62 })
        }
        let rpus = try units.map { try DolbyVisionRPU(nalUnit: $0) }
        #expect(try rpus.map { try $0.nalUnit() } == units && rpus.count == 5)
        let first = try #require(rpus.first)
        #expect(first.profileName(transfer: 18) == "8.4" && first.header == DolbyVisionRPU.Header())
        #expect(first.mapping == .hlg)
        let management = try #require(first.displayManagement)
        #expect(management.blocks.map(\.level) == [1, 4])
        #expect(management.extendedBlocks?.map(\.level) == [3, 8, 8, 9, 10, 10, 11, 254])
        #expect(management.level1 == .init(minimumPQ: 0, maximumPQ: 3044, averagePQ: 2077))
        #expect(management.level3 == .init() && management.level4?.anchorPQ == 2077)
        #expect(management.level8.map(\.targetDisplayIndex) == [255, 20] && management.level11?.contentType == 4)
        let authored = DolbyVisionRPU.profile84(
            level1: .init(minimumPQ: 0, maximumPQ: 3044, averagePQ: 2077), beginsScene: true)
        #expect(management.signal == authored.displayManagement?.signal && management.sceneRefreshFlag == 1)
    }

    /// All RPUs of a Matroska file, found by what begins them: a length of four bytes, the NAL unit's header and the
    /// first bytes of the RPU.
    @Test func aFileOfProfile81() throws {
        let file = try Samples.bytes("dolby-vision-8.1-hdr10.mkv")
        let start: [UInt8] = [0x7C, 1, 25, 8, 9]
        var rpus: [DolbyVisionRPU] = []
        for at in file.indices.dropFirst(4) where file[at] == start[0] && file[at...].starts(with: start) {
            let size = file[(at - 4)..<at].reduce(0) { $0 << 8 | Int($1) }
            let unit = Array(file[at..<min(at + size, file.count)])
            let rpu = try DolbyVisionRPU(nalUnit: unit)
            #expect(try rpu.nalUnit() == unit)
            rpus.append(rpu)
        }
        #expect(rpus.count == 259 && rpus.allSatisfy { $0.profileName(transfer: 16) == "8.1" })
        let first = try #require(rpus.first)
        #expect(first.mapping == .identity(DolbyVisionRPU.SequenceInfo()))
        #expect(first.displayManagement?.sceneRefreshFlag == 1)
        #expect(first.displayManagement?.signal?.sourceMinimumPQ == 7)
        #expect(first.displayManagement?.signal?.sourceMaximumPQ == 3079)
        #expect(first.displayManagement?.level6?.maximumContentLightLevel == 3948)
        #expect(try #require(first.displayManagement?.level6).sourceRange == (7, 3079))
    }

    private static func rpu(_ name: String) throws -> DolbyVisionRPU {
        try #require(try DolbyVisionRPUFile.rpus(in: Samples.bytes("rpu/\(name).bin")).first)
    }
}
