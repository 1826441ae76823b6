import MetadataTestSupport
import Testing

@testable import HDRBitstream

@Suite struct DolbyVisionRPUTests {
    private typealias Fixture = DolbyVisionRPUFixture

    @Test func fieldsOfProfile81() throws {
        let rpu = try DolbyVisionRPU(payload: Fixture.profile81)
        #expect(rpu.header == DolbyVisionRPU.Header())
        #expect(rpu.signaledProfile == 8 && rpu.enhancementLayer == nil)
        #expect(rpu.profileName(transfer: 16) == "8.1" && rpu.profileName(transfer: 18) == "8.4")
        #expect(rpu.profileName(transfer: 1) == "8.2" && rpu.profileName(transfer: 2) == "8")
        let curve = DolbyVisionRPU.Mapping.Curve(pivots: [0, 1023], pieces: [.polynomial([0, 1 << 23])])
        #expect(rpu.mapping == .init(curves: [curve, curve, curve]))
        let management = try #require(rpu.displayManagement)
        #expect(management.sceneRefreshFlag == 1 && management.blocks.map(\.level) == [1, 6])
        #expect(management.extendedBlocks == nil)
        #expect(management.level1 == .init(minimumPQ: 1, maximumPQ: 3000, averagePQ: 1200))
        #expect(management.level6?.maximumMasteringLuminance == 4000)
        #expect(management.level6?.minimumMasteringLuminance == 1)
        #expect(management.level6?.maximumContentLightLevel == 1000)
        #expect(management.level6?.maximumFrameAverageLightLevel == 400)
        let signal = try #require(management.signal)
        #expect(signal.yccToRGB[4] == -1540 && signal.rgbToLMS[8] == 15962 && signal.eotf == 65535)
        #expect((signal.sourceMinimumPQ, signal.sourceMaximumPQ, signal.sourceDiagonal) == (7, 3696, 42))
        #expect(try rpu.payload() == Fixture.profile81)
    }

    /// The authored RPU equals one that was written by hand.
    @Test func authoredProfile81() throws {
        let rpu = DolbyVisionRPU.profile81(
            level1: .init(minimumPQ: 1, maximumPQ: 3000, averagePQ: 1200),
            level6: .init(
                maximumMasteringLuminance: 4000, minimumMasteringLuminance: 1, maximumContentLightLevel: 1000,
                maximumFrameAverageLightLevel: 400), beginsScene: true)
        #expect(try rpu.payload() == Fixture.profile81)
    }

    @Test func authoredProfile84() throws {
        let level1 = DolbyVisionRPU.Level1(minimumPQ: 0, maximumPQ: 2920, averagePQ: 2381)
        let rpu = DolbyVisionRPU.profile84(level1: level1, beginsScene: false)
        let read = try DolbyVisionRPU(nalUnit: rpu.nalUnit())
        #expect(read == rpu && read.profileName(transfer: 18) == "8.4")
        #expect(read.displayManagement?.sceneRefreshFlag == 0 && read.displayManagement?.blocks == [.level1(level1)])
        #expect(read.displayManagement?.signal?.sourceMinimumPQ == 62)
        #expect(read.displayManagement?.signal?.sourceMaximumPQ == 3079)
        #expect(read.mapping?.curves.map(\.pieces.count) == [8, 1, 1])
        // The luma curve leads from black to 1000 cd/m², which PQ has at 0.752, both in the limited range.
        let format = try #require(read.header.sequence).coefficientFormat
        func luma(_ code: Double) throws -> Double {
            let curve = try #require(read.mapping?.curves[0])
            let index = curve.pivots.dropFirst().dropLast().filter { Double($0) <= code }.count
            guard case .polynomial(let coefficients) = curve.pieces[index] else { return 0 }
            return coefficients.reversed().reduce(0) { $0 * (code / 1023) + format.value(of: $1) }
        }
        #expect(try abs(luma(64) - 64 / 1023) < 0.01)
        #expect(try abs(luma(940) - (64 + 876 * 0.752) / 1023) < 0.02)
    }

    /// The light of mastering displays, as Dolby's own tools write it.
    @Test(arguments: [(1000, 50, 62, 3079), (4000, 50, 62, 3696), (1000, 1, 7, 3079), (2000, 0, 0, 3388)])
    func rangeOfMasteringDisplays(maximum: UInt16, minimum: UInt16, low: UInt16, high: UInt16) {
        let level6 = DolbyVisionRPU.Level6(
            maximumMasteringLuminance: maximum, minimumMasteringLuminance: minimum, maximumContentLightLevel: 0,
            maximumFrameAverageLightLevel: 0)
        #expect(level6.sourceRange == (low, high))
    }

