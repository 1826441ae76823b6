extension ST209450Metadata {
    /// Country code 0xB5 (United States), provider 0x0090 (SMPTE), its code 0x0001: 7.3.
    static let prefix: [UInt8] = [0xB5, 0x00, 0x90, 0x00, 0x01]

    /// The payload of an ITU-T T.35 message from its country code on; that of a message that was read is the same.
    ///
    /// Throws where a value does not fit in the bits of its field, and where what images have in common differs.
    package var payload: [UInt8] {
        get throws(BitstreamError) {
            var writer = FieldWriter("ST 2094-50 metadata", capacity: 64)
            writer.append(bytes: Self.prefix)
            try writer.write(applicationVersion, bits: 3, "application_version")
            try writer.write(0, bits: 3, "minimum_application_version")
            try writer.write(reserved.x, bits: 2, "reserved_zero")
            writer.write(hdrReferenceWhite != nil)
            writer.write(adaptiveToneMap != nil)
            try writer.write(reserved.y, bits: 6, "reserved_zero")
            if let hdrReferenceWhite { writer.write(hdrReferenceWhite) }
            try adaptiveToneMap?.write(&writer)
            writer.append(bytes: trailing)
            return writer.bytes
        }
    }
}

extension ST209450Metadata.AdaptiveToneMap {
    fileprivate func write(_ writer: inout FieldWriter) throws(BitstreamError) {
        writer.write(baselineHDRHeadroom)
        switch mapping {
        case .referenceWhite(let reserved):
            writer.write(true)
            try writer.write(reserved, bits: 7, "reserved_zero")
        case .alternateImages(let alternate):
            writer.write(false)
            try alternate.write(&writer)
        }
    }
}

extension ST209450Metadata.AlternateImages {
    fileprivate func write(_ writer: inout FieldWriter) throws(BitstreamError) {
        guard images.count <= 4, uncoded == 0 || images.count == 4, uncoded <= 3 else {
            throw BitstreamError("ST 2094-50 metadata has \(images.count) + \(uncoded) alternate images: use at most 4")
        }
        try writer.write(images.count + Int(uncoded), bits: 3, "num_alternate_images")
        try writer.write(chromaticities.mode, bits: 2, "gain_application_space_chromaticities_mode")
        writer.write(hasCommonComponentMix)
        writer.write(hasCommonCurve)
        if case .custom(let values) = chromaticities {
            guard values.count == 8 else {
                throw BitstreamError(
                    "ST 2094-50 metadata has \(values.count) chromaticities: x and y of 4 points are 8")
            }
            for value in values { writer.write(value) }
        }
        for (index, image) in images.enumerated() {
            writer.write(image.hdrHeadroom)
            let first = index > 0 ? images.first : nil
            if let first, hasCommonComponentMix {
                guard image.componentMix == first.componentMix else { throw Self.difference(index, "component mix") }
            } else {
                try image.componentMix.write(&writer)
            }
            let shared = hasCommonCurve ? first?.gainCurve : nil
            if let shared, !shared.isLike(image.gainCurve) { throw Self.difference(index, "curve's x or slopes") }
            try image.gainCurve.write(&writer, isShared: shared != nil)
        }
    }

    private static func difference(_ index: Int, _ what: String) -> BitstreamError {
        BitstreamError(
            "alternate image \(index) of ST 2094-50 metadata has another \(what) than the first one, which has it in "
                + "common: make them equal, or do not set the flag")
    }
}

extension ST209450Metadata.Chromaticities {
    fileprivate var mode: Int {
        switch self {
        case .bt709: 0
        case .p3D65: 1
        case .bt2020: 2
        case .custom: 3
        }
    }
}

extension ST209450Metadata.ComponentMix {
    fileprivate func write(_ writer: inout FieldWriter) throws(BitstreamError) {
        let (type, rest): (Int, UInt8)
        var weights: [UInt16?] = []
        switch self {
        case .maximum(let reserved): (type, rest) = (0, reserved)
        case .component(let reserved): (type, rest) = (1, reserved)
        case .balanced(let reserved): (type, rest) = (2, reserved)
        case .custom(let values):
            guard values.count == 6 else {
                throw BitstreamError("ST 2094-50 metadata mixes \(values.count) components, and there are 6 weights")
            }
            weights = values
            (type, rest) = (3, values.reduce(0) { $0 << 1 | ($1 == nil ? 0 : 1) })
        }
        try writer.write(type, bits: 2, "component_mixing_type")
        try writer.write(rest, bits: 6, "reserved_zero")
        for case let weight? in weights { writer.write(weight) }
    }
}

extension ST209450Metadata.GainCurve {
    /// Whether the abscissas and the kind of slopes are the same.
    fileprivate func isLike(_ other: Self) -> Bool {
        usesPCHIPSlopes == other.usesPCHIPSlopes && reserved == other.reserved
            && controlPoints.map(\.x) == other.controlPoints.map(\.x)
    }

    fileprivate func write(_ writer: inout FieldWriter, isShared: Bool) throws(BitstreamError) {
        guard (1...32).contains(controlPoints.count) else {
            throw BitstreamError("ST 2094-50 metadata has a curve of \(controlPoints.count) points: use 1 to 32")
        }
        if !isShared {
            try writer.write(controlPoints.count - 1, bits: 5, "gain_curve_num_control_points_minus_1")
            writer.write(usesPCHIPSlopes)
            try writer.write(reserved, bits: 2, "reserved_zero")
            for point in controlPoints { writer.write(point.x) }
        }
        for point in controlPoints { writer.write(point.y) }
        if !usesPCHIPSlopes {
            for point in controlPoints { writer.write(point.theta) }
        }
    }
}
