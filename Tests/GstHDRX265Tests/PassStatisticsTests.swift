import TestSupport
import Testing

@testable import GstHDRX265

/// The statistics of a pass are read before libx265 takes their numbers as indexes.
@Suite struct PassStatisticsTests {
    static let options = "#options: cpuid=1 bitdepth=10 fps=30000/1001 input-res=128x96 ref=3 ctu=64 bframes=4\n"

    static func picture(_ shown: Int, _ coded: Int, _ type: String = "P", _ rest: String = "sc:0") -> String {
        "in:\(shown) out:\(coded) type:\(type) q:11.08 q-aq:7,28 q-noVbv:-8.00 q-Rceq:1.08 tex:12266 mv:997 misc:84 "
            + "icu:48.00 pcu:0.00 scu:nan \(rest) ;\n"
    }

    static let good = options + picture(0, 0, "I") + picture(2, 1) + picture(1, 2, "b")

    /// The defect of a text; `nil` where there is none.
    private func defect(_ text: String) -> String? {
        do {
            _ = try read(text)
            return nil
        } catch { return error.text }
    }

    private func read(_ text: String) throws(PassStatistics.Defect) -> PassStatistics {
        let bytes = Array(text.utf8)
        return try bytes.withUnsafeBufferPointer { buffer throws(PassStatistics.Defect) in try PassStatistics(buffer) }
    }

    @Test func picturesAreCounted() throws {
        let statistics = try read(Self.good)
        #expect(statistics.count == 3 && statistics.referenced == [2, 1])
        #expect(statistics.size == PassStatistics.Pair(first: 128, second: 96))
        #expect(statistics.rate == PassStatistics.Pair(first: 30000, second: 1001) && statistics.depth == 10)
        let sets = "nump:1 numnegp:1 numposp:0 deltapoc:~-5~ bused:~1~"
        #expect(try read(Self.options + Self.picture(0, 0, "i", sets)).referenced == [2])
    }

    static let damaged = [
        "", "\n", "#options:", "#options: fps=25/1\n" + picture(0, 0), options, options + "in:0 out:0 type:I",
        options + picture(0, 0) + "in:1 out", options + picture(1, 0), options + picture(0, 1),
        options + picture(0, 0) + picture(0, 1), options + picture(0, 0) + picture(1, 0),
        options + picture(-1, 0), options + picture(0, 1 << 40), options + picture(0, 0, "X"),
        options + picture(0, 0, "P", String(repeating: "deltapoc:~", count: 100)),
        options + picture(0, 0, "P", "nump:17"),
        options + picture(0, 0, "P", "bused:" + String(repeating: "1", count: 99)),
        options + ";" + picture(0, 0), options + picture(0, 0).replacing("tex:12266", with: "tex:-5"),
        options + picture(0, 0).replacing("q:11.08 ", with: ""), options + "\0" + picture(0, 0),
        options.replacing(" ref=3", with: "") + picture(0, 0), options.replacing("128x96", with: "128") + picture(0, 0),
    ]

    @Test(arguments: damaged.indices) func damageIsFound(_ index: Int) {
        let text = Self.damaged[index]
        #expect(defect(text) != nil, "\(text)")
    }

    /// Whatever single byte is changed or lost, nothing but these numbers of pictures comes out.
    @Test func anyByteMayBeDamaged() {
        let bytes = Array(Self.good.utf8)
        var generator = SeededGenerator(seed: 1)
        for index in bytes.indices {
            var changed = bytes
            changed[index] = UInt8.random(in: .min ... .max, using: &generator)
            for text in [changed, Array(bytes[..<index])] {
                let statistics = text.withUnsafeBufferPointer { try? PassStatistics($0) }
                #expect((1...3).contains(statistics?.count ?? 1) && (statistics?.referenced.count ?? 0) <= 3)
            }
        }
    }
}
