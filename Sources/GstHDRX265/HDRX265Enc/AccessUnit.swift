import CX265
import HDRBitstream

/// Assembles the NAL units of a picture, and adds those that libx265 does not write.
struct AccessUnit {
    private let units: X265Encoder.Units
    /// The bytes to insert before the unit with an index, in order.
    private var insertions: [(index: Int, bytes: [UInt8])] = []

    init(_ units: X265Encoder.Units) { self.units = units }

    /// Whether decoding can start here.
    var isKeyFrame: Bool { units.contains { HEVCUnitType.intraRandomAccess.contains($0.kind) } }
    var hasParameterSets: Bool { units.contains { HEVCUnitType.parameterSets.contains($0.kind) } }

    /// Inserts the start of the stream before everything else, as the program x265 does.
    mutating func prepend(_ bytes: [UInt8]) { insertions.append((0, bytes)) }

    /// Inserts parameter sets behind the access unit delimiter, as the standard requires.
    mutating func insertParameterSets(_ bytes: [UInt8]) {
        insertions.append((units.first?.kind == HEVCUnitType.delimiter ? 1 : 0, bytes))
    }

    /// Inserts an SEI message (H.265 7.3.5) before the first slice.
    /// - Parameter type: one of ``SEIType``, below 255.
    mutating func insertMessage(_ type: Int, _ payload: [UInt8]) {
        let slice = units.firstIndex { HEVCUnitType.slices.contains($0.kind) } ?? units.count
        var message = [UInt8(clamping: type)]
        message += [UInt8](repeating: 255, count: payload.count / 255)
        message.append(UInt8(payload.count % 255))
        message += payload
        // These are the trailing bits (rbsp_trailing_bits).
        message.append(0x80)
        // A prefix SEI message of layer 0 with the slice's temporal layer (H.265 7.3.1.2).
        let header = [HEVCUnitType.prefixSEI << 1, slice < units.count ? temporalID(units[slice]) : 1]
        insertions.append((slice, Self.startCode + header + EmulationPrevention.inserted(into: message)))
    }

    /// Appends a Dolby Vision RPU behind everything else, in the lowest layer.
    mutating func append(rpu: [UInt8]) {
        insertions.append(
            (
                units.count,
                Self.startCode + [HEVCUnitType.dolbyVisionRPU << 1, 1] + EmulationPrevention.inserted(into: rpu)
            ))
    }

    private static let startCode: [UInt8] = [0, 0, 0, 1]

    /// nuh_temporal_id_plus1 of a unit, whose start code has three or four bytes.
    private func temporalID(_ unit: x265_nal) -> UInt8 {
        let bytes = UnsafeBufferPointer(start: unit.payload, count: Int(unit.sizeBytes))
        guard bytes.count > 6 else { return 1 }
        return bytes[bytes[2] == 1 ? 4 : 5] & 7
    }

    var size: Int {
        units.reduce(0) { $0 + Int($1.sizeBytes) } + insertions.reduce(0) { $0 + $1.bytes.count }
    }

    /// Calls `body` with the bytes, piece by piece, in order.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) {
        for index in 0...units.count {
            for insertion in insertions where insertion.index == index { insertion.bytes.withUnsafeBytes(body) }
            guard index < units.count else { return }
            body(UnsafeRawBufferPointer(start: units[index].payload, count: Int(units[index].sizeBytes)))
        }
    }
}

extension x265_nal {
    /// Its type, one of ``HEVCUnitType``.
    fileprivate var kind: UInt8 { UInt8(clamping: type) }
}
