import Testing

@testable import HDRJSON

@Suite struct JSONReaderTests {
    private func read(_ text: String) throws(JSONError) -> JSON { try JSON(Array(text.utf8)) }

    @Test func valuesOfAllKinds() throws {
        let json = try read(
            #" {"a" : [1, -2.5e+3, true, false, null], "b": {}, "c": [] , "d": "\"\\\/\b\f\n\r\té\u00e9\ud83d\ude00"}"#)
        #expect(
            json["a"]
                == .array([.number("1"), .number("-2.5e+3"), .bool(true), .bool(false), .null]))
        #expect(json["b"] == .object([]) && json["c"] == .array([]))
        #expect(json["d"]?.string == "\"\\/\u{8}\u{C}\n\r\téé😀")
        #expect(json["e"] == nil && json["a"]?["a"] == nil)
        #expect(try read("0").integer == 0)
        #expect(try read("-0.0").integer == nil)
        #expect(try JSON([0xEF, 0xBB, 0xBF, 0x31]).integer == 1)
    }

    @Test(arguments: [
        "", " ", "{", "[", "[1,]", "[1 2]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{\"a\":1,\"a\":2}", "01", "-", "1.",
        ".5",
        "1e", "+1", "tru", "nul", "\"", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
        "\"a\nb\"",
        "1 1", "[1]]", "{\"a\"", "{\"a\":", "\"\\", "NaN", "[\"a\": 1]", "{1: 2}", "'a'", "// a\n1",
    ]) func whatIsNoJSONIsRefused(text: String) {
        #expect(throws: JSONError.self) { try read(text) }
    }

    @Test func errorsNameTheLine() {
        #expect(throws: JSONError("this is no valid JSON: an array goes on without a comma", line: 3)) {
            try read("[\n1\n2]")
        }
        #expect(throws: JSONError.self) { try JSON([0x22, 0xFF, 0x22]) }
    }

    @Test func depthIsLimited() throws {
        func nest(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(try read(nest(64)).array?.count == 1)
        #expect(throws: JSONError.self) { try read(nest(65)) }
        #expect(throws: JSONError.self) { try read(String(repeating: "[{\"a\":", count: 200_000)) }
    }

    @Test func whatIsWrittenIsRead() throws {
        let json = JSON.object([
            ("text", .string("\u{1b}[1m \"quoted\" \\ \u{202E}é\n")),
            ("numbers", .array([.integer(-5), .decimal(0.25)])),
            ("nested", .object([("null", .null), ("flags", .array([.bool(true), .array([])]))])),
        ])
        for indent in [nil, "", "  "] as [String?] {
            var text = ""
            json.write(to: &text, indent: indent)
            #expect(try read(text) == json)
        }
    }

    @Test func numbersAreTakenByRange() throws {
        let json = try read("{\"a\": [1, 2, 300], \"b\": 1.5}")
        #expect(try json.member("a", of: "").integers(0...300, "a") == [1, 2, 300])
        #expect(throws: JSONError("a[2] in the JSON is 300, and should be a whole number from 0 to 255")) {
            try json.member("a", of: "").integers(0...255, "a")
        }
        #expect(throws: JSONError("there is no x.c in the JSON")) { try json.member("c", of: "x") }
        #expect(throws: JSONError.self) { try json.member("b", of: "").integer(0...9, "b") }
        #expect(throws: JSONError.self) { try json.member("b", of: "").integers(0...9, "b") }
    }
}
