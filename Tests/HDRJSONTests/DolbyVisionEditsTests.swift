import TestSupport
import Testing

@testable import HDRBitstream
@testable import HDRJSON

/// Edits of RPUs in dovi_tool's JSON.
@Suite struct DolbyVisionEditsTests {
    private func edits(_ text: String) throws -> DolbyVisionEdits { try DolbyVisionEdits(Array(text.utf8)) }

    private func rpu(extended: Bool = true) -> DolbyVisionRPU {
        var rpu = DolbyVisionRPU.profile81(
            level1: .init(minimumPQ: 0, maximumPQ: 3000, averagePQ: 1500), beginsScene: false)
        if extended { rpu.displayManagement?.addExtendedMetadata() }
        return rpu
    }

    private func edited(_ text: String, at index: Int = 0, extended: Bool = true) throws -> DolbyVisionRPU {
        var rpu = rpu(extended: extended)
        try edits(text).edit(&rpu, at: index)
        return rpu
    }

    @Test func levels() throws {
        let rpu = try edited(
            """
            {"level6": {"max_display_mastering_luminance": 4000, "min_display_mastering_luminance": 50,
               "max_content_light_level": 900, "max_frame_average_light_level": 80}, "level9": "BT.2020",
             "level11": {"content_type": 1, "whitepoint": 0, "reference_mode_flag": true},
             "level255": {"dm_run_mode": 3}, "min_pq": 7}
            """)
        let management = try #require(rpu.displayManagement)
        #expect(management.level6?.maximumContentLightLevel == 900 && management.level9?.sourcePrimaryIndex == 2)
        #expect(management.level11?.referenceModeFlag == true && management.level11?.contentType == 1)
        #expect(management.blocks.contains { if case .level255(let level) = $0 { level.runMode == 3 } else { false } })
        // Values that are not given stay, since they are not zero.
        #expect(management.signal?.sourceMinimumPQ == 7 && management.signal?.sourceMaximumPQ == 3079)
        // Levels of content mapping 4.0 need it.
        let plain = try edited(#"{"level9": "DCIP3D65", "remove_cmv4": false}"#, extended: false)
        #expect(plain.displayManagement?.extendedBlocks == nil)
        #expect(try edited(#"{"remove_cmv4": true}"#).displayManagement?.extendedBlocks == nil)
    }

    @Test func activeAreas() throws {
        let text = """
            {"active_area": {"presets": [{"id": 0, "left": 0, "right": 0, "top": 210, "bottom": 210},
                                         {"id": 7, "left": 8, "right": 8, "top": 0, "bottom": 0}],
                             "edits": {"0-9": 0, "All": 7, "5-6": 7}}}
            """
        let bars = DolbyVisionRPU.Level5(left: 0, right: 0, top: 210, bottom: 210)
        let pillars = DolbyVisionRPU.Level5(left: 8, right: 8, top: 0, bottom: 0)
        for (index, area) in [(0, bars), (4, bars), (5, pillars), (7, bars), (10, pillars)] {
            #expect(try edited(text, at: index).displayManagement?.level5 == area, "\(index)")
        }
        #expect(try edited(#"{"active_area": {"crop": true}}"#).displayManagement?.level5 == .init())
        let dropped = try edited(#"{"active_area": {"crop": true, "drop_l5": "zeroes"}}"#)
        #expect(dropped.displayManagement?.level5 == nil)
    }

    @Test func sceneCutsAndFrames() throws {
        let text = #"{"scene_cuts": {"all": true, "1-2": false}, "remove": ["3"]}"#
        #expect(try edited(text, at: 0).displayManagement?.sceneRefreshFlag == 1)
        #expect(try edited(text, at: 2).displayManagement?.sceneRefreshFlag == 0)
        #expect(try edits(text).frames.remaining(of: 5) == [0, 1, 2, 4])
        #expect(throws: JSONError("scene_cuts has picture 2, and there are 2, from 0 on")) {
            try edits(text).check(count: 2)
        }
    }

    @Test func modes() throws {
        #expect(try edited(#"{"mode": 1}"#).enhancementLayer == .minimal)
        #expect(try edited(#"{"mode": 2}"#) == rpu())
        #expect(try edited(#"{"mode": 4}"#).mapping == .hlg)
        #expect(try edited(#"{"mode": 4, "remove_mapping": true}"#).mapping == .identity(.init()))
        var five = DolbyVisionRPU.blank(.profile5)
        let error = BitstreamError("mode 5 is for RPUs of profile 7, 8, and this is one of 5")
        #expect(throws: error) { try edits(#"{"mode": 5}"#).edit(&five, at: 0) }
        try edits(#"{"mode": 3}"#).edit(&five, at: 0)
        #expect(five == .blank(.profile81))
    }

    /// dovi_tool's own test has the checksum of the result.
    @Test(Samples.areThere) func levelsOfAnotherFile() throws {
        var rpu = try DolbyVisionJSONTests.rpu("fel_orig")
        let other = try DolbyVisionJSONTests.rpu("cmv40_full_rpu")
        try edits(#"{"source_rpu": "a.bin", "rpu_levels": [1, 4, 6]}"#).edit(&rpu, at: 0, from: other)
        let file = try DolbyVisionRPUFile.bytes(of: [rpu])
        #expect(file.count == 385 && file.suffix(5) == [0x67, 0x73, 0x9E, 0xD7, 0x80])
        #expect(rpu.displayManagement?.extendedBlocks == nil)
        try edits(#"{"source_rpu": "a.bin", "rpu_levels": [8, 9], "allow_cmv4_transfer": true}"#).edit(
            &rpu, at: 0, from: other)
        #expect(rpu.displayManagement?.level8.count == 1 && rpu.displayManagement?.level254 == .init())
    }

    @Test(
        arguments: [
            (#"{"mod": 2}"#, "nothing is called mod in the JSON: there are mode, remove_cmv4"),
            (#"{"mode": 6}"#, "mode in the JSON is 6, and should be a whole number from 0 to 5"),
            (#"{"max_pq": 4096}"#, "max_pq in the JSON is 4096, and should be a whole number from 0 to 4095"),
            (#"{"level9": "BT.2021"}"#, "level9 in the JSON is \"BT.2021\": there are DCI-P3 D65, BT.709, BT.2020"),
            (#"{"level6": {}}"#, "there is no level6.max_display_mastering_luminance in the JSON"),
            (
                #"{"active_area": {"edits": {"all": 1}}}"#,
                "active_area.edits.all in the JSON is 1, and no preset has that id"
            ),
            (#"{"active_area": {"drop_l5": "some"}}"#, "active_area.drop_l5 in the JSON is \"some\""),
            (#"{"scene_cuts": {"5-1": true}}"#, "scene_cuts.5-1 in the JSON is \"5-1\""),
            (#"{"source_rpu": "a.bin"}"#, "source_rpu and rpu_levels in the JSON go together"),
            (
                #"{"source_rpu": "a.bin", "rpu_levels": [1, 2, 99]}"#,
                "rpu_levels[2] in the JSON is 99, and there is no such level: there are 1, 2, 3, 4, 5, 6, 8, 9, 10, 11"
            ),
            (#"{"source_rpu": "a.bin", "rpu_levels": [7]}"#, "rpu_levels[0] in the JSON is 7, and there is no such"),
            (#"{"remove_mapping": 1}"#, "remove_mapping in the JSON is neither true nor false"),
        ]) func whatIsWrongIsNamed(_ text: String, _ message: String) throws
    {
        let error = #expect(throws: JSONError.self) { try edits(text) }
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }
}
