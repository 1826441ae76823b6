import HDRMetadata

extension ST209450Metadata {
    /// Reads the payload of an ITU-T T.35 message from its country code on.
    ///
    /// Throws where it is no message of ST 2094-50, where it needs a later version of the standard, and where it is cut
    /// off.
    package init(payload: some Collection<UInt8>) throws(BitstreamError) {
        let bytes = Array(payload)
        guard RegisteredUserData(bytes) == .adaptiveToneMap else {
            throw BitstreamError("message is not of ST 2094-50: it does not begin with B5 00 90 00 01", at: 0)
        }
        var reader = RBSPReader(all: bytes, name: "ST 2094-50 message")
        try reader.skip(Self.prefix.count * 8)
        applicationVersion = try reader.small(3)
        let needed = try reader.bits(3)
        guard needed == 0 else {
            throw reader.failure("needs application version \(needed) of the standard, and 0 is known")
        }
        reserved.x = try reader.small(2)
        let hasWhite = try reader.flag()
        let hasToneMap = try reader.flag()
        reserved.y = try reader.small(6)
        if hasWhite { hdrReferenceWhite = try reader.word() }
        if hasToneMap { adaptiveToneMap = try AdaptiveToneMap(&reader) }
        trailing = Array(bytes.suffix(reader.remaining / 8))
    }
}

extension ST209450Metadata.AdaptiveToneMap {
    fileprivate init(_ reader: inout RBSPReader) throws(BitstreamError) {
        baselineHDRHeadroom = try reader.word()
        if try reader.flag() {
            mapping = .referenceWhite(reserved: try reader.small(7))
        } else {
            mapping = .alternateImages(try .init(&reader))
        }
    }
}

extension ST209450Metadata.AlternateImages {
    fileprivate init(_ reader: inout RBSPReader) throws(BitstreamError) {
        let count = try reader.small(3)
        let mode = try reader.bits(2)
        hasCommonComponentMix = try reader.flag()
        hasCommonCurve = try reader.flag()
        switch mode {
        case 0: chromaticities = .bt709
        case 1: chromaticities = .p3D65
        case 2: chromaticities = .bt2020
        default:
            var values: [UInt16] = []
            for _ in 0..<8 { values.append(try reader.word()) }
            chromaticities = .custom(values)
        }
        uncoded = count > 4 ? count - 4 : 0
        for _ in 0..<min(count, 4) {
            let headroom = try reader.word()
            let mix: ST209450Metadata.ComponentMix
            if let first = images.first, hasCommonComponentMix {
                mix = first.componentMix
            } else {
                mix = try .init(&reader)
            }
            let curve = try ST209450Metadata.GainCurve(
                &reader, sharedBy: hasCommonCurve ? images.first?.gainCurve : nil)
            images.append(.init(hdrHeadroom: headroom, componentMix: mix, gainCurve: curve))
        }
    }
}

extension ST209450Metadata.ComponentMix {
    fileprivate init(_ reader: inout RBSPReader) throws(BitstreamError) {
        let type = try reader.bits(2)
        let rest = try reader.small(6)
        switch type {
        case 0: self = .maximum(reserved: rest)
        case 1: self = .component(reserved: rest)
        case 2: self = .balanced(reserved: rest)
        default:
            var weights: [UInt16?] = []
            for index in 0..<6 { weights.append(rest & 0x20 >> UInt8(index) != 0 ? try reader.word() : nil) }
            self = .custom(weights)
        }
    }
}

extension ST209450Metadata.GainCurve {
    /// - Parameter first: the curve of the first image, where it shares its abscissas.
    fileprivate init(_ reader: inout RBSPReader, sharedBy first: Self?) throws(BitstreamError) {
        if let first {
            self = first
        } else {
            let count = Int(try reader.bits(5)) + 1
            usesPCHIPSlopes = try reader.flag()
            reserved = try reader.small(2)
            controlPoints = []
            controlPoints.reserveCapacity(count)
            for _ in 0..<count { controlPoints.append(.init(x: try reader.word(), y: 0)) }
        }
        for index in controlPoints.indices { controlPoints[index].y = try reader.word() }
        if !usesPCHIPSlopes {
            for index in controlPoints.indices { controlPoints[index].theta = try reader.word() }
        }
    }
}

extension RBSPReader {
    /// A number of up to 8 bits.
    fileprivate mutating func small(_ count: Int) throws(BitstreamError) -> UInt8 {
        UInt8(truncatingIfNeeded: try bits(count))
    }

    fileprivate mutating func word() throws(BitstreamError) -> UInt16 { UInt16(truncatingIfNeeded: try bits(16)) }
}
