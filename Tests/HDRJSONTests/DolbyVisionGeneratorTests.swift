import Foundation
import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRJSON

/// RPUs made of dovi_tool's JSON.
@Suite struct DolbyVisionGeneratorTests {
    private static let light = """
        "level6": {"max_display_mastering_luminance": 1000, "min_display_mastering_luminance": 1,
          "max_content_light_level": 1000, "max_frame_average_light_level": 400}
        """

    private func made(_ text: String) throws -> [DolbyVisionRPU] {
        var rpus: [DolbyVisionRPU] = []
        try DolbyVisionGenerator(Array(text.utf8)).generate { rpu, count in
            rpus += Array(repeating: rpu, count: count)
        }
        return rpus
    }

    @Test func defaults() throws {
        let rpus = try made("{\"length\": 10, \(Self.light)}")
        #expect(rpus.count == 10 && Set(rpus.dropFirst().map { "\($0)" }).count == 1)
        #expect(rpus.map { $0.displayManagement?.sceneRefreshFlag } == [1] + Array(repeating: 0, count: 9))
        let management = try #require(rpus[0].displayManagement)
        #expect(management.blocks.map(\.level) == [5, 6])
        #expect(management.extendedBlocks?.map(\.level) == [9, 11, 254])
        #expect(management.level11?.contentType == 1 && management.level11?.referenceModeFlag == true)
        #expect(management.signal?.sourceMinimumPQ == 7 && management.signal?.sourceMaximumPQ == 3079)
        let old = try made("{\"cm_version\": \"V29\", \"length\": 1, \(Self.light)}")
        #expect(old[0].displayManagement?.extendedBlocks == nil)
        #expect(try made(#"{"profile": "8.4", "length": 2, "long_play_mode": true}"#).map(\.mapping) == [.hlg, .hlg])
        #expect(try made(#"{"profile": "Profile5", "length": 1}"#)[0].signaledProfile == 5)
    }

    @Test func shotsAndTheirPictures() throws {
        let text = """
            {\(Self.light), "source_max_pq": 3388, "default_metadata_blocks": [
               {"Level2": {"target_max_pq": 3079}}, {"Level9": {"length": 1, "source_primary_index": 2}},
               {"Level5": {"active_area_left_offset": 1, "active_area_right_offset": 1, "active_area_top_offset": 1,
                 "active_area_bottom_offset": 1}}],
             "shots": [
               {"start": 10, "duration": 2, "metadata_blocks": [
                 {"Level1": {"min_pq": 40, "max_pq": 100, "avg_pq": 5}}]},
               {"id": "first", "start": 0, "duration": 10, "metadata_blocks": [
                 {"Level1": {"min_pq": 2, "max_pq": 2938, "avg_pq": 1456}},
                 {"Level2": {"target_max_pq": 2851, "trim_power": 1800}}],
                "frame_edits": [{"edit_offset": 5, "metadata_blocks": [
                  {"Level1": {"min_pq": 0, "max_pq": 3079, "avg_pq": 1300}}]},
                  {"edit_offset": 99, "metadata_blocks": []}]}]}
            """
        let rpus = try made(text).compactMap(\.displayManagement)
        #expect(rpus.count == 12)
        #expect(rpus.indices.filter { rpus[$0].sceneRefreshFlag == 1 } == [0, 10])
        #expect(rpus[4].level1 == .init(minimumPQ: 2, maximumPQ: 2938, averagePQ: 1456) && rpus[4] == rpus[6])
        #expect(rpus[5].level1 == .init(minimumPQ: 0, maximumPQ: 3079, averagePQ: 1300))
        #expect(rpus[5].level2.map(\.targetMaximumPQ) == [2851, 3079] && rpus[5].level2[0].trimPower == 1800)
        // Light is limited to what content mapping 4.0 accepts.
        #expect(rpus[11].level1 == .init(minimumPQ: 12, maximumPQ: 2081, averagePQ: 1229))
        #expect(rpus[0].level9?.sourcePrimaryIndex == 2 && rpus[0].level5 == .init())
        #expect(rpus[0].signal?.sourceMaximumPQ == 3388)
    }

