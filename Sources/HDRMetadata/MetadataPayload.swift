// The one coding of static HDR metadata: the payload of an SEI message is also the payload of the box, because `mdcv`,
// `clli` and `amve` have no version or flags. What a later edition may add behind the fields is not read.

extension MasteringDisplay {
    package static let payloadSize = 24

    /// The payload of SEI 137 (H.265 D.2.28) and of box `mdcv` (ISO/IEC 14496-12 section 12.1.7): 24 bytes, big-endian,
    /// in the order green, blue, red, white, maximum, minimum. `nil` where there are fewer bytes.
    package init?(payload: some Collection<UInt8>) {
        let bytes = Array(payload.prefix(Self.payloadSize))
        guard let green = BigEndian.pair(bytes, 0), let blue = BigEndian.pair(bytes, 4),
            let red = BigEndian.pair(bytes, 8), let white = BigEndian.pair(bytes, 12),
            let maximum = BigEndian.u32(bytes, 16), let minimum = BigEndian.u32(bytes, 20)
        else { return nil }
        self.init(red: red, green: green, blue: blue, white: white, maximum: maximum, minimum: minimum)
    }

    package var payload: [UInt8] {
        var bytes: [UInt8] = []
        for point in [green, blue, red, white] { BigEndian.append(point, to: &bytes) }
        BigEndian.append(maximum, to: &bytes)
        BigEndian.append(minimum, to: &bytes)
        return bytes
    }
}

extension ContentLightLevel {
    package static let payloadSize = 4

    /// The payload of SEI 144 (H.265 D.2.35) and of box `clli` (ISO/IEC 14496-12 section 12.1.6): MaxCLL and MaxFALL, 4
    /// bytes, big-endian. `nil` where there are fewer bytes.
    package init?(payload: some Collection<UInt8>) {
        guard let levels = BigEndian.pair(Array(payload.prefix(Self.payloadSize)), 0) else { return nil }
        self.init(maximum: levels.x, frameAverage: levels.y)
    }

    package var payload: [UInt8] {
        var bytes: [UInt8] = []
        BigEndian.append(SIMD2(maximum, frameAverage), to: &bytes)
        return bytes
    }
}

extension AmbientViewing {
    package static let payloadSize = 8

    /// The payload of SEI 148 (H.265 D.2.39) and of box `amve` (ISO/IEC 14496-12): illuminance, x and y, 8 bytes,
    /// big-endian. `nil` where there are fewer bytes.
    package init?(payload: some Collection<UInt8>) {
        let bytes = Array(payload.prefix(Self.payloadSize))
        guard let illuminance = BigEndian.u32(bytes, 0), let light = BigEndian.pair(bytes, 4) else { return nil }
        self.init(illuminance: illuminance, light: light)
    }

    package var payload: [UInt8] {
        var bytes: [UInt8] = []
        BigEndian.append(illuminance, to: &bytes)
        BigEndian.append(light, to: &bytes)
        return bytes
    }
}
