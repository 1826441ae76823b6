/// The statistics of a pass for the next one: the text that libx265 writes into the file of its option `stats`.
///
/// libx265 3.5 uses numbers of this file as indices into its memory, and so reads and writes beyond it where the file
/// is damaged, or has fewer pictures than the next pass.
struct PassStatistics {
    /// A pair of numbers in the file, such as a size.
    struct Pair: Equatable {
        var first: Int
        var second: Int
    }

    /// Width and height of the pictures.
    let size: Pair
    /// Numerator and denominator of the frame rate.
    let rate: Pair
    let depth: Int
    /// The number of pictures.
    let count: Int
    /// libx265's slice types of the pictures that others refer to, in coding order.
    let referenced: [UInt8]

    /// Why a file cannot be used.
    struct Defect: Error, Equatable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(Defect) {
        guard bytes.starts(with: "#options:".utf8), let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
            throw Defect("it does not begin with the options of a pass of libx265")
        }
        guard !bytes.contains(0) else { throw Defect("it is damaged: it is no text") }
        let options = Self.words(bytes[..<lineEnd])
        guard let size = Self.pair("input-res=", "x", in: options), let rate = Self.pair("fps=", "/", in: options),
            let depth = Self.value("bitdepth=", in: options).flatMap({ Int($0) }),
            // libx265 reads these two without checking that they exist.
            Self.value("ref=", in: options) != nil, Self.value("ctu=", in: options) != nil
        else { throw Defect("its first line has not all options of a pass of libx265") }
        self.size = size
        self.rate = rate
        self.depth = depth
        let pictures = bytes[(lineEnd + 1)...]
        count = pictures.reduce(0) { $0 + ($1 == UInt8(ascii: ";") ? 1 : 0) }
        guard count > 0 else { throw Defect("it has no pictures: the pass before did not end") }
        let spaces = [UInt8](" \r\n".utf8)
        guard pictures.reversed().prefix(while: { $0 != UInt8(ascii: ";") }).allSatisfy(spaces.contains) else {
            throw Defect("it is damaged: it ends within picture \(count + 1)")
        }
        referenced = try Self.types(pictures, count: count)
    }

    /// The slice types of all pictures, each of which is checked.
    private static func types(_ text: Slice<UnsafeBufferPointer<UInt8>>, count: Int) throws(Defect) -> [UInt8] {
        var shown = [Bool](repeating: false, count: count)
        var referenced: [UInt8] = []
        var rest = text
        for index in 0..<count {
            guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { break }
            let words = words(rest[..<end])
            rest = rest[(end + 1)...]
            guard let picture = Picture(words), shown.indices.contains(picture.shown), picture.coded == index,
                !shown[picture.shown]
            else { throw Defect("it is damaged at picture \(index + 1) of \(count)") }
            shown[picture.shown] = true
            if picture.isReferenced { referenced.append(picture.type) }
        }
        return referenced
    }

    private struct Picture {
        var shown: Int
        var coded: Int
        var type: UInt8
        var isReferenced: Bool

        private static let names = [
            "in:", "out:", "type:", "q:", "q-aq:", "q-noVbv:", "q-Rceq:", "tex:", "mv:", "misc:", "icu:", "pcu:",
            "scu:",
        ]

        init?(_ words: [Substring]) {
            guard words.count >= Self.names.count,
                zip(words, Self.names).allSatisfy({ $0.hasPrefix($1) && $0.utf8.count > $1.utf8.count }),
                words.dropFirst(Self.names.count).allSatisfy(Self.isHarmless),
                let shown = Int(words[0].dropFirst(3)), let coded = Int(words[1].dropFirst(4)),
                words[7...9].allSatisfy({ word in
                    Int32(word.drop { $0 != ":" }.dropFirst()).map { $0 >= 0 } ?? false
                })
            else { return nil }
            self.shown = shown
            self.coded = coded
            isReferenced = true
            switch words[2].dropFirst(5) {
            case "I", "i": type = 2
            case "P": type = 1
            case "B": type = 0
            case "p":
                type = 1
                isReferenced = false
            case "b":
                type = 0
                isReferenced = false
            default: return nil
            }
        }

        /// Whether a word of the reference picture sets (`multi-pass-opt-rps`) has at most 16 pictures, and fits into
        /// the 128 or 40 bytes that libx265 has for it.
        private static func isHarmless(_ word: Substring) -> Bool {
            if word.hasPrefix("nump:") { return Int(word.dropFirst(5)).map { (0...16).contains($0) } ?? false }
            return word.utf8.count < (word.hasPrefix("deltapoc:") ? 128 : 40)
                && word.reduce(0) { $0 + ($1 == "~" ? 1 : 0) } <= 17
        }
    }

    // MARK: Words

    private static func words(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> [Substring] {
        String(decoding: text, as: UTF8.self).split { $0 == " " || $0 == "\n" || $0 == "\r\n" || $0 == "\t" }
    }

    private static func value(_ name: String, in words: [Substring]) -> Substring? {
        words.first { $0.hasPrefix(name) }.map { $0.dropFirst(name.count) }
    }

    private static func pair(_ name: String, _ separator: Character, in words: [Substring]) -> Pair? {
        guard let parts = value(name, in: words)?.split(separator: separator), parts.count == 2,
            let first = Int(parts[0]), let second = Int(parts[1])
        else { return nil }
        return Pair(first: first, second: second)
    }
}
