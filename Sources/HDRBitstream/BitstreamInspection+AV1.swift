import HDRMetadata

extension BitstreamInspection {
    /// AV1CodecConfigurationRecord: four bytes, then OBUs.
    mutating func readAV1(configuration: UnsafeRawBufferPointer) throws(BitstreamError) {
        guard configuration.count >= 4 else { throw BitstreamError("av1C ends too early", at: configuration.count) }
        guard configuration[0] == 0x81 else {
            throw BitstreamError("av1C begins with \(configuration[0]), and marker and version 1 make 129", at: 0)
        }
        try readAV1(units: configuration.part(4..<configuration.count))
    }

    /// OBUs in the low-overhead format: 5.2.
    mutating func readAV1(units bytes: UnsafeRawBufferPointer) throws(BitstreamError) {
        var failure: BitstreamError?
        var reader = AV1UnitReader(bytes)
        while let unit = try reader.next() {
            let payload = bytes.part(unit.payload)
            switch unit.type {
            case AV1UnitType.sequenceHeader:
                do { adopt(try AV1SequenceHeader(payload: Array(payload))) } catch { failure = failure ?? error }
            case AV1UnitType.metadata: adopt(metadata: payload)
            default: break
            }
        }
        if let failure { throw failure }
    }

    private mutating func adopt(_ header: AV1SequenceHeader) {
        color = header.color
        (width, height) = (header.width, header.height)
        (lumaDepth, chromaDepth) = (header.bitDepth, header.bitDepth)
        chromaFormat = header.chromaFormat
        profileName = header.profileName
        levelName = header.levelName
    }

    private mutating func adopt(metadata bytes: UnsafeRawBufferPointer) {
        guard let type = LEB128.read(bytes, at: 0) else { return }
        let payload = bytes.part(type.end..<bytes.count)
        switch type.value {
        case AV1UnitType.contentLightLevel:
            contentLightLevel = ContentLightLevel(payload: payload) ?? contentLightLevel
        case AV1UnitType.masteringDisplay:
            masteringDisplay = MasteringDisplay(av1Payload: payload) ?? masteringDisplay
        case AV1UnitType.registeredUserData:
            let kind = RegisteredUserData(payload)
            if kind == .dolbyVision {
                (hasDolbyVisionRPU, dolbyVisionProfile) = (true, 10)
                // An RPU that relies on an earlier one may not tell its profile.
                if let profile = (try? DolbyVisionRPU(t35: Array(payload)))?.signaledProfile {
                    needsDolbyVision = profile == 5
                }
            }
            adopt(kind, payload)
        default: break
        }
    }
}

extension MasteringDisplay {
    /// metadata_hdr_mdcv() of AV1 6.7.4: red, green, blue and white in 0.16 fixed point, maximum in 24.8 and minimum in
    /// 18.14, in cd/m². `nil` where it is cut off.
    init?(av1Payload payload: some Collection<UInt8>) {
        guard let raw = MasteringDisplay(payload: payload) else { return nil }
        func steps(_ point: SIMD2<UInt16>) -> SIMD2<UInt16> {
            let x = (UInt32(point.x) * 50000 + 1 << 15) >> 16
            let y = (UInt32(point.y) * 50000 + 1 << 15) >> 16
            return SIMD2(UInt16(truncatingIfNeeded: x), UInt16(truncatingIfNeeded: y))
        }
        func luminance(_ value: UInt32, fraction: UInt64) -> UInt32 {
            UInt32(clamping: (UInt64(value) * 10000 + (1 << fraction) / 2) >> fraction)
        }
        // The fields lie as in SEI 137, whose first primary is green.
        self.init(
            red: steps(raw.green), green: steps(raw.blue), blue: steps(raw.red), white: steps(raw.white),
            maximum: luminance(raw.maximum, fraction: 8), minimum: luminance(raw.minimum, fraction: 14))
    }
}
