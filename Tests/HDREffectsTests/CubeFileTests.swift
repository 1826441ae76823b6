import HDREffects
import TestSupport
import Testing

@Suite("Files of look-up tables")
struct CubeFileTests {
    static func read(_ text: String) throws -> ColorLUT { try ColorLUT(cubeFile: [UInt8](text.utf8)) }

    static let two = "0 0 0\n1 1 1\n"
    static let eight = (0..<8).map { "\($0 & 1) \($0 >> 1 & 1) \($0 >> 2)\n" }.joined()

    @Test("a cube with all that may stand there")
    func cube() throws {
        let text =
            "\u{FEFF}# a comment\r\n\tTITLE \"warm # and \t bright\" \r\n\r\nLUT_3D_SIZE\t2 # nodes\r\n"
            + "DOMAIN_MIN -1 -.5 +0.0\r\nDOMAIN_MAX 1e0 2.5E+0 100.e-2\r\n  # rows\r\n"
            + Self.eight.split(separator: "\n").map { " \t\($0)\t " }.joined(separator: "\r\n")
        let lut = try Self.read(text)
        #expect(lut.title == "warm # and \t bright")
        #expect(lut.lines == nil)
        let cube = try #require(lut.cube)
        #expect(cube.size == 2 && cube.values.count == 8)
        #expect(cube.domain == ColorLUT.Domain(SIMD3(-1, -0.5, 0), SIMD3(1, 2.5, 1)))
        // Red changes fastest.
        #expect(cube.values[1] == SIMD4(1, 0, 0, 0) && cube.values[4] == SIMD4(0, 0, 1, 0))
    }

    @Test("ends of lines of every system", arguments: ["\n", "\r\n", "\r"])
    func ends(_ end: String) throws {
        let text = "LUT_1D_SIZE 2\n0 1e-1 2\n1 2 -3".replacing("\n", with: end)
        let lines = try #require(try Self.read(text).lines)
        #expect(lines.values == [SIMD4(0, 0.1, 2, 0), SIMD4(1, 2, -3, 0)])
    }

    @Test("both kinds of tables, each with its range")
    func both() throws {
        let lut = try Self.read(
            "LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE -0.5 12\nLUT_3D_SIZE 2\nLUT_3D_INPUT_RANGE 0 2\n" + Self.two + Self.eight
        )
        #expect(lut.lines?.domain == ColorLUT.Domain(SIMD3(repeating: -0.5), SIMD3(repeating: 12)))
        #expect(lut.cube?.domain == ColorLUT.Domain(SIMD3(repeating: 0), SIMD3(repeating: 2)))
        #expect(lut.cube?.values.count == 8)
        // A domain is that of the first table.
        let other = try Self.read("LUT_3D_SIZE 2\nLUT_1D_SIZE 2\nDOMAIN_MAX 4 4 4\n" + Self.two + Self.eight)
        #expect(other.lines?.domain.high == SIMD3(4, 4, 4) && other.cube?.domain == ColorLUT.Domain())
    }

