import Testing

@testable import HDRExport
@testable import HDRMetadata

@Suite struct MetadataTextTests {
    @Test func capsStringsReadAndWrite() throws {
        #expect(try MasteringDisplay(text: MetadataTextFixture.display) == .p3Studio)
        #expect(MasteringDisplay.p3Studio.text == MetadataTextFixture.display)
        #expect(try LightLevelSetting(text: "1000:400") == .fixed(ContentLightLevel(maximum: 1000, frameAverage: 400)))
        #expect(try LightLevelSetting(text: "auto") == .measured)
        #expect(try LightLevelSetting(text: "1000:400").text == "1000:400")
    }

    @Test(arguments: [
        ("", "1 numbers"), ("1:2:3", "3 numbers"), (MetadataTextFixture.display + ":1", "11 numbers"),
        ("34000:16000:13250:34500:7500:3000:15635:16450:10000000:x", "whole numbers"),
        ("34000:16000:13250:34500:7500:3000:15635:16450:4294967296:50", "whole numbers"),
        ("34000:16000:13250:34500:7500:3000:15635:50001:10000000:50", "chromaticity"),
        // Green first, as HEVC has it.
        ("13250:34500:7500:3000:34000:16000:15635:16450:10000000:50", "order"),
        // Largest and smallest swapped; units of 1 cd/m2; 20000 cd/m2.
        ("34000:16000:13250:34500:7500:3000:15635:16450:50:10000000", "not below"),
        ("34000:16000:13250:34500:7500:3000:15635:16450:0:0", "peak is 0"),
        ("34000:16000:13250:34500:7500:3000:15635:16450:200000000:50", "over 10000"),
    ]) func malformedDisplays(_ text: String, _ reason: String) {
        let error = exportError { _ = try MasteringDisplay(text: text) }
        #expect(error?.rule == "mastering-display-malformed")
        #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
    }

    @Test(arguments: ["", "1000", "1000:400:1", "400:1000", "0:0", "65536:1", "-1:0", "1000:x", "Auto", "20000:1"])
    func malformedLevels(_ text: String) {
        #expect(exportError { _ = try LightLevelSetting(text: text) }?.rule == "content-light-level-malformed")
    }
}
