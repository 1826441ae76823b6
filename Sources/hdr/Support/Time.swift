import Glibc

/// Times as a user writes and reads them.
enum Time {
    static let second: UInt64 = 1_000_000_000

    /// Nanoseconds of seconds (12.5, 12.5s), milliseconds (500ms), minutes:seconds (1:02.5) or hours:minutes:seconds
    /// (1:02:03.5).
    static func parse(_ text: String, _ what: String) throws(UsageError) -> UInt64 {
        let error = UsageError(
            "\(what) is no time: '\(text)'; give seconds (12.5s), milliseconds (500ms) or hours:minutes:seconds "
                + "(1:02:03.5)")
        if text.hasSuffix("ms") {
            let number = text.dropLast(2)
            guard !number.contains(":"), !number.contains("."), let seconds = clockTime(number) else { throw error }
            return seconds / 1000
        }
        guard let time = clockTime(text.hasSuffix("s") ? text.dropLast() : text[...]) else { throw error }
        return time
    }

    /// Parses a time of numbers without a unit.
    private static func clockTime(_ text: Substring) -> UInt64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), let last = parts.last else { return nil }
        let digits = last.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = digits.count == 2 ? String(digits[1].prefix(9)) : ""
        let isEmpty = digits.allSatisfy { $0.isEmpty }
        guard !isEmpty, digits.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
        // Digit by digit: a binary number would miss the very frame that starts at a decimal one.
        let padded = fraction + String(repeating: "0", count: 9 - fraction.count)
        var total: UInt64 = 0
        let wholes = parts.dropLast().map(String.init) + [digits[0].isEmpty ? "0" : String(digits[0])]
        for (index, word) in wholes.enumerated() {
            guard word.utf8.count <= 12, word.utf8.allSatisfy({ (48...57).contains($0) }), let number = UInt64(word),
                index == 0 || number < 60
            else { return nil }
            total = total * 60 + number
        }
        let (nanoseconds, overflow) = total.multipliedReportingOverflow(by: second)
        guard !overflow, nanoseconds < 1 << 62, let small = UInt64(padded) else { return nil }
        return nanoseconds + small
    }

    /// A time as 1:02:03 or 2:03.
    static func clock(_ nanoseconds: UInt64) -> String {
        let seconds = nanoseconds / second
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }

    /// A time as 1:02:03.456 or 2:03.456, cut to milliseconds.
    static func exact(_ nanoseconds: UInt64) -> String {
        let rest = String(nanoseconds / 1_000_000 % 1000)
        return clock(nanoseconds) + "." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    private static func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
