import CX265
import HDRBitstream
import HDRMetadata

/// Puts the NAL units of a picture together, with what libx265 does not write.
struct AccessUnit {
    private let units: X265Encoder.Units
    /// Bytes that go before the unit with an index, in order.
    private var insertions: [(index: Int, bytes: [UInt8])] = []

    init(_ units: X265Encoder.Units) { self.units = units }

    /// NAL unit types of H.265 table 7-1.
    private enum Kind {
        static let intraRandomAccess: ClosedRange<UInt32> = 16...23
        static let slices: ClosedRange<UInt32> = 0...31
        static let delimiter: UInt32 = 35
        static let parameterSets: ClosedRange<UInt32> = 32...34
    }

    /// Whether decoding can start here.
    var isKeyFrame: Bool { units.contains { Kind.intraRandomAccess.contains($0.type) } }
    var hasParameterSets: Bool { units.contains { Kind.parameterSets.contains($0.type) } }

    /// Puts the start of the stream before everything else, as the program x265 does.
    mutating func prepend(_ bytes: [UInt8]) { insertions.append((0, bytes)) }

    /// Puts parameter sets where they belong: behind the access unit delimiter.
    mutating func insertParameterSets(_ bytes: [UInt8]) {
        insertions.append((units.first?.type == Kind.delimiter ? 1 : 0, bytes))
    }

    /// Puts a message before the first slice.
    mutating func insertMessage(_ bytes: [UInt8]) {
        insertions.append((units.firstIndex { Kind.slices.contains($0.type) } ?? units.count, bytes))
    }

    var size: Int {
        units.reduce(0) { $0 + Int($1.sizeBytes) } + insertions.reduce(0) { $0 + $1.bytes.count }
    }

    /// Hands the bytes over, piece by piece, in order.
    func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) {
        for index in 0...units.count {
            for insertion in insertions where insertion.index == index { insertion.bytes.withUnsafeBytes(body) }
            guard index < units.count else { return }
            body(UnsafeRawBufferPointer(start: units[index].payload, count: Int(units[index].sizeBytes)))
        }
    }

    /// The NAL unit of SEI message 148 (H.265 D.2.39), which libx265 does not know, with its start code.
    static func message(_ ambient: AmbientViewing) -> [UInt8] {
        let payload = ambient.payload
        // A prefix message of layer 0, type and size of the payload, and the trailing bits.
        let message = [148, UInt8(clamping: payload.count)] + payload + [0x80]
        return [0, 0, 0, 1, 39 << 1, 1] + EmulationPrevention.inserted(into: message)
    }
}
