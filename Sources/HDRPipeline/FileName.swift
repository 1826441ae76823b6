import CGStreamer

/// A file name in the system's bytes, which need not be UTF-8. Properties such as `location` accept it.
public struct FileName: Value, Hashable, Sendable, CustomStringConvertible {
    /// The name's bytes, without a terminating zero.
    public let bytes: [UInt8]

    /// Makes a name of text, as UTF-8.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// Makes a name of bytes, up to the first zero.
    public init(bytes: some Sequence<UInt8>) { self.bytes = Array(bytes.prefix { $0 != 0 }) }

    /// Makes a name from a zero-terminated string, such as an argument of the process.
    public init(_ text: UnsafePointer<CChar>) {
        bytes = UnsafeRawBufferPointer(start: text, count: Self.length(text)).map { $0 }
    }

    private static func length(_ text: UnsafePointer<CChar>) -> Int {
        var count = 0
        while text[count] != 0 { count += 1 }
        return count
    }

    /// The name as text, with a replacement character for bytes that are not UTF-8. It may contain control characters.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Calls `body` with the zero-terminated name.
    public func withPointer<Result>(_ body: (UnsafePointer<CChar>) throws -> Result) rethrows -> Result {
        try (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { buffer in
            // The buffer has at least one element.
            guard let base = buffer.baseAddress else { return try withUnsafePointer(to: CChar(0)) { try body($0) } }
            return try body(base)
        }
    }

    // MARK: Parts

    private var slash: Int? { bytes.lastIndex(of: UInt8(ascii: "/")) }

    /// The last path component.
    public var last: FileName { FileName(bytes: slash.map { bytes[($0 + 1)...] } ?? bytes[...]) }

    /// The folder that the file is in; `.` where the name contains none.
    public var folder: FileName {
        guard let slash else { return FileName(".") }
        return slash == 0 ? FileName("/") : FileName(bytes: bytes[..<slash])
    }

    /// The extension of the last path component in lower case with its dot, such as `.mov`; empty where there is none.
    public var ending: String {
        let name = last.bytes
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return "" }
        return String(decoding: name[dot...], as: UTF8.self).lowercased()
    }

    /// The name without its extension.
    public var stem: FileName {
        let name = last.bytes
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return self }
        return FileName(bytes: bytes.dropLast(name.count - dot))
    }

    /// The name of a file in this folder.
    public func appending(_ name: FileName) -> FileName {
        FileName(bytes: bytes + (bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]) + name.bytes)
    }

    /// The name with text appended.
    public static func + (name: FileName, more: String) -> FileName { FileName(bytes: name.bytes + Array(more.utf8)) }

    // MARK: As a value

    public static func read(_ value: UnsafePointer<GValue>) -> FileName? {
        guard value.holds(FundamentalType.string), let text = g_value_get_string(value) else { return nil }
        return FileName(text)
    }

    public func write(to value: UnsafeMutablePointer<GValue>) -> Bool {
        guard UnsafePointer(value).holds(FundamentalType.string) else { return false }
        withPointer { g_value_set_string(value, $0) }
        return true
    }
}