    @Test(
        "errors name the line, and what is wrong",
        arguments: [
            ("", 1, "the file ends without LUT_1D_SIZE or LUT_3D_SIZE"),
            ("TITLE \"x\"\n", 1, "the file ends without LUT_1D_SIZE or LUT_3D_SIZE"),
            ("0 0 0\n", 1, "a row of numbers, but no LUT_1D_SIZE or LUT_3D_SIZE before it"),
            ("LUT_1D_SIZE 1\n", 1, "LUT_1D_SIZE takes a whole number from 2 to 65536"),
            ("LUT_1D_SIZE 65537\n", 1, "LUT_1D_SIZE takes a whole number from 2 to 65536"),
            ("\n\nLUT_3D_SIZE 257\n", 3, "LUT_3D_SIZE takes a whole number from 2 to 256"),
            ("LUT_3D_SIZE 99999999999999999999\n", 1, "LUT_3D_SIZE takes a whole number from 2 to 256"),
            ("LUT_3D_SIZE\n", 1, "LUT_3D_SIZE takes a whole number from 2 to 256"),
            ("LUT_3D_SIZE 2.5\n", 1, "LUT_3D_SIZE takes a whole number from 2 to 256"),
            ("LUT_3D_SIZE 2 2\n", 1, "“2” is more than belongs here"),
            ("LUT_1D_SIZE 2\nLUT_1D_SIZE 2\n", 2, "LUT_1D_SIZE stands there for the second time"),
            ("LUT_1D_SIZE 2\n0 0 0 0\n", 2, "2 rows should follow, more than the file has room for"),
            ("LUT_1D_SIZE 2\n0 0 0 0\n1 1 1\n", 2, "“0” is more than belongs here"),
            ("LUT_1D_SIZE 2\n0 0\n1 1 1\n1 1 1", 2, "a number is missing"),
            ("LUT_1D_SIZE 2\n0 0 x\n1 1 1\n", 2, "“x” is not a number of single precision"),
            ("LUT_1D_SIZE 2\n0 0 0x1p3\n1 1 1\n", 2, "“0x1p3” is not a number of single precision"),
            ("LUT_1D_SIZE 2\n0 0 1e39\n1 1 1\n", 2, "“1e39” is not a number of single precision"),
            ("LUT_1D_SIZE 2\n0 0 0\n1 1,5 1\n", 3, "“1,5” is not a number of single precision"),
            ("LUT_1D_SIZE 2\n0 0 0\n1 1 1\n1 1 1\n", 4, "a row too many: there should be 2"),
            ("LUT_1D_SIZE 3\n0.1 0.1 0.1\n1 1 1\n", 3, "the file ends after 2 of 3 rows"),
            ("LUT_1D_SIZE 2\n0 0 0\nTITLE x\n1 1 1\n", 3, "“TITLE” stands after the first row of numbers"),
            ("LUT_IN_VIDEO_RANGE\n", 1, "“LUT_IN_VIDEO_RANGE” is not a keyword that is known here"),
            ("LUT_1D_SIZE 2\nDOMAIN_MAX 1 0 1\n0 0 0\n1 1 1\n", 4, "DOMAIN_MIN is not below DOMAIN_MAX"),
            ("LUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE 1 1\n", 2, "the range's start is not below its end"),
            (
                "LUT_3D_SIZE 256\n" + String(repeating: "0 0 0\n", count: 9), 2,
                "16777216 rows should follow, more than the file has room for"
            ),
        ])
    func errors(_ text: String, _ line: Int, _ message: String) throws {
        let error = #expect(throws: CubeFileError.self) { try Self.read(text) }
        #expect(error?.line == line)
        #expect(error?.message == message)
    }

    @Test("numbers are those that the standard library reads")
    func numbers() throws {
        var random = SeededGenerator(seed: 9)
        let fixed = ["0", "-0.0", ".5", "5.", "1e-45", "3.4028234e38", "1e-400", "0.10000000000000000555111512312578"]
        let texts =
            fixed
            + (0..<500).map { _ in
                let size = Double.random(in: -1...1, using: &random)
                return "\(size * [1e-9, 1, 1e5, 1e30].randomElement(using: &random)!)"
            }
        for text in texts {
            let lines = try #require(try Self.read("LUT_1D_SIZE 2\n0 0 0\n\(text) 1 1\n").lines)
            let plain = text.hasSuffix(".") ? String(text.dropLast()) : text.hasPrefix(".") ? "0" + text : text
            #expect(lines.values[1].x == Float(Double(plain)!), "\(text)")
        }
    }

    @Test("no bytes trap, and what is read has its size")
    func fuzz() throws {
        var random = SeededGenerator(seed: 20)
        let good = [
            [UInt8]("TITLE \"t\"\nLUT_1D_SIZE 2\nLUT_1D_INPUT_RANGE 0 1\nLUT_3D_SIZE 2\n".utf8)
                + [UInt8]((Self.two + Self.eight).utf8),
            [UInt8](("LUT_3D_SIZE 2\nDOMAIN_MIN 0 0 0\nDOMAIN_MAX 1 1 1\n" + Self.eight).utf8),
        ]
        let words = [
            "\n", "\r", "-", "e", ".", "#", "\"", "LUT_3D_SIZE ", "256", "1e999", "nan", "\0", "\u{FEFF}", " 9",
        ]
        var read = 0
        for _ in 0..<20_000 {
            var bytes = good.randomElement(using: &random)!
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let place = Int.random(in: 0...bytes.count, using: &random)
                switch Int.random(in: 0...3, using: &random) {
                case 0: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                case 1: bytes.insert(contentsOf: Array(words.randomElement(using: &random)!.utf8), at: place)
                case 2: bytes.removeSubrange(place..<min(place + 3, bytes.count))
                default: if place < bytes.count { bytes[place] = UInt8.random(in: 0...255, using: &random) }
                }
            }
            do {
                let lut = try ColorLUT(cubeFile: bytes)
                read += 1
                if let lines = lut.lines { #expect(lines.values.count == lines.size) }
                if let cube = lut.cube { #expect(cube.values.count == cube.size * cube.size * cube.size) }
                let found = lut(SIMD3(0.3, .nan, -2))
                #expect(found.x.isFinite && found.y.isFinite && found.z.isFinite)
            } catch {
                #expect((error as? CubeFileError).map { $0.line > 0 && !$0.message.isEmpty } == true)
            }
        }
        #expect(read > 1000)
    }
}
