import Foundation
import TestSupport
import Testing

@testable import HDRJSON

/// Damaged documents make errors, never a trap; what is accepted is the same value when it is written and read again.
/// `HDR_FUZZ` sets how many there are.
@Suite struct JSONFuzzTests {
    private static let seeds: [[UInt8]] = [
        #"{"JSONInfo": {"HDR10plusProfile": "B", "Version": "1.0"}, "SceneInfo": [{"BezierCurveData": "#,
        #"{"SceneInfo":[{"BezierCurveData":{"Anchors":[1,2,1023],"KneePointX":0},"SceneId":0}],"a":[null,-2.5e+3]}"#,
        #"[["\"\\\/\b\f\n\r\té\u00e9\ud83d\ude00", 0, -0.0, 1e400, {}], [[[[]]]], {"": ""}]"#,
    ].map { Array($0.utf8) }

    @Test func damagedDocuments() throws {
        var random = SeededGenerator(seed: 8259)
        var (accepted, refused) = (0, 0)
        for _ in 0..<TestWork.inputs(release: 100_000, debug: 20_000) {
            let input = Self.damaged(Self.seeds[random.below(Self.seeds.count)], &random)
            do {
                let value = try JSON(input)
                accepted += 1
                try #require(try JSON(Array(value.line.utf8)) == value, "\(String(decoding: input, as: UTF8.self))")
            } catch is JSONError {
                refused += 1
            }
        }
        #expect(accepted > 0 && refused > accepted, "\(accepted), \(refused)")
    }

    /// Edits that are accepted leave out what they remove, and repeat nothing but what is left.
    @Test func damagedEdits() throws {
        var random = SeededGenerator(seed: 39)
        let seed = Array(#"{"remove":["0-39","5"],"duplicate":[{"source":0,"offset":19,"length":12}]}"#.utf8)
        var (accepted, refused) = (0, 0)
        for _ in 0..<TestWork.inputs(release: 20_000, debug: 4000) {
            var bytes = seed
            for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = seed[random.below(seed.count)] }
            do {
                let edits = try FrameEdits(bytes)
                let pictures = try edits.applied(to: Array(0..<64))
                let left = try edits.remaining(of: 64)
                let repeated = edits.duplicates.map(\.length).reduce(0, +)
                let text = String(decoding: bytes, as: UTF8.self)
                try #require(pictures.count == left.count + repeated && Set(pictures).isSubset(of: left), "\(text)")
                accepted += 1
            } catch is JSONError {
                refused += 1
            }
        }
        #expect(accepted > 0 && refused > accepted, "\(accepted), \(refused)")
    }

    private static func damaged(_ seed: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = seed
        let signs = Array("{}[]\",:\\u0-.eE tn\u{7f}".utf8)
        for _ in 0...random.below(3) where !bytes.isEmpty {
            let at = random.below(bytes.count)
            switch random.below(5) {
            case 0: bytes[at] = UInt8(random.below(256))
            case 1: bytes[at] = signs[random.below(signs.count)]
            case 2: bytes.insert(signs[random.below(signs.count)], at: at)
            case 3: bytes.removeSubrange(at..<min(at + 1 + random.below(6), bytes.count))
            default: bytes.removeLast(random.below(min(bytes.count, 12)))
            }
        }
        return bytes
    }
}
