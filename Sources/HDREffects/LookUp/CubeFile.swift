/// Why a `.cube` file cannot be read, with the number of the line, counted from 1.
package struct CubeFileError: Error, Equatable, CustomStringConvertible {
    package let line: Int
    package let message: String
    package var description: String { "line \(line): \(message)" }
}

extension ColorLUT {
    /// Reads a `.cube` file: Adobe's Cube LUT Specification 1.0, and DaVinci Resolve's form with both kinds of tables.
    ///
    /// Keywords come first: `TITLE`, `LUT_1D_SIZE`, `LUT_3D_SIZE`, `DOMAIN_MIN` and `DOMAIN_MAX`, which are for the
    /// first table, `LUT_1D_INPUT_RANGE` and `LUT_3D_INPUT_RANGE`. Rows of three numbers follow, those of the table for
    /// single components first, and in the cube red changes fastest. `#` begins a comment.
    package init(cubeFile bytes: [UInt8]) throws(CubeFileError) {
        var reader = CubeReader()
        try reader.read(bytes)
        self = try reader.lut()
    }
}

private struct CubeReader {
    private var title: String?
    private var lineSize: Int?
    private var cubeSize: Int?
    private var domainLow: SIMD3<Double>?
    private var domainHigh: SIMD3<Double>?
    private var lineRange: ColorLUT.Domain?
    private var cubeRange: ColorLUT.Domain?
    private var lines: [SIMD4<Float>] = []
    private var cube: [SIMD4<Float>] = []
    private var line = 0
    private var hasRows = false

    // MARK: Lines

    mutating func read(_ bytes: [UInt8]) throws(CubeFileError) {
        // Some editors put a byte-order mark first.
        var place = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
        while place < bytes.count {
            line += 1
            var end = place
            while end < bytes.count, bytes[end] != UInt8(ascii: "\n"), bytes[end] != UInt8(ascii: "\r") { end += 1 }
            try read(bytes[place..<end], rest: bytes.count - place)
            let isPair =
                end + 1 < bytes.count && bytes[end] == UInt8(ascii: "\r") && bytes[end + 1] == UInt8(ascii: "\n")
            place = end + (isPair ? 2 : 1)
        }
        line = max(line, 1)
    }

    /// - Parameter rest: the number of bytes left in the file.
    private mutating func read(_ text: ArraySlice<UInt8>, rest: Int) throws(CubeFileError) {
        var words = CubeWords(text)
        guard let first = words.next() else { return }
        let start = first[first.startIndex]
        if isLetter(start) {
            try readKeyword(String(decoding: first, as: UTF8.self), &words)
        } else {
            if !hasRows { try beginRows(rest: rest) }
            let color = SIMD3(try number(first), try number(words.next()), try number(words.next()))
            try end(&words)
            try add(color)
        }
    }

    private mutating func readKeyword(_ keyword: String, _ words: inout CubeWords) throws(CubeFileError) {
        guard !hasRows else { throw error("\(shown(keyword)) stands after the first row of numbers") }
        switch keyword {
        case "TITLE":
            try once(title, keyword)
            title = words.title()
            return
        case "LUT_1D_SIZE":
            try once(lineSize, keyword)
            lineSize = try size(words.next(), ColorLUT.lineSizes, keyword)
        case "LUT_3D_SIZE":
            try once(cubeSize, keyword)
            cubeSize = try size(words.next(), ColorLUT.cubeSizes, keyword)
        case "DOMAIN_MIN":
            try once(domainLow, keyword)
            domainLow = try color(&words)
        case "DOMAIN_MAX":
            try once(domainHigh, keyword)
            domainHigh = try color(&words)
        case "LUT_1D_INPUT_RANGE":
            try once(lineRange, keyword)
            lineRange = try range(&words)
        case "LUT_3D_INPUT_RANGE":
            try once(cubeRange, keyword)
            cubeRange = try range(&words)
        default: throw error("\(shown(keyword)) is not a keyword that is known here")
        }
        try end(&words)
    }

    /// Checks the header and prepares the table before the first row.
    private mutating func beginRows(rest: Int) throws(CubeFileError) {
        hasRows = true
        guard wanted > 0 else { throw error("a row of numbers, but no LUT_1D_SIZE or LUT_3D_SIZE before it") }
        // A row has at least six bytes, the last one five: no memory is allocated for rows that the file cannot
        // contain.
        guard wanted <= (rest + 1) / 6 else {
            throw error("\(wanted) rows should follow, more than the file has room for")
        }
        lines.reserveCapacity(lineSize ?? 0)
        cube.reserveCapacity(cubeCount)
    }

    private var cubeCount: Int { cubeSize.map { $0 * $0 * $0 } ?? 0 }
    private var wanted: Int { (lineSize ?? 0) + cubeCount }

    private mutating func add(_ color: SIMD3<Double>) throws(CubeFileError) {
        let value = SIMD4(Float(color.x), Float(color.y), Float(color.z), 0)
        if lines.count < lineSize ?? 0 {
            lines.append(value)
        } else if cube.count < cubeCount {
            cube.append(value)
        } else {
            throw error("a row too many: there should be \(wanted)")
        }
    }

    // MARK: The whole

    func lut() throws(CubeFileError) -> ColorLUT {
        guard wanted > 0 else { throw error("the file ends without LUT_1D_SIZE or LUT_3D_SIZE") }
        let count = lines.count + cube.count
        guard count == wanted else { throw error("the file ends after \(count) of \(wanted) rows") }
        let domain = ColorLUT.Domain(domainLow ?? SIMD3(0, 0, 0), domainHigh ?? SIMD3(1, 1, 1))
        for k in 0..<3 where !(domain.low[k] < domain.high[k]) {
            throw error("DOMAIN_MIN is not below DOMAIN_MAX")
        }
        var lut = ColorLUT(title: title ?? "")
        if let size = lineSize {
            lut.lines = ColorLUT.Table(size: size, domain: lineRange ?? domain, values: lines)
        }
        if let size = cubeSize {
            let own = lineSize == nil ? domain : ColorLUT.Domain()
            lut.cube = ColorLUT.Table(size: size, domain: cubeRange ?? own, values: cube)
        }
        return lut
    }

