/// The kind of user data registered by ITU-T T.35, from its first bytes.
package enum RegisteredUserData: Equatable, Sendable {
    /// SMPTE ST 2094-40, HDR10+: country 0xB5, provider 0x003C, its code 1, application 4.
    case hdr10Plus
    /// A Dolby Vision RPU, as AV1 carries it: country 0xB5, provider 0x003B, its code 0x800.
    case dolbyVision
    /// SMPTE ST 2094-50: country 0xB5, provider 0x0090, its code 1.
    case adaptiveToneMap
    case other

    /// - Parameter payload: from the country code on.
    package init(_ payload: some Sequence<UInt8>) {
        switch Array(payload.prefix(7)) {
        case let first where first.starts(with: [0xB5, 0x00, 0x3C, 0x00, 0x01, 0x04]): self = .hdr10Plus
        case let first where first.starts(with: [0xB5, 0x00, 0x3B, 0x00, 0x00, 0x08, 0x00]): self = .dolbyVision
        case let first where first.starts(with: [0xB5, 0x00, 0x90, 0x00, 0x01]): self = .adaptiveToneMap
        default: self = .other
        }
    }
}
