import HDRMetadata
import Testing

@testable import GstHDRX265

@Suite struct X265OptionsTests {
    private func options(_ text: String) -> [String] {
        X265Options.parse(text).map { option in option.name + (option.value.map { "=\($0)" } ?? "") }
    }

    @Test func optionsAreSplit() {
        #expect(options("") == [])
        #expect(options("crf=20") == ["crf=20"])
        #expect(options("crf=20:no-sao: --hdr10-opt = 1 ::") == ["crf=20", "no-sao", "hdr10-opt=1"])
        #expect(options("deblock=-1:-2:crf=20") == ["deblock=-1:-2", "crf=20"])
        #expect(options("sar=4:3:aud") == ["sar=4:3", "aud"])
        #expect(options("=3:7") == ["=3:7"])
        #expect(options("a=b=c") == ["a=b=c"])
        #expect(options("no_sao:master_display=1_2") == ["no-sao", "master-display=1_2"])
    }

    /// Values of options that libx265 takes without looking at them.
    static let values: [(String, String, Bool)] = [
        ("zones", "0,5,q=10", true), ("zones", "0,5,b=0.5/6,9,q=0", true), ("zones", "7,7,b=2", true),
        ("zones", "", false), ("zones", "foo", false), ("zones", "0,5", false), ("zones", "5,0,q=10", false),
        ("zones", "0,5,q=70", false), ("zones", "0,5,b=0", false), ("zones", "0,5,b=nan", false),
        ("zones", "0,5,q=10/", false), ("zones", "-1,5,q=10", false), ("zones", "0,99999999999,q=10", false),
        ("zones", [String](repeating: "0,5,b=1.5", count: 3000).joined(separator: "/"), true),
        ("zones", [String](repeating: "1000000000,2000000000,b=1", count: 200).joined(separator: "/"), false),
        ("master-display", "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)", true),
        ("master-display", "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(4294967295,50", true),
        ("master-display", "G(13250,34500)B(7500,3000)R(34000,66000)WP(15635,16450)L(10000000,50)", false),
        ("master-display", "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)", false),
        ("master-display", "foo", false), ("master-display", "", false), ("crf", "foo", true),
    ]

    @Test(arguments: values) func valuesAreLookedAt(_ name: String, _ value: String, _ isGood: Bool) {
        let option = X265Options.Option(name: name, value: value)
        #expect((X265Options.remedy(option) == nil) == isGood, "\(value.prefix(100))")
    }

    @Test func profilesAreRequestedWhereTheyAreSpecial() throws {
        let format = try #require(InputFormat.named("I420_10LE"))
        #expect(StreamProfile.request(format, among: ["main", "main-10", "main-10-intra"]) == nil)
        #expect(StreamProfile.request(format, among: ["main-10-intra"]) == "main10-intra")
        #expect(StreamProfile.request(format, among: ["main"]) == nil)
    }

    @Test func ratesOfDolbyVisionLevels() {
        #expect(DolbyVisionRate.highest(width: 1280, height: 720, framesPerSecond: 24) == 20_000)
        #expect(DolbyVisionRate.highest(width: 3840, height: 2160, framesPerSecond: 24) == 25_000)
        #expect(DolbyVisionRate.highest(width: 3840, height: 2160, framesPerSecond: 60) == 40_000)
        #expect(DolbyVisionRate.highest(width: 65_535, height: 65_535, framesPerSecond: 1e9) == 240_000)
    }

    @Test(arguments: [1, 15, 16, 17, 40]) func chromaIsSeparated(_ width: Int) {
        var splitter = ChromaSplitter()
        let source = (0..<(2 * width * 3)).map { UInt16($0 * 7) }
        source.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            let planes = splitter.split(start, stride: 4 * width, width: width, height: 3, as: UInt16.self)
            for index in 0..<(3 * width) {
                #expect(planes.first.load(fromByteOffset: 2 * index, as: UInt16.self) == source[2 * index])
                #expect(planes.second.load(fromByteOffset: 2 * index, as: UInt16.self) == source[2 * index + 1])
            }
        }
    }
}