    @Test func measuredLightIsLimited() {
        let bright = DolbyVisionRPU.Level1(minimumPQ: 40, maximumPQ: 5000, averagePQ: 5000)
        #expect(
            DolbyVisionRPU.Level1(measured: bright, for: .version29)
                == .init(minimumPQ: 12, maximumPQ: 4095, averagePQ: 4094))
        let dark = DolbyVisionRPU.Level1()
        #expect(
            DolbyVisionRPU.Level1(measured: dark, for: .version29)
                == .init(minimumPQ: 0, maximumPQ: 2081, averagePQ: 819))
        #expect(DolbyVisionRPU.Level1(measured: dark, for: .version40).averagePQ == 1229)
    }

    @Test func nalUnits() throws {
        let rpu = try DolbyVisionRPU(payload: Fixture.profile81)
        let unit = escaped([0x7C, 1] + Fixture.profile81)
        #expect(try rpu.nalUnit() == unit && rpu.escaped()[...] == unit.dropFirst(2))
        #expect(unit.count > Fixture.profile81.count + 2)
        #expect(try DolbyVisionRPU(nalUnit: unit) == rpu)
        #expect(try DolbyVisionRPU(nalUnit: Array(unit.dropFirst(2))) == rpu)
        #expect(throws: BitstreamError.self) { try DolbyVisionRPU(nalUnit: [0x7E, 1] + unit.dropFirst(2)) }
        #expect(throws: BitstreamError.self) { try DolbyVisionRPU(nalUnit: []) }
        #expect(throws: BitstreamError.self) { try DolbyVisionRPU(nalUnit: [25]) }
    }

    @Test(arguments: [[0], [0, 0], [0, 0, 3], [0, 0, 3, 0, 0, 3]] as [[UInt8]])
    func trailingBytesStay(trailing: [UInt8]) throws {
        let unit = escaped([0x7C, 1] + Fixture.profile81) + trailing
        let rpu = try DolbyVisionRPU(nalUnit: unit)
        #expect(rpu.trailingBytes == trailing)
        #expect(try rpu.nalUnit() == unit)
    }

    /// The container's size is coded in one group of bits up to 255 bytes, and in two above.
    @Test(arguments: [0, 40, 200]) func messagesOfAV1(unknown: Int) throws {
        var rpu = try DolbyVisionRPU(payload: Fixture.profile81)
        rpu.displayManagement?.level254 = .init()
        rpu.unknownBytes = Array(repeating: 0x55, count: unknown)
        let core = try rpu.payload().dropFirst()
        var bits = BitText()
        for byte in [0x00, 0x3B, 0x00, 0x00, 0x08, 0x00] { bits.u(8, byte) }
        for (count, value) in [(2, 0), (3, 6), (5, 31), (5, 6), (1, 1), (5, 1), (1, 0), (4, 0), (1, 1)] {
            bits.u(count, value)
        }
        if core.count > 255 {
            bits.u(8, core.count / 256 - 1)
            bits.u(1, 1)
        }
        bits.u(8, core.count % 256)
        bits.u(1, 0)
        for byte in core { bits.u(8, Int(byte)) }
        for (count, value) in [(5, 0), (2, 1), (2, 0), (8, 0)] { bits.u(count, value) }
        while bits.text.utf8.count % 8 != 0 { bits.u(1, 1) }
        let message = [0xB5] + bits.bytes(stop: false)
        #expect(try rpu.t35Message() == message)
        #expect(try DolbyVisionRPU(t35: message) == rpu)
        #expect(try DolbyVisionRPU(t35: Array(message.dropFirst())) == rpu)
        #expect(throws: BitstreamError.self) { try DolbyVisionRPU(t35: Array(message.dropLast(3))) }
        #expect(throws: BitstreamError.self) { try DolbyVisionRPU(t35: MetadataFixture.hdr10Plus) }
    }

    @Test func files() throws {
        let first = try DolbyVisionRPU(payload: Fixture.profile81)
        var second = first
        second.displayManagement?.sceneRefreshFlag = 0
        second.trailingBytes = [0, 0]
        let file = try DolbyVisionRPUFile.bytes(of: [second, first, second])
        #expect(file.starts(with: [0, 0, 0, 1, 25, 8, 9]))
        #expect(try DolbyVisionRPUFile.rpus(in: file) == [second, first, second])
        // The units are framed as in an HEVC stream.
        let stream = try [0, 0, 1] + first.nalUnit() + [0, 0, 1] + second.nalUnit()
        #expect(try DolbyVisionRPUFile.rpus(in: stream) == [first, second])
        var damaged = file
        damaged[file.count / 2] ^= 1
        let error = #expect(throws: BitstreamError.self) { try DolbyVisionRPUFile.rpus(in: damaged) }
        #expect(error?.message.hasPrefix("RPU 2 of the file: Dolby Vision RPU is damaged: its CRC is 0x") == true)
        #expect(throws: BitstreamError.self) { try DolbyVisionRPUFile.rpus(in: []) }
        #expect(throws: BitstreamError.self) { try DolbyVisionRPUFile.rpus(in: [1, 2, 3, 4, 5]) }
    }
}
