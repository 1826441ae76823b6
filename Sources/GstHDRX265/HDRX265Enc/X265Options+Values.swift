/// Checks of values that libx265 does not check itself, and then ignores or misreads.
extension X265Options {
    /// The correct form of a value; `nil` where the value is valid.
    static func remedy(_ option: Option) -> String? {
        switch option.name {
        case "zones" where !areZones(option.value ?? ""):
            "write START,END,q=QUANTIZER or START,END,b=FACTOR, with / between zones: frames count from 0, a "
                + "quantizer is from 0 to 69 and a factor of the bit rate from 0.01 to 100"
        case "zones" where isTooLong(option.value ?? ""): "these are more zones than libx265 has room for"
        case "master-display" where !isMasteringDisplay(option.value ?? ""):
            "write primaries and white in steps of 0.00002 and the luminances in steps of 0.0001 cd/m2, such as "
                + "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)"
        default: nil
        }
    }

    // MARK: Zones

    private static func areZones(_ text: String) -> Bool {
        text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(isZone)
    }

    private static func isZone(_ text: Substring) -> Bool {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 3, let start = Int32(parts[0]), let end = Int32(parts[1]), 0 <= start, start <= end else {
            return false
        }
        let number = parts[2].dropFirst(2)
        if parts[2].hasPrefix("q=") { return Int32(number).map { (0...69).contains($0) } ?? false }
        return parts[2].hasPrefix("b=") && (Double(number).map { (0.01...100).contains($0) } ?? false)
    }

    /// Whether zones exceed the room in which libx265 3.5 writes its parameters as text: 64 bytes for each zone, and a
    /// constant of which the other parameters leave about 1400.
    private static func isTooLong(_ text: String) -> Bool {
        let zones = text.split(separator: "/")
        let size = zones.reduce(0) { sum, zone in
            let frames = zone.split(separator: ",").prefix(2).reduce(0) { $0 + $1.utf8.count }
            return sum + " zones: start-frame= end-frame= bitrate-factor=100.000000".utf8.count + frames
        }
        return size > 64 * zones.count + 1000
    }

    // MARK: Mastering display

    /// Whether libx265 can parse the value, which needs no closing bracket.
    private static func isMasteringDisplay(_ text: String) -> Bool {
        var rest = text[...]
        for name in ["G", "B", "R", "WP", "L"] {
            guard rest.hasPrefix("\(name)(") else { return false }
            rest = rest.dropFirst(name.count + 1)
            let numbers = rest.prefix { $0 != ")" }
            let pair = numbers.split(separator: ",", omittingEmptySubsequences: false)
            let limit = name == "L" ? UInt32.max : UInt32(UInt16.max)
            guard pair.count == 2,
                pair.allSatisfy({ part in UInt32(part.drop { $0 == " " }).map { $0 <= limit } ?? false })
            else { return false }
            rest = rest.dropFirst(numbers.count + 1)
        }
        return rest.isEmpty
    }
}
