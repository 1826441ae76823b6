/// Closed captions of a video, as they come with its pictures: those of CEA-608 where there are any, else of CEA-708.
package struct ClosedCaptions: Equatable, Sendable {
    private var line21 = CEA608()
    private var digital = CEA708()
    private var hasLine21 = false

    package init() {}

    /// The text that is visible now, line by line; empty for none.
    package var text: String { hasLine21 ? line21.text : digital.text }

    /// Reads cc_data of ANSI/CTA-708-E section 4.3: packets of three bytes.
    package mutating func read(packets: ArraySlice<UInt8>) {
        var rest = packets
        while rest.count >= 3 {
            let (flags, a, b) = (rest[rest.startIndex], rest[rest.startIndex + 1], rest[rest.startIndex + 2])
            rest = rest.dropFirst(3)
            guard flags & 4 != 0 else { continue }
            switch flags & 3 {
            case 0: read(line21: a, b)
            case 1: break
            default: digital.read(a, b, isStart: flags & 3 == 3)
            }
        }
    }

    /// Reads two bytes of the first field.
    package mutating func read(line21 a: UInt8, _ b: UInt8) {
        // Padding does not count as captions.
        if a & 0x7f != 0 || b & 0x7f != 0 { hasLine21 = true }
        line21.read(a, b)
    }

    /// Reads a caption distribution packet: SMPTE ST 334-2.
    package mutating func read(distribution bytes: ArraySlice<UInt8>) {
        guard bytes.starts(with: [0x96, 0x69]), bytes.count > 7 else { return }
        var rest = bytes.dropFirst(7)
        if rest.first == 0x71 { rest = rest.dropFirst(5) }
        guard rest.popFirst() == 0x72, let count = rest.popFirst() else { return }
        read(packets: rest.prefix(Int(count & 0x1f) * 3))
    }
}
