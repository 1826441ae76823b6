import Testing

@testable import GstHDR

@Suite struct ShownNameTests {
    @Test(
        arguments: [
            ("clip.mov", "clip.mov"), ("ein schöner Film – 日本.mkv", "ein schöner Film – 日本.mkv"),
            ("a\u{1b}[2J\r\n\tb", "a\\x1b[2J\\x0d\\x0a\\x09b"), ("\u{7f}\u{9b}", "\\x7f\\x9b"),
            ("a\u{202e}vom.b\u{2066}", "a\\u202evom.b\\u2066"), ("\u{61c}\u{200e}\u{2028}", "\\u061c\\u200e\\u2028"),
            ("👩‍🚀.mov", "👩‍🚀.mov"), ("", ""),
        ])
    func controlsAreWrittenOut(_ name: String, _ shown: String) {
        #expect(ShownName(Array(name.utf8)).description == shown)
    }

    @Test(
        arguments: [
            ([0x61, 0xff, 0x62], "a\\xffb"), ([0xc3], "\\xc3"), ([0xe2, 0x82], "\\xe2\\x82"),
            ([0xc0, 0x80], "\\xc0\\x80"), ([0xed, 0xa0, 0x80], "\\xed\\xa0\\x80"), ([0x80, 0xc3, 0xa9], "\\x80é"),
            ([0xf4, 0x90, 0x80, 0x80], "\\xf4\\x90\\x80\\x80"), ([0xe2, 0x41], "\\xe2A"),
        ] as [([UInt8], String)])
    func whatIsNotUTF8IsWrittenOut(_ name: [UInt8], _ shown: String) {
        #expect(ShownName(name).description == shown)
    }

    @Test func anyBytesBecomeOneLine() {
        for first in UInt8.min...UInt8.max {
            for second in stride(from: 0, through: 255, by: 5) {
                let name = [first, UInt8(second), first, 0xa9]
                let shown = ShownName(name).description
                #expect(!shown.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0xfffd }, "\(name)")
            }
        }
    }
}
