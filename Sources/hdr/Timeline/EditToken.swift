import HDRPipeline

/// A word of an edit list.
struct EditToken: Sendable {
    let text: String
    /// The word as a file name, in which bytes that are not UTF-8 are kept.
    let file: FileName
    let place: EditPlace
    /// Whether it was in quotes, and so is neither `+` nor a keyword.
    var isQuoted = false
    /// Whether it is the first of its line.
    var beginsLine = false

    /// The part of `name=value` behind the name.
    func value(behind name: String) -> EditToken {
        let count = name.utf8.count + 1
        return EditToken(
            text: String(decoding: Array(text.utf8).dropFirst(count), as: UTF8.self),
            file: FileName(bytes: file.bytes.dropFirst(count)), place: place)
    }

    /// Splits the lines of a file into words: they are separated by spaces, with double quotes around words that
    /// contain spaces, `\"` and `\\` in these, and comments from a word that begins with `#` to the end of the line.
    static func read(_ bytes: [UInt8], of file: FileName) throws -> [EditToken] {
        var tokens: [EditToken] = []
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        if let first = lines.first, first.starts(with: [0xEF, 0xBB, 0xBF]) { lines[0] = first.dropFirst(3) }
        for (index, line) in lines.enumerated() {
            try read(line, EditPlace(file: file, line: index + 1), into: &tokens)
        }
        return tokens
    }

    private static func read(_ line: ArraySlice<UInt8>, _ place: EditPlace, into tokens: inout [EditToken]) throws {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        var rest = line
        var isFirst = true
        while true {
            rest = rest.drop(while: isSpace)
            guard let first = rest.first, first != UInt8(ascii: "#") else { return }
            var (word, isQuoted, isOpen): ([UInt8], Bool, Bool) = ([], false, false)
            while let byte = rest.first, isOpen || !isSpace(byte) {
                rest = rest.dropFirst()
                if byte == quote {
                    isOpen.toggle()
                    isQuoted = isQuoted || word.isEmpty
                } else if isOpen, byte == backslash, let next = rest.first, next == quote || next == backslash {
                    word.append(next)
                    rest = rest.dropFirst()
                } else {
                    word.append(byte)
                }
            }
            guard !isOpen else { throw place.error("a quote is open: close it with another \"") }
            tokens.append(
                EditToken(
                    text: String(decoding: word, as: UTF8.self), file: FileName(bytes: word), place: place,
                    isQuoted: isQuoted, beginsLine: isFirst))
            isFirst = false
        }
    }
}
