import Testing

@testable import HDRJSON

/// Pictures that are removed and repeated.
@Suite struct FrameEditsTests {
    private func edits(_ text: String) throws -> FrameEdits { try FrameEdits(Array(text.utf8)) }

    @Test func picturesAreRemovedAndThenRepeated() throws {
        let list = Array(0..<10)
        #expect(try edits(#"{"remove": ["0-3", "7"]}"#).applied(to: list) == [4, 5, 6, 8, 9])
        #expect(try edits(#"{"remove": ["0-3", "2-4"]}"#).applied(to: list) == [5, 6, 7, 8, 9])
        #expect(try edits("{}").applied(to: list) == list)
        let both = try edits(#"{"remove": ["0-6"], "duplicate": [{"source": 0, "offset": 3, "length": 2}]}"#)
        #expect(try both.applied(to: list) == [7, 8, 9, 7, 7])
        // Offsets are those of the list before any was repeated, in whatever order they stand.
        let several = try edits(
            """
            {"duplicate": [{"source": 1, "offset": 0, "length": 1}, {"source": 9, "offset": 10, "length": 1},
                           {"source": 5, "offset": 6, "length": 2}]}
            """)
        #expect(try several.applied(to: list) == [1, 0, 1, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9, 9])
    }

    @Test(
        arguments: [
            (#"{"remove": ["3-10"]}"#, "remove has picture 10, and there are 10, from 0 on"),
            (#"{"remove": ["3-1"]}"#, #"remove[0] in the JSON is "3-1", and should be like "0-39" or "5""#),
            (#"{"remove": ["a"]}"#, #"remove[0] in the JSON is "a", and should be like "0-39" or "5""#),
            (#"{"remove": [3]}"#, "remove[0] in the JSON is no text"),
            (#"{"remove": "0-3"}"#, "remove in the JSON is no array"),
            (#"{"removed": []}"#, "nothing is called removed in the JSON: there are remove, duplicate"),
            ("[]", "the JSON is no object"),
            (
                #"{"duplicate": [{"source": 10, "offset": 0, "length": 1}]}"#,
                "duplicate has source 10 and offset 0, and there are 10 pictures, from 0 on"
            ),
            (#"{"duplicate": [{"source": 0, "length": 1}]}"#, "there is no duplicate[0].offset in the JSON"),
        ]) func whatIsWrongIsNamed(_ text: String, _ message: String) throws
    {
        #expect(throws: JSONError(message)) { try edits(text).applied(to: Array(0..<10)) }
    }
}
