import Testing

@testable import HDRColor

struct TransferTests {
    static let all: [Transfer] = [.pq, .hlg, .bt1886, .sRGB, .gamma(2.2), .gamma(2.8), .linear]

    @Test func hdr() {
        #expect(Self.all.filter(\.isHDR) == [.pq, .hlg])
    }

    /// Half signal at an SDR white of 203 cd/m²: 0.5 ^ 2.4, sRGB's 0.21404114, 0.5 ^ 2.2.
    @Test func values() {
        let expected: [(Transfer, light: Double, tolerance: Double)] = [
            (.pq, 92.24570899406527, 1e-9), (.hlg, 1.0 / 12, 1e-15), (.bt1886, 203 * 0.18946457081, 1e-8),
            (.sRGB, 203 * 0.21404114048, 1e-8), (.gamma(2.2), 203 * 0.21763764082, 1e-8),
        ]
        for (transfer, light, tolerance) in expected {
            #expect(abs(transfer.eotf(0.5, white: 203) - light) <= tolerance, "\(transfer)")
        }
        #expect(Transfer.linear.eotf(0.5, white: 203) == 101.5)
    }

    @Test(arguments: all) func thereAndBack(_ transfer: Transfer) {
        // The pieces of sRGB are 1e-7 apart where they join; those of all other functions meet.
        let tolerance = transfer == .sRGB ? 1e-7 : 1e-11
        for white in [100.0, 203] {
            let worst = steps(0.001...1, count: 5000).map {
                abs(transfer.inverseEOTF(transfer.eotf($0, white: white), white: white) - $0)
            }.max()!
            #expect(worst <= tolerance)
        }
    }

    /// White scales SDR's light and leaves HDR's alone.
    @Test(arguments: all) func white(_ transfer: Transfer) {
        let ratio = transfer.eotf(0.7, white: 406) / transfer.eotf(0.7, white: 203)
        #expect(abs(ratio - (transfer.isHDR ? 1 : 2)) <= 1e-15)
        if !transfer.isHDR {
            #expect(abs(transfer.eotf(1, white: 203) - 203) <= 1e-12)
            #expect(abs(transfer.inverseEOTF(203, white: 203) - 1) <= 1e-15)
        }
    }

    /// Footroom is black; only sRGB's straight part and light itself go below.
    @Test(arguments: all) func belowBlack(_ transfer: Transfer) {
        let light = transfer.eotf(-0.05, white: 203)
        let keepsNegative = transfer == .sRGB || transfer == .linear
        #expect(keepsNegative ? light < 0 : light == 0)
        #expect(transfer.eotf(0, white: 203) == 0)
    }

    /// Single precision is within 1e-4 of the light, PQ's share, and 1.5e-5 of the signal.
    @Test(arguments: all) func singlePrecision(_ transfer: Transfer) {
        for signal in steps(0.05...1, count: 512) {
            let light = transfer.eotf(signal, white: 203)
            #expect(abs(Double(transfer.eotf(Float(signal), white: 203)) - light) <= 1e-4 * light)
            #expect(abs(Double(transfer.inverseEOTF(Float(light), white: 203)) - signal) <= 1.5e-5)
        }
    }
}
