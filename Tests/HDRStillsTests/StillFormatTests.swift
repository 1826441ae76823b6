import HDRStills
import Testing

@Suite struct StillFormatTests {
    @Test(arguments: ["a.png", "A.PNG", "/x.exr/b.Png", "..png", "a.b.png", "é.png"])
    func png(name: String) throws {
        #expect(try StillFormat(fileName: name) == .png)
    }

    @Test(arguments: ["a.exr", "frame.0001.EXR", "a b.exr"])
    func openEXR(name: String) throws {
        #expect(try StillFormat(fileName: name) == .openEXR)
    }

    @Test(arguments: ["", "a", ".png", "/tmp/.exr", "/a.png/b", "a.png/", "a.", "a.jpg", "a.png ", "a.pngx", "a.p\0ng"])
    func othersAreRefusedWithWhatIsPossible(name: String) {
        #expect {
            try StillFormat(fileName: name)
        } throws: { error in
            "\(error)".contains(".png or .exr")
        }
    }
}
