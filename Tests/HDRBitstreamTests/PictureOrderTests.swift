import MetadataTestSupport
import Testing

@testable import HDRBitstream

/// Pictures of streams without time stamps are put in display order.
@Suite struct PictureOrderTests {
    /// A type of NAL unit and the lowest bits of the picture's count.
    typealias Slice = (type: Int, lsb: Int)

    private func slice(_ slice: Slice) -> [UInt8] {
        var b = BitText()
        b.u(1, 1)
        if (16...23).contains(slice.type) { b.u(1, 0) }
        b.ue(0)
        // The PPS has no extra bits and no output flag.
        if slice.type != 19, slice.type != 20 {
            b.ue(1)
            b.u(8, slice.lsb & 0xff)
        }
        return escaped([UInt8(slice.type << 1), 1] + b.bytes())
    }

    private func hevc() throws -> PictureOrder {
        var order = PictureOrder(codec: .hevc)
        var pps = BitText()
        pps.ue(0)
        pps.ue(0)
        pps.u(5, 0)
        pps.u(1, 0)
        let sets = BitstreamFixture.framed(
            [HEVCTestSPS().unit, escaped([0x44, 0x01] + pps.bytes()), slice((19, 0))], .byteStream)
        #expect(try sets.withRawBytes { (bytes) throws(BitstreamError) in try order.read(accessUnit: bytes) } == [])
        #expect(order.delay == 2)
        return order
    }

    /// The ranks of all pictures in the order of decoding, the first of which is an IDR picture.
    private func ranks(_ slices: [Slice]) throws -> [Int] {
        var order = try hevc()
        var places: [PictureOrder.Place] = []
        for slice in slices {
            let unit = BitstreamFixture.framed([self.slice(slice)], .byteStream)
            places += try unit.withRawBytes { (bytes) throws(BitstreamError) in try order.read(accessUnit: bytes) }
        }
        places += order.finish()
        return places.sorted { $0.picture < $1.picture }.map(\.rank)
    }

    @Test func pyramids() throws {
        // A pyramid of B pictures, whose two lowest are not referred to.
        let pyramid: [Slice] = [(1, 4), (1, 2), (0, 1), (0, 3), (1, 8), (1, 6), (0, 5), (0, 7)]
        #expect(try ranks(pyramid) == [0, 4, 2, 1, 3, 8, 6, 5, 7])
    }

    @Test func countsThatBeginAnew() throws {
        // An IDR picture, and one at which decoding goes on: its leading picture comes before it.
        let slices: [Slice] = [(1, 2), (0, 1), (19, 0), (1, 2), (0, 1), (21, 5), (8, 4), (9, 3), (1, 6)]
        #expect(try ranks(slices) == [0, 2, 1, 3, 5, 4, 8, 7, 6, 9])
    }

    @Test func countsWrap() throws {
        let slices: [Slice] = (1...600).map { (1, $0) }
        #expect(try ranks(slices) == Array(0...600))
    }

    @Test func whatCannotBeRead() throws {
        var order = PictureOrder(codec: .hevc)
        for unit in [slice((1, 1)), [0x02], [0x02, 0x01], [0x42, 0x01, 0xff]] {
            let bytes = BitstreamFixture.framed([unit], .byteStream)
            #expect(throws: BitstreamError.self) {
                try bytes.withRawBytes { (bytes) throws(BitstreamError) in try order.read(accessUnit: bytes) }
            }
        }
        var other = PictureOrder(codec: .avc)
        #expect(throws: BitstreamError.self) { try other.read(configuration: [1, 2, 3]) }
    }

    /// x264's SPS say how many pictures change places.
    @Test(arguments: [
        ("676e000da6cd941519e226c05a848804db800000030080000019078a14cb", 2),
        ("6742c00dd901519e226c0440000003004000000c83c50a92", 0),
    ])
    func delaysOfH264(_ sps: String, _ delay: Int) throws {
        #expect(try AVCSequenceParameterSet(MetadataFixture.bytes(sps)).order.delay == delay)
    }
}
