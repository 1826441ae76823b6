import HDRMetadata
import Testing

@Suite struct MetadataCapsTextTests {
    static let text = "34000:16000:13250:34500:7500:3000:15635:16450:10000000:50"

    @Test func capsAreRedGreenBlue() throws {
        #expect(try MasteringDisplay(capsText: Self.text) == BitstreamFixture.display)
        #expect(BitstreamFixture.display.capsText == Self.text)
        #expect(try ContentLightLevel(capsText: "1000:400") == BitstreamFixture.level)
        #expect(BitstreamFixture.level.capsText == "1000:400")
    }

    @Test func theWholeRangeIsTaken() throws {
        let text = "65535:0:65535:0:65535:0:65535:0:4294967295:0"
        #expect(try MasteringDisplay(capsText: text).capsText == text)
        #expect(try ContentLightLevel(capsText: "65535:0").capsText == "65535:0")
    }

    @Test(arguments: [
        ("", "only 1 of 10"), ("1:2:3", "only 3 of 10"), (text + ":1", "more of 10"),
        ("34000:16000:x:34500:7500:3000:15635:16450:10000000:50", "number 3 (Gx) is 'x'"),
        ("34000:16000:13250:34500:7500:3000:15635:65536:10000000:50", "number 8 (Wy) is '65536'"),
        ("34000:16000:13250:34500:7500:3000:15635:16450:4294967296:50", "from 0 to 4294967295"),
        ("34000:16000:13250:34500:7500:3000:15635:16450:10000000:-1", "number 10 (min) is '-1'"),
        ("34000:16000:13250:34500:7500:3000:15635:16450:10000000:+1", "number 10 (min) is '+1'"),
        ("34000:16000:13250:34500:7500:3000:15635:16450:1000.5:1", "number 9 (max) is '1000.5'"),
        ("34000: 16000:13250:34500:7500:3000:15635:16450:1000:1", "number 2 (Ry)"),
        (":16000:13250:34500:7500:3000:15635:16450:1000:1", "number 1 (Rx) is ''"),
    ]) func errorsNameTheNumber(text: String, says: String) {
        let error = #expect(throws: CapsTextError.self) { try MasteringDisplay(capsText: text) }
        #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: ["", "1000", "1000:400:1", "1000:70000", "1e3:400"]) func badLightLevels(text: String) {
        let error = #expect(throws: CapsTextError.self) { try ContentLightLevel(capsText: text) }
        #expect(error?.description.contains("content-light-level") == true)
    }
}
