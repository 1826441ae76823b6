import MetadataTestSupport

@testable import HDRBitstream
@testable import HDRMetadata

/// Messages of ST 2094-40.
enum HDR10PlusFixture {
    /// Bits in the order of CTA-861-H annex S.
    static func start(version: Int = 1, windows: Int = 1) -> BitText {
        var bits = BitText()
        for byte in [0xB5, 0, 0x3C, 0, 1, 4, version] { bits.u(8, byte) }
        bits.u(2, windows)
        return bits
    }

    static func append(light base: Int, percentages: [Int], to bits: inout BitText) {
        for step in 0..<4 { bits.u(17, base + step) }
        bits.u(4, percentages.count)
        for (index, percentage) in percentages.enumerated() {
            bits.u(7, percentage)
            bits.u(17, base + 10 * index)
        }
        bits.u(10, 321)
    }

    static let nine = [1, 5, 10, 25, 50, 75, 90, 95, 99]

    /// Profile A: 49 bytes.
    static let measured: [UInt8] = {
        var bits = start()
        bits.u(27, 0)
        bits.u(1, 0)
        append(light: 20000, percentages: nine, to: &bits)
        bits.u(3, 0)
        return bits.bytes(stop: false)
    }()

    /// Profile B with nine anchors.
    static let mapped: [UInt8] = {
        var bits = start()
        bits.u(27, 500)
        bits.u(1, 0)
        append(light: 40000, percentages: nine, to: &bits)
        bits.u(2, 1)
        bits.u(12, 64)
        bits.u(12, 128)
        bits.u(4, 9)
        for anchor in 1...9 { bits.u(10, 100 * anchor) }
        bits.u(1, 0)
        return bits.bytes(stop: false)
    }()

    /// Three windows with everything that there is, and bits behind it that no field has.
    static let everything: [UInt8] = {
        var bits = start(version: 0, windows: 3)
        for window in 1...2 {
            for field in 0..<6 { bits.u(16, 1000 * window + field) }
            bits.u(8, 90 + window)
            for field in 6..<9 { bits.u(16, 1000 * window + field) }
            bits.u(1, window - 1)
        }
        bits.u(27, 4000)
        bits.u(1, 1)
        matrix(rows: 2, columns: 3, to: &bits)
        for window in 0..<3 { append(light: 1000 * window, percentages: [50, 99], to: &bits) }
        bits.u(1, 1)
        matrix(rows: 0, columns: 5, to: &bits)
        for window in 0..<3 {
            bits.u(1, window == 2 ? 0 : 1)
            if window < 2 {
                bits.u(12, 4095)
                bits.u(12, window)
                bits.u(4, 15 * window)
                for anchor in 0..<15 * window { bits.u(10, 1023 - anchor) }
            }
            bits.u(1, 1)
            bits.u(6, 63 - window)
        }
        return bits.bytes() + [1, 2, 0]
    }()

    private static func matrix(rows: Int, columns: Int, to bits: inout BitText) {
        bits.u(5, rows)
        bits.u(5, columns)
        for value in 0..<rows * columns { bits.u(4, value) }
    }

    static let messages = [measured, mapped, everything]
}
