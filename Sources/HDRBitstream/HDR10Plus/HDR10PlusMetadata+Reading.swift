import HDRMetadata

extension HDR10PlusMetadata {
    /// Reads the payload of an ITU-T T.35 message from its country code on.
    ///
    /// Throws where it is no HDR10+ message of a known version, where its windows are not 1...3, and where it is cut
    /// off.
    package init(payload: some Collection<UInt8>) throws(BitstreamError) {
        let bytes = Array(payload)
        guard RegisteredUserData(bytes) == .hdr10Plus else {
            throw BitstreamError("message is not HDR10+: it does not begin with B5 00 3C 00 01 04", at: 0)
        }
        var reader = RBSPReader(all: bytes, name: "HDR10+ message")
        try reader.skip(Self.prefix.count * 8)
        applicationVersion = try reader.byte()
        guard applicationVersion <= 1 else {
            throw reader.failure("has application_version \(applicationVersion), and 0 and 1 are known")
        }
        let count = Int(try reader.bits(2))
        guard count >= 1 else { throw reader.failure("has num_windows 0, and there are 1 to 3") }
        windows = Array(repeating: Window(), count: count)
        for index in windows.indices.dropFirst() { windows[index].region = try Region(&reader) }
        targetedSystemDisplayMaximumLuminance = try reader.bits(27)
        targetedSystemDisplayActualPeakLuminance = try ActualPeakLuminance.optional(&reader)
        for index in windows.indices { try windows[index].readLight(&reader) }
        masteringDisplayActualPeakLuminance = try ActualPeakLuminance.optional(&reader)
        for index in windows.indices { try windows[index].readCurve(&reader) }
        let free = reader.remaining % 8
        alignment = UInt8(truncatingIfNeeded: try reader.bits(free) << UInt32(8 - free))
        trailing = Array(bytes.suffix(reader.remaining / 8))
    }
}

extension HDR10PlusMetadata.Window {
    fileprivate mutating func readLight(_ reader: inout RBSPReader) throws(BitstreamError) {
        for component in 0..<3 { maxSCL[component] = try reader.bits(17) }
        averageMaxRGB = try reader.bits(17)
        let count = Int(try reader.bits(4))
        distributionMaxRGB.reserveCapacity(count)
        for _ in 0..<count {
            let percentage = UInt8(truncatingIfNeeded: try reader.bits(7))
            distributionMaxRGB.append(.init(percentage: percentage, percentile: try reader.bits(17)))
        }
        fractionBrightPixels = UInt16(truncatingIfNeeded: try reader.bits(10))
    }

    fileprivate mutating func readCurve(_ reader: inout RBSPReader) throws(BitstreamError) {
        if try reader.flag() { toneMapping = try .init(&reader) }
        if try reader.flag() { colorSaturationWeight = UInt8(truncatingIfNeeded: try reader.bits(6)) }
    }
}

extension HDR10PlusMetadata.Region {
    fileprivate init(_ reader: inout RBSPReader) throws(BitstreamError) {
        upperLeftCorner = try reader.pair(16)
        lowerRightCorner = try reader.pair(16)
        centerOfEllipse = try reader.pair(16)
        rotationAngle = try reader.byte()
        let axes = try reader.pair(16)
        (semimajorAxisInternalEllipse, semimajorAxisExternalEllipse) = (axes.x, axes.y)
        semiminorAxisExternalEllipse = UInt16(truncatingIfNeeded: try reader.bits(16))
        isLayered = try reader.flag()
    }
}

extension HDR10PlusMetadata.ActualPeakLuminance {
    /// Reads a structure that follows its flag.
    fileprivate static func optional(_ reader: inout RBSPReader) throws(BitstreamError) -> Self? {
        guard try reader.flag() else { return nil }
        let (height, width) = (Int(try reader.bits(5)), Int(try reader.bits(5)))
        var rows: [[UInt8]] = []
        for _ in 0..<height {
            var row: [UInt8] = []
            for _ in 0..<width { row.append(UInt8(truncatingIfNeeded: try reader.bits(4))) }
            rows.append(row)
        }
        return Self(rows: rows, columns: width)
    }
}

extension HDR10PlusMetadata.ToneMapping {
    fileprivate init(_ reader: inout RBSPReader) throws(BitstreamError) {
        kneePoint = try reader.pair(12)
        for _ in 0..<(try reader.bits(4)) {
            bezierCurveAnchors.append(UInt16(truncatingIfNeeded: try reader.bits(10)))
        }
    }
}

extension RBSPReader {
    /// Two numbers of up to 16 bits each: x and y.
    fileprivate mutating func pair(_ count: Int) throws(BitstreamError) -> SIMD2<UInt16> {
        let x = UInt16(truncatingIfNeeded: try bits(count))
        return SIMD2(x, UInt16(truncatingIfNeeded: try bits(count)))
    }
}
