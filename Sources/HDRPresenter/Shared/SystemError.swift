import Glibc

/// The system's text for an error number, `errno` by default. Any thread may call it.
func systemError(_ number: Int32 = errno) -> String {
    var text = [CChar](repeating: 0, count: 256)
    guard strerror_r(number, &text, text.count) == 0 else { return "error \(number)" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
