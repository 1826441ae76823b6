import HDRBitstream
import TestSupport
import Testing

/// Closed captions as text: CEA-608 and CEA-708.
struct ClosedCaptionTests {
    /// cc_data of CEA-608 words of the first field.
    func packets(_ words: [(UInt8, UInt8)]) -> [UInt8] { words.flatMap { [0xfc, $0.0, $0.1] } }

    func letters(_ text: String) -> [(UInt8, UInt8)] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: 2).map {
            (bytes[$0], $0 + 1 < bytes.count ? bytes[$0 + 1] : 0)
        }
    }

    @Test func popOnCaptionsAppearAtOnce() {
        var captions = ClosedCaptions()
        captions.read(
            packets: packets([(0x14, 0x20), (0x14, 0x20), (0x14, 0x70), (0x14, 0x70)] + letters("HELLO"))[...])
        #expect(captions.text.isEmpty)
        captions.read(packets: packets([(0x14, 0x2f), (0x14, 0x2f)])[...])
        #expect(captions.text == "HELLO")
        captions.read(packets: packets([(0x14, 0x2c)])[...])
        #expect(captions.text.isEmpty)
    }

    @Test func rolledUpCaptionsMove() {
        var captions = ClosedCaptions()
        captions.read(packets: packets([(0x14, 0x25)] + letters("ONE") + [(0x14, 0x2d)] + letters("TWO"))[...])
        #expect(captions.text == "ONE\nTWO")
        captions.read(packets: packets([(0x14, 0x2d)] + letters("SIX"))[...])
        #expect(captions.text == "TWO\nSIX")
    }

    /// A control code comes twice; letters beyond ASCII replace what stands for them.
    @Test func specialLetters() {
        var captions = ClosedCaptions()
        captions.read(
            packets: packets(
                [(0x14, 0x29)] + letters("CAFe") + [(0x12, 0x21), (0x12, 0x21), (0x11, 0x37), (0x11, 0x37)])[...])
        #expect(captions.text == "CAFÉ♪")
    }

    @Test func theOtherChannelIsLeftOut() {
        var captions = ClosedCaptions()
        captions.read(packets: packets([(0x1c, 0x29)] + letters("DOS") + [(0x14, 0x29)] + letters("ONE"))[...])
        #expect(captions.text == "ONE")
    }

    /// A packet of CEA-708 with a window that is defined visible, and its text.
    @Test func digitalCaptions() {
        let block: [UInt8] = [0x98, 0x20, 0, 0, 1, 31, 0] + Array("Hi".utf8) + [0x0d, 0xe9]
        let size = UInt8((block.count + 3) / 2)
        var packet: [UInt8] = [size, 1 << 5 | UInt8(block.count)] + block
        if packet.count % 2 == 1 { packet.append(0) }
        var captions = ClosedCaptions()
        for index in stride(from: 0, to: packet.count, by: 2) {
            captions.read(packets: [index == 0 ? 0xff : 0xfe, packet[index], packet[index + 1]])
        }
        #expect(captions.text == "Hi\né")
    }

    @Test func distributionPackets() {
        let words = packets([(0x14, 0x29)] + letters("TV"))
        var captions = ClosedCaptions()
        captions.read(
            distribution: ([0x96, 0x69, 20, 0x4f, 0x43, 0, 0, 0x72, 0xe0 | UInt8(words.count / 3)] + words)[...])
        #expect(captions.text == "TV")
    }

    /// Any bytes are captions or nothing, and never more than a screen.
    @Test func anyBytes() {
        var generator = SeededGenerator(seed: 608)
        for _ in 0..<200 {
            var captions = ClosedCaptions()
            let bytes = (0..<600).map { _ in UInt8.random(in: 0...255, using: &generator) }
            // Half of the packets are valid ones of a kind that is read.
            let valid = bytes.enumerated().map { $0.offset % 3 == 0 ? 0xfc | $0.element & 3 : $0.element }
            for data in [bytes, valid] {
                captions.read(packets: data[...])
                captions.read(distribution: ([0x96, 0x69] + data)[...])
                #expect(captions.text.split(separator: "\n").count <= 8 * 16)
            }
        }
    }
}