    // MARK: Words

    private func error(_ message: String) -> CubeFileError { CubeFileError(line: line, message: message) }

    private func once<T>(_ value: T?, _ keyword: String) throws(CubeFileError) {
        if value != nil { throw error("\(keyword) stands there for the second time") }
    }

    private func end(_ words: inout CubeWords) throws(CubeFileError) {
        if let more = words.next() { throw error("\(shown(more)) is more than belongs here") }
    }

    private func color(_ words: inout CubeWords) throws(CubeFileError) -> SIMD3<Double> {
        SIMD3(try number(words.next()), try number(words.next()), try number(words.next()))
    }

    private func range(_ words: inout CubeWords) throws(CubeFileError) -> ColorLUT.Domain {
        let (low, high) = (try number(words.next()), try number(words.next()))
        guard low < high else { throw error("the range's start is not below its end") }
        return ColorLUT.Domain(SIMD3(repeating: low), SIMD3(repeating: high))
    }

    private func size(
        _ word: ArraySlice<UInt8>?, _ range: ClosedRange<Int>, _ keyword: String
    ) throws(CubeFileError) -> Int {
        guard let word, let size = Int(String(decoding: word, as: UTF8.self)), range.contains(size) else {
            throw error("\(keyword) takes a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return size
    }

    private func number(_ word: ArraySlice<UInt8>?) throws(CubeFileError) -> Double {
        guard let word else { throw error("a number is missing") }
        // Numbers outside the range of single precision become infinite.
        guard let number = decimalNumber(word), Float(number).isFinite else {
            throw error("\(shown(word)) is not a number of single precision")
        }
        return number
    }

    /// A word of the file, short enough for a message and without control characters.
    private func shown(_ word: ArraySlice<UInt8>) -> String { shown(String(decoding: word, as: UTF8.self)) }
    private func shown(_ word: String) -> String {
        let plain = word.unicodeScalars.prefix(40).map { $0.value < 32 || $0.value == 127 ? "?" : String($0) }
        return "“\(plain.joined())\(word.unicodeScalars.count > 40 ? "…" : "")”"
    }
}

/// The words of a line, up to its comment.
private struct CubeWords {
    private let text: ArraySlice<UInt8>
    private var place: Int

    init(_ text: ArraySlice<UInt8>) {
        self.text = text
        place = text.startIndex
    }

    mutating func next() -> ArraySlice<UInt8>? {
        skipSpace()
        let start = place
        while place < text.endIndex, !isSpace(text[place]), text[place] != UInt8(ascii: "#") { place += 1 }
        if start == place { place = text.endIndex }
        return start < place && text[start] != UInt8(ascii: "#") ? text[start..<place] : nil
    }

    /// The text in quotation marks, or else the rest of the line.
    mutating func title() -> String {
        skipSpace()
        var rest = text[place...]
        place = text.endIndex
        while let last = rest.last, isSpace(last) { rest.removeLast() }
        if rest.first == UInt8(ascii: "\"") {
            rest.removeFirst()
            if let end = rest.firstIndex(of: UInt8(ascii: "\"")) { rest = rest[..<end] }
        }
        return String(decoding: rest, as: UTF8.self)
    }

    private mutating func skipSpace() {
        while place < text.endIndex, isSpace(text[place]) { place += 1 }
    }

    private func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}

private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
}

/// A decimal number, with a point and an exponent or without; `nil` for anything else, infinity and NaN included.
func decimalNumber(_ text: ArraySlice<UInt8>) -> Double? {
    var place = text.startIndex
    func byte() -> UInt8? { place < text.endIndex ? text[place] : nil }
    func digit() -> UInt64? {
        guard let b = byte(), (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(b) else { return nil }
        return UInt64(b - UInt8(ascii: "0"))
    }
    func sign() -> Bool {
        let isNegative = byte() == UInt8(ascii: "-")
        if isNegative || byte() == UInt8(ascii: "+") { place += 1 }
        return isNegative
    }

    let isNegative = sign()
    var (mantissa, exponent, digits) = (UInt64(0), 0, 0)
    // Whole numbers up to 2^53 are exact.
    var isExact = true
    var isFraction = false
    while true {
        if let d = digit() {
            digits += 1
            if mantissa < 1 << 49 {
                mantissa = mantissa * 10 + d
                if isFraction { exponent -= 1 }
            } else {
                isExact = false
            }
            place += 1
        } else if byte() == UInt8(ascii: "."), !isFraction {
            isFraction = true
            place += 1
        } else {
            break
        }
    }
    guard digits > 0 else { return nil }
    if byte() == UInt8(ascii: "e") || byte() == UInt8(ascii: "E") {
        place += 1
        let isSmall = sign()
        guard digit() != nil else { return nil }
        var power = 0
        while let d = digit() {
            power = min(power * 10 + Int(d), 100_000)
            place += 1
        }
        exponent += isSmall ? -power : power
    }
    guard place == text.endIndex else { return nil }
    // Powers of ten up to 10^22 are exact too, so the single operation rounds once.
    if isExact, abs(exponent) <= 22, mantissa < 1 << 53 {
        let power = powersOfTen[abs(exponent)]
        let size = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
        return isNegative ? -size : size
    }
    return Double(String(decoding: text, as: UTF8.self))
}

private let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
]
