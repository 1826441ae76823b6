import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRJSON

/// RPUs in dovi_tool's JSON.
@Suite struct DolbyVisionJSONTests {
    static func rpu(_ name: String) throws -> DolbyVisionRPU {
        try DolbyVisionRPUFile.rpus(in: try Samples.bytes("rpu/\(name).bin"))[0]
    }

    /// The numbers are those that dovi_tool's own tests expect of the file.
    @Test(Samples.areThere) func fieldsOfAnEnhancementLayer() throws {
        let json = try Self.rpu("fel_orig").json()
        #expect(json["dovi_profile"]?.integer == 7 && json["el_type"]?.string == "FEL")
        #expect(json["header"]?["coefficient_log2_denom"]?.integer == 23)
        #expect(json["header"]?["vdr_bit_depth_minus8"]?.integer == 4)
        let mapping = try #require(json["rpu_data_mapping"])
        let curves = try #require(mapping["curves"]?.array)
        #expect(curves.map { $0["mapping_idc"]?.string } == ["Polynomial", "MMR", "MMR"])
        #expect(curves[1]["mmr_constant"]?.array?.first?.integer == 448_998)
        #expect(mapping["nlq"]?["nlq_offset"]?.array?.map(\.integer) == [512, 512, 512])
        #expect(mapping["nlq_pred_pivot_value"]?.array?.map(\.integer) == [0, 1023])
        let management = try #require(json["vdr_dm_data"])
        #expect(management["source_min_pq"]?.integer == 7 && management["source_max_pq"]?.integer == 3079)
        let blocks = try #require(management["cmv29_metadata"]?["ext_metadata_blocks"]?.array)
        #expect(blocks.first?["Level1"]?["max_pq"]?.integer == 2873)
        #expect(management["cmv29_metadata"]?["num_ext_blocks"]?.integer == blocks.count)
        #expect(management["cmv40_metadata"] == nil)
    }

    /// Pivots are differences, and a coefficient is a whole number and a fraction.
    @Test func numbersOfCurves() throws {
        let curves = try #require(
            DolbyVisionRPU.profile84(level1: .init(minimumPQ: 0, maximumPQ: 3000, averagePQ: 1500), beginsScene: true)
                .json()["rpu_data_mapping"]?["curves"]?.array)
        #expect(curves[0]["pivots"]?.array?.map(\.integer) == [63, 69, 230, 256, 256, 37, 16, 8, 7])
        #expect(curves[0]["poly_coef_int"]?.array?.first?.array?.map(\.integer) == [-1, 1, -3])
        let fractions = [8_388_608 - 409_680, 16_721_463 - 8_388_608, 3 * 8_388_608 - 20_276_640]
        #expect(curves[0]["poly_coef"]?.array?.first?.array?.map(\.integer) == fractions)
        #expect(curves[1]["mmr_order_minus1"]?.array?.map(\.integer) == [2])
    }

    @Test(Samples.areThere) func blocksOfContentMapping4() throws {
        let json = try Self.rpu("cmv40_full_rpu").json()
        let blocks = try #require(json["vdr_dm_data"]?["cmv40_metadata"]?["ext_metadata_blocks"]?.array)
        let levels = Set(
            blocks.compactMap { block -> String? in
                if case .object(let members) = block { members.first?.0 } else { nil }
            })
        #expect(levels == ["Level3", "Level8", "Level9", "Level10", "Level11", "Level254"])
        #expect(blocks.compactMap { $0["Level11"]?["reference_mode_flag"] } == [.bool(true)])
        // The output is JSON, and the checksum is that of the file.
        let bytes = try Samples.bytes("rpu/cmv40_full_rpu.bin")
        let stored = bytes.dropLast().suffix(4).reduce(0) { $0 << 8 | Int($1) }
        #expect(json["rpu_data_crc32"]?.integer == stored)
        #expect(try JSON(Array(json.line.utf8)) == json)
    }
}
