import HDRMetadata

/// Reads the dynamic metadata of a stream's access units, which it must be given in the order of decoding.
///
/// A Dolby Vision RPU may leave out what an earlier one says. Pictures lose their neighbours on the way to a display or
/// to another file, so that each RPU is completed here; one that is complete stays as it is, byte for byte.
package struct DynamicMetadataReader: Sendable {
    /// The dynamic metadata in an access unit.
    package struct Reading: Equatable, Sendable {
        /// At most one of each format: the first that can be used.
        package var payloads: [DynamicMetadataPayload] = []
        /// Descriptions of damaged metadata, which are not among the payloads.
        package var problems: [String] = []
    }

    private let stream: UserDataEditor.Stream
    private var sequence: DolbyVisionRPU.SequenceInfo?
    /// Mappings by vdr_rpu_id, 0...15, which later RPUs name.
    private var mappings: [UInt32: DolbyVisionRPU.Mapping] = [:]

    package init(_ stream: UserDataEditor.Stream) { self.stream = stream }

    /// The metadata of an access unit or temporal unit. The memory is not kept.
    package mutating func read(_ accessUnit: UnsafeRawBufferPointer) -> Reading {
        var reading = Reading()
        do {
            switch stream {
            case .hevc(let framing): try read(hevc: accessUnit, framing, &reading)
            case .av1: try read(av1: accessUnit, &reading)
            }
        } catch {
            reading.problems.append(error.message)
        }
        return reading
    }

    /// Reads an access unit that is given as an array.
    package mutating func read(_ accessUnit: [UInt8]) -> Reading { accessUnit.withRawBytes { read($0) } }

    private mutating func read(
        hevc bytes: UnsafeRawBufferPointer, _ framing: NALFraming, _ reading: inout Reading
    ) throws(BitstreamError) {
        var units = NALReader(bytes, framing: framing)
        while let unit = try units.next() {
            switch unit.hevcType {
            case HEVCUnitType.dolbyVisionRPU?:
                // A parser leaves zeros that trail in a byte stream at the end of its last unit, which must not end in
                // any: H.265 7.4.2.
                let whole = bytes.part(unit.content)
                let content = whole.part(0..<max((whole.lastIndex { $0 != 0 } ?? 0) + 1, 2))
                add(&reading) { reader throws(BitstreamError) in
                    try reader.completed(DolbyVisionRPU(nalUnit: content, sequence: reader.sequence)) {
                        EmulationPrevention.removed(from: content.part(2..<content.count))
                    }
                }
            case HEVCUnitType.prefixSEI?, HEVCUnitType.suffixSEI?:
                let sei = SEIMessages(bytes.part(unit.content), headerSize: 2)
                for message in sei.messages where message.type == SEIType.registeredUserData {
                    add(Array(sei.payload(of: message)), &reading)
                }
            default: break
            }
        }
    }

    private mutating func read(
        av1 bytes: UnsafeRawBufferPointer, _ reading: inout Reading
    ) throws(BitstreamError) {
        var units = AV1UnitReader(bytes)
        while let unit = try units.next() {
            if let message = UserDataEditor.registeredUserData(of: unit, in: bytes) { add(message, &reading) }
        }
    }

    private mutating func add(_ message: [UInt8], _ reading: inout Reading) {
        switch RegisteredUserData(message) {
        case .hdr10Plus:
            do {
                _ = try HDR10PlusMetadata(payload: message)
                Self.add(DynamicMetadataPayload(.hdr10Plus, message), &reading)
            } catch {
                reading.problems.append(error.message)
            }
        case .adaptiveToneMap: Self.add(DynamicMetadataPayload(.st209450, message), &reading)
        case .dolbyVision:
            add(&reading) { reader throws(BitstreamError) in
                try reader.completed(DolbyVisionRPU(t35: message, sequence: reader.sequence))
            }
        case .other: break
        }
    }

    private static func add(_ payload: DynamicMetadataPayload, _ reading: inout Reading) {
        if !reading.payloads.contains(where: { $0.format == payload.format }) { reading.payloads.append(payload) }
    }

    private mutating func add(
        _ reading: inout Reading, _ rpu: (inout Self) throws(BitstreamError) -> [UInt8]
    ) {
        do {
            Self.add(DynamicMetadataPayload(.dolbyVision, try rpu(&self)), &reading)
        } catch {
            reading.problems.append(error.message)
        }
    }

    /// Completes an RPU so that it does not refer to earlier ones.
    /// - Parameter original: the RPU in its present form, where the stream has it as such.
    private mutating func completed(
        _ rpu: DolbyVisionRPU, original: (() -> [UInt8])? = nil
    ) throws(BitstreamError) -> [UInt8] {
        var rpu = rpu
        let isComplete = rpu.header.sequence != nil && rpu.mapping != nil
        sequence = rpu.header.sequence ?? sequence
        if let mapping = rpu.mapping {
            if mapping.id <= 15 { mappings[mapping.id] = mapping }
        } else {
            guard let mapping = mappings[rpu.previousMappingID] else {
                throw BitstreamError(
                    "Dolby Vision RPU uses the mapping \(rpu.previousMappingID) of an earlier one, which is not there")
            }
            rpu.mapping = mapping
        }
        if isComplete, let original { return original() }
        rpu.header.sequence = sequence
        return try rpu.payload()
    }
}
