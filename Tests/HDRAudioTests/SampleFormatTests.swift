import Testing

@testable import HDRAudio

@Suite struct SampleFormatTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let bytes: Int
        let depth: Int
        let isSigned: Bool
        let isFloat: Bool
        let isBigEndian: Bool
        var format: SampleFormat {
            SampleFormat(bytes: bytes, depth: depth, isSigned: isSigned, isFloat: isFloat, isBigEndian: isBigEndian)!
        }
        var testDescription: String {
            "\(isFloat ? "F" : isSigned ? "S" : "U")\(depth) in \(bytes) \(isBigEndian ? "BE" : "LE")"
        }
    }

    /// Every raw audio format of GStreamer.
    static let kinds: [Kind] =
        [(1, 8), (2, 16), (3, 24), (3, 20), (3, 18), (4, 24), (4, 32)].flatMap { bytes, depth in
            [true, false].flatMap { isSigned in
                [false, true].map {
                    Kind(bytes: bytes, depth: depth, isSigned: isSigned, isFloat: false, isBigEndian: $0)
                }
            }
        }
        + [(4, 32), (8, 64)].flatMap { bytes, depth in
            [false, true].map { Kind(bytes: bytes, depth: depth, isSigned: true, isFloat: true, isBigEndian: $0) }
        }
    static let integers = kinds.filter { !$0.isFloat }

    static func bytes(_ word: UInt64, _ kind: Kind) -> [UInt8] {
        let low = (0..<kind.bytes).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
        return kind.isBigEndian ? low.reversed() : low
    }

    /// The bytes that a signed value has in a format; bits above the depth get its sign, or 0 in unsigned formats.
    static func stored(_ value: Int64, _ kind: Kind) -> [UInt8] {
        bytes(UInt64(bitPattern: kind.isSigned ? value : value + 1 << Int64(kind.depth - 1)), kind)
    }

    static func load(_ memory: [UInt8], _ kind: Kind, stride: Int = 1, offset: Int = 0, count: Int) -> [Double] {
        var result = [Double](repeating: 7, count: count)
        memory.withUnsafeBytes {
            kind.format.load($0.baseAddress! + offset, stride: stride, into: &result, count: count)
        }
        return result
    }

    static func store(_ samples: [Double], _ kind: Kind) -> [UInt8] {
        var memory = [UInt8](repeating: 0xA5, count: samples.count * kind.bytes)
        memory.withUnsafeMutableBytes {
            kind.format.store(samples, to: $0.baseAddress!, stride: 1, count: samples.count)
        }
        return memory
    }

    static func values(_ kind: Kind) -> [Int64] {
        let top = Int64(1) << Int64(kind.depth - 1)
        if kind.depth <= 16 { return Array(-top..<top) }
        return [-top, -top + 1, -1, 0, 1, 2, top / 2, top - 2, top - 1]
            + noise(20000).map { Int64($0 * Double(top - 1)) }
    }

    @Test(arguments: integers) func integersAreTheSameAgain(_ kind: Kind) {
        let values = Self.values(kind)
        let memory = values.flatMap { Self.stored($0, kind) }
        let samples = Self.load(memory, kind, count: values.count)
        let scale = Double(Int64(1) << Int64(kind.depth - 1))
        #expect(samples == values.map { Double($0) / scale })
        #expect(Self.store(samples, kind) == memory)
    }

    @Test(arguments: kinds.filter { $0.isFloat }) func floatsAreTheSameAgain(_ kind: Kind) {
        let special: [Double] = [0, -0.0, 1, -1, 1.5, -300, 3e38, 0x1p-126, 0x1p-149, .infinity, -.infinity]
        let words: [UInt64] = (special + noise(5000)).map {
            kind.bytes == 4 ? UInt64(Float($0).bitPattern) : $0.bitPattern
        }
        let memory = words.flatMap { Self.bytes($0, kind) }
        let samples = Self.load(memory, kind, count: words.count)
        #expect(samples[0...4] == [0, -0.0, 1, -1, 1.5])
        #expect(Self.store(samples, kind) == memory)
    }

    /// Full scale is ±1; what is above it is limited.
    @Test(arguments: integers) func limits(_ kind: Kind) {
        let top = Int64(1) << Int64(kind.depth - 1)
        let samples: [Double] = [1, 1e9, .infinity, -1, -1e9, -.infinity, .nan]
        let expected = [top - 1, top - 1, top - 1, -top, -top, -top, 0]
        #expect(Self.store(samples, kind) == expected.flatMap { Self.stored($0, kind) })
    }

    @Test(arguments: integers) func roundsToEven(_ kind: Kind) {
        let scale = Double(Int64(1) << Int64(kind.depth - 1))
        let halves: [(Double, Int64)] = [
            (0.5, 0), (1.5, 2), (2.5, 2), (-0.5, 0), (-1.5, -2), (-2.5, -2), (3.49, 3), (3.51, 4), (-3.51, -4),
        ]
        #expect(
            Self.store(halves.map { $0.0 / scale }, kind) == halves.flatMap { Self.stored($0.1, kind) })
    }

    /// Bits above the depth are not read.
    @Test(arguments: integers.filter { $0.depth < 8 * $0.bytes }) func padding(_ kind: Kind) {
        let mask = (UInt64(1) << UInt64(8 * kind.bytes)) - UInt64(1) << UInt64(kind.depth)
        let word: UInt64 = 0x1234
        #expect(
            Self.load(Self.bytes(word | mask, kind), kind, count: 1)
                == Self.load(Self.bytes(word, kind), kind, count: 1))
    }

    @Test(arguments: kinds, [1, 2, 3, 5]) func stridesAndAlignment(_ kind: Kind, _ stride: Int) {
        let count = 37
        let samples = noise(count).map { ($0 * 100).rounded() / 128 }
        let packed = Self.store(samples, kind)
        for offset in 0..<3 {
            var memory = [UInt8](repeating: 0x5A, count: offset + count * stride * kind.bytes)
            memory.withUnsafeMutableBytes {
                kind.format.store(samples, to: $0.baseAddress! + offset, stride: stride, count: count)
            }
            #expect(Self.load(memory, kind, stride: stride, offset: offset, count: count) == samples)
            for index in 0..<memory.count {
                let place = index - offset
                let sample = place / (stride * kind.bytes)
                let byte = place % (stride * kind.bytes)
                let isSample = place >= 0 && byte < kind.bytes
                #expect(memory[index] == (isSample ? packed[sample * kind.bytes + byte] : 0x5A))
            }
        }
    }

    @Test(arguments: kinds) func silence(_ kind: Kind) {
        for stride in [1, 2, 3] {
            var memory = [UInt8](repeating: 0x5A, count: 10 * stride * kind.bytes)
            memory.withUnsafeMutableBytes { kind.format.fillSilence($0.baseAddress!, stride: stride, count: 10) }
            #expect(Self.load(memory, kind, stride: stride, count: 10) == [Double](repeating: 0, count: 10))
            #expect(memory.filter { $0 == 0x5A }.count >= 10 * (stride - 1) * kind.bytes)
        }
    }

    @Test(arguments: [(0, 8), (5, 32), (2, 24), (3, 25), (1, 0), (4, -1), (8, 64)]) func notFormats(
        _ bytes: Int, _ depth: Int
    ) {
        #expect(
            SampleFormat(bytes: bytes, depth: depth, isSigned: true, isFloat: false, isBigEndian: false) == nil)
    }
}
