import HDRMetadata

// Metadata OBUs: AV1 5.8.2, and "HDR10+ AV1 Metadata Handling Specification" 1.0.1 of AOM for their place.
extension UserDataEditor {
    /// A payload as a metadata OBU with a size.
    package static func av1Unit(_ payload: [UInt8]) -> [UInt8] {
        av1Unit(payload, header: [AV1UnitType.metadata << 3 | hasSize])
    }

    private static let hasExtension: UInt8 = 4
    private static let hasSize: UInt8 = 2

    private static func av1Unit(_ payload: [UInt8], header: [UInt8]) -> [UInt8] {
        var content: [UInt8] = []
        LEB128.append(AV1UnitType.registeredUserData, to: &content)
        // trailing_bits(): a stop bit, and zeros up to a whole byte.
        content += payload + [0x80]
        var unit = header
        LEB128.append(content.count, to: &unit)
        return unit + content
    }

    /// The message of ITU-T T.35 that a unit carries, from its country code on; `nil` of any other unit. Its end is the
    /// last bit that is set.
    static func registeredUserData(of unit: AV1Unit, in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard unit.type == AV1UnitType.metadata else { return nil }
        let content = bytes.part(unit.payload)
        guard let type = LEB128.read(content, at: 0), type.value == AV1UnitType.registeredUserData else { return nil }
        let userData = content.part(type.end..<content.count)
        guard let last = userData.lastIndex(where: { $0 != 0 }), userData[last] == 0x80 else { return Array(userData) }
        return Array(userData[..<last])
    }

    /// The payload of a unit of the wanted kind; `nil` of any other one.
    private func payload(of unit: AV1Unit, in bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let message = Self.registeredUserData(of: unit, in: bytes), RegisteredUserData(message) == kind else {
            return nil
        }
        return message
    }

    func payloads(ofAV1 bytes: UnsafeRawBufferPointer) throws(BitstreamError) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var reader = AV1UnitReader(bytes)
        while let unit = try reader.next() {
            if let payload = payload(of: unit, in: bytes) { found.append(payload) }
        }
        return found
    }

    func setting(_ payload: [UInt8]?, inAV1 bytes: UnsafeRawBufferPointer) throws(BitstreamError) -> [UInt8]? {
        var changes: [(range: Range<Int>, unit: [UInt8])] = []
        var shown: Int?
        var isReduced = false
        // The payload that has not been written yet.
        var waiting = payload
        var reader = AV1UnitReader(bytes)
        while let unit = try reader.next() {
            if unit.type == AV1UnitType.sequenceHeader {
                isReduced = bytes.part(unit.payload).first.map(Self.isReduced) ?? false
            }
            if shown == nil, Self.isShown(unit, in: bytes, isReduced: isReduced) { shown = unit.whole.lowerBound }
            guard let old = self.payload(of: unit, in: bytes) else { continue }
            if let new = waiting {
                if new != old {
                    changes.append((unit.whole, Self.av1Unit(new, header: Self.header(of: unit, in: bytes))))
                }
            } else {
                changes.append((unit.whole, []))
            }
            waiting = nil
        }
        if let waiting {
            guard let shown else {
                throw BitstreamError("temporal unit shows no frame that metadata could be put in front of")
            }
            // A single insertion is the only change.
            changes = [(shown..<shown, Self.av1Unit(waiting))]
        }
        return changes.isEmpty ? nil : Self.apply(changes, to: bytes)
    }

    private static func apply(
        _ changes: [(range: Range<Int>, unit: [UInt8])], to bytes: UnsafeRawBufferPointer
    ) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + changes.reduce(0) { $0 + $1.unit.count })
        var position = 0
        for change in changes {
            result.append(contentsOf: bytes.part(position..<max(position, change.range.lowerBound)))
            result += change.unit
            position = max(position, change.range.upperBound)
        }
        result.append(contentsOf: bytes.part(position..<max(position, bytes.count)))
        return result
    }

    /// The unit's header without its size, for one that has a size: the layers of its extension stay.
    private static func header(of unit: AV1Unit, in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let header = bytes.part(unit.whole)
        guard let first = header.first else { return [AV1UnitType.metadata << 3 | hasSize] }
        let isExtended = first & hasExtension != 0 && header.count > 1
        return isExtended ? [first | hasSize, header[1]] : [first & ~hasExtension | hasSize]
    }

    /// reduced_still_picture_header of a sequence header's first byte: behind seq_profile and still_picture.
    private static func isReduced(_ byte: UInt8) -> Bool { byte & 0x08 != 0 }

    /// Whether a unit begins a frame that is shown (show_existing_frame or show_frame of AV1 5.9.2). Decoders may drop
    /// metadata in front of a hidden frame.
    private static func isShown(_ unit: AV1Unit, in bytes: UnsafeRawBufferPointer, isReduced: Bool) -> Bool {
        guard unit.type == AV1UnitType.frame || unit.type == AV1UnitType.frameHeader,
            let first = bytes.part(unit.payload).first
        else { return false }
        return isReduced || first & 0x80 != 0 || first & 0x10 != 0
    }
}
