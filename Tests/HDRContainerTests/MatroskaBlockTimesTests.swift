import Testing

@testable import HDRContainer
@testable import HDRMetadata

@Suite struct MatroskaBlockTimesTests {
    typealias Matroska = MatroskaBuilder

    /// A file of one video track whose blocks have these times in milliseconds, a Cluster for each 25 of them.
    private func file(
        _ times: [Int], defaultDuration: UInt64?, duration: Double? = nil, order: [Int]? = nil
    ) -> [UInt8] {
        let stated = defaultDuration.map { Matroska.number(0x23_e383, $0, count: 4) } ?? []
        let info = duration.map { Matroska.element(0x1549_a966, Matroska.float(0x4489, $0)) } ?? []
        let tracks = Matroska.tracks(Matroska.videoTrack(extra: stated))
        var clusters: [UInt8] = []
        for start in stride(from: 0, to: times.count, by: 25) {
            let part = Array(times[start..<min(start + 25, times.count)])
            let base = part.min() ?? 0
            let blocks = part.flatMap { time in
                Matroska.element(0xa3, [0x81] + bigEndian(Int16(time - base)) + [0x80, 1, 2, 3])
            }
            clusters += Matroska.element(0x1f43_b675, Matroska.number(0xe7, UInt64(base), count: 4), blocks)
        }
        return Matroska.header() + Matroska.element(0x1853_8067, info, tracks, clusters)
    }

    private func inspect(_ bytes: [UInt8]) throws -> ContainerInspection {
        try ContainerInspection(ArrayByteSource(bytes))
    }

    private func times(_ rate: Double, count: Int = 100) -> [Int] {
        (0..<count).map { Int((Double($0) * 1000 / rate).rounded()) }
    }

    @Test(
        arguments: [
            (24000.0 / 1001, 24000, 1001), (24, 24, 1), (25, 25, 1), (30000.0 / 1001, 30000, 1001), (50, 50, 1),
            (60000.0 / 1001, 60000, 1001), (12.5, 25, 2),
        ] as [(Double, UInt64, UInt64)])
    func blocksOverruleAWrongDefaultDuration(_ rate: Double, _ numerator: UInt64, _ denominator: UInt64) throws {
        let wrong = try inspect(file(times(rate, count: 300), defaultDuration: 20_833_333))
        #expect(wrong.tracks.first?.frameRate == FrameRate(numerator, denominator))
        let none = try inspect(file(times(rate, count: 300), defaultDuration: nil))
        #expect(none.tracks.first?.frameRate == FrameRate(numerator, denominator))
        // A right DefaultDuration is used as it is written, rounding included.
        let right = UInt64((1e9 / rate).rounded())
        let found = try inspect(file(times(rate, count: 300), defaultDuration: right))
        #expect(found.tracks.first?.frameRate == FrameRate(1_000_000_000, right))
    }

    /// The earliest block is found even where it is not the first in the file.
    @Test func theEarliestBlockIsFound() throws {
        #expect(try inspect(file([0, 40, 80], defaultDuration: nil)).firstTime == 0)
        #expect(try inspect(file([123, 83, 163], defaultDuration: nil)).firstTime == 83_000_000)
        #expect(try inspect(file([], defaultDuration: nil)).firstTime == nil)
    }

    /// B-pictures come behind the ones that they are shown before.
    @Test func ordersOfDecoding() throws {
        var times = times(24)
        for index in stride(from: 1, to: times.count - 1, by: 2) { times.swapAt(index, index + 1) }
        #expect(try inspect(file(times, defaultDuration: 33_333_333)).tracks.first?.frameRate == FrameRate(24, 1))
    }

    @Test func unevenTimesLeaveTheDefault() throws {
        let uneven = (0..<80).map { $0 * 40 + ($0 % 7) * 5 }
        let default25 = FrameRate(1_000_000_000, 33_333_333)
        #expect(try inspect(file(uneven, defaultDuration: 33_333_333)).tracks.first?.frameRate == default25)
        #expect(try inspect(file([0, 40], defaultDuration: 33_333_333)).tracks.first?.frameRate == default25)
    }

    @Test func durationsOfAWrongDefault() throws {
        let wrong = try inspect(file(times(25), defaultDuration: 80_000_000, duration: 99 * 40 + 80))
        #expect(wrong.duration == 4_000_000_000)
        // A duration that is longer for another reason stays.
        let longer = try inspect(file(times(25), defaultDuration: 80_000_000, duration: 4321))
        #expect(longer.duration == 4_321_000_000 && longer.tracks.first?.frameRate == FrameRate(25, 1))
    }

    /// The track is there as soon as its header is whole, with what the blocks up to the end say.
    @Test func filesThatAreCut() throws {
        let bytes = file(times(25), defaultDuration: 80_000_000, duration: 4040)
        let whole = try inspect(bytes)
        var read = 0
        for count in stride(from: 100, to: bytes.count, by: 7) {
            do {
                let part = try inspect(Array(bytes.prefix(count)))
                read += 1
                #expect(part.tracks.map(\.identifier) == whole.tracks.map(\.identifier), "\(count) bytes")
                #expect(part.firstTime == nil || part.firstTime == whole.firstTime, "\(count) bytes")
            } catch {
                #expect(error is ContainerError && read == 0, "\(count) bytes: \(error)")
            }
        }
        #expect(read > 0)
    }
}
