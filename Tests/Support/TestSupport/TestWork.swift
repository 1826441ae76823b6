import Foundation

/// The share of their work that long tests do.
package enum TestWork {
    private static func number(_ name: String) -> Double? {
        ProcessInfo.processInfo.environment[name].flatMap(Double.init)
    }

    /// `GST_HDR_TEST_SCALE`, 0 to 1: less for runs under a sanitizer.
    package static let scale = number("GST_HDR_TEST_SCALE") ?? 1

    /// `count` scaled, and never less than `least`.
    package static func scaled(_ count: Int, least: Int = 1) -> Int { max(least, Int(Double(count) * scale)) }

    /// The inputs of a fuzzer: `HDR_FUZZ`, or else `release` of them, and `debug` of them in a debug build, such as
    /// those with sanitizers are.
    package static func inputs(release: Int, debug: Int) -> Int {
        if let count = number("HDR_FUZZ").flatMap({ Int(exactly: $0) }) { return count }
        #if DEBUG
            return debug
        #else
            return release
        #endif
    }
}
