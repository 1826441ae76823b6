// AV1 carries an RPU in a metadata OBU of type 4, as profile 10: ITU-T T.35 for Dolby, and inside of it a container of
// the Extensible Metadata Delivery Format, ETSI TS 102 366 annex H, of which all fields but the size are constant.
extension DolbyVisionRPU {
    private static let country: UInt8 = 0xB5
    /// itu_t_t35_terminal_provider_code and itu_t_t35_terminal_provider_oriented_code.
    private static let provider: [UInt8] = [0, 0x3B, 0, 0, 8, 0]
    /// emdf_version 0, key_id 6, emdf_payload_id 31 and its extension 225, no flags but discard_unknown_payload.
    private static let container: (bits: Int, value: UInt32) = (27, 0x01BE_6841)
    /// The end of the container: emdf_payload_id 0, protection of 8 bits and of none, and the 8 bits.
    private static let containerEnd: (bits: Int, value: UInt32) = (17, 0x400)
    /// Larger than any RPU can be that has no unknown bytes.
    private static let maximumOfBytes = 1 << 16

    /// Reads a message of ITU-T T.35, with the country code 0xB5 or from the provider's code on.
    ///
    /// - Parameter sequence: that of an earlier RPU, for streams that have it in some RPUs only.
    package init(t35 message: [UInt8], sequence: SequenceInfo? = nil) throws(BitstreamError) {
        self = try Self(core: Self.core(ofT35: message), sequence: sequence)
    }

    /// The RPU in a message, from its prefix to its terminator.
    static func core(ofT35 message: [UInt8]) throws(BitstreamError) -> [UInt8] {
        let content = message.first == Self.country ? message.dropFirst() : message[...]
        guard content.starts(with: Self.provider) else {
            throw BitstreamError("this T.35 message is no Dolby Vision RPU: it is of another provider", at: 0)
        }
        var reader = RBSPReader(all: Array(content.dropFirst(Self.provider.count)), name: "Dolby Vision RPU of AV1")
        guard try reader.bits(Self.container.bits) == Self.container.value else {
            throw reader.failure("is in an unknown container")
        }
        let size = try Self.variableBits(&reader)
        guard size <= reader.remaining / 8 else { throw reader.failure("ends too early") }
        var core = [Self.prefix]
        core.reserveCapacity(size + 1)
        for _ in 0..<size { core.append(try reader.byte()) }
        guard try reader.bits(Self.containerEnd.bits) == Self.containerEnd.value else {
            throw reader.failure("has an unknown end of its container")
        }
        return core
    }

    /// A message of ITU-T T.35 from the country code on. Trailing bytes have no place in it.
    package func t35Message(sequence: SequenceInfo? = nil) throws(BitstreamError) -> [UInt8] {
        Self.t35Message(core: try core(sequence: sequence))
    }

    /// A message with an RPU from its prefix to its terminator.
    static func t35Message(core: [UInt8]) -> [UInt8] {
        let content = core.dropFirst()
        var writer = RBSPWriter(capacity: content.count + 16)
        writer.write(container.value, bits: container.bits)
        write(variableBits: content.count, to: &writer)
        for byte in content { writer.write(UInt32(byte), bits: 8) }
        writer.write(containerEnd.value, bits: containerEnd.bits)
        while !writer.isAligned { writer.write(true) }
        return [country] + provider + writer.bytes
    }

    /// variable_bits(8): groups of eight bits, each followed by a flag that another one comes, which adds 1 to what is
    /// in front of it.
    private static func variableBits(_ reader: inout RBSPReader) throws(BitstreamError) -> Int {
        var value = Int(try reader.bits(8))
        while try reader.flag() {
            value = (value + 1) << 8 | Int(try reader.bits(8))
            guard value <= maximumOfBytes else { throw reader.failure("has \(value) bytes or more") }
        }
        return value
    }

    private static func write(variableBits value: Int, to writer: inout RBSPWriter) {
        var groups = [value & 0xFF]
        var rest = value >> 8
        while rest > 0 {
            groups.append((rest - 1) & 0xFF)
            rest = (rest - 1) >> 8
        }
        for (index, group) in groups.enumerated().reversed() {
            writer.write(UInt32(truncatingIfNeeded: group), bits: 8)
            writer.write(index > 0)
        }
    }
}
