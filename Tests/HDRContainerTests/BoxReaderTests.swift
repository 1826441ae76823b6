import Testing

@testable import HDRContainer

@Suite struct BoxReaderTests {
    typealias Build = MovieBuilder

    private func types(_ bytes: [UInt8]) throws -> [String] {
        var boxes = BoxReader(bytes).boxes()
        var result: [String] = []
        while let box = try boxes.next() { result.append("\(box.type) \(box.payload.count)") }
        return result
    }

    @Test func sizesOfAllKinds() throws {
        let identifier = [UInt8](0..<16)
        let bytes =
            Build.box("free", [1, 2]) + Build.largeBox("mdat", [3]) + Build.box("uuid", identifier, [9])
            + bigEndian(UInt32(0)) + Array("mdat".utf8) + [4, 5, 6]
        #expect(try types(bytes) == ["free 2", "mdat 1", "uuid 1", "mdat 3"])
        let reader = BoxReader(bytes)
        let box = try #require(try reader.first(.uuid))
        #expect(reader.payload(of: box) == [9])
    }

    @Test func zerosEndAList() throws {
        #expect(try types(Build.box("free") + [0, 0, 0, 0]) == ["free 0"])
        #expect(try types(Build.box("free") + [0, 0, 0, 0, 0, 0, 0, 0]) == ["free 0"])
    }

    @Test(
        arguments: [
            [0, 0, 0, 7, 0x66, 0x72, 0x65, 0x65],
            [0, 0, 0, 9, 0x66, 0x72, 0x65, 0x65],
            [0, 0, 0, 8, 0x66, 0x72],
            [0, 0, 0, 1, 0x66, 0x72, 0x65, 0x65, 0, 0, 0, 0, 0, 0, 0],
            [0, 0, 0, 1, 0x66, 0x72, 0x65, 0x65, 0, 0, 0, 0, 0, 0, 0, 15],
            [0, 0, 0, 1, 0x66, 0x72, 0x65, 0x65, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [0, 0, 0, 20, 0x75, 0x75, 0x69, 0x64, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
            [0, 0, 0, 0, 0x75, 0x75, 0x69, 0x64, 1, 2, 3, 4],
        ] as [[UInt8]])
    func brokenSizesAreErrors(bytes: [UInt8]) {
        #expect(throws: ContainerError.self) { try types(bytes) }
    }

    @Test func errorsNameTheBoxAndItsPlace() {
        let bytes = Build.box("free", [1, 2]) + [0, 0, 1, 0] + Array("moov".utf8)
        #expect(throws: ContainerError.badBoxSize(type: .moov, size: 256, offset: 10)) { try types(bytes) }
        #expect("\(ContainerError.badBoxSize(type: .moov, size: 256, offset: 10))".contains("'moov' at offset 10"))
    }

    @Test func metaOfQuickTimeAndISO() throws {
        let handler = Build.box("hdlr", [UInt8](repeating: 0, count: 24))
        for meta in [Build.box("meta", handler), Build.fullBox("meta", handler)] {
            let reader = BoxReader(meta)
            let box = try #require(try reader.first(.meta))
            #expect(try reader.first([.hdlr], below: box)?.count == handler.count)
        }
    }

    @Test func characterCodes() {
        #expect(FourCC("hvc1").description == "hvc1")
        #expect(FourCC(1).description == "0x1")
        #expect(("qt  " as FourCC).value == 0x7174_2020)
        #expect(FourCC(0xa96e_616d).description == "©nam")
    }
}
