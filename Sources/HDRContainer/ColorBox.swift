import HDRMetadata

/// The boxes of a video sample entry that describe its colour by code points of H.273.
enum ColorBox {
    /// The payload of box `colr`: `nclc` in QuickTime files, and `nclx` with the range in ISO files (ISO/IEC 14496-12
    /// section 12.1.5).
    static func payload(_ color: ColorDescription, isQuickTime: Bool, isFullRange: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        BigEndian.append((isQuickTime ? FourCC.nclc : .nclx).value, to: &bytes)
        for code in [color.primaries, color.transfer, color.matrix] { BigEndian.append(UInt16(code), to: &bytes) }
        if !isQuickTime { bytes.append(isFullRange ? 0x80 : 0) }
        return bytes
    }

    /// The code points of `nclc` or `nclx`; `nil` for an ICC profile.
    static func color(_ payload: [UInt8]) -> ColorDescription? {
        guard let type = BigEndian.u32(payload, 0).map({ FourCC($0) }), type == .nclc || type == .nclx,
            let primaries = BigEndian.u16(payload, 4), let transfer = BigEndian.u16(payload, 6),
            let matrix = BigEndian.u16(payload, 8)
        else { return nil }
        // The value 2 means unspecified; H.273 has no code point above 255.
        return ColorDescription(
            primaries: UInt8(exactly: primaries) ?? 2, transfer: UInt8(exactly: transfer) ?? 2,
            matrix: UInt8(exactly: matrix) ?? 2,
            isFullRange: type == .nclx ? BigEndian.u8(payload, 10).map { $0 & 0x80 != 0 } : nil,
            chromaLocation: nil)
    }

    /// The code points of box `vpcC` ("VP Codec ISO Media File Format Binding"), which follow version, profile, level,
    /// bit depths and range. VP9's frames contain only the matrix.
    static func vp9Color(_ payload: [UInt8]) -> ColorDescription? {
        guard payload.count >= 10, payload[0] == 1 else { return nil }
        let color = ColorDescription(
            primaries: payload[7], transfer: payload[8], matrix: payload[9], isFullRange: payload[6] & 1 != 0)
        return color.isUnspecified ? nil : color
    }
}
