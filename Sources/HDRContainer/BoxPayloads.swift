import HDRMetadata

/// The payloads of the boxes of a sample entry that tell about colour and light.
enum BoxPayloads {
    /// Box `mdcv` (ISO/IEC 14496-12 section 12.1.7): green, blue, red, white, peak, black, 24 bytes, as in the SEI message.
    static func mdcv(_ display: MasteringDisplay) -> [UInt8] {
        var bytes: [UInt8] = []
        for point in [display.green, display.blue, display.red, display.white] {
            ContainerBytes.append(point.x, to: &bytes)
            ContainerBytes.append(point.y, to: &bytes)
        }
        ContainerBytes.append(display.maximum, to: &bytes)
        ContainerBytes.append(display.minimum, to: &bytes)
        return bytes
    }

    static func masteringDisplay(_ payload: [UInt8]) -> MasteringDisplay? {
        guard let green = point(payload, 0), let blue = point(payload, 4), let red = point(payload, 8),
            let white = point(payload, 12), let maximum = ContainerBytes.u32(payload, 16),
            let minimum = ContainerBytes.u32(payload, 20)
        else { return nil }
        return MasteringDisplay(
            red: red, green: green, blue: blue, white: white, maximum: maximum, minimum: minimum)
    }

    /// Box `clli` (ISO/IEC 14496-12 section 12.1.6): MaxCLL, MaxFALL, 4 bytes.
    static func clli(_ level: ContentLightLevel) -> [UInt8] {
        var bytes: [UInt8] = []
        ContainerBytes.append(level.maximum, to: &bytes)
        ContainerBytes.append(level.frameAverage, to: &bytes)
        return bytes
    }

    static func contentLightLevel(_ payload: [UInt8]) -> ContentLightLevel? {
        guard let maximum = ContainerBytes.u16(payload, 0), let average = ContainerBytes.u16(payload, 2) else {
            return nil
        }
        return ContentLightLevel(maximum: maximum, frameAverage: average)
    }

    /// Box `amve`: illuminance and white, 8 bytes, as in the SEI message.
    static func amve(_ viewing: AmbientViewing) -> [UInt8] {
        var bytes: [UInt8] = []
        ContainerBytes.append(viewing.illuminance, to: &bytes)
        ContainerBytes.append(viewing.light.x, to: &bytes)
        ContainerBytes.append(viewing.light.y, to: &bytes)
        return bytes
    }

    static func ambientViewing(_ payload: [UInt8]) -> AmbientViewing? {
        guard let illuminance = ContainerBytes.u32(payload, 0), let light = point(payload, 4) else { return nil }
        return AmbientViewing(illuminance: illuminance, light: light)
    }

    /// Box `colr`: `nclc` in QuickTime files, and `nclx` with the range in ISO files (ISO/IEC 14496-12 section 12.1.5).
    static func colr(_ color: ColorDescription, isQuickTime: Bool, isFullRange: Bool) -> [UInt8] {
        var bytes: [UInt8] = []
        ContainerBytes.append((isQuickTime ? FourCC.nclc : .nclx).value, to: &bytes)
        for code in [color.primaries, color.transfer, color.matrix] { ContainerBytes.append(UInt16(code), to: &bytes) }
        if !isQuickTime { bytes.append(isFullRange ? 0x80 : 0) }
        return bytes
    }

    /// The code points of `nclc` or `nclx`; `nil` for a profile.
    static func color(_ payload: [UInt8]) -> ColorDescription? {
        guard let type = ContainerBytes.u32(payload, 0).map({ FourCC($0) }), type == .nclc || type == .nclx,
            let primaries = ContainerBytes.u16(payload, 4), let transfer = ContainerBytes.u16(payload, 6),
            let matrix = ContainerBytes.u16(payload, 8)
        else { return nil }
        // 2 is "unspecified"; H.273 has no code point over 255.
        return ColorDescription(
            primaries: UInt8(exactly: primaries) ?? 2, transfer: UInt8(exactly: transfer) ?? 2,
            matrix: UInt8(exactly: matrix) ?? 2,
            isFullRange: type == .nclx ? ContainerBytes.u8(payload, 10).map { $0 & 0x80 != 0 } : nil,
            chromaLocation: nil)
    }

    /// Box `vpcC` ("VP Codec ISO Media File Format Binding"): version, profile, level, depths and range, then the code
    /// points, of which VP9's frames tell the matrix only.
    static func vp9Color(_ payload: [UInt8]) -> ColorDescription? {
        guard payload.count >= 10, payload[0] == 1 else { return nil }
        let color = ColorDescription(
            primaries: payload[7], transfer: payload[8], matrix: payload[9], isFullRange: payload[6] & 1 != 0)
        return color.isUnspecified ? nil : color
    }

    /// A whole box. The payloads here have no more than a codec configuration's bytes.
    static func box(_ type: FourCC, _ payload: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + 8)
        ContainerBytes.append(UInt32(truncatingIfNeeded: payload.count + 8), to: &bytes)
        ContainerBytes.append(type.value, to: &bytes)
        return bytes + payload
    }

    private static func point(_ bytes: [UInt8], _ offset: Int) -> SIMD2<UInt16>? {
        guard let x = ContainerBytes.u16(bytes, offset), let y = ContainerBytes.u16(bytes, offset + 2) else {
            return nil
        }
        return SIMD2(x, y)
    }
}