    @Test func lightOfHDR10Plus() throws {
        var frames: [HDR10PlusMetadata] = []
        for average in [100, 100, 5000] as [UInt32] {
            var frame = HDR10PlusMetadata()
            frame.windows[0].averageMaxRGB = average
            frame.windows[0].maxSCL = SIMD3(average * 3, average * 4, average * 2)
            frame.windows[0].distributionMaxRGB = [
                .init(percentage: 1, percentile: 1), .init(percentage: 5, percentile: average * 5),
                .init(percentage: 99, percentile: average * 2),
            ]
            frames.append(frame)
        }
        let document = HDR10PlusDocument(frames: frames, tool: "", toolVersion: "")
        for (peak, light) in [
            (DolbyVisionGenerator.PeakSource.histogram, 2500.0), (.histogram99, 1000), (.maxSCL, 2000),
            (.maxSCLLuminance, 1809.2),
        ] {
            var generator = DolbyVisionGenerator()
            generator.level6 = .init()
            generator.take(document, peak: peak)
            #expect(generator.shots.map(\.duration) == [2, 1] && generator.count == 3)
            var last: DolbyVisionRPU?
            try generator.generate { rpu, _ in last = rpu }
            let level = try #require(last?.displayManagement?.level1)
            // Whole cd/m², in codes of PQ.
            let code =
                4095
                * pow(
                    (0.8359375 + 18.8515625 * pow(light.rounded() / 10000, 0.1593017578125))
                        / (1 + 18.6875 * pow(light.rounded() / 10000, 0.1593017578125)), 78.84375)
            #expect(level.maximumPQ == UInt16(code.rounded()), "\(peak)")
        }
    }

    @Test(
        arguments: [
            ("{}", "there is no level6 in the JSON, which profile 8.1 needs"),
            (#"{"profile": "8.2"}"#, "profile in the JSON is \"8.2\": there are 5, 8.1 and 8.4"),
            (#"{"cm_version": "V41"}"#, "cm_version in the JSON is \"V41\": there are V29 and V40"),
            (
                "{\(light), \"length\": 3, \"shots\": [{\"start\": 0, \"duration\": 2}]}",
                "length in the JSON is 3, and the shots have 2 pictures"
            ),
            (
                "{\(light), \"default_metadata_blocks\": [{\"Level7\": {}}]}",
                "default_metadata_blocks[0] in the JSON has Level7"
            ),
            (
                "{\(light), \"default_metadata_blocks\": [{\"Level1\": {\"min_pq\": 1, \"max_pq\": 5}}]}",
                "there is no default_metadata_blocks[0].Level1.avg_pq in the JSON"
            ),
            ("{\(light), \"lenght\": 1}", "nothing is called lenght in the JSON"),
        ]) func whatIsWrongIsNamed(_ text: String, _ message: String) throws
    {
        let error = #expect(throws: JSONError.self) { try DolbyVisionGenerator(Array(text.utf8)) }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    /// An exported level is the same when it is read again.
    @Test(Samples.areThere) func blocksThereAndBack() throws {
        var count = 0
        for name in ["cmv40_full_rpu", "profile84", "fel_orig", "unordered_l8_blocks", "mel_orig"] {
            let management = try #require(try DolbyVisionJSONTests.rpu(name).displayManagement)
            for block in management.allBlocks {
                if case .other = block { continue }
                #expect(try DolbyVisionRPU.Block(block.json, "block") == block)
                count += 1
            }
        }
        #expect(count > 30)
    }

    /// Damaged documents cause errors, never a trap, in edits as well as in what RPUs are made of. `HDR_FUZZ` sets how
    /// many there are.
    @Test func damagedDocuments() throws {
        let seeds = [
            """
            {\(Self.light), "length": 4, "default_metadata_blocks": [{"Level8": {"length": 25, "clip_trim": 2011}},
             {"Level10": {"length": 21, "target_max_pq": 4095}}], "shots": [{"start": 0, "duration": 4,
             "frame_edits": [{"edit_offset": 1, "metadata_blocks": [{"Level1": {"min_pq": 0, "max_pq": 9,
             "avg_pq": 4}}]}]}]}
            """,
            """
            {"mode": 2, "min_pq": 7, "active_area": {"crop": true, "presets": [{"id": 0, "left": 0, "right": 8191,
             "top": 1, "bottom": 2}], "edits": {"all": 0, "0-39": 0}}, "remove": ["0-3"], "duplicate": [{"source": 0,
             "offset": 39, "length": 10}], "scene_cuts": {"all": true}, "level9": "ACES", "level255": {}}
            """,
        ].map { Array($0.utf8) }
        var random = SeededGenerator(seed: 254)
        let signs = Array("{}[]\",:0123456789-eLmt".utf8)
        var accepted = 0
        for round in 0..<TestWork.inputs(release: 20_000, debug: 5_000) {
            var bytes = seeds[round % 2]
            for _ in 0...random.below(3) { bytes[random.below(bytes.count)] = signs[random.below(signs.count)] }
            if let generator = try? DolbyVisionGenerator(bytes) {
                accepted += 1
                var total = 0
                try generator.generate { (rpu, count) throws(BitstreamError) in
                    total += count
                    if total < 8 { _ = try rpu.escaped() }
                }
            }
            if let edits = try? DolbyVisionEdits(bytes) {
                accepted += 1
                var rpu = DolbyVisionRPU.blank(.profile81)
                try? edits.edit(&rpu, at: 5, from: .blank(.profile84))
                _ = try rpu.escaped()
                _ = try? edits.frames.applied(to: Array(0..<64))
            }
        }
        #expect(accepted > 0)
    }
}
