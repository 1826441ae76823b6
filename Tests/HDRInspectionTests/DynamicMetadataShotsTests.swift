import HDRBitstream
import Testing

@testable import HDRInspection

@Suite struct DynamicMetadataShotsTests {
    private func rpu(_ average: UInt16, maximum: UInt16 = 3000, cut: Bool, area: UInt16 = 0) -> DolbyVisionRPU {
        .profile81(
            level1: .init(minimumPQ: 1, maximumPQ: maximum, averagePQ: average),
            level5: .init(left: 0, right: 0, top: area, bottom: area), beginsScene: cut)
    }

    private func message(_ average: UInt32) -> HDR10PlusMetadata {
        var metadata = HDR10PlusMetadata()
        metadata.windows[0].averageMaxRGB = average
        metadata.windows[0].maxSCL = SIMD3(average * 2, average * 3, average)
        return metadata
    }

    @Test func flagsBeginShots() throws {
        var shots = DynamicMetadataShots()
        for (index, average) in ([1000, 1100, 1000, 1500, 1501] as [UInt16]).enumerated() {
            shots.add(
                rpu(average, maximum: 3000 + average / 10, cut: index == 0 || index == 3, area: index < 3 ? 0 : 42),
                nil)
        }
        #expect(shots.cuts.kind == .flag && shots.cuts.starts == [0, 3])
        let found = shots.shots
        #expect(found.map(\.pictures) == [0..<3, 3..<5])
        #expect(found[0].level1 == .init(minimumPQ: 1, maximumPQ: 3110, averagePQ: 1033))
        #expect(found[1].level1 == .init(minimumPQ: 1, maximumPQ: 3150, averagePQ: 1501))
        #expect(found[1].blocks == [.level5(.init(left: 0, right: 0, top: 42, bottom: 42))])
        #expect(found[0].hdr10Plus == nil && found[0].maxSCL == nil)
    }

    /// Phones set the flag in each picture, and level 1 may stay or change with each of them.
    @Test func flagsOfPhones() {
        var still = DynamicMetadataShots()
        for average in [1000, 1000, 1000, 1400, 1400, 1400] as [UInt16] { still.add(rpu(average, cut: true), nil) }
        #expect(still.cuts.kind == .runs && still.cuts.starts == [0, 3])
        var moving = DynamicMetadataShots()
        for average in [1000, 1010, 1021, 1030, 1400, 1410, 1405] as [UInt16] {
            moving.add(rpu(average, cut: true), nil)
        }
        #expect(moving.cuts.kind == .jumps && moving.cuts.starts == [0, 4])
    }

    @Test func messagesOfHDR10Plus() throws {
        var shots = DynamicMetadataShots()
        for average in [100, 100, 100, 900, 900, 900] as [UInt32] { shots.add(nil, message(average)) }
        #expect(shots.cuts.kind == .runs && shots.cuts.starts == [0, 3] && shots.hdr10PlusCount == 6)
        let last = try #require(shots.shots.last)
        #expect(last.maxSCL == 2700 && last.averageMaxRGB == 900 && last.hdr10Plus == message(900))
        #expect(last.level1 == nil && last.blocks.isEmpty)
        // A dark and a bright half of pictures that all differ: 1 and 100 cd/m² are codes of 614 and 2081.
        var changing = DynamicMetadataShots()
        for average in [10, 11, 12, 1000, 1001, 1002] as [UInt32] { changing.add(nil, message(average)) }
        #expect(changing.cuts.kind == .jumps && changing.cuts.starts == [0, 3])
    }

    @Test func picturesWithoutMetadata() {
        var shots = DynamicMetadataShots()
        #expect(shots.shots.isEmpty)
        for _ in 0..<3 { shots.add(nil, nil) }
        #expect(shots.shots.count == 1 && shots.dolbyVisionCount == 0)
        shots.add(rpu(2000, cut: true), message(5))
        #expect(shots.shots.map(\.pictures) == [0..<3, 3..<4])
    }

    @Test func wordsOfLevels() {
        var trim = DolbyVisionRPU.Level2()
        #expect(DolbyVisionRPU.Block.level2(trim).text == "100 cd/m²: neutral")
        (trim.trimSlope, trim.msWeight) = (2013, -1)
        #expect(DolbyVisionRPU.Block.level2(trim).text == "100 cd/m²: slope 2013, detail -1")
        #expect(DolbyVisionRPU.Block.level9(.init()).text == "primaries P3-D65")
        #expect(DolbyVisionRPU.Block.other(level: 16, bytes: [1, 2]).text == "2 bytes")
        #expect(DolbyVisionLight.code(100) == 2081 && Int(DolbyVisionLight.candelas(3079).rounded()) == 1001)
        #expect(DolbyVisionLight.code(-1) == 0 && DolbyVisionLight.code(20000) == 4095)
    }

    @Test func summaries() throws {
        var summary = DolbyVisionSummary()
        summary.add(rpu(1000, cut: true))
        summary.add(rpu(1200, maximum: 2900, cut: false, area: 20))
        #expect(summary.count == 2 && summary.profiles == ["8"] && summary.sceneCount == 1)
        #expect(summary.largest == .init(minimumPQ: 1, maximumPQ: 3000, averagePQ: 1200))
        #expect(summary.areas.count == 2 && summary.levels == [1: 2, 5: 2] && summary.reshapedCount == 0)
    }
}
